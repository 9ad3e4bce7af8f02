"""Names that a module imports when they are first used, so that importing the module is quick."""

from __future__ import annotations

import ast
from pathlib import Path


def homes_of(file: str) -> dict[str, str]:
    """The module of each name that a source file imports under TYPE_CHECKING: the one list of its public names."""
    blocks = (node.body for node in ast.parse(Path(file).read_text(encoding="utf-8")).body if isinstance(node, ast.If))
    imports = (node for block in blocks for node in block if isinstance(node, ast.ImportFrom))
    return {one.name: str(node.module) for node in imports for one in node.names if one.name != "*"}
