"""A conquistador among natives (docs/rules/europa_naval_and_other.md section 10)."""

from __future__ import annotations

import random
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from simulator.engine.model.chance import combine
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Built, Fields, FrameOf, Refusal, offered
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared.losses import remainders
from simulator.rules.europa.shared.modifiers import Bonus
from simulator.rules.europa.shared.procedure import Draw, Following, Roll, built
from simulator.rules.europa.shared.stacks import LD, detachments, size_of
from simulator.rules.europa.tables import book


class Conquerors(common.Troops):
    """The troops that go among the natives."""

    stats_sum: Annotated[int, Field(ge=0, le=24)] = Field(
        0, description="sum of the leader's values; an explorer's already halved"
    )
    missionary: bool = Field(False, description="a missionary is with them")


class Natives(Fields):
    """The natives of the area."""

    natives_detachments: common.Ships = Field(0, description="LD of natives")
    natives_exploration: Annotated[int, Field(ge=0, le=2)] = Field(0, description="thirds of a LD beside")


class ConquestConditions(Fields):
    """What has been done there."""

    previous_uses: common.Some = Field(0, description="earlier uses in the area")


class ConquestOptions(common.TableOptions):
    """Readings (section 15)."""

    large_stack: Literal["at-least-four", "more-than-four"] = Field(
        "at-least-four", description="stacks that have +1: 4 LD or more, or 5 or more"
    )


class Conquest(FrameOf[Conquerors, Natives, ConquestConditions, common.NoPolicies, ConquestOptions]):
    """A conquistador among natives."""

    game: Literal["europa"]
    battle: Literal["conquistador"]


def check_conquest(fields: Conquest) -> None:
    """Refuse what types cannot; raises Refusal."""
    book(fields.options.tables)
    common.check_class(fields.attacker, "attacker")
    if not size_of(fields.attacker):
        raise Refusal("attacker.land_detachments", "no troops; give at least one detachment or a third of one")
    if not fields.defender.natives_detachments and not fields.defender.natives_exploration:
        raise Refusal("defender.natives_detachments", "no natives; give more than 0 in all")


class Conquered(NamedTuple):
    """The modified die, those who join, those who resist (thirds; None: not known yet)."""

    modified: int | None = None
    joiners: int | None = None
    resisters: int = 0


def modifiers_of(fields: Conquest) -> list[Bonus]:
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


def build_conquest(fields: Conquest) -> Built:
    """Everything that answers a conquistador among natives."""
    tables = book(fields.options.tables)
    natives = LD * fields.defender.natives_detachments + fields.defender.natives_exploration
    column = next(most for most in (12, 15, 99) if fields.attacker.stats_sum <= most)

    def row(modified: int) -> tuple[int, int]:
        """(per cent lost of those who resist, of those who join)."""
        found = tables.indexed("conquistador")[modified, column]
        return int(found["resist_percent_lost"]), int(found["desert_percent_lost"])

    roll = Roll(
        "conquest",
        "10",
        modifiers_of(fields),
        lambda _, modified: Conquered(min(11, max(1, modified))),
        lambda shown, after: "Conquest: {}: R{}/D{}.".format(shown, *row(after.modified)),
    )

    def line(state: Conquered, _: random.Random) -> str:
        parts = f"{detachments(state.resisters)} resist, {detachments(state.joiners or 0)} join"
        return f"Of {detachments(natives)} of natives {parts}."

    def follow(state: Conquered) -> Following:
        modified = state.modified
        if modified is None:
            return roll
        if state.joiners is not None:
            return None
        resist, desert = (remainders(tables, natives, percent) for percent in row(modified))
        ends = combine(desert, resist, lambda join, stay: Conquered(modified, join, min(stay, natives - join)))
        return Draw(ends, line)

    def columns(state: Conquered) -> dict[str, object]:
        resisters, joiners = state.resisters, state.joiners or 0
        return {
            "winner": DEFENDER if resisters == natives else NOBODY if resisters else ATTACKER,
            "battle": resisters > 0,
            "resisters_thirds": resisters,
            "joiners_thirds": joiners,
            "natives_removed_thirds": natives - resisters - joiners,
            "modifier": roll.total,
        }

    assumptions = [
        f"a large stack is one of {fields.options.large_stack.replace('-', ' ')} LD (large_stack)",
        "over 100 %: deserters first, resisters at most the rest",
        "those who resist then fight as interceptors: a land scenario of its own",
    ]
    return built(Conquered(), follow, columns, assumptions, roll.why())


CONQUISTADOR = offered(
    Conquest,
    check=check_conquest,
    build=build_conquest,
    results={
        "nobody resists": "winner == 'attacker'",
        "some resist": "winner == 'nobody'",
        "all resist": "winner == 'defender'",
    },
    headline=("resisters_thirds", "joiners_thirds", "natives_removed_thirds"),
)
