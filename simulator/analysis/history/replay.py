"""Replays: one battle roll by roll, with the rules in plain Python and the random numbers of the simulation.

The luck of a roll is the change of the worth of the battle (docs/rules/decisions.md section 8).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.history.ending import ending
from simulator.analysis.odds.method import check_numbers
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import PORTION, outcome_columns
from simulator.analysis.odds.stages import ExactRun, counting_chain
from simulator.analysis.result import Result, frame
from simulator.engine.api import Simulation, Solver, best_option, first_state, graph_of, replay_steps
from simulator.engine.model.chain import Chain, OutcomeDistribution, Share
from simulator.engine.model.limits import EXACT_BYTES, NoExactOdds
from simulator.engine.model.packing import packed
from simulator.engine.model.streams import derive_seed
from simulator.rules.battle import WINNERS, Outcomes
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.tolerances import ALIKE
from simulator.scenarios import Scenario, Source, load
from simulator.scenarios.arguments import checked
from simulator.scenarios.objective import Objective, worth

if TYPE_CHECKING:
    import pandas as pd

ROLL_COLUMNS = ("line", "before", "after", "change", "luck")
# The state before, the result (a pair for two rolls), the state after.
Rolled = tuple[Any, Any, Any]


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
        return self._single(path)

    # A campaign follows one battle: the one with this number in every fight.
    battles = 1

    def each(self, chain: Chain, numbers: np.ndarray, stage: int) -> tuple[OutcomeDistribution, np.ndarray]:
        """Run a fight of a campaign roll by roll; the campaign itself names it."""
        self._state = self._fight(chain, derive_seed(self.seed, stage))
        return self._single(()), np.zeros(1, np.int64)

    def exactly(self) -> ExactRun:
        """A run that answers exactly."""
        return ExactRun(EXACT_BYTES)

    def _single(self, path: tuple[int, ...]) -> OutcomeDistribution:
        fields = type(self._state)(*(np.array([value]) for value in self._state))
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
            if chain.tell:
                line = chain.tell(before, result, after, dice)
            else:
                fields = zip(before._fields, before, after, strict=True)
                changes = [f"{name} {old} -> {new}" for name, old, new in fields if old != new]
                line = f"result {result}: " + (", ".join(changes) or "nothing changes")
            self.lines += [indent + part for part in line.splitlines()]
            self.rolls.append((line, before, result, after))
            state = after
        return state


@dataclass(frozen=True, repr=False)
class Replay(Result):
    """One battle roll by roll: `lines` of text, and its `outcome` as the columns of the game.

    `odds` has this outcome alone.
    """

    lines: list[str] = field(default_factory=list)
    outcome: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    battle: int = 0
    scenario: Scenario | None = field(default=None, compare=False)
    rolls: tuple[tuple[str, Any, Any, Any], ...] = field(default=(), compare=False)
    odds: Odds | None = field(default=None, compare=False)

    json_fields = ("seed", "battle", "lines", "outcome")

    def rows(self) -> list[dict[str, Any]]:
        """One row a line of the replay: `line`."""
        return [{"line": line} for line in self.lines]

    @property
    def headline(self) -> str:
        """The end of this battle: its winner, the number of rounds, and the pieces left."""
        assert self.odds is not None
        return ending(self.odds, self.outcome)

    def how(self) -> str:
        """The number and seed of the battle, in one line."""
        return f"battle {self.battle:,} of seed {self.seed}, roll by roll"

    @cached_property
    def luck(self) -> pd.DataFrame:
        """One row a roll: `line, before, after, change, luck` (see `roll_luck`). Raises NoExactOdds."""
        return frame(self.luck_rows(), ROLL_COLUMNS)

    def luck_rows(self, budget: int = EXACT_BYTES) -> list[dict[str, Any]]:
        """The rows of `luck` as plain values.

        Parameters
        ----------
        budget : int
            The most bytes of the graph of states.

        Returns
        -------
        list of dict
            One row a roll: `line`, `before`, `after`, `change`, `luck`.

        Raises
        ------
        NoExactOdds
            Where the graph takes more.

        Examples
        --------
        >>> len(replay("risk-20v15", seed=0).luck_rows()) == len(replay("risk-20v15", seed=0).rolls)
        True
        """
        assert self.scenario is not None
        return roll_luck(self.scenario, [roll[1:] for roll in self.rolls], [roll[0] for roll in self.rolls], budget)

    def __str__(self) -> str:
        return "\n".join(self.lines)


@checked
def replay(scenario: Source, seed: int = 0, battle: int = 0) -> Replay:
    """One battle roll by roll, the same battle that `simulate` counts.

    Parameters
    ----------
    seed : int
        The seed of the simulation.
    battle : int
        The number of the battle, from 0.

    Returns
    -------
    Replay
        `lines` of text, and the `outcome` as the columns of the game.

    Raises
    ------
    ScenarioError
        For an invalid scenario.
    ValueError
        For a number out of range.

    Examples
    --------
    >>> replay("risk-20v15", seed=1).outcome["winner"]
    'defender'
    """
    check_numbers(1, seed, None, battle=battle)
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
    odds = Odds(Outcomes(columns, np.ones(1)), battle=asked.battle, scenario=asked.data)
    return Replay(run.lines, outcome, seed, battle, asked, tuple(run.rolls), odds)


def roll_luck(
    scenario: Scenario, steps: Sequence[Rolled], lines: Sequence[str], budget: int = EXACT_BYTES
) -> list[dict[str, Any]]:
    """One row a roll: `line, before, after, change, luck`: the worth to the attacker before and after, and the mid-p.

    The worth is the chance to win, or that of the objective of the scenario. Raises NoExactOdds for a battle that is
    too large for the value of every state, or composed of several.
    """
    built = scenario.built
    if built.chain is None:
        own = f"{scenario.battle.game} {scenario.battle.kind}"
        raise NoExactOdds(f"luck: {own} is composed of several battles; the luck of a roll needs one chain of states")
    values = Values(scenario, scenario.objective, budget=budget)
    rows = []
    for line, (before, result, after) in zip(lines, steps, strict=True):
        now, then = values.of(before), values.of(after)
        rows.append(luck_row(line, now, then, values.mid_p(before, then) if result is not None else 0.5))
    return rows


def luck_row(line: str, before: float, after: float, luck: float) -> dict[str, Any]:
    """A row with the columns ROLL_COLUMNS."""
    return dict(zip(ROLL_COLUMNS, (line, before, after, after - before, luck), strict=True))


class Values:
    """The worth of every state of a battle to a side: `worth` by number in `graph`, `of` by its fields."""

    def __init__(
        self, scenario: Scenario, objective: Objective, side: str = "attacker", budget: int = EXACT_BYTES
    ) -> None:
        self._outcome, self._objective, self._side = scenario.built.outcome, objective, SIDES.index(side)
        self.chain = counting_chain(scenario.chain, self._worth)
        self.graph = graph_of(self.chain, budget)
        value = np.zeros(len(self.graph))
        value[self.graph.final] = self._worth(self.graph.states(self.graph.final))
        self.worth = Solver(self.graph, counted=False).values(value)

    @cached_property
    def _sorted(self) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of all states in the order of their keys, and the keys: 0.4 s for 1.6 million, a dict 6.4."""
        order = np.lexsort(self.graph.keys[::-1])
        return order, self.graph.keys[:, order]

    def _worth(self, states: Any) -> np.ndarray:
        return np.asarray(worth(self._objective, self._outcome(states))[self._side])

    def of(self, state: Any) -> float:
        """The worth of a state."""
        order, keys = self._sorted
        first, last = 0, len(order)
        for word, key in zip(keys, packed(self.chain.layout, np.array([state]))[:, 0], strict=True):
            same = word[first:last]
            first, last = first + int(np.searchsorted(same, key)), first + int(np.searchsorted(same, key, "right"))
        return float(self.worth[order[first]])

    def mid_p(self, before: Any, then: float) -> float:
        """P(less) + half of P(equal) over all results of this roll."""
        chain, tables = self.chain, self.chain.tables
        p, first = chain.params, chain.tables.first
        table, second = int(chain.part("table")(p, before)), int(chain.part("second")(p, before))
        below, move = 0.0, chain.mover(best_option(chain))
        for row in range(first[table], first[table + 1]):
            others = range(first[second], first[second + 1]) if chain.paired else (None,)
            for other in others:
                weight = tables.weight[row] * (1.0 if other is None else tables.weight[other])
                beside = 0 if other is None else int(tables.result[other])
                value = self.of(move(p, before, int(tables.result[row]), beside))
                below += weight * (1.0 if value < then - ALIKE else 0.5 if value <= then + ALIKE else 0.0)
        return float(below)
