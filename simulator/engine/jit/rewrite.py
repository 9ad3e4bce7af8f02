"""Rewrite of `state._replace(field=value)` in compiled rules, since numba does not support this method.

As plain Python a rule calls the NamedTuple's own `_replace`. Before compilation, `s._replace(stage=1, hits=0)` becomes
`_replace_stage_hits(s, 1, 0)`, an intrinsic that replaces these values inside the tuple.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from functools import cache
from typing import Any


@cache
def _swapper(names: tuple[str, ...]) -> Any:
    """An intrinsic `swap(s, value, ...)`: the named tuple `s` with these fields replaced; field types do not change."""
    from numba.extending import intrinsic

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kind, *types = signature.args
        swapped, *values = given
        for name, value_type, value in zip(names, types, values, strict=True):
            place = kind.fields.index(name)
            swapped = builder.insert_value(swapped, context.cast(builder, value, value_type, kind.types[place]), place)
        return swapped

    listed = ", ".join(f"value{i}" for i in range(len(names)))
    scope: dict[str, Any] = {"codegen": codegen}
    # An intrinsic's typing function needs its exact argument names.
    exec(f"def swap(context, s, {listed}):\n    return s(s, {listed}), codegen\n", scope)
    return intrinsic(scope["swap"])


class _Swaps(ast.NodeTransformer):
    """Rewrites the calls and collects the intrinsics that they need."""

    def __init__(self) -> None:
        self.used: dict[str, Any] = {}

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`x._replace(a=1)` -> `_replace_a(x, 1)`."""
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Attribute) and node.func.attr == "_replace"):
            return node
        names = tuple(str(keyword.arg) for keyword in node.keywords)
        called = "_replace_" + "_".join(names)
        self.used[called] = _swapper(names)
        arguments = [node.func.value, *(keyword.value for keyword in node.keywords)]
        return ast.Call(ast.Name(called, ast.Load()), arguments, [])


def compilable(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function with its `_replace` calls rewritten for numba; the function itself if it has none."""
    if "_replace" not in function.__code__.co_names:
        return function
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    tree.body[0].decorator_list = []  # type: ignore[attr-defined]
    swaps = _Swaps()
    tree = ast.fix_missing_locations(swaps.visit(tree))
    ast.increment_lineno(tree, function.__code__.co_firstlineno - 1)
    scope = {**function.__globals__, **swaps.used}
    exec(compile(tree, function.__code__.co_filename, "exec"), scope)
    built: Callable[..., Any] = scope[function.__name__]
    return built
