"""The commands that answer many battles: grids, how much is enough, comparisons, which field moves the odds most."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simulator.cli import options, scaling
from simulator.cli.output import DiceOptions, Given, TableOutput, grouped
from simulator.scenarios import reading

_NUMBERED = re.compile(r"(\d+):(.+)$", re.DOTALL)


@dataclass(frozen=True)
class Swept:
    """Options of a grid: what is varied, and the values asked of each cell."""

    vary: options.SomeVary = None
    variant: options.SweptVariants = None
    value: options.ValueNames = None


@grouped
def sweep(
    given: Given,
    grid: Swept,
    *,
    dice: DiceOptions,
    out: options.OutFolder = None,
    elsewhere: scaling.Elsewhere,
    output: TableOutput,
) -> int:
    """A grid of answers over one or several fields, or variants, as a table and a picture."""
    from simulator.analysis.studies.variants import BASE, with_variants

    base, ranges = given.draft(), reading.read_vary(grid.vary or ())
    if grid.variant:
        names, written = reading.read_variants(grid.variant)
        base, ranges = with_variants(base, written), {"variant": [*dict.fromkeys([BASE, *names])]} | ranges
    output.check_panels(ranges)
    asked = base, ranges, grid.value or None, dice.battles, dice.seed or 0
    with elsewhere.helpers() as helpers:
        swept, cut = output.gather("cells", lambda shown: scaling.swept(asked, dice.threads, out, helpers, shown))
    scaling.show_swept(swept, output, cut)
    kept = "they are kept" if out else "these are shown"
    return output.finished(cut, f"interrupted after {swept.pace.total:,} cells; {kept}")


@dataclass(frozen=True)
class Needed:
    """Options of a search: the fields to raise, what they must reach, and what they cost."""

    vary: options.NeedVary
    target: options.Target = None
    value: options.ValueName = None
    side: options.NeedSide = None
    cost: options.Costs = None
    budget: options.Budget = None
    most: options.MostSetting = 100
    no_pruning: options.NoPruning = False

    def arguments(self) -> dict[str, Any]:
        """The same as keyword arguments of `need`, without its target."""
        return {
            "vary": reading.read_vary(self.vary, bare=True),
            "value": self.value,
            "side": self.side,
            "cost": reading.read_prices(self.cost or ()),
            "budget": self.budget,
            "most": self.most,
            "pruning": not self.no_pruning,
        }


@grouped
def need(
    given: Given,
    asked: Needed,
    seed: options.SeedOption = None,
    threads: options.Threads = None,
    *,
    output: TableOutput,
) -> int:
    """Find the smallest setting of a field (of the enemy's the largest), or the cheapest of several, that is enough."""
    from simulator.analysis.decisions.need import named_value
    from simulator.analysis.decisions.need import need as search
    from simulator.analysis.odds.headline import side_called
    from simulator.analysis.odds.measure import read_target
    from simulator.report.tables.studies import need_parts

    base, sought = given.draft(), asked.arguments()
    sought["side"] = asked.side and side_called(base, asked.side)
    goal = read_target(asked.target, named_value(base, asked.value))
    found, cut = output.gather(
        "combinations",
        lambda shown: search(base, target=goal, **sought, seed=seed or 0, threads=threads, progress=shown),
    )

    output.deliver(found, lambda found: need_parts(found, output.every))
    status = output.finished(cut, f"interrupted after {found.tried} answers; this is the best of them")
    return status or (0 if found.enough else 1)


@grouped
def balance(
    given: Given,
    vary: options.BalanceVary,
    target: options.BalanceTarget = None,
    value: options.ValueName = None,
    *,
    dice: DiceOptions,
    output: TableOutput,
) -> int:
    """The smallest changes of fields and game rules that bring a battle nearest to even, or to a target."""
    from simulator.analysis.decisions.need import named_value
    from simulator.analysis.odds.measure import read_target
    from simulator.analysis.studies.balance import balance as find
    from simulator.report.tables.studies import balance_parts

    base, fields = given.draft(), reading.read_vary(vary, bare=True)
    goal = read_target(target, named_value(base, value))
    return output.answer(
        "combinations",
        lambda shown: find(base, fields, goal, value, **dice.arguments(), progress=shown),
        lambda found: balance_parts(found, output.every),
        lambda found: f"interrupted after {found.tried} combinations; these are the best of them",
    )


def drafts_of(sources: Sequence[str], settings: Sequence[str]) -> dict[str, Any]:
    """The scenarios by name, with settings put in: `path=value` in all, `2:path=value` in the second.

    Raises ScenarioError, ValueError for a number of no scenario.
    """
    from simulator.analysis.studies.compare import names_of

    found = {}
    for place, (name, source) in enumerate(zip(names_of(list(sources)), sources, strict=True), 1):
        own = []
        for setting in settings:
            match = _NUMBERED.match(setting)
            if match and not 1 <= int(match[1]) <= len(sources):
                raise ValueError(f"--set: {setting!r} is not allowed; there are scenarios 1 to {len(sources)}")
            if not match or int(match[1]) == place:
                own.append(match[2] if match else setting)
        found[name] = reading.read_draft(source, own)
    return found


def _add_variants(drafts: dict[str, Any], texts: Sequence[str]) -> list[str]:
    """Add variants of the first scenario; a line for each field that became something else in them."""
    from simulator.analysis.studies.variants import variants, with_variants

    (names, given), lines = reading.read_variants(texts), []
    base = with_variants(next(iter(drafts.values())), given)
    for one in variants(base, names):
        if one in drafts:
            raise ValueError(f"--variant: {one} is given twice")
        drafts[str(one)] = base.with_fields({"variant": one})
        lines += [f"{one}: {line}" for line in one.lines]
    return lines


@grouped
def compare(
    scenarios: options.Compared,
    value: options.ValueNames = None,
    settings: options.Settings = None,
    variant: options.Variants = None,
    *,
    dice: DiceOptions,
    output: TableOutput,
) -> int:
    """Scenarios beside each other: values, differences, how sure their sign is. --set 2:PATH=VALUE sets the second."""
    from simulator.analysis.studies.compare import compare as find
    from simulator.report.tables.studies import comparison_parts

    drafts = drafts_of(scenarios, settings or ())
    lines = _add_variants(drafts, variant or ())
    return output.answer(
        "scenarios",
        lambda shown: find(drafts, value or None, **dice.arguments(), notes=lines, progress=shown),
        lambda found: comparison_parts(found, output.every),
        lambda found: f"interrupted after {len(found.odds)} scenarios; these are compared",
    )


@grouped
def units(
    scenarios: options.OneOrMore, settings: options.Settings = None, *, dice: DiceOptions, output: TableOutput
) -> int:
    """The worth of one more of each unit of each side: points of the odds, and cost exchanged, beside its price."""
    from simulator.analysis.studies.units import units as find
    from simulator.report.tables.studies import units_parts

    drafts = list(drafts_of(scenarios, settings or ()).values())
    return output.answer(
        "units",
        lambda shown: find(drafts, **dice.arguments(), progress=shown),
        lambda found: units_parts(found, output.every),
        lambda found: f"interrupted after {len(found.each)} units; these are shown",
    )


@grouped
def sensitivity(
    given: Given,
    value: options.ValueName = None,
    fields: options.SomeFields = None,
    vary: options.SobolVary = None,
    *,
    dice: DiceOptions,
    output: TableOutput,
) -> int:
    """Rank fields by their effect on the odds: each one step alone (a tornado), or with --vary by Sobol indices."""
    from simulator.analysis.studies.sensitivity import sensitivity as step
    from simulator.report.tables.studies import sensitivity_parts

    base = given.draft()
    if vary:
        if fields:
            raise ValueError("--fields: does not go with --vary, which names its fields itself")
        return _indices(base, vary, value, dice, output)
    return output.answer(
        "changes",
        lambda shown: step(base, value, fields or None, **dice.arguments(), progress=shown),
        lambda found: sensitivity_parts(found, output.every),
        lambda found: f"interrupted after {len(found.steps)} changes; these are shown",
    )


def _indices(base: Any, vary: Sequence[str], value: str | None, dice: DiceOptions, output: TableOutput) -> int:
    """The Sobol indices of a grid of settings."""
    from simulator.analysis.studies.sobol import indices
    from simulator.report.tables.studies import indices_parts

    ranges = reading.read_vary(vary)
    output.check_panels(ranges)
    found, cut = output.gather("cells", lambda shown: indices(base, ranges, value, **dice.arguments(), progress=shown))
    if cut:  # indices of a part of the grid would be those of another question
        raise KeyboardInterrupt
    output.deliver(found, indices_parts)
    return 0
