"""The value of a stack: size, artillery, army size, morale (docs/rules/europa_land_siege.md sections 2.2, 2.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from simulator.engine.model.chain import Chain
from simulator.engine.model.chance import combine
from simulator.rules.europa.shared.leaders import Pair, leader_of, pair_of, replacements
from simulator.rules.europa.tables import Book, book
from simulator.rules.toolkit.sheets import lines_of

if TYPE_CHECKING:
    from simulator.rules.europa.shared.fields import Troops
    from simulator.rules.europa.shared.land_model import Campaign, Land, LandSide, Side, Siege

Scenario = TypeVar("Scenario", bound="Land | Siege | Campaign")

LD = 3
EIGHT_LD = 24
SIDES = ("attacker", "defender")
TECHNOLOGIES = ("medieval", "renaissance", "arquebus", "musket", "baroque", "manoeuvre", "lace-war")

# country, army_class ("" = given), artillery, replacement_leaders (section 2.2; usa's replacement row is ASSUMED).
COUNTRIES = {row["country"]: row for row in lines_of("simulator.rules.europa", "countries")}
# Of losses by Fire, the halves that count; all with better technologies (sections 3.3 and 4.5 step 3).
FIRE_HALVES = {"medieval": 0, "renaissance": 0, "arquebus": 1}
TURKISH = ("turkey", "turkey-janissary", "turkey-vizier")


class Stack:
    """One side, as the rules see it. `size` in thirds of a LD; `columns` of Fire ("" for no Fire) and Shock.

    `leaders` are the values that its leader may have, with weights when he is drawn. Raises Refusal for a leader that
    cannot be found.
    """

    def __init__(self, fields: Land | Siege | Campaign, name: str, book: Book) -> None:
        side, enemy = getattr(fields, name), getattr(fields, SIDES[1 - SIDES.index(name)])
        self.name, self.side, self.size, self.army_class = name, side, size_of(side), class_of(side)
        self.turkish = side.country in TURKISH
        self.has_army = side.army_plus + side.army_minus > 0
        self.tercios = side.tercios and (self.has_army or not getattr(fields.options, "tercios_require_army", False))
        self.leader = leader_of(side, book, f"{name}.leader")
        self.replacements = book.replacements[COUNTRIES[side.country]["replacement_leaders"]]
        self.leaders = replacements(self.leader, self.replacements)
        self.artillery = artillery_value(side, side.army_plus, side.army_minus, fields.conditions.period, book)
        technology = book.technology(side.technology, enemy.technology)
        # Renaissance without ARMY does not fire in Europe.
        fires = side.technology != "renaissance" or self.has_army or fields.conditions.region != "europe"
        self.columns = technology["fire_column"] if fires else "", technology["shock_column"]
        veteran = getattr(side, "veteran", True) and getattr(side, "pasha_detachments", 0) == 0
        drilled = self.tercios and side.technology in {"renaissance", "arquebus"}
        self.morale = technology["morale"] + veteran * technology["veteran_bonus"] + drilled

    def text(self) -> str:
        """Country, class and size in words."""
        return f"{self.side.country} (class {self.army_class}), {detachments(self.size)}"


def detachments(thirds: int) -> str:
    """A size as the game writes it: 11 thirds are "3 LD 2/3"."""
    whole, rest = divmod(thirds, LD)
    if rest and not whole:
        return f"{rest}/3 LD"
    return f"{whole} LD" + (f" {rest}/3" if rest else "")


def size_of(side: Side | Troops) -> int:
    """Size in thirds: 12 an ARMY+, 6 an ARMY-, 3 a LD (those of pashas too), 1 a LDE."""
    loose = side.land_detachments + getattr(side, "pasha_detachments", 0)
    return 12 * side.army_plus + 6 * side.army_minus + LD * loose + side.exploration_detachments


def class_of(side: Side | Troops) -> str:
    """Army class: the country's, or for a minor the one given (III by default)."""
    return COUNTRIES[side.country]["army_class"] or getattr(side, "army_class", "") or "III"


def artillery_value(side: Side, army_plus: int, army_minus: int, period: str, book: Book) -> int:
    """Artillery with so many ARMY counters left, given or computed (section 2.4).

    Best ARMY, +2 if another ARMY has 2 or more, else +1 if another has 1; no ARMY: 0. Of an ARMY+ by country; a period
    missing in its row falls back to that of the class (section 2.2).
    """
    given, army_class = getattr(side, "artillery_value", -1), class_of(side)
    by_class = "class-I-II" if army_class in {"I", "II"} else "class-A" if army_class == "A" else "class-other"
    artillery = book.column("artillery_per_army", "artillery")
    of_army = artillery.get((COUNTRIES[side.country]["artillery"], period), artillery[by_class, period])
    armies = [of_army] * army_plus + [of_army // 2] * army_minus
    return int(given) if given >= 0 else sum(armies[:1]) + min(2, sum(armies[1:2]))


def army_size(side: LandSide, period: str, book: Book) -> int:
    """Structural size 0-7, given or by class and period; Turkish after m-1a or m-2: 4, from period IV on 2."""
    if side.army_size >= 0:
        return int(side.army_size)
    if side.country in TURKISH and side.turkish_reform in {"m-1a", "m-2"}:
        return 4 if period in {"I", "II", "III"} else 2
    return book.column("army_class_size", "size")[class_of(side), period]


class Opponents(Generic[Scenario]):
    """The two sides of a battle on land before it begins. Raises Refusal for leaders and tables that are wrong."""

    def __init__(self, fields: Scenario) -> None:
        self.fields, self.book = fields, book(fields.options.tables)
        self.europe = fields.conditions.region == "europe"
        self.stacks = Stack(fields, SIDES[0], self.book), Stack(fields, SIDES[1], self.book)

    @cached_property
    def pairs(self) -> Counter[Pair]:
        """All pairs of leaders that may meet, with weights; equal ones are one."""
        cap = self.fields.options.leader_differential_cap
        return combine(self.stacks[0].leaders, self.stacks[1].leaders, lambda own, enemy: pair_of(own, enemy, cap))


def chain_of(setup: Any, line: Callable[..., str], counters: tuple[str, ...] = ()) -> Chain:
    """The chain of a battle between `Opponents`; `line(setup, before, result, after, dice)` shows a step."""
    params, start, limits = setup.params, setup.start, setup.limits
    return Chain(params, start, limits, setup.tables.close(), counters, partial(line, setup), may_be_over=True)
