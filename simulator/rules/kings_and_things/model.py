"""Scenario fields (docs/rules/kings_and_things.md sections 3.1, 4, 6, 7)."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from simulator.rules.battle import Both, Fields
from simulator.rules.idle import KnowsIdle, of_table

Game = Literal["kings-and-things"]
Item = Literal[
    "talisman", "magic-bow", "magic-sword", "firewall", "golem", "balloon", "dispel-magic", "dust-of-defense",
    "lucky-charm", "fan",
]  # fmt: skip
Fort = Literal["none", "tower", "keep", "castle", "citadel"]
Settlement = Literal["none", "village", "city"]
Terrain = Literal["desert", "forest", "frozen-waste", "jungle", "mountain", "plains", "swamp"]
Target = Literal["defender", "strongest", "weakest", "attacker", "second-attacker", "third-attacker"]
Retreat = Literal["never", "after-rounds", "below-creatures", "when-outgunned", "best"]
FixedLosses = Literal["weakest-first", "strongest-first", "keep-next-step-fighters"]
WildLosses = Literal[FixedLosses, "best"]
Losses = Literal[FixedLosses, "custom", "best"]
Rolling = Literal["damaged", "all", "none"]
Structures = Literal["first", "last"]

FORTS, SETTLEMENTS = get_args(Fort), get_args(Settlement)
PRINTED = {"fort": FORTS, "settlement": SETTLEMENTS}  # by level
MOST_PASSENGERS = 3


class CreatureTable(Fields):
    """A counter by raw numbers, or by name."""

    name: str | None = Field(None, description="a label, or without a value the name to look up")
    value: int | None = Field(None, ge=0, le=6, description="combat value")
    magic: bool = Field(False, description="fights in the magic step")
    ranged: bool = Field(False, description="fights in the ranged step")
    charge: bool = Field(False, description="rolls two dice in the melee step")
    flying: SkipJsonSchema[bool] = Field(False, description="flies; never matters in battle")
    count: int = Field(1, ge=1, le=1000, description="how many of them")


Entry = str | CreatureTable


class Side(Fields):
    """An attacker."""

    page = "creatures, items"
    creatures: list[Entry] = Field(default=[], description="names, codes (3, 3R, 2M, 4C) or tables")
    items: list[Item] = Field(default=[], description="magic items in use")
    firewall_value: int = Field(
        0, ge=0, le=6, description="value of the Firewall; 0 = its die is rolled", json_schema_extra={"unset": 0}
    )
    balloon_passengers: list[Entry] = Field(default=[], description="at most three of the creatures, value below 4")
    retreat_hex: bool = Field(True, description="an adjacent own hex without enemy counters exists")
    retreat_hex_creatures: int = Field(0, ge=0, le=100, description="own people already in that hex")
    retreat_hex_citadel: bool = Field(False, description="own citadel there: no ten-counter limit")
    loss_order: list[str] = Field(default=[], description="with losses = custom: who is lost first")


class Defender(Side):
    """The owner of the hex, or its known inhabitants."""

    page = "creatures, items, fort, settlement"
    fort: Fort = Field("none", description="fort in the hex")
    fort_damage: int = Field(0, ge=0, le=4, description="hits the fort has already taken")
    settlement: Settlement = Field("none", description="village or city in the hex")
    settlement_damage: int = Field(0, ge=0, le=2, description="hits the settlement has already taken")
    income_counter: bool = Field(False, description="a mine, field ... in the hex")


class Inhabitants(Fields):
    """The unknown defender of an unexplored hex; it has no fields."""

    creatures: list[Entry] = Field(default=[], max_length=0, description="must stay empty: they are drawn")


class Policy(Fields):
    """Decisions of a side."""

    page = "losses, retreat"
    losses: Losses = Field("weakest-first", description="who is lost first; best: the owner chooses at every hit")
    structures: Structures = Field("first", description="structures lost before or after all other counters")
    retreat: Retreat = Field("never", description="when to leave the hex")
    retreat_after: int = Field(1, ge=1, le=1000, description="after-rounds: at the end of this round or later")
    retreat_below: int = Field(2, ge=0, le=1000, description="below-creatures: when fewer people are left")
    retreat_ratio: float = Field(
        0.5, ge=0, le=1000, description="when-outgunned: when own fire is less than this x enemy fire"
    )
    sword_master: Literal["normal", "screen"] = Field("normal", description="does the Sword Master take the first hit")
    marksman: Literal["volley", "aimed"] = Field("volley", description="value 5, or value 2 and pick the victim")
    item_hits: Literal["keep", "spend"] = Field("keep", description="are Bow and Sword given up to the first hits")
    lucky_charm: Literal["own-miss", "enemy-hit"] = Field("own-miss", description="what the charm turns")
    warlord: Literal["take-strongest", "unused"] = Field("take-strongest", description="use of the Warlord")
    dust: Literal["at-start", "when-outgunned"] = Field("at-start", description="when Dust of Defense is thrown")
    dispel: Literal["auto"] | Item = Field("auto", description="the enemy item that Dispel Magic voids")


class PartisanPolicy(Policy):
    """Decisions of a side in a free-for-all."""

    page = "target, losses, retreat"
    target: Target | None = Field(None, description="whom to fire at; attackers: defender, defender: strongest")


class InhabitantsPolicy(Fields):
    """Decisions for the inhabitants, made by another player."""

    page = "losses"
    losses: WildLosses = Field("weakest-first", description="who is lost first; best: chosen at every hit")
    structures: Structures = Field("first", description="the settlement lost before or after all other counters")
    retreat: Literal["never"] = Field("never", description="inhabitants may not retreat")


class PartisanPolicies(Fields):
    """Policies of all sides."""

    attacker: PartisanPolicy = PartisanPolicy()
    second_attacker: PartisanPolicy = PartisanPolicy()
    third_attacker: PartisanPolicy = PartisanPolicy()
    defender: PartisanPolicy = PartisanPolicy()


class LandConditions(Fields):
    """Conditions of a land battle."""

    unexplored: bool = Field(False, description="known inhabitants of a hex nobody owns; they may not retreat")
    black_cloud: bool = Field(False, description="-1 on every die of the hex owner")


class PartisanConditions(Fields):
    """Conditions of a free-for-all."""

    black_cloud: bool = Field(False, description="-1 on every die of the hex owner")


class ExplorationConditions(Fields):
    """The hex and the cup."""

    page = "terrain, exploration_roll"
    terrain: Terrain = Field("plains", description="terrain of the hex")
    exploration_roll: int = Field(0, description="0 = rolled; 2 to 5 = the known roll", json_schema_extra={"unset": 0})
    cup: list[str] | None = Field(None, description="what the cup holds, instead of the full cup")
    cup_removed: list[str] | None = Field(None, description="names that are not in the full cup any more")


class Options(Fields):
    """Variants."""

    post_battle_rolls: Rolling = Field("damaged", description="which structures roll after the battle")
    firewall_hits: Literal["as-fort", "one"] = Field("as-fort", description="hits that the Firewall takes")
    stack_limit: int = Field(10, ge=0, le=1000, description="most people a side may have; 0 = no limit")


class ExplorationOptions(Options):
    """Variants of an exploration."""

    lone_settlement_defends: bool = Field(True, description="does a settlement defend without creatures")


Required = Annotated[Side, Field(description="a side")]


# Only the defender has Dust of Defense. In a free-for-all nobody has magic items, the Warlord has no power, and no
# attacker has a structure.
NOT_ATTACKERS = of_table("policy.attacker", "dust")
PARTISAN_ATTACKERS = ("attacker", "second_attacker", "third_attacker")
OF_TWO_SIDES = ("item_hits", "lucky_charm", "dust", "dispel", "warlord")
NOT_PARTISANS = (
    *(path for name in (*PARTISAN_ATTACKERS, "defender") for path in of_table(f"policy.{name}", *OF_TWO_SIDES)),
    *(path for name in (*PARTISAN_ATTACKERS, "defender") for path in of_table(name, "firewall_value")),
    *(f"policy.{name}.structures" for name in PARTISAN_ATTACKERS),
    "options.firewall_hits",
)


class Land(KnowsIdle):
    """Two sides in a hex, with fort, settlement, characters and magic items."""

    idle = NOT_ATTACKERS
    game: Game
    battle: Literal["land"]
    attacker: Required
    defender: Annotated[Defender, Field(description="the owner of the hex")]
    conditions: LandConditions = LandConditions()
    options: Options = Options()
    policy: Both[Policy, Policy] = Both[Policy, Policy]()


class FreeForAll(KnowsIdle):
    """Three or four sides in an owned hex."""

    idle = NOT_PARTISANS
    game: Game
    battle: Literal["free-for-all"]
    attacker: Required
    second_attacker: Required
    third_attacker: Side | None = Field(None, description="a fourth side")
    defender: Annotated[Defender, Field(description="the owner of the hex")]
    conditions: PartisanConditions = PartisanConditions()
    options: Options = Options()
    policy: PartisanPolicies = PartisanPolicies()


class Exploration(KnowsIdle):
    """Entering an unexplored hex: the defender is drawn from the cup."""

    # The defender has no item that could be dispelled.
    idle = (*NOT_ATTACKERS, "policy.attacker.dispel")
    game: Game
    battle: Literal["exploration"]
    attacker: Required
    defender: Inhabitants = Inhabitants()
    conditions: ExplorationConditions = ExplorationConditions()
    options: ExplorationOptions = ExplorationOptions()
    policy: Both[Policy, InhabitantsPolicy] = Both[Policy, InhabitantsPolicy]()


Scenario = Land | FreeForAll | Exploration
