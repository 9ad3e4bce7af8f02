"""Folding a battle: when it may be, and the arrays of `folded.Params` from the line-ups of a muster."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simulator.engine.chain import Chain
from simulator.rules.kings_and_things import folded
from simulator.rules.kings_and_things import state as st
from simulator.rules.kings_and_things.board import Lineup, Muster, after_tables, firewall_of, packed, policy_row
from simulator.rules.kings_and_things.flow import USUAL, leaves, rolls_of
from simulator.rules.kings_and_things.muster import Band
from simulator.rules.kings_and_things.throws import PLAIN, Book, throw

# Items that make more than the loss order matter; the others are settled before round 1 or at the end of a round.
TELLING_ITEMS = {"talisman", "magic-bow", "magic-sword", "golem", "balloon", "lucky-charm"}
# Joint throws spare half of the rolls, while their tables still fit the processor's cache.
MOST_JOINT_TABLES = 4096
MOST_JOINT_RESULTS = 150


def applies(muster: Muster) -> bool:
    """May this battle be folded: two sides, fixed loss orders, nothing that matters beyond them?"""
    sides, defender = muster.sides, muster.sides[1]
    if len(sides) > 2 or (muster.opening != USUAL).any() or firewall_of(sides) >= 0:
        return False
    if defender.policy.retreat != "never" and {"fort", "settlement"} & set(defender.levels):
        return False  # the structures fight on alone
    return len(muster.lineups[0].role) == 1 and not any(_matters(band) for band in sides)


def _matters(band: Band) -> bool:
    roles = {role for slot in band.counters for role in (st.SWORD_MASTER, st.AIMED) if slot.role & role}
    return bool(roles) or bool(TELLING_ITEMS & band.items) or band.policy.losses == "keep-next-step-fighters"


class Places(NamedTuple):
    """What is left of each line-up after 0, 1, 2 ... hits: arrays by place.

    `left` counts counters, or levels of a structure, by slot; `lineup` and `last` are the place's line-up and the
    place where nothing of it is left; `first` is the first place of each line-up.
    """

    left: np.ndarray
    lineup: np.ndarray
    first: np.ndarray
    last: np.ndarray


def levels_of(lineup: Lineup) -> np.ndarray:
    """Hits that each slot takes: levels of structures, numbers of counters: array (line-ups, slots)."""
    found = (lineup.alive[:, None] >> lineup.shift) & lineup.mask
    for bit, place in ((st.FORT, st.FORT_AT), (st.SETTLEMENT, st.SETTLEMENT_AT), (st.FIREWALL, st.FIREWALL_AT)):
        found = np.where(lineup.role & bit > 0, st.get(lineup.gear, place)[:, None], found)
    return found


def places_of(lineup: Lineup, brittle: bool) -> Places:
    """All places of a side."""
    level = levels_of(lineup)
    room = np.where((lineup.role & st.FIREWALL > 0) & brittle, np.minimum(level, 1), level)
    before = np.cumsum(room, axis=1) - room
    total = room.sum(axis=1)
    first = np.concatenate([[0], np.cumsum(total + 1)])
    owner = np.repeat(np.arange(len(total)), total + 1)
    hits = np.arange(first[-1]) - first[owner]
    left = np.clip((before + room)[owner] - hits[:, None], 0, room[owner])
    left = np.where((left > 0) & (room[owner] < level[owner]), level[owner], left)
    return Places(left, owner, first[:-1], (first[1:] - 1)[owner])


class Strength(NamedTuple):
    """What a side can do at each place: `dice` (places, steps, values 0-7), people, fire, and whether it can fight."""

    dice: np.ndarray
    people: np.ndarray
    fire: np.ndarray
    able: np.ndarray


def strength_of(lineup: Lineup, places: Places, cloud: int) -> Strength:
    """Dice x effective value of everything left."""
    rows, size = places.lineup, len(places.lineup)
    dice = np.zeros((size, 3, 8), np.int64)
    people, fire = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for n in range(lineup.role.shape[1]):
        left, role = places.left[:, n], lineup.role[rows, n]
        wall = role & st.STRUCTURE > 0
        value = np.maximum(0, np.where(wall, left, lineup.value[rows, n]) - cloud)
        number = np.where(wall, left > 0, left) * lineup.dice[rows, n]
        dice[np.arange(size), lineup.home[rows, n], value] += number
        people += np.where(role & st.PEOPLE, left, 0)
        fire += number * np.minimum(6, value)
    return Strength(dice, people, fire, (dice[:, :, 1:] > 0).any(axis=(1, 2)))


def throws_of(strength: Strength, book: Book) -> np.ndarray:
    """Tables of the throw at each place and step, equal throws sharing one; 0 = no dice: array 3 x place + step."""
    dice = strength.dice[:, :, 1:].reshape(-1, 7)
    # One number a throw: finding equal rows with np.unique(axis=0) took ten times as long.
    code = dice @ (int(dice.max()) + 1) ** np.arange(7)
    _, sample, which = np.unique(code, return_index=True, return_inverse=True)
    tables = [_plain_throw(tuple(int(n) for n in dice[row]), book) for row in sample]
    return np.array(tables, np.int32)[which]


def _plain_throw(dice: tuple[int, ...], book: Book) -> int:
    if not any(dice):
        return 0
    results, chances = throw(dice, PLAIN)
    return book.add((results >> 1, chances))


def joint_throws(first: np.ndarray, second: np.ndarray, ends: tuple[np.ndarray, np.ndarray], book: Book) -> int:
    """First of the tables of both sides' throws at once, or 0 if they are too many or too large."""
    width, height = len(first) // 3, len(second) // 3
    largest = max(len(row[0]) for row in book.rows) ** 2
    if (
        3 * width * height > MOST_JOINT_TABLES
        or largest > MOST_JOINT_RESULTS
        or max(width, height) >> folded.JOINT_BITS
    ):
        return 0
    rows = []
    for step in range(3):
        for a in range(width):
            on_attacker = int(ends[0][a]) - a
            for d in range(height):
                mine = _useful(book.rows[first[3 * a + step]], int(ends[1][d]) - d)
                theirs = _useful(book.rows[second[3 * d + step]], on_attacker)
                results = (mine[0][:, None] << folded.JOINT_BITS) | theirs[0][None, :]
                rows.append((results.ravel(), np.outer(mine[1], theirs[1]).ravel()))
    return book.add(*rows)


def _useful(row: tuple[np.ndarray, np.ndarray], most: int) -> tuple[np.ndarray, np.ndarray]:
    """A throw with all hits beyond `most` as `most`."""
    results, chances = row
    if results[-1] <= most:
        return row
    keep = results < most
    return np.append(results[keep], most), np.append(chances[keep], chances[~keep].sum())


def fold(muster: Muster, p: st.Params) -> Chain:
    """The folded chain of a battle; `p` are its general params (without tables)."""
    book = Book()
    brittle = muster.scenario.options.firewall_hits == "one"
    places = [places_of(lineup, brittle) for lineup in muster.lineups]
    strengths = [
        strength_of(lineup, place, band.cloud)
        for lineup, place, band in zip(muster.lineups, places, muster.sides, strict=True)
    ]
    rolls = [throws_of(strength, book) for strength in strengths]
    ends = (places[0].last, places[1].last)
    joint = 0 if muster.draw else joint_throws(rolls[0], rolls[1], ends, book)
    rolls_after = (np.zeros(len(ends[0]), int), _rolls_after(p, muster, places[1]))
    arrays = {
        side: np.column_stack([rolls[n].reshape(-1, 3), ends[n], *strengths[n][1:], rolls_after[n]])
        for n, side in enumerate(("attacker", "defender"))
    }
    arrays["side"] = np.concatenate([policy_row(band, muster.scenario) for band in muster.sides])
    arrays["first"] = places[1].first[muster.which[1]]
    arrays["draw"] = np.array([book.add(*tables) for tables in muster.draw])
    params = folded.Params(
        digits=len(muster.draw),
        ticks=0,
        joint=joint,
        width=len(ends[0]),
        height=len(ends[1]),
        dust=int(p.dust and muster.sides[0].fields.retreat_hex),
        unexplored=p.unexplored,
        after_table=book.add(*after_tables()),
        **packed(arrays),
    )
    limits = folded.State(
        rounds=(1 << 20) - 1,
        phase=folded.OVER,
        step=3,
        attacker=len(ends[0]),
        defender=max(len(ends[1]), (1 << (st.DIGIT_BITS * len(muster.draw))) - 1),
        hits=len(ends[0]) + len(ends[1]) if not joint else 0,
        fled=2,
        after=15,
    )
    return Chain(params, _start(params, muster), limits, book.close())


def _start(params: folded.Params, muster: Muster) -> folded.State:
    if muster.draw:
        return folded.State(0, folded.DRAW, 0, 0, 0, 0, 0, 0)
    if folded.of_attacker(params, 0, folded.LAST) == 0 or folded.of_defender(params, 0, folded.LAST) == 0:
        start = folded.ended(params, 0, 0, 0, 0)
    else:
        start = folded.new_round(params, 0, 0, 0)
    return folded.State(*(int(value) for value in start))


def _rolls_after(p: st.Params, muster: Muster, places: Places) -> np.ndarray:
    """What rolls after the battle at each place of the defender."""
    lineup = muster.lineups[1]
    role = lineup.role[places.lineup]
    fort = np.where(role & st.FORT, places.left, 0).sum(axis=1)
    settlement = np.where(role & st.SETTLEMENT, places.left, 0).sum(axis=1)
    printed = muster.settlement[places.lineup]
    found, which = np.unique(np.stack([fort, printed, settlement]), axis=1, return_inverse=True)
    rolls = [rolls_of(p.post_battle, p.fort, f, village, now, p.income) for f, village, now in found.T]
    return np.array(rolls, np.int32)[which.reshape(-1)]


def unfolded(muster: Muster, p: st.Params, states: Any) -> st.State:
    """Final folded states as states of the general rules, so that their outputs are the same."""
    size = len(states.rounds)
    fields = {name: np.zeros(size, np.int64) for name in st.State._fields}
    fields["rounds"], fields["after"] = np.asarray(states.rounds), np.asarray(states.after)
    brittle = muster.scenario.options.firewall_hits == "one"
    for side, place in ((0, states.attacker), (1, states.defender)):
        lineup = muster.lineups[side]
        places = places_of(lineup, brittle)
        left, rows = places.left[place], places.lineup[place]
        walls = (lineup.role[rows] & st.STRUCTURE) > 0
        fields[f"alive{side}"] = (np.where(walls, 0, left).astype(np.int64) << lineup.shift[rows]).sum(axis=1)
        for bit, where in ((st.FORT, st.FORT_AT), (st.SETTLEMENT, st.SETTLEMENT_AT), (st.FIREWALL, st.FIREWALL_AT)):
            fields[f"gear{side}"] += np.where(lineup.role[rows] & bit, left, 0).sum(axis=1) << where[0]
        if side == 1:
            fields["lineup"] = rows.astype(np.int64)
    return _departed(p, st.State(**fields), np.asarray(states.fled))


def _departed(p: st.Params, states: st.State, fled: np.ndarray) -> st.State:
    """The states with those who fled gone; the rule is asked once for each different state."""
    fields = states._asdict()
    for side in (0, 1):
        gone = np.flatnonzero(fled == 1 + side)
        if not len(gone):
            continue
        alive, gear = fields[f"alive{side}"], fields[f"gear{side}"]
        lineup = fields["lineup"][gone] if side == 1 else np.zeros(len(gone), np.int64)
        distinct, which = np.unique(np.stack([alive[gone], gear[gone], lineup]), axis=1, return_inverse=True)
        blank = st.State(*[0] * len(st.State._fields))
        after = [
            leaves(p, st.with_side(blank._replace(lineup=int(row)), side, int(left), int(held), 0), side)
            for left, held, row in distinct.T
        ]
        for name, read in ((f"alive{side}", st.alive_of), (f"gear{side}", st.gear_of)):
            fields[name] = fields[name].copy()
            fields[name][gone] = np.array([int(read(state, side)) for state in after])[which.reshape(-1)]
    return st.State(**fields)
