"""Game file format 1: the keys of a game file and what each takes (docs/rules/custom_games.md section 2).

`format` adds the keys of format 2. Rules that depend on other keys (dice, units, steps) are checked in `checks`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from simulator.rules.battle import Fields

UNDERSCORED = r"^[a-z][a-z0-9_]*$"
HYPHENED = r"^[a-z][a-z0-9_-]*$"
LONGEST_NAME = 40

SIDES = ("attacker", "defender")
Side = Literal["attacker", "defender"]
A_NAME = f"a name (small letters, digits, _ and -, a letter first, at most {LONGEST_NAME})"
Name = Annotated[str, Field(pattern=HYPHENED, max_length=LONGEST_NAME, json_schema_extra={"takes": A_NAME})]
Selector = list[str]
Added = Annotated[int, Field(ge=-20, le=20)]
Round = Annotated[int, Field(ge=1, le=100)]
Reroll = Literal["none", "misses"] | Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]
Order = Literal["cheapest", "weakest"]


class Roll(Fields):
    """A roll written as a table."""

    value: Annotated[int, Field(ge=1)] = Field(description="hits at this value")
    dice: Annotated[int, Field(ge=1, le=1000)] = Field(1, description="dice that each such unit rolls")
    reroll: Reroll = Field("none", description="dice rolled once more: none, misses, or a list of faces")


AnyRoll = Annotated[int, Field(ge=0)] | Roll


class Dice(Fields):
    """The dice of the game (2.3)."""

    sides: Annotated[int, Field(ge=2, le=1000)] = Field(6, description="faces 1 to sides, equally likely")
    hit: Literal["at-most", "at-least"] = Field("at-most", description="a face hits at most / at least the value")
    always_hit: list[Annotated[int, Field(ge=1)]] = Field(default_factory=list, description="faces that always hit")
    always_miss: list[Annotated[int, Field(ge=1)]] = Field(default_factory=list, description="faces that always miss")
    clamp: Annotated[list[int], Field(min_length=2, max_length=2)] | None = Field(
        None, description="lowest and highest value after everything was added"
    )


class Unit(Fields):
    """A kind of piece (2.4)."""

    name: str | None = Field(None, description="shown to people; default the key")
    cost: Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)] = Field(
        0, description="for cost_lost and the order cheapest"
    )
    tags: list[Name] = Field(default_factory=list, description="words that several units share")
    hits: Annotated[int, Field(ge=1, le=20)] = Field(1, description="hits it takes to kill one")
    absorb: Literal["first", "last"] = Field("first", description="when the extra points of a unit are taken")
    attack: AnyRoll | None = Field(None, description="what it rolls as attacker: a value, or value, dice, reroll")
    defence: AnyRoll | None = Field(None, description="what it rolls as defender")
    combat: AnyRoll | None = Field(None, description="attack and defence in one")
    rolls: dict[str, AnyRoll] = Field(default_factory=dict, description="further rolls by name")


class Part(Fields):
    """Units that take part on a side."""

    fights: Selector | None = Field(None, description="units that may fight; default every unit not in supports")
    supports: Selector = Field(default_factory=list, description="units that may support: never hit, never counted")


class Kind(Fields):
    """A battle kind (2.5)."""

    title: str = Field("", description="one line")
    attacker: Part = Field(default_factory=Part)
    defender: Part = Field(default_factory=Part)
    taken_by: Selector | None = Field(None, description="units whose survival gives the column taken")
    may_retreat: list[Side] = Field(default_factory=list, description="sides that may have a retreat policy")
    retreat_after: Annotated[int, Field(ge=0, le=100)] = Field(1, description="rounds before anybody may leave")
    rounds: Annotated[int, Field(ge=1, le=1000)] | None = Field(None, description="undecided after so many rounds")
    undecided: Literal["nobody", "attacker", "defender"] = Field("nobody", description="who wins an undecided battle")


ConditionValue = bool | str
IfCondition = dict[str, ConditionValue | list[ConditionValue]]


class RoundScope(Fields):
    """Scope keys that a scenario's modifiers know too (2.7)."""

    from_round: Round | None = Field(None, description="holds from this round on")
    to_round: Round | None = Field(None, description="holds up to this round")
    if_own_has: Selector | None = Field(None, description="holds if one of these own units stands there")
    if_enemy_has: Selector | None = Field(None, description="holds if one of these enemy units stands there")
    unless_own_has: Selector | None = Field(None, description="holds if none of these own units stands there")
    unless_enemy_has: Selector | None = Field(None, description="holds if none of these enemy units stands there")


class Scope(RoundScope):
    """All scope keys (2.7)."""

    if_condition: IfCondition = Field(default_factory=dict, description="condition = value or list of values")


class Fire(Fields):
    """The roll that each side fires."""

    attacker: str | None = None
    defender: str | None = None


class AtMost(Fields):
    """No more dice than so many fighting units stand there."""

    own: Selector | None = None
    enemy: Selector | None = None


class Step(Scope):
    """A step: units that fire, their roll and their targets (2.6)."""

    name: Name = Field(description="the step's name")
    group: Name | None = Field(None, description="steps of one group are simultaneous")
    battle: list[str] | None = Field(None, description="kinds in which the step is fought; default all")
    when: Literal["each-round", "before-battle"] = Field("each-round", description="every round, or once before")
    fire: Fire = Field(
        default_factory=lambda: Fire(attacker="attack", defender="defence"), description="which roll each side fires"
    )
    by: Selector | None = Field(None, description="only these fire; default all")
    hits_only: Selector | None = Field(None, description="only these can be hit; default all")
    spares: Selector = Field(default_factory=list, description="these cannot be hit")
    dice_at_most: AtMost | None = Field(None, description="no more dice than so many fighting units stand there")


class Support(Scope):
    """Units that raise others (2.8)."""

    name: str = ""
    from_: Selector = Field(alias="from", description="who helps")
    to: Selector = Field(description="who is supported")
    each: Annotated[int, Field(ge=1, le=1000)] = Field(1, description="units that one supporter helps")
    sets: Annotated[int, Field(ge=1)] | None = Field(None, description="raises the value to this")
    adds: Added | None = Field(None, description="added to the value")
    side: Literal["attacker", "defender", "both"] = Field("both", description="whose units")
    rolls: list[str] = Field(default_factory=lambda: ["attack", "defence"], description="rolls it applies to")
    steps: list[str] | None = Field(None, description="steps it applies to; default all")


class SideModifier(RoundScope):
    """Dice of one side made better or worse (2.9)."""

    name: str = ""
    units: Selector | None = Field(None, description="whose dice; default all")
    adds: Added = Field(0, description="added to the value")
    dice: Added = Field(0, description="dice more or fewer for each unit")
    reroll: Reroll = Field("none", description="a reroll given")
    rolls: list[str] = Field(default_factory=lambda: ["attack", "defence"], description="rolls it applies to")
    steps: list[str] | None = Field(None, description="steps it applies to; default all")


class Modifier(SideModifier, Scope):
    """Dice made better or worse (2.9)."""

    side: Literal["attacker", "defender", "both"] = Field("both", description="the side whose dice change")


class Condition(Fields):
    """A question that a scenario may answer (2.10)."""

    about: str = Field("", description="one line")
    choices: Annotated[list[Name], Field(min_length=2)] | None = Field(None, description="default: yes or no")
    default: bool | str | None = Field(None, description="default: the first choice / false")


class OrderBySide(Fields):
    """Loss orders of each side."""

    attacker: Order | list[str] = "cheapest"
    defender: Order | list[str] = "cheapest"


class SelectorBySide(Fields):
    """A selector for each side."""

    attacker: Selector = Field(default_factory=list)
    defender: Selector = Field(default_factory=list)


class Losses(Fields):
    """Order of losses (2.11)."""

    order: Order | list[str] | OrderBySide = Field("cheapest", description="first listed is lost first")
    last: Selector | SelectorBySide = Field(default_factory=list, description="lost after all others")
    removed_alone: Selector | SelectorBySide = Field(
        default_factory=list, description="lost at once when nothing else is left"
    )
    repaired: bool = Field(False, description="damage is repaired when the battle is over")


class GameFile(Fields):
    """A game file, format 1 (2.2)."""

    format: Literal[1] = Field(description="version of this format")
    name: str = Field(description="the game's name")
    about: str = Field("", description="what it is, one line")
    source: str = Field("", description="where its facts come from, one line")
    assumed: list[str] = Field(default_factory=list, description="lines listed with every answer")
    dice: Dice = Field(default_factory=Dice)
    unit: Annotated[dict[str, Unit], Field(min_length=1, max_length=64)]
    battle: Annotated[dict[str, Kind], Field(min_length=1)]
    step: Annotated[list[Step], Field(min_length=1, max_length=32)]
    support: Annotated[list[Support], Field(max_length=32)] = Field(default_factory=list)
    modifier: Annotated[list[Modifier], Field(max_length=64)] = Field(default_factory=list)
    condition: dict[str, Condition] = Field(default_factory=dict)
    losses: Losses = Field(default_factory=Losses)
