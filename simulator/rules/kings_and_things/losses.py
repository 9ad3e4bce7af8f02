"""Results of hits in each condition: one by a fixed order, or all between which the owner chooses.

docs/rules/kings_and_things.md sections 3.3 and 3.3 a.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simulator.rules.kings_and_things.forces import Catalogue, Forces
from simulator.rules.kings_and_things.rules import STEPS
from simulator.rules.toolkit.policies import refuse

MOST_WAYS = 10_000_000


def falls(forces: Forces) -> tuple[np.ndarray, np.ndarray]:
    """`FALLS` of each condition (int64, shape (conditions, steps, width, 2)), and `Params.ways` (int64).

    The conditions after 0, 1, ... hits in each step, and the hits spent before a die must be rolled. The width is the
    largest number of hits with an effect on any side; more hits count as the last.
    """
    strongest = [int((one.dice.sum(axis=2) + (one.aimed > 0)).max(initial=0)) + 1 for one in forces.catalogues]
    sizes, waits = np.diff(forces.base), forces.each(lambda one: one.column("die")) > 0
    hit = forces.led("hit")
    most = np.repeat([sum(strongest) - own for own in strongest], sizes)[:, None]
    now = np.repeat(np.arange(len(hit))[:, None], STEPS, axis=1)
    after, spent = [now], [np.zeros_like(now)]
    while True:
        following = np.where(waits[now] | (most < len(after)), now, hit[now, np.arange(STEPS)])
        if (following == now).all():
            break
        spent.append(spent[-1] + ~waits[now])
        after.append(following)
        now = following
    found, ways = np.stack([np.stack(after, axis=2), np.stack(spent, axis=2)], axis=3), [0]
    for first, one in zip(forces.base, forces.catalogues, strict=False):
        for step, chosen in enumerate(one.chosen):
            steps = slice(None) if len(one.chosen) == 1 else step
            for number, hits, results in _choices(one, chosen, found.shape[2]):
                fixed = int(found[first + number, step, hits, 0])
                found[first + number, steps, hits, 1] = -len(ways)
                ways += [len(results), fixed, *(other for at in results if (other := first + at) != fixed)]
                many = "best: too many ways to take hits; give fewer people, or name a policy"
                refuse(len(ways) > MOST_WAYS, f"policy.{one.army.band.name}.losses", many)
    return found, np.array(ways, np.int64)


def _choices(one: Catalogue, chosen: dict[int, list[int]], width: int) -> Iterator[tuple[int, int, list[int]]]:
    """Each condition and number of hits with several results, and these results.

    Slots stand in the weakest-first order behind the structures: the result that keeps the last slot comes first.
    """
    if not chosen:
        return
    place = np.empty(len(one), np.int64)
    place[np.lexsort((np.arange(len(one)), *one.left.T))[::-1]] = np.arange(len(one))
    turn = place.tolist().__getitem__
    for number in chosen:
        results = {number}
        for hits in range(1, width):
            following = set[int]().union(*(chosen[at] for at in results))
            if following == results:
                break
            results = following
            if len(results) > 1:
                yield number, hits, sorted(results, key=turn)
