"""Which field moves the odds most? docs/rules/decisions.md section 4.

sensitivity("risk-20v15").table              # every field one step up and down
sobol("risk-20v15", {"attacker.regiments": range(18, 23), "options.defence_dice": [2, 3]})
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from simulator.analysis.odds.answer import CELL_BATTLES, CELL_BYTES, Interrupted, Progress, check_numbers
from simulator.analysis.odds.chain_cache import Shared
from simulator.analysis.odds.measure import measure
from simulator.analysis.odds.odds import Odds
from simulator.analysis.studies.cell import changed
from simulator.analysis.studies.paired import Difference, Fought, answered, difference
from simulator.analysis.studies.sweep import Sweep, sweep
from simulator.rules.battle import Battle
from simulator.scenarios import Scenario, ScenarioError, Source, draft, load
from simulator.scenarios.schema import ORDER, branches, field_at, field_rows, schema_of
from simulator.scenarios.validation import brief

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

ON_REQUEST = ("policy", "objective")
FRAME = ("game", "battle", "rules")
ALIKE = 1e-12
NO_VARIANCE = 1e-30


@dataclass(frozen=True)
class Step:
    """One field changed alone: from `setting` to `to`, and the value then."""

    path: str
    setting: Any
    to: Any
    value: float
    change: Difference
    method: str


@dataclass(frozen=True)
class Skipped:
    """A change that the rules refuse, and why."""

    path: str
    to: Any
    reason: str


@dataclass(frozen=True)
class Sensitivity:
    """The value asked as the scenario stands (`base`), and after each change of one field alone."""

    base: float
    value: str
    steps: tuple[Step, ...] = field(repr=False)
    refusals: tuple[Skipped, ...] = field(repr=False)
    odds: Odds = field(repr=False)
    seed: int = 0
    complete: bool = True

    def rows(self) -> list[dict[str, Any]]:
        """`path, setting, to, value, change, low, high, method`; low and high are 95 % bounds of the change."""
        return [
            {
                "path": step.path,
                "setting": step.setting,
                "to": step.to,
                "value": step.value,
                "change": step.change.value,
                "low": step.change.low,
                "high": step.change.high,
                "method": step.method,
            }
            for step in self.steps
        ]

    @property
    def table(self) -> pd.DataFrame:
        """`rows` as a DataFrame, the field that moves most first."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    @property
    def skipped(self) -> pd.DataFrame:
        """`path, to, reason` of the changes that the rules refuse."""
        import pandas as pd

        return pd.DataFrame([vars(one) for one in self.refusals], columns=["path", "to", "reason"])

    def fields(self) -> list[tuple[str, list[Step]]]:
        """The steps of each field, the field that moves most first."""
        found: dict[str, list[Step]] = {}
        for step in self.steps:
            found.setdefault(step.path, []).append(step)
        return list(found.items())

    def without_effect(self) -> list[str]:
        """The fields none of whose changes changes anything."""
        return [path for path, steps in self.fields() if all(abs(step.change.value) <= ALIKE for step in steps)]

    def how(self) -> str:
        """How the values were obtained, in one line."""
        simulated = sum(step.method != "exact" for step in self.steps)
        text = f"{len(self.steps)} changes, {len(self.refusals)} not allowed"
        text += f"; {simulated} simulated, paired, seed {self.seed}" if simulated else "; all exact"
        return text if self.complete else f"{text}; interrupted"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return {
            "base": self.base,
            "value": self.value,
            "seed": self.seed,
            "how": self.how(),
            "complete": self.complete,
            "table": self.rows(),
            "skipped": [vars(one) for one in self.refusals],
            "without_effect": self.without_effect(),
        }

    def plot(self, path: Any = None) -> Figure:
        """A tornado of the 15 fields that move most. Returns the matplotlib figure."""
        from simulator.report.sensitivity_plot import plot_sensitivity

        return plot_sensitivity(self, path)


def sensitivity(
    scenario: Source,
    value: str | None = None,
    fields: str | Sequence[str] | None = None,
    battles: int | None = None,
    seed: int = 0,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Sensitivity:
    """Every field one step up and down (yes/no: the other; names: each other), alone; the largest effect first.

    `value` is what `measure` takes (without it `p_attacker`, or the battle's own where nobody wins). Policies are left
    alone unless `fields` names them: paths, or tables like `attacker`. Raises ScenarioError, ValueError, Interrupted
    with the changes tried until then.
    """
    checked = load(scenario)
    tried = list(steps_of(checked, (fields,) if isinstance(fields, str) else fields))
    return _tried(checked, tried, value, battles, seed, threads, progress)


def one_more(
    scenario: Source,
    value: str | None = None,
    battles: int | None = None,
    seed: int = 0,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Sensitivity:
    """One more of each whole-number field of both sides and the conditions, alone; see `sensitivity`."""
    checked = load(scenario)
    steps = ((path, setting, to) for path, setting, to in steps_of(checked) if not path.startswith("options."))
    more = [one for one in steps if isinstance(one[1], int) and not isinstance(one[1], bool) and one[2] == one[1] + 1]
    return _tried(checked, more, value, battles, seed, threads, progress)


def _tried(
    checked: Scenario,
    tried: Sequence[tuple[str, Any, Any]],
    value: str | None,
    battles: int | None,
    seed: int,
    threads: int | None,
    progress: Progress | None,
) -> Sensitivity:
    """The value asked after each of these changes alone."""
    check_numbers(1 if battles is None else battles, seed, threads)
    base = draft(checked)
    shared = Shared()
    stand = answered(checked, battles, seed, CELL_BYTES, threads, CELL_BATTLES, shared)
    asked = value or ("p_attacker" if "winner" in stand.odds.columns else stand.odds.value)
    now = measure(stand.odds, asked).value
    found: list[Step] = []
    refusals: list[Skipped] = []
    complete = True
    try:
        for done, (path, setting, to) in enumerate(tried):
            if progress:
                progress(done, len(tried))
            try:
                one = load(changed(base, (path,), (to,))[0])
            except ScenarioError as error:
                refusals.append(Skipped(path, to, str(error)))
                continue
            after = answered(one, battles, seed, CELL_BYTES, threads, CELL_BATTLES, shared)
            found.append(_step(asked, (path, setting, to), after, stand))
    except KeyboardInterrupt:
        if not found:
            raise
        complete = False
    answer = Sensitivity(now, asked, _sorted(found), tuple(refusals), stand.odds, seed, complete)
    if not complete:
        raise Interrupted(answer)
    return answer


def _step(asked: str, change: tuple[str, Any, Any], after: Fought, stand: Fought) -> Step:
    both = {after.odds.method, stand.odds.method}
    method = "exact" if both == {"exact"} else "simulated"
    return Step(*change, measure(after.odds, asked).value, difference(asked, after, stand), method)


def _sorted(steps: Sequence[Step]) -> tuple[Step, ...]:
    """By the field's largest change, then as tried; changes that differ only by rounding are alike."""
    largest: dict[str, float] = {}
    for step in steps:
        largest[step.path] = max(largest.get(step.path, 0.0), abs(step.change.value))
    paths = list(largest)
    return tuple(sorted(steps, key=lambda step: (-round(largest[step.path], 11), paths.index(step.path))))


def steps_of(scenario: Scenario, fields: Sequence[str] | None = None) -> Iterator[tuple[str, Any, Any]]:
    """Path, setting and new value of each change to try. Raises ValueError for `fields` that there are not."""
    battle = scenario.battle
    for one in fields or ():
        if field_at(battle, one) is None or one in FRAME:
            raise ValueError(brief(f"fields: {one} {_no_field(battle, one)}"))
    for path, setting in settings_of(scenario.fields):
        table = path.partition(".")[0].partition("[")[0]
        if fields is None and table in ON_REQUEST:
            continue
        if fields is not None and not any(path == one or re.match(rf"{re.escape(one)}[.\[]", path) for one in fields):
            continue
        for to in others(battle, path, setting):
            yield path, setting, to


def _no_field(battle: Battle, path: str) -> str:
    names = [row.path for row in field_rows(battle) if row.path not in FRAME]
    names += dict.fromkeys(name.rpartition(".")[0] for name in names if "." in name)
    near = difflib.get_close_matches(re.sub(r"\[\d+\]", "[i]", path), names, 1)
    return f"is no field of {battle.game} {battle.kind}" + (f"; did you mean {near[0]}?" if near else "")


def settings_of(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every field with a value, defaults filled in, in the order of the schema; lists item by item."""
    if isinstance(value, BaseModel):
        infos = type(value).model_fields.items()
        named = [(info.alias or name, getattr(value, name), info.is_required()) for name, info in infos]
        if not path:
            named = [one for one in named if one[0] not in FRAME]
            named.sort(key=lambda one: ORDER.index(one[0]) if one[0] in ORDER else len(ORDER))
        else:
            named.sort(key=lambda one: not one[2])
        inside: list[tuple[str, Any]] = [(name, one) for name, one, _ in named]
        inside += list((value.model_extra or {}).items())
    elif isinstance(value, Mapping):
        inside = list(value.items())
    elif isinstance(value, list | tuple):
        for place, item in enumerate(value):
            yield from settings_of(item, f"{path}[{place}]")
        return
    else:
        if value is not None:
            yield path, value
        return
    for name, one in inside:
        yield from settings_of(one, f"{path}.{name}" if path else name)


def others(battle: Battle, path: str, setting: Any) -> list[Any]:
    """What a field is changed to: one less and more, the other of yes and no, every other name; else nothing."""
    node = field_at(battle, path)
    if node is None or _of_creatures(battle, path):
        return []
    kinds = list(branches(dict(node), schema_of(battle.model)))
    if isinstance(setting, bool):
        return [not setting]
    if isinstance(setting, int):
        return [setting - 1, setting + 1] if any(kind.get("type") == "integer" for kind in kinds) else []
    names = [name for kind in kinds for name in (*kind.get("enum", ()), *([kind["const"]] if "const" in kind else ()))]
    if setting not in names:
        return []
    return [name for name in dict.fromkeys(names) if name not in {setting, "best"}]


def _of_creatures(battle: Battle, path: str) -> bool:
    """Is this in a list whose items may be free text, as armies are spoken of?"""
    schema = schema_of(battle.model)
    for match in re.finditer(r"\[\d+\]", path):
        for branch in branches(dict(field_at(battle, path[: match.start()]) or {}), schema):
            for item in branches(branch.get("items", {}), schema):
                if item.get("type") == "string" and "enum" not in item and "const" not in item:
                    return True
    return False


def sobol(
    scenario: Source,
    vary: Mapping[str, Iterable[Any]],
    value: str | None = None,
    battles: int | None = None,
    seed: int = 0,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Sobol indices of the value over a full grid of settings, all equally likely: `path, first, total`.

    `first` is the share of the variance that a field explains alone, `total` with all its interactions. Raises
    ValueError where the rules refuse a combination.
    """
    return sobol_of(swept_fully(scenario, vary, value, battles, seed, threads=threads, progress=progress))


def swept_fully(
    scenario: Source,
    vary: Mapping[str, Iterable[Any]],
    value: str | None = None,
    battles: int | None = None,
    seed: int = 0,
    **more: Any,
) -> Sweep:
    """The sweep that `sobol` stands on. Raises ValueError where the rules refuse a combination."""
    ranges = {path: tuple(values) for path, values in vary.items()}
    try:
        try:
            swept = sweep(scenario, ranges, value or "p_attacker", battles, seed, **more)
        except ValueError as error:
            if value is not None or "has no winner" not in str(error):
                raise
            swept = sweep(scenario, ranges, None, battles, seed, **more)
    except ScenarioError as error:
        raise ValueError(f"vary: every combination must be allowed; {error}") from None
    sobol_of(swept)
    return swept


def sobol_of(swept: Sweep) -> pd.DataFrame:
    """The indices of a sweep that is done, see `sobol`."""
    import pandas as pd

    _check_full(swept)
    grid = swept.grid()
    whole = float(grid.var())
    rows = []
    for axis, path in enumerate(swept.paths):
        rest = tuple(other for other in range(grid.ndim) if other != axis)
        first = total = 0.0
        if whole >= NO_VARIANCE:
            first = float(grid.mean(axis=rest).var()) / whole
            total = 1 - float(grid.mean(axis=axis).var()) / whole
        rows.append({"path": path, "first": first, "total": total})
    return pd.DataFrame(rows, columns=["path", "first", "total"])


def _check_full(swept: Sweep) -> None:
    for cell in swept.refusals:
        blamed = (cell.refused or "").partition(":")[0]
        named = list(zip(swept.paths, cell.settings, strict=True))
        told = [pair for pair in named if pair[0] == blamed] or named
        settings = ", ".join(f"{path} = {setting}" for path, setting in told)
        raise ValueError(f"vary: every combination must be allowed; {settings} is not")
    if len(swept.cells) < swept.grid().size:
        raise ValueError("vary: every combination must be allowed; the sweep was interrupted")
