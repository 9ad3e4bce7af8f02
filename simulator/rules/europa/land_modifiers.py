"""Die roll modifiers of a land battle, each with its reason and source (section 3.2 step 2, pursuit 3.5 step 8).

They are all cumulative, from the stacks as they start, and never recomputed. The sum of this list is what is rolled
with, so that the list is the explanation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from simulator.rules.europa.leaders import advantage
from simulator.rules.europa.modifiers import BOTH_DAYS, FIRST_DAY, LAW, SECOND_DAY, Modifier
from simulator.rules.europa.stacks import LD, Stack

PURSUIT = f"{LAW} 3.5 step 8"
WOODS_AND_WASTES = ("sparse-forest", "dense-forest", "northern-forest", "swamp", "desert")
HEAVY_CAVALRY_CLASSES = ("I", "IM", "II", "IIM")


class CavalryGround(NamedTuple):
    """Who has structural cavalry, when and where (section 3.2)."""

    who: str
    periods: tuple[str, ...]
    terrains: tuple[str, ...]


CAVALRY = (
    CavalryGround("IIM", ("I", "II", "III", "IV"), ("plain", "sparse-forest")),
    CavalryGround("IIIM", ("IV", "V"), ("plain", "dense-forest", "northern-forest")),
    CavalryGround("IV", ("III", "IV", "V"), ("plain",)),
    CavalryGround("sweden", ("III", "IV", "V", "VI"), ("plain", "northern-forest")),
)
SIPAHI_GROUND = ("plain", "desert")


def has_cavalry(fields: Any, stack: Stack) -> bool:
    """Structural cavalry: given, or an ARMY of the right class, period and terrain; Turkish Sipahi until m-2."""
    side, conditions = getattr(fields, stack.name), fields.conditions
    if side.structural_cavalry != "auto":
        return bool(side.structural_cavalry == "yes")
    if not stack.has_army:
        return False
    if stack.turkish and side.turkish_reform != "m-2" and conditions.terrain in SIPAHI_GROUND:
        return True
    return any(
        ground.who in {stack.army_class, stack.country}
        and conditions.period in ground.periods
        and conditions.terrain in ground.terrains
        for ground in CAVALRY
    )


def is_interception(fields: Any) -> bool:
    """An interception, or an overrun of 4 to under 8 times that is fought as one (section 3.5 step 1)."""
    declared = "declare" in (fields.policy.attacker.overrun, fields.policy.defender.overrun)
    return bool(fields.conditions.interception or declared)


def side_modifiers(fields: Any, own: Stack, enemy: Stack) -> list[Modifier]:
    """All modifiers of one side, its leader's advantage apart."""
    return [
        *_of_the_day(own),
        *_of_troops(fields, own, enemy),
        *_of_terrain(fields, own),
        *_of_entry(fields, own),
        *_in_pursuit(fields, own),
    ]


def _of_the_day(own: Stack) -> list[Modifier]:
    return [Modifier(own.name, SECOND_DAY, -1, -1, "second day")]


def _of_troops(fields: Any, own: Stack, enemy: Stack) -> list[Modifier]:
    side, found = getattr(fields, own.name), []
    if side.facing_the_ottomans:
        found.append(Modifier(own.name, BOTH_DAYS, 0, -2, "facing the Ottomans"))
    if enemy.tercios and not (own.has_army and own.army_class in HEAVY_CAVALRY_CLASSES):
        found.append(Modifier(own.name, BOTH_DAYS, 0, -1, "enemy Tercios"))
    conquers = own.leader.kind == "conquistador" and fields.conditions.period in {"I", "II", "III", "IV"}
    if not own.has_army and not conquers:
        found.append(Modifier(own.name, BOTH_DAYS, -1, 0, "no ARMY in the stack"))
    if own.artillery >= 6:
        found.append(Modifier(own.name, BOTH_DAYS, 1, 0, f"artillery value {own.artillery}"))
    if own.size >= enemy.size + 3 * LD:
        found.append(Modifier(own.name, BOTH_DAYS, 0, 1, "at least 3 LD more than the enemy"))
    if has_cavalry(fields, own):
        reason = "Sipahi cavalry" if own.turkish else "structural cavalry"
        found.append(Modifier(own.name, BOTH_DAYS, 0, 1, reason))
    return found


def _of_terrain(fields: Any, own: Stack) -> list[Modifier]:
    terrain = fields.conditions.terrain
    if terrain in WOODS_AND_WASTES:
        return [Modifier(own.name, BOTH_DAYS, -1, -1, terrain)]
    if terrain == "mountain" and own.name == "attacker" and not is_interception(fields):
        return [Modifier(own.name, BOTH_DAYS, -1, -1, "attack into mountains")]
    return []


def _of_entry(fields: Any, own: Stack) -> list[Modifier]:
    if own.name != "attacker":
        return []
    found, crossing = [], fields.conditions.crossing
    if crossing in {"river", "pass"}:
        found.append(Modifier(own.name, FIRST_DAY, -1, -1, f"crossed a {crossing}"))
    if crossing in {"strait", "landing"}:
        reason = "crossed a strait" if crossing == "strait" else "landed from the sea"
        found.append(Modifier(own.name, FIRST_DAY, -2, -3, reason))
    if fields.attacker.foraging:
        found.append(Modifier(own.name, FIRST_DAY, -1, -1, "foraging"))
    return found


def _in_pursuit(fields: Any, own: Stack) -> list[Modifier]:
    found = []
    if fields.conditions.terrain != "plain":
        found.append(Modifier(own.name, (), 0, 0, "pursuit outside the plain", PURSUIT, -1))
    if own.turkish and has_cavalry(fields, own):
        found.append(Modifier(own.name, (), 0, 0, "Sipahi in pursuit", PURSUIT, 1))
    return found


def leader_modifier(own: Stack, fire: int, shock: int, cap: int) -> Modifier:
    """The advantage of a leader whose values differ from the enemy's by `fire` and `shock`."""
    gain = Modifier(
        own.name, BOTH_DAYS, advantage(fire, 0, cap), advantage(shock, 0, cap), f"leader: {own.leader.told()}"
    )
    return gain._replace(pursuit=max(0, shock))
