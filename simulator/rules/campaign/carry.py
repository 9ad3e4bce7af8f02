"""Pieces that the battles of one game leave for the next fight, their counts, and the columns that hold them
(docs/rules/campaigns.md section 5).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import BaseModel, Field, ValidationError, create_model

from simulator.rules.battle import Battle, Built, Columns, Fields, Misfit
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.naming import counted
from simulator.rules.toolkit.words import words

Number = Annotated[int, Field(ge=0, le=1000)]
Table = Mapping[str, Any]
# The traits of a force, and those given for one fight over them.
Tables = tuple[Table, Table]
# The pieces of each side at each start of a fight: int64, shape (slots,).
Starts = Sequence[Sequence[np.ndarray]]
# For each role: groups of pieces; a side can fight with a piece of each group. None: this role is never a force's.
Fighting = tuple[Sequence[Sequence[str]] | None, Sequence[Sequence[str]] | None]


STATE = ("left", "here")


class Planned(NamedTuple):
    """A piece that a plan divides: pieces of one `identity` are equal; its name, the number of them, and the table of a
    force that has one.
    """

    identity: Any
    name: str
    number: int
    one: Mapping[str, Any]


class Count(NamedTuple):
    """A count of a force: what each slot adds to it, shape (slots,); `zones`: the columns that it has.

    A state, such as damage, is no number of pieces: it is neither out nor lost.
    """

    weights: np.ndarray
    zones: tuple[str, ...] = ("left", "here", "out", "lost")


class Left(NamedTuple):
    """Pieces of one side after a fight, int64, shape (outcomes, slots).

    `left` of those who took part, with the new values of marks; `gained` are captured pieces, `away` are pieces that
    are out of the campaign whatever the scenario says.
    """

    left: np.ndarray
    gained: np.ndarray | None = None
    away: np.ndarray | None = None


def fields_of(battle: Battle, role: str) -> Mapping[str, str]:
    """The fields of a side of a battle kind, by their names in a scenario, with what they mean."""
    return _fields_of(battle.model, role)


@lru_cache(maxsize=256)
def _fields_of(whole: type[Fields], role: str) -> Mapping[str, str]:
    model = whole.model_fields[role].annotation if role in whole.model_fields else None
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        return {}
    return {about.alias or name: about.description or "" for name, about in model.model_fields.items()}


@lru_cache(maxsize=256)
def field_alone(whole: type[Fields], role: str, field: str, name: str) -> type[Fields]:
    """A model of one field of a side of a battle kind, under this name."""
    side: Any = whole.model_fields[role].annotation
    about = side.model_fields[field]
    fields: Any = {name: (about.annotation, about)}
    return create_model("Trait", __base__=Fields, **fields)


class Fortresses:
    """Places that are besieged in several fights (docs/rules/campaigns.md section 5.4).

    A fortress has the slots of a force: its garrison in those of pieces, the state of its siege in marks. `model`: its
    table. `kept`: the conditions of a siege that the fortress carries, none in games without fortresses; `known`: those
    that the campaign knows. `in_the_fight`: fields of the defender that are given in a fight. Arrays of a fortress are
    int64, shape (rows, slots).
    """

    model: type[Fields] = Fields
    kept: Sequence[str] = ()
    known: Sequence[str] = ()
    in_the_fight: Sequence[str] = ()

    def read(self, table: Table) -> np.ndarray:
        """A fortress as its table says: int64, shape (slots,)."""
        raise NotImplementedError

    def begin(self, place: np.ndarray, besieger: int) -> None:
        """Begin a siege by this force, or go on with it, in place."""

    def conditions(self, kind: str, pieces: np.ndarray) -> dict[str, Any]:
        """The conditions of a siege that the fortress carries; `pieces` of shape (slots,)."""
        raise NotImplementedError

    def stands(self, place: np.ndarray) -> np.ndarray:
        """May it still be besieged? bool, shape (rows,)."""
        raise NotImplementedError

    def lift(self, place: np.ndarray, here: np.ndarray, driven: np.ndarray) -> None:
        """Lift the sieges of besiegers who were driven off or have nobody here any more, in place.

        `here`: the pieces of all forces, int64, shape (rows, forces, slots); `driven`: bool, shape (rows, forces).
        """

    def columns(self, place: np.ndarray) -> Columns:
        """The columns of a fortress, without its name."""
        raise NotImplementedError

    def words(self, pieces: np.ndarray) -> str:
        """A fortress in words; `pieces` of shape (slots,)."""
        raise NotImplementedError


class Carry:
    """The pieces that a game carries from fight to fight, counted in slots.

    A slot holds equal pieces in equal condition (`marks`: a number that belongs to the force, such as the level of its
    fort). `fights`: kind -> the pieces that can fight, in each group the cheapest first, `few`: values of a piece, of
    which messages name the first that is allowed. `sieges`: kinds that begin where no enemy unit stands. `fortresses`:
    places that are besieged in several fights; `has_fortresses`: has the campaign any? `not_fought`: kind -> why it is
    no fight.
    `always_kept`: kind -> columns that a campaign keeps unasked.
    `in_one_fight`: fields that belong to one fight, with the reason. `ships`, `order`: the defaults of `carried`.
    `by_piece`: the slots of a piece in the order in which they stay behind. `renamed`: kind -> field of a side -> the
    trait of a force that fills it.
    `first_stays`: the slots of a piece that stay first go last (else they go in the same order).
    `joins`: `left` reads columns of the game alone, so that starts that differ in numbers may be one chain
    (`Built.joined`).
    `not_planned`: kinds, and pieces that are the state of others, that a plan does not divide; `prints_prices`: does
    the game print the price of a unit?
    """

    fights: Mapping[str, Fighting] = {}
    not_fought: Mapping[str, str] = {}
    in_one_fight: Mapping[str, str] = {}
    traits: Sequence[str] = ()
    renamed: Mapping[str, Mapping[str, str]] = {}
    sieges: Sequence[str] = ()
    fortresses = Fortresses()
    has_fortresses = False
    always_kept: Mapping[str, Sequence[str]] = {}
    ships: Sequence[str] = ()
    order: Sequence[str] = ()
    routs_are_out: Sequence[str] = ()
    few: Sequence[str] = ("3", "2", "1")
    assumed: Sequence[str] = ()
    not_planned: Sequence[str] = ()
    prints_prices = False
    first_stays = False
    joins = False

    def __init__(self, kinds: Mapping[str, Battle]) -> None:
        self.kinds = kinds
        self.pieces = self.piece_fields()
        self.prepare([])

    def name(self) -> str:
        """A text that names the game, with all its rules and slots."""
        return f"{next(iter(self.kinds.values())).game}: {self.slots}"

    def piece_fields(self) -> Mapping[str, Any]:
        """The fields of a side that hold pieces, with their types."""
        raise NotImplementedError

    def prepare(self, tables: Sequence[Table]) -> None:
        """Lay out the slots for all pieces that these tables hold."""
        self.slots = list(self.pieces)
        self.by_piece = {piece: [at] for at, piece in enumerate(self.slots)}
        self.marks = np.zeros(len(self.slots), bool)
        self.counts = {piece: self.count({piece: 1}) for piece in self.slots}

    def parted(self, kind: str, role: str, table: Table) -> tuple[dict[str, Any], dict[str, Any]]:
        """The pieces of a side that last beyond a fight, and its other fields."""
        pieces = {name: value for name, value in table.items() if name in self.pieces}
        return pieces, {name: value for name, value in table.items() if name not in pieces}

    def count(self, weights: Mapping[str, float], state: bool = False) -> Count:
        """A count from the weight of each slot by name."""
        found = Count(np.array([weights.get(slot, 0) for slot in self.slots]))
        return found._replace(zones=STATE) if state else found

    def read(self, table: Table) -> np.ndarray:
        """The pieces of a table by slot: int64, shape (slots,)."""
        return np.array([table.get(piece, 0) for piece in self.slots], np.int64)

    def check_pieces(self, path: str, table: Table) -> None:
        """Refuse pieces of a force, or of a `join`, that types allow. Raises Refusal."""

    def units_of(self, table: Table) -> float:
        """The units of an unnamed side."""
        return float(
            self.read({name: table[name] for name in self.pieces if name in table}) @ self.counts["units"].weights
        )

    def there(self, part: np.ndarray, slots: np.ndarray, table: Table) -> np.ndarray:
        """Is a piece of these slots there? bool, shape (rows,); `table` is that of an unnamed side."""
        unnamed = self.read({name: table[name] for name in self.pieces if name in table}) @ slots
        return np.asarray((part[:, slots].sum(axis=1) > 0) | (unnamed > 0))

    def words(self, pieces: np.ndarray) -> str:
        """The pieces of a force in words."""
        return counted((int(pieces[slots].sum()) for slots in self.by_piece.values()), map(words, self.by_piece))

    def planned(self, table: Table) -> list[Planned]:
        """The pieces of a table that a plan divides, in the order written."""
        return [Planned(name, name, number, {name: 1}) for name, number in table.items()]

    def planned_kinds(self) -> list[str]:
        """The kinds that a plan may hold: battles of pieces of one sort on both sides."""
        fought = {kind: sides for kind, sides in self.fights.items() if kind not in self.not_planned}
        return [kind for kind, sides in fought.items() if all(groups and len(groups) == 1 for groups in sides)]

    def priced(self) -> dict[str, list[int]]:
        """The slots of each piece that has a price of its own."""
        return {piece: self.by_piece[piece] for piece in self.pieces if piece not in self.not_planned}

    def money(self) -> str:
        """The unit of the game's prices; "" without one."""
        return next((battle.money for battle in self.kinds.values() if battle.money), "")

    def prices(self) -> np.ndarray:
        """The price of a piece in each slot: float64, shape (slots,); 1 for a unit of a game without prices."""
        found = np.array(self.counts["units"].weights, float)
        price = next((battle.price for battle in self.kinds.values() if battle.price), None)
        for piece, slots in self.priced().items():
            one = price({}, f"{SIDES[0]}.{piece}") if price else None
            if one is not None:
                found[slots] = one
        return found

    def going(self, slots: list[int]) -> list[int]:
        """The slots of a piece in the order in which they go to a fight."""
        return slots[::-1] if self.first_stays else slots

    def settle(self, here: np.ndarray) -> None:
        """Bring the pieces of a force in order after others have joined it; shape (rows, slots), in place."""

    def uses(self, kind: str, role: str) -> np.ndarray:
        """The slots that take part in a kind in this role: bool, shape (slots,)."""
        known = fields_of(self.kinds[kind], role)
        chosen = np.zeros(len(self.slots), bool)
        for piece, slots in self.by_piece.items():
            if piece in known:
                chosen[slots] = True
        return chosen | self.marks

    def able(self, kind: str, role: str) -> list[np.ndarray]:
        """Groups of slots; a side can fight with a piece of each: bool, shape (slots,) each."""
        found = []
        for group in self.fights[kind][SIDES.index(role)] or ():
            found.append(np.zeros(len(self.slots), bool))
            for piece in group:
                found[-1][self.by_piece[piece]] = True
        return found

    def missing(self, kind: str, role: str, table: Table) -> list[list[str]]:
        """For each group of which a side with this table has nobody, settings of its pieces, the cheapest first."""
        groups = self.fights[kind][SIDES.index(role)] or ()
        absent = [group for group in groups if not any(table.get(piece) for piece in group)]
        return [[f"{role}.{piece}={few}" for piece in group for few in self.few] for group in absent]

    def traits_of(self, kind: str, role: str) -> dict[str, str]:
        """The fields of a side in a kind, each with the trait of a force that fills it."""
        names = self.renamed.get(kind, {})
        return {field: names.get(field, field) for field in fields_of(self.kinds[kind], role)}

    def traits_for(self, kind: str, role: str, traits: Table) -> dict[str, Any]:
        """The traits of a force that a kind knows in this role, under the names of its fields."""
        return {field: traits[name] for field, name in self.traits_of(kind, role).items() if name in traits}

    def check_trait(self, path: str, trait: str, traits: Table) -> None:
        """Refuse a trait whose value no kind of the game allows. Raises Misfit or Refusal."""
        first = None
        for kind, role in product(self.fights, SIDES):
            for field in [field for field, name in self.traits_of(kind, role).items() if trait in (field, name)]:
                model = field_alone(self.kinds[kind].model, role, field, trait)
                try:
                    model.model_validate({trait: traits[trait]})
                except ValidationError as error:
                    first = first or Misfit(path, error, model)
                else:
                    return
        if first is not None:
            raise first

    def counted(self, kind: str, role: str, pieces: np.ndarray) -> dict[str, Any]:
        """These pieces as fields of a side."""
        known, row = fields_of(self.kinds[kind], role), pieces.tolist()
        found = {piece: sum([row[slot] for slot in slots]) for piece, slots in self.by_piece.items() if piece in known}
        return {piece: number for piece, number in found.items() if number}

    def side(self, kind: str, role: str, tables: Tables, pieces: np.ndarray) -> dict[str, Any]:
        """A side as a table of the fight, from the traits of its force, those given in the fight, and its pieces."""
        back = {name: field for field, name in self.renamed.get(kind, {}).items()}
        own = {back.get(name, name): value for name, value in tables[1].items()}
        return self.traits_for(kind, role, tables[0]) | own | self.counted(kind, role, pieces)

    def numbers(self, kind: str, role: str, tables: Tables, pieces: np.ndarray) -> dict[str, np.ndarray]:
        """The whole numbers of sides as `side` has them, for many: by field, int64, shape (rows,).

        `pieces`: int64, shape (rows, slots).
        """
        known, empty = fields_of(self.kinds[kind], role), self.side(kind, role, tables, np.zeros_like(pieces[0]))
        found = {name: np.full(len(pieces), value) for name, value in empty.items() if type(value) is int}
        for piece, slots in self.by_piece.items():
            if piece in known:
                number = pieces[:, slots].sum(axis=1)
                found[piece] = np.where(number, number, found.get(piece, 0))
        return found

    def containing(self, kind: str, data: Table, tables: Sequence[Tables], parts: Sequence[np.ndarray]) -> list[int]:
        """For each start of a fight the place of the start whose chain contains it: it only begins in another state.

        `data`, `tables` of the sides: of the fight; `parts`: the pieces of each side, int64, shape (starts, slots).
        """
        return list(range(len(parts[0])))

    def in_one_chain(
        self, kind: str, starts: Starts, fields: Callable[..., Any], conditions: Callable[..., Any]
    ) -> tuple[Built, Sequence[Any]]:
        """The fight from the first of starts in one chain (`containing`), and the state in which each of them begins.

        `fields(start)`, `conditions(start)`: the fields of the fight, and what a fortress carries into it.
        """
        raise NotImplementedError

    def build(self, kind: str, fields: Any) -> Built:
        """The fight, with the columns that `left` reads."""
        return self.kinds[kind].build(fields)

    def what_is_read(self, kind: str, tables: Sequence[Tables], fields: Callable[[], Any]) -> Any:
        """The tables of the sides of a fight, or the part of them that its rules read.

        `fields()`: the fields of the fight from one of its starts.
        """
        return tables

    def asked(self, kind: str, fields: Any, tables: Sequence[Tables], kept: Collection[str]) -> Built:
        """The fight for exact odds: other columns than `left` and `fled` read, and `kept`, may be missing.

        `tables` of both sides, as for `side`.
        """
        return self.build(kind, fields)

    def left(self, kind: str, role: str, tables: Tables, pieces: np.ndarray, columns: Columns) -> Left:
        """The pieces left of those of a side that took part; `tables` as for `side`.

        `pieces`: int64, shape (slots,), or (outcomes, slots) where a game `joins`.
        """
        size, found = len(next(iter(columns.values()))), {}
        for piece, slots in self.by_piece.items():
            if (column := f"{role}_{piece}_left") in columns:
                found[slots[0]] = columns[column]
        left = each(pieces, size)
        for slot, values in found.items():
            left[:, slot] = values
        return Left(left)

    def fled(self, kind: str, role: str, columns: Columns) -> np.ndarray | bool:
        """Did the side leave the battle (retreated, broke off, evaded)?"""
        return columns.get(f"{role}_retreated", False)

    def taken(self, kind: str) -> np.ndarray | None:
        """The slots of `taken_by`, one of which is there where the attacker took the place; None without the column."""
        return None

    def pointless(self, kind: str, tables: Sequence[Table], part: Sequence[np.ndarray]) -> np.ndarray:
        """The rows in which both sides can fight, but neither can hurt the other: bool, shape (rows,).

        `tables`: those of unnamed sides, else empty.
        """
        return np.zeros(len(part[0]), bool)

    def walk_over(self, kind: str, here: list[np.ndarray | None], winner: np.ndarray) -> None:
        """Marks that a walk-over changes: those of attacker and defender by row, in place; `winner` codes by row."""


def each(pieces: np.ndarray, size: int) -> np.ndarray:
    """A copy of these pieces for each outcome: int64, shape (outcomes, slots)."""
    return np.array(np.broadcast_to(pieces, (size, pieces.shape[-1])))
