"""A faction's units as one number, and what casualties leave of it (docs/rules/price_of_power.md section 3.2, step 3).

This *force* packs the hits that mercenary, regular and allied units can still take, ten bits each, and GONE once the
faction has left the battle: it then counts the survivors. Ships are all regular; a ship's hits are counted, not the
ship. Which types and ships that leaves is read off fixed lists (forces.py).
"""

from __future__ import annotations

from simulator.engine.chain import helper
from simulator.rules.toolkit.losses import in_turn

BITS = 10
MASK = (1 << BITS) - 1
ONLY_REGULAR = MASK << BITS
GONE = 1 << 30


@helper
def here(force):
    """Has a faction a unit in the battle?"""
    return 0 < force < GONE


@helper
def lost(force, hits, turn):
    """What a force loses when casualties alternate mercenary, regular, allied, beginning at `turn`."""
    return in_turn(hits, force & MASK, (force >> BITS) & MASK, force >> (2 * BITS), 3 * turn)


@helper
def after_hits(force, hits, turn):
    """A force after casualties; one that has left takes none."""
    if force == force & ONLY_REGULAR:
        return max(force - (hits << BITS), 0)
    dealt = lost(force, 0 if force & GONE else hits, turn)
    return force - dealt.first - (dealt.second << BITS) - (dealt.third << (2 * BITS))


@helper
def turn_after(force, hits, turn):
    """Whose turn it is after such casualties: the next after the last one hit."""
    if force == force & ONLY_REGULAR or force & GONE or hits == 0:
        return 0 if force == force & ONLY_REGULAR else turn
    hits = min(hits, (force & MASK) + ((force >> BITS) & MASK) + (force >> (2 * BITS)))
    before, after = lost(force, hits - 1, turn), lost(force, hits, turn)
    return 1 if after.first > before.first else 2 if after.second > before.second else 0
