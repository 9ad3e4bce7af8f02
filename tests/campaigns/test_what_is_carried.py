"""Lost leaders, tokens, forts and single thirds go from fight to fight (docs/rules/campaigns.md section 5)."""

from collections import defaultdict

import pytest

from simulator import exact

TERCIOS = {"dice": {"infantry": ["tercios", "tercios", "infantry", "cavalry", "artillery"]}}
GENERAL = {"manoeuvre": 2, "fire": 4, "shock": 4}
FORCES = {
    "europa": {
        "us": {"country": "france", "land_detachments": 4, "leader": GENERAL, "leader_after": "none"},
        "a": {"country": "spain", "land_detachments": 3, "leader": "none"},
        "b": {"country": "spain", "land_detachments": 3, "leader": "none"},
    },
    "price-of-power": {
        "us": {"infantry": 7, "leader": {"infantry": 2}},
        "a": {"infantry": 5, "leader": "none"},
        "b": {"infantry": 4, "leader": "none"},
    },
    "kings-and-things": {
        "us": {"creatures": ["3", "2R"], "fort": "castle"},
        "a": {"creatures": ["3", "3"]},
        "b": {"creatures": ["4", "2"]},
    },
}
SENT = {
    "europa": {"land_detachments": "all"},
    "price-of-power": {"infantry": "all"},
    "kings-and-things": {"3": "all", "2R": "all"},
}


def two_battles(game, between=(), **second):
    """The chances that our side wins the second of two battles, that the enemy does, and that nobody does."""
    roles = ("defender", "attacker") if game == "kings-and-things" else ("attacker", "defender")
    every = {"battle": "land"} | ({"options": TERCIOS} if game == "price-of-power" else {})
    fights = [
        every | {"name": f"against_{enemy}"} | dict(zip(roles, ({"force": "us"} | more, enemy), strict=True))
        for enemy, more in (("a", {}), ("b", second))
    ]
    campaign = {"game": "campaign", "of": game, "us": "us", "force": FORCES[game]}
    odds = exact(campaign | {"fight": [fights[0], *between, fights[1]]})
    return [odds.p(f"against_b_winner == '{winner}'") for winner in (*roles, "nobody")]


@pytest.mark.parametrize("game", FORCES)
def test_all_who_are_sent_are_the_whole_force(game):
    """The leader lost in the first battle does not lead the second, nor is the fort forgotten."""
    assert two_battles(game, send=SENT[game]) == pytest.approx(two_battles(game), abs=1e-12)


def test_a_siege_heals_no_leader():
    """A siege of The Price of Power rolls nothing and leaves everything as it is, ill-health tokens too."""
    siege = {"name": "siege", "battle": "siege", "attacker": "us", "defender": {"provinces": [{}]}}
    assert two_battles("price-of-power", [siege]) == pytest.approx(two_battles("price-of-power"), abs=1e-12)


@pytest.mark.parametrize("ashore", [True, False])
def test_three_exploration_detachments_are_one_detachment(ashore):
    """Two stay and a detachment that loses a third leaves two more: by every end of the first battle."""
    kind, big, few = (
        ("land", "land_detachments", "exploration_detachments")
        if ashore
        else ("naval", "warships", "exploration_ships")
    )
    alone = {"game": "europa", "battle": kind, "conditions": {"region": "rotw"}}
    enemy, left = {big: 1, "leader": "none"}, defaultdict(float)
    for row in exact(alone | {"attacker": enemy, "defender": enemy}).rows():
        rest = row["attacker_left_thirds"] if ashore else 3 * row["attacker_warships_left"]
        left[rest + 2 + (0 if ashore else row["attacker_exploration_ships_left"])] += row["p"]
    expected = 0.0
    for thirds, p in left.items():
        rest = {name: number for name, number in zip((big, few), divmod(thirds, 3), strict=True) if number}
        expected += p * exact(alone | {"attacker": {"leader": "none"} | rest, "defender": enemy}).winner("attacker")
    assert {4, 5} <= left.keys()
    led = {"leader": "none"} if ashore else {"admiral": "none"}
    first = {"attacker": {"force": "us", "stay": {few: 2}, "driven_off": "stay"}, "defender": "a"}
    fights = [one | {"conditions": alone["conditions"]} for one in (first, {"attacker": "us", "defender": "b"})]
    forces = {"us": {big: 1, few: 2} | led, "a": {big: 1} | led, "b": {big: 1} | led}
    odds = exact(
        {
            "game": "campaign", "of": "europa", "us": "us", "every": {"battle": kind}, "force": forces, "fight": fights,
        }
    )  # fmt: skip
    assert odds.p("fight2_won") == pytest.approx(expected, abs=1e-12)
    assert odds.p(f"us_{few}_here < 3") == pytest.approx(1)
