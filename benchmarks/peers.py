"""The same exact answer from libraries that pip installs: Risk, 20 against 15 to the end."""

from __future__ import annotations

import warnings
from fractions import Fraction
from functools import cache
from typing import Any

ATTACKERS, DEFENDERS = 20, 15


def with_icepool() -> float:
    """icepool: a die of (attackers, defenders), stepped until nothing changes."""
    from icepool import Die, d6
    from icepool import map as map_dice

    @cache
    def losses(a: int, d: int) -> Any:
        def lost(mine: tuple[int, ...], theirs: tuple[int, ...]) -> int:
            return sum(x <= y for x, y in zip(mine[::-1], theirs[::-1], strict=False))

        return map_dice(lost, d6.pool(a).expand(), d6.pool(d).expand(), star=False)

    def fight(a: int, d: int) -> Any:
        if a == 0 or d == 0:
            return (a, d)
        hands = min(a, 3), min(d, 2)
        pairs = min(hands)
        return losses(*hands).map(lambda lost: (a - lost, d - (pairs - lost)))

    ends = Die([(ATTACKERS, DEFENDERS)]).map(fight, star=True, repeat="inf")
    return float(sum(Fraction(n, ends.denominator()) for (_, d), n in ends.items() if d == 0))


def with_dyce() -> float:
    """dyce: histograms of the winner, expanded recursively and remembered."""
    from dyce import H, P
    from dyce.evaluation import expand

    warnings.filterwarnings("ignore", message=".*experimental.*")
    die = H(6)

    @cache
    def losses(a: int, d: int) -> Any:
        def lost(mine: Any, theirs: Any) -> int:
            return sum(x <= y for x, y in zip(mine.roll[::-1], theirs.roll[::-1], strict=False))

        return expand(lost, a @ P(die), d @ P(die))

    @cache
    def winner(a: int, d: int) -> Any:
        if d == 0:
            return H({1: 1})
        if a == 0:
            return H({0: 1})
        hands = min(a, 3), min(d, 2)
        pairs = min(hands)

        def after(result: Any) -> Any:
            return winner(a - result.outcome, d - (pairs - result.outcome))

        return expand(after, losses(*hands), min_path_probability=Fraction(0), reset_path_probability=True)

    for defenders in range(DEFENDERS + 1):  # from the bottom up, so that recursion stays shallow
        for attackers in range(ATTACKERS + 1):
            winner(attackers, defenders)
    found = winner(ATTACKERS, DEFENDERS)
    return float(Fraction(found[1], found.total))
