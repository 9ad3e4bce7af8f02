# ruff: noqa: C408, PLR0917, RUF059, PLR1704
"""A slow, obvious land battle: every die face, states as plain tuples, no code shared with the package but its CSV.

Written from docs/rules/europa_land_siege.md alone. Leaders are tables of values; replacement rows are looped over.
"""

import csv
from collections import defaultdict
from functools import cache, lru_cache
from itertools import product
from math import ceil
from pathlib import Path

DATA = Path(__file__).parents[2] / "simulator" / "rules" / "europa" / "data"
CLASS = dict(
    natives="A", england="IVM", spain="III", holland="III", portugal="III", venice="III", habsburg="III",
    austria="IV", france="IV", prussia="IV", usa="IV", poland="IIM", russia="IM", sweden="IIIM", turkey="I",
)  # fmt: skip
CLASS |= {"russia-reformed": "IM", "turkey-janissary": "I", "turkey-vizier": "I"}
ROW = dict(
    minor="MINOR", natives="NATIVES", england="ENG", spain="SPA", holland="HOL", portugal="POR", venice="VEN",
    habsburg="HAB", austria="HAB", france="FRA", prussia="PRU", usa="MINOR", poland="POL", russia="RUS",
    sweden="SUE", turkey="TUR",
)  # fmt: skip
ROW |= {"russia-reformed": "RUS", "turkey-janissary": "TUR", "turkey-vizier": "VIZIER"}


@lru_cache
def sheet(name):
    with open(DATA / f"{name}.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@cache
def cell(name, **key):
    rows = [row for row in sheet(name) if all(row[k] == str(v) for k, v in key.items())]
    return rows[0] if rows else None


def artillery(side, period):
    country = side.get("country", "minor")
    klass = CLASS.get(country) or side.get("army_class") or "III"
    own = {"austria": "habsburg", "turkey-vizier": "turkey"}.get(country, country)
    found = cell("artillery_per_army", row=own, period=period)
    if found is None:
        by_class = "class-I-II" if klass in ("I", "II") else "class-A" if klass == "A" else "class-other"
        found = cell("artillery_per_army", row=by_class, period=period)
    return int(found["artillery"])


def stack_artillery(plus, minus, one):
    values = sorted([one] * plus + [one // 2] * minus, reverse=True)
    if not values:
        return 0
    others = values[1:]
    return values[0] + (2 if any(v >= 2 for v in others) else 1 if any(v == 1 for v in others) else 0)


def is_timar(side, opts):
    turks = side.get("country") in ("turkey", "turkey-vizier")
    return turks and side.get("turkish_reform", "none") != "m-2" and opts.get("timar_limits", True)


def worse(technology, limit):
    order = ["medieval", "renaissance", "arquebus", "musket", "baroque", "manoeuvre", "lace-war"]
    return technology if order.index(technology) < order.index(limit) else limit


def of_timar(side):
    """The technology that Timar of this side fight with."""
    limit = "musket" if side.get("turkish_reform") == "m-1b" else "arquebus"
    return worse(side.get("technology", "musket"), limit)


def technology(side, opts):
    return of_timar(side) if is_timar(side, opts) else side.get("technology", "musket")


def on_the_field(plus, minus, loose):
    """Counters that fight: LD by LD whatever exceeds 8 LD stands by."""
    while 4 * plus + 2 * minus + loose > 8:
        if loose:
            loose -= 1
        elif minus:
            minus, loose = minus - 1, 2
        else:
            plus, minus, loose = plus - 1, minus + 1, 2
    return plus, minus, loose


class Ref:
    """One side."""

    def __init__(self, side, enemy, cond, opts, phasing):
        self.s, self.phasing = side, phasing
        self.country = side.get("country", "minor")
        self.klass = CLASS.get(self.country) or side.get("army_class") or "III"
        self.native = side.get("non_european", self.country == "natives")
        counters = side.get("army_plus", 0), side.get("army_minus", 0), side.get("land_detachments", 0)
        fight = counters if self.native else on_the_field(*counters)
        (self.plus, self.minus), in_counters = fight[:2], 12 * fight[0] + 6 * fight[1] + 3 * fight[2]
        self.idle = 12 * counters[0] + 6 * counters[1] + 3 * counters[2] - in_counters
        self.army = self.plus + self.minus > 0
        pashas = side.get("pasha_detachments", 0)
        joined = side.get("exploration_detachments", 0) + side.get("converted_natives_thirds", 0)
        self.size = in_counters + 3 * pashas + joined
        self.tech = technology(side, opts)
        period = cond.get("period", "III")
        self.art = side.get("artillery_value", -1)
        if self.art < 0:
            self.art = stack_artillery(self.plus, self.minus, artillery(side, period))
        self.turk = self.country.startswith("turkey")
        reform = side.get("turkish_reform", "none")
        self.asize = side.get("army_size", -1)
        if self.asize < 0:
            if self.turk and (reform == "m-2" or (reform == "m-1a" and self.country == "turkey-janissary")):
                self.asize = 4 if period in ("I", "II", "III") else 2
            else:
                self.asize = int(cell("army_class_size", army_class=self.klass, period=period)["size"])
        self.tercios = side.get("tercios", False) and (self.army or not opts.get("tercios_require_army", True))
        enemy_tech = technology(enemy, opts)
        trained = of_timar(side) if pashas and opts.get("timar_limits", True) else self.tech
        base = {"medieval": 1, "arquebus": 2}.get(trained, 3)
        if trained == "renaissance":
            base = 1 if enemy_tech == "medieval" else 2
        self.morale = base + (1 if side.get("veteran", not is_timar(side, opts)) and pashas == 0 else 0)
        self.morale += 1 if self.tercios and trained in ("renaissance", "arquebus") else 0
        columns = cell(
            "battle_tech", land=1, tech_for=self.tech.upper().replace("-", "_"),
            tech_against=enemy_tech.upper().replace("-", "_"),
        )  # fmt: skip
        self.fire, self.shock = columns["fire_column"], columns["shock_column"]
        self.europe = cond.get("region", "europe") == "europe"
        if self.tech == "medieval" or (self.tech == "renaissance" and not self.army and self.europe):
            self.fire = ""
        self.k = ceil(self.size / 24) if self.native and self.size > 24 else 1
        self.last = self.size - 24 * (self.k - 1)
        self.book = opts.get("national_bonuses", "seed") == "book"
        self.cavalry = self._cavalry(cond, period, reform)

    def _cavalry(self, cond, period, reform):
        given = self.s.get("structural_cavalry", "auto")
        if given != "auto":
            return given == "yes"
        t = cond.get("terrain", "plain")
        western = t == "plain" or (t in ("dense-forest", "northern-forest") and not self.book)
        if self.book:
            swedes = period in ("III", "IV", "V", "VI") and t in ("plain", "northern-forest")
        else:
            swedes = period in ("II", "III", "IV", "V", "VI") and t == "northern-forest"
        return self.army and (
            (self.klass == "IIM" and period in ("I", "II", "III", "IV") and t in ("plain", "sparse-forest"))
            or (self.klass == "IIIM" and period in ("IV", "V") and t in ("plain", "dense-forest", "northern-forest"))
            or (self.klass == "IV" and period in ("III", "IV", "V") and western)
            or (self.country == "sweden" and swedes)
            or (self.turk and reform != "m-2" and t in ("plain", "desert"))
        )

    def leaders(self):
        """[(weight, values)]."""
        given = self.s.get("leader", "replacement")
        zero = dict(manoeuvre=0, fire=0, shock=0, siege=0, type="general", anonymous=False, robust=False)
        if given == "none":
            return [(1.0, zero | {"none": True})]
        if given == "replacement":
            rows = [row for row in sheet("replacement_leaders") if row["country"] == ROW[self.country]]
            return [
                (0.1, zero | {k: int(row[k]) for k in ("manoeuvre", "fire", "shock")} | {"drawn": True}) for row in rows
            ]
        leader = zero | given
        leader["printed6"] = 6 in (leader["fire"], leader["shock"]) and not leader["robust"]
        if leader["type"] == "explorer":
            for key in ("manoeuvre", "fire", "shock", "siege"):
                leader[key] //= 2
        return [(1.0, leader)]


def drms(own, enemy, me, other, cond, opts, interception):
    """{day: (fire, shock)}."""
    cap = opts.get("leader_differential_cap", 3)
    cap = 99 if cap == 9 else cap
    fire = min(cap, max(0, me["fire"] - other["fire"]))
    shock = min(cap, max(0, me["shock"] - other["shock"]))
    t = cond.get("terrain", "plain")
    if own.s.get("facing_the_ottomans"):
        shock -= 2
    immune = own.army and own.klass in ("I", "IM", "II", "IIM")
    if not own.book and cond.get("period", "III") in ("VI", "VII"):
        immune = False
    if enemy.tercios and not immune:
        shock -= 1
    if "forest" in t or t in ("swamp", "desert") or (t == "mountain" and own.phasing and not interception):
        fire, shock = fire - 1, shock - 1
    conquers = me["type"] == "conquistador" and cond.get("period", "III") in ("I", "II", "III", "IV")
    if not own.army and not conquers:
        fire -= 1
    if own.art >= 6:
        fire += 1
    if own.size - enemy.size >= 9:
        shock += 1
    if own.cavalry:
        shock += 1
    day1 = [fire, shock]
    if own.phasing:
        crossing = cond.get("crossing", "none")
        if crossing in ("river", "pass"):
            day1 = [day1[0] - 1, day1[1] - 1]
        if crossing in ("strait", "landing"):
            day1 = [day1[0] - 2, day1[1] - 3]
        if own.s.get("foraging"):
            day1 = [day1[0] - 1, day1[1] - 1]
    return {1: tuple(day1), 2: (fire - 1, shock - 1)}


@cache
def look(column, die):
    row = cell("combat_result", column=column, modified_die=min(14, max(3, die)))
    return 3 * int(row["round_loss"]) + int(row["third_loss"]), int(row["morale_loss"])


@lru_cache
def roll(column, drm, k, mode):
    """{(main+middle thirds, stars, last thirds): p}."""
    if not column:
        return {(0, 0, 0): 1.0}
    one = []
    for face in range(1, 11):
        loss, stars = look(column, face + drm)
        one.append((loss // 2 if mode == "arquebus" else 0 if mode == "renaissance" else loss, stars))
    out = {(0, 0, 0): 1.0}
    for number in range(k):
        new = defaultdict(float)
        for (main, stars, last), p in out.items():
            for loss, star in one:
                if number == 0:
                    key = (main + loss, star, last)
                elif number == k - 1:
                    key = (main, stars, last + loss)
                else:
                    key = (main + loss, stars, last)
                new[key] += p / 10
        out = new
    return dict(out)


def step_of(own, enemy):
    gap = own.asize - enemy.asize
    size = 0 if abs(gap) <= 1 else 1 if abs(gap) <= 4 else 2
    return size if gap > 0 else -size


STEP = {
    -2: ({0: 0, 1: 1, 2: 1}, {0: 0, 1: 2, 2: 4, 3: 7, 4: 9, 5: 12, 6: 14}, -4),
    1: ({0: 0, 1: 1, 2: 2}, {0: 0, 1: 4, 2: 7, 3: 11, 4: 14, 5: 18, 6: 21}, 3),
    2: ({0: 0, 1: 2, 2: 3}, {0: 0, 1: 5, 2: 8, 3: 13, 4: 17, 5: 21, 6: 24}, 6),
}


def small(size, spared):
    for least, less in ((24, 0), (21, 0 if spared else 1), (18, 1), (12, 2), (9, 3), (6, 4), (4, 5), (3, 6), (2, 7)):
        if size >= least:
            return less
    return 9


def coins(own):
    """Both sides of the coin that may spare a small force a third; one where it changes nothing."""
    return (0, 1) if small(own.last, 0) != small(own.last, 1) else (0,)


@cache
def inflicted(own, enemy, main, last, spared):
    if own.k == 1:
        n = min(own.size, max(0, main - small(own.size, spared)))
    else:
        n = min(24 * (own.k - 1), main) + min(own.last, max(0, last - small(own.last, spared)))
    step = step_of(own, enemy)
    if step in (0, -1):
        return n
    thirds, wholes, add = STEP[step]
    return n + add if n > 18 else wholes[n // 3] + thirds[n % 3]


def fate(leader, won, destroyed, tested):
    """{(what, rounds): p}."""
    if leader.get("none") or not tested:
        return {("", 0): 1.0}
    fragile = leader.get("printed6", False)
    out = defaultdict(float)
    for die in range(1, 11):
        value = die - (0 if won else 1) - (5 if destroyed else 0) - (1 if fragile else 0)
        if value >= 2:
            out["", 0] += 0.1
        elif leader["type"] == "king" and destroyed:
            out["captured", 0] += 0.1
        elif leader["anonymous"]:
            out["killed", 0] += 0.1
        else:
            for second in range(1, 11):
                out[("killed", 0) if second % 2 else ("wounded", second // 2)] += 0.01
    return out


def battle(scenario):
    """{outcome as sorted tuple of items: p}."""
    cond, opts = scenario.get("conditions", {}), scenario.get("options", {})
    sa, sd = scenario["attacker"], scenario["defender"]
    a, d = Ref(sa, sd, cond, opts, True), Ref(sd, sa, cond, opts, False)
    pol = [scenario.get("policy", {}).get(x, {}) for x in ("attacker", "defender")]
    out = defaultdict(float)
    overrun = -1
    for i, (own, enemy) in enumerate(((a, d), (d, a))):
        if pol[i].get("overrun") == "declare":
            assert own.size >= 4 * enemy.size
            overrun = i
            if own.size >= 8 * enemy.size:
                overran(i, a, d, out)
                return rows_of((a, d), out)
    interception = cond.get("interception", False) or overrun >= 0
    fights = 1.0
    if pol[1].get("evasion") == "evade":
        fights = 0.0
        for (wa, la), (wd, ld) in product(a.leaders(), d.leaders()):
            rolled = [
                0 if "drawn" in v and x.country != "turkey-vizier" else v["manoeuvre"] for x, v in ((a, la), (d, ld))
            ]
            fights += wa * wd * sum(die + max(0, rolled[1] - rolled[0]) < 8 for die in range(1, 11)) / 10
        out["nobody", 0, (0, 0), (0, 0), "", (("", 0), ("", 0)), True, False] += 1 - fights
    for (wa, la), (wd, ld) in product(a.leaders(), d.leaders()):
        ends = defaultdict(float)
        tossed = list(product(coins(a), coins(d)))
        for spared in tossed:
            fight((a, d), (la, ld), spared, (cond, opts, pol, interception), fights * wa * wd / len(tossed), ends)
        for end, p in ends.items():
            settle((a, d), (la, ld), p, *end, out)
    return rows_of((a, d), out)


def overran(i, a, d, out):
    sides = (a, d)
    loser = sides[1 - i]
    leader = loser.leaders()[0][1]
    tested = "drawn" not in leader and not (a.europe and sides[i].size < 9)
    for what, p in fate(leader, False, True, tested).items():
        fates = [("", 0), ("", 0)]
        fates[1 - i] = what
        lost = [0, 0]
        lost[1 - i] = loser.size
        out[("attacker", "defender")[i], 0, tuple(lost), (0, 0), "", tuple(fates), False, True] += p


def fight(sides, leaders, spared, rules, weight, ends):
    a, d = sides
    cond, opts, pol, interception = rules
    adrm = drms(a, d, *leaders, cond, opts, interception)
    ddrm = drms(d, a, *leaders[::-1], cond, opts, interception)
    # tally: main, stars, last of a, then of d
    now = {(0, 0, 0, 0, 0, 0): weight}
    for phase in (0, 1):
        now = phase_of(now, sides, adrm[1], ddrm[1], phase, (0, 0))
        now = rout(now, sides, leaders, spared, rules, 1, phase == 0, ends)
    day2 = defaultdict(float)
    for t, p in now.items():
        gone = gone_of(t, sides, spared, opts)
        if any(gone):
            finish(t, sides, leaders, spared, rules, p, ("none", 1, False, ""), ends)
            continue
        order = (0, 1) if interception else (1, 0)
        pending = {(0, 0): p}
        for side in order:
            rest = defaultdict(float)
            for failed, q in pending.items():
                left = [a.morale - t[4], d.morale - t[1]]
                man, policy = leaders[side]["manoeuvre"], pol[side].get("break_off", "never")
                tries = (
                    policy == "always"
                    or (policy == "if-behind" and left[side] < left[1 - side])
                    or (policy == "if-sure" and man + left[side] >= 10)
                )
                good = min(10, man + left[side]) / 10 if tries else 0
                if good:
                    name = ("attacker", "defender")
                    finish(t, sides, leaders, spared, rules, q * good, (name[1 - side], 1, False, name[side]), ends)
                if good < 1:
                    now_failed = list(failed)
                    now_failed[side] = 1 if tries else 0
                    rest[tuple(now_failed)] += q * (1 - good)
            pending = rest
        for failed, q in pending.items():
            day2[t, failed] += q
    for failed in {f for _, f in day2}:
        now = {t: p for (t, f), p in day2.items() if f == failed}
        for phase in (0, 1):
            now = phase_of(now, sides, adrm[2], ddrm[2], phase, (failed[1], failed[0]))
            now = rout(now, sides, leaders, spared, rules, 2, phase == 0, ends)
        for t, p in now.items():
            finish(t, sides, leaders, spared, rules, p, ("", 2, False, ""), ends)


def phase_of(now, sides, adrm, ddrm, phase, boost):
    a, d = sides
    new = defaultdict(float)
    rolls = []
    for side, drm, extra in ((a, adrm, boost[0]), (d, ddrm, boost[1])):
        rolls.append(roll((side.fire, side.shock)[phase], drm[phase] + extra, side.k, side.tech if phase == 0 else ""))
    for t, p in now.items():
        for (am, asr, al), pa in rolls[0].items():
            for (dm, dsr, dl), pd in rolls[1].items():
                key = (
                    t[0] + am, min(d.morale, t[1] + asr), t[2] + al, t[3] + dm, min(a.morale, t[4] + dsr), t[5] + dl,
                )  # fmt: skip
                new[key] += p * pa * pd
    return new


def rout(now, sides, leaders, spared, rules, day, after_fire, ends):
    a, d = sides
    rest = {}
    for t, p in now.items():
        routed = t[4] >= a.morale, t[1] >= d.morale
        if any(routed):
            declared = "nobody" if all(routed) else "defender" if routed[0] else "attacker"
            finish(t, sides, leaders, spared, rules, p, (declared, day, after_fire, ""), ends)
        else:
            rest[t] = p
    return rest


def gone_of(t, sides, spared, opts):
    a, d = sides
    on_d = inflicted(a, d, t[0], t[2], spared[0])
    on_a = inflicted(d, a, t[3], t[5], spared[1])
    if opts.get("destruction_test", "exceeds") == "reaches":
        return on_a >= a.size, on_d >= d.size
    return on_a > a.size, on_d > d.size


def finish(t, sides, leaders, spared, rules, p, how, ends):
    a, d = sides
    cond, opts, pol, _ = rules
    declared, day, after_fire, broke = how
    gone = gone_of(t, sides, spared, opts)
    left = a.morale - t[4], d.morale - t[1]
    if gone == (True, True):
        winner = "nobody"
    elif any(gone):
        winner = "defender" if gone[0] else "attacker"
    elif declared:
        winner = declared
    else:
        winner = "attacker" if left[0] > left[1] else "defender" if left[1] > left[0] else "nobody"
    tallies = {t: p}
    index = {"attacker": 0, "defender": 1}.get(winner, -1)
    if index >= 0 and left[index] > 0:
        own = sides[index]
        drm = (2 if day == 1 else 0) + (1 if after_fire else 0)
        drm += max(0, leaders[index]["shock"] - leaders[1 - index]["shock"])
        drm += -1 if cond.get("terrain", "plain") != "plain" else 0
        drm += 1 if own.turk and own.cavalry else 0
        tallies = defaultdict(float)
        for (main, stars, last), q in roll("E", drm, own.k, "").items():
            new = list(t)
            new[3 * index] += main
            new[3 * index + 1] = min(sides[1 - index].morale, new[3 * index + 1] + stars)
            new[3 * index + 2] += last
            tallies[tuple(new)] += p * q
    for t, q in tallies.items():
        base = inflicted(d, a, t[3], t[5], spared[1]), inflicted(a, d, t[0], t[2], spared[0])
        ends[base, (t[4], t[1]), winner, day, broke] += q


def settle(sides, leaders, p, base, stars, winner, day, broke, out):
    a, d = sides
    left = a.morale - stars[0], d.morale - stars[1]
    options = []
    for i, side in enumerate(sides):
        lost = defaultdict(float)
        own_win = winner == ("attacker", "defender")[i]
        for die in range(1, 11):
            extra = 0
            if not own_win:
                value = die - (0 if left[i] == 0 else leaders[i]["manoeuvre"])
                extra = 0 if value <= 2 else 1 if value <= 4 else 2 if value <= 6 else 3
            n = base[i] + extra
            if side.europe:
                n = 3 * int(n / 3 + 0.5)
            n = min(n, side.size)
            room = side.s.get("retreat_room", -1)
            if not own_win and room >= 0:
                n = max(n, side.size - 3 * room)
            lost[n] += 0.1
        options.append(lost)
    for (la, pa), (ld, pd) in product(options[0].items(), options[1].items()):
        fates = []
        for i, lost in enumerate((la, ld)):
            tested = not (a.europe and sides[1 - i].size < 9)
            won = winner == ("attacker", "defender")[i]
            fates.append(fate(leaders[i], won, lost == sides[i].size, tested))
        for (fa, qa), (fd, qd) in product(fates[0].items(), fates[1].items()):
            out[winner, day, (la, ld), stars, broke, (fa, fd), False, False] += p * pa * pd * qa * qd


def rows_of(sides, out):
    """Outcomes as sorted tuples of items, with their chances."""
    rows = defaultdict(float)
    for outcome, p in out.items():
        rows[row_of(sides, *outcome)] += p
    return rows


def row_of(sides, winner, day, lost, stars, broke, fates, evaded, overrun):
    row = {"winner": winner, "ended_on_day": day, "evaded": evaded, "overrun": overrun}
    for i, name in enumerate(("attacker", "defender")):
        side = sides[i]
        row[f"{name}_losses_thirds"] = lost[i]
        row[f"{name}_left_thirds"] = side.size - lost[i]
        row[f"{name}_idle_thirds"] = side.idle
        row[f"{name}_morale_left"] = side.morale - stars[i]
        row[f"{name}_routed"] = stars[i] >= side.morale
        row[f"{name}_destroyed"] = lost[i] == side.size
        row[f"{name}_broke_off"] = broke == name
        for what in ("killed", "wounded", "captured"):
            row[f"{name}_leader_{what}"] = fates[i][0] == what
        row[f"{name}_leader_wound_rounds"] = fates[i][1]
    row["major_victory"] = False
    if winner != "nobody":
        w = 0 if winner == "attacker" else 1
        loser = sides[1 - w]
        gap = 12 if step_of(sides[w], loser) == 2 else 9
        row["major_victory"] = (
            row[("attacker", "defender")[1 - w] + "_routed"]
            and lost[1 - w] - lost[w] >= gap
            and (loser.europe or (loser.army and not loser.native))
        )
    return tuple(sorted(row.items()))
