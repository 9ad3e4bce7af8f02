"""A work fires at a passing fleet (docs/rules/europa_naval_and_other.md section 7)."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from simulator.rules.battle import ATTACKER, DEFENDER, Both, Built, Fields, FrameOf, Refusal, offered
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared.fleets import ND, Fleet, fleet_of, loss_order, ships_left
from simulator.rules.europa.shared.modifiers import Bonus
from simulator.rules.europa.shared.procedure import Roll, built, row_of

# ND sunk by a modified die; a fleet that is fired at with less is not stopped.
ROWS = {9: 0, 11: 1, 13: 2}


class Work(Fields):
    """A work that fires at passing fleets."""

    work: Literal["presidio", "strait-europe", "strait-rotw", "siegeworks"] = Field(
        "presidio", description="kind of work"
    )
    level: common.Level = Field(1, description="level of a presidio or of a strait fortress overseas")
    siegeworks_plus: Annotated[int, Field(ge=0, le=4)] = Field(0, description="large siegeworks")


class Passing(common.Ship, common.Counted):
    """The passing fleet or corsair."""

    corsair_sides: Annotated[int, Field(ge=0, le=2)] = Field(0, description="a corsair in place of ships: its sides")
    loaded: bool = Field(False, description="troops or gold aboard")


class StraitFire(
    FrameOf[Work, Passing, common.NoPolicy, Both[common.NoPolicy, common.LosingPolicy], common.TableOptions]
):
    """A work fires at a passing fleet."""

    game: Literal["europa"]
    battle: Literal["strait-fire"]


def check_strait_fire(fields: StraitFire) -> None:
    """Refuse what types cannot; raises Refusal."""
    side, ships = fields.defender, fleet_of(fields.defender).thirds
    common.check_tables(fields)
    if not ships and not side.corsair_sides:
        raise Refusal("defender.warships", "nothing passes; give ships or corsair_sides")
    if ships and side.corsair_sides:
        raise Refusal("defender.corsair_sides", f"{side.corsair_sides} is not allowed together with ships")


def fire_modifiers(work: Work, counters: int) -> list[Bonus]:
    """Modifiers of the fire of a work."""
    value = {
        "presidio": work.level,
        "strait-europe": 2,
        "strait-rotw": work.level // 2,
        "siegeworks": work.siegeworks_plus,
    }[work.work]
    return [Bonus(value, work.work), Bonus(int(counters > 0), "FLEET counter")]


def hits(modified: int) -> int | None:
    """ND sunk, or None if the fleet is not stopped."""
    sunk: int | None = row_of(ROWS, modified, None)
    return sunk


def under_fire(fleet: Fleet, nd: int, order: tuple[str, ...]) -> Fleet:
    """The fleet without so many ND, each one ship of the first kind present; of warships 3 thirds or what there is."""
    for _ in range(nd):
        kind = next((kind for kind in order if getattr(fleet, kind)), None)
        if kind == "warships":
            fleet = fleet._replace(warships=max(0, fleet.warships - ND))
        elif kind:
            fleet = fleet._replace(**{kind: getattr(fleet, kind) - 1})
    return fleet


class Fired(NamedTuple):
    """The fleet or corsair after the fire."""

    stopped: bool
    fleet: Fleet
    corsair: int
    lost: int


def build_strait_fire(fields: StraitFire) -> Built:
    """Everything that answers a work's fire."""
    side, work = fields.defender, fields.attacker
    fleet, order = fleet_of(side), loss_order(fields.policy.defender.losses, side.loaded)

    def after(modified: int) -> Fired:
        sunk = hits(modified)
        if not sunk:
            return Fired(sunk is not None, fleet, side.corsair_sides, 0)
        if side.corsair_sides:
            lost = min(sunk, side.corsair_sides)
            return Fired(True, fleet, side.corsair_sides - lost, lost)
        one, left = under_fire(fleet, 1, order), under_fire(fleet, sunk, order)
        return Fired(True, left, 0, 1 + (left != one) if sunk == 2 else 1)

    roll = Roll(
        "fire",
        "7",
        fire_modifiers(work, side.fleets_minus + side.fleets_plus),
        lambda _, modified: after(modified),
        lambda shown, after: (
            f"{work.work} fires: {shown}: {f'stopped, {after.lost} ND sunk' if after.stopped else 'it passes'}."
        ),
    )

    def columns(state: Fired) -> dict[str, object]:
        return {
            "winner": ATTACKER if state.stopped else DEFENDER,
            "stopped": state.stopped,
            "detachments_lost": state.lost,
            **ships_left("defender", state.fleet),
            "defender_losses_thirds": fleet.thirds - state.fleet.thirds,
            "defender_corsair_sides_left": state.corsair,
            "modifier": roll.total,
        }

    assumptions = [
        f"sunk first: {' then '.join(order)} (ASSUMED: one ND is the first in the loss order)",
        "a stopped fleet then rolls attrition: its own scenario",
    ]
    return built(None, lambda state: None if state else roll, columns, assumptions, roll.why())


STRAIT_FIRE = offered(
    StraitFire,
    check=check_strait_fire,
    build=build_strait_fire,
    results={"it passes": "not stopped", "it is stopped": "stopped"},
    headline=("detachments_lost", "defender_losses_thirds", "defender_corsair_sides_left"),
)
