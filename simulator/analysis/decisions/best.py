"""Best play: the optimal policy of a battle, its worth, and the loss of fixed policies against it.

docs/rules/decisions.md section 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.decisions.advice import headline
from simulator.analysis.decisions.decidable import deciding, policies_of
from simulator.analysis.decisions.default_play import Default, as_settings, best_by_default, only_winners
from simulator.analysis.decisions.named_policies import Gain, Lot, best_of_named, side_of
from simulator.analysis.decisions.policy_numbers import settings_of_policy
from simulator.analysis.odds.headline import clause_of
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import ExactAnswer, Interrupted, Progress, exact_in_time, many_like, winners_of
from simulator.analysis.odds.stages import COMMON, ExactRun
from simulator.analysis.result import Result, frame
from simulator.engine.api import best_policy
from simulator.engine.model.chain import Chain, OutcomeDistribution, Share
from simulator.engine.model.limits import EXACT_BYTES
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.naming import same_name
from simulator.rules.toolkit.tolerances import ROUNDING
from simulator.scenarios import Draft, Scenario, ScenarioError, Source, draft
from simulator.scenarios.arguments import checked
from simulator.scenarios.objective import BEST, in_words, wanted
from simulator.scenarios.objective import side_of as side_in
from simulator.scenarios.objective import worth as worth_of
from simulator.scenarios.schema import choices
from simulator.scenarios.validation import not_one_of

if TYPE_CHECKING:
    import pandas as pd

# More units than any fight can have (fields are at most 1,000): an attacker that needs this many never fights.
BEYOND_ALL = 10**9
NOTHING_LEFT = 0.9 * ROUNDING  # no other setting can be worth more by ROUNDING
# Policies whose values `gains` compares, with their parameters; they are no named values.
COMPARED = ("retreat", "sea_retreat", "break_off", "leave_with_wind", "hand")


@dataclass(frozen=True, repr=False)
class Best(Result):
    """A battle under best play: its `odds` (winners alone where the rest takes long), its worth to each side (`value`).

    `choice` are the named values chosen; `tried` is the number of combinations of named values that were answered, 0
    without any. Where both sides choose named values, `kind` is `pure` (neither gains by another choice of its own),
    `mixed` (both draw by `lots`; `choice` and `policy` are then empty) or `security` (the safest choice of each), and
    `guaranteed` is what each side is sure of by its safest choice; else `kind` is `best`. `default` says what was
    decided where nothing was asked for.
    """

    scenario: Scenario
    odds: Odds
    value: Mapping[str, float]
    choice: Mapping[str, str] = field(default_factory=dict)
    tried: int = 0
    named: tuple[Gain, ...] = ()
    kind: str = "best"
    lots: tuple[Lot, ...] = ()
    guaranteed: Mapping[str, float] = field(default_factory=dict)
    default: Default | None = None

    json_fields = ("wanted", "kind")
    json_rows = "policy"

    def whole(self) -> Best:
        """The same with all columns, where only the winner was asked for and all of them are exact in time."""
        short = [*self.odds.columns] == ["winner"]
        return replace(self, odds=exact_in_time(self.scenario) or self.odds) if short else self

    @property
    def wanted(self) -> list[str]:
        """The objective of each side in words, a line for each."""
        clause = partial(clause_of, self.scenario.battle, self.scenario.data)
        return wanted(self.scenario.objective, self.odds.columns, clause)

    @cached_property
    def fixed(self) -> tuple[Gain, ...]:
        """Every fixed policy in place of the best one, with all other decisions best; then the named values."""
        return (*self.find_gains(), *self.named)

    def find_gains(self, progress: Progress | None = None) -> list[Gain]:
        """Compute the fixed policies of `fixed` and keep them there.

        Parameters
        ----------
        progress : callable, optional
            Called with the number of policies done.

        Returns
        -------
        list of Gain
            Each fixed policy in place of the best one, and what it loses.

        Raises
        ------
        Interrupted
            After Ctrl-C, with those found so far.

        Examples
        --------
        >>> round(max(one.gain for one in best("risk-when-to-stop").find_gains()), 4) > 0
        True
        """
        found: list[Gain] = []
        try:
            for path in () if self.lots else self.scenario.decided:
                named = path.startswith("policy.") or path.endswith("].retreat")
                gains = _gains if named else _fights if path.startswith("fight") else None
                for gain in gains(self, path) if gains else ():
                    found.append(gain)
                    if progress:
                        progress(len(found), None)
        except KeyboardInterrupt:
            raise Interrupted(found) from None
        finally:
            vars(self)["fixed"] = (*found, *self.named)
        return found

    @property
    def gains(self) -> pd.DataFrame:
        """The rows of `fixed`: `decision`, `policy`, `value`, `gain`."""
        return frame([vars(one) for one in self.fixed], ["decision", "policy", "value", "gain"])

    @property
    def mixed(self) -> pd.DataFrame:
        """The lots by which both sides draw: `side`, `choice`, `chance`; empty unless `kind` is `mixed`."""
        return frame([vars(one) for one in self.lots], ["side", "choice", "chance"])

    @property
    def _decided(self) -> list[tuple[Chain, float]]:
        """The chains in which a side decides, one for each stage, and the chance that the battle comes to it."""
        built, found = self.scenario.built, dict[int, tuple[Chain, float]]()
        solve = ExactRun(EXACT_BYTES)

        def run(chain: Chain, share: Share | None = None) -> OutcomeDistribution:
            if chain.utilities is not None:
                reached = found.get(id(chain), (chain, 0.0))[1] + (share or Share()).p
                found[id(chain)] = chain, reached
            return solve(chain, share)

        if self.lots or not self.scenario.decided or built.choices is not None:
            return []
        if built.answer is not None:
            built.answer(run)
        elif built.chain is not None and built.chain.utilities is not None:
            return [(built.chain, 1.0)]
        return [*found.values()]

    def rows(self) -> list[dict[str, Any]]:
        """The best policy: one row for each state in which a side decides; states with equal columns are merged.

        `side`, `decision`, the state in the words of the game, `choice`, `advantage` over the best other choice,
        `reached` (the chance to get there).
        """
        return self._rows

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        if self.scenario.built.choices is not None:
            return self.scenario.built.choices(ExactRun(EXACT_BYTES, shared=COMMON))
        found: dict[tuple[tuple[str, Any], ...], list[float]] = {}
        for chain, chance in self._decided:
            for row, gain, reached in _decision_rows(chain):
                known = found.setdefault(row, [gain, 0.0])
                known[0], known[1] = min(known[0], gain), known[1] + chance * reached
        # Stages may differ in their columns; the choice stands last.
        names = dict.fromkeys(name for row in found for name, _ in row if name != "choice")
        empty = dict.fromkeys([*names, "choice"], "")
        return [empty | dict(row) | {"advantage": gain, "reached": chance} for row, (gain, chance) in found.items()]

    @property
    def headline(self) -> str:
        """The best play of each side that decides, and the chance to win or the worth that it brings."""
        return headline(self)

    @property
    def policy(self) -> pd.DataFrame:
        """The best policy: the same as `table`."""
        return self.table

    def how(self) -> str:
        """The method of the answer, in one line."""
        states = sum(len(best_policy(chain).open) for chain, _ in self._decided)
        if self.scenario.built.choices is not None and not self.tried:
            return f"best of all strategies, exact, {len(self.rows()):,} positions"
        parts = [f"best of all strategies, exact, {states:,} states"] if states else []
        if self.tried > 1:
            parts.append(f"best of {self.tried} named values, not of all strategies")
        return "; ".join(parts) or "exact"

    def advice(self, options: bool = True) -> list[str]:
        """The decisions left out, each side's lots, and the worth it is sure of.

        Parameters
        ----------
        options : bool
            Say with options of the command line how to set what was chosen, and how to have the rest decided.

        Returns
        -------
        list of str
            One line each.

        Examples
        --------
        >>> best("axis-landing").advice()
        ['--set policy.attacker.keep.land=1']
        """
        lines = [f"--set {' --set '.join(as_settings(self.choice))}"] if self.choice and options else []
        for path in self.default.undecided if self.default else ():
            lines.append("when to stop was not decided: too many positions" + f"; --decide {path}" * options)
        lines += [f"{one.side} draws with chance {one.chance:.4f}: {one.choice}" for one in self.lots]
        if self.kind == "pure":
            lines.append("a stable pair: neither side gains by another choice of its own alone")
        elif self.kind == "security":
            lines.append("no pair of named values is stable; each side's safest is shown")
        sure = self.guaranteed
        if self.kind == "mixed":
            held = sum(self.value.values()) - sure["defender"]
            value = self.value["attacker"]
            lines.append(f"sure of {sure['attacker']:.4f}; by lot {value:.4f}; the defender holds it to {held:.4f}")
        elif any(abs(self.value[side] - worth) > ROUNDING for side, worth in sure.items()):
            lines.append(f"sure of {sure['attacker']:.4f} (attacker) and {sure['defender']:.4f} (defender)")
        return lines

    def assumptions(self) -> list[str]:
        """The decisions of each side and its objective."""
        return in_words(self.scenario.objective, self.scenario.decided)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return super().to_dict() | {
            "odds": self.odds.to_dict(),
            "value": dict(self.value),
            "choice": dict(self.choice),
            "mixed": [vars(one) for one in self.lots],
            "undecided": list(self.default.undecided) if self.default else [],
            "guaranteed": dict(self.guaranteed),
            "gains": [vars(one) for one in self.fixed],
        }


def _decision_rows(chain: Chain) -> Iterator[tuple[tuple[tuple[str, Any], ...], float, float]]:
    """Each state of a chain in which a side chooses: its row, the gain of the choice, and the chance to get there."""
    assert chain.utilities is not None
    found, describe = best_policy(chain), chain.utilities.describe
    graph, policy = found.open, found.decider.policy
    assert graph.owner is not None
    which = np.flatnonzero((graph.owner > 0) & (np.diff(graph.begin) > 1))
    picks, gains = np.asarray(policy.pick)[which], np.asarray(policy.gain)[which]
    states, reached = graph.states(which), found.decider.visit_chances()[which]
    columns = describe(states, picks) if describe else states._asdict() | {"choice": picks}
    columns = {"side": np.array(SIDES)[np.minimum(graph.owner[which], 2) - 1], **columns}
    values = [[(name, value) for value in np.asarray(column).tolist()] for name, column in columns.items()]
    return zip(zip(*values, strict=True), gains.tolist(), reached.tolist(), strict=True)


@checked
def best(
    scenario: Source,
    decide: Sequence[str] | None = None,
    *,
    side: str = "attacker",
    progress: Progress | None = None,
) -> Best:
    """The battle under best play.

    Where nothing is to be decided and the scenario has no `best`, a side's default decisions are made: the order of
    its losses, what it keeps to the last, and when to leave where leaving can bring something.

    Parameters
    ----------
    decide : sequence of str, optional
        Paths of policies to decide, beside those that are `best` in the scenario; a short name such as `retreat`
        stands for the path of `side`. A policy without `best`, or given as `PATH=named`, is decided among its named
        values; those of both sides are a game.
    side : {"attacker", "defender"}
        The side of the default decisions, and of short names.

    Returns
    -------
    Best
        The odds, the best policy state by state, and the loss of fixed policies against it.

    Raises
    ------
    ScenarioError
        For an invalid scenario, and where nothing is to be decided.
    ValueError
        For a path that is no policy.
    NoExactOdds
        Where there are too many states.
    Interrupted
        After Ctrl-C, with the best of the named values of one side tried so far.

    Examples
    --------
    >>> best("risk-when-to-stop").table.choice.unique().tolist()
    ['go on', 'stop']
    """
    if side not in SIDES:
        raise ValueError(f"side: {not_one_of(side, SIDES)}")
    asked = draft(scenario)
    if not decide and not asked.checked().decided:
        return best_by_default(asked, side, answered, progress)
    named = []
    for path, by_name in _paths(asked, decide, side).items():
        if by_name or BEST not in choices(asked.battle(), path):
            named.append(path)
        else:
            asked = deciding(asked, path)
    if named:
        return best_of_named(asked, [path for path in policies_of(asked) if path in named], answered, progress)
    return answered(asked.checked())


def answered(scenario: Scenario, whole: bool = True) -> Best:
    """A battle under its best policies, no named values left; without `whole` the winner alone where that does."""
    found = None if whole or scenario.decided or not only_winners(scenario) else winners_of(scenario)
    found = found or ExactAnswer(scenario).odds()
    return Best(scenario, found, worths(scenario, found))


def _paths(asked: Draft, decide: Sequence[str] | None, side: str) -> dict[str, bool]:
    """The policies to decide; true for those among their named values only. Raises ScenarioError."""
    battle, known = asked.battle(), policies_of(asked)
    found: dict[str, bool] = {}
    for text in [decide] if isinstance(decide, str) else decide or ():
        path, by_name, word = (part.strip() for part in text.partition("="))
        short = [one for one in known if one.startswith(f"policy.{side}.") and one.endswith(f".{path}")]
        path = same_name(path, known) or (short[0] if len(short) == 1 else path)
        if path not in known:
            policies = ", ".join(known)
            raise ScenarioError(f"decide: {path} is no policy of {battle.game} {battle.kind}; policies: {policies}")
        if path in found:
            raise ScenarioError(f"decide: {path} is given twice")
        if by_name and word != "named":
            raise ScenarioError(f"decide: {path}={word} is not allowed; give {path} or {path}=named")
        if by_name and path.rpartition(".")[2] in COMPARED:
            raise ScenarioError(f"decide: {path}=named is not allowed; give {path}, whose gains compare its values")
        found[path] = bool(by_name)
    return found


def worths(scenario: Scenario, found: Odds | None = None) -> dict[str, float]:
    """The worth of a battle to each side; `found` are its odds if they are known."""
    chain = scenario.built.chain if scenario.decided else None
    if chain is not None and chain.utilities is not None:
        return dict(zip(SIDES, best_policy(chain).values, strict=True))
    found = found or ExactAnswer(scenario).odds()
    values = worth_of(scenario.objective, found.columns) @ found.chances
    return dict(zip(SIDES, map(float, values), strict=True))


# --- fixed policies instead of the best one -------------------------------------------------------------------------


def _gains(found: Best, path: str) -> Iterator[Gain]:
    """Each fixed policy in place of the best one, with its best parameter."""
    side, own = side_of(path), found.value[side_of(path)]
    # No fixed policy is worth more than the best one, unless the other side decides as well with another aim.
    opposed = len(found.scenario.objective) < len(SIDES)  # a side without an objective has the opposite one
    alone = opposed or len({side_in(one) for one in found.scenario.decided}) == 1
    for name in choices(found.scenario.battle, path):
        if name == BEST:
            continue
        value, shown = None, name
        for parameter, label in settings_of_policy(found.scenario, path, name):
            try:
                fixed = found.scenario.replace_all({path: name, **parameter})
            except ScenarioError:
                continue
            many_like(fixed)
            worth = worths(fixed)[side]
            if value is None or worth > value + ROUNDING:
                value, shown = worth, label
            if alone and own - value < NOTHING_LEFT:
                break
        if value is not None:
            yield Gain(path, shown, value, own - value)


def _fights(found: Best, path: str) -> Iterator[Gain]:
    """Always and never fighting in place of the best decision of a campaign's fight."""
    place = int(path.removeprefix("fight[").partition("]")[0])
    name = found.scenario.fields.fight[place].name or f"fight{place + 1}"  # type: ignore[attr-defined]
    side = next((row["side"] for row in found.rows() if row["fight"] == name), SIDES[0])
    never = {f"{path.removesuffix('go')}min_units": BEYOND_ALL}
    for policy, more in (("always", {}), ("never", never)):
        value = worths(found.scenario.replace_all({path: "always"} | more))[side]
        yield Gain(path, policy, value, found.value[side] - value)
