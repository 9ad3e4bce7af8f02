"""A slow, obvious version of land and naval battles that shares no code with the rules: every die, every unit.

Units are lists of single units, hits are dealt one by one, the chances of all courses are kept in a dict.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from itertools import product
from pathlib import Path

import simulator

DATA = Path(simulator.__file__).parent / "rules" / "price_of_power" / "data"
ORDERS = {
    "infantry-first": ["infantry", "cavalry", "artillery"],
    "cavalry-first": ["cavalry", "infantry", "artillery"],
    "artillery-first": ["artillery", "infantry", "cavalry"],
    "infantry-artillery-cavalry": ["infantry", "artillery", "cavalry"],
    "cavalry-artillery-infantry": ["cavalry", "artillery", "infantry"],
    "artillery-cavalry-infantry": ["artillery", "cavalry", "infantry"],
}
SHIP_ORDERS = {
    "spread-damage": ["sound", "galley", "light", "damaged"],
    "light-first": ["galley", "light", "damaged", "sound"],
    "heavy-first": ["damaged", "sound", "light", "galley"],
}
PRICES = {
    "mercenary": {"infantry": 4, "cavalry": 7, "artillery": 8},
    "regular": {"infantry": 2, "cavalry": 5, "artillery": 6},
    "allied": {"infantry": 0, "cavalry": 3, "artillery": 0}, "galley": 2, "light": 4, "sound": 10, "damaged": 10,
}  # fmt: skip
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

    def __init__(self, table, policy, sea):
        losses = policy.get("losses", "spread-damage" if sea else "most-numerous")
        self.own, self.orders = table, {cat: list(policy.get("loss_order", [])) for cat in CATS}
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

    def twin(self):
        other = object.__new__(Force)  # `copy` takes three times as long
        vars(other).update(vars(self))
        other.orders = {cat: order[:] for cat, order in self.orders.items()}
        if self.sea:
            other.ships = self.ships[:]
        else:
            other.cats = {cat: units.copy() for cat, units in self.cats.items()}
        return other

    def key(self):
        body = tuple(sorted(self.ships)) if self.sea else tuple(tuple(self.cats[c].values()) for c in CATS)
        return body, self.gone, self.turn, tuple(map(len, self.orders.values()))

    def units(self):
        return len(self.ships) if self.sea else sum(sum(cat.values()) for cat in self.cats.values())

    def here(self):
        return 0 if self.gone else self.units()

    def of(self, unit):
        return 0 if self.gone else sum(cat[unit] for cat in self.cats.values())

    def heavy(self):
        return 0 if self.gone else sum(ship in {"sound", "damaged"} for ship in self.ships)

    def choices(self):
        """Targets that may be hit now: kinds of ships, or types of the category whose turn it is."""
        if self.sea:
            return [ship for ship in SHIP_ORDERS["spread-damage"] if ship in self.ships]
        while not sum(self.cats[CATS[self.turn]].values()):
            self.turn = (self.turn + 1) % 3
        return [t for t in TYPES if self.cats[CATS[self.turn]][t]]

    def listed(self):
        """The target that the policy hits now."""
        there = self.choices()
        if self.sea:
            return next(ship for ship in SHIP_ORDERS.get(self.losses, SHIP_ORDERS["spread-damage"]) if ship in there)
        cat, order = self.cats[CATS[self.turn]], self.orders[CATS[self.turn]]
        if self.losses == "most-numerous":
            return max(TYPES, key=lambda t: cat[t])
        while self.losses == "custom" and order:
            if order[0] in there:
                return order.pop(0)
            order.pop(0)
        return next(t for t in ORDERS.get(self.losses, TYPES) if cat[t])

    def hit(self, unit=None):
        unit = unit or self.listed()
        if self.sea:
            self.ships.remove(unit)
            if unit == "sound":
                self.ships.append("damaged")
            return
        self.cats[CATS[self.turn]][unit] -= 1
        self.turn = (self.turn + 1) % 3

    def pay(self, unit=None):
        if self.sea:
            first = next(ship for ship in ("galley", "light", "damaged", "sound") if ship in self.ships)
            self.ships.remove(unit or first)
        else:
            self.hit(unit)

    def price(self):
        """Cost of these units."""
        if self.kind != "player":
            return 0
        if self.sea:
            return sum(PRICES[ship] for ship in self.ships)
        return sum(PRICES[cat][t] * n for cat, units in self.cats.items() for t, n in units.items())


def copied(forces):
    """The forces of a side, or of each, as they are now."""
    if isinstance(forces, dict):
        return {s: copied(side) for s, side in forces.items()}
    return [force.twin() for force in forces]


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
        listed = {
            s: [Force(table, self.policy[s], self.sea) for table in self.side[s].get("factions", [self.side[s]])]
            for s in ("attacker", "defender")
        }
        # A faction without any unit is as if it were not listed; the others keep their numbers.
        self.start = {s: [f for f in forces if f.units()] for s, forces in listed.items()}
        self.listed = {s: [bool(f.units()) for f in forces] for s, forces in listed.items()}
        for f in (f for forces in self.start.values() for f in forces):
            f.size = f.units()
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
        if "leaders" in self.side[s]:
            wanted, listed = self.policy[s].get("leader", 1), self.side[s]["leaders"]
            chosen = listed if wanted == "best" else [listed[wanted - 1]]
            return [(1.0, None if one == "none" else one) for one in chosen]
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

    def pool(self, s, leader, alive, led, base, now, played=None):
        played = played or ["hand"] * len(self.side[s].get("battle_actions", []))
        pool = dict.fromkeys(TYPES, 0)
        drill = self.options.get("military_drill", {"dice": 1, "hits": 1})
        pool[base] = self.options.get("base_dice", 3)
        if led and "military-drill" in self.side[s].get("ideas", []):
            pool[base] = max(0, pool[base] - drill.get("dice", 1))
        if led:
            more = [self.side[s].get("extra_dice", {}), leader if leader and alive else {}]
            for place, action in enumerate(self.side[s].get("battle_actions", [])):
                if action.get("when", "round") != "round":
                    more += [action] if played[place] == "force" else []
                    continue
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

    def wants(self, s, f, own, enemy, now, wounds):
        may = (
            f.own.get("can_retreat") if f.own.get("can_retreat") is not None else self.side[s].get("can_retreat", True)
        )
        if not may or own < 2:
            return False
        alone = f.own.get("retreat")
        policy = alone or self.policy[s].get("retreat", "never")
        at = f.own.get("retreat_at", 1) if alone else self.policy[s].get("retreat_at", 1)
        mine, all_ = (f.units(), f.size) if alone else (own, self.size[s])
        return {
            "never": False,
            "when-outnumbered": own < enemy,
            "when-half": mine <= all_ / 2,
            "at-or-below": mine <= at,
            "after-round": now >= at,
            "when-leader-wounded": wounds == 1,
        }[policy]

    def leave(self, s, forces, own, enemy, now, wounds):
        rebels = any(f.kind == "rebels" and f.here() for f in forces)
        for f in forces:
            if not f.here():
                continue
            if f.kind == "player" and self.wants(s, f, own, enemy, now, wounds):
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
            hands = {s: ["hand"] * len(self.side[s].get("battle_actions", [])) for s in leaders}
            self.put(layer, forces, wounds, self.played(forces, hands, 1), 1, p)
        ends = Counter()
        while layer:
            following = {}
            for (forces, wounds_now, hands, now), p in layer.values():
                if any(not sum(f.here() for f in forces[s]) for s in forces):
                    ends[self.end(forces, wounds_now, leaders, {}, hands)] += p
                    continue
                for after, hurt, captured, over, q in self.round(forces, wounds_now, now, leaders, bases, hands):
                    if over:
                        ends[self.end(after, hurt, leaders, captured, hands)] += p * q
                    else:
                        self.put(following, after, hurt, self.played(after, self.used(hands), now + 1), now + 1, p * q)
            layer = following
            if sum(p for _, p in layer.values()) < 1e-14:
                break
        return ends

    def played(self, forces, hands, now):
        """The cards after those that are played by a side that is behind."""
        after = {s: list(hand) for s, hand in hands.items()}
        here = {s: sum(f.here() for f in forces[s]) for s in forces}
        for s, other in (("attacker", "defender"), ("defender", "attacker")):
            for place, action in enumerate(self.side[s].get("battle_actions", [])):
                ready = after[s][place] == "hand" and now >= action.get("round", 1) and self.led(s, forces[s])
                if action.get("when") == "if-behind" and ready and 0 < here[s] < here[other]:
                    after[s][place] = "force"
        return after

    def used(self, hands):
        """The cards after a round."""

        def over(s, place, state):
            once = self.side[s]["battle_actions"][place].get("this_round_only", False)
            return "over" if state == "force" and once else state

        return {s: [over(s, place, state) for place, state in enumerate(hand)] for s, hand in hands.items()}

    def state_key(self, forces, wounds, hands, now):
        bodies = tuple(f.key() for s in ("attacker", "defender") for f in forces[s])
        return bodies, tuple(wounds.items()), tuple(map(tuple, hands.values())), now

    def put(self, layer, forces, wounds, hands, now, p):
        key = self.state_key(forces, wounds, hands, now)
        if key in layer:
            layer[key] = (layer[key][0], layer[key][1] + p)
        else:
            layer[key] = ((forces, wounds, hands, now), p)

    def charge_dice(self):
        dice = {}
        for s, other in (("attacker", "defender"), ("defender", "attacker")):
            dice[s] = 0
            if not self.sea and "noble-knights" in self.side[s].get("ideas", []):
                cavalry = sum(f.of("cavalry") for f in self.start[s])
                infantry = sum(f.of("infantry") for f in self.start[other])
                dice[s] = min(cavalry, infantry, self.side[s].get("knights_dice_limit", 5))
        return dice

    def charges(self):
        out, dice = [], self.charge_dice()
        shown = faces(self.scenario, "cavalry")
        for mine in product(shown, repeat=dice["attacker"]):
            for theirs in product(shown, repeat=dice["defender"]):
                forces = copied(self.start)
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

    def rolls(self, s, forces, wounds, now, leaders, bases, hands):
        led = self.led(s, forces[s])
        pool = self.pool(s, leaders[s], wounds[s] < 2, led, bases[s], now, hands[s])
        key = tuple(pool.values())
        if key not in self.throws:
            self.throws[key] = throw(self.scenario, pool)
        seen = Counter()
        for icons, p in self.throws[key].items():
            seen[self.hits(s, forces[s], icons, led), icons[1]] += p
        return seen

    def round(self, forces, wounds, now, leaders, bases, hands):
        mine = self.rolls("attacker", forces, wounds, now, leaders, bases, hands)
        theirs = self.rolls("defender", forces, wounds, now, leaders, bases, hands)
        for (ha, ta), pa in mine.items():
            for (hd, td), pd in theirs.items():
                after = copied(forces)
                yield (*self.resolve(forces, after, wounds, now, leaders, (ha, ta, hd, td)), pa * pd)

    def resolve(self, before, after, wounds, now, leaders, rolled):
        self.deal(after["defender"], rolled[0])
        self.deal(after["attacker"], rolled[2])
        return self.afterwards(before, after, wounds, now, leaders, rolled)

    def hurt(self, before, after, wounds, leaders, rolled):
        """Wounds after a roll, and the ships lost in it."""
        ha, ta, hd, td = rolled
        hurt = dict(wounds)
        lost = {}
        for s, tercios, hits in (("attacker", td, hd), ("defender", ta, ha)):
            lost[s] = sum(f.here() for f in before[s]) - sum(f.here() for f in after[s])
            casualty = lost[s] > 0 or (self.sea and hits > 0 and self.options.get("damage_counts_as_casualty", False))
            if leaders[s] and self.led(s, before[s]) and wounds[s] < 2 and casualty:
                hurt[s] = min(2, wounds[s] + tercios // 2)
        return hurt, lost

    def afterwards(self, before, after, wounds, now, leaders, rolled):
        _, ta, _, td = rolled
        hurt, lost = self.hurt(before, after, wounds, leaders, rolled)
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

    def end(self, forces, wounds, leaders, captured, hands):
        here = {s: sum(f.here() for f in forces[s]) > 0 for s in forces}
        winner = "nobody" if here["attacker"] == here["defender"] else next(s for s in here if here[s])
        out = {"winner": winner}
        for s in forces:
            alive = [f for f in forces[s] if f.kind == "player" or not f.gone]
            left = sum(f.units() for f in alive)
            out[f"{s}_withdrawn"] = sum(f.units() for f in forces[s] if f not in alive)
            out[f"{s}_losses"] = self.size[s] - left - out[f"{s}_withdrawn"]
            out[f"{s}_ducats_lost"] = sum(f.price() for f in self.start[s]) - sum(f.price() for f in alive)
            out[f"{s}_actions_played"] = sum(state != "hand" for state in hands[s])
            out[f"{s}_retreated"] = any(f.gone for f in forces[s])
            out[f"{s}_leader_wounds"] = wounds[s] if leaders[s] else 0
            if "leaders" in self.side[s]:
                out[f"{s}_leader_power"] = (leaders[s] or {}).get("power", 0)
            if self.sea:
                out[f"{s}_damaged_left"] = sum(f.ships.count("damaged") for f in alive)
                out[f"{s}_heavy_left"] = out[f"{s}_damaged_left"] + sum(f.ships.count("sound") for f in alive)
                out[f"{s}_light_left"] = sum(f.ships.count("light") for f in alive)
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
