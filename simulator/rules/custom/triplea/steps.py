"""Steps of an imported map: the units that fire, and their targets (docs/rules/triplea_import.md section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from simulator.rules.custom.game_file.unit_names import slug, unused
from simulator.rules.custom.game_file.units import MAIN, MAIN_ROLLS
from simulator.rules.custom.triplea.kinds import Taking
from simulator.rules.custom.triplea.units import MapUnit
from simulator.rules.custom.triplea.xml_map import MapError, TripleaMap
from simulator.rules.toolkit.by_key import by_key

MOST_STEPS = 32
AA = "anti-aircraft"


@dataclass(frozen=True)
class StepPart:
    """Units of an element that fire alike: number, names, what they spare, and from whom others hide.

    `spared`: they never hit these; `hidden`: they hit these only if a destroyer of their own side is there.
    """

    number: int
    strike: int
    names: list[str]
    spared: list[str]
    hidden: list[str]


class StepTables:
    """The steps of a map."""

    def __init__(
        self, found: TripleaMap, units: Sequence[MapUnit], tables: dict[str, Any], kinds: dict[str, Taking]
    ) -> None:
        self.found, self.units, self.tables, self.kinds = found, units, tables, kinds
        self.names = {unit.spelling: unit.name for unit in units}
        self.destroyers = [unit.name for unit in units if unit.is_true("isDestroyer")]
        self.defenders_strike = found.is_on("WW2V2") or found.is_on("Defending Subs Sneak Attack")
        # The rolls of those that strike first.
        self.strike_fire = MAIN_ROLLS if self.defenders_strike else {"attacker": "attack"}

    def every(self) -> list[dict[str, Any]]:
        """The steps as tables of the game file. Raises MapError for more than a game file holds."""
        steps = [step for made in self._in_order() if (step := self._with_fire(made))]
        if len(steps) > MOST_STEPS:
            raise MapError(
                f"a game file holds at most {MOST_STEPS} steps, the map needs {len(steps)}; choose with --units"
            )
        return steps

    def _in_order(self) -> Iterator[dict[str, Any]]:
        yield from self._guns()
        for kind, group in (("land", "land"), ("amphibious", "landing"), ("sea", "sea")):
            if kind in self.kinds:
                yield from self._battle(kind, group)

    def _with_fire(self, step: dict[str, Any]) -> dict[str, Any]:
        """The step with the sides that can fire; empty if none can."""
        kinds = [self.kinds[kind] for kind in step.get("battle", self.kinds)]
        fire = {
            side: roll
            for side, roll in step["fire"].items()
            for name in [
                name for name in step["by"] if any(kind.has(side, roll, self.tables[name], name) for kind in kinds)
            ][:1]
        }
        return step | {"fire": fire} if fire else {}

    def _guns(self) -> Iterator[dict[str, Any]]:
        """Anti-aircraft fire, one step for each type of gun."""
        guns_there = (unit for unit in self.units if unit.has_guns)
        types = by_key(guns_there, lambda unit: getattr(unit.options.get("typeAA"), "value", "") or "AA")
        used: set[str] = set()
        for kind, guns in types.items():
            first = guns[0]
            targets = self._listed(first, "targetsAA")
            if targets is None:
                targets = [unit.name for unit in self.units if unit.element == "air" and not unit.supports_only]
            if not targets:
                continue
            name = unused(AA if kind == "AA" else f"aa-{slug(kind, '-')}"[:40].rstrip("-"), used, "-")
            used.add(name)
            rounds = first.number("maxRoundsAA", 1)
            step: dict[str, Any] = {"name": name, "fire": {"attacker": "aa", "defender": "aa"}}
            if rounds == 1:
                step["when"] = "before-battle"
            elif rounds > 1:
                step["to_round"] = min(rounds, 100)
            step |= {"by": [gun.name for gun in guns], "hits_only": targets}
            if not first.is_true("mayOverStackAA"):
                step["dice_at_most"] = {"enemy": targets}
            if unless := self._listed(first, "willNotFireIfPresent"):
                step["unless_enemy_has"] = unless
            yield step

    def _listed(self, unit: MapUnit, option: str) -> list[str] | None:
        """The units that an option names, in file order; None if it is not given."""
        if option not in unit.options:
            return None
        named = set(unit.options[option].names())
        return [one.name for one in self.units if one.spelling in named]

    def _battle(self, kind: str, group: str) -> Iterator[dict[str, Any]]:
        """Bombardment, first strikes and general fire of one kind."""
        parts = self._parts("sea" if kind == "sea" else "land")
        bombardment = [self._bombardment()] if kind == "amphibious" else []
        returned = self.found.is_on("Naval Bombard Casualties Return Fire")
        if not returned:
            yield from bombardment
        here: dict[str, Any] = {"battle": [kind]}
        for part in parts:
            if part.strike:
                step = here | {"name": f"{group}-strike-{part.strike}", "group": f"{group}-strike"}
                step |= {"fire": self.strike_fire}
                if self.destroyers:
                    step["unless_enemy_has"] = self.destroyers
                yield from self._aimed(step, part)
        if returned:
            yield from (step | {"group": group, "pool": "bombardment"} for step in bombardment)
        for part in parts:
            step = here | {"name": f"{group}-{part.number}", "group": group, "fire": MAIN_ROLLS}
            if not part.strike:
                yield from self._aimed(step, part)
            else:
                yield from self._after_strike(step, part)

    def _after_strike(self, step: dict[str, Any], part: StepPart) -> Iterator[dict[str, Any]]:
        """General fire of a part that strikes first unless destroyers hinder it; a pool of its own in low luck."""
        step = step | {"pool": "strike"}
        if self.destroyers:
            yield from self._aimed(step | {"fire": self.strike_fire, "if_enemy_has": self.destroyers}, part)
        if not self.defenders_strike:
            defending = {"name": f"{step['name']}-defending", "fire": {"defender": "defence"}}
            yield from self._aimed(step | defending, part)

    def _aimed(self, step: dict[str, Any], part: StepPart) -> Iterator[dict[str, Any]]:
        """The step at what the part can hit: without and with a destroyer of its own that finds hidden units."""
        step = step | {"by": part.names}
        spares = [unit.name for unit in self.units if unit.name in (*part.spared, *part.hidden)]
        found = step | {"name": f"{step['name']}-found"}
        if part.hidden and self.destroyers:
            yield step | {"spares": spares, "unless_own_has": self.destroyers}
            yield found | ({"spares": part.spared} if part.spared else {}) | {"if_own_has": self.destroyers}
        else:
            yield step | ({"spares": spares} if spares else {})

    def _bombardment(self) -> dict[str, Any]:
        step: dict[str, Any] = {"name": "bombardment", "battle": ["amphibious"], "to_round": 1}
        step |= {"fire": {"attacker": "bombard"}, "by": self.kinds["amphibious"].supports["attacker"]}
        if self.found.is_on("Shore Bombard Per Ground Unit Restricted"):
            fights = self.kinds["amphibious"].fights["attacker"]
            land = [unit.name for unit in self.units if unit.element == "land" and unit.name in fights]
            step["dice_at_most"] = {"own": land}
        return step

    def _parts(self, element: str) -> list[StepPart]:
        """The units of an element that have an attack or a defence, those that fire alike together."""
        here = [unit for unit in self.units if unit.element in (element, "air") and not unit.supports_only]
        able = [unit for unit in here if any(self.tables[unit.name].get(roll) for roll in MAIN)]
        alike = by_key(able, lambda unit: (unit.strikes_first, self._spared(unit, here), self._hidden(unit, here)))
        parts, strikes = [], 0
        for number, ((strikes_first, spared, hidden), units) in enumerate(alike.items(), 1):
            strikes += strikes_first
            always = set(spared)
            parts.append(
                StepPart(
                    number,
                    strikes if strikes_first else 0,
                    [unit.name for unit in units],
                    [*spared],
                    [one for one in hidden if one not in always],
                )
            )
        return parts

    def _spared(self, unit: MapUnit, here: Sequence[MapUnit]) -> tuple[str, ...]:
        """The units that this one can never hit."""
        given = self._listed(unit, "canNotTarget")
        if given is not None:
            return tuple(one.name for one in here if one.name in given)
        if unit.is_true("isSuicide"):
            return tuple(one.name for one in here if one.suicides)
        return tuple(one.name for one in here if unit.is_true("isSub") and one.element == "air")

    def _hidden(self, unit: MapUnit, here: Sequence[MapUnit]) -> tuple[str, ...]:
        """The units that this one can hit only if a destroyer of its side is there."""
        restricted = self.found.is_on("Air Attack Sub Restricted")
        hidden = []
        for one in here:
            given = self._listed(one, "canNotBeTargetedBy")
            if given is None:
                given = [unit.name] if one.is_true("isSub") and restricted and unit.element == "air" else []
            if unit.name in given:
                hidden.append(one.name)
        return tuple(hidden)
