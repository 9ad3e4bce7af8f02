"""Units of a TripleA map as units of a game file (docs/rules/triplea_import.md section 3)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any

from simulator.rules.custom.triplea.report import Report
from simulator.rules.custom.triplea.xml_map import Option, TripleaMap

DEAREST = 1_000_000
HEAVY_BOMBERS = "LHTR Heavy Bombers"

OPTIONS = tomllib.loads(resources.files("simulator.rules.custom.triplea").joinpath("options.toml").read_text("utf-8"))
NUMBERS = OPTIONS["unit"]["numbers"]
TAKEN = {*NUMBERS, *OPTIONS["unit"]["others"]}
SUICIDE = ("isSuicide", "isSuicideOnAttack", "isSuicideOnDefense", "isSuicideOnHit")
TOO_GOOD = "odds too good for its side"
NOT_RAISED = "a value of 0 rolls nothing, supported or not"
NOT_FIRED = "the unit cannot be hit, and only supports: it does not fire"
APPROXIMATED = dict.fromkeys(SUICIDE, f"the unit fights on: {TOO_GOOD}") | OPTIONS["unit"]["approximated"]


@dataclass(frozen=True)
class MapUnit:
    """A unit: its name in the game file, its spelling in the map, its options, and the line of its attachment."""

    name: str
    spelling: str
    options: dict[str, Option]
    line: int

    def is_true(self, *options: str) -> bool:
        """Is one of these options true?"""
        return any(option in self.options and self.options[option].is_true() for option in options)

    def number(self, option: str, default: int = 0) -> int:
        """The whole number of an option; one that is odd or not given is `default`."""
        return self.options[option].number(default) if option in self.options else default

    @property
    def element(self) -> str:
        """The element that it fights in: air, sea or land; also its tag."""
        return "air" if self.is_true("isAir") else "sea" if self.is_true("isSea") else "land"

    @property
    def may_attack(self) -> bool:
        """Can it move into a battle?"""
        return self.number("movement") > 0 and not self.is_true("canNotMoveDuringCombatMove")

    @property
    def has_guns(self) -> bool:
        """Does it fire at aircraft before a battle?"""
        return self.is_true("isAAforCombatOnly", "isAA")

    @property
    def supports_only(self) -> bool:
        """Is it a thing that cannot be hit? In TripleA `isAA` makes a unit infrastructure too."""
        return self.is_true("isInfrastructure", "isFactory", "isAA")

    @property
    def can_fight(self) -> bool:
        """Can it be hit in a battle, or does it fire? Hulls and things to be developed do neither."""
        fires = any(self.number(one) > 0 and self.number(f"{one}Rolls", 1) > 0 for one in ("attack", "defense"))
        helps = self.has_guns or self.number("bombard") > 0 or self.is_true("artillery")
        return fires or helps or (self.number("hitPoints", 1) > 0 and self.number("movement") > 0)

    @property
    def is_used_up(self) -> bool:
        """Is it lost when it fires or hits?"""
        return self.is_true(*SUICIDE)

    @property
    def suicides(self) -> bool:
        """Is it used up on one of the sides, hit or not?"""
        return self.is_true("isSuicide", "isSuicideOnAttack", "isSuicideOnDefense")

    @property
    def strikes_first(self) -> bool:
        """Does it fire before the other units (section 5)?"""
        return self.is_true("isSub", "isFirstStrike", "isSuicide")

    @property
    def submerges(self) -> bool:
        """Does it give way where nobody can hit any more (section 4)?"""
        return self.is_true("isSub", "canEvade")

    @property
    def is_soft_transport(self) -> bool:
        """Is it a transport that cannot attack?"""
        carries = self.number("transportCapacity") > 0 and not self.is_true("isCombatTransport")
        return self.element == "sea" and carries and self.number("attack") <= 0


class UnitTables:
    """Unit tables of the game file, one option after the other, and the further dice that they need."""

    def __init__(self, found: TripleaMap, sides: int, report: Report) -> None:
        self.sides, self.report = sides, report
        self.best_roll = found.is_on(HEAVY_BOMBERS)
        self.costs = _costs(found, report)
        self.dice: dict[str, Any] = {}
        self.notes: dict[str, str] = {}

    def table(self, unit: MapUnit) -> dict[str, Any]:
        """The table of one unit; its options are reported."""
        self.notes = {}
        table: dict[str, Any] = {}
        if unit.spelling != unit.name:
            table["name"] = unit.spelling
        table |= {"cost": self._cost(unit), "tags": [unit.element]} | self._hits(unit)
        for roll, option in (("attack", "attack"), ("defence", "defense")):
            made = self._roll(unit, option, f"{option}Rolls")
            if made and unit.supports_only:
                self.notes[option] = NOT_FIRED
                self.report.not_fired.setdefault(unit.name)
            if made or not unit.supports_only:
                table[roll] = made or 0
        if unit.element == "sea" and unit.is_true("canBombard"):
            fired = "bombard" if unit.number("bombard") > 0 else "attack"
            if made := self._roll(unit, fired, "attackRolls"):
                table["rolls"] = {"bombard": made}
        if unit.has_guns:
            table |= self._guns(unit)
        if unit.is_true("artillerySupportable") and not table.get("attack"):
            self.notes["artillerySupportable"] = NOT_RAISED
        self._report(unit)
        return table

    def _cost(self, unit: MapUnit) -> float:
        line, price = self.costs.get(unit.spelling, (0, 0))
        if unit.number("tuv", -1) >= 0:
            if line:
                self.report.left_out(line, f"{unit.name}: cost", "tuv is its cost")
            return self._held(unit.number("tuv"), 0, DEAREST, "tuv")
        held = min(price, DEAREST)
        if line:
            self.report.taken(line, f"{unit.name}: cost", "" if held == price else f"held within {DEAREST:,}")
        return held

    def _hits(self, unit: MapUnit) -> dict[str, Any]:
        hits = unit.number("hitPoints", 2 if unit.is_true("isTwoHit") else 1)
        held = self._held(hits, 1, 20, "hitPoints")
        return {"hits": held, "absorb": "first"} if held > 1 else {}

    def _held(self, value: int, least: int, most: int, option: str) -> int:
        if not least <= value <= most:
            self.notes[option] = f"held within {least} and {most}"
        return min(max(value, least), most)

    def _roll(self, unit: MapUnit, option: str, dice_option: str) -> int | dict[str, Any] | None:
        value = self._held(unit.number(option), 0, self.sides, option)
        dice = unit.number(dice_option, 1)
        if value < 1 or dice < 1:
            return None
        if dice > 1 and (self.best_roll or unit.is_true("chooseBestRoll")):
            if dice > 2:
                self.notes[dice_option] = "the best of more than two dice counts as the better of two"
            return {"value": value, "reroll": "misses"}
        return _written(value, self._held(dice, 1, 1000, dice_option))

    def _guns(self, unit: MapUnit) -> dict[str, Any]:
        found: dict[str, Any] = {}
        shots = unit.number("maxAAattacks", -1)
        dice = self._held(shots, 1, 1000, "maxAAattacks") if shots > 0 else 1000
        for side, option, default in (("attacker", "offensiveAttackAA", 0), ("defender", "attackAA", 1)):
            if side == "attacker" and not unit.may_attack:
                continue
            sides = unit.number(f"{option}maxDieSides", self.sides)
            sides = self._held(sides if sides > 0 else self.sides, 2, 1000, f"{option}maxDieSides")
            value = self._held(unit.number(option, default), 0, sides, option)
            if value < 1:
                continue
            roll = _written(value, dice)
            if sides != self.sides:
                self.dice[f"d{sides}"] = {"sides": sides}
                roll = (roll if isinstance(roll, dict) else {"value": roll}) | {"die": f"d{sides}"}
            found[side] = {"rolls": {"aa": roll}}
        return found

    def _report(self, unit: MapUnit) -> None:
        for name, option in unit.options.items():
            about = f"{unit.name}: {name}"
            if name in NUMBERS and option.is_odd():
                self.report.left_out(
                    option.line, about, f"{option.value.strip()[:40]!r} is not a whole number", "option"
                )
            elif name in self.notes or name in TAKEN:
                self.report.taken(option.line, about, self.notes.get(name, ""))
            elif name in APPROXIMATED:
                self.report.taken(option.line, about, "" if option.is_off() else APPROXIMATED[name])
            else:
                self.report.left_out(option.line, about, "does not concern the odds of a battle")


def _written(value: int, dice: int) -> int | dict[str, Any]:
    return value if dice == 1 else {"value": value, "dice": dice}


def _costs(found: TripleaMap, report: Report) -> dict[str, tuple[int, float]]:
    """The line and price of each unit by its first production rule with one product; odd ones are reported."""
    costs: dict[str, tuple[int, float]] = {}
    for rule in found.production:
        if len(rule.results) != 1 or rule.results[0][0] in costs:
            continue
        unit, number = rule.results[0]
        prices = dict(reversed(rule.costs))
        price = prices.get("PUs", rule.costs[0][1] if rule.costs else 0)
        if price is None or price < 0 or number is None or number < 1:
            if unit in found.units:
                report.left_out(rule.line, f"{unit}: cost", "not a whole number of at least 0 for at least one unit")
            continue
        each = price / number
        costs[unit] = (rule.line, int(each) if each.is_integer() else each)
    return costs
