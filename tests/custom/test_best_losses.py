"""Losses chosen as well as possible where a hit does more damage, and where dice are compared, against every choice."""

from functools import cache
from itertools import product

import pytest

from simulator import ScenarioError, exact, replay
from tests.custom.reference_format2 import compared

pytestmark = pytest.mark.xdist_group("custom")  # its rules are compiled once, by one worker
BOTH = {"attacker": {"loss_order": "best"}, "defender": {"loss_order": "best"}}


def asked(units, step, armies, order, policy=BOTH, **battle):
    rules = {"format": 2, "name": "Best", "unit": units, "battle": {"field": battle}}
    rules |= {"step": [{"name": "fire"} | step], "losses": {"order": order}}
    return {"game": "custom", "battle": "field", "rules": rules, "policy": policy} | dict(
        zip(("attacker", "defender"), armies, strict=True)
    )


def best_of_both(rolls, choices, ended, rounds=None):
    """The attacker's chance to win: `rolls(a, d)` gives (hits on the defender, hits on the attacker, chance)."""

    @cache
    def value(a, d, left):
        if not any(a) or not any(d) or left == 0:
            return ended(a, d)
        total = 0.0
        for (mine, options), p in rolls(a, d):
            after = [answer(a, e, left, options) for e in choices(d, mine)]
            total += p * min(after)
        return total

    def answer(a, e, left, options):
        after = left and left - 1
        return sum(q * max(value(b, e, after) for b in choices(a, theirs)) for theirs, q in options)

    return lambda a, d: value(a, d, rounds)


FOOT, LORD = {"cost": 1, "combat": {"bonus": 0}}, {"cost": 2, "combat": {"bonus": 2}}


def all_kept(army, hits):
    """All (foot, lords) that can be left after this number of hits of one point each."""
    foot, lords = army
    hits = min(hits, foot + lords)
    return [(foot - n, lords - hits + n) for n in range(hits + 1) if n <= foot and hits - n <= lords]


def test_compared_dice():
    def rolls(a, d):
        dice = [tuple(([2] * lords + [0] * foot)[:most]) for (foot, lords), most in ((a, 3), (d, 2))]
        both = compared(*[tuple((bonus, 6) for bonus in side) for side in dice], 2, "defender")
        return [((mine, ((theirs, 1.0),)), float(p)) for (mine, theirs), p in both.items()]

    found = best_of_both(rolls, all_kept, lambda a, d: float(any(a)))((3, 2), (2, 1))
    step = {"compare": {"pairs": 2, "most": {"attacker": 3, "defender": 2}, "ties": "defender"}}
    armies = {"foot": 3, "lord": 2}, {"foot": 2, "lord": 1}
    units = {"foot": FOOT, "lord": LORD}
    scenario = asked(units, step, armies, ["lord", "foot"])
    assert exact(scenario).winner("attacker") == pytest.approx(found, abs=1e-12)
    assert exact(scenario | {"policy": {}}).winner("attacker") < found - 1e-3
    assert "Nobody is left" in replay(scenario, seed=1, battle=0).lines[-1]


@pytest.mark.parametrize("split", [False, True])
def test_hits_of_two_damage(split):
    """Foot of one point, tanks of three: a state is the number of foot, and the points of the tanks."""

    def choices(army, hits):
        found = {army}
        for _ in range(hits * (2 if split else 1)):
            found = {after for foot, points in found for after in one_hit(foot, points)} or {(0, 0)}
        return list(found)

    def one_hit(foot, points):
        if foot:
            yield foot - 1, points
        if points:
            yield foot, points - (1 if split else min(2, (points - 1) % 3 + 1))
        if not foot and not points:
            yield 0, 0

    def dice(army):
        return army[0] + -(-army[1] // 3)

    def chances(number):
        found = [0.0] * (number + 1)
        for faces in product((0, 1), repeat=number):
            found[sum(faces)] += 0.5**number
        return list(enumerate(found))

    def rolls(a, d):
        return [((mine, tuple(chances(dice(d)))), p) for mine, p in chances(dice(a))]

    ended = best_of_both(rolls, choices, lambda a, d: float(any(a) and not any(d)), rounds=3)
    combat = {"value": 3, "damage": 2, "split": split}
    units = {"foot": {"cost": 1, "combat": combat}, "tank": {"cost": 3, "hits": 3, "absorb": "last", "combat": combat}}
    armies = {"foot": 2, "tank": 1}, {"foot": 1, "tank": 1}
    scenario = asked(units, {}, armies, ["tank", "foot"], rounds=3)
    assert exact(scenario).winner("attacker") == pytest.approx(ended((2, 3), (1, 3)), abs=1e-12)


def test_steps_of_another_battle_do_not_matter():
    """Dice are aimed in the siege alone: there `best` is refused, in the field it decides as without that step."""
    units = {"foot": {"cost": 2, "combat": 1}, "guns": {"cost": 1, "combat": 3}}
    field = asked(units, {}, ({"foot": 2, "guns": 1}, {"foot": 2, "guns": 1}), ["guns", "foot"])
    field["rules"]["format"] = 3
    both = field | {"rules": field["rules"] | {"battle": {"field": {}, "siege": {}}}}
    both["rules"]["step"] = [
        {"name": "fire", "battle": ["field"]},
        {"name": "aim", "battle": ["siege"], "aim": "first"},
    ]
    won = exact(field).winner("attacker")
    assert exact(both).winner("attacker") == won != exact(both | {"policy": {}}).winner("attacker")
    with pytest.raises(ScenarioError, match=r"^policy.attacker.loss_order: best is not offered where dice are aimed"):
        exact(both | {"battle": "siege"})
