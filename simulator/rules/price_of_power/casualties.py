"""Casualties and wounds (docs/rules/price_of_power.md section 3.2 steps 3 and 4, 3.4, section 4 steps 3 to 5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import islice, product

from simulator.rules.price_of_power.dice import Throw
from simulator.rules.price_of_power.forces import DAMAGED, PREFIXES, PRICE, SHIPS, types
from simulator.rules.price_of_power.model import TYPES
from simulator.rules.price_of_power.setup import Setup
from simulator.rules.price_of_power.state import DEAD, Force, Realm
from simulator.rules.toolkit.naming import counted

NOTHING = (0, 0)
# A side after the enemy's roll, and the ships, and heavy ones, that this captured.
Fate = tuple[Force, tuple[int, int]]


def in_turn(room: Sequence[int], hits: int, order: Sequence[int]) -> tuple[list[int], int]:
    """Hits on each of several, by the hits that each has room for, and the one that was hit last (-1 for none).

    One hit to each in this order, again and again, skipping the full.
    """
    taken, last = [0] * len(room), -1
    while hits and any(room[i] > taken[i] for i in order):
        for i in order:
            if hits and room[i] > taken[i]:
                taken[i], hits, last = taken[i] + 1, hits - 1, i
    return taken, last


def share(w: Setup, side: int, force: Force, hits: int) -> list[int]:
    """Hits on each realm of a side: one each in turn, the largest first, until all are used (step 3)."""
    own = [w.strength(side, (realm,), at) for at, realm in enumerate(force.realms)]
    order = sorted(range(len(own)), key=lambda at: (-own[at].units, w.ties[side][at], at))
    return in_turn([one.room for one in own], hits, order)[0]


def categories_hit(w: Setup, side: int, at: int, realm: Realm, hits: int) -> tuple[list[int], int]:
    """Hits on each category of a realm, which alternate from its turn on, and the category that is next."""
    faction, number = w.sides[side].factions[at], len(realm.left)
    rooms = [faction.room(category, left) for category, left in enumerate(realm.left)]
    taken, last = in_turn(rooms, hits, [(realm.turn + i) % number for i in range(number)])
    return taken, (last + 1) % number if w.alternates and faction.mixed and last >= 0 else realm.turn


def with_hits(w: Setup, side: int, at: int, realm: Realm, hits: int) -> Realm:
    """A realm after hits along its list."""
    taken, turn = categories_hit(w, side, at, realm, hits)
    return Realm(tuple(n - gone for n, gone in zip(realm.left, taken, strict=True)), turn, realm.gone)


def due(w: Setup, side: int, force: Force) -> list[int]:
    """Hits that each realm takes now: one if it pays for leaving, else its share of those that wait."""
    if force.paying:
        return [int(at in force.paying) for at in range(len(force.realms))]
    return share(w, side, force, force.hits)


def after_hits(w: Setup, side: int, force: Force) -> Force:
    """A side after the hits that it takes now, by its list. Kept in memory: its leader and his wounds vary."""
    key = side, force.realms, force.hits, force.paying
    if (realms := w.memory.get(key)) is None:
        each = enumerate(zip(force.realms, due(w, side, force), strict=True))
        hit = (with_hits(w, side, at, realm, own) if own else realm for at, (realm, own) in each)
        realms = w.memory[key] = tuple(hit)
    return Force(realms, *force[1:])  # 0.4 us; _replace takes 0.75


def ways_to_lose(w: Setup, side: int, force: Force) -> list[Force]:
    """The forces after the hits that a side takes now: by its list, or all that its owner may pick (3.4).

    The first is what the default policy does.
    """
    if not w.picks[side]:
        return [after_hits(w, side, force)]
    hits = enumerate(zip(force.realms, due(w, side, force), strict=True))
    dealt = [categories_hit(w, side, at, realm, own) for at, (realm, own) in hits]
    each = []
    for at, (realm, (taken, _)) in enumerate(zip(force.realms, dealt, strict=True)):
        owed = [PRICE if w.sea and force.paying and own else own for own in taken]
        each += [w.sides[side].factions[at].ways(c, n, owed[c]) for c, n in enumerate(realm.left)]
    usual = tuple(ways[0] for ways in each)
    found = []
    for way in sorted(product(*(sorted(ways, reverse=True) for ways in each)), key=lambda way: way != usual):
        numbers = iter(way)
        realms = zip(force.realms, dealt, strict=True)
        after = (Realm(tuple(islice(numbers, len(one.left))), turn, one.gone) for one, (_, turn) in realms)
        found.append(force._replace(realms=tuple(after)))
    return found


def after_losses(w: Setup, side: int, before: Force, after: Force) -> Force:
    """The force after a roll: its leader is wounded if a unit was lost (3.2 step 4)."""
    lost = w.strength(side, after.realms).units < w.strength(side, before.realms).units
    hurt = before.hurt if lost or (before.hits and w.options.damage_counts_as_casualty) else 0
    return Force(after.realms, after.leader, before.wounds + hurt, after.hand, paying=after.paying)


def wounds_by(w: Setup, side: int, force: Force, tercios: int) -> int:
    """Wounds that the tercios of the enemy's roll deal to a leader: one for each two, and he dies of the second."""
    return min(tercios // 2, DEAD - force.wounds) if force.leader and w.led(side, force) else 0


def captures(w: Setup, side: int, force: Force, hits: int, tercios: int) -> tuple[int, int]:
    """Ships of a side, and heavy ones among them, that a roll captures if it sinks the last one, cheapest first."""
    own, supply = w.strength(side, force.realms), w.sides[1 - side].supply
    if not (w.sea and supply) or hits < own.room:
        return NOTHING
    captured = min(tercios, supply, own.units)
    return captured, max(0, captured - own.units + own.heavy)


def hit(w: Setup, side: int, force: Force, hits: int, hurt: int) -> Force:
    """A side after hits and wounds; hits beyond the last unit are lost. They wait for an owner who picks his losses."""
    if not hits:
        return force
    waiting = Force(*force[:4], min(hits, w.strength(side, force.realms).room), hurt)
    return waiting if w.picks[side] else after_losses(w, side, waiting, after_hits(w, side, waiting))


def after_throw(w: Setup, side: int, force: Force, hits: int, tercios: int) -> Fate:
    """A side after hits and tercios of the enemy, and the ships that this captures (steps 3 and 4)."""
    hurt = wounds_by(w, side, force, tercios)
    return hit(w, side, force, hits, hurt), captures(w, side, force, hits, tercios)


def fates(w: Setup, side: int, force: Force, throw: Throw) -> dict[int, float]:
    """The possible effects of an enemy roll on a side (their places in `Setup.fates`), with their chances.

    Kept in memory, as the effects of hits and tercios are: many battles need them.
    """
    key = side, force, throw
    if (found := w.memory.get(key)) is None:
        found, known = defaultdict(float), w.after_throws[side, force]
        for hits, tercios, p in w.rolls(1 - side, throw):
            if (fate := known.get((hits, tercios))) is None:
                fate = known[hits, tercios] = w.fates.place(after_throw(w, side, force, hits, tercios))
            found[fate] += p
        w.memory[key] = found
    return found


def in_words(w: Setup, side: int, before: Force, after: Force) -> str:
    """The units that a side loses: "lose 1 mercenary infantry", "lose 1 light, damage 1 heavy"."""
    parts = []
    for faction, old, new in zip(w.sides[side].factions, before.realms, after.realms, strict=True):
        lost, names, damaged = list[int](), list[str](), 0
        for rank, rows, n, m in zip(faction.ranks, faction.rows, old.left, new.left, strict=True):
            gone = [was - left for was, left in zip(rows[n], rows[m], strict=True)]
            damaged = max(0, -gone[DAMAGED]) if w.sea else 0
            lost += types(tuple(gone))
            prefix = PREFIXES[rank].replace("_", " ") if faction.mixed else ""
            names += [prefix + name for name in (SHIPS if w.sea else TYPES)[:3]]
        words = [f"lose {counted(lost, names)}"] * any(lost) + [f"damage {damaged} heavy"] * (damaged > 0)
        if words:
            parts.append(", ".join(words if len(before.realms) == 1 else [f"{faction.called}: {words[0]}", *words[1:]]))
    return "; ".join(parts)
