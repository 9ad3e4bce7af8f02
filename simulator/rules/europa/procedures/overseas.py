"""Exploration, a conquistador among natives, and natives that attack.

docs/rules/europa_naval_and_other.md sections 9 and 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from simulator.engine.model.chance import combine
from simulator.engine.model.plain import Following, PlainBattle, Roll
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Both, Built, Fields, FrameOf
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared import fleets
from simulator.rules.europa.shared.fields import LosingPolicy, NoPolicies, Scenario, TableOptions
from simulator.rules.europa.shared.fleets import LAW, Afloat, Cargo, fleet_of, ships_left
from simulator.rules.europa.shared.land_model import Period, Region
from simulator.rules.europa.shared.losses import clamped, remainders
from simulator.rules.europa.shared.modifiers import Bonus
from simulator.rules.europa.shared.procedure import D10, roll_then_draw
from simulator.rules.europa.shared.stacks import LD, detachments, size_of
from simulator.rules.europa.shared.voyage import weather_of
from simulator.rules.europa.tables import book
from simulator.rules.idle import KnowsIdle
from simulator.rules.toolkit.plain import built
from simulator.rules.toolkit.policies import refuse

USES_MANOEUVRE = ("explorer", "conquistador", "governor")


# --- exploration of a sea zone or an area (section 9) ---


class Explorers(common.Laden):
    """The explorer."""

    page = f"role, manoeuvre, {common.SHIPS}, {common.ARMIES}, technology"
    technology: common.NavalTechnology = Field("nao-galleon", description="naval technology")
    role: Literal["explorer", "conquistador", "governor", "admiral", "general", "none"] = Field(
        "explorer", description="who leads; only the first three use their manoeuvre"
    )
    manoeuvre: common.Value = Field(0, description="manoeuvre of the leader")
    missionary_manoeuvre: common.Value | None = Field(None, description="manoeuvre of a missionary, if there is one")


class ExplorationConditions(Fields):
    """The place and its dangers."""

    where: Literal["sea", "land"] = Field("sea", description="a sea zone or an area on land")
    malus: common.Some = Field(0, description="malus of the sea zone")
    bad_weather: bool = Field(False, description="bad weather")
    known_since_period_iv: bool = Field(
        False, description="period IV or later and the zone is known to another country"
    )
    period: Period = Field("III", description="period of the game")
    region: Region = Field("rotw", description="the rest of the world: troops are lost by thirds")


class Exploration(
    Scenario[Literal["exploration"], Explorers, Fields, ExplorationConditions, Both[LosingPolicy, Fields], TableOptions]
):
    """Exploration of a sea zone or an area."""


def check_exploration(fields: Exploration) -> None:
    """Refuse what types cannot; raises Refusal."""
    side, sea = fields.attacker, fields.conditions.where == "sea"
    fleet, tables = fleet_of(side), book(fields.options.tables)
    text = "galleys and galleasses do not explore; give other ships"
    refuse(fleet.galleys or fleet.galleasses, "attacker.galleys", text)
    text = f"{fleet.text()} cannot explore on land; only with conditions.where sea"
    refuse(fleet.thirds and not sea, "attacker.warships", text)
    nobody = side.role == "none" and side.missionary_manoeuvre is None and not (fleet.thirds if sea else size_of(side))
    text = "nobody explores; give units, a role or missionary_manoeuvre"
    refuse(nobody, f"attacker.{'warships' if sea else 'land_detachments'}", text)
    common.check_class(side, "attacker")
    if fleet.thirds:
        common.check_fleet(side, "attacker", fields.conditions)
    if sea:
        common.check_cargo(side, "attacker", fields.conditions, tables)


class Found(NamedTuple):
    """An exploration so far: the modified die, a discovery?, what is left, is the leader dead? None: not known yet."""

    modified: int | None = None
    success: bool | None = None
    tested: bool = False
    left: Afloat | None = None
    dead: bool | None = None


class ExplorationSetup:
    """One exploration; `alone`: the leader starts without ships (at sea) or troops (on land)."""

    def __init__(self, fields: Exploration) -> None:
        self.fields, self.book = fields, book(fields.options.tables)
        self.sea = fields.conditions.where == "sea"
        self.start = Afloat(fleet_of(fields.attacker), fleets.cargo_of(fields.attacker))
        self.alone = not (self.start.fleet.thirds if self.sea else self.start.cargo.troops)
        # The manoeuvre that counts, and who is tested ("" for nobody).
        side = fields.attacker
        self.man, self.who = side.manoeuvre if side.role in USES_MANOEUVRE else 0, side.role.replace("none", "")
        if side.role == "explorer" and not self.sea:
            self.man //= 2
        missionary = side.missionary_manoeuvre
        if missionary is not None and (missionary > self.man or not self.who):
            self.man, self.who = missionary, "missionary"

    def read(self, modified: int) -> tuple[str, bool]:
        """The result of a modified die, and whether the leader is tested (step 2)."""
        row = self.book.indexed("discovery")[modified, int(not self.sea)]
        return str(row["result"]), bool(row["check_leader"] or (row["check_leader_no_troops"] and self.alone))

    @cached_property
    def first(self) -> D10:
        """The exploration die (steps 1 and 2)."""

        def after(_: int, modified: int) -> Found:
            result, tested = self.read(clamped(modified))
            success = None if result == "AVERAGE" else result == "SUCCESS"
            return Found(clamped(modified), success, success is not None and tested)

        def line(shown: str, after: Found) -> str:
            return f"Exploration: {shown}: {self.read(after.modified or 0)[0].lower()}."

        conditions, technology = self.fields.conditions, self.fields.attacker.technology
        modifiers = [Bonus(4, "exploration"), Bonus(-self.man, f"manoeuvre of the {self.who}")]
        if self.sea:
            modifiers += [
                Bonus(conditions.malus, "malus of the zone"),
                Bonus(int(technology == "carrack"), "carracks"),
                weather_of(technology),
                Bonus(2 * conditions.bad_weather, "bad weather"),
                Bonus(-2 * conditions.known_since_period_iv, "known to another country"),
            ]
        return D10("exploration", "9", modifiers, after, line)

    def losses(self, percent: int) -> Mapping[Afloat, int]:
        """The stacks after a loss of `percent`, with weights (step 3)."""
        fleet, cargo = self.start
        if self.sea:
            order = fleets.loss_order(self.fields.policy.attacker.losses, bool(cargo))
            hold = fleets.hold_of(self.fields.attacker, self.fields.conditions, self.book)
            return fleets.stormed(self.book, self.start, percent, order, hold)
        left = remainders(self.book, cargo.troops, percent)
        return {Afloat(fleet, Cargo(troops)): weight for troops, weight in left.items()}

    def follow(self, state: Found) -> Following:
        """The die, a second one for an average result, losses by the first one, the leader test (steps 1 to 4)."""
        if state.modified is None:
            return self.first
        if state.success is None:
            return D10(
                "average",
                "9",
                None,
                lambda die, _: state._replace(success=die >= 6, tested=die in {1, 2, 3, 6, 7, 8} or self.alone),
                lambda shown, after: f"Average: {shown}: {'a discovery' if after.success else 'nothing found'}.",
            )
        if state.left is None:
            left = self.losses(self.book.attrition_percent[state.modified])
            weights = {state._replace(left=rest): weight for rest, weight in left.items()}
            return Roll("losses", weights, line=lambda after, _: f"Losses: {self.text_of(after.left)} left.")
        if state.dead is not None or not state.tested or not self.who:
            return None
        leader = f"The {self.who} (manoeuvre {self.man}) rolls"
        return D10(
            "leader",
            "9",
            None,
            lambda die, _: state._replace(dead=die > self.man),
            lambda shown, after: f"{leader} {shown} and {'dies' if after.dead else 'lives'}.",
        )

    def text_of(self, left: Afloat) -> str:
        """Ships left at sea, or troops on land."""
        return left.fleet.text() if self.sea else detachments(left.cargo.troops)

    def columns(self, state: Found) -> dict[str, Any]:
        """A row of the outcome."""
        fleet, cargo = state.left or self.start
        alive = bool(self.who) and not state.dead
        wiped_out = not fleet.thirds and not cargo.troops and not alive
        discovered = bool(state.success) and not wiped_out
        return {
            "winner": ATTACKER if discovered else DEFENDER,
            "discovered": discovered,
            "leader_dead": bool(state.dead),
            "wiped_out": wiped_out,
            **ships_left("attacker", fleet),
            "attacker_troops_left_thirds": cargo.troops,
            "modifier": self.first.total,
        }


def build_exploration(fields: Exploration) -> Built:
    """Everything that answers an exploration."""
    voyage = ExplorationSetup(fields)
    led = f"led by the {voyage.who}, manoeuvre {voyage.man}" if voyage.who else "without a leader"
    assumption = f"exploration at {fields.conditions.where}, {led}{', alone' if voyage.alone else ''}"
    return built(PlainBattle(Found(), voyage.follow), voyage.columns, [assumption], voyage.first.why())


# --- a conquistador among natives (section 10) ---


class Conquerors(common.Troops):
    """The troops that go among the natives."""

    page = f"{common.TROOPS}, stats_sum, missionary"
    stats_sum: Annotated[int, Field(ge=0, le=24)] = Field(
        0, description="sum of the leader's values; an explorer's already halved"
    )
    missionary: bool = Field(False, description="a missionary is with them")


class Natives(Fields):
    """The natives of the area."""

    natives_detachments: common.Ships = Field(0, description="LD of natives")
    natives_exploration: Annotated[int, Field(ge=0, le=2)] = Field(0, description="thirds of a LD beside")


class ConquestConditions(Fields):
    """The actions taken there."""

    previous_uses: common.Some = Field(0, description="earlier uses in the area")


class ConquestOptions(TableOptions):
    """Readings (section 15)."""

    large_stack: Literal["at-least-four", "more-than-four"] = Field(
        "at-least-four", description="stacks that have +1: 4 LD or more, or 5 or more"
    )


class ConquestFields(KnowsIdle, FrameOf[Conquerors, Natives, ConquestConditions, NoPolicies, ConquestOptions]):
    """All fields of a conquistador among natives, for this kind and for kinds with a stage of it."""

    tolerated = ("attacker.country", "attacker.army_class")


class Conquest(ConquestFields):
    """A conquistador among natives."""

    game: Literal["europa"]
    battle: Literal["conquistador"]


def check_conquest(fields: ConquestFields) -> None:
    """Refuse what types cannot; raises Refusal."""
    common.check_tables(fields)
    common.check_troops(fields.attacker, "attacker", "no troops; give at least one detachment or a third of one")
    none = not fields.defender.natives_detachments and not fields.defender.natives_exploration
    refuse(none, "defender.natives_detachments", "no natives; give more than 0 in all")


class Conquered(NamedTuple):
    """Those who join and those who resist, in thirds."""

    joiners: int
    resisters: int


def conquest_modifiers(fields: ConquestFields) -> list[Bonus]:
    """Modifiers of a conquistador's die."""
    side, size = fields.attacker, size_of(fields.attacker)
    least = 5 * LD if fields.options.large_stack == "more-than-four" else 4 * LD
    return [
        Bonus(fields.conditions.previous_uses, "earlier uses"),
        Bonus(-int(side.missionary), "missionary"),
        Bonus(int(size >= least), f"at least {least // LD} LD"),
        Bonus(-int(not side.army_plus and not side.army_minus), "no ARMY counter"),
        Bonus(int(side.stats_sum <= 6), "leader's values sum to 6 or less"),
    ]


class Conversion:
    """The roll of a conquistador among natives, and what it makes of them."""

    def __init__(self, fields: ConquestFields) -> None:
        self.fields, self.tables = fields, book(fields.options.tables)
        self.natives = LD * fields.defender.natives_detachments + fields.defender.natives_exploration
        column = next(most for most in (12, 15, 99) if fields.attacker.stats_sum <= most)
        # Per cent lost of those who resist and of those who join, by modified die.
        self.rows = {
            die: (row["resist_percent_lost"], row["desert_percent_lost"])
            for (die, most), row in self.tables.indexed("conquistador").items()
            if most == column
        }
        self.roll = D10(
            "conquest",
            "10",
            conquest_modifiers(fields),
            lambda _, modified: min(11, max(1, modified)),
            lambda shown, modified: "Conquest: {}: R{}/D{}.".format(shown, *self.rows[modified]),
        )

    def ends(self, modified: int) -> Mapping[Conquered, int]:
        """Those who join and resist by a row, with weights."""
        resist, desert = (remainders(self.tables, self.natives, percent) for percent in self.rows[modified])
        return combine(desert, resist, lambda join, stay: Conquered(join, min(stay, self.natives - join)))

    def text(self, end: Conquered) -> str:
        """An end in words."""
        parts = f"{detachments(end.resisters)} resist, {detachments(end.joiners)} join"
        return f"Of {detachments(self.natives)} of natives {parts}."

    def columns(self, end: Conquered) -> dict[str, object]:
        """The columns of an end."""
        joiners, resisters = end
        return {
            "battle": resisters > 0,
            "resisters_thirds": resisters,
            "joiners_thirds": joiners,
            "natives_removed_thirds": self.natives - resisters - joiners,
        }

    @property
    def assumptions(self) -> list[str]:
        """The readings of the roll."""
        return [
            f"a large stack is one of {self.fields.options.large_stack.replace('-', ' ')} LD (large_stack)",
            "over 100 %: deserters first, resisters at most the rest",
        ]


def build_conquest(fields: Conquest) -> Built:
    """Everything that answers a conquistador among natives."""
    conversion = Conversion(fields)
    roll, natives = conversion.roll, conversion.natives

    def columns(end: Conquered) -> dict[str, object]:
        winner = DEFENDER if end.resisters == natives else NOBODY if end.resisters else ATTACKER
        return {"winner": winner, **conversion.columns(end), "modifier": roll.total}

    then = "those who resist then fight as interceptors (kind native-chain)"
    follow = roll_then_draw(roll, conversion.ends, conversion.text)
    return built(PlainBattle(None, follow), columns, [*conversion.assumptions, then], roll.why())


# --- do natives attack? (section 10) ---


class NativesConditions(Fields):
    """The tolerance of the natives."""

    tolerance: Annotated[int, Field(ge=0, le=10)] = Field(5, description="tolerance of the area")
    treaty: bool = Field(False, description="there is a treaty")
    leader_alone: bool = Field(False, description="a lone leader enters")
    already_active: bool = Field(False, description="the natives are active already")


class NativesPolicy(Fields):
    """Choices of the side that enters."""

    natives: Literal["test", "attack"] = Field("test", description="wait for their test, or attack them")


class Activation(
    Scenario[Literal["native-activation"], Fields, Fields, NativesConditions, Both[NativesPolicy, Fields], TableOptions]
):
    """Do the natives attack?"""


def build_activation(fields: Activation) -> Built:
    """Everything that answers whether natives attack."""
    conditions, attacks = fields.conditions, fields.policy.attacker.natives == "attack"
    tolerance = conditions.tolerance
    if attacks or conditions.already_active:
        start, reason = "active", "attacked on purpose" if attacks else "active already"
    elif conditions.treaty or conditions.leader_alone:
        start, reason = "quiet", "there is a treaty" if conditions.treaty else "a lone leader"
    else:
        start, reason = "", f"a d10 of {tolerance} or less activates them"
    roll = D10(
        "natives",
        "10",
        None,
        lambda die, _: "active" if die <= tolerance else "quiet",
        lambda shown, after: (
            f"Natives: {shown} against a tolerance of {tolerance}: {'they attack' if after == 'active' else 'quiet'}."
        ),
    )

    def columns(state: str) -> dict[str, object]:
        return {"winner": DEFENDER if state == "active" else ATTACKER, "activated": state == "active"}

    return built(PlainBattle(start, lambda state: None if state else roll), columns, [reason], [f"{reason} ({LAW} 10)"])
