"""Tables of best play for a terminal: fixed policies beside it, and its choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simulator.analysis.decisions.advice import NUMBERS, by_decision, ending, winning
from simulator.analysis.words import amount, points, signed
from simulator.report.tables.plain import plain_table
from simulator.report.tables.short import all_rows, first
from simulator.rules.toolkit.tolerances import ALIKE

if TYPE_CHECKING:
    from simulator.analysis.decisions.best import Best
    from simulator.analysis.decisions.named_policies import Gain

MARKS = {"go on": ".", "stop": "S"}
# The widest grid of choices that a line of a terminal holds.
WIDEST = 74
Row = Mapping[str, Any]


def policy_parts(found: Best, every: bool = False) -> Iterator[Any]:
    """The fixed policies, and the best choices: those that say more than the headline, or `every` one."""
    yield from found.wanted
    yield from found.advice()
    for decision in dict.fromkeys(one.decision for one in found.fixed):
        yield _fixed_table(found, [one for one in found.fixed if one.decision == decision])
    total = shown = 0
    for (side, decision), rows in by_decision(found.rows()).items():
        here = sorted(rows if every else _telling(found, decision, rows), key=lambda row: -row["reached"])
        total += len(rows)
        if here and not every and "own" in rows[0] and max(row["own"] for row in rows) <= WIDEST:
            yield from _grids(rows)
            shown += len(rows)
        elif here:
            short = first(here, every)
            shown += len(short.rows)
            yield _choices_table(f"{side}: {decision}", short.rows, winning(found, side) is not None)
    yield all_rows(shown, total)


def _telling(found: Best, decision: str, rows: Sequence[Row]) -> list[Row]:
    """The rows that are reached, and end the battle or gain over another choice.

    None of a decision that does not end the battle where all choices are alike or a fixed policy is as good.
    """
    reached = [row for row in rows if row["reached"] > ALIKE]
    if (stops := ending(reached)) is not None:
        return stops
    plain = any(one.decision == decision and one.gain <= ALIKE for one in found.fixed)
    if plain or len({row["choice"] for row in reached}) < 2:
        return []
    return [row for row in reached if row["advantage"] > ALIKE]


def _fixed_table(found: Best, fixed: Sequence[Gain]) -> Any:
    """A row a fixed policy of one decision, the best first: its worth, and the loss against the best one."""
    decision = fixed[0].decision
    side = next((part for part in decision.split(".")[:2] if part in found.value), "attacker")
    whose, sign = winning(found, side) or ("", 1.0)
    table = plain_table(decision, right=(f"{whose} wins" if whose else f"worth to the {side}", "less than best"))
    for one in sorted(fixed, key=lambda one: one.gain):
        lost = "the same" if abs(one.gain) <= ALIKE else points(one.gain, bool(whose))
        table.add_row(one.policy, amount(sign * one.value, bool(whose)), lost)
    return table


def _choices_table(title: str, rows: Sequence[Row], chance: bool) -> Any:
    """A row a state: the state in the words of the game, the choice, its gain over the next best, its chance."""
    names = [name for name in rows[0] if name not in {"side", "decision", "fight", *NUMBERS}]
    heads = (name.replace("_", " ") for name in names)
    gained = "points gained" if chance else "gain"
    table = plain_table(*heads, title=title, right=(gained, "reached"), constants=True)
    for row in rows:
        gain = signed(row["advantage"], chance) if row["advantage"] > ALIKE else "none"
        table.add_row(*(str(row[name]) for name in names), gain, amount(row["reached"], True))
    return table


def _grids(rows: Sequence[Row]) -> Iterator[str]:
    """Own units across, enemy units up: go on or stop; of dice their number."""
    for panel in dict.fromkeys((row["decision"], row["place"]) for row in rows):
        found: dict[tuple[int, int], set[str]] = {}
        for row in rows:
            if (row["decision"], row["place"]) == panel:
                mark = MARKS.get(row["choice"], row["choice"][:1])
                found.setdefault((row["enemy"], row["own"]), set()).add(mark)
        widest, highest = max(own for _, own in found), max(enemy for enemy, _ in found)
        legend = ". go on, S stop" if panel[0].endswith("retreat") else "dice rolled, * it depends"
        yield f"\n{', '.join(panel)}: own units across, enemy units up\n({legend})"
        for enemy in range(highest, 0, -1):
            cells = (found.get((enemy, own), {" "}) for own in range(1, widest + 1))
            line = "".join(next(iter(cell)) if len(cell) == 1 else "*" for cell in cells)
            yield f"{enemy:4} {line.rstrip()}"
        yield "     " + "".join(str(own % 10) for own in range(1, widest + 1))
