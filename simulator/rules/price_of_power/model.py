"""Scenario fields of land and naval battles (docs/rules/price_of_power.md section 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

from pydantic import AfterValidator, Field

from simulator.rules.battle import Both, Fields, Frame
from simulator.rules.idle import KnowsIdle
from simulator.rules.price_of_power.procedures.npr_defence import Capacity
from simulator.rules.toolkit.naming import plural

OneRealm = TypeVar("OneRealm")
TYPES = ("infantry", "cavalry", "artillery")
ICONS = ("infantry", "tercios", "cavalry", "artillery")
BLANK = "blank"
UNITS = (
    "infantry", "cavalry", "artillery", "mercenary_infantry", "mercenary_cavalry", "mercenary_artillery",
    "allied_infantry", "allied_cavalry",
)  # fmt: skip
UnitCount = Annotated[int, Field(ge=0, le=60)]
DiceCount = Annotated[int, Field(ge=0, le=10)]
TIMED = {"at-or-below": "retreat_at", "after-round": "retreat_at"}
Idea = Literal["tercios", "line-infantry", "military-drill", "noble-knights"]
Retreat = Literal["never", "when-outnumbered", "when-half", "at-or-below", "after-round", "when-leader-wounded", "best"]
Appointed = Literal[1, 2, 3, 4, 5, 6, "best"]
LandOrder = Literal[
    "infantry-first", "cavalry-first", "artillery-first", "infantry-artillery-cavalry", "cavalry-artillery-infantry",
    "artillery-cavalry-infantry",
]  # fmt: skip
LandLosses = Literal["most-numerous", LandOrder, "custom", "best"]
SeaLosses = Literal["spread-damage", "light-first", "heavy-first", "best"]
When = Literal["round", "if-behind", "best"]
Type = Literal["infantry", "cavalry", "artillery"]
BaseDice = Literal["infantry", "cavalry", "best-expected"]
Ties = Literal["listed-order", "players-first", "npr-first"]


def known_icons(text: str) -> str:
    """The face as given. Raises ValueError, with the icons allowed, for an unknown icon."""
    parts = [part.strip() for part in text.split("+")]
    if parts != [BLANK] and not {*parts} <= {*ICONS}:
        allowed = ", ".join((*ICONS, BLANK))
        raise ValueError(f"{text!r} is not a face; give {allowed}, or several icons joined by +")
    return text


Faces = Annotated[list[Annotated[str, AfterValidator(known_icons)]], Field(min_length=1, max_length=20)]


class SomeDice(Fields):
    """Numbers of dice of each type."""

    infantry: DiceCount = Field(0, description="infantry (white) dice")
    cavalry: DiceCount = Field(0, description="cavalry dice")
    artillery: DiceCount = Field(0, description="artillery (blue) dice")


class Admiral(SomeDice):
    """A leader at sea: his dice and his ill-health tokens."""

    wounds: int = Field(0, ge=0, le=1, description="ill-health tokens (H) he already has; with two he is dead")


class General(Admiral):
    """A leader on land; he may be the ruler."""

    ruler: bool = Field(False, description="is the leader the ruler of his realm")


class AdmiralCandidate(Admiral):
    """An admiral who may be appointed."""

    name: str = Field("", description="name of the leader")
    power: int = Field(0, ge=0, le=9, description="power that his appointment costs")


class GeneralCandidate(General, AdmiralCandidate):
    """A general who may be appointed."""


SeaLeader = Admiral | Literal["none", "draw"] | None
LandLeader = General | Literal["none", "draw"] | None
SeaLeaders = Annotated[list[AdmiralCandidate | Literal["none"]], Field(min_length=2, max_length=6)]
LandLeaders = Annotated[list[GeneralCandidate | Literal["none"]], Field(min_length=2, max_length=6)]


class BattleAction(SomeDice):
    """A battle action: dice from the round in which it is played on, or in that round alone."""

    name: str = Field("", description="name of the action")
    when: When = Field("round", description="played in its round; in the first with fewer units; when that is best")
    round: int = Field(1, ge=1, le=20, description="round in which it is played; else the first in which it may be")
    this_round_only: bool = Field(False, description="its dice are rolled in one round alone")


class Card(SomeDice):
    """Equal cards of the military deck."""

    cards: int = Field(1, ge=0, le=1000, description="how many such cards")
    leader: bool = Field(True, description="a leader, who gives his dice; else an advisor, who gives nothing")


class DiceFaces(Fields):
    """Dice that replace the printed ones: 1 to 20 equally likely faces each."""

    infantry: Faces | None = Field(None, description="faces of the infantry die")
    cavalry: Faces | None = Field(None, description="faces of the cavalry die")
    artillery: Faces | None = Field(None, description="faces of the artillery die")


class MilitaryDrill(Fields):
    """Effect of Military Drill (ASSUMED: one base die fewer, one automatic hit)."""

    dice: int = Field(1, ge=0, le=3, description="base dice fewer")
    hits: int = Field(1, ge=0, le=5, description="automatic hits in every roll")


class Options(Fields):
    """Dice, deck and readings of the rules (section 2, `options`)."""

    dice: DiceFaces = Field(DiceFaces(), description="faces of dice that replace the printed ones")
    base_dice: DiceCount = Field(3, description="base dice in every roll")
    casualty_alternation: Literal["each-round", "whole-battle"] = Field(
        "each-round", description="does the mercenary, regular, allied alternation start anew each round"
    )
    damage_counts_as_casualty: bool = Field(False, description="damage alone is enough to wound the admiral")
    military_drill: MilitaryDrill = Field(MilitaryDrill(), description="what Military Drill does (ASSUMED)")
    npr_deck: list[Card] | None = Field(None, description="military deck that an NPR draws from")
    lend_a_helping_hand: bool = Field(False, description="battle actions may be played for NPRs")
    count_rounds: bool = Field(False, description="report the number of rounds")


class Realm(Fields):
    """The force of one realm, alone or as one of several defenders.

    `others_have` is the one type that realms other than players may have.
    """

    units: ClassVar[tuple[str, ...]] = ()
    called: ClassVar[str] = "units"
    others_have: ClassVar[str] = ""
    kind: str = Field("player", description="who fights")
    name: str = Field("", description="label of the realm")

    def count(self) -> int:
        """Units or ships."""
        return sum(getattr(self, unit) for unit in self.units)


class LandUnits(Fields):
    """Numbers of units on land."""

    infantry: UnitCount = Field(0, description="regular infantry")
    cavalry: UnitCount = Field(0, description="regular cavalry")
    artillery: UnitCount = Field(0, description="regular artillery")
    mercenary_infantry: UnitCount = Field(0, description="mercenary infantry")
    mercenary_cavalry: UnitCount = Field(0, description="mercenary cavalry")
    mercenary_artillery: UnitCount = Field(0, description="mercenary artillery")
    allied_infantry: UnitCount = Field(0, description="allied NPR infantry, or Imperial Manpower")
    allied_cavalry: UnitCount = Field(0, description="allied NPR cavalry, or Imperial Manpower")


class LandRealm(LandUnits, Realm):
    """A realm on land."""

    units = UNITS
    others_have = "infantry"
    kind: Literal["player", "npr", "rebels"] = Field("player", description="who fights")
    defends_capital: bool = Field(False, description="NPR: this is its capital area, it never leaves")
    last_area: bool = Field(False, description="NPR: the last area in which it controls a province, it never leaves")


class SeaRealm(Realm):
    """A realm at sea."""

    units = ("galleys", "light", "heavy")
    called = "ships"
    others_have = "light"
    last_area: ClassVar[bool] = False
    kind: Literal["player", "npr", "pirates"] = Field("player", description="who fights")
    galleys: UnitCount = Field(0, description="galleys")
    light: UnitCount = Field(0, description="light ships")
    heavy: UnitCount = Field(0, description="heavy ships, damaged ones included")
    damaged: UnitCount = Field(0, description="heavy ships that already took a hit")
    defends_capital: bool = Field(False, description="NPR: a sea zone next to its capital area, it never leaves")

    @property
    def ships(self) -> tuple[int, ...]:
        """Galleys, light ships, sound and damaged heavy ships."""
        return self.galleys, self.light, self.heavy - self.damaged, self.damaged


class Faction(Fields):
    """Fields of one of several defenders beside its units: its own decision to leave (section 3.2, step 6)."""

    page = f"kind, {', '.join(UNITS)}, galleys, light, heavy"
    retreat: Retreat | None = Field(None, description="when this realm retreats; default as policy.defender")
    retreat_at: int | None = Field(
        None, ge=1, le=60, description="units of this realm (at-or-below) or round (after-round); default 1"
    )
    can_retreat: bool | None = Field(None, description="may this realm retreat; default as the defender")
    npr: Capacity | None = Field(None, description="in place of units: those that an NPR's provinces give")


class LandFaction(Faction, LandRealm):
    """One of several realms that defend on land."""


class SeaFaction(Faction, SeaRealm):
    """One of several realms that defend at sea."""


class Leading(Fields):
    """Fields of a side beside its units."""

    battle_actions: list[BattleAction] = Field([], description="battle actions played")
    extra_dice: SomeDice = Field(SomeDice(), description="dice in every roll (ideas, house rules)")
    automatic_hits: DiceCount = Field(0, description="hits added to every roll")
    can_retreat: bool = Field(True, description="is there a legal place to retreat to (player realms)")


class LandSide(Leading, LandRealm):
    """A side on land."""

    page = f"kind, {', '.join(UNITS)}, leader"
    ships_in_supply: ClassVar[int] = 0
    leader: LandLeader = Field(None, description="dice of the general; none; or draw, the top military card")
    leaders: LandLeaders | None = Field(None, description="generals of whom one is appointed (policy leader)")
    ideas: list[Idea] = Field([], description="ideas with an effect in battle (player realms)")
    knights_dice_limit: int = Field(5, ge=0, le=20, description="most Noble Knights dice")
    muslim: bool = Field(False, description="a Muslim realm may roll cavalry dice as base dice")


class SeaSide(Leading, SeaRealm):
    """A side at sea: no ideas, no Muslim option, no charge (section 4, step 1)."""

    page = "kind, galleys, light: light ships, heavy: heavy ships, leader"
    ideas: ClassVar[tuple[str, ...]] = ()
    knights_dice_limit: ClassVar[int] = 0
    muslim: ClassVar[bool] = False
    leader: SeaLeader = Field(None, description="dice of the admiral; none; or draw, the top military card")
    leaders: SeaLeaders | None = Field(None, description="admirals of whom one is appointed (policy leader)")
    ships_in_supply: int = Field(15, ge=0, le=15, description="captured ships that this side can still man")


class Defending(Fields, Generic[OneRealm]):
    """Fields of a defender alone: several factions, or in place of units the provinces of an NPR."""

    main_defender: str | None = Field(None, description="name of the realm that leads, when several are largest")
    npr: Capacity | None = Field(
        None, description="in place of units: those that an NPR's provinces give, as in npr-defence"
    )
    factions: list[OneRealm] | None = Field(
        None, min_length=1, max_length=5, description="realms that defend as one force"
    )


class LandDefender(Defending[LandFaction], LandSide):
    """The defending side on land."""


class SeaDefender(Defending[SeaFaction], SeaSide):
    """The defending side at sea."""


class Leaving(Fields):
    """When a player realm retreats."""

    page = "losses, retreat"
    retreat: Retreat = Field("never", description="when to retreat")
    retreat_at: int = Field(1, ge=1, le=60, description="units (at-or-below) or round (after-round)")
    leader: Appointed | None = Field(None, description="who of the side's leaders is appointed; default the first")


class LandLosing(Fields):
    """Order in which a side on land loses units."""

    losses: LandLosses = Field("most-numerous", description="which type of a category is lost first")
    loss_order: list[Type] | None = Field(
        None, min_length=1, max_length=60, description="the types in the order in which they are lost (custom)"
    )


class SeaLosing(Fields):
    """Order in which a side loses ships."""

    losses: SeaLosses = Field("spread-damage", description="which ships are hit first")
    loss_order: ClassVar[None] = None


# A form shows the fields of the last base first.
class LandPolicy(Leaving, LandLosing):
    """Decisions of a side on land."""

    base_dice: BaseDice = Field("infantry", description="type of the base dice (Muslim realms)")


class SeaPolicy(Leaving, SeaLosing):
    """Decisions of a side at sea."""


class Attacking(Fields):
    """Decisions of an attacker alone."""

    ties: Ties = Field("listed-order", description="which of equally large defending factions is hit first")


class LandAttackPolicy(Attacking, LandPolicy):
    """Decisions of the attacker on land."""


class SeaAttackPolicy(Attacking, SeaPolicy):
    """Decisions of the attacker at sea."""


LandPolicies = Both[LandAttackPolicy, LandPolicy]
SeaPolicies = Both[SeaAttackPolicy, SeaPolicy]


class LandConditions(Fields):
    """Conditions of a land battle."""

    page = ""
    max_rounds: int = Field(0, ge=0, le=20, description="most rounds; 0: until decided", json_schema_extra={"unset": 0})


class SeaConditions(LandConditions):
    """Conditions of a naval battle."""

    page = "galley_waters"
    galley_waters: bool = Field(True, description="may galleys fight here")


class Land(KnowsIdle, Frame):
    """A land battle."""

    idle = ("options.damage_counts_as_casualty",)
    game: Literal["price-of-power"]
    battle: Literal["land"]
    attacker: LandSide = Field(description="the active player's force, an invading NPR, or rebels that moved")
    defender: LandDefender = Field(description="the side attacked")
    conditions: LandConditions = Field(LandConditions(), description="conditions of the battle")
    policy: LandPolicies = Field(LandPolicies(), description="what each side decides")
    options: Options = Field(Options(), description="dice, deck and readings")


class Naval(KnowsIdle, Frame):
    """A naval battle, with captures."""

    idle = ("options.casualty_alternation", "options.military_drill")
    game: Literal["price-of-power"]
    battle: Literal["naval"]
    attacker: SeaSide = Field(description="the active player's fleet, or that of an invading NPR")
    defender: SeaDefender = Field(description="the side attacked")
    conditions: SeaConditions = Field(SeaConditions(), description="conditions of the battle")
    policy: SeaPolicies = Field(SeaPolicies(), description="what each side decides")
    options: Options = Field(Options(), description="dice, deck and readings")


AnyRealm = LandRealm | SeaRealm
NprRealm = LandDefender | SeaDefender | LandFaction | SeaFaction
AnySide = LandSide | SeaSide
AnyBattle = Land | Naval


def total(data: Mapping[str, Any], side: str) -> list[str]:
    """The units or ships of a side of a scenario in words; none where they are not given as numbers."""
    given = data.get(side)
    counts = [given.get(unit, 0) for unit in (*UNITS, *SeaRealm.units)] if isinstance(given, Mapping) else []
    number = sum(one for one in counts if isinstance(one, int))
    return [plural(number, "ship" if data.get("battle") == "naval" else "unit")] if number else []


def listed(side: AnySide) -> dict[str, AnyRealm]:
    """The realms of a side by their path below it: factions, or the side itself; an NPR has its capacity as units."""
    factions = list[AnyRealm](getattr(side, "factions", None) or ())
    realms = {f".factions[{place}]": realm for place, realm in enumerate(factions)} or {"": side}
    return {path: with_capacity(realm) for path, realm in realms.items()}


def with_capacity(realm: AnyRealm) -> AnyRealm:
    """A realm with the units that its provinces give, if it is an NPR given by these."""
    if (npr := getattr(realm, "npr", None)) is None:
        return realm
    units = npr.land_units if isinstance(realm, LandRealm) else npr.ships
    return realm.model_copy(update={"kind": "npr", realm.others_have: units})


def kinds(side: AnySide) -> set[str]:
    """Kinds of the realms of a side that have a unit (section 3.1, step 0)."""
    return {realm.kind for realm in listed(side).values() if realm.count()}


def count(side: AnySide | None) -> int:
    """Units or ships of a whole side; 0 for None."""
    return sum(realm.count() for realm in listed(side).values()) if side else 0
