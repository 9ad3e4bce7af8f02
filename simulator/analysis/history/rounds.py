"""The course of a battle round by round. docs/rules/decisions.md section 9.

rounds("risk-20v15").table          # round, over, attacker, defender, nobody, mean.COLUMN ...
rounds("risk-20v15").after(3)       # the odds of everything after three rounds
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from simulator.analysis.history.ending import standing
from simulator.analysis.odds.distribution import wilson
from simulator.analysis.odds.method import check_numbers
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import PORTION, Interrupted, Progress, together, until_interrupted
from simulator.analysis.odds.stages import ExactRun, SimulatedRun
from simulator.analysis.result import Result
from simulator.engine.api import Graph, courses, graph_of
from simulator.engine.model.chance import NEGLIGIBLE
from simulator.engine.model.limits import EXACT_BYTES, QUICK_BYTES, NoExactOdds
from simulator.engine.model.streams import derive_seed
from simulator.rules.battle import NOBODY, WINNERS, BattlesRun, Columns, Outcomes
from simulator.rules.question import Question
from simulator.scenarios import Scenario, ScenarioError, Source, load
from simulator.scenarios.arguments import checked

MOST, MOST_ASKED, LEFT = 100, 10_000, 1e-6
BATTLES = 20_000
MOST_TURNS = 100_000
HALF = 0.5


@dataclass(frozen=True)
class AfterRound:
    """The states after a round with their chances (and counts when simulated), and which of them are final."""

    states: Any
    p: np.ndarray
    over: np.ndarray
    count: np.ndarray | None = None


@dataclass(frozen=True, repr=False)
class Rounds(Result):
    """The states of a battle after each round; round 0 is before the first."""

    scenario: Scenario
    by_round: tuple[AfterRound, ...]
    battles: int | None = None
    seed: int | None = None
    explored: int = 0

    json_fields = ("battles", "seed")

    def after(self, n: int) -> Odds:
        """The odds after this many rounds; a battle that is not over has the winner `nobody` and `over` false.

        Parameters
        ----------
        n : int
            The number of rounds, 0 for before the first.

        Returns
        -------
        Odds
            With the column `over` (bool) beside those of the game.

        Raises
        ------
        ValueError
            For a round that was not computed.

        Examples
        --------
        >>> round(rounds("risk-20v15").after(12).p("over"), 3)
        0.289
        """
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 0 <= n < len(self.by_round):
            raise ValueError(f"after: {n} is not allowed; give a round from 0 to {len(self.by_round) - 1}")
        return self._odds[int(n)]

    @cached_property
    def _odds(self) -> list[Odds]:
        return [self._odds_of(n, one) for n, one in enumerate(self.by_round)]

    def _odds_of(self, n: int, after: AfterRound) -> Odds:
        built, going = self.scenario.built, ~after.over
        columns: Columns = dict(built.outcome(after.states))
        if "winner" in columns and not self.fights:
            columns["winner"] = np.where(going, NOBODY, columns["winner"])
        if "rounds" in columns:
            columns["rounds"] = np.where(going, n, columns["rounds"])
        columns["over"] = after.over
        found = Odds(
            Outcomes(columns, after.p, after.count, explored=self.explored),
            battle=self.scenario.battle,
            battles=self.battles,
            seed=self.seed,
            settings=self.scenario.settings(),
            assumptions=[*self.scenario.assumptions(), f"as it stands after {n} rounds, battles still going included"],
            scenario=self.scenario.data,
        )
        found.question = Question("over", partial(standing, rounds=n, unit="fight" if self.fights else "round"))
        return found

    @property
    def even(self) -> int:
        """The first round after which at least half of the battles are over, else the last."""
        over = [odds.p("over") for odds in self._odds]
        return next((n for n, p in enumerate(over) if p >= HALF), len(over) - 1)

    @property
    def headline(self) -> str:
        """The share of battles that are over after the first round by which half of them are."""
        return self.after(self.even).headline.text

    @property
    def fights(self) -> bool:
        """Is it a campaign? Then a round is a fight, and the winner is as if the campaign ended there."""
        return self.scenario.built.by_fight is not None

    @property
    def columns(self) -> list[str]:
        """The columns with means: those of the headline, then all other numbers."""
        first = self._odds[0]
        return [
            name
            for name in dict.fromkeys([*first.summary_columns, *first.columns])
            if first.kind_of(name) == "number" or (name in first.summary_columns and first.kind_of(name) == "yes/no")
        ]

    def rows(self) -> list[dict[str, Any]]:
        """`round, over`, who has won, bounds `low_...`, `high_...` when simulated, `mean.COLUMN` at that time."""
        return [self._row(n, odds) for n, odds in enumerate(self._odds)]

    def _row(self, n: int, odds: Odds) -> dict[str, Any]:
        chances = {"over": odds.p("over")}
        if "winner" in odds.columns:
            for code, side in enumerate(WINNERS):
                won = (odds.columns["winner"] == code) & (odds.columns["over"] | self.fights)
                chances[side] = float(odds.chances[won].sum())
        row: dict[str, Any] = {"round": n} | chances
        if self.battles is not None:
            for name, p in chances.items():
                row[f"low_{name}"], row[f"high_{name}"] = wilson(p, self.battles)
        return row | {f"mean.{name}": odds.mean(name) for name in self.columns}

    def how(self) -> str:
        """The method of the answer, in one line."""
        if self.battles is None:
            return f"exact ({self.explored:,} states, {'fight by fight' if self.fights else 'round by round'})"
        return f"simulated: {self.battles:,} battles, seed {self.seed}, 95 % intervals"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        rests = {"settings": self.scenario.settings(), "assumptions": self.scenario.assumptions()}
        return super().to_dict() | {"method": "exact" if self.battles is None else "simulated"} | rests


@checked
def rounds(
    scenario: Source,
    most: int | None = None,
    battles: int | None = None,
    seed: int = 0,
    *,
    progress: Progress | None = None,
) -> Rounds:
    """The state of a battle after each round.

    Parameters
    ----------
    most : int, optional
        The last round; by default the one after which all but a millionth of the battles are over, at most 100.
    battles : int, optional
        Simulate this many single battles. By default the rounds are exact where that fits.

    Returns
    -------
    Rounds
        One row a round, and `Rounds.after(n)`: the odds after n rounds.

    Raises
    ------
    ScenarioError
        For a kind that is not fought in rounds.
    ValueError
        For a number out of range.
    Interrupted
        After Ctrl-C, with the rounds, or the battles, computed so far.

    Examples
    --------
    >>> round(rounds("risk-20v15").rows()[10]["attacker"], 3)
    0.071
    """
    check_numbers(1 if battles is None else battles, seed, None)
    if most is not None and (isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 0):
        raise ValueError(f"most: {most} is not allowed; 0 or more")
    if most is not None and most > MOST_ASKED:
        raise ValueError(f"most: {most} is not allowed; at most {MOST_ASKED:,}")
    asked = load(scenario)
    if asked.built.by_fight is not None:
        return _fights(asked, asked.built.by_fight, most, battles, seed)
    asked = counting(asked)
    if battles is None:
        try:
            graph = _by_rounds(asked, progress and (lambda states: progress(states, None)))
        except NoExactOdds:
            battles = BATTLES
        else:
            exact = _exact_rounds(asked, graph, most)
            return until_interrupted(exact, lambda found: Rounds(asked, tuple(found), explored=len(graph)))
    states, ends = _simulate(asked, battles, seed, progress)
    answer = Rounds(asked, tuple(_simulated_rounds(asked, states, ends, most)), len(ends), seed)
    if len(ends) < battles:
        raise Interrupted(answer)
    return answer


def _by_rounds(scenario: Scenario, progress: Callable[[int], Any] | None) -> Graph:
    """The graph of a battle, whose counter, if it has one, counts rounds: any other counter is a field of the states.

    Raises NoExactOdds where it is too large.
    """
    chain, begun = scenario.chain, scenario.built.begun
    assert begun is not None
    graph = graph_of(chain, QUICK_BYTES, progress)
    if all(name.endswith("rounds") for name in chain.counters):
        return graph
    # A counter with another name may hold the rounds: then the round follows from it.
    none, one = (np.asarray(begun(graph.states(slice(None), np.full(len(graph), n)))) for n in (0, 1))
    return graph if (one > none).any() else graph_of(replace(chain, counters=()), QUICK_BYTES, progress)


def _fights(
    scenario: Scenario,
    by_fight: Callable[[BattlesRun], list[Outcomes]],
    most: int | None,
    battles: int | None,
    seed: int,
) -> Rounds:
    """The state of a campaign after each fight; simulated if `battles` are asked for, or where it is too large."""
    exact = ExactRun(EXACT_BYTES)
    try:
        found = by_fight(exact) if battles is None else []
    except NoExactOdds:
        battles = BATTLES
    if battles is not None:
        sizes = [min(PORTION, battles - done) for done in range(0, battles, PORTION)]
        runs = [SimulatedRun(size, derive_seed(seed, portion)) for portion, size in enumerate(sizes)]
        found = [together(*parts) for parts in zip(*map(by_fight, runs), strict=True)]
    fights = [AfterRound(one.columns, one.p, one.columns["over"], one.count) for one in found]
    shown = tuple(fights[: None if most is None else most + 1])
    return Rounds(scenario, shown, battles, None if battles is None else seed, exact.explored)


def counting(scenario: Scenario) -> Scenario:
    """The scenario with rounds counted. Raises ScenarioError for a kind without rounds."""
    if scenario.built.begun is None:
        own = f"{scenario.battle.game} {scenario.battle.kind}"
        raise ScenarioError(
            f"battle: {own} is not fought in rounds; risk, price-of-power land and naval, kings-and-things, europa "
            "siege-campaign and custom games are"
        )
    counting = scenario.built.counting
    return scenario.replace_all(counting) if counting else scenario


class RoundSteps:
    """A graph as transition matrices within a round (`inside`), to the next round (`onward`) and to ends (`ends`).

    `begun` is the round of each state while its counter is 0; column k of `ends` is the state
    `end_at[k]`, whose counter is `end_count[k]` plus the round.
    """

    def __init__(self, graph: Graph, begun: Callable[[Any], np.ndarray]) -> None:
        from scipy.sparse import csr_array

        size, final = len(graph), graph.final
        self.begun = np.asarray(begun(graph.states(slice(None), np.zeros(size, np.int64))), np.int64)
        source, edge, p = graph.edges_of(np.arange(size))
        to = graph.to[edge].astype(np.int64)
        more = np.zeros(len(to), np.int64) if graph.inc is None else graph.inc[edge].astype(np.int64)
        ahead = self.begun[to] + more > self.begun[source]
        lasting = final[to]

        def matrix(chosen: np.ndarray, columns: np.ndarray, width: int) -> Any:
            return csr_array((p[chosen], (source[chosen], columns)), shape=(size, width))

        self.inside = matrix(~lasting & ~ahead, to[~lasting & ~ahead], size)
        self.onward = matrix(~lasting & ahead, to[~lasting & ahead], size)
        pairs = np.stack([to[lasting], more[lasting] - self.begun[source[lasting]]])
        ends, column = np.unique(pairs, axis=1, return_inverse=True)
        self.end_at, self.end_count = ends
        self.ends = matrix(lasting, column.ravel(), ends.shape[1])


def _exact_rounds(scenario: Scenario, graph: Graph, most: int | None) -> Iterator[AfterRound]:
    """The exact chances of the states after each round."""
    begun = scenario.built.begun
    assert begun is not None
    if graph.final[0]:
        alone = graph.states(slice(0, 1), np.zeros(1, np.int64))
        last = int(np.asarray(begun(alone))[0]) - 1
        for n in range((max(last, 0) if most is None else most) + 1):
            yield AfterRound(alone, np.ones(1), np.array([last <= n]))
        return
    steps = RoundSteps(graph, begun)
    now = np.zeros(len(graph))
    now[0] = 1.0
    ends: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for n in range((MOST if most is None else most) + 1):
        # A round in which nobody rolls has no states: battles wait for the next round in which somebody does.
        ready = steps.begun <= n
        moved, ended = one_round(steps, now * ready)
        now = now * ~ready + moved
        some = np.flatnonzero(ended)
        ends.append((steps.end_at[some], steps.end_count[some] + n, ended[some]))
        going = np.flatnonzero(now)
        parts = (*ends, (going, np.maximum(n + 1 - steps.begun[going], 0), now[going]))
        at, count, p = (np.concatenate(part) for part in zip(*parts, strict=True))
        over = graph.final[at] & (steps.begun[at] + count - 1 <= n)
        yield AfterRound(graph.states(at, count), p, over)
        if most is None and float(p[~over].sum()) <= LEFT:
            return


def one_round(steps: RoundSteps, now: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Advance the chances of states by one round.

    `now`: the chance of each state before the round, float64, shape (states,). Returns the same before the next round,
    and the chance of each end in this round: float64, shape (ends,).
    """
    after, ended = np.zeros(len(now)), np.zeros(len(steps.end_at))
    for _ in range(MOST_TURNS):
        after += now @ steps.onward
        ended += now @ steps.ends
        now = now @ steps.inside
        if float(now.sum()) < NEGLIGIBLE:
            break
    return after, ended


def _simulate(scenario: Scenario, battles: int, seed: int, progress: Progress | None) -> tuple[np.ndarray, np.ndarray]:
    """The states of single battles one after the other, and the place of the end of each; fewer if interrupted."""
    states: list[np.ndarray] = []
    last: list[np.ndarray] = []
    done = 0
    try:
        for passed, ends in courses(scenario.chain, seed, battles):
            before = sum(map(len, states))
            states.append(passed)
            last.append(ends + before)
            done += len(ends)
            if progress:
                progress(done, battles)
    except KeyboardInterrupt:
        if not last:
            raise
    return np.concatenate(states[: len(last)]), np.concatenate(last)


def _simulated_rounds(scenario: Scenario, table: np.ndarray, end: np.ndarray, most: int | None) -> Iterator[AfterRound]:
    """The states after each round, counted from single battles."""
    chain, begun, battles = scenario.chain, scenario.built.begun, len(end)
    assert begun is not None
    start = np.concatenate([[0], end[:-1] + 1])
    stands = np.array(begun(type(chain.start)(*table.T)), np.int64)
    last_round = stands[end] - 1
    stands[end] = np.iinfo(np.int64).max
    at = start.copy()
    for n in range((MOST if most is None else most) + 1):
        behind = np.flatnonzero(stands[at] <= n)
        while len(behind):
            at[behind] += 1
            behind = behind[stands[at[behind]] <= n]
        over = (at == end) & (last_round <= n)
        distinct, count = np.unique(np.column_stack([table[at], over]), axis=0, return_counts=True)
        states = type(chain.start)(*distinct[:, :-1].T)
        yield AfterRound(states, count / battles, distinct[:, -1] > 0, count)
        if most is None and over.all():
            return
