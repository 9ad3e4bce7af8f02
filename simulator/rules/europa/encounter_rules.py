"""Interception, blockade runs and strait fire (docs/rules/europa_naval_and_other.md sections 5 to 7)."""

from __future__ import annotations

import random
from collections import Counter
from typing import NamedTuple

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Built
from simulator.rules.europa.fleets import LAW, ND, Fleet, fleet_of, loss_order, ships_left
from simulator.rules.europa.spelled import FACES, Bonus, built, plainly, rolled, spell_out, sum_of, why
from simulator.rules.europa.voyage_model import (
    BlockadeRun,
    Interception,
    InterceptionConditions,
    Interceptor,
    SeaInterceptor,
    StraitFire,
    Work,
)
from simulator.rules.toolkit.faces import face_where

SUCCESS, GAP = 8, 6


# --- interception (section 5) ---


def intercepts(die: int, modifier: int) -> bool:
    """Modified 8 or more, or a natural 10."""
    return die == 10 or die + modifier >= SUCCESS


def sea_bonuses(own: SeaInterceptor, manoeuvre: int, enemy: int, bad_weather: bool) -> list[Bonus]:
    """Modifiers of an interception at sea: of the last ones only the highest that applies."""
    places = []
    if not own.in_port and own.technology in {"three-decker", "seventy-four"}:
        places.append(Bonus(1, f"{own.technology} at sea"))
    if own.same_zone:
        places.append(Bonus(1, "same zone"))
    if own.landing_nearby:
        places.append(Bonus(2, "landing announced nearby"))
    if own.in_port:
        places.append(Bonus(-3, "in a port that is no arsenal"))
    return [
        Bonus(manoeuvre - enemy, "difference of manoeuvre"),
        Bonus(int(own.technology_gap >= GAP), f"technology {GAP} or more ahead"),
        Bonus(-2 * bad_weather, "bad weather"),
        Bonus(-int(own.blockading), "blockading"),
        *([max(places)] if places else []),
    ]


def land_bonuses(
    own: Interceptor, enemy: int, conditions: InterceptionConditions, counter: bool = False
) -> list[Bonus]:
    """Modifiers of an interception on land."""
    prefix = "counter_" if counter else ""
    friend = getattr(conditions, f"{prefix}friendly_force_or_city")
    foe = getattr(conditions, f"{prefix}other_enemy_force")
    return [
        Bonus(own.manoeuvre - enemy, "difference of manoeuvre"),
        Bonus(int(own.technology_gap >= GAP), f"technology {GAP} or more ahead"),
        Bonus(int(own.same_province), "same province"),
        Bonus(int(friend), "friendly force or city"),
        Bonus(-int(conditions.target_swamp), "the target is a swamp"),
        Bonus(-int(own.from_swamp_or_flooded), "from a swamp or flooded province"),
        Bonus(-2 * conditions.bad_weather, "bad weather"),
        Bonus(-2 * own.river_or_pass, "across a river or pass"),
        Bonus(-2 * foe, "another enemy force"),
        Bonus(-int(own.besieging), "besieging"),
    ]


class Met(NamedTuple):
    """Who has tried so far, how many have come, and the best manoeuvre among the interceptors."""

    tried: int = 0
    arrived: int = 0
    best: int = 0
    countered: int = 0
    helped: int = 0


def build_interception(fields: Interception) -> Built:
    """Everything that answers an interception."""
    conditions = fields.conditions
    interceptors, helpers = fields.attacker.interceptors or [fields.attacker], fields.defender.counter_interceptors

    def bonuses(own: Interceptor) -> list[Bonus]:
        if conditions.where == "sea":
            return sea_bonuses(own, own.manoeuvre, fields.defender.manoeuvre, conditions.bad_weather)
        return land_bonuses(own, fields.defender.manoeuvre, conditions)

    def tried(state: Met, success: bool) -> Met:
        man = interceptors[state.tried].manoeuvre
        best = max(state.best, man) if success else state.best
        return state._replace(tried=state.tried + 1, arrived=state.arrived + success, best=best)

    def throw(state: Met, die: int) -> Met:
        if state.tried < len(interceptors):
            own = interceptors[state.tried]
            sure = own.automatic or conditions.automatic
            return tried(state, sure or intercepts(die, sum_of(bonuses(own))))
        helper = helpers[state.countered]
        modifier = sum_of(land_bonuses(helper, state.best, conditions, True))
        helped = state.helped + (helper.automatic or intercepts(die, modifier))
        return state._replace(countered=state.countered + 1, helped=helped)

    def follow(state: Met) -> Counter[Met] | None:
        more = state.tried < len(interceptors) or (state.arrived and state.countered < len(helpers))
        return rolled(lambda die: throw(state, die)) if more else None

    def tell(before: Met, after: Met, dice: random.Random) -> str:
        die = face_where(FACES, lambda face: throw(before, face) == after, dice)
        if before.tried < len(interceptors):
            own = interceptors[before.tried]
            if own.automatic or conditions.automatic:
                return f"Interceptor {before.tried + 1} needs no roll."
            ends = "intercepts" if after.arrived > before.arrived else "does not come"
            return f"Interceptor {before.tried + 1}: {plainly(die, sum_of(bonuses(own)))}: {ends}."
        if helpers[before.countered].automatic:
            return f"Counter-interceptor {before.countered + 1} needs no roll."
        modifier = sum_of(land_bonuses(helpers[before.countered], before.best, conditions, True))
        ends = "comes to help" if after.helped > before.helped else "does not come"
        return f"Counter-interceptor {before.countered + 1}: {plainly(die, modifier)}: {ends}."

    def seen(state: Met) -> dict[str, object]:
        return {
            "winner": ATTACKER if state.arrived else DEFENDER,
            "intercepted": state.arrived > 0,
            "interceptors_arrived": state.arrived,
            "counter_interceptors_arrived": state.helped,
        }

    lines = [
        line
        for number, own in enumerate(interceptors, 1)
        for line in why(f"interceptor {number}", bonuses(own), f"{LAW} 5")
    ]
    for number, own in enumerate(helpers, 1):
        lines += why(f"counter-interceptor {number}", land_bonuses(own, 0, conditions, True)[1:], f"{LAW} 5")
    rests = f"interception at {conditions.where}: modified {SUCCESS} or a natural 10"
    return built(spell_out(Met(), follow, tell), seen, [rests], lines)


# --- blockade runs (section 6) ---

FREE, STOPPED, CAUGHT = "escapes", "is stopped", "is caught"


class Runner(NamedTuple):
    """What bears on a blockade run of either side."""

    fleet: Fleet
    technology: str
    manoeuvre: int


def run_bonuses(own: Runner, blockader: Runner) -> list[Bonus]:
    """Modifiers of a blockade run."""
    fleet = blockader.fleet
    ships_only = fleet.warships and not fleet.galleys and not fleet.galleasses
    return [
        Bonus(max(0, own.manoeuvre - blockader.manoeuvre), "better manoeuvre"),
        Bonus(int(fleet.detachments < own.fleet.detachments), "the blockader has fewer ND"),
        Bonus(int(bool(ships_only) and blockader.technology != "seventy-four"), "the blockader has warships only"),
    ]


def run_result(modified: int) -> str:
    """What a modified die means."""
    return FREE if modified >= SUCCESS else STOPPED if modified >= 6 else CAUGHT


def build_blockade_run(fields: BlockadeRun) -> Built:
    """Everything that answers a blockade run."""
    own, blockader = (Runner(fleet_of(s), s.technology, s.manoeuvre) for s in (fields.attacker, fields.defender))
    bonuses = run_bonuses(own, blockader)
    drm, corsair = sum_of(bonuses), fields.attacker.corsair
    engages = fields.policy.defender.engage == "always"

    def throw(die: int) -> str:
        return run_result(die + drm)

    def tell(before: str, after: str, dice: random.Random) -> str:
        die = face_where(FACES, lambda face: throw(face) == after, dice)
        return f"Blockade run: {plainly(die, drm)}: {'the corsair' if corsair else 'the fleet'} {after}."

    def seen(state: str) -> dict[str, object]:
        battle, hit = state == CAUGHT and engages and not corsair, state == CAUGHT and corsair
        return {
            "winner": ATTACKER if state == FREE else DEFENDER if battle or hit else NOBODY,
            "escaped": state == FREE,
            "stopped": state != FREE,
            "caught": state == CAUGHT,
            "battle": battle,
            "corsair_sides_lost": int(hit),
            "modifier": drm,
        }

    course = spell_out("", lambda state: None if state else rolled(throw), tell)
    rests = [
        f"caught: {'a corsair loses a side' if corsair else 'battle' if engages else 'no battle (engage never)'}",
        "the battle itself is a naval scenario with conditions.interception",
    ]
    return built(course, seen, rests, why("blockade run", bonuses, f"{LAW} 6"))


# --- strait fire (section 7) ---

STOPS, SINKS_ONE, SINKS_TWO = 9, 11, 13


def fire_bonuses(work: Work, counters: int) -> list[Bonus]:
    """Modifiers of a work's fire."""
    value = {
        "presidio": work.level,
        "strait-europe": 2,
        "strait-rotw": work.level // 2,
        "siegeworks": work.siegeworks_plus,
    }[work.work]
    return [Bonus(value, work.work), Bonus(int(counters > 0), "FLEET counter")]


def hits(modified: int) -> int | None:
    """ND sunk, or None if the fleet is not stopped."""
    if modified < STOPS:
        return None
    return int(modified >= SINKS_ONE) + int(modified >= SINKS_TWO)


def under_fire(fleet: Fleet, nd: int, order: tuple[str, ...]) -> Fleet:
    """The fleet without so many ND, each one ship of the first kind present; of warships 3 thirds or what there is."""
    for _ in range(nd):
        kind = next((kind for kind in order if getattr(fleet, kind)), None)
        if kind == "warships":
            fleet = fleet._replace(warships=max(0, fleet.warships - ND))
        elif kind:
            fleet = fleet._replace(**{kind: getattr(fleet, kind) - 1})
    return fleet


class UnderFire(NamedTuple):
    """What became of the passing fleet or corsair."""

    stopped: bool
    fleet: Fleet
    corsair: int
    lost: int
    over: bool = True


def build_strait_fire(fields: StraitFire) -> Built:
    """Everything that answers a work's fire."""
    side = fields.defender
    bonuses = fire_bonuses(fields.attacker, side.fleets_minus + side.fleets_plus)
    drm, start = sum_of(bonuses), fleet_of(side)
    order = loss_order(fields.policy.defender.losses, side.loaded)
    begun = UnderFire(False, start, side.corsair_sides, 0, False)

    def throw(die: int) -> UnderFire:
        sunk = hits(die + drm)
        if not sunk:
            return begun._replace(stopped=sunk is not None, over=True)
        if side.corsair_sides:
            lost = min(sunk, side.corsair_sides)
            return UnderFire(True, start, side.corsair_sides - lost, lost)
        one = under_fire(start, 1, order)
        left = under_fire(start, sunk, order)
        return UnderFire(True, left, 0, 1 + (left != one) if sunk == 2 else 1)

    def tell(before: UnderFire, after: UnderFire, dice: random.Random) -> str:
        die = face_where(FACES, lambda face: throw(face) == after, dice)
        ends = f"stopped, {after.lost} ND sunk" if after.stopped else "it passes"
        return f"{fields.attacker.work} fires: {plainly(die, drm)}: {ends}."

    def seen(state: UnderFire) -> dict[str, object]:
        return {
            "winner": ATTACKER if state.stopped else DEFENDER,
            "stopped": state.stopped,
            "detachments_lost": state.lost,
            **ships_left("defender", state.fleet),
            "defender_losses_thirds": start.thirds - state.fleet.thirds,
            "defender_corsair_sides_left": state.corsair,
            "modifier": drm,
        }

    course = spell_out(begun, lambda state: None if state.over else rolled(throw), tell)
    rests = [
        f"sunk first: {' then '.join(order)} (ASSUMED: one ND is the first in the loss order)",
        "a stopped fleet then rolls attrition: its own scenario",
    ]
    return built(course, seen, rests, why("fire", bonuses, f"{LAW} 7"))
