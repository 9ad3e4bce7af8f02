"""Simulations that keep their counts in a file: the same run goes on where it stopped.

Battle i of a seed is the same whoever fights it, and when: the counts are those of an undisturbed run, however it was
cut into pieces.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simulator.analysis.odds.method import Method
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import (
    PORTION,
    Interrupted,
    Progress,
    SimulatedAnswer,
    labelled,
    outcome_columns,
    together,
)
from simulator.analysis.storage.run_store import Due, alone, checksum, question_of, refuse_another, write_whole
from simulator.rules.battle import Outcomes
from simulator.scenarios import Scenario, Source, draft, load

# The seconds that a piece should take, the battles of the first piece, and the most battles of one.
SECONDS, FIRST, MOST = 3.0, 8 * PORTION, 1 << 34


class RunPart(NamedTuple):
    """Some battles of a run: the first, how many, and once they are fought their outcomes and the seconds it took."""

    first: int
    battles: int
    outcomes: Outcomes | None = None
    seconds: float = 0.0


class RunParts:
    """Cuts battles `first` to `end - 1` into pieces, as large as those before could be fought in some seconds."""

    def __init__(self, first: int, end: int) -> None:
        self._next, self._end, self._size = first, end, FIRST

    def __iter__(self) -> Iterator[RunPart]:
        return self

    def __next__(self) -> RunPart:
        if self._next >= self._end:
            raise StopIteration
        # Composed battles are fought in whole portions, and the rest by itself.
        size = min(self._size - self._next % PORTION, self._end - self._next)
        if size > PORTION:
            size -= (self._next + size) % PORTION
        piece = RunPart(self._next, size)
        self._next += size
        return piece

    def learn(self, piece: RunPart) -> None:
        """Note how long a piece took."""
        if piece.seconds < SECONDS / 2 and piece.battles >= self._size // 2:
            self._size = min(2 * self._size, MOST)
        elif piece.seconds > 2 * SECONDS:
            self._size = max(self._size // 2, PORTION)


Fighting = Callable[[Scenario, int, RunParts], Iterator[RunPart]]


def fought(
    scenario: Scenario,
    seed: int,
    piece: RunPart,
    threads: int | None = None,
    progress: Callable[[int], Any] | None = None,
) -> RunPart:
    """The outcomes of a piece; after an interrupt those of its first battles, where these are known."""
    begun = time.perf_counter()
    if scenario.built.answer is not None:
        fight = SimulatedAnswer(scenario, seed, threads)
        parts = []
        for first in range(0, piece.battles, PORTION):
            size = min(PORTION, piece.battles - first)
            parts.append(fight.portion((piece.first + first) // PORTION, size))
            if progress:
                progress(first + size)
        return piece._replace(outcomes=together(*parts), seconds=time.perf_counter() - begun)
    from simulator.engine.api import Simulation

    simulation = Simulation(scenario.chain, seed, threads)
    simulation.battles = piece.first
    try:
        simulation.add(piece.battles, progress)
    except KeyboardInterrupt:
        if simulation.battles == piece.first:
            raise
    ends = simulation.ends()
    outcomes = together(Outcomes(outcome_columns(scenario, ends), ends.p, ends.count))
    return RunPart(piece.first, simulation.battles - piece.first, outcomes, time.perf_counter() - begun)


def fight_here(
    scenario: Scenario, seed: int, pieces: RunParts, threads: int | None, progress: Progress | None, total: int
) -> Iterator[RunPart]:
    """Fight one piece after the other on this machine; after an interrupt the first battles of the piece under way."""
    for piece in pieces:
        report = (lambda done, first=piece.first: progress(first + done, total)) if progress else None
        done = fought(scenario, seed, piece, threads, report)
        pieces.learn(done)
        yield done
        if done.battles < piece.battles:
            raise KeyboardInterrupt


class KeptRun:
    """A run under way: battles 0 to `battles - 1` are fought, `outcomes` are theirs; kept in a file if there is one.

    Open it only while its lock is held. Raises ValueError for a file of another question, one that holds no run, or one
    that is damaged.
    """

    def __init__(self, scenario: Scenario, seed: int, path: Path | None, asked: dict[str, Any]) -> None:
        self.scenario, self.seed, self.path, self.asked = scenario, seed, path, asked
        self.battles, self.kept = 0, 0
        self.outcomes: Outcomes | None = None
        if path is not None and path.exists():
            self._read(path)
            self.kept = self.battles
        # A composed battle goes on from a whole portion.
        self._whole: tuple[int, Outcomes | None] = self.battles, self.outcomes
        self._early: dict[int, RunPart] = {}
        self._due = Due()

    def _read(self, path: Path) -> None:
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            asked = dict(kept["asked"])
        except (OSError, ValueError, KeyError, TypeError):
            raise ValueError(f"out: {str(path)!r} is there already and holds no run; give another name") from None
        refuse_another(path, asked, self.asked)
        try:
            battles, rows, count = (kept[name] for name in ("battles", "columns", "count"))
            columns = {name: np.array(column["values"], column["dtype"]) for name, column in rows.items()}
            whole = kept["checksum"] == checksum([battles, rows, count]) and sum(count) == battles
            whole = whole and min(count, default=0) >= 0 and {len(one) for one in columns.values()} <= {len(count)}
        except (ValueError, KeyError, TypeError, AttributeError):
            whole = False
        if not whole:
            raise ValueError(f"out: {str(path)!r} is damaged: its counts do not add up; remove it to begin anew")
        self.battles = battles
        if battles:
            self.outcomes = Outcomes(columns, np.array(count) / battles, np.array(count, np.int64))

    def add(self, piece: RunPart) -> None:
        """Count a piece, once those before it are counted; saved when it is time."""
        self._early[piece.first] = piece
        while (following := self._early.pop(self.battles, None)) is not None:
            assert following.outcomes is not None
            self.outcomes = together(*([self.outcomes] if self.outcomes else []), following.outcomes)
            self.battles += following.battles
            if self.scenario.built.answer is None or self.battles % PORTION == 0:
                self._whole = self.battles, self.outcomes
        if self._due:
            self.save()

    def save(self) -> None:
        """Write the counts, and the answer so far for people. Raises OSError, which says how much is kept."""
        if self.path is None or not self.battles:
            return
        battles, outcomes = self._whole
        rows: dict[str, Any] = {}
        count: list[int] = []
        if outcomes is not None and outcomes.count is not None:
            rows = {name: {"dtype": one.dtype.str, "values": one.tolist()} for name, one in outcomes.columns.items()}
            count = outcomes.count.tolist()
        kept = {"asked": self.asked, "battles": battles, "columns": rows, "count": count}
        kept |= {"checksum": checksum([battles, rows, count]), "answer": self.odds().to_dict(table=False)}
        with self._due.saving(f"{self.kept:,} battles are kept in {str(self.path)!r}"):
            write_whole(self.path, json.dumps(kept).encode())
        self.kept = battles

    def odds(self) -> Odds:
        """The odds from all battles so far."""
        assert self.outcomes is not None
        return labelled(self.scenario, self.outcomes, self.battles, self.seed)


def kept_run(
    scenario: Source,
    method: Method,
    out: str | Path | None = None,
    *,
    fighting: Fighting | None = None,
    progress: Progress | None = None,
) -> Odds:
    """The simulation of `simulator.odds` with its counts kept in the file `out`, fought by `fighting`.

    Raises ScenarioError, ValueError, OSError and Interrupted as there, and ValueError without a number of battles.
    """
    if method.battles is None or method.exact:
        raise ValueError("out, cluster: go with battles; exact odds need neither")
    battles, seed, threads = method.battles, method.seed, method.threads
    asked, path = load(scenario), None if out is None else Path(out)
    with alone(path.with_name(f".{path.name}.lock")) if path else nullcontext():
        run = KeptRun(asked, seed, path, question_of(draft(scenario), seed=seed) if path else {})
        if run.battles > battles:
            raise ValueError(f"out: {str(out)!r} has {run.battles:,} battles already; ask for as many or more")
        here = partial(fight_here, threads=threads, progress=progress, total=battles)
        try:
            for piece in (fighting or here)(asked, seed, RunParts(run.battles, battles)):
                run.add(piece)
                if progress:
                    progress(run.battles, battles)
        except KeyboardInterrupt:
            if not run.battles:
                raise
            raise Interrupted(run.odds()) from None
        finally:
            run.save()
    return run.odds()
