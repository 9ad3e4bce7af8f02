"""Troops against a revolt, and ships against corsairs: round after round a roll that removes a side of a counter.

docs/rules/europa_naval_and_other.md sections 16 and 17.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from simulator.engine.model.plain import Following, PlainBattle
from simulator.rules.battle import ATTACKER, DEFENDER, Both, Built, Fields
from simulator.rules.europa.procedures.corsairs import CorsairConditions, Escort, of_the_escort, of_the_zone
from simulator.rules.europa.procedures.interception import succeeds
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared.fields import Scenario, TableOptions
from simulator.rules.europa.shared.land_model import Terrain
from simulator.rules.europa.shared.modifiers import Bonus
from simulator.rules.europa.shared.procedure import D10, why
from simulator.rules.europa.shared.stacks import LD, size_of
from simulator.rules.idle import KnowsIdle
from simulator.rules.toolkit.naming import plural
from simulator.rules.toolkit.plain import built
from simulator.rules.toolkit.policies import refuse

ROUGH = -3
Counters = Annotated[int, Field(ge=0, le=6)]
Rounds = Annotated[int, Field(ge=1, le=30)]


class TargetPolicy(Fields):
    """Choices of the side that restores order."""

    target: Literal["plus-first", "minus-first"] = Field(
        "plus-first", description="the counter that loses a side if both sizes are there"
    )


class Unrest(NamedTuple):
    """Small and large counters that are left after this many rounds."""

    rounds: int
    small: int
    large: int

    @property
    def sides(self) -> int:
        """A large counter has two sides."""
        return self.small + 2 * self.large

    def reduced(self, target: str) -> Unrest:
        """A small counter goes, or a large one becomes small."""
        if self.large and (target == "plus-first" or not self.small):
            return self._replace(small=self.small + 1, large=self.large - 1)
        return self._replace(small=self.small - 1)


def pacified(
    roll: str, section: str, start: Unrest, rounds: int, target: str, modifiers: Callable[[int], list[Bonus]]
) -> Built:
    """Everything that answers rolls against counters, one a round; `modifiers(large)` depend on the large ones left."""

    def after(state: Unrest, success: bool) -> Unrest:
        played = state._replace(rounds=state.rounds + 1)
        return played.reduced(target) if success else played

    def follow(state: Unrest) -> Following:
        if state.rounds == rounds or not state.sides:
            return None

        def line(shown: str, then: Unrest) -> str:
            ends = f"{plural(then.sides, 'side')} left" if then.sides < state.sides else "no success"
            return f"Round {then.rounds}: {shown}: {ends}."

        return D10(roll, section, modifiers(state.large), lambda *die: after(state, succeeds(*die)), line)

    def columns(state: Unrest) -> dict[str, object]:
        return {
            "winner": DEFENDER if state.sides else ATTACKER,
            "cleared": not state.sides,
            "rounds": state.rounds,
            "sides_left": state.sides,
            "sides_removed": start.sides - state.sides,
        }

    first = f"{'large' if target == 'plus-first' else 'small'} counters lose a side first (target)"
    assumptions = [f"{plural(rounds, 'round')}, each with a roll of its own", first]
    return built(
        PlainBattle(start, follow), columns, assumptions, why(f"{roll}, round 1", section, modifiers(start.large))
    )


# --- a revolt (section 16) ---


class Suppressors(common.Troops):
    """The stack in the province."""

    page = f"{common.TROOPS}, pashas, manoeuvre"
    pashas: common.Few = Field(0, description="pashas: 1 each")
    manoeuvre: common.Value = Field(0, description="manoeuvre of the leader; 0 = no leader")


class Rebels(Fields):
    """Revolts and rebellions in the province."""

    revolts_minus: Counters = Field(0, description="small counters of revolts and rebellions")
    revolts_plus: Counters = Field(0, description="large counters of revolts and rebellions")
    manoeuvre: common.Value = Field(0, description="manoeuvre of their leader; 0 = no leader")
    fortress_level: common.Level = Field(0, description="level of a fortress friendly to them; 0 = none")
    fortress_detachments: common.Some = Field(0, description="LD inside it")


class RevoltConditions(Fields):
    """The province and the time."""

    terrain: Terrain = Field("plain", description="terrain of the province")
    rounds: Rounds = Field(1, description="rounds of the military phase in which the stack fights it")
    event_modifier: Annotated[int, Field(ge=-10, le=10)] = Field(0, description="modifier by an event")


class Revolt(
    KnowsIdle,
    Scenario[Literal["revolt"], Suppressors, Rebels, RevoltConditions, Both[TargetPolicy, Fields], TableOptions],
):
    """Troops against a revolt or rebellion."""

    tolerated = ("attacker.country", "attacker.army_class")


def check_revolt(fields: Revolt) -> None:
    """Refuse what types cannot; raises Refusal."""
    common.check_tables(fields)
    side, enemy = fields.attacker, fields.defender
    common.check_class(side, "attacker")
    text = "neither troops nor pashas; give at least one"
    refuse(not size_of(side) and not side.pashas, "attacker.land_detachments", text)
    refuse(not enemy.revolts_minus and not enemy.revolts_plus, "defender.revolts_minus", "no revolt; give one or more")


def build_revolt(fields: Revolt) -> Built:
    """Everything that answers the fight against a revolt."""
    side, enemy, conditions = fields.attacker, fields.defender, fields.conditions

    def modifiers(large: int) -> list[Bonus]:
        return [
            Bonus(size_of(side) // LD, "LD of the stack"),
            Bonus(side.pashas, "pashas"),
            Bonus(side.manoeuvre - enemy.manoeuvre, "difference of manoeuvre"),
            Bonus(-enemy.fortress_level, "level of a fortress friendly to them"),
            Bonus(-enemy.fortress_detachments, "LD inside it"),
            Bonus(ROUGH * (conditions.terrain != "plain"), f"terrain {conditions.terrain}"),
            Bonus(-2 * large, "large revolts"),
            Bonus(conditions.event_modifier, "event"),
        ]

    start = Unrest(0, enemy.revolts_minus, enemy.revolts_plus)
    return pacified("revolt", "16", start, conditions.rounds, fields.policy.attacker.target, modifiers)


# --- corsairs (section 17) ---


class Corsairs(Fields):
    """Corsairs in the sea zone."""

    corsairs_minus: Counters = Field(0, description="small corsairs")
    corsairs_plus: Counters = Field(0, description="large corsairs")
    manoeuvre: common.Value = Field(0, description="largest manoeuvre of their leaders; 0 = no leader")


class HuntConditions(CorsairConditions):
    """The sea zone and the time."""

    sea: common.SeaKind = Field("other", description="galleys only in the mediterranean and the baltic")
    rounds: Rounds = Field(1, description="rounds of the military phase in which the fleet hunts them")


class PirateHunt(
    Scenario[Literal["pirate-hunt"], Escort, Corsairs, HuntConditions, Both[TargetPolicy, Fields], TableOptions]
):
    """Ships against corsairs in a sea zone."""


def check_pirate_hunt(fields: PirateHunt) -> None:
    """Refuse what types cannot; raises Refusal."""
    common.check_tables(fields)
    enemy = fields.defender
    common.check_fleet(fields.attacker, "attacker", fields.conditions)
    text = "no corsair; give one or more"
    refuse(not enemy.corsairs_minus and not enemy.corsairs_plus, "defender.corsairs_minus", text)


def build_pirate_hunt(fields: PirateHunt) -> Built:
    """Everything that answers a hunt for corsairs."""
    side, enemy, conditions = fields.attacker, fields.defender, fields.conditions

    def modifiers(large: int) -> list[Bonus]:
        return of_the_escort(side, enemy.manoeuvre) + of_the_zone(side, conditions, large)

    start = Unrest(0, enemy.corsairs_minus, enemy.corsairs_plus)
    return pacified("hunt", "17", start, conditions.rounds, fields.policy.attacker.target, modifiers)
