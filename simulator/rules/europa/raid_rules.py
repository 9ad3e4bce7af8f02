"""A corsair attacks a stack carrying gold (docs/rules/europa_naval_and_other.md section 8)."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from simulator.rules.battle import ATTACKER, DEFENDER, Built
from simulator.rules.europa.encounter_rules import intercepts, sea_bonuses
from simulator.rules.europa.fleets import LAW, Fleet, fleet_of
from simulator.rules.europa.spelled import FACES, Bonus, built, plainly, rolled, spell_out, sum_of, why
from simulator.rules.europa.tables import Book, book
from simulator.rules.europa.voyage_model import CorsairRaid
from simulator.rules.toolkit.faces import face_where

LEADERLESS_PIRATES = 2
DRIVES_OFF = 8
WITH_TRANSPORT, WITH_WARSHIP = 15, 5
NAVAL_FORCE = {"none": 0, "detachment": -1, "fleet_minus": -2, "fleet_plus": -4}
INTERCEPTION, ESCORT, RAID, OVER = range(4)


class Raid(NamedTuple):
    """Where a raid has come to, and what was taken."""

    stage: int
    intercepted: bool = False
    driven_off: bool = False
    transports: int = 0
    warships: int = 0


@dataclass(frozen=True)
class Attack:
    """One raid: its modifiers and results."""

    fields: CorsairRaid
    book: Book

    @property
    def fleet(self) -> Fleet:
        """The escort and its transports."""
        return fleet_of(self.fields.defender)

    @property
    def corsair(self) -> int:
        """Manoeuvre of the corsair's leader, 0 for none."""
        return self.fields.attacker.manoeuvre or 0

    def interception(self) -> list[Bonus]:
        """Modifiers of the interception; pirates without a leader count MAN 2 here only (step 1)."""
        own, man = self.fields.attacker, self.fields.attacker.manoeuvre
        if man is None:
            man = LEADERLESS_PIRATES if own.pirates else 0
        return sea_bonuses(own, man, self.fields.defender.manoeuvre, self.fields.conditions.bad_weather)

    def escorted(self) -> list[Bonus]:
        """What the escort is worth in both rolls."""
        side, fleet = self.fields.defender, self.fleet
        some = fleet.warships or fleet.galleys or fleet.galleasses
        counters = side.fleets_minus + side.fleets_plus
        return [
            Bonus(2 * side.fleets_minus, "FLEET- of the escort"),
            Bonus(4 * side.fleets_plus, "FLEET+ of the escort"),
            Bonus(int(bool(some) and not counters), "an escort without FLEET"),
            Bonus(side.manoeuvre - self.corsair, "difference of manoeuvre"),
        ]

    def escort(self) -> list[Bonus]:
        """Modifiers of the escort's roll (step 3)."""
        conditions = self.fields.conditions
        return [
            Bonus(int(self.fields.defender.technology == "seventy-four"), "seventy-four"),
            *self.escorted(),
            Bonus(-2 * conditions.other_corsairs_plus, "other corsairs+"),
            Bonus(-2 * conditions.corsair_port, "port of the corsair"),
            Bonus(-int(conditions.naval_battle_this_turn), "naval battle this turn"),
            Bonus(NAVAL_FORCE[conditions.enemy_naval], f"enemy naval force: {conditions.enemy_naval}"),
        ]

    def raid(self) -> list[Bonus]:
        """Modifiers of the raid (step 4)."""
        conditions, own = self.fields.conditions, self.fields.attacker
        return [
            Bonus(3 * self.fields.options.lone_minus_bonus, "a lone small corsair"),
            *self.escorted(),
            Bonus(int(conditions.naval_battle_this_turn), "naval battle this turn"),
            Bonus(-2 * int(own.knights and conditions.knights_port), "knights with a Christian port"),
        ]

    def levels(self, modified: int) -> int:
        """Ships taken by a modified die."""
        rows = self.book.column("raids", "large_fleet_levels").items()
        return min((most, levels) for most, levels in rows if modified <= most)[1]

    def throw(self, state: Raid, die: int) -> Raid:
        """What a die leads to."""
        if state.stage == INTERCEPTION:
            met = intercepts(die, sum_of(self.interception()))
            return state._replace(stage=ESCORT if met else OVER, intercepted=met)
        if state.stage == ESCORT:
            driven = die == 10 or die + sum_of(self.escort()) >= DRIVES_OFF
            return state._replace(stage=OVER if driven else RAID, driven_off=driven)
        levels = self.levels(die + sum_of(self.raid()))
        transports = min(levels, self.fleet.transports)
        warships = min(levels - transports, self.fleet.warships // 3)
        return state._replace(stage=OVER, transports=transports, warships=warships)

    def drm(self, stage: int) -> int:
        """The modifier of a stage's die."""
        return sum_of((self.interception, self.escort, self.raid)[stage]())

    def seen(self, state: Raid) -> dict[str, int | bool]:
        """Columns: gold seized, and gold that the ships left cannot carry."""
        gold = self.fields.defender.gold
        seized = min(gold, WITH_TRANSPORT * state.transports + WITH_WARSHIP * state.warships)
        taken = Fleet(warships=3 * state.warships, transports=state.transports)
        fleet = self.fleet.less(taken)
        left = min(gold - seized, 5 * fleet.half_points // 2)
        return {
            "winner": ATTACKER if taken.thirds else DEFENDER,
            "intercepted": state.intercepted,
            "driven_off": state.driven_off,
            "corsair_reduced": state.intercepted,
            "transports_captured": state.transports,
            "warships_captured": state.warships,
            "gold_lost": gold - left,
            "gold_gained": 0 if self.fields.attacker.pirates else seized,
            "defender_transports_left": fleet.transports,
            "defender_warships_left": fleet.warships // 3,
            "defender_gold_left": left,
        }

    def tell(self, before: Raid, after: Raid, dice: random.Random) -> str:
        """A line."""
        die = face_where(FACES, lambda face: self.throw(before, face) == after, dice)
        rolled_as = plainly(die, self.drm(before.stage))
        if before.stage == INTERCEPTION:
            ends = "intercepts and turns to its small side" if after.intercepted else "misses the convoy"
            return f"Interception: {rolled_as}: the corsair {ends}."
        if before.stage == ESCORT:
            return f"Escort: {rolled_as}: {'drives the corsair off' if after.driven_off else 'cannot stop it'}."
        seen = self.seen(after)
        return (
            f"Raid: {rolled_as}: {after.transports} transports and {after.warships} warships taken, "
            f"{seen['gold_lost']} ducats lost."
        )


def build_corsair_raid(fields: CorsairRaid) -> Built:
    """Everything that answers a corsair raid."""
    attack = Attack(fields, book(fields.options.tables))

    def follow(state: Raid) -> Counter[Raid] | None:
        return None if state.stage == OVER else rolled(lambda die: attack.throw(state, die))

    lines = [
        *why("interception", attack.interception(), f"{LAW} 8 step 1"),
        *why("escort", attack.escort(), f"{LAW} 8 step 3"),
        *why("raid", attack.raid(), f"{LAW} 8 step 4"),
    ]
    bonus = "applies" if fields.options.lone_minus_bonus else "does not apply"
    rests = [
        f"+3 for a lone small corsair {bonus} after it was reduced (lone_minus_bonus)",
        "gold that the ships left cannot carry is lost too",
    ]
    return built(spell_out(Raid(INTERCEPTION), follow, attack.tell), attack.seen, rests, lines)
