"""Fleets about to fight: lines, modifiers, columns (docs/rules/europa_naval_and_other.md section 3, steps 3-6)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property

from simulator.engine.model.chain import SIDES
from simulator.engine.model.chance import combine
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY
from simulator.rules.europa.sea.model import (
    SEA_TYPES,
    FleetPolicy,
    HostileSide,
    MovingFleet,
    Naval,
    NavalConditions,
    NavalOptions,
    NavalSide,
    SeaConditions,
)
from simulator.rules.europa.shared.fleets import (
    IN_FILE,
    LAW,
    ND,
    TECHNOLOGIES,
    Cargo,
    Fleet,
    Hold,
    cargo_of,
    fleet_of,
    hold_of,
    loss_order,
)
from simulator.rules.europa.shared.leaders import FACES, Leader, Values, leader_of, replacements
from simulator.rules.europa.shared.modifiers import BOTH_DAYS, SECOND_DAY, Modifier, sum_of
from simulator.rules.europa.shared.stacks import COUNTRIES
from simulator.rules.europa.shared.voyage import Voyager, of_the_way
from simulator.rules.europa.tables import Book, book

WARSHIPS, GALLEYS, TRANSPORTS = "warships", "galleys", "transports"
LAST_TURN_OF_GALLEYS, TURN_OF_OLD_GALLEYS = 25, 35
DRMS = f"{LAW} 3 step 6"
PURSUIT = f"{LAW} 3 step 9"
WIND = Modifier(BOTH_DAYS, 1, 1, "wind", DRMS, 1)


@dataclass(frozen=True)
class Squadron:
    """One side of a naval battle, as the rules see it."""

    name: str
    side: HostileSide
    fleet: Fleet
    cargo: Cargo
    hold: Hold
    leader: Leader
    replacements: tuple[tuple[int, int, int], ...]
    retreat_drm: int | None
    policy: FleetPolicy

    @cached_property
    def line(self) -> str:
        """The first line: what kind of ships fights (step 3)."""
        galleys = self.fleet.galleys + self.fleet.galleasses
        if self.mixed and self.policy.first_line != "most-numerous":
            return str(self.policy.first_line)
        if galleys > self.fleet.warships // ND:
            return GALLEYS
        return WARSHIPS if self.fleet.warships else TRANSPORTS

    @property
    def mixed(self) -> bool:
        """Does the policy choose the first line?"""
        return bool(self.fleet.warships and (self.fleet.galleys or self.fleet.galleasses))

    @property
    def n(self) -> int:
        """ND of the first line."""
        fleet = self.fleet
        of = {WARSHIPS: fleet.warships // ND, GALLEYS: fleet.galleys + fleet.galleasses, TRANSPORTS: fleet.transports}
        return of[self.line]

    @property
    def row(self) -> str:
        """Its technology in the tables: a galley line is GALLEY."""
        return "galley" if self.line == GALLEYS else IN_FILE.get(self.side.technology, self.side.technology)

    @property
    def modern(self) -> bool:
        """Battery or later: every galley stack counts as having galleasses."""
        return TECHNOLOGIES.index(self.side.technology) >= TECHNOLOGIES.index("battery")

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The kinds of ships in the order in which they are lost."""
        return loss_order(self.policy.losses, bool(self.cargo))

    @property
    def numbers(self) -> tuple[object, ...]:
        """All that a battle depends on, but for the ships, the cargo and the retreat."""
        side, policy = self.side, tuple(dict(self.policy).values())
        own = side.technology, side.veteran, side.fire_modifier, side.shock_modifier
        return *own, self.leader, self.replacements, self.hold, policy

    def values(self) -> Counter[Values]:
        """(manoeuvre, fire, shock, fragile) of its leader, with weights when it is drawn."""
        return replacements(self.leader, self.replacements)


@dataclass(frozen=True)
class Engagement:
    """Two fleets that meet, and where."""

    squadrons: tuple[Squadron, Squadron]
    conditions: NavalConditions
    options: NavalOptions
    book: Book

    @cached_property
    def modifiers(self) -> tuple[list[Modifier], list[Modifier]]:
        """Modifiers of each side, without those of wind and leaders."""
        a, d = self.squadrons
        return self._modifiers(a, d), self._modifiers(d, a)

    def _modifiers(self, own: Squadron, enemy: Squadron) -> list[Modifier]:
        more, turn, galleys = own.n - enemy.n, self.conditions.turn, own.line == GALLEYS
        at_home = self.conditions.sea == "mediterranean" and turn <= LAST_TURN_OF_GALLEYS
        at_home = galleys and enemy.line != GALLEYS and at_home
        old = galleys and enemy.line == WARSHIPS and turn >= TURN_OF_OLD_GALLEYS
        fire, shock = own.side.fire_modifier, own.side.shock_modifier
        rows = (
            (more >= 1, 0, 1, "first line of at least 1 ND more"),
            (more >= 7, 0, 1, "first line of at least 7 ND more"),
            (more >= 3, 1, 0, "first line of at least 3 ND more"),
            (galleys and enemy.line == GALLEYS and (own.fleet.galleasses >= 2 or own.modern), 1, 0, "galleasses"),
            (at_home, 1, 1, f"galleys in the Mediterranean until turn {LAST_TURN_OF_GALLEYS}"),
            (old, -1, -1, f"galleys against warships from turn {TURN_OF_OLD_GALLEYS}"),
            (fire or shock, fire, shock, "event or country rules"),
        )
        found = [Modifier(SECOND_DAY, -1, -1, "second day", f"{LAW} 3 step 7")]
        found += [Modifier(BOTH_DAYS, fire, shock, why, DRMS) for holds, fire, shock, why in rows if holds]
        if more >= 5:
            found.append(Modifier((), 0, 0, "first line of at least 5 ND more", PURSUIT, 1))
        return found

    def columns(self, side: int) -> tuple[str, str]:
        """Fire and Boarding columns; a convoy never rolls (step 5)."""
        own, enemy = self.squadrons[side], self.squadrons[1 - side]
        if own.line == TRANSPORTS:
            return "", ""
        row = self.book.technology(own.row, enemy.row, land=False)
        return str(row["fire_column"]), str(row["shock_column"])

    @cached_property
    def morale(self) -> tuple[int, int]:
        """Morale of both sides (step 5)."""
        return self._morale(0), self._morale(1)

    def _morale(self, side: int) -> int:
        """A convoy has 0; `options.veteran_rule` says who gains by veterans."""
        own, enemy = self.squadrons[side], self.squadrons[1 - side]
        if own.line == TRANSPORTS:
            return 0
        row, rule = self.book.technology(own.row, enemy.row, land=False), self.options.veteran_rule
        by_rule = int(rule == "all" or own.row in {"vessel", "three-decker"})
        return int(row["morale"]) + own.side.veteran * (int(row["veteran_bonus"]) if rule == "table" else by_rule)

    def halves(self, side: int) -> bool:
        """Does this side's Fire cost only half? (galleys without galleass below battery; step 7)"""
        own = self.squadrons[side]
        return own.line == GALLEYS and not own.fleet.galleasses and not own.modern

    def pursuit_column(self, side: int) -> str:
        """The column of a side's pursuit."""
        return "C" if self.squadrons[1 - side].line in {GALLEYS, TRANSPORTS} else "E"

    def settled_wind(self) -> int | None:
        """The side that has the wind without a roll: a side, NOBODY, or None if it is rolled for (step 4)."""
        if self.conditions.wind != "roll":
            return {"attacker": ATTACKER, "defender": DEFENDER, "none": NOBODY}[self.conditions.wind]
        lines = [squadron.line for squadron in self.squadrons]
        if lines == [GALLEYS, GALLEYS]:
            return NOBODY
        return 1 - lines.index(TRANSPORTS) if TRANSPORTS in lines else None

    def wind_advantage(self, side: int) -> int:
        """A side's entry in the wind table; 0 if there is none."""
        own, enemy = self.squadrons[side], self.squadrons[1 - side]
        entries = self.book.column("wind_advantage", "modifier")
        rows = tuple(squadron.row.upper().replace("-", "_") for squadron in (own, enemy))
        return int(entries.get(rows, 0))

    def winds(self, attacker: Values, defender: Values) -> Counter[int]:
        """The weights of each side for getting the wind, out of 100."""
        settled = self.settled_wind()
        if settled is not None:
            return Counter({settled: 100})
        return winds_ahead(attacker[0] + self.wind_advantage(0) - defender[0] - self.wind_advantage(1))


@cache
def winds_ahead(ahead: int) -> Counter[int]:
    """The weights of each side for getting the wind if the attacker's die has this bonus; not to be changed."""
    return combine(Counter(FACES), Counter(FACES), lambda own, enemy: wind_of(own + ahead - enemy))


def wind_of(lead: int) -> int:
    """The side that gets the wind if the attacker's roll is larger by this difference."""
    return ATTACKER if lead > 0 else DEFENDER if lead < 0 else NOBODY


def squadron_of(side: HostileSide, name: str, conditions: SeaConditions, policy: FleetPolicy, tables: Book) -> Squadron:
    """One fleet of a scenario. Raises Refusal for a leader that cannot be found."""
    return Squadron(
        name=name,
        side=side,
        fleet=fleet_of(side),
        cargo=cargo_of(side),
        hold=hold_of(side, conditions, tables),
        # A monarch at sea is like any other (section 12).
        leader=leader_of(side, tables, f"{name}.leader", SEA_TYPES)._replace(kind="admiral"),
        replacements=replacement_rows(side.country, tables),
        retreat_drm=sum_of_retreat(side),
        policy=policy,
    )


def sum_of_retreat(side: HostileSide) -> int | None:
    """The modifiers of a side's retreat attrition but MAN; None: none is rolled."""
    if isinstance(side, NavalSide) and side.retreat is not None:
        return sum_of(of_the_way(voyager_of(side, fleet_of(side)), side.retreat))
    return side.retreat_drm if isinstance(side, MovingFleet) else None


def voyager_of(side: MovingFleet, fleet: Fleet, manoeuvre: int = 0, siege: int = 0) -> Voyager:
    """These ships of a side, as far as attrition at sea depends on them and their leader."""
    return Voyager(bool(fleet.warships), side.technology, side.fleets_minus + side.fleets_plus, manoeuvre, siege)


def replacement_rows(country: str, tables: Book) -> tuple[tuple[int, int, int], ...]:
    """Replacement admirals of a country: a Polish one has MAN -1, a Prussian one Fire -1, not below 0 (section 2)."""
    slower, weaker = int(country == "poland"), int(country == "prussia")
    rows = tables.replacements[COUNTRIES[country]["replacement_leaders"]]
    return tuple((max(0, man - slower), max(0, fire - weaker), shock) for man, fire, shock in rows)


def engagement(fields: Naval) -> Engagement:
    """The two fleets of a naval scenario."""
    tables = book(fields.options.tables)
    attacker, defender = (
        squadron_of(getattr(fields, name), name, fields.conditions, getattr(fields.policy, name), tables)
        for name in SIDES
    )
    return Engagement((attacker, defender), fields.conditions, fields.options, tables)
