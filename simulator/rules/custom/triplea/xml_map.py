"""The parts of a TripleA map that an import reads (docs/rules/triplea_import.md section 2).

A stream parser counts lines and resolves nothing: no entity is expanded, and no other file is opened.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

LARGEST_MAP = 16 * 1024 * 1024
DEEPEST = 64
WHOLE = re.compile(r"-?[0-9]{1,9}", re.ASCII)
# Of other attachments a large map has hundreds of thousands, which no battle reads.
KINDS_READ = {
    "unitattachment", "unitsupportattachment", "territoryeffectattachment", "techattachment", "techabilityattachment",
}  # fmt: skip


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

    def is_odd(self) -> bool:
        """Is it given, but no whole number of at most nine digits?"""
        return bool(self.value.strip()) and number_in(self.value) is None

    def number(self, default: int) -> int:
        """The value as a whole number; an odd one counts as not given."""
        found = number_in(self.value)
        return default if found is None else found


@dataclass(frozen=True)
class Attachment:
    """Options that hang on a unit, a player or a territory effect; `kind` in small letters ("unitattachment").

    `foreach`: the variables for whose elements it is repeated, as written.
    """

    kind: str
    name: str
    owner: str
    line: int
    options: list[Option] = field(default_factory=list)
    foreach: str = ""

    def latest(self) -> dict[str, Option]:
        """Its options by name; of an option given twice the last one counts."""
        return {option.name: option for option in self.options}


@dataclass
class ProductionRule:
    """Prices (resource, amount) and products (unit, number) of one production rule; an odd number is None."""

    line: int
    name: str = ""
    costs: list[tuple[str, int | None]] = field(default_factory=list)
    results: list[tuple[str, int | None]] = field(default_factory=list)


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
    variables: dict[str, list[str]] = field(default_factory=dict)
    frontiers: dict[str, list[str]] = field(default_factory=dict)  # name -> production rules
    buys_from: dict[str, list[str]] = field(default_factory=dict)  # player -> frontiers
    owned: dict[str, set[str]] = field(default_factory=dict)  # player -> units at the start

    def kind(self, name: str) -> list[Attachment]:
        """The attachments of one kind."""
        return [attachment for attachment in self.attachments if attachment.kind == name.lower()]

    def is_on(self, name: str) -> bool:
        """Is a property given as true?"""
        return name in self.properties and self.properties[name].is_true()


def number_in(text: str) -> int | None:
    """The whole number of at most nine digits that a text is, else None."""
    return int(text) if WHOLE.fullmatch(text.strip()) else None


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
    except MapError:
        raise
    except (LookupError, ValueError):  # unknown, not for text, or with several bytes a character
        raise MapError("the encoding that it names is not read; save it as UTF-8") from None
    return reading.found


# Elements that stand in certain others only (docs/rules/triplea_import.md section 2); elsewhere they are refused.
PARENTS = {
    "attachment": ("attachmentList",),
    "option": ("attachment",),
    "productionRule": ("production",),
    "cost": ("productionRule", "repairRule"),
    "result": ("productionRule", "repairRule"),
}
MOST_ELEMENTS = 10_000


class _Reading:
    """Handlers of the parser, and the map found so far."""

    def __init__(self, encoding: str | None) -> None:
        self.found = TripleaMap()
        self.path: list[str] = []
        # The open attachment, the rules of the open frontier, and the elements of the open variable.
        self.attachment = Attachment("", "", "", 0)
        self.frontier: list[str] = []
        self.elements: list[str] = []
        self.parser = expat.ParserCreate(encoding)
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.EntityDeclHandler = self.entity

    def start(self, tag: str, given: dict[str, str]) -> None:
        """A start tag."""
        tag = _new_spelling(tag)
        if not self.path and tag != "game":
            raise MapError(f"not a TripleA game: the file begins with <{tag[:40]}>")
        self.path.append(tag)
        if len(self.path) > DEEPEST:
            raise MapError(f"nested deeper than {DEEPEST}")
        parent = self.path[-2] if len(self.path) > 1 else ""
        if parent not in PARENTS.get(tag, (parent,)):
            line = self.parser.CurrentLineNumber
            raise MapError(f"line {line}: <{tag}> does not stand in <{'> or <'.join(PARENTS[tag])}>")
        self.take(parent, tag, defaultdict(str, given))

    def end(self, _: str) -> None:
        """An end tag."""
        self.path.pop()

    def entity(self, *_: object) -> None:
        """An entity declaration, internal or external, is refused before it is used."""
        raise MapError("entities are not read")

    def take(self, parent: str, tag: str, given: Mapping[str, str]) -> None:
        """Add an element to the map; an attribute that is not `given` is empty."""
        found, line, name = self.found, self.parser.CurrentLineNumber, given["name"]
        match parent, tag:
            case "game", "info":
                found.name = name
            case "unitList", "unit":
                # Of two with one name the first counts.
                found.units.setdefault(name, line)
            case "playerList", "player":
                found.players.append(name)
            case "production", "productionRule":
                found.production.append(ProductionRule(line, name))
            case "productionRule", "cost":
                found.production[-1].costs.append((given["resource"], number_in(given["quantity"])))
            case "productionRule", "result":
                number = number_in(given.get("quantity", "1"))
                found.production[-1].results.append((given["resourceOrUnit"], number))
            case "attachmentList", "attachment":
                # Its kind is the last part of its class, or its name.
                kind = given["javaClass"].rpartition(".")[2] or name
                owner = given.get("attachTo", given["attatchTo"])
                self.attachment = Attachment(_new_spelling(kind).lower(), name, owner, line, [], given["foreach"])
                if self.attachment.kind in KINDS_READ:
                    found.attachments.append(self.attachment)
            case "attachment", "option":
                self.attachment.options.append(Option(name, given["value"], given["count"], line))
            case "propertyList", "property":
                # Of two with one name the last counts.
                found.properties[name] = Option(name, given["value"], "", line)
            case _, "diceSides":
                found.sides = Option(tag, given["value"], "", line)
            case _:
                self.take_owned(parent, tag, given)

    def take_owned(self, parent: str, tag: str, given: Mapping[str, str]) -> None:
        """Add what a player has, or a variable."""
        found, name = self.found, given["name"]
        match parent, tag:
            case "production", "playerProduction":
                found.buys_from.setdefault(given["player"], []).append(given["frontier"])
            case "production", "productionFrontier":
                self.frontier = found.frontiers.setdefault(name, [])
            case "productionFrontier", "frontierRules":
                self.frontier.append(name)
            case _, "unitPlacement":
                found.owned.setdefault(given["owner"], set()).add(given["unitType"])
            case "variableList", "variable":
                self.elements = found.variables.setdefault(name, [])
            case "variable", "element":
                # An element may stand for those of an earlier variable.
                known = found.variables.get(name[1:-1]) if name[:1] == name[-1:] == "$" else None
                self.elements.extend([name] if known is None or known is self.elements else known)
                if len(self.elements) > MOST_ELEMENTS:
                    variable = next(key for key, value in found.variables.items() if value is self.elements)
                    line = self.parser.CurrentLineNumber
                    raise MapError(f"line {line}: variable {variable}: too many elements; at most {MOST_ELEMENTS:,}")


def _new_spelling(word: str) -> str:
    return word.replace("ttatch", "ttach")
