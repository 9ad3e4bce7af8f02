"""One number asked of odds."""

from __future__ import annotations

import re

from simulator.analysis.odds import Odds
from simulator.rules.battle import WINNERS

_STATISTIC = re.compile(r"(mean|std|q(\d\d?))[._](\w+)$")


def measure(odds: Odds, value: str) -> tuple[float, float, float]:
    """A value asked of odds, with its interval.

    `value` is `p_attacker`, `p_defender`, `p_nobody`; `mean.COLUMN`, `std.COLUMN`, `q90.COLUMN`; or a question as for
    `Odds.p`. Raises ValueError for anything else. A standard deviation or quantile of a simulation has no interval.
    """
    if value.startswith("p_") and value[2:] in WINNERS:
        return odds.winner(value[2:]), *odds.winner_interval(value[2:])
    if match := _STATISTIC.match(value):
        kind, percent, column = match.groups()
        if kind == "mean":
            return odds.mean(column), *odds.interval(column)
        number = odds.std(column) if kind == "std" else odds.quantile(column, int(percent) / 100)
        unsure = number if odds.battles is None else float("nan")
        return number, unsure, unsure
    return odds.p(value), *odds.interval(value)
