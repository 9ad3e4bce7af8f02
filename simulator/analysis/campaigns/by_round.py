"""The chance that an event has happened by each round, for each plan.

by_round("europa-vienna-1529")                       # round, p, low, high
by_round("europa-vienna-1529", all_plans=True)       # one column a plan
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from simulator import rules
from simulator.analysis.odds.answer import answer
from simulator.analysis.odds.distribution import wilson
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import Interrupted, Progress
from simulator.analysis.result import Result, frame
from simulator.analysis.words import capital
from simulator.rules.battle import Clock
from simulator.rules.toolkit.words import chance_of, percent
from simulator.scenarios import Scenario, ScenarioError, Source, load
from simulator.scenarios.arguments import checked
from simulator.scenarios.schema import choices

if TYPE_CHECKING:
    import pandas as pd


EVEN = 0.5


@dataclass(frozen=True, repr=False)
class ByRound(Result):
    """Chances by round: `odds` are those of each plan by its name (one, named "", without a comparison)."""

    clock: Clock
    odds: Mapping[str, Odds]
    complete: bool = True

    json_fields = ("complete",)
    json_rows = "rounds"

    def curve(self, plan: str | None = None) -> list[dict[str, Any]]:
        """The chance by each round under one plan.

        Parameters
        ----------
        plan : str, optional
            The name of the plan; by default the first.

        Returns
        -------
        list of dict
            One a round: `round` (or `week`), `p` that the event has happened by then, `low` and `high` (95 %).

        Examples
        --------
        >>> by_round("europa-vienna-1529").curve()[0]["low"] >= 0
        True
        """
        odds = self.odds[next(iter(self.odds)) if plan is None else plan]
        round_of, happened = odds.numbers(self.clock.column), odds.where(self.clock.event)
        found = []
        for number in range(1, int(round_of.max(initial=0)) + 1):
            p = float(odds.chances[happened & (round_of <= number)].sum())
            low, high = wilson(p, odds.battles)
            found.append({self.clock.unit: number, "p": p, "low": low, "high": high})
        return found

    def rows(self) -> list[dict[str, Any]]:
        """The table as plain values: `curve` for one plan; for several, the round and the chance under each.

        A plan that ends every battle early keeps its last chance.
        """
        if len(self.odds) == 1:
            return self.curve()
        curves = {plan: [row["p"] for row in self.curve(plan)] or [0.0] for plan in self.odds}
        longest = max(map(len, curves.values()))
        return [
            {self.clock.unit: number + 1} | {plan: curve[min(number, len(curve) - 1)] for plan, curve in curves.items()}
            for number in range(longest)
        ]

    @property
    def headline(self) -> str:
        """The chance in the end, and the round by which it is even; of several plans the best one."""
        rows = self.rows()
        if not rows:
            return f"{capital(self.clock.title)} in none of the battles."
        unit, last = self.clock.unit, rows[-1]
        best, *others = sorted(self.odds, key=lambda plan: -last[plan or "p"])
        text = capital(f"{self.clock.title} by {unit} {last[unit]} in {self._in_the_end(best)} of battles")
        if others:
            return f"{text} with plan {best}; next is {others[0]} with {self._in_the_end(others[0])}."
        half = next((row[unit] for row in rows[:-1] if row["p"] >= EVEN), None)
        return f"{text}." if half is None else f"{text}, in half of all by {unit} {half}."

    def _in_the_end(self, plan: str) -> str:
        """The last chance under a plan, with its interval if it was simulated."""
        last = (self.curve(plan) or [{"p": 0.0, "low": 0.0, "high": 0.0}])[-1]
        simulated = last["low"] < last["high"]
        return chance_of(last["p"], 2, (last["low"], last["high"])) if simulated else percent(last["p"])

    @cached_property
    def table(self) -> pd.DataFrame:
        """`rows` as a DataFrame, by round."""
        return frame(self.rows()).set_index(self.clock.unit)

    def how(self) -> str:
        """The method of the answers, in one line."""
        return "; ".join(dict.fromkeys(one.how() for one in self.odds.values()))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON; `how` is that of each plan."""
        first = next(iter(self.odds.values()))
        return super().to_dict() | {
            "title": self.clock.title,
            "unit": self.clock.unit,
            "how": {plan: one.how() for plan, one in self.odds.items()},
            "assumptions": first.assumptions,
            "rules_version": first.rules_version,
        }


def clock_of(scenario: Scenario) -> Clock:
    """The clock of this battle. Raises ScenarioError for a kind without rounds."""
    clock = scenario.battle.clock
    if clock is None:
        kinds = [
            f"{game} {kind}" for game in rules.GAMES for kind, battle in rules.battles(game).items() if battle.clock
        ]
        own = f"{scenario.battle.game} {scenario.battle.kind}"
        raise ScenarioError(f"battle: {own} has no rounds to ask for; must be one of {', '.join(kinds)}")
    return clock


def _planned(scenario: Scenario) -> dict[str, Scenario]:
    """The scenario under each plan; plans that lack a number they need are left out.

    Raises ScenarioError for a kind without plans.
    """
    battle, path = scenario.battle, clock_of(scenario).plans
    if path is None:
        raise ScenarioError(f"battle: {battle.game} {battle.kind} has no plans to compare")
    found, why = {}, None
    for plan in map(str, choices(battle, path)):
        try:
            found[plan] = scenario.replace(path, plan)
        except ScenarioError as error:
            why = error
    if why and not found:
        raise why
    return found


@checked
def by_round(
    scenario: Source,
    *,
    all_plans: bool = False,
    battles: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> ByRound:
    """The chance by each round of a battle that runs over rounds, under its own plan or under each.

    Parameters
    ----------
    all_plans : bool
        Compare all plans that the scenario allows.

    Returns
    -------
    ByRound
        One row a round (or week); a column a plan.

    Raises
    ------
    ScenarioError
        For a kind without rounds, or without plans.
    Interrupted
        After Ctrl-C, with the answers so far.

    Examples
    --------
    >>> [round(row["p"], 2) for row in by_round("europa-vienna-1529").rows()[:3]]
    [0.1, 0.25, 0.32]
    """
    asked = load(scenario)
    clock = clock_of(asked)
    method = Method(battles=battles, seed=seed, threads=threads)
    found: dict[str, Odds] = {}
    for plan, planned in (_planned(asked) if all_plans else {"": asked}).items():
        try:
            found[plan] = answer(planned, method, progress)
        except KeyboardInterrupt as cut:
            if isinstance(cut, Interrupted):
                found[plan] = cut.gathered
            if not found:
                raise
            raise Interrupted(ByRound(clock, found, False)) from None
    return ByRound(clock, found)
