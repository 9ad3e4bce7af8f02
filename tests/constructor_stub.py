"""Types of the constructors of all battle kinds, simulator/scenarios/games.pyi: `python -m tests.constructor_stub`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import simulator
from simulator.scenarios import kinds_of
from simulator.scenarios.constructors import is_table, only_needed, tables_of

STUB = Path(simulator.__file__).parent / "scenarios" / "games.pyi"
HEAD = '''"""Types of the constructors of all battle kinds; written by `python -m tests.constructor_stub`."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypedDict

from simulator.scenarios.constructors import Game
from simulator.scenarios.scenario import Scenario
'''
PLAIN = {int: "int", float: "float", bool: "bool", str: "str", Any: "Any"}


def camel(text):
    """A name for a class."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"\W|_", text))


class Stub:
    """The tables of all games; equal ones are written once, under the name of the first."""

    def __init__(self):
        self.names, self.tables = {}, []

    def of(self, kind, path):
        """A type as text; `path` names a table that was not seen before."""
        origin, inside = get_origin(kind), get_args(kind)
        if is_table(kind):
            return self.table(kind, path)
        if origin is Annotated:
            return self.of(inside[0], path)
        if origin is Literal:
            return f"Literal[{', '.join(map(repr, inside))}]"
        if origin in {Union, UnionType}:
            return " | ".join(dict.fromkeys(self.of(one, path) for one in inside if one is not NoneType))
        if origin in {list, tuple, Sequence}:
            return f"Sequence[{' | '.join(dict.fromkeys(self.of(one, path) for one in inside if one is not ...))}]"
        if origin in {dict, Mapping}:
            return f"Mapping[str, {self.of(inside[1], path)}]"
        return PLAIN.get(kind, "Any")

    def table(self, model, path):
        """The name of a table; it is written if there is none like it."""
        fields = {about.alias or name: about for name, about in model.model_fields.items()}
        types = {name: self.of(about.annotation, path + camel(name)) for name, about in fields.items()}
        types = {name: f"Required[{kind}]" if fields[name].is_required() else kind for name, kind in types.items()}
        body = tuple(types.items())
        if body not in self.names:
            self.names[body] = path
            inside = ", ".join(f"{name!r}: {kind}" for name, kind in body)
            self.tables.append(f"{path} = TypedDict({path!r}, {{{inside}}}, total=False)")
        return self.names[body]

    def game(self, name) -> Iterator[str]:
        """The class of a game and its object."""
        yield from ("", f"class {camel(name)}(Game):")
        for kind, battle in kinds_of(name.replace("_", "-")).items():
            given = ["self", "*"]
            for field, model in tables_of(battle.model):
                text = self.of(model, camel(name) + camel(kind) + camel(field))
                if needed := only_needed(model):
                    text = f"{self.of(model.model_fields[needed].annotation, '')} | {text}"
                given.append(f"{field}: {text}{'' if battle.model.model_fields[field].is_required() else ' = ...'}")
            given.append("objective: Mapping[str, Mapping[str, float]] = ...")
            yield f"    def {kind.replace('-', '_')}({', '.join(given)}) -> Scenario: ..."
        yield from ("", f"{name}: {camel(name)}")


def text():
    """The whole stub."""
    stub = Stub()
    games = [line for name in simulator.GAMES for line in stub.game(name)]
    return HEAD + "\n".join([*stub.tables, *games]) + "\n"


if __name__ == "__main__":
    STUB.write_text(text(), encoding="utf-8")
