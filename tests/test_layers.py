"""Layers import one way (see CONTRIBUTING.md)."""

import ast
from pathlib import Path

import pytest

import simulator

ROOT = Path(simulator.__file__).parent
# From the bottom up; a module may import its own layer and those below.
LAYERS = [
    {"engine"},
    {"rules"},
    {"complaints", "scenarios"},
    {"answers"},
    {"estimate", "telling"},
    {"campaigns", "survival", "grids"},
    {"plots", "show"},
    {"cli"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
MODULES = sorted(path for path in ROOT.rglob("*.py") if path not in (ROOT / "__init__.py", ROOT / "__main__.py"))


def layer_of(dotted):
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else None


def imports(path):
    """(imported simulator modules, are they imported when the module is loaded?)"""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "simulator":
            if node.module == "simulator":
                yield from (f"simulator.{alias.name}" for alias in node.names)
            else:
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "simulator")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path):
    name = path.relative_to(ROOT).parts[0].removesuffix(".py")
    if name == "examples":
        return
    own = LEVEL[name]
    for module in imports(path):
        layer = layer_of(module)
        # `answers` draws itself through `plots` on demand; the picture of an answer is part of the answer's interface.
        if (name, layer) in {("answers", "plots"), ("grids", "plots"), ("campaigns", "plots"), ("survival", "plots")}:
            continue
        assert LEVEL[layer] <= own, f"{name} imports {module}"


def test_the_engine_knows_no_game():
    for path in (ROOT / "engine").glob("*.py"):
        assert not any("rules" in module for module in imports(path)), path


def test_rules_know_neither_files_nor_plots_nor_the_command_line():
    forbidden = {"matplotlib", "typer", "rich", "pandas"}
    for path in (ROOT / "rules").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not forbidden & {name.split(".")[0] for name in names}, path


def test_files_and_functions_stay_small():
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 400, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno - node.lineno < 60, f"{path}: {node.name}"
