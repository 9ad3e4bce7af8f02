"""The decisions that `best` makes where none is asked for: lists to follow, then when to leave (decisions.md 2.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from simulator.analysis.decisions.named_policies import Gain
from simulator.analysis.odds.headline import measure_of
from simulator.analysis.odds.run import Progress, reported, until_interrupted
from simulator.engine.api import too_many_transitions
from simulator.engine.model.limits import NoExactOdds
from simulator.rules.battle import Battle
from simulator.rules.question import LOST, WON
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.tolerances import ROUNDING
from simulator.scenarios import Draft, Scenario, ScenarioError, draft
from simulator.scenarios.objective import BEST, PLAIN, TAKEN, WORDS, weights_of
from simulator.scenarios.schema import choices

if TYPE_CHECKING:
    from simulator.analysis.decisions.best import Best

# When to leave is not decided by default where the solver would need more transitions than this.
MOST_TRANSITIONS = 1_000_000
Changes = Mapping[str, Any]


@dataclass(frozen=True)
class Default:
    """The default decisions of a side.

    `before`: the battle as the scenario has it, for the same aim. `lists`: the paths of lists that make a difference.
    `never`: verbs of decisions that gain nothing ("leave"); `settled`: of those that the scenario makes itself.
    `undecided`: paths of policies with too many positions.
    `by_measure`: the aim is the headline of the side, no objective of the scenario.
    """

    side: str
    before: Best
    lists: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    by_measure: bool = True


def best_by_default(asked: Draft, side: str, answered: Callable[..., Best], progress: Progress | None) -> Best:
    """The lists that bring a side most, one decision after the other, then when to leave.

    Raises ScenarioError where nothing is decided, NoExactOdds where there are too many states; Interrupted with the
    best answer so far.
    """
    battle = asked.battle()
    lists, every = _decisions(asked, side)
    own = {path: verb for path, verb in every.items() if _given(asked.data, path)}
    leaving = {path: verb for path, verb in every.items() if path not in own}
    if not lists and not every:
        whose = " by the defender" if battle.advice and side == "defender" else ""
        raise ScenarioError(f"decide: nothing is decided{whose} in {battle.game} {battle.kind}")
    only_to_win = _only_to_win(asked, side)
    solved = [path for path, verb in leaving.items() if not (verb and only_to_win)]
    never = tuple(dict.fromkeys(verb for path, verb in leaving.items() if path not in solved))
    settled = tuple(dict.fromkeys(filter(None, own.values())))
    plain = not asked.data.get("objective")
    aimed = asked.with_fields({f"objective.{side}": weights_of_measure(battle, side)}) if plain else asked
    before = answered(aimed.checked(), whole=False)
    search = _Search(answered, Default(side, before, (), never, settled, by_measure=plain))
    steps = [partial(search.step, options) for options in lists]
    steps += [partial(search.leave, solved)] if solved else []
    done = (step() for step in reported(steps, progress))
    return until_interrupted(done, lambda _: search.result(), least=0)


def decides(asked: Draft, side: str) -> bool:
    """Is anything decided for a side by default?"""
    return any(_decisions(asked, side))


def _decisions(asked: Draft, side: str) -> tuple[Sequence[Sequence[Changes]], dict[str, str]]:
    """The lists of a side, and its decisions when to leave that the rules do not settle, with their verbs."""
    advice, fields = asked.battle().advice, asked.checked().fields
    if advice is None:
        return (), {}
    found = advice.leaving(fields, side)
    free = [path for path in found if BEST in choices(asked.battle(), path)]
    leaving = [path for path in free if _given(asked.data, path) or allowed(asked.with_fields({path: BEST}))]
    return advice.lists(fields, side), {path: found[path] for path in leaving}


def _given(data: Any, path: str) -> bool:
    for name in path.split("."):
        data = data.get(name) if isinstance(data, Mapping) else None
    return data is not None


def allowed(asked: Draft) -> Scenario | None:
    """The checked scenario; None if it is refused."""
    try:
        return asked.checked()
    except ScenarioError:
        return None


def _only_to_win(asked: Draft, side: str) -> bool:
    """Does the side want nothing but to win or to hold the ground? Not to leave is then never worse."""
    objective = asked.checked().objective
    return not objective or all(name in WORDS for name, weight in weights_of(objective, side)[2].items() if weight)


def only_winners(scenario: Scenario) -> bool:
    """Do the worth to each side, and its headline, depend on the winner alone?"""
    weighed = {name for side in SIDES for name in weights_of(scenario.objective, side)[2]}
    return weighed == set(PLAIN) and all(measure_of(scenario.battle, side) in {WON, LOST} for side in SIDES)


def weights_of_measure(battle: Battle, side: str) -> dict[str, float]:
    """The headline of a side as weights: {"take": 1} where the kind has `taken`, {"win": 1} for victory."""
    measure = measure_of(battle)
    if measure in {WON, LOST}:
        return dict(PLAIN)
    if measure in TAKEN:
        return {"take": 1.0}
    return {measure.removeprefix("mean."): 1.0 if side == "attacker" else -1.0}


class _Search:
    """The best scenario so far, decided step by step."""

    def __init__(self, answered: Callable[..., Best], default: Default) -> None:
        self.answered, self.default, self.best = answered, default, default.before
        self.choice: dict[str, Any] = {}
        self.rows: list[Gain] = []
        self.tried = 0

    def step(self, options: Sequence[Changes]) -> None:
        """Follow the list that brings most: the scenario's own if no other one brings more, else the first of them."""
        cells = [*self._cells(options)]
        worths = [cell.value[self.default.side] for _, cell in cells]
        most = max(worths)
        changes, self.best = next(cells[i] for i, worth in enumerate(worths) if worth >= most - ROUNDING)
        self.choice |= changes
        self.tried += len(cells)
        paths = tuple(dict.fromkeys(path for one, _ in cells for path in one))
        if most - min(worths) > ROUNDING:
            self.default = replace(self.default, lists=(*self.default.lists, *paths))
        decision = " and ".join(paths)
        self.rows += [
            Gain(decision, in_short(one) or "as the scenario says", worth, most - worth)
            for (one, _), worth in zip(cells, worths, strict=True)
        ]

    def _cells(self, options: Sequence[Changes]) -> Iterator[tuple[Changes, Best]]:
        """The answer as it is, and after each change that is allowed and that the battle is not too large for."""
        yield {}, self.best
        for changes in options:
            scenario = allowed(draft(self.best.scenario).with_fields(dict(changes))) if changes else None
            if scenario is None or scenario == self.best.scenario:
                continue
            free = BEST in changes.values()
            try:
                yield changes, self.answered(scenario, whole=False)
            except NoExactOdds:
                if not free:
                    raise
            else:
                if free:  # no list is better than free choice
                    return

    def leave(self, paths: Sequence[str]) -> None:
        """Decide when to leave, where that is not too much."""
        scenario = draft(self.best.scenario).with_fields(dict.fromkeys(paths, BEST)).checked()
        chain = scenario.built.chain
        if chain is not None and too_many_transitions(chain, MOST_TRANSITIONS):
            self.default = replace(self.default, undecided=tuple(paths))
        else:
            self.best = self.answered(scenario)

    def result(self) -> Best:
        """The best answer so far."""
        return replace(
            self.best.whole(), choice=self.choice, tried=self.tried, named=tuple(self.rows), default=self.default
        )


def in_short(changes: Changes) -> str:
    """Changes as a row of a table names them: "weakest, keep 1 land"."""
    return ", ".join(_value_in_short(path.rpartition(".")[2], value) for path, value in changes.items())


def _value_in_short(name: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{name} " + ", ".join(f"{number} {entry.replace('_', ' ')}" for entry, number in value.items())
    return ", ".join(value) if isinstance(value, list | tuple) else str(value)


def as_settings(changes: Changes) -> list[str]:
    """Changes as `--set` takes them: "policy.attacker.keep.land=1"."""
    texts = []
    for path, value in changes.items():
        parts = value.items() if isinstance(value, Mapping) else [("", value)]
        for name, one in parts:
            text = ",".join(one) if isinstance(one, list | tuple) else one
            texts.append(f"{path}{'.' * bool(name)}{name}={text}")
    return texts
