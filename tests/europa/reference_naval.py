# ruff: noqa: C408
"""A slow, obvious naval battle and attrition: every die face, plain dicts, no code shared with the package but its CSV.

Written from docs/rules/europa_naval_and_other.md alone. Leaders are tables of values; replacement rows are looped over.
"""

from collections import defaultdict
from functools import cache

from tests.europa.reference_land import cell, look, sheet

D10 = range(1, 11)
TECHS = ["galley", "carrack", "nao-galleon", "galleon-fluyt", "battery", "vessel", "three-decker", "seventy-four"]
FILE = {"nao-galleon": "NAE_GALEON"} | {t: t.upper().replace("-", "_") for t in TECHS if t != "nao-galleon"}
ORDER = {
    "transports-first": ["transports", "galleys", "galleasses", "warships"],
    "transports-last": ["galleys", "warships", "galleasses", "transports"],
}


def merged(ways):
    """Ways of equal result as one: [(chance, *result)]."""
    tally = defaultdict(float)
    for p, *result in ways:
        tally[tuple(result)] += p
    return [(p, *result) for result, p in tally.items()]


@cache
def remainders(thirds, percent):
    """[(chance, left)] after losing percent: sets of 30, whole detachments, loose thirds."""
    if percent == 0:
        return [(1.0, thirds)]
    if percent == 100:
        return [(1.0, 0)]
    pieces = [30] * (thirds // 30) + [p for p in (thirds % 30 // 3 * 3, thirds % 3) if p]
    out = {0: 1.0}
    for piece in pieces:
        row = cell("attrition_remainders", size_thirds=piece, loss_percent=percent)
        left = int(row["left_thirds"])
        ways = {left: 1.0}
        if row["half_chance_one_more_third"] == "1":
            ways = {left: 0.5, max(0, left - 1): 0.5} if left else {0: 1.0}
        new = defaultdict(float)
        for a, p in out.items():
            for b, q in ways.items():
                new[a + b] += p * q
        out = new
    return [(p, left) for left, p in out.items()]


def percent_of(die):
    return int(cell("attrition_other_percent", modified_die=min(15, max(5, die)))["loss_percent"])


# --- fleets: dicts of warships (in thirds), galleys, galleasses, transports ---


def ships(side):
    return dict(
        warships=3 * side.get("warships", 0) + side.get("exploration_ships", 0),
        galleys=side.get("galleys", 0),
        galleasses=side.get("galleasses", 0),
        transports=side.get("transports", 0),
    )


def total(fleet):
    return fleet["warships"] + 3 * (fleet["galleys"] + fleet["galleasses"] + fleet["transports"])


def capacity(fleet):
    """In half points."""
    whole, loose = divmod(fleet["warships"], 3)
    return 2 * (whole + fleet["galleys"] + fleet["galleasses"]) + loose + 6 * fleet["transports"]


def sink(fleet, thirds, order, storm):
    fleet = dict(fleet)
    for kind in order:
        if thirds <= 0:
            break
        if kind == "warships":
            lost = min(thirds, fleet[kind])
            fleet[kind] -= lost
            thirds -= lost
            continue
        while fleet[kind] and thirds >= 3:
            fleet[kind] -= 1
            thirds -= 3
        if fleet[kind] and thirds:
            if thirds == 2 or not storm:
                fleet[kind] -= 1
            thirds = 0
    return fleet


def need(thirds, counters, points):
    need_half = 0
    for _ in range(counters):
        if thirds >= 12:
            need_half, thirds = need_half + 2 * points, thirds - 12
        elif thirds >= 6:
            need_half, thirds = need_half + points, thirds - 6
    return need_half + 4 * (thirds // 3) + thirds % 3


def shrink(thirds, room, counters, points, rotw):
    while thirds and need(thirds, counters, points) > room:
        thirds -= 1 if rotw else (thirds % 3 or 3)
    return thirds


class Ref:
    """One side of a naval battle."""

    def __init__(self, side, scenario, name):
        conditions = scenario.get("conditions", {})
        self.side, self.name = side, name
        self.all_count = scenario.get("options", {}).get("size_counts") == "all"
        self.policy = scenario.get("policy", {}).get(name, {})
        self.fleet = ships(side)
        self.troops = (
            12 * side.get("army_plus", 0) + 6 * side.get("army_minus", 0) + 3 * side.get("land_detachments", 0)
            + side.get("exploration_detachments", 0)
        )  # fmt: skip
        self.gold = side.get("gold", 0)
        self.counters = side.get("army_plus", 0) + side.get("army_minus", 0)
        row = cell("army_transport_points", army_class=side.get("army_class") or "III",
                   period=conditions.get("period", "III"))  # fmt: skip
        self.points = int(row["points_per_army_plus"])
        self.rotw = conditions.get("region", "europe") == "rotw"
        self.tech = side.get("technology", "nao-galleon")
        galleys = self.fleet["galleys"] + self.fleet["galleasses"]
        first = self.policy.get("first_line", "most-numerous")
        if self.fleet["warships"] and galleys:
            if first == "most-numerous":
                first = "galleys" if galleys > self.fleet["warships"] // 3 else "warships"
            self.line = first
        else:
            self.line = "warships" if self.fleet["warships"] else "galleys" if galleys else "transports"
        self.n = {"warships": self.fleet["warships"] // 3, "galleys": galleys}.get(self.line, self.fleet["transports"])
        self.row = "GALLEY" if self.line == "galleys" else FILE[self.tech]
        self.modern = TECHS.index(self.tech) >= TECHS.index("battery")
        losses = self.policy.get("losses", "auto")
        if losses == "auto":
            losses = "transports-last" if self.troops or self.gold else "transports-first"
        self.order = ORDER[losses]

    def leaders(self):
        given = self.side.get("leader", "replacement")
        if isinstance(given, dict):
            return [(1.0, given.get("manoeuvre", 0), given.get("fire", 0), given.get("shock", 0))]
        if given == "none":
            return [(1.0, 0, 0, 0)]
        rows = [row for row in sheet("replacement_leaders") if row["country"] == "MINOR"]
        return merged((0.1, int(r["manoeuvre"]), int(r["fire"]), int(r["shock"])) for r in rows)

    def fragile(self, fire, shock):
        given = self.side.get("leader", "replacement")
        return 6 in (fire, shock) and not (isinstance(given, dict) and given.get("robust"))


def naval(scenario):
    """Chances of {column: value} outcomes of a naval battle: a list of (chance, outcome)."""
    c, o = scenario.get("conditions", {}), scenario.get("options", {})
    a, d = (Ref(scenario[name], scenario, name) for name in ("attacker", "defender"))
    out = []
    for pa, *la in a.leaders():
        for pd, *ld in d.leaders():
            for pw, wind in winds(a, d, la[0], ld[0], c.get("wind", "roll")):
                out += [(pa * pd * pw * p, end) for p, end in fight(a, d, la, ld, wind, c, o)]
    return out


def winds(a, d, ma, md, given):
    if given != "roll":
        return [(1.0, {"attacker": 0, "defender": 1, "none": 2}[given])]
    if a.line == d.line == "galleys":
        return [(1.0, 2)]
    if "transports" in (a.line, d.line):
        return [(1.0, 1 if a.line == "transports" else 0)]
    entry = [cell("wind_advantage", tech_for=x.row, tech_against=y.row) for x, y in ((a, d), (d, a))]
    plus = [int(e["modifier"]) if e else 0 for e in entry]
    leads = (x + ma + plus[0] - y - md - plus[1] for x in D10 for y in D10)
    return merged((0.01, 0 if lead > 0 else 1 if lead < 0 else 2) for lead in leads)


def prepared(sides, leaders, wind, c, o):
    """Morale of both sides, their fixed (Fire, Boarding) modifiers, and results(side, roll, modifier) of a roll."""
    (a, d) = sides
    cap = o.get("leader_differential_cap", 3)
    fire, boarding, morale, columns = [0, 0], [0, 0], [0, 0], []
    for i, (x, y) in enumerate(((a, d), (d, a))):
        lx, ly = leaders[i], leaders[1 - i]
        limit = 99 if cap == 9 else cap
        fire[i] += min(limit, max(0, lx[1] - ly[1]))
        boarding[i] += min(limit, max(0, lx[2] - ly[2]))
        if wind == i:
            fire[i], boarding[i] = fire[i] + 1, boarding[i] + 1
        boarding[i] += (x.n - y.n >= 1) + (x.n - y.n >= 7)
        fire[i] += x.n - y.n >= 3
        if x.line == y.line == "galleys" and (x.fleet["galleasses"] >= 2 or x.modern):
            fire[i] += 1
        turn = c.get("turn", 20)
        if x.line == "galleys" and c.get("sea") == "mediterranean" and turn <= 25 and y.line != "galleys":
            fire[i], boarding[i] = fire[i] + 1, boarding[i] + 1
        if x.line == "galleys" and turn >= 35 and y.line == "warships":
            fire[i], boarding[i] = fire[i] - 1, boarding[i] - 1
        fire[i] += x.side.get("fire_modifier", 0)
        boarding[i] += x.side.get("shock_modifier", 0)
        tech = cell("battle_tech", land=0, tech_for=x.row, tech_against=y.row)
        columns.append((tech["fire_column"], tech["shock_column"]))
        if x.line != "transports":
            bonus = int(tech["veteran_bonus"])
            rule = o.get("veteran_rule", "table")
            if rule == "all":
                bonus = 1
            if rule == "vessel-and-three-decker":
                bonus = int(x.row in ("VESSEL", "THREE_DECKER"))
            morale[i] = int(tech["morale"]) + (bonus if x.side.get("veteran", True) else 0)

    def results(i, roll, modifier):
        if sides[i].line == "transports":
            return [(1.0, 0, 0)]
        ways = []
        for die in D10:
            loss, stars = look(columns[i][roll % 2], die + modifier)
            if (
                roll % 2 == 0
                and sides[i].line == "galleys"
                and not sides[i].fleet["galleasses"]
                and not sides[i].modern
            ):
                loss = -(-loss // 2)
            ways.append((0.1, loss, stars))
        return merged(ways)

    return morale, (fire, boarding), results


def drm(fixed, i, roll, stars, failed):
    """A side's modifier in a roll, with what has happened so far."""
    m = fixed[roll % 2][i] - (roll >= 2) + (roll >= 2 and failed[1 - i])
    return m - (roll > 0 and stars[i] > stars[1 - i])


def fight(a, d, la, ld, wind, c, o):
    sides, leaders = (a, d), (la, ld)
    morale, fixed, results = prepared(sides, leaders, wind, c, o)
    ends = []  # chance, suffered, stars, rolls, declared winner (None: by morale), left by, broke off by
    states = [(1.0, (0, 0), (0, 0), (0, 0))]
    for roll in range(4):
        new, states = merged(states), []
        for p, suffered, stars, failed in new:
            mods = [drm(fixed, i, roll, stars, failed) for i in (0, 1)]
            for pa, xa, sa in results(0, roll, mods[0]):
                for pd, xd, sd in results(1, roll, mods[1]):
                    s2, t2 = (suffered[0] + xd, suffered[1] + xa), (stars[0] + sd, stars[1] + sa)
                    q = p * pa * pd
                    left = [max(0, morale[i] - t2[i]) for i in (0, 1)]
                    if 0 in left:
                        win = 2 if left == [0, 0] else 1 if left[0] == 0 else 0
                        ends.append((q, s2, t2, roll + 1, win, None, None))
                        continue
                    if roll % 2 == 0 and wind < 2:
                        policy = sides[wind].policy.get("leave_with_wind", "never")
                        if wants(policy, left[wind], left[1 - wind]):
                            ends.append((q, s2, t2, roll + 1, 1 - wind, wind, None))
                            continue
                    if roll == 1:
                        first = 0 if c.get("interception") else 1
                        for r, state in break_off(sides, leaders, left, first, o):
                            if isinstance(state, int):
                                ends.append((q * r, s2, t2, 2, 1 - state, None, state))
                            else:
                                states.append((q * r, s2, t2, state))
                        continue
                    if roll == 3:
                        win = 2 if left[0] == left[1] else 0 if left[0] > left[1] else 1
                        ends.append((q, s2, t2, 4, win, None, None))
                        continue
                    states.append((q, s2, t2, failed))
    out = []
    for q, *end in merged(ends):
        out += [(q * p, row) for p, row in aftermath(sides, leaders, morale, wind, end, c, o)]
    return out


def wants(policy, own, enemy, sure=False):
    return {"always": True, "if-behind": own < enemy, "if-near-rout": own <= 1, "if-sure": sure}.get(policy, False)


def break_off(sides, leaders, left, first, o):
    """[(chance, the side that gets away, or the failures of both)]"""
    out = [(1.0, (0, 0))]
    for i in (first, 1 - first):
        new = []
        for p, failed in out:
            if isinstance(failed, int):
                new.append((p, failed))
                continue
            target = min(10, leaders[i][0] + left[i])
            if o.get("break_off_at_sea") == "automatic":
                target = 10
            if not wants(sides[i].policy.get("break_off", "never"), left[i], left[1 - i], target == 10):
                new.append((p, failed))
                continue
            if target:
                new.append((p * target / 10, i))
            if target < 10:
                new.append((p * (10 - target) / 10, (1, failed[1]) if i == 0 else (failed[0], 1)))
        out = new
    return out


@cache
def modified(thirds, inflictor, routed):
    nd = inflictor.n
    if inflictor.all_count:
        f = inflictor.fleet
        nd = f["warships"] // 3 + f["galleys"] + f["galleasses"] + f["transports"]
    if nd < 6:
        thirds = max(0, thirds + int(cell("naval_small_stack", nd=nd)["modifier_thirds"]))
    thirds = min(thirds, 6 * nd if nd else 3)
    if routed:
        thirds = max(thirds, 3)
    step = 0 if nd <= 6 else 1 if nd <= 12 else 2 if nd <= 18 else 3
    if step and thirds > 18:
        return thirds + {1: 3, 2: 6, 3: 15}[step]
    if step and thirds:
        parts = [x for x in (thirds // 3 * 3, thirds % 3) if x]
        return sum(int(cell("naval_size_loss", size_step=step, loss_thirds=x)["modified_thirds"]) for x in parts)
    return thirds


def aftermath(sides, leaders, morale, wind, end, c, o):
    suffered, stars, rolls, declared, left_by, broke = end
    wiped = [modified(suffered[i], sides[1 - i], stars[i] >= morale[i]) > total(sides[i].fleet) for i in (0, 1)]
    winner = declared
    if left_by is None:
        winner = 2 if all(wiped) else 1 if wiped[0] else 0 if wiped[1] else declared
    chases = [(1.0, 0, 0)]
    if winner < 2 and left_by is None and stars[winner] < morale[winner]:
        x, y = sides[winner], sides[1 - winner]
        drm = 2 * (rolls <= 2) + (rolls % 2 == 1) + max(0, leaders[winner][0] - leaders[1 - winner][0])
        drm += (x.n - y.n >= 5) + (wind == winner)
        column = "E" if y.line == "warships" else "C"
        chases = merged((0.1, *look(column, die + drm)) for die in D10)
    out = []
    for p, more, caught in chases:
        loss, star = list(suffered), list(stars)
        if winner < 2:
            loss[1 - winner] += more
            star[1 - winner] += caught
        rows = []
        for i in (0, 1):
            routed = star[i] >= morale[i] or (o.get("destruction_is_rout") and wiped[i])
            rows.append(reckon(sides[i], sides[1 - i], winner == i, bool(routed), loss[i],
                               caught if winner == 1 - i else 0))  # fmt: skip
        storms = [storm(sides[i], rows[i], leaders[i][0], winner != i, o) for i in (0, 1)]
        for q0, r0 in storms[0]:
            for q1, r1 in storms[1]:
                both = (r0, r1)
                major = False
                if winner < 2:
                    gap = both[1 - winner]["losses"] - both[winner]["losses"]
                    major = both[1 - winner]["routed"] and gap >= (24 if sides[winner].line == "galleys" else 15)
                row = {"winner": winner, "rolls": rolls, "major": bool(major), "wind": wind, "stars": tuple(star)}
                row |= {"left_by": left_by, "broke": broke, "sides": both}
                row["hit"] = [hit(sides[i], leaders[i], winner == i, total(both[i]["fleet"]) == 0) for i in (0, 1)]
                out.append((p * q0 * q1, row))
    return out


def hit(side, values, won, destroyed):
    """Chance that the leader is hit."""
    if side.side.get("leader") == "none":
        return 0.0
    bonus = -(not won) - 5 * destroyed - side.fragile(values[1], values[2])
    return min(10, max(0, 1 - bonus)) / 10


@cache
def reckon(own, enemy, won, routed, thirds, caught):  # noqa: PLR0912, PLR0915
    losses = modified(thirds, enemy, routed)
    w = own.fleet["warships"]
    if own.line != "warships":
        losses = -(-losses // 3) * 3
    elif losses > w and total(own.fleet) > w:
        losses = w + -(-(losses - w) // 3) * 3
    bins = {"D": 0, "X": 0, "R": 0}
    rest, k = losses, 0
    while rest > 0:
        bins[("DXR" if won else "DXD")[k % 3]] += min(3, rest)
        rest, k = rest - 3, k + 1
    policy = enemy.policy.get("capture", "auto")
    if policy == "auto":
        policy = "transports-first" if own.troops or own.gold else "warships-first"
    kinds = {"warships-first": ["warships", "galleys", "transports"],
             "transports-first": ["transports", "warships", "galleys"]}[policy]  # fmt: skip
    left, taken = dict(own.fleet), dict(warships=0, galleys=0, galleasses=0, transports=0)
    for _ in range(caught):
        for kind in kinds:
            if kind == "warships" and left["warships"] >= 3:
                left["warships"], taken["warships"] = left["warships"] - 3, taken["warships"] + 1
                break
            if kind == "galleys" and left["galleys"] + left["galleasses"]:
                for _ in range(2):
                    which = "galleys" if left["galleys"] else "galleasses"
                    if left[which]:
                        left[which], taken[which] = left[which] - 1, taken[which] + 1
                break
            if kind == "transports" and left["transports"]:
                n = min(2, left["transports"])
                left["transports"], taken["transports"] = left["transports"] - n, taken["transports"] + n
                break
    number = sum(taken.values())
    for _ in range(3 * number):
        if bins["D"]:
            bins["D"] -= 1
        elif bins["X"]:
            bins["X"] -= 1
    troops, gold, seized = own.troops, own.gold, 0
    if number:
        room = need(troops, own.counters, own.points) - capacity(taken | {"warships": 3 * taken["warships"]})
        troops = shrink(troops, room, own.counters, own.points, own.rotw)
        for _ in range(taken["transports"]):
            seized += min(gold, 10)
            gold = max(0, gold - 15)
        if not left["transports"]:
            more = min(gold, 5 * (number - taken["transports"]))
            seized, gold = seized + more, gold - more
    room = total(left)
    for kind in "XDR":
        bins[kind] = min(bins[kind], room)
        room -= bins[kind]
    gone = bins["D"] + bins["X"]
    line = ["galleys", "galleasses"] if own.line == "galleys" else [own.line]
    fleet = dict(left)
    if own.line == "galleys" and routed and fleet["galleasses"] and gone >= 3:
        fleet["galleasses"] -= 1
        gone -= 3
    fleet = sink(fleet, gone, line + [k for k in own.order if k not in line], storm=False)
    troops = shrink(troops, capacity(fleet), own.counters, own.points, own.rotw)
    gold = min(gold, 5 * capacity(fleet) // 2)
    return {"fleet": fleet, "taken": taken, "losses": losses, "damaged": bins["D"], "destroyed": bins["X"],
            "refitted": bins["R"], "troops": troops, "gold": gold, "seized": seized, "routed": routed}  # fmt: skip


def storm(side, row, man, not_won, o):
    drm = side.side.get("retreat_drm")
    if drm is None or not not_won or total(row["fleet"]) == 0:
        return [(1.0, row)]
    drm += (2 if o.get("rout_attrition_plus_two") else 0) if row["routed"] else -man
    out = []
    for p, percent in merged((0.1, percent_of(die + drm)) for die in D10):
        out += [(p * q, after) for q, after in weather(side, row, percent)]
    return out


def weather(side, row, percent):
    out = []
    for p, left in remainders(total(row["fleet"]), percent):
        fleet = sink(row["fleet"], total(row["fleet"]) - left, side.order, storm=True)
        sunk = total(row["fleet"]) - total(fleet)
        for q, troops in remainders(row["troops"], percent):
            gold = min(row["gold"] * (100 - percent) // 100, 5 * capacity(fleet) // 2)
            fits = shrink(troops, capacity(fleet), side.counters, side.points, side.rotw)
            out.append((p * q, row | {"fleet": fleet, "troops": fits, "gold": gold, "losses": row["losses"] + sunk,
                                      "destroyed": row["destroyed"] + sunk}))  # fmt: skip
    return out


def means(scenario):
    """Every number of a naval battle that the package tells, by the reference."""
    out = defaultdict(float)
    for p, row in naval(scenario):
        w = row["winner"]
        out[("attacker", "defender", "nobody")[w]] += p
        out["rolls"] += p * row["rolls"]
        out["major_victory"] += p * row["major"]
        for i, name in enumerate(("attacker", "defender")):
            own, enemy = row["sides"][i], row["sides"][1 - i]
            taken = enemy["taken"] if w == i else dict.fromkeys(enemy["taken"], 0)
            f = own["fleet"]
            values = {
                "warships_left": f["warships"] // 3 + taken["warships"],
                "exploration_ships_left": f["warships"] % 3,
                "galleys_left": f["galleys"] + taken["galleys"],
                "galleasses_left": f["galleasses"] + taken["galleasses"],
                "transports_left": f["transports"] + taken["transports"],
                "losses_thirds": own["losses"], "damaged_thirds": own["damaged"],
                "destroyed_thirds": own["destroyed"], "refitted_thirds": own["refitted"],
                "stars": row["stars"][i], "ships_taken": sum(taken.values()),
                "troops_left_thirds": own["troops"], "gold_left": own["gold"],
                "gold_taken": enemy["seized"] if w == i else 0, "routed": own["routed"],
                "destroyed": total(f) == 0, "wind": row["wind"] == i, "left_with_wind": row["left_by"] == i,
                "broke_off": row["broke"] == i, "leader_killed": row["hit"][i] / 2,
                "leader_wounded": row["hit"][i] / 2,
            }  # fmt: skip
            for key, value in values.items():
                out[f"{name}_{key}"] += p * value
    return dict(out)


# --- attrition on land ---


def march(scenario):
    """(mean thirds left, chance of a pillage, of foraging, modifier) of a stack's attrition."""
    side, c = scenario["attacker"], scenario.get("conditions", {})
    own = 12 * side.get("army_plus", 0) + 6 * side.get("army_minus", 0) + 3 * side.get("land_detachments", 0)
    own += side.get("exploration_detachments", 0)
    thirds = own + 3 * side.get("pasha_detachments", 0)
    kind = c.get("procedure", "movement-land")
    g = c.get
    if kind == "siege":
        rolled = True
        drm = -side.get("siege", 0) + g("enemy_siege", 0) - 3 * g("unblockaded_port", 0)
        drm += g("siegeworks_minus", 0) + 3 * g("siegeworks_plus", 0)
    else:
        drm = 2 * g("no_supply_line", 0) + 2 * g("enemy_province", 0) - side.get("manoeuvre", 0) + g("strait_drm", 0)
        drm += g("pillages_minus", 0) + 2 * g("pillages_plus", 0) + g("revolts_minus", 0) + 2 * g("revolts_plus", 0)
        drm += g("cold", 0)
        big = own >= 18 or side.get("pashas", 0) >= 2
        if kind == "supply":
            rolled = g("causes", 0) >= 1 or g("no_supply_line", False)
            drm += 2 * max(0, g("causes", 0) - 1) + 2 * big
        else:
            big = big or (g("no_logistics", False) and own >= 9)
            slow = (
                g("no_logistics") if scenario.get("options", {}).get("movement_causes") == "draft" else g("bad_weather")
            )
            others = (g("mp", 0) >= 6) + bool(g("mp", 0) >= 3 and slow) + bool(g("landing_without_port"))
            rolled = bool(big or others) and not (g("between_interceptions") and not others)
            drm += 2 * max(0, big + others - 1)
    if not rolled:
        return thirds, 0.0, 0.0, 0
    tech = side.get("technology", "musket")
    policy = scenario.get("policy", {}).get("attacker", {}).get("pillage", "pillage")
    left = pillage = foraging = 0.0
    for die in D10:
        if g("region", "europe") == "rotw":
            left += 0.1 * sum(p * n for p, n in remainders(thirds, percent_of(die + drm)))
            continue
        row = [r for r in sheet("attrition_land_europe") if int(r["modified_die"]) == min(15, max(5, die + drm))]
        row = next(r for r in row if int(r["min_size"]) <= thirds // 3 < int(r["max_size_exclusive"] or 999))
        lost = int(row["loss"] or 0)
        if int(row["pillage"] or 0):
            if kind == "siege" or not g("pillage_possible", True):
                lost += 1
            elif tech in ("medieval", "renaissance", "arquebus"):
                lost, pillage = lost + 1, pillage + 0.1
            elif policy == "lose-detachment":
                lost += 1
            else:
                pillage += 0.1
                foraging += 0.1 * (kind == "movement-land" and tech in ("musket", "baroque", "manoeuvre"))
        left += 0.1 * max(0, thirds - 3 * lost)
    return left, pillage, foraging, drm
