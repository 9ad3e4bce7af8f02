"""The parts of a form: its fields, its rows, and the form itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from simulator.rules.sides import ALL_SIDES
from simulator.rules.toolkit.by_key import by_key
from simulator.rules.toolkit.words import words

# The groups of fields that are folded away, by the tables that they stand in; all others are house rules.
GROUPS = dict.fromkeys(ALL_SIDES, "More about the armies") | {
    "policy": "Losses and retreat", "conditions": "Conditions", "objective": "What it is worth",
    "weight": "What it is worth",
}  # fmt: skip


@dataclass
class Node:
    """A field of a form, or a table of fields.

    `kind`: "table" and "rows" contain `inside`; "number", "choice", "text", "free" (a table in TOML) take one value;
    "many" takes several of the kind `of`. `default` is the default as text. `adds` are the buttons that add something:
    (key to add, text of the button); `removable` fields have a button that removes them. `rare` fields are folded
    away. `stays`: the words of a button that takes off the unit that stays behind. `names`: the list whose names the
    field takes. `counted`: the name and the number of an entry of a list. `given`: not its default.
    """

    kind: str
    key: str
    label: str
    help: str = ""
    value: str = ""
    values: list[str] = field(default_factory=list)
    of: str = ""
    default: str = ""
    low: float | None = None
    high: float | None = None
    step: str = "1"
    choices: list[str] = field(default_factory=list)
    names: str = ""
    inside: list[Node] = field(default_factory=list)
    adds: list[tuple[str, str]] = field(default_factory=list)
    removable: bool = False
    needed: bool = False
    rare: bool = False
    given: bool = False
    stays: str = ""
    counted: list[Node] = field(default_factory=list)

    @property
    def is_set(self) -> bool:
        """Does the field, or one inside it, differ from its default?"""
        return self.given or any(one.is_set for one in self.inside)

    @property
    def summary(self) -> str:
        """A table in words, by what it has: "Novgorod, large, manpower tokens 1"; a field by its value."""
        if self.counted:
            return " ".join(words(one.value) for one in reversed(self.counted))
        if self.kind in {"table", "rows"}:
            return ("; " if self.kind == "rows" else ", ").join(filter(None, (one.summary for one in self.inside)))
        if (self.rare and not self.given) or (self.value in {"", "0", "false"} and not self.values):
            return ""
        if self.value == "true":
            return self.label
        value = " and ".join(words(one) for one in (self.value, *self.values) if one)
        return f"{self.label} {value}" if self.kind == "number" or self.of == "number" else value


@dataclass
class FormRow:
    """A row of the form: the field of each side (None: this side has none), or a field of neither side (`single`).

    `unused`: a unit of a long list that the game's first example has none of; a phone folds it while it is zero.
    """

    key: str
    label: str
    help: str
    cells: list[Node | None] = field(default_factory=list)
    single: Node | None = None
    unused: bool = False

    @property
    def nodes(self) -> list[Node]:
        """The fields of this row."""
        return [one for one in (*self.cells, self.single) if one]

    @property
    def hidden(self) -> bool:
        """Is the row only carried along? Tables of any form have no field on the page."""
        return all(one.kind == "free" for one in self.nodes)

    @property
    def folded(self) -> bool:
        """Does the row stand in a group that is folded away? What is set is always in sight."""
        return all(one.rare for one in self.nodes) and not any(one.is_set for one in self.nodes)

    @property
    def shape(self) -> str:
        """The width that its fields need: "numbers", "choices" or "lists"."""
        kinds = {"choice" if one.kind == "many" and len(one.values) < 2 else one.kind for one in self.nodes}
        return "lists" if kinds & {"rows", "table", "many", "free"} else "choices" if kinds - {"number"} else "numbers"


@dataclass
class Form:
    """The rows of the two armies, of choices and conditions, those behind "More", and the sides' total forces.

    `names`: the columns' heads. Of a campaign: `sides` are its forces, `rest` their rows folded, `fights` its cards.
    """

    sides: list[str]
    armies: list[FormRow]
    play: list[FormRow]
    more: list[FormRow]
    totals: list[Sequence[str]]
    rest: list[FormRow] = field(default_factory=list)
    fights: list[Any] | None = None
    names: list[str] = field(default_factory=list)

    @property
    def groups(self) -> dict[str, list[FormRow]]:
        """The rows behind the names of their groups."""
        return by_key(self.more, lambda row: GROUPS.get(row.key.partition(".")[0], "House rules"))
