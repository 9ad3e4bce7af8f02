"""Sensitivity: the effect of each field on a value. docs/rules/decisions.md section 4.

sensitivity("risk-20v15").table              # every field one step up and down
sobol("risk-20v15", {"attacker.regiments": range(18, 23), "options.defence_dice": [2, 3]})
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from simulator.analysis.field_words import counts_units, field_in_words, units_in_words, whose
from simulator.analysis.odds.answer import changed
from simulator.analysis.odds.headline import meant
from simulator.analysis.odds.measure import is_chance, measure
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import (
    CELL_BATTLES,
    CELL_BYTES,
    Progress,
    known_sooner,
    many_like,
    reported,
    until_interrupted,
    winners_of,
)
from simulator.analysis.odds.stages import Shared
from simulator.analysis.result import Result, frame
from simulator.analysis.studies.paired import Difference, PairedAnswer, answered, difference
from simulator.analysis.words import LEAST_POINTS, capital, difference_in_words, meaning, number_in_words, points
from simulator.rules.battle import Battle
from simulator.rules.toolkit.by_key import by_key
from simulator.rules.toolkit.tolerances import ROUNDING
from simulator.rules.toolkit.words import agreeing, setting_of
from simulator.scenarios import Draft, Scenario, ScenarioError, Source, draft, load
from simulator.scenarios.arguments import checked
from simulator.scenarios.schema import FRAME, branches_at, field_at, field_meant, field_rows, items_at, settings_of
from simulator.scenarios.validation import brief

if TYPE_CHECKING:
    import pandas as pd

ON_REQUEST = ("policy", "objective")
# The states from which on a battle without its counters is solved sooner.
LARGE = 4096


@dataclass(frozen=True)
class FieldStep:
    """One field changed alone, from `setting` to `to`, and the value after the change."""

    path: str
    setting: Any
    to: Any
    value: float
    change: Difference
    method: str


@dataclass(frozen=True)
class Skipped:
    """A change that the rules refuse, and the reason."""

    path: str
    to: Any
    reason: str


@dataclass(frozen=True, repr=False)
class Sensitivity(Result):
    """The value of the scenario (`base`), and after each change of one field alone."""

    base: float
    value: str
    steps: tuple[FieldStep, ...]
    refusals: tuple[Skipped, ...]
    odds: Odds
    seed: int = 0
    complete: bool = True

    json_fields = ("base", "value", "seed", "complete")

    def rows(self) -> list[dict[str, Any]]:
        """`path, setting, to, value, change, low, high, method`; low and high are 95 % bounds of the change.

        The field with the largest effect comes first.
        """
        names = ("path", "setting", "to", "value", "change", "low", "high", "method")
        cells = ((one.path, one.setting, one.to, one.value, *one.change[:3], one.method) for one in self.steps)
        return [dict(zip(names, one, strict=True)) for one in cells]

    @property
    def skipped(self) -> pd.DataFrame:
        """`path, to, reason` of the changes that the rules refuse."""
        return frame([vars(one) for one in self.refusals], ["path", "to", "reason"])

    def fields(self) -> list[tuple[str, list[FieldStep]]]:
        """The steps of each field, the field with the largest effect first."""
        return list(by_key(self.steps, lambda step: step.path).items())

    def without_effect(self) -> list[str]:
        """The fields without any effect."""
        return [path for path, steps in self.fields() if all(abs(step.change.value) <= ROUNDING for step in steps)]

    @property
    def headline(self) -> str:
        """The change that moves the value most."""
        most = max(self.steps, key=lambda step: abs(step.change.value), default=None)
        battle, data, chance = self.odds.battle, self.odds.scenario or {}, is_chance(self.value)
        what, number = meaning(battle, data, self.value), partial(number_in_words, battle, self.value, chance=chance)
        if most is None or abs(most.change.value) <= ROUNDING:
            if not self.steps:
                why = "No change is allowed" if self.complete else "No change was tried in time"
                return f"{why}: {what} is {number(self.base)}."
            tried = "The one change tried does not move" if len(self.steps) == 1 else "No change tried moves"
            return f"{tried} {what}: it stays at {number(self.base)}."
        words = step_in_words(battle, data, most.path, most.setting, most.to)
        subject = words.partition(" of ")[0].partition(" at ")[0]
        matters = agreeing(f"{subject} matters", [subject]).rpartition(" ")[2]
        text = f"{capital(words) if self.complete else f'Of the changes tried, {words}'} {matters} most"
        value, low, high = (difference_in_words(battle, self.value, one, chance) for one in most.change[:3])
        tiny = chance and 100 * abs(most.change.value) < LEAST_POINTS
        change = points(most.change.value, chance) if tiny else value + " points" * chance
        if most.change.low < most.change.high:
            change = f"about {change} ({low} to {high})"
        values = f"{number(self.base)} to {number(most.value)}"
        return f"{text}: {change}, {what} goes from {values}."

    def how(self) -> str:
        """The method of the values, in one line."""
        simulated = sum(step.method != "exact" for step in self.steps)
        text = f"{len(self.steps)} changes, {len(self.refusals)} not allowed"
        text += f"; {simulated} simulated, paired, seed {self.seed}" if simulated else "; all exact"
        return text if self.complete else f"{text}; interrupted"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        skipped = [vars(one) for one in self.refusals]
        return super().to_dict() | {"skipped": skipped, "without_effect": self.without_effect()}


@checked
def sensitivity(  # noqa: PLR0913 - one argument an option
    scenario: Source,
    value: str | None = None,
    fields: str | Sequence[str] | None = None,
    battles: int | None = None,
    seed: int = 0,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    wanted: Callable[[str, Any, Any], bool] = lambda path, setting, to: True,
) -> Sensitivity:
    """The effect of each field alone: one step up and down, yes to no, a name to each other name.

    Parameters
    ----------
    value : str, optional
        A value, see `sweep`; by default `p_attacker`, or that of the battle kind where that is another.
    fields : sequence of str, optional
        Paths, or tables like `attacker`; by default all but policies.
    battles : int, optional
        Simulate all changes, paired. By default they are exact where that fits.
    wanted : callable
        Called with path, setting and new setting; false leaves out a change.

    Returns
    -------
    Sensitivity
        One row a change, the field with the largest effect first.

    Raises
    ------
    ScenarioError
        For an invalid scenario, and an unknown field.
    ValueError
        For an unknown value.
    Interrupted
        After Ctrl-C, with the changes tried so far.

    Examples
    --------
    >>> sensitivity("risk-20v15", fields=["attacker"]).rows()[0]["path"]
    'attacker.modifier_all'
    """
    checked = load(scenario)
    tried = [one for one in steps_of(checked, (fields,) if isinstance(fields, str) else fields) if wanted(*one)]
    own = value or ((few := winners_of(checked)) and few.value)
    values = (meant(checked.battle, own),) if own else ()
    if battles or not known_sooner(checked, values):
        many_like(checked)
    method = Method(battles=battles, seed=seed, threads=threads, budget=CELL_BYTES, values=values)
    ask = partial(answered, method=method, many=CELL_BATTLES, shared=Shared())
    reference = ask(checked)
    asked = meant(checked.battle, value or "") or reference.odds.value
    now = measure(reference.odds, asked).value
    ask_again = _quickest(checked, ask, reference, asked)

    def collected(found: Sequence[FieldStep | Skipped]) -> Sensitivity:
        steps = _sorted([one for one in found if isinstance(one, FieldStep)])
        refusals = tuple(one for one in found if isinstance(one, Skipped))
        return Sensitivity(now, asked, steps, refusals, reference.odds, seed, len(found) == len(tried))

    return until_interrupted(_steps(draft(checked), reported(tried, progress), ask_again, reference, asked), collected)


def _quickest(
    checked: Scenario, ask: partial[PairedAnswer], reference: PairedAnswer, asked: str
) -> Callable[[Scenario], PairedAnswer]:
    """As `ask`; a value that reads no counter of a large battle is asked without the counters."""
    method = replace(ask.keywords["method"], counted=False)
    quick = partial(ask, method=method)

    def without_counters(scenario: Scenario) -> PairedAnswer:
        found = quick(scenario)
        return found if _has(found.odds, asked) else ask(scenario)

    large = reference.which is None and reference.odds.explored >= LARGE and checked.built.chain is not None
    return without_counters if large and _has(quick(checked).odds, asked) else ask


def _has(odds: Odds, value: str) -> bool:
    """Do these odds have the columns that the value reads?"""
    try:
        measure(odds, value)
    except ValueError:
        return False
    return True


def _steps(
    base: Draft,
    tried: Iterable[tuple[str, Any, Any]],
    ask: Callable[[Scenario], PairedAnswer],
    reference: PairedAnswer,
    asked: str,
) -> Iterator[FieldStep | Skipped]:
    """The value asked after each change."""
    for path, setting, to in tried:
        try:
            scenario = load(changed(base, (path,), (to,))[0])
        except ScenarioError as error:
            yield Skipped(path, to, str(error))
            continue
        after = ask(scenario)
        exact = after.odds.method == reference.odds.method == "exact"
        value, change = measure(after.odds, asked).value, difference(asked, after, reference)
        yield FieldStep(path, setting, to, value, change, "exact" if exact else "simulated")


def step_in_words(battle: Battle, data: Mapping[str, Any], path: str, setting: Any, to: Any) -> str:
    """One change: "one more tank", "one infantry of the defender less", "the modifier of red at -1 instead of 0"."""
    if not isinstance(to, bool) and isinstance(to, int) and counts_units(battle, path) and abs(to - setting) == 1:
        noun = units_in_words(battle, data, path, 1).removeprefix("1 ")
        own = whose(battle, data, path, 1)
        return f"one more {noun}{own}" if to > setting else f"one {noun}{own} less"
    field = field_in_words(battle, data, path, to)
    if isinstance(to, bool):
        return f"{setting_of(to)} instead of {setting_of(setting)} for {field}"
    return f"{field} at {setting_of(to)} instead of {setting_of(setting)}"


def one_more(scenario: Source, value: str | None = None, **options: Any) -> Sensitivity:
    """One more of each whole-number field of both sides and the conditions, alone; see `sensitivity`.

    A number that stands for none is left out (no limit of rounds, a value that the rules compute): the next is not one
    more.
    """
    battle = draft(scenario).battle()

    def wanted(path: str, setting: Any, to: Any) -> bool:
        whole = isinstance(setting, int) and not isinstance(setting, bool)
        unset = setting == (field_at(battle, path) or {}).get("unset")
        return whole and to == setting + 1 and not unset and not path.startswith("options.")

    return sensitivity(scenario, value, wanted=wanted, **options)


def _sorted(steps: Sequence[FieldStep]) -> tuple[FieldStep, ...]:
    """Sorted by the largest effect of the field, then as tried; effects that differ only by rounding are equal."""
    largest: dict[str, float] = {}
    for step in steps:
        largest[step.path] = max(largest.get(step.path, 0.0), abs(step.change.value))
    paths = list(largest)
    return tuple(sorted(steps, key=lambda step: (-round(largest[step.path], 11), paths.index(step.path))))


def steps_of(scenario: Scenario, fields: Sequence[str] | None = None) -> Iterator[tuple[str, Any, Any]]:
    """Path, setting and new value of each change to try. Raises ValueError for unknown `fields`."""
    battle = scenario.battle
    for one in fields or ():
        listed = one.startswith("rules.") and "[" in one  # lists of the game file are replaced whole
        if field_at(battle, one) is None or one in FRAME or listed:
            raise ValueError(brief(f"fields: {one} {_no_field(battle, one)}"))
    settings = list(settings_of(scenario.fields))
    if any(one.startswith("rules.") for one in fields or ()):
        settings += [one for one in settings_of(battle.rules, "rules") if "[" not in one[0]]
    for path, setting in settings:
        table = path.partition(".")[0].partition("[")[0]
        if fields is None and table in ON_REQUEST:
            continue
        if fields is not None and not any(re.match(rf"{re.escape(one)}($|[.\[])", path, re.I) for one in fields):
            continue
        for to in others(battle, path, setting):
            yield path, setting, to


def _no_field(battle: Battle, path: str) -> str:
    names = [row.path for row in field_rows(battle) if row.path not in FRAME]
    names += dict.fromkeys(name.rpartition(".")[0] for name in names if "." in name)
    near = field_meant(names, path)
    return f"is no field of {battle.game} {battle.kind}" + (f"; did you mean {near}?" if near else "")


def others(battle: Battle, path: str, setting: Any) -> list[Any]:
    """The new values of a field: one less and one more, the other of yes and no, every other name; else none."""
    kinds = branches_at(battle, path)
    if not kinds or _in_free_text(battle, path):
        return []
    if isinstance(setting, bool):
        return [not setting]
    if isinstance(setting, int):
        return [setting - 1, setting + 1] if any(kind.get("type") == "integer" for kind in kinds) else []
    names = [name for kind in kinds for name in (*kind.get("enum", ()), *([kind["const"]] if "const" in kind else ()))]
    if setting not in names:
        return []
    return [name for name in dict.fromkeys(names) if name not in {setting, "best"}]


def _in_free_text(battle: Battle, path: str) -> bool:
    """Is this field in a list whose items may be free text, like the creatures of an army?"""
    return any(
        item.get("type") == "string" and "enum" not in item and "const" not in item
        for match in re.finditer(r"\[\d+\]", path)
        for item in items_at(battle, path[: match.start()])
    )
