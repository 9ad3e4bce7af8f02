"""How much exact enumeration may explore, and the refusal past that; imports no compiler."""

EDGE_BUDGET = 40_000_000
QUICK_BYTES = 160_000_000
EXACT_BYTES = 1_400_000_000


class NoExactOdds(Exception):
    """Exact odds were asked for, but the battle has too many states; the message says how many were seen."""
