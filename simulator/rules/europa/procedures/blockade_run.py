"""A run past a blockade (docs/rules/europa_naval_and_other.md section 6)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Both, Built, Fields, FrameOf, offered
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared.fleets import Fleet, fleet_of
from simulator.rules.europa.shared.modifiers import Bonus
from simulator.rules.europa.shared.procedure import Roll, built, row_of

FREE, STOPPED, CAUGHT = "escapes", "is stopped", "is caught"
ROWS = {8: FREE, 6: STOPPED}


class Runner(common.Ship):
    """Ships that run or keep a blockade."""

    technology: common.NavalTechnology = Field("nao-galleon", description="naval technology")
    manoeuvre: common.Value = Field(0, description="manoeuvre of the leader; 0 = no leader")


class RunningSide(Runner):
    """Ships, or a corsair, that run a blockade."""

    corsair: bool = Field(False, description="a corsair runs, not a fleet")


class RunConditions(Fields):
    """Which way."""

    direction: Literal["leave", "enter"] = Field("leave", description="information only")


class BlockaderPolicy(Fields):
    """Choices of the blockader."""

    engage: Literal["always", "never"] = Field("always", description="force battle on a fleet that is caught")


class BlockadeRun(
    FrameOf[RunningSide, Runner, RunConditions, Both[common.NoPolicy, BlockaderPolicy], common.TableOptions]
):
    """A run past a blockade."""

    game: Literal["europa"]
    battle: Literal["blockade-run"]


def check_blockade_run(fields: BlockadeRun) -> None:
    """Refuse what types cannot; raises Refusal."""
    common.check_tables(fields)
    if not fields.attacker.corsair:
        common.check_fleet(fields.attacker, "attacker", fields.conditions)
    common.check_fleet(fields.defender, "defender", fields.conditions)


def run_modifiers(own: Fleet, ahead: int, blockader: Fleet, technology: str) -> list[Bonus]:
    """Modifiers of a blockade run; `ahead`: the manoeuvre of the runner less that of the blockader."""
    ships_only = blockader.warships and not blockader.galleys and not blockader.galleasses
    return [
        Bonus(max(0, ahead), "better manoeuvre"),
        Bonus(int(blockader.detachments < own.detachments), "the blockader has fewer ND"),
        Bonus(int(bool(ships_only) and technology != "seventy-four"), "the blockader has warships only"),
    ]


def run_result(modified: int) -> str:
    """The row of a modified die."""
    return str(row_of(ROWS, modified, CAUGHT))


def build_blockade_run(fields: BlockadeRun) -> Built:
    """Everything that answers a blockade run."""
    own, blockader, corsair = fields.attacker, fields.defender, fields.attacker.corsair
    engages = fields.policy.defender.engage == "always"
    ahead = own.manoeuvre - blockader.manoeuvre
    roll = Roll(
        "blockade run",
        "6",
        run_modifiers(fleet_of(own), ahead, fleet_of(blockader), blockader.technology),
        lambda _, modified: run_result(modified),
        lambda shown, after: f"Blockade run: {shown}: {'the corsair' if corsair else 'the fleet'} {after}.",
    )

    def columns(state: str) -> dict[str, object]:
        battle, hit = state == CAUGHT and engages and not corsair, state == CAUGHT and corsair
        return {
            "winner": ATTACKER if state == FREE else DEFENDER if battle or hit else NOBODY,
            "escaped": state == FREE,
            "stopped": state != FREE,
            "caught": state == CAUGHT,
            "battle": battle,
            "corsair_sides_lost": int(hit),
            "modifier": roll.total,
        }

    assumptions = [
        f"caught: {'a corsair loses a side' if corsair else 'battle' if engages else 'no battle (engage never)'}",
        "the battle itself is a naval scenario with conditions.interception",
    ]
    return built("", lambda state: None if state else roll, columns, assumptions, roll.why())


BLOCKADE_RUN = offered(
    BlockadeRun,
    check=check_blockade_run,
    build=build_blockade_run,
    results={
        "it escapes": "escaped",
        "it is stopped": "stopped and not caught",
        "it is caught": "caught",
        "it has to fight": "battle",
    },
    headline=("corsair_sides_lost",),
)
