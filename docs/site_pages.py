"""Pages of the site that stand elsewhere or are made when it is built, all in docs/generated, which git ignores.

Notebooks, rules documents, CHANGELOG.md and CONTRIBUTING.md are copied, and links to them lead to the copies. The
references of the Python interface and of the command line are made from the program.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from typer.main import get_command

import simulator
from simulator import rules
from simulator.cli.commands import app_of
from simulator.rules import custom
from simulator.scenarios import kinds_of
from simulator.scenarios.schema import field_rows

DOCS = Path(__file__).parent.resolve()
ROOT = DOCS.parent
RULES = DOCS / "rules"
GENERATED = DOCS / "generated"
# Pages of the site by the files that they copy, and the page that stands for the list of rules documents.
COPIES = {
    **{path: GENERATED / "notebooks" / path.name for path in (ROOT / "notebooks").glob("*.ipynb")},
    **{path: GENERATED / "rules" / path.name for path in RULES.glob("*.md") if path.name != "README.md"},
    **{ROOT / name: GENERATED / name.lower() for name in ("CHANGELOG.md", "CONTRIBUTING.md")},
}
PAGES = COPIES | {RULES / "README.md": DOCS / "rules.md"}
ORIGINALS = {page: path for path, page in COPIES.items()}
LINK = re.compile(r"(?<=\]\()([^)\s#:]+)(?=[#)])")
# Names for authors of games in Python (docs/adding-a-game.md, docs/compiled-games.md), by module.
FOR_GAMES = {
    "simulator.rules": "register",
    "simulator.rules.battle": "Battle Built Outcomes Fields Both Frame Refusal offered certain",
    "simulator.engine.model.plain": "PlainBattle Roll Choice",
    "simulator.rules.toolkit.plain": "built",
    "simulator.engine.model.chain": "Chain rule helper",
    "simulator.engine.model.chance": "TableBook",
    "simulator.conformance": "check",
}


def setup(app: Sphinx) -> None:
    """Write the generated pages, and have links lead to them."""
    write_all()
    app.connect("source-read", relink)
    app.connect("autodoc-process-docstring", as_plain_text, priority=400)  # before its sections are read


def write_all() -> None:
    """Write the generated pages. A page whose text is the same keeps its time: Sphinx does not read it again."""
    pages = {page: path.read_text(encoding="utf-8") for path, page in COPIES.items()}
    pages |= {GENERATED / name: text for name, text in python_pages().items()}
    pages |= {GENERATED / name: text for name, text in field_pages().items()}
    pages[GENERATED / "command-line.md"] = command_page()
    for old in {path for path in GENERATED.rglob("*") if path.is_file()} - set(pages):
        old.unlink()
    for path, text in pages.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def relink(app: Sphinx, name: str, source: list[str]) -> None:
    """Point the links of a page to the pages of the site that stand for files of the repository."""
    page = Path(app.env.doc2path(name))
    folder = ORIGINALS.get(page, page).parent

    def moved(link: re.Match[str]) -> str:
        file = (folder / link[0]).resolve()
        return os.path.relpath(PAGES.get(file, file), page.parent) if file.exists() else link[0]

    source[0] = LINK.sub(moved, source[0])


def as_plain_text(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Have a docstring shown as it is written: `code`, and no other markup within a line."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...", "..")):
            parts = re.split(r"`([^`]+)`", line)
            parts[::2] = [re.sub(r"([*|\\])", r"\\\1", text) for text in parts[::2]]
            parts[1::2] = [f"``{code.strip()}``" for code in parts[1::2]]
            lines[number] = "".join(parts)


def heading(text: str, line: str = "=") -> str:
    """A heading in reStructuredText."""
    return f"{text}\n{line * len(text)}\n"


# The Python reference

ERRORS = "Errors"
MEMBERS = "   :members:\n   :inherited-members: tuple, dict, BaseModel, Exception, BaseException\n"


def python_pages() -> dict[str, str]:
    """A page for each group of public names, and one for authors of games."""
    groups: dict[str, list[str]] = {}
    for name in (name for name in simulator.__all__ if name not in simulator.GAMES):
        groups.setdefault(home(getattr(simulator, name)), []).append(name)
    pages = {f"python/{group}.rst": group_page(group, names) for group, names in groups.items()}
    for_games = [name_part(module, name) for module, names in FOR_GAMES.items() for name in names.split()]
    return pages | {"python/zz-games-in-python.rst": "\n".join([heading("For games written in Python"), *for_games])}


def home(value: Any) -> str:
    """The package of a public name, such as simulator.analysis.odds; errors stand together."""
    if inspect.isclass(value) and issubclass(value, Exception):
        return ERRORS
    module = value.__name__ if inspect.ismodule(value) else value.__module__
    parts = module.split(".")
    return ".".join(parts[: 3 if parts[1] in {"analysis", "rules"} else 2])


def group_page(group: str, names: list[str]) -> str:
    """The names of one package: functions, classes, others."""
    parts = [heading(group.rpartition(".")[2].capitalize())]
    if group != ERRORS:
        parts.append(f"{first_line(import_module(group))}.\n")
    values = {name: getattr(simulator, name) for name in names}
    ranks = {name: (not inspect.isfunction(value), not inspect.isclass(value), name) for name, value in values.items()}
    return "\n".join([*parts, *(name_part("simulator", name) for name in sorted(names, key=ranks.__getitem__))])


def name_part(module: str, name: str) -> str:
    """One public name: a function, a class with its members, or a module with what it defines."""
    value = getattr(import_module(module), name)
    if not callable(value) and not inspect.ismodule(value):
        return f"{heading(name, '-')}\n.. py:data:: {module}.{name}\n\n   {value!r}\n"
    kind = "module" if inspect.ismodule(value) else "class" if inspect.isclass(value) else "function"
    return f"{heading(name, '-')}\n.. auto{kind}:: {module}.{name}\n{'' if kind == 'function' else MEMBERS}"


def first_line(value: Any) -> str:
    """First line of a docstring, without its full stop."""
    return (inspect.getdoc(value) or value.__name__).splitlines()[0].rstrip(".")


# The fields of scenarios


def field_pages() -> dict[str, str]:
    """A page for each game of the package: the fields of every battle kind."""
    return {f"fields/{game}.md": field_page(game) for game in (*rules.GAMES, *custom.names())}


def field_page(game: str) -> str:
    """The fields of a game's battle kinds with the values that they take, their defaults and meanings."""
    parts = [f"# {game}"]
    for kind, battle in kinds_of(game).items():
        parts += [f"## {kind}", f"{escaped(battle.title).capitalize()}."]
        for row in field_rows(battle):
            if row.path not in {"game", "battle"}:
                default = row.default if row.default in {"", "needed"} else f"default {row.default}"
                about = [row.takes, default, row.meaning]
                parts.append(f"`{row.path}`\n: {escaped('; '.join(filter(None, about)))}")
    return "\n\n".join(parts) + "\n"


# The command line


def command_page() -> str:
    """Every command with its help, arguments, options and defaults"""
    app = get_command(app_of())
    parts = ["# Command line reference", app.help]
    for name, command in sorted(leaves(app, "")):
        usage = " ".join(["battle-odds", name, *command.collect_usage_pieces(command.context_class(command))])
        parts += [f"## {name}", f"```text\n{usage}\n```", escaped(command.help), *parameters(command)]
    return "\n\n".join(parts) + "\n"


def leaves(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Commands that do something, with the words that call them; hidden ones are left out."""
    for word, sub in getattr(command, "commands", {}).items():
        if not sub.hidden:
            yield from leaves(sub, f"{name} {word}".strip())
    if not hasattr(command, "commands") or command.invoke_without_command:
        yield name, command


def parameters(command: Any) -> list[str]:
    """Arguments and options of a command, each with its help and default."""
    context = command.context_class(command)
    rows = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    return [f"`{name}`\n: {escaped(meaning)}" for name, meaning in filter(None, rows) if name != "--help"]


def escaped(text: str) -> str:
    """Text whose signs are not read as Markdown."""
    return re.sub(r"([\\\[\]*_|<>`])", r"\\\1", " ".join(text.split()))
