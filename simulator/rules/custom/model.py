"""The scenario of a game file: pydantic models made from the file's units (docs/rules/custom_games.md section 3).

Fields of units and conditions have inner names of their own (`unit_0`), since a unit may be called anything; outside
they go by their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Annotated, Any, Literal, NamedTuple, Protocol

from pydantic import Field, create_model

from simulator.engine.model.chain import ENEMY, SIDES
from simulator.rules.battle import Fields, Refusal
from simulator.rules.custom.game_file.checks import check_modifier, check_order
from simulator.rules.custom.game_file.format import (
    Condition,
    ConditionValue,
    GameFile,
    SideModifier,
    SideModifier3,
)
from simulator.rules.custom.game_file.keys import Added, Order
from simulator.rules.custom.game_file.options import check_chosen, conditions_read, has_needed
from simulator.rules.custom.game_file.units import MAIN, in_one_piece, pieces_by_name
from simulator.rules.custom.game_file.words import (
    adds_up,
    by_side,
    check_known,
    counts_points,
    fighters,
    part_of,
    selected,
    steps_of,
    words_of,
)
from simulator.rules.idle import KnowsIdle, of_table
from simulator.rules.toolkit.policies import check_alone, check_parameters, refuse
from simulator.rules.toolkit.policies import named as named_policies

PARAMETERS = {"after-rounds": "after_rounds", "units-at-most": "units_at_most", "odds-below": "odds_below"}
Policy = Literal["never", "after-rounds", "units-at-most", "outnumbered", "outpowered", "odds-below", "best"]
NOT_THERE = "nobody who may fight there is called"
Count = Annotated[int, Field(ge=0, le=1000)]
Hits = Annotated[int, Field(ge=0)]


class SidePolicy(Fields):
    """The policy of a side: when it leaves, and which units it loses first (3.3)."""

    page = "loss_order: loses first, retreat: retreats"
    retreat: Policy | Annotated[list[Policy], Field(min_length=1)] = Field(
        "never", description="a policy or a list of them: leave as soon as one says so"
    )
    after_rounds: Annotated[int, Field(ge=0, le=1_000_000)] | None = Field(
        None, description="for after-rounds: leave when this many rounds were fought"
    )
    units_at_most: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        None, description="for units-at-most: leave with this many own units or fewer"
    )
    odds_below: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        None, description="for odds-below: leave when the chance to win is smaller"
    )
    loss_order: Order | Literal["best"] | list[str] | None = Field(
        None, description="cheapest, weakest, best or a list of units; default the game's"
    )
    keep: dict[str, Annotated[int, Field(ge=1, le=1000)]] = Field(
        default_factory=dict, description="how many of a unit or tag are lost last"
    )
    absorb: Literal["first", "last"] | None = Field(
        None, description="when the extra points of all own units are taken; default each unit's own"
    )


class TargetPolicy(Fields):
    """The units that a side hits first where it may choose (3.3)."""

    target_order: Order | list[str] | None = Field(
        None, description="the enemy's units, first hit first, where this side orders his losses; default the game's"
    )


class StayingPolicy(SidePolicy):
    """The policy of a side that may not retreat in this kind of battle."""

    page = "loss_order: loses first"
    retreat: Literal["never"] | Annotated[list[Literal["never"]], Field(min_length=1)] = Field(  # type: ignore[assignment]
        "never", description="this side may not retreat in this kind of battle"
    )


class Options(Fields):
    """Options of the battle."""

    dice: Literal["rolled", "low-luck"] = Field("rolled", description="low-luck: mean hits, the fraction is rolled")
    rounds: Annotated[int, Field(ge=1, le=1000)] | None = Field(
        None, description="the battle ends undecided after this many rounds; default: as the game file says"
    )


class PointsOptions(Options):
    """Options of a battle in which points are counted."""

    points_at_most: Annotated[int, Field(ge=0, le=10_000)] | None = Field(
        None, description="points that a side can score at most; default: as the game file says"
    )


class FileScenario(Protocol):
    """A battle of a game file, whatever its shape: see `model_of`."""

    attacker: Fields
    defender: Fields
    conditions: Fields
    policy: Fields
    options: Options

    def model_dump_json(self, *, exclude_unset: bool = False, exclude: Any = None) -> str:
        """All fields, or those that were given, less those excluded, as pydantic writes them."""
        ...


class AskedCondition(NamedTuple):
    """A condition as a scenario may answer it; no choices: yes or no."""

    key: str
    choices: tuple[str, ...]
    default: str | bool
    about: str


class Shape(NamedTuple):
    """All of a game file that decides which fields a scenario has: equal shapes share one model."""

    kind: str
    attacker: tuple[tuple[str, str], ...]
    defender: tuple[tuple[str, str], ...]
    conditions: tuple[AskedCondition, ...]
    may_retreat: tuple[str, ...]
    format: int
    options: tuple[str, ...] = ()
    points: bool = False
    tolerated: tuple[str, ...] = ()


def shape_of(file: GameFile, kind: str) -> Shape:
    """The fields of a scenario of this kind: units of each side (with titles), conditions (with choices)."""

    def units(side: str) -> tuple[tuple[str, str], ...]:
        fights, supports = part_of(file, kind, side)
        return tuple(
            (key, f"{unit.name or key.replace('_', ' ')}{'' if key in fights else ' (supports)'}")
            for key, unit in file.unit.items()
            if key in fights | supports
        )

    conditions = tuple(
        AskedCondition(key, tuple(condition.choices or ()), usual(condition), condition.about)
        for key, condition in file.condition.items()
    )
    may_retreat = tuple(sorted(set(file.battle[kind].may_retreat)))
    return Shape(
        kind,
        units("attacker"),
        units("defender"),
        conditions,
        may_retreat,
        file.format,
        (*file.option,),
        bool(counts_points(file, kind)),
        (
            # A modifier is one of these rolls (section 3).
            *(
                f"{side}.modifier"
                for side in SIDES
                if not {getattr(step.fire, side) for step in steps_of(file, kind)} & {*MAIN}
            ),
            *of_table("conditions", *(key for key in file.condition if key not in conditions_read(file, kind))),
            *(() if any(map(adds_up, steps_of(file, kind))) else ("options.dice",)),
            *(path for side in SIDES for path in _without_effect(file, kind, side)),
        ),
    )


def _without_effect(file: GameFile, kind: str, side: str) -> Iterator[str]:
    """Paths of what a side has no use for: leaving where it may not, extra points without any, orders of losses."""
    policy, fights, enemy = f"policy.{side}", fighters(file, kind, side), ENEMY[side]
    if side not in file.battle[kind].may_retreat:
        yield from of_table(policy, *PARAMETERS.values())
    pieces = pieces_by_name(file, side)
    if not file.option and not any(pieces[key].hits > 1 for key in fights):
        yield f"{policy}.absorb"
        yield from [f"{side}.damaged"] * (file.format >= 3)
    if by_side(file.losses.chosen_by, side) == "enemy":
        yield from of_table(policy, "loss_order", "keep")
    if file.format >= 3 and by_side(file.losses.chosen_by, enemy) != "enemy":
        yield f"{policy}.target_order"


def usual(condition: Condition) -> str | bool:
    """The default of a condition (2.10)."""
    if condition.default is not None:
        return condition.default
    return condition.choices[0] if condition.choices else False


def _modifiers(format_: int) -> dict[str, Any]:
    """The fields of a side that change its dice."""
    modifier = SideModifier if format_ < 3 else SideModifier3
    about = "modifiers, as in the game file without side, if_condition"
    damaged: Any = Field(default_factory=dict, description="unit = hits that these have taken before the battle")
    return ({} if format_ < 3 else {"damaged": (dict[str, Hits], damaged)}) | {
        "modifier": (Added, Field(0, description="added to the value of every die of this side")),
        "modifiers": (list[modifier], Field(default_factory=list, description=about)),  # type: ignore[valid-type]
    }


def _options_field(options: tuple[str, ...]) -> dict[str, Any]:
    """The field that switches options on; none in a game without options."""
    about = "what is on for this side (order does not matter): factions, technologies, cards"
    taken: Any = list[Literal[options]]  # type: ignore[valid-type]
    return {"options": (taken, Field(default_factory=list, description=about))} if options else {}


def _side_of(shape: Shape, side: str) -> type[Fields]:
    """The model of a side."""
    units: list[tuple[str, str]] = getattr(shape, side)
    numbers: dict[str, Any] = {
        f"unit_{i}": (Count, Field(0, alias=key, description=title)) for i, (key, title) in enumerate(units)
    }
    model = create_model(
        side.capitalize(),
        __base__=Fields,
        __doc__="Units of a side, and modifiers of its dice.",
        **numbers | _options_field(shape.options) | _modifiers(shape.format),
    )
    model.page = ", ".join([*["options"] * bool(shape.options), *(key for key, _ in units)])
    return model


def _conditions_of(conditions: tuple[AskedCondition, ...]) -> type[Fields]:
    """The model of the conditions that the game file asks for."""
    asked: dict[str, Any] = {
        f"condition_{i}": (
            Literal[one.choices] if one.choices else bool,
            Field(one.default, alias=one.key, description=one.about),
        )
        for i, one in enumerate(conditions)
    }
    model = create_model("Conditions", __base__=Fields, __doc__="What the game file lets a scenario say.", **asked)
    model.page = ", ".join(one.key for one in conditions)
    return model


@lru_cache(maxsize=256)
def model_of(shape: Shape) -> type[Fields]:
    """The model of a whole scenario."""
    sides = {side: _side_of(shape, side) for side in SIDES}
    conditions = _conditions_of(shape.conditions)
    kinds = {side: _policy_of(side in shape.may_retreat, shape.format) for side in SIDES}
    chosen: dict[str, Any] = {side: (kind, Field(default_factory=cache(kind))) for side, kind in kinds.items()}
    policies = create_model("Policies", __base__=Fields, __doc__="Policies of both sides.", **chosen)
    options = PointsOptions if shape.points else Options
    # Tables that a scenario leaves out are frozen, so that scenarios share them: making them took half of validating.
    frame: dict[str, Any] = {
        "game": (str, Field(description="a shipped game, the path of a game file, or custom")),
        "battle": (Literal[shape.kind], ...),
        "rules": (dict[str, Any] | None, Field(None, description="keys of the game file, laid over the game")),
        "attacker": (sides["attacker"], ...),
        "defender": (sides["defender"], ...),
        "conditions": (conditions, Field(default_factory=cache(conditions))),
        "policy": (policies, Field(default_factory=cache(policies))),
        "options": (options, Field(default_factory=cache(options))),
    }
    battle = create_model("Battle", __base__=KnowsIdle, __doc__="A battle of a game file.", **frame)
    battle.tolerated = shape.tolerated
    return battle


@lru_cache(maxsize=4)
def _policy_of(may_retreat: bool, format_: int) -> type[Fields]:
    """The model of a side's policy."""
    kind = SidePolicy if may_retreat else StayingPolicy
    if format_ == 1:
        return kind
    return create_model(kind.__name__, __base__=(kind, TargetPolicy), __doc__=kind.__doc__)


@lru_cache(maxsize=256)
def units_of(model: type[Fields]) -> list[tuple[str, str]]:
    """The units of a side by name, and the fields that hold their numbers, in file order."""
    return [(str(about.alias), name) for name, about in model.model_fields.items() if name.startswith("unit_")]


def counts(side: Fields) -> dict[str, int]:
    """Units of a side by name, in file order, also those of which there are none."""
    given = vars(side)
    return {unit: given[name] for unit, name in units_of(type(side))}


def damage_of(side: Fields) -> dict[str, int]:
    """The hits that units of a side have taken before the battle, by name (3.2)."""
    found: dict[str, int] = getattr(side, "damaged", {})
    return found


def options_of(side: Fields) -> tuple[str, ...]:
    """The options that are on for a side (2.13)."""
    return tuple(getattr(side, "options", ()))


def conditions_of(file: GameFile, given: Fields) -> dict[str, ConditionValue]:
    """The value of every condition: the scenario's, else the game's default (2.10)."""
    return {key: getattr(given, f"condition_{i}") for i, key in enumerate(file.condition)}


def check_scenario(file: GameFile, kind: str, fields: FileScenario) -> None:
    """Refuse a scenario that types allow (section 11); raises Refusal."""
    for side in SIDES:
        able, own, policy = fighters(file, kind, side), getattr(fields, side), getattr(fields.policy, side)
        numbers = counts(own)
        refuse(not any(map(numbers.get, able)), side, f"no fighting unit; give at least one of {', '.join(able)}")
        options = options_of(own)
        check_chosen(file, options, f"{side}.options")
        for key, unit in [(key, unit) for key, unit in file.unit.items() if numbers.get(key)]:
            if not has_needed(file, options, unit.needs):
                raise Refusal(f"{side}.{key}", f"needs one of these options: {', '.join(unit.needs)}")
            both = [other for other in selected(file, unit.instead_of) if numbers.get(other)]
            if both:
                raise Refusal(f"{side}.{key}", f"stands in the place of {min(both)}; give one of the two")
        for i, modifier in enumerate(own.modifiers):
            check_modifier(file, modifier, f"{side}.modifiers[{i}]")
        _check_damaged(file, kind, side, fields)
        if policy.model_fields_set:  # the defaults are allowed
            _check_policy(file, kind, side, policy)


def _check_damaged(file: GameFile, kind: str, side: str, fields: FileScenario) -> None:
    """Nobody is lost by damage at the start (section 7, step 7)."""
    own, wish = getattr(fields, side), getattr(fields.policy, side).absorb
    numbers, pieces = counts(own), pieces_by_name(file, side)
    for unit, hits in damage_of(own).items():
        field = f"{side}.damaged.{unit}"
        check_known(unit, fighters(file, kind, side), field, NOT_THERE)
        piece = pieces[unit]
        first = (wish or piece.absorb) == "first"
        most = (piece.hits - 1) * (numbers[unit] if first else min(numbers[unit], 1))
        if hits > most:
            raise Refusal(field, f"{hits} is not allowed; {numbers[unit]} of them bear at most {most} without a loss")


def _check_policy(file: GameFile, kind: str, side: str, policy: SidePolicy) -> None:
    field, chosen = f"policy.{side}", named_policies(policy.retreat)
    check_alone(f"{field}.retreat", chosen, "never")
    if chosen != ["never"] and side not in file.battle[kind].may_retreat:
        raise Refusal(f"{field}.retreat", f"the {side} may not retreat in {kind}; give never")
    check_parameters(field, policy, chosen, PARAMETERS)
    if policy.loss_order == "best" and counts_points(file, kind):
        raise Refusal(f"{field}.loss_order", "best is not offered where points are counted")
    check_order(policy.loss_order or [], fighters(file, kind, side), f"{field}.loss_order", NOT_THERE)
    for entry in policy.keep:
        check_known(entry, words_of(file), f"{field}.keep", "no unit or tag")
        if not selected(file, [entry]).intersection(fighters(file, kind, side)):
            raise Refusal(f"{field}.keep", f"{NOT_THERE} '{entry}', or tagged so")
    if policy.loss_order == "best" and any(step.aim != "anyone" for step in steps_of(file, kind)):
        raise Refusal(f"{field}.loss_order", "best is not offered where dice are aimed at the unit next to fall")
    if policy.absorb == "first" and (why := in_one_piece(file)):
        raise Refusal(f"{field}.absorb", f"first is not allowed where {why}; give last")
    _check_targets(file, kind, side, policy)


def _check_targets(file: GameFile, kind: str, side: str, policy: Any) -> None:
    """Losses are ordered by one side only: their owner, or the enemy with his targets (2.11)."""
    field, enemy = f"policy.{side}", ENEMY[side]
    if by_side(file.losses.chosen_by, side) == "enemy":
        for name in ("loss_order", "keep"):
            refuse(getattr(policy, name), f"{field}.{name}", f"the enemy orders the losses of the {side} in this game")
    targets = getattr(policy, "target_order", None)
    if targets is not None and by_side(file.losses.chosen_by, enemy) != "enemy":
        raise Refusal(f"{field}.target_order", f"the {enemy} orders his own losses in this game")
    check_order(targets or [], fighters(file, kind, enemy), f"{field}.target_order", NOT_THERE)
