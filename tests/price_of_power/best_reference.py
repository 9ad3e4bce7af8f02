"""Best play by plain recursion over the slow reference, for opposite aims: every hit is picked one by one.

A round that changes nothing leads back to its state; its value is found by repeating it until it moves no more.
"""

from __future__ import annotations

from itertools import combinations, product

from tests.price_of_power.reference import War, copied, faces

SIDES = ("attacker", "defender")
SMALL = 1e-14


class BestWar(War):
    """A war in which each side wants the opposite of the other: the attacker what `weights` say."""

    def __init__(self, scenario, weights):
        super().__init__(scenario)
        self.weights, self.known = weights, {}

    def best(self, s, what):
        return self.policy[s].get(what) == "best"

    def value(self):
        """Both sides appoint, the attacker first; then the battle with these leaders."""
        candidates = {s: [one for _, one in self.leaders(s)] for s in SIDES}
        return max(
            min(self.led_by(mine, theirs) for theirs in candidates["defender"]) for mine in candidates["attacker"]
        )

    def led_by(self, mine, theirs):
        leaders, self.known = {"attacker": mine, "defender": theirs}, {}
        self.leaders_, self.bases = leaders, {s: self.base(s, leaders[s]) for s in SIDES}
        wounds = {s: (leaders[s] or {}).get("wounds", 0) for s in SIDES}
        hands = {s: ["hand"] * len(self.side[s].get("battle_actions", [])) for s in SIDES}
        dice, shown = self.charge_dice(), faces(self.scenario, "cavalry")
        total = 0.0
        for thrown in product(shown, repeat=sum(dice.values())):
            mine, theirs = thrown[: dice["attacker"]], thrown[dice["attacker"] :]
            best = max(
                min(
                    self.charged({"attacker": way, "defender": other}, wounds, hands)
                    for other in self.ways("defender", copied(self.start["defender"]), mine.count("cavalry"))
                )
                for way in self.ways("attacker", copied(self.start["attacker"]), theirs.count("cavalry"))
            )
            total += best / len(shown) ** len(thrown)
        return total

    def charged(self, forces, wounds, hands):
        forces = copied(forces)
        self.anew(forces)
        if any(not sum(f.here() for f in forces[s]) for s in SIDES):
            return self.worth(forces, wounds, hands, {})
        return self.cards(forces, wounds, hands, 1, None)

    def worth(self, forces, wounds, hands, captured):
        end = dict(self.end(forces, wounds, self.leaders_, captured, hands))
        columns = end | {"win": end["winner"] == "attacker"}
        return sum(weight * columns[name] for name, weight in self.weights.items())

    def better(self, s):
        return max if s == "attacker" else min

    def cards(self, forces, wounds, hands, now, back):
        """Before a round: cards by rule, then those that each side plays or keeps."""
        return self.plays("attacker", forces, wounds, self.played(forces, hands, now), now, back)

    def plays(self, s, forces, wounds, hands, now, back):
        if s is None:
            return self.fight(forces, wounds, hands, now, back)
        actions = self.side[s].get("battle_actions", [])
        ready = [
            place for place, action in enumerate(actions)
            if action.get("when") == "best" and hands[s][place] == "hand" and now >= action.get("round", 1)
            and self.led(s, forces[s])
        ]  # fmt: skip
        found = []
        for size in range(len(ready) + 1):
            for chosen in combinations(ready, size):
                hand = ["force" if place in chosen else state for place, state in enumerate(hands[s])]
                following = "defender" if s == "attacker" else None
                found.append(self.plays(following, forces, wounds, hands | {s: hand}, now, back))
        return self.better(s)(found)

    def fight(self, forces, wounds, hands, now, back):
        """A round; `back`: the state that it began with, its value so far, and those of states after its losses."""
        last = self.max_rounds or max(
            [1, *(a.get("round", 1) + 1 for s in SIDES for a in self.side[s].get("battle_actions", []))]
            + [self.policy[s].get("retreat_at", 0) for s in SIDES]
        )
        key = self.state_key(forces, wounds, hands, min(now, last))
        if back and key == back[0]:
            return back[1]
        if key not in self.known:
            value = 0.0
            while True:
                again = self.once(forces, wounds, hands, now, (key, value, {}))
                if abs(again - value) < SMALL:
                    break
                value = again
            self.known[key] = value
        return self.known[key]

    def once(self, forces, wounds, hands, now, back):
        total = 0.0
        mine, theirs = (self.rolls(s, forces, wounds, now, self.leaders_, self.bases, hands) for s in SIDES)
        for (ha, ta), pa in mine.items():
            for (hd, td), pd in theirs.items():
                rolled = (ha, ta, hd, td)
                total += pa * pd * self.lose("attacker", forces, copied(forces), (wounds, hands, now, rolled, back))
        return total

    def ways(self, s, forces, hits):
        """All forces of a side after hits, which it picks one by one or takes by its list."""
        if not self.best(s, "losses"):
            self.deal(forces, hits)
            return [forces]
        order = []
        count = copied(forces)
        for f in count:  # only to see who takes each hit
            f.hit = lambda f=f: (order.append(count.index(f)), type(f).hit(f))
        self.deal(count, hits)
        found = {(): forces}
        for place in order:
            following = {}
            for one in found.values():
                for unit in copied(one)[place].choices():
                    after = copied(one)
                    after[place].choices()
                    after[place].hit(unit)
                    following[tuple(f.key() for f in after)] = after
            found = following
        return list(found.values())

    def lose(self, s, before, after, about):
        rolled = about[3]
        ways = self.ways(s, copied(after[s]), rolled[2] if s == "attacker" else rolled[0])
        if s == "attacker":
            return max(self.lose("defender", before, after | {s: way}, about) for way in ways)
        return min(self.leave_or_stay(before, copied(after | {s: way}), about) for way in ways)

    def leave_or_stay(self, before, after, about):
        wounds, hands, now, rolled, back = about
        hurt, lost = self.hurt(before, after, wounds, self.leaders_, rolled)
        units = {s: sum(f.here() for f in after[s]) for s in after}
        if 0 in units.values():
            tercios = {"attacker": rolled[1], "defender": rolled[3]}
            return self.worth(after, hurt, hands, self.captured(before, after, lost, tercios))
        key, known = self.state_key(after, hurt, hands, now), back[2]
        if key not in known:
            known[key] = self.go("attacker", after, hurt, hands, now, back)
        return known[key]

    def go(self, s, after, wounds, hands, now, back):
        """A side stays or leaves, and pays as it likes."""
        units = {one: sum(f.here() for f in after[one]) for one in SIDES}
        other = SIDES[1 - SIDES.index(s)]
        best = self.best(s, "retreat")
        found = []
        free = [place for place, f in enumerate(after[s]) if self.alone(s, f) and units[s] >= 2]
        sets = [chosen for size in range(len(free) + 1) for chosen in combinations(free, size)]
        for leaving, alone in product((False, True) if best and units[s] >= 2 else (None,), sets):
            forces = copied(after)
            paying = []
            for place, f in enumerate(forces[s]):
                if not f.here():
                    continue
                npr = f.kind == "npr" and units[s] < units[other] and not f.stays
                wants = self.wants(s, f, units[s], units[other], now, wounds[s]) if not best else leaving
                if f.kind == "player" and (wants or place in alone):
                    paying.append(place)
                elif npr:
                    f.gone = True
            for side in self.paid(s, forces[s], paying):
                found.append(self.after(s, forces | {s: side}, wounds, hands, now, back))
        return self.better(s)(found)

    def paid(self, s, forces, paying):
        """The forces of a side after those at these places have paid and left."""
        found = [forces]
        for place in paying:
            following = []
            for one in found:
                units = one[place].choices() if self.best(s, "losses") else [None]
                for unit in units:
                    after = copied(one)
                    after[place].choices()
                    after[place].pay(unit)
                    after[place].gone = True
                    following.append(after)
            found = following
        return found

    def after(self, s, forces, wounds, hands, now, back):
        if s == "attacker" and not forces["attacker"][0].gone:
            return self.go("defender", copied(forces), wounds, hands, now, back)
        forces = copied(forces)
        self.anew(forces)
        if now == self.max_rounds or any(not sum(f.here() for f in forces[one]) for one in SIDES):
            return self.worth(forces, wounds, hands, {})
        return self.cards(forces, wounds, self.used(hands), now + 1, back)

    def wants(self, s, f, own, enemy, now, wounds):
        by_rule = not self.best(s, "retreat") and f.own.get("retreat") != "best"
        return by_rule and super().wants(s, f, own, enemy, now, wounds)

    def alone(self, s, f):
        """A realm may leave by itself when that is best."""
        may = f.own.get("can_retreat", self.side[s].get("can_retreat", True))
        return f.own.get("retreat") == "best" and f.here() > 0 and may
