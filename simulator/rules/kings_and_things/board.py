"""From the sides of a battle to the numbers that the rules run on: slots, policies, tables, the start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.chain import Chain
from simulator.rules.battle import Refusal
from simulator.rules.kings_and_things import state as st
from simulator.rules.kings_and_things.fields import FORTS, SETTLEMENTS
from simulator.rules.kings_and_things.flow import DUST_AT_START, FIREWALL_OF, USUAL, go_on
from simulator.rules.kings_and_things.muster import (
    Band,
    Slot,
    bands,
    dust_at_start,
    loss_order,
    opened,
    weakest_first,
)
from simulator.rules.kings_and_things.throws import BARE_HIT, NEAR_MISS, PLAIN, Book, Hands, table_of, throw

WORD_BITS = 31
MOST_ROUNDS = (1 << 20) - 1
RETREATS = ("never", "after-rounds", "below-creatures", "when-outgunned")
TARGETS = ("attacker", "defender", "second-attacker", "third-attacker", "strongest", "weakest")
POST_BATTLE = ("none", "damaged", "all")
COLUMNS = ("role", "shift", "mask", "value", "printed", "home", "dice", "weakest")


class Lineup(NamedTuple):
    """Slots of one side as rows of equal length (line-ups x slots), and what it begins with (one a line-up).

    `weakest` lists slots from the weakest on; it counts from the first slot of the line-up.
    """

    role: np.ndarray
    shift: np.ndarray
    mask: np.ndarray
    value: np.ndarray
    printed: np.ndarray
    home: np.ndarray
    dice: np.ndarray
    weakest: np.ndarray
    alive: np.ndarray
    gear: np.ndarray


def lineup_of(slots: Sequence[Slot], gear: int, width: int) -> Lineup:
    """One line-up from a side's slots in loss order, padded with empty slots to `width`."""
    rows = {name: np.zeros((1, width), np.int32) for name in COLUMNS}
    alive = used = 0
    for n, slot in enumerate(slots):
        bits = slot.number.bit_length()
        for name, number in zip(
            COLUMNS,
            (slot.role, used, (1 << bits) - 1, slot.value, slot.printed, slot.home, slot.dice),
            strict=False,
        ):
            rows[name][0, n] = number
        alive |= slot.number << used
        used += bits
    order = sorted(range(len(slots)), key=lambda n: weakest_first(slots[n]))
    rows["weakest"][0] = [*order, *range(len(slots), width)]
    return Lineup(**rows, alive=np.array([alive], np.int32), gear=np.array([gear], np.int32))


def bits_of(slots: Sequence[Slot]) -> int:
    """Bits that the packed counters of a side take."""
    return sum(slot.number.bit_length() for slot in slots)


def check_width(found: Sequence[Band]) -> None:
    """Refuse armies of more different counters than a state can hold."""
    for band in found:
        bits = bits_of(loss_order(band))
        if bits > WORD_BITS:
            raise Refusal(
                f"{band.name}.creatures",
                f"{len(band.counters)} counters of so many kinds are too many to tell apart ({bits} bits, at most "
                f"{WORD_BITS}); give fewer kinds, or no Magic Sword and Bow",
            )


def gear_at_start(band: Band) -> int:
    """Levels and items in play of a side before round 1."""
    gear = 0
    for place, name in ((st.FORT_AT, "fort"), (st.SETTLEMENT_AT, "settlement"), (st.FIREWALL_AT, "firewall")):
        gear = st.put(gear, place, band.levels.get(name, 0))
    for place, item in (
        (st.TALISMAN, "talisman"),
        (st.BOW, "magic-bow"),
        (st.SWORD, "magic-sword"),
        (st.CHARM, "lucky-charm"),
    ):
        gear = st.put(gear, place, int(item in band.items))
    return gear


def unexplored(scenario: Any) -> int:
    """Does nobody own the hex?"""
    return int(getattr(scenario.conditions, "unexplored", scenario.battle == "exploration"))


def policy_row(band: Band, scenario: Any) -> np.ndarray:
    """A side's policy numbers, as `Params.side` holds them."""
    policy, fields = band.policy, band.fields
    ratio = Fraction(str(getattr(policy, "retreat_ratio", 0))).limit_denominator(10**6)
    target = getattr(policy, "target", None) or ("strongest" if band.name == "defender" else "defender")
    groups = st.FIXED
    if policy.losses == "keep-next-step-fighters":
        groups = st.NEXT_STEP_KEPT if policy.structures == "first" else st.NEXT_STEP_KEPT_WALLS_LAST
    spends = getattr(policy, "item_hits", "keep") == "spend"
    has_hex = getattr(fields, "retreat_hex", False) and not (band.name == "defender" and unexplored(scenario))
    row = np.zeros(st.WIDTH, np.int32)
    for column, value in (
        (st.RETREAT, RETREATS.index(policy.retreat)),
        (st.RETREAT_AFTER, getattr(policy, "retreat_after", 1)),
        (st.RETREAT_BELOW, getattr(policy, "retreat_below", 0)),
        (st.RATIO_OVER, ratio.numerator),
        (st.RATIO_UNDER, ratio.denominator),
        (st.HEX, has_hex),
        (st.HEX_CREATURES, getattr(fields, "retreat_hex_creatures", 0)),
        (st.HEX_CITADEL, getattr(fields, "retreat_hex_citadel", False)),
        (st.GROUPS, groups),
        (st.SCREEN, getattr(policy, "sword_master", "normal") == "screen"),
        (st.SPEND, spends),
        (
            st.CHARM_USE,
            st.ENEMY_HIT if getattr(policy, "lucky_charm", "own-miss") == "enemy-hit" else st.OWN_MISS,
        ),
        (st.TARGET, TARGETS.index(target)),
        (st.CLOUD, band.cloud),
        (st.SLACK, 1 + ("golem" in band.items) + 2 * spends),
        (st.SAVES, "talisman" in band.items or band.has("sword-master") > 0),
        (st.HOLDS, bool(band.items & {"magic-sword", "magic-bow"})),
        (st.BRITTLE, scenario.options.firewall_hits == "one"),
    ):
        row[column] = value
    return row


def most_dice(lineup: Lineup, cloud: int, items: set[str]) -> np.ndarray:
    """Largest number of dice of each value (0-7) that a side can throw in each step: array (3, 8)."""
    most = np.zeros((len(lineup.role), 3, 8), np.int64)
    rows = np.arange(len(lineup.role))
    number = (lineup.alive[:, None] >> lineup.shift) & lineup.mask
    for n in range(lineup.role.shape[1]):
        role, home, count = lineup.role[:, n], lineup.home[:, n], number[:, n]
        value = np.maximum(0, lineup.value[:, n] - cloud)
        usual = np.where(role & st.AIMED, 0, count)
        np.add.at(most, (rows, home, value), usual * lineup.dice[:, n])
        np.add.at(most, (rows, st.RANGED, value), np.where(role & st.PASSENGER, count, 0))
        for bit, place in (
            (st.FORT, st.FORT_AT),
            (st.SETTLEMENT, st.SETTLEMENT_AT),
            (st.FIREWALL, st.FIREWALL_AT),
        ):
            for level in range(1, 7):
                stands = (role & bit > 0) & (st.get(lineup.gear, place) >= level)
                np.add.at(most, (rows, home, max(0, level - cloud)), stands.astype(int))
    holders = (lineup.role & st.HOLDER > 0) & (number > 0)
    raised = np.maximum(0, lineup.value + 1 - cloud)
    for item, step, dice in (("magic-sword", st.MELEE, 2), ("magic-bow", st.RANGED, 1)):
        if item in items:
            for value in range(8):
                most[:, step, value] += dice * (holders & (raised == value)).any(axis=1)
    return most.max(axis=0)


@dataclass(frozen=True)
class Muster:
    """All that a chain is made of: the sides, their line-ups, and which of them each drawn number means.

    `which[side]` has the line-up of a side for each number that can be drawn; `opening` and `settlement` (its printed
    level) go by that number too; `draw` are the tables of the draw, digit by digit.
    """

    scenario: Any
    sides: Sequence[Band]
    lineups: Sequence[Lineup]
    which: Sequence[np.ndarray]
    opening: np.ndarray
    settlement: np.ndarray
    draw: Sequence[Sequence[Any]] = ()


def firewall_of(sides: Sequence[Band]) -> int:
    """The side whose Firewall's die is to be rolled, or -1."""
    return next((n for n, band in enumerate(sides) if "firewall" in band.items and not band.fields.firewall_value), -1)


def muster_of(scenario: Any) -> Muster:
    """The one line-up of a land battle or free-for-all."""
    sides = bands(scenario)
    dust = dust_at_start(sides)
    opened(sides)
    orders = [loss_order(band) for band in sides]
    width = max(len(order) for order in orders)
    lineups = [lineup_of(order, gear_at_start(band), width) for order, band in zip(orders, sides, strict=True)]
    roller = firewall_of(sides)
    opening = DUST_AT_START if dust else USUAL if roller < 0 else FIREWALL_OF + roller
    settlement = np.array([SETTLEMENTS.index(scenario.defender.settlement)])
    return Muster(scenario, sides, lineups, [np.zeros(1, int)] * len(sides), np.array([opening]), settlement)


def slot_arrays(muster: Muster) -> dict[str, np.ndarray]:
    """The arrays of `Params.data` that tell of the sides' line-ups."""
    width = muster.lineups[0].role.shape[1]
    slots, base, starts, begin = [], [], [], 0
    for lineup, which in zip(muster.lineups, muster.which, strict=True):
        first = begin + width * np.arange(len(lineup.role))
        rows = np.stack([getattr(lineup, name) for name in COLUMNS], axis=2)
        rows[:, :, st.ORDER] += first[:, None].astype(np.int32)
        slots.append(rows)
        base.append(first[which])
        starts.append(np.stack([lineup.alive[which], lineup.gear[which]], axis=1))
        begin += width * len(lineup.role)
    return {
        "base": np.concatenate(base),
        "start": np.concatenate(starts),
        "slot": np.concatenate(slots),
        "drawn": np.stack([muster.opening, muster.settlement], axis=1),
    }


def packed(arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """All arrays as one, and where each begins, as Params want them."""
    flat = [np.ravel(values).astype(np.int32) for values in arrays.values()]
    begins = np.cumsum([0, *(len(values) for values in flat)])
    places = {f"{name}_at": int(begin) for name, begin in zip(arrays, begins, strict=False)}
    return places | {"data": np.ascontiguousarray(np.concatenate(flat))}


AFTER_FACES = {0: 4, 1: 2}  # 1 or 6: a fort drops a level, others are destroyed


def after_tables() -> list[tuple[np.ndarray, np.ndarray]]:
    """Post-battle rolls for each set of fort (1), settlement (2) and income counter (4)."""
    found = []
    for rolled in range(8):
        weights = {0: 1}
        for bit in (1, 2, 4):
            if rolled & bit:
                weights = {w | bit * bad: n * f for w, n in weights.items() for bad, f in AFTER_FACES.items()}
        found.append(table_of(weights))
    return found


def aimed_tables() -> list[tuple[np.ndarray, np.ndarray]]:
    """The Marksman's one die at value 0, 1, 2, each plain and with a charm."""
    dice = ((0,) * 7, (1, *(0,) * 6), (0, 1, *(0,) * 5))
    return [throw(die, charm) for die in dice for charm in (PLAIN, NEAR_MISS, BARE_HIT)]


def charms_of(sides: Sequence[Band]) -> tuple[tuple[int, ...], list[bool]]:
    """Which charms are at work, and whose sure dice a charm may spoil."""
    charms, spoiled = {PLAIN}, [False] * len(sides)
    for n, band in enumerate(sides):
        if "lucky-charm" in band.items:
            spoils = band.policy.lucky_charm == "enemy-hit"
            charms.add(BARE_HIT if spoils else NEAR_MISS)
            spoiled[1 - n] = spoils
    return tuple(sorted(charms)), spoiled


def params_of(muster: Muster, book: Book, hands: Hands | None = None) -> st.Params:
    """Params of a battle; without hands none of its throws can be made, but its outcomes can be read."""
    scenario, sides, defender = muster.scenario, muster.sides, muster.sides[1]
    arrays = slot_arrays(muster)
    arrays["side"] = np.concatenate([policy_row(band, scenario) for band in sides])
    arrays["value"] = np.stack([hands.stride, hands.hand_of], axis=3) if hands else np.zeros(0)
    arrays["hand"] = np.stack([hands.hand_table, hands.hand_size], axis=3) if hands else np.zeros(0)
    arrays["draw"] = np.array([book.add(*tables) for tables in muster.draw] if hands else [])
    return st.Params(
        sides=len(sides),
        slots=muster.lineups[0].role.shape[1],
        lineups=len(muster.opening),
        digits=len(muster.draw),
        ticks=0,
        dust=int("dust-of-defense" in defender.items and defender.policy.dust == "when-outgunned"),
        unexplored=unexplored(scenario),
        post_battle=POST_BATTLE.index(scenario.options.post_battle_rolls),
        fort=FORTS.index(defender.fort),
        income=int(getattr(defender.fields, "income_counter", False)),
        die_table=book.add(table_of(dict.fromkeys(range(1, 7), 1))),
        save_table=book.add(table_of({0: 2, 1: 4})),
        after_table=book.add(*after_tables()),
        aimed_table=book.add(*aimed_tables()),
        **packed(arrays),
    )


def chain_of(muster: Muster) -> Chain:
    """The chain of a battle by the general rules."""
    sides, book = muster.sides, Book()
    charms, spoiled = charms_of(sides)
    pairs = list(zip(muster.lineups, sides, strict=True))
    most = np.array([most_dice(lineup, band.cloud, band.items) for lineup, band in pairs])
    params = params_of(muster, book, Hands(most, charms, spoiled, book))
    start = st.State(*[0] * len(st.State._fields))
    start = st.at(start, st.DRAW, 0, 0, 0) if muster.draw else go_on(params, st.at(start, st.OPENING, 0, 0, 0))
    return Chain(params, st.State(*(int(value) for value in start)), limits_of(params, muster), book.close())


def limits_of(params: st.Params, muster: Muster) -> st.State:
    """The largest value that each field of the state can reach."""
    most_hits = 3 + max(
        int((2 * ((lu.alive[:, None] >> lu.shift) & lu.mask).sum(axis=1)).max()) + 13 for lu in muster.lineups
    )
    alive = [_ceiling(lineup.alive.max()) for lineup in muster.lineups] + [0] * 4
    present = [1] * params.sides + [0] * 4
    gear = [(1 << 28) - 1 if _holds(lineup) else (1 << 16) - 1 for lineup in muster.lineups] + [0] * 4
    return st.State(
        rounds=MOST_ROUNDS,
        phase=st.OVER,
        step=2,
        actor=3,
        hand=7,
        stage=7,
        victim=2 * params.slots + 2,
        saved=max(alive),
        aimed=4,
        targets=255 if params.sides > 2 else 0,
        lineup=max(1, params.lineups - 1),
        after=15,
        **{f"alive{i}": alive[i] for i in range(4)},
        **{f"gear{i}": gear[i] for i in range(4)},
        **{f"hits{i}": most_hits * present[i] for i in range(4)},
    )


def _ceiling(value: Any) -> int:
    return (1 << int(value).bit_length()) - 1


def _holds(lineup: Lineup) -> bool:
    return bool(((lineup.gear >> st.BOW[0]) & 3).any())
