"""A scenario to take away: as a link, a TOML file, Python, a command line, and a line for a chat; and turned round."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from simulator.analysis.odds.odds import Odds
from simulator.report.words import percent
from simulator.rules.battle import Battle
from simulator.scenarios.objective import SIDES
from simulator.scenarios.schema import field_at
from simulator.web.url_codec import VERSION, Pairs, document, query, written

TABLES = ("policy", "objective")


def address_of(data: Mapping[str, Any], battle: Battle) -> str:
    """The address of a scenario's page, with the rules version that answers it."""
    return link_of(written(data, battle), battle)


def link_of(pairs: Pairs, battle: Battle) -> str:
    """The same of the pairs that spell a scenario."""
    return f"/{battle.game}/{battle.kind}?{query([*pairs, (VERSION, str(battle.version))])}"


def copies(
    data: Mapping[str, Any], battle: Battle, link: str, pairs: Pairs, odds: Odds | None
) -> list[tuple[str, str]]:
    """Name and text of each form; `link` and `pairs` spell the scenario."""
    python = (
        f"from simulator import load, odds\n\nbattle = load({_python(data)})\nanswer = odds(battle)\n"
        "print(answer.summary())\n"
    )
    command = f"echo {shlex.quote(json.dumps(data, ensure_ascii=False))} | battle-odds odds -"
    return [
        ("link", link),
        ("TOML file", document(data)),
        ("Python", python),
        ("command line", command),
        ("text for a chat", f"{_line(pairs, battle, odds)}\n{link}"),
    ]


def _python(value: Any, indent: str = "") -> str:
    """A scenario as Python writes it, a table a line."""
    if not isinstance(value, Mapping) or not value:
        return repr(value)
    inside = indent + "    "
    flat = not any(isinstance(one, Mapping | list) for one in value.values()) and indent
    parts = [f"{name!r}: {_python(one, inside)}" for name, one in value.items()]
    if flat:
        return "{" + ", ".join(parts) + "}"
    return "{\n" + "".join(f"{inside}{part},\n" for part in parts) + indent + "}"


def _line(pairs: Pairs, battle: Battle, odds: Odds | None) -> str:
    told = ", ".join(f"{key.replace('.', ' ')} {value}" for key, value in pairs)
    line = f"{battle.game} {battle.kind}: {told}"
    if odds is not None:
        chances = ", ".join(f"{one.label} {percent(one.p)}" for one in odds.results if one.p > 0)
        line += f" -> {chances} ({odds.how()})"
    return line


def swapped(data: Mapping[str, Any], battle: Battle) -> dict[str, Any]:
    """The scenario with attacker and defender in each other's place; what the other side cannot have is left out."""
    found = dict(data)
    one, other = SIDES
    for left, right in ((one, other), (other, one)):
        if left in data or right in data:
            found[left] = _fitting(data.get(right, {}), battle, left)
    for name in TABLES:
        table = data.get(name)
        if isinstance(table, Mapping):
            turned = {side: table[SIDES[1 - place]] for place, side in enumerate(SIDES) if SIDES[1 - place] in table}
            rest = {key: value for key, value in table.items() if key not in SIDES}
            fits = turned if name == "objective" else {s: _fitting(v, battle, f"{name}.{s}") for s, v in turned.items()}
            found[name] = rest | fits
    return found


def _fitting(value: Any, battle: Battle, path: str) -> Any:
    """As much of a table as the field at this path takes."""
    if not isinstance(value, Mapping):
        return value
    return {
        name: _fitting(one, battle, f"{path}.{name}")
        for name, one in value.items()
        if field_at(battle, f"{path}.{name}") is not None and _takes(battle, f"{path}.{name}", one)
    }


def _takes(battle: Battle, path: str, value: Any) -> bool:
    """Does a field that chooses among names have this one?"""
    from simulator.scenarios.schema import choices

    names = choices(battle, path)
    return not names or not isinstance(value, str) or value in names
