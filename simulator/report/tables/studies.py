"""Tables of studies for a terminal: comparisons, needs, sensitivities, balance, units, the worth of a battle.

Each function yields tables and lines below the headline; `every` shows long tables whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from simulator.analysis.odds.measure import is_chance, statistic_of
from simulator.analysis.words import LEAST_POINTS, amount, difference_in_words, heading, number_in_words, signed, span
from simulator.report.tables.plain import plain_table, table_of
from simulator.report.tables.short import MOST_ROWS, Short, all_rows, around, first
from simulator.report.words import label_of
from simulator.rules.toolkit.words import percent, setting_of

if TYPE_CHECKING:
    from simulator.analysis.campaigns.by_round import ByRound
    from simulator.analysis.decisions.need import Need
    from simulator.analysis.decisions.worth import Worth
    from simulator.analysis.studies.balance import Balance
    from simulator.analysis.studies.compare import ComparedValue, Comparison
    from simulator.analysis.studies.sensitivity import FieldStep, Sensitivity
    from simulator.analysis.studies.sobol import Indices
    from simulator.analysis.studies.units import Units

Parts = Iterator[Any]
# The units of each side that are shown of many.
FEW = 5
# The columns of a difference; those that are empty in every row are left out.
APART = ("difference", "95 % interval", "battles to notice")
QUANTILES = {"mean": "", "std": ", standard deviation"}


def comparison_parts(found: Comparison, every: bool = False) -> Parts:
    """The values side by side; of two scenarios with the differences, of more with those of the first value."""
    values = [value for value in found.values if every or _worth_showing(found, value)]
    if len(found.odds) == 2:
        yield _pair_table(found, values)
    else:
        yield _first_table(found)
        table = plain_table("", right=list(found.odds))
        for value in values:
            rows = [row for row in found.answers if row.value == value]
            table.add_row(_label(found, value), *(_amount(found, row) for row in rows))
        yield table
    yield all_rows(len(values), len(found.values))
    yield from found.notes
    yield f"Method: {found.how()}"


def _worth_showing(found: Comparison, value: str) -> bool:
    """Is a value one of few, or a chance or mean that is not 0 in every scenario?"""
    if len(found.values) <= MOST_ROWS:
        return True
    if (statistic_of(value) or ("mean",))[0] != "mean":
        return False
    return any(row.estimate for row in found.answers if row.value == value)


def _label(found: Comparison, value: str) -> str:
    """A value as a row of a table names it: "attacker wins", "rounds", "rounds, 95 %"."""
    statistic, column = statistic_of(value) or ("", "")
    if not statistic:
        return heading(value)
    more = QUANTILES.get(statistic, f", {int(statistic[1:] or 0)} %" if statistic[1:].isdigit() else "")
    return label_of(found.odds[found.reference].battle, column) + more


def _amount(found: Comparison, row: ComparedValue) -> str:
    battle = found.odds[found.reference].battle
    return number_in_words(battle, row.value, row.estimate, found.in_percent(row.value))


def _apart(found: Comparison, row: ComparedValue) -> tuple[str, str, str]:
    """The difference to the reference, its interval if it is simulated, and the battles that show it."""
    d, battle, chance = row.difference, found.odds[found.reference].battle, found.in_percent(row.value)
    difference = partial(difference_in_words, battle, row.value, chance=chance)
    sure = row.method == "exact" or math.isnan(d.low)
    interval = "" if sure else f"{difference(d.low)} to {difference(d.high)}"
    seen = row.noticed_after is not None and abs(d.value) >= LEAST_POINTS / 100
    return difference(d.value), interval, f"{row.noticed_after:,}" if seen else ""


def _pair_table(found: Comparison, values: Sequence[str]) -> Any:
    """A row a value: two scenarios side by side, and their difference."""
    table = plain_table("", right=(*found.odds, *APART))
    for value in values:
        one, other = [row for row in found.answers if row.value == value]
        table.add_row(_label(found, value), _amount(found, one), _amount(found, other), *_apart(found, other))
    return table


def _first_table(found: Comparison) -> Any:
    """A row a scenario: the value of the headline, and its difference to the reference."""
    table = plain_table("scenario", right=(_label(found, found.telling), *APART))
    for row in (row for row in found.answers if row.value == found.telling):
        apart = () if row.scenario == found.reference else _apart(found, row)
        table.add_row(row.scenario, _amount(found, row), *apart)
    return table


def need_parts(found: Need, every: bool = False) -> Parts:
    """The answers around that to a need; of several fields the Pareto front, with `every` all combinations tried."""
    rows = found.rows()
    chosen = rows if every or len(found.settings) == 1 else found.front()
    paths = list(found.settings)
    answer = next((place for place, row in enumerate(chosen) if all(row[p] == found.settings[p] for p in paths)), 0)
    short = around(chosen, answer, every)
    columns: dict[str, Any] = dict.fromkeys(paths, "{}")
    if found.has_cost:
        columns["cost"] = "{:g}"
    if len({row["method"] for row in short.rows}) > 1:
        columns["method"] = "{:s}"
    name = "chance" if found.measure.startswith("not (") else heading(found.measure)
    columns[name] = partial(amount, chance=is_chance(found.measure))
    yield table_of((row | {name: row["value"]} for row in short.rows), columns)
    if len(paths) > 1 and not every:
        yield "These are the combinations that reach most for their cost."
    yield all_rows(len(short.rows), len(rows))
    yield f"Method: {found.how()}"


def rounds_parts(found: ByRound, every: bool = False) -> Parts:
    """Chances by round; for one plan with its interval when simulated."""
    unit, title = found.clock.unit, found.clock.title
    short = around(found.rows(), 0, every)
    if len(found.odds) > 1:
        yield table_of(short.rows, {unit: "{:d}"} | dict.fromkeys(found.odds, percent))
    else:
        columns: dict[str, Any] = {unit: "{:d}", title: percent}
        if any(odds.battles is not None for odds in found.odds.values()):
            columns["95 % interval"] = "{:s}"
        rows = (row | {title: row["p"], "95 % interval": span(row["low"], row["high"])} for row in short.rows)
        yield table_of(rows, columns)
    yield short.line
    yield f"Method: {found.how()}"


def sensitivity_parts(found: Sensitivity, every: bool = False) -> Parts:
    """The largest fall and rise by each field, the field that moves most first; with `every` all its changes."""
    idle = set(found.without_effect())
    fields = [(name, steps) for name, steps in found.fields() if name not in idle]
    steps = [step for _, steps in fields for step in steps]
    short = first(steps if every else [step for _, steps in fields for step in _extremes(steps)], every)
    simulated = any(step.method != "exact" for step in steps)
    chance = is_chance(found.value)
    table = plain_table("field", right=("now", "then", heading(found.value), "change", "95 % interval"))
    before = ""
    for step in short.rows:
        now = ["", ""] if step.path == before else [step.path, setting_of(step.setting)]
        change, low, high = (signed(one, chance) for one in step.change[:3])
        interval = f"{low} to {high}" if simulated else ""
        table.add_row(*now, setting_of(step.to), amount(step.value, chance), change, interval)
        before = step.path
    if steps:
        yield table
    yield all_rows(len(short.rows), len(steps))
    if every and idle:
        yield f"Without any effect: {', '.join(found.without_effect())}"
    elif idle:
        yield f"Without any effect: {len(idle)} field{'s' * (len(idle) > 1)}; --all names them"
    yield f"Method: {found.how()}"


def _extremes(steps: Sequence[FieldStep]) -> list[FieldStep]:
    """The largest fall and the largest rise of a field."""
    least, most = (choose(steps, key=lambda step: step.change.value) for choose in (min, max))
    return [
        step for step in steps if (step is least and least.change.value < 0) or (step is most and most.change.value > 0)
    ]


def balance_parts(found: Balance, every: bool = False) -> Parts:
    """A row a combination of the front, nearest first."""
    sides = [name.removeprefix("p_") for name in found.asked] if len(found.asked) > 1 else map(heading, found.asked)
    short = first(found.front, every)
    table = plain_table("change", right=("steps", *sides, "distance"))
    for one in short.rows:
        numbers = [*(measure.value for measure in one.cell.measures), one.distance]
        table.add_row(found.in_words(one), str(one.steps), *map(found.number, numbers))
    yield table
    yield short.line
    yield f"Method: {found.how()}"


def units_parts(found: Units, every: bool = False) -> Parts:
    """A row a unit of each side, the most points for the price first."""
    rows = found.rows()
    named = [row | {"points per cost": row["per_cost"], "cost exchanged": row["exchanged"]} for row in rows]
    interval = ("low", "high") if any(row["low"] < row["high"] for row in rows) else ()
    changes = dict.fromkeys(("points", *interval, "points per cost", "cost exchanged"), "{:+.2f}")
    best = [place for place, row in enumerate(rows) if [one["side"] for one in rows[:place]].count(row["side"]) < FEW]
    short = Short(named, best, every or len(rows) <= 2 * FEW + 2)
    yield table_of(short.rows, {"side": "{}", "unit": "{}", "price": "{:g}"} | changes, constants=False)
    yield short.line
    yield f"Method: {found.how()}"


def worth_parts(found: Worth, every: bool = False) -> Parts:
    """The numbers of `Worth`, one a row; with `every` also the distribution."""
    simulated = found.odds.battles is not None
    table = plain_table("worth", right=("value", "95 % interval"))
    table.add_row("mean", f"{found.mean:.6g}", f"{found.low:.5g} to {found.high:.5g}" if simulated else "")
    table.add_row("standard deviation", f"{found.std:.6g}")
    interval = span(found.p_negative_low, found.p_negative_high) if simulated else ""
    table.add_row("chance to be worth less than 0", percent(found.p_negative), interval)
    table.add_row(f"{percent(found.level, 0)} quantile (value at risk)", f"{found.quantile:.6g}")
    table.add_row(f"mean of the worst {percent(found.level, 0)} (shortfall)", f"{found.shortfall:.6g}")
    for x, p in found.p_lose.items():
        table.add_row(f"chance to lose at least {x:g}", percent(p))
    yield table
    if every:
        columns: dict[str, Any] = {"value": "{:.6g}"} | dict.fromkeys(("p", "at_least", "at_most"), percent)
        yield table_of(found.rows(), columns)
    else:
        yield all_rows(0, len(found.rows()), "values of a battle with their chances")
    yield f"Weights: {found.how()}"


def indices_parts(found: Indices) -> Parts:
    """Sobol indices in percent, the field that explains most first."""
    table = plain_table("field", right=("alone", "with interactions"))
    for row in sorted(found.rows(), key=lambda row: -row["total"]):
        table.add_row(row["path"], percent(row["first"]), percent(row["total"]))
    yield table
    yield f"Method: {found.how()}"
