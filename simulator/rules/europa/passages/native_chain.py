"""Conversion of natives, then the battle against those who resist (docs/rules/europa_naval_and_other.md section 18)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import Any, Literal, NamedTuple

from pydantic import Field

from simulator.engine.model.chain import SIDES
from simulator.engine.model.plain import Following, Roll
from simulator.rules.battle import ATTACKER, Both, Built, Fields, FrameOf
from simulator.rules.europa.land.battle import land_assumptions, land_explanation, land_stage, set_up_stage
from simulator.rules.europa.land.tables import LandSetup
from simulator.rules.europa.passages.stages import in_stage, refuse_best
from simulator.rules.europa.procedures.overseas import Conquered, ConquestFields, Conversion, check_conquest
from simulator.rules.europa.shared import land_model
from simulator.rules.europa.shared.land_checks import check_land
from simulator.rules.europa.shared.leaders import GONE
from simulator.rules.europa.shared.losses import COUNTER_FIELDS
from simulator.rules.europa.shared.procedure import FACES
from simulator.rules.europa.shared.stacks import LD, detachments, size_of
from simulator.rules.idle import KnowsIdle, of_table, within
from simulator.rules.toolkit.merging import chances_of
from simulator.rules.toolkit.naming import winner_text
from simulator.rules.toolkit.plain import alike, built
from simulator.rules.toolkit.policies import refuse

Policies = Both[land_model.LandPolicy, land_model.DefenderPolicy]
# Troops that may not be given in the battle, and where they come from.
NOT_GIVEN = (*COUNTER_FIELDS, "pasha_detachments", "converted_natives_thirds")
SOURCES = {"attacker": "the troops come from conversion", "defender": "the natives come from conversion"}


class Warriors(land_model.LandSide):
    """The natives who resist."""

    country: land_model.Country = Field("natives", description="class, artillery row and replacement-leader row")
    technology: land_model.Technology = Field("medieval", description="land technology")
    veteran: bool | None = Field(False, description="more than half of the LD are veterans")


class Ground(Fields):
    """The place and the time of the battle; it is overseas, and the natives intercept."""

    terrain: land_model.Terrain = Field("plain", description="northern-forest: a Baltic dense forest")
    period: land_model.Period = Field("III", description="period of the game")


class NativeBattle(FrameOf[land_model.LandAttacker, Warriors, Ground, Policies, land_model.LandOptions]):
    """The battle against those who resist: leaders, technologies, terrain, policies and options."""


class NativeChain(KnowsIdle):
    """Conversion of natives, then the battle against those who resist."""

    tolerated = (
        *within("conversion", ConquestFields.tolerated),
        *within("land", land_model.LandFields.tolerated),
        *(path for side in SIDES for path in of_table(f"land.{side}", *NOT_GIVEN)),
    )
    game: Literal["europa"]
    battle: Literal["native-chain"]
    conversion: ConquestFields = Field(
        default_factory=dict, validate_default=True, description="troops and natives, as the kind conquistador"
    )  # type: ignore[assignment]
    land: NativeBattle = Field(
        default_factory=dict, validate_default=True, description="the battle, as the kind land; troops apart"
    )  # type: ignore[assignment]


class Fought(NamedTuple):
    """The end of a battle: troops left in thirds, those who stand by included; is the leader killed, wounded ...?"""

    natives: Conquered
    winner: int
    attacker: int
    defender: int
    major: bool
    fate: tuple[bool, ...]


class ChainSetup:
    """One conversion with the battles that may follow."""

    def __init__(self, fields: NativeChain) -> None:
        self.fields, self.conversion = fields, Conversion(fields.conversion)
        self.own = size_of(fields.conversion.attacker)
        self.fought, self.stage = cache(self._fought), cache(self._stage)

    @cached_property
    def ends(self) -> list[Conquered]:
        """Those who may join and resist."""
        roll = self.conversion.roll
        rows = {roll.after(die, die + roll.total) for die in FACES}
        return sorted({end for row in rows for end in self.conversion.ends(row)})

    def battle(self, end: Conquered, policy: Policies | None = None) -> land_model.Land:
        """The battle against those who resist, with the policies of the scenario or others."""
        land, side = self.fields.land, self.fields.conversion.attacker
        troops = {name: getattr(side, name) for name in COUNTER_FIELDS} | {"converted_natives_thirds": end.joiners}
        natives = dict(zip(("land_detachments", "exploration_detachments"), divmod(end.resisters, LD), strict=True))
        conditions = land.conditions.model_dump() | {"region": "rotw", "interception": True}
        return land_model.Land.model_construct(
            game="europa",
            battle="land",
            attacker=land.attacker.model_copy(update=troops),
            defender=land.defender.model_copy(update=natives),
            conditions=land_model.LandConditions.model_construct(**conditions),
            policy=policy or land.policy,
            options=land.options,
        )

    def _stage(self, end: Conquered) -> LandSetup:
        return set_up_stage(self.battle(end), SIDES[ATTACKER])

    @property
    def numbers(self) -> Hashable:
        """The numbers that the states and their columns depend on, but for words."""
        roll = self.conversion.roll
        rows = tuple((row, weight, *self.conversion.ends(row).items()) for row, weight in roll.weights.items())
        return self.own, self.conversion.natives, rows, tuple(self.stage(end).numbers for end in self.resisted)

    @property
    def resisted(self) -> list[Conquered]:
        """The ends of the conversion that a battle follows."""
        return [end for end in self.ends if end.resisters]

    def _fought(self, end: Conquered) -> dict[Fought, float]:
        """The ends of a battle with their chances."""
        columns, p = land_stage(self.stage(end))
        left = (columns[f"{side}_left_thirds"] + columns[f"{side}_idle_thirds"] for side in SIDES)
        fates = (columns[f"attacker_leader_{fate}"] for fate in GONE)
        rows = chances_of([columns["winner"], *left, columns["major_victory"], *fates], p)
        return {Fought(end, winner, a, d, major, (*fate,)): p for (winner, a, d, major, *fate), p in rows.items()}

    def follow(self, state: Any) -> Following:
        """The roll, those who join and resist, the battle."""
        if state is None:
            return self.conversion.roll
        if isinstance(state, int):
            return Roll("conversion", self.conversion.ends(state), line=lambda end, _: self.conversion.text(end))
        if isinstance(state, Fought) or not state.resisters:
            return None
        return Roll("battle", self.fought(state), line=lambda end, _: text_of(end))

    def columns(self, state: Conquered | Fought) -> dict[str, object]:
        """A row of the outcome."""
        if isinstance(state, Conquered):
            state = Fought(state, ATTACKER, self.own + state.joiners, 0, False, (False,) * len(GONE))
        return {
            "winner": state.winner,
            **self.conversion.columns(state.natives),
            "attacker_left_thirds": state.attacker,
            "defender_left_thirds": state.defender,
            "major_victory": state.major,
            **{f"attacker_leader_{name}": value for name, value in zip(GONE, state.fate, strict=True)},
        }


def text_of(end: Fought) -> str:
    """The end of a battle, in words."""
    left = f"{detachments(end.attacker)} and of the natives {detachments(end.defender)} left"
    leader = "".join(f", the leader is {name}" for name, value in zip(GONE, end.fate, strict=True) if value)
    return f"Battle: {winner_text(end.winner)}; {left}{leader}."


def check_native_chain(fields: NativeChain) -> None:
    """Refuse what types cannot; raises Refusal."""
    with in_stage("conversion"):
        check_conquest(fields.conversion)
    for side, source in SOURCES.items():
        for name in NOT_GIVEN:
            given = getattr(getattr(fields.land, side), name)
            refuse(given, f"land.{side}.{name}", f"not allowed: {source}")
    refuse_best("land", fields.land.policy, "a native-chain")
    chain = ChainSetup(fields)
    # The leader, and who may join him, also where nobody resists.
    most = Conquered(max(end.joiners for end in chain.ends), chain.conversion.natives)
    with in_stage("land"):
        check_land(chain.battle(most, Policies()))
        for end in chain.resisted:
            check_land(chain.battle(end))


def build_native_chain(fields: NativeChain) -> Built:
    """Everything that answers a conversion and the battle that may follow."""
    chain = ChainSetup(fields)
    battle = alike(("native-chain", chain.numbers), None, chain.follow, label="native-chain")
    made = built(battle, chain.columns)
    return replace(made, assumptions=partial(assumptions, chain), explain=partial(explanation, chain))


def assumptions(chain: ChainSetup) -> list[str]:
    """The assumptions of the conversion, and of the battle against the most who may resist."""
    rests = list(chain.conversion.assumptions)
    if chain.resisted:
        name, setup = largest_battle(chain)
        rests += [f"{name}, {line}" for line in land_assumptions(setup)]
    return [*rests, "recruits who are sent home when the leader is lost are left out"]


def explanation(chain: ChainSetup) -> list[str]:
    """The modifiers of the conversion and of this battle."""
    lines = chain.conversion.roll.why()
    if chain.resisted:
        name, setup = largest_battle(chain)
        lines += [f"{name}, {line}" for line in land_explanation(setup)]
    return lines


def largest_battle(chain: ChainSetup) -> tuple[str, LandSetup]:
    """The battle against the most who may resist, and its name."""
    largest = max(chain.resisted, key=lambda end: end.resisters)
    return f"battle against {detachments(largest.resisters)}", LandSetup(chain.battle(largest))
