"""Who is hit (rules/price_of_power.md section 3.2, step 3): over the factions, then over the categories of each.

A faction's units are one number, its *ranks*: hits that mercenary, regular and allied units can still take, ten bits
each, and GONE once it has left the battle (its ranks then count the survivors). Ships are all regular; a ship's hits
are counted, not the ship. Which types and ships that leaves is read off fixed lists (forces.py).
"""

from __future__ import annotations

from simulator.engine.chain import helper

BITS = 10
MASK = (1 << BITS) - 1
GONE = 1 << 30
ONLY_REGULAR = MASK << BITS
MERCENARY, REGULAR, ALLIED = 0, 1, 2


def ranks(mercenary: int, regular: int, allied: int) -> int:
    """The ranks of a faction that fights."""
    return mercenary | regular << BITS | allied << 2 * BITS


@helper
def category(force, which):
    """Hits that the units of a category can still take."""
    return (force >> (BITS * which)) & MASK


@helper
def fighting(force):
    """The ranks of a faction that is still there, else none."""
    return 0 if force & GONE else force


@helper
def hits_left(force):
    """Hits that the faction can still take."""
    return (force & MASK) + ((force >> BITS) & MASK) + ((force >> (2 * BITS)) & MASK)


@helper
def full_turns(hits, a, b, c):
    """How often each of three can be hit in turn before `hits` (at most a + b + c) run out, the empty skipped.

    After k turns min(a, k) + min(b, k) + min(c, k) hits are used: the least of 3k, low + 2k, low + middle + k.
    """
    low, high = min(a, b, c), max(a, b, c)
    middle = a + b + c - low - high
    return max(hits // 3, (hits - low) >> 1, hits - low - middle)


@helper
def after_hits(force, hits, turn):
    """The ranks after casualties that alternate mercenary, regular, allied, the empty skipped, beginning at `turn`."""
    if force == force & ONLY_REGULAR:
        return max(force - (hits << BITS), 0)
    following = turn + 1 if turn < ALLIED else MERCENARY
    last = following + 1 if following < ALLIED else MERCENARY
    a, b, c = category(force, turn), category(force, following), category(force, last)
    taken = min(hits, a + b + c)
    k = full_turns(taken, a, b, c)
    rest = taken - min(a, k) - min(b, k) - min(c, k)
    more_a, more_b = int(a > k), int(b > k)
    a = max(a - k, 0) - int(more_a > 0 and rest > 0)
    b = max(b - k, 0) - int(more_b > 0 and rest > more_a)
    c = max(c - k, 0) - int(c > k and rest > more_a + more_b)
    return (a << (BITS * turn)) + (b << (BITS * following)) + (c << (BITS * last))


@helper
def turn_after(force, hits, turn):
    """Whose turn it is after such casualties, when the alternation goes on through the whole battle."""
    for _ in range(min(hits, hits_left(force))):
        for _ in range(2):
            if category(force, turn) == 0:
                turn = turn + 1 if turn < ALLIED else MERCENARY
        force -= 1 << (BITS * turn)
        turn = turn + 1 if turn < ALLIED else MERCENARY
    return turn


@helper
def larger(size, tie, other_size, other_tie):
    """Does the other faction come before this one: more units, or as many and first by the attacker's `ties`?"""
    return int(other_size > size or (other_size == size and other_tie < tie))
