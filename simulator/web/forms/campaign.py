"""The form of a campaign: forces as columns of one table, fights as cards in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simulator.rules import CAMPAIGN
from simulator.rules.battle import Battle
from simulator.rules.campaign import carry_of
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.words import words
from simulator.scenarios.schema import branches, branches_at, schema_of
from simulator.web.forms.battle import form_of as form_of_battle
from simulator.web.forms.battle import paired, single_rows
from simulator.web.forms.generator import Generator
from simulator.web.forms.parts import Form, FormRow, Node
from simulator.web.links import key_of, untyped

# Fields of a side that decide whether to fight: the attacker's alone.
DECISIONS = {"go", "min_odds", "min_units"}


@dataclass
class FightCard:
    """A fight: its fields that are always in sight, its sides (force, pieces of their own), who joins, and the rest.

    `joins` and `given` are those that are set; the others are folded away.
    """

    key: str
    head: list[Node]
    sides: list[list[Node]]
    joins: list[FormRow]
    more_joins: list[FormRow]
    given: list[Node]
    rest: list[Node]


def form_of(battle: Battle, data: Mapping[str, Any]) -> Form:
    """The form of a campaign or of a battle kind, filled in with a scenario."""
    if battle.game != CAMPAIGN:
        return form_of_battle(battle, data)
    made = _Maker(battle, data)
    root = made.own.table("", "", schema_of(battle.model), data, True).inside
    singles = single_rows([one for one in root if one.key not in {"of", "force", "fight"}])
    for row in singles:
        if row.key == "every.battle" and row.single:
            made.choose(row.single, list(made.carry.fights), "")
        if row.key.startswith("every."):
            row.label = f"every fight: {row.label}"
    rows = paired([Node("table", "", "", inside=made.force(name)) for name in made.forces], battle)
    shown = [row for row in rows if not all(one.rare for one in row.nodes) or any(one.given for one in row.nodes)]
    play = [row for row in singles if row.key in {"us", "goal", "every.battle"}]
    return Form(
        list(made.forces),
        shown,
        play,
        [row for row in singles if row not in play],
        [],
        [row for row in rows if row not in shown],
        [made.card(place, one if isinstance(one, Mapping) else {}) for place, one in enumerate(made.fights)],
    )


def _alone(node: Node, key: str, value: Any) -> Node:
    """The field of a battle kind as one control under another key; empty where it is not given."""
    text = "" if value is None else untyped(value)
    one = Node("text", key, node.label, node.help, text, rare=node.rare, given=value is not None, default=node.default)
    if node.kind in {"number", "choice"}:
        one.kind, one.low, one.high, one.step = node.kind, node.low, node.high, node.step
        one.choices = [*dict.fromkeys(["", *node.choices])]
    return one


class _Maker:
    """The parts of the form of one campaign."""

    def __init__(self, battle: Battle, data: Mapping[str, Any]) -> None:
        assert battle.made is not None
        self.battle, self.own, self.carry = battle, Generator(battle), carry_of(*battle.made[1][:4])
        forces, fights, every = data.get("force"), data.get("fight"), data.get("every")
        self.forces: Mapping[str, Any] = forces if isinstance(forces, Mapping) else {}
        places = data.get("fortress")
        self.fortresses = list(places) if isinstance(places, Mapping) else []
        self.fights: list[Any] = fights if isinstance(fights, list) else []
        self.kind = str(every.get("battle") or "") if isinstance(every, Mapping) else ""
        self.used = [str(one.get("battle") or self.kind) for one in self.fights if isinstance(one, Mapping)]

    @staticmethod
    def choose(node: Node, choices: list[str], default: str) -> Node:
        """The text field as a choice among names, or none of them."""
        node.kind, node.choices, node.default = "choice", ["", *choices], default
        return node

    def known(self, kind: str, path: str, given: Any) -> dict[str, Node]:
        """The fields of both roles of a battle kind, at another path; empty where they are not given."""
        found: dict[str, Node] = {}
        if kind not in self.carry.fights:
            return found
        battle = self.carry.kinds[kind]
        schema = schema_of(battle.model)
        for role in SIDES:
            for table in branches(schema["properties"].get(role, {}), schema):
                for node in Generator(battle).table(path, "", table, given, False).inside:
                    field = node.key.rpartition(".")[2]
                    name = self.carry.renamed.get(kind, {}).get(field, field)
                    value = given.get(name) if isinstance(given, Mapping) else None
                    found.setdefault(name, _alone(node, key_of(f"{path}.{name}"), value))
        return found

    def force(self, force: str) -> list[Node]:
        """The column of a force: the pieces as a campaign types them, the traits as a battle kind does."""
        path, given = f"force.{force}", self.forces[force]
        table = branches_at(self.battle, path)[0]
        own = {one.key.rpartition(".")[2]: one for one in self.own.table(path, "", table, given, False).inside}
        known: dict[str, Node] = {}
        for kind in (*self.used, *self.carry.fights):
            for name, node in self.known(kind, path, given).items():
                node.rare = node.rare or kind not in self.used
                known.setdefault(name, node)
        for name, node in own.items():
            twin = known.get(name, Node("text", node.key, node.label, value=node.value, rare=True))
            if name in self.carry.pieces:
                node.label, node.help, node.rare = twin.label, twin.help, twin.rare
                node.choices = ["", *node.choices] if node.kind == "choice" else node.choices
            else:
                own[name] = twin
        return [own[name] for name in dict.fromkeys([*(one for one in known if one in own), *own])]

    def card(self, place: int, fight: Mapping[str, Any]) -> FightCard:
        """The card of a fight."""
        path, spelled = f"fight[{place}]", dict(fight)
        for role in SIDES:
            side = fight.get(role)
            table = dict(side) if isinstance(side, Mapping) else {"force": side} if side else {}
            if "fortress" in table:
                table["force"] = table.pop("fortress")
            spelled[role] = {"join": {}} | table
        table = branches_at(self.battle, path)[0]
        inside = {one.key.rpartition(".")[2]: one for one in self.own.table(path, "", table, spelled, False).inside}
        self.choose(inside["battle"], list(self.carry.fights), self.kind)
        kind, sides = str(fight.get("battle") or self.kind), list[list[Node]]()
        joins, rest = list[Node | None](), list[Node]()
        for role in SIDES:
            nodes = {one.key.rpartition(".")[2]: one for one in inside.pop(role).inside}
            joins.append(nodes.pop("join"))
            nodes.pop("fortress", None)  # chosen like a force
            places = self.fortresses if role == "defender" else []
            named = self.choose(nodes.pop("force"), [*self.forces, *places], "pieces of its own")
            named.label, named.help, unnamed = role, "", not named.value
            own = self.extra(kind, f"{path}.{role}", spelled[role], unnamed, set(nodes))
            front = [one for one in own if unnamed and (one.given or not one.rare)]
            sides.append([named, *front])
            further = [one for name, one in nodes.items() if role == "attacker" or name not in DECISIONS]
            for one in (*further, *(one for one in own if one not in front)):
                one.label, one.rare = f"{role}: {one.label}", False
                rest.append(one)
        inside["if"].label = "only if"
        head = [inside.pop(name) for name in ("name", "battle", "if")]
        for one in head:
            one.help = ""
        rows = paired(joins, self.battle)
        shown = [row for row in rows if any(one.is_set for one in row.nodes)]
        hidden = [row for row in rows if row not in shown]
        rest += inside.values()
        given = [one for one in rest if one.is_set]
        return FightCard(key_of(path), head, sides, shown, hidden, given, [one for one in rest if one not in given])

    def extra(self, kind: str, path: str, given: Mapping[str, Any], unnamed: bool, frame: set[str]) -> list[Node]:
        """The fields of the game that one side of one fight has: with its pieces if it is no force."""
        found = self.known(kind, path, given)
        for name, value in given.items():
            found.setdefault(
                name, Node("text", key_of(f"{path}.{name}"), words(name), value=untyped(value), given=True)
            )
        pieces = () if unnamed else self.carry.pieces
        return [one for name, one in found.items() if name not in {"force", "join", *frame, *pieces}]
