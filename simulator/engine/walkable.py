"""The graph that battles of a chain are fought on, where it is small enough; found out once. Imports no compiler."""

from __future__ import annotations

from dataclasses import replace

from simulator.engine.chain import Chain
from simulator.engine.explicit import Graph, spell_out
from simulator.engine.grid import too_wide
from simulator.engine.limits import QUICK_BYTES, NoExactOdds

# Edges of one state: with more of them only a few states find room together, and the rules alone are quicker.
MOST_EDGES = 1 << 22
# A battle that meets states carries its counter in so many bits, and above them what is noted, in so many more.
COUNT_BITS, NOTE_BITS = 21, 16
# Where a chain keeps its own graph, as a cached property would.
_KEPT = "_graph_if_it_fits"


def graph_if_it_fits(chain: Chain) -> Graph | None:
    """The chain spelled out, or None where it is too large; found out once for a chain, since that may take seconds."""
    kept = vars(chain)
    if _KEPT not in kept:
        try:
            kept[_KEPT] = None if too_wide(chain) else spell_out(chain, QUICK_BYTES)
        except NoExactOdds:
            if chain.aims is not None:
                raise
            kept[_KEPT] = None
    graph: Graph | None = kept[_KEPT]
    return graph


def fight_by_rules(chain: Chain) -> None:
    """Never spell this chain out to fight it: that is known to take too much, or too long."""
    vars(chain)[_KEPT] = None


def may_be_met(chain: Chain) -> bool:
    """Is a state that battles came to worth keeping? Not if the edges to all that may follow it take too much."""
    return int(chain.tables.largest) ** (2 if chain.paired else 1) <= MOST_EDGES


def carried(chain: Chain) -> int:
    """Place of the field that is noted, where a battle carries it beside its counter; -1 for none, or for no room."""
    if not chain.noted:
        return -1
    place = chain.start._fields.index(chain.noted)
    counts = int(chain.limits[chain.counted]) if chain.counted >= 0 else 0
    return place if counts >> COUNT_BITS == 0 and int(chain.limits[place]) >> NOTE_BITS == 0 else -1


def by_rules(chain: Chain) -> Chain:
    """The chain as rules fight it: its counter is a field like others, decisions due at the start have been taken."""
    return replace(chain, counters=(), start=chain.settled(chain.start))
