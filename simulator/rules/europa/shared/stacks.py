"""The value of a stack: who fights, size, artillery, army size, morale (docs/rules/europa_land_siege.md sections 2.2
to 2.5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from simulator.engine.model.chain import ENEMY, SIDES, Chain
from simulator.engine.model.chance import combine, seen_as
from simulator.rules.europa.shared.land_model import LandOptions
from simulator.rules.europa.shared.leaders import Pair, leader_of, pair_of, replacements
from simulator.rules.europa.tables import Book, book
from simulator.rules.toolkit.sheets import lines_of

if TYPE_CHECKING:
    from simulator.rules.europa.shared.fields import Troops
    from simulator.rules.europa.shared.land_model import (
        Campaign,
        FieldArmy,
        Land,
        LandSide,
        Options,
        Side,
        Siege,
        Technology,
    )

Scenario = TypeVar("Scenario", bound="Land | Siege | Campaign")

LD = 3
MOST_LD = 8  # of a European side that fight
EIGHT_LD = MOST_LD * LD
TECHNOLOGIES = ("medieval", "renaissance", "arquebus", "musket", "baroque", "manoeuvre", "lace-war")

# country, army_class ("" = given), artillery, replacement_leaders (section 2.2; usa's replacement row is ASSUMED).
COUNTRIES = {row["country"]: row for row in lines_of("simulator.rules.europa", "countries")}
# Of losses by Fire, the halves that count; all with better technologies (sections 3.3 and 4.5 step 3).
FIRE_HALVES = {"medieval": 0, "renaissance": 0, "arquebus": 1}
TURKISH = ("turkey", "turkey-janissary", "turkey-vizier")
TIMAR, VIZIER = ("turkey", "turkey-vizier"), "turkey-vizier"
# The siege value of the generic Vizier (section 2.5): a d10, odd 1, even 0.
VIZIER_SIEGE = Counter({0: 1, 1: 1})


class Stack:
    """One side, as the rules see it. `size` in thirds of a LD; `columns` of Fire ("" for no Fire) and Shock.

    `side` are its fields with the troops that fight and the technology that they use, `idle` the thirds that stand by
    (section 2.4). `leaders` are the values that its leader may have, with weights when he is drawn. Raises Refusal for
    a leader that cannot be found.
    """

    def __init__(self, fields: Land | Siege | Campaign, name: str, book: Book) -> None:
        given, enemy = getattr(fields, name), getattr(fields, ENEMY[name])
        side = fighting(given, fields.options)
        self.name, self.side, self.given, self.size, self.army_class = name, side, given, size_of(side), class_of(side)
        self.timar, self.idle = is_timar(given, fields.options), size_of(given) - self.size
        self.turkish = side.country in TURKISH
        self.has_army = side.army_plus + side.army_minus > 0
        options = fields.options
        alone = not (isinstance(options, LandOptions) and options.tercios_require_army)  # in assaults as given
        self.tercios = side.tercios and (self.has_army or alone)
        self.leader = leader_of(side, book, f"{name}.leader")
        self.replacements = book.replacements[COUNTRIES[side.country]["replacement_leaders"]]
        self.leaders = replacements(self.leader, self.replacements)
        self.artillery = artillery_value(side, side.army_plus, side.army_minus, fields.conditions.period, book)
        against = technology_of(enemy, fields.options)
        technology = book.technology(side.technology, against)
        # Renaissance without ARMY does not fire in Europe.
        fires = side.technology != "renaissance" or self.has_army or fields.conditions.region != "europe"
        self.columns = technology["fire_column"] if fires else "", technology["shock_column"]
        pashas = getattr(side, "pasha_detachments", 0) > 0
        veteran = getattr(side, "veteran", None) is not False and not self.timar and not pashas
        trained = timar_technology(side) if pashas and fields.options.timar_limits else side.technology
        drilled = self.tercios and trained in {"renaissance", "arquebus"}
        row = book.technology(trained, against)
        self.morale = row["morale"] + veteran * row["veteran_bonus"] + drilled

    @property
    def is_vizier(self) -> bool:
        """Is its leader the generic Vizier, rolled whenever a value is needed (section 2.5)?"""
        return self.side.country == VIZIER and self.leader.drawn

    @property
    def manoeuvres(self) -> Counter[int]:
        """Manoeuvre outside of the fighting, with weights: other replacements than the Vizier count 0."""
        return seen_as(self.leaders, lambda values: values[0]) if self.is_vizier else Counter([self.leader.manoeuvre])

    @property
    def siege_values(self) -> Counter[int]:
        """Siege value of a besieger, its helpers' included, with weights: the Vizier's is rolled for every use."""
        own = VIZIER_SIEGE if self.is_vizier else Counter([self.leader.siege])
        return seen_as(own, lambda value: max(value, self.side.siege_value))

    def text(self) -> str:
        """Country, class and size in words."""
        return f"{self.side.country} (class {self.army_class}), {detachments(self.size)}"


# A third of a detachment: an exploration detachment, on land and at sea.
THIRDS = {"LD": "LDE", "ND": "DE"}


def detachments(thirds: int, unit: str = "LD") -> str:
    """A size in the units of the game: 11 thirds are "3 LD 2 LDE", or at sea "3 ND 2 DE" (section 11)."""
    whole, rest = divmod(thirds, LD)
    parts = [f"{number} {name}" for number, name in ((whole, unit), (rest, THIRDS[unit])) if number]
    return " ".join(parts) or f"0 {unit}"


def is_non_european(side: LandSide) -> bool:
    """A ROTW country or natives (section 2.1)."""
    return side.country == "natives" if side.non_european is None else side.non_european


def is_timar(side: Side, options: Options) -> bool:
    """Are these Timar, in the field or besieging (section 2.5)? Troops inside a fortress have no reforms."""
    return options.timar_limits and side.country in TIMAR and getattr(side, "turkish_reform", "m-2") != "m-2"


def timar_technology(side: FieldArmy) -> Technology:
    """The technology that Timar of a side fight with: at most arquebus, after m-1b musket (section 2.5)."""
    return min(side.technology, "musket" if side.turkish_reform == "m-1b" else "arquebus", key=TECHNOLOGIES.index)


def technology_of(side: Side, options: Options) -> Technology:
    """The technology that a side fights with."""
    return timar_technology(side) if is_timar(side, options) else side.technology  # type: ignore[arg-type]


def fighting(side: Any, options: Options) -> Any:
    """A `Side` with the troops that fight and the technology that they use.

    Of a European side in a land battle at most 8 LD fight, pashas, loose LDE and converted natives apart. What exceeds
    them is taken out like losses that keep the best army, so the biggest counters stay (section 2.4).
    """
    changes: dict[str, object] = {"technology": technology_of(side, options)}
    if hasattr(side, "non_european") and not is_non_european(side):
        plus = min(side.army_plus, MOST_LD // 4)
        minus = min(side.army_minus, (MOST_LD - 4 * plus) // 2)
        loose = min(side.land_detachments, MOST_LD - 4 * plus - 2 * minus)
        changes |= {"army_plus": plus, "army_minus": minus, "land_detachments": loose}
    return side.model_copy(update=changes)


def counted_ld(side: Side | Troops) -> int:
    """Whole LD in counters: 4 an ARMY+, 2 an ARMY-, and the loose ones; those of pashas apart."""
    return 4 * side.army_plus + 2 * side.army_minus + side.land_detachments


def size_of(side: Side | Troops) -> int:
    """Size in thirds: 12 an ARMY+, 6 an ARMY-, 3 a LD (those of pashas too), 1 a LDE, and converted natives."""
    thirds = side.exploration_detachments + getattr(side, "converted_natives_thirds", 0)
    return LD * (counted_ld(side) + getattr(side, "pasha_detachments", 0)) + thirds


def class_of(side: Side | Troops) -> str:
    """Army class: the country's, or for a minor the one given (III by default)."""
    return COUNTRIES[side.country]["army_class"] or getattr(side, "army_class", "") or "III"


def artillery_value(side: Side, army_plus: int, army_minus: int, period: str, book: Book) -> int:
    """Artillery with this many ARMY counters left, given or computed (section 2.4).

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
    """Structural size 0-7, given or by class and period: 4, from period IV on 2 for Turkish countries after m-2.

    The same for Janissaries after m-1a.
    """
    if side.army_size >= 0:
        return int(side.army_size)
    reformed = {"m-1a", "m-2"} if side.country == "turkey-janissary" else {"m-2"}
    if side.country in TURKISH and side.turkish_reform in reformed:
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
