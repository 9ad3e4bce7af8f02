"""Format 3 of docs/rules/custom_games.md, read as slowly and plainly as `reference`: every throw is written out."""

from collections import defaultdict
from itertools import product

from tests.custom.reference import SIDES
from tests.custom.reference_format2 import OTHER, Plain, Reference2

TURNED = {"own": "enemy", "enemy": "own"}


class Reference3(Reference2):
    """Modifiers with a limit are `self.limited` (bonuses) and `self.again` (rerolls); all others `self.modifiers`."""

    def __init__(self, game, scenario):
        super().__init__(game, scenario)
        everything = self.modifiers
        self.again = {side: [m for m in everything[side] if "at_most" in m and "reroll" in m] for side in SIDES}
        self.limited = {side: [m for m in everything[side] if "at_most" in m and "reroll" not in m] for side in SIDES}
        self.modifiers = {side: [m for m in everything[side] if "at_most" not in m] for side in SIDES}

    def modifiers_of(self, side):
        found = []
        for giver in SIDES:
            given = [m for m in self.g.get("modifier", []) if m.get("side", "both") in ("both", giver)]
            given += [*self.s[giver].get("modifiers", []), {"adds": self.s[giver].get("modifier", 0)}]
            whom = "own" if giver == side else "enemy"
            found += [m if whom == "own" else turned(m) for m in given if m.get("whom", "own") == whom]
        return found

    def count(self, limit, own, enemy, counted=lambda unit: True):
        """A count (2.1)."""
        if isinstance(limit, int):
            return limit
        stands = own if "own" in limit else enemy
        units = sum(stands[u] for u in self.select(limit.get("own", limit.get("enemy"))) if counted(u))
        return min(limit.get("each", 1) * units, limit.get("most", 1000))

    def own_roll(self, side, unit, name):
        roll = super().own_roll(side, unit, name)
        return roll and roll | {"_unit": unit}

    def firing(self, side, step):
        """The units that may fire a step."""
        name = step.get("fire", {"attacker": "attack", "defender": "defence"})[side]
        for unit in self.units:
            able = unit in self.fights[side] or (unit in self.supports[side] and name not in ("attack", "defence"))
            able = able and ("by" not in step or unit in self.select(step["by"]))
            if able and unit in step.get("_by", {side: self.units})[side] and self.own_roll(side, unit, name):
                yield unit, self.own_roll(side, unit, name)

    def holding(self, rules, side, step, number, stands):
        name = step.get("fire", {"attacker": "attack", "defender": "defence"})[side]
        own, enemy = stands[side], stands[OTHER[side]]
        return [m for m in rules if self.applies(m, step, name) and self.scope(m, number, own, enemy)]

    def bare(self, side, roll):
        """The chance of one die of a roll to hit anything, without shields, supports, modifiers and rerolls."""
        if "bonus" in roll:
            return roll["bonus"]
        return sum(p for _, p in Plain2(self).die_of(side, roll, self.units, None, ["none"]))

    def helping(self, side, step, number, stands):
        found = super().helping(side, step, number, stands)
        firing = sorted(self.firing(side, step), key=lambda one: -self.bare(side, one[1]))
        for modifier in self.holding(self.limited[side], side, step, number, stands):
            left = self.count(modifier["at_most"], stands[side], stands[OTHER[side]])
            for unit, _ in firing:
                for piece in range(stands[side][unit] if unit in self.select(modifier.get("units", self.units)) else 0):
                    if left:
                        left -= 1
                        found[unit, piece].append(modifier)
        return found

    # --- damage at the start ---
    def line(self, side):
        points = list(super().line(side))
        for unit, hits in self.s[side].get("damaged", {}).items():
            for _ in range(hits):
                points.remove(next(point for point in points if point[0] == unit))
        return tuple(points)

    def columns(self, lines, rounds, ending):
        found = super().columns(lines, rounds, ending)
        for side in SIDES:
            for unit, hits in self.s[side].get("damaged", {}).items():
                name = f"{side}_{unit}"
                if found[f"{side}_units_left"] and not self.g.get("losses", {}).get("repaired"):
                    found[f"{name}_damage"] += hits
        return found

    # --- so many misses rolled again ---
    def best_dice(self, side, step, number, stands):
        """(die, unit, has it a reroll of its own?) of each die that is rolled, best first."""
        dice = []
        for roll, value, many, rerolls in self.rolling(side, step, number, stands):
            die = self.die_of(side, roll, self.targets(side, step), value, rerolls)
            dice += [(die, roll["_unit"], any(reroll != "none" for reroll in rerolls))] * many
        dice.sort(key=lambda one: (-sum(p for _, p in one[0]), -sum(p * hit[1] for hit, p in one[0])))
        if "dice_at_most" in step:
            own, enemy = stands[side], stands[OTHER[side]]
            limit = step["dice_at_most"]
            whose = side if isinstance(limit, dict) and "own" in limit else OTHER[side]
            dice = dice[: self.count(limit, own, enemy, lambda unit: unit in self.fights[whose])]
        return dice

    def throws(self, side, step, number, stands):
        """(hits of all dice of a step, chance), throw by throw."""
        dice = self.best_dice(side, step, number, stands)
        again = self.holding(self.again[side], side, step, number, stands)
        limits = [self.count(m["at_most"], stands[side], stands[OTHER[side]]) for m in again]
        for first, p in thrown([die for die, *_ in dice]):
            second = []
            for modifier, limit in zip(again, limits, strict=True):
                units = self.select(modifier.get("units", self.units))
                missed = [i for i, hit in enumerate(first) if hit is None and not dice[i][2] and i not in second]
                second += [i for i in missed if dice[i][1] in units][:limit]
            for hits, q in thrown([dice[i][0] for i in second]):
                yield [hit for hit in (*first, *hits) if hit], p * q

    def tallies(self, side, group, number, stands):
        """Hits by class, in the order of allotting, and their chance."""
        fired = [step for _, step in group if self.fired(side, step, number, stands)]
        if self.lowluck or not any(self.holding(self.again[side], side, step, number, stands) for step in fired):
            yield from super().tallies(side, group, number, stands)
            return
        _, order = self.allotting(side, group, number, stands)
        found = {(0,) * len(order): 1.0}
        for step in fired:
            after = defaultdict(float)
            for hits, p in self.throws(side, step, number, stands):
                for tally, q in found.items():
                    after[tuple(n + hits.count(hit) for n, hit in zip(tally, order, strict=True))] += q * float(p)
            found = after
        yield from ((order, tally, p) for tally, p in found.items())

    def power(self, side, number, lines):
        stands = {one: self.standing(one, line) for one, line in zip(SIDES, lines, strict=True)}
        total = 0
        for group in self.rounds():
            for order, tally, p in self.tallies(side, group, number, stands):
                total += p * sum(n * hit[1] for n, hit in zip(tally, order, strict=True))
        return round(total, 12)


class Plain2(Plain):
    """The same game without shields."""

    def own_roll(self, side, unit, name):
        return Reference2.own_roll(self, side, unit, name)


def turned(rule):
    """A rule that the enemy gives, seen from the side whose dice change."""
    found = {}
    for key, value in rule.items():
        parts = key.split("_")
        found["_".join(TURNED.get(part, part) for part in parts)] = value
    if isinstance(found.get("at_most"), dict):
        found["at_most"] = {TURNED.get(key, key): value for key, value in found["at_most"].items()}
    return found


def thrown(dice):
    """Every throw of these dice: the hit of each, None for a miss, and the chance."""
    ways = [[*die, (None, 1 - sum(p for _, p in die))] for die in dice]
    for faces in product(*ways):
        p = 1
        for _, q in faces:
            p *= q
        if p:
            yield [hit for hit, _ in faces], p
