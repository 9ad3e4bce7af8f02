"""The scenario of each battle kind on land (docs/rules/europa_land_siege.md sections 2, 3.1, 4.1 and 5)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from simulator.rules.battle import Fields

Value = Annotated[int, Field(ge=0, le=9)]
Counters = Annotated[int, Field(ge=0, le=20)]
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
Period = Literal["I", "II", "III", "IV", "V", "VI", "VII"]
BreakOff = Literal["never", "always", "if-behind", "if-sure"]
LeaderKind = Literal["general", "king", "conquistador", "governor", "explorer"]
StartRound = Literal["", "roll", "W0", "S1", "W1", "S2", "W2", "S3", "W3", "S4", "W4", "S5", "W5"]


class LeaderTable(Fields):
    """A leader by values."""

    manoeuvre: Value = Field(0, description="manoeuvre")
    fire: Value = Field(0, description="fire")
    shock: Value = Field(0, description="shock")
    siege: Value = Field(0, description="siege value")
    type: LeaderKind = Field("general", description="an explorer halves every value on land")
    anonymous: bool = Field(False, description="killed instead of wounded")
    robust: bool = Field(False, description="never fragile")


class Side(Fields):
    """Troops and leader of either side in any battle."""

    army_plus: Counters = Field(0, description="ARMY+ counters (4 LD each, full artillery)")
    army_minus: Counters = Field(0, description="ARMY- counters (2 LD each, half artillery)")
    land_detachments: Annotated[int, Field(ge=0, le=100)] = Field(0, description="loose land detachments (LD)")
    exploration_detachments: Annotated[int, Field(ge=0, le=2)] = Field(
        0, description="loose exploration detachments (LDE, a third of a LD); rotw only"
    )
    country: Country = Field("minor", description="class, artillery row and replacement-leader row")
    technology: Technology = Field("musket", description="land technology")
    tercios: bool = Field(False, description="holds the extra technology Tercios; renaissance or better")
    leader: str | LeaderTable = Field(
        "replacement", description='"replacement", "none", a name of leaders.csv, or a table of values'
    )
    leader_country: str = Field("", description="narrows a name to one country of leaders.csv")
    leader_type: Literal["", "general", "king", "conquistador", "governor", "explorer", "pacha", "engineer"] = Field(
        "", description="narrows a name to one type of leaders.csv"
    )


class FieldArmy(Side):
    """Troops that are not behind walls."""

    army_class: ArmyClass = Field("", description='only with country minor; "" = III')
    veteran: bool = Field(True, description="more than half of the LD are veterans")
    artillery_value: Annotated[int, Field(ge=-1, le=12)] = Field(
        -1, description="artillery value of the stack; -1 = computed"
    )
    turkish_reform: Reform = Field("none", description="Turkish military reforms")


class LandSide(FieldArmy):
    """One side of a land battle."""

    pasha_detachments: Annotated[int, Field(ge=0, le=6)] = Field(
        0, description="LD brought by pashas; Turkish countries only"
    )
    army_size: Annotated[int, Field(ge=-1, le=7)] = Field(
        -1, description="structural army size; -1 = by class and period"
    )
    structural_cavalry: Literal["auto", "yes", "no"] = Field("auto", description="structural cavalry bonus")
    facing_the_ottomans: bool = Field(False, description="0/-2 (Turkey's rules)")
    non_european: bool | None = Field(
        None, description="a ROTW country or natives: several dice; default true for natives"
    )
    retreat_room: Annotated[int, Field(ge=-1, le=100)] = Field(
        -1, description="LD that find a place to retreat if the side does not win; -1 = all"
    )


class LandAttacker(LandSide):
    """The phasing side."""

    foraging: bool = Field(False, description="-1/-1 on day 1; musket, baroque or manoeuvre only")


class Besieger(FieldArmy):
    """The besieging stack."""

    siege_value: Value = Field(0, description="best siege value among helpers")


class Besieged(Side):
    """The fortress and who is inside."""

    fortress_level: Annotated[int, Field(ge=0, le=5)] = Field(2, description="0 = fort, rotw only")
    siege_value: Value = Field(0, description="best siege value among helpers")


class Conditions(Fields):
    """Where and when."""

    region: Region = Field("europe", description="europe or the rest of the world")
    terrain: Terrain = Field("plain", description="northern-forest: a Baltic dense forest")
    period: Period = Field("III", description="period of the game")


class LandConditions(Conditions):
    """How the sides meet."""

    crossing: Literal["none", "river", "pass", "strait", "landing"] = Field(
        "none", description="how the attacker entered"
    )
    interception: bool = Field(False, description="the defender intercepted the moving attacker")


class SiegeConditions(Conditions):
    """The fortress and its surroundings."""

    city: bool = Field(False, description="city (level never under 1); rotw only")
    port: Literal["none", "open", "blockaded", "resupplied"] = Field("none", description="its port")
    siegeworks_minus: Annotated[int, Field(ge=0, le=1)] = Field(0, description="siegeworks- counters")
    siegeworks_plus: Annotated[int, Field(ge=0, le=2)] = Field(0, description="siegeworks+ counters")
    breach_counter: bool = Field(False, description="gained earlier this turn")
    assault_counter: bool = Field(False, description="gained earlier this turn")
    first_round: bool = Field(True, description="first siege round of this fortress this turn")
    continued_siege: bool = Field(False, description="the siege began in an earlier turn")
    supply_line: bool = Field(True, description="the besieger has a supply line")
    supply_distance: Annotated[int, Field(ge=0, le=40)] = Field(2, description="movement points")
    bad_weather: bool = Field(False, description="in a campaign on the round track: in its first box")
    pillages: Annotated[int, Field(ge=0, le=4)] = Field(0, description="sides of PILLAGE in the province")
    attrition_modifier: Annotated[int, Field(ge=-10, le=20)] = Field(
        0, description="sum of revolts, strait forts, cold malus"
    )


class CampaignConditions(SiegeConditions):
    """How long the siege may last."""

    rounds: Annotated[int, Field(ge=0, le=30)] = Field(
        0, description="siege rounds; 0 = not given (4, if start_round is not given either)"
    )
    start_round: StartRound = Field("", description="box of the round track where the siege begins")
    poor_weather: bool = Field(False, description="event; ignored without a round track")


class LandPolicy(Fields):
    """Choices of one side of a land battle."""

    break_off: BreakOff = Field("never", description="try to break off after day 1")
    overrun: Literal["none", "declare"] = Field("none", description="needs 4 to 1")


class DefenderPolicy(LandPolicy):
    """Choices of the defender of a land battle."""

    evasion: Literal["stand", "evade"] = Field("stand", description="try to evade the battle")


class LandPolicies(Fields):
    """Choices of both sides."""

    attacker: LandPolicy = Field(default_factory=LandPolicy)
    defender: DefenderPolicy = Field(default_factory=DefenderPolicy)


class BesiegerPolicy(Fields):
    """Choices of the besieger, whatever the length of the siege."""

    war_honours: Literal["grant", "refuse"] = Field("grant", description="on a modified 12; refuse = breach")
    too_small: Literal["redeploy", "assault"] = Field("redeploy", description="when undermining is not allowed")
    garrison: Literal["leave-empty", "garrison"] = Field("leave-empty", description="1 LD into a taken fortress")
    pillage: Literal["pillage", "lose-detachment"] = Field(
        "pillage", description="attrition result P with musket or better"
    )
    losses: Literal["keep-best-army", "keep-most-armies"] = Field(
        "keep-best-army", description="which counter is broken for losses"
    )


class SiegePolicy(BesiegerPolicy):
    """Choices of the besieger in one siege segment."""

    action: Literal["undermine", "assault", "redeploy"] = Field("undermine", description="this segment's action")
    breach: Literal["assault", "wait"] = Field("assault", description="on a breach result")


class CampaignPolicy(BesiegerPolicy):
    """Choices of the besieger in a campaign."""

    plan: Literal["undermine-until-breach", "assault-at-once", "undermine-only", "breach-then-storm"] = Field(
        "undermine-until-breach", description="plan for all rounds"
    )


class NoPolicy(Fields):
    """The besieged have no choice."""


class SiegePolicies(Fields):
    """Choices in a siege segment."""

    attacker: SiegePolicy = Field(default_factory=SiegePolicy)
    defender: NoPolicy = Field(default_factory=NoPolicy)


class CampaignPolicies(Fields):
    """Choices in a campaign."""

    attacker: CampaignPolicy = Field(default_factory=CampaignPolicy)
    defender: NoPolicy = Field(default_factory=NoPolicy)


class Options(Fields):
    """Readings (section 8) and varied tables."""

    leader_differential_cap: Value = Field(3, description="largest leader difference; 9 = no cap")
    tables: dict[str, Any] = Field(
        default_factory=dict, description="rows that replace those of the tables, by table name"
    )


class LandOptions(Options):
    """Readings for land battles."""

    destruction_test: Literal["exceeds", "reaches"] = Field(
        "exceeds", description="destroyed when losses exceed, or reach, the stack's size"
    )
    tercios_require_army: bool = Field(False, description="Tercios count only with an ARMY in the stack")


class SiegeOptions(Options):
    """Readings for sieges."""

    assault_cap_factor: Annotated[int, Field(ge=1, le=2)] = Field(
        2, description="times the resistance that a besieger may lose in an assault"
    )


class CampaignOptions(SiegeOptions):
    """Readings for campaigns."""

    garrison_attrition: bool = Field(True, description="the garrison suffers attrition from round 2 on")


class Land(Fields):
    """A land battle."""

    game: Literal["europa"]
    battle: Literal["land"]
    attacker: LandAttacker = Field(default_factory=LandAttacker)
    defender: LandSide = Field(default_factory=LandSide)
    conditions: LandConditions = Field(default_factory=LandConditions)
    policy: LandPolicies = Field(default_factory=LandPolicies)
    options: LandOptions = Field(default_factory=LandOptions)


class Siege(Fields):
    """One siege segment."""

    game: Literal["europa"]
    battle: Literal["siege"]
    attacker: Besieger = Field(default_factory=Besieger)
    defender: Besieged = Field(default_factory=Besieged)
    conditions: SiegeConditions = Field(default_factory=SiegeConditions)
    policy: SiegePolicies = Field(default_factory=SiegePolicies)
    options: SiegeOptions = Field(default_factory=SiegeOptions)


class Campaign(Fields):
    """A siege over several rounds."""

    game: Literal["europa"]
    battle: Literal["siege-campaign"]
    attacker: Besieger = Field(default_factory=Besieger)
    defender: Besieged = Field(default_factory=Besieged)
    conditions: CampaignConditions = Field(default_factory=CampaignConditions)
    policy: CampaignPolicies = Field(default_factory=CampaignPolicies)
    options: CampaignOptions = Field(default_factory=CampaignOptions)
