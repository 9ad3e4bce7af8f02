"""What a rules module offers for each battle kind, and how it refuses bad input.

A kind is either a chain (`chain` and `outcome`), or an `answer`: a function that composes stages or simply reckons.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from pydantic import BaseModel, ConfigDict

from simulator.engine.chain import Chain, Ends, Share

ATTACKER, DEFENDER, NOBODY = 0, 1, 2
WINNERS = ("attacker", "defender", "nobody")

Columns = dict[str, np.ndarray]


class Fields(BaseModel):
    """A table of a scenario: unknown fields are refused, and no text is taken for a number."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Refusal(ValueError):
    """A scenario that the rules do not allow: the field to blame and what is allowed instead."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(f"{field}: {text}")
        self.field = field


class Run(Protocol):
    """Fights one stage of a composed battle, exactly or with dice.

    `run(chain, share)` returns the stage's ends with the chances and counts of the share of battles that reach it;
    without a share, all of them.
    """

    def __call__(self, chain: Chain, share: Share | None = None) -> Ends:
        """Fight the stage."""
        ...


@dataclass(frozen=True)
class Outcomes:
    """Rows of outcomes: the game's columns, the chance of each row, and its count when simulated.

    `residual` is the chance that exact enumeration left running.
    """

    columns: Columns
    p: np.ndarray
    count: np.ndarray | None = None
    residual: float = 0.0
    explored: int = 0


def certain(**values: Any) -> Outcomes:
    """The one row of a battle without dice; `winner` is one of the codes above."""
    columns = {name: np.array([value]) for name, value in values.items()}
    return Outcomes(columns, np.ones(1))


def nothing_more(_: Any) -> Sequence[str]:
    """No lines."""
    return ()


@dataclass(frozen=True)
class Piece:
    """A piece of a side, what it is worth, and whether it survives: 1.0 or 0.0 for each final state."""

    side: str
    name: str
    worth: str
    survives: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Battle:
    """One battle kind of one game.

    - `model`: pydantic model of the whole scenario (frame and fields); `check` refuses what types cannot (Refusal).
    - `chain(fields)` and `outcome(fields, states)`: the chain, and final states (a State of int arrays) seen as the
      user's columns; `winner` holds ATTACKER, DEFENDER or NOBODY, yes/no columns are bool arrays.
    - or `answer(fields, run)`: composed or reckoned outcomes.
    - `headline`: the columns a summary shows, in order, beside the winner.
    - `assumptions(fields)`: one line for each option, policy and ASSUMED number that the answer rests on.
    - `explain(fields)`: lines that tell how the answer comes about (modifiers and their sources, a plan).
    - `survivors(fields, states)`: for games of individual pieces, a `Piece` for each with 1.0 or 0.0 for each state.
    - `tell(fields, before, result, after, dice)`: a line for a replayed step, or "" for none; `dice` is a
      random.Random with which faces that give `result` may be picked. A chain that has a `story` gets that in place of
      the fields.
    """

    game: str
    kind: str
    title: str
    model: type[Fields]
    headline: tuple[str, ...]
    check: Callable[[Any], None] = lambda fields: None
    chain: Callable[[Any], Chain] | None = None
    outcome: Callable[[Any, Any], Columns] | None = None
    answer: Callable[[Any, Run], Outcomes] | None = None
    assumptions: Callable[[Any], Sequence[str]] = nothing_more
    explain: Callable[[Any], Sequence[str]] = nothing_more
    tell: Callable[..., str] | None = None
    survivors: Callable[[Any, Any], Sequence[Piece]] | None = None


def by_kind(*battles: Battle) -> Mapping[str, Battle]:
    """Battles of one game by kind, as the registry wants them."""
    return {battle.kind: battle for battle in battles}
