"""Best play in one sentence: never stop, stop at 4 v 3, cheapest first is already best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simulator.analysis.words import capital, percent, points
from simulator.rules.toolkit.naming import listed
from simulator.scenarios.objective import PLAIN, SIDES, weights_of

if TYPE_CHECKING:
    from simulator.analysis.decisions.best import Best

# The choices of a side that goes on with a battle; all others of the same decision end it.
STAYING = ("go on", "stay")
# Orders of losses, which a sentence names with "first".
ORDERS = ("cheapest", "weakest")
MOST_STOPS, LONGEST_PLACE = 3, 60
# Columns of a row that are numbers of the policy, not of the state.
NUMBERS = ("advantage", "reached")
# A policy that loses less against the best one is as good; a state that is reached less often is not.
ALIKE = 1e-9
Row = Mapping[str, Any]


def winning(found: Best, side: str) -> tuple[str, float] | None:
    """The side whose chance to win is the worth to `side`, and the sign of it; None where other things count."""
    whose, sign, weights = weights_of(found.scenario.objective, side)
    return (whose, sign) if dict(weights) == PLAIN else None


def headline(found: Best) -> str:
    """The advice to each side that decides, and the chance to win, or the worth, that it brings."""
    parts = dict.fromkeys(_advice(found))
    text = capital("; ".join(parts)) or "Nothing is decided in the course of this battle"
    result = f"the attacker wins {percent(found.odds.winner('attacker'))}" if "winner" in found.odds.columns else ""
    if winning(found, SIDES[0]) is None or not result:
        opposite = abs(sum(found.value.values())) <= ALIKE
        worths = [f"{value:.4f} to the {side}" for side, value in found.value.items()]
        result += f"{', ' if result else ''}worth {listed(worths[: 1 if opposite else 2])}"
    return f"{text}; {result}"


def _advice(found: Best) -> Iterator[str]:
    """A clause for each decision."""
    for side in SIDES if found.lots else ():
        drawn = [f"{one.choice} ({percent(one.chance)})" for one in found.lots if one.side == side]
        yield f"the {side} draws lots: {listed(drawn, 'or')}" if len(drawn) > 1 else f"the {side}: {drawn[0]}"
    for path, value in found.choice.items():
        yield f"best {path}: {value}"
    for (side, _), rows in by_decision(found.rows()).items():
        text = in_words(found, rows)
        yield text if side == SIDES[0] else f"as the {side}, {text}"


def by_decision(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    """The rows of each side and decision (a policy, or a fight of a campaign)."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row["side"], row.get("decision") or row["fight"]), []).append(row)
    return found


def ending(rows: Sequence[Row]) -> list[Row] | None:
    """The rows in which a side ends the battle; None for decisions of another kind."""
    if not any(row["choice"] in STAYING for row in rows):
        return None
    return [row for row in rows if row["choice"] not in STAYING]


def in_words(found: Best, rows: Sequence[Row]) -> str:
    """A decision in words."""
    side, decision = rows[0]["side"], rows[0].get("decision", "")
    often = sorted((row for row in rows if row["reached"] > ALIKE), key=lambda row: -row["reached"]) or list(rows)
    stops = ending(often)
    if stops is not None:
        return _stopping(stops)
    if len({row["choice"] for row in often}) == 1:
        choice = often[0]["choice"]
        return f"fight {rows[0]['fight']}: {choice}" if "fight" in rows[0] else f"always {choice}"
    fixed = [one for one in found.fixed if one.decision == decision]
    best = min(fixed, key=lambda one: one.gain, default=None)
    if best is None:
        return f"{decision} depends on how the battle stands, most often {often[0]['choice']}"
    name = policy_name(decision, best.policy)
    if best.gain <= ALIKE:
        return f"{name} is already best"
    by = points(best.gain, winning(found, side) is not None)
    return f"choose case by case, {by} better than {name}, the best fixed policy"


def policy_name(decision: str, policy: str) -> str:
    """A fixed policy as a sentence names it."""
    if "loss" in decision:
        return f"{policy} first" if policy in ORDERS else policy
    return f"{decision.rpartition('.')[2]} {policy}"


def _stopping(stops: Sequence[Row]) -> str:
    """When a side ends the battle; the most frequent states first."""
    if not stops:
        return "hold your nerve: never stop"
    words = {row["choice"] for row in stops}
    word = next(iter(words)) if len(words) == 1 else "stop"
    places = list(dict.fromkeys(map(place_of, stops)))
    if len(places) <= MOST_STOPS:
        return f"{word} at {listed(places, 'or')}"
    often = f", most often at {places[0]}" if len(places[0]) <= LONGEST_PLACE else ""
    return f"{word} in {percent(sum(row['reached'] for row in stops))} of battles{often}"


def place_of(row: Row) -> str:
    """The state of a row: "4 v 3", own units first, or the words of the game."""
    if "own" in row:
        return f"{row['own']} v {row['enemy']}"
    sides = [str(row[side]) for side in SIDES if side in row]
    if len(sides) == len(SIDES):
        return " v ".join(sides)
    state = {name: value for name, value in row.items() if name not in {"side", "decision", "choice", *NUMBERS}}
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in state.items() if value != "")
