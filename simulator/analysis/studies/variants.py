"""Variants: several linked changes of a scenario and its game file, with values that keep their chances on a new die.

variant(draft("skirmish-hill"), {"rules.dice.sides": 12, "rules.unit.*.attack": "scale"}).fields
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from simulator.rules.battle import Battle
from simulator.scenarios import VARIANT, Draft, ScenarioError, Variant, declared
from simulator.scenarios.schema import settings_of
from simulator.scenarios.validation import brief, not_one_of

SCALE, BASE = "scale", "base"
DIE_SIDES, HIT, LOW = "rules.dice.sides", "rules.dice.hit", "at-most"


def variant(base: Draft, changes: Mapping[str, Any], name: str = "") -> Variant:
    """The fields that a variant of a scenario sets, and a line for each that a pattern or `scale` changes.

    A `*` in a path stands for every name that is set. The setting "scale" keeps the chance of a value of the main die
    as near as the faces of its new `rules.dice.sides` (or `rules.dice.hit`) allow, and above 0. Raises ScenarioError.
    """
    battle = base.battle()
    now = dict(settings_of(battle.rules, "rules")) if battle.rules is not None else {}
    fields: dict[str, Any] = {}
    lines: list[str] = []
    for pattern, to in changes.items():
        if to != SCALE and "*" not in pattern:
            fields[pattern] = to
            continue
        for path in _matching(pattern, now, battle):
            fields[path], line = (
                _scaled(path, now, changes) if to == SCALE else (to, f"{path}: {now[path]} is now {to}")
            )
            lines.append(line)
    return Variant.of(name, fields, tuple(lines))


def variants(base: Draft, names: Iterable[str]) -> list[Variant]:
    """The variants of these names that a scenario declares; `base` is the scenario itself. Raises ScenarioError."""
    known: dict[str, dict[str, Any]] = {BASE: {}, **declared(base.data)}
    found = []
    for name in names:
        if name not in known:
            raise ScenarioError(f"{VARIANT}: {not_one_of(name, list(known))}")
        try:
            found.append(variant(base, known[name], name))
        except ScenarioError as error:
            raise ScenarioError(f"{VARIANT}.{name}: {error}") from None
    return found


def with_variants(base: Draft, given: Mapping[str, Mapping[str, Any]]) -> Draft:
    """The scenario with further variants declared (name -> path -> value)."""
    return base.with_fields({VARIANT: {**declared(base.data), **given}}) if given else base


def _matching(pattern: str, now: Mapping[str, Any], battle: Battle) -> list[str]:
    """The keys of the game file that a pattern stands for, also as the value of a roll written as a table."""
    wanted = re.compile(re.escape(pattern).replace(r"\*", r"[^.\[\]]+") + r"(\.value)?")
    if found := [path for path in now if wanted.fullmatch(path)]:
        return found
    raise ScenarioError(brief(f"{pattern}: no key that is set in the game file of {battle.game} {battle.kind}"))


def _scaled(path: str, now: Mapping[str, Any], changes: Mapping[str, Any]) -> tuple[int, str]:
    """The value on the new die, and a line that says what became of its chance."""
    value, table = now[path], path.removesuffix(".value")
    if type(value) is not int or DIE_SIDES not in now:
        raise ScenarioError(f"{path}: {value} cannot be scaled; give the value of a roll of the main die")
    if now.get(f"{table}.die"):
        return value, f"{path}: {value} stays, with a die of its own"
    (sides, hit), (faces, how) = (
        (one.get(DIE_SIDES, now[DIE_SIDES]), one.get(HIT, now[HIT])) for one in (now, changes)
    )
    if type(faces) is not int:
        raise ScenarioError(f"{DIE_SIDES}: {faces} is not allowed in a variant; give a whole number")
    hits = value if hit == LOW or not value else sides + 1 - value
    new = max(int(hits > 0), min(faces, int(hits * faces / sides + 0.5)))
    to = new if how == LOW or not value else faces + 1 - new
    chances = (
        f"{hits} of {sides} faces hit ({100 * hits / sides:.1f} %), now {new} of {faces} ({100 * new / faces:.1f} %)"
    )
    return to, f"{path}: {value} is now {to}: {chances}"
