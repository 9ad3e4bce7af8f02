"""The loss line of a side, read as slowly and plainly as `reference` (docs/rules/custom_games.md section 7)."""

from fractions import Fraction

SIDES = ("attacker", "defender")
MAIN = {"attacker": "attack", "defender": "defence"}


class Losses:
    def main_mean(self, side, unit):
        roll = self.roll(unit, MAIN[side])
        return roll["dice"] * self.chance(roll["value"], [roll["reroll"]]) if roll else Fraction(0)

    @staticmethod
    def by_side(value, side, default):
        return value.get(side, default) if isinstance(value, dict) else value

    def wanted_order(self, side):
        policy = self.s.get("policy", {}).get(side, {})
        return policy.get(
            "loss_order", self.by_side(self.g.get("losses", {}).get("order", "cheapest"), side, "cheapest")
        )

    def order(self, side):
        order = self.wanted_order(side)
        last = self.select(self.by_side(self.g.get("losses", {}).get("last", []), side, []))

        def mean(unit):
            return self.main_mean(side, unit)

        def cost(unit):
            return self.given(side, unit, "cost", 0)

        able = self.fights[side]
        cheap = sorted(able, key=lambda u: (cost(u), mean(u), self.units.index(u)))
        if order == "cheapest":
            found = cheap
        elif order == "weakest":
            found = sorted(able, key=lambda u: (mean(u), cost(u), self.units.index(u)))
        else:
            found = [u for u in order if u in able] + [u for u in cheap if u not in order]
        return [u for u in found if u not in last] + [u for u in found if u in last]

    def line(self, side):
        policy = self.s.get("policy", {}).get(side, {})
        front, pieces = [], []
        for unit in self.order(side):
            number, hits = self.s[side].get(unit, 0), self.given(side, unit, "hits", 1)
            absorb = policy.get("absorb", self.given(side, unit, "absorb", "first"))
            for _ in range(number):
                if absorb == "first":
                    front += [(unit, False)] * (hits - 1)
                    pieces.append([unit, [(unit, True)], False])
                else:
                    pieces.append([unit, [(unit, False)] * (hits - 1) + [(unit, True)], False])
        for entry, number in policy.get("keep", {}).items():
            matching = [piece for piece in pieces if piece[0] in self.select([entry])]
            for piece in matching[max(0, len(matching) - number) :]:
                piece[2] = True
        ordered = [p for p in pieces if not p[2]] + [p for p in pieces if p[2]]
        return tuple(front + [point for piece in ordered for point in piece[1]])

    def standing(self, side, line):
        found = dict.fromkeys(self.units, 0)
        for unit, lethal in line:
            found[unit] += lethal
        for unit in self.supports[side]:
            found[unit] += self.s[side].get(unit, 0)
        return found

    @staticmethod
    def units_in(line):
        return sum(lethal for _, lethal in line)
