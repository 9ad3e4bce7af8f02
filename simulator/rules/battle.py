"""What a rules module offers for each battle kind, and how it refuses bad input.

A kind is either a chain (`chain` and `outcome`), or an `answer`: a function that composes stages or simply reckons.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar, get_args

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from simulator.engine.model.chain import Chain, Ends, Share

ATTACKER, DEFENDER, NOBODY = 0, 1, 2
WINNERS = ("attacker", "defender", "nobody")

Columns = dict[str, np.ndarray]
# Many states of a chain at once: its State, with an array in each field.
States = Any


class Fields(BaseModel):
    """A table of a scenario: unknown fields are refused, and no text is taken for a number."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


Attacking_co = TypeVar("Attacking_co", covariant=True)
Defending_co = TypeVar("Defending_co", covariant=True)


class Both(Fields, Generic[Attacking_co, Defending_co]):
    """One table for each side, such as `Both[LandPolicy, LandPolicy]()`: what is not said is as their defaults say."""

    attacker: Attacking_co = Field(default_factory=dict, validate_default=True)  # type: ignore[assignment]
    defender: Defending_co = Field(default_factory=dict, validate_default=True)  # type: ignore[assignment]


Where_co = TypeVar("Where_co", covariant=True)
Policies_co = TypeVar("Policies_co", covariant=True)
Options_co = TypeVar("Options_co", covariant=True)


class FrameOf(Both[Attacking_co, Defending_co], Generic[Attacking_co, Defending_co, Where_co, Policies_co, Options_co]):
    """The tables of a scenario by their models, as `Both` for the sides: what is not said is as their defaults say."""

    conditions: Where_co = Field(default_factory=dict, validate_default=True)  # type: ignore[assignment]
    policy: Policies_co = Field(default_factory=dict, validate_default=True)  # type: ignore[assignment]
    options: Options_co = Field(default_factory=dict, validate_default=True)  # type: ignore[assignment]


class Frame(Fields):
    """The tables of a scenario. A kind writes anew those that it has something to say of; the others stay empty."""

    attacker: Fields = Field(Fields(), description="nothing")
    defender: Fields = Field(Fields(), description="nothing")
    conditions: Fields = Field(Fields(), description="nothing")
    policy: Fields = Field(Fields(), description="nothing")
    options: Fields = Field(Fields(), description="nothing")


class Refusal(ValueError):
    """A scenario that the rules do not allow: the field to blame and what is allowed instead.

    `unused`: the field is only refused because another choice leaves it without meaning; left out, all is well.
    """

    def __init__(self, field: str, text: str, unused: bool = False) -> None:
        super().__init__(f"{field}: {text}")
        self.field, self.text = field, text
        self.unused = unused


class Misfit(ValueError):
    """Data that do not fit a model: where they stand (`prefix` of their fields), the model and its complaints."""

    def __init__(self, prefix: str, error: ValidationError, model: type[BaseModel]) -> None:
        super().__init__(f"{prefix}{error}")
        self.prefix, self.error, self.model = prefix, error, model


class Run(Protocol):
    """Fights one stage of a composed battle, exactly or with dice.

    `run(chain, share)` returns the stage's ends with the chances and counts of the share of battles that reach it;
    without a share, all of them.
    """

    def __call__(self, chain: Chain, share: Share | None = None) -> Ends:
        """Fight the stage."""
        ...


@dataclass(eq=False)
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


def no_lines() -> Sequence[str]:
    """No lines."""
    return ()


@dataclass(frozen=True)
class Piece:
    """A piece of a side, what it is worth, and whether it survives: 1.0 or 0.0 for each final state."""

    side: str
    name: str
    worth: str
    survives: np.ndarray


@dataclass(frozen=True)
class Joined:
    """Scenarios that differ in whole numbers alone, as one chain that each of them begins in a state of its own.

    `starts`: those states, int64, shape (scenarios, fields). `outcome(states, settings)`: final states as the columns
    of the scenario with these numbers.
    """

    chain: Chain
    starts: np.ndarray
    outcome: Callable[[States, Sequence[int]], Columns]


@dataclass(eq=False, kw_only=True)
class Built:
    """Everything that answers one scenario, made together from its fields by `Battle.build`; nothing is built twice.

    Either a chain and how its final states are seen, or an answer that composes stages or simply reckons:

    - `chain` (with its own `tell`, see Chain) and `outcome(states)`: final states (a State of int arrays) seen as the
      user's columns; `winner` holds ATTACKER, DEFENDER or NOBODY, yes/no columns are bool arrays.
    - or `answer(run)`: composed or reckoned outcomes; `run(chain, share)` fights a stage.
    - `assumptions()`: one line for each option, policy and ASSUMED number that the answer rests on.
    - `explain()`: lines that tell how the answer comes about (modifiers and their sources, a plan).
    - `starts`: for chains, scenario paths of whole numbers that only move the start: scenarios that differ in nothing
      else have one chain, which the largest numbers have room for. Between two that `check` allows it allows all, and
      the fields of the start and the number columns of an outcome change evenly. Sweeps solve them in one pass.
    - `joined(paths, settings)`: where a smaller battle is no start of the larger one's own chain, one for all of them
      (settings of `starts`, none above those of this scenario, in rows); None where that would be too large.
    - `pieces(states)`: for games of individual pieces, a `Piece` for each with 1.0 or 0.0 for each final state.
    - `begun(states)`: for chains fought in rounds, the round (from 1) that a state stands in or before, 0 until
      whatever precedes round 1 is over; `counting`: fields to set first, where rounds are not counted else.
    - `decisions(states, options)`: for games whose policies may be `best`: states in which a side decides, as the
      columns that tell one from another (`decision`: the policy's path; then the state in the game's words), and
      `choice`: the option in words.
    - `apart()`: where the odds do not tell the pieces apart, other chains of the same battle, each with some `pieces`.
    """

    chain: Chain | None = None
    outcome: Callable[[States], Columns] | None = None
    answer: Callable[[Run], Outcomes] | None = None
    assumptions: Callable[[], Sequence[str]] = no_lines
    explain: Callable[[], Sequence[str]] = no_lines
    pieces: Callable[[States], Sequence[Piece]] | None = None
    apart: Callable[[], Sequence[Built]] | None = None
    starts: Sequence[str] = ()
    joined: Callable[[Sequence[str], np.ndarray], Joined | None] | None = None
    begun: Callable[[Any], np.ndarray] | None = None
    counting: Mapping[str, Any] = field(default_factory=dict)
    decisions: Callable[[Any, np.ndarray], Columns] | None = None


@dataclass(frozen=True)
class Clock:
    """What runs in a battle kind: the outcome column that counts its rounds or weeks, and what to follow.

    `event` is the question asked by round ("fallen", "winner == 'attacker'"), `title` says it in words ("the fortress
    has fallen"), `plans` is the scenario path of the policy whose values are compared side by side.
    """

    column: str
    event: str
    title: str
    plans: str | None = None
    unit: str = "round"


@dataclass(frozen=True)
class Shown:
    """How a column is shown: its name in words, and its values as the game writes them (10 thirds as "3 LD 1/3")."""

    label: str | None = None
    value: Callable[[float], str] | None = None


def allow_all(fields: Any) -> None:
    """Refuse no fields."""


@dataclass(frozen=True, kw_only=True)
class Battle:
    """One battle kind of one game.

    - `model`: pydantic model of the whole scenario (frame and fields); `check` refuses what types cannot (Refusal).
    - `build(fields)`: chain or answer, outcome, assumptions, explanation, replay: see `Built`.
    - `headline`: the columns a summary shows, in order, beside the winner.
    - `results`: what may come of it, in the game's words, in the order of a summary: label -> question, such as
      {"attacker takes the hex": "taken_by_attacker"}; those whose columns a scenario has not are left out. Without
      any, the winner's values, or else the first text column's, or else the yes/no columns of `headline`.
    - `texts`: the values that text columns may take, beside those of an answer.
    - `shown`: how columns are shown where their bare name and number would not do.
    - `parameters`: where policies may be `best`: the field that a fixed policy's number stands in, by the policy.
    - `clock`: for kinds that run over rounds, what may be asked by round.
    - `version`: the rules version, which goes up whenever a change of rules changes odds.
    - `made`: for a kind made from data, the function and its arguments that make it anew, for pickle.
    """

    game: str
    kind: str
    title: str
    model: type[Fields]
    headline: tuple[str, ...]
    build: Callable[[Any], Built]
    check: Callable[[Any], None] = allow_all
    results: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    shown: Mapping[str, Shown] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    clock: Clock | None = None
    version: int = 1
    made: tuple[Callable[..., Battle], tuple[Any, ...]] | None = None

    def __reduce_ex__(self, protocol: Any) -> Any:
        """For pickle: what makes the kind, or its values as they are."""
        return self.made or super().__reduce_ex__(protocol)


def offered(model: type[Fields], **more: Any) -> Battle:
    """A battle kind as its model tells it: `game` and `battle` are what those fields take, the title its docstring."""
    game, kind = (get_args(model.model_fields[name].annotation)[0] for name in ("game", "battle"))
    title = (model.__doc__ or kind).rstrip(".")
    return Battle(game=game, kind=kind, title=title[:1].lower() + title[1:], model=model, **more)


def by_kind(*battles: Battle) -> Mapping[str, Battle]:
    """Battles of one game by kind, as the registry wants them."""
    return {battle.kind: battle for battle in battles}
