"""Odds of many scenarios at once: those that differ only in whole numbers that move the start share one pass."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.odds.answer import changed
from simulator.analysis.odds.method import check_numbers
from simulator.analysis.odds.run import Progress, until_interrupted
from simulator.analysis.odds.stages import Shared
from simulator.analysis.result import frame
from simulator.analysis.studies.grid import AnsweredPortion, Cell, Grid, Portion, number_rows, solved_cells
from simulator.analysis.studies.one_pass import LEAST_CELLS
from simulator.analysis.studies.swept import in_threads
from simulator.engine.model.limits import processors
from simulator.rules.toolkit.by_key import by_key
from simulator.scenarios import Draft, Scenario, ScenarioError, Source, draft
from simulator.scenarios.arguments import checked
from simulator.scenarios.paths import set_path
from simulator.scenarios.schema import field_at

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("scenario", "game", "battle", "asked", "value", "low", "high", "method", "battles", "refused")
# The whole numbers of a scenario by path, in the order of its fields.
Numbers = dict[str, int]


@checked
def odds_many(
    scenarios: Iterable[Source] | pd.DataFrame,
    value: str | Sequence[str] | None = None,
    battles: int | None = None,
    seed: int = 0,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """The odds of many scenarios, of any games, in one table.

    Scenarios that differ only in numbers of units are solved together, as the cells of a sweep are: 1,000 line-ups take
    about as long as ten single ones.

    Parameters
    ----------
    scenarios : iterable, mapping or pandas.DataFrame
        Scenarios as `load` takes them; of a mapping the keys name the rows. Of a DataFrame each row is a battle: its
        columns are fields (`game`, `attacker.infantry`), an empty cell is a field not given, the index names the rows.
    value : str or sequence of str, optional
        One or several values, see `sweep`; by default that of each battle kind.
    battles : int, optional
        Simulate every scenario with this many battles. By default they are exact where they fit, as in a sweep.
    seed : int
        The seed of all simulations.
    progress : callable, optional
        Called with the number of scenarios done and their total.

    Returns
    -------
    pandas.DataFrame
        One row a scenario and value, in the order given: `scenario` (place or key), `game`, `battle` (str), `asked`
        (str), `value`, `low`, `high` (float64; nan where the rules refuse the scenario), `method` (str), `battles`
        (None when exact), `refused` (str, the reason).

    Raises
    ------
    ValueError
        For an unknown value, a number out of range, and a column of a DataFrame that is no field.
    Interrupted
        After Ctrl-C, with the table of the scenarios answered so far.

    Examples
    --------
    >>> table = odds_many(risk.land(attacker=n, defender=5) for n in range(1, 11))
    >>> table.value.round(3).tolist()
    [0.002, 0.049, 0.206, 0.359, 0.506, 0.638, 0.736, 0.818, 0.873, 0.916]
    """
    check_numbers(1 if battles is None else battles, seed, threads)
    given = _given(scenarios)
    names, drafts = list(given), [draft(one) for one in given.values()]
    many = Many(drafts, [value] if isinstance(value, str) else value, battles, seed)

    def table(found: Sequence[tuple[int, Cell]]) -> pd.DataFrame:
        cells, rows = dict(found), []
        for place in sorted(cells):
            data = many.drafts[place].data
            about = {"scenario": names[place], "game": data.get("game"), "battle": data.get("battle")}
            rows += number_rows(about, many.asked(place), cells[place])
        # These columns hold numbers also if no scenario is given, and if every scenario is refused.
        return frame(rows, COLUMNS).astype(dict.fromkeys(("value", "low", "high"), float))

    def counted() -> Iterator[tuple[int, Cell]]:
        for done, one in enumerate(many.answers(threads or processors())):
            yield one
            if progress:
                progress(done + 1, len(given))

    return until_interrupted(counted(), table)


def _given(scenarios: Iterable[Source] | pd.DataFrame) -> dict[Any, Any]:
    """The scenarios by the names of their rows."""
    import pandas as pd

    if isinstance(scenarios, pd.DataFrame):
        return scenarios_of(scenarios)
    return dict(scenarios if isinstance(scenarios, Mapping) else enumerate(scenarios))


def scenarios_of(table: pd.DataFrame) -> dict[Any, dict[str, Any]]:
    """The scenario of each row of a table whose columns are fields, by its index. Raises ValueError."""
    import pandas as pd

    columns = list(table.columns)
    for column in columns:
        if not isinstance(column, str) or columns.count(column) > 1:
            raise ValueError(f"scenarios: column {column!r} must be a field, and stand there once")
    if not table.index.is_unique:
        raise ValueError("scenarios: the index names several rows alike; reset_index(drop=True) numbers them")
    found: dict[Any, dict[str, Any]] = {}
    for name, *row in table.itertuples():
        data: dict[str, Any] = {}
        for path, cell in zip(columns, row, strict=True):
            # An empty cell makes the whole numbers of its column floats.
            if isinstance(cell, list | dict) or not pd.isna(cell):
                number = isinstance(cell, float | np.floating) and float(cell).is_integer()
                set_path(data, path, int(cell) if number else cell.item() if isinstance(cell, np.generic) else cell)
        found[name] = data
    return found


class Many:
    """Scenarios to answer, and the values to compute for them."""

    def __init__(
        self, drafts: list[Draft], asked: Sequence[str] | None, battles: int | None = None, seed: int = 0
    ) -> None:
        self.drafts, self._asked, self._battles, self._seed = drafts, asked, battles, seed
        self._own: dict[tuple[Any, ...], tuple[str, ...]] = {}
        self._shared = Shared()

    def asked(self, place: int) -> tuple[str, ...]:
        """The values to compute for a scenario: those given, or that of its battle kind."""
        if self._asked is not None:
            return tuple(self._asked)
        data = self.drafts[place].data
        kind = data.get("game"), data.get("battle"), frozenset(data)
        if kind not in self._own:
            try:
                self._own[kind] = (self._grid(place).odds((), self._shared)[0].value,)
            except ScenarioError:
                return ("p_attacker",)
        return self._own[kind]

    def _grid(self, place: int, asked: tuple[str, ...] = ()) -> Grid:
        """The scenario as a grid of one cell."""
        return Grid(self.drafts[place], (), (), asked, self._battles, self._seed)

    def _alone(self, place: int, stopped: Callable[[], bool]) -> tuple[int, AnsweredPortion]:
        return place, self._grid(place, self.asked(place)).answer(Portion(()), self._shared, stopped)

    def answers(self, threads: int) -> Iterator[tuple[int, Cell]]:
        """The answer of each scenario with its place: those solved together first, then the others."""
        known = set()
        for places, numbers in self._alike() if self._battles is None else ():
            for place, cell in self._together(places, numbers):
                known.add(place)
                yield place, cell
        left = (place for place in range(len(self.drafts)) if place not in known)
        for place, answered in in_threads(self._alone, left, threads):
            yield from ((place, cell) for cell in answered.cells or ())

    def _alike(self) -> Iterator[tuple[list[int], list[Numbers]]]:
        """Groups of scenarios that differ in whole numbers only: their places, and their numbers."""
        groups = defaultdict(list)
        for place, one in enumerate(self.drafts):
            numbers: Numbers = {}
            rest = _without_numbers(one.data, "", numbers)
            groups[json.dumps([rest, str(one.folder)], default=str)].append((place, numbers))
        for group in groups.values():
            yield [place for place, _ in group], [numbers for _, numbers in group]

    def _together(self, places: list[int], numbers: list[Numbers]) -> Iterator[tuple[int, Cell]]:
        """The scenarios of a group that one pass answers; others are left out."""
        if len(places) < LEAST_CELLS:
            return
        base = self.drafts[places[0]]
        try:
            table = _filled(base, numbers)
            scenario, _ = changed(base, (), ())
        except ScenarioError:
            return
        if table is None or not isinstance(scenario, Scenario) or scenario.built.chain is None:
            return
        fixed = [path for path in table if path not in scenario.built.starts]
        apart = by_key(range(len(places)), lambda row: tuple(table[path][row] for path in fixed))
        for group in apart.values():
            own, rows = [places[row] for row in group], [tuple(axis[row] for axis in table.values()) for row in group]
            cells = solved_cells(base, tuple(table), rows, self.asked(own[0]))
            yield from (
                (place, cell._replace(settings=())) for place, cell in zip(own, cells or (), strict=False) if cell
            )


def _without_numbers(value: Any, path: str, numbers: Numbers) -> Any:
    """Nested tables without their whole numbers, which are put into `numbers`, and without tables left empty."""
    if not isinstance(value, dict):
        return value
    rest = {}
    for name, one in value.items():
        here = f"{path}.{name}" if path else name
        if type(one) is int and path:
            numbers[here] = one
        elif (inside := _without_numbers(one, here, numbers)) != {}:
            rest[name] = inside
    return rest


def _filled(base: Draft, numbers: list[Numbers]) -> dict[str, list[int]] | None:
    """The numbers of all scenarios by path, defaults where a scenario lacks one; None where there is no default."""
    table: dict[str, list[int]] = {}
    battle = base.battle()
    for path in dict.fromkeys(path for one in numbers for path in one):
        default = (field_at(battle, path) or {}).get("default")
        if type(default) is not int and not all(path in one for one in numbers):
            return None
        table[path] = [one[path] if path in one else int(default or 0) for one in numbers]
    return table
