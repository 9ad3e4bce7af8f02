"""Random battles of TripleA maps, by TripleA's own odds calculator and by this project; called by `.ci/triplea`.

`python compare.py CLASSES JAR MAP.xml ...`: both get the same loss orders; every number of each battle is compared by
its z, the distance in standard errors of the calculator's runs. Exit status 1 where a z of 4 or more is not explained.
"""

import math
import random
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from simulator import exact, import_triplea
from simulator.rules.custom.triplea.report import Report
from simulator.rules.custom.triplea.variables import write_out
from simulator.rules.custom.triplea.xml_map import read_map

RUNS, BATTLES, WORST = 1_200, 15, 4.0
FRONT = "games.strategy.triplea.oddsCalculator.ta.Front"
# The numbers that the calculator counts for each battle, behind the three results: sum and sum of squares of each.
NUMBERS = ("rounds", "attacker's units left", "defender's units left")


def picked(rng, names, most_kinds, most_pieces):
    some = rng.sample(names, min(len(names), rng.randint(1, most_kinds)))
    return {name: rng.randint(1, most_pieces) for name in some}


def random_battle(rng, game, low_luck):
    """A battle of the map: its scenario, the bombarding ships, and the order of losses of each side."""
    kind = rng.choice(list(game["battle"]))
    table, scenario, bombarding = game["battle"][kind], {"game": "custom", "rules": game, "battle": kind}, {}
    for side in ("attacker", "defender"):
        scenario[side] = picked(rng, table[side]["fights"], 3, 4)
        supports = table[side].get("supports", [])
        if supports and rng.random() < 0.6:
            scenario[side] |= picked(rng, supports, 1, 2)
        if kind == "amphibious" and side == "attacker":
            bombarding = {
                name: n for name, n in scenario[side].items() if "bombard" in game["unit"][name].get("rolls", {})
            }
    order = {
        side: [name for name in scenario[side] if name in table[side]["fights"]] for side in ("attacker", "defender")
    }
    for names in order.values():
        rng.shuffle(names)
    if low_luck:
        scenario["options"] = {"dice": "low-luck"}
    scenario["policy"] = {side: {"loss_order": order[side]} for side in order}
    return scenario, bombarding, order


def asked_of_the_calculator(game, scenario, bombarding, order):
    def spelt(name):
        return game["unit"][name].get("name", name)

    def listed(units):
        return ",".join(f"{spelt(name)}={number}" for name, number in units.items())

    ashore = {name: n for name, n in scenario["attacker"].items() if name not in bombarding}
    orders = [";".join(f"*^{spelt(name)}" for name in order[side]) for side in ("attacker", "defender")]
    return "\t".join(
        [str(RUNS), scenario["battle"], listed(ashore), listed(scenario["defender"]), listed(bombarding), *orders]
    )


def ours(scenario):
    """The chances of the three results, mean and standard deviation of the other numbers, and seconds of CPU time."""
    begin = time.process_time()
    odds = exact(scenario)
    spent = time.process_time() - begin
    columns = ("rounds", "attacker_units_left", "defender_units_left")
    numbers = [(odds.mean(column), odds.std(column)) for column in columns]
    return [odds.winner(who) for who in ("attacker", "defender", "nobody")], numbers, spent


def distances(chances, numbers, given):
    """The z of each number, by the exact deviation or the sample's, the larger; one battle at least may differ.

    A rare number's deviation is too small in a sample that happens to have few of it.
    """
    found = {}
    for who, chance, count in zip(("attacker wins", "defender wins", "nobody wins"), chances, given[:3], strict=True):
        found[who] = (count - RUNS * chance) / math.sqrt(max(RUNS * chance * (1 - chance), 1))
    for place, (name, (mean, std)) in enumerate(zip(NUMBERS, numbers, strict=True)):
        total, squares = given[3 + 2 * place : 5 + 2 * place]
        variance = max(std**2, squares / RUNS - (total / RUNS) ** 2, 1 / RUNS)
        found[name] = (total / RUNS - mean) / math.sqrt(variance / RUNS)
    return found


def of_guns(steps, scenario, number):
    """Why fire at aircraft may differ; empty if nothing is known."""
    for step in steps:
        for side in step["fire"] if step.get("when") == "before-battle" else ():
            enemy = scenario["defender" if side == "attacker" else "attacker"]
            struck = {*enemy} & {*step["hits_only"]}
            if {*scenario[side]} & {*step["by"]} and len(struck) > 1:
                return "hits of guns on aircraft of several kinds: by lot in TripleA, by the owner's order here"
            if {*scenario[side]} & {*step["by"]} and struck == {*enemy} and number == "rounds":
                return "TripleA counts a battle that guns end as one round"
    return ""


def explanation(game, scenario, number, of_some):
    """Why the two may differ in a battle (docs/rules/triplea_import.md section 8); empty if nothing is known.

    `of_some`: supports that only some players of the map have.
    """
    units, table = {*scenario["attacker"], *scenario["defender"]}, game["battle"][scenario["battle"]]
    steps = [step for step in game["step"] if units & {*step.get("by", [])}]
    if scenario["battle"] == "sea" and any(step.get("group") == "sea-strike" for step in steps):
        return "submarines, which may submerge"
    helpless = {*game["losses"].get("removed_alone", {}).get("defender", [])}
    if number == "rounds" and {*scenario["defender"]} <= helpless:
        return "TripleA counts a battle against helpless units alone as one round"
    if why := of_guns(steps, scenario, number):
        return why
    if scenario["battle"] == "sea" and {*scenario["attacker"]} & {*game["losses"].get("last", [])}:
        return "TripleA revives an attacker with transports who loses everything in round 1"
    only_support = {name for side in ("attacker", "defender") for name in table[side].get("supports", [])}
    if any(game["unit"][name].get(roll) for name in units & only_support for roll in ("attack", "defence")):
        return "units that cannot be hit, which fire in TripleA and only support here"
    here = [one for one in game.get("support", []) if units & {*one["from"]} and units & {*one["to"]}]
    if any(one["name"] in of_some for one in here):
        return "supports of some players, which all have here"
    if any(game["unit"][name].get(roll) == 0 for one in here for name in one["to"] for roll in ("attack", "defence")):
        return "units of value 0, which TripleA's supports raise"
    if "options" in scenario and any(step["name"] == "bombardment" for step in steps):
        return "a pool of low luck for bombardment"
    return ""


def players_with_supports(path):
    """The players that have every support of the map: in an import everybody has them. Empty if fewer than two."""
    found = read_map(path)
    write_out(found, Report())
    lists = [
        one.latest()["players"].names() for one in found.kind("UnitSupportAttachment") if "players" in one.latest()
    ]
    named = [player for player in found.players if all(player in players for players in lists)]
    return named if len(named) > 1 else []


def readable(path, folder):
    """A copy of the map with classes as TripleA 1.9 names them: newer maps leave their package out."""
    text = Path(path).read_bytes()
    copy = Path(folder) / "map.xml"
    copy.write_bytes(re.sub(rb'javaClass="(\w+)"', rb'javaClass="games.strategy.triplea.attachments.\1"', text))
    return copy


def compare(classes, jar, path, seed):
    """Rows of one map's battles: worst z, its number, explanation, seconds there and here, the battle, both chances."""
    imported = import_triplea(path)
    game = imported.game
    of_some = {one["about"] for one in imported.report if "for all players" in str(one["note"])}
    low_luck = any(record["about"] == "Low Luck" and record["kind"] == "left out" for record in imported.report)
    rng, rows = random.Random(seed), []
    command = ["java", "-Djava.awt.headless=true", "-cp", f"{classes}:{jar}", FRONT, str(readable(path, classes))]
    command += players_with_supports(path)
    # The engine looks for its properties in the folder in which it runs.
    with subprocess.Popen(
        command,
        cwd=Path(jar).parent,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as engine:
        if not engine.stdout.readline():
            return rows
        while len(rows) < BATTLES:
            scenario, bombarding, order = random_battle(rng, game, low_luck)
            ashore = sum(n for name, n in scenario["attacker"].items() if "land" in game["unit"][name]["tags"])
            # The number of ships that bombard is decided before the calculator is asked: it takes all that it is given.
            if sum(bombarding.values()) > ashore or not all(order.values()):
                continue
            print(asked_of_the_calculator(game, scenario, bombarding, order), file=engine.stdin, flush=True)
            answer = engine.stdout.readline().split()
            if not answer:
                break
            chances, numbers, spent = ours(scenario)
            found = distances(chances, numbers, [int(number) for number in answer[:-1]])
            worst = max(found, key=lambda name: abs(found[name]))
            why, chance = explanation(game, scenario, worst, of_some), int(answer[0]) / RUNS
            rows.append((found[worst], worst, why, float(answer[-1]), spent, scenario, (chances[0], chance)))
        engine.kill()
    return rows


def main(classes, jar, *maps):
    failed, every = 0, []
    for number, path in enumerate(maps):
        try:
            rows = compare(classes, jar, path, number)
        except ValueError as error:
            print(f"{Path(path).name}: {str(error)[:100]}")
            continue
        if not rows:
            print(f"{Path(path).name}: TripleA cannot read it", flush=True)
            continue
        every += rows
        print(f"{Path(path).name}: {equal(rows)} (|z| < {WORST:g} in every number)", flush=True)
        for place, (z, worst, why, _, _, scenario, (here, there)) in enumerate(rows):
            battle = f"{scenario['battle']}, {listed(scenario['attacker'])} v {listed(scenario['defender'])}"
            if abs(z) >= WORST:
                failed += not why
                print(f"  {battle}: attacker {here:.3f}, TripleA {there:.3f}; z = {z:.1f} in {worst}; {why or '???'}")
            elif place == 0:
                print(f"  {battle}: attacker {here:.3f}, TripleA {there:.3f}")
    if every:
        speed = RUNS * len(every) / sum(row[3] for row in every)
        middle = statistics.median(row[4] for row in every) * 1e3
        print(f"{equal(every)}; {failed} differences without an explanation")
        print(f"CPU time: TripleA {speed:.0f} battles a second; here exact, median {middle:.0f} ms a question")
    return 1 if failed or not every else 0


def listed(units):
    return ", ".join(f"{number} {name}" for name, number in units.items())


def equal(rows):
    return f"{sum(abs(row[0]) < WORST for row in rows)} of {len(rows)} battles equal"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
