"""The scenario of each kind of battle (docs/rules/birthright.md sections 2 to 8)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from simulator.rules.battle import Both, Fields, FrameOf
from simulator.rules.birthright.units import MOST_IN_ENTRY, Class, HeroClass, Terrain, Type, number_rows

Value = Annotated[int, Field(ge=0, le=12)]
Values = Annotated[list[Value], Field(max_length=4)]
Warcraft = Annotated[int, Field(ge=-10, le=50)]
Level = Annotated[int, Field(ge=0, le=20)]
WallLevel = Annotated[int, Field(ge=1, le=20)]
Points = Annotated[int, Field(ge=0, le=50)]
Losses = Literal["weakest-first", "spread", "as-listed"]
Retreat = Literal["never", "half", "outmatched", "best"]
Few = Annotated[int, Field(ge=0, le=3)]
Price = Annotated[int, Field(ge=0, le=100)]
Whole = Annotated[int, Field(ge=0, le=1_000_000)]
Rows = Annotated[list[list[Whole]], Field(min_length=1, max_length=100)]
LevelRows = Annotated[list[list[Whole]], Field(min_length=20, max_length=20)]


def table_field(name: str, description: str) -> Any:
    """A field whose default is a table of `data/`."""
    return Field([list(row) for row in number_rows(name)], description=description)


class Counted(Fields):
    """Equal units of an army."""

    unit: Annotated[str, Field(min_length=1)] = Field(description="a name of units.csv, or one of your own")
    count: Annotated[int, Field(ge=0, le=MOST_IN_ENTRY)] = Field(1, description="number of such units")


class Group(Counted):
    """Equal units of an army; each field but `unit` and `count` overrides a column of the unit's card."""

    kind: Class | None = Field(None, alias="class", description="row of terrain.csv; pikemen stop charges")
    type: Type | None = Field(None, description="general type")
    move: Annotated[int, Field(ge=1, le=10)] | None = Field(None, description="movement points a war move")
    defence: Annotated[int, Field(ge=0, le=10)] | None = Field(None, description="taken off the enemy's attack")
    morale: Annotated[int, Field(ge=1, le=4)] | None = Field(None, description="morale icons")
    hits: Annotated[int, Field(ge=0, le=3)] | None = Field(None, description="hits it survives")
    melee: Values | None = Field(None, description="attack value by hits taken so far")
    charge: Values | None = Field(None, description="the same in a charge; [] = never")
    missile: Values | None = Field(None, description="the same when shooting; [] = never")
    strength: Annotated[int, Field(ge=1, le=50)] | None = Field(None, description="value in quick battles and sieges")
    muster: Price | None = Field(None, description="gold bars to raise it")
    maintenance: Price | None = Field(None, description="gold bars a season")

    def changes(self) -> dict[str, Any]:
        """The columns that it replaces."""
        given = {name: value for name, value in self if name not in {"unit", "count"} and value is not None}
        return {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}


class FightMagic(Counted):
    """Heroes and magic of equal units in a battle unit against unit."""

    hero: Few = Field(0, description="attack bonus from a hero who fights with each of them (ASSUMED)")
    spells: Few = Field(0, description="realm spells on each of them: +1 to every attack")


class FightGroup(Group, FightMagic):
    """Equal units of a battle unit against unit."""


class CheckMagic(Counted):
    """Magic and abilities of equal units in the quick check."""

    spells: Few = Field(0, description="realm spells on each of them: +1 strength")
    spellcasting: Annotated[int, Field(ge=0, le=2)] = Field(0, description="strength of units that cast spells")
    special: Annotated[int, Field(ge=-3, le=3)] = Field(0, description="special abilities less vulnerabilities")
    undead: bool = Field(False, description="the enemy's turn_undead works against them")


class CheckGroup(Group, CheckMagic):
    """Equal units of an army in the quick check."""


def units_field() -> Any:
    """An army list, empty by default."""
    return Field([], description='units in order: {unit = "knights", count = 2} or "2 x knights"')


G = TypeVar("G", bound=Group)
Units = Annotated[list[G | str], Field(max_length=60)]
NoPolicies = Both[Fields, Fields]


class Line(Fields):
    """Units in order of battle, front first."""

    page = "units, warcraft"
    units: Units[FightGroup] = units_field()
    warcraft: Warcraft = Field(0, description="commander's Warcraft modifier")
    inspire: Annotated[int, Field(ge=0, le=2)] = Field(0, description="more morale icons, at most 4 in all (ASSUMED)")


class FieldPolicy(Fields):
    """Order of battle, and when the side leaves."""

    page = "retreat, deploy"
    deploy: Literal["as-listed", "strongest-first", "weakest-first", "missile-first"] = Field(
        "as-listed", description="order of battle"
    )
    retreat: Retreat = Field("never", description="when the side leaves the field")


class GarrisonPolicy(FieldPolicy):
    """A stormed garrison cannot leave."""

    page = "deploy"
    retreat: Literal["never"] = Field("never", description="a stormed garrison cannot leave")


class FieldConditions(Fields):
    """The place of the battle."""

    terrain: Terrain = Field("plains", description="attack modifiers, units that are not usable, charges")
    defender_position: Annotated[int, Field(ge=0, le=3)] = Field(
        0, description="bonus to the defence of defending units: river line, ridge (ASSUMED)"
    )


class StormConditions(Fields):
    """The stormed place."""

    terrain: SkipJsonSchema[Terrain] = Field("plains", description="without effect in a storm, and so not listed")
    fortification: WallLevel = Field(description="present level of the walls")


GOLD: bool = Field(False, description="also report gold bars: the price of both armies and of their losses")


class FightOptions(Fields):
    """Options of a fight unit against unit."""

    gold: bool = GOLD
    missile_rounds: Annotated[int, Field(ge=0, le=3)] = Field(
        1, description="rounds of shooting while the lines close (ASSUMED)"
    )
    ten: Literal["reroll", "shift"] = Field("reroll", description="what a 10 on the d10 does")
    morale_die: Literal["d6", "d8"] = Field("d6", description="die of morale checks")
    rally: Literal["none", "once"] = Field("none", description="a second check for a unit that would rout")
    warcraft_step: Annotated[int, Field(ge=1, le=20)] = Field(
        5, description="Warcraft that makes one column of command edge (ASSUMED)"
    )
    warcraft_max: Few = Field(2, description="largest command edge (ASSUMED)")


class FieldOptions(FightOptions):
    """Options of a field battle."""

    terrain_effects: Literal["full", "charges-only"] = Field(
        "full", description="charges-only: terrain only decides whether charges are possible (rules version 1)"
    )
    pursuit: Literal["cavalry", "none"] = Field("cavalry", description="does the winner's cavalry pursue")
    pursuit_number: Annotated[int, Field(ge=2, le=6)] = Field(5, description="d6 needed to catch (ASSUMED)")


class StormOptions(FightOptions):
    """Options of a storm."""

    walls: Literal["full", "first-five"] = Field(
        "full", description="first-five: levels above 5 add nothing, columns end at -3 (rules version 1)"
    )
    fort_defence: LevelRows | None = Field(
        None, description="rows [level, defence] for levels 1 to 20; without them as `walls` says (ASSUMED)"
    )


class Tactical(FrameOf[Line, Line, FieldConditions, Both[FieldPolicy, FieldPolicy], FieldOptions]):
    """A field battle unit against unit."""

    game: Literal["birthright"]
    battle: Literal["tactical"]


class Storm(FrameOf[Line, Line, StormConditions, Both[FieldPolicy, GarrisonPolicy], StormOptions]):
    """An assault on a fortified, garrisoned province, unit against unit."""

    game: Literal["birthright"]
    battle: Literal["storm"]


Fight = Tactical | Storm


class Hero(Fields):
    """A hero of an army in the quick check."""

    kind: HeroClass = Field(alias="class", description="warrior: level, rogue: level / 4, mage: level / 6 points")
    level: WallLevel = Field(1, description="level of the hero")
    strategy: bool = Field(False, description="5 more points")
    battlewise: bool = Field(False, description="a point for each own unit at the start")


class Army(Fields):
    """An army in the quick check."""

    page = "units, warcraft, heroes"
    units: Units[CheckGroup] = units_field()
    warcraft: Warcraft = Field(0, description="commander's Warcraft modifier")
    leader_points: Annotated[int, Field(ge=0, le=100)] = Field(0, description="added to the strength")
    heroes: Annotated[list[Hero], Field(max_length=10)] = Field([], description="their points are added too")
    turn_undead: bool = Field(False, description="+1 strength for each enemy undead unit alive")


class LossPolicy(Fields):
    """The order in which units take hits."""

    losses: Losses = Field("weakest-first", description="who takes the hits")


class QuickPolicy(LossPolicy):
    """The order in which units take hits, and when the side leaves."""

    retreat: Retreat = Field("never", description="when the side leaves; only with options.mode fight-on")


class QuickConditions(Fields):
    """The place of the battle."""

    terrain: Terrain = Field("plains", description="terrain of the battle")
    fortification: Level = Field(0, description="walls that the defender fights behind")


class CheckOptions(Fields):
    """The numbers of the quick check, a house rule."""

    gold: bool = GOLD
    fort_bonus_per_level: Annotated[int, Field(ge=0, le=5)] = Field(1, description="bonus a level of walls (ASSUMED)")
    fort_bonus_max: Points = Field(10, description="largest bonus of walls (ASSUMED)")
    quick_ratio: Rows = table_field("quick_ratio", "rows [stronger, weaker, modifier] (ASSUMED)")
    quick_result: Rows = table_field(
        "quick_result", "rows [margin from, winner loses %, loser loses %, rout 0/1, pursuit %] (ASSUMED)"
    )


class QuickOptions(CheckOptions):
    """Options of a quick battle."""

    mode: Literal["single", "fight-on"] = Field("single", description="one check, or turns until decided")
    max_turns: Annotated[int, Field(ge=1, le=50)] = Field(10, description="most turns of fight-on")


class QuickBattle(FrameOf[Army, Army, QuickConditions, Both[QuickPolicy, QuickPolicy], QuickOptions]):
    """A field battle by opposed checks (house rule)."""

    game: Literal["birthright"]
    battle: Literal["quick-battle"]


class Besieger(Army):
    """The besieging army."""

    rating: Annotated[int, Field(ge=0, le=1_000_000)] = Field(
        0, description='"offensive" rating at full strength; 0 = computed from the units'
    )


class SiegeConditions(Fields):
    """The besieged place and its relief army."""

    page = "fortification, seasons, terrain, relief_on"
    fortification: WallLevel = Field(description="level at the start")
    allied_fortification: Level = Field(0, description="levels lent by allied regents")
    seasons: Annotated[int, Field(ge=1, le=12)] = Field(4, description="how long the besieger can stay")
    terrain: Terrain = Field("plains", description="terrain of the battle")
    relief_on: Annotated[int, Field(ge=0, le=20)] = Field(
        0, description="a relief army comes in a season if a d20 is at least this; 0 = never, not 1 (ASSUMED)"
    )
    relief_units: Units[CheckGroup] = Field([], description="the relief army")
    relief_warcraft: Warcraft = Field(0, description="its commander's Warcraft")


class SiegePlan(LossPolicy):
    """The besieger's policy: when to storm, and the order in which units take hits."""

    siege: Literal["wait", "storm-now", "storm-at-level", "storm-last-season", "best"] = Field(
        "wait", description="when the besieger storms; best: storms, waits or withdraws"
    )


class SiegeOptions(CheckOptions):
    """Options of a siege."""

    storm_level: Level = Field(0, description="storm-at-level storms while the level is at most this")
    rating_per_strength: Annotated[int, Field(ge=1, le=100_000)] = Field(
        600, description="rating a point of strength (ASSUMED)"
    )
    rating_reading: Literal["below", "at-least"] = Field("below", description="how siege_table is read")
    siege_table: Rows = table_field("siege", "rows [rating below, level, reduced a season]")


class Siege(FrameOf[Besieger, Army, SiegeConditions, Both[SiegePlan, LossPolicy], SiegeOptions]):
    """Seasons of investment: wait, storm, relief (its battles by the quick check, a house rule)."""

    game: Literal["birthright"]
    battle: Literal["siege"]


class Regent(Fields):
    """The regent of the question."""

    warcraft: Warcraft = Field(0, description="own Warcraft modifier")
    points_left: Points = Field(1, description="movement points unspent")


class OtherRegent(Fields):
    """Another regent of the opposed check."""

    warcraft: Warcraft = Field(0, description="Warcraft modifier")
    in_target: bool = Field(False, description="has hostile units in the province to enter")
    in_origin: bool = Field(False, description="has hostile units in the province to leave")


class OtherRegents(Fields):
    """The other regents of the check."""

    regents: Annotated[list[OtherRegent], Field(min_length=1, max_length=7)] = Field(description="the other regents")


class MoveConditions(Fields):
    """The move."""

    cost: Annotated[int, Field(ge=1, le=50)] = Field(1, description="movement points it costs")


class AdjustmentOptions(Fields):
    """Readings of the opposed check."""

    tie: Literal["free", "blocked"] = Field("free", description="may a regent with an equal total block")
    order: bool = Field(False, description="also report the whole order, with at most 4 regents in all")


class Adjustment(FrameOf[Regent, OtherRegents, MoveConditions, NoPolicies, AdjustmentOptions]):
    """The regents' opposed Warcraft check for the last move."""

    game: Literal["birthright"]
    battle: Literal["adjustment"]


class Sight(Fields):
    """The sources of sight of the viewing regent, and the movement of the unit."""

    kind: Literal["army", "naval"] = Field("army", description="kind of the unit")
    claimed: bool = Field(False, description="the viewer has claimed the province (army)")
    own_unit: bool = Field(False, description="the viewer has a unit there (army)")
    adjacent_scouts: bool = Field(False, description="the viewer has scouts next to it (army)")
    own_naval_unit: bool = Field(False, description="the viewer has a naval unit there (naval)")
    previous: Literal["none", "seen", "unseen"] = Field(
        "none", description="it has not moved / came from where it was seen / unseen"
    )
    moved_out: bool = Field(False, description="it was seen and has left to an adjacent province")
    espionage: bool = Field(False, description="espionage or scrying has succeeded")


class Visibility(FrameOf[Fields, Fields, Sight, NoPolicies, Fields]):
    """The units that a regent sees (no dice)."""

    game: Literal["birthright"]
    battle: Literal["visibility"]


class Marchers(Fields):
    """The marching army."""

    units: Units[Group] = Field([], description="the slowest sets the rate")
    movement: Points = Field(0, description="points a war move; 0 = the slowest unit's")


class March(Fields):
    """The boroughs on the way."""

    costs: Annotated[list[Annotated[int, Field(ge=1, le=50)]], Field(min_length=1, max_length=40)] = Field(
        description="points for each borough in turn"
    )
    roads: list[bool] = Field([], description="friendly paved road to each borough: half the cost, rounded up")
    war_moves: Annotated[int, Field(ge=1, le=100)] = Field(4, description="war moves there are")
    retreat_cost: Annotated[int, Field(ge=1, le=50)] = Field(1, description="points to go back whence one came")


class MarchOptions(Fields):
    """Readings of the movement rules."""

    carry: bool = Field(True, description="points unspent count in the next war move (ASSUMED)")


class Movement(FrameOf[Marchers, Fields, March, NoPolicies, MarchOptions]):
    """The number of war moves of a march (no dice)."""

    game: Literal["birthright"]
    battle: Literal["movement"]
