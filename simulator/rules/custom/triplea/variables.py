"""Variables of a TripleA map, and attachments repeated for each element (docs/rules/triplea_import.md section 2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from simulator.rules.custom.triplea.report import Report
from simulator.rules.custom.triplea.xml_map import Attachment, MapError, Option, TripleaMap

MOST_ATTACHMENTS = 20_000
LONGEST_VALUE = 1_000_000
MOST_CHARACTERS = 100_000_000
VARIABLE = re.compile(r"\$([^$]*)\$")
# The placeholder of a foreach for one element of each variable.
Chosen = Mapping[str, str]


def write_out(found: TripleaMap, report: Report) -> None:
    """Put elements in the place of variables, and copies in the place of each attachment with `foreach`.

    Raises MapError for more than an import reads.
    """
    made: list[Attachment] = []
    characters = 0
    for attachment in found.attachments:
        chosen_in_turn = _chosen_in_turn(attachment.foreach, found.variables)
        if isinstance(chosen_in_turn, str):
            report.left_out(attachment.line, attachment.name, f"foreach: {chosen_in_turn}")
            continue
        for chosen in chosen_in_turn:
            if len(made) == MOST_ATTACHMENTS:
                raise MapError(f"line {attachment.line}: too many attachments; at most {MOST_ATTACHMENTS:,}")
            made.append(_copy(attachment, chosen, found.variables))
            for option in made[-1].options:
                characters += len(option.value) + len(option.count)
                if characters > MOST_CHARACTERS:
                    raise _too_long(option, " in all", MOST_CHARACTERS)
    found.attachments = made


def _chosen_in_turn(foreach: str, variables: Mapping[str, list[str]]) -> Iterator[Chosen] | str:
    """The elements that each copy takes, or why `foreach` cannot be read."""
    if not foreach:
        return iter([{}])
    parts = foreach.split("^")
    if len(parts) > 2:
        return "more than one ^"
    together = []
    for part in parts:
        names = [word.strip("$") for word in part.split(":")]
        if unknown := [name for name in names if name not in variables]:
            return f"no variable {unknown[0]!r}"
        if len({len(variables[name]) for name in names}) > 1:
            return "lists of different lengths go along together"
        together.append([
            dict(zip(names, row, strict=True)) for row in zip(*(variables[name] for name in names), strict=True)
        ])  # fmt: skip
    return ({**outer, **inner} for outer in together[0] for inner in (together[1] if len(together) > 1 else [{}]))


def _copy(attachment: Attachment, chosen: Chosen, variables: Mapping[str, list[str]]) -> Attachment:
    """The attachment for these elements; an option in which an empty element would be put is left out."""
    empty = [f"@{name}@" for name, element in chosen.items() if not element]
    return replace(
        attachment,
        name=_chosen_in(attachment.name, chosen),
        owner=_chosen_in(attachment.owner, chosen),
        options=[
            _option(option, chosen, variables)
            for option in attachment.options
            if not any(name in option.value or name in option.count for name in empty)
        ],
    )


def _option(option: Option, chosen: Chosen, variables: Mapping[str, list[str]]) -> Option:
    value, count = (
        _listed(_chosen_in(text, chosen, option), option, variables) if "@" in text or "$" in text else text
        for text in (option.value, option.count)
    )
    return replace(option, value=value, count=count)


def _chosen_in(text: str, chosen: Chosen, option: Option | None = None) -> str:
    """The text with the elements in it; `option`: whose value it is, as long as a value may be."""
    for name, element in chosen.items():
        if option and len(text) + text.count(f"@{name}@") * len(element) > LONGEST_VALUE:
            raise _too_long(option)
        text = text.replace(f"@{name}@", element)
    return text


def _listed(text: str, option: Option, variables: Mapping[str, list[str]]) -> str:
    """The text with the elements of each variable in it, joined with colons."""
    parts = VARIABLE.split(text)
    # Names of variables stand at the odd places.
    for place in range(1, len(parts), 2):
        name = parts[place]
        parts[place] = ":".join(variables[name]) if name in variables else f"${name}$"
        if sum(map(len, parts[: place + 1])) > LONGEST_VALUE:
            raise _too_long(option)
    return "".join(parts)


def _too_long(option: Option, where: str = "", most: int = LONGEST_VALUE) -> MapError:
    return MapError(f"line {option.line}: {option.name}: too many characters{where}; at most {most:,}")
