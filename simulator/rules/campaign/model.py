"""The file of a campaign (docs/rules/campaigns.md section 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, create_model

from simulator.rules.battle import Fields
from simulator.rules.campaign.carry import Carry, Number, fields_of
from simulator.rules.sides import SIDES

Amount = Number | Literal["all"]
Amounts = dict[str, Amount]


class Carried(Fields):
    """The pieces that ships carry."""

    page = "each: load of each ship, by: force whose ships carry, ships: ships that carry, order: order of boarding"

    by: str | None = Field(None, description="the force whose ships carry; default this force")
    each: Annotated[int, Field(ge=1, le=1000)] = Field(description="pieces that a ship carries")
    ships: list[str] | None = Field(None, description="pieces that carry; default the game's")
    order: list[str] | None = Field(None, description="pieces carried, in the order of boarding; default the game's")


class Side(Fields):
    """A side of a fight: a force, or pieces that fight this fight alone; further fields are the game's."""

    model_config = ConfigDict(extra="allow")

    force: str | None = Field(None, description="the force that fights")
    join: Fields | None = Field(None, description="pieces that come to the force just before this fight")
    stay: Amounts | None = Field(None, description="pieces that take no part")
    send: Amounts | None = Field(None, description="at most these pieces take part")
    carried: Carried | None = Field(None, description="pieces limited by ships")
    driven_off: str | None = Field(None, description="where survivors go that were driven off: out, stay or a force")
    leave: Literal["all"] | Amounts | None = Field(None, description="survivors left behind if this side wins")
    leave_to: str | None = Field(None, description="where those go: out or a force")
    go: Literal["always", "best"] = Field("always", description="does the attacker decide whether to fight")
    min_odds: Annotated[float, Field(ge=0, le=1)] | None = Field(None, description="fight only with this chance to win")
    min_units: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = Field(
        None, description="fight only with this many units taking part"
    )


Tables = dict[str, Any]


class Laid(Fields):
    """Keys laid under every fight."""

    battle: str | None = Field(None, description="battle kind")
    conditions: Tables = Field({}, description="conditions, as in a scenario of this kind")
    policy: Tables = Field({}, description="policies, as in a scenario of this kind")
    options: Tables = Field({}, description="options, as in a scenario of this kind")


class Fight(Laid):
    """One fight."""

    name: str | None = Field(None, description="its name; default fight1, fight2, ...")
    attacker: str | Side | None = Field(None, description="who attacks")
    defender: str | Side | None = Field(None, description="who defends")
    question: str | None = Field(None, alias="if", description="the fight takes place only if this holds")


class Campaign(Fields):
    """The frame of every campaign; `model_of` adds the forces of a game."""

    game: Literal["campaign"]
    of: str = Field(description="the game of every fight")
    name: str = Field("", description="name of the campaign")
    about: str = Field("", description="what it is about")
    rules: Tables | None = Field(None, description="keys of the game file, laid over the game")
    force: dict[str, Any] = Field({}, description="the forces")
    fight: list[Fight] = Field([], description="the fights, in order")
    every: Laid = Field(Laid(), description="keys laid under every fight")
    us: str | list[str] | None = Field(None, description="the forces on our side, the campaign's attacker")
    goal: str | None = Field(None, description="our side has won if this holds at the end")
    columns: list[str] = Field([], description="further columns of fights to keep")


def meanings(carry: Carry) -> dict[str, str]:
    """The fields of sides of all kinds that are fought, pieces first, with what they mean."""
    fought = [carry.kinds[kind] for kind in carry.fights if kind in carry.kinds]
    found = dict.fromkeys(carry.pieces, "") | dict.fromkeys(carry.traits, "of the force, in every fight")
    for battle in fought:
        for role in SIDES:
            found |= {name: text for name, text in fields_of(battle, role).items() if not found.get(name)}
    return {name: found[name] for name in (*carry.pieces, *sorted(set(found) - set(carry.pieces)))}


def model_of(carry: Carry) -> type[Campaign]:
    """The model of a campaign of this game: forces with its pieces and traits, pieces that join."""
    texts = meanings(carry)
    force = _table("Force", "A force: its pieces and traits.", carry, texts)
    pieces = _table("Pieces", "Pieces that join.", carry, {name: texts[name] for name in carry.pieces})
    joining: Any = (pieces | None, Side.model_fields["join"])
    of_side: Any = {"join": joining}
    if carry.fortresses.kept:
        of_side["fortress"] = (str | None, Field(None, description="the fortress that is besieged"))
    side = create_model("Side", __base__=Side, __doc__=Side.__doc__, **of_side)
    of_fight: Any = {
        role: (str | side | None, Fight.model_fields[role])  # type: ignore[operator]
        for role in SIDES
    }
    fight = create_model("Fight", __base__=Fight, __doc__=Fight.__doc__, **of_fight)
    forces: Any = (dict[str, force], Campaign.model_fields["force"])  # type: ignore[valid-type]
    fights: Any = (list[fight], Campaign.model_fields["fight"])  # type: ignore[valid-type]
    more: Any = {"force": forces, "fight": fights}
    if carry.fortresses.kept:
        places: Any = Field({}, description="places that are besieged")
        more["fortress"] = (dict[str, carry.fortresses.model], places)  # type: ignore[name-defined]
    return create_model("Campaign", __base__=Campaign, __doc__="Battles one after the other.", **more)


def _table(name: str, text: str, carry: Carry, fields: Mapping[str, str]) -> type[Fields]:
    """The model of a table with these fields, of which some are pieces; with what they mean."""
    typed: dict[str, Any] = {
        f"field_{at}": (
            carry.pieces.get(field, Any),
            Field(None, alias=field, description=meaning),
        )
        for at, (field, meaning) in enumerate(fields.items())
    }
    return create_model(name, __base__=Fields, __doc__=text, **typed)


def given(table: Fields) -> dict[str, Any]:
    """The fields that a table was given, by their names in a scenario."""
    about = type(table).model_fields
    named = {about[name].alias or name: getattr(table, name) for name in table.model_fields_set if name in about}
    return named | dict(table.model_extra or {})
