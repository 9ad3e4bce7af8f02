"""The keys of a game file and what each takes (docs/rules/custom_games.md section 2).

Files of all formats are held in these models; in a file of a lower format a key that is `New` or `New3` is an unknown
one. Rules that depend on other keys (dice, units, steps) are checked in `checks`.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from simulator.rules.battle import Fields
from simulator.rules.custom.game_file.keys import (
    NEEDS_2,
    Added,
    Bonus,
    Chooser,
    Cost,
    Face,
    From1To20,
    Initiative,
    Name,
    New,
    New3,
    Order,
    Reroll,
    Round,
    Selector,
    Side,
    TwoNumbers,
    UpTo10,
    UpTo20,
    UpTo1000,
    UpTo1001,
)


class Roll(Fields):
    """A roll written as a table."""

    value: Face | None = Field(None, description="hits at this value")
    dice: Annotated[int, Field(ge=1, le=1000)] = Field(1, description="dice that each such unit rolls")
    reroll: Literal["none", "misses"] | Annotated[list[Face | Annotated[str, NEEDS_2]], Field(min_length=1)] = Field(
        "none", description="dice rolled once more: none, misses, or a list of faces"
    )
    damage: New[From1To20] = Field(1, description="damage of one hit")
    split: New[bool] = Field(False, description="the damage falls as single hits")
    die: New[str | None] = Field(None, description="the die, a name of [die]; default that of [dice]")
    bonus: New[Bonus | None] = Field(None, description="added to the face, in place of value, where dice are compared")


AnyRoll = Annotated[int, Field(ge=0)] | Roll


class Dice(Fields):
    """The dice of the game (2.3)."""

    sides: Annotated[int, Field(ge=2, le=1000)] = Field(6, description="faces 1 to sides, equally likely")
    hit: Literal["at-most", "at-least"] = Field("at-most", description="a face hits at most / at least the value")
    always_hit: list[Face] = Field(default_factory=list, description="faces that always hit")
    always_miss: list[Face] = Field(default_factory=list, description="faces that always miss")
    clamp: TwoNumbers | None = Field(None, description="lowest and highest value after everything was added")


class Die(Fields):
    """A further die: with numbers (`sides`) or with symbols (`faces`) (2.3)."""

    sides: Annotated[int, Field(ge=2, le=1000)] | None = Field(None, description="faces 1 to sides, equally likely")
    always_hit: list[Face] = Field(default_factory=list, description="faces that always hit")
    always_miss: list[Face] = Field(default_factory=list, description="faces that always miss")
    clamp: TwoNumbers | None = Field(None, description="lowest and highest value after everything was added")
    faces: Annotated[list[Name], Field(min_length=2, max_length=100)] | None = Field(
        None, description="the names on a symbol die; a name may stand there several times"
    )
    hits: Annotated[dict[str, Literal["all"] | Selector], Field(min_length=1)] | None = Field(
        None, description="face = the units that it hits, or all"
    )
    damage: dict[str, From1To20] = Field(default_factory=dict, description="face = damage of a hit with it; default 1")


class UnitValues(Fields):
    """A unit's own values on one side; those that are not given are the unit's (2.4)."""

    cost: Cost | None = None
    hits: From1To20 | None = None
    absorb: Literal["first", "last"] | None = None
    initiative: Initiative | None = None
    shield: UpTo20 | None = None
    absorbs: UpTo20 | None = None
    attack: AnyRoll | None = None
    defence: AnyRoll | None = None
    combat: AnyRoll | None = None
    rolls: dict[str, AnyRoll] = Field(default_factory=dict)


class Unit(Fields):
    """A kind of piece (2.4)."""

    name: str | None = Field(None, description="shown to people; default the key")
    cost: Cost = Field(0, description="for cost_lost and the order cheapest")
    tags: list[Name] = Field(default_factory=list, description="words that several units share")
    hits: From1To20 = Field(1, description="hits it takes to kill one")
    absorb: Literal["first", "last"] = Field("first", description="when the extra points of a unit are taken")
    attack: AnyRoll | None = Field(None, description="what it rolls as attacker: a value, or value, dice, reroll")
    defence: AnyRoll | None = Field(None, description="what it rolls as defender")
    combat: AnyRoll | None = Field(None, description="attack and defence in one")
    rolls: dict[str, AnyRoll] = Field(default_factory=dict, description="further rolls by name")
    initiative: New[Initiative] = Field(0, description="when it fires in steps ordered by initiative, highest first")
    shield: New[UpTo20] = Field(0, description="every number rolled at it hits at a value worse by this")
    absorbs: New[UpTo20] = Field(0, description="hits of the enemy that each such unit takes off in each group")
    needs: New3[list[str]] = Field(default_factory=list, description="options and groups: one of these must be on")
    instead_of: New3[Selector] = Field(default_factory=list, description="units in whose place it stands: not both")
    attacker: New[UnitValues] = Field(default_factory=UnitValues, description="its own values as attacker")
    defender: New[UnitValues] = Field(default_factory=UnitValues, description="its own values as defender")


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
    rounds: Annotated[int, Field(ge=1, le=1000)] | None = Field(None, description="undecided after this many rounds")
    undecided: Literal["nobody", "attacker", "defender"] = Field("nobody", description="who wins an undecided battle")
    points_at_most: New3[Annotated[int, Field(ge=0, le=10_000)] | None] = Field(
        None, description="points that a side can score at most, in a kind that counts them"
    )
    yields: New3[Selector] = Field(
        default_factory=list, description="a side with only these left gives way where nobody can hit any more"
    )


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
    """A count (2.1): as many as such units stand there, `each` for one unit, and never more than `most`."""

    own: Selector | None = Field(None, description="the own units that are counted")
    enemy: Selector | None = Field(None, description="the enemy's units that are counted")
    each: New3[UpTo1000] = Field(1, description="the number for each unit")
    most: New3[UpTo1000 | None] = Field(None, description="never more than this")


class Most(Fields):
    """Dice that each side rolls at most."""

    attacker: UpTo10 = 10
    defender: UpTo10 = 10


class Compare(Fields):
    """Opposed dice (2.6)."""

    pairs: UpTo10 = Field(10, description="pairs compared, highest dice first")
    most: Most = Field(default_factory=Most, description="dice a side rolls at most")
    ties: Literal["attacker", "defender", "both", "nobody", "reroll"] = Field(
        "defender", description="who hits when both are equal"
    )
    ratio: New3[bool] = Field(False, description="strengths of the front pieces: A / (A + D) that the attacker hits")


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
    dice_at_most: UpTo1000 | AtMost | None = Field(
        None, description="no more dice than fighting units stand there, or (format 3) than this number"
    )
    order: New[Literal["together", "initiative"]] = Field(
        "together", description="initiative: once for each initiative"
    )
    ties: New[Literal["together", "attacker", "defender"]] = Field(
        "together", description="equal initiative: at the same time, or this side first"
    )
    compare: New[Compare | None] = Field(None, description="opposed dice: both sides' dice are sorted and compared")
    aim: New3[Literal["anyone", "first", "piece", "kind"]] = Field(
        "anyone", description="first: each die at the piece that is next to fall; piece, kind: front against front"
    )
    checks: New3[list[str]] = Field(default_factory=list, description="throws that each hit must pass, in this order")
    cancel: New3[bool] = Field(False, description="hits of the two front pieces cancel one against one")
    points: New3[bool] = Field(False, description="the dice of this step score points; nobody is hit")
    pool: New3[Name | None] = Field(None, description="low luck: dice of steps with different pool never add up")


class Support(Scope):
    """Units that raise others (2.8)."""

    name: str = ""
    from_: Selector = Field(alias="from", description="who helps")
    to: Selector = Field(description="who is supported")
    each: Annotated[int, Field(ge=1, le=1000)] = Field(1, description="units that one supporter helps")
    sets: Face | None = Field(None, description="raises the value to this")
    adds: Added | None = Field(None, description="added to the value")
    side: Literal["attacker", "defender", "both"] = Field("both", description="whose units")
    rolls: list[str] = Field(default_factory=lambda: ["attack", "defence"], description="rolls it applies to")
    steps: list[str] | None = Field(None, description="steps it applies to; default all")
    dice: New[Added] = Field(0, description="dice more or fewer for each unit helped")
    whom: New[Literal["own", "enemy"]] = Field("own", description="whose units to names")
    stack: New[Name | None] = Field(None, description="rules of one stack help each unit once at most")
    itself: New3[bool] = Field(False, description="may a piece that helps alone help itself?")


class SideModifier(RoundScope):
    """Dice of one side made better or worse (2.9)."""

    name: str = ""
    units: Selector | None = Field(None, description="whose dice; default all")
    adds: Added = Field(0, description="added to the value")
    dice: Added = Field(0, description="dice more or fewer for each unit")
    reroll: Reroll = Field("none", description="a reroll given")
    rolls: list[str] = Field(default_factory=lambda: ["attack", "defence"], description="rolls it applies to")
    steps: list[str] | None = Field(None, description="steps it applies to; default all")


class SideModifier3(SideModifier):
    """Keys of modifiers that format 3 adds."""

    whom: New3[Literal["own", "enemy"]] = Field("own", description="whose dice change, seen from side")
    at_most: New3[UpTo1000 | AtMost | None] = Field(
        None, description="only this many pieces have it, the best ones; of reroll: only this many dice in each step"
    )
    checks: New3[list[str] | None] = Field(None, description="changes the throws of these checks, not the roll")


class Modifier(SideModifier3, Scope):
    """Dice made better or worse (2.9)."""

    side: Literal["attacker", "defender", "both"] = Field("both", description="the side that has it")


class Check(Fields):
    """One more throw for a hit (2.12)."""

    value: UpTo1001 = Field(description="passes at this value")
    chart: dict[str, dict[str, UpTo1001]] = Field(
        default_factory=dict, description="the value by who fires (row) and who is hit (column): units, tags or all"
    )
    die: str | None = Field(None, description="a die with numbers, a name of [die]; default that of [dice]")
    reroll: Reroll = Field("none", description="throws that are made once more")
    save: bool = Field(False, description="the owner of the target throws, and a throw that passes stops the hit")


class Condition(Fields):
    """A question that a scenario may answer (2.10)."""

    about: str = Field("", description="one line")
    choices: Annotated[list[Name], Field(min_length=2)] | None = Field(None, description="default: yes or no")
    default: bool | str | None = Field(None, description="default: the first choice / false")


class Option(Fields):
    """An option that a scenario may switch on for a side (2.13)."""

    name: str | None = Field(None, description="shown to people; default the key")
    about: str = Field("", description="one line")
    group: Name | None = Field(None, description="a side has one option of a group at most")
    needs: list[str] = Field(default_factory=list, description="options and groups: one of these must be on")
    unit: dict[str, UnitValues] = Field(default_factory=dict, description="the side's own values of units")
    modifier: list[Modifier] = Field(default_factory=list, description="modifiers of this side, without side")
    support: list[Support] = Field(default_factory=list, description="supports of this side, without side")


Options = Annotated[dict[str, Option], Field(max_length=200)]


class OrderBySide(Fields):
    """Loss orders of each side."""

    attacker: Order | list[str] = "cheapest"
    defender: Order | list[str] = "cheapest"


class SelectorBySide(Fields):
    """A selector for each side."""

    attacker: Selector = Field(default_factory=list)
    defender: Selector = Field(default_factory=list)


class ChosenBySide(Fields):
    """The side that orders the losses of each side."""

    attacker: Chooser = "owner"
    defender: Chooser = "owner"


class Losses(Fields):
    """Order of losses (2.11)."""

    order: Order | list[str] | OrderBySide = Field("cheapest", description="first listed is lost first")
    last: Selector | SelectorBySide = Field(default_factory=list, description="lost after all others")
    removed_alone: Selector | SelectorBySide = Field(
        default_factory=list, description="lost at once when nothing else is left"
    )
    repaired: bool = Field(False, description="damage is repaired when the battle is over")
    chosen_by: New[Chooser | ChosenBySide] = Field(
        "owner", description="who orders the losses: their owner or the enemy"
    )


class GameFile(Fields):
    """A game file (2.2)."""

    format: Literal[1, 2, 3] = Field(description="version of this format")
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
    check: New3[dict[str, Check]] = Field(default_factory=dict, description="further throws by name")
    option: New3[Options] = Field(default_factory=dict, description="what a scenario switches on for a side, by name")
    die: New[dict[str, Die]] = Field(default_factory=dict, description="further dice by name")

    # By identity: results computed for a file are kept under it (lists and tables have no hash of their own).
    __hash__ = object.__hash__


class GameFile1(GameFile):
    """The keys of format 1, for complaints about a file of that format."""

    highest: ClassVar[int] = 1

    @classmethod
    def model_json_schema(cls, *args: Any, **options: Any) -> dict[str, Any]:
        """The JSON schema of a game file without the keys of higher formats."""
        schema: dict[str, Any] = _up_to(GameFile.model_json_schema(*args, **options), cls.highest)
        return schema


class GameFile2(GameFile1):
    """The keys of format 2."""

    highest: ClassVar[int] = 2


def _up_to(node: Any, highest: int) -> Any:
    """A part of a schema without the parts that need a higher format."""
    if isinstance(node, dict):
        return {key: _up_to(part, highest) for key, part in node.items() if _format_of(part) <= highest}
    return [_up_to(part, highest) for part in node if _format_of(part) <= highest] if isinstance(node, list) else node


def _format_of(part: Any) -> int:
    return int(part.get("needs_format", 1)) if isinstance(part, dict) else 1


MODELS: dict[int, type[GameFile]] = {1: GameFile1, 2: GameFile2, 3: GameFile}
