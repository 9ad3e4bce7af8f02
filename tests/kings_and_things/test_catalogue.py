"""Sides that nothing but hits can befall: all that they can come to is worked out at once, and must be the same."""

import numpy as np
import pytest

from simulator import load
from simulator.rules.kings_and_things.conditions import Condition
from simulator.rules.kings_and_things.forces import Catalogue, forces_of

KINDS = [f"{value}{symbol}" for value in range(7) for symbol in ("", "R", "M", "C")]


def army_with(creatures, losses="weakest-first"):
    scenario = {"game": "kings-and-things", "battle": "land", "options": {"stack_limit": 0}}
    scenario |= {"attacker": {"creatures": creatures}, "defender": {"fort": "keep"}}
    return forces_of(load(scenario | {"policy": {"attacker": {"losses": losses}}}).fields).catalogues[0].army


def followed(army, starts):
    """Conditions that follow one another as hits come, by step."""
    found, waiting = {}, [Condition(tuple(row)) for row in starts]
    while waiting:
        now = waiting.pop()
        if now.left not in found:
            hit = [army.hit(now, step) for step in range(3)]
            found[now.left] = [after.left for after in hit]
            waiting += hit
    return found


def answer(one):
    """The same, as a catalogue has it."""
    left = [c.left for c in one.conditions]
    return {now: [left[at] for at in after] for now, after in zip(left, one.led("hit").tolist(), strict=True)}


@pytest.mark.parametrize("losses", ["weakest-first", "keep-next-step-fighters"])
@pytest.mark.parametrize("how_many", [1, 3, 12])
def test_all_that_is_left_after_any_hits(how_many, losses):
    rng = np.random.default_rng(how_many)
    counts = zip(KINDS[:7], rng.integers(1, 9, 7), strict=True)
    army = army_with([f"{number} x {kind}" for kind, number in counts], losses)
    starts = rng.integers(0, 5, (how_many, len(army.slots)))
    one = Catalogue(army, starts, aimed_at=False, leaves=False)
    assert answer(one) == followed(army, starts.tolist())
    assert [one.conditions[number].left for number in one.starts] == list(map(tuple, starts.tolist()))
    assert (one.left == one.survived).all()
    assert not one.fled.any()
    assert not one.column("die").any()


def test_more_than_a_machine_word_can_tell_apart():
    army = army_with([f"9 x {kind}" for kind in KINDS])
    starts = np.array([[slot.number for slot in army.slots], [9] * len(army.slots)])
    assert 10 ** len(army.slots) > 2**63
    one = Catalogue(army, starts, aimed_at=False, leaves=False)
    assert answer(one) == followed(army, starts.tolist())


def test_nobody_is_left_as_nobody():
    army = army_with(["Goblins"])
    one = Catalogue(army, np.zeros((1, len(army.slots)), np.int64), aimed_at=False, leaves=False)
    assert answer(one) == {(0,) * len(army.slots): [(0,) * len(army.slots)] * 3}
