"""Scenario fields of land and naval battles (rules/price_of_power.md section 2)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from simulator.rules.battle import Fields
from simulator.rules.price_of_power.dice import BLANK, ICONS, face

UnitCount = Annotated[int, Field(ge=0, le=60)]
Dice = Annotated[int, Field(ge=0, le=10)]
Retreat = Literal["never", "when-outnumbered", "when-half", "at-or-below", "after-round", "when-leader-wounded"]
LandLosses = Literal["infantry-first", "cavalry-first", "artillery-first", "most-numerous"]
NavalLosses = Literal["spread-damage", "light-first", "heavy-first"]
BaseDice = Literal["infantry", "cavalry", "best-expected"]
Ties = Literal["listed-order", "players-first", "npr-first"]
Idea = Literal["tercios", "line-infantry", "military-drill", "noble-knights"]


def known_icons(text: str) -> str:
    """A face whose icons exist. Raises ValueError that says what is allowed."""
    try:
        face(text)
    except ValueError:
        allowed = ", ".join((*ICONS, BLANK))
        raise ValueError(f"{text!r} is not a face; give {allowed}, or several icons joined by +") from None
    return text


Faces = Annotated[list[Annotated[str, AfterValidator(known_icons)]], Field(min_length=1, max_length=20)]


class SomeDice(Fields):
    """Dice of each type."""

    infantry: Dice = Field(0, description="infantry (white) dice")
    cavalry: Dice = Field(0, description="cavalry dice")
    artillery: Dice = Field(0, description="artillery (blue) dice")


class Admiral(SomeDice):
    """A leader at sea: his dice and the ill-health tokens he already has."""

    wounds: int = Field(0, ge=0, le=1, description="ill-health tokens (H) he already has; with two he is dead")


class General(Admiral):
    """A leader on land, who may be the ruler himself."""

    ruler: bool = Field(False, description="is the leader the ruler of his realm")


class BattleAction(SomeDice):
    """A battle action: dice from a round on, or in one round."""

    name: str = Field("", description="name of the action")
    round: int = Field(1, ge=1, le=20, description="round in which it is played")
    this_round_only: bool = Field(False, description="its dice are rolled in that round alone")


class Card(SomeDice):
    """Cards of one kind in the military deck."""

    cards: int = Field(1, ge=0, le=1000, description="how many such cards")
    leader: bool = Field(True, description="a leader, who gives his dice; else an advisor, who gives nothing")


class DiceFaces(Fields):
    """Dice with other faces than printed: 1-20 equally likely faces each."""

    infantry: Faces | None = Field(None, description="faces of the infantry die")
    cavalry: Faces | None = Field(None, description="faces of the cavalry die")
    artillery: Faces | None = Field(None, description="faces of the artillery die")


class MilitaryDrill(Fields):
    """What Military Drill does (ASSUMED: one base die fewer, one automatic hit)."""

    dice: int = Field(1, ge=0, le=3, description="base dice fewer")
    hits: int = Field(1, ge=0, le=5, description="automatic hits in every roll")


class Options(Fields):
    """Dice, deck and readings that can be changed (section 2, `options`)."""

    dice: DiceFaces = Field(DiceFaces(), description="faces of dice that replace the printed ones")
    base_dice: Dice = Field(3, description="base dice in every roll")
    casualty_alternation: Literal["each-round", "whole-battle"] = Field(
        "each-round", description="does the mercenary, regular, allied alternation start anew each round"
    )
    damage_counts_as_casualty: bool = Field(False, description="damage alone is enough to wound the admiral")
    military_drill: MilitaryDrill = Field(MilitaryDrill(), description="what Military Drill does (ASSUMED)")
    npr_deck: list[Card] | None = Field(None, description="military deck that an NPR draws from")
    lend_a_helping_hand: bool = Field(False, description="battle actions may be played for NPRs")
    count_rounds: bool = Field(False, description="report the number of rounds")


class LandUnits(Fields):
    """Units of one realm on land."""

    infantry: UnitCount = Field(0, description="regular infantry")
    cavalry: UnitCount = Field(0, description="regular cavalry")
    artillery: UnitCount = Field(0, description="regular artillery")
    mercenary_infantry: UnitCount = Field(0, description="mercenary infantry")
    mercenary_cavalry: UnitCount = Field(0, description="mercenary cavalry")
    mercenary_artillery: UnitCount = Field(0, description="mercenary artillery")
    allied_infantry: UnitCount = Field(0, description="allied NPR infantry, or Imperial Manpower")
    allied_cavalry: UnitCount = Field(0, description="allied NPR cavalry, or Imperial Manpower")


class LandRealm(LandUnits):
    """A realm on land, alone or as one of several defenders."""

    kind: Literal["player", "npr", "rebels"] = Field("player", description="who fights")
    name: str = Field("", description="label of the realm")
    defends_capital: bool = Field(False, description="NPR: this is its capital area, it never leaves")
    last_area: bool = Field(False, description="NPR: the last area in which it controls a province, it never leaves")


class SeaUnits(Fields):
    """Ships of one realm."""

    galleys: UnitCount = Field(0, description="galleys")
    light: UnitCount = Field(0, description="light ships")
    heavy: UnitCount = Field(0, description="heavy ships, damaged ones included")
    damaged: UnitCount = Field(0, description="heavy ships that already took a hit")


class SeaRealm(SeaUnits):
    """A realm at sea, alone or as one of several defenders."""

    kind: Literal["player", "npr", "pirates"] = Field("player", description="who fights")
    name: str = Field("", description="label of the realm")
    defends_capital: bool = Field(False, description="NPR: a sea zone next to its capital area, it never leaves")


class Leading(Fields):
    """What a side has beside its units."""

    battle_actions: list[BattleAction] = Field([], description="battle actions played")
    extra_dice: SomeDice = Field(SomeDice(), description="dice in every roll (ideas, house rules)")
    automatic_hits: Dice = Field(0, description="hits added to every roll")
    can_retreat: bool = Field(True, description="is there a legal place to retreat to (player realms)")


class LandSide(LandRealm, Leading):
    """A side on land."""

    leader: General | Literal["none", "draw"] | None = Field(
        None, description="dice of the general; none; or draw, the top military card"
    )
    ideas: list[Idea] = Field([], description="ideas that tell in battle (player realms)")
    knights_dice_limit: int = Field(5, ge=0, le=20, description="most Noble Knights dice")
    muslim: bool = Field(False, description="a Muslim realm may roll cavalry dice as base dice")


class SeaSide(SeaRealm, Leading):
    """A side at sea."""

    leader: Admiral | Literal["none", "draw"] | None = Field(
        None, description="dice of the admiral; none; or draw, the top military card"
    )
    ships_in_supply: int = Field(15, ge=0, le=15, description="captured ships that this side can still man")


class Province(Fields):
    """A province that helps an NPR to defend (section 6)."""

    name: str = Field("", description="name of the province")
    size: Literal["small", "large"] = Field("small", description="small: tax value 1, large: 2")
    location: Literal["area", "land", "sea"] = Field(
        "area", description="in the attacked area, adjacent by land, or its port faces a sea zone the area also faces"
    )
    port: bool = Field(False, description="has a port")
    faces_zone: bool = Field(False, description="its port faces the attacked sea zone")
    occupied: bool = Field(False, description="occupied by an enemy: gives nothing")
    hostile_units: bool = Field(False, description="hostile units were in its area before this turn")
    sea_blocked: bool = Field(False, description="all sea zones between are hostile")
    distant: bool = Field(False, description="a distant province: its value doubles")
    plague: bool = Field(False, description="plague: a distant province's value does not double")
    inactive_port: bool = Field(False, description="its port is inactive")
    manpower_tokens: int = Field(0, ge=0, le=5, description="extra-manpower tokens")
    used_land: bool = Field(False, description="its land capacity was used this turn")
    used_sea: bool = Field(False, description="its naval capacity was used this turn")


Provinces = Annotated[list[Province], Field(min_length=1, max_length=24)]


class Capacity(Fields):
    """Provinces of an NPR (or of all NPRs defending together) that decide what it defends with."""

    provinces: Provinces = Field(description="own and neighbouring provinces")
    active_ally: bool = Field(False, description="an active ally of a player: half its land units defend")
    imperial_authority: int | None = Field(
        None, ge=-5, le=15, description="imperial authority, when the Emperor is an NPR and the area is in the Empire"
    )
    foreign_areas: int = Field(0, ge=0, le=60, description="foreign areas in the Empire")


class LandDefender(LandSide):
    """The defending side on land: one realm, several factions, or what an NPR's provinces give."""

    factions: Annotated[list[LandRealm], Field(min_length=1, max_length=3)] | None = Field(
        None, description="realms that defend as one force"
    )
    main_defender: str | None = Field(None, description="name of the realm that leads, when several are largest")
    npr: Capacity | None = Field(None, description="units from an NPR's military capacity")


class SeaDefender(SeaSide):
    """The defending side at sea."""

    factions: Annotated[list[SeaRealm], Field(min_length=1, max_length=3)] | None = Field(
        None, description="realms that defend as one force"
    )
    main_defender: str | None = Field(None, description="name of the realm that leads, when several are largest")
    npr: Capacity | None = Field(None, description="ships from an NPR's naval capacity")


class Leaving(Fields):
    """When a player realm retreats."""

    retreat: Retreat = Field("never", description="when to retreat")
    retreat_at: int = Field(1, ge=1, le=60, description="units (at-or-below) or round (after-round)")


class LandPolicy(Leaving):
    """What a side on land decides."""

    losses: LandLosses = Field("infantry-first", description="which type leaves a category first")
    base_dice: BaseDice = Field("infantry", description="type of the base dice (Muslim realms)")


class SeaPolicy(Leaving):
    """What a side at sea decides."""

    losses: NavalLosses = Field("spread-damage", description="which ships are hit first")


class LandAttackPolicy(LandPolicy):
    """What the attacker on land decides."""

    ties: Ties = Field("listed-order", description="which of equally large defending factions is hit first")


class SeaAttackPolicy(SeaPolicy):
    """What the attacker at sea decides."""

    ties: Ties = Field("listed-order", description="which of equally large defending factions is hit first")


class LandPolicies(Fields):
    """Policies of both sides on land."""

    attacker: LandAttackPolicy = Field(LandAttackPolicy(), description="the attacker's decisions")
    defender: LandPolicy = Field(LandPolicy(), description="the defender's decisions")


class SeaPolicies(Fields):
    """Policies of both sides at sea."""

    attacker: SeaAttackPolicy = Field(SeaAttackPolicy(), description="the attacker's decisions")
    defender: SeaPolicy = Field(SeaPolicy(), description="the defender's decisions")


class LandConditions(Fields):
    """Conditions of a land battle."""

    max_rounds: int = Field(0, ge=0, le=20, description="most rounds; 0: until decided")


class SeaConditions(LandConditions):
    """Conditions of a naval battle."""

    galley_waters: bool = Field(True, description="may galleys fight here")


class Land(Fields):
    """A land battle."""

    game: Literal["price-of-power"]
    battle: Literal["land"]
    attacker: LandSide = Field(description="the active player's force, an invading NPR, or rebels that moved")
    defender: LandDefender = Field(description="whoever was attacked")
    conditions: LandConditions = Field(LandConditions(), description="conditions of the battle")
    policy: LandPolicies = Field(LandPolicies(), description="what each side decides")
    options: Options = Field(Options(), description="dice, deck and readings")


class Naval(Fields):
    """A naval battle."""

    game: Literal["price-of-power"]
    battle: Literal["naval"]
    attacker: SeaSide = Field(description="the active player's fleet, or that of an invading NPR")
    defender: SeaDefender = Field(description="whoever was attacked")
    conditions: SeaConditions = Field(SeaConditions(), description="conditions of the battle")
    policy: SeaPolicies = Field(SeaPolicies(), description="what each side decides")
    options: Options = Field(Options(), description="dice, deck and readings")
