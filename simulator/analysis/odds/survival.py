"""Survival: the chance of each piece to survive the battle, in games of individual pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any

from simulator.analysis.field_words import owner_in_words
from simulator.analysis.odds.distribution import wilson
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.run import ExactAnswer, Interrupted, Progress, SimulatedAnswer, settle, until_interrupted
from simulator.analysis.result import Result
from simulator.analysis.words import in_chance
from simulator.rules.battle import Built
from simulator.rules.toolkit.by_key import by_key
from simulator.rules.toolkit.words import several
from simulator.scenarios import Scenario, ScenarioError, Source, load
from simulator.scenarios.arguments import checked

# A sentence names at most this many sorts of pieces.
MOST_SORTS = 5
# The number of a piece in its name, and the number of pieces that a row is about.
_NUMBER, _TOGETHER = re.compile(r" \d+$"), re.compile(r"each of (\d+)")


@dataclass(frozen=True)
class Survivor:
    """A piece and its chance to survive, with a 95 % interval (of no width when exact)."""

    side: str
    piece: str
    worth: str
    p: float
    low: float
    high: float


@dataclass(frozen=True, repr=False)
class Survival(Result):
    """The chances of all pieces, by side in the order of losses; `battles` and `seed` are None when exact."""

    pieces: tuple[Survivor, ...]
    battles: int | None = None
    seed: int | None = None
    title: str = ""
    rules_version: int = 1
    names: Mapping[str, str] = field(default_factory=dict)

    json_fields = ("battles", "seed", "rules_version")
    json_rows = "pieces"

    def rows(self) -> list[dict[str, Any]]:
        """One row a piece: `side, piece, worth, p, low, high`."""
        return [dict(vars(piece)) for piece in self.pieces]

    @property
    def headline(self) -> str:
        """The chance of each sort of piece of the attacker to survive."""
        side = self.pieces[0].side
        sorts = by_key((one for one in self.pieces if one.side == side), lambda one: _NUMBER.sub("", one.piece))
        owner = self.names.get(side) or f"the {side.replace('_', ' ')}"
        of = [(*_named(name, pieces), fmean(piece.p for piece in pieces)) for name, pieces in sorts.items()]
        first, verb, p = of[0]
        if len(of) <= MOST_SORTS:
            more = "".join(f", {name} {self._chance(p)}" for name, _, p in of[1:])
            return f"Of the pieces of {owner} {first} {verb} {self._chance(p)}{more}."
        (most, verb, high), (least, _, low) = (choose(of, key=lambda one: one[-1]) for choose in (max, min))
        often = f"{most} {verb} most often, {self._chance(high)}"
        return f"Of the pieces of {owner} {often}, {least} least often, {self._chance(low)}."

    def _chance(self, p: float) -> str:
        """The chance of a piece of a sort. The mean of pieces of a sort is no less certain than one of them."""
        return in_chance(p, None if self.battles is None else wilson(p, self.battles))

    def how(self) -> str:
        """The method of the answer, in one line."""
        return "exact" if self.battles is None else f"simulated: {self.battles:,} battles, seed {self.seed}"


@checked
def survival(
    scenario: Source,
    battles: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Survival:
    """The chance of each piece to survive; a piece that retreats survives.

    Returns
    -------
    Survival
        One row a piece, by side in the order of losses.

    Raises
    ------
    ScenarioError
        For an invalid scenario, and for a kind without individual pieces.
    Interrupted
        After Ctrl-C, with the answer so far.

    Examples
    --------
    >>> survival("knt-raid").table.columns.tolist()
    ['side', 'piece', 'worth', 'p', 'low', 'high']
    """
    method = Method(battles=battles, seed=seed, threads=threads)
    asked = load(scenario)
    if asked.built.pieces is None and asked.built.apart is None:
        raise ScenarioError(f"battle: {asked.battle.game} {asked.battle.kind} does not distinguish single pieces")

    def found() -> Iterator[Survival]:
        for part in _parts(asked):
            try:
                yield _survival(part, settle(part, method, progress), seed)
            except Interrupted as cut:
                yield _survival(part, cut.gathered, seed)
                raise KeyboardInterrupt from None

    return until_interrupted(found(), _together)


def _parts(scenario: Scenario) -> list[Scenario]:
    """The scenario itself, or one scenario for each chain that distinguishes a part of its pieces."""
    if scenario.built.apart is None:
        return [scenario]

    def of(part: Built) -> Scenario:
        return replace(scenario, battle=replace(scenario.battle, build=lambda fields: part))

    return list(map(of, scenario.built.apart()))


def _together(found: Sequence[Survival]) -> Survival:
    """The pieces of all parts as one answer; it is simulated if one part is."""
    pieces = tuple(piece for one in found for piece in one.pieces)
    return replace(next((one for one in found if one.battles is not None), found[0]), pieces=pieces)


def _survival(scenario: Scenario, found: ExactAnswer | SimulatedAnswer, seed: int) -> Survival:
    assert scenario.built.pieces is not None
    ends, battles = found.ends(), found.battles
    survivors: list[Survivor] = []
    for piece in scenario.built.pieces(ends.states):
        p = min(1.0, float(piece.survives @ ends.p))
        low, high = wilson(p, battles)
        survivors.append(Survivor(piece.side, piece.name, piece.worth, p, low, high))
    title, version = scenario.battle.label, scenario.battle.version
    names = {side: owner_in_words(scenario.battle, scenario.data, side) for side in {one.side for one in survivors}}
    return Survival(tuple(survivors), battles, None if battles is None else seed, title, version, names)


def _named(name: str, pieces: Sequence[Survivor]) -> tuple[str, str]:
    """A sort of pieces, and the verb after it: "each of 5 infantry" lives, "the tank" lives, "the knights" live."""
    together = _TOGETHER.search(pieces[0].worth)
    number = int(together[1]) if together else len(pieces)
    if number > 1:
        return f"each of {number} {several(name)}", "lives"
    return f"the {name}", "live" if several(name) == name and name.endswith("s") else "lives"
