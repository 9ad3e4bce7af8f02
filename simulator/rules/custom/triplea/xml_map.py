"""The parts of a TripleA map that an import reads (docs/rules/triplea_import.md section 2).

A stream parser counts lines and resolves nothing: no entity is expanded, and no other file is opened.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

LARGEST_MAP = 16 * 1024 * 1024
DEEPEST = 64
WHOLE = re.compile(r"-?[0-9]{1,9}", re.ASCII)


class MapError(ValueError):
    """A refused map; the message is one line and begins with `map: `."""

    def __init__(self, text: str) -> None:
        super().__init__(f"map: {text}")


@dataclass(frozen=True)
class Option:
    """An option of an attachment, or a property of the map: texts as written, and the line of its start tag."""

    name: str
    value: str
    count: str
    line: int

    def is_true(self) -> bool:
        """Is it switched on? Everything but the word `true` is false."""
        return self.value.strip().lower() == "true"

    def is_off(self) -> bool:
        """Does it change nothing: false, empty, or -1?"""
        return self.value.strip().lower() in ("", "false", "-1")

    def names(self) -> list[str]:
        """The names of a list, which colons separate."""
        return [name for name in self.value.split(":") if name]

    def number(self, owner: str) -> int:
        """The value as a whole number. Raises MapError."""
        return whole(self.value, self.line, f"{owner}.{self.name}")


@dataclass(frozen=True)
class Attachment:
    """Options that hang on a unit, a player or a territory effect; `kind` in small letters ("unitattachment")."""

    kind: str
    name: str
    owner: str
    line: int
    options: list[Option] = field(default_factory=list)

    def latest(self) -> dict[str, Option]:
        """Its options by name; of an option given twice the last one counts."""
        return {option.name: option for option in self.options}


@dataclass
class ProductionRule:
    """Prices (resource, amount) and products (unit, number) of one production rule."""

    line: int
    costs: list[tuple[str, int]] = field(default_factory=list)
    results: list[tuple[str, int]] = field(default_factory=list)


@dataclass
class TripleaMap:
    """A map as read: what an import needs, in the order of the file."""

    name: str = ""
    sides: Option | None = None
    units: dict[str, int] = field(default_factory=dict)  # name -> line of its start tag
    players: list[str] = field(default_factory=list)
    production: list[ProductionRule] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    properties: dict[str, Option] = field(default_factory=dict)

    def kind(self, name: str) -> list[Attachment]:
        """The attachments of one kind."""
        return [attachment for attachment in self.attachments if attachment.kind == name.lower()]

    def is_on(self, name: str) -> bool:
        """Is a property given as true?"""
        return name in self.properties and self.properties[name].is_true()


def whole(text: str, line: int, about: str) -> int:
    """A whole number of at most nine digits. Raises MapError with the line."""
    if not WHOLE.fullmatch(text.strip()):
        raise MapError(f"line {line}: {about}: {text[:40]!r} is not a whole number")
    return int(text)


def read_map(path: str | Path) -> TripleaMap:
    """The map in a file. Raises MapError."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(LARGEST_MAP + 1)
    except (OSError, ValueError) as error:
        raise MapError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    return parse_map(content, None)


def parse_map(content: bytes, encoding: str | None) -> TripleaMap:
    """The map in these bytes; `encoding` None: as they say. Raises MapError."""
    if len(content) > LARGEST_MAP:
        raise MapError(f"too large; a map has at most {LARGEST_MAP // 1024 // 1024} MB")
    reading = _Reading(encoding)
    try:
        reading.parser.Parse(content, True)
    except expat.ExpatError as error:
        raise MapError(
            f"not valid XML: {expat.ErrorString(error.code)}: line {error.lineno}, column {error.offset}"
        ) from (None)
    return reading.found


class _Reading:
    """Handlers of the parser, and the map found so far."""

    def __init__(self, encoding: str | None) -> None:
        self.found = TripleaMap()
        self.path: list[str] = []
        self.parser = expat.ParserCreate(encoding)
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.EntityDeclHandler = self.entity
        self.takers: dict[tuple[str, str], Callable[[dict[str, str], int], None]] = {
            ("game", "info"): self.info,
            ("unitList", "unit"): self.unit,
            ("playerList", "player"): self.player,
            ("production", "productionRule"): self.production,
            ("productionRule", "cost"): self.cost,
            ("productionRule", "result"): self.result,
            ("attachmentList", "attachment"): self.attachment,
            ("attachment", "option"): self.option,
            ("propertyList", "property"): self.listed,
        }

    def start(self, tag: str, given: dict[str, str]) -> None:
        """A start tag."""
        tag = tag.replace("attatch", "attach")
        if not self.path and tag != "game":
            raise MapError(f"not a TripleA game: the file begins with <{tag[:40]}>")
        self.path.append(tag)
        if len(self.path) > DEEPEST:
            raise MapError(f"nested deeper than {DEEPEST}")
        line = self.parser.CurrentLineNumber
        taker = self.takers.get((self.path[-2] if len(self.path) > 1 else "", tag))
        if taker is not None:
            taker(given, line)
        elif tag == "diceSides":
            self.found.sides = Option(tag, given.get("value", ""), "", line)

    def end(self, _: str) -> None:
        """An end tag."""
        self.path.pop()

    def entity(self, *_: object) -> None:
        """An entity declaration, internal or external, is refused before it is used."""
        raise MapError("entities are not read")

    def info(self, given: dict[str, str], _: int) -> None:
        """The name of the map."""
        self.found.name = given.get("name", "")

    def unit(self, given: dict[str, str], line: int) -> None:
        """A unit; of two with one name the first counts."""
        self.found.units.setdefault(given.get("name", ""), line)

    def player(self, given: dict[str, str], _: int) -> None:
        """A player."""
        self.found.players.append(given.get("name", ""))

    def production(self, _: dict[str, str], line: int) -> None:
        """A production rule; its prices and products follow."""
        self.found.production.append(ProductionRule(line))

    def cost(self, given: dict[str, str], line: int) -> None:
        """A price of the production rule just begun."""
        amount = whole(given.get("quantity", ""), line, "cost.quantity")
        self.found.production[-1].costs.append((given.get("resource", ""), amount))

    def result(self, given: dict[str, str], line: int) -> None:
        """A product of the production rule just begun."""
        number = whole(given.get("quantity", "1"), line, "result.quantity")
        self.found.production[-1].results.append((given.get("resourceOrUnit", ""), number))

    def attachment(self, given: dict[str, str], line: int) -> None:
        """An attachment; its kind is the last part of its class, or its name."""
        name = given.get("name", "")
        kind = given.get("javaClass", "").rpartition(".")[2] or name
        owner = given.get("attachTo", given.get("attatchTo", ""))
        self.found.attachments.append(Attachment(_new_spelling(kind).lower(), name, owner, line))

    def option(self, given: dict[str, str], line: int) -> None:
        """An option of the attachment just begun."""
        self.found.attachments[-1].options.append(
            Option(given.get("name", ""), given.get("value", ""), given.get("count", ""), line)
        )

    def listed(self, given: dict[str, str], line: int) -> None:
        """A property of the map; the last of two counts."""
        name = given.get("name", "")
        self.found.properties[name] = Option(name, given.get("value", ""), "", line)


def _new_spelling(word: str) -> str:
    return word.replace("ttatch", "ttach")
