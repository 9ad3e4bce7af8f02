"""Documents: their code blocks, run in order, and their headings and links.

The blocks of a page run in one folder, in their order:

- `python`: in one module for each page; `pycon`: as a session in this module.
- `console`: each line `$ battle-odds ...` is run and its output compared; `...` stands for any text.
- `toml`: written to the file that its first line names (`# my-game.toml`); a scenario or a game file is checked, unless
  a command of the page names the file, which then checks it.
- `sh`: nothing is run; the arguments of `battle-odds` are read.

A comment before a block says otherwise: `<!-- file: log.csv -->` has it written to this file, and after
`<!-- not run: reason -->` nothing is run, but imports from this package are looked up in a block of Python.
"""

import ast
import codeop
import doctest
import io
import re
import shlex
import sys
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from importlib import import_module
from itertools import count
from pathlib import Path
from types import ModuleType

from typer.main import get_command

from simulator import cli, load, rules
from simulator.analysis.plan.reading import read as read_plan
from simulator.cli.commands import app_of
from simulator.rules.custom.game_file.files import read_game

ROOT = Path(__file__).parent.parent
GENERATED = ROOT / "docs" / "generated"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if not path.is_relative_to(GENERATED)),
]
BLOCK = re.compile(r"^(?:<!-- (not run|file): ([^\n]+) -->\n+)?```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT = "$ battle-odds "
# The number of states is no part of an answer.
STATES = re.compile(r"\([\d,]+ states")
LINK = re.compile(r"\]\(([^)\s]+)\)")
# The repository's own files, where a page names them by their address.
OWN = re.compile(r"https://(?:raw\.githubusercontent|github)\.com/[\w.-]+/battle-odds/(?:(?:blob|raw|tree)/)?main/")


def pieces(text):
    """Code blocks of a page: language and content."""
    return [(language, content) for _, _, language, content in BLOCK.findall(text)]


def lines_of(content):
    """Lines of a block; a line that ends with a backslash goes on with the next."""
    return content.replace("\\\n", " ").splitlines()


def same(written, found):
    """Equal texts, where `...` in the written one stands for anything; blanks at the ends of lines do not count."""
    plain, now = (
        "\n".join(map(str.rstrip, STATES.sub("(states", text).splitlines())).strip() for text in (written, found)
    )
    return re.fullmatch(".*".join(map(re.escape, re.split(r" *\.\.\. *", plain))), now, re.DOTALL) is not None


def answer(line):
    """Output of a command, or its complaint."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        cli.run(shlex.split(line.removeprefix(PROMPT)))
    text = out.getvalue() or err.getvalue()
    return "\n".join(row.rstrip() for row in text.strip("\n").splitlines()).replace("\n\n\n", "\n\n")


def console(content):
    """A console block with the answers of today; as it is written if they are the same."""
    commands = re.findall(r"^\$ (?:.*\\\n)*.*\n", content, re.MULTILINE)
    assert commands, f"no command in a console block: {content}"
    assert all(command.startswith(PROMPT) for command in commands), (
        f"only battle-odds runs in a console block: {content}"
    )
    now = "".join(f"{command}{answer(command.replace(chr(92) + chr(10), ' '))}\n" for command in commands)
    return content if same(content, now) else now


def read_arguments(words):
    """Refuse arguments that the command line does not know; nothing is run."""
    command = get_command(app_of())
    context = command.make_context("battle-odds", words)
    while hasattr(command, "commands"):
        name, command, words = command.resolve_command(context, words)
        context = command.make_context(name, words, parent=context)


def check_toml(content):
    """Check what is a whole scenario or game file."""
    data = tomllib.loads(content)
    if data.get("game") == "plan":
        read_plan(data)
    elif "game" in data:
        load(data)
    elif "format" in data:
        read_game(data, "")


def check_imports(content):
    """Check that the names which a block imports from this package exist."""
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("simulator"):
            for name in node.names:
                assert hasattr(import_module(node.module), name.name), f"{node.module}.{name.name}"


class Page:
    """A page whose blocks are run in the present folder: `text` has the answers of today, `module` the names."""

    def __init__(self, path, languages=("python", "pycon", "console", "toml", "sh")):
        written = path.read_text(encoding="utf-8")
        self.module = ModuleType(path.stem.replace("-", "_"))
        self.commands = "\n".join(content for language, content in pieces(written) if language == "console")
        self._languages = languages
        self._compile, self._numbers = codeop.Compile(), count(1)
        games = dict(rules.GAMES)
        sys.modules[self.module.__name__] = self.module
        try:
            self.text = BLOCK.sub(self._block, written)
        finally:
            del sys.modules[self.module.__name__]
            rules.GAMES.clear()
            rules.GAMES.update(games)

    def _block(self, found):
        comment, name, language, content = found.groups()
        run = getattr(self, f"_{language}") if language in self._languages else None
        if comment == "file":
            Path(name).write_text(content, encoding="utf-8")
        elif comment:
            check_imports(content if language == "python" else "")
        elif run:
            return found[0].replace(content, run(content) or content)
        return found[0]

    def _console(self, content):
        return console(content)

    def _python(self, content):
        # A file for each block: the engine reads the source of rules.
        file = Path(f"{self.module.__name__}_{next(self._numbers)}.py").resolve()
        file.write_text(content, encoding="utf-8")
        exec(self._compile(content, str(file), "exec"), vars(self.module))

    def _pycon(self, content):
        test = doctest.DocTestParser().get_doctest(content, vars(self.module), self.module.__name__, None, None)
        out = io.StringIO()
        failed = doctest.DocTestRunner(verbose=False).run(test, out=out.write, clear_globs=False).failed
        assert not failed, out.getvalue()
        vars(self.module).update(test.globs)  # the test has a copy

    def _toml(self, content):
        name = re.match(r"# ([\w-]+\.toml)\n", content)
        if name:
            Path(name[1]).write_text(content, encoding="utf-8")
        if not name or name[1] not in self.commands:
            check_toml(content)

    def _sh(self, content):
        for line in lines_of(content):
            for command in re.split(r"&&|\|", line):
                words = shlex.split(command, comments=True)
                if words[:1] == ["uvx"]:
                    words = words[words.index("battle-odds") :]
                if words[:1] == ["battle-odds"]:
                    read_arguments(words[1:])


def without_code(text):
    """The text of a page without its code."""
    return re.sub(r"`[^`\n]+`", "", BLOCK.sub("", text))


@cache
def anchors(path):
    """Names of the headings of a page, as GitHub and the site make them."""
    found = []
    for title in re.findall(r"^#{1,6} (.+)$", BLOCK.sub("", path.read_text(encoding="utf-8")), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower()
        name = re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")
        found.append(f"{name}-{found.count(name)}" if name in found else name)
    return frozenset(found)


def links(path):
    """Targets of the links and pictures of a page."""
    return LINK.findall(without_code(path.read_text(encoding="utf-8")))


def dead_links(path):
    """Links of a page to files and headings of the repository that do not exist."""
    dead = []
    for link in links(path):
        base, target = (ROOT, OWN.sub("", link)) if OWN.match(link) else (path.parent, link)
        if re.match(r"[a-z]+:", target):
            continue
        place, _, anchor = target.partition("#")
        file = (base / place).resolve() if place else path
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            dead.append(link)
    return dead
