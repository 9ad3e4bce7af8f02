"""The interface of a battle kind, and the refusal of bad input.

A kind is either a chain (`chain` and `outcome`), or an `answer`: a function that composes stages or computes directly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from simulator.engine.model.chain import Chain, ManyOutcomes, OutcomeDistribution, Share
from simulator.rules.advice import Advice
from simulator.rules.question import Question
from simulator.rules.sides import SIDES, ForceColumns
from simulator.rules.toolkit.words import words

ATTACKER, DEFENDER, NOBODY = 0, 1, 2
WINNERS = (*SIDES, "nobody")

Columns = dict[str, np.ndarray]
# The price of one more in a field: by the tables of a scenario, not checked, and the path; None without a price.
Price = Callable[[Mapping[str, Any], str], float | None]
# The worth of outcomes to each side: float64, shape (2, outcomes).
Worth = Callable[[Columns], np.ndarray]
# Many states of a chain at once: its State, with an array in each field.
States = Any


def _with_page(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """Put the order of a table's fields, and its former names, into its schema."""
    if (names := getattr(model, "page", None)) is not None:
        schema["page"] = names
    if former := getattr(model, "renamed", None):
        schema["renamed"] = former


class Fields(BaseModel):
    """A table of a scenario: unknown fields are refused, and text does not count as a number.

    `page`: the fields that a player knows first, in the order in which the page shows them, with commas
    between, each with its name on the box if that is another ("army_plus: ARMY+"); the others stand
    in groups that are folded away. Without it all are shown.
    `renamed`: names that a field had before, each with the line that refuses it.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True, json_schema_extra=_with_page)
    page: ClassVar[str | None] = None
    renamed: ClassVar[Mapping[str, str]] = {}


Attacking_co = TypeVar("Attacking_co", covariant=True)
Defending_co = TypeVar("Defending_co", covariant=True)
Where_co = TypeVar("Where_co", covariant=True)
Policies_co = TypeVar("Policies_co", covariant=True)
Options_co = TypeVar("Options_co", covariant=True)


class Both(Fields, Generic[Attacking_co, Defending_co]):
    """One table for each side, such as `Both[LandPolicy, LandPolicy]()`; a missing table has its defaults."""

    attacker: Attacking_co = Field(default_factory=dict, validate_default=True)  # type: ignore[assignment]
    defender: Defending_co = Field(default_factory=dict, validate_default=True)  # type: ignore[assignment]


class FrameOf(Both[Attacking_co, Defending_co], Generic[Attacking_co, Defending_co, Where_co, Policies_co, Options_co]):
    """The tables of a scenario by their models; a missing table has its defaults."""

    conditions: Where_co = Field(default_factory=dict, validate_default=True)  # type: ignore[assignment]
    policy: Policies_co = Field(default_factory=dict, validate_default=True)  # type: ignore[assignment]
    options: Options_co = Field(default_factory=dict, validate_default=True)  # type: ignore[assignment]


class Frame(FrameOf[Fields, Fields, Fields, Fields, Fields]):
    """The tables of a scenario. A kind redefines the tables that it uses; the others stay empty."""


class Refusal(ValueError):
    """A scenario that the rules do not allow: the field, and the text that says what is allowed.

    `unused`: the field is refused only because another choice makes it meaningless; without it the scenario is valid.
    `meant`: the name that differs from the given one in its case alone. `others`: refusals of other fields.
    """

    def __init__(self, field: str, text: str, unused: bool = False, meant: str | None = None) -> None:
        super().__init__(f"{field}: {text}")
        self.field, self.text = field, text
        self.unused, self.meant = unused, meant
        self.others: Sequence[Refusal] = ()

    def within(self, prefix: str) -> Refusal:
        """The same for fields below a prefix."""
        found = Refusal(prefix + self.field, self.text, self.unused, self.meant)
        found.others = [other.within(prefix) for other in self.others]
        return found


class Misfit(ValueError):
    """Data that do not fit a model: the `prefix` of their fields, the model, its errors, and `others` beside them."""

    def __init__(self, prefix: str, error: ValidationError, model: type[BaseModel]) -> None:
        super().__init__(f"{prefix}{error}")
        self.prefix, self.error, self.model, self.others = prefix, error, model, list[Refusal]()


class Run(Protocol):
    """Answers one stage of a composed battle, exactly or by simulation.

    `run(chain, share)` returns the ends of the stage with the chances and counts of the share of battles that reach
    it, of all battles without a share.
    """

    def __call__(self, chain: Chain, share: Share | None = None) -> OutcomeDistribution:
        """Answer the stage."""
        ...


class BattlesRun(Run, Protocol):
    """A run that also follows single battles, which a campaign groups by where they stand.

    `battles`: how many are simulated, None for exact answers. `lines`: those of a replay of one battle, else None.
    """

    @property
    def lines(self) -> list[str] | None:
        """The lines of a replay."""
        ...

    @property
    def battles(self) -> int | None:
        """Number of simulated battles."""
        ...

    def each(self, chain: Chain, numbers: np.ndarray, stage: int) -> tuple[OutcomeDistribution, np.ndarray]:
        """Simulate the battles of these numbers (int64, ascending) in a stage: their distinct ends, the end of each.

        The random numbers are those of these battles under a seed made of the stage.
        """
        ...

    def exactly(self) -> StartsRun:
        """A run that answers exactly, for decisions within a simulation."""
        ...


class StartsRun(BattlesRun, Protocol):
    """An exact run that answers many starts of a chain at once, and has a memory."""

    def from_starts(self, chain: Chain, starts: np.ndarray, counted: bool, many: bool) -> ManyOutcomes:
        """The exact ends from each start, int64 [start, field]; `counted`: with counters, `many`: more follow."""
        ...

    def recall(self, key: Any) -> Any:
        """A value that this run, or one before it that shares its memory, was given; None without one."""
        ...

    def remember(self, key: Any, value: Any, size: int) -> None:
        """Keep a value of about this many numbers."""
        ...

    def visited(self, states: int, undecided: float = 0.0) -> None:
        """Note states visited, and a chance that exact enumeration left undecided."""
        ...


@dataclass(eq=False)
class Outcomes:
    """Rows of outcomes: the game's columns, the chance of each row, and its count when simulated.

    `residual` is the chance of battles that the exact enumeration did not finish, `explored` the number of its states.
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


# A course of a battle of several stages: the ends of its last stage, which of them take this course (bools), and values
# by column, single or one for each end.
Course = tuple[OutcomeDistribution, np.ndarray, Mapping[str, ArrayLike]]


def without_stage(share: Share | None, values: Mapping[str, ArrayLike]) -> Course:
    """A course that ends without a further stage; without a share, all battles take it."""
    share = share or Share()
    count = None if share.count is None else np.array([share.count])
    return OutcomeDistribution(None, np.array([share.p]), count), np.array([True]), values


def gathered(courses: Iterable[Course], columns: Mapping[str, ArrayLike]) -> Outcomes:
    """The rows of all courses; `columns` are those of the outcome, each with the value for courses that lack it."""
    taken = [(ends, which, values) for ends, which, values in courses if which.any()]

    def column(name: str, none: ArrayLike) -> np.ndarray:
        return np.concatenate([np.broadcast_to(values.get(name, none), w.shape)[w] for _, w, values in taken])

    counts = [ends.count[which] for ends, which, _ in taken if ends.count is not None]
    return Outcomes(
        {name: column(name, none) for name, none in columns.items()},
        np.concatenate([ends.p[which] for ends, which, _ in taken]),
        np.concatenate(counts) if counts else None,
    )


def no_lines() -> Sequence[str]:
    """No lines."""
    return ()


@dataclass(frozen=True)
class Piece:
    """A piece of a side, its worth in words, and its chance to survive by final state: float64, shape (states,)."""

    side: str
    name: str
    worth: str
    survives: np.ndarray


@dataclass(frozen=True)
class Joined:
    """Scenarios that differ only in whole numbers, as one chain with a start state for each of them.

    `starts`: these states, int64, shape (scenarios, fields). `outcome(states, settings)`: the columns of final states
    of the scenario with these numbers.
    """

    chain: Chain
    starts: np.ndarray
    outcome: Callable[[States, Sequence[int]], Columns]


@dataclass(eq=False, kw_only=True)
class Built:
    """Everything that answers one scenario, made once from its fields by `Battle.build`.

    Either a chain and the columns of its final states, or an answer that composes stages or computes directly:

    - `chain` (with its own `tell`, see Chain) and `outcome(states)`: the user's columns of final states (a State of int
      arrays); `winner` holds ATTACKER, DEFENDER or NOBODY, yes/no columns are bool arrays.
    - or `answer(run)`: the outcomes; `run(chain, share)` answers a stage. Its ends are columns: `outcome` is dict.
    - `optimal(worth, paths)`: for an answer whose policies may be `best`, the same with those at these paths
      decided for the worth of its columns, all stages together; `Chain.utilities` of a stage describe its decisions.
    - `assumptions()`: a line for each option, policy and ASSUMED number; `explain()`: lines on modifiers, or a plan.
    - `starts`: for chains, scenario paths of whole numbers that only move the start: scenarios that differ in nothing
      else share the chain of the largest numbers. If `check` allows two values it allows all between them, and the
      fields of the start and the number columns of an outcome are linear in them. Sweeps solve them in one pass.
    - `joined(paths, settings)`: where the chain of the largest numbers does not contain the smaller battles, one chain
      for all (`settings` in rows: values of `starts`, none above this scenario's); None where it would be too large.
    - `pieces(states)`: for games of individual pieces, a `Piece` for each.
    - `begun(states)`: for chains fought in rounds, the round (from 1) in or before which a state is, 0 until the events
      before round 1 are over; `counting`: fields to set first where rounds are not counted by default.
    - `begin(...)`: the state in which another fight in this chain begins (`Carry.in_one_chain`).
    - `aimed(worth, names)`: for composed kinds in which a side decides, the same answer for these worths of ends (both
      sides, float64, shape (2, ends)), with the columns of these names; `sample()`: its columns, in one row;
      `by_fight(run)`: how a campaign stands before the first fight and after each, as if it ended there, with the
      column `over` (no later fight is fought); `choices(run)`: a row for each decision, with its `choice`.
    - `decisions(states, options)`: for games with policies `best`: the states in which a side decides, as columns
      (`decision`: the policy's path; then the state in the game's words), and `choice`: the option in words.
    - `apart()`: where the chain does not distinguish the pieces, other chains of the same battle with their `pieces`.
    """

    chain: Chain | None = None
    outcome: Callable[[States], Columns] = dict
    answer: Callable[[Run], Outcomes] | None = None
    optimal: Callable[[Worth, tuple[str, ...]], Built] | None = None
    assumptions: Callable[[], Sequence[str]] = no_lines
    explain: Callable[[], Sequence[str]] = no_lines
    pieces: Callable[[States], Sequence[Piece]] | None = None
    apart: Callable[[], Sequence[Built]] | None = None
    starts: Sequence[str] = ()
    joined: Callable[[Sequence[str], np.ndarray], Joined | None] | None = None
    begun: Callable[[Any], np.ndarray] | None = None
    begin: Callable[..., Any] | None = None
    counting: Mapping[str, Any] = field(default_factory=dict)
    decisions: Callable[[Any, np.ndarray], Columns] | None = None
    aimed: Callable[[Callable[[Columns], np.ndarray], Sequence[str]], Built] | None = None
    sample: Callable[[], Columns] | None = None
    by_fight: Callable[[BattlesRun], list[Outcomes]] | None = None
    choices: Callable[[BattlesRun], list[dict[str, Any]]] | None = None


@dataclass(frozen=True)
class Clock:
    """The time of a battle kind: the outcome column that counts its rounds or weeks, and the event to follow.

    `event` is the question by round ("fallen", "winner == 'attacker'"), `title` its words ("the fortress has fallen"),
    `plans` the scenario path of the policy whose values are compared side by side.
    """

    column: str
    event: str
    title: str
    plans: str | None = None
    unit: str = "round"


@dataclass(frozen=True)
class Shown:
    """A column in words: name, values (10 thirds are "3 LD 1 LDE"), the unit of its number ("1/3 LD") and of those."""

    label: str | None = None
    value: Callable[[float], str] | None = None
    unit: str = ""
    units: str = ""


def allow_all(fields: Any) -> None:
    """Refuse no fields."""


@dataclass(frozen=True, kw_only=True)
class Battle:
    """One battle kind of one game.

    - `model`: pydantic model of the whole scenario (frame and fields); `check` raises Refusal for what types allow.
    - `build(fields)`: chain or answer, outcome, assumptions, explanation, replay: see `Built`.
    - `winners(fields)`: the outcomes with the column `winner` and perhaps others, for a kind that finds them long
      before the rest; None where it does not.
    - `summary`: the columns of a summary, in order, beside the winner.
    - `question`: the question of a player, and the sentence that answers it. `called(data, side)`: the name that a
      scenario's tables give a side, "" without one.
    - `results`: the possible results in the game's words, in the order of a summary: label -> question, such as
      {"attacker takes the hex": "taken_by_attacker"}; questions about columns that a scenario lacks are left out.
      Without any: the values of the winner, else of the first text column, else the yes/no columns of `summary`.
    - `texts`: further values of text columns. `shown`: the display of columns.
    - `parameters`: where policies may be `best`: the field of a fixed policy's number, by policy.
    - `advice`: what `best` decides by default; None where nothing is decided.
    - `price(data, path)`: the price of one more in a field by the game's price list, or None; `data` are the tables of
      a scenario, not checked. None without a price list. `money`: its unit in the plural ("IPC", "coins"), or "".
    - `clock`: for kinds that run over rounds, the question that may be asked by round.
    - `name`: the game's name as on its box. `facts`: the columns that the page shows first; default the summary's.
    - `notes`: the words on a unit, by the name of its field. `total(data, side)`: the whole force of a side in words.
    - `forces`: the columns that count what a side has left and has lost. `rules`: the kind's game file.
    - `means`: columns whose name stands for their mean. `holder(path)`: the model of another kind, and the field there.
    - `version`: the rules version; it rises with every change of rules that changes odds.
    - `made`: for a kind made from data, the function and its arguments that rebuild it, for pickle.
    """

    game: str
    kind: str
    title: str
    model: type[Fields]
    summary: tuple[str, ...]
    build: Callable[[Any], Built]
    check: Callable[[Any], None] = allow_all
    winners: Callable[[Any], Outcomes | None] | None = None
    question: Question = field(default_factory=Question)
    called: Callable[[Mapping[str, Any], str], str] | None = None
    results: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    shown: Mapping[str, Shown] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    advice: Advice | None = None
    price: Price | None = None
    money: str = ""
    clock: Clock | None = None
    name: str = ""
    facts: tuple[str, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    total: Callable[[Mapping[str, Any], str], Sequence[str]] | None = None
    forces: ForceColumns = field(default_factory=ForceColumns)
    rules: Fields | None = None
    means: frozenset[str] = frozenset()
    holder: Callable[[str], tuple[type[Fields], str] | None] | None = None
    version: int = 1
    made: tuple[Callable[..., Battle], tuple[Any, ...]] | None = None

    @property
    def label(self) -> str:
        """The battle kind as titles name it: the game's own name, then the kind."""
        return f"{self.name or self.game.capitalize()}, {words(self.kind)}"

    def __reduce_ex__(self, protocol: Any) -> Any:
        """For pickle: what makes the kind, or its values as they are."""
        return self.made or super().__reduce_ex__(protocol)


def offered(model: type[Fields], **more: Any) -> Battle:
    """A battle kind from its model: the values of its fields `game` and `battle`, and its docstring as the title."""
    game, kind = (get_args(model.model_fields[name].annotation)[0] for name in ("game", "battle"))
    title = (model.__doc__ or kind).rstrip(".")
    return Battle(game=game, kind=kind, title=title[:1].lower() + title[1:], model=model, **more)


def by_kind(*battles: Battle, **more: Any) -> Mapping[str, Battle]:
    """Battles of one game by kind, for the registry; `more` is what all of them have, such as the game's name."""
    return {battle.kind: replace(battle, **more) for battle in battles}
