"""A scenario to copy: as a link, a TOML file, Python, a command line, and a chat message; and with sides swapped."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pprint import pformat
from typing import Any

from simulator.analysis.odds.odds import Odds
from simulator.report.words import percent
from simulator.rules.battle import Battle
from simulator.scenarios.objective import SIDES
from simulator.scenarios.schema import choices, field_at
from simulator.web.links.url_codec import VERSION, Pairs, document, query, written


def address_of(data: Mapping[str, Any], battle: Battle) -> str:
    """The address of a scenario's page, with the rules version."""
    return link_of(written(data, battle), battle)


def link_of(pairs: Pairs, battle: Battle) -> str:
    """As `address_of`, from the query pairs of a scenario."""
    return f"/{battle.game}/{battle.kind}?{query([*pairs, (VERSION, str(battle.version))])}"


def in_one_line(pairs: Pairs) -> str:
    """The query pairs of a scenario as a line of text."""
    return ", ".join(f"{key.replace('.', ' ')} {value}" for key, value in pairs)


def copies(data: Mapping[str, Any], battle: Battle, link: str, pairs: Pairs, odds: Odds) -> list[tuple[str, str]]:
    """Name and text of each form to copy; `link` and `pairs` are those of the scenario."""
    scenario = pformat(data, width=100, sort_dicts=False)
    python = f"from simulator import load, odds\n\nbattle = load({scenario})\nanswer = odds(battle)\n"
    command = f"echo {shlex.quote(json.dumps(data, ensure_ascii=False))} | battle-odds odds -"
    chances = ", ".join(f"{one.label} {percent(one.p)}" for one in odds.results if one.p > 0)
    line = f"{battle.game} {battle.kind}: {in_one_line(pairs)} -> {chances} ({odds.how()})"
    return [
        ("link", link),
        ("TOML file", document(data)),
        ("Python", f"{python}print(answer.summary())\n"),
        ("command line", command),
        ("text for a chat", f"{line}\n{link}"),
    ]


def swapped(data: Mapping[str, Any], battle: Battle) -> dict[str, Any]:
    """The scenario with attacker and defender swapped; values that the other side cannot have are left out."""
    one, other = SIDES
    result = dict(data)
    for left, right in ((one, other), (other, one)):
        if left in data or right in data:
            result[left] = _fitting(data.get(right, {}), battle, left)
    for name in ("policy", "objective"):
        table = data.get(name)
        if isinstance(table, Mapping):
            result[name] = {key: value for key, value in table.items() if key not in SIDES}
            for left, right in ((one, other), (other, one)):
                if right in table:
                    value = table[right]
                    result[name][left] = value if name == "objective" else _fitting(value, battle, f"{name}.{left}")
    return result


def _fitting(value: Any, battle: Battle, path: str) -> Any:
    """The part of a table that the field at this path takes."""
    if not isinstance(value, Mapping):
        return value
    return {
        name: _fitting(inner, battle, f"{path}.{name}")
        for name, inner in value.items()
        if field_at(battle, f"{path}.{name}") is not None and _takes(battle, f"{path}.{name}", inner)
    }


def _takes(battle: Battle, path: str, value: Any) -> bool:
    """False if the field at this path is a choice among names and this is another name."""
    names = choices(battle, path)
    return not names or not isinstance(value, str) or value in names
