"""Layers import one way (see CONTRIBUTING.md)."""

import ast
from pathlib import Path

import pytest

import simulator

ROOT = Path(simulator.__file__).parent
# From the bottom up; a module may import its own layer and those below.
LAYERS = [{"engine"}, {"rules"}, {"scenarios"}, {"analysis"}, {"report"}, {"cli", "web"}]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
MODULES = sorted(path for path in ROOT.rglob("*.py") if path not in (ROOT / "__init__.py", ROOT / "__main__.py"))


def layer_of(dotted):
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else None


def imports(tree):
    """The modules of this package that a syntax tree imports, at any depth."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "simulator":
            if node.module == "simulator":
                yield from (f"simulator.{alias.name}" for alias in node.names if alias.name != "__version__")
            else:
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "simulator")


def draws_itself(path):
    """Imports inside methods named `plot`: an answer draws itself, and its picture is made one layer up."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    plots = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "plot"]
    return {module for node in plots for module in imports(node)}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path):
    name = path.relative_to(ROOT).parts[0]
    assert name in LEVEL, f"{path}: every module lives in one of the packages {LEVEL.keys()}"
    allowed = draws_itself(path) if name == "analysis" else set()
    for module in imports(ast.parse(path.read_text(encoding="utf-8"))):
        layer = layer_of(module)
        if layer == "report" and module in allowed:
            continue
        assert LEVEL[layer] <= LEVEL[name], f"{path} imports {module}"


def test_no_package_hides_a_public_function():
    packages = {path.parts[0].removesuffix(".py") for path in (module.relative_to(ROOT) for module in MODULES)}
    assert not packages & set(simulator.__all__)


def test_the_engine_knows_no_game():
    for path in (ROOT / "engine").glob("*.py"):
        assert not any("rules" in module for module in imports(ast.parse(path.read_text(encoding="utf-8")))), path


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
