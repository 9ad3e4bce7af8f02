"""A slow, obvious Risk: every throw written out, rounds by recursion. Shares no code with the package's rules."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product


def naive_round(
    a,
    d,
    *,
    sides=(6, 6),
    highest=(0, 0),
    lowest=(0, 0),
    every=(0, 0),
    bonus=(0, 0),
    commanders=(0, 0),
    commander_sides=8,
    clamp=False,
    resort=False,
    ties="defender",
):
    """Chances of (own losses, enemy losses) with hands of a and d dice."""
    dice = []
    for i, size in enumerate((a, d)):
        dice.append(
            [commander_sides] * min(commanders[i], size) + [sides[i]] * (size - min(commanders[i], size) + bonus[i])
        )
    tally, total = Counter(), 0
    for throw in product(*(range(1, s + 1) for s in dice[0] + dice[1])):
        hands = []
        for i, (size, thrown) in enumerate(((a, throw[: len(dice[0])]), (d, throw[len(dice[0]) :]))):
            hand = sorted(thrown, reverse=True)[:size]
            hand = [x + every[i] for x in hand]
            hand[0] += highest[i]
            hand[-1] += lowest[i]
            if clamp:
                hand = [max(1, min(x, max(dice[i]))) for x in hand]
            hands.append(sorted(hand, reverse=True) if resort else hand)
        own = enemy = 0
        for mine, theirs in zip(*hands, strict=False):
            if mine > theirs or (mine == theirs and ties in ("attacker", "both")):
                enemy += 1
            if mine < theirs or (mine == theirs and ties in ("defender", "both")):
                own += 1
        tally[own, enemy] += 1
        total += 1
    return {losses: Fraction(ways, total) for losses, ways in tally.items()}


def naive_fight(own, enemy, stop=lambda own, enemy, rounds: False, most=(3, 2), **dice):
    """Chances of (own left, enemy left, rounds) of one fight; not for settings where nobody may lose."""
    rolled = cache(lambda a, d: naive_round(a, d, **dice))
    ends, running = Counter(), {(own, enemy, 0): Fraction(1)}
    while running:
        following = Counter()
        for (mine, theirs, rounds), p in running.items():
            if mine == 0 or theirs == 0 or stop(mine, theirs, rounds):
                ends[mine, theirs, rounds] += p
                continue
            for (lost, killed), q in rolled(min(mine, most[0]), min(theirs, most[1])).items():
                following[mine - lost, theirs - killed, rounds + 1] += p * q
        running = following
    return ends


def naive_path(regiments, path, left_behind=1, **dice):
    """Chances of (regiments alive, territories captured, defenders left in the last one fought for)."""
    ends, running = Counter(), {(regiments, 0): Fraction(1)}
    for captured, defenders in enumerate(path):
        following = Counter()
        for (alive, garrisons), p in running.items():
            force = alive - garrisons
            if force <= 0:
                ends[alive, captured, defenders] += p
                continue
            for (mine, theirs, _), q in naive_fight(force, defenders, **dice).items():
                if mine > 0 and theirs == 0:
                    following[mine + garrisons, garrisons + min(left_behind, mine)] += p * q
                else:
                    ends[mine + garrisons, captured, theirs] += p * q
        running = following
    for (alive, _), p in running.items():
        ends[alive, len(path), 0] += p
    return ends
