// Of the package of the calculator, which is not public.
package games.strategy.triplea.oddsCalculator.ta;

import games.strategy.engine.data.GameData;
import games.strategy.engine.data.GameParser;
import games.strategy.engine.data.PlayerID;
import games.strategy.engine.data.Territory;
import games.strategy.engine.data.Unit;
import games.strategy.engine.data.UnitType;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Battles of a map by TripleA's own odds calculator, without a window.
 *
 * Arguments: the map, then players, of whom the first two at war fight (none named: of all players).
 * Reads a battle a line: runs, kind (land, amphibious, sea), attackers, defenders, bombarding ships, the order of losses
 * of the attacker and of the defender; tabs between, a unit as name=number, commas between units. Writes a line for each:
 * wins of the attacker, of the defender, of nobody, then sum and sum of squares of the rounds, of the attacker's and of
 * the defender's fighting units left, then seconds of CPU time.
 */
final class Front {
  public static void main(final String[] arguments) throws Exception {
    final PrintStream answers = System.out;
    // The engine writes notes of its own to standard output.
    System.setOut(System.err);
    final GameData data;
    try (InputStream map = new FileInputStream(arguments[0])) {
      data = new GameParser(arguments[0]).parse(map, new AtomicReference<>(), false);
    }
    final PlayerID[] players = enemies(data, Arrays.asList(arguments).subList(1, arguments.length));
    answers.println(players[0].getName() + "\t" + players[1].getName());
    answers.flush();
    // "Cloned already": cloning by serialization breaks under newer versions of Java.
    final OddsCalculator calculator = new OddsCalculator(data, true);
    final BufferedReader battles =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = battles.readLine(); line != null; line = battles.readLine()) {
      answers.println(answer(data, calculator, players, line.split("\t", -1)));
      answers.flush();
    }
    System.exit(0);
  }

  /** CPU time of all threads. */
  private static long nanoseconds() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** The first two players of those named (of all, if none are) that are at war. */
  private static PlayerID[] enemies(final GameData data, final List<String> named) {
    for (final PlayerID first : data.getPlayerList().getPlayers()) {
      for (final PlayerID second : data.getPlayerList().getPlayers()) {
        final boolean both = named.contains(first.getName()) && named.contains(second.getName());
        if ((both || named.isEmpty()) && data.getRelationshipTracker().isAtWar(first, second)) {
          return new PlayerID[] {first, second};
        }
      }
    }
    throw new IllegalStateException("nobody is at war");
  }

  private static String answer(
      final GameData data, final OddsCalculator calculator, final PlayerID[] players, final String[] given) {
    final int runs = Integer.parseInt(given[0]);
    final boolean sea = given[1].equals("sea");
    final List<Unit> attackers = units(data, players[0], given[2]);
    final List<Unit> defenders = units(data, players[1], given[3]);
    final List<Unit> bombarding = units(data, players[0], given[4]);
    calculator.setAmphibious(given[1].equals("amphibious"));
    calculator.setRetreatAfterRound(-1);
    calculator.setRetreatAfterXUnitsLeft(-1);
    calculator.setRetreatWhenOnlyAirLeft(false);
    calculator.setKeepOneAttackingLandUnit(false);
    calculator.setAttackerOrderOfLosses(given[5].isEmpty() ? null : given[5]);
    calculator.setDefenderOrderOfLosses(given[6].isEmpty() ? null : given[6]);
    calculator.setCalculateData(
        players[0], players[1], place(data, sea), attackers, defenders, bombarding, Collections.emptyList(), runs);
    final long begin = nanoseconds();
    final AggregateResults results = calculator.calculate();
    final double seconds = (nanoseconds() - begin) / 1e9;
    return counts(results) + "\t" + seconds;
  }

  private static String counts(final AggregateResults results) {
    final long[] found = new long[9];
    for (final BattleResults one : results.getResults()) {
      found[one.attackerWon() ? 0 : one.defenderWon() ? 1 : 2]++;
      final long[] numbers = {
        one.getBattleRoundsFought(), one.getAttackingCombatUnitsLeft(), one.getDefendingCombatUnitsLeft()
      };
      for (int i = 0; i < numbers.length; i++) {
        found[3 + 2 * i] += numbers[i];
        found[4 + 2 * i] += numbers[i] * numbers[i];
      }
    }
    final StringBuilder text = new StringBuilder();
    for (final long number : found) {
      text.append(text.length() == 0 ? "" : "\t").append(number);
    }
    return text.toString();
  }

  private static List<Unit> units(final GameData data, final PlayerID owner, final String listed) {
    final List<Unit> found = new ArrayList<>();
    for (final String part : listed.split(",")) {
      if (!part.isEmpty()) {
        final int end = part.lastIndexOf('=');
        final UnitType type = data.getUnitTypeList().getUnitType(part.substring(0, end));
        found.addAll(type.create(Integer.parseInt(part.substring(end + 1)), owner));
      }
    }
    return found;
  }

  /** A place at sea or on land, without effects. */
  private static Territory place(final GameData data, final boolean sea) {
    for (final Territory one : data.getMap().getTerritories()) {
      if (one.isWater() == sea) {
        return one;
      }
    }
    throw new IllegalStateException("no such place");
  }
}
