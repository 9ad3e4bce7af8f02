"""From the forces of a battle to the numbers that the rules run on: chance tables and Params."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from simulator.engine.chain import Chain
from simulator.engine.chance import TableBook, Tables, combine, die
from simulator.rules.kings_and_things import rules
from simulator.rules.kings_and_things.catalogue import STEPS, Catalogue
from simulator.rules.kings_and_things.conditions import FIREWALL_DIE, LOST, SAVED, Held
from simulator.rules.kings_and_things.forces import Forces
from simulator.rules.kings_and_things.model import FORTS
from simulator.rules.kings_and_things.rules import DIGIT_BITS, Params, State
from simulator.rules.kings_and_things.sides import Band, Role, unexplored
from simulator.rules.toolkit.retreat import Leave, after, below, never, outnumbered, reads_rounds
from simulator.rules.toolkit.weights import digits, hits, sum_of_all

PLAIN, NEAR_MISS, BARE_HIT = range(3)
TARGETS = ("attacker", "defender", "second-attacker", "third-attacker", "strongest", "weakest")
POST_BATTLE = ("none", "damaged", "all")
# What `rules` has side by side of a condition, but for where hits lead it.
COLUMNS = (
    *("armed", "aimed", "gone", "charmless", "ended", "waits", "fate_at", "golem", "dust", "stands", "able", "spoils"),
    *("people", "fire", "room", "fort_rolls", "settlement", "after", "throw", "spoiled"),
)
MOST_ROUNDS = (1 << 20) - 1
SIDES = 4


@lru_cache(maxsize=4096)
def throw(dice: tuple[int, ...], aimed: int, charm: int) -> Mapping[int, int]:
    """Ways to throw `dice[value]` dice of each value and an aimed die (0 = none), out of 6 to the number of dice.

    Results 4 x hits + 2 x aimed hit + 1 if the charm turned a die: one that misses by one hits (NEAR_MISS), or one that
    shows just its value misses (BARE_HIT); ordinary dice before the aimed one.
    """
    whole = sum_of_all(hits(number, value, 6) for value, number in enumerate(dice) if number)
    still, turn = whole, 1 if charm == NEAR_MISS else -1
    if charm != PLAIN:
        still = sum_of_all(_unturned(value, number, charm) for value, number in enumerate(dice) if number)
    turned = {4 * (number + turn) + 1: ways - still[number] for number, ways in whole.items()}
    ordinary = Counter({4 * number: ways for number, ways in still.items()}) + Counter(turned)
    return _with_aimed(ordinary, aimed, charm) if aimed else ordinary


def _unturned(value: int, number: int, charm: int) -> Counter[int]:
    """Hits of equal dice none of which the charm could turn."""
    if charm == NEAR_MISS and value < 6:
        return hits(number, value, 5)
    return hits(number, value - 1, 5) if charm == BARE_HIT and value <= 6 else hits(number, value, 6)


def _with_aimed(ordinary: Counter[int], value: int, charm: int) -> Counter[int]:
    def both(result: int, face: int) -> int:
        turned = face == {NEAR_MISS: value + 1, BARE_HIT: value}.get(charm) and not result & 1
        return result + 2 * ((face <= value) != turned) + turned

    return combine(ordinary, die(6), both)


def throws(one: Catalogue, charm: np.ndarray, book: TableBook) -> np.ndarray:
    """Tables of the dice of each condition in each step (0 = no dice); `charm` is what may turn one, by condition."""
    dice = np.concatenate([one.dice[:, :, 1:], one.aimed[:, :, None]], axis=2)
    charmed = np.where(dice.any(axis=2), charm[:, None], PLAIN)
    rows = np.concatenate([dice, charmed[:, :, None]], axis=2).reshape(len(one) * STEPS, -1)
    # One number a throw: finding equal rows with np.unique(axis=0) takes ten times as long.
    code = rows @ np.cumprod([1, *(rows.max(axis=0, initial=0) + 1)])[:-1]
    _, sample, which = np.unique(code, return_index=True, return_inverse=True)
    thrown = [throw((0, *row[:-2]), *row[-2:]) if any(row[:-1]) else None for row in rows[sample].tolist()]
    return np.array([book.add(weights) if weights else 0 for weights in thrown], np.int64)[which]


def leave_of(band: Band) -> Leave:
    """A side's retreat policy; one that is sought is none of these."""
    policy = band.policy
    known = {
        "after-rounds": after(policy.retreat_after),
        "below-creatures": below(policy.retreat_below),
        "when-outgunned": outnumbered(Fraction(str(policy.retreat_ratio)).limit_denominator(10**6)),
    }
    return known.get(policy.retreat, never()) if band.leaves else never()


def fort_rolls(forces: Forces, one: Catalogue) -> np.ndarray:
    """Does the fort roll after the battle? A citadel never does."""
    printed, when = FORTS.index(forces.bands[1].fort), forces.scenario.options.post_battle_rolls
    rolls = one.army.slots_of(Role.FORT) and printed < FORTS.index("citadel")
    return np.full(len(one), bool(rolls)) & ((one.counted(Role.FORT) < printed) | (when == "all"))


def _columns(forces: Forces, book: TableBook) -> dict[str, np.ndarray]:
    """The arrays of Params by condition, all sides one after the other."""
    each, found = forces.each, forces.catalogues
    turns = {"own-miss": NEAR_MISS, "enemy-hit": BARE_HIT}
    charms = {band.name: turns[band.policy.lucky_charm] for band in forces.bands}
    spoiling = any(charms[band.name] == BARE_HIT and "lucky-charm" in band.items for band in forces.bands)
    table = {0: 0, FIREWALL_DIE: book.add(die(6))} | dict.fromkeys((1, 2), book.add({LOST: 2, SAVED: 4}))

    def numbered(what: str) -> np.ndarray:
        pairs = zip(forces.base, found, strict=False)
        return np.concatenate([first + one.led(what).reshape(-1) for first, one in pairs])

    def charmed(one: Catalogue, how: int) -> np.ndarray:
        """Is there a charm that works so?"""
        return (one.column("items") & Held.CHARM > 0) & (charms[one.army.band.name] == how)

    thrown = each(lambda one: throws(one, np.where(charmed(one, NEAR_MISS), NEAR_MISS, PLAIN), book))
    spoiled = each(lambda one: throws(one, np.full(len(one), BARE_HIT), book)) if spoiling else thrown
    return (
        {name: numbered(name) for name in ("armed", "aimed", "gone", "charmless", "ended", "after")}
        | {
            "waits": each(lambda one: np.array([table[number] for number in one.column("die").tolist()])),
            "golem": each(lambda one: one.counted(Role.GOLEM) > 0),
            "dust": each(lambda one: one.column("items") & Held.DUST > 0),
            "stands": each(lambda one: one.left.any(axis=1)),
            "able": each(lambda one: one.dice.any(axis=(1, 2)) | one.aimed.any(axis=1)),
            "spoils": each(lambda one: charmed(one, BARE_HIT)),
            "people": each(lambda one: one.counted(Role.PEOPLE)),
            "fire": each(lambda one: one.fire),
            "room": each(lambda one: one.room),
            "fort_rolls": each(lambda one: fort_rolls(forces, one)),
            "settlement": each(lambda one: one.counted(Role.SETTLEMENT)),
            "throw": thrown,
            "spoiled": spoiled,
        }
        | _falls(forces, numbered("hit").reshape(-1, STEPS))
    )


def _falls(forces: Forces, hit: np.ndarray) -> dict[str, np.ndarray]:
    """Where 0, 1, ... hits lead in each step, and how many of them are spent before a die must be rolled.

    As wide as the most hits that can matter to any side; more than the last lead to where it does.
    """
    strongest = [int((one.dice.sum(axis=2) + (one.aimed > 0)).max(initial=0)) + 1 for one in forces.catalogues]
    sizes, waits = np.diff(forces.base), forces.each(lambda one: one.column("die")) > 0
    most = np.repeat([sum(strongest) - own for own in strongest], sizes)[:, None]
    now = np.repeat(np.arange(len(hit))[:, None], STEPS, axis=1)
    falls, spent = [now], [np.zeros_like(now)]
    while True:
        following = np.where(waits[now] | (most < len(falls)), now, hit[now, np.arange(STEPS)])
        if (following == now).all():
            break
        spent.append(spent[-1] + ~waits[now])
        falls.append(following)
        now = following
    return {"falls": np.stack(falls, axis=2), "spent": np.stack(spent, axis=2), "width": len(falls)}


def _fates(forces: Forces) -> dict[str, np.ndarray]:
    """What follows the die that a condition waits for: where its results begin, and where they lead."""
    at, found = np.zeros(forces.base[-1], np.int64), [0]
    for first, one in zip(forces.base, forces.catalogues, strict=False):
        for number, fates in one.fates.items():
            at[first + number] = len(found)
            found += [first + fates.get(result, number) for result in range(max(fates) + 1)]
    return {"fate_at": at, "fates": np.array(found)}


def _drawing(forces: Forces, book: TableBook) -> dict[str, object]:
    """The draw from the cup, if there is one, and what it leads to."""
    met = forces.meetings
    tables, begin = digits(forces.chances, DIGIT_BITS, book) if len(met) > 1 else ([0], [0])
    return {
        "digits": len(begin) if len(met) > 1 else 0,
        "draw": np.array(tables),
        "draw_at": np.array(begin),
        "met_note": met[:, 0],
        "met0": met[:, 1],
        "met1": met[:, 2],
        "printed": np.array([note.printed for note in forces.notes])[met[:, 0]],
    }


def _side_by_side(arrays: dict[str, Any]) -> np.ndarray:
    """What is told of each condition, one row each, in the order that `rules` has; taken out of `arrays`."""
    falls = np.stack([arrays.pop("falls"), arrays.pop("spent")], axis=3)
    columns = [arrays.pop(name).reshape(len(falls), -1) for name in COLUMNS]
    return np.concatenate([*columns, falls.reshape(len(falls), -1)], axis=1, dtype=np.int32, casting="unsafe")


def leaves_marks(about: np.ndarray) -> bool:
    """Does anything but hits and retreats ever change a condition: a mark of the round, a die that it waits for?"""
    led = about[:, [rules.ARMED, rules.AT_END, *range(rules.AFTERWARDS, rules.THROW)]]
    return bool(about[:, rules.WAITS].any() or (led != np.arange(len(about))[:, None]).any())


def params_of(forces: Forces, book: TableBook) -> Params:
    """The fixed numbers of a battle; its chance tables go to `book`."""
    scenario, sides = forces.scenario, forces.bands
    policies = [leave_of(band) for band in sides]
    arrays = _columns(forces, book) | _fates(forces) | _drawing(forces, book)
    arrays |= {
        "asked": np.array([band.leaves for band in sides]),
        "best": np.array([band.policy.retreat == "best" for band in sides]),
        "target": np.array([TARGETS.index(band.target) for band in sides]),
        # Two of six faces, 1 and 6: a fort (1) drops a level, settlement (2) and income counter (4) are destroyed.
        "after_tables": np.array(
            [book.add(sum_of_all({0: 4, bit: 2} for bit in (1, 2, 4) if rolled & bit)) for rolled in range(8)]
        ),
    }
    arrays["about"] = _side_by_side(arrays)
    arrays["row"] = arrays["about"].shape[1]
    flat = {
        name: np.ascontiguousarray(array.reshape(-1), np.int32 if name == "about" else np.int64)
        for name, array in arrays.items()
        if isinstance(array, np.ndarray)
    }
    leaving = dict(zip([f"leave{i}" for i in range(SIDES)], [*policies, *[never()] * SIDES], strict=False))
    return Params(
        sides=len(sides),
        marked=len(sides) if leaves_marks(arrays["about"]) else 0,
        unexplored=int(unexplored(scenario)),
        clock=max([0, *(policy.rounds for policy in policies if reads_rounds(policy))]),
        post_battle=POST_BATTLE.index(scenario.options.post_battle_rolls),
        income=int(getattr(sides[1].fields, "income_counter", False)),
        **(arrays | flat | leaving),
    )


def limits_of(forces: Forces, params: Params) -> State:
    """The largest value that each field of the state can reach."""
    present = [1] * params.sides + [0] * SIDES
    last, most = forces.base[-1] - 1, 2 * int(params.about[rules.ROOM :: params.row].max()) + 3
    return State(
        rounds=MOST_ROUNDS,
        clock=params.clock,
        phase=rules.OVER,
        step=STEPS - 1,
        turn=SIDES,
        drawn=max(len(forces.meetings), *(note.printed for note in forces.notes)),
        note=len(forces.notes),
        targets=255,
        after=rules.STALEMATE,
        **{f"side{i}": last * present[i] for i in range(SIDES)},
        **{f"hits{i}": most * present[i] for i in range(SIDES)},
    )


def at_least(params: Params, tables: Tables) -> tuple[int, int]:
    """States and transitions that an exploration surely has where nobody may leave and no item matters; else (0, 0).

    A running state that is counted is a step of a round in which somebody throws. Where both sides may miss in every
    step, and one of them may do so but for a single hit, the other is brought down hit by hit while it stays as it was.
    """
    told = params.about.reshape(-1, params.row)
    size, throw, explorer = np.diff(tables.first), told[:, rules.THROW : rules.SPOILED], params.met0[0]
    falls, itself = told[:, rules.FALLS :: 2].reshape(len(told), STEPS, -1), np.arange(len(told))[:, None]
    items = told[:, [rules.WAITS, rules.GOLEM, rules.DUST, rules.SPOILS]]
    led = told[:, rules.ARMED] != itself[:, 0], told[:, rules.AFTERWARDS : rules.THROW] != itself, falls != falls[:, :1]
    row = np.repeat(np.arange(len(size)), size)
    misses, hits_once = (np.isin(throw, row[tables.result == result]) for result in (0, 4))
    calm, fells = misses.all(axis=1) & (told[:, rules.STANDS] > 0), hits_once.any(axis=1)
    matter = (items, params.asked, params.met0 != explorer, *led)
    if any(array.any() for array in matter) or not (calm & fells)[explorer]:
        return 0, 0
    struck, states, transitions = falls[:, -1, min(1, params.width - 1)].astype(np.int64), 0, 0
    defenders = _brought_down(params.met1, params.met_note, struck, calm)
    attackers = _brought_down(params.met0[:1], params.met_note[:1], struck, calm)
    for attacker in attackers:
        facing = defenders if attacker == explorer else defenders[fells[defenders]]
        thrown = (throw[facing] > 0) | (throw[attacker] > 0)
        states += int(thrown.sum())
        transitions += int((size[throw[facing]] * size[throw[attacker]])[thrown].sum())
    # Each of the defenders may also be left alone in the end.
    wiped_out = bool((told[struck[attackers], rules.STANDS] == 0).any())
    return states + wiped_out * int(fells[defenders].sum()), transitions


def _brought_down(start: np.ndarray, note: np.ndarray, struck: np.ndarray, calm: np.ndarray) -> np.ndarray:
    """Conditions that one hit after the other leads to while all are calm, each once for every note."""
    codes, now = [np.empty(0, np.int64)], start
    while (going := calm[now]).any():
        now, note = now[going], note[going]
        codes.append(note * len(struck) + now)
        going = struck[now] != now
        now, note = struck[now[going]], note[going]
    return np.unique(np.concatenate(codes)) % len(struck)


def chain_of(forces: Forces) -> Chain:
    """The chain of a battle."""
    book = TableBook()
    params = params_of(forces, book)
    start = State(*[0] * len(State._fields))
    if params.digits:
        start = start._replace(phase=rules.DRAW)
    else:
        start = start._replace(**{f"side{i}": number for i, number in enumerate(forces.meetings[0, 1:].tolist())})
        phase = rules.ENDED if forces.driven_off else rules.OPENING
        start = start._replace(phase=phase, drawn=int(params.printed[0]))
        start = State(*(int(value) for value in rules.onward(params, start)))
    tables = book.close()
    least, limits = at_least(params, tables) if params.digits else (0, 0), limits_of(forces, params)
    return Chain(params, start, limits, tables, counters=("rounds",), at_least=least, noted="note")
