import random
from collections import Counter, defaultdict
from functools import cache
from itertools import permutations

import pytest

from simulator import exact, load
from tests.kings_and_things.reference import expand, means
from tests.kings_and_things.scenarios import random_battle

KINDS = [("land", seed) for seed in range(100, 150)] + [("free-for-all", seed) for seed in range(100, 115)]


@pytest.mark.parametrize(("kind", "seed"), KINDS)
def test_random_battles_as_the_slow_reference_has_them(kind, seed):
    scenario = random_battle(random.Random(f"{kind} {seed}"), kind)
    odds = exact(load(scenario))
    for key, value in means(scenario).items():
        found = odds.winner(key[2:]) if key.startswith("p.") else odds.mean(key)
        assert found == pytest.approx(value, abs=1e-9), (key, scenario)


CUP = ["2 x 1", "3R", "4C", "village", "city", "income:1", "income:2", "loot", "2 x nothing"]


def sorted_out(drawn):
    """Creatures, settlement kept, any loot: section 7, 2, written out."""
    creatures = sorted(text for text in drawn if text[0].isdigit())
    values = [(int(text[7:]), 0, text) for text in drawn if text.startswith("income")]
    values += [({"village": 1, "city": 2}[text], 1, text) for text in drawn if text in ("village", "city")]
    kept = max(values, default=(0, 0, None))[2]
    loot = "loot" in drawn or kept is not None
    return tuple(creatures), kept if kept in ("village", "city") else None, loot


@cache
def means_against(own, creatures, settlement):
    land = {"attacker": {"creatures": own}, "defender": {"creatures": creatures, "settlement": settlement or "none"}}
    return means(land | {"conditions": {"unexplored": True}})


@pytest.mark.parametrize(
    ("roll", "lone", "more"),
    [*((roll, lone, []) for roll in (0, 2, 3) for lone in (True, False)), (2, True, ["Warlord", "1"])],
)
def test_exploration_as_all_draws_one_by_one(roll, lone, more):
    attacker = {"creatures": ["3", "2R", *more]}
    chances = defaultdict(float)
    for size in [roll] if roll else [2, 3, 4, 5]:
        draws = Counter(sorted_out(drawn) for drawn in permutations(list(expand(CUP)), size))
        for draw, ways in draws.items():
            chances[draw] += ways / sum(draws.values()) / (1 if roll else 6)
    expected = defaultdict(float)
    free = 0.0 if roll else 1 / 3
    for (creatures, settlement, loot), p in chances.items():
        if not creatures and not (settlement and lone):
            free += p
            continue
        cost = sum(int(text[0]) for text in creatures) + {None: 0, "village": 1, "city": 2}[settlement]
        expected["bribe_cost"] += p * cost * (2 if loot else 1)
        expected["defenders_drawn"] += p * (len(creatures) + bool(settlement))
        for key, value in means_against(tuple(attacker["creatures"]), creatures, settlement).items():
            if not key.startswith(("fort", "income")):
                expected[key] += p * value
    expected["p.attacker"] += free
    expected["explored_without_fight"] = free
    expected["attacker_creatures_left"] += (4 if more else 2) * free
    expected["attacker_value_left"] += (11 if more else 5) * free
    scenario = {
        "game": "kings-and-things",
        "battle": "exploration",
        "attacker": attacker,
        "conditions": {"cup": CUP, "exploration_roll": roll},
        "options": {"lone_settlement_defends": lone},
    }
    odds = exact(load(scenario))
    for key, value in expected.items():
        found = odds.winner(key[2:]) if key.startswith("p.") else odds.mean(key)
        assert found == pytest.approx(value, abs=1e-9), key
