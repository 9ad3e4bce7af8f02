"""Slow and obvious: battles unit against unit as docs/rules/birthright.md section 3 says, attack by attack.

No code of the package. Chances of all situations are carried forward one exchange at a time; an exchange without effect
leads back to where it was, and is summed up. Every face of every die is listed.
"""

import csv
from collections import defaultdict
from fractions import Fraction
from heapq import heappop, heappush
from pathlib import Path

DATA = Path(__file__).parents[2] / "simulator" / "rules" / "birthright" / "data"


def rows(name):
    with (DATA / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


TABLE = {(int(row["roll"]), column): row[str(column)] for row in rows("battle_table") for column in range(-3, 4)}
TABLE |= {(int(row["roll"]), c): row[str(c)] for row in rows("battle_table_walls") for c in range(-7, -3)}
WALLS = {int(row["level"]): row for row in rows("fort_defence")}
TERRAIN = {(r["class"], r["terrain"], r["role"]): r for r in rows("terrain")}


def card(name):
    row = next(row for row in rows("units") if row["unit"] == name)
    lists = {k: [int(x) for x in row[k].split("/")] if row[k] else [] for k in ("melee", "charge", "missile")}
    return row | {k: int(row[k]) for k in ("defence", "morale", "hits", "strength", "muster")} | lists


def clamp(column, lowest=-3):
    return min(3, max(lowest, column))


class Fight:
    def __init__(self, scenario):
        self.storm = scenario["battle"] == "storm"
        conditions, options = scenario.get("conditions", {}), scenario.get("options", {})
        self.get = options.get
        self.charges = not self.storm and conditions.get("terrain", "plains") in ("plains", "hills")
        first_five = self.get("walls", "full") == "first-five"
        self.cover, self.lowest = conditions.get("defender_position", 0), -3
        if self.storm:
            row = WALLS[conditions["fortification"]]
            self.cover = int(row["first_five" if first_five else "defence"])
            given = dict(self.get("fort_defence", []))
            self.cover = given.get(conditions["fortification"], self.cover)
            self.lowest = -3 if first_five else -7
        flat = self.storm or self.get("terrain_effects", "full") == "charges-only"
        self.terrain = "plains" if flat else conditions.get("terrain", "plains")
        self.inspire = [scenario[side].get("inspire", 0) for side in ("attacker", "defender")]
        sides = [scenario["attacker"], scenario["defender"]]
        difference = sides[0].get("warcraft", 0) - sides[1].get("warcraft", 0)
        edge = min(self.get("warcraft_max", 2), abs(difference) // self.get("warcraft_step", 5))
        self.edge = [edge if difference > 0 else 0, edge if difference < 0 else 0]
        policies = [scenario.get("policy", {}).get(side, {}) for side in ("attacker", "defender")]
        self.retreat = [policy.get("retreat", "never") for policy in policies]
        self.entries, self.line, self.known = [], [], {}
        for side, policy in zip(sides, policies, strict=True):
            entries = [(card(entry["unit"]) | entry, entry.get("count", 1)) for entry in side["units"]]
            how = policy.get("deploy", "as-listed")
            if how == "strongest-first":
                entries.sort(key=lambda e: -e[0]["strength"])
            elif how == "weakest-first":
                entries.sort(key=lambda e: e[0]["strength"])
            elif how == "missile-first":
                entries.sort(key=lambda e: -(e[0]["missile"] or [0])[0])
            self.entries.append([unit for unit, _ in entries])
            self.line.append(tuple(i for i, (_, count) in enumerate(entries) for _ in range(count)))
        self.prices = [[entry["muster"] for entry in entries] for entries in self.entries]
        self.gold = [sum(prices[entry] for entry in line) for prices, line in zip(self.prices, self.line, strict=True)]
        self.start = [len(line) for line in self.line]

    def d10(self, column, lowest):
        """(chance, letter) of one d10 in this column."""
        again = [(1 / 9, TABLE[face, column]) for face in range(1, 10)]
        faces = [(1 / 10, TABLE[face, column]) for face in range(1, 10)]
        if self.get("ten", "reroll") == "reroll":
            return faces + [(p / 10, letter) for p, letter in again]
        for eight in range(1, 9):
            moved = clamp(column - 1 if eight <= 4 else column + 1, lowest)
            faces += [(1 / 10 / 8 / 9, TABLE[face, moved]) for face in range(1, 10)]
        return faces

    def passes(self, morale):
        die = 6 if self.get("morale_die", "d6") == "d6" else 8
        return sum(face <= {1: 2, 2: 4, 3: 6, 4: 6}[morale] for face in range(1, die + 1)) / die

    def effects(self, column, morale, lowest=-3):
        """{effect: chance} of one attack."""
        found = defaultdict(float)
        good = self.passes(morale)
        for p, letter in self.d10(column, lowest):
            if letter == "F":
                found["none"] += p * good
                found["back"] += p * (1 - good)
            elif letter == "R":
                saved = good + (1 - good) * good if self.get("rally", "none") == "once" else good
                found["back"] += p * saved
                found["rout"] += p * (1 - saved)
            else:
                found[{"-": "none", "H": "hit", "D": "destroyed"}[letter]] += p
        return found

    def attack(self, side, fronts, values):
        """Effects on the enemy of `side`, or nothing at all if there are no values."""
        if values is None:
            return {"none": 1.0}
        own, enemy = (self.entries[s][fronts[s][0]] for s in (side, 1 - side))
        value = own[values][fronts[side][1]] + own.get("spells", 0) + own.get("hero", 0)
        if self.terrain != "plains":
            twice = 2 * Fraction(self.ground(side, fronts)["modifier"])
            value += int(abs(twice)) // 2 * (1 if twice > 0 else -1)
        value = max(0, value) if self.usable(side, fronts) else 0
        defence = enemy["defence"] if self.usable(1 - side, fronts) else enemy["defence"] // 2
        lowest = self.lowest if side == 0 else -3
        column = clamp(value - defence - (self.cover if side == 0 else 0) + self.edge[side], lowest)
        key = column, min(4, enemy["morale"] + self.inspire[1 - side]), lowest
        if key not in self.known:
            self.known[key] = self.effects(*key)
        return self.known[key]

    def ground(self, side, fronts):
        kind = self.entries[side][fronts[side][0]]["class"]
        return TERRAIN[kind, self.terrain, ("attack", "defend")[side]]

    def usable(self, side, fronts):
        return self.terrain == "plains" or self.ground(side, fronts)["usable"] == "1"

    def can(self, side, fronts, values):
        own = self.entries[side][fronts[side][0]]
        return self.usable(side, fronts) and bool(own[values]) and own[values][fronts[side][1]] > 0

    def exchange(self, step, fronts):
        """Attacks that both sides use now, and the step that follows if both stay."""
        if step[0] == "approach":
            uses = ["missile" if self.can(side, fronts, "missile") else None for side in (0, 1)]
            return uses, ("approach", step[1] - 1) if step[1] > 1 else ("contact",)
        if step[0] == "contact":
            charge = [
                self.charges
                and self.can(side, fronts, "charge")
                and self.entries[1 - side][fronts[1 - side][0]]["class"] != "pikemen"
                for side in (0, 1)
            ]
            if charge == [True, True]:
                return ["charge", "charge"], ("melee",)
            if charge[0]:
                return ["charge", None], ("back", 1)
            if charge[1]:
                return [None, "charge"], ("back", 0)
        if step[0] == "back":
            return ["melee" if side == step[1] else None for side in (0, 1)], ("melee",)
        return ["melee", "melee"], ("melee",)

    def suffers(self, side, state, effect):
        """A side's situation after an effect on its front."""
        (entry, hits, rested), fresh, resting, routed, destroyed = state
        unit = self.entries[side][entry]
        if effect == "hit":
            hits += 1
            effect = "destroyed" if hits > unit["hits"] else "none"
        if effect == "none":
            return (entry, hits, rested), fresh, resting, routed, destroyed
        if effect == "destroyed":
            # Only the gold depends on which units are destroyed.
            return None, fresh, resting, routed, tuple(sorted((*destroyed, entry if self.get("gold") else 0)))
        if effect == "rout" or rested:
            return None, fresh, resting, routed + 1, destroyed
        return None, fresh, tuple(sorted((*resting, (entry, hits)))), routed, destroyed

    def filled(self, state):
        front, fresh, resting, routed, destroyed = state
        if front is None and fresh:
            front, fresh = (fresh[0], 0, False), fresh[1:]
        elif front is None and resting:
            front, resting = (*resting[0], True), resting[1:]
        return front, fresh, resting, routed, destroyed

    def on_field(self, state):
        return (state[0] is not None) + len(state[1]) + len(state[2])

    def leaves(self, side, sides):
        own, enemy = self.on_field(sides[side]), self.on_field(sides[1 - side])
        if self.retreat[side] == "half":
            return 2 * (sides[side][3] + len(sides[side][4])) >= self.start[side]
        return self.retreat[side] == "outmatched" and 2 * own < enemy

    def verdict(self, sides):
        """(winner or None while it goes on, both sides)."""
        there = [self.on_field(side) for side in sides]
        if not all(there):
            return ("nobody" if not any(there) else "attacker" if there[0] else "defender"), sides
        for side in (0, 1):
            if self.leaves(side, sides):
                return self.left(side, sides)
        return None, sides

    def left(self, side, sides):
        """The winner and both sides after one has left the field."""
        _, _, _, routed, destroyed = sides[side]
        gone = (None, (), (), routed + self.on_field(sides[side]), destroyed)
        return ("defender", "attacker")[side], [gone, sides[1]] if side == 0 else [sides[0], gone]

    def finished(self, winner, sides, p):
        """(outcome, chance) after the pursuit."""
        if winner == "nobody" or self.storm or self.get("pursuit", "cavalry") == "none":
            yield self.outcome(winner, sides, 0), p
            return
        side = 0 if winner == "attacker" else 1
        front, fresh, resting, _, _ = sides[side]
        there = [front[0], *fresh, *(entry for entry, _ in resting)]
        hunters = sum(self.entries[side][entry]["type"] == "cavalry" for entry in there)
        caught = {0: 1.0}
        for _ in range(min(hunters, sides[1 - side][3])):
            then = defaultdict(float)
            for face in range(1, 7):
                for n, q in caught.items():
                    then[n + (face >= self.get("pursuit_number", 5))] += q / 6
            caught = then
        for n, q in caught.items():
            yield self.outcome(winner, sides, n), p * q

    def outcome(self, winner, sides, caught):
        found = {"winner": winner}
        for n, (name, side) in enumerate(zip(("attacker", "defender"), sides, strict=True)):
            front, _, resting, routed, destroyed = side
            lost = caught if winner not in (name, "nobody") else 0
            found[f"{name}_standing"] = self.on_field(side)
            found[f"{name}_routed"] = routed - lost
            found[f"{name}_destroyed"] = len(destroyed) + lost
            found[f"{name}_hits"] = (front[1] if front else 0) + sum(hits for _, hits in resting)
            if self.get("gold"):
                fallen = sum(self.prices[n][entry] for entry in destroyed)
                more = lost * (self.gold[n] - fallen) // routed if lost else 0
                if self.storm and n == 1 and winner == "attacker":
                    more = self.gold[n] - fallen
                found |= {f"{name}_gold": self.gold[n], f"{name}_gold_lost": fallen + more}
        if self.storm:
            taken = found["defender_routed"] if winner == "attacker" else 0
            found |= {"defender_captured": taken, "defender_routed": found["defender_routed"] - taken}
        return tuple(sorted(found.items()))

    def worn(self, state):
        """Grows with everything that can happen to a side."""
        front, _, resting, routed, destroyed = state
        at_front = (20 if front[2] else 0) + front[1] if front else 0
        return at_front + sum(10 + hits for _, hits in resting) + 40 * (routed + len(destroyed))

    def opening(self):
        return [(None, units, (), 0, ()) for units in self.line]

    def first_step(self):
        return ("approach", self.get("missile_rounds", 1)) if self.get("missile_rounds", 1) else ("contact",)

    def pairs(self, own, enemy, step):
        """(chance, both sides and the step that follows) of one exchange."""
        uses, follows = self.exchange(step, (own[0], enemy[0]))
        theirs = [(q, self.suffers(1, enemy, n)) for n, q in self.attack(0, (own[0], enemy[0]), uses[0]).items()]
        mine = [(r, self.suffers(0, own, n)) for n, r in self.attack(1, (own[0], enemy[0]), uses[1]).items()]
        return [(q * r, (after, enemy_after, follows)) for q, enemy_after in theirs for r, after in mine]

    def odds(self):
        """{outcome: chance}; situations are taken in the order in which they can come about, each once."""
        found, waiting, line, known = defaultdict(float), {}, [], {}
        order = ["melee", "back", "contact", "approach"]

        def wait(own, enemy, step, p):
            if (own, enemy, step) not in waiting:
                late = -order.index(step[0]), -step[1] if step[0] == "approach" else 0
                heappush(line, (self.worn(own) + self.worn(enemy), late, len(line), (own, enemy, step)))
            waiting[own, enemy, step] = waiting.get((own, enemy, step), 0.0) + p

        def meet(sides, p):
            if sides not in known:
                winner, ends = self.verdict([self.filled(side) for side in sides])
                known[sides] = ends, None if winner is None else [*self.finished(winner, ends, 1.0)]
            ends, outcomes = known[sides]
            if outcomes is None:
                wait(*ends, self.first_step(), p)
            else:
                for outcome, q in outcomes:
                    found[outcome] += p * q

        meet(tuple(self.opening()), 1.0)
        while line:
            own, enemy, step = heappop(line)[-1]
            p = waiting.pop((own, enemy, step))
            pairs = self.pairs(own, enemy, step)
            same = sum(q for q, then in pairs if then == (own, enemy, step))
            for q, then in pairs:
                if not (then[0][0] and then[1][0]):
                    meet(then[:2], p * q / (1 - same))
                elif then != (own, enemy, step):
                    wait(*then, p * q / (1 - same))
        return dict(found)


class Best(Fight):
    """Both sides' worths, each decision by looking at everything that may follow (sections 3.4 and 11)."""

    def __init__(self, scenario, worth):
        super().__init__(scenario)
        self.worth, self.seen = worth, {}

    def value(self):
        return self.meeting(self.opening())

    def meeting(self, sides):
        sides = tuple(self.filled(side) for side in sides)
        if sides not in self.seen:
            there = [self.on_field(side) for side in sides]
            if all(there):
                self.seen[sides] = self.asked(0, sides)
            else:
                winner = "nobody" if not any(there) else "attacker" if there[0] else "defender"
                self.seen[sides] = self.ended(winner, sides)
        return self.seen[sides]

    def ended(self, winner, sides):
        ends = [(self.worth(dict(outcome)), p) for outcome, p in self.finished(winner, sides, 1.0)]
        return tuple(sum(p * worths[side] for worths, p in ends) for side in (0, 1))

    def asked(self, side, sides):
        """Value when this side decides, and then the other."""
        stay = self.asked(1, sides) if side == 0 else self.fought(*sides, self.first_step())
        if self.retreat[side] != "best":
            return self.ended(*self.left(side, sides)) if self.leaves(side, sides) else stay
        leave = self.ended(*self.left(side, sides))
        return leave if leave[side] > stay[side] + 1e-12 else stay

    def fought(self, own, enemy, step):
        key = own, enemy, step
        if key not in self.seen:
            total, same = [0.0, 0.0], 0.0
            for p, then in self.pairs(own, enemy, step):
                if then == key:
                    same += p
                    continue
                on = then[0][0] and then[1][0]
                worths = self.fought(*then) if on else self.meeting(then[:2])
                total = [sum_ + p * worth for sum_, worth in zip(total, worths, strict=True)]
            self.seen[key] = tuple(sum_ / (1 - same) for sum_ in total)
        return self.seen[key]


def odds(scenario):
    return Fight(scenario).odds()
