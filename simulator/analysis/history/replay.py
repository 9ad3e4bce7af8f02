"""Replays: one battle roll by roll, with the rules in plain Python and the random numbers of the simulation."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.history.roll_luck import ROLL_COLUMNS, roll_luck
from simulator.analysis.odds.precision import MOST_BATTLES
from simulator.analysis.odds.run import PORTION, check_numbers, outcome_columns
from simulator.analysis.result import Result, frame
from simulator.engine.api import Simulation, first_state, replay_steps
from simulator.engine.model.chain import Chain, OutcomeDistribution, Share
from simulator.engine.model.streams import derive_seed
from simulator.rules.battle import WINNERS
from simulator.scenarios import Scenario, Source, load

if TYPE_CHECKING:
    import pandas as pd


class ReplayRun:
    """Runs the stages of one battle; each returns the single end of this battle."""

    def __init__(self, seed: int, battle: int) -> None:
        self.seed = seed
        self.lines: list[str] = []
        self.rolls: list[tuple[str, Any, Any, Any]] = []
        self._battle = battle
        self._previous: tuple[Chain, int, int] | None = None
        self._state: Any = None

    def __call__(self, chain: Chain, share: Share | None = None) -> OutcomeDistribution:
        """Run the stage roll by roll."""
        seed, path = self.seed, share.path if share else ()
        if path:
            seed = derive_seed(self.seed, *path)
            self._battle = self._rank()
        if chain.label:
            self.lines.append(f"{chain.label}:")
        self._state = self._fight(chain, seed)
        self._previous = (chain, seed, self._battle)
        fields = type(chain.start)(*(np.array([value]) for value in self._state))
        return OutcomeDistribution(fields, np.ones(1), np.ones(1, np.int64), path=path)

    def _rank(self) -> int:
        """The number of this battle among those that ended the last stage in the same state and go on together."""
        assert self._previous is not None
        chain, seed, battle = self._previous
        if battle == 0:
            return 0
        simulation = Simulation(chain, seed)
        simulation.add(battle)
        ends = simulation.ends()
        same = np.all([values == value for values, value in zip(ends.states, self._state, strict=True)], axis=0)
        assert ends.count is not None
        return int(ends.count[same].sum())

    def _fight(self, chain: Chain, seed: int) -> Any:
        dice = random.Random(f"{seed} {self._battle}")
        state, indent = first_state(chain), "  " if chain.label else ""
        for before, result, after in replay_steps(chain, seed, self._battle):
            line = chain.tell(before, result, after, dice) if chain.tell else _describe(before, result, after)
            self.lines += [indent + part for part in line.splitlines()]
            self.rolls.append((line, before, result, after))
            state = after
        return state


def _describe(before: Any, result: Any, after: Any) -> str:
    changed = [
        f"{name} {old} -> {new}" for name, old, new in zip(before._fields, before, after, strict=True) if old != new
    ]
    return f"result {result}: " + (", ".join(changed) or "nothing changes")


@dataclass(frozen=True, repr=False)
class Replay(Result):
    """One battle roll by roll: `lines` of text, and its `outcome` as the columns of the game."""

    lines: list[str] = field(default_factory=list)
    outcome: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    battle: int = 0
    scenario: Scenario | None = field(default=None, compare=False)
    rolls: tuple[tuple[str, Any, Any, Any], ...] = field(default=(), compare=False)

    json_fields = ("seed", "battle", "lines", "outcome")

    def rows(self) -> list[dict[str, Any]]:
        """One row a line of the replay: `line`."""
        return [{"line": line} for line in self.lines]

    def how(self) -> str:
        """The number and seed of the battle, in one line."""
        return f"battle {self.battle:,} of seed {self.seed}, roll by roll"

    @cached_property
    def luck(self) -> pd.DataFrame:
        """One row a roll: `line, before, after, change, luck` (analysis/history/roll_luck.py). Raises NoExactOdds."""
        return frame(self.luck_rows(), ROLL_COLUMNS)

    def luck_rows(self) -> list[dict[str, Any]]:
        """The rows of `luck` as plain values."""
        assert self.scenario is not None
        return roll_luck(self.scenario, [roll[1:] for roll in self.rolls], [roll[0] for roll in self.rolls])

    def __str__(self) -> str:
        return "\n".join(self.lines)


def replay(scenario: Source, seed: int = 0, battle: int = 0) -> Replay:
    """Battle number `battle` (from 0) of `seed`, the same that `simulate` counts, roll by roll."""
    check_numbers(1, seed, None)
    if isinstance(battle, bool) or not isinstance(battle, int | np.integer) or not 0 <= battle < MOST_BATTLES:
        raise ValueError(f"battle: {battle} is not allowed; give a whole number from 0 to {MOST_BATTLES - 1}")
    asked = load(scenario)
    if asked.built.answer is None:
        run = ReplayRun(seed, battle)
        columns = outcome_columns(asked, run(asked.chain))
    else:
        portion, inside = divmod(battle, PORTION)
        run = ReplayRun(derive_seed(seed, portion), inside)
        columns = asked.built.answer(run).columns
    outcome: dict[str, Any] = {}
    if "winner" in columns:
        outcome["winner"] = WINNERS[int(columns["winner"][0])]
    outcome |= {name: values[0].item() for name, values in columns.items() if name != "winner"}
    return Replay(run.lines, outcome, seed, battle, asked, tuple(run.rolls))
