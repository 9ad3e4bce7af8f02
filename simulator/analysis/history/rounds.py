"""How does it stand after n rounds? docs/rules/decisions.md section 9.

rounds("risk-20v15").table          # round, over, attacker, defender, nobody, mean.COLUMN ...
rounds("risk-20v15").after(3)       # the odds of everything after three rounds
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.odds.answer import Interrupted, Progress, check_numbers
from simulator.analysis.odds.intervals import wilson
from simulator.analysis.odds.odds import Odds
from simulator.engine.api import Graph, Simulation, first_state, spell_out, told_steps
from simulator.engine.model.limits import QUICK_BYTES, NoExactOdds
from simulator.rules.battle import NOBODY, WINNERS, Columns, Outcomes
from simulator.scenarios import Scenario, ScenarioError, Source, load

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

MOST, MOST_ASKED, LEFT = 100, 10_000, 1e-6
BATTLES = 20_000
MOST_TURNS = 100_000
NEGLIGIBLE = 1e-18


@dataclass(frozen=True)
class Standing:
    """States after a round with their chances (and counts when simulated), and which of them are over."""

    states: Any
    p: np.ndarray
    over: np.ndarray
    count: np.ndarray | None = None


@dataclass(frozen=True)
class Rounds:
    """How a battle stands after each round, from 0 (before the first) on."""

    scenario: Scenario = field(repr=False)
    standing: tuple[Standing, ...] = field(repr=False)
    battles: int | None = None
    seed: int | None = None
    explored: int = 0

    def after(self, n: int) -> Odds:
        """All outcomes after `n` rounds; battles still going stand there with winner `nobody` and `over` false.

        Raises ValueError for a round that was not asked for.
        """
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 0 <= n < len(self.standing):
            raise ValueError(f"after: {n} is not allowed; give a round from 0 to {len(self.standing) - 1}")
        return self._odds[int(n)]

    @cached_property
    def _odds(self) -> list[Odds]:
        return [self._odds_of(n, one) for n, one in enumerate(self.standing)]

    def _odds_of(self, n: int, standing: Standing) -> Odds:
        built, going = self.scenario.built, ~standing.over
        assert built.outcome is not None
        columns: Columns = dict(built.outcome(standing.states))
        if "winner" in columns:
            columns["winner"] = np.where(going, NOBODY, columns["winner"])
        if "rounds" in columns:
            columns["rounds"] = np.where(going, n, columns["rounds"])
        columns["over"] = standing.over
        return Odds(
            Outcomes(columns, standing.p, standing.count, explored=self.explored),
            battle=self.scenario.battle,
            battles=self.battles,
            seed=self.seed,
            settings=self.scenario.settings(),
            assumptions=[*self.scenario.assumptions(), f"as it stands after {n} rounds, battles still going included"],
            scenario=self.scenario.data,
        )

    @property
    def columns(self) -> list[str]:
        """The columns whose means are told: those of the headline, then all other numbers."""
        first = self._odds[0]
        return [
            name
            for name in dict.fromkeys([*first.headline, *first.columns])
            if first.kind_of(name) == "number" or (name in first.headline and first.kind_of(name) == "yes/no")
        ]

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        return [self._row(n, odds) for n, odds in enumerate(self._odds)]

    def rows(self) -> list[dict[str, Any]]:
        """`round, over`, who has won, bounds `low_...`, `high_...` when simulated, `mean.COLUMN` as it stands."""
        return [dict(row) for row in self._rows]

    def _row(self, n: int, odds: Odds) -> dict[str, Any]:
        chances = {"over": odds.p("over")}
        if "winner" in odds.columns:
            for code, side in enumerate(WINNERS):
                won = (odds.columns["winner"] == code) & odds.columns["over"]
                chances[side] = float(odds.chances[won].sum())
        row: dict[str, Any] = {"round": n} | chances
        if self.battles is not None:
            for name, p in chances.items():
                row[f"low_{name}"], row[f"high_{name}"] = wilson(p, self.battles)
        return row | {f"mean.{name}": odds.mean(name) for name in self.columns}

    @property
    def table(self) -> pd.DataFrame:
        """`rows` as a DataFrame."""
        import pandas as pd

        return pd.DataFrame(self._rows)

    def how(self) -> str:
        """How it was obtained, in one line."""
        if self.battles is None:
            return f"exact ({self.explored:,} states, round by round)"
        return f"simulated: {self.battles:,} battles, seed {self.seed}, 95 % intervals"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        method = "exact" if self.battles is None else "simulated"
        told = {"method": method, "battles": self.battles, "seed": self.seed, "how": self.how()}
        rests = {"settings": self.scenario.settings(), "assumptions": self.scenario.assumptions()}
        return told | rests | {"table": self.rows()}

    def plot(self, path: Any = None) -> Figure:
        """Who has won by each round as stacked areas, the expected columns below. Returns the matplotlib figure."""
        from simulator.report.rounds_plot import plot_rounds

        return plot_rounds(self, path)


def rounds(
    scenario: Source,
    most: int | None = None,
    battles: int | None = None,
    seed: int = 0,
    *,
    progress: Progress | None = None,
) -> Rounds:
    """The battle after each of `most` rounds; by default until all but a millionth are over, at most 100.

    Exact where it fits, else (or where `battles` is given) from single battles. Raises ScenarioError for a kind that is
    not fought in rounds, ValueError; Interrupted with the rounds, or the battles, told until then.
    """
    check_numbers(1 if battles is None else battles, seed, None)
    if most is not None and (isinstance(most, bool) or not isinstance(most, int | np.integer) or most < 0):
        raise ValueError(f"most: {most} is not allowed; 0 or more")
    if most is not None and most > MOST_ASKED:
        raise ValueError(f"most: {most} is not allowed; at most {MOST_ASKED:,}")
    asked = counting(load(scenario))
    if battles is None:
        try:
            graph = spell_out(asked.chain, QUICK_BYTES, progress and (lambda states: progress(states, None)))
        except NoExactOdds:
            battles = BATTLES
        else:
            standing: list[Standing] = []
            try:
                standing.extend(_spread(asked, graph, most))
            except KeyboardInterrupt:
                if not standing:
                    raise
                raise Interrupted(Rounds(asked, tuple(standing), explored=len(graph))) from None
            return Rounds(asked, tuple(standing), explored=len(graph))
    states, ends = _fought(asked, battles, seed, progress)
    found = Rounds(asked, tuple(_by_round(asked, states, ends, most)), len(ends), seed)
    if len(ends) < battles:
        raise Interrupted(found)
    return found


def counting(scenario: Scenario) -> Scenario:
    """The scenario with its rounds counted. Raises ScenarioError for a kind without rounds."""
    if scenario.built.begun is None:
        own = f"{scenario.battle.game} {scenario.battle.kind}"
        raise ScenarioError(
            f"battle: {own} is not fought in rounds; risk, price-of-power land and naval, kings-and-things, europa "
            "siege-campaign and custom games are"
        )
    counting = scenario.built.counting
    return scenario.replace_all(counting) if counting else scenario


class Steps:
    """A graph as chances within a round (`inside`), into the next round (`onward`) and to the ends (`ends`).

    `begun` is the round that each state stands in while its counter is 0; column k of `ends` is the state
    `end_at[k]`, whose counter is `end_count[k]` plus the round.
    """

    def __init__(self, graph: Graph, begun: Callable[[Any], np.ndarray]) -> None:
        from scipy.sparse import csr_array

        size, final = len(graph), graph.final
        self.begun = np.asarray(begun(graph.states(slice(None), np.zeros(size, np.int64))), np.int64)
        fan = np.diff(graph.begin)
        source, to = np.repeat(np.arange(size), fan), graph.to.astype(np.int64)
        more = np.zeros(len(to), np.int64) if graph.inc is None else graph.inc.astype(np.int64)
        p = chances_of_edges(graph)
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


def chances_of_edges(graph: Graph) -> np.ndarray:
    """The chance of each edge of a graph without decisions."""
    tables = graph.chain.tables
    fan = np.diff(graph.begin)
    source = np.repeat(np.arange(len(graph)), fan)
    row = np.arange(len(graph.to)) - graph.begin[:-1][source]
    t = np.maximum(graph.table, 0)[source]
    if graph.second is None:
        return np.asarray(tables.weight[tables.first[t] + row])
    width = np.diff(tables.first)[t]
    other = tables.weight[tables.first[graph.second[source]] + row // width]
    return np.asarray(tables.weight[tables.first[t] + row % width] * other)


def _spread(scenario: Scenario, graph: Graph, most: int | None) -> Iterator[Standing]:
    """The exact standing after each round."""
    begun = scenario.built.begun
    assert begun is not None
    if graph.final[0]:
        one = Standing(graph.states(slice(0, 1), np.zeros(1, np.int64)), np.ones(1), np.ones(1, bool))
        yield from [one] * ((most or 0) + 1)
        return
    steps = Steps(graph, begun)
    now = np.zeros(len(graph))
    now[0] = 1.0
    over: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    first = int(steps.begun[0])
    for n in range((MOST if most is None else most) + 1):
        # Battles stand before round `first` or later: they are fought until round n + 1 is about to begin.
        for under_way in range(first if n == 0 else n, n + 1):
            now, ended = one_round(steps, now)
            some = np.flatnonzero(ended)
            over.append((steps.end_at[some], steps.end_count[some] + under_way, ended[some]))
        going = np.flatnonzero(now)
        yield _standing(graph, over, (going, n + 1 - steps.begun[going], now[going]))
        if most is None and float(now.sum()) <= LEFT:
            return


def one_round(steps: Steps, now: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From before a round to before the next one; and what ended in it."""
    after, ended = np.zeros(len(now)), np.zeros(len(steps.end_at))
    for _ in range(MOST_TURNS):
        after += now @ steps.onward
        ended += now @ steps.ends
        now = now @ steps.inside
        if float(now.sum()) < NEGLIGIBLE:
            break
    return after, ended


def _standing(graph: Graph, over: list[Any], going: tuple[np.ndarray, np.ndarray, np.ndarray]) -> Standing:
    at, count, p = (np.concatenate(parts) for parts in zip(*over, going, strict=True))
    finished = np.arange(len(at)) < len(at) - len(going[0])
    return Standing(graph.states(at, count), p, finished)


def _fought(
    scenario: Scenario, battles: int, seed: int, progress: Progress | None
) -> tuple[list[tuple[int, ...]], list[int]]:
    """The states of single battles, one battle after the other, and where each ends; fewer if interrupted."""
    chain = scenario.chain
    simulation = Simulation(chain, seed) if chain.paired else None
    seen: list[Any] = []
    last: list[int] = []
    try:
        for battle in range(battles):
            if progress and battle % 256 == 0:
                progress(battle, battles)
            told = [after for _, _, after in told_steps(chain, seed, battle, simulation)]
            seen += [tuple(map(int, first_state(chain))), *map(tuple, told)]
            last.append(len(seen) - 1)
    except KeyboardInterrupt:
        if not last:
            raise
    return seen[: last[-1] + 1], last


def _by_round(scenario: Scenario, seen: list[tuple[int, ...]], last: list[int], most: int | None) -> Iterator[Standing]:
    """The standing of single battles after each round."""
    chain, begun, battles = scenario.chain, scenario.built.begun, len(last)
    assert begun is not None
    table = np.array(seen, np.int64)
    end = np.array(last)
    start = np.concatenate([[0], end[:-1] + 1])
    stands = np.array(begun(type(chain.start)(*table.T)), np.int64)
    stands[end] = np.iinfo(np.int64).max
    at = start.copy()
    for n in range((MOST if most is None else most) + 1):
        behind = np.flatnonzero(stands[at] <= n)
        while len(behind):
            at[behind] += 1
            behind = behind[stands[at[behind]] <= n]
        over = at == end
        distinct, count = np.unique(np.column_stack([table[at], over]), axis=0, return_counts=True)
        states = type(chain.start)(*distinct[:, :-1].T)
        yield Standing(states, count / battles, distinct[:, -1] > 0, count)
        if most is None and over.all():
            return
