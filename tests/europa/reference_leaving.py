"""When to leave a naval battle, worked out backwards over every die face by the slow rules of reference_naval.py."""

from functools import cache

from tests.europa import reference_naval as ref

NAMES = ("attacker", "defender")


def values(scenario, worth):
    """The worth of a battle to both sides whose policies `best` are decided; worth(row) gives that of an end."""
    c, o = scenario.get("conditions", {}), scenario.get("options", {})
    sides = tuple(ref.Ref(scenario[name], scenario, name) for name in NAMES)
    out = [0.0, 0.0]
    for pa, *own in sides[0].leaders():
        for pd, *enemy in sides[1].leaders():
            for pw, wind in ref.winds(*sides, own[0], enemy[0], c.get("wind", "roll")):
                for i, value in enumerate(Position(sides, (own, enemy), wind, c, o, worth).roll(0, (0, 0), (0, 0))):
                    out[i] += pa * pd * pw * value
    return out


class Position:
    """A battle with these leaders and this wind; every method gives the worth to both sides from there on."""

    def __init__(self, sides, leaders, wind, c, o, worth):
        self.sides, self.leaders, self.wind, self.c, self.o, self.worth = sides, leaders, wind, c, o, worth
        self.morale, self.fixed, self.results = ref.prepared(sides, leaders, wind, c, o)
        self.first = 0 if c.get("interception") else 1
        self.roll, self.over = cache(self.roll), cache(self.over)

    def over(self, suffered, stars, rolls, winner, left=None, broke=None):
        end = suffered, stars, rolls, winner, left, broke
        rows = ref.aftermath(self.sides, self.leaders, self.morale, self.wind, end, self.c, self.o)
        return mean((p, self.worth(row)) for p, row in rows)

    def roll(self, n, suffered, stars, failed=(0, 0)):
        drms = [ref.drm(self.fixed, i, n, stars, failed) for i in (0, 1)]
        return mean(
            (pa * pd, self.after(n + 1, (suffered[0] + xd, suffered[1] + xa), (stars[0] + sd, stars[1] + sa), failed))
            for pa, xa, sa in self.results(0, n, drms[0])
            for pd, xd, sd in self.results(1, n, drms[1])
        )

    def left(self, stars):
        return [max(0, self.morale[i] - stars[i]) for i in (0, 1)]

    def after(self, rolls, suffered, stars, failed):
        left = self.left(stars)
        if 0 in left:
            return self.over(suffered, stars, rolls, 2 if left == [0, 0] else 1 if left[0] == 0 else 0)

        def stay():
            if rolls == 2:
                return self.breaking((self.first, 1 - self.first), suffered, stars, failed)
            if rolls == 4:
                return self.over(suffered, stars, 4, 2 if left[0] == left[1] else 0 if left[0] > left[1] else 1)
            return self.roll(rolls, suffered, stars, failed)

        if rolls % 2 == 0 or self.wind == 2:
            return stay()
        away = lambda: self.over(suffered, stars, rolls, 1 - self.wind, self.wind)  # noqa: E731
        return self.decided(self.wind, "leave_with_wind", left, stay, away)

    def breaking(self, asked, suffered, stars, failed):
        if not asked:
            return self.roll(2, suffered, stars, failed)
        i, rest = asked[0], asked[1:]
        left = self.left(stars)
        target = 10 if self.o.get("break_off_at_sea") == "automatic" else min(10, self.leaders[i][0] + left[i])

        def attempt():
            fails = tuple(1 if k == i else failed[k] for k in (0, 1))
            away = self.over(suffered, stars, 2, 1 - i, None, i)
            stays = self.breaking(rest, suffered, stars, fails) if target < 10 else away
            return mean([(target / 10, away), (1 - target / 10, stays)])

        stay = lambda: self.breaking(rest, suffered, stars, failed)  # noqa: E731
        return self.decided(i, "break_off", left, stay, attempt, target == 10)

    def decided(self, side, policy, left, stay, leave, sure=False):
        name = self.sides[side].policy.get(policy, "never")
        if name != "best":
            return leave() if ref.wants(name, left[side], left[1 - side], sure) else stay()
        stays, leaves = stay(), leave()
        return leaves if leaves[side] > stays[side] + 1e-12 else stays


def mean(ways):
    """The mean of the worths to both sides."""
    out = [0.0, 0.0]
    for p, both in ways:
        out = [out[i] + p * both[i] for i in (0, 1)]
    return out
