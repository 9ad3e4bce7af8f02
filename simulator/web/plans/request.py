"""A plan as the query of an address, and back, with what a button of its page adds, drops or renames."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from simulator.analysis.plan.model import model_of
from simulator.rules import PLAN
from simulator.rules.battle import Battle
from simulator.rules.campaign import carry_of
from simulator.rules.campaign.carry import Carry
from simulator.rules.sides import SIDES
from simulator.scenarios import Draft, ScenarioError, kinds_of
from simulator.scenarios.files import example, plan_names
from simulator.scenarios.kinds import worded
from simulator.scenarios.paths import plain_copy
from simulator.scenarios.schema import as_battle, whole_numbers
from simulator.web import catalogue, links
from simulator.web.messages import Job

HERE = "/plan"
FRONTS = ("target", "hold")
PARTS = ("place", *FRONTS)
# No target at all; a place without `reach` would reach all.
NOTHING = "[]"
# The first target of a game without a shipped plan has this worth: enough to lose some units for it.
WORTH = 10


def carry_in(data: Mapping[str, Any]) -> Carry:
    """The pieces of a plan's game. Raises ScenarioError."""
    of = data.get("of")
    if not isinstance(of, str) or not of:
        raise ScenarioError("of: is needed: the game that is played")
    return worded(lambda: carry_of(of, data.get("rules"), None, False))


def model_in(data: Mapping[str, Any]) -> Battle:
    """The fields of a plan. Raises ScenarioError."""
    if data.get("rules") is None and isinstance(data.get("of"), str):
        return _model_of(data["of"])
    return as_battle(model_of(carry_in(data)), PLAN)


@lru_cache(maxsize=32)
def _model_of(of: str) -> Battle:
    return as_battle(model_of(carry_in({"of": of})), PLAN)


def counted(battle: Battle, piece: str) -> bool:
    """Is a piece of a place a number, and no list of named units?"""
    return whole_numbers(battle, f"place.here.{piece}") is not None


def address_of(data: Mapping[str, Any]) -> str:
    """The address of a plan's page. Raises ScenarioError."""
    return f"{HERE}?{links.query(links.written(data, model_in(data)))}"


def start_of(of: str) -> dict[str, Any]:
    """The plan that the page of a game begins with: a shipped one, or six units against two. Raises ScenarioError."""
    for name in plan_names():
        if example(name)["of"] == of:
            return example(name)
    carry = carry_in({"of": of})
    kinds = carry.planned_kinds()
    if not kinds:
        raise ScenarioError(f"of: {of!r} has no battle that a plan can hold")
    home, border = (units({"of": of}, kinds[0], role, number) for role, number in (("attacker", 6), ("defender", 2)))
    every = {"battle": kinds[0]}
    targets = {"border": {"worth": WORTH, "defender": border}}
    return {"game": PLAN, "of": of, "every": every, "place": {"home": home}, "target": targets}


def units(data: Mapping[str, Any], kind: object, role: str, number: int) -> dict[str, Any]:
    """A number of the first piece that can fight in this role; where pieces have names, those of a shipped battle."""
    carry, model = carry_in(data), model_in(data)
    kind = kind if kind in carry.fights else carry.planned_kinds()[0]
    able = (carry.fights[str(kind)][SIDES.index(role)] or ((),))[0]
    named = catalogue.start_of(kinds_of(str(data["of"]))[str(kind)]).get(role, {})
    first = next(({piece: number} for piece in able if counted(model, piece)), None)
    planned = [piece for piece in carry.pieces if piece not in carry.not_planned]
    return first or {piece: named[piece] for piece in planned if piece in named}


class PlanRequest:
    """A request about one plan. Raises ScenarioError."""

    def __init__(self, job: Job) -> None:
        self.job = job
        pairs, self.options, _ = links.split(job.pairs)
        pairs = [(key, value) for key, value in pairs if key != "game"]
        several = {key for key, value in pairs if value not in {"", NOTHING}}
        pairs = [(key, value) for key, value in pairs if value != NOTHING or key not in several]
        of = dict(pairs).get("of", "").strip()
        battle = model_in({"of": of, "rules": links.house_rules(pairs)})
        read = links.read([(key, _share(key, value)) for key, value in pairs], battle)
        self.data: dict[str, Any] = {"game": PLAN} | _whole(read)
        self.only_game = {key for key, value in pairs if value.strip()} <= {"of"}

    @property
    def draft(self) -> Draft:
        """The plan, not checked yet."""
        return Draft(self.data, paths=False)

    @property
    def address(self) -> str:
        """The address of its page."""
        return address_of(self.data)

    @property
    def part(self) -> bool:
        """Is only the answer asked for?"""
        return self.options.get("part") == ["1"]

    def changed(self) -> tuple[dict[str, Any], str]:
        """The plan with what the buttons of the form ask for, and the card that changes."""
        data, card = plain_copy(self.data), ""
        for asked, values in self.options.items():
            what, _, path = asked.partition(".")
            for value in filter(None, map(str.strip, values)):
                if what == "drop":
                    card = _drop(data, value)
                elif what in {"add", "counter", "unit"}:
                    card = _add(data, what, path or value, value)
                elif what == "name":
                    card = _rename(data, path, value) or card
        for name, place in _tables(data, "place").items():
            reached = place.get("reach")
            if isinstance(reached, list) and {*reached, name} >= {*_fronts(data)}:
                del place["reach"]
        return data, card


def _whole(value: Any) -> Any:
    """The same with 6 for 6.0, as a file would say it."""
    if isinstance(value, dict):
        return {name: _whole(one) for name, one in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _share(key: str, text: str) -> str:
    """A chance as a share: "70 %" and "70" are 0.7."""
    number = text.replace("%", "").strip()
    chance = key.rpartition(".")[2] in {"min_odds", "comes"} and re.fullmatch(r"\d+(\.\d+)?", number)
    per_cent = chance and ("%" in text or float(number) > 1)
    return f"{float(number) / 100:.10g}" if per_cent else text


def _tables(data: Mapping[str, Any], part: str) -> dict[str, dict[str, Any]]:
    found = data.get(part)
    return {name: one for name, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}


def _fronts(data: Mapping[str, Any]) -> list[str]:
    return [name for part in FRONTS for name in _tables(data, part)]


def _drop(data: dict[str, Any], path: str) -> str:
    """Drop a part, or a table of it, and what refers to it."""
    *tables, name = path.split(".")
    inside = links.value_at(data, ".".join(tables)) if tables else None
    if isinstance(inside, dict):
        inside.pop(name, None)
    if tables and tables[0] in FRONTS and len(tables) == 1:
        _refer(data, name, None)
    return "-".join(path.split(".")[:2]) if len(tables) > 1 else ""


def _add(data: dict[str, Any], what: str, path: str, value: str) -> str:
    """Add a place, a target, a hold, a counter-attack, or one unit of a piece to a table."""
    if what == "unit":
        table = links.value_at(data, path)
        if isinstance(table, dict):
            table[value] = 1
        return "-".join(path.split(".")[:2])
    every = data.get("every")
    kind = every.get("battle") if isinstance(every, dict) else None
    if what == "counter":
        if isinstance(target := links.value_at(data, path), dict):
            target["counter"] = {"attacker": units(data, kind, "attacker", 2)}
        return path.replace(".", "-")
    if value not in PARTS:
        return ""
    taken = [*_tables(data, "place")] if value == "place" else _fronts(data)
    name = _free(value, taken)
    new = {"place": units(data, kind, "attacker", 3), "target": {"defender": units(data, kind, "defender", 2)},
           "hold": {"attacker": units(data, kind, "attacker", 2)}}[value]  # fmt: skip
    data.setdefault(value, {})[name] = new
    return f"{value}-{name}"


def _rename(data: dict[str, Any], path: str, asked: str) -> str:
    """Give a part another name, everywhere; its card, or "" if nothing changes."""
    part, _, old = path.partition(".")
    tables = _tables(data, part)
    name = re.sub(r"[^a-z0-9]+", "_", asked.lower()).strip("_")[:40]
    if part not in PARTS or old not in tables or name == old or not re.match("[a-z]", name):
        return ""
    name = _free(name, [one for one in (tables if part == "place" else _fronts(data)) if one != old])
    data[part] = {name if one == old else one: table for one, table in data[part].items()}
    if part in FRONTS:
        _refer(data, old, name)
    return f"{part}-{name}"


def _free(name: str, taken: list[str]) -> str:
    """A name that is not taken: the name itself, or with the next number."""
    at = 2
    found = name
    while found in taken:
        found, at = f"{name}_{at}", at + 1
    return found


def _refer(data: dict[str, Any], old: str, new: str | None) -> None:
    """Rename a target or hold, or leave it out, wherever it is named."""

    def renamed(names: Any) -> Any:
        return [new if one == old else one for one in names if one != old or new] if isinstance(names, list) else names

    for place in _tables(data, "place").values():
        if "reach" in place:
            place["reach"] = renamed(place["reach"])
        if isinstance(place.get("reach_of"), dict):
            place["reach_of"] = {piece: renamed(names) for piece, names in place["reach_of"].items()}
    if "aims" in data:
        data["aims"] = renamed(data["aims"])
