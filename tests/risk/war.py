"""A slow, obvious Risk of every battle kind: all states and their chances in dicts, policies included.

Written from docs/rules/risk.md; shares no code with the package's rules, and its rounds are those of `naive_round`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache

from tests.risk.reference import naive_round


@cache
def throws(attackers, defenders, settings):
    return {losses: float(p) for losses, p in naive_round(attackers, defenders, **dict(settings)).items()}


def at(value, place):
    return value[place] if isinstance(value, list) else value


class War:
    """One scenario; states are (stage, number of the place, own, enemy, sea rounds, land rounds, fleets, landed)."""

    def __init__(self, scenario):
        self.kind = scenario["battle"]
        self.sides = scenario["attacker"], scenario["defender"]
        self.options = scenario.get("options", {})
        self.policy = scenario.get("policy", {}).get("attacker", {})
        own, enemy = self.sides
        self.left_behind, self.ties = self.options.get("left_behind", 1), self.options.get("ties", "defender")
        self.on_land = "regiments" in own
        if self.on_land:
            self.path = enemy["regiments"] if isinstance(enemy["regiments"], list) else [enemy["regiments"]]
        self.port = enemy.get("port_fleets", 0)
        self.crossings = [way for way in scenario.get("conditions", {}).get("crossings", []) if way.get("fleets")]
        if self.kind == "invasion":
            self.aboard = self.loaded(own)

    def loaded(self, own):
        """Troops aboard with 0, 1, ... fleets: one fleet after the other is sunk (5.5, steps 1 and 3)."""
        ships = own.get("transports", own["fleets"])
        loads = [own["regiments"] // ships + (n < own["regiments"] % ships) for n in range(ships)]
        escorts = own["fleets"] - ships
        aboard = [own["regiments"]]
        for _ in range(own["fleets"] - 1):
            if escorts and (self.policy.get("losses", "escorts-first") == "escorts-first" or not loads):
                escorts -= 1
            else:
                loads.remove(min(loads))
            drown = self.options.get("troop_loss", "with-each-fleet") == "with-each-fleet"
            aboard.append(sum(loads) if drown else own["regiments"])
        return [0, *reversed(aboard)]

    def hand(self, side, units, place, attacks):
        """Most dice, their sides, and the settings of `naive_round`; place None: a sea fight of an invasion."""
        given, role = self.sides[side], "attack" if attacks else "defence"
        dice, sides = self.options.get(f"{role}_dice", 3 if attacks else 2), self.options.get(f"{role}_die_sides", 6)
        if place is None:
            more = {"highest": given.get("sea_modifier_highest", 0), "every": given.get("sea_modifier_all", 0)}
            return min(dice, units), sides, {"lowest": 0, "bonus": 0, "commanders": 0} | more
        names = {"highest": "modifier_highest", "lowest": "modifier_lowest", "every": "modifier_all"}
        names |= {"bonus": "bonus_dice", "commanders": "commanders"}
        more = {name: at(given.get(field, 0), place) for name, field in names.items()}
        return min(at(given.get("dice", dice), place), units), at(given.get("die_sides", sides), place), more

    def round(self, own, enemy, place=0, own_attacks=True, penalty=0):
        """Chances of (own losses, enemy losses)."""
        order = (0, 1) if own_attacks else (1, 0)
        units = (own, enemy)
        (a, a_sides, mine), (d, d_sides, theirs) = (self.hand(s, units[s], place, s == order[0]) for s in order)
        mine = mine | {"highest": mine["highest"] + penalty}
        both = {name: (mine[name], theirs[name]) for name in mine}
        shared = {name: self.options.get(name, False) for name in ("clamp", "resort")}
        settings = both | shared | {"sides": (a_sides, d_sides), "ties": self.ties}
        settings["commander_sides"] = self.options.get("commander_die_sides", 8)
        found = throws(a, d, tuple(sorted(settings.items())))
        return found if own_attacks else {losses[::-1]: p for losses, p in found.items()}

    def fought(self, stage, place, own, enemy):
        """A round in a stage of the battle: "sea", "crossing", "land" or "port"."""
        blockade = self.options.get("blockade_modifier", -1)
        if stage == "land":
            landing = 0 if self.kind == "land" else self.options.get("amphibious_modifier", -1)
            return self.round(own - self.left_behind * place, enemy, place, penalty=landing)
        if stage == "sea":
            return self.round(own, enemy, penalty=blockade if self.kind == "blockade-run" else 0)
        if stage == "port":
            return self.round(own, enemy, None, False, blockade)
        way = self.crossings[place]
        attacks = way.get("convoy", "attacks") == "attacks"
        return self.round(own, enemy, None, attacks, blockade if way.get("blockaded") else 0)

    def going_on(self, stage, place, own, enemy):
        """State after a round: (stage, place, own, enemy) of a fight still on, or the winner."""
        if stage == "land":
            if enemy == 0 and own > self.left_behind * place:
                last = place == len(self.path) - 1
                return "attacker" if last else ("land", place + 1, own, self.path[place + 1])
            if own <= self.left_behind * place:
                return "defender" if enemy else "nobody"
        elif stage == "sea" and 0 in (own, enemy):
            return "nobody" if own == enemy else "attacker" if own else "defender"
        elif stage == "crossing" and 0 in (own, enemy):
            if not self.aboard[own]:
                return "defender"
            if place == len(self.crossings) - 1:
                return "land", 0, self.aboard[own], self.path[0]
            return "crossing", place + 1, own, self.crossings[place + 1]["fleets"]
        return stage, place, own, enemy

    @cache  # noqa: B019
    def chance(self, stage, place, own, enemy):
        """The chance to win the whole battle, nobody ever stopping."""
        after = self.going_on(stage, place, own, enemy)
        if isinstance(after, str):
            return float(after == "attacker")
        if after != (stage, place, own, enemy):
            return self.chance(*after)
        results = self.fought(stage, place, own, enemy)
        moved = [(losses, p) for losses, p in results.items() if losses != (0, 0)]
        won = sum(p * self.chance(stage, place, own - a, enemy - b) for (a, b), p in moved)
        return won / (1 - results.get((0, 0), 0.0))

    def stops(self, stage, place, own, enemy, rounds):
        """Does the attacker call it off (section 6)?"""
        if stage == "crossing" and self.crossings[place].get("convoy", "attacks") == "defends":
            return False
        sea = "sea_" if stage == "crossing" else ""
        names = self.policy.get(f"{sea}retreat", "to-the-end")
        force = own - self.left_behind * place if stage == "land" else own
        said = {
            "to-the-end": lambda: False,
            "stop-below": lambda: force < self.policy[f"{sea}stop_below"],
            "stop-when-outnumbered": lambda: force < enemy,
            "max-rounds": lambda: rounds >= self.policy[f"{sea}max_rounds"],
            "wear-down": lambda: enemy <= self.policy["wear_down_to"],
            "stop-below-odds": lambda: self.chance(stage, place, own, enemy) < self.policy[f"{sea}min_odds"] - 1e-12,
        }
        return any(said[name]() for name in ([names] if isinstance(names, str) else names))

    def odds(self):
        """Chances of all ends, each the sorted items of its columns."""
        own = self.sides[0]
        if not self.on_land:
            start = ("sea", 0, own["fleets"], self.sides[1]["fleets"], 0, 0, None, None)
        elif self.crossings:
            start = ("crossing", 0, own["fleets"], self.crossings[0]["fleets"], 0, 0, None, None)
        else:
            start = ("land", 0, own["regiments"], self.path[0], 0, 0, own.get("fleets"), own["regiments"])
        ends, running = Counter(), {start: 1.0}
        while running:
            following = defaultdict(float)
            for (*fight, sea, land, fleets, landed), p in running.items():
                stage, place, units, enemy = fight
                then = self.going_on(*fight)
                if then == (stage, place, units, enemy) and self.stops(*fight, land if stage == "land" else sea):
                    then = "defender" if stage == "crossing" and not self.aboard[units] else "nobody"
                if isinstance(then, str):
                    self.over(ends, (*fight, sea, land, fleets, landed), then, p)
                elif then != (stage, place, units, enemy):
                    ashore = stage == "crossing" and then[0] == "land"
                    following[(*then, sea, land, *((units, then[2]) if ashore else (fleets, landed)))] += p
                else:
                    counts = (sea, land + 1) if stage == "land" else (sea + 1, land)
                    for (a, b), q in self.fought(*fight).items():
                        if p * q > 1e-17:
                            following[(stage, place, units - a, enemy - b, *counts, fleets, landed)] += p * q
            running = following
        return ends

    def over(self, ends, state, winner, p):
        """The end, after the fleets in port have broken out if anything was captured (5.5, step 6)."""
        stage, place, own, enemy, sea, land, fleets, landed = state
        captured = place + (winner == "attacker") if stage == "land" else 0
        running = {(fleets, self.port, sea): p}
        while running and captured and self.port:
            following = defaultdict(float)
            for (mine, port, rounds), q in running.items():
                if mine and port:
                    for (a, b), r in self.fought("port", 0, mine, port).items():
                        if q * r > 1e-17:
                            following[mine - a, port - b, rounds + 1] += q * r
                else:
                    end = self.columns(stage, place, own, enemy, captured, winner, (rounds, land), (mine, port, landed))
                    ends[end] += q
            running = following
        if not (captured and self.port):
            sea_part = (fleets, self.port, landed)
            ends[self.columns(stage, place, own, enemy, captured, winner, (sea, land), sea_part)] += p

    def columns(self, stage, place, own, enemy, captured, winner, rounds, at_sea):  # noqa: PLR0917
        """The outputs of section 8."""
        given, (fleets, port, landed), found = self.sides[0], at_sea, {"winner": winner, "rounds": sum(rounds)}
        if self.on_land:
            left = own if stage == "land" else self.aboard[own]
            enemies = enemy + sum(self.path[place + 1 :]) if stage == "land" else sum(self.path)
            found |= {"attacker_regiments_left": left, "attacker_regiments_lost": given["regiments"] - left}
            found |= {"defender_regiments_left": enemies, "defender_regiments_lost": sum(self.path) - enemies}
            whole = captured == len(self.path)
            found |= {"territories_captured": captured}
            found |= {"occupiers": own - self.left_behind * (len(self.path) - 1) if whole else 0}
        if self.kind == "invasion":
            reached, ways = stage == "land", [way["fleets"] for way in self.crossings]
            fleets = fleets if reached else own
            enemies, all_enemies = port + (0 if reached else enemy + sum(ways[place + 1 :])), sum(ways) + self.port
            found |= {"sea_rounds": rounds[0], "land_rounds": rounds[1], "reached_shore": reached}
            found |= {"regiments_at_shore": landed if reached else 0}
            found |= {"regiments_drowned": given["regiments"] - (landed if reached else left)}
        elif not self.on_land:
            fleets, enemies, all_enemies = own, enemy, self.sides[1]["fleets"]
        if "fleets" in given:
            found |= {"attacker_fleets_left": fleets, "attacker_fleets_lost": given["fleets"] - fleets}
            found |= {"defender_fleets_left": enemies, "defender_fleets_lost": all_enemies - enemies}
        if self.kind == "blockade-run":
            found["blockade_broken"] = winner == "attacker"
        for side in ("attacker", "defender"):
            fleets_lost, lost = found.get(f"{side}_fleets_lost", 0), found.get(f"{side}_regiments_lost", 0)
            prices = self.options.get("fleet_cost", 3), self.options.get("regiment_cost", 1)
            found[f"{side}_cost_lost"] = prices[0] * fleets_lost + prices[1] * lost
        return tuple(sorted(found.items()))
