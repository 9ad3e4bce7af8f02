"""Campaigns: the vectors, a slow reference, and properties (docs/rules/campaigns.md section 10)."""

import json
from pathlib import Path

import numpy as np
import pytest

from simulator import best, exact, load, replay, rounds, simulate, sweep
from simulator.rules.toolkit.naming import plural
from simulator.scenarios import ScenarioError
from tests.campaigns.reference import Reference
from tests.vectors import read_vectors

ANSWERS, REFUSED = read_vectors(Path(__file__).parent / "vectors.json")


def cases(vectors):
    """These vectors as parameters."""
    return [pytest.param(one, id=one["name"]) for one in vectors]


RISK = {"game": "campaign", "of": "risk", "every": {"battle": "land"}}


def value(odds, asked):
    """The value that a vector names: p.<question or winner>, mean.<column>, dist.<column>."""
    kind, _, name = asked.partition(".")
    if kind == "mean":
        return odds.mean(name)
    if kind == "p":
        return odds.winner(name) if name in ("attacker", "defender", "nobody") else odds.p(name)
    found = odds.distribution_columns(name)
    return dict(zip(found["value"].tolist(), found["p"].tolist(), strict=True))


@pytest.mark.parametrize("case", cases(ANSWERS))
def test_vectors(case):
    odds = exact(case["scenario"])
    for asked, wanted in case["expect"].items():
        found = value(odds, asked)
        if isinstance(wanted, dict):
            found = {key: found.get(key, 0.0) for key in wanted} | {k: v for k, v in found.items() if v > 1e-9}
        assert found == pytest.approx(wanted, abs=case["tolerance"]), asked
    assert odds.chances.sum() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("case", cases(REFUSED))
def test_refused_vectors(case):
    with pytest.raises(ScenarioError) as refused:
        load(case["scenario"])
    assert str(refused.value).startswith(case["error"])


def risk(*fights, **more):
    return RISK | {"fight": list(fights)} | more


REFERENCES = {
    "garrisons and a retreat": risk(
        {"attacker": {"force": "red", "leave": {"regiments": 1}}, "defender": {"regiments": 2}},
        {"attacker": "green", "defender": {"force": "red", "driven_off": "stay"}, "if": "fight1_won"},
        {"attacker": {"force": "red", "join": {"regiments": 2}, "min_units": 3}, "defender": {"force": "green"}},
        force={"red": {"regiments": 5}, "green": {"regiments": 4}},
        us="red",
    ),
    "who stays, who is left to another": risk(
        {
            "attacker": {"force": "red", "stay": {"regiments": 2}, "leave": {"regiments": 2}, "leave_to": "guard"},
            "defender": "blue",
            "policy": {"attacker": {"retreat": "stop-below", "stop_below": 2}},
        },
        {"attacker": {"force": "blue", "join": {"regiments": 3}}, "defender": "guard"},
        {"attacker": "blue", "defender": "red", "if": "fight2_won or red_regiments_here < 2"},
        force={"red": {"regiments": 6}, "blue": {"regiments": 2}, "guard": {}},
        us=["red", "guard"],
    ),
    "a game file: the beaten join a second line": {
        "game": "campaign",
        "of": "axis-and-allies-1942",
        "every": {"battle": "land"},
        "force": {"red": {"infantry": 2, "tank": 2, "fighter": 1}, "one": {"infantry": 2}, "two": {"infantry": 1}},
        "us": "red",
        "fight": [
            {
                "attacker": {"force": "red", "driven_off": "stay"},
                "defender": {"force": "one", "driven_off": "two"},
                "policy": {"attacker": {"retreat": "after-rounds", "after_rounds": 1}},
            },
            {"attacker": {"force": "red", "stay": {"fighter": "all"}}, "defender": {"force": "two"}},
        ],
    },
}


@pytest.mark.parametrize("name", REFERENCES)
def test_equals_plain_recursion(name):
    scenario = REFERENCES[name]
    fighting = {"regiments"} if scenario["of"] == "risk" else {"infantry", "tank", "fighter"}
    reference, odds = Reference(scenario, fighting), exact(scenario)
    for at in range(len(scenario["fight"])):
        for winner in ("attacker", "defender", "nobody", "none"):
            found = odds.distribution_columns(f"fight{at + 1}_winner")
            chances = dict(zip(found["value"].tolist(), found["p"].tolist(), strict=True))
            assert chances.get(winner, 0.0) == pytest.approx(reference.chance(at, winner), abs=1e-12), (at, winner)
    for force in scenario["force"]:
        for piece in fighting:
            for zone in ("here", "out"):
                known = f"{force}_{piece}_{zone}"
                assert odds.mean(known) == pytest.approx(reference.mean(force, piece, zone), abs=1e-12), known


@pytest.mark.parametrize("side", ["attacker", "defender"])
def test_one_fight_equals_the_battle(side):
    battle = {"game": "risk", "battle": "land", "attacker": {"regiments": 6}, "defender": {"regiments": 5}}
    forces = {"red": battle["attacker"], "blue": battle["defender"]}
    campaign = risk({"attacker": "red", "defender": "blue"}, force=forces)
    alone, whole = exact(battle), exact(campaign)
    force = {"attacker": "red", "defender": "blue"}[side]
    assert whole.winner(side) == pytest.approx(alone.winner(side), abs=1e-12)
    assert whole.mean(f"{force}_regiments_left") == pytest.approx(alone.mean(f"{side}_regiments_left"), abs=1e-12)


@pytest.mark.parametrize(("us", "winner"), [("red", "defender"), (["green", "blue"], "attacker")])
def test_a_fight_between_two_forces_of_one_camp_is_won_by_that_camp(us, winner):
    forces = {"red": {"regiments": 1}, "green": {"regiments": 3}, "blue": {"regiments": 3}}
    found = exact(risk({"attacker": "green", "defender": "blue"}, force=forces, us=us))
    assert found.winner(winner) == pytest.approx(1, abs=1e-12)


def test_names_change_nothing():
    fights = ({"attacker": "{0}", "defender": "{1}"}, {"attacker": "{2}", "defender": "{1}", "if": "not fight1_won"})

    def named(*names):
        text = json.dumps(risk(*fights))
        for place, name in enumerate(names):
            text = text.replace(f"{{{place}}}", name)
        sizes = (7, 6, 5)
        forces = {name: {"regiments": n} for name, n in zip(names, sizes, strict=True)}
        return exact(json.loads(text) | {"force": forces})

    first, second = named("a", "b", "c"), named("zulu", "mike", "alpha")
    assert first.winner("attacker") == pytest.approx(second.winner("attacker"), abs=1e-12)
    assert first.mean("c_regiments_left") == pytest.approx(second.mean("alpha_regiments_left"), abs=1e-12)


def stopping(**decision):
    return risk(
        {"attacker": "red", "defender": {"regiments": 4}},
        {"attacker": {"force": "red"} | decision, "defender": {"regiments": 4}, "if": "fight1_won"},
        force={"red": {"regiments": 8}},
    )


def test_stop_rules_at_their_limits():
    always, none, certain = exact(stopping()), exact(stopping(min_odds=0.0)), exact(stopping(min_odds=1.0))
    assert none.p("fight2_won") == pytest.approx(always.p("fight2_won"), abs=1e-15)
    assert certain.p("fight2_fought") == 0
    assert certain.mean("red_regiments_left") > always.mean("red_regiments_left")


def test_best_is_never_worse_than_a_fixed_rule():
    objective = {"attacker": {"fight2_won": 3, "red_regiments_left": 1}}

    def worth(**decision):
        odds = exact(stopping(**decision) | {"objective": objective})
        return 3 * odds.p("fight2_won") + odds.mean("red_regiments_left")

    best = worth(go="best")
    for fixed in ({}, {"min_odds": 0.5}, {"min_odds": 1.0}, {"min_units": 5}, {"min_units": 10**9}):
        assert best >= worth(**fixed) - 1e-12, fixed


def test_the_best_choice_of_each_position():
    """Worked by hand: docs/rules/campaigns.md section 9 point 5."""
    found = best(next(case["scenario"] for case in ANSWERS if case["name"].startswith("best: one more")))
    chosen = {row["red"]: (row["choice"], row["advantage"]) for row in found.rows()}
    assert [chosen[plural(number, "regiment")][0] for number in (1, 2, 3, 4, 5)] == ["stop", "stop", "stop", "go", "go"]
    assert chosen["3 regiments"][1] == pytest.approx(0.008747, abs=1e-6)
    assert {gain.policy: gain.gain > 0 for gain in found.fixed} == {"always": True, "never": True}


def test_a_fight_may_be_left_to_the_best_decision():
    objective = {"attacker": {"fight2_won": 3, "red_regiments_left": 1}}
    asked = stopping() | {"objective": objective}
    left = best(asked, decide=["fight[1].attacker.go"])
    assert left.value["attacker"] == best(stopping(go="best") | {"objective": objective}).value["attacker"]


def test_sweeps_take_the_fields_of_forces_and_fights():
    table = sweep("campaign-two-fronts", {"force.south.regiments": [6, 8], "fight[1].attacker.min_units": [0, 7]}).table
    won = table["value"].tolist()
    assert won[2] == won[3] == pytest.approx(0.8736133898166253, abs=1e-9)
    assert won[1] == pytest.approx(0.4174948220906814, abs=1e-9)  # six are too few to attack


def test_a_fight_that_is_never_fought_changes_nothing():
    fights = [{"attacker": "red", "defender": "blue"}]
    forces = {"red": {"regiments": 5}, "blue": {"regiments": 4}}
    never = {
        "attacker": {"force": "red", "join": {"regiments": 9}},
        "defender": "blue",
        "if": "red_regiments_left > 99",
    }
    one, two = exact(risk(*fights, force=forces)), exact(risk(*fights, never, force=forces))
    for column in one.columns:
        if column != "winner" and one.kind_of(column) != "text":
            assert two.mean(column) == pytest.approx(one.mean(column), abs=1e-12), column


@pytest.mark.parametrize("case", ANSWERS[:6] + ANSWERS[11:13], ids=lambda case: case["name"])
def test_simulated_as_exact(case):
    answer, battles = exact(case["scenario"]), 40_000
    found = simulate(case["scenario"], battles, seed=5)
    assert found.battles == battles
    for question in ("winner == 'attacker'", "winner == 'defender'"):
        p = answer.p(question)
        z = (found.p(question) - p) / max(np.sqrt(p * (1 - p) / battles), 1e-9)
        assert abs(z) < 4.5, question


@pytest.mark.parametrize("threads", [2, 7])
def test_same_battles_whatever_the_threads(threads):
    one, more = (simulate("campaign-two-fronts", 5_000, seed=3, threads=n) for n in (1, threads))
    assert one.rows() == more.rows()


def test_a_replay_shows_a_counted_battle():
    odds = simulate("campaign-counter-attack", 20, seed=9)
    shown = [replay("campaign-counter-attack", seed=9, battle=number) for number in range(20)]
    for winner in ("attacker", "defender"):
        assert sum(one.outcome["winner"] == winner for one in shown) == round(20 * odds.winner(winner))
    assert shown[0].lines[0] == "attack:"
    left = sum(one.outcome["red_units_left"] for one in shown)
    assert left == pytest.approx(20 * odds.mean("red_units_left"))


def test_pieces_add_up():
    odds = exact("campaign-counter-attack")
    for force, start in {"red": 9, "blue": 5}.items():
        joined = 4 * odds.columns["counter_winner"].astype(str).__ne__("none") if force == "blue" else 0
        total = odds.columns[f"{force}_units_left"] + odds.columns[f"{force}_units_lost"]
        assert (total == start + joined).all()


def test_rounds_are_fights():
    scenario = next(case["scenario"] for case in ANSWERS if case["name"].startswith("example 2"))
    rows = rounds(scenario).rows()
    assert len(rows) == 3
    assert [row["over"] for row in rows] == pytest.approx([0, 0.4174948220906814, 1])
    assert [row["attacker"] for row in rows] == pytest.approx([0, 0.4174948220906814, 0.8736133898166253])
    assert rows[0]["nobody"] == 1
    assert rows[1]["mean.south_units_left"] == pytest.approx(8)
    assert rows[2]["mean.blue_units_left"] == pytest.approx(0.4385124716447328)


def power(kind, attacker, defender):
    return {"game": "price-of-power", "battle": kind, "attacker": attacker, "defender": defender}


@pytest.mark.parametrize(("kind", "seat"), [("land", "leader"), ("naval", "admiral")])
def test_ill_health_tokens_are_carried(kind, seat):
    """By every end of the first battle: the second with the tokens taken in it; with two nobody leads."""
    unit = {"land": "infantry", "naval": "light"}[kind]
    first, second, dice = {unit: 5, "leader": "none"}, {unit: 4, "leader": "none"}, {"infantry": 2}
    faces = ["tercios", "tercios", "infantry", "cavalry", "artillery"]
    expected, tokens, options = 0.0, set(), {"dice": {"infantry": faces}}
    for row in exact(power(kind, {unit: 7, "leader": dice}, first) | {"options": options}).rows():
        if row["winner"] == "attacker":
            tokens.add(wounds := row["attacker_leader_wounds"])
            general = "none" if wounds == 2 else dice | {"wounds": wounds}
            left = row[f"attacker_{unit}_left"] + row.get("attacker_captured", 0)
            after = power(kind, {unit: left, "leader": general}, second)
            expected += row["p"] * exact(after | {"options": options}).winner("attacker")
    assert tokens == {0, 1, 2}
    fights = [
        {"attacker": "us", "defender": name, "if": asked} for name, asked in (("a", "1 > 0"), ("b", "fight1_won"))
    ]
    forces = {"us": {unit: 7, seat: dice}, "a": {unit: 5}, "b": {unit: 4}}
    campaign = {"game": "campaign", "of": "price-of-power", "us": "us", "every": {"battle": kind, "options": options}}
    found = exact(campaign | {"force": forces, "fight": fights}).p("fight2_won")
    assert found == pytest.approx(expected, abs=1e-12)


def test_what_a_siege_takes_is_kept_unasked():
    siege = {"battle": "siege", "attacker": {"force": "us", "military_power": 3}, "defender": {"provinces": [{}, {}]}}
    campaign = {"game": "campaign", "of": "price-of-power", "force": {"us": {"infantry": 4}}, "fight": [siege]}
    odds = exact(campaign)
    assert (odds.mean("fight1_provinces_taken"), odds.p("fight1_all_taken"), odds.winner("attacker")) == (2, 1, 1)


def test_a_trait_given_in_a_fight_stands_over_that_of_the_force():
    """Counters are broken (docs/rules/campaigns.md 2.4, 5.4): an ARMY+ and ARMY- may become two ARMY-."""

    def armies(of_force, of_fight):
        french = {"country": "france", "army_plus": 1, "army_minus": 1, "leader": "none", "losses": of_force}
        spanish = {"country": "spain", "army_minus": 1, "leader": "none"}
        fight = {"battle": "land", "attacker": {"force": "french"} | of_fight, "defender": "spanish"}
        forces = {"french": french, "spanish": spanish}
        return exact({"game": "campaign", "of": "europa", "force": forces, "fight": [fight]}).mean(
            "french_army_minus_left"
        )

    in_the_fight = armies("keep-best-army", {"losses": "keep-most-armies"})
    assert in_the_fight == armies("keep-most-armies", {}) > 1


def test_companies_of_other_kinds_in_the_same_places_are_another_fight():
    # A process keeps the ends of fights; Birthright numbers companies as they are first written.
    asked = [(["archers"], ["infantry", "infantry"]), (["infantry"], ["archers", "archers"])]
    for ours, theirs in asked:
        sides = {"attacker": {"units": ours}, "defender": {"units": theirs}}
        fight = {"name": "attack", "battle": "quick-battle", "attacker": "us", "defender": "them"}
        forces = {"us": sides["attacker"], "them": sides["defender"]}
        odds = exact({"game": "campaign", "of": "birthright", "us": "us", "force": forces, "fight": [fight]})
        alone = exact({"game": "birthright", "battle": "quick-battle"} | sides)
        assert odds.p("attack_won") == pytest.approx(alone.winner("attacker"), abs=1e-9)
