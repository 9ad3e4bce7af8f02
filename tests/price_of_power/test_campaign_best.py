"""Campaigns decided as well as possible, against a program of ships and infantry that shares no code with the rules."""

from collections import defaultdict
from functools import cache
from itertools import product

import pytest

from simulator import best, exact, load
from simulator.analysis.decisions.policy_numbers import units_of
from tests.vectors import Z_LIMIT, largest_z

# Faces of the artillery die to ships, and of the infantry die to infantry (0) and cavalry (1).
FACES = ("0", "0", "0", "tercios", "blank", "blank")
LAND_FACES = ("0", "0", "0", "1", "blank", "blank")
ATTACKER = {"win": 0.3, "value_taken": 0.4, "attacker_units_left": 0.11, "attacker_ships_left": 0.07}
DEFENDER = {"win": 0.5, "defender_units_left": 0.2, "defender_ships_left": 0.15, "attacker_ships_left": -0.05}


@cache
def rolls(faces):
    """Chances of (icons of the first type, of the second, tercios) of three dice."""
    found = defaultdict(float)
    for thrown in product(faces, repeat=3):
        found[thrown.count("0"), thrown.count("1"), thrown.count("tercios")] += 1 / 6**3
    return found


def without(units, hits):
    """The ways to lose this many of the units of one or two types."""
    hits = min(hits, sum(units))
    if len(units) == 1:
        return [(units[0] - hits,)]
    return [(units[0] - n, units[1] + n - hits) for n in range(hits + 1) if units[0] >= n and units[1] >= hits - n]


def battle(own, enemy, faces, worth, decides):
    """Values to both sides of a battle: `worth(winner, own, enemy, captured)` of its ends; units are given by type.

    The attacker picks the units that he loses. After a round he decides, then the defender, each with two units; who
    leaves pays one. A side that stayed stays until something changes; after the first round it is asked in any case.
    """

    @cache
    def end_of_round(own, enemy, tercios, sunk):
        if not sum(own) or not sum(enemy):
            winner = "attacker" if sum(own) else "defender" if sum(enemy) else "nobody"
            return worth(winner, own, enemy, min(tercios, sunk) if sum(own) else 0)
        stays = after_stay(own, enemy)
        paid = without(own, 1) if decides[0] and sum(own) >= 2 else []
        leaves = max((worth("defender", left, enemy, 0) for left in paid), default=None)
        return leaves if leaves and leaves[0] > stays[0] + 1e-12 else stays

    def after_stay(own, enemy):
        stays = value(own, enemy)
        leaves = worth("attacker", own, (sum(enemy) - 1,), 0) if decides[1] and sum(enemy) >= 2 else None
        return leaves if leaves and leaves[1] > stays[1] + 1e-12 else stays

    def after_roll(own, enemy):
        """The chance that nothing changes, and the sum over all other results."""
        same, total = 0.0, [0.0, 0.0]
        for ((*shown, tercios), p), ((*shown_back, _), q) in product(rolls(faces).items(), rolls(faces).items()):
            hits = min(sum(map(min, own, shown)), sum(enemy))
            back = min(sum(map(min, enemy, shown_back)), sum(own))
            if not hits and not back:
                same += p * q
                continue
            ways = (end_of_round(left, (sum(enemy) - hits,), tercios, hits) for left in without(own, back))
            after = max(ways, key=lambda values: values[0])
            total = [total[i] + p * q * after[i] for i in range(2)]
        return same, total

    @cache
    def value(own, enemy):
        same, total = after_roll(own, enemy)
        return tuple(one / (1 - same) for one in total)

    same, total = after_roll(own, enemy)
    again = end_of_round(own, enemy, 0, 0)
    return tuple(total[i] + same * again[i] for i in range(2))


def campaign(ships, army, their_ships, their_army, decides, port=0, chooses=False):
    """The values to both sides of a campaign for a small province and a large one, one siege action.

    `army`: infantry and cavalry, of which infantry lands first, or with `chooses` whoever is best. `port`: light ships
    in the port of the large province.
    """

    def worth(**columns):
        own = {"win": columns["winner"] == "attacker", **columns}
        theirs = {"win": columns["winner"] == "defender", **columns}
        return tuple(
            sum(weight * side[name] for name, weight in weights.items())
            for side, weights in ((own, ATTACKER), (theirs, DEFENDER))
        )

    def at_sea(winner, own, enemy, captured):
        if winner != "attacker":
            left = {"attacker_units_left": sum(army), "defender_units_left": their_army}
            fleets = {"attacker_ships_left": own[0], "defender_ships_left": enemy[0] + port}
            return worth(winner=winner, value_taken=0, **fleets, **left)
        room = 3 * (own[0] + captured)
        infantry = min(army[0], room)
        usual = infantry, min(army[1], room - infantry)
        every = product(*(range(number + 1) for number in army)) if chooses else [usual]
        ways = [ashore(units, own[0], captured, enemy[0]) for units in every if 1 <= sum(units) <= room]
        return max(ways, key=lambda values: values[0])

    @cache
    def ashore(landed, ships_left, captured, their_ships_left):
        def on_land(winner, own, enemy, _):
            strength = own[0] + own[1] // 2
            value = min(strength, 3) if winner == "attacker" else 0

            def after_port(_, afloat, in_port, __):
                return worth(
                    winner=winner,
                    value_taken=value,
                    attacker_ships_left=afloat[0], defender_ships_left=their_ships_left + in_port[0],
                    attacker_units_left=sum(own) + sum(army) - sum(landed), defender_units_left=enemy[0],
                )  # fmt: skip

            if value < 2 or not port:
                return after_port("", (ships_left,), (port,), 0)
            return battle((ships_left + captured,), (port,), FACES, after_port, decides[0])

        return battle(landed, (their_army,), LAND_FACES, on_land, decides[1])

    return battle((ships,), (their_ships,), FACES, at_sea, decides[0])


def scenario(ships, army, their_ships, their_army, decides, port=0, chooses=False):
    """The same campaign as a scenario; `decides`: for sea and land, whether attacker and defender may leave."""
    found = {
        "game": "price-of-power", "battle": "campaign",
        "attacker": {"fleet": {"light": ships}, "army": {"infantry": army[0], "cavalry": army[1]}},
        "defender": {
            "fleet": {"light": their_ships}, "army": {"infantry": their_army},
            "provinces": [{"size": "large"}, {"size": "small"}],
        },
        "policy": {
            side: {
                part: {"retreat": "best" if decides[at][which] else "never"}
                for at, part in enumerate(("fleet", "army"))
            }
            for which, side in enumerate(("attacker", "defender"))
        },
        "objective": {"attacker": ATTACKER, "defender": DEFENDER},
    }  # fmt: skip
    found["policy"]["attacker"]["landing"] = "best" if chooses else "infantry-first"
    if port:
        found["defender"] |= {"port_fleet": {"light": port}}
        found["defender"]["provinces"][0] |= {"port_fleet": True}
    if army[1]:
        found["policy"]["attacker"]["army"]["losses"] = "best"
    return found


CASES = [
    (3, (6, 0), 2, 4, ((True, True), (True, True))),
    (2, (5, 0), 2, 3, ((True, False), (True, False))),
    (2, (6, 0), 3, 5, ((True, False), (False, True))),
    (2, (4, 0), 2, 2, ((False, False), (False, True))),
    (2, (3, 2), 1, 3, ((True, False), (True, True))),
    (2, (2, 2), 2, 3, ((False, True), (False, True))),
    (2, (3, 2), 1, 3, ((True, False), (True, True)), 0, True),
    (2, (4, 0), 1, 2, ((True, False), (True, False)), 2),
    (2, (2, 2), 1, 2, ((False, True), (False, True)), 1, True),
]


@pytest.mark.parametrize("case", CASES)
def test_sea_and_land_are_one_game(case):
    found = best(scenario(*case))
    wanted = campaign(*case)
    assert found.value["attacker"] == pytest.approx(wanted[0], abs=1e-10)
    assert found.value["defender"] == pytest.approx(wanted[1], abs=1e-10)


def test_simulated_campaigns_follow_the_best_decisions():
    assert largest_z(load(scenario(*CASES[1])), battles=20_000) < Z_LIMIT


def test_no_fixed_policy_is_better():
    asked = load(scenario(2, (3, 0), 2, 2, ((True, False), (True, False))))
    found = best(asked)
    for part, policy in product(("fleet", "army"), ("never", "when-half", "when-outnumbered")):
        fixed = asked.replace(f"policy.attacker.{part}.retreat", policy)
        assert found.value["attacker"] > best(fixed).value["attacker"] - 1e-12
    rows = found.rows()
    assert {row["decision"] for row in rows} == {f"policy.attacker.{part}.retreat" for part in ("fleet", "army")}
    assert {row["choice"] for row in rows} <= {"stay", "leave"}
    assert all(0 <= row["reached"] <= 1 for row in rows)
    assert units_of(asked, "attacker") == 3  # the numbers of at-or-below that `gains` tries


AIMS = {
    "attacker": {"win": 1, "attacker_ducats_lost": -0.03},
    "defender": {"win": 1, "defender_ducats_lost": -0.02, "attacker_ducats_lost": 0.01},
}
ALONE = [
    ("fleet", {"galleys": 1, "heavy": 2, "damaged": 1}, {"light": 2, "heavy": 1}, {"losses": "best"}, {}),
    ("fleet", {"light": 2, "heavy": 1}, {"galleys": 2, "light": 1}, {"losses": "heavy-first"}, {"retreat": "best"}),
    ("army", {"infantry": 2, "artillery": 1, "allied_cavalry": 1}, {"infantry": 3}, {"losses": "best"}, {}),
    (
        "army", {"infantry": 2, "cavalry": 1, "battle_actions": [{"infantry": 2, "when": "best"}]},
        {"factions": [{"infantry": 1, "cavalry": 1}, {"kind": "npr", "infantry": 1}]}, {}, {"losses": "best"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("part", "own", "enemy", "policy", "their_policy"), ALONE)
def test_a_campaign_of_one_battle_is_that_battle(part, own, enemy, policy, their_policy):
    """Without a second enemy, and without provinces, the columns of a campaign are those of its one battle."""
    frame = {"game": "price-of-power", "objective": AIMS}
    both = {"attacker": policy, "defender": their_policy}
    alone = frame | {"battle": {"fleet": "naval", "army": "land"}[part], "attacker": own, "defender": enemy}
    campaign = frame | {"battle": "campaign", "attacker": {"army": {"infantry": 1}} | {part: own}}
    campaign |= {"defender": {part: enemy}, "policy": {side: {part: given} for side, given in both.items()}}
    found, wanted = exact(campaign), exact(alone | {"policy": both})
    kind = "ships" if part == "fleet" else "units"
    for name in ("attacker_ducats_lost", "defender_ducats_lost", f"attacker_{kind}_left", f"defender_{kind}_left"):
        assert found.mean(name) == pytest.approx(wanted.mean(name), abs=1e-10), name
    assert found.winner("attacker") == pytest.approx(wanted.winner("attacker"), abs=1e-10)


def test_the_best_policy_has_the_same_columns_at_sea_and_on_land():
    campaign = {
        "game": "price-of-power", "battle": "campaign", "objective": AIMS,
        "attacker": {
            "fleet": {"galleys": 1, "heavy": 1},
            "army": {"infantry": 2, "battle_actions": [{"name": "charge", "cavalry": 2, "when": "best"}]},
        },
        "defender": {"fleet": {"light": 1}, "army": {"infantry": 2}},
        "policy": {"attacker": {"fleet": {"losses": "best"}}},
    }  # fmt: skip
    rows = best(campaign).rows()
    assert {row["decision"] for row in rows} == {"policy.attacker.fleet.losses", "attacker.army.battle_actions"}
    assert len({tuple(row) for row in rows}) == 1
    assert {row["hand"] for row in rows} == {"", "charge"}
