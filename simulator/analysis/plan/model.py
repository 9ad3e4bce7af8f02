"""The file of a plan (docs/rules/plan.md section 2)."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from simulator.rules.battle import Fields
from simulator.rules.campaign.carry import Carry
from simulator.rules.campaign.model import Amounts

Chance = Annotated[float, Field(ge=0, le=1)]
Worth = Annotated[float, Field(ge=-1e9, le=1e9)]
Price = Annotated[float, Field(ge=0, le=1e9)]
Tables = dict[str, Any]


class Place(Fields):
    """A place with our pieces; `model_of` adds the pieces of a game."""

    reach: list[str] | None = Field(None, description="targets and holds that its pieces reach; default all")
    reach_of: dict[str, list[str]] = Field({}, description="in place of reach, for a piece")
    stay: Amounts = Field({}, description="pieces that never leave: the reserve")


class Counter(Fields):
    """The enemy strikes back at what is left."""

    attacker: Tables | None = Field(None, description="who strikes back")
    battle: str | None = Field(None, description="battle kind; default that of the attack")
    stay: Amounts | None = Field(None, description="survivors that do not defend; default those that take no land")
    conditions: Tables | None = Field(None, description="conditions of the counter-attack")
    options: Tables | None = Field(None, description="options of the counter-attack")
    policy: Tables = Field({}, description="policies of the counter-attack: the attacker is the enemy")


class Target(Fields):
    """A place of the enemy that may be attacked."""

    battle: str | None = Field(None, description="battle kind")
    defender: Tables | None = Field(None, description="who defends")
    attacker: Tables = Field({}, description="fields of our side that are no pieces")
    conditions: Tables = Field({}, description="conditions, as in a scenario of this kind")
    policy: Tables = Field({}, description="policies, as in a scenario of this kind")
    options: Tables = Field({}, description="options, as in a scenario of this kind")
    worth: Worth = Field(1.0, description="worth of the target if it falls")
    min_odds: Chance | None = Field(None, description="the least chance of an attack that is made")
    at_most: dict[str, Annotated[int, Field(ge=0, le=1000)]] = Field({}, description="the most pieces that take part")
    counter: Counter | None = Field(None, description="the counter-attack")


class Hold(Fields):
    """A place of ours that the enemy may attack after our turn."""

    battle: str | None = Field(None, description="battle kind of the enemy's attack")
    attacker: Tables | None = Field(None, description="who may come")
    defender: Tables = Field({}, description="fields of our side that are no pieces")
    conditions: Tables = Field({}, description="conditions, as in a scenario of this kind")
    policy: Tables = Field({}, description="policies of the enemy's attack: the defender is ours")
    options: Tables = Field({}, description="options, as in a scenario of this kind")
    worth: Worth = Field(1.0, description="worth of the place if it is held")
    comes: Chance = Field(1.0, description="chance that the enemy comes")
    min_odds: Chance | None = Field(None, description="the least chance that it is held")


class Weights(Fields):
    """The worth of the price of a lost unit."""

    own_lost: Worth | None = Field(None, description="for a unit of ours; default -1 in game files, else 0")
    enemy_lost: Worth | None = Field(None, description="for a unit of the enemy; default 1 in game files, else 0")


class PlanFile(Fields):
    """The places of a turn, and its targets and holds."""

    game: Literal["plan"]
    of: str = Field(description="the game of every attack")
    name: str = Field("", description="name of the plan")
    about: str = Field("", description="what it is about")
    rules: Tables | None = Field(None, description="keys of the game file, laid over the game")
    place: dict[str, Place] = Field({}, description="places with our pieces")
    target: dict[str, Target] = Field({}, description="places of the enemy")
    hold: dict[str, Hold] = Field({}, description="places of ours that he may attack")
    every: Target = Field(Target(), description="keys laid under every target")
    objective: Literal["worth", "all", "cheapest"] = Field("worth", description="what is wanted")
    aims: list[str] | None = Field(None, description="targets that must fall and holds that must be held; default all")
    weights: Weights = Field(Weights(), description="the worth of losses")
    price: dict[str, Price] = Field({}, description="price of a piece, in place of the game's")
    differ: Literal["targets", "pieces"] = Field("targets", description="when two plans are different")


def model_of(carry: Carry) -> type[PlanFile]:
    """The model of a plan of this game: places with its pieces."""
    return _model(tuple(carry.pieces.items()))


@lru_cache(maxsize=16)  # a model takes some 20 ms, and is asked for at every key and setting
def _model(named: tuple[tuple[str, Any], ...]) -> type[PlanFile]:
    # The numbers of pieces have other names in the model: a piece may be called like a method of a model.
    pieces: Any = {
        f"field_{at}": (kind | None, Field(None, alias=piece, description="pieces that stand here"))
        for at, (piece, kind) in enumerate(named)
    }
    place = create_model("Place", __base__=Place, __doc__=Place.__doc__, **pieces)
    places: Any = (dict[str, place], PlanFile.model_fields["place"])  # type: ignore[valid-type]
    return create_model("PlanFile", __base__=PlanFile, __doc__=PlanFile.__doc__, place=places)
