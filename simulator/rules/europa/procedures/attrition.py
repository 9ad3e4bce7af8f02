"""Attrition of stacks and fleets (docs/rules/europa_naval_and_other.md section 4)."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from simulator.engine.model.chance import seen_as
from simulator.engine.model.plain import PlainBattle
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Both, Built, Fields, Refusal
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared import fleets
from simulator.rules.europa.shared.fields import Scenario, TableOptions
from simulator.rules.europa.shared.fleets import LAW, Afloat
from simulator.rules.europa.shared.land_model import FORAGERS, NOT_IN_EUROPE, Period, Region, Technology
from simulator.rules.europa.shared.losses import (
    COUNTER_FIELDS,
    GARRISON,
    PILLAGE_SIDES,
    Pillaging,
    attrition_by,
    clamped,
)
from simulator.rules.europa.shared.modifiers import Bonus, sum_of
from simulator.rules.europa.shared.procedure import D10, roll_then_draw
from simulator.rules.europa.shared.stacks import LD, TECHNOLOGIES, detachments, size_of
from simulator.rules.europa.shared.voyage import VoyageConditions, Voyager, of_the_voyage
from simulator.rules.europa.tables import Book, book
from simulator.rules.toolkit.naming import text_of
from simulator.rules.toolkit.plain import built
from simulator.rules.toolkit.policies import refuse

MASSED, MASSED_WITHOUT_LOGISTICS = 6 * LD, 3 * LD
FAR, SLOW = 6, 3


class Attriter(common.Laden, common.Counted):
    """The stack or fleet that moves, waits or besieges."""

    page = f"{common.SHIPS}, {common.TROOPS}, technology, manoeuvre"
    pashas: Annotated[int, Field(ge=0, le=3)] = Field(0, description="pashas in the stack")
    pasha_detachments: Annotated[int, Field(ge=0, le=12)] = Field(0, description="LD brought by pashas")
    technology: Literal[Technology, common.NavalTechnology] | None = Field(
        None, description="land technology (default musket), for movement-sea naval technology (nao-galleon)"
    )
    manoeuvre: common.Value = Field(0, description="manoeuvre of the leader; 0 = no leader")
    siege: common.Value = Field(0, description="siege value of the leader")


class CountryConditions(Fields):
    """The causes of attrition on land."""

    no_supply_line: bool = Field(False, description="no supply line")
    enemy_province: bool = Field(False, description="enters or stays in an enemy province")
    pillages_minus: common.Some = Field(0, description="PILLAGE- in the province")
    pillages_plus: common.Some = Field(0, description="PILLAGE+ in the province")
    cold: common.Some = Field(0, description="sum of cold-area maluses")
    pillage_possible: bool = Field(True, description="can a pillage be placed?")
    mp: common.Some = Field(0, description="movement points spent")
    no_logistics: bool = Field(False, description="without logistics")


class TravelConditions(VoyageConditions, CountryConditions):
    """A voyage, and what wears troops out where it ends."""


class AttritionConditions(TravelConditions):
    """The kind of attrition and its conditions."""

    page = "procedure, region, period, sea, mp, zones_to_port, bad_weather"
    procedure: Literal["movement-land", "supply", "siege", "movement-sea"] = Field(
        "movement-land", description="kind of attrition"
    )
    region: Region = Field("europe", description="europe or the rest of the world")
    period: Period = Field("III", description="period of the game")
    sea: common.SeaKind = Field("other", description="galleys only in the mediterranean and the baltic")
    revolts_minus: common.Some = Field(0, description="REVOLT- and rebellions")
    revolts_plus: common.Some = Field(0, description="REVOLT+")
    causes: Annotated[int, Field(ge=0, le=6)] = Field(0, description="supply: causes of weak supply")
    landing_without_port: bool = Field(False, description="embarks or lands outside a controlled port")
    between_interceptions: bool = Field(False, description="rolled between interceptions")
    enemy_siege: common.Value = Field(0, description="siege: siege value of the enemy")
    unblockaded_port: bool = Field(False, description="siege: the port is open")
    siegeworks_minus: Annotated[int, Field(ge=0, le=4)] = Field(0, description="siege: siegeworks-")
    siegeworks_plus: Annotated[int, Field(ge=0, le=4)] = Field(0, description="siege: siegeworks+")


class AttritionPolicy(Fields):
    """Choices of the actor."""

    pillage: Literal["pillage", "lose-detachment"] = Field("pillage", description="result P with musket or better")
    losses: common.LossOrder = Field("auto", description="movement-sea: what is lost first")


class AttritionOptions(TableOptions):
    """Readings (section 15)."""

    movement_causes: Literal["finished", "draft"] = Field(
        "finished", description="third cause: 3 movement points in bad weather (finished) or without logistics (draft)"
    )
    end_of_turn_plus_two: bool = Field(False, description="+2 for staying at sea at the end of the turn")


class Attrition(
    Scenario[
        Literal["attrition"], Attriter, Fields, AttritionConditions, Both[AttritionPolicy, Fields], AttritionOptions
    ]
):
    """Attrition of a stack or fleet."""


# The fields that a procedure reads, beside the country, the region, the period and the tables.
TROOPS = (*COUNTER_FIELDS, "army_class")
MARCHED = (*TROOPS, "pashas", "pasha_detachments", "technology", "manoeuvre")
SUPPLIED = (
    *("no_supply_line", "enemy_province", "pillages_minus", "pillages_plus", "cold", "pillage_possible"),
    *("strait_drm", "revolts_minus", "revolts_plus"),
)
READ: dict[str, tuple[str, ...]] = {
    "movement-land": (
        *(*MARCHED, *SUPPLIED, "mp", "bad_weather", "no_logistics", "landing_without_port", "between_interceptions"),
        *("pillage", "movement_causes"),
    ),
    "supply": (*MARCHED, *SUPPLIED, "causes", "pillage"),
    "siege": (
        *(*TROOPS, "pashas", "pasha_detachments", "technology", "siege", "enemy_siege", "unblockaded_port"),
        *("siegeworks_minus", "siegeworks_plus"),
    ),
    "movement-sea": (
        *(*common.Laden.model_fields, *common.Counted.model_fields, "technology", "manoeuvre", "siege"),
        *(*VoyageConditions.model_fields, "sea", "losses", "end_of_turn_plus_two"),
    ),
}
ALWAYS = ("procedure", "country", "region", "period", "tables")


def check_read(fields: Attrition) -> None:
    """Refuse what changes nothing in a procedure: ships on land, siegeworks at sea. Raises Refusal."""
    procedure = fields.conditions.procedure
    policy = fields.policy.attacker
    tables = ("attacker", fields.attacker), ("conditions", fields.conditions), ("policy.attacker", policy)
    for path, table in (*tables, ("options", fields.options)):
        for name in sorted(table.model_fields_set.difference(READ[procedure], ALWAYS)):
            given = getattr(table, name)
            if given != type(table).model_fields[name].default:
                text = f"{text_of(given)} is not allowed with {procedure}; it changes nothing there"
                raise Refusal(f"{path}.{name}", text, unused=True)


def check_attrition(fields: Attrition) -> None:
    """Refuse what types cannot; raises Refusal."""
    check_read(fields)
    side, conditions, tables = fields.attacker, fields.conditions, book(fields.options.tables)
    sea = conditions.procedure == "movement-sea"
    offered = fleets.TECHNOLOGIES if sea else TECHNOLOGIES
    text = f"{side.technology!r} is not allowed with {conditions.procedure}; must be one of {', '.join(offered)}"
    refuse(side.technology is not None and side.technology not in offered, "attacker.technology", text)
    pashas, loose = side.pasha_detachments, side.exploration_detachments
    refuse(pashas and not side.pashas, "attacker.pasha_detachments", f"{pashas} is not allowed without pashas")
    if sea:
        common.check_fleet(side, "attacker", conditions)
        common.check_cargo(side, "attacker", conditions, tables)
        return
    common.check_troops(side, "attacker", "no troops; give at least one detachment")
    refuse(loose and conditions.region == "europe", "attacker.exploration_detachments", f"{loose} {NOT_IN_EUROPE}")


# --- troops ---


class Marched(NamedTuple):
    """Troops after attrition."""

    left: int
    pillage: bool = False
    foraging: bool = False


class March(NamedTuple):
    """The attrition of troops: `habit` is their choice for a P, None outside Europe; do they forage after a pillage?"""

    book: Book
    habit: Pillaging | None
    forages: bool

    def after(self, thirds: int, modified: int) -> Counter[Marched]:
        """The stacks after a modified die, with weights."""

        def read(result: int) -> Marched:
            left, sides = divmod(result, PILLAGE_SIDES)
            return Marched(left, sides > 0, sides > 0 and self.forages)

        return seen_as(attrition_by(self.book, thirds, 0, modified, self.habit), read)


def march_of(book: Book, region: str, habit: Pillaging, can_pillage: bool, moving: bool) -> March:
    """The attrition of troops with this technology and policy in a region; 1 LD if no pillage can be placed."""
    forages = can_pillage and moving and habit.technology in FORAGERS and habit.policy == "pillage"
    return March(book, (habit if can_pillage else GARRISON) if region == "europe" else None, forages)


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


def movement_causes(thirds: int, pashas: int, conditions: TravelConditions, landing: bool, draft: bool) -> list[str]:
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


def of_the_march(causes: list[str], rest: list[Bonus], between: bool = False) -> list[Bonus]:
    """Modifiers of attrition on the march: +2 for each cause beyond the first. Empty where none is rolled."""
    if not causes or (between and causes == ["massed force"]):
        return []
    return [Bonus(2 * max(0, len(causes) - 1), f"causes beyond the first of: {', '.join(causes)}"), *rest]


def on_land(fields: Attrition) -> list[Bonus]:
    """Modifiers of the attrition of a stack on land. Empty where none is rolled."""
    side, conditions = fields.attacker, fields.conditions
    own = size_of(side) - LD * side.pasha_detachments
    if conditions.procedure == "siege":
        return [
            Bonus(-side.siege, "own siege value"),
            Bonus(conditions.enemy_siege, "siege value of the enemy"),
            Bonus(-3 * conditions.unblockaded_port, "open port"),
            Bonus(conditions.siegeworks_minus, "siegeworks-"),
            Bonus(3 * conditions.siegeworks_plus, "siegeworks+"),
        ]
    revolts = conditions.revolts_minus, conditions.revolts_plus
    rest = of_the_country(conditions, side.manoeuvre, conditions.strait_drm, revolts)
    if conditions.procedure == "movement-land":
        draft = fields.options.movement_causes == "draft"
        causes = movement_causes(own, side.pashas, conditions, conditions.landing_without_port, draft)
        return of_the_march(causes, rest, conditions.between_interceptions)
    if not conditions.causes and not conditions.no_supply_line:
        return []
    massed = own >= MASSED or side.pashas >= 2
    more = [Bonus(2 * max(0, conditions.causes - 1), "causes beyond the first"), Bonus(2 * massed, "massed force")]
    return more + rest


def build_on_land(fields: Attrition) -> Built:
    """Everything that answers attrition on land."""
    side, conditions, thirds = fields.attacker, fields.conditions, size_of(fields.attacker)
    modifiers, habit = on_land(fields), Pillaging(side.technology or "musket", fields.policy.attacker.pillage)
    can_pillage = conditions.pillage_possible and conditions.procedure != "siege"
    moving = conditions.procedure == "movement-land"
    march = march_of(book(fields.options.tables), conditions.region, habit, can_pillage, moving)
    roll = D10("attrition", "4", modifiers, lambda _, die: clamped(die), lambda shown, _: f"Attrition: {shown}.")

    def text(end: Marched) -> str:
        rest = " A pillage is placed." * end.pillage + " It forages." * end.foraging
        return f"{detachments(thirds - end.left)} lost, {detachments(end.left)} left.{rest}"

    def columns(end: Marched) -> dict[str, object]:
        left, pillage, foraging = end
        return {
            "winner": ATTACKER if left == thirds else NOBODY if left else DEFENDER,
            "attacker_left_thirds": left,
            "attacker_losses_thirds": thirds - left,
            "pillage_placed": pillage,
            "foraging": foraging,
            "rolled": bool(modifiers),
            "modifier": sum_of(modifiers),
        }

    assumptions = [
        f"{conditions.procedure} of {detachments(thirds)}, {habit.technology}, in {conditions.region}",
        f"P: {habit.policy}{'' if can_pillage else ', no pillage possible: 1 LD'}",
        f"movement causes: {fields.options.movement_causes} (movement_causes)",
    ]
    start, why = (None, roll.why()) if modifiers else (Marched(thirds), [f"no reason to roll ({LAW} 4)"])
    follow = roll_then_draw(roll, lambda modified: march.after(thirds, modified), text)
    return built(PlainBattle(start, follow), columns, assumptions, why)


# --- fleets ---


def build_at_sea(fields: Attrition) -> Built:
    """Everything that answers attrition at sea."""
    side, conditions, tables = fields.attacker, fields.conditions, book(fields.options.tables)
    start, technology = Afloat(fleets.fleet_of(side), fleets.cargo_of(side)), side.technology or "nao-galleon"
    order = fleets.loss_order(fields.policy.attacker.losses, bool(start.cargo))
    hold, percents = fleets.hold_of(side, conditions, tables), tables.attrition_percent
    counters = side.fleets_minus + side.fleets_plus
    voyager = Voyager(bool(start.fleet.warships), technology, counters, side.manoeuvre, side.siege)
    roll = D10(
        "attrition at sea",
        "4",
        of_the_voyage(voyager, conditions, fields.options.end_of_turn_plus_two),
        lambda _, modified: clamped(modified),
        lambda shown, after: f"Attrition at sea: {shown}: {percents[after]} % lost.",
    )

    def losses(modified: int) -> Counter[Afloat]:
        return fleets.stormed(tables, start, percents[modified], order, hold)

    def columns(end: Afloat) -> dict[str, object]:
        left, aboard = end
        return {
            "winner": ATTACKER if end == start else NOBODY if left.thirds else DEFENDER,
            **fleets.ships_left("attacker", left),
            "attacker_losses_thirds": start.fleet.thirds - left.thirds,
            "attacker_troops_left_thirds": aboard.troops,
            "attacker_gold_left": aboard.gold,
            "modifier": roll.total,
        }

    assumptions = [
        f"a voyage of {start.fleet.text()}, {technology}; losses: {' then '.join(order)}",
        "gold lost in a storm is rounded down to ducats left (ASSUMED)",
        "1 third lost of a galley or transport is left alone, 2 thirds are a ship",
    ]
    follow = roll_then_draw(roll, losses, lambda end: f"Left: {end.fleet.text()}.")
    return built(PlainBattle(None, follow), columns, assumptions, roll.why())


def build_attrition(fields: Attrition) -> Built:
    """Everything that answers an attrition roll."""
    return build_at_sea(fields) if fields.conditions.procedure == "movement-sea" else build_on_land(fields)
