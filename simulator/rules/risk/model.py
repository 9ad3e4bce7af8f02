"""The scenario of each Risk battle kind (docs/rules/risk.md sections 2 and 7)."""

from __future__ import annotations

from typing import Annotated, Generic, Literal

from pydantic import Field

from simulator.rules.battle import Attacking_co, Both, Defending_co, Fields, Where_co
from simulator.rules.idle import KnowsIdle, of_table

# The rules document says 1000; more costs only memory and time.
MOST_UNITS = 100_000

Regiments = Annotated[int, Field(ge=1, le=MOST_UNITS)]
EachPlace = Annotated[list[Regiments], Field(min_length=1, max_length=50)]
Commanders = Annotated[int, Field(ge=0, le=MOST_UNITS)]
Modifier = Annotated[int, Field(ge=-5, le=5)]
Bonus = Annotated[int, Field(ge=0, le=3)]
Dice = Annotated[int, Field(ge=1, le=4)]
Sides = Annotated[int, Field(ge=2, le=12)]
AtLeastOne = Annotated[int, Field(ge=1)]
Number = Annotated[int, Field(ge=0)]
Chance = Annotated[float, Field(ge=0, le=1)]
Coins = Annotated[int, Field(ge=0, le=1_000_000)]
Where = Literal["sea-zone", "maritime-link"]

SeaStop = Literal["to-the-end", "stop-below", "stop-when-outnumbered", "max-rounds", "stop-below-odds", "best"]
Hand = Literal["most", "best"]
LandStop = Literal[SeaStop, "wear-down"]
SeaStops = SeaStop | Annotated[list[SeaStop], Field(min_length=1)]
LandStops = LandStop | Annotated[list[LandStop], Field(min_length=1)]


class LandDice(Fields):
    """Dice of one side on land: one value for all territories of the path, or a list with one each."""

    page = "regiments, commanders"
    modifier_highest: Modifier | list[Modifier] = Field(0, description="added to the highest die")
    modifier_lowest: Modifier | list[Modifier] = Field(0, description="added to the lowest die kept")
    modifier_all: Modifier | list[Modifier] = Field(0, description="added to every die")
    bonus_dice: Bonus | list[Bonus] = Field(0, description="extra dice rolled, the best ones kept")
    dice: Dice | list[Dice] | None = Field(None, description="most dice rolled; default from the options")
    die_sides: Sides | list[Sides] | None = Field(None, description="sides of the dice; default from the options")


class LandAttacker(LandDice):
    """The attacking regiments."""

    regiments: Regiments = Field(
        description="able to attack, without the one that stays where the attack starts",
        json_schema_extra={"one_stays": "I typed all that stand there"},
    )
    commanders: Commanders = Field(0, description="regiments, among these, that roll the commander die; lost last")


class LandDefender(LandDice):
    """The defending regiments: of the territory, or of each territory of the path."""

    regiments: Regiments | EachPlace = Field(description="defenders of the territory, or of each territory of the path")
    commanders: Commanders | list[Commanders] = Field(0, description="regiments that roll the commander die")


class Fleet(Fields):
    """The fleets of one side and their dice."""

    page = "fleets"
    fleets: AtLeastOne = Field(description="fleets in the fight; the options limit them")
    modifier_highest: Modifier = Field(0, description="added to the highest die")
    modifier_lowest: Modifier = Field(0, description="added to the lowest die kept")
    modifier_all: Modifier = Field(0, description="added to every die")
    bonus_dice: Bonus = Field(0, description="extra dice rolled, the best ones kept")


class SeaModifiers(Fields):
    """Modifiers in the sea fights of an invasion."""

    sea_modifier_highest: Modifier = Field(0, description="added to the highest die in sea fights")
    sea_modifier_all: Modifier = Field(0, description="added to every die in sea fights")


class InvasionAttacker(LandAttacker, SeaModifiers):
    """A convoy and the regiments aboard."""

    page = "fleets, transports, regiments, commanders"
    fleets: AtLeastOne = Field(description="the whole convoy, escorts included")
    transports: AtLeastOne | None = Field(None, description="fleets of the convoy that carry troops; default all")


class InvasionDefender(LandDefender, SeaModifiers):
    """The defenders of the path, and fleets in the first territory's port."""

    page = "regiments, port_fleets, commanders"
    port_fleets: Number = Field(0, description="fleets in port in the first territory")


class LandConditions(Fields):
    """Conditions of a land attack."""

    page = ""
    link_fleets: Number = Field(0, description="enemy fleets on the maritime link crossed; must be 0")


class SeaConditions(Fields):
    """Movement before the battle."""

    page = ""
    sea_zones_moved: Number = Field(0, description="sea zones moved this turn; the options limit them")


class NavalConditions(SeaConditions):
    """Conditions of a sea fight."""

    page = ""
    place: Where = Field("sea-zone", description="a label; does not change the dice")


class BlockadeConditions(SeaConditions):
    """Conditions of a blockade run."""

    page = "forced"
    forced: bool = Field(False, description="the port was captured: put to sea and fight to the end")


class Crossing(Fields):
    """One place that the convoy passes."""

    fleets: Number = Field(0, description="enemy fleets there; 0 = no fight")
    place: Where = Field("sea-zone", description="sea zone or maritime link")
    convoy: Literal["attacks", "defends"] = Field("attacks", description="who attacks whom")
    blockaded: bool = Field(False, description="the convoy breaks out of a blockaded port (first crossing only)")
    turn: AtLeastOne | None = Field(None, description="turn of the crossing; all or none")


class InvasionConditions(Fields):
    """The way across the sea."""

    page = "crossings"
    crossings: list[Crossing] = Field(default_factory=list, max_length=20, description="places passed, in order")


class LandPolicy(Fields):
    """When the attacker stops: asked before every round, the first included."""

    page = "retreat"
    retreat: LandStops = Field("to-the-end", description="a policy or a list of them: stop as soon as one says so")
    stop_below: AtLeastOne | None = Field(None, description="stop with fewer own units than this")
    max_rounds: AtLeastOne | None = Field(None, description="stop after this many rounds")
    wear_down_to: AtLeastOne | None = Field(None, description="stop when the enemy has this many or fewer")
    min_odds: Chance | None = Field(None, description="stop when the chance to win, fought to the end, is below this")
    hand: Hand = Field("most", description="number of dice rolled: the most allowed, or the best number")


class InvasionPolicy(LandPolicy):
    """Policies on land, and at sea (own = all convoy fleets)."""

    page = "losses, retreat, sea_retreat"
    losses: Literal["escorts-first", "transports-first"] = Field("escorts-first", description="fleets lost first")
    sea_retreat: SeaStops = Field("to-the-end", description="as retreat, for the crossings that the convoy attacks")
    sea_stop_below: AtLeastOne | None = Field(None, description="stop with fewer fleets than this")
    sea_max_rounds: AtLeastOne | None = Field(None, description="stop after this many sea rounds")
    sea_min_odds: Chance | None = Field(None, description="stop when the chance to win the invasion is below this")


class DefenderPolicy(Fields):
    """The defender never retreats."""

    page = ""
    retreat: Literal["never"] = Field("never", description="the only value")
    hand: Hand = Field("most", description="number of dice rolled: the most allowed, or the best number")


Policies = Both[LandPolicy, DefenderPolicy]
InvasionPolicies = Both[InvasionPolicy, DefenderPolicy]


class Options(Fields):
    """Variants (section 11) and readings (section 10)."""

    attack_dice: Dice = Field(3, description="most dice for the side that attacks")
    defence_dice: Dice = Field(2, description="most dice for the side that defends")
    attack_die_sides: Sides = Field(6, description="sides of the attacker's dice")
    defence_die_sides: Sides = Field(6, description="sides of the defender's dice")
    commander_die_sides: Sides = Field(8, description="sides of a commander's die")
    ties: Literal["defender", "attacker", "both", "nobody"] = Field("defender", description="who takes an equal pair")
    resort: bool = Field(False, description="sort again after the modifiers")
    clamp: bool = Field(False, description="hold each modified die within 1 and the largest die rolled")
    left_behind: int = Field(1, ge=0, le=100, description="regiments that stay in each captured territory")
    amphibious_modifier: Modifier = Field(-1, description="to the highest die of landing troops")
    blockade_modifier: Modifier = Field(-1, description="to the highest die of blockaded fleets")
    max_fleets: int = Field(4, ge=1, le=20, description="fleets one player may have in play")
    max_move: int = Field(3, ge=1, le=20, description="sea zones a fleet moves in a turn")
    fleet_capacity: int = Field(0, ge=0, le=1000, description="regiments a transport carries; 0 = no limit")
    troop_loss: Literal["with-each-fleet", "all-or-nothing"] = Field("with-each-fleet", description="when troops drown")
    withdrawal: bool = Field(True, description="false: a landing, once begun, cannot be called off")
    defender_sees: bool = Field(False, description="the defender chooses his dice when he has seen the attacker's")
    fleet_cost: Coins = Field(3, description="coins a fleet costs")
    regiment_cost: Coins = Field(1, description="coins a regiment costs")


# Options of the game that change nothing in a kind of battle (no fleets on land, no land at sea). They are accepted, so
# that one set of house rules serves for all kinds, and not listed.
NO_FLEETS = ("blockade_modifier", "max_fleets", "fleet_capacity", "troop_loss", "fleet_cost")
NO_LAND = (
    *("commander_die_sides", "left_behind", "amphibious_modifier", "fleet_capacity", "troop_loss", "withdrawal"),
    "regiment_cost",
)


class RiskFrame(KnowsIdle, Generic[Attacking_co, Defending_co, Where_co]):
    """The frame of every kind. House rules of the whole game are accepted where they are idle, too."""

    game: Literal["risk"]
    attacker: Attacking_co
    defender: Defending_co
    conditions: Where_co = Field(default_factory=dict, validate_default=True)  # type: ignore[assignment]
    policy: Policies = Policies()
    options: Options = Field(default_factory=Options)


class Land(RiskFrame[LandAttacker, LandDefender, LandConditions]):
    """A land attack on a territory, or along a path of territories."""

    battle: Literal["land"]
    tolerated = of_table("options", *NO_FLEETS, "amphibious_modifier", "max_move", "withdrawal")


class Amphibious(RiskFrame[LandAttacker, LandDefender, SeaConditions]):
    """Troops landed from transports, and their fights inland."""

    battle: Literal["amphibious"]
    tolerated = of_table("options", *NO_FLEETS)


class Naval(RiskFrame[Fleet, Fleet, NavalConditions]):
    """Fleets against fleets."""

    battle: Literal["naval"]
    tolerated = of_table("options", *NO_LAND, "blockade_modifier")


class BlockadeRun(RiskFrame[Fleet, Fleet, BlockadeConditions]):
    """Blockaded fleets put to sea against the blockaders."""

    battle: Literal["blockade-run"]
    tolerated = of_table("options", *NO_LAND, "max_move")


class Invasion(RiskFrame[InvasionAttacker, InvasionDefender, InvasionConditions]):
    """A convoy crosses the sea, lands and takes a path of territories."""

    battle: Literal["invasion"]
    policy: InvasionPolicies = InvasionPolicies()


AtSea = Naval | BlockadeRun
OnLand = Land | Amphibious | Invasion
AnyBattle = AtSea | OnLand
