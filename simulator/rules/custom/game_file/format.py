"""Game file format 2: format 1 and the keys marked ² in docs/rules/custom_games.md section 2.

All game files are held in these models, so that rules read one shape; `format1` says what a file of format 1 may hold.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from simulator.rules.battle import Fields
from simulator.rules.custom.game_file import format1
from simulator.rules.custom.game_file.format1 import (
    HYPHENED,
    LONGEST_NAME,
    SIDES,
    UNDERSCORED,
    Added,
    AtMost,
    Condition,
    ConditionValue,
    Dice,
    Fire,
    IfCondition,
    Modifier,
    Name,
    Order,
    OrderBySide,
    Reroll,
    RoundScope,
    Scope,
    Selector,
    SelectorBySide,
    SideModifier,
)

__all__ = [
    "HYPHENED",
    "LONGEST_NAME",
    "SIDES",
    "UNDERSCORED",
    "Added",
    "AnyRoll",
    "AtMost",
    "ChosenBySide",
    "Compare",
    "Condition",
    "ConditionValue",
    "Dice",
    "Die",
    "Fire",
    "GameFile",
    "IfCondition",
    "Losses",
    "Modifier",
    "Order",
    "OrderBySide",
    "Reroll",
    "Roll",
    "RoundScope",
    "Scope",
    "Selector",
    "SelectorBySide",
    "SideModifier",
    "Step",
    "Support",
    "Unit",
    "UnitValues",
    "newer_than_1",
]

Faces = Annotated[list[Annotated[int, Field(ge=1)] | str], Field(min_length=1)]
UpTo10 = Annotated[int, Field(ge=1, le=10)]
UpTo20 = Annotated[int, Field(ge=0, le=20)]
Damage = Annotated[int, Field(ge=1, le=20)]
Initiative = Annotated[int, Field(ge=0, le=100)]
Chooser = Literal["owner", "enemy"]


class Die(Fields):
    """A further die: with numbers (`sides`) or with symbols (`faces`) (2.3)."""

    sides: Annotated[int, Field(ge=2, le=1000)] | None = Field(None, description="faces 1 to sides, equally likely")
    always_hit: list[Annotated[int, Field(ge=1)]] = Field(default_factory=list, description="faces that always hit")
    always_miss: list[Annotated[int, Field(ge=1)]] = Field(default_factory=list, description="faces that always miss")
    clamp: Annotated[list[int], Field(min_length=2, max_length=2)] | None = Field(
        None, description="lowest and highest value after everything was added"
    )
    faces: Annotated[list[Name], Field(min_length=2, max_length=100)] | None = Field(
        None, description="the names on a symbol die; a name may stand there several times"
    )
    hits: Annotated[dict[str, Literal["all"] | Selector], Field(min_length=1)] | None = Field(
        None, description="face = the units that it hits, or all"
    )
    damage: dict[str, Damage] = Field(default_factory=dict, description="face = damage of a hit with it; default 1")


class Roll(format1.Roll):
    """A roll written as a table."""

    value: Annotated[int, Field(ge=1)] | None = Field(None, description="hits at this value")  # type: ignore[assignment]
    reroll: Literal["none", "misses"] | Faces = Field(  # type: ignore[assignment]
        "none", description="dice rolled once more: none, misses, or a list of faces"
    )
    damage: Damage = Field(1, description="damage of one hit")
    split: bool = Field(False, description="the damage falls as so many single hits")
    die: str | None = Field(None, description="the die, a name of [die]; default that of [dice]")
    bonus: Added | None = Field(None, description="for steps that compare dice, in place of value: added to the face")


AnyRoll = Annotated[int, Field(ge=0)] | Roll


class UnitValues(Fields):
    """A unit's own values on one side; those that are not given are the unit's (2.4)."""

    cost: Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)] | None = None
    hits: Annotated[int, Field(ge=1, le=20)] | None = None
    absorb: Literal["first", "last"] | None = None
    initiative: Initiative | None = None
    shield: UpTo20 | None = None
    absorbs: UpTo20 | None = None
    attack: AnyRoll | None = None
    defence: AnyRoll | None = None
    combat: AnyRoll | None = None
    rolls: dict[str, AnyRoll] = Field(default_factory=dict)


class Unit(format1.Unit):
    """A kind of piece (2.4)."""

    attack: AnyRoll | None = Field(None, description="what it rolls as attacker: a value, or value, dice, reroll")
    defence: AnyRoll | None = Field(None, description="what it rolls as defender")
    combat: AnyRoll | None = Field(None, description="attack and defence in one")
    rolls: dict[str, AnyRoll] = Field(default_factory=dict, description="further rolls by name")  # type: ignore[assignment]
    initiative: Initiative = Field(0, description="when it fires in steps ordered by initiative, highest first")
    shield: UpTo20 = Field(0, description="every number rolled at it hits at a value worse by this")
    absorbs: UpTo20 = Field(0, description="hits of the enemy that each such unit takes off in each group")
    attacker: UnitValues = Field(default_factory=UnitValues, description="its own values as attacker")
    defender: UnitValues = Field(default_factory=UnitValues, description="its own values as defender")


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


class Step(format1.Step):
    """A step: units that fire, their roll and their targets (2.6)."""

    order: Literal["together", "initiative"] = Field("together", description="initiative: once for each initiative")
    ties: Literal["together", "attacker", "defender"] = Field(
        "together", description="equal initiative: at the same time, or this side first"
    )
    compare: Compare | None = Field(None, description="opposed dice: both sides' dice are sorted and compared")


class Support(format1.Support):
    """Units that raise others (2.8)."""

    dice: Added = Field(0, description="dice more or fewer for each unit helped")
    whom: Literal["own", "enemy"] = Field("own", description="whose units to names")
    stack: Name | None = Field(None, description="rules of one stack help each unit once at most")


class ChosenBySide(Fields):
    """The side that orders the losses of each side."""

    attacker: Chooser = "owner"
    defender: Chooser = "owner"


class Losses(format1.Losses):
    """Order of losses (2.11)."""

    chosen_by: Chooser | ChosenBySide = Field("owner", description="who orders the losses: their owner or the enemy")


class GameFile(format1.GameFile):
    """A game file (2.2)."""

    format: Literal[1, 2] = Field(description="version of this format")  # type: ignore[assignment]
    die: dict[str, Die] = Field(default_factory=dict, description="further dice by name")
    unit: Annotated[dict[str, Unit], Field(min_length=1, max_length=64)]  # type: ignore[assignment]
    step: Annotated[list[Step], Field(min_length=1, max_length=32)]  # type: ignore[assignment]
    support: Annotated[list[Support], Field(max_length=32)] = Field(default_factory=list)  # type: ignore[assignment]
    losses: Losses = Field(default_factory=Losses)

    # By identity: what is worked out for a file once is kept under it (lists and tables have no hash of their own).
    __hash__ = object.__hash__


def newer_than_1(given: Any) -> bool:
    """Does a part of a game file hold a key, or a value, that format 1 does not have?"""
    if isinstance(given, BaseModel):
        older = type(given).__base__
        if older is not None and older.__module__ == format1.__name__ and isinstance(given, _CHANGED):
            known = older.model_fields  # type: ignore[attr-defined]
            if given.model_fields_set - known.keys() or (isinstance(given, Roll) and not _roll_of_1(given)):
                return True
        return any(newer_than_1(getattr(given, name)) for name in given.model_fields_set)
    if isinstance(given, dict):
        return any(map(newer_than_1, given.values()))
    return isinstance(given, list) and any(map(newer_than_1, given))


_CHANGED = (Roll, Unit, Step, Support, Losses, GameFile)


def _roll_of_1(roll: Roll) -> bool:
    return roll.value is not None and (isinstance(roll.reroll, str) or all(isinstance(f, int) for f in roll.reroll))
