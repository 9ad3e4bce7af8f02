"""Format 2 of docs/rules/custom_games.md, read as slowly and plainly as `reference`: die by die, face by face."""

from collections import defaultdict
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import ceil

from tests.custom.reference import MAIN, SIDES, Reference

OTHER = dict(zip(SIDES, SIDES[::-1], strict=True))


class Reference2(Reference):
    """A hit class is (units, damage, split); a die is a tuple of (class, chance)."""

    def __init__(self, game, scenario):
        super().__init__(game, scenario)
        self.groups = [part for group in self.groups for part in self.by_initiative(group)]

    # --- units by side ---
    def given(self, side, unit, key, default):
        whole = self.g["unit"][unit]
        return whole.get(side, {}).get(key, whole.get(key, default))

    def own_roll(self, side, unit, name):
        found = None
        for table in (self.g["unit"][unit], self.g["unit"][unit].get(side, {})):
            if name in MAIN.values() and "combat" in table:
                found = table["combat"]
            if name in MAIN.values() and name in table:
                found = table[name]
            found = table.get("rolls", {}).get(name, found)
        if found in (None, 0):
            return None
        return {"dice": 1, "reroll": "none"} | (found if isinstance(found, dict) else {"value": found})

    def by_initiative(self, group):
        step = group[0][1]
        if step.get("order", "together") == "together":
            return [group]
        able = {side: [u for u in self.units if u in self.fights[side] + self.supports[side]] for side in SIDES}
        at = {side: {u: self.given(side, u, "initiative", 0) for u in able[side]} for side in SIDES}
        found = []
        for value in sorted({i for one in at.values() for i in one.values()}, reverse=True):
            who = {side: [u for u, i in at[side].items() if i == value] for side in SIDES}
            turns = [who]
            if step.get("ties", "together") != "together":
                first = step["ties"]
                turns = [{first: who[first], OTHER[first]: []}, {first: [], OTHER[first]: who[OTHER[first]]}]
            found += [[(i, one | {"_by": turn}) for i, one in group] for turn in turns]
        return found

    # --- one die ---
    def die(self, roll):
        if "die" in roll:
            return {"always_hit": [], "always_miss": [], "clamp": None} | self.g["die"][roll["die"]]
        return self.dice

    def faces(self, side, roll, value, targets):
        """The class that each face hits, None for a miss."""
        die, enemy = self.die(roll), OTHER[side]
        found = []
        if "faces" in die:
            for face in die["faces"]:
                words = die["hits"].get(face, [])
                units = frozenset(targets if words == "all" else set(targets) & set(self.select(words)))
                found.append(hit_class(units, die.get("damage", {}).get(face, 1), roll))
            return found
        at_most = self.dice["hit"] == "at-most"
        for face in range(1, die["sides"] + 1):
            units = set()
            for unit in targets:
                shield = self.given(enemy, unit, "shield", 0)
                need = value - shield if at_most else value + shield
                if die["clamp"]:
                    need = min(max(need, die["clamp"][0]), die["clamp"][1])
                hit = face <= need if at_most else face >= need
                if (hit or face in die["always_hit"]) and face not in die["always_miss"]:
                    units.add(unit)
            found.append(hit_class(frozenset(units), roll.get("damage", 1), roll))
        return found

    def chances(self, faces, names, rerolls):
        """The chance of each class of a die, rolled again by its faces."""
        again = {name for reroll in rerolls if reroll not in ("none", "misses") for name in reroll}
        found = defaultdict(Fraction)
        for name, hit in zip(names, faces, strict=True):
            if hit is None if "misses" in rerolls else name in again:
                for other in faces:
                    found[other] += Fraction(1, len(faces) ** 2)
            else:
                found[hit] += Fraction(1, len(faces))
        return tuple((hit, p) for hit, p in found.items() if hit is not None)

    def main_mean(self, side, unit):
        roll = self.own_roll(side, unit, MAIN[side])
        if roll is None or "bonus" in roll:
            return Fraction(0)
        bare = [u for u in self.units if "faces" in self.die(roll)] or [unit]
        enemy = Plain(self)
        return roll["dice"] * sum(p for _, p in enemy.die_of(side, roll, bare))

    # --- who rolls ---
    def helping(self, side, step, number, stands):
        """Rules that help single pieces of a side: (unit, piece) -> supports."""
        roll, found, used = step.get("fire", MAIN)[side], defaultdict(list), set()
        for support in self.g.get("support", []):
            for giver in SIDES:
                if support.get("side", "both") not in ("both", giver):
                    continue
                if (giver if support.get("whom", "own") == "own" else OTHER[giver]) != side:
                    continue
                if not self.applies(support, step, roll):
                    continue
                if not self.scope(support, number, stands[giver], stands[OTHER[giver]]):
                    continue
                helpers = [u for u in self.select(support["from"]) for _ in range(stands[giver][u])]
                left = support.get("each", 1) * len(helpers)
                for unit in self.select(support["to"]):
                    if giver == side and helpers == [unit] and not support.get("itself"):
                        continue
                    for piece in range(stands[side][unit] if self.own_roll(side, unit, roll) else 0):
                        mark = giver, support.get("stack"), unit, piece
                        if left and mark not in used:
                            left -= 1
                            found[unit, piece].append(support)
                            if support.get("stack"):
                                used.add(mark)
        return found

    def rolling(self, side, step, number, stands):
        """(roll, value, number of dice, rerolls) of each piece that fires a step."""
        name, own, enemy = step.get("fire", MAIN)[side], stands[side], stands[OTHER[side]]
        helped = self.helping(side, step, number, stands)
        for unit in self.units:
            able = unit in self.fights[side] or (unit in self.supports[side] and name not in MAIN.values())
            roll = self.own_roll(side, unit, name)
            if not able or not roll or ("by" in step and unit not in self.select(step["by"])):
                continue
            if "_by" in step and unit not in step["_by"][side]:
                continue
            mods = [
                m
                for m in self.modifiers[side]
                if self.applies(m, step, name)
                and self.scope(m, number, own, enemy)
                and ("units" not in m or unit in self.select(m["units"]))
            ]
            for piece in range(own[unit]):
                rules = mods + helped[unit, piece]
                value = roll.get("value", roll.get("bonus", 0))
                high = self.dice["hit"] == "at-most" or "bonus" in roll
                for rule in rules:
                    if "sets" in rule and "bonus" not in roll:
                        value = max(value, rule["sets"]) if high else min(value, rule["sets"])
                adds = sum(rule.get("adds", 0) for rule in rules)
                value += adds if high else -adds
                many = max(0, roll["dice"] + sum(rule.get("dice", 0) for rule in rules))
                yield roll, value, many, [roll["reroll"], *(m.get("reroll", "none") for m in mods)]

    def die_of(self, side, roll, targets, value=None, rerolls=None):
        die = self.die(roll)
        names = die.get("faces") or range(1, die["sides"] + 1)
        faces = self.faces(side, roll, roll.get("value") if value is None else value, targets)
        return self.chances(faces, names, [roll["reroll"]] if rerolls is None else rerolls)

    def dice_of(self, side, step, number, stands):
        targets = self.targets(side, step)
        rolled = [
            (self.die_of(side, roll, targets, value, rerolls), many)
            for roll, value, many, rerolls in self.rolling(side, step, number, stands)
        ]
        most = limit = step.get("dice_at_most")
        if limit is not None:
            if isinstance(limit, dict):
                whose = side if "own" in limit else OTHER[side]
                words = limit.get("own", limit.get("enemy"))
                units = sum(stands[whose][u] for u in self.select(words) if u in self.fights[whose])
                most = min(limit.get("each", 1) * units, limit.get("most", 1000))
            rolled.sort(key=lambda one: (-sum(p for _, p in one[0]), -sum(p * hit[1] for hit, p in one[0])))
        return [die for die, many in rolled for _ in range(many)][:most]

    # --- hits of a group ---
    def allotting(self, side, group, number, stands):
        """The dice of a side in a group, and its classes in the order in which hits are allotted."""
        dice, first = [], {}
        for i, step in group:
            if self.fired(side, step, number, stands):
                rolled = [
                    tuple((self.counted(hit, step, side, stands), p) for hit, p in die)
                    for die in self.dice_of(side, step, number, stands)
                ]
                dice += rolled
                plain = self.counted((self.targets(side, step), 1, False), step, side, stands)
                for hit in [plain, *(hit for die in rolled for hit, _ in die)]:
                    first.setdefault(hit, i)
        order = sorted(
            first,
            key=lambda hit: (len(hit[0]), -hit[1], first[hit], sorted(map(self.units.index, hit[0])), hit[2]),
        )
        return dice, order

    def counted(self, hit, step, side, stands):
        """The class of a hit; with low luck only units that stand there count, and the pool of the step (10)."""
        if not self.lowluck:
            return hit
        units, damage, split = hit
        # In the order of the file: a class is the same whatever order its set has.
        here = tuple(u for u in self.units if u in units and stands[OTHER[side]][u] and u in self.fights[OTHER[side]])
        return here, damage, split, step.get("pool")

    def absorbed(self, side, stands):
        return sum(self.given(side, u, "absorbs", 0) * stands[side][u] for u in self.fights[side])

    def tallies(self, side, group, number, stands):
        """Hits by class, in the order of allotting, and their chance."""
        dice, order = self.allotting(side, group, number, stands)
        for hits, p in tallied(tuple(sorted(dice, key=repr)), tuple(order), self.lowluck):
            yield order, hits, p

    def scored(self, side, group, number, stands):
        """(hits by class in order, chance), after the enemy has absorbed some."""
        for order, hits, p in self.tallies(side, group, number, stands):
            tally, left = list(hits), self.absorbed(OTHER[side], stands)
            for k in reversed(range(len(tally))):
                gone = min(left, tally[k])
                left, tally[k] = left - gone, tally[k] - gone
            if p:
                yield [(hit, n) for hit, n in zip(order, tally, strict=True) if n], p

    def fire(self, group, number, lines):
        stands = {side: self.standing(side, line) for side, line in zip(SIDES, lines, strict=True)}
        if "compare" in group[0][1]:
            yield from self.opposed(group[0][1], number, stands, lines)
            return
        after = []
        for side, line in ((SIDES[1], lines[0]), (SIDES[0], lines[1])):
            found = defaultdict(float)
            for hits, p in self.scored(side, group, number, stands):
                new = line
                for hit, n in hits:
                    for _ in range(n):
                        new = hit_once(new, *hit[:3])
                found[new] += float(p)
            after.append(found)
        for own, p in after[0].items():
            for enemy, q in after[1].items():
                yield (own, enemy), p * q

    # --- opposed dice ---
    def compared(self, step, number, stands):
        """{(hits of the attacker, of the defender): chance}; empty where a side has no dice."""
        rules = {"pairs": 10, "ties": "defender"} | step["compare"]
        both = []
        for side in SIDES:
            if not self.fired(side, step, number, stands):
                return {}
            dice = []
            for roll, bonus, many, _ in self.rolling(side, step, number, stands):
                dice += [(bonus, self.die(roll)["sides"])] * many
            dice.sort(key=lambda die: -die[0])
            both.append(tuple(dice[: rules.get("most", {}).get(side, 10)]))
        return compared(*both, rules["pairs"], rules["ties"]) if all(both) else {}

    def opposed(self, step, number, stands, lines):
        chances = self.compared(step, number, stands) or {(0, 0): 1}
        for (mine, theirs), p in chances.items():
            new = []
            for side, line, hits in ((SIDES[0], lines[0], theirs), (SIDES[1], lines[1], mine)):
                after = line
                for _ in range(hits):
                    after = hit_once(after, self.targets(OTHER[side], step), 1, False)
                new.append(after)
            yield tuple(new), float(p)

    # --- the rest of the battle ---
    def wanted_order(self, side):
        losses = self.g.get("losses", {})
        policy = self.s.get("policy", {})
        wanted = policy.get(side, {}).get("loss_order")
        if self.by_side(losses.get("chosen_by", "owner"), side, "owner") == "enemy":
            wanted = policy.get(OTHER[side], {}).get("target_order")
        return wanted or self.by_side(losses.get("order", "cheapest"), side, "cheapest")

    def stuck(self, rounds, lines):
        stands = {side: self.standing(side, line) for side, line in zip(SIDES, lines, strict=True)}
        for number in range(rounds + 1, max(rounds + 1, self.horizon()) + 1):
            for group in self.rounds():
                if "compare" in group[0][1]:
                    if any(mine or theirs for mine, theirs in self.compared(group[0][1], number, stands)):
                        return False
                    continue
                for side in SIDES:
                    for hits, _ in self.scored(side, group, number, stands):
                        if any(stands[OTHER[side]][u] for hit, _ in hits for u in hit[0]):
                            return False
        return True

    def power(self, side, number, lines):
        stands = {one: self.standing(one, line) for one, line in zip(SIDES, lines, strict=True)}
        total = Fraction(0)
        for group in self.rounds():
            if "compare" in group[0][1]:
                chances = self.compared(group[0][1], number, stands)
                total += sum(hits[SIDES.index(side)] * p for hits, p in chances.items())
            else:
                dice, _ = self.allotting(side, group, number, stands)
                total += sum(p * hit[1] for die in dice for hit, p in die)
        return total


class Plain(Reference2):
    """The same game where nobody has a shield."""

    def __init__(self, other):
        self.__dict__ = other.__dict__

    def given(self, side, unit, key, default):
        return 0 if key == "shield" else super().given(side, unit, key, default)


def hit_class(units, damage, roll):
    """The class of a hit on these units, None for nobody; with damage 1 split makes no difference (2.4)."""
    return (units, damage, damage > 1 and roll.get("split", False)) if units else None


@lru_cache(maxsize=4096)
def tallied(dice, order, lowluck):
    """Hits by class in order, and their chance, for dice that fall one by one."""
    if lowluck:
        means = [sum((p for die in dice for hit, p in die if hit == one), Fraction(0)) for one in order]
        choices = [((int(m), 1 - m % 1), (ceil(m), m % 1)) if m % 1 else ((int(m), Fraction(1)),) for m in means]
        found = []
        for chosen in product(*choices):
            p = Fraction(1)
            for _, q in chosen:
                p *= q
            found.append((tuple(n for n, _ in chosen), p))
        return found
    now = {(0,) * len(order): 1.0}
    for die in dice:
        after = defaultdict(float)
        fallen = [(order.index(hit), float(q)) for hit, q in die]
        missed = float(1 - sum(q for _, q in die))
        for tally, p in now.items():
            if missed:
                after[tally] += p * missed
            for k, q in fallen:
                after[*tally[:k], tally[k] + 1, *tally[k + 1 :]] += p * q
        now = after
    return list(now.items())


@lru_cache(maxsize=256)
def compared(attackers, defenders, pairs, ties):
    """Every throw of all dice of both sides."""
    found, again = defaultdict(int), 0
    ways = [[bonus + face for face in range(1, sides + 1)] for bonus, sides in (*attackers, *defenders)]
    for dice in product(*ways):
        mine = sorted(dice[: len(attackers)], reverse=True)
        theirs = sorted(dice[len(attackers) :], reverse=True)
        matched = list(zip(mine, theirs, strict=False))[:pairs]
        equal = sum(a == d for a, d in matched)
        if ties == "reroll" and equal:
            again += 1
            continue
        won = sum(a > d for a, d in matched) + equal * (ties in ("attacker", "both"))
        lost = sum(a < d for a, d in matched) + equal * (ties in ("defender", "both"))
        found[won, lost] += 1
    whole = sum(found.values())
    return {hits: Fraction(n, whole) for hits, n in found.items()}


def hit_once(line, targets, damage, split):
    """A line after one hit: a whole hit goes on in the same piece, a split one is as many single hits."""
    points = list(line)
    for _ in range(damage if split else 1):
        at = next((i for i, (unit, _) in enumerate(points) if unit in targets), None)
        if at is None:
            break
        for _ in range(1 if split else damage):
            if points.pop(at)[1]:
                break
            if at == len(points):
                break
    return tuple(points)
