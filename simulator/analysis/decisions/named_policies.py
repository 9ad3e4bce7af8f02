"""The best of the named values of policies: of one side, or of both sides as a game (docs/rules/decisions.md 2.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.analysis.odds.mix import mixed_odds, settings_without
from simulator.analysis.odds.run import Progress, reported, until_interrupted
from simulator.rules.battle import Battle
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.tolerances import ALIKE, ROUNDING
from simulator.scenarios import Draft, Scenario, ScenarioError
from simulator.scenarios.objective import BEST
from simulator.scenarios.objective import side_of as side_in
from simulator.scenarios.schema import choices, field_at

if TYPE_CHECKING:
    from simulator.analysis.decisions.best import Best
    from simulator.analysis.odds.odds import Odds

MOST_COMBINATIONS = 1000
# One value for each named path of a side, or of both sides.
Combination = tuple[str, ...]


@dataclass(frozen=True)
class Gain:
    """A policy in place of the best one: its name, its worth to its side, and the loss against the best."""

    decision: str
    policy: str
    value: float
    gain: float


@dataclass(frozen=True)
class Lot:
    """A combination of named values that a side draws, and its chance."""

    side: str
    choice: str
    chance: float


def side_of(path: str) -> str:
    """The side of a policy. Raises ScenarioError for a side without an objective."""
    side = side_in(path)
    if not side:
        raise ScenarioError(f"decide: {path} belongs to neither attacker nor defender; only these have an objective")
    return side


def named_values(battle: Battle, path: str) -> list[str]:
    """The named values of a policy: the default first, without `best` and those that need another field."""
    default = (field_at(battle, path) or {}).get("default")
    left_out = {BEST, "custom", *battle.parameters}
    return sorted((one for one in choices(battle, path) if one not in left_out), key=lambda one: one != default)


def best_of_named(asked: Draft, paths: Sequence[str], answered: Callable[..., Best], progress: Progress | None) -> Best:
    """Answer every combination of the named values of `paths` (in the game's order), and choose for each side.

    Raises ScenarioError where there are too many or none is allowed; Interrupted with the best of those answered until
    then, where one side decides (a game of both sides needs every answer).
    """
    paths = sorted(paths, key=lambda path: SIDES.index(side_of(path)))
    cells = _allowed(asked, paths)
    least = 1 if len({side_of(path) for path in paths}) == 1 else len(cells) + 1
    answers = ((one, answered(cells[one], whole=False)) for one in reported(list(cells), progress))
    return until_interrupted(answers, lambda found: _Choice(paths, dict(found)).advice(), least)


def _allowed(asked: Draft, paths: Sequence[str]) -> dict[Combination, Scenario]:
    """The combinations of those values that no combination refuses."""
    values = [named_values(asked.battle(), path) for path in paths]
    count = prod(map(len, values))
    if count > MOST_COMBINATIONS:
        raise ScenarioError(f"decide: {count:,} combinations; at most {MOST_COMBINATIONS:,}")
    found: dict[Combination, Scenario] = {}
    refused: set[tuple[int, str]] = set()
    refusal = ""
    for combination in product(*values):
        if refused.intersection(enumerate(combination)):
            continue
        try:
            found[combination] = asked.with_fields(dict(zip(paths, combination, strict=True))).checked()
        except ScenarioError as error:
            refusal = refusal or str(error)
            refused.add(_blamed(str(error), paths, combination, values))
    found = {one: scenario for one, scenario in found.items() if not refused.intersection(enumerate(one))}
    if not found:
        raise ScenarioError(refusal)
    return found


def _blamed(
    refusal: str, paths: Sequence[str], combination: Combination, values: Sequence[Sequence[str]]
) -> tuple[int, str]:
    """The place and value that a refusal names, else the last value that is not the default of its path."""
    named = [place for place, path in enumerate(paths) if refusal.startswith(f"{path}:")]
    other = [place for place, value in enumerate(combination) if value != values[place][0]]
    place = (named or other or [len(paths) - 1])[-1]
    return place, combination[place]


class _Choice:
    """The answers of all combinations as a game; a side without named values has one empty combination."""

    def __init__(self, paths: Sequence[str], answers: Mapping[Combination, Best]) -> None:
        self.paths, self.answers = paths, answers
        split = sum(side_of(path) == SIDES[0] for path in paths)
        self.own = [list(dict.fromkeys(one[part] for one in answers)) for part in (slice(split), slice(split, None))]
        self.game = 0 < split < len(paths)
        rows, columns = self.own
        self.worths = [np.array([[answers[a + d].value[side] for d in columns] for a in rows]) for side in SIDES]

    def advice(self) -> Best:
        """The best play: a combination for each side, or a lot."""
        found = solve(*self.worths)
        if found.kind == "mixed":
            return self._by_lot(found)
        chosen = self.own[0][int(found.rows.argmax())] + self.own[1][int(found.columns.argmax())]
        return replace(
            self.answers[chosen].whole(),
            choice=dict(zip(self.paths, chosen, strict=True)),
            tried=len(self.answers),
            named=tuple(self._gains(chosen)),
            kind=found.kind if self.game else "best",
            guaranteed=dict(zip(SIDES, found.guaranteed, strict=True)) if self.game else {},
        )

    def _gains(self, chosen: Combination) -> list[Gain]:
        """Each named value of each path, all else as advised."""
        gains = []
        for i, path in enumerate(self.paths):
            side = side_of(path)
            for key, one in self.answers.items():
                if key[:i] + key[i + 1 :] == chosen[:i] + chosen[i + 1 :]:
                    value = one.value[side]
                    gains.append(Gain(path, key[i], value, self.answers[chosen].value[side] - value))
        return gains

    def _by_lot(self, found: Solution) -> Best:
        """Both sides draw their combinations."""
        chances = found.rows, found.columns
        against = self.worths[0] @ found.columns, found.rows @ self.worths[1]
        lots, gains = [], []
        for side, own, drawn, worths, value in zip(SIDES, self.own, chances, against, found.value, strict=True):
            paths = [path.removeprefix(f"policy.{side}.") for path in self.paths if side_of(path) == side]
            for combination, chance, worth in zip(own, drawn.tolist(), worths.tolist(), strict=True):
                words = ", ".join(f"{path} = {one}" for path, one in zip(paths, combination, strict=True))
                gains.append(Gain(f"policy.{side}", words, worth, value - worth))
                if chance:
                    lots.append(Lot(side, words, chance))
        any_cell = next(iter(self.answers.values()))  # for the battle kind and the objectives, the same in every cell
        return replace(
            any_cell,
            odds=self._mixture(*chances, lots),
            value=dict(zip(SIDES, found.value, strict=True)),
            tried=len(self.answers),
            named=tuple(gains),
            kind=found.kind,
            lots=tuple(lots),
            guaranteed=dict(zip(SIDES, found.guaranteed, strict=True)),
        )

    def _mixture(self, rows: np.ndarray, columns: np.ndarray, lots: Sequence[Lot]) -> Odds:
        """The odds where both sides draw."""
        pairs = product(zip(self.own[0], rows.tolist(), strict=True), zip(self.own[1], columns.tolist(), strict=True))
        parts = [(p * q, self.answers[a + d].whole().odds) for (a, p), (d, q) in pairs if p * q]
        odds = [one for _, one in parts]
        drawn = [f"policy.{one.side}: {one.choice} with chance {one.chance:.4f}" for one in lots]
        common = [line for line in odds[0].assumptions if all(line in one.assumptions for one in odds)]
        settings = settings_without(odds[0].settings, self.paths)
        return mixed_odds(parts, settings=settings, assumptions=[*drawn, *common], scenario=odds[0].scenario)


# --- both sides choose once, without knowing the choice of the other ------------------------------------------------


class Solution(NamedTuple):
    """`kind` is pure, mixed or security; the chances of the attacker's and of the defender's choices (they add to 1).

    `value`: the worth to each side; `guaranteed`: its worth if it plays safe and the other side does its worst.
    """

    kind: str
    rows: np.ndarray
    columns: np.ndarray
    value: tuple[float, float]
    guaranteed: tuple[float, float]


def solve(attacker: np.ndarray, defender: np.ndarray) -> Solution:
    """The advice for both sides; worths of shape (attacker's choices, defender's choices).

    A stable pair, where neither side gains by another choice of its own; else, with opposite aims, the mixed
    equilibrium (von Neumann's minimax theorem); else the choice of each side whose worst case is best for it.
    """
    safe = _first_largest(attacker.min(axis=1)), _first_largest(defender.min(axis=0))
    guaranteed = float(attacker[safe[0]].min()), float(defender[:, safe[1]].min())
    pair, total = _stable(attacker, defender), attacker + defender
    if pair is None and np.ptp(total) <= ALIKE:
        rows, columns, value = equilibrium(attacker)
        return Solution("mixed", rows, columns, (value, float(total[0, 0]) - value), guaranteed)
    kind, (row, column) = ("security", safe) if pair is None else ("pure", pair)
    value_of_both = float(attacker[row, column]), float(defender[row, column])
    return Solution(kind, np.eye(len(attacker))[row], np.eye(len(attacker.T))[column], value_of_both, guaranteed)


def _first_largest(values: np.ndarray) -> int:
    return int(np.argmax(values >= values.max() - ROUNDING))


def _stable(attacker: np.ndarray, defender: np.ndarray) -> tuple[int, int] | None:
    """The first stable pair that no other one beats for both sides."""
    stable = (attacker >= attacker.max(axis=0) - ROUNDING) & (defender >= defender.max(axis=1)[:, None] - ROUNDING)
    pairs = [(int(row), int(column)) for row, column in np.argwhere(stable)]
    for one in pairs:
        if not any(
            attacker[other] > attacker[one] + ROUNDING and defender[other] > defender[one] + ROUNDING for other in pairs
        ):
            return one
    return None


def equilibrium(payoff: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Optimal chances of rows and of columns, and the value, of the zero-sum game that pays `payoff` to the rows.

    `payoff`: float64, shape (rows, columns). The chances: float64, shapes (rows,) and (columns,).

    The rows maximise v under "every column pays at least v"; the columns' chances are the dual solution (Dantzig,
    "A proof of the equivalence of the programming problem and the game problem", 1951).
    """
    from scipy.optimize import linprog

    low, span = payoff.min(), np.ptp(payoff) or 1.0
    scaled = (payoff - low) / span
    size, width = payoff.shape
    found = linprog(
        np.append(np.zeros(size), -1.0),
        A_ub=np.hstack([-scaled.T, np.ones((width, 1))]),
        b_ub=np.zeros(width),
        A_eq=np.append(np.ones(size), 0.0)[None],
        b_eq=[1.0],
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.x is None:
        raise RuntimeError(f"the linear program of a matrix game was not solved: {found.message}")
    rows, columns = _chances(found.x[:-1]), _chances(-found.ineqlin.marginals)
    return rows, columns, float(rows @ payoff @ columns)


def _chances(raw: np.ndarray) -> np.ndarray:
    """Chances without rounding errors, normalised to sum 1."""
    kept = np.where(raw > ROUNDING, raw, 0.0)
    return np.asarray(kept / kept.sum())
