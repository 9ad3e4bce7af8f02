"""Format 3 of docs/rules/custom_games.md, read as slowly and plainly as `reference`: every throw is written out."""

from collections import defaultdict
from fractions import Fraction
from itertools import product

from tests.custom.reference import SIDES
from tests.custom.reference_format2 import OTHER, Plain, Reference2, hit_once

TURNED = {"own": "enemy", "enemy": "own"}


class Reference3(Reference2):
    """Modifiers with a limit are `self.limited` (bonuses) and `self.again` (rerolls); all others `self.modifiers`."""

    def __init__(self, game, scenario):
        super().__init__(game, scenario)
        everything = self.modifiers
        self.again = {side: [m for m in everything[side] if "at_most" in m and "reroll" in m] for side in SIDES}
        self.limited = {side: [m for m in everything[side] if "at_most" in m and "reroll" not in m] for side in SIDES}
        self.checking = {side: [m for m in everything[side] if "checks" in m] for side in SIDES}
        self.modifiers = {
            side: [m for m in everything[side] if "at_most" not in m and "checks" not in m] for side in SIDES
        }
        self.now = {}

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
            able = able and (step.get("aim", "first") in ("anyone", "first") or unit == self.front(side)[0])
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

    # --- a number of misses rolled again ---
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

    # --- aimed steps ---
    def front(self, side):
        """The front unit, and the points of its front piece that are left."""
        line = self.now[side]
        room = next((i + 1 for i, (_, lethal) in enumerate(line) if lethal), 0)
        return (line[0][0] if line else None), room

    def first(self, side, step, line):
        """The unit at which a die is thrown, None for nobody."""
        if step["aim"] == "first":
            return next((unit for unit, _ in line if unit in self.targets(side, step)), None)
        unit = self.front(OTHER[side])[0]
        return unit if unit in self.targets(side, step) and any(unit == one for one, _ in line) else None

    def fired(self, side, step, number, stands):
        fired = super().fired(side, step, number, stands)
        return fired and (not aimed(step) or self.first(side, step, self.now[OTHER[side]]) is not None)

    def rolling(self, side, step, number, stands):
        for one in super().rolling(side, step, number, stands):
            if not aimed(step) or step["aim"] == "first":
                yield one
            elif one[0]["_unit"] == self.front(side)[0]:
                ratio = step.get("compare", {}).get("ratio")
                yield (*one[:2], 1, one[3]) if ratio else one
                if step["aim"] == "piece":
                    return

    def thrown_at(self, side, step, number, stands, die, unit):
        """The chances of a die (of `rolling`) against one unit, after its checks."""
        roll, value, _, rerolls = die
        passed = self.passing(side, step, number, stands, roll["_unit"], unit)
        return [(hit, p * passed) for hit, p in self.die_of(side, roll, [unit], value, rerolls)]

    def passing(self, side, step, number, stands, unit, target):
        found = Fraction(1)
        for name in step.get("checks", []):
            check = {"chart": {}, "reroll": "none"} | self.g["check"][name]
            who, thrower = (OTHER[side], target) if check.get("save") else (side, unit)
            value = check["value"]
            row = next((word for word in self.named(unit) if word in check["chart"]), None)
            if row:
                column = next((word for word in self.named(target) if word in check["chart"][row]), None)
                value = check["chart"][row].get(column, value)
            rerolls = [check["reroll"]]
            for m in self.checking[who]:
                here = step["name"] in m.get("steps", [step["name"]]) and thrower in self.select(
                    m.get("units", self.units)
                )
                if here and name in m["checks"] and self.scope(m, number, stands[who], stands[OTHER[who]]):
                    value += m.get("adds", 0) if self.dice["hit"] == "at-most" else -m.get("adds", 0)
                    rerolls.append(m.get("reroll", "none"))
            p = self.face_chance(self.die(check), value, rerolls)
            found *= 1 - p if check.get("save") else p
        return found

    def named(self, unit):
        return [unit, *self.g["unit"][unit].get("tags", []), "all"]

    def face_chance(self, die, value, rerolls):
        """Reference.chance with another die."""
        kept, self.dice = self.dice, die | {"hit": self.dice["hit"]}
        found = self.chance(value, rerolls)
        self.dice = kept
        return found

    def aimed_dice(self, side, step, number, stands):
        """Single dice in the order in which they are thrown."""
        dice = [one for one in self.rolling(side, step, number, stands) for _ in range(one[2])]
        if "dice_at_most" in step:
            unit = self.first(side, step, self.now[OTHER[side]])

            def worth(die):
                chances = self.thrown_at(side, step, number, stands, die, unit)
                return -sum(p for _, p in chances), -sum(p * hit[1] for hit, p in chances)

            limit, own, enemy = step["dice_at_most"], stands[side], stands[OTHER[side]]
            whose = side if isinstance(limit, dict) and "own" in limit else OTHER[side]
            dice = sorted(dice, key=worth)[: self.count(limit, own, enemy, lambda u: u in self.fights[whose])]
        return dice

    def walked(self, side, group, number, stands):
        """The enemy's lines after the dice of a side, one after the other, with their chances."""
        room = self.front(OTHER[side])[1]
        now = {(self.now[OTHER[side]], room): 1.0}
        for _, step in group:
            if not self.fired(side, step, number, stands):
                continue
            for die in self.aimed_dice(side, step, number, stands):
                after = defaultdict(float)
                for (line, room), p in now.items():
                    unit = self.first(side, step, line) if room or step["aim"] != "piece" else None
                    chances = [] if unit is None else self.thrown_at(side, step, number, stands, die, unit)
                    for hit, q in chances:
                        damage = min(hit[1], room) if step["aim"] == "piece" else hit[1]
                        mine = self.targets(side, step) if step["aim"] == "first" else {unit}
                        after[hit_once(line, mine, damage, hit[2]), room - damage] += p * float(q)
                    after[line, room] += p * float(1 - sum(q for _, q in chances))
                now = after
        found = defaultdict(float)
        for (line, _), p in now.items():
            found[line] += p
        return found

    def both_hits(self, step, number, stands):
        """{(hits of the attacker, of the defender): chance} of two front pieces."""
        if step.get("cancel"):
            hits = []
            for side in SIDES:
                fired = self.fired(side, step, number, stands)
                dice = self.aimed_dice(side, step, number, stands) if fired else []
                unit = self.first(side, step, self.now[OTHER[side]])
                hits.append([sum(p for _, p in self.thrown_at(side, step, number, stands, die, unit)) for die in dice])
            found = defaultdict(Fraction)
            for fallen in product(*[[(0, 1 - p), (1, p)] for p in hits[0] + hits[1]]):
                p = 1
                for _, q in fallen:
                    p *= q
                difference = sum(n for n, _ in fallen[: len(hits[0])]) - sum(n for n, _ in fallen[len(hits[0]) :])
                found[max(0, difference), max(0, -difference)] += p
            return found
        if step["compare"].get("ratio"):
            if not all(self.fired(side, step, number, stands) for side in SIDES):
                return {}
            dice = [list(self.rolling(side, step, number, stands)) for side in SIDES]
            mine, theirs = (max(0, some[0][1]) if some else None for some in dice)
            if None in (mine, theirs) or not mine + theirs:
                return {}
            return {(1, 0): Fraction(mine, mine + theirs), (0, 1): Fraction(theirs, mine + theirs)}
        return self.compared(step, number, stands)

    def fire(self, group, number, lines):
        self.now = dict(zip(SIDES, lines, strict=True))
        step = group[0][1]
        if not aimed(step):
            yield from super().fire(group, number, lines)
            return
        stands = {side: self.standing(side, line) for side, line in zip(SIDES, lines, strict=True)}
        if "compare" in step or step.get("cancel"):
            rooms = [self.front(side)[1] for side in SIDES]
            chances = self.both_hits(step, number, stands) or {(0, 0): 1}
            for (mine, theirs), p in chances.items():
                if p:
                    yield (lines[0][min(theirs, rooms[0]) :], lines[1][min(mine, rooms[1]) :]), float(p)
            return
        attacker, defender = (self.walked(side, group, number, stands) for side in SIDES[::-1])
        for own, p in attacker.items():
            for enemy, q in defender.items():
                yield (own, enemy), p * q

    def stuck(self, rounds, lines):
        self.now = dict(zip(SIDES, lines, strict=True))
        stands = {side: self.standing(side, line) for side, line in zip(SIDES, lines, strict=True)}
        everything = self.groups
        for number in range(rounds + 1, max(rounds + 1, self.horizon()) + 1):
            for group in [group for group in self.rounds() if aimed(group[0][1])]:
                step = group[0][1]
                if "compare" in step or step.get("cancel"):
                    if any(p for hits, p in self.both_hits(step, number, stands).items() if any(hits)):
                        return False
                    continue
                for side in SIDES:
                    if self.aimed_mean(side, group, number, stands):
                        return False
        self.groups = [group for group in everything if not aimed(group[0][1])]
        found = super().stuck(rounds, lines)
        self.groups = everything
        return found

    def aimed_mean(self, side, group, number, stands):
        """Mean damage of aimed dice against the targets that are first now."""
        total = Fraction(0)
        for _, step in group:
            if self.fired(side, step, number, stands):
                unit = self.first(side, step, self.now[OTHER[side]])
                for die in self.aimed_dice(side, step, number, stands):
                    total += sum(p * hit[1] for hit, p in self.thrown_at(side, step, number, stands, die, unit))
        return total

    def power(self, side, number, lines):
        self.now = dict(zip(SIDES, lines, strict=True))
        stands = {one: self.standing(one, line) for one, line in zip(SIDES, lines, strict=True)}
        total = 0
        for group in self.rounds():
            step = group[0][1]
            if "compare" in step:
                total += sum(hits[SIDES.index(side)] * p for hits, p in self.both_hits(step, number, stands).items())
                continue
            if aimed(step):
                total += self.aimed_mean(side, group, number, stands)
                continue
            for order, tally, p in self.tallies(side, group, number, stands):
                total += p * sum(n * hit[1] for n, hit in zip(tally, order, strict=True))
        return round(total, 12)


class Plain2(Plain):
    """The same game without shields."""

    def own_roll(self, side, unit, name):
        return Reference2.own_roll(self, side, unit, name)


def aimed(step):
    return step.get("aim", "anyone") != "anyone"


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
