"""Campaigns played by plain recursion over the exact answers of single battles; shares no code with the mechanism.

Only games whose pieces are counted by name: Risk without commanders, and game files.
"""

import json
from collections import defaultdict
from functools import cache

from simulator import exact


@cache
def ends_of(written, pieces):
    """The ends of a battle: (chance, winner, who left, pieces left of both sides)."""
    found = defaultdict(float)
    for row in exact(json.loads(written)).rows():
        left = []
        for side, named in zip(("attacker", "defender"), pieces, strict=True):
            lost = {name: row.get(f"{side}_{name}_lost", 0) for name, _ in named}
            left.append(tuple((name, number - lost[name]) for name, number in named))
        ran = tuple(bool(row.get(f"{side}_retreated", False)) and "rounds" in row for side in ("attacker", "defender"))
        found[row["winner"], ran, tuple(left)] += row["p"]
    return [(p, *end) for end, p in found.items()]


class Reference:
    """One campaign: `ends` maps (what is here, what is out, winners of the fights) to chances."""

    def __init__(self, scenario, fighting, leaves=()):
        self.scenario, self.fighting, self.leaves = scenario, fighting, leaves
        self.ends = defaultdict(float)
        start = {name: dict(force) for name, force in scenario["force"].items()}
        self.play(0, 1.0, start, {name: {} for name in start}, ())

    def play(self, at, p, here, out, winners):
        if at == len(self.scenario["fight"]):
            self.ends[frozen(here), frozen(out), winners] += p
            return
        fight = self.scenario["fight"][at]
        if "if" in fight and not self.holds(fight["if"], here, out, winners):
            self.play(at + 1, p, here, out, (*winners, "none"))
            return
        here, out = ({name: dict(force) for name, force in zone.items()} for zone in (here, out))
        sides = [{"force": one} if isinstance(one, str) else one for one in (fight["attacker"], fight["defender"])]
        part = []
        for side in sides:
            if "force" not in side:
                part.append(dict(side))
                continue
            own = here[side["force"]]
            for piece, number in side.get("join", {}).items():
                own[piece] = own.get(piece, 0) + number
            stay = {piece: own.get(piece, 0) if n == "all" else n for piece, n in side.get("stay", {}).items()}
            part.append({piece: max(0, n - stay.get(piece, 0)) for piece, n in own.items() if piece in self.fighting})
        able = [any(one.values()) for one in part]
        if not all(able):
            winner = "attacker" if able[0] else "defender" if able[1] else "nobody"
            for side, mine, name in zip(sides, part, ("attacker", "defender"), strict=True):
                if winner == name and "force" in side:
                    self.leave(side, mine, here, out)
            self.play(at + 1, p, here, out, (*winners, winner))
            return
        if part[0] and sum(part[0].values()) < sides[0].get("min_units", 0):
            self.play(at + 1, p, here, out, (*winners, "none"))
            return
        self.fight(at, p, (here, out), (sides, part), winners)

    def fight(self, at, p, zones, both, winners):
        fight, every, (sides, part) = self.scenario["fight"][at], self.scenario.get("every", {}), both
        data = {"game": self.scenario["of"], "battle": fight.get("battle", every.get("battle"))}
        data |= {key: self.scenario[key] for key in ("rules",) if key in self.scenario}
        data |= {key: fight[key] for key in ("conditions", "policy", "options") if key in fight}
        sent = [{piece: n for piece, n in one.items() if n} for one in part]
        data |= dict(zip(("attacker", "defender"), sent, strict=True))
        for chance, winner, ran, left in ends_of(json.dumps(data), tuple(tuple(one.items()) for one in sent)):
            here, out = ({name: dict(force) for name, force in zone.items()} for zone in zones)
            for side, mine, rest, name, fled in zip(sides, sent, left, ("attacker", "defender"), ran, strict=True):
                if "force" not in side:
                    continue
                own, survivors = here[side["force"]], dict(rest)
                for piece, number in mine.items():
                    own[piece] -= number - survivors[piece]
                if winner == name:
                    self.leave(side, survivors, here, out)
                elif (winner not in (name, "nobody") or fled) and side.get("driven_off", "out") != "stay":
                    to = side.get("driven_off", "out")
                    target = out[side["force"]] if to == "out" else here[to]
                    for piece, number in survivors.items():
                        own[piece] -= number
                        target[piece] = target.get(piece, 0) + number
            self.play(at + 1, p * chance, here, out, (*winners, winner))

    def leave(self, side, survivors, here, out):
        to = side.get("leave_to", "out")
        target = out[side["force"]] if to == "out" else here[to]
        for piece, number in side.get("leave", {}).items():
            gone = min(survivors.get(piece, 0), number)
            here[side["force"]][piece] -= gone
            target[piece] = target.get(piece, 0) + gone

    def holds(self, question, here, out, winners):
        names = {f"fight{i + 1}_won": won == "attacker" for i, won in enumerate(winners)}
        for force, own in here.items():
            names |= {f"{force}_{piece}_here": n for piece, n in own.items()}
        return eval(question, {}, names)

    def chance(self, fight, winner):
        """The chance that a fight (from 0) has this winner."""
        return sum(p for (_, _, winners), p in self.ends.items() if winners[fight] == winner)

    def mean(self, force, piece, *zones):
        """The mean of the pieces of a force that are here or out."""
        places = {"here": 0, "out": 1}
        return sum(
            p * dict(dict(end[places[zone]])[force]).get(piece, 0) for end, p in self.ends.items() for zone in zones
        )


def frozen(zone):
    return tuple((name, tuple(sorted(force.items()))) for name, force in sorted(zone.items()))
