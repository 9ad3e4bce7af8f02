# ruff: noqa: C408, PLR0917, PLR0912
"""A slow, obvious siege: every die face, stacks as lists of counters, no code shared with the package but its CSV.

Written from docs/rules/europa_land_siege.md alone.
"""

from collections import defaultdict
from copy import copy
from functools import lru_cache
from itertools import product

from tests.europa.reference_land import ROW, artillery, cell, fate, is_timar, sheet, stack_artillery, technology

TECHS = ["medieval", "renaissance", "arquebus", "musket", "baroque", "manoeuvre", "lace-war"]


def thirds(stack):
    plus, minus, ld, lde = stack
    return 12 * plus + 6 * minus + 3 * ld + lde


def take(stack, n, best=True):
    """Losses as section 4.2 tells: whole LD first, then single thirds."""
    plus, minus, ld, lde = stack
    while n > 0 and plus + minus + ld + lde > 0:
        if n >= 3 and plus + minus + ld > 0:
            if ld == 0:
                if minus and (best or not plus):
                    minus, ld = minus - 1, 2
                else:
                    plus, minus, ld = plus - 1, minus + 1, 2
            ld, n = ld - 1, n - 3
            continue
        if lde:
            lde -= 1
        elif ld:
            ld, lde = ld - 1, 2
        else:
            if minus and (best or not plus):
                minus, ld = minus - 1, 2
            else:
                plus, minus, ld = plus - 1, minus + 1, 2
            continue
        n -= 1
        if lde >= 3:
            ld, lde = ld + 1, lde - 3
    return (plus, minus, ld, lde)


def troops(side):
    return tuple(side.get(k, 0) for k in ("army_plus", "army_minus", "land_detachments", "exploration_detachments"))


def leaders_of(side):
    zero = dict(manoeuvre=0, fire=0, shock=0, siege=0, type="general", anonymous=False, robust=False)
    given = side.get("leader", "replacement")
    if given == "none":
        return [(1.0, zero | {"none": True})]
    if given == "replacement":
        row = ROW[side.get("country", "minor")]
        rows = [r for r in sheet("replacement_leaders") if r["country"] == row]
        return [(0.1, zero | {k: int(r[k]) for k in ("manoeuvre", "fire", "shock")}) for r in rows]
    leader = zero | given | {"given": True}
    leader["printed6"] = 6 in (leader["fire"], leader["shock"]) and not leader["robust"]
    if leader["type"] == "explorer":
        for key in ("manoeuvre", "fire", "shock", "siege"):
            leader[key] //= 2
    return [(1.0, leader)]


class Place:
    """Everything about a siege that does not change."""

    def __init__(self, scenario, tests_leaders=True):
        self.tests_leaders, self.both = tests_leaders, ()
        self.a, self.d = scenario["attacker"], scenario["defender"]
        self.c = scenario.get("conditions", {})
        self.pol = scenario.get("policy", {}).get("attacker", {})
        self.opt = scenario.get("options", {})
        self.europe = self.c.get("region", "europe") == "europe"
        self.level = max(self.d.get("fortress_level", 2), int(self.c.get("city", False)))
        self.la, self.ld = leaders_of(self.a), leaders_of(self.d)
        self.sa = max(self.a.get("siege_value", 0), self.la[0][1]["siege"])
        self.sd = max(self.d.get("siege_value", 0), self.ld[0][1]["siege"])
        self.country = self.a.get("country", "minor")
        self.period = self.c.get("period", "III")
        self.ta, self.td = technology(self.a, self.opt), self.d.get("technology", "musket")
        self.timar = is_timar(self.a, self.opt)
        self.drawn = self.country == "turkey-vizier" and self.a.get("leader", "replacement") == "replacement"
        self.best = self.pol.get("losses", "keep-best-army") == "keep-best-army"
        self.morale = self._morale(self.a, self.ta, self.td, self.a.get("veteran", not self.timar))
        self.dmorale = self._morale(self.d, self.td, self.ta, True)

    @staticmethod
    def _morale(side, tech, enemy, veteran):
        base = {"medieval": 1, "arquebus": 2}.get(tech, 3)
        if tech == "renaissance":
            base = 1 if enemy == "medieval" else 2
        return base + veteran + (1 if side.get("tercios") and tech in ("renaissance", "arquebus") else 0)

    def bonus(self, stack):
        value = self.a.get("artillery_value", -1)
        if value < 0:
            value = stack_artillery(stack[0], stack[1], artillery(self.a, self.period))
        rows = [r for r in sheet("artillery_siege_bonus") if int(r["fortress_level"]) == self.level]
        return max([0] + [int(r["bonus"]) for r in rows if int(r["artillery_at_least"]) <= value])

    def malus(self):
        port = self.c.get("port", "none")
        rough = self.c.get("terrain", "plain") != "plain"
        if not self.europe and port != "none":
            rough = False
        opened = port in ("open", "resupplied")
        if self.level == 0:
            return 1 if rough or opened else 0
        return 3 if rough and opened else 2 if rough or opened else 0

    def viziers(self):
        """The same siege with each siege value that a Vizier may roll."""
        if self.drawn and not self.both:
            self.both = copy(self), copy(self)
            self.both[1].sa = max(1, self.sa)
        return self.both or (self,)

    def weak(self, stack):
        """Causes of weak supply."""
        army = self.europe or stack[0] + stack[1] > 0
        return sum([
            army and self.c.get("supply_distance", 2) >= 6, self.c.get("supply_desert", False),
            self.c.get("supply_foreign", False), army and self.c.get("supply_distant_fleet", False),
        ]) if self.c.get("supply_line", True) else 0  # fmt: skip

    def supply(self, stack, pillages):
        """Supply attrition: {(stack, pillages): p}."""
        out = defaultdict(float)
        for p, leader in self.la:
            drm = 2 * max(0, self.weak(stack) - 1) + (2 if thirds(stack) >= 18 else 0) + 2 + pillages
            drm += (0 if self.c.get("supply_line", True) else 2) + self.c.get("attrition_modifier", 0)
            drm -= leader["manoeuvre"] if leader.get("given") or self.drawn else 0
            for end, q in self.wear(stack, pillages, drm).items():
                out[end] += p * q
        return out

    def hunger(self, stack, pillages, bad):
        """{(stack, pillages): p}."""
        drm = -self.sa + self.sd + pillages + self.c.get("attrition_modifier", 0)
        if not self.c.get("supply_line", True):
            drm += 2 + (2 if thirds(stack) < 3 * self.level else 0)
        drm += (2 if thirds(stack) >= 18 else 0) + (2 if bad else 0)
        return self.wear(stack, pillages, drm)

    def wear(self, stack, pillages, drm):
        """Attrition of the besieger with this modifier."""
        out = defaultdict(float)
        for die in range(1, 11):
            modified = min(15, max(5, die + drm))
            if not self.europe:
                for left, p in percent(thirds(stack), modified).items():
                    out[take(stack, thirds(stack) - left, self.best), pillages] += p / 10
                continue
            lost, pillaged = europe_row(thirds(stack) // 3, modified)
            sides = pillages
            if pillaged:
                early = self.ta in TECHS[:3]
                if pillages >= 4:
                    lost += 1
                elif early:
                    lost, sides = lost + 1, sides + 1
                elif self.pol.get("pillage", "pillage") == "pillage":
                    sides += 1
                else:
                    lost += 1
            out[take(stack, 3 * lost, self.best), sides] += 0.1
        return out

    def starve(self, inside, works):
        drm = -self.sd + self.sa - (3 if self.c.get("port") == "open" else 0) + works[0] + 3 * works[1]
        out = defaultdict(float)
        for die in range(1, 11):
            modified = min(15, max(5, die + drm))
            if self.europe:
                lost, pillaged = europe_row(thirds(inside) // 3, modified)
                out[take(inside, 3 * (lost + pillaged))] += 0.1
            else:
                for left, p in percent(thirds(inside), modified).items():
                    out[take(inside, thirds(inside) - left)] += p / 10
        return out

    @lru_cache(None)  # noqa: B019
    def assault(self, stack, inside, breach, counter):
        """{(stack, inside, fell, counter, fate a, fate d): p}."""
        out = defaultdict(float)
        cap = self.opt.get("leader_differential_cap", 3)
        cap = 99 if cap == 9 else cap
        medieval = {"medieval": 1, "renaissance": 0}.get(self.td, -1)
        base = medieval + (0 if breach else -self.level) + self.bonus(stack) + counter
        for (wa, la), (wd, ld) in product(self.la, self.ld):
            rolls = {}
            for key in ("fire", "shock"):
                da = base + min(cap, max(0, la[key] - ld[key]))
                dd = min(cap, max(0, ld[key] - la[key]))
                rolls[key] = [look_both(1, key, 0, da, self.ta), look_both(0, key, int(breach), dd, "")]
            ends = defaultdict(float)
            for (fa, pa), (fd, pd) in product(rolls["fire"][0].items(), rolls["fire"][1].items()):
                nobody = {(0, 0): 1.0}
                sa = nobody if fd[1] >= self.morale else rolls["shock"][0]
                sd = nobody if fa[1] >= self.dmorale else rolls["shock"][1]
                for (xa, qa), (xd, qd) in product(sa.items(), sd.items()):
                    mine, stars = fa[0] + xa[0], fa[1] + xa[1]
                    theirs, dstars = fd[0] + xd[0], fd[1] + xd[1]
                    ends[mine, theirs, stars >= self.dmorale, dstars >= self.morale] += pa * pd * qa * qd
            for (mine, theirs, drouted, arouted), p in ends.items():
                new, within, fell, placed = self.settle(stack, inside, breach, mine, theirs, drouted, arouted)
                wiped = thirds(new) == 0
                fates = ({NO: 1.0}, {NO: 1.0})
                if self.tests_leaders:
                    fates = fate(la, fell, wiped, True), fate(ld, not fell, False, True)
                for (xa, qa), (xd, qd) in product(fates[0].items(), fates[1].items()):
                    out[new, within, fell, counter or placed, xa, xd] += wa * wd * p * qa * qd
        return dict(out)

    def settle(self, stack, inside, breach, mine, theirs, drouted, arouted):
        size, within = thirds(stack), thirds(inside)
        less = 0
        if size < 24:
            less = (size <= 18) + (size <= 12) + (0 if stack[0] + stack[1] else 2)
        mine = max(0, mine - less)
        p, reform = self.period, self.a.get("turkish_reform", "none")
        early = p in ("I", "II", "III")
        if stack[0] and (
            (self.country == "poland" and p in ("I", "II"))
            or (self.country in ("russia", "russia-reformed") and early)
            or (self.country == "turkey-janissary" and early and reform in ("none", "m-1b"))
        ):
            mine += 2
        row = cell("fortress_resistance", fortress_level=self.level, breach=int(breach))
        resistance = 3 * int(row["round"]) + int(row["third"])
        lost = min(theirs, self.opt.get("assault_cap_factor", 2) * resistance + within) + (2 if arouted else 0)
        near = (lambda n: 3 * int(n / 3 + 0.5)) if self.europe else (lambda n: n)
        lost = min(size, near(lost))
        fell = lost < size and (drouted or mine - within >= resistance)
        new = take(stack, lost, self.best)
        if fell:
            return new, (0, 0, 0, 0), True, 0
        return new, take(inside, min(within, near(mine))), False, int(mine >= 3)


def look_both(besieger, key, breach, drm, tech):
    out = defaultdict(float)
    for die in range(1, 11):
        row = cell(
            "assault_result", besieger=besieger, fire=int(key == "fire"), breach=breach,
            modified_die=min(12, max(3, die + drm)),
        )  # fmt: skip
        loss, stars = 3 * int(row["round_loss"]) + int(row["third_loss"]), int(row["morale_loss"])
        if besieger and key == "fire":
            if tech == "medieval":
                loss = stars = 0
            if tech == "renaissance":
                loss = 0
            if tech == "arquebus":
                loss //= 2
        out[loss, stars] += 0.1
    return out


@lru_cache
def europe_row(size, die):
    for row in sheet("attrition_land_europe"):
        high = int(row["max_size_exclusive"] or 999)
        if int(row["modified_die"]) == die and int(row["min_size"]) <= size < high:
            return int(row["loss"] or 0), int(row["pillage"] or 0)
    return 0, 0


@lru_cache
def percent(size, die):
    """{thirds left: p}."""
    rate = int(cell("attrition_other_percent", modified_die=die)["loss_percent"])
    if rate in (0, 100):
        return {size if rate == 0 else 0: 1.0}
    out = {0: 1.0}
    for part in (size // 3 * 3, size % 3):
        if part:
            row = cell("attrition_remainders", size_thirds=part, loss_percent=rate)
            left = int(row["left_thirds"])
            faces = {left: 1.0}
            if int(row["half_chance_one_more_third"]):
                faces = defaultdict(float)
                faces[left] += 0.5
                faces[max(0, left - 1)] += 0.5
            new = defaultdict(float)
            for (x, p), (y, q) in product(out.items(), faces.items()):
                new[x + y] += p * q
            out = new
    return dict(out)


NO = ("", 0)


def segment(place, state, action, on_breach):
    """{(state, how, log, fate a, fate d): p}; state = stack, inside, works, breach, counter, pillages, first, bad.

    `on_breach` is assault, wait, or a function that values what may follow.
    """
    out = defaultdict(float)
    versions = place.viziers()
    for version in versions:
        for end, p in one_segment(version, state, action, on_breach).items():
            out[end] += p / len(versions)
    return out


def one_segment(place, state, action, on_breach):
    stack, inside, works, breach, counter, pillages, first, bad = state
    out = defaultdict(float)
    small = thirds(stack) < 3 * place.level
    starts = {(stack, pillages): 1.0}
    rolled = False
    if small or not place.c.get("supply_line", True):
        starts, rolled = place.hunger(stack, pillages, bad), True
    for (stack, pillages), p in starts.items():
        log = ("attrition",) if rolled else ()
        if thirds(stack) == 0:
            out[(stack, inside, works, breach, counter, pillages, first, bad), "", log, NO, NO] += p
            continue
        act = action
        if act == "undermine" and rolled:
            act = place.pol.get("too_small", "redeploy")
        if act == "redeploy":
            out[(stack, inside, (0, 0), 0, 0, pillages, first, bad), "redeployed", log, NO, NO] += p
        elif act == "assault":
            for (s, i, fell, cnt, fa, fd), q in place.assault(stack, inside, False, counter).items():
                close(place, out, (s, i, works, breach, cnt, pillages, first, bad), fell, log, fa, fd, p * q, False)
        else:
            dig(place, out, (stack, inside, works, breach, counter, pillages, first, bad), on_breach, log, p)
    return out


def dig(place, out, state, on_breach, log, p):
    stack, inside, works, breach, counter, pillages, first, bad = state
    for die in range(1, 11):
        both = place.opt.get("assault_and_breach", "greater") == "sum"
        value = die - place.level + place.bonus(stack) - place.malus()
        value += counter + 2 * breach if both else max(counter, 2 * breach)
        value += works[0] + 3 * works[1] - place.sd + place.sa
        value += 3 if inside[0] + inside[1] else 1 if thirds(inside) else 0
        supply = die + (4 if first else 0) - (2 if place.c.get("continued_siege") else 0) - place.sd
        supply -= thirds(inside) // 3
        hungry = supply < place.c.get("supply_distance", 2)
        new, broken, how = list(works), breach, ""
        if value >= 13:
            how = "surrender"
        elif value == 12 and place.pol.get("war_honours", "grant") == "grant":
            how = "honours"
        elif value >= 10:
            broken = 1
        elif value >= 7:
            new[1] += 1
        elif value >= 4:
            new[0] += 1
        if new[0] == 2:
            new = [0, new[1] + 1]
        while sum(new) > 2:
            new[0 if new[0] else 1] -= 1
        now = (stack, inside, tuple(new), broken, counter, pillages, first, bad)
        if value >= 10 and not how:
            storm, waits = defaultdict(float), defaultdict(float)
            for (s, i, fell, cnt, fa, fd), q in place.assault(stack, inside, True, counter).items():
                after = (s, i, tuple(new), 1, cnt, pillages, first, bad)
                close(place, storm, after, fell, log, fa, fd, q, hungry)
            late(place, waits, now, "", log, NO, NO, 1.0, hungry)
            if not callable(on_breach):
                taken = storm if on_breach == "assault" else waits
            else:
                taken = storm if on_breach(storm) >= on_breach(waits) - 1e-12 else waits
            for end, q in taken.items():
                out[end] += p * q / 10
        elif how:
            fallen(place, out, now, how, log, NO, NO, p / 10, hungry)
        else:
            late(place, out, now, "", log, NO, NO, p / 10, hungry)


def close(place, out, state, fell, log, fa, fd, p, hungry):
    log = (*log, "assaulted")
    if fell:
        fallen(place, out, state, "assault", log, fa, fd, p, hungry)
    else:
        late(place, out, state, "", log, fa, fd, p, hungry)


def fallen(place, out, state, how, log, fa, fd, p, hungry):
    stack = state[0]
    if place.pol.get("garrison") == "garrison" and thirds(stack) >= 3:
        how, stack = how + "+garrison", take(stack, 3, place.best)
    late(place, out, (stack, *state[1:]), how, log, fa, fd, p, hungry)


def late(place, out, state, how, log, fa, fd, p, hungry):
    if not hungry or thirds(state[0]) == 0:
        out[state, how, log, fa, fd] += p
        return
    for (stack, pillages), q in place.hunger(state[0], state[5], state[7]).items():
        out[(stack, *state[1:5], pillages, *state[6:]), how, (*log, "attrition"), fa, fd] += p * q


def first_state(place):
    c = place.c
    return (
        troops(place.a), troops(place.d), (c.get("siegeworks_minus", 0), c.get("siegeworks_plus", 0)),
        int(c.get("breach_counter", False)), int(c.get("assault_counter", False)), c.get("pillages", 0),
        c.get("first_round", True), c.get("bad_weather", False),
    )  # fmt: skip


def row_of(place, state, how):
    stack, inside, works, breach, counter, pillages, _, _ = state
    garrison = how.endswith("+garrison")
    how = how.removesuffix("+garrison")
    fell = how in ("surrender", "honours", "assault")
    level = place.level
    if fell:
        level = level - (1 if garrison else 2)
        level = max(level, 1 if place.europe or place.c.get("city") else 0)
    gone = thirds(stack) == 0 and not fell
    clear = fell or how == "redeployed"
    return {
        "winner": "attacker" if fell else "defender" if gone or how == "redeployed" else "nobody",
        "fallen": fell,
        "fell_by_assault": how == "assault",
        "fell_by_surrender": how == "surrender",
        "fell_by_war_honours": how == "honours",
        "redeployed": how == "redeployed",
        "attacker_destroyed": gone,
        "breach_counter": bool(breach) and not clear,
        "assault_counter": bool(counter) and not clear,
        "attacker_left_thirds": thirds(stack),
        "garrison_left_thirds": thirds(inside) + 3 if how == "honours" else 0 if fell else thirds(inside),
        "fortress_level_after": level,
        "siegeworks_value": 0 if clear else works[0] + 3 * works[1],
        "pillages": pillages,
    }


def siege(scenario):
    place, out = Place(scenario), defaultdict(float)
    action = place.pol.get("action", "undermine")
    ends = segment(place, first_state(place), action, place.pol.get("breach", "assault"))
    leader = place.ld[0][1]
    for (state, how, log, fa, fd), p in ends.items():
        row = row_of(place, state, how)
        row["assaulted"], row["attrition"] = "assaulted" in log, "attrition" in log
        for name, fated in (("attacker", fa), ("defender", fd)):
            for what in ("killed", "wounded", "captured"):
                row[f"{name}_leader_{what}"] = fated[0] == what
            row[f"{name}_leader_wound_rounds"] = fated[1]
        if leader.get("given"):
            row["defender_leader_captured"] |= (
                row["fell_by_surrender"]
                or (row["fell_by_assault"] and not row["defender_leader_killed"])
                or (row["fell_by_war_honours"] and leader["type"] == "king")
            )
        out[tuple(sorted(row.items()))] += p
    return out
