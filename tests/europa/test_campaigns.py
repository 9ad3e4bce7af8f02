import json

import numpy as np
import pytest

from simulator import ScenarioError, by_round, campaign, exact, load
from simulator.analysis.odds import run as analysis_run
from simulator.analysis.odds.stages import Shared
from simulator.cli import run
from simulator.engine.api import exact_outcomes, outcomes_from
from simulator.rules.battle import Outcomes
from simulator.rules.campaign import carry_of
from simulator.rules.campaign.carry import Carry
from simulator.rules.europa.carry import CARRY
from simulator.rules.europa.passages.text import build_passage, build_passages
from simulator.rules.europa.siege.battle import RECENT
from simulator.rules.toolkit.merging import merge
from simulator.scenarios import draft
from tests.europa.scenarios import CAMPAIGNS, LAND
from tests.europa.scenarios import campaign as siege_campaign

FIXED = CAMPAIGNS["fixed rounds"]
# Besiegers who fight otherwise while they have an ARMY+.
ELITE = {"force.french.country": "poland", "force.french.technology": "renaissance", "every.conditions.period": "I"}


def test_the_curve_rises_to_the_chance_to_fall_at_all():
    curve = by_round(FIXED).table
    assert list(curve.index) == [1, 2, 3]
    assert curve["p"].is_monotonic_increasing
    assert curve["p"].iloc[-1] == pytest.approx(exact(FIXED).p("fallen"))
    one_round = exact(FIXED | {"conditions": {"rounds": 1, "supply_distance": 7}})
    assert curve["p"].iloc[0] == pytest.approx(one_round.p("fallen"))


def test_a_garrison_that_is_certain_to_starve_does():
    """Of two rounds the second begins with attrition that no die spares the only detachment inside."""
    odds = exact(
        siege_campaign(
            {"land_detachments": 1, "leader": {"siege": 8}},
            {"land_detachments": 1, "leader": "none"},
            conditions={"rounds": 2},
            policy={"attacker": {"plan": "assault-at-once"}},
        )
    )
    assert odds.mean("garrison_left_thirds") == pytest.approx(2.448, abs=1e-12)


def test_simulated_curves_have_bounds():
    curve, true = by_round(FIXED, battles=100_000, seed=1).table, by_round(FIXED).table
    assert ((curve["low"] <= curve["p"]) & (curve["p"] <= curve["high"])).all()
    assert (abs(curve["p"] - true["p"]) < 0.01).all()


def test_all_plans_side_by_side(tmp_path):
    plans = by_round(FIXED, all_plans=True)
    assert len(plans.table.columns) == 5
    for plan in plans.table.columns:
        alone = exact(FIXED | {"policy": {"attacker": {"plan": plan, "pillage": "lose-detachment"}}})
        assert plans.table[plan].iloc[-1] == pytest.approx(alone.p("fallen"))
    plans.plot(path=tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 1000


def test_other_kinds_have_no_rounds():
    with pytest.raises(ScenarioError, match=r"europa land has no rounds to ask for; must be one of .*siege-campaign"):
        by_round(LAND["smallest"])


def test_command(capsys, tmp_path):
    csv = tmp_path / "plans.csv"
    assert run(["campaign", "europa-yorktown-1781", "--all-plans", "--json", "--csv", str(csv)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert len(answer["how"]) == 5
    assert csv.read_text().startswith("round,undermine-until-breach,")
    assert run(["campaign", "europa-yorktown-1781"]) == 0
    assert "%" in capsys.readouterr().out
    assert run(["campaign", "europa-blenheim-1704"]) == 2
    assert capsys.readouterr().err.startswith("battle: ")


@pytest.mark.parametrize(
    "begins",
    [
        {"siegeworks_plus": 1, "breach_counter": True, "assault_counter": True},
        {"assault_counter": False},
        {"assault_counter": True, "pillages": 3},
    ],
    ids=str,
)
def test_a_siege_has_the_same_chances_whatever_siege_was_asked_before(begins):
    # Sieges that begin otherwise share their tables (`siege.battle.RECENT`).
    siege = draft("campaign-siege-and-relief").with_fields({"fortress.breda.assault_counter": True})
    begun = siege.with_fields({f"fortress.breda.{name}": value for name, value in begins.items()})
    RECENT.clear()
    alone = exact(begun.checked()).winner("attacker")
    RECENT.clear()
    other = exact(siege.checked()).winner("attacker")
    assert exact(begun.checked()).winner("attacker") == pytest.approx(alone, abs=1e-12)
    assert abs(alone - other) > 1e-6


@pytest.mark.parametrize(
    ("changed", "fewer"),
    [
        ({}, 0.8),
        ({"force.french.tercios": True, "force.french.technology": "renaissance"}, 1),
        ({**ELITE, "force.french.losses": "keep-most-armies"}, 1),
        ({**ELITE, "force.french.losses": "regroup"}, 1),
        ({**ELITE, "fight[2].defender": {"fortress": "breda", "relief": {"army_minus": 1, "round": 1}}}, 1),
        ({"fight[2].conditions.supply_line": False, "force.french.army_plus": 1}, 1),
        ({"every.conditions.region": "rotw", "force.french.army_plus": 1}, 1),
    ],
    ids=str,
)
def test_sieges_that_begin_otherwise_are_solved_in_one_graph(changed, fewer, monkeypatch):
    """Two rounds of a siege and a battle leave some hundred states of the fortress and the besieger, from which two
    more rounds begin.
    """
    monkeypatch.setattr(analysis_run, "COMMON", Shared())  # nothing of earlier answers
    siege = draft("campaign-siege-and-relief").with_fields(changed).checked()
    together = exact(siege)
    monkeypatch.setattr(analysis_run, "COMMON", Shared())
    monkeypatch.setattr(CARRY, "containing", Carry.containing)
    alone = exact(siege)
    assert together.explored < fewer * alone.explored
    assert together.p("s1_won or s2_won") == pytest.approx(alone.p("s1_won or s2_won"), abs=1e-12)
    for column in ("breda_garrison_thirds", "breda_siege_rounds", "french_thirds_left", "french_army_minus_left"):
        assert together.mean(column) == pytest.approx(alone.mean(column), abs=1e-11)


@pytest.mark.parametrize("relief", [None, {"army_minus": 1, "round": 1, "sortie": True}], ids=str)
def test_a_garrison_has_the_same_chances_whatever_garrison_was_asked_before(relief, monkeypatch):
    """Garrisons that differ in nothing that a siege reads share its ends (`Carry.what_is_read`)."""
    garrisons = [{"technology": name} for name in ("medieval", "renaissance", "arquebus", "baroque")]
    garrisons += [{"technology": "renaissance", "tercios": True}, {"country": "england"}]
    garrisons += [{"leader": "replacement"}, {"leader": "replacement", "country": "turkey"}]
    assault = {"fight[2].policy.attacker.plan": "assault-at-once"}
    assault |= {"fight[2].defender": {"fortress": "breda", "relief": relief}} if relief else {}
    sieges = [
        draft("campaign-siege-and-relief").with_fields(
            assault | {f"fortress.breda.{name}": value for name, value in fields.items()}
        )
        for fields in ({}, *garrisons)
    ]
    found = [exact(siege.checked()).winner("attacker") for siege in sieges]
    for siege, chance in zip(sieges, found, strict=True):
        monkeypatch.setattr(analysis_run, "COMMON", Shared())
        RECENT.clear()
        assert exact(siege.checked()).winner("attacker") == pytest.approx(chance, abs=1e-12)
    assert len({round(chance, 6) for chance in found}) == 7  # baroque and England are the first again


def test_a_besieger_whose_tables_are_not_made_has_a_chain_of_its_own():
    carry = carry_of("europa")
    troops = np.zeros((4, len(carry.slots)), np.int64)
    troops[:, :4] = [(0, 1, 0, 0), (2, 0, 0, 0), (1, 1, 1, 0), (1, 1, 0, 2)]  # the last lacks a third of a LD
    kind, tables = "siege-campaign", [({}, {}), ({}, {})]
    assert carry.containing(kind, {}, tables, [troops, np.zeros_like(troops)]) == [1, 1, 1, 3]


def test_the_simulated_chance_of_the_end_has_its_interval():
    found = by_round(FIXED, battles=1000, seed=2)
    last = found.curve()[-1]
    low, high = (f"{100 * last[name]:.2f}" for name in ("low", "high"))
    assert f" in about {100 * last['p']:.2f} % ({low} to {high}) of battles" in found.headline
    assert "about" not in by_round(FIXED).headline
    plans = by_round(FIXED, all_plans=True, battles=1000, seed=2).headline
    assert plans.count("about ") == 2


def fleet_of_bahia(**attacker):
    """A small fleet that meets an interceptor, with these fields of it changed."""
    small = {"warships": 3, "transports": 1, "army_plus": 0, "army_minus": 1} | attacker
    changes = {f"attacker.{name}": value for name, value in small.items()}
    return draft("europa-bahia-1625").with_fields(changes | {"defender.interceptors[0].warships": 2}).checked()


def test_passages_of_fleets_with_other_ships_and_troops_are_one_battle():
    """Each begins in a state of its own; the ends from there are those of the passage alone."""
    changes = [{}, {"warships": 4}, {"transports": 2, "land_detachments": 1}, {"exploration_ships": 2}]
    changes += [{"transports": 2, "exploration_detachments": 2}, {"galleys": 0, "galleasses": 0}]
    fleets = [fleet_of_bahia(**fields).fields for fields in changes]
    together = build_passages(fleets)
    starts = np.array([built.chain.start for built in together])
    assert len(np.unique(starts, axis=0)) == len(fleets) - 1
    ends = outcomes_from(together[0].chain, starts)
    for number, fields in enumerate(fleets):
        alone = build_passage(fields)
        own = exact_outcomes(alone.chain)
        chosen = ends.start == number
        found = together[number].outcome(type(ends.states)(*(field[chosen] for field in ends.states)))
        shared, single = (
            merge(Outcomes(c, p)) for c, p in ((found, ends.p[chosen]), (alone.outcome(own.states), own.p))
        )
        np.testing.assert_allclose(shared.p, single.p, rtol=0, atol=1e-14)
        for name, values in single.columns.items():
            np.testing.assert_array_equal(values, shared.columns[name], name)


@pytest.mark.parametrize("losses", ["keep-best-army", "regroup"])
def test_a_campaign_of_passages_has_the_chances_of_separate_passages(losses, monkeypatch):
    """The troops of the first passage come to the second as other counters, which take other room aboard."""
    second = fleet_of_bahia(transports=2, land_detachments=3, army_minus=0)
    turn = campaign(fleet_of_bahia(), second).data
    turn = load(turn | {"force": {"attacker": turn["force"]["attacker"] | {"losses": losses}}})
    monkeypatch.setattr(analysis_run, "COMMON", Shared())  # nothing of earlier answers
    together = exact(turn)
    monkeypatch.setattr(analysis_run, "COMMON", Shared())
    monkeypatch.setattr(CARRY, "containing", Carry.containing)
    alone = exact(turn)
    assert together.explored < 0.5 * alone.explored
    assert len(list(together.rows())) == len(list(alone.rows()))
    for column in (name for name in together.columns if name.endswith(("left", "lost", "won"))):
        assert together.mean(column) == pytest.approx(alone.mean(column), abs=1e-12)
