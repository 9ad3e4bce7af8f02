"""Land and naval battles in the plain form, and the columns of their outcomes and decisions.

docs/rules/price_of_power.md sections 3.3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from simulator.engine.model.limits import NoExactOdds
from simulator.engine.model.plain import Following, PlainBattle, PlainState, Roll
from simulator.rules.battle import ATTACKER, DEFENDER, Built, Columns, Joined, Refusal
from simulator.rules.price_of_power import cards, rules, text
from simulator.rules.price_of_power.forces import (
    CATEGORIES,
    DAMAGED,
    SHIPS,
    Faction,
    Side,
    category_of,
    prices,
)
from simulator.rules.price_of_power.model import TYPES, AnyBattle
from simulator.rules.price_of_power.model import listed as realms
from simulator.rules.price_of_power.setup import Setup, starts_of
from simulator.rules.price_of_power.state import DEAD, LOSES, PLAYS, BattleState, Force, Realm, force_of
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.naming import counted, winners
from simulator.rules.toolkit.plain import alike, decisions

HEAVY = SHIPS.index("heavy")


class Fight:
    """A land or naval battle with all its states; `label` names a stage of a campaign."""

    def __init__(self, setup: Setup, label: str = "") -> None:
        self.setup, self.counters = setup, ("rounds",) if setup.options.count_rounds else ()
        self.plain = self._explored(label)
        self.chain = self.plain.chain
        self.decisions = partial(decisions, self.plain, partial(described, setup))

    def _explored(self, label: str) -> PlainBattle:
        """The battle with all its states, shared with others whose `Setup.key` is equal."""
        setup = self.setup
        try:
            return alike(setup.key(), rules.begun(setup), partial(rules.follow, setup), self.counters, label)
        except NoExactOdds as error:
            units, many = " v ".join(str(side.units) for side in setup.sides), str(error).partition(";")[0]
            called = setup.sides[0].fields.called
            raise Refusal("attacker", f"{units} {called} come to {many}; give fewer") from None

    def built(self) -> Built:
        """Everything that answers the battle."""
        return Built(
            chain=self.chain,
            outcome=self.outcome,
            assumptions=lambda: [*text.assumptions(self.setup)],
            explain=lambda: [*text.explain(self.setup)],
            decisions=self.decisions,
            begun=self.begun,
            counting={"options.count_rounds": True},
            starts=starts_of(self.setup),
            joined=self.joined,
        )

    def joined(self, paths: Sequence[str], settings: np.ndarray) -> Joined:
        """The battles with these numbers of units that are lost first, as one chain (`Built.joined`)."""
        w, begun = self.setup, [self._begun(paths, row) for row in settings.tolist()]
        starts = dict.fromkeys(begun, 1)

        def follow(s: Any) -> Following:
            return Roll("the start", starts) if s is None else rules.follow(w, s)

        plain = PlainBattle(None, follow, self.counters)
        places: Any = np.arange(len(plain.chain.params.table))
        place = {s: at for at, (s, _) in enumerate(plain.ends(PlainState(places, 0 * places)))}

        def columns(states: Any, row: Sequence[int]) -> Columns:
            return self._columns(Setup(with_units(w.fields, paths, row)), plain.ends(states))

        return Joined(plain.chain, np.array([[place[s], 0] for s in begun]), columns)

    def _begun(self, paths: Sequence[str], row: Sequence[int]) -> BattleState:
        """The start with these numbers of units, each of which takes one hit."""
        w = self.setup
        sides = [[Realm(faction.numbers) for faction in side.factions] for side in w.sides]
        for path, number in zip(paths, row, strict=True):
            where, name = path.split(".")
            (realm,), at = sides[SIDES.index(where)], category_of(name)
            fewer = getattr(getattr(w.fields, where), name) - number
            left = tuple(n - fewer * (at == category) for category, n in enumerate(realm.left))
            sides[SIDES.index(where)] = [Realm(left)]
        return rules.begun(w, *map(tuple, sides))

    def battles(self, states: Any) -> list[BattleState]:
        """States of the chain (a State of int arrays) as battles."""
        return [battle for battle, _ in self.plain.ends(states)]

    def begun(self, states: Any) -> np.ndarray:
        """The round in or before which a state is, 0 until the events before round 1 are over."""
        ends = self.plain.ends(states)
        return np.array([0 if s.stage < PLAYS or s.charge else 1 + n.get("rounds", s.round) for s, n in ends])

    def outcome(self, final: Any) -> Columns:
        """Columns of final states (a State of int arrays)."""
        return self._columns(self.setup, self.plain.ends(final))

    def _columns(self, setup: Setup, ends: Sequence[tuple[BattleState, Mapping[str, int]]]) -> Columns:
        columns = outcome(setup, [battle for battle, _ in ends])
        return columns | {name: np.array([counts[name] for _, counts in ends]) for name in self.counters}


def with_units(fields: AnyBattle, paths: Sequence[str], row: Sequence[int]) -> AnyBattle:
    """A battle with other numbers of units."""
    for path, number in zip(paths, row, strict=True):
        side, name = path.split(".")
        changed = getattr(fields, side).model_copy(update={name: number})
        fields = fields.model_copy(update={side: changed})
    return fields


def described(w: Setup, s: BattleState) -> dict[str, Any]:
    """A state in which a side decides: the units in place as text, numbers as they are.

    `hits` are those to take now, `enemy_hits` those that the enemy will take, `hand` the cards that the side may still
    play.
    """
    own, enemy = force_of(s, s.side), force_of(s, 1 - s.side)
    found: dict[str, Any] = {
        side.where: counted(w.strength(at, force_of(s, at).realms).types, SHIPS if w.sea else TYPES)
        for at, side in enumerate(w.sides)
    }
    if w.last > 1:
        found["round"] = s.round + 1
    if any(w.picks):
        found["hits"] = own.hits if s.stage == LOSES else len(own.paying)
        found["enemy_hits"] = enemy.hits if s.stage == LOSES else 0
    if any(w.cards):
        found["hand"] = ", ".join(cards.names(w.cards[s.side], own.hand, cards.KEPT))
    return found


def outcome(setup: Setup, ends: Sequence[BattleState]) -> Columns:
    """Columns of final states."""
    defender = setup.sides[1]
    both = [[force_of(s, at) for s in ends] for at in range(2)]
    attacking, defending = (
        np.array([setup.units(at, one) > 0 for one in forces], bool) for at, forces in enumerate(both)
    )
    columns: Columns = {"winner": winners(attacking & ~defending, defending & ~attacking)}
    for side, forces in zip(setup.sides, both, strict=True):
        columns |= side_columns(side, forces) | leader_columns(side, forces)
        columns[f"{side.where}_actions_played"] = np.array([cards.played(one.hand) for one in forces], np.int64)
    if setup.sea:
        taken = np.array([s.captured for s in ends]).reshape(-1, 2)
        for side, code in zip(setup.sides, (ATTACKER, DEFENDER), strict=True):
            for at, name in enumerate(("captured", "captured_heavy")):
                columns[f"{side.where}_{name}"] = np.where(columns["winner"] == code, taken[:, at], 0)
    if getattr(defender.fields, "factions", None):
        left = dict.fromkeys(range(1, len(realms(defender.fields)) + 1), np.zeros(len(ends), int))
        left |= {
            faction.number: units(over(alive, faction, [one.realms[at] for one in both[1]]))
            for at, faction in enumerate(defender.factions)
        }
        columns |= {f"defender_faction_{number}_left": number_left for number, number_left in left.items()}
    return columns


def in_place(faction: Faction, realm: Realm) -> np.ndarray:
    """Units of each category, gone or not: int64, shape (3 categories, columns).

    Columns: infantry, cavalry, artillery; or galleys, light, heavy (damaged included), damaged.
    """
    return _by_rank(faction, faction.by_category(realm.left))


def alive(faction: Faction, realm: Realm) -> np.ndarray:
    """Units alive, in place or retreated; an NPR that left has none. Shape and dtype as in `in_place`."""
    if not realm.gone:
        return in_place(faction, realm)
    player = faction.realm.kind == "player"
    return _by_rank(faction, faction.after_leaving(realm.left)) * player


def _by_rank(faction: Faction, rows: Sequence[tuple[int, ...]]) -> np.ndarray:
    units = np.zeros((len(CATEGORIES), len(SHIPS) if faction.sea else len(TYPES)), np.int64)
    units[faction.ranks] = rows
    if faction.sea:
        units[:, HEAVY] += units[:, DAMAGED]
    return units


def over(count: Callable[[Faction, Realm], np.ndarray], faction: Faction, ends: Sequence[Realm]) -> np.ndarray:
    """`count` for a realm at each end; each different realm is counted once."""
    number: dict[Realm, int] = {}
    which = [number.setdefault(realm, len(number)) for realm in ends]
    return np.array([count(faction, realm) for realm in number])[which]


def ducats(faction: Faction, left: np.ndarray) -> np.ndarray:
    """The price of the units that a player realm has lost (section 3.6): int64, shape (states,); `left` as `alive`."""
    if faction.realm.kind != "player":
        return np.zeros(len(left), np.int64)
    start = in_place(faction, Realm(faction.numbers))
    return np.asarray(((start - left) * prices()["sea" if faction.sea else "land"]).sum(axis=(1, 2)))


def units(left: np.ndarray) -> np.ndarray:
    """Units or ships in all: int64, shape (states,)."""
    return np.asarray(left[:, :, :3].sum(axis=(1, 2)))


def side_columns(side: Side, ends: Sequence[Force]) -> Columns:
    """Columns of survivors by type and category, losses, withdrawn, retreated, and the wounds of the leader.

    Columns: int64, or bool for yes/no; shape (states,).
    """
    where, held = side.where, [(one, [end.realms[at] for end in ends]) for at, one in enumerate(side.factions)]
    each = [over(alive, *one) for one in held]
    left, cost = np.sum(each, axis=0), np.sum([*map(ducats, side.factions, each)], axis=0)
    wounds = np.array([end.wounds for end in ends], np.int64)
    npr = [units(over(withdrawn, *one)) for one in held if one[0].realm.kind != "player"]
    away, killed = sum(npr, np.zeros(len(ends), int)), wounds == DEAD
    columns: Columns = {f"{where}_{side.fields.called}_left": units(left)}
    kinds = enumerate(SHIPS if side.sea else TYPES)
    columns |= {f"{where}_{kind}_left": left[:, :, at].sum(axis=1) for at, kind in kinds}
    if not side.sea:
        columns |= {f"{where}_{rank}_left": left[:, at].sum(axis=1) for at, rank in enumerate(CATEGORIES)}
    columns |= {
        f"{where}_losses": side.units - units(left) - away,
        f"{where}_ducats_lost": cost,
        f"{where}_withdrawn": away,
        f"{where}_retreated": np.array([any(realm.gone for realm in end.realms) for end in ends], bool),
        f"{where}_leader_wounds": wounds,
        f"{where}_leader_killed": killed,
    }
    if side.sea:
        return columns
    rulers = np.array([False, *(general.ruler for general in side.leaders)])
    return columns | {f"{where}_ruler_killed": killed & rulers[leaders(side, ends)]}


def withdrawn(faction: Faction, realm: Realm) -> np.ndarray:
    """The units of an NPR that has left. Shape and dtype as in `in_place`."""
    return in_place(faction, realm) * realm.gone


def leaders(side: Side, ends: Sequence[Force]) -> np.ndarray:
    """The leader at each end, 0 for nobody: int64, shape (states,); of a drawn one always 0."""
    known = max(side.drawn) * (len(side.drawn) == 1)
    return np.array([end.leader if side.appoints else known for end in ends], np.int64)


def leader_columns(side: Side, ends: Sequence[Force]) -> Columns:
    """The column of the price of the leader appointed (section 3.7), if there was a choice."""
    power = np.zeros(len(side.leaders) + 1, np.int64)
    for card, one in zip(side.cards, side.candidates, strict=True):
        power[card] = 0 if isinstance(one, str) else one.power
    return {f"{side.where}_leader_power": power[leaders(side, ends)]} if side.candidates else {}
