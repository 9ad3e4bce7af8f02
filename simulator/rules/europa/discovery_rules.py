"""Exploration, conquest and natives (docs/rules/europa_naval_and_other.md sections 9 and 10)."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from simulator.engine.model.chance import combine
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Built
from simulator.rules.europa.attrition_rules import weather_of
from simulator.rules.europa.fleets import (
    LAW,
    Afloat,
    Cargo,
    Hold,
    cargo_of,
    fleet_of,
    hold_of,
    loss_order,
    ships_left,
    stormed,
)
from simulator.rules.europa.losses import clamped, remainders
from simulator.rules.europa.overseas_model import Activation, Conquest, Exploration
from simulator.rules.europa.spelled import FACES, Bonus, built, plainly, rolled, spell_out, sum_of, why
from simulator.rules.europa.stacks import LD, detachments, size_of
from simulator.rules.europa.tables import Book, book
from simulator.rules.toolkit.faces import face_where

USES_MANOEUVRE = ("explorer", "conquistador", "governor")


# --- exploration (section 9) ---


class Found(NamedTuple):
    """Where an exploration has come to: the modified die, what it found, what is left, whether the leader lives.

    None: not known yet.
    """

    modified: int | None = None
    success: bool | None = None
    tested: bool = False
    left: Afloat | None = None
    dead: bool | None = None


@dataclass(frozen=True)
class Voyage:
    """One exploration."""

    fields: Exploration
    book: Book

    @property
    def sea(self) -> bool:
        """At sea, or on land?"""
        return bool(self.fields.conditions.where == "sea")

    @cached_property
    def start(self) -> Afloat:
        """Who sets out."""
        return Afloat(fleet_of(self.fields.attacker), cargo_of(self.fields.attacker))

    @cached_property
    def hold(self) -> Hold:
        """How troops are carried."""
        return hold_of(self.fields.attacker, self.fields.conditions, self.book)

    @property
    def alone(self) -> bool:
        """Did the leader start without ships (at sea) or troops (on land)?"""
        return not (self.start.fleet.thirds if self.sea else self.start.cargo.troops)

    @cached_property
    def leader(self) -> tuple[int, str]:
        """(manoeuvre that counts, who is tested; "" for nobody)."""
        side = self.fields.attacker
        man = side.manoeuvre if side.role in USES_MANOEUVRE else 0
        if side.role == "explorer" and not self.sea:
            man //= 2
        missionary = side.missionary_manoeuvre
        if missionary is not None and (missionary > man or side.role == "none"):
            return missionary, "missionary"
        return man, "" if side.role == "none" else side.role

    def bonuses(self) -> list[Bonus]:
        """Modifiers of the exploration die (step 1)."""
        conditions, technology = self.fields.conditions, self.fields.attacker.technology
        man, who = self.leader
        found = [Bonus(4, "exploration"), Bonus(-man, f"manoeuvre of the {who}")]
        if not self.sea:
            return found
        return [
            *found,
            Bonus(conditions.malus, "malus of the zone"),
            Bonus(int(technology == "carrack"), "carracks"),
            weather_of(technology),
            Bonus(2 * conditions.bad_weather, "bad weather"),
            Bonus(-2 * conditions.known_since_period_iv, "known to another country"),
        ]

    @cached_property
    def rows(self) -> dict[Any, Any]:
        """The discovery table."""
        return self.book.indexed("discovery")

    def read(self, modified: int) -> tuple[str, bool]:
        """The result of a modified die, and whether the leader is tested (step 2)."""
        row = self.rows[modified, int(not self.sea)]
        tested = row["check_leader"] or (row["check_leader_no_troops"] and self.alone)
        return str(row["result"]), bool(tested)

    def after_die(self, die: int) -> Found:
        """The first die."""
        modified = clamped(die + sum_of(self.bonuses()))
        result, tested = self.read(modified)
        if result == "AVERAGE":
            return Found(modified)
        return Found(modified, result == "SUCCESS", tested)

    def average(self, state: Found, die: int) -> Found:
        """The second die of an average result."""
        tested = die in {1, 2, 3, 6, 7, 8} or self.alone
        return state._replace(success=die >= 6, tested=tested)

    def losses(self, state: Found) -> Counter[Found]:
        """Losses by the same modified die (step 3)."""
        percent = self.book.attrition_percent[state.modified or 0]
        if self.sea:
            order = loss_order(self.fields.policy.attacker.losses, bool(self.start.cargo))
            left = stormed(self.book, self.start, percent, order, self.hold)
        else:
            troops = remainders(self.book, self.start.cargo.troops, percent)
            left = Counter({Afloat(self.start.fleet, Cargo(rest)): weight for rest, weight in troops.items()})
        return Counter({state._replace(left=rest): weight for rest, weight in left.items()})

    def test(self, state: Found, die: int) -> Found:
        """The leader test: 1d10 > manoeuvre kills (step 4)."""
        return state._replace(dead=die > self.leader[0])

    def follow(self, state: Found) -> Counter[Found] | None:
        """What comes next."""
        if state.modified is None:
            return rolled(self.after_die)
        if state.success is None:
            return rolled(lambda die: self.average(state, die))
        if state.left is None:
            return self.losses(state)
        if state.dead is None and state.tested and self.leader[1]:
            return rolled(lambda die: self.test(state, die))
        return None

    def seen(self, state: Found) -> dict[str, object]:
        """Columns."""
        fleet, cargo = state.left or self.start
        alive = bool(self.leader[1]) and not state.dead
        wiped_out = not fleet.thirds and not cargo.troops and not alive
        discovered = bool(state.success) and not wiped_out
        return {
            "winner": ATTACKER if discovered else DEFENDER,
            "discovered": discovered,
            "leader_dead": bool(state.dead),
            "wiped_out": wiped_out,
            **ships_left("attacker", fleet),
            "attacker_troops_left_thirds": cargo.troops,
            "modifier": sum_of(self.bonuses()),
        }

    def tell(self, before: Found, after: Found, dice: random.Random) -> str:
        """A line."""
        man, who = self.leader
        if before.modified is None:
            die = face_where(FACES, lambda face: self.after_die(face) == after, dice)
            result = self.read(after.modified or 0)[0].lower()
            return f"Exploration: {plainly(die, sum_of(self.bonuses()))}: {result}."
        if before.success is None:
            die = face_where(FACES, lambda face: self.average(before, face) == after, dice)
            return f"Average: {die}: {'a discovery' if after.success else 'nothing found'}."
        if before.left is None:
            fleet, cargo = after.left or self.start
            return f"Losses: {fleet.told() if self.sea else detachments(cargo.troops)} left."
        die = face_where(FACES, lambda face: self.test(before, face) == after, dice)
        return f"The {who} (manoeuvre {man}) rolls {die} and {'dies' if after.dead else 'lives'}."


def build_exploration(fields: Exploration) -> Built:
    """Everything that answers an exploration."""
    voyage = Voyage(fields, book(fields.options.tables))
    man, who = voyage.leader
    led = f"led by the {who}, manoeuvre {man}" if who else "without a leader"
    rests = [f"exploration at {fields.conditions.where}, {led}{', alone' if voyage.alone else ''}"]
    course = spell_out(Found(), voyage.follow, voyage.tell)
    return built(course, voyage.seen, rests, why("exploration", voyage.bonuses(), f"{LAW} 9"))


# --- conquest (section 10) ---


class Conquered(NamedTuple):
    """The modified die, those who join, those who resist (thirds; None: not known yet)."""

    modified: int | None = None
    joiners: int | None = None
    resisters: int | None = None


def conquest_bonuses(fields: Conquest) -> list[Bonus]:
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
    tables, bonuses = book(fields.options.tables), conquest_bonuses(fields)
    drm = sum_of(bonuses)
    natives = LD * fields.defender.natives_detachments + fields.defender.natives_exploration
    column = next(most for most in (12, 15, 99) if fields.attacker.stats_sum <= most)

    rows = tables.indexed("conquistador")

    def row(modified: int) -> tuple[int, int]:
        """(per cent lost of those who resist, of those who join)."""
        found = rows[modified, column]
        return int(found["resist_percent_lost"]), int(found["desert_percent_lost"])

    def read(die: int) -> int:
        return min(11, max(1, die + drm))

    def follow(state: Conquered) -> Counter[Conquered] | None:
        if state.joiners is not None:
            return None
        if state.modified is None:
            return rolled(lambda die: Conquered(read(die)))
        resist, desert = (remainders(tables, natives, percent) for percent in row(state.modified))
        modified = state.modified
        return combine(desert, resist, lambda join, stay: Conquered(modified, join, min(stay, natives - join)))

    def tell(before: Conquered, after: Conquered, dice: random.Random) -> str:
        if after.joiners is None:
            die = face_where(FACES, lambda face: read(face) == after.modified, dice)
            resist, desert = row(after.modified or 1)
            return f"Conquest: {plainly(die, drm)}: R{resist}/D{desert}."
        told = f"{detachments(after.resisters or 0)} resist, {detachments(after.joiners)} join"
        return f"Of {detachments(natives)} of natives {told}."

    def seen(state: Conquered) -> dict[str, object]:
        resisters, joiners = state.resisters or 0, state.joiners or 0
        return {
            "winner": DEFENDER if resisters == natives else NOBODY if resisters else ATTACKER,
            "battle": resisters > 0,
            "resisters_thirds": resisters,
            "joiners_thirds": joiners,
            "natives_removed_thirds": natives - resisters - joiners,
            "modifier": drm,
        }

    rests = [
        f"a large stack is one of {fields.options.large_stack.replace('-', ' ')} LD (large_stack)",
        "over 100 %: deserters first, resisters at most the rest",
        "those who resist then fight as interceptors: a land scenario of its own",
    ]
    return built(spell_out(Conquered(), follow, tell), seen, rests, why("conquest", bonuses, f"{LAW} 10"))


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

    def throw(die: int) -> str:
        return "active" if die <= tolerance else "quiet"

    def tell(before: str, after: str, dice: random.Random) -> str:
        die = face_where(FACES, lambda face: throw(face) == after, dice)
        return f"Natives: {die} against a tolerance of {tolerance}: {'they attack' if after == 'active' else 'quiet'}."

    def seen(state: str) -> dict[str, object]:
        return {"winner": DEFENDER if state == "active" else ATTACKER, "activated": state == "active"}

    course = spell_out(start, lambda state: None if state else rolled(throw), tell)
    return built(course, seen, [reason], [f"{reason} ({LAW} 10)"])
