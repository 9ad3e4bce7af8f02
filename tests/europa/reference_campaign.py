"""A slow, obvious siege campaign over the slow siege segments: rounds, winters, supply, and the best plan.

Written from docs/rules/europa_land_siege.md section 5 alone.
"""

from collections import defaultdict
from functools import lru_cache

from tests.europa.reference_siege import Place, europe_row, first_state, row_of, segment, take, thirds

TRACK = ["W0", "S1", "W1", "S2", "W2", "S3", "W3", "S4", "W4", "S5", "W5", "End"]


def follow(box, die, place):
    """(next box, bad weather)."""
    poor = place.c.get("poor_weather", False)
    modified = die + (2 if poor else 0) - (1 if place.period in ("VI", "VII") else 0)
    kind, n = box[0], int(box[1])
    if box == "W5":
        return "End", False
    bad = False
    if kind == "S":
        to = f"W{n}" if modified <= 5 else f"S{n + 1}"
        bad = modified <= 5 and die in (1, 3, 5)
    else:
        to = f"S{n + 1}" if modified <= 7 else f"W{n + 1}" if modified == 8 else f"S{n + 2}"
    if to not in TRACK:
        return "End", False
    return to, bad or (poor and to[0] == "W")


class Turn:
    """A campaign: what lies between its segments, and the plan."""

    def __init__(self, scenario):
        self.place = Place(scenario, tests_leaders=False)
        self.c, self.opt = self.place.c, self.place.opt
        self.rules = self.opt.get("supply_attrition", True)
        self.plan = self.place.pol.get("plan", "undermine-until-breach")
        self.limit = 0 if self.c.get("start_round") else self.c.get("rounds", 0) or 4
        self.weights = scenario.get("objective", {}).get("attacker", {"win": 1})
        self.value = lru_cache(None)(self.value)
        self.fixed = lru_cache(None)(self.fixed)
        self.after = lru_cache(None)(self.after)

    def start(self):
        """{(state, box, segments without a line, thirds lost by supply): p}."""
        first, begin = first_state(self.place), self.c.get("start_round", "")
        none = self.c.get("unsupplied_segments", 0), 0
        if begin != "roll":
            return {(first, begin, *none): 1.0}
        out = defaultdict(float)
        for die in range(1, 11):
            box = "W0" if die == 1 else "S1" if die <= 3 else "S2" if die <= 5 else "W2" if die == 6 else "S3"
            weather = first[7] or (self.c.get("poor_weather", False) and box[0] == "W")
            out[((*first[:7], weather), box, *none)] += 0.1
        return out

    def worn(self, dist, roll):
        """Apply a roll, {(stack, pillages): p}, to every besieger that is left."""
        out = defaultdict(float)
        for (state, box, none, lost, how), p in dist.items():
            if how:
                out[state, box, none, lost, how] += p
                continue
            for (stack, pillages), q in roll(state).items():
                gone = lost + thirds(state[0]) - thirds(stack)
                new = (stack, *state[1:5], pillages, *state[6:])
                out[new, box, none, gone, "" if thirds(stack) else "starved"] += p * q
        return out

    def goes_home(self, state):
        out = defaultdict(float)
        for die in range(1, 11):
            modified = min(15, max(5, die + 2 * self.c.get("timar_distance", 1)))
            lost = europe_row(thirds(state[0]) // 3, modified)[0]
            out[take(state[0], 3 * lost, self.place.best), state[5]] += 0.1
        return out

    def after(self, state, box, none):
        """{(state, box, segments, lost, how): p} after a round of a siege that goes on; how is "over" at the end."""
        lost = 0
        if not self.limit:
            now = defaultdict(float)
            for die in range(1, 11):
                to, weather = follow(box, die, self.place)
                now[(*state[:7], weather), to, none, lost, ""] += 0.1
        else:
            now = {(state, "", none, lost, ""): 1.0}
        out = defaultdict(float)
        for key, p in now.items():
            for end, q in self.winter_and_supply(box, key).items():
                out[end] += p * q
        return out

    def winter_and_supply(self, box, key):
        now, to, place = {key: 1.0}, key[1], self.place
        if self.rules and not self.limit and (to == "End" or to[1] != box[1]):
            if self.c.get("cold_area"):
                now = self.worn(now, lambda state: place.supply(state[0], state[5]))
            if place.timar and self.c.get("timar_distance", 1):
                now = self.worn(now, self.goes_home)
        if to == "End":
            return {(*end[:4], end[4] or "over"): p for end, p in now.items()}
        line = self.c.get("supply_line", True)
        if self.rules and not line:
            now = self.worn(now, lambda state: {((0, 0, 0, 0), state[5]): 1.0}) if key[2] else now
            now = {(end[0], end[1], 1, *end[3:]): p for end, p in now.items()}
        if self.rules:
            rolls = lambda state: place.supply(state[0], state[5])  # noqa: E731
            still = lambda state: {(state[0], state[5]): 1.0}  # noqa: E731
            now = self.worn(now, lambda s: rolls(s) if not line or place.weak(s[0]) else still(s))
        out = defaultdict(float)
        for (state, at, none, lost, how), p in now.items():
            insides = {state[1]: 1.0}
            starving = self.opt.get("garrison_attrition", True) and self.c.get("port") != "resupplied"
            if starving and thirds(state[1]) and not how:
                insides = defaultdict(float)
                for version in place.viziers():
                    for inside, q in version.starve(state[1], state[2]).items():
                        insides[inside] += q / len(place.viziers())
            for inside, q in insides.items():
                out[(state[0], inside, *state[2:6], False, state[7]), at, none, lost, how] += p * q
        return out

    def worth(self, state, how, rounds, lost):
        row = dict(count(self.place, state, how, rounds, lost))
        row["win"] = row["winner"] == "attacker"
        return sum(weight * row[name] for name, weight in self.weights.items())

    def ends(self, new, how, rounds):
        """Is the siege over after a segment?"""
        return how or thirds(new[0]) == 0 or rounds == self.limit

    def onward(self, dist, box, none, lost, rounds):
        """The worth of what a segment has led to, played on for the best."""
        total = 0.0
        for (new, how, *_), p in dist.items():
            if self.ends(new, how, rounds):
                total += p * self.worth(new, how, rounds, lost)
                continue
            for (state, to, n, gone, end), q in self.after(new, box, none).items():
                if end:
                    total += p * q * self.worth(state, end, rounds, lost + gone)
                else:
                    total += p * q * self.value(state, to, n, lost + gone, rounds + 1)[0]
        return total

    def value(self, state, box, none, lost, rounds):
        """(worth, ends of the segment) of the better action, undermining on a tie."""
        at_breach = lambda dist: self.onward(dist, box, none, lost, rounds)  # noqa: E731
        found = [segment(self.place, state, action, at_breach) for action in ("undermine", "assault")]
        worths = [at_breach(dist) for dist in found]
        which = int(worths[1] > worths[0] + 1e-12)
        return worths[which], found[which]

    def played(self, key, rounds):
        return self.value(*key, rounds)[1] if self.plan == "best" else self.fixed(key[0])

    def fixed(self, state):
        """The segment as a fixed plan plays it."""
        action = "assault" if self.plan == "assault-at-once" else "undermine"
        if self.plan == "breach-then-storm" and state[3]:
            action = "assault"
        return segment(self.place, state, action, "wait" if self.plan == "undermine-only" else "assault")


def campaign(scenario):
    turn, out, rounds = Turn(scenario), defaultdict(float), 0
    now = turn.start()
    while now:
        rounds += 1
        following = defaultdict(float)
        for key, p in now.items():
            for (new, how, *_), q in turn.played(key, rounds).items():
                if turn.ends(new, how, rounds):
                    out[count(turn.place, new, how, rounds, key[3])] += p * q
                    continue
                for (state, box, none, lost, end), r in turn.after(new, *key[1:3]).items():
                    if end:
                        out[count(turn.place, state, end, rounds, key[3] + lost)] += p * q * r
                    else:
                        following[state, box, none, key[3] + lost] += p * q * r
        now = following
    return out


def count(place, state, how, rounds, lost):
    """The columns of an end, sorted."""
    starved, how = how == "starved", "" if how in ("over", "starved") else how
    row = row_of(place, state, how)
    row["rounds"] = rounds
    row["can_continue"] = (
        not how and thirds(state[0]) > 0 and thirds(state[0]) >= 3 * place.level
        and place.c.get("supply_line", True) and bool(state[2][1] or state[3])
    )  # fmt: skip
    too_small = how == "redeployed" and lost > 0
    row["redeployed_by_supply"] = too_small and thirds(state[0]) + lost >= 3 * place.level
    row["destroyed_by_supply"], row["attacker_gone_by_supply_thirds"] = starved, lost
    return tuple(sorted(row.items()))
