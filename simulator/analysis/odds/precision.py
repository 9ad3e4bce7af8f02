"""How many battles an answer with dice takes: as many as its precision needs, or as an answer's budget of rolls allows.

Neither depends on the machine or on the time: same seed, same battles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.analysis.odds.odds import Odds
from simulator.engine.model.limits import ANSWER_ROLLS, ANSWER_SECONDS

if TYPE_CHECKING:
    from simulator.analysis.odds.run import Fight, Progress

DEFAULT_PRECISION = 0.001
FIRST_BATTLES, MOST_BATTLES = 1 << 16, 10**12
# Battles are added in portions of so many rolls, some seconds, and an interrupt keeps the finished ones; so many are
# fought side by side, and portions are whole multiples of that.
PORTION_ROLLS, ABREAST = 1 << 27, 1 << 9


def width(odds: Odds) -> float:
    """How sure simulated odds are: the largest 95 % half-width of what may come of the battle.

    Where there are only numbers to tell, that of the headline means as a part of the span of their values.
    """
    if odds.results:
        return max((result.high - result.low) / 2 for result in odds.results)
    found = [0.0]
    for row in odds.summary_rows():
        values = odds.spread_of(row["column"]).values
        span = float(values.max()) - float(values.min())
        found.append((row["high"] - row["low"]) / 2 / span if span else 0.0)
    return max(found)


def rolls_of(fight: Fight) -> float:
    """About how many rolls a battle takes; 1 for a composed battle: its stages are short, and not known beforehand."""
    from simulator.engine.api import rolls_a_battle

    built = fight.scenario.built
    return 1.0 if built.answer is not None else rolls_a_battle(fight.scenario.chain)


def fight_up_to(fight: Fight, battles: int, progress: Progress | None = None) -> None:
    """Fight until there are so many battles; an interrupt loses at most those of the last PORTION_ROLLS."""
    portion = battles
    if battles > ABREAST:
        portion = ABREAST * max(1, int(PORTION_ROLLS / ABREAST / rolls_of(fight)))
    while (begin := fight.battles) < battles:
        fight.add(min(portion, battles - begin), progress and (lambda done, b=begin: progress(b + done, battles)))


def to_precision(fight: Fight, precision: float | None, progress: Progress | None = None) -> None:
    """Add battles until `width` is at most `precision`; if that is None, at most DEFAULT_PRECISION or, where that takes
    more than ANSWER_ROLLS rolls, until these are made, and `fight.limited` says so.
    """
    most, wanted = MOST_BATTLES, precision
    if wanted is None:
        most, wanted = max(1, int(ANSWER_ROLLS / rolls_of(fight))), DEFAULT_PRECISION
    goal = min(FIRST_BATTLES, most)
    while True:
        fight_up_to(fight, goal, progress)
        reached = width(fight.odds())
        if reached <= wanted:
            return
        if fight.battles >= most:
            fight.limited = (
                f"within {reached:.2%}, not {wanted:.1%}: with {rolls_of(fight):,.0f} rolls a battle "
                f"that takes over {ANSWER_SECONDS} s; ask for it with a precision"
            )
            return
        needed = int(1.05 * fight.battles * (reached / wanted) ** 2)
        goal = min(max(needed, fight.battles + FIRST_BATTLES), most)
