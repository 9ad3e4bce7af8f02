"""Balance: the smallest changes of a scenario or its game file that bring the odds nearest to a target.

balance("skirmish-hill", {"rules.unit.knights.combat.dice": [1, 2, 3], "attacker.pikes": None}).table
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from simulator.analysis.odds.headline import how_often, meant, names_of
from simulator.analysis.odds.measure import is_chance
from simulator.analysis.odds.run import Interrupted, Progress
from simulator.analysis.result import Result
from simulator.analysis.studies.grid import Cell
from simulator.analysis.studies.sweep import sweep
from simulator.analysis.studies.swept import Sweep
from simulator.analysis.words import amount_in_words, bounds, meaning, number_in_words, settings_in_words
from simulator.rules.battle import Battle
from simulator.rules.question import WON
from simulator.rules.toolkit.tolerances import ALIKE
from simulator.rules.toolkit.words import number_of
from simulator.scenarios import Scenario, ScenarioError, Source, draft
from simulator.scenarios.arguments import checked
from simulator.scenarios.schema import choices, field_at, settings_of, unknown_field, whole_numbers
from simulator.scenarios.validation import brief

EVEN, BOTH = 0.5, ("p_attacker", "p_defender")
# A whole number without values is tried up to this far below and above its present setting.
NEAR = 3
# At a distance below this a battle is called even.
HARDLY = 0.005
MOST_REASONS = 3


@dataclass(frozen=True)
class Change:
    """An answered combination of settings: its steps from the present ones, and its distance to the target."""

    steps: int
    distance: float
    cell: Cell


@dataclass(frozen=True, repr=False)
class Balance(Result):
    """The combinations tried (`swept`) and the present setting of each field; see `balance`."""

    swept: Sweep
    present: Mapping[str, Any]
    target: float
    complete: bool = True

    json_fields = ("asked", "target", "present", "tried", "refused", "complete")

    @property
    def asked(self) -> tuple[str, ...]:
        """The values computed: the chances of both sides for an even battle, else one value."""
        return self.swept.asked

    @cached_property
    def changes(self) -> list[Change]:
        """The combinations that the rules allow, the fewest steps first, of equally many the nearest first."""
        found = [Change(self._steps(one), self._distance(one), one) for one in self.swept.cells if not one.refused]
        return sorted(found, key=lambda one: (one.steps, round(one.distance / ALIKE)))

    @cached_property
    def front(self) -> list[Change]:
        """The Pareto front, nearest first: no other combination is as near with as few steps."""
        front: list[Change] = []
        for one in self.changes:
            if not front or one.distance < front[-1].distance - ALIKE:
                front.append(one)
        return front[::-1]

    def _steps(self, cell: Cell) -> int:
        """The places between the settings and the present ones in the lists of values, summed over the fields."""
        places = zip(self.swept.values, cell.settings, self.present.values(), strict=True)
        return sum(abs(axis.index(to) - axis.index(now)) for axis, to, now in places)

    def _distance(self, cell: Cell) -> float:
        values = [one.value for one in cell.measures]
        return abs(values[0] - (values[1] if len(values) > 1 else self.target))

    def changed(self, change: Change) -> dict[str, Any]:
        """The fields that a combination changes, and their settings.

        Parameters
        ----------
        change : Change
            One of `changes` or `front`.

        Returns
        -------
        dict
            Setting by path.

        Examples
        --------
        >>> found = balance("risk-20v15", {"attacker.regiments": range(12, 21)})
        >>> found.changed(found.front[0])
        {'attacker.regiments': 14}
        """
        named = zip(self.present, change.cell.settings, strict=True)
        return {path: to for path, to in named if to != self.present[path]}

    def in_words(self, change: Change) -> str:
        """The changes of a combination in words.

        Parameters
        ----------
        change : Change
            One of `changes` or `front`.

        Returns
        -------
        str
            "no change" for the present settings.

        Examples
        --------
        >>> found = balance("risk-20v15", {"attacker.regiments": range(12, 21)})
        >>> found.in_words(found.front[0])
        'attacker.regiments = 14'
        """
        return ", ".join(f"{path} = {to}" for path, to in self.changed(change).items()) or "no change"

    def number(self, value: float) -> str:
        """A value asked, or a distance, as text.

        Parameters
        ----------
        value : float
            The number.

        Returns
        -------
        str
            A percentage for a chance.

        Examples
        --------
        >>> found = balance("risk-20v15", {"attacker.regiments": range(12, 21)})
        >>> found.number(0.5)
        '50.00 %'
        """
        return number_in_words(self.swept.base.battle(), self.asked[0], value, is_chance(self.asked[0]))

    @property
    def headline(self) -> str:
        """The combination nearest to the target."""
        if not self.front:
            return "No combination tried so far is allowed."
        best, base = self.front[0], self.swept.base
        battle = base.battle()
        changes = settings_in_words(battle, base.data, self.changed(best))
        exactly = best.distance < HARDLY
        if len(self.asked) > 1:
            aim = "Even" if exactly else "Nearest to even"
            sides = zip(names_of(battle, base.data), best.cell.measures, strict=True)
            text = ", ".join(how_often(f"{name} wins", one.value, bounds(one), [name]) for name, one in sides)
        else:
            aim = f"{'At' if exactly else 'Nearest to'} {self.number(self.target)}"
            reached = amount_in_words(battle, self.asked[0], best.cell.measures[0])
            text = f"{meaning(battle, base.data, self.asked[0])} is {reached}"
        steps = f"with {changes} ({number_of(best.steps, 'step')})" if changes else "as it stands"
        return f"{aim} {steps}: {text}."

    @property
    def tried(self) -> int:
        """The number of combinations tried."""
        return len(self.swept.cells)

    @property
    def refused(self) -> list[dict[str, Any]]:
        """The combinations that the rules refuse: their settings, and the reason."""
        paths = self.swept.paths
        return [dict(zip(paths, one.settings, strict=True)) | {"reason": one.refused} for one in self.swept.refusals]

    def rows(self) -> list[dict[str, Any]]:
        """The front, nearest first: the setting of each field, `steps`, `distance`, each value asked, `method`."""
        return [
            dict(zip(self.present, one.cell.settings, strict=True))
            | {"steps": one.steps, "distance": one.distance}
            | {name: found.value for name, found in zip(self.asked, one.cell.measures, strict=True)}
            | {"method": one.cell.method}
            for one in self.front
        ]

    def how(self) -> str:
        """The number of combinations tried, their method, and which the rules refuse, in one line."""
        simulated = {one.cell.battles for one in self.changes} - {None}
        text = f"{self.tried} combinations tried"
        text += f", simulated where not exact, seed {self.swept.seed}" if simulated else ", all exact"
        text += f"; {named_reasons([row['reason'] for row in self.refused])}" if self.refused else "; none refused"
        return text if self.complete else f"{text}; interrupted"


def named_reasons(reasons: Sequence[str]) -> str:
    """The number of refused combinations, and the first few reasons."""
    different = list(dict.fromkeys(reasons))
    more = f"; and {len(different) - MOST_REASONS} more reasons" * (len(different) > MOST_REASONS)
    return f"{len(reasons)} refused ({'; '.join(different[:MOST_REASONS])}{more})"


@checked
def balance(  # noqa: PLR0913 - one argument an option
    scenario: Source,
    vary: Mapping[str, Iterable[Any] | None],
    target: float | None = None,
    value: str | None = None,
    battles: int | None = None,
    seed: int = 0,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Balance:
    """The combinations of settings nearest to even odds, or to a target, with the fewest steps.

    The present settings always belong to the settings of a field: a change is as large as its steps along them. In an
    even battle both sides have the same chance, so the distance is |p_attacker - p_defender|, else |value - target|.
    A kind that asks another question (do the natives attack?) is even where its chance is one half.

    Parameters
    ----------
    vary : mapping of str to iterable
        Fields, keys of the game file included (`rules.unit.tank.attack`), and their settings in order; None stands for
        all names, yes and no, or the whole numbers near the present one.
    target : float, optional
        The value to come near; without it the odds should be even.
    value : str, optional
        A value, see `sweep`; by default `p_attacker`, or that of the battle kind where that is another.
    battles : int, optional
        Simulate every combination with this many battles. By default they are exact where that fits.

    Returns
    -------
    Balance
        The Pareto front of distance and steps.

    Raises
    ------
    ScenarioError
        For an invalid scenario, and an unknown field.
    ValueError
        For a target out of range, and without one for a battle whose question is a number.
    Interrupted
        After Ctrl-C, with the combinations tried so far.

    Examples
    --------
    >>> balance("risk-20v15", {"attacker.regiments": range(12, 21)}).table.iloc[0, 0].item()
    14
    """
    base = draft(scenario)
    ranges, present = _ranges(base.checked(), vary)
    asked, goal = _asked(base.battle(), target, value)
    try:
        swept = sweep(base, ranges, asked, battles, seed, threads=threads, progress=progress)
    except Interrupted as cut:
        raise Interrupted(Balance(cut.gathered, present, goal, complete=False)) from None
    _check_allowed(swept, present)
    return Balance(swept, present, goal)


def _check_allowed(swept: Sweep, present: Mapping[str, Any]) -> None:
    """Raise ScenarioError, with the first reason, for a field of which the rules refuse every setting but its own."""
    for place, (path, now) in enumerate(present.items()):
        others = [one for one in swept.cells if one.settings[place] != now]
        if others and all(one.refused for one in others):
            raise ScenarioError(f"vary: no other setting of {path} is allowed: {others[0].refused}")


def _asked(battle: Battle, target: float | None, value: str | None) -> tuple[tuple[str, ...], float]:
    """The values asked of each combination, for even odds both chances; and the target. Raises ValueError."""
    value = meant(battle, value) if value else None
    if target is None and value not in {None, *BOTH}:
        raise ValueError("target: is needed; without it both sides get the same chance, which needs no value")
    own = _of_no_side(battle) if value is None else None
    if target is None and own and not is_chance(own):
        raise ValueError(f"target: give one; {battle.label} has no winner, its question is a number ({own})")
    goal = EVEN if target is None else target
    even = own is None and goal == EVEN and value in {None, *BOTH}
    asked = BOTH if even else (value or own or BOTH[0],)
    if is_chance(asked[0]) and not 0 <= goal <= 1:
        raise ValueError(f"target: {goal:g} is not allowed; {asked[0]} is a chance, from 0 to 1")
    return asked, goal


def _of_no_side(battle: Battle) -> str | None:
    """The measure of a kind that is not about one side's victory over the other; None where it is."""
    question = battle.question
    return None if question.measure in {WON, "taken"} and not question.endings else meant(battle, "headline")


def _ranges(
    scenario: Scenario, vary: Mapping[str, Iterable[Any] | None]
) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """The settings of each field in order, the present one included; and the present ones."""
    battle, now = scenario.battle, dict(settings_of(scenario.fields))
    if any(path.startswith("rules.") for path in vary):
        now |= settings_of(battle.rules, "rules")
    ranges, present = {}, {}
    for path, values in vary.items():
        if field_at(battle, path) is None:
            raise ScenarioError(unknown_field(battle, path))
        if path not in now:
            inside = [one for one in now if one.startswith((f"{path}.", f"{path}["))][:4]
            hint = f"name a field in it: {', '.join(inside)}" if inside else "set it in the scenario first"
            raise ScenarioError(brief(f"{path}: has no single present setting; {hint}"))
        present[path] = now[path]
        settings = _near(battle, path, now[path]) if values is None else list(values)
        ranges[path] = _in_order(settings, now[path])
    return ranges, present


def _near(battle: Battle, path: str, now: Any) -> list[Any]:
    """The settings of a field for which none are given. Raises ScenarioError where these are not obvious."""
    if isinstance(now, bool):
        return [False, True]
    if (bounds := whole_numbers(battle, path)) and isinstance(now, int):
        low, high = bounds
        first = now - NEAR if low is None else max(low, now - NEAR)
        return list(range(first, (now + NEAR if high is None else min(high, now + NEAR)) + 1))
    if names := choices(battle, path):
        return [name for name in names if name != "best"]
    raise ScenarioError(f"vary: give the values of {path}, like 1:30 or a,b,c")


def _in_order(settings: list[Any], now: Any) -> list[Any]:
    """Numbers in ascending order, names as given; the present setting at its place, or before the names."""
    every = list({repr(one): one for one in (settings if now in settings else [now, *settings])}.values())
    number = all(isinstance(one, int | float) and not isinstance(one, bool) for one in every)
    return sorted(every) if number else every
