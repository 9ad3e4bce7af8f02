"""A land or naval battle with everything that is known before the first roll, and the units of its forces.

Sections cited are those of docs/rules/price_of_power.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from functools import cache
from itertools import chain, product
from math import prod
from typing import Any, NamedTuple

from simulator.rules.battle import Refusal
from simulator.rules.price_of_power import cards
from simulator.rules.price_of_power.dice import (
    MOST_ROLLS,
    Icons,
    Pool,
    Throw,
    base_type,
    chances,
    faces_of,
    most_icons,
    pool_of,
    ways_to_roll,
)
from simulator.rules.price_of_power.forces import WITH_SIDE, Faction, Side, first_lost, types
from simulator.rules.price_of_power.model import AnyBattle
from simulator.rules.price_of_power.state import ATTACK, DEAD, DEFENCE, Force, Realm
from simulator.rules.toolkit.retreat import Leave, outnumbered

# By `ties`: the kinds of realms that are hit first among equally large defending factions.
HIT_FIRST = {"listed-order": (), "players-first": ("player",), "npr-first": ("npr", "rebels", "pirates")}


class Numbered(list[Any]):
    """Different things, each once; `place` finds or adds one."""

    def __init__(self) -> None:
        self._places: dict[Any, int] = {}

    def place(self, one: Any) -> int:
        """The place of a thing in the list."""
        found = self._places.setdefault(one, len(self))
        if found == len(self):
            self.append(one)
        return found


class Strength(NamedTuple):
    """The forces of realms in the battle: units by type, heavy ships, all units, and the hits that these can take."""

    types: tuple[int, ...]
    heavy: int
    units: int
    room: int


class Setup:
    """A land or naval battle before its first roll. `factions` are the attacker, then the defending ones.

    `last` is the last round in which anything depends on the round (section 3.8). Each side has `cards` that it plays
    when it likes, `caps` on the icons of a roll (more have no effect), the dice of its charge, and for each of its
    realms when it leaves (`leave`; `together` for those that decide as a side) and whether it is hit early among
    equals (`ties`). `alternates`: something depends on the category that is hit next. `brief`: a later stage needs the
    ships and units alone, not the damage.
    """

    def __init__(self, fields: AnyBattle, brief: bool = False) -> None:
        self.fields, self.options, self.brief = fields, fields.options, brief
        self.dice = faces_of(fields.options)
        self.sides = attacker, defender = Side("attacker", fields), Side("defender", fields)
        self.sea, self.factions = attacker.sea, attacker.factions + defender.factions
        self.max_rounds = fields.conditions.max_rounds
        self.last = max(1, self.max_rounds, attacker.last, defender.last)
        self.whole_battle = fields.options.casualty_alternation == "whole-battle"
        self.picks = [side.policy.losses == "best" for side in self.sides]
        self.cards = [cards.in_hand(side.fields.battle_actions) for side in self.sides]
        self.charges = [side.charge(enemy) for side, enemy in ((attacker, defender), (defender, attacker))]
        first = HIT_FIRST[fields.policy.attacker.ties]
        self.ties = [[faction.realm.kind not in first for faction in side.factions] for side in self.sides]
        self.leave = [
            [leave_of(*leaving, own.realm.count()) for own, leaving in zip(side.factions, side.leaving, strict=True)]
            for side in self.sides
        ]
        self.together = [leave_of(*side.together, side.units) for side in self.sides]
        self.may_leave = [any(leaves_ever(side, at) for at in range(len(side.factions))) for side in self.sides]
        self.alternates = self.whole_battle or any(self.may_leave)
        self.strength, self.pool = cache(self._strength), cache(self._pool)
        self.throw, self.rolls = cache(self._throw), cache(self._rolls)
        # Memory of the rules: fates and battles by place, their places after hits and tercios, and after two fates.
        self.memory: dict[Any, Any] = {}
        self.fates, self.battles = Numbered(), Numbered()
        self.after_throws: defaultdict[Any, dict[tuple[int, int], int]] = defaultdict(dict)
        self.after_rolls: defaultdict[tuple[int, int], dict[int, int]] = defaultdict(dict)

    def key(self) -> Hashable:
        """Everything that the rules read: battles with equal keys have the same states and chances.

        Dice are there as the chances of the icons that count, so that fields without an effect do not matter. Cards
        that are played freely change the dice of any round: a battle with some is only like itself.
        """
        if any(self.cards):
            return self.brief, self.fields.model_dump_json(serialize_as_any=True)
        mixed, faces = any(faction.mixed for faction in self.factions), any(self.charges) and self.dice["cavalry"]
        ends = self.options.count_rounds, self.sea and self.options.damage_counts_as_casualty, self.brief
        turns = self.max_rounds, self.last, self.alternates, mixed and self.whole_battle
        return self.sea, ends, turns, faces, self._key_of(ATTACK), self._key_of(DEFENCE)

    def _key_of(self, side: int) -> Hashable:
        """The part of a side in `key`."""
        own, enemy, dice = self.sides[side], self.sides[1 - side], tuple(self.dice.items())
        realms = [(str(one.rows), one.realm.kind, stays(one)) for one in own.factions]
        leaves = own.together[0], str([policy for policy, _ in own.leaving]), self.together[side], *self.leave[side]
        led = own.main, own.draws, own.appoints, str((own.drawn, own.cards)), *(one.wounds for one in own.leaders)
        hits = own.automatic, self.charges[side], self.picks[side], min(own.supply, enemy.units), *self.ties[side]
        capped = [(pool, self.caps(side, pool)) for pool in self.pools(side)]
        ways = [(caps, ways_to_roll(dice, pool, caps).tobytes()) for pool, caps in capped]
        return tuple(realms), leaves, led, hits, tuple(ways)

    @property
    def alone(self) -> list[Faction]:
        """The factions that leave by themselves when that is best."""
        own = zip(self.factions, chain(*(side.leaving for side in self.sides)), strict=True)
        return [faction for faction, (retreat, _) in own if retreat == "best"]

    # Units.

    def _strength(self, side: int, realms: Sequence[Realm], first: int = 0) -> Strength:
        """The forces of these realms of a side, which are listed from `first` on."""
        total = Strength((0, 0, 0), 0, 0, 0)
        for faction, realm in zip(self.sides[side].factions[first:], realms, strict=False):
            if not realm.gone:
                own = types(faction.units(realm.left))
                room = total.room + sum(map(faction.room, range(len(realm.left)), realm.left))
                heavy = total.heavy + (own[2] if self.sea else 0)
                each = tuple(map(sum, zip(total.types, own, strict=True)))
                total = Strength(each, heavy, sum(each), room)
        return total

    def units(self, side: int, force: Force) -> int:
        """Units of a side in the battle."""
        return self.strength(side, force.realms).units

    def present(self, force: Force, at: int) -> bool:
        """A realm of a force has a unit in the battle."""
        realm = force.realms[at]
        return not realm.gone and any(realm.left)

    def led(self, side: int, force: Force) -> bool:
        """There is no main defender, or he still has a unit in the battle (section 3.1, step 1)."""
        main = self.sides[side].main if side == DEFENCE else 0
        return not main or self.present(force, main - 1)

    def fights(self, side: int, force: Force, kind: str) -> bool:
        """A unit of a realm of this kind still fights on the side."""
        factions = self.sides[side].factions
        return any(one.realm.kind == kind and self.present(force, at) for at, one in enumerate(factions))

    # Dice.

    def throw_of(self, side: int, force: Force, round_: int) -> Throw:
        """The dice of a side in a round, from 0 (section 3.2 steps 1 and 2, section 4 steps 1 and 2)."""
        led = self.led(side, force)
        leads = led and force.wounds < DEAD
        return self.throw(side, self.strength(side, force.realms), (force.leader, leads, led, force.hand, round_))

    def _throw(self, side: int, own: Strength, led_by: tuple[int, bool, bool, cards.Hand, int]) -> Throw:
        leader, leads, led, hand, round_ = led_by
        pool = self.pool(side, leader, leads, led, hand, round_)
        matched = (0, 0, own.units) if self.sea else own.types  # every ship is hit-matched by artillery icons
        units = tuple(map(min, matched, most_icons(self.dice, pool)))
        sure = self.sides[side].automatic * led + own.heavy
        most = sum(units) + sure
        return Throw(pool, units, sure, most if self.sea else min(most, own.units))

    def _pool(self, side: int, leader: int, leads: bool, led: bool, hand: cards.Hand, round_: int) -> Pool:
        """The pool of a side in a round; its base dice are chosen once, for the leader that it has at the start."""
        own = self.sides[side]
        card = own.leaders[leader - 1] if leader else None
        base = base_type(own, self.dice, card)
        played = cards.in_force(self.cards[side], hand)
        return pool_of(own, base, card if leads else None, round_ + 1, led, played)

    def _rolls(self, side: int, throw: Throw) -> tuple[tuple[int, int, float], ...]:
        """Hits, tercios and the chance of both."""
        return chances(tuple(self.dice.items()), throw, self.caps(side, throw.pool))

    def caps(self, side: int, pool: Pool) -> Icons:
        """Caps on the icons of a pool: more than the units, the wounds to deal or the ships to capture have no effect.

        Raises Refusal for dice with too many different results.
        """
        own, enemy = self.sides[side], self.sides[1 - side]
        tercios = max(4 if enemy.leaders else 0, min(enemy.units, own.supply))
        units = (0, 0, own.units) if self.sea else own.start
        caps = Icons(*map(min, most_icons(self.dice, pool), (*units, tercios)))
        if prod(cap + 1 for cap in caps) > MOST_ROLLS:
            raise Refusal("options.dice", "these dice have too many different results; give fewer dice or icons")
        return caps

    def pools(self, side: int) -> list[Pool]:
        """All pools that a side may roll with the cards that are played in fixed rounds."""
        own = self.sides[side]
        hand = (cards.KEPT,) * len(self.cards[side])
        leaders = product(range(len(own.leaders) + 1), ((True, True), (False, True), (False, False)), range(self.last))
        return [self.pool(side, leader, *led, hand, round_) for leader, led, round_ in leaders]


def starts_of(setup: Setup) -> list[str]:
    """Scenario paths of the numbers that only change the start state: units of a single realm that are lost first.

    Numbers are left out where a charge, the choice of dice, `when-half` or `best` depends on them.
    """
    paths: list[str] = []
    for side in () if any(setup.charges) else setup.sides:
        policy, single = side.policy, len(side.factions) == 1 and side.has_player and not side.draws
        by_odds = getattr(policy, "base_dice", "") == "best-expected" or "best" in {policy.losses, policy.retreat}
        by_odds |= any(action.when == "best" for action in side.fields.battle_actions)
        alone = side.leaving[0][0] not in {WITH_SIDE, "never"}
        if single and policy.retreat != "when-half" and not alone and not by_odds:
            paths += [f"{side.where}.{name}" for name in first_lost(side.factions[0], policy.losses)]
    return paths


def leave_of(retreat: str, at: int, units: int) -> Leave:
    """The condition under which a realm of this many units leaves by a policy that counts."""
    return {
        "when-outnumbered": outnumbered(),
        "when-half": Leave(below=units // 2 + 1),
        "at-or-below": Leave(below=at + 1),
        "after-round": Leave(rounds=at),
    }.get(retreat, Leave())


def leaves_ever(side: Side, at: int) -> bool:
    """May a faction of a side leave the battle at all?"""
    faction, (own, _) = side.factions[at], side.leaving[at]
    if faction.realm.kind == "player":
        return (side.together[0] if own == WITH_SIDE else own) != "never"
    return faction.realm.kind == "npr" and not stays(faction)


def stays(faction: Faction) -> bool:
    """An NPR that never leaves (section 3.2, step 6)."""
    return faction.realm.defends_capital or faction.realm.last_area
