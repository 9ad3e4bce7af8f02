"""The chain of a battle: chance tables and Params from the forces; one chain for battles of different counts.

A condition is the full state of a side (`conditions`), so a smaller stack starts in a condition of the catalogue of the
largest one, which is extended by the conditions of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.engine.model.chance import NO_TABLE, TableBook, combine, die
from simulator.engine.model.interpreted import plain_params
from simulator.engine.model.kept import Kept, Recent
from simulator.rules.battle import Columns, Joined, Refusal, States
from simulator.rules.kings_and_things import rules
from simulator.rules.kings_and_things.conditions import BEST, LOST, SAVED, Held
from simulator.rules.kings_and_things.creatures import parse
from simulator.rules.kings_and_things.forces import Catalogue, Forces
from simulator.rules.kings_and_things.losses import falls
from simulator.rules.kings_and_things.model import FORTS, CreatureTable, Exploration
from simulator.rules.kings_and_things.outcome import columns
from simulator.rules.kings_and_things.rules import DIGIT_BITS, STEPS, Params, State
from simulator.rules.kings_and_things.sides import Band, Role, takes, unexplored
from simulator.rules.toolkit.retreat import Leave, outnumbered, reads_rounds
from simulator.rules.toolkit.weights import digits, distinct, hits, sum_of_all

PLAIN, NEAR_MISS, BARE_HIT = range(3)
TARGETS = ("attacker", "defender", "second-attacker", "third-attacker", "strongest", "weakest")
POST_BATTLE = ("none", "damaged", "all")
MOST_ROUNDS = (1 << 20) - 1
COUNT = re.compile(r"(\w+)\.creatures\[(\d+)\]\.count$")


@lru_cache(maxsize=4096)
def throw(dice: tuple[int, ...], aimed: int, charm: int) -> Mapping[int, int]:
    """Ways to roll `dice[value]` dice of each value and an aimed die (0: none), out of 6 to the number of dice.

    Results are 4 x hits + 2 x aimed hit + 1 if the charm turned a die. The charm turns a miss by one into a hit
    (NEAR_MISS), or an exact hit into a miss (BARE_HIT); ordinary dice come before the aimed one.
    """
    whole = sum_of_all(hits(number, value, 6) for value, number in enumerate(dice) if number)
    still, turn = whole, 1 if charm == NEAR_MISS else -1
    if charm != PLAIN:
        # None of the dice shows the face that the charm could turn.
        faces = [(number, value, turning(value, charm)) for value, number in enumerate(dice) if number]
        still = sum_of_all(hits(number, value - (value == face), 6 - bool(face)) for number, value, face in faces)
    turned = {4 * (number + turn) + 1: ways - still[number] for number, ways in whole.items()}
    ordinary = Counter({4 * number: ways for number, ways in still.items()}) + Counter(turned)

    def both(result: int, face: int) -> int:
        turns = face == turning(aimed, charm) and not result & 1
        return result + 2 * ((face <= aimed) != turns) + turns

    return combine(ordinary, die(6), both) if aimed else ordinary


def turning(value: int, charm: int) -> int:
    """The face of a die with this target number that the charm turns, 0 for none."""
    face = value + (charm == NEAR_MISS)
    return 0 if charm == PLAIN or face > 6 else face


def throws(one: Catalogue, charm: np.ndarray, book: TableBook) -> np.ndarray:
    """Tables of the dice by condition and step, NO_TABLE without dice: int64, shape (conditions x steps,).

    `charm`: PLAIN, NEAR_MISS or BARE_HIT by condition, int64, shape (conditions,).
    """
    dice = np.concatenate([one.dice[:, :, 1:], one.aimed[:, :, None]], axis=2)
    charmed = np.where(dice.any(axis=2), charm[:, None], PLAIN)
    rows, which = distinct(np.concatenate([dice, charmed[:, :, None]], axis=2).reshape(len(one) * STEPS, -1))
    thrown = [throw((0, *row[:-2]), *row[-2:]) if any(row[:-1]) else None for row in rows.tolist()]
    return np.array([book.add(weights) if weights else NO_TABLE for weights in thrown], np.int64)[which]


def leave_of(band: Band) -> Leave:
    """The fixed retreat policy of a side; `never` also for `best`."""
    policy = band.policy
    policies = {
        "after-rounds": Leave(rounds=policy.retreat_after),
        "below-creatures": Leave(below=policy.retreat_below),
        "when-outgunned": outnumbered(Fraction(str(policy.retreat_ratio)).limit_denominator(10**6)),
    }
    return policies.get(policy.retreat, Leave()) if band.leaves else Leave()


def _about(forces: Forces, book: TableBook, fate_at: np.ndarray, fallen: np.ndarray) -> np.ndarray:
    """`Params.about`: a row of numbers for each condition of all sides (int32, columns as in `rules`)."""
    each, save = forces.each, book.add({LOST: 2, SAVED: 4})
    waits = np.array([NO_TABLE, save, save, book.add(die(6))])  # by what a condition waits for
    # A citadel never rolls after the battle, other forts if they are damaged, or all.
    fort, all_roll = FORTS.index(forces.bands[1].fort), forces.scenario.options.post_battle_rolls == "all"
    rolls = 0 < fort < FORTS.index("citadel")

    def charmed(one: Catalogue, how: str) -> np.ndarray:
        """The side has a charm that works like this, by condition."""
        return np.logical_and(one.column("items") & Held.CHARM > 0, one.army.band.policy.lucky_charm == how)

    thrown = each(lambda one: throws(one, np.where(charmed(one, "own-miss"), NEAR_MISS, PLAIN), book))
    spoils = each(lambda one: charmed(one, "enemy-hit"))
    numbers = {
        rules.ARMED: forces.led("armed"),
        rules.AIMED: forces.led("aimed"),
        rules.GONE: forces.led("gone"),
        rules.CHARMLESS: forces.led("charmless"),
        rules.AT_END: forces.led("ended"),
        rules.WAITS: each(lambda one: waits[one.column("die")]),
        rules.FATE_AT: fate_at,
        rules.GOLEM: each(lambda one: one.counted(Role.GOLEM)),
        rules.DUST: each(lambda one: one.column("items") & Held.DUST),
        rules.STANDS: each(lambda one: np.asarray(one.left.any(axis=1))),
        rules.ABLE: each(lambda one: np.asarray(one.dice.any(axis=(1, 2)) | one.aimed.any(axis=1))),
        rules.SPOILS: spoils,
        rules.PEOPLE: each(lambda one: one.counted(Role.PEOPLE)),
        rules.FIRE: each(lambda one: one.fire),
        rules.ROOM: each(lambda one: one.room),
        rules.FORT_ROLLS: each(lambda one: rolls & (all_roll | (one.counted(Role.FORT) < fort))),
        rules.SETTLEMENT: each(lambda one: one.counted(Role.SETTLEMENT)),
        rules.AFTERWARDS: forces.led("after"),
        rules.THROW: thrown,
        rules.SPOILED: each(lambda one: throws(one, np.full(len(one), BARE_HIT), book)) if spoils.any() else thrown,
        rules.FALLS: fallen,
    }
    rows = [column.reshape(len(fate_at), -1) for _, column in sorted(numbers.items())]
    return np.concatenate(rows, axis=1, dtype=np.int32, casting="unsafe")


def _fates(forces: Forces) -> tuple[np.ndarray, list[int]]:
    """`Params.fates`: the first place of each condition that waits for a die, and the conditions after each result."""
    at, after_die = np.zeros(forces.base[-1], np.int64), [0]
    for first, one in zip(forces.base, forces.catalogues, strict=False):
        for number, fates in one.fates.items():
            at[first + number] = len(after_die)
            after_die += [first + fates.get(result, number) for result in range(max(fates) + 1)]
    return at, after_die


class Numbers(NamedTuple):
    """The numbers of all conditions, with their chance tables: fields of `Params`.

    `kept`: what was found of the battle since, which is the same for other chances of the starts.
    """

    about: np.ndarray
    fates: list[int]
    ways: np.ndarray
    book: TableBook
    kept: Kept


# The last explorations: most fields of one change at most the chances of the draw.
_known: Recent[Numbers] = Recent(1 << 28, lambda numbers: 3 * numbers.about.nbytes)


def numbers_of(forces: Forces) -> Numbers:
    """The numbers of all conditions; explorations that differ in nothing but the chances of the draw share them."""
    keys = [one.key() if isinstance(forces.scenario, Exploration) else None for one in forces.catalogues]
    key = *keys, forces.starts.tobytes()
    if None not in keys and (known := _known.get(key)):
        return known
    (fate_at, fates), (fallen, ways), book = _fates(forces), falls(forces), TableBook()
    numbers = Numbers(_about(forces, book, fate_at, fallen), fates, ways, book, Kept())
    return numbers if None in keys else _known.keep(key, numbers)


def params_of(forces: Forces, numbers: Numbers, book: TableBook) -> Params:
    """The parameters of a battle; its chance tables go to `book`, which has those of the `numbers`."""
    scenario, bands, starts = forces.scenario, forces.bands, forces.starts
    policies, about, several = [leave_of(band) for band in bands], numbers.about, len(starts) > 1
    # Marks of the round or dice change some condition, beside hits and retreats.
    led = about[:, [rules.ARMED, rules.AT_END, *range(rules.AFTERWARDS, rules.THROW)]] != np.arange(len(about))[:, None]
    draw, draw_at = digits(forces.chances, DIGIT_BITS, book) if several else ([0], [0])
    arrays = {
        "leave": policies,
        "asked": [band.leaves * (1 + (band.policy.retreat == BEST)) for band in bands],
        "target": [TARGETS.index(band.target) for band in bands],
        "fates": numbers.fates,
        "ways": numbers.ways,
        "draw": draw,
        "draw_at": draw_at,
        "start_note": starts[:, 0],
        "start0": starts[:, 1],
        "start1": starts[:, 2],
        "printed": np.array([note.printed for note in forces.notes])[starts[:, 0]],
        # Two of six faces, 1 and 6: a fort (1) drops a level, settlement (2) and income counter (4) are destroyed.
        "after_tables": [
            book.add(sum_of_all({0: 4, bit: 2} for bit in (1, 2, 4) if rolled & bit)) for rolled in range(8)
        ],
    }
    return Params(
        sides=len(bands),
        marked=len(bands) if led.any() or about[:, rules.WAITS].any() or len(numbers.ways) > 1 else 0,
        unexplored=int(unexplored(scenario)),
        clock=max([0, *(policy.rounds for policy in policies if reads_rounds(policy))]),
        width=(about.shape[1] - rules.FALLS) // (2 * STEPS),
        digits=len(draw_at) if several else 0,
        post_battle=POST_BATTLE.index(scenario.options.post_battle_rolls),
        income=int(getattr(bands[1].fields, "income_counter", False)),
        row=about.shape[1],
        about=about.reshape(-1),
        **{name: np.array(numbers, np.int64).reshape(-1) for name, numbers in arrays.items()},
    )


def at_least(chain: Chain) -> tuple[int, int]:
    """Lower bounds of the states and transitions of an exploration without retreats and items; else (0, 0).

    It counts running states at a step in which a side rolls. Where both sides may miss in every step,
    and one side may score a single hit, that side takes the other down hit by hit and stays unchanged.
    """
    params, tables = chain.params, chain.tables
    about = params.about.reshape(-1, params.row)
    size, throw, explorer = np.diff(tables.first), about[:, rules.THROW : rules.SPOILED], params.start0[0]
    falls, itself = about[:, rules.FALLS :: 2].reshape(len(about), STEPS, -1), np.arange(len(about))[:, None]
    items = about[:, [rules.WAITS, rules.GOLEM, rules.DUST, rules.SPOILS]]
    led: tuple[np.ndarray, ...] = (
        about[:, rules.ARMED] != itself[:, 0],
        about[:, rules.AFTERWARDS : rules.THROW] != itself,
        falls != falls[:, :1],
    )
    row = np.repeat(np.arange(len(size)), size)
    misses, hits_once = (np.isin(throw, row[tables.result == result]) for result in (0, 4))
    can_miss, can_hit_once = misses.all(axis=1) & (about[:, rules.STANDS] > 0), np.asarray(hits_once.any(axis=1))
    matter = (items, params.asked, params.ways, params.start0 != explorer, *led)
    if any(array.any() for array in matter) or not (can_miss & can_hit_once)[explorer]:
        return 0, 0
    after_hit, states, transitions = falls[:, -1, min(1, params.width - 1)].astype(np.int64), 0, 0
    defenders = _reduced_by_hits(params.start1, params.start_note, after_hit, can_miss)
    attackers = _reduced_by_hits(params.start0[:1], params.start_note[:1], after_hit, can_miss)
    for attacker in attackers:
        facing = defenders if attacker == explorer else defenders[can_hit_once[defenders]]
        thrown = (throw[facing] != NO_TABLE) | (throw[attacker] != NO_TABLE)
        states += int(thrown.sum())
        transitions += int((size[throw[facing]] * size[throw[attacker]])[thrown].sum())
    # Each defender may also be left alone at the end.
    wiped_out = bool((about[after_hit[attackers], rules.STANDS] == 0).any())
    return states + wiped_out * int(can_hit_once[defenders].sum()), transitions


def _reduced_by_hits(start: np.ndarray, note: np.ndarray, after_hit: np.ndarray, can_miss: np.ndarray) -> np.ndarray:
    """Conditions after 0, 1, ... single hits while the side can miss in all of them, each once for every note."""
    codes, now = [np.empty(0, np.int64)], start
    while (going := can_miss[now]).any():
        now, note = now[going], note[going]
        codes.append(note * len(after_hit) + now)
        going = after_hit[now] != now
        now, note = after_hit[now[going]], note[going]
    return np.unique(np.concatenate(codes)) % len(after_hit)


def begun(params: Params, conditions: Sequence[int], phase: int = rules.OPENING) -> State:
    """The start state of a battle without a draw, from the conditions of its sides."""
    sides = {f"side{i}": number for i, number in enumerate(conditions)}
    return State(*map(int, rules.onward(params, State(phase=phase, drawn=params.printed[0], **sides))))


def chain_of(forces: Forces, numbers: Numbers) -> Chain:
    """The chain of a battle; `numbers` are those of its forces."""
    book = numbers.book.copy()
    params = params_of(forces, numbers, book)
    phase = rules.ENDED if forces.driven_off else rules.OPENING
    start = State(phase=rules.DRAW) if params.digits else begun(params, forces.starts[0, 1:].tolist(), phase)
    tables, last = book.close(), forces.base[-1] - 1
    most = 2 * int(params.about[rules.ROOM :: params.row].max()) + 3
    limits = State(
        rounds=MOST_ROUNDS,
        clock=params.clock,
        phase=rules.OVER,
        step=STEPS - 1,
        turn=4,
        drawn=max(len(forces.starts), *(note.printed for note in forces.notes)),
        note=len(forces.notes),
        targets=255,
        after=rules.STALEMATE,
        **{f"side{i}": last for i in range(params.sides)},
        **{f"hits{i}": most for i in range(params.sides)},
    )
    chain = Chain(params, start, limits, tables, counters=("rounds",), may_be_over=True)
    return replace(chain, at_least=numbers.kept.of(at_least, chain)) if params.digits else chain


def starts_of(forces: Forces) -> list[str]:
    """Scenario paths of the counts of creatures (given as tables) that change the start state alone.

    Counts are left out where a Warlord takes the strongest, a Balloon takes passengers, or a counter may hold an item.
    """
    if isinstance(forces.scenario, Exploration) or forces.driven_off or any(map(takes, forces.bands)):
        return []
    return [
        f"{band.name}.creatures[{i}].count"
        for band in forces.bands
        if BEST not in (band.policy.retreat, band.policy.losses)
        and not band.items & {"balloon", "magic-sword", "magic-bow"}
        for i, entry in enumerate(band.fields.creatures)
        if isinstance(entry, CreatureTable)
    ]


def joined(forces: Forces, paths: Sequence[str], settings: np.ndarray) -> Joined | None:
    """One chain for battles with these counts, none above those of `forces`; None for too many conditions.

    `settings`: the counts, int64, shape (scenarios, paths).
    """
    catalogues = []
    for i, one in enumerate(forces.catalogues):
        start = one.conditions[one.starts[0]]
        left = np.array(start.left) - _fewer(forces, i, paths, settings)
        starts = [start, *(start._replace(left=tuple(row)) for row in left.tolist())]
        try:
            catalogues.append(Catalogue(one.army, starts, one.aimed_at, one.leaves))
        except Refusal:
            return None
    base = np.cumsum([0, *map(len, catalogues)]).tolist()
    meetings = np.stack([np.add(one.starts, first) for one, first in zip(catalogues, base, strict=False)], axis=1)
    whole = replace(forces, catalogues=catalogues, base=base, starts=np.insert(meetings[:1], 0, 0, axis=1))
    chain, (different, which), note = chain_of(whole, numbers_of(whole)), distinct(meetings[1:]), forces.notes[0]
    params = plain_params(chain.params)
    states = np.array([begun(params, sides) for sides in different.tolist()], np.int64)

    def outcome(states: States, at: Sequence[int]) -> Columns:
        lacking = (_fewer(forces, i, paths, np.array([at])).sum() for i in range(len(forces.bands)))
        people = tuple(int(number - less) for number, less in zip(note.people, lacking, strict=True))
        return columns(replace(whole, notes=[note._replace(people=people)]), states)

    return Joined(chain, states[which], outcome)


def _fewer(forces: Forces, i: int, paths: Sequence[str], settings: np.ndarray) -> np.ndarray:
    """Counters missing from each slot, compared with `forces`: int64, shape (settings, slots)."""
    band, army = forces.bands[i], forces.catalogues[i].army
    missing = np.zeros((len(settings), len(army.slots)), np.int64)
    for path, counts in zip(paths, settings.T, strict=True):
        name, entry = COUNT.fullmatch(path).groups()  # type: ignore[union-attr]
        if name == band.name:
            given = band.fields.creatures[: int(entry) + 1]
            slot = band.counters[len(parse(given, path)) - 1]
            missing[:, army.place(slot)] += given[-1].count - counts  # type: ignore[union-attr]
    return missing
