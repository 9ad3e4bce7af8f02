"""The form of a plan: a card a place, a card a target or hold. What has no field of its own is carried along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simulator.rules.campaign.carry import fields_of
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.words import words
from simulator.scenarios.paths import plain_copy
from simulator.web import links
from simulator.web.plans.request import FRONTS, carry_in, counted, model_in

OBJECTIVES = {"worth": "worth most", "all": "all must fall", "cheapest": "cheapest"}
# The weight of a lost unit beside the worth of targets, and the words of its field.
LOSSES = {"own_lost": "your lost units count", "enemy_lost": "his lost units count"}
MOST = {"place": 12, "target": 8, "hold": 8}


@dataclass
class UnitRows:
    """The pieces of a table: rows (piece, label, value, in a place the number that stays), and those not there yet.

    `counted`: the value is a plain number; of other games a piece is a list in TOML.
    """

    key: str
    rows: list[dict[str, Any]]
    others: list[tuple[str, str]]


@dataclass
class Card:
    """A place, a target or a hold: its fields and its units; of a place what it reaches (name, label, yes or no).

    `again`: who strikes back, None without a counter-attack. `fields`: the values of its other fields.
    """

    part: str
    name: str
    label: str
    units: UnitRows
    fields: dict[str, str] = field(default_factory=dict)
    reach: list[tuple[str, str, bool]] = field(default_factory=list)
    again: UnitRows | None = None

    @property
    def key(self) -> str:
        """The path of its table."""
        return f"{self.part}.{self.name}"


@dataclass
class PlanForm:
    """The form of a plan; `carried`: the pairs of what has no field.

    `losses`: what a lost unit of ours and of the enemy counts; `prices`: of the pieces in the places. Rows of the name,
    the label, the value that is given and the usual one.
    """

    of: str
    kind: str
    kinds: list[str]
    objective: str
    losses: list[dict[str, str]]
    prices: list[dict[str, str]]
    places: list[Card]
    fronts: list[Card]
    carried: links.Pairs

    def room(self, part: str) -> bool:
        """May one more be added?"""
        cards = self.places if part == "place" else [one for one in self.fronts if one.part == part]
        return len(cards) < MOST[part]


class _PlanFormMaker:
    """The parts of a form; `rest` is the plan without what has a field."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.carry, self.model, self.rest = carry_in(data), model_in(data), plain_copy(data)
        self.of, self.kinds = str(data.get("of")), self.carry.planned_kinds()
        self.kind = str(self.take("every", "battle") or "")
        self.worth = self.take("every", "worth")
        self.names = [name for part in FRONTS for name in self.table(part)]

    def table(self, *path: str) -> dict[str, Any]:
        """The table at a path of what has no field yet; an empty one if there is none."""
        node: Any = self.rest
        for name in path:
            node = node.get(name) if isinstance(node, dict) else None
        return node if isinstance(node, dict) else {}

    def take(self, *path: str) -> Any:
        """The value at a path, which has a field now; None without one."""
        return self.table(*path[:-1]).pop(path[-1], None)

    def usable(self, kind: str, role: str) -> list[str]:
        """The pieces that a side may have in this role."""
        known = fields_of(self.carry.kinds[kind], role) if kind in self.carry.kinds else {}
        return [piece for piece in self.carry.pieces if not known or piece in known]

    def units(self, path: tuple[str, ...], usable: Iterable[str], stay: bool = False) -> UnitRows:
        """The pieces of a table; all of them if they are lists."""
        table, rows, others = self.table(*path), [], []
        for piece in self.carry.pieces:
            number, there = counted(self.model, piece), piece in table
            if not there and piece in self.carry.not_planned:
                continue
            if there or (piece in usable and not number):
                value = table.pop(piece, None)
                plain = number and isinstance(value, int)
                rows.append({
                    "piece": piece, "label": words(piece), "counted": plain,
                    "value": links.untyped(value) if value is not None else "",
                    "stay": links.untyped(self.take(*path, "stay", piece) or "") if stay else "",
                })  # fmt: skip
            elif piece in usable:
                others.append((piece, words(piece)))
        return UnitRows(".".join(path), rows, others)

    def place(self, name: str) -> Card:
        """The card of a place."""
        path = ("place", name)
        kinds = [self.kind] if self.kind in self.kinds else self.kinds
        usable = {piece for kind in kinds for role in SIDES for piece in self.usable(kind, role)}
        reach = self.take(*path, "reach")
        fronts = [one for one in self.names if one != name]
        chosen = [(one, words(one), reach is None or one in reach) for one in fronts]
        return Card("place", name, words(name), self.units(path, usable, stay=True), {}, chosen)

    def front(self, part: str, name: str) -> Card:
        """The card of a target or a hold."""
        path, side = (part, name), "defender" if part == "target" else "attacker"
        kind = str(self.table(*path).get("battle") or self.kind)
        worth = self.take(*path, "worth")
        worth = self.worth if worth is None else worth
        given = {"worth": worth, "min_odds": self.take(*path, "min_odds")}
        given |= {"comes": self.take(*path, "comes")} if part == "hold" else {}
        if part == "target":
            given["at_most"] = self.take(*path, "at_most", "units")
        fields = {key: "" if value is None else _said(key, value) for key, value in given.items()}
        again = None
        if isinstance(self.table(*path).get("counter"), dict):
            again = self.units((*path, "counter", "attacker"), self.usable(kind, "attacker"))
        return Card(part, name, words(name), self.units((*path, side), self.usable(kind, side)), fields, [], again)

    def losses(self) -> list[dict[str, str]]:
        """The weights of a lost unit, own and enemy."""
        usual = {"own_lost": "-1", "enemy_lost": "1"} if self.carry.prints_prices else dict.fromkeys(LOSSES, "0")
        return [self.row("weights", name, said, usual[name]) for name, said in LOSSES.items()]

    def prices(self, places: Iterable[Card]) -> list[dict[str, str]]:
        """The prices of the pieces in the places, as far as the game prices them one by one."""
        priced, prices = self.carry.priced(), self.carry.prices()
        there = {
            row["piece"]: row["label"]
            for card in places
            for row in card.units.rows
            if len(priced.get(row["piece"], ()))
        }
        return [self.row("price", piece, said, f"{prices[priced[piece]][0]:g}") for piece, said in there.items()]

    def row(self, table: str, name: str, said: str, usual: str) -> dict[str, str]:
        """A number that may be given in place of the usual one."""
        value = self.take(table, name)
        return {"name": name, "label": said, "value": "" if value is None else _said(name, value), "usual": usual}


def _said(key: str, value: Any) -> str:
    """A value as it stands in its field: chances in per cent."""
    share = key in {"min_odds", "comes"} and isinstance(value, int | float) and 0 <= value <= 1
    if share:
        return f"{100 * value:.10g} %"
    return f"{value:.10g}" if isinstance(value, float) else links.untyped(value)


def form_of(data: Mapping[str, Any]) -> PlanForm:
    """The form of a plan, filled in. Raises ScenarioError for a game that is not known."""
    made = _PlanFormMaker(data)
    places = [made.place(name) for name in list(made.table("place"))]
    fronts = [made.front(part, name) for part in FRONTS for name in list(made.table(part))]
    for name in ("game", "of", "place"):
        taken = made.rest.pop(name, None)
        if name == "place" and isinstance(taken, dict):
            made.rest["place"] = {one: table for one, table in taken.items() if table}
    objective = str(made.rest.pop("objective", "worth"))
    losses, prices = made.losses(), made.prices(places)
    carried = [
        (key, value)
        for key, value in links.written(made.rest, model_in(data))
        if value != "{}" or links.value_at(data, key) == {}
    ]
    return PlanForm(made.of, made.kind, made.kinds, objective, losses, prices, places, fronts, carried)
