"""A first plan, so that an interrupted search has an answer, and a bound of its distance from the best one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.analysis.plan.choices import EQUAL, Choices, Division
from simulator.analysis.plan.columns import most_of


@dataclass
class Known:
    """The best division that a search has found, and the value that none can pass (`bound`; of a price, go below)."""

    choice: Division | None
    bound: float

    def better(self, choice: Division, cheapest: bool) -> None:
        """Keep a division if it is better than the one that is known."""
        if self.choice is None or (choice.value < self.choice.value if cheapest else choice.value > self.choice.value):
            self.choice = choice


def known_at_first(choices: Choices) -> Known:
    """A division made step by step, and the value if every front had all pieces that reach it."""
    # If that leaves too few pieces in a hold, every target gets only the fewest pieces that it needs.
    return Known(_Steps(choices).division() or _Steps(choices).division(further=False), _bound(choices))


def _bound(choices: Choices) -> float:
    """The value if every front had all pieces that reach it; of a price, 0."""
    if choices.objective == "cheapest":
        return 0.0
    best = []
    for at, (front, columns) in enumerate(zip(choices.turn.fronts, choices.found, strict=True)):
        kept = choices.kept[at]
        there = kept[(columns.numbers[kept] <= most_of(choices.turn, front)).all(axis=1)]
        best.append(float(choices.values[at][there].max(initial=-np.inf)))
    return sum(best) if choices.objective == "worth" else float(np.exp(sum(best)))


class _Steps:
    """The fewest pieces on every front, then those that bring most for each piece, until nothing brings more."""

    def __init__(self, choices: Choices) -> None:
        turn = choices.turn
        self.choices, self.turn = choices, turn
        self.left = turn.here - turn.staying
        self.sent = np.zeros((len(turn.places), len(turn.fronts), len(turn.names)), np.int64)
        self.columns = [-1] * len(turn.fronts)

    def division(self, further: bool = True) -> Division | None:
        """None where this way finds none. Without `further`: the fewest pieces alone."""
        fronts = range(len(self.turn.fronts))
        abroad = [at for at in fronts if self.turn.fronts[at].home < 0]
        for at in abroad:
            fits = self._fitting(at)
            if not len(fits):
                return None
            self._take(at, int(fits[self.choices.found[at].numbers[fits].sum(axis=1).argmin()]))
        further &= self.choices.objective != "cheapest"
        while further and (steps := list(filter(None, map(self._step, abroad)))):
            _, at, column = max(steps)
            self._take(at, column)
        for at in fronts:
            if self.turn.fronts[at].home >= 0 and not self._stay(at):
                return None
        return self.choices.choice(self.columns, self.sent)

    def _fitting(self, at: int) -> np.ndarray:
        """The columns of a front for which there are pieces, those that it has already included."""
        kept = self.choices.kept[at]
        there = ((self.left + self.sent[:, at]) * self.turn.fronts[at].reaches).sum(axis=0)
        return np.asarray(kept[(self.choices.found[at].numbers[kept] <= there).all(axis=1)])

    def _step(self, at: int) -> tuple[float, int, int] | None:
        """The largest gain for each further piece on a front, the front and the column; None where no column gains."""
        fits, now, value = self._fitting(at), self.columns[at], self.choices.values[at]
        numbers = self.choices.found[at].numbers
        gain = value[fits] - value[now]
        brings = gain / np.maximum(numbers[fits].sum(axis=1) - numbers[now].sum(), 1)
        best = int(np.where(gain > EQUAL, brings, -np.inf).argmax())
        return (float(brings[best]), at, int(fits[best])) if gain[best] > EQUAL else None

    def _take(self, at: int, column: int) -> None:
        """Send the pieces of a column from the first places as many as they have."""
        there = (self.left + self.sent[:, at]) * self.turn.fronts[at].reaches
        before = np.cumsum(there, axis=0) - there
        goes = np.clip(self.choices.found[at].numbers[column] - before, 0, there)
        self.left, self.columns[at] = self.left + self.sent[:, at] - goes, column
        self.sent[:, at] = goes

    def _stay(self, at: int) -> bool:
        """Let those who are left in a place that is a hold defend it; False if a plan may not do that."""
        front, kept = self.turn.fronts[at], self.choices.kept[at]
        here = (self.turn.here - self.sent.sum(axis=1))[front.home] * front.reaches[front.home]
        same = kept[(self.choices.found[at].numbers[kept] == here).all(axis=1)]
        if len(same):
            self.columns[at], self.sent[front.home, at] = int(same[0]), here
        return bool(len(same))
