"""Layers import one way, without circles, in plain words (see CONTRIBUTING.md)."""

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import simulator
from simulator import rules

ROOT = Path(simulator.__file__).parent
# From the bottom up; a module may import its own layer and those below.
LAYERS = [{"engine"}, {"rules"}, {"scenarios"}, {"analysis"}, {"report"}, {"cli", "web"}]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
ENGINE_LAYERS = ["model", "jit", "factored", "graph", "sample", "exact", "simulate", "api"]
# The parts of the engine that other layers import.
PUBLIC_ENGINE = {"model", "api"}
MOST_MODULES = 14
# Modules that stand above all layers.
ABOVE = [ROOT / name for name in ("__init__.py", "__main__.py", "conformance.py")]
MODULES = sorted(path for path in ROOT.rglob("*.py") if path not in ABOVE)
NAMES = {
    ".".join(("simulator", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__") for path in MODULES
}
# Words of an old private dialect: the field has better ones (CONTRIBUTING.md, glossary).
BANNED = re.compile(
    r"(?<![a-z])(told|met|helping|helped|desk|fortune|hopeless|leanly|acquainted|acquaintance|whoever)(?![a-z])"
)
# Scenario fields that keep the name of a rule of their game.
GAME_WORDS = {"lend_a_helping_hand"}


def layer_of(dotted):
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else None


@cache
def nodes_of(path):
    """All nodes of the syntax tree of a module."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def imports(nodes):
    """The modules of this package that these nodes import; not those imported for types alone."""
    for_types = set()
    for node in nodes:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for_types.update(node.body)
    for node in nodes:
        if node in for_types:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "simulator":
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                if full in NAMES:
                    yield full
                elif node.module != "simulator":
                    yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "simulator")


@cache
def imports_of(path):
    return list(imports(nodes_of(path)))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path):
    name, *inside = path.relative_to(ROOT).with_suffix("").parts
    assert name in LEVEL, f"{path}: every module lives in one of the packages {LEVEL.keys()}"
    for module in imports_of(path):
        layer = layer_of(module)
        assert LEVEL[layer] <= LEVEL[name], f"{path} imports {module}"
        if layer == "engine" and name != "engine":
            assert module.split(".")[2] in PUBLIC_ENGINE, f"{path} imports {module}: use simulator.engine.api"
        if layer == name == "engine" and inside != ["__init__"]:
            part = module.split(".")[2]
            assert ENGINE_LAYERS.index(part) <= ENGINE_LAYERS.index(inside[0]), f"{path} imports {module}"


def test_no_circles_even_among_imports_inside_functions():
    graph = {}
    for path in MODULES:
        name = ".".join(("simulator", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
        graph[name] = {module for module in imports_of(path) if module != name}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_folders_stay_small():
    for folder in {path.parent for path in MODULES}:
        assert len(list(folder.glob("*.py"))) - 1 <= MOST_MODULES, folder


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_names_are_plain_words(path):
    names = {path.stem}
    for node in nodes_of(path):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
    bad = {name for name in names - GAME_WORDS if BANNED.search(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).lower())}
    assert not bad, f"{path}: {sorted(bad)}"


def test_no_two_classes_above_the_games_have_one_name():
    """A game names its classes in its own words; `Params`, `State` and `Land` are found in its folder."""
    games = {home.rpartition(".")[2] for home in rules.GAMES.values() if isinstance(home, str)} | {"custom"}
    homes = {}
    for path in MODULES:
        parts = path.relative_to(ROOT).parts
        if parts[0] != "engine" and not (parts[0] == "rules" and parts[1] in games):
            for node in nodes_of(path):
                if isinstance(node, ast.ClassDef):
                    homes.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_sides_winners_and_tolerances_are_set_once():
    once = {"SIDES", "ATTACKER", "DEFENDER", "NOBODY", "WINNERS", "ROUNDING", "ALIKE", "NEGLIGIBLE"}
    homes = {}
    for path in MODULES:
        for node in nodes_of(path)[0].body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            names = {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
            for name in names & once:
                homes.setdefault(name, []).append(str(path.relative_to(ROOT)))
    assert homes.pop("SIDES") == ["engine/model/chain.py", "rules/sides.py"]  # the second is the first's, for games
    assert homes.keys() == once - {"SIDES"}
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_the_folders_of_europa_import_one_way():
    order = ["tables", "shared", "procedures", "land", "siege", "sea", "passages"]
    home = ROOT / "rules" / "europa"
    for level, folder in enumerate(order):
        for path in home.glob(f"{folder}/*.py"):
            module_node, *_ = nodes_of(path)
            for node in module_node.body:  # what only types need is imported inside an if
                for module in imports([node]):
                    if module.startswith("simulator.rules.europa."):
                        assert order.index(module.split(".")[3]) <= level, f"{path} imports {module}"


def test_no_package_hides_a_public_function():
    packages = {path.parts[0].removesuffix(".py") for path in (module.relative_to(ROOT) for module in MODULES)}
    assert not packages & set(simulator.__all__)


def test_the_engine_knows_no_game():
    for path in (ROOT / "engine").rglob("*.py"):
        assert not any("rules" in module for module in imports_of(path)), path


def test_rules_know_neither_files_nor_plots_nor_the_command_line():
    forbidden = {"matplotlib", "typer", "rich", "pandas"}
    for path in (ROOT / "rules").rglob("*.py"):
        for node in nodes_of(path):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not forbidden & {name.split(".")[0] for name in names}, path


def test_files_and_functions_stay_small():
    for path in MODULES:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef):
                described = len((ast.get_docstring(node) or "").splitlines())
                assert node.end_lineno - node.lineno - described < 60, f"{path}: {node.name}"
