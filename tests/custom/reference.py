"""A slow, obvious reading of docs/rules/custom_games.md that shares no code with the rules.

A game is the plain dict of a game file that is known to be right. A side is the list of points still in its loss line,
each (unit, lethal); every die is added one by one; rounds are followed until next to nothing is still running.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import cache

from tests.custom.reference_losses import MAIN, SIDES, Losses

RUNNING = 1e-14


class Reference(Losses):
    def __init__(self, game, scenario):
        self.g, self.s = game, scenario
        self.units, self.selected = list(game["unit"]), {}
        self.dice = {"sides": 6, "hit": "at-most", "always_hit": [], "always_miss": [], "clamp": None} | game.get(
            "dice", {}
        )
        self.kind = game["battle"][scenario["battle"]]
        self.conditions = {}
        for name, condition in game.get("condition", {}).items():
            first = condition["choices"][0] if condition.get("choices") else False
            self.conditions[name] = scenario.get("conditions", {}).get(name, condition.get("default", first))
        self.fights, self.supports = {}, {}
        for side in SIDES:
            part = self.kind.get(side, {})
            self.supports[side] = self.select(part.get("supports", []))
            every = [u for u in self.units if u not in self.supports[side]]
            self.fights[side] = self.select(part["fights"]) if "fights" in part else every
        self.lowluck = scenario.get("options", {}).get("dice") == "low-luck"
        self.limit = scenario.get("options", {}).get("rounds", self.kind.get("rounds"))
        self.steps = [
            (i, step)
            for i, step in enumerate(game["step"])
            if scenario["battle"] in step.get("battle", [scenario["battle"]])
        ]
        self.groups = []
        for i, step in self.steps:
            if step.get("group") and self.groups and self.groups[-1][-1][1].get("group") == step["group"]:
                self.groups[-1].append((i, step))
            else:
                self.groups.append([(i, step)])
        self.modifiers = {side: self.modifiers_of(side) for side in SIDES}

    def select(self, words):
        """Units of these names or tags; asked a million times in a battle, so that they are kept."""
        key = tuple(words)
        if key not in self.selected:
            tagged = {u for u in self.units if set(self.g["unit"][u].get("tags", [])) & set(words)}
            self.selected[key] = [u for u in self.units if u in words or u in tagged]
        return list(self.selected[key])

    def modifiers_of(self, side):
        own = self.s[side]
        found = [m for m in self.g.get("modifier", []) if m.get("side", "both") in ("both", side)]
        found = found + list(own.get("modifiers", []))
        return [*found, {"adds": own.get("modifier", 0)}]

    def given(self, side, unit, key, default):
        """The values of a unit on a side, as the file has them."""
        return self.g["unit"][unit].get(key, default)

    # --- rolls ---
    def roll(self, unit, name):
        given = self.g["unit"][unit]
        value = given.get("rolls", {}).get(name)
        if name in ("attack", "defence"):
            value = given["combat"] if "combat" in given else given.get(name)
        if value in (None, 0):
            return None
        if isinstance(value, int):
            value = {"value": value}
        return {"dice": 1, "reroll": "none"} | value

    def chance(self, value, rerolls):
        d = self.dice
        if d["clamp"]:
            value = min(max(value, d["clamp"][0]), d["clamp"][1])
        faces = range(1, d["sides"] + 1)
        good = {f for f in faces if (f <= value if d["hit"] == "at-most" else f >= value)}
        good = (good | set(d["always_hit"])) - set(d["always_miss"])
        h = Fraction(len(good), d["sides"])
        again = set()
        for reroll in rerolls:
            if reroll == "misses":
                again = set(faces) - good
                break
            if reroll != "none":
                again |= set(reroll)
        total = Fraction(0)
        for face in faces:
            total += (h if face in again else int(face in good)) * Fraction(1, d["sides"])
        return total

    def scope(self, rule, number, own, enemy):
        if not rule.get("from_round", 0) <= number <= rule.get("to_round", 10**9):
            return False
        for name, wanted in rule.get("if_condition", {}).items():
            if self.conditions[name] not in (wanted if isinstance(wanted, list) else [wanted]):
                return False

        def there(side, words):
            return any(side[u] for u in self.select(words))

        return (
            ("if_own_has" not in rule or there(own, rule["if_own_has"]))
            and ("if_enemy_has" not in rule or there(enemy, rule["if_enemy_has"]))
            and not there(own, rule.get("unless_own_has", []))
            and not there(enemy, rule.get("unless_enemy_has", []))
        )

    def applies(self, rule, step, roll):
        return roll in rule.get("rolls", ["attack", "defence"]) and step["name"] in rule.get("steps", [step["name"]])

    def targets(self, side, step):
        enemy = SIDES[1 - SIDES.index(side)]
        only = self.select(step["hits_only"]) if "hits_only" in step else self.units
        return frozenset(u for u in self.fights[enemy] if u in only and u not in self.select(step.get("spares", [])))

    def fired(self, side, step, number, stands):
        enemy = SIDES[1 - SIDES.index(side)]
        fire = step.get("fire", MAIN)
        return (
            side in fire
            and self.scope(step, number, stands[side], stands[enemy])
            and any(stands[enemy][u] for u in self.targets(side, step))
        )

    def dice_of(self, side, step, number, stands):
        """The chance of every single die of a step that is fired."""
        enemy = SIDES[1 - SIDES.index(side)]
        own = stands[side]
        roll = step.get("fire", MAIN)[side]
        raised = defaultdict(list)
        for support in self.g.get("support", []):
            if support.get("side", "both") not in ("both", side) or not self.applies(support, step, roll):
                continue
            if not self.scope(support, number, own, stands[enemy]):
                continue
            left = support.get("each", 1) * sum(own[u] for u in self.select(support["from"]))
            for unit in self.select(support["to"]):
                if self.roll(unit, roll):
                    for piece in range(own[unit]):
                        if left:
                            left -= 1
                            raised[unit, piece].append(support)
        dice = []
        for unit in self.units:
            able = unit in self.fights[side] or (unit in self.supports[side] and roll not in ("attack", "defence"))
            given = self.roll(unit, roll)
            if not able or not given or ("by" in step and unit not in self.select(step["by"])):
                continue
            mods = [
                m
                for m in self.modifiers[side]
                if self.applies(m, step, roll)
                and self.scope(m, number, own, stands[enemy])
                and ("units" not in m or unit in self.select(m["units"]))
            ]
            for piece in range(own[unit]):
                value, better = given["value"], max if self.dice["hit"] == "at-most" else min
                for support in raised[unit, piece]:
                    value = better(value, support["sets"]) if "sets" in support else value
                adds = sum(rule.get("adds", 0) for rule in [*mods, *raised[unit, piece]])
                value = value + adds if self.dice["hit"] == "at-most" else value - adds
                each = max(0, given["dice"] + sum(m.get("dice", 0) for m in mods))
                p = self.chance(value, [given["reroll"], *(m.get("reroll", "none") for m in mods)])
                dice += [p] * each
        limit = step.get("dice_at_most")
        if isinstance(limit, int):
            dice = sorted(dice, reverse=True)[:limit]
        elif limit is not None:
            whose = side if "own" in limit else enemy
            words = limit.get("own", limit.get("enemy"))
            most = sum(stands[whose][u] for u in self.select(words) if u in self.fights[whose])
            dice = sorted(dice, reverse=True)[:most]
        return dice

    def volleys(self, side, group, number, stands):
        """Hit classes in the order in which hits are allotted: (targets, chances of the dice)."""
        classes = {}
        for i, step in group:
            if self.fired(side, step, number, stands):
                targets = self.targets(side, step)
                if self.lowluck:  # of a class only the units that stand there count (10)
                    targets = tuple(unit for unit in targets if stands[SIDES[1 - SIDES.index(side)]][unit])
                classes.setdefault(targets, [i, []])[1].extend(self.dice_of(side, step, number, stands))
        ordered = sorted(classes.items(), key=lambda item: (len(item[0]), item[1][0]))
        return [(targets, dice) for targets, (_, dice) in ordered]

    @staticmethod
    @cache
    def hits(dice, lowluck):
        if lowluck:
            m = sum(dice, Fraction(0))
            return ((m.numerator // m.denominator, float(1 - m % 1)), (m.numerator // m.denominator + 1, float(m % 1)))
        found = {0: Fraction(1)}
        for p in dice:
            after = defaultdict(Fraction)
            for n, chance in found.items():
                after[n + 1] += chance * p
                after[n] += chance * (1 - p)
            found = after
        return tuple((n, float(chance)) for n, chance in found.items())

    # --- the battle ---
    def fire(self, group, number, lines):
        """Lines after a group, with their chances."""
        stands = {side: self.standing(side, line) for side, line in zip(SIDES, lines, strict=True)}
        after = []
        for side, enemy_line in ((SIDES[1], lines[0]), (SIDES[0], lines[1])):
            found = {enemy_line: 1.0}
            for targets, dice in self.volleys(side, group, number, stands):
                new = defaultdict(float)
                for line, p in found.items():
                    for hits, chance in self.hits(tuple(sorted(dice)), self.lowluck):
                        if chance:
                            new[self.struck(line, targets, hits)] += p * chance
                found = new
            after.append(found)
        for own, p in after[0].items():
            for enemy, q in after[1].items():
                yield (own, enemy), p * q

    @staticmethod
    def struck(line, targets, hits):
        points = list(line)
        for _ in range(hits):
            for i, (unit, _) in enumerate(points):
                if unit in targets:
                    del points[i]
                    break
        return tuple(points)

    def removed(self, lines):
        alone = self.g.get("losses", {}).get("removed_alone", [])
        only = []
        for side, line in zip(SIDES, lines, strict=True):
            words = alone.get(side, []) if isinstance(alone, dict) else alone
            only.append(bool(line) and all(unit in self.select(words) for unit, _ in line))
        if only[0] != only[1]:
            k = only.index(True)
            if lines[1 - k]:
                return tuple(() if i == k else line for i, line in enumerate(lines))
        return lines

    def rounds(self):
        return [group for group in self.groups if group[0][1].get("when", "each-round") == "each-round"]

    def horizon(self):
        marks = [1]
        for rule in [
            *self.g["step"],
            *self.g.get("support", []),
            *self.modifiers["attacker"],
            *self.modifiers["defender"],
        ]:
            marks += [rule.get("from_round", 1), rule.get("to_round", 0)]
        return max(marks) + 1

    def stuck(self, rounds, lines):
        stands = {side: self.standing(side, line) for side, line in zip(SIDES, lines, strict=True)}
        for number in range(rounds + 1, max(rounds + 1, self.horizon()) + 1):
            for group in self.rounds():
                for side in SIDES:
                    if any(any(dice) for _, dice in self.volleys(side, group, number, stands)):
                        return False
        return True

    def power(self, side, number, lines):
        stands = {one: self.standing(one, line) for one, line in zip(SIDES, lines, strict=True)}
        return sum(
            sum(dice, Fraction(0)) for group in self.rounds() for _, dice in self.volleys(side, group, number, stands)
        )

    def leaves(self, side, rounds, lines):
        policy = self.s.get("policy", {}).get(side, {})
        chosen = policy.get("retreat", "never")
        own, enemy = lines if side == "attacker" else lines[::-1]
        for name in [chosen] if isinstance(chosen, str) else chosen:
            other = SIDES[1 - SIDES.index(side)]
            if (
                (name == "after-rounds" and rounds >= policy["after_rounds"])
                or (name == "units-at-most" and self.units_in(own) <= policy["units_at_most"])
                or (name == "outnumbered" and self.units_in(own) < self.units_in(enemy))
                or (name == "outpowered" and self.power(side, rounds + 1, lines) < self.power(other, rounds + 1, lines))
                or (name == "odds-below" and self.hope(side, rounds, lines) < policy["odds_below"] - 1e-12)
            ):
                return True
        return False

    def hope(self, side, rounds, lines):
        ends = self.follow({lines: 1.0}, rounds, obey=False, check_first=False)
        return sum(p for (end, _, ending), p in ends.items() if self.winner(end, ending) == side)

    def check(self, rounds, lines, obey):
        lines = self.removed(lines)
        if not lines[0] or not lines[1]:
            return lines, "gone"
        if self.limit is not None and rounds >= self.limit:
            return lines, "over"
        if self.stuck(rounds, lines):
            return lines, "stalemate"
        if obey and rounds >= self.kind.get("retreat_after", 1):
            for side in SIDES:
                if self.leaves(side, rounds, lines):
                    return lines, side
        return lines, None

    def odds(self):
        """(lines at the end, rounds, how it ended) -> chance."""
        lines = self.removed((self.line("attacker"), self.line("defender")))
        if not lines[0] or not lines[1]:
            return {(lines, 0, "gone"): 1.0}
        now = {lines: 1.0}
        for group in self.groups:
            if group[0][1].get("when") == "before-battle":
                now = self.all_fire(now, group, 0)
        return self.follow(now, 0)

    def all_fire(self, now, group, number):
        after = defaultdict(float)
        for lines, p in now.items():
            for new, q in self.fire(group, number, lines):
                after[new] += p * q
        return after

    def follow(self, now, rounds, obey=True, check_first=True):
        ends = defaultdict(float)
        while sum(now.values()) > RUNNING:
            if check_first:
                running = defaultdict(float)
                for lines, p in now.items():
                    after, ending = self.check(rounds, lines, obey)
                    if ending:
                        ends[after, rounds, ending] += p
                    else:
                        running[after] += p
                now = running
            check_first = True
            rounds += 1
            for group in self.rounds():
                now = self.all_fire(now, group, rounds)
        return ends

    def winner(self, lines, ending):
        if ending == "gone":
            return "attacker" if lines[0] else "defender" if lines[1] else "nobody"
        if ending in SIDES:
            return SIDES[1 - SIDES.index(ending)]
        yields = self.select(self.kind.get("yields", []))
        gives = [all(unit in yields for unit, _ in line) for line in lines]
        if ending == "stalemate" and gives[0] != gives[1]:
            return SIDES[gives[0]]
        return self.kind.get("undecided", "nobody")

    def columns(self, lines, rounds, ending):
        winner = self.winner(lines, ending)
        found = {"winner": winner, "rounds": rounds}
        for side, line in zip(SIDES, lines, strict=True):
            left = self.standing(side, line)
            lost = {u: self.s[side].get(u, 0) - left[u] for u in self.fights[side]}
            found[f"{side}_units_left"] = self.units_in(line)
            found[f"{side}_units_lost"] = sum(lost.values())
            found[f"{side}_cost_lost"] = sum(n * self.given(side, u, "cost", 0) for u, n in lost.items())
            found[f"{side}_retreated"] = ending == side
            start = self.line(side)
            for unit in self.fights[side]:
                if unit not in self.s[side]:
                    continue
                hits = self.given(side, unit, "hits", 1)
                found[f"{side}_{unit}_left"] = left[unit]
                found[f"{side}_{unit}_lost"] = lost[unit]
                if hits > 1:
                    taken = sum(u == unit for u, _ in start) - sum(u == unit for u, _ in line)
                    repaired = self.g.get("losses", {}).get("repaired", False)
                    removed = not line and lost[unit] == self.s[side][unit]
                    found[f"{side}_{unit}_damage"] = 0 if repaired or removed else taken - hits * lost[unit]
        found["stalemate"] = ending == "stalemate"
        found["both_eliminated"] = not lines[0] and not lines[1]
        if "taken_by" in self.kind:
            takers = self.select(self.kind["taken_by"])
            found["taken"] = winner == "attacker" and any(unit in takers for unit, _ in lines[0])
        return found

    def table(self):
        """Rows of columns with their chances."""
        rows = defaultdict(float)
        for (lines, rounds, ending), p in self.odds().items():
            rows[tuple(sorted(self.columns(lines, rounds, ending).items()))] += p
        return rows
