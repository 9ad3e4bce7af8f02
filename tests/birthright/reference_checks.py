"""Slow and obvious: quick battles and sieges as docs/rules/birthright.md sections 4 and 5 say, every pair of d20.

No code of the package.
"""

# ruff: noqa: PLR0917

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import product

from tests.birthright.reference import card, rows

TERRAIN = {(r["class"], r["terrain"], r["role"]): r for r in rows("terrain")}
RATIO = [[int(value) for value in row.values()] for row in rows("quick_ratio")]
RESULT = [[int(value) for value in row.values()] for row in rows("quick_result")]
SIEGE = [[int(value) for value in row.values()] for row in rows("siege")]
ROLLS = list(product(range(1, 21), repeat=2))


class Army:
    """Units of an army with the order in which their steps go."""

    def __init__(self, units, policy="weakest-first", warcraft=0, leader=0, heroes=(), turns=False):
        self.units = [card(entry["unit"]) | entry for entry in units for _ in range(entry.get("count", 1))]
        for hero in heroes:
            level, at_start = hero.get("level", 1), len(self.units)
            leader += {"warrior": level, "rogue": level // 4, "mage": level // 6, "priest": 0}[hero["class"]]
            leader += (5 if hero.get("strategy") else 0) + (at_start if hero.get("battlewise") else 0)
        self.turns = turns
        if policy != "as-listed":
            self.units.sort(key=lambda unit: unit["strength"])
        self.warcraft, self.leader = warcraft, leader
        self.line = []
        if policy == "spread":
            for taken in range(4):
                self.line += [i for i, unit in enumerate(self.units) if unit["hits"] + 1 > taken]
        else:
            for i, unit in enumerate(self.units):
                self.line += [i] * (unit["hits"] + 1)

    def left(self, lost):
        return [unit["hits"] + 1 - self.line[:lost].count(i) for i, unit in enumerate(self.units)]

    def alive(self, lost, test=lambda unit: True):
        return sum(test(unit) for unit, left in zip(self.units, self.left(lost), strict=True) if left)

    def horse(self, lost):
        return self.alive(lost, lambda unit: unit["type"] == "cavalry")

    def bare(self, lost):
        return sum(
            2 * u["strength"] * left // (u["hits"] + 1) for u, left in zip(self.units, self.left(lost), strict=True)
        )

    def gold(self, lost):
        return sum(unit["muster"] for unit, left in zip(self.units, self.left(lost), strict=True) if not left)

    def undead(self, lost):
        return self.alive(lost, lambda unit: unit.get("undead", False))

    def half_points(self, lost, terrain, role, enemy_horse, enemy_undead):
        total = 2 * enemy_undead if self.turns and lost < len(self.line) else 0
        for unit, left in zip(self.units, self.left(lost), strict=True):
            row = TERRAIN[unit["class"], terrain, role]
            if row["usable"] == "1":
                more = sum(unit.get(name, 0) for name in ("spells", "special", "spellcasting"))
                points = max(0, 2 * max(1, unit["strength"] + more) + int(2 * Fraction(row["modifier"])))
                total += points * left // (unit["hits"] + 1)
        if role == "defend" and terrain in ("plains", "hills", "mountain"):
            total += 2 * min(enemy_horse, self.alive(lost, lambda unit: unit["class"] == "pikemen"))
        return total + (2 * self.leader if lost < len(self.line) else 0)


def strengths(own, enemy, lost, terrain):
    return (
        own.half_points(lost[0], terrain, "attack", 0, enemy.undead(lost[1])),
        enemy.half_points(lost[1], terrain, "defend", own.horse(lost[0]), own.undead(lost[0])),
    )


def check(own, enemy, lost, terrain, walls=0, pursuit=True):
    """{(margin's sign, rout, attacker's steps lost in all, defender's): chance} of one check."""
    mine, theirs = strengths(own, enemy, lost, terrain)
    bonus = 0
    if mine != theirs:
        big, small = max(mine, theirs), min(mine, theirs)
        bonus = [m for strong, weak, m in RATIO if big * weak >= small * strong][-1]
    found = defaultdict(float)
    for a, d in ROLLS:
        margin = a + own.warcraft - d - enemy.warcraft - walls + (bonus if mine > theirs else -bonus)
        _, win, lose, rout, more = [row for row in RESULT if row[0] <= abs(margin)][-1]
        percent = [lose, win] if margin < 0 else [win, lose]
        if pursuit and rout and margin > 0 and own.horse(lost[0]):
            percent[1] = min(100, percent[1] + more)
        if pursuit and rout and margin < 0 and enemy.horse(lost[1]):
            percent[0] = min(100, percent[0] + more)
        gone = [
            n + (p * (len(army.line) - n) + 50) // 100 for army, n, p in zip((own, enemy), lost, percent, strict=True)
        ]
        found[(margin > 0) - (margin < 0), bool(rout and margin), *gone] += 1 / 400
    return found


def quick(own, enemy, terrain="plains", walls=0, mode="single", retreat=("never", "never"), turns=10):
    """{(winner, steps left of both, routed of both, turns): chance}."""
    found, now = defaultdict(float), {(0, 0): 1.0}
    for turn in range(1, turns + 1):
        then = defaultdict(float)
        for lost, p in now.items():
            for (sign, rout, a, d), q in check(own, enemy, lost, terrain, walls).items():
                ahead = {1: "attacker", -1: "defender", 0: "nobody"}[sign]
                winner = ahead if mode == "single" or rout else None
                left = len(own.line) - a, len(enemy.line) - d
                if winner is None and not all(left):
                    winner = "nobody" if not any(left) else "attacker" if left[0] else "defender"
                if winner is None:
                    power = strengths(own, enemy, (a, d), terrain)
                    for side in (1, 0) if sign > 0 else (0, 1):
                        steps = len((own, enemy)[side].line)
                        if winner is None and (
                            (retreat[side] == "half" and 2 * left[side] <= steps)
                            or (retreat[side] == "outmatched" and 2 * power[side] <= power[1 - side])
                        ):
                            winner = ("defender", "attacker")[side]
                if winner is None and turn == turns:
                    winner = "nobody"
                if winner is None:
                    then[a, d] += p * q
                else:
                    routed = (rout and sign < 0, rout and sign > 0)
                    found[winner, *left, *routed, turn] += p * q
        now = then
    return found


def reach(besieger, lost, reading, per_strength, rating):
    now = rating * besieger.bare(lost) // besieger.bare(0) if rating else per_strength * besieger.bare(lost) // 2
    if now == 0:
        return 0, 0
    if reading == "below":
        row = next((row for row in SIEGE if now < row[0]), SIEGE[-1])
    else:
        row = next((row for row in reversed(SIEGE) if row[0] <= now), (0, 0, 0))
    return row[1], row[2]


def siege(armies, level, seasons, plan, relief_on=0, storm_level=0, reading="below", per_strength=600, rating=0):
    """{(winner, seasons, level, steps left of besieger and garrison, relief came, storms): chance}."""
    besieger, garrison, relief = armies
    found = defaultdict(float)

    def can(lost):
        return reach(besieger, lost, reading, per_strength, rating)

    def end(p, winner, season, level, a, d, where, storms):
        found[winner, season, level, len(besieger.line) - a, len(garrison.line) - d, where != "away", storms] += p

    def season_of(p, season, level, a, d, r, where, storms):
        if can(a)[0] < level:
            return end(p, "defender", season - 1, level, a, d, where, storms)
        if where == "away" and relief_on:
            chance = (21 - relief_on) / 20
            relief_fights(p * chance, season, level, a, d, r, storms)
            return storm(p * (1 - chance), season, level, a, d, r, where, storms)
        if where == "here":
            return relief_fights(p, season, level, a, d, r, storms)
        return storm(p, season, level, a, d, r, where, storms)

    def relief_fights(p, season, level, a, d, r, storms):
        for (sign, _, r2, a2), q in check(relief, besieger, (r, a), "plains").items():
            if sign > 0 or (sign < 0 and can(a2)[0] < level):
                end(p * q, "defender", season, level, a2, d, "came", storms)
            elif sign < 0:
                storm(p * q, season, level, a2, d, r2, "gone", storms)
            else:
                following(p * q, season, level, a2, d, r2, "here", storms)

    def storm(p, season, level, a, d, r, where, storms):
        now = plan == "storm-now" or (plan == "storm-at-level" and level <= storm_level)
        if not (now or (plan == "storm-last-season" and season == seasons)):
            return fall(p, season, level, a, d, r, where, storms)
        for (sign, _, a2, d2), q in check(besieger, garrison, (a, d), "plains", min(10, level), False).items():
            empty = d < len(garrison.line) and d2 == len(garrison.line) and a2 < len(besieger.line)
            if sign > 0 or empty:
                end(p * q, "attacker", season, level, a2, d2, where, storms + 1)
            elif can(a2)[0] < level:
                end(p * q, "defender", season, level, a2, d2, where, storms + 1)
            else:
                fall(p * q, season, level, a2, d2, r, where, storms + 1)
        return None

    def fall(p, season, level, a, d, r, where, storms):
        lower = level - can(a)[1]
        if lower <= 0:
            return end(p, "attacker", season, 0, a, d, where, storms)
        return following(p, season, lower, a, d, r, where, storms)

    def following(p, season, level, a, d, r, where, storms):
        if season < seasons:
            return season_of(p, season + 1, level, a, d, r, where, storms)
        return end(p, "defender" if can(a)[0] < level else "nobody", season, level, a, d, where, storms)

    season_of(1.0, 1, level, 0, 0, 0, "away", 0)
    return found


def best_quick(own, enemy, worth, retreat, terrain="plains", walls=0, turns=10):
    """Both sides' worths in fight-on, by looking at everything that may follow (sections 4 and 11).

    `worth(winner, steps lost of both, turns)` is that of an end to both sides; `retreat` as in `quick`, or "best".
    """
    ended = cache(worth)

    @cache
    def value(lost, turn):
        total = [0.0, 0.0]
        for (sign, rout, a, d), p in check(own, enemy, lost, terrain, walls).items():
            gone = a, d
            left = [len(army.line) - n for army, n in zip((own, enemy), gone, strict=True)]
            if rout:
                worths = ended("attacker" if sign > 0 else "defender", gone, turn)
            elif not all(left):
                worths = ended("nobody" if not any(left) else "attacker" if left[0] else "defender", gone, turn)
            else:
                order = (1, 0) if sign > 0 else (0, 1)
                worths = asked(order, left, gone, turn)
            total = [sum_ + p * one for sum_, one in zip(total, worths, strict=True)]
        return tuple(total)

    def asked(order, left, gone, turn):
        if not order:
            return value(gone, turn + 1) if turn < turns else ended("nobody", gone, turn)
        side, power = order[0], strengths(own, enemy, gone, terrain)
        stay = asked(order[1:], left, gone, turn)
        leave = ended(("defender", "attacker")[side], gone, turn)
        if retreat[side] == "best":
            return leave if leave[side] > stay[side] + 1e-12 else stay
        half = retreat[side] == "half" and 2 * left[side] <= len((own, enemy)[side].line)
        weak = retreat[side] == "outmatched" and 2 * power[side] <= power[1 - side]
        return leave if half or weak else stay

    return value((0, 0), 1)


def best_siege(armies, level, seasons, worth, relief_on=0, removes=2, reaches=20, plans=("wait", "storm", "leave")):
    """The besieger's worth if he storms, waits or withdraws as well as possible (sections 5 and 11).

    Whatever its rating, the besieger reaches level `reaches` while it has a step left, and removes so many a season.
    `worth(winner, season, steps lost of besieger and garrison, storms)` is that of an end.
    """
    besieger, garrison, relief = armies

    def able(a, level):
        return a < len(besieger.line) and level <= reaches

    @cache
    def season_of(season, level, a, d, r, where, storms):
        if not able(a, level):
            return worth("defender", season - 1, a, d, storms)
        if where == "away" and relief_on:
            chance = (21 - relief_on) / 20
            fought = relief_fights(season, level, a, d, r, storms)
            return chance * fought + (1 - chance) * chosen(season, level, a, d, r, where, storms)
        if where == "here":
            return relief_fights(season, level, a, d, r, storms)
        return chosen(season, level, a, d, r, where, storms)

    def relief_fights(season, level, a, d, r, storms):
        total = 0.0
        for (sign, _, r2, a2), p in check(relief, besieger, (r, a), "plains").items():
            if sign > 0 or (sign < 0 and not able(a2, level)):
                total += p * worth("defender", season, a2, d, storms)
            elif sign < 0:
                total += p * chosen(season, level, a2, d, r2, "gone", storms)
            else:
                total += p * following(season, level, a2, d, r2, "here", storms)
        return total

    def chosen(season, level, a, d, r, where, storms):
        at = season, level, a, d, r, where, storms
        return max(
            fall(*at) if plan == "wait" else storm(*at) if plan == "storm" else worth("defender", season, a, d, storms)
            for plan in plans
        )

    def storm(season, level, a, d, r, where, storms):
        total = 0.0
        for (sign, _, a2, d2), p in check(besieger, garrison, (a, d), "plains", min(10, level), False).items():
            if sign > 0 or (d < len(garrison.line) == d2 and a2 < len(besieger.line)):
                total += p * worth("attacker", season, a2, d2, storms + 1)
            elif not able(a2, level):
                total += p * worth("defender", season, a2, d2, storms + 1)
            else:
                total += p * fall(season, level, a2, d2, r, where, storms + 1)
        return total

    def fall(season, level, a, d, r, where, storms):
        if level <= removes:
            return worth("attacker", season, a, d, storms)
        return following(season, level - removes, a, d, r, where, storms)

    def following(season, level, a, d, r, where, storms):
        if season < seasons:
            return season_of(season + 1, level, a, d, r, where, storms)
        return worth("nobody" if able(a, level) else "defender", season, a, d, storms)

    return season_of(1, level, 0, 0, 0, "away", 0)
