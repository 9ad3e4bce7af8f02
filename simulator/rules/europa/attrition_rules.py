"""Attrition of stacks and fleets (docs/rules/europa_naval_and_other.md section 4)."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Built
from simulator.rules.europa.attrition_model import Attrition, AttritionConditions, CountryConditions, VoyageConditions
from simulator.rules.europa.fleets import (
    LAW,
    Afloat,
    Fleet,
    Hold,
    cargo_of,
    fleet_of,
    hold_of,
    loss_order,
    ships_left,
    stormed,
)
from simulator.rules.europa.losses import Pillaging, clamped, remainders
from simulator.rules.europa.passage_model import PassageConditions
from simulator.rules.europa.spelled import FACES, Bonus, built, plainly, rolled, spell_out, sum_of, why
from simulator.rules.europa.stacks import LD, detachments, size_of
from simulator.rules.europa.tables import Book, book
from simulator.rules.toolkit.faces import face_where

FORAGERS = ("musket", "baroque", "manoeuvre")
MASSED, MASSED_WITHOUT_LOGISTICS = 6 * LD, 3 * LD
FAR, SLOW = 6, 3
SOURCE = f"{LAW} 4"


# --- troops ---


class Marched(NamedTuple):
    """Troops after attrition."""

    left: int
    pillage: bool = False
    foraging: bool = False


@dataclass(frozen=True)
class March:
    """How troops suffer: where, with which technology and policy, and whether they move."""

    book: Book
    technology: str
    policy: str
    europe: bool
    can_pillage: bool
    moving: bool

    def after(self, thirds: int, modified: int) -> Counter[Marched]:
        """What is left after a modified die, with weights."""
        die = clamped(modified)
        if not self.europe:
            left = remainders(self.book, thirds, self.book.attrition_percent[die])
            return Counter({Marched(rest): weight for rest, weight in left.items()})
        lost, pillage = self.book.attrition_europe(die, thirds // LD)
        placed = bool(pillage)
        if pillage and self.can_pillage:
            more, sides = Pillaging(self.technology, self.policy).after(0)
            lost, placed = lost + more, bool(sides)
        elif pillage:
            lost, placed = lost + 1, False
        forages = placed and self.moving and self.technology in FORAGERS and self.policy == "pillage"
        return Counter([Marched(max(0, thirds - LD * lost), placed, forages)])


class Roll(NamedTuple):
    """Is attrition rolled, and with which modifiers?"""

    rolled: bool
    bonuses: list[Bonus]


def of_the_country(
    conditions: CountryConditions, manoeuvre: int, straits: int, revolts: tuple[int, int]
) -> list[Bonus]:
    """Modifiers of supply and of movement on land alike."""
    return [
        Bonus(2 * conditions.no_supply_line, "no supply line"),
        Bonus(2 * conditions.enemy_province, "enemy province"),
        Bonus(-manoeuvre, "manoeuvre"),
        Bonus(straits, "closed straits"),
        Bonus(conditions.pillages_minus, "PILLAGE-"),
        Bonus(2 * conditions.pillages_plus, "PILLAGE+"),
        Bonus(revolts[0], "REVOLT-"),
        Bonus(2 * revolts[1], "REVOLT+"),
        Bonus(conditions.cold, "cold"),
    ]


def movement_causes(
    thirds: int, pashas: int, conditions: AttritionConditions | PassageConditions, landing: bool, draft: bool
) -> list[str]:
    """Causes of attrition on the march; the massed force comes first."""
    least = MASSED_WITHOUT_LOGISTICS if conditions.no_logistics else MASSED
    slow = conditions.no_logistics if draft else conditions.bad_weather
    causes = {
        "massed force": thirds >= least or pashas >= 2,
        f"{FAR} or more movement points": conditions.mp >= FAR,
        f"{SLOW} or more movement points {'without logistics' if draft else 'in bad weather'}": (
            conditions.mp >= SLOW and slow
        ),
        "embarks or lands outside a controlled port": landing,
    }
    return [name for name, holds in causes.items() if holds]


def movement_roll(causes: list[str], rest: list[Bonus], between: bool = False) -> Roll:
    """Attrition on the march: +2 for each cause beyond the first."""
    rolls = bool(causes) and not (between and causes == ["massed force"])
    return Roll(rolls, [Bonus(2 * max(0, len(causes) - 1), f"causes beyond the first of: {', '.join(causes)}"), *rest])


def land_roll(fields: Attrition) -> Roll:
    """The roll of a stack on land."""
    side, conditions = fields.attacker, fields.conditions
    own = size_of(side) - LD * side.pasha_detachments
    if conditions.procedure == "siege":
        return Roll(
            True,
            [
                Bonus(-side.siege, "own siege value"),
                Bonus(conditions.enemy_siege, "siege value of the enemy"),
                Bonus(-3 * conditions.unblockaded_port, "open port"),
                Bonus(conditions.siegeworks_minus, "siegeworks-"),
                Bonus(3 * conditions.siegeworks_plus, "siegeworks+"),
            ],
        )
    revolts = conditions.revolts_minus, conditions.revolts_plus
    rest = of_the_country(conditions, side.manoeuvre, conditions.strait_drm, revolts)
    if conditions.procedure == "movement-land":
        draft = fields.options.movement_causes == "draft"
        causes = movement_causes(own, side.pashas, conditions, conditions.landing_without_port, draft)
        return movement_roll(causes, rest, conditions.between_interceptions)
    massed = own >= MASSED or side.pashas >= 2
    more = [Bonus(2 * max(0, conditions.causes - 1), "causes beyond the first"), Bonus(2 * massed, "massed force")]
    return Roll(conditions.causes >= 1 or conditions.no_supply_line, more + rest)


class OnLand(NamedTuple):
    """Where a stack's attrition has come to: a modified die to be read, or what is left."""

    modified: int | None = None
    end: Marched | None = None


def land_built(fields: Attrition) -> Built:
    """Everything that answers attrition on land."""
    side, conditions, tables = fields.attacker, fields.conditions, book(fields.options.tables)
    thirds, roll = size_of(side), land_roll(fields)
    drm = sum_of(roll.bonuses) if roll.rolled else 0
    besieged = conditions.procedure == "siege"
    march = March(
        tables,
        side.technology or "musket",
        fields.policy.attacker.pillage,
        conditions.region == "europe",
        conditions.pillage_possible and not besieged,
        conditions.procedure == "movement-land",
    )

    def follow(state: OnLand) -> Counter[OnLand] | None:
        if state.end is not None:
            return None
        if state.modified is None:
            return rolled(lambda die: OnLand(clamped(die + drm)))
        after = march.after(thirds, state.modified)
        return Counter({OnLand(end=end): weight for end, weight in after.items()})

    def tell(before: OnLand, after: OnLand, dice: random.Random) -> str:
        if after.end is None:
            die = face_where(FACES, lambda face: clamped(face + drm) == after.modified, dice)
            return f"Attrition: {plainly(die, drm)}."
        told = " A pillage is placed." * after.end.pillage + " It forages." * after.end.foraging
        return f"{detachments(thirds - after.end.left)} lost, {detachments(after.end.left)} left.{told}"

    def seen(state: OnLand) -> dict[str, object]:
        end = state.end or Marched(thirds)
        return {
            "winner": ATTACKER if end.left == thirds else NOBODY if end.left else DEFENDER,
            "attacker_left_thirds": end.left,
            "attacker_losses_thirds": thirds - end.left,
            "pillage_placed": end.pillage,
            "foraging": end.foraging,
            "rolled": roll.rolled,
            "modifier": drm,
        }

    start = OnLand() if roll.rolled else OnLand(end=Marched(thirds))
    lines = why("attrition", roll.bonuses, SOURCE) if roll.rolled else [f"no reason to roll ({SOURCE})"]
    rests = [
        f"{conditions.procedure} of {detachments(thirds)}, {march.technology}, in {conditions.region}",
        f"P: {march.policy}{'' if march.can_pillage else ', no pillage possible: 1 LD'}",
        f"movement causes: {fields.options.movement_causes} (movement_causes)",
    ]
    return built(spell_out(start, follow, tell), seen, rests, lines)


# --- fleets ---


class Voyager(NamedTuple):
    """What bears on a voyage of the fleet itself."""

    warships: bool
    technology: str
    counters: int
    manoeuvre: int
    siege: int


def weather_of(technology: str) -> Bonus:
    """How a technology bears storms."""
    value = {"battery": -1, "vessel": -2, "three-decker": -2, "seventy-four": -3}.get(technology, 0)
    return Bonus(value, f"technology {technology}")


def voyage_bonuses(fleet: Voyager, conditions: VoyageConditions, end_of_turn: bool) -> list[Bonus]:
    """Modifiers of attrition at sea."""
    counters, zones, distance = fleet.counters, conditions.zones_entered, conditions.supply_distance
    by_zones = zones // 4 if counters <= 1 else 2 * (zones // 2) if counters == 2 else 4 * (zones // 2)
    far = 9 if distance >= 6 else 6 if distance >= 3 else 3 if distance == 2 else 0
    return [
        Bonus(-6, "at sea"),
        Bonus(-fleet.manoeuvre, "manoeuvre"),
        Bonus(conditions.strait_drm, "closed straits"),
        Bonus(conditions.malus, "malus of the zones"),
        Bonus(conditions.sea_difficulty, "difficulty of the sea"),
        Bonus(int(fleet.technology == "carrack" and fleet.warships), "carracks"),
        weather_of(fleet.technology),
        Bonus(2 * conditions.bad_weather, "bad weather"),
        Bonus(by_zones, f"{zones} zones with {counters} FLEET counters"),
        Bonus(-int(counters >= 2 and conditions.arsenal_to_arsenal), "from arsenal to arsenal"),
        Bonus(far, f"{distance} zones from port"),
        Bonus(conditions.corsairs_minus, "corsair-"),
        Bonus(2 * conditions.corsairs_plus, "corsair+"),
        Bonus(-fleet.siege if conditions.blockading else 0, "siege value of the blockade"),
        Bonus(-(-conditions.fortress_level // 2) if conditions.blockading else 0, "blockaded fortress"),
        Bonus(2 * conditions.works_crossed, "works crossed"),
        Bonus(2 * int(end_of_turn and conditions.end_of_turn_at_sea), "stays at sea at the end of the turn"),
    ]


class AtSea(NamedTuple):
    """Where a fleet's attrition has come to: a modified die to be read, or what is left."""

    modified: int | None = None
    end: Afloat | None = None


@dataclass(frozen=True)
class Storm:
    """A storm on a fleet."""

    book: Book
    start: Afloat
    order: tuple[str, ...]
    hold: Hold
    drm: int

    def follow(self, state: AtSea) -> Counter[AtSea] | None:
        """A die, then the coins."""
        if state.end is not None:
            return None
        if state.modified is None:
            return rolled(lambda die: AtSea(clamped(die + self.drm)))
        after = stormed(self.book, self.start, self.book.attrition_percent[state.modified], self.order, self.hold)
        return Counter({AtSea(end=end): weight for end, weight in after.items()})

    def tell(self, before: AtSea, after: AtSea, dice: random.Random) -> str:
        """A line."""
        if after.end is None:
            die = face_where(FACES, lambda face: clamped(face + self.drm) == after.modified, dice)
            percent = self.book.attrition_percent[after.modified or 0]
            return f"Attrition at sea: {plainly(die, self.drm)}: {percent} % lost."
        return f"Left: {after.end.fleet.told()}."


def sea_built(fields: Attrition) -> Built:
    """Everything that answers attrition at sea."""
    side, conditions, tables = fields.attacker, fields.conditions, book(fields.options.tables)
    fleet, cargo = fleet_of(side), cargo_of(side)
    technology = side.technology or "nao-galleon"
    counters = side.fleets_minus + side.fleets_plus
    voyager = Voyager(bool(fleet.warships), technology, counters, side.manoeuvre, side.siege)
    bonuses = voyage_bonuses(voyager, conditions, fields.options.end_of_turn_plus_two)
    order = loss_order(fields.policy.attacker.losses, bool(cargo))
    storm = Storm(tables, Afloat(fleet, cargo), order, hold_of(side, conditions, tables), sum_of(bonuses))

    def seen(state: AtSea) -> dict[str, object]:
        left, aboard = state.end or storm.start
        lost = fleet.thirds - left.thirds
        return {
            "winner": ATTACKER if (left, aboard) == (fleet, cargo) else NOBODY if left.thirds else DEFENDER,
            **ships_left("attacker", left),
            "attacker_losses_thirds": lost,
            "attacker_troops_left_thirds": aboard.troops,
            "attacker_gold_left": aboard.gold,
            "modifier": storm.drm,
        }

    rests = [
        f"a voyage of {Fleet.told(fleet)}, {technology}; losses: {' then '.join(order)}",
        "gold lost in a storm is rounded down to ducats left (ASSUMED)",
        "1 third lost of a galley or transport is left alone, 2 thirds are a ship",
    ]
    return built(spell_out(AtSea(), storm.follow, storm.tell), seen, rests, why("attrition at sea", bonuses, SOURCE))


def build_attrition(fields: Attrition) -> Built:
    """Everything that answers an attrition roll."""
    return sea_built(fields) if fields.conditions.procedure == "movement-sea" else land_built(fields)
