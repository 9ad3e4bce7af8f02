"""Published and computed values of docs/rules/risk.md section 12, and battles against the slow reference."""

import pytest

from simulator import exact, load, rounds, simulate
from tests.risk.reference import naive_fight, naive_path
from tests.risk.scenarios import invasion, risk

NAVAL = [
    [0.416667, 0.106096, 0.027015, 0.006879],
    [0.754244, 0.362654, 0.206066, 0.091304],
    [0.916375, 0.655954, 0.470251, 0.314994],
    [0.971544, 0.785454, 0.641623, 0.476531],
]
BLOCKADE = [
    [0.277778, 0.038580, 0.005358, 0.000744],
    [0.578704, 0.235554, 0.097195, 0.036249],
    [0.786751, 0.489155, 0.286286, 0.156965],
    [0.892059, 0.643536, 0.447415, 0.283635],
]


@pytest.mark.parametrize(
    ("attackers", "defenders", "published", "digits"),
    [
        (1, 1, 0.416667, 6),
        (2, 1, 0.754244, 6),
        (3, 1, 0.916375, 6),
        (2, 2, 0.362654, 6),
        (10, 10, 0.5675928721351, 13),
        (20, 15, 0.8603989124152, 13),
        (9, 10, 0.4799352564776802, 14),
    ],
)
def test_published_land_odds(attackers, defenders, published, digits):
    assert exact(risk("land", attackers, defenders)).winner("attacker") == pytest.approx(
        published, abs=0.6 * 10**-digits
    )


def test_computed_means():
    odds = exact(risk("land", 10, 10))
    assert odds.mean("attacker_regiments_lost") == pytest.approx(7.307800, abs=1e-6)
    assert odds.mean("defender_regiments_lost") == pytest.approx(8.237047, abs=1e-6)


@pytest.mark.parametrize(("kind", "table"), [("naval", NAVAL), ("blockade-run", BLOCKADE)])
def test_sea_fights_to_the_end(kind, table):
    for own in range(1, 5):
        for enemy in range(1, 5):
            assert exact(risk(kind, own, enemy)).winner("attacker") == pytest.approx(
                table[own - 1][enemy - 1], abs=6e-7
            )


def test_paths():
    middle_d8 = {"regiments": [3, 2, 1], "die_sides": [6, 8, 6]}
    odds = exact(risk("land", 4, middle_d8))
    for territories, chance in ((1, 0.641622896456), (2, 0.158341864798), (3, 0.065073490139)):
        assert odds.p(f"territories_captured >= {territories}") == pytest.approx(chance, abs=1e-11)
    assert exact(risk("land", 16, middle_d8)).winner("attacker") == pytest.approx(0.953038445204, abs=1e-11)
    long = exact(risk("land", 30, {"regiments": [5, 3, 8, 2]}))
    assert long.winner("attacker") == pytest.approx(0.958928761514, abs=1e-11)
    assert long.mean("occupiers") == pytest.approx(12.582649, abs=1e-6)


def test_stopping_values():
    assert exact(risk("land", 11, 5)).winner("attacker") == pytest.approx(0.943, abs=6e-4)
    stopped = exact(risk("land", 11, 5, policy={"retreat": "stop-below", "stop_below": 8}))
    assert stopped.winner("attacker") == pytest.approx(0.507, abs=6e-4)
    worn = exact(risk("land", 6, 5, policy={"retreat": "wear-down", "wear_down_to": 2}))
    assert worn.p("defender_regiments_left <= 2") == pytest.approx(0.800, abs=6e-4)


def test_resort_is_not_always_better():
    assert exact(risk("amphibious", 20, 10)).winner("attacker") == pytest.approx(0.862977, abs=6e-7)
    assert exact(risk("amphibious", 20, 10, resort=True)).winner("attacker") == pytest.approx(0.861476, abs=6e-7)


def fights(odds):
    table = odds.table
    return {(row.attacker_regiments_left, row.defender_regiments_left, row.rounds): row.p for row in table.itertuples()}


@pytest.mark.parametrize(
    ("fields", "options", "naive"),
    [
        ({}, {}, {}),
        ({"modifier_highest": 1}, {}, {"highest": (1, 0)}),
        ({"modifier_all": -1, "bonus_dice": 1}, {}, {"every": (-1, 0), "bonus": (1, 0)}),
        ({"modifier_lowest": 2}, {"clamp": True}, {"lowest": (2, 0), "clamp": True}),
        ({"modifier_highest": -2}, {"resort": True}, {"highest": (-2, 0), "resort": True}),
        ({"commanders": 1}, {"commander_die_sides": 7}, {"commanders": (1, 0), "commander_sides": 7}),
        ({"die_sides": 4}, {"ties": "attacker"}, {"sides": (4, 6), "ties": "attacker"}),
        ({"dice": 2}, {"defence_dice": 3, "ties": "both"}, {"most": (2, 3), "ties": "both"}),
    ],
)
def test_one_fight_against_the_slow_reference(fields, options, naive):
    odds = exact(risk("land", {"regiments": 5, **fields}, 4, **options))
    expected = {key: float(p) for key, p in naive_fight(5, 4, **naive).items()}
    assert fights(odds) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("policy", "stop"),
    [
        ({"retreat": "stop-below", "stop_below": 3}, lambda own, enemy, rounds: own < 3),
        ({"retreat": "stop-when-outnumbered"}, lambda own, enemy, rounds: own < enemy),
        ({"retreat": "max-rounds", "max_rounds": 2}, lambda own, enemy, rounds: rounds >= 2),
        ({"retreat": "wear-down", "wear_down_to": 2}, lambda own, enemy, rounds: enemy <= 2),
        (
            {"retreat": ["stop-below", "max-rounds"], "stop_below": 4, "max_rounds": 4},
            lambda own, enemy, rounds: own < 4 or rounds >= 4,
        ),
    ],
)
def test_policies_against_the_slow_reference(policy, stop):
    odds = exact(risk("land", 6, 5, policy=policy))
    assert fights(odds) == pytest.approx({key: float(p) for key, p in naive_fight(6, 5, stop).items()}, abs=1e-12)


def test_stop_below_odds_against_the_slow_reference():
    def hopeless(own, enemy, rounds):
        return sum(p for (mine, theirs, _), p in naive_fight(own, enemy).items() if theirs == 0) < 0.5

    odds = exact(risk("land", 7, 6, policy={"retreat": "stop-below-odds", "min_odds": 0.5}))
    assert fights(odds) == pytest.approx({key: float(p) for key, p in naive_fight(7, 6, hopeless).items()}, abs=1e-12)


def test_stop_below_odds_on_a_path_asks_for_the_whole_path():
    policy = {"retreat": "stop-below-odds", "min_odds": 0.3}
    odds = exact(risk("land", 8, {"regiments": [3, 3]}, policy=policy))
    for row in odds.table.itertuples():
        if row.winner != "nobody":
            continue
        rest = [3, 3][row.territories_captured :]
        rest[0] = row.defender_regiments_left - sum(rest[1:])
        force = row.attacker_regiments_left - row.territories_captured
        assert exact(risk("land", force, {"regiments": rest})).winner("attacker") < 0.3
    assert 0 < odds.winner("nobody") < 1


@pytest.mark.parametrize("left_behind", [0, 1, 2])
def test_paths_against_the_slow_reference(left_behind):
    odds = exact(risk("land", 6, {"regiments": [2, 1, 2]}, left_behind=left_behind))
    expected = naive_path(6, [2, 1, 2], left_behind)
    found = {}
    for row in odds.table.itertuples():
        captured = row.territories_captured
        here = row.defender_regiments_left - sum([2, 1, 2][captured + 1 :])
        key = (row.attacker_regiments_left, captured, here)
        found[key] = found.get(key, 0) + row.p
    assert found == pytest.approx({key: float(p) for key, p in expected.items()}, abs=1e-12)


def test_an_invasion_without_crossings_is_an_amphibious_attack():
    landing, attack = exact(invasion((3, 9), [3, 2])), exact(risk("amphibious", 9, {"regiments": [3, 2]}))
    for column in ("attacker_regiments_lost", "territories_captured", "occupiers", "rounds"):
        assert landing.mean(column) == pytest.approx(attack.mean(column), abs=1e-12)
    assert landing.p("reached_shore") == pytest.approx(1, abs=1e-12)


def test_a_crossing_is_a_naval_fight():
    odds = exact(invasion((4, 20), 1, [{"fleets": 3}]))
    assert odds.p("reached_shore") == pytest.approx(exact(risk("naval", 4, 3)).winner("attacker"), abs=1e-12)


def test_the_break_out_never_changes_the_winner():
    without, with_port = invasion((3, 8), [2, 2]), invasion((3, 8), {"regiments": [2, 2], "port_fleets": 4})
    first, second = exact(without), exact(with_port)
    assert second.winner("attacker") == pytest.approx(first.winner("attacker"), abs=1e-12)
    assert second.mean("sea_rounds") > first.mean("sea_rounds") == 0


def test_fleets_in_port_are_lost_only_once_they_have_put_to_sea():
    by_round = rounds(invasion((2, 8), {"regiments": [2, 2], "port_fleets": 2}))
    lost = [row["mean.defender_fleets_lost"] for row in by_round.rows()]
    assert lost[:3] == [0, 0, 0]  # the first territory takes a round, the second another
    assert lost == sorted(lost)


def test_replays_are_the_battles_that_were_counted():
    from simulator import replay

    for scenario in (
        risk("land", 6, 5),
        invasion((3, 7), {"regiments": [2, 1], "port_fleets": 2}, [{"fleets": 2}, {"fleets": 1, "convoy": "defends"}]),
    ):
        counted = simulate(scenario, 150, seed=11)
        answer = {}
        for battle in range(150):
            key = tuple(replay(scenario, 11, battle).outcome.values())
            answer[key] = answer.get(key, 0) + 1
        rows = counted.table.drop(columns="p")
        assert answer == {tuple(row[:-1]): row[-1] for row in rows.itertuples(index=False)}


def test_a_replay_shows_dice_that_give_the_losses():
    from simulator import replay

    lines = replay(
        load({"game": "risk", "battle": "land", "attacker": {"regiments": 3}, "defender": {"regiments": 2}}), 4
    ).lines
    assert lines
    assert all(line.startswith("Round ") and " rolls " in line for line in lines)
