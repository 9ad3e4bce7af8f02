"""Telling one battle: the same rules as plain Python, the same stream, the same tables."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simulator.analysis.answer import MOST_BATTLES, PORTION, Source, check_numbers, scenario_of, seen
from simulator.engine.chain import Chain, Ends, Share
from simulator.engine.montecarlo import Simulation, told_steps
from simulator.engine.streams import derive_seed
from simulator.rules.battle import WINNERS


class ReplayRun:
    """Runs stages of one battle by hand; each has the one end that this battle comes to."""

    def __init__(self, seed: int, battle: int) -> None:
        self.seed = seed
        self.lines: list[str] = []
        self._battle = battle
        self._previous: tuple[Chain, int, int] | None = None

    def __call__(self, chain: Chain, share: Share | None = None) -> Ends:
        """Fight the stage roll by roll."""
        seed = self.seed
        if share is not None and share.path:
            seed = derive_seed(self.seed, *share.path)
            self._battle = self._rank()
        state = self._fight(chain, seed)
        self._previous = (chain, seed, self._battle)
        self._state = state
        path = share.path if share else ()
        fields = type(chain.start)(*(np.array([value]) for value in state))
        return Ends(fields, np.ones(1), np.ones(1, np.int64), path=path)

    def _rank(self) -> int:
        """This battle's number among those that ended the last stage as it did: they meet in the next one."""
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
        state = chain.settled(chain.start)
        for before, result, after in told_steps(chain, seed, self._battle):
            line = chain.tell(before, result, after, dice) if chain.tell else _plainly(before, result, after)
            if line:
                self.lines.append(line)
            state = after
        return state


def _plainly(before: Any, result: int | tuple[int, int], after: Any) -> str:
    changed = [
        f"{name} {old} -> {new}" for name, old, new in zip(before._fields, before, after, strict=True) if old != new
    ]
    return f"result {result}: " + (", ".join(changed) or "nothing changes")


@dataclass
class Replay:
    """One battle told roll by roll: `lines` of text, and its `outcome` as the game's columns."""

    lines: list[str] = field(default_factory=list)
    outcome: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return "\n".join(self.lines)


def replay(scenario: Source, seed: int = 0, battle: int = 0) -> Replay:
    """The very battle that `simulate` counts as number `battle` (from 0) of `seed`, told roll by roll."""
    check_numbers(1, seed, None)
    if isinstance(battle, bool) or not 0 <= battle < MOST_BATTLES:
        raise ValueError(f"battle: {battle} is not allowed; give a whole number from 0 to {MOST_BATTLES - 1}")
    asked = scenario_of(scenario)
    if asked.built.answer is None:
        run = ReplayRun(seed, battle)
        ends = run(asked.chain)
        columns = seen(asked, ends)
    else:
        portion, inside = divmod(battle, PORTION)
        run = ReplayRun(derive_seed(seed, portion), inside)
        columns = asked.built.answer(run).columns
    told = {name: values[0].item() for name, values in columns.items()}
    told["winner"] = WINNERS[told["winner"]]
    return Replay(run.lines, told)
