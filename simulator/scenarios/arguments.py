"""Arguments of public functions: a wrong type is refused in one sentence, and what many share is described once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from inspect import cleandoc, signature
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from simulator.scenarios.validation import finite, shown

F = TypeVar("F", bound=Callable[..., Any])


def _texts(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(one, str) for one in value)


# The test of each type, as it is annotated, and its words. Types that are not here are checked where they are used.
TYPES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "int": (lambda value: isinstance(value, int | np.integer) and not isinstance(value, bool), "a whole number"),
    "float": (lambda value: isinstance(value, int | float | np.number) and not isinstance(value, bool), "a number"),
    "str": (lambda value: isinstance(value, str), "a text"),
    "bool": (lambda value: isinstance(value, bool | np.bool), "True or False"),
    "None": (lambda value: value is None, "None"),
    "Sequence[str]": (_texts, "a list of texts"),
    "Sequence[float]": (
        lambda value: isinstance(value, Sequence | np.ndarray) and all(map(finite, value)),
        "a list of numbers",
    ),
    "Iterable[Any]": (
        lambda value: isinstance(value, Iterable) and not isinstance(value, str),
        "a list of values, like range(1, 31)",
    ),
    "Iterable[Source]": (
        lambda value: isinstance(value, Iterable) and not isinstance(value, str),
        "a list of scenarios, or a mapping from names to scenarios",
    ),
    "Mapping[str, float]": (
        lambda value: isinstance(value, Mapping),
        'a mapping from names to numbers, like {"win": 1}',
    ),
    "Mapping[str, Any]": (lambda value: isinstance(value, Mapping), "a mapping from fields to values"),
    "Path": (lambda value: isinstance(value, Path), "a path"),
}
# Parameters that functions share: type and meaning. `checked` puts them into docstrings that leave them out.
COMMON = {
    "scenario": ("Scenario, mapping, str or Path", "A scenario, or one as `load` takes it."),
    "battles": ("int, optional", "Simulate with this many battles. By default the answer is exact where that fits."),
    "seed": ("int", "The seed of all simulated battles, from 0 to 2^64 - 1: the same seed, the same numbers."),
    "threads": ("int, optional", "Threads; by default one a processor. They change no number."),
    "progress": (
        "callable, optional",
        "Called several times a second with the work done and its total (None while it is unknown).",
    ),
}
# Annotations whose values need no other look where they are of exactly this type.
PLAIN = {"str": str, "int": int, "float": float, "bool": bool}
_PARAMETERS = "Parameters\n----------\n"
TYPES["Iterable[int]"] = TYPES["Iterable[Any]"]
TYPES["Mapping[str, Source]"] = TYPES["Sequence[Source]"] = TYPES["Iterable[Source]"]
_MAPPING = re.compile(r"Mapping\[str, (.+)\]$")


@cache
def _choices(annotation: str) -> list[str]:
    """The types that an annotation joins with `|`."""
    return re.split(r" \| (?![^\[]*\])", annotation)


def _is_known(kind: str) -> bool:
    inner = _MAPPING.match(kind)
    return kind in TYPES or bool(inner and all(map(_is_known, _choices(inner[1]))))


def refuse_wrong_type(name: str, value: Any, annotation: str) -> None:
    """Raise ValueError for a value that is not of the annotated type; for one in a mapping with its key."""
    words = []
    for kind in _choices(annotation):
        inner = None if kind in TYPES else _MAPPING.match(kind)
        if inner and isinstance(value, Mapping):
            for key, one in value.items():
                refuse_wrong_type(f"{name}.{key}", one, inner[1])
            return
        if not inner and TYPES[kind][0](value):
            return
        words += [] if kind == "None" else ["a mapping from fields to lists of values" if inner else TYPES[kind][1]]
    raise ValueError(f"{name}: {shown(value)} is not allowed; give {' or '.join(dict.fromkeys(words))}")


def described(text: str, names: Sequence[str]) -> str:
    """A docstring with those of its function's parameters that are COMMON, where it leaves them out."""
    before, _, section = text.partition(_PARAMETERS)
    if not section:
        before, returns, after = text.partition("Returns\n-------\n")
        section = f"\n\n{returns}{after}"
    own, gap, after = section.partition("\n\n")
    blocks = {name: f"{name} : {kind}\n    {meaning}" for name, (kind, meaning) in COMMON.items()}
    for block in re.split(r"\n(?=\S)", own) if own else ():
        blocks |= dict.fromkeys(block.partition(" : ")[0].partition("\n")[0].replace("*", "").split(", "), block)
    listed = dict.fromkeys(blocks[name] for name in names if name in blocks)
    return "".join((before, _PARAMETERS, "\n".join(listed), gap, after)) if listed else text


def checked(function: F) -> F:
    """The function, which raises ValueError for an argument whose type is not the annotated one.

    Its docstring gets the COMMON parameters that it leaves out.
    """
    annotations = {name: text for name, text in function.__annotations__.items() if name != "return"}
    known = {name: text for name, text in annotations.items() if all(map(_is_known, _choices(text)))}
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    if function.__doc__ and set(annotations) & set(COMMON):
        function.__doc__ = described(cleandoc(function.__doc__), [*signature(function).parameters])
    places = [(place, name, PLAIN.get(known[name])) for place, name in enumerate(names) if name in known]

    @wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        for place, name, plain in places:
            if place < len(given) and type(given[place]) is not plain:
                refuse_wrong_type(name, given[place], known[name])
        for name, value in named.items():
            if name in known:
                refuse_wrong_type(name, value, known[name])
        return function(*given, **named)

    return called if known else function  # type: ignore[return-value]
