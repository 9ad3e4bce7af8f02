"""The form of a battle kind, filled in with a scenario.

Two armies side by side: a row for each field that the sides have, in the order that the game's models give (`page`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from simulator.report.words import label_of
from simulator.rules.battle import Battle
from simulator.rules.sides import ALL_SIDES, SIDES
from simulator.scenarios.objective import TAKEN
from simulator.scenarios.schema import schema_of
from simulator.web.catalogue import side_names, start_of
from simulator.web.forms.generator import Generator, as_text
from simulator.web.forms.parts import Form, FormRow, Node

# Of a longer table of units a phone folds those that are not used.
MOST_ROWS = 12


def form_of(battle: Battle, data: Mapping[str, Any]) -> Form:
    """The form of a battle kind, filled in with a scenario."""
    root = {one.key: one for one in Generator(battle).table("", "", schema_of(battle.model), data, True).inside}
    sides = [side for side in ALL_SIDES if side in root and root[side].kind == "table"]
    policies = {one.key.rpartition(".")[2]: one for one in root.pop("policy", Node("table", "", "")).inside}
    if len(sides) < 2:  # a question about one force: no table of two armies
        root |= {node.key: node for node in policies.values()}
        sides, policies = [], {}
    armies = paired([root.pop(side) for side in sides], battle)
    rows = paired([policies.get(side) for side in sides], battle) if sides else []
    objective = data.get("objective")
    wants = [_wanted(battle, side, objective.get(side) if isinstance(objective, Mapping) else None) for side in sides]
    weights = _weights(battle, sides, objective if isinstance(objective, Mapping) else {})
    goals = [FormRow("objective", "wants", "for best play", list(wants))] if set(sides) & set(SIDES) else []
    singles = single_rows(root.values())
    set_weights = [row for row in weights if not row.folded]
    play = [*rows, *(goals if rows else []), *(row for row in singles if not row.folded), *set_weights]
    more = [*(row for row in singles if row.folded), *([] if rows else goals)]
    more += [row for row in weights if row.folded]
    chosen = {value for row in rows for one in row.nodes for value in (one.value, *one.values)}
    asked = {battle.parameters.get(value) for value in chosen}
    rare = [row for row in (*armies, *rows) if row.folded and not (row in rows and row.key.rpartition(".")[2] in asked)]
    armies = [row for row in armies if row not in rare]
    if len(armies) > MOST_ROWS:
        _mark_unused(armies, [start_of(battle).get(side) for side in sides])
    return Form(
        sides,
        armies,
        [row for row in play if row not in rare],
        [*rare, *more],
        [battle.total(data, side) for side in sides] if battle.total else [],
        names=side_names(battle, sides),
    )


def _mark_unused(armies: Iterable[FormRow], used: Iterable[Any]) -> None:
    """Mark the rows of numbers that neither of these sides has anything of."""
    names = {name for side in used if isinstance(side, Mapping) for name, value in side.items() if value}
    for row in armies:
        row.unused = row.shape == "numbers" and row.key.rpartition(".")[2] not in names


def single_rows(nodes: Iterable[Node]) -> list[FormRow]:
    """A row for each field of neither side; a table inside another is one of them."""
    fields = (node.inside if node.kind == "table" and not node.removable else [node] for node in nodes)
    return [FormRow(one.key, one.label, one.help, single=one) for inside in fields for one in inside]


def paired(tables: Sequence[Node | None], battle: Battle) -> list[FormRow]:
    """A row for each field that some of these tables have."""
    rows: dict[str, FormRow] = {}
    for place, table in enumerate(tables):
        for node in table.inside if table else ():
            name = node.key.rpartition(".")[2]
            unit = battle.notes.get(name)
            label, note = (node.help or node.label, unit) if unit is not None else (node.label, node.help)
            row = rows.setdefault(name, FormRow(node.key, label, note, [None] * len(tables)))
            row.cells[place] = node
    return list(rows.values())


def _wanted(battle: Battle, side: str, weights: Any) -> Node | None:
    """The choice of what a side wants: to win, to take the ground, or the value of its weights."""
    if side not in SIDES:
        return None
    node = Node("wants", f"objective.{side}", "wants", value="take" if weights == {"take": 1} else "")
    if isinstance(weights, Mapping) and weights and node.value != "take":
        node.value = "value"
    if node.value == "take" or set(TAKEN) & {*battle.summary, *battle.facts}:
        node.choices = ["take"]
    return node


def _weights(battle: Battle, sides: Sequence[str], objective: Mapping[str, Any]) -> list[FormRow]:
    """The weights of the sides' objectives: of winning, of the headline's columns, and of those that are set."""
    given = [objective.get(side) for side in sides]
    tables = [one if isinstance(one, Mapping) and one != {"take": 1} else {} for one in given]
    names = dict.fromkeys(["win", *battle.summary, *(name for table in tables for name in table)])
    rows = []
    for name in names if sides else ():
        row = FormRow(f"weight.{name}", "winning" if name == "win" else label_of(battle, name), "")
        for side, table in zip(sides, tables, strict=True):
            value, key = as_text(table.get(name, "")), f"objective.{side}.{name}"
            cell = Node("number", key, name, value=value, step="any", given=name in table, rare=True)
            row.cells.append(cell if side in SIDES else None)
        rows.append(row)
    return rows
