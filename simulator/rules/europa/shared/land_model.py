"""The scenario of each battle kind on land.

docs/rules/europa_land_siege.md sections 2, 3.1, 4.1 and 5; land_checks.py holds what types cannot refuse.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Both, Fields, FrameOf
from simulator.rules.idle import KnowsIdle, of_table

ArmyClass = Literal["", "I", "IM", "II", "IIM", "III", "IIIM", "IV", "IVM", "A"]
Technology = Literal["medieval", "renaissance", "arquebus", "musket", "baroque", "manoeuvre", "lace-war"]
Country = Literal[
    "minor", "natives", "england", "spain", "holland", "portugal", "venice", "habsburg", "austria", "france",
    "prussia", "usa", "poland", "russia", "russia-reformed", "sweden", "turkey", "turkey-janissary",
    "turkey-vizier",
]  # fmt: skip
Reform = Literal["none", "m-1a", "m-1b", "m-2"]
Region = Literal["europe", "rotw"]
Terrain = Literal["plain", "sparse-forest", "dense-forest", "northern-forest", "swamp", "desert", "mountain"]
Crossing = Literal["none", "river", "pass", "strait", "landing"]
Port = Literal["none", "open", "blockaded", "resupplied"]
Period = Literal["I", "II", "III", "IV", "V", "VI", "VII"]
BreakOff = Literal["never", "always", "if-behind", "if-sure", "best"]
LeaderKind = Literal["general", "king", "conquistador", "governor", "explorer"]
LeaderType = Literal["", "general", "king", "conquistador", "governor", "explorer", "pacha", "engineer"]
# The round track: its boxes in order.
Box = Literal["W0", "S1", "W1", "S2", "W2", "S3", "W3", "S4", "W4", "S5", "W5"]
StartRound = Literal["", "roll", Box]
Plan = Literal["undermine-until-breach", "assault-at-once", "undermine-only", "breach-then-storm", "best"]

OVERRUN, OVERRUN_WITHOUT_BATTLE = 4, 8
FORAGERS = ("musket", "baroque", "manoeuvre")
CONVERTERS = ("conquistador", "explorer")
NOT_IN_EUROPE = "is not allowed in Europe; only with conditions.region rotw"


class LeaderTable(Fields):
    """A leader by values."""

    manoeuvre: int = Field(0, ge=0, le=9, description="manoeuvre")
    fire: int = Field(0, ge=0, le=9, description="fire")
    shock: int = Field(0, ge=0, le=9, description="shock")
    siege: int = Field(0, ge=0, le=9, description="siege value")
    type: LeaderKind = Field("general", description="an explorer halves every value on land")
    anonymous: bool = Field(False, description="killed instead of wounded")
    robust: bool = Field(False, description="never fragile")


class Side(Fields):
    """Troops and leader of either side in any battle."""

    page = "country, leader, technology, army_plus: ARMY+, army_minus: ARMY−, land_detachments"
    army_plus: int = Field(0, ge=0, le=20, description="ARMY+ counters (4 LD each, full artillery)")
    army_minus: int = Field(0, ge=0, le=20, description="ARMY- counters (2 LD each, half artillery)")
    land_detachments: int = Field(0, ge=0, le=100, description="loose land detachments (LD)")
    exploration_detachments: int = Field(0, ge=0, le=2, description="loose LDE, a third of a LD each; rotw only")
    country: Country = Field("minor", description="class, artillery row and replacement-leader row")
    technology: Technology = Field("musket", description="land technology")
    tercios: bool = Field(False, description="holds the extra technology Tercios; renaissance or better")
    leader: str | LeaderTable = Field("replacement", description='"replacement", "none", a name or a table of values')
    leader_country: str = Field("", description="narrows a name to one country of leaders.csv, or its English name")
    leader_type: LeaderType = Field("", description="narrows a name to one type of leaders.csv")


class FieldArmy(Side):
    """Troops that are not behind walls."""

    army_class: ArmyClass = Field("", description='only with country minor; "" = III')
    veteran: bool | None = Field(None, description="more than half of the LD are veterans; default true, Timar false")
    artillery_value: int = Field(
        -1, ge=-1, le=12, description="artillery value of the stack; -1 = computed", json_schema_extra={"unset": -1}
    )
    turkish_reform: Reform = Field("none", description="Turkish military reforms")


class LandSide(FieldArmy):
    """One side of a land battle."""

    pasha_detachments: int = Field(0, ge=0, le=6, description="LD brought by pashas; Turkish countries until m-2")
    converted_natives_thirds: int = Field(
        0, ge=0, le=300, description="natives who joined, in thirds of a LD; rotw, with a conquistador or explorer"
    )
    army_size: int = Field(
        -1, ge=-1, le=7, description="structural army size; -1 = by class and period", json_schema_extra={"unset": -1}
    )
    structural_cavalry: Literal["auto", "yes", "no"] = Field("auto", description="structural cavalry bonus")
    facing_the_ottomans: bool = Field(False, description="0/-2 (Turkey's rules)")
    non_european: bool | None = Field(None, description="a ROTW country: several dice; default true for natives")
    retreat_room: int = Field(
        -1, ge=-1, le=100, description="LD that find a place to retreat to; -1 = all", json_schema_extra={"unset": -1}
    )


class LandAttacker(LandSide):
    """The phasing side."""

    foraging: bool = Field(False, description="-1/-1 on day 1; musket, baroque or manoeuvre only")


class Besieger(FieldArmy):
    """The besieging stack."""

    siege_value: int = Field(0, ge=0, le=9, description="best siege value among helpers")


class Besieged(Side):
    """The fortress and the troops inside."""

    page = "fortress_level, country, leader, technology, army_plus: ARMY+, army_minus: ARMY−, land_detachments"
    fortress_level: int = Field(2, ge=0, le=5, description="0 = fort, rotw only")
    siege_value: int = Field(0, ge=0, le=9, description="best siege value among helpers")


class Relief(LandAttacker):
    """A relief army: a side of a land battle that comes to the fortress."""

    page = "round, country, leader, technology, army_plus: ARMY+, army_minus: ARMY−, land_detachments"
    round: int = Field(0, ge=0, le=30, description="comes before the siege segment of this round; 0 = not given")
    chance: float | None = Field(None, ge=0, le=1, description="or: comes with this chance in each round")
    sortie: bool = Field(False, description="the troops inside join the battle")
    enter: bool = Field(True, description="after a draw its troops go into the fortress as far as there is room")
    crossing: Crossing = Field("none", description="how it enters the province")


class BesiegedForRounds(Besieged):
    """The fortress, the troops inside, and the army that comes to their relief."""

    relief: Relief | None = Field(None, description="a relief army")


class Conditions(Fields):
    """The place and the time."""

    page = "terrain, region, period"
    region: Region = Field("europe", description="europe or the rest of the world")
    terrain: Terrain = Field("plain", description="northern-forest: a Baltic dense forest")
    period: Period = Field("III", description="period of the game")


class LandConditions(Conditions):
    """Circumstances of a field battle."""

    page = "terrain, crossing, region, period"
    crossing: Crossing = Field("none", description="how the attacker entered")
    interception: bool = Field(False, description="the defender intercepted the moving attacker")


class SiegeConditions(Conditions):
    """The fortress and its surroundings."""

    page = "terrain, port, siegeworks_minus: siegeworks−, siegeworks_plus: siegeworks+, region, period"
    city: bool = Field(False, description="city (level never under 1); rotw only")
    port: Port = Field("none", description="its port")
    siegeworks_minus: int = Field(0, ge=0, le=1, description="siegeworks- counters")
    siegeworks_plus: int = Field(0, ge=0, le=2, description="siegeworks+ counters")
    breach_counter: bool = Field(False, description="gained earlier this turn")
    assault_counter: bool = Field(False, description="gained earlier this turn")
    first_round: bool = Field(True, description="first siege round of this fortress this turn")
    continued_siege: bool = Field(False, description="the siege began in an earlier turn")
    supply_line: bool = Field(True, description="the besieger has a supply line")
    supply_distance: int = Field(
        2, ge=0, le=12, description="its length in movement points; beyond 12 give supply_line = false"
    )
    bad_weather: bool = Field(False, description="in a campaign on the round track: in its first box")
    pillages: int = Field(0, ge=0, le=4, description="sides of PILLAGE in the province")
    attrition_modifier: int = Field(0, ge=-10, le=20, description="sum of revolts, strait forts, cold malus")


class CampaignConditions(SiegeConditions):
    """Length of the siege."""

    page = "rounds, start_round, " + SiegeConditions.page
    rounds: int = Field(
        0, ge=0, le=30, description="siege rounds; 0 = not given (4, if start_round is not given either)"
    )
    start_round: StartRound = Field("", description="box of the round track where the siege begins")
    poor_weather: bool = Field(False, description="event; ignored without a round track")
    supply_desert: bool = Field(False, description="the line of supply goes through desert")
    supply_foreign: bool = Field(False, description="its source is controlled, but not owned by the alliance")
    supply_distant_fleet: bool = Field(False, description="a fleet supplies that is not adjacent to a port or arsenal")
    unsupplied_segments: int = Field(
        0, ge=0, le=1, description="latest supply segments in a row without a line; a second destroys the besieger"
    )
    supply_segment_first: bool = Field(
        False, description="the siege goes on from earlier rounds: supply and the garrison's attrition come first"
    )
    cold_area: bool = Field(False, description="the province is cold, and not the besieger's own; round track only")
    timar_distance: int = Field(
        1, ge=0, le=20, description="provinces from Turkey's national territory, 0 = in it; Timar, round track only"
    )


class LandPolicy(Fields):
    """Choices of one side of a land battle."""

    break_off: BreakOff = Field("never", description="try to break off after day 1")
    overrun: Literal["none", "declare"] = Field("none", description="needs 4 to 1")


class DefenderPolicy(LandPolicy):
    """Choices of the defender of a land battle."""

    evasion: Literal["stand", "evade"] = Field("stand", description="try to evade the battle")


class BesiegerPolicy(Fields):
    """Choices of the besieger, whatever the length of the siege."""

    war_honours: Literal["grant", "refuse"] = Field("grant", description="on a modified 12; refuse = breach")
    too_small: Literal["redeploy", "assault"] = Field("redeploy", description="when undermining is not allowed")
    garrison: Literal["leave-empty", "garrison"] = Field("leave-empty", description="1 LD into a taken fortress")
    pillage: Literal["pillage", "lose-detachment"] = Field("pillage", description="result P with musket or better")
    losses: Literal["keep-best-army", "keep-most-armies"] = Field("keep-best-army", description="counters broken")


class SiegePolicy(BesiegerPolicy):
    """Choices of the besieger in one siege segment."""

    page = "action, breach"
    action: Literal["undermine", "assault", "redeploy"] = Field("undermine", description="this segment's action")
    breach: Literal["assault", "wait"] = Field("assault", description="on a breach result")


class CampaignPolicy(BesiegerPolicy):
    """Choices of the besieger in a campaign."""

    page = "plan"
    plan: Plan = Field("undermine-until-breach", description="plan for all rounds; best = decided in every state")
    relief: Literal["meet", "lift", "evade", "storm-first", "best"] = Field("meet", description="on a relief army")
    break_off: BreakOff = Field("never", description="in the battle against the relief army")


class ReliefPolicy(Fields):
    """Choices of those who come to the relief of a fortress."""

    break_off: BreakOff = Field("never", description="in the battle of the relief army")


class Options(Fields):
    """Readings (section 8) and varied tables."""

    leader_differential_cap: int = Field(3, ge=0, le=9, description="largest leader difference; 9 = no cap")
    leader_years: Literal["any", "in-period"] = Field("any", description="in-period: refuse leaders of other periods")
    timar_limits: bool = Field(True, description="Timar are conscripts of limited technology (Turkey's rules)")
    tables: dict[str, Any] = Field(default_factory=dict, description="rows that replace those of the tables, by name")


class BattleOptions(Options):
    """Readings for land battles, that of a relief army too."""

    destruction_test: Literal["exceeds", "reaches"] = Field("exceeds", description="losses against the stack's size")
    tercios_require_army: bool = Field(True, description="Tercios count only with an ARMY in the stack")
    national_bonuses: Literal["seed", "book"] = Field("seed", description="cavalry and Tercios by seed or rule book")


class LandOptions(BattleOptions):
    """Readings for land battles."""


class SiegeOptions(Options):
    """Readings for sieges."""

    assault_cap_factor: int = Field(2, ge=1, le=2, description="times the resistance a besieger may lose in an assault")
    assault_and_breach: Literal["greater", "sum"] = Field(
        "greater", description="undermining with both counters: the breach's +2, or +3"
    )


class CampaignOptions(BattleOptions, SiegeOptions):
    """Readings for campaigns."""

    garrison_attrition: bool = Field(True, description="the garrison suffers attrition from round 2 on")
    supply_attrition: bool = Field(True, description="supply from round 2 on, cold, and Timar going home in winter")


class LandFields(
    KnowsIdle, FrameOf[LandAttacker, LandSide, LandConditions, Both[LandPolicy, DefenderPolicy], LandOptions]
):
    """All fields of a land battle, for its own kind and for kinds with a stage of it."""

    tolerated = ("attacker.leader.siege", "defender.leader.siege")


class Land(LandFields):
    """A land battle of at most two days."""

    game: Literal["europa"]
    battle: Literal["land"]


class Siege(KnowsIdle, FrameOf[Besieger, Besieged, SiegeConditions, Both[SiegePolicy, Fields], SiegeOptions]):
    """One siege segment: undermining, an assault, attrition."""

    tolerated = ("attacker.leader.manoeuvre", "defender.leader.manoeuvre")
    game: Literal["europa"]
    battle: Literal["siege"]


class CampaignFields(
    KnowsIdle,
    FrameOf[Besieger, BesiegedForRounds, CampaignConditions, Both[CampaignPolicy, ReliefPolicy], CampaignOptions],
):
    """All fields of a siege over several rounds, also as a stage of an expedition."""

    # Leaders are tested against a relief army only.
    tolerated = (
        "attacker.leader.anonymous",
        *of_table("defender.leader", "manoeuvre", "anonymous", "robust"),
        *of_table("defender.relief.leader", "siege", "anonymous", "robust"),
    )


class Campaign(CampaignFields):
    """A siege over several rounds, or to the end of the turn."""

    game: Literal["europa"]
    battle: Literal["siege-campaign"]


def level_of(fields: Siege | CampaignFields) -> int:
    """The level of a fortress: a city overseas is never under level 1, whatever is given (section 4.1)."""
    return max(fields.defender.fortress_level, int(fields.conditions.city))


def overruns(fields: Land) -> list[str]:
    """The sides that declare an overrun."""
    return [name for name in SIDES if getattr(fields.policy, name).overrun == "declare"]


def is_interception(fields: Land) -> bool:
    """An interception, or an overrun of 4 to under 8 times that is fought as one (section 3.5 step 1)."""
    return fields.conditions.interception or bool(overruns(fields))
