"""Losses and the attacker's retreat as well as possible, by plain recursion over the slow table-top of `reference`.

Only battles in which a round that changes nothing needs no decision but staying: the other policies are fixed, the
defender never retreats.
"""

from tests.kings_and_things.reference import Battle, outputs

SIDES = ("attacker", "defender")


class FreeChoice(Battle):
    def __init__(self, scenario):
        super().__init__(scenario)
        self.known = {}
        objective = scenario.get("objective") or {"attacker": {"win": 1}}
        self.weights = {side: objective.get(side) for side in SIDES}
        self.leaves = self.pol("attacker", "retreat", "never") == "best"

    def worth(self, world, stalemate=False):
        """The worth of a battle that ends like this to the attacker and the defender."""
        found = {}
        for side in SIDES:
            weights = self.weights[side]
            if weights:
                found[side] = sum(
                    float(p) * weight * (row["winner"] == side if column == "win" else row[column])
                    for p, row in outputs(self, world, 0, stalemate)
                    for column, weight in weights.items()
                )
        mine = found.get("attacker", -found.get("defender", 0.0))
        return mine, found.get("defender", -mine)

    def solve(self):
        total = [0.0, 0.0]
        for p, world in self.worlds():
            value = self.worth(world) if self.over(world) else self.first_round(world)
            total = [t + float(p) * v for t, v in zip(total, value, strict=True)]
        return tuple(total)

    def first_round(self, world):
        """Nobody was asked before the first round; if it changes nothing the attacker is asked after it."""
        value, again = self.round_of(world)
        return tuple(v + again * w for v, w in zip(value, self.asked(world), strict=True)) if again else value

    def asked(self, world):
        """The end of a round: the attacker leaves if that is better than to stay until something changes."""
        key = self.freeze(world)
        if key not in self.known:
            value, again = self.round_of(world)
            stay = tuple(v / (1 - again) for v in value)
            able = self.leaves and self.people(world, "attacker") and self.side["attacker"].get("retreat_hex", True)
            gone = self.after_round(self.leave(world, "attacker")) if able else stay
            self.known[key] = gone if gone[0] > stay[0] + 1e-12 else stay
        return self.known[key]

    def after_round(self, world):
        return self.worth(world) if self.over(world) else self.asked(world)

    def round_of(self, world):
        """(values of all results that change something, chance that nothing changes)."""
        marks, aims = self.new_round(world)
        if marks is None:
            return self.worth(world, stalemate=True), 0.0
        return self.step(world, 0, marks, aims, self.freeze(world))

    def step(self, world, step, marks, aims, before):
        if step == 3:
            return ((0.0, 0.0), 1.0) if self.freeze(world) == before else (self.after_round(world), 0.0)
        total, again = [0.0, 0.0], 0.0
        for p, after, hit, new in self.volleys(world, step, marks, aims):
            value, same = self.losses(after, step, new, aims, before, hit, SIDES)
            total = [t + float(p) * v for t, v in zip(total, value, strict=True)]
            again += float(p) * same
        return tuple(total), again

    def losses(self, world, step, marks, aims, before, hit, waiting):
        if not waiting:
            return (self.worth(world), 0.0) if self.over(world) else self.step(world, step + 1, marks, aims, before)
        name, rest = waiting[0], waiting[1:]
        if self.pol(name, "losses", "") != "best" or not any(hit[name]):
            total, again = [0.0, 0.0], 0.0
            for p, after, new in self.lose(world, name, *hit[name], step, marks):
                value, same = self.losses(after, step, new, aims, before, hit, rest)
                total = [t + float(p) * v for t, v in zip(total, value, strict=True)]
                again += float(p) * same
            return tuple(total), again
        best = None
        for after, new in self.choices(world, name, *hit[name], step, marks):
            found = self.losses(after, step, new, aims, before, hit, rest)
            mine = SIDES.index(name)
            if best is None or found[0][mine] > best[0][mine] + 1e-12:
                best = found
        return best

    def choices(self, world, name, hits, aimed, step, marks):
        """All (world, marks) that the hits of a step may leave, weakest first, then who keeps the strongest."""
        order = self.weakest_first(world, name, marks)
        ((_, fixed, new),) = self.lose(world, name, hits, aimed, step, marks)
        if step == 1 and any(self.units[name][u].kind == "golem" for u in self.here(world, name)):
            hits, aimed = (hits - 1, aimed) if hits else (0, 0)
        if aimed:
            prey = [u for u in order if self.units[name][u].kind != "golem"]
            if prey:
                world = self.kill(world, name, prey[-1])
            else:
                hits += 1
        if self.pol(name, "item_hits", "keep") == "spend":
            for item in ("magic-bow", "magic-sword"):
                if hits and item in world[name]["items"]:
                    world, hits = self.copy(world), hits - 1
                    world[name]["items"].discard(item)
        found = {self.freeze(world): world}
        for _ in range(hits):
            found = {self.freeze(w): w for one in found.values() for w in (self.one_hit(one, name, step) or [one])}
        found.pop(self.freeze(fixed))
        walls = ("fort", "settlement", "firewall")

        def kept(one):
            alive = one[name]["alive"]
            return [u in alive for u in reversed(order)], [one[name]["walls"].get(wall, 0) for wall in walls]

        rest = sorted(found.values(), key=kept, reverse=True)
        return [(fixed, new), *((one, self.marked(one, name, marks)) for one in rest)]

    def marked(self, world, name, marks):
        """Without a Bow or Sword that is given up: a new round hands out those that are left."""
        marks = {n: dict(m) for n, m in marks.items()}
        for item, key in (("magic-bow", "bow"), ("magic-sword", "sword")):
            if item not in world[name]["items"]:
                marks[name].pop(key, None)
        return marks

    def one_hit(self, world, name, step):
        found = []
        for wall, level in world[name]["walls"].items():
            if level:
                gone = wall == "firewall" and self.options["firewall_hits"] == "one"
                found.append(self.edit(world, name, (wall, 0 if gone else level - 1)))
        for u in self.here(world, name):
            if not (self.units[name][u].kind == "golem" and step == 1):
                found.append(self.kill(world, name, u))
        return found


def value(scenario):
    """The worth of the battle to the attacker and the defender."""
    return FreeChoice(scenario).solve()
