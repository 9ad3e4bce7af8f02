"""A slow, obvious Kings & Things: every counter by name, every face of every die; shares no code with the rules.

`solve(scenario)` pushes a table of worlds (nested tuples) round by round until next to nothing is still fighting.
"""

# ruff: noqa: PLR0912, PLR0917, SIM102, PLR1704 - as the rule book runs, in one place

from collections import defaultdict
from fractions import Fraction

SPECIALS = {
    "Sword Master": (4, ""), "Marksman": (5, "R"), "Warlord": (5, ""), "Baron Munchausen": (4, ""),
    "Grand Duke": (4, ""), "Arch Mage": (6, "M"), "Elf Lord": (6, "R"), "Sir Lance-a-Lot": (5, "C"),
}  # fmt: skip
LEVEL = {"none": 0, "tower": 1, "keep": 2, "castle": 3, "citadel": 4, "village": 1, "city": 2}
STEP = {"M": 0, "R": 1, "": 2, "C": 2}
AUTO = [
    "dust-of-defense", "golem", "firewall", "magic-sword", "talisman", "balloon", "magic-bow", "lucky-charm", "fan",
]  # fmt: skip
NAMES = ["attacker", "defender", "second_attacker", "third_attacker"]
DECIDING = ["attacker", "second_attacker", "third_attacker", "defender"]
TIES = ["defender", "attacker", "second_attacker", "third_attacker"]


class Unit:
    def __init__(self, text, kind="creature", value=None, symbol=None):
        self.text, self.kind, self.passenger = text, kind, False
        if value is None:
            if text in SPECIALS:
                value, symbol = SPECIALS[text]
                self.kind = "special"
            else:
                value, symbol = int(text[0]), text[1:].replace("F", "")
        self.value, self.symbol = value, symbol

    @property
    def people(self):
        return self.kind in ("creature", "special")

    def strength(self):
        return (2 if self.symbol == "C" else 1) * min(6, self.value)

    def tie(self):
        kind = {"balloon": 0, "creature": 1, "golem": 2, "special": 3}[self.kind] + (self.text == "Sword Master")
        return ({2: 0, 1: 1, 0: 2}[STEP[self.symbol]], self.value, kind, self.passenger)


def expand(entries):
    for entry in entries:
        number, _, rest = entry.rpartition(" x ")
        yield from [rest] * int(number or 1)


class Battle:
    def __init__(self, scenario):
        self.data = scenario
        self.names = [name for name in NAMES if name in scenario]
        self.options = {"post_battle_rolls": "damaged", "firewall_hits": "as-fort"} | scenario.get("options", {})
        self.conditions = {"unexplored": False, "black_cloud": False} | scenario.get("conditions", {})
        self.side = {name: scenario[name] for name in self.names}
        self.policy = {name: scenario.get("policy", {}).get(name, {}) for name in self.names}
        self.items = {name: set(self.side[name].get("items", [])) for name in self.names}
        self.units = {}
        for name in self.names:
            self.units[name] = [Unit(text) for text in expand(self.side[name].get("creatures", []))]
        self.land = len(self.names) == 2
        self.before_round_one()

    def pol(self, name, key, default):
        return self.policy[name].get(key, default)

    def enemy(self, name):
        return "defender" if name == "attacker" else "attacker"

    def before_round_one(self):
        for name in self.names if self.land else ():
            if "dispel-magic" in self.items[name]:
                other, choice = self.enemy(name), self.pol(name, "dispel", "auto")
                gone = [i for i in (AUTO if choice == "auto" else [choice]) if i in self.items[other]][:1]
                self.items[other] -= set(gone)
                for unit in self.units[other]:
                    unit.symbol = "" if unit.symbol == "M" else unit.symbol
        if "fan" in self.items["attacker"]:
            self.items["defender"].discard("dust-of-defense")
        self.cloud = self.conditions["black_cloud"] and "fan" not in self.items["defender"]
        for name in self.names:
            if "balloon" in self.items[name]:
                for text in expand(self.side[name].get("balloon_passengers", [])):
                    next(u for u in self.units[name] if u.text == text and not u.passenger).passenger = True
                self.units[name].append(Unit("balloon", "balloon", 3, "R"))
            if "golem" in self.items[name]:
                self.units[name].append(Unit("golem", "golem", 6, ""))
        defender = self.side["defender"]
        self.walls = {name: {} for name in self.names}
        self.walls["defender"]["settlement"] = LEVEL[defender.get("settlement", "none")] - defender.get(
            "settlement_damage", 0
        )
        self.walls["defender"]["fort"] = LEVEL[defender.get("fort", "none")] - defender.get("fort_damage", 0)
        self.dust_now = (
            "dust-of-defense" in self.items["defender"]
            and self.pol("defender", "dust", "at-start") == "at-start"
            and self.side["attacker"].get("retreat_hex", True)
        )
        if not self.dust_now:
            for name in self.names if self.land else ():
                if any(u.text == "Warlord" for u in self.units[name]) and self.pol(name, "warlord", "") != "unused":
                    other = self.enemy(name)
                    prey = [u for u in self.units[other] if u.kind == "creature" and not u.passenger]
                    if prey:
                        taken = sorted(prey, key=lambda u: (u.strength(), u.tie()))[-1]
                        self.units[other].remove(taken)
                        self.units[name].append(taken)
            for name in self.names:
                for unit in self.units[name]:
                    if name != "defender" and unit.text in ("Baron Munchausen", "Grand Duke"):
                        for wall in ("fort", "settlement"):
                            if self.walls["defender"][wall] > 0:
                                self.walls["defender"][wall] -= 1
                                break

    # --- worlds: {side: (alive units, walls, items, fled)} and rounds

    def worlds(self):
        start = {}
        for name in self.names:
            start[name] = {
                "alive": list(range(len(self.units[name]))),
                "walls": dict(self.walls[name]),
                "items": set(self.items[name]),
                "fled": None,
            }
        found = [(Fraction(1), start)]
        for name in self.names:
            if "firewall" in self.items[name]:
                value = self.side[name].get("firewall_value", 0)
                found = [
                    (p / (1 if value else 6), self.edit(world, name, wall=("firewall", level)))
                    for p, world in found
                    for level in ([value] if value else range(1, 7))
                ]
        return found

    def copy(self, world):
        return {
            name: {
                "alive": list(s["alive"]), "walls": dict(s["walls"]), "items": set(s["items"]), "fled": s["fled"],
            }
            for name, s in world.items()
        }  # fmt: skip

    def edit(self, world, name, wall):
        world = self.copy(world)
        world[name]["walls"][wall[0]] = wall[1]
        return world

    def freeze(self, world):
        return tuple(
            (tuple(s["alive"]), tuple(sorted(s["walls"].items())), tuple(sorted(s["items"])), s["fled"])
            for s in (world[name] for name in self.names)
        )

    def thaw(self, frozen):
        return {
            name: {"alive": list(a), "walls": dict(w), "items": set(i), "fled": f}
            for name, (a, w, i, f) in zip(self.names, frozen, strict=True)
        }

    # --- what a side has

    def here(self, world, name):
        return [] if world[name]["fled"] is not None else world[name]["alive"]

    def stands(self, world, name):
        return bool(self.here(world, name)) or any(world[name]["walls"].values())

    def people(self, world, name):
        return [u for u in self.here(world, name) if self.units[name][u].people]

    def shade(self, name, value):
        return max(0, value - (1 if self.cloud and name == "defender" else 0))

    def own_value(self, name, u):
        unit = self.units[name][u]
        return 2 if unit.text == "Marksman" and self.pol(name, "marksman", "volley") == "aimed" else unit.value

    def balloon(self, world, name):
        return any(self.units[name][u].kind == "balloon" for u in self.here(world, name))

    def fire(self, world, name):
        total = 0
        for u in self.here(world, name):
            unit = self.units[name][u]
            dice = 2 if unit.symbol == "C" and not (unit.passenger and self.balloon(world, name)) else 1
            total += dice * min(6, self.shade(name, self.own_value(name, u)))
        return total + sum(self.shade(name, level) for level in world[name]["walls"].values() if level)

    def over(self, world):
        present = [n for n in self.names if n != "defender" and self.stands(world, n)]
        return not present or (len(present) == 1 and not self.stands(world, "defender"))

    # --- a round

    def fights(self, world, name, u, marks):
        """(step, dice, effective value) of a counter now."""
        unit, value = self.units[name][u], self.own_value(name, u)
        if marks[name].get("sword") == u:
            return 2, 2, self.shade(name, value + 1)
        if marks[name].get("bow") == u:
            return 1, 1, self.shade(name, value + 1)
        value = self.shade(name, value)
        if unit.passenger:
            if marks[name].get("aloft"):
                return 1, 1, value
            if marks[name].get("shot"):
                return None, 0, value
        return STEP[unit.symbol], 2 if unit.symbol == "C" else 1, value

    def wall_step(self, name, wall):
        if wall == "fort":
            return {"tower": 2, "keep": 2, "castle": 1, "citadel": 0}[self.side["defender"]["fort"]]
        return {"firewall": 0, "settlement": 2}[wall]

    def hand_out(self, world, marks):
        for name in self.names:
            for item, key, dice in (("magic-sword", "sword", 2), ("magic-bow", "bow", 1)):
                if item not in world[name]["items"]:
                    continue
                best = None
                order = self.loss_order(world, name, marks, 0)
                for u in [entry for entry in order if isinstance(entry, int)]:
                    unit = self.units[name][u]
                    if not unit.people or unit.text == "Marksman" or unit.passenger or u in marks[name].values():
                        continue
                    old = 2 if unit.symbol == "C" else 1
                    more = dice * min(6, self.shade(name, unit.value + 1)) - old * min(6, self.shade(name, unit.value))
                    rank = (more, STEP[unit.symbol], unit.value, unit.kind == "special")
                    if best is None or rank >= best[0]:
                        best = rank, u
                if best:
                    marks[name][key] = best[1]

    def weakest_first(self, world, name, marks):
        """Numbers of the counters; of equals those that hold an item later, then by the alphabet (section 4)."""

        def key(u):
            unit, held = self.units[name][u], 2 * (marks[name].get("sword") == u) + (marks[name].get("bow") == u)
            return unit.strength(), unit.tie(), held, unit.text, u

        return sorted(self.here(world, name), key=key)

    def loss_order(self, world, name, marks, step):
        """Everything that can be hit, first lost first; structures by name, counters by number."""
        policy, counters = self.pol(name, "losses", "weakest-first"), self.weakest_first(world, name, marks)
        walls = [w for w in ("firewall", "settlement", "fort") if world[name]["walls"].get(w)]
        if policy == "strongest-first":
            counters.sort(key=lambda u: -self.units[name][u].strength())
        if policy == "keep-next-step-fighters":

            def later(u):
                when, _, value = self.fights(world, name, u, marks)
                return value > 0 and when is not None and when > step

            counters.sort(key=later)
        if policy == "custom":
            listed = list(self.side[name]["loss_order"])
            first = [e for text in listed for e in walls + counters if self.written(name, e) == text]
            rest = [u for u in counters if u not in first]
            loose = [w for w in walls if w not in first]
            return loose + first + rest if self.pol(name, "structures", "first") == "first" else first + rest + loose
        return walls + counters if self.pol(name, "structures", "first") == "first" else counters + walls

    def written(self, name, entry):
        return entry if isinstance(entry, str) else self.units[name][entry].text

    def target(self, world, name):
        if self.land:
            return self.enemy(name)
        wish = self.pol(name, "target", "strongest" if name == "defender" else "defender").replace("-", "_")
        present = [n for n in TIES if n in self.names and n != name and self.stands(world, n)]
        if wish in present:
            return wish
        if not present:
            return None
        pick = min if wish == "weakest" else max
        return pick(present, key=lambda n: (self.fire(world, n) * 1, 0))

    def throw(self, world, name, step, marks):
        """{(hits, aimed hits, near misses ordinary/aimed, bare hits ordinary/aimed): chance}, over every face."""
        dice = []
        for u in self.here(world, name):
            when, number, value = self.fights(world, name, u, marks)
            if when == step and value > 0:
                aimed = self.units[name][u].text == "Marksman" and self.pol(name, "marksman", "volley") == "aimed"
                dice += [(value, aimed)] * number
        for wall, level in world[name]["walls"].items():
            if level and self.wall_step(name, wall) == step and self.shade(name, level):
                dice.append((self.shade(name, level), False))
        table = {(0, 0, 0, 0, 0, 0): Fraction(1)}
        for value, aimed in dice:
            wider = defaultdict(Fraction)
            for seen, p in table.items():
                for face in range(1, 7):
                    new = list(seen)
                    if face <= value:
                        new[1 if aimed else 0] += 1
                    if face == value + 1:
                        new[3 if aimed else 2] = 1
                    if face == value:
                        new[5 if aimed else 4] = 1
                    wider[tuple(new)] += p / 6
            table = wider
        return table

    def charmed(self, world, name, foe, seen):
        """Hits after a Lucky Charm: (ordinary, aimed, who used it)."""
        hits, aimed, near, near_aimed, bare, bare_aimed = seen
        if "lucky-charm" in world[name]["items"] and self.pol(name, "lucky_charm", "own-miss") == "own-miss":
            if near:
                return hits + 1, aimed, name
            if near_aimed:
                return hits, aimed + 1, name
        if foe and "lucky-charm" in world[foe]["items"] and self.pol(foe, "lucky_charm", "own-miss") == "enemy-hit":
            if bare:
                return hits - 1, aimed, foe
            if bare_aimed:
                return hits, aimed - 1, foe
        return hits, aimed, None

    def lose(self, world, name, hits, aimed, step, marks):
        """[(chance, world)] after one side's losses of one step (section 3.3)."""
        order_weak = self.weakest_first(world, name, marks)
        golem = any(self.units[name][u].kind == "golem" for u in self.here(world, name))
        if golem and step == 1:
            if hits:
                hits -= 1
            elif aimed:
                aimed -= 1
        order = self.loss_order(world, name, marks, step)
        plan = []
        for _ in range(aimed):
            prey = [u for u in order_weak if self.units[name][u].kind != "golem"]
            if prey:
                plan.append(("aimed", prey[-1]))
            else:
                hits += 1
        return self.go_through(world, name, plan, hits, order, step, marks)

    def go_through(self, world, name, plan, hits, order, step, marks):
        results = []

        def strike(world, marks, u):
            """[(chance, world, marks, survived)]"""
            unit = self.units[name][u]
            marks = {n: dict(m) for n, m in marks.items()}
            if unit.text == "Sword Master" and not marks[name].get("saved"):
                marks[name]["saved"] = True
                return [(Fraction(2, 3), world, marks, True), (Fraction(1, 3), self.kill(world, name, u), marks, False)]
            if unit.people and "talisman" in world[name]["items"]:
                dead = self.kill(world, name, u)
                dead[name]["items"].discard("talisman")
                return [(Fraction(2, 3), world, marks, True), (Fraction(1, 3), dead, marks, False)]
            return [(Fraction(1), self.kill(world, name, u), marks, False)]

        def first(p, world, marks, hits, struck, saved, todo, stage):
            if stage == "aimed" and plan:
                u = plan[0][1]
                for q, w, m, alive in strike(world, marks, u):
                    first(p * q, w, m, hits, {u}, [u] if alive else [], todo, "screen")
                return
            if stage in ("aimed", "screen"):
                master = [u for u in self.here(world, name) if self.units[name][u].text == "Sword Master"]
                if (
                    self.pol(name, "sword_master", "normal") == "screen" and master and hits
                    and not marks[name].get("saved") and master[0] not in struck
                ):  # fmt: skip
                    for q, w, m, alive in strike(world, marks, master[0]):
                        more = [master[0]] if alive else []
                        first(p * q, w, m, hits - 1, struck | {master[0]}, saved + more, todo, "spend")
                    return
            if stage != "pass":
                if self.pol(name, "item_hits", "keep") == "spend":
                    for item, key in (("magic-bow", "bow"), ("magic-sword", "sword")):
                        if hits and item in world[name]["items"]:
                            world = self.copy(world)
                            world[name]["items"].discard(item)
                            marks = {n: dict(m) for n, m in marks.items()}
                            marks[name].pop(key, None)
                            hits -= 1
                            # The creature without its item fights no more this round: the order of losses changes.
                            todo = [entry for entry in self.loss_order(world, name, marks, step) if entry in todo]
            while hits and todo:
                entry, todo = todo[0], todo[1:]
                if isinstance(entry, str):
                    level = world[name]["walls"][entry]
                    one = entry == "firewall" and self.options["firewall_hits"] == "one"
                    taken = 1 if one else min(hits, level)
                    world = self.edit(world, name, (entry, 0 if one else level - taken))
                    hits -= taken
                    continue
                if entry in struck or (self.units[name][entry].kind == "golem" and step == 1):
                    continue
                for q, w, m, alive in strike(world, marks, entry):
                    more = [entry] if alive else []
                    first(p * q, w, m, hits - 1, struck | {entry}, saved + more, todo, "pass")
                return
            for u in [entry for entry in self.loss_order(world, name, marks, step) if entry in saved][:hits]:
                world = self.kill(world, name, u)
            results.append((p, world, marks))

        first(Fraction(1), world, marks, hits, set(), [], order, "aimed")
        return results

    def kill(self, world, name, u):
        world = self.copy(world)
        world[name]["alive"].remove(u)
        return world

    def new_round(self, world):
        """(marks, targets) of a new round; (None, None) if nobody can hit any more."""
        marks = {name: {} for name in self.names}
        self.hand_out(world, marks)
        able = any(self.fights(world, n, u, marks)[2] >= 1 for n in self.names for u in self.here(world, n)) or any(
            self.shade(n, level) >= 1 for n in self.names for level in world[n]["walls"].values() if level
        )
        if not able:
            return None, None
        return marks, {name: self.target(world, name) for name in self.names}

    def play_round(self, world):
        """[(chance, world, how)]: how is "on", "over" or "stalemate"."""
        marks, aims = self.new_round(world)
        if marks is None:
            return [(Fraction(1), world, "stalemate")]
        table, done = [(Fraction(1), world, marks)], []
        for step in range(3):
            wider = []
            for p, world, marks in table:
                for q, after, new in self.play_step(world, step, marks, aims):
                    if self.over(after):
                        done.append((p * q, after, "over"))
                    else:
                        wider.append((p * q, after, new))
            table = self.merged(wider)
        return done + [(p, world, "end") for p, world, _ in table]

    def merged(self, table):
        seen = {}
        for p, world, marks in table:
            key = self.freeze(world), tuple(tuple(sorted(marks[n].items())) for n in self.names)
            seen[key] = (seen[key][0] + p if key in seen else p, world, marks)
        return list(seen.values())

    def volleys(self, world, step, marks, aims):
        """[(chance, world, hits on each side, marks)]: all dice of a step, before anybody takes losses."""
        marks = {n: dict(m) for n, m in marks.items()}
        for name in self.names:
            marks[name]["aloft"] = self.balloon(world, name)
            if step == 1 and marks[name]["aloft"]:
                marks[name]["shot"] = True
        volleys = [(Fraction(1), {n: [0, 0] for n in self.names}, [])]
        for name in self.names:
            foe = aims[name]
            if foe is None or not self.stands(world, name) or not self.stands(world, foe):
                continue
            wider = defaultdict(Fraction)
            for seen, p in self.throw(world, name, step, marks).items():
                wider[self.charmed(world, name, foe if self.land else None, seen)] += p
            volleys = [
                (
                    p * q,
                    {n: [h[0] + hits * (n == foe), h[1] + aimed * (n == foe)] for n, h in hit.items()},
                    [*used, user],
                )
                for p, hit, used in volleys
                for (hits, aimed, user), q in wider.items()
            ]
        thrown = []
        for p, hit, used in volleys:
            after = self.copy(world)
            for user in used:
                if user:
                    after[user]["items"].discard("lucky-charm")
            thrown.append((p, after, hit, marks))
        return thrown

    def play_step(self, world, step, marks, aims):
        results = []
        for p, thrown, hit, new_marks in self.volleys(world, step, marks, aims):
            table = [(p, thrown, new_marks)]
            for name in self.names:
                table = [
                    (q * r, after, new)
                    for q, now, m in table
                    for r, after, new in self.lose(now, name, *hit[name], step, m)
                ]
            results += table
        return self.merged(results)

    def leave(self, world, name):
        world, side = self.copy(world), self.side[name]
        going = [u for u in self.weakest_first(world, name, {name: {}}) if self.units[name][u].people]
        excess = max(0, len(going) + side.get("retreat_hex_creatures", 0) - 10)
        if side.get("retreat_hex_citadel"):
            excess = 0
        world[name]["alive"] = sorted(going[min(excess, len(going)) :])
        world[name]["fled"] = True
        world[name]["items"] = set()
        world[name]["walls"].pop("firewall", None)
        return world

    def wants(self, world, name, rounds):
        left, side = self.people(world, name), self.side[name]
        if not left or not side.get("retreat_hex", True) or (name == "defender" and self.conditions["unexplored"]):
            return False
        enemy = sum(self.fire(world, n) for n in self.names if n != name and self.stands(world, n))
        return {
            "never": False,
            "after-rounds": rounds >= self.pol(name, "retreat_after", 1),
            "below-creatures": len(left) < self.pol(name, "retreat_below", 2),
            "when-outgunned": self.fire(world, name) < Fraction(str(self.pol(name, "retreat_ratio", 0.5))) * enemy,
        }[self.pol(name, "retreat", "never")]

    def round_end(self, world, rounds):
        if "dust-of-defense" in world["defender"]["items"] and self.pol("defender", "dust", "") == "when-outgunned":
            able = self.people(world, "attacker") and self.side["attacker"].get("retreat_hex", True)
            if able and self.fire(world, "defender") < self.fire(world, "attacker"):
                return self.leave(world, "attacker")
        for name in DECIDING:
            if name in self.names and not self.over(world) and self.wants(world, name, rounds):
                world = self.leave(world, name)
        return world


def solve(scenario, left=1e-13):
    """{(name, value) ...: chance} as a list of (chance, outputs)."""
    battle = Battle(scenario)
    running, ends = defaultdict(float), defaultdict(float)
    for p, world in battle.worlds():
        if battle.dust_now:
            ends[battle.freeze(battle.leave(world, "attacker")), 0, False] += float(p)
        elif battle.over(world):
            ends[battle.freeze(world), 0, False] += float(p)
        else:
            running[battle.freeze(world)] += float(p)
    known, rounds = {}, 0
    while sum(running.values()) > left:
        rounds += 1
        following = defaultdict(float)
        for key, p in running.items():
            if key not in known:
                known[key] = [(float(q), battle.freeze(w), how) for q, w, how in battle.play_round(battle.thaw(key))]
            for q, after, how in known[key]:
                if how == "stalemate":
                    ends[after, rounds - 1, True] += p * q
                elif how == "over":
                    ends[after, rounds, False] += p * q
                else:
                    world = battle.round_end(battle.thaw(after), rounds)
                    if battle.over(world):
                        ends[battle.freeze(world), rounds, False] += p * q
                    else:
                        following[battle.freeze(world)] += p * q
        running = following
    return [
        (p * q, row) for (key, n, still), p in ends.items() for q, row in outputs(battle, battle.thaw(key), n, still)
    ]


def outputs(battle, world, rounds, stalemate):
    """[(chance, columns)]: the post-battle roll is the only chance left."""
    standing = {name: battle.stands(world, name) for name in battle.names}
    attacked = any(standing[n] for n in battle.names if n != "defender")
    fled = any(world[n]["fled"] for n in battle.names)
    unexplored = battle.conditions["unexplored"]
    row = {"rounds": rounds, "stalemate": stalemate, "both_eliminated": not any(standing.values()) and not fled}
    row["winner"] = "attacker" if attacked else "defender"
    if stalemate or (unexplored and not attacked and not standing["defender"] and not fled):
        row["winner"] = "nobody"
    for name in battle.names:
        left = [battle.units[name][u] for u in world[name]["alive"] if battle.units[name][u].people]
        row[f"{name}_creatures_left"] = len(left)
        row[f"{name}_losses"] = sum(u.people for u in battle.units[name]) - len(left)
        row[f"{name}_value_left"] = sum(u.value for u in left)
        row[f"{name}_retreated"] = bool(world[name]["fled"])
        if not battle.land and name != "defender":
            row[f"taken_by_{name}"] = standing[name] and not stalemate
    defender, when = battle.side["defender"], battle.options["post_battle_rolls"]
    rolling = when != "none" and not stalemate and not (unexplored and not attacked)
    table = [(1.0, row)]
    for what in ("fort", "settlement"):
        printed = LEVEL[defender.get(what, "none")]
        hits = printed - world["defender"]["walls"].get(what, 0)
        rolls = rolling and printed and (hits or when == "all") and printed != 4
        fallen = printed - 1 if what == "fort" else 0
        table = [
            (p * q, r | {f"{what}_hits": hits, f"{what}_level_after": after})
            for p, r in table
            for q, after in ([(1 / 3, fallen), (2 / 3, printed)] if rolls else [(1.0, printed)])
        ]
    income = int(defender.get("income_counter", False))
    cases = [(1 / 3, 0), (2 / 3, 1)] if income and rolling else [(1.0, income)]
    return [(p * q, r | {"income_counter_after": after}) for p, r in table for q, after in cases]


def means(scenario):
    """Chance of each winner and mean of each output."""
    found = defaultdict(float)
    for p, row in solve(scenario):
        found["p." + row["winner"]] += p
        for name, value in row.items():
            if name != "winner":
                found[name] += p * value
    return found
