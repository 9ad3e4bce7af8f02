"""A slow, obvious version of land and naval battles that shares no code with the rules: every die, every unit.

Units are lists of single units, hits are dealt one by one, the chances of all courses are kept in a dict.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from copy import deepcopy
from itertools import product
from pathlib import Path

import simulator

DATA = Path(simulator.__file__).parent / "rules" / "price_of_power" / "data"
ORDERS = {
    "infantry-first": ["infantry", "cavalry", "artillery"],
    "cavalry-first": ["cavalry", "infantry", "artillery"],
    "artillery-first": ["artillery", "infantry", "cavalry"],
}
CATS = ["mercenary", "regular", "allied"]
TYPES = ["infantry", "cavalry", "artillery"]


def faces(scenario, die):
    own = scenario.get("options", {}).get("dice", {}).get(die)
    if own:
        return own
    with (DATA / "dice.csv").open() as file:
        return [row["icon"] for row in csv.DictReader(file) if row["die"] == die]


def cards():
    with (DATA / "military_deck.csv").open() as file:
        for row in csv.DictReader(file):
            leader = {die: int(row[die]) for die in TYPES} if row["leader"] == "yes" else None
            yield int(row["cards"]), leader


def throw(scenario, pool):
    """Chances of (F, T, H, A)."""
    out = {(0, 0, 0, 0): 1.0}
    for die in TYPES:
        shown = faces(scenario, die)
        for _ in range(pool[die]):
            wider = defaultdict(float)
            for icons, p in out.items():
                for face in shown:
                    parts = face.split("+")
                    more = [parts.count(icon) for icon in ("infantry", "tercios", "cavalry", "artillery")]
                    wider[tuple(a + b for a, b in zip(icons, more, strict=True))] += p / len(shown)
            out = wider
    return out


class Force:
    """One realm: categories of single units on land, ships at sea."""

    def __init__(self, table, losses, sea):
        self.kind, self.name = table.get("kind", "player"), table.get("name", "")
        self.stays = table.get("defends_capital", False) or table.get("last_area", False)
        self.losses, self.sea, self.gone, self.turn = losses, sea, False, 0
        if sea:
            heavy, damaged = table.get("heavy", 0), table.get("damaged", 0)
            self.ships = ["galley"] * table.get("galleys", 0) + ["light"] * table.get("light", 0)
            self.ships += ["damaged"] * damaged + ["sound"] * (heavy - damaged)
        else:
            self.cats = {
                cat: {unit: table.get(f"{prefix}{unit}", 0) for unit in TYPES}
                for cat, prefix in zip(CATS, ("mercenary_", "", "allied_"), strict=True)
            }

    def key(self):
        body = tuple(sorted(self.ships)) if self.sea else tuple(tuple(self.cats[c].values()) for c in CATS)
        return body, self.gone, self.turn

    def units(self):
        return len(self.ships) if self.sea else sum(sum(cat.values()) for cat in self.cats.values())

    def here(self):
        return 0 if self.gone else self.units()

    def of(self, unit):
        return 0 if self.gone else sum(cat[unit] for cat in self.cats.values())

    def heavy(self):
        return 0 if self.gone else sum(ship in {"sound", "damaged"} for ship in self.ships)

    def hit(self):
        if self.sea:
            order = {
                "spread-damage": ["sound", "galley", "light", "damaged"],
                "light-first": ["galley", "light", "damaged", "sound"],
                "heavy-first": ["damaged", "sound", "light", "galley"],
            }[self.losses]
            ship = next(ship for ship in order if ship in self.ships)
            self.ships.remove(ship)
            if ship == "sound":
                self.ships.append("damaged")
            return
        while not sum(self.cats[CATS[self.turn]].values()):
            self.turn = (self.turn + 1) % 3
        cat = self.cats[CATS[self.turn]]
        if self.losses == "most-numerous":
            unit = max(TYPES, key=lambda t: cat[t])
        else:
            unit = next(t for t in ORDERS[self.losses] if cat[t])
        cat[unit] -= 1
        self.turn = (self.turn + 1) % 3

    def pay(self):
        if self.sea:
            self.ships.remove(next(ship for ship in ("galley", "light", "damaged", "sound") if ship in self.ships))
        else:
            self.hit()


class War:
    """A scenario with its options at hand."""

    def __init__(self, scenario):
        self.scenario = scenario
        self.sea = scenario["battle"] == "naval"
        self.options = scenario.get("options", {})
        self.policy = {s: scenario.get("policy", {}).get(s, {}) for s in ("attacker", "defender")}
        self.side = {s: scenario[s] for s in ("attacker", "defender")}
        self.max_rounds = scenario.get("conditions", {}).get("max_rounds", 0)
        self.throws = {}
        default = "spread-damage" if self.sea else "infantry-first"
        listed = {
            s: [
                Force(table, self.policy[s].get("losses", default), self.sea)
                for table in self.side[s].get("factions", [self.side[s]])
            ]
            for s in ("attacker", "defender")
        }
        # A faction without any unit is as if it were not listed; the others keep their numbers.
        self.start = {s: [f for f in forces if f.units()] for s, forces in listed.items()}
        self.listed = {s: [bool(f.units()) for f in forces] for s, forces in listed.items()}
        self.size = {s: sum(f.units() for f in forces) for s, forces in self.start.items()}
        self.main = {s: self.main_of(s) for s in self.start}

    def main_of(self, s):
        players = [i for i, f in enumerate(self.start[s]) if f.kind == "player"]
        if not players:
            return None
        most = max(self.start[s][i].units() for i in players)
        tied = [i for i in players if self.start[s][i].units() == most]
        named = [i for i in tied if self.start[s][i].name == self.side[s].get("main_defender", "no name")]
        return (named or tied)[0]

    def leaders(self, s):
        given = self.side[s].get("leader")
        kinds = {f.kind for f in self.start[s]}
        if given is None:
            draw = s == "defender" and kinds <= ({"npr"} if self.sea else {"npr", "rebels"}) and self.size[s] >= 3
            given = "draw" if draw else "none"
        if given == "none":
            return [(1.0, None)]
        if given == "draw":
            return [(number / 36, leader) for number, leader in cards()]
        return [(1.0, given)]

    def led(self, s, forces):
        return self.main[s] is None or forces[self.main[s]].here() > 0

    def pool(self, s, leader, alive, led, base, now):
        pool = dict.fromkeys(TYPES, 0)
        drill = self.options.get("military_drill", {"dice": 1, "hits": 1})
        pool[base] = self.options.get("base_dice", 3)
        if led and "military-drill" in self.side[s].get("ideas", []):
            pool[base] = max(0, pool[base] - drill.get("dice", 1))
        if led:
            more = [self.side[s].get("extra_dice", {}), leader if leader and alive else {}]
            for action in self.side[s].get("battle_actions", []):
                at = action.get("round", 1)
                if now == at or (now > at and not action.get("this_round_only", False)):
                    more.append(action)
            for dice in more:
                for die in TYPES:
                    pool[die] += dice.get(die, 0)
        return pool

    def base(self, s, leader):
        if self.sea:
            return "artillery"
        wanted = self.policy[s].get("base_dice", "infantry")
        if wanted != "best-expected":
            return wanted
        expected = {}
        for base in ("infantry", "cavalry"):
            pool = self.pool(s, leader, True, True, base, 1)
            expected[base] = sum(
                p * self.hits(s, self.start[s], icons, True) for icons, p in throw(self.scenario, pool).items()
            )
        return "cavalry" if expected["cavalry"] > expected["infantry"] + 1e-12 else "infantry"

    def hits(self, s, forces, icons, led):
        f, t, h, a = icons
        ideas = self.side[s].get("ideas", [])
        auto = self.side[s].get("automatic_hits", 0) if led else 0
        if self.sea:
            return min(sum(x.here() for x in forces), a) + sum(x.heavy() for x in forces) + auto
        if led and "military-drill" in ideas:
            auto += self.options.get("military_drill", {}).get("hits", 1)
        w = 2 if led and {"tercios", "line-infantry"} & set(ideas) else 1
        own = [sum(x.of(unit) for x in forces) for unit in TYPES]
        matched = min(own[0], f + w * t) + min(own[1], h) + min(own[2], a)
        return min(matched + auto, sum(own))

    def deal(self, forces, hits):
        ties = self.policy["attacker"].get("ties", "listed-order")

        def rank(i):
            player = forces[i].kind == "player"
            first = {"listed-order": 0, "players-first": not player, "npr-first": player}[ties]
            return (-forces[i].here(), first, i)

        order = sorted((i for i in range(len(forces)) if forces[i].here()), key=rank)
        while hits and any(forces[i].units() for i in order):
            for i in order:
                if hits and forces[i].units():
                    forces[i].hit()
                    hits -= 1

    def wants(self, s, own, enemy, now, wounds):
        policy, at = self.policy[s].get("retreat", "never"), self.policy[s].get("retreat_at", 1)
        if not self.side[s].get("can_retreat", True) or own < 2:
            return False
        return {
            "never": False,
            "when-outnumbered": own < enemy,
            "when-half": own <= self.size[s] / 2,
            "at-or-below": own <= at,
            "after-round": now >= at,
            "when-leader-wounded": wounds == 1,
        }[policy]

    def leave(self, s, forces, own, enemy, now, wounds):
        rebels = any(f.kind == "rebels" and f.here() for f in forces)
        players = self.wants(s, own, enemy, now, wounds)
        for f in forces:
            if not f.here():
                continue
            if f.kind == "player" and players:
                f.pay()
                f.gone = True
            if f.kind == "npr" and own < enemy and not f.stays and not rebels:
                f.gone = True

    def odds(self):
        """Chances of all ends: winner, and for each side a dict of what is asked."""
        total = Counter()
        for pa, la in self.leaders("attacker"):
            for pd, ld in self.leaders("defender"):
                for end, p in self.course({"attacker": la, "defender": ld}).items():
                    total[end] += pa * pd * p
        return total

    def course(self, leaders):
        bases = {s: self.base(s, leaders[s]) for s in leaders}
        wounds = {s: (leaders[s] or {}).get("wounds", 0) for s in leaders}
        layer = {}
        for forces, p in self.charges():
            self.put(layer, forces, wounds, 1, p)
        ends = Counter()
        while layer:
            following = {}
            for (forces, wounds_now, now), p in layer.values():
                if any(not sum(f.here() for f in forces[s]) for s in forces):
                    ends[self.end(forces, wounds_now, leaders, {})] += p
                    continue
                for after, hurt, captured, over, q in self.round(forces, wounds_now, now, leaders, bases):
                    if over:
                        ends[self.end(after, hurt, leaders, captured)] += p * q
                    else:
                        self.put(following, after, hurt, now + 1, p * q)
            layer = following
            if sum(p for _, p in layer.values()) < 1e-14:
                break
        return ends

    def put(self, layer, forces, wounds, now, p):
        key = tuple(f.key() for s in ("attacker", "defender") for f in forces[s]), tuple(wounds.items()), now
        if key in layer:
            layer[key] = (layer[key][0], layer[key][1] + p)
        else:
            layer[key] = ((forces, wounds, now), p)

    def charges(self):
        out = []
        dice = {}
        for s, other in (("attacker", "defender"), ("defender", "attacker")):
            dice[s] = 0
            if not self.sea and "noble-knights" in self.side[s].get("ideas", []):
                cavalry = sum(f.of("cavalry") for f in self.start[s])
                infantry = sum(f.of("infantry") for f in self.start[other])
                dice[s] = min(cavalry, infantry, self.side[s].get("knights_dice_limit", 5))
        shown = faces(self.scenario, "cavalry")
        for mine in product(shown, repeat=dice["attacker"]):
            for theirs in product(shown, repeat=dice["defender"]):
                forces = deepcopy(self.start)
                self.deal(forces["defender"], sum(f.split("+").count("cavalry") for f in mine))
                self.deal(forces["attacker"], sum(f.split("+").count("cavalry") for f in theirs))
                self.anew(forces)
                out.append((forces, len(shown) ** -(dice["attacker"] + dice["defender"])))
        return out

    def anew(self, forces):
        if self.options.get("casualty_alternation", "each-round") == "each-round":
            for s in forces:
                for f in forces[s]:
                    f.turn = 0

    def rolls(self, s, forces, wounds, now, leaders, bases):
        led = self.led(s, forces[s])
        pool = self.pool(s, leaders[s], wounds[s] < 2, led, bases[s], now)
        key = tuple(pool.values())
        if key not in self.throws:
            self.throws[key] = throw(self.scenario, pool)
        seen = Counter()
        for icons, p in self.throws[key].items():
            seen[self.hits(s, forces[s], icons, led), icons[1]] += p
        return seen

    def round(self, forces, wounds, now, leaders, bases):
        mine = self.rolls("attacker", forces, wounds, now, leaders, bases)
        theirs = self.rolls("defender", forces, wounds, now, leaders, bases)
        for (ha, ta), pa in mine.items():
            for (hd, td), pd in theirs.items():
                after = deepcopy(forces)
                yield (*self.resolve(forces, after, wounds, now, leaders, (ha, ta, hd, td)), pa * pd)

    def resolve(self, before, after, wounds, now, leaders, rolled):
        ha, ta, hd, td = rolled
        self.deal(after["defender"], ha)
        self.deal(after["attacker"], hd)
        hurt = dict(wounds)
        lost = {}
        for s, tercios, hits in (("attacker", td, hd), ("defender", ta, ha)):
            lost[s] = sum(f.here() for f in before[s]) - sum(f.here() for f in after[s])
            casualty = lost[s] > 0 or (self.sea and hits > 0 and self.options.get("damage_counts_as_casualty", False))
            if leaders[s] and self.led(s, before[s]) and wounds[s] < 2 and casualty:
                hurt[s] = min(2, wounds[s] + tercios // 2)
        units = {s: sum(f.here() for f in after[s]) for s in after}
        if 0 in units.values():
            return after, hurt, self.captured(before, after, lost, {"attacker": ta, "defender": td}), True
        self.leave("attacker", after["attacker"], units["attacker"], units["defender"], now, hurt["attacker"])
        if not after["attacker"][0].gone:
            self.leave("defender", after["defender"], units["defender"], units["attacker"], now, hurt["defender"])
        units = {s: sum(f.here() for f in after[s]) for s in after}
        self.anew(after)
        return after, hurt, {}, 0 in units.values() or now == self.max_rounds

    def captured(self, before, after, lost, tercios):
        if not self.sea:
            return {}
        for s, other in (("attacker", "defender"), ("defender", "attacker")):
            player = any(f.kind == "player" and f.here() for f in after[s])
            if player and not sum(f.here() for f in after[other]):
                number = min(tercios[s], lost[other], self.side[s].get("ships_in_supply", 15))
                cheap = sum(f.here() - f.heavy() for f in before[other])
                return {s: (number, max(0, number - cheap))}
        return {}

    def end(self, forces, wounds, leaders, captured):
        here = {s: sum(f.here() for f in forces[s]) > 0 for s in forces}
        winner = "nobody" if here["attacker"] == here["defender"] else next(s for s in here if here[s])
        out = {"winner": winner}
        for s in forces:
            alive = [f for f in forces[s] if f.kind == "player" or not f.gone]
            left = sum(f.units() for f in alive)
            out[f"{s}_withdrawn"] = sum(f.units() for f in forces[s] if f not in alive)
            out[f"{s}_losses"] = self.size[s] - left - out[f"{s}_withdrawn"]
            out[f"{s}_retreated"] = any(f.gone for f in forces[s])
            out[f"{s}_leader_wounds"] = wounds[s] if leaders[s] else 0
            if self.sea:
                out[f"{s}_damaged_left"] = sum(f.ships.count("damaged") for f in alive)
                out[f"{s}_heavy_left"] = out[f"{s}_damaged_left"] + sum(f.ships.count("sound") for f in alive)
                out[f"{s}_galleys_left"] = sum(f.ships.count("galley") for f in alive)
                out[f"{s}_captured"], out[f"{s}_captured_heavy"] = captured.get(s, (0, 0))
            else:
                for unit in TYPES:
                    out[f"{s}_{unit}_left"] = sum(cat[unit] for f in alive for cat in f.cats.values())
                for cat in CATS:
                    out[f"{s}_{cat}_left"] = sum(sum(f.cats[cat].values()) for f in alive)
        if "factions" in self.side["defender"]:
            fighting = iter(forces["defender"])
            for number, listed in enumerate(self.listed["defender"], 1):
                f = next(fighting) if listed else None
                left = 0 if f is None or (f.gone and f.kind != "player") else f.units()
                out[f"defender_faction_{number}_left"] = left
        return tuple(sorted(out.items()))
