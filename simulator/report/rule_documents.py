"""The rules documents, which docstrings and explanations cite, section by section for a terminal.

They stand in docs/rules of a checkout; a built package holds a copy of them (setup.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.text import Text

from simulator.report.tables.plain import plain_table
from simulator.rules import GAMES, custom
from simulator.rules.toolkit.naming import plain, plural
from simulator.scenarios.validation import not_one_of

PACKAGE = Path(__file__).parent.parent
_HEADING = re.compile(r"(#+) +(?:(\d[\d.]*?)\.? +)?(.*)")
_ITEM = re.compile(r"\s*(?:[-*]|\d+\.|[a-z]\)) ")
_RULE = re.compile(r"[\s|:-]+")


@cache
def documents() -> Mapping[str, str]:
    """The text of every document, by its name. Raises ValueError where the installation lacks them."""
    copy = PACKAGE / "rules_documents"
    folder = copy if copy.is_dir() else PACKAGE.parent / "docs" / "rules"
    found = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
    if not found:
        raise ValueError("rules: the documents are not installed; install battle-odds from its wheel or a checkout")
    return {name: text for name, text in found.items() if name != "README"}


def titles() -> list[dict[str, str]]:
    """The name and the title of every document."""
    return [{"document": name, "title": text.partition("\n")[0].lstrip("# ")} for name, text in documents().items()]


def documents_of(name: str) -> dict[str, str]:
    """The documents of a game, or the one of this name, with their texts. Raises ValueError for an unknown name."""
    game = "custom_games" if custom.knows(name) else name
    found = {one: text for one, text in documents().items() if plain(one) == plain(game)} or {
        one: text for one, text in documents().items() if game in GAMES and plain(one).startswith(plain(game))
    }
    if not found:
        raise ValueError(f"rules: {not_one_of(name, [*dict.fromkeys([*GAMES, *documents()])])}")
    return found


def contents(found: Mapping[str, str]) -> Iterator[str]:
    """The number of numbered headings of documents, then each heading."""
    headings = {name: [one for one in _HEADING.findall(text) if one[1]] for name, text in found.items()}
    stand = f"{plural(sum(map(len, headings.values())), 'section')} of {plural(len(found), 'rules document')}"
    yield f"{stand}; add a number to read one."
    for name, those in headings.items():
        yield f"docs/rules/{name}.md"
        yield from (f"{'  ' * (len(mark) - 1)}{number} {title}" for mark, number, title in those)


def section(found: Mapping[str, str], number: str) -> Iterator[Any]:
    """The section with this number of each document that has it, with its subsections.

    Raises ValueError for a number that no document has.
    """
    parts = {name: lines for name, text in found.items() if (lines := _section(text, number.strip().rstrip(".")))}
    if not parts:
        there = [one for text in found.values() for _, one, _ in _HEADING.findall(text) if one and "." not in one]
        raise ValueError(f"rules: no section {number!r} in {', '.join(found)}; sections: {', '.join(there)}")
    yield f"Section {number} stands in {plural(len(parts), 'rules document')}."
    for name, lines in parts.items():
        yield Text(f"docs/rules/{name}.md", style="dim")
        yield from _blocks(lines)


def _section(text: str, number: str) -> list[str]:
    """The lines of a section: those from its heading to the next one that is not below it."""
    lines: list[str] = []
    level, code = 0, False
    for line in text.splitlines():
        code ^= line.startswith("```")
        heading = None if code else _HEADING.fullmatch(line)
        if heading and level and len(heading[1]) <= level:
            return lines
        if heading and heading[2] == number:
            level = len(heading[1])
        if level:
            lines.append(line)
    return lines


def _blocks(lines: Sequence[str]) -> Iterator[Any]:
    """Headings, tables, code and paragraphs; the lines of a paragraph or an item are joined, to be broken anew."""
    for kind, block in groupby(_kinds(lines), key=lambda one: one[0]):
        text = [line for _, line in block]
        if kind == "heading":
            yield from (Text(line.lstrip("# "), style="bold") for line in text)
        elif kind == "table":
            yield _table(text)
        elif kind == "text":
            yield from (line if _ITEM.match(line) else Text(line) for line in _joined(text))
        else:
            yield from text


def _kinds(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each line with the kind of its block."""
    code = False
    for line in lines:
        fence = line.lstrip().startswith("```")
        code ^= fence
        if fence:
            continue
        kind = "code" if code else "table" if line.startswith("|") else "heading" if line.startswith("#") else "text"
        yield kind if line.strip() or code else "empty", line


def _joined(lines: Sequence[str]) -> list[str]:
    """The lines of paragraphs and list items, each as one."""
    found: list[str] = []
    for line in lines:
        if found and not _ITEM.match(line):
            found[-1] += f" {line.strip()}"
        else:
            found.append(line.rstrip())
    return found


def _table(lines: Sequence[str]) -> Any:
    """A table of Markdown."""
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if not _RULE.fullmatch(line)
    ]
    table = plain_table(*rows[0])
    for row in rows[1:]:
        table.add_row(*(Text(cell) for cell in row[: len(rows[0])]))
    return table
