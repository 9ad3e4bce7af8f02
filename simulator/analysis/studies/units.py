"""Worth of units: the effect of one more of each unit on the odds and on the cost exchanged, beside its price."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from simulator.analysis.field_words import counts_units, owner_in_words, units_in_words
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.run import CELL_BATTLES, CELL_BYTES, Progress, reported, until_interrupted
from simulator.analysis.odds.stages import Shared
from simulator.analysis.result import Result
from simulator.analysis.studies.balance import named_reasons
from simulator.analysis.studies.paired import Difference, PairedAnswer, answered, difference
from simulator.analysis.studies.sensitivity import steps_of
from simulator.analysis.words import capital, points
from simulator.rules.battle import Battle
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.by_key import by_key
from simulator.rules.toolkit.tolerances import ROUNDING
from simulator.rules.toolkit.words import number_of, price_of
from simulator.scenarios import Scenario, ScenarioError, Source, load
from simulator.scenarios.arguments import checked
from simulator.scenarios.schema import field_at, whole_numbers

COSTS = tuple(f"{side}_cost_lost" for side in SIDES)


class OneMore(NamedTuple):
    """One more of a unit in one battle: the gain of its side's chance, and of its side's cost exchanged (or None)."""

    side: str
    unit: str
    price: float | None
    gain: Difference
    exchange: float | None
    method: str


@dataclass(frozen=True, repr=False)
class Units(Result):
    """The effect of one more of each unit in each battle; `refusals` are the reasons why some are not allowed.

    `first` is the kind of the first battle, and its tables.
    """

    each: tuple[OneMore, ...]
    scenarios: int
    first: tuple[Battle, Mapping[str, Any]] = field(compare=False)
    refusals: tuple[str, ...] = ()
    seed: int = 0
    complete: bool = True

    json_fields = ("scenarios", "refusals", "seed", "complete")

    def rows(self) -> list[dict[str, Any]]:
        """`side, unit, price, points, low, high, per_cost, exchanged, scenarios`: means over those that admit the unit.

        `points` of its side's chance to win with their 95 % interval, and for each cost of the price; `exchanged` is
        the change of its own side's cost lost less the enemy's. The most points for the price come first, without
        prices the most points.
        """
        found, rows = by_key(self.each, lambda one: (one.side, one.unit, one.price)), []
        for (side, unit, price), many in found.items():
            # Of several simulated battles the mean of the bounds: those of one seed are not independent.
            points, low, high = (100 * fmean(ends) for ends in zip(*(one.gain[:3] for one in many), strict=True))
            known = [one.exchange for one in many if one.exchange is not None]
            row = {"side": side, "unit": unit, "price": price, "points": points, "low": low, "high": high}
            row |= {"per_cost": points / price if price else None, "exchanged": fmean(known) if known else None}
            rows.append(row | {"scenarios": len(many)})
        return sorted(rows, key=lambda row: (row["side"], row["per_cost"] is None, -(row["per_cost"] or row["points"])))

    @property
    def headline(self) -> str:
        """The unit that gives its side the most for its price, for each side."""
        rows = self.rows()
        best = {row["side"]: row for row in reversed(rows) if row["points"] > ROUNDING}
        if not best:
            return f"One more unit helps neither side: {number_of(len(rows), 'kind')} of units tried, one more of each."
        priced = " for its price" * any(row["price"] for row in best.values())
        words: list[str] = []
        for side in (one for one in SIDES if one in best):
            own = "" if side == SIDES[0] else f" of {owner_in_words(*self.first, side)}"
            noun = units_in_words(*self.first, f"{side}.{best[side]['unit']}", 1).removeprefix("1 ")
            verb = f" is worth most{priced}" * (not words)
            words.append(f"one more {noun}{own}{verb}: {self._gain(best[side])}")
        return capital(f"{'; '.join(words)}.")

    def _gain(self, row: Mapping[str, Any]) -> str:
        """The points that one more brings, and its price."""
        money = self.first[0].money
        price = f" {'for' if money else 'at price'} {price_of(row['price'], money)}" if row["price"] else ""
        more = f"+{points(row['points'] / 100, chance=True)}"
        # Of two sorts of points, those of the chance have their full name.
        more = more.replace("points", "percentage points") if money == "points" else more
        simulated = row["low"] < row["high"]
        return (f"about {more} ({row['low']:+.2f} to {row['high']:+.2f})" if simulated else more) + price

    def how(self) -> str:
        """The battles and the method, in one line."""
        simulated = any(one.method != "exact" for one in self.each)
        text = "one more of each unit" + (f", averaged over {self.scenarios} battles" if self.scenarios > 1 else "")
        text += f"; simulated where not exact, paired, seed {self.seed}" if simulated else "; all exact"
        text += f"; {named_reasons(self.refusals)}" if self.refusals else ""
        return text if self.complete else f"{text}; interrupted"


@checked
def units(
    scenarios: Source | Sequence[Source],
    battles: int | None = None,
    seed: int = 0,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Units:
    """The worth of one more of each unit of each side.

    Units are the fields that have a price in the game, else those of both sides that count units.

    Parameters
    ----------
    scenarios : scenario or sequence of scenarios
        One battle, or several to average over.
    battles : int, optional
        Simulate all, paired. By default they are exact where that fits.

    Returns
    -------
    Units
        One row a unit: points of its side's chance to win, beside its price.

    Raises
    ------
    ScenarioError
        For an invalid scenario, and a battle without units.
    ValueError
        For a battle without a winner.
    Interrupted
        After Ctrl-C, with the units tried so far.

    Examples
    --------
    >>> units("axis-land-flak").rows()[0]["side"]
    'attacker'
    """
    one = isinstance(scenarios, str | Path | Mapping) or not isinstance(scenarios, Sequence)
    asked = [load(source) for source in ((scenarios,) if one else scenarios)]  # type: ignore[arg-type, union-attr]
    _check(asked)
    method = Method(battles=battles, seed=seed, threads=threads, budget=CELL_BYTES)
    work = [(scenario, *unit) for scenario in asked for unit in _units(scenario)]
    if not work:
        raise ScenarioError(f"battle: {asked[0].battle.game} {asked[0].battle.kind} has no units to add")
    ask = partial(answered, method=method, many=CELL_BATTLES, shared=Shared())

    def found(parts: Sequence[OneMore | str]) -> Units:
        each = tuple(part for part in parts if isinstance(part, OneMore))
        refusals = tuple(dict.fromkeys(part for part in parts if isinstance(part, str)))
        first = asked[0].battle, asked[0].data
        return Units(each, len(asked), first, refusals, seed, len(parts) == len(work))

    def tried() -> Iterator[OneMore | str]:
        now: dict[int, PairedAnswer] = {}
        for scenario, path, setting, price in reported(work, progress):
            if id(scenario) not in now:
                now[id(scenario)] = ask(scenario)
            try:
                after = ask(scenario.replace(path, setting + 1))
            except ScenarioError as error:
                yield str(error)
                continue
            yield _one_more(path, price, after, now[id(scenario)])

    return until_interrupted(tried(), found)


def _check(asked: Sequence[Scenario]) -> None:
    """Refuse to ask for nothing (ValueError), and for battles without a winner (ScenarioError)."""
    if not asked:
        raise ValueError("scenarios: give one or more")
    for battle in (scenario.battle for scenario in asked):
        if battle.question.number:
            text = f"has no winner: sweep {battle.question.measure} over a unit"
            raise ScenarioError(f"battle: {battle.game} {battle.kind} {text}")


def _units(scenario: Scenario) -> list[tuple[str, int, float | None]]:
    """The path, the number and the price of each unit of both sides."""
    battle = scenario.battle
    price = battle.price
    found = []
    for path, setting, to in steps_of(scenario, [side for side in SIDES if field_at(battle, side)]):
        least = (whole_numbers(battle, path) or (None,))[0]
        if isinstance(setting, bool) or not isinstance(setting, int) or to != setting + 1 or (least or 0) < 0:
            continue
        cost = price(scenario.data, path) if price else None
        if cost is not None or (price is None and counts_units(battle, path)):
            found.append((path, setting, cost))
    return found


def _one_more(path: str, price: float | None, after: PairedAnswer, before: PairedAnswer) -> OneMore:
    side, _, unit = path.partition(".")
    gain = difference(f"p_{side}", after, before)
    asked = [f"mean.{name}" for name in COSTS if name in after.odds.names]
    change = {value: difference(value, after, before).value for value in asked}
    own, enemy = (change.get(f"mean.{name}") for name in (COSTS if side == SIDES[0] else COSTS[::-1]))
    exchange = None if own is None or enemy is None else own - enemy
    method = "exact" if after.odds.method == before.odds.method == "exact" else "simulated"
    return OneMore(side, unit, price, gain, exchange, method)
