"""Fortresses of a Europa campaign keep the state of their siege (docs/rules/campaigns.md section 5.4)."""

import pytest

from simulator import exact, load, simulate
from tests.campaigns.test_campaigns import value

FRENCH = {
    "country": "france", "technology": "musket", "army_plus": 2,
    "leader": {"manoeuvre": 3, "fire": 3, "shock": 3, "siege": 1},
}  # fmt: skip
BREDA = {"fortress_level": 2, "land_detachments": 1, "country": "spain", "leader": "none"}
SPANISH = {"country": "spain", "technology": "musket", "leader": "none"}


def besieged(*fights, fortress=None, **more):
    """A campaign of sieges of one fortress by the French."""
    listed = [{"name": f"s{at + 1}", "attacker": "french", "defender": "breda"} | one for at, one in enumerate(fights)]
    return {
        "game": "campaign", "of": "europa", "us": "french", "every": {"battle": "siege-campaign"},
        "force": {"french": FRENCH}, "fortress": {"breda": BREDA | (fortress or {})}, "fight": listed,
    } | more  # fmt: skip


def rounds(number, **conditions):
    return {"conditions": {"rounds": number} | conditions}


def whole(number, fortress, conditions, options):
    return {
        "game": "europa", "battle": "siege-campaign", "attacker": FRENCH, "defender": BREDA | fortress,
        "conditions": {"rounds": number} | conditions, "options": options,
    }  # fmt: skip


HUNGRY = {"supply_distance": 8}
CUTS = {
    **{f"level {level}": ((2, 2), {"fortress_level": level}, {}) for level in range(1, 6)},
    "one and three": ((1, 3), {}, {}),
    "three and one": ((3, 1), {"fortress_level": 3}, {}),
    "round by round": ((1, 1, 1, 1), {"fortress_level": 3}, {}),
    "in weak supply": ((2, 2), {"fortress_level": 3}, HUNGRY),
    "without a line": ((1, 2), {}, {"supply_line": False}),
    "without a line, storming": ((1, 2), {}, {"supply_line": False, "plan": "assault-at-once"}),
    "a port in a swamp, a storm, an army inside": (
        (1, 2),
        {"fortress_level": 4, "army_minus": 1},
        {"port": "open", "terrain": "swamp", "plan": "breach-then-storm"},
    ),
    "overseas": ((1, 2), {"fortress_level": 0, "land_detachments": 0}, {"region": "rotw"}),
}


@pytest.mark.parametrize("name", CUTS)
def test_a_siege_cut_in_parts_is_one_siege(name):
    parts, fortress, conditions = CUTS[name]
    plan = conditions.get("plan")
    conditions = {key: value for key, value in conditions.items() if key != "plan"}
    policy = {"policy": {"attacker": {"plan": plan}}} if plan else {}
    names = [f"s{at + 1}_won" for at in range(len(parts))]
    cut = exact(
        besieged(*(rounds(n, **conditions) | policy for n in parts), fortress=fortress, goal=" or ".join(names))
    )
    one = exact(whole(sum(parts), fortress, conditions, {}) | policy)
    assert cut.winner("attacker") == pytest.approx(one.p("fallen"), abs=1e-9)
    assert cut.p("breda_taken") == pytest.approx(one.p("fallen"), abs=1e-9)
    assert cut.p("breda_besieged") == pytest.approx(one.winner("nobody"), abs=1e-9)
    means = {
        "french_thirds_left": "attacker_left_thirds", "breda_level": "fortress_level_after",
        "breda_pillages": "pillages", "breda_siege_rounds": "rounds",
    }  # fmt: skip
    for of_campaign, of_siege in means.items():
        assert cut.mean(of_campaign) == pytest.approx(one.mean(of_siege), abs=1e-9), of_campaign
    goes_on = one.p("winner == 'nobody' and breach_counter")
    assert cut.p("breda_breach_counter") == pytest.approx(goes_on, abs=1e-9)
    goes_on = one.p("winner == 'nobody' and assault_counter")
    assert cut.p("breda_assault_counter") == pytest.approx(goes_on, abs=1e-9)


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
def test_segments_are_the_rounds_of_a_siege(level):
    """A segment has no supply segment, and its garrison suffers no attrition."""
    fortress = {"fortress_level": level}
    segments = besieged(*({"battle": "siege"} for _ in range(3)), fortress=fortress)
    one = exact(whole(3, fortress, {}, {"garrison_attrition": False}))
    assert exact(segments).p("breda_taken") == pytest.approx(one.p("fallen"), abs=1e-9)


@pytest.mark.parametrize("kind", ["siege", "siege-campaign"])
def test_one_fight_at_a_fortress_equals_the_unnamed_one(kind):
    state = {"siegeworks_plus": 1, "breach_counter": True, "pillages": 2, "first_round": False, "continued_siege": True}
    named = exact(besieged({"battle": kind}, fortress=state))
    unnamed = besieged({"battle": kind, "defender": BREDA, "conditions": state}, fortress={})
    found = exact(unnamed)
    for winner in ("attacker", "defender", "nobody"):
        assert named.winner(winner) == pytest.approx(found.winner(winner), abs=1e-12)
    assert named.mean("french_thirds_left") == pytest.approx(found.mean("french_thirds_left"), abs=1e-12)


def test_simulation_agrees_and_does_not_depend_on_threads():
    scenario = besieged(rounds(2), rounds(2), fortress={"fortress_level": 3}, goal="breda_taken")
    odds = [simulate(scenario, 20_000, seed=5, threads=threads) for threads in (1, 2)]
    low, high = odds[0].interval("breda_taken", level=0.9999)
    assert low < 0.8394712808755848 < high
    assert odds[0].winner("attacker") == odds[1].winner("attacker")


def test_a_fallen_fortress_is_besieged_no_more():
    """Three - and a 12: war honours in round 1; later fights are not fought, and nobody wins them."""
    odds = exact(besieged(rounds(1), rounds(1), rounds(1), fortress={"fortress_level": 1, "siegeworks_plus": 2}))
    assert odds.p("s2_winner == 'none'") == pytest.approx(odds.p("s1_won"), abs=1e-12)
    assert odds.p("s3_winner == 'none'") == pytest.approx(odds.p("s1_won or s2_won"), abs=1e-12)
    assert odds.p("breda_taken and breda_garrison_thirds > 0") == 0
    assert odds.p("breda_taken and breda_level != 1") == 0


STATE = {"siegeworks_plus": 2, "breach_counter": True, "assault_counter": True, "continued_siege": True, "pillages": 3}
FIELD = {"name": "field", "battle": "land", "attacker": "relief", "defender": "french"}


def test_a_relief_army_that_wins_lifts_the_siege():
    """Level and pillages stay, siegeworks and counters go; wherever the besieger goes."""
    leader = {"manoeuvre": 3, "fire": 4, "shock": 4}
    relief = {"force": {"french": FRENCH, "relief": SPANISH | {"army_plus": 2, "leader": leader}}}
    first = rounds(1) | {"policy": {"attacker": {"plan": "undermine-only"}}}
    for driven_off in ("out", "stay"):
        field = FIELD | {"defender": {"force": "french", "driven_off": driven_off}}
        odds = exact(besieged(first, field, fortress=STATE | {"fortress_level": 5}, **relief))
        lifted = odds.p("field_won and field_fought and not s1_won")
        assert lifted > 0
        assert odds.p("field_won and field_fought and not s1_won and not breda_besieged") == pytest.approx(
            lifted, abs=1e-12
        )
        assert odds.p("field_won and (breda_siegeworks > 0 or breda_breach_counter or breda_assault_counter)") == 0
        assert odds.p("field_won and not breda_taken and breda_pillages < 3") == 0
        drawn = odds.p("field_winner == 'nobody' and not s1_won and breda_siegeworks >= 6")
        assert drawn == pytest.approx(odds.p("field_winner == 'nobody' and not s1_won and french_units_here > 0"))
        assert drawn > 0


def test_a_besieger_without_troops_lifts_the_siege():
    """All march on to another force after a walk-over: the siegeworks are gone for whoever comes later."""
    forces = {"force": {"french": FRENCH, "guard": {}, "ghost": {}}}
    march = {"name": "march", "battle": "land", "attacker": {"force": "french", "leave": "all", "leave_to": "guard"}}
    first = rounds(1) | {"policy": {"attacker": {"plan": "undermine-only"}}}
    odds = exact(besieged(first, march | {"defender": "ghost"}, fortress={"fortress_level": 5}, **forces))
    assert odds.p("breda_besieged or breda_siegeworks > 0") == 0


def test_another_besieger_begins_anew():
    """The second army finds level, garrison and pillages of the first siege, and no works; no supply segment first."""
    forces = {"force": {"french": FRENCH, "second": FRENCH | {"army_plus": 1}}}
    first = rounds(1) | {"policy": {"attacker": {"plan": "undermine-only"}}}
    odds = exact(
        besieged(
            first,
            rounds(1) | {"attacker": "second"},
            fortress={"fortress_level": 5, "land_detachments": 0},
            us=["french", "second"],
            **forces,
        )
    )
    alone = exact(
        whole(1, {"fortress_level": 5, "land_detachments": 0}, {"first_round": False}, {})
        | {"attacker": FRENCH | {"army_plus": 1}}
    )
    open_still = 1 - odds.p("s1_won")
    assert odds.p("s2_won") == pytest.approx(open_still * alone.p("fallen"), abs=1e-12)
    assert odds.mean("breda_siegeworks") == pytest.approx(open_still * alone.mean("siegeworks_value"), abs=1e-9)


def test_a_relief_army_may_be_given_in_a_fight():
    """As in the siege alone."""
    relief = SPANISH | {"army_plus": 2, "round": 1, "leader": {"manoeuvre": 3, "fire": 4, "shock": 4}}
    side = {"defender": {"fortress": "breda", "relief": relief}}
    odds = exact(besieged(rounds(2) | side, fortress={"fortress_level": 3}))
    alone = exact(whole(2, {"fortress_level": 3, "relief": relief}, {}, {}))
    assert odds.p("breda_taken") == pytest.approx(alone.p("fallen"), abs=1e-12)
    assert odds.p("breda_besieged") == pytest.approx(alone.winner("nobody"), abs=1e-12)


RELIEF = SPANISH | {"army_plus": 1, "leader": {"manoeuvre": 3, "fire": 4, "shock": 4}}
FRAIL = FRENCH | {"army_plus": 1, "leader": FRENCH["leader"] | {"fire": 6}}
# The relief army, the fortress, the garrison of its siege, and the besieger's answer.
RELIEVED = {
    "met": (RELIEF, {"fortress_level": 2}, "meet"),
    "evaded, in weak supply": (RELIEF, {"fortress_level": 2}, "evade"),
    "a sortie": (RELIEF | {"army_plus": 0, "army_minus": 1, "sortie": True}, {"fortress_level": 2}, "meet"),
    "enters beside a broken army": (
        SPANISH | {"land_detachments": 2}, {"fortress_level": 3, "army_minus": 1, "land_detachments": 0}, "meet"
    ),
}  # fmt: skip


@pytest.mark.parametrize("before", [1, 2])
@pytest.mark.parametrize("name", RELIEVED)
def test_a_siege_with_relief_cut_in_parts_is_one_siege(name, before):
    """The army comes in round 2, in the first or the second part: who entered and a lost leader are carried."""
    relief, fortress, answer = RELIEVED[name]
    far = {"supply_distance": 8} if "weak" in name else {}
    policy = {"policy": {"attacker": {"relief": answer}}}
    one = exact(whole(3, fortress | {"relief": relief | {"round": 2}}, far, {}) | policy | {"attacker": FRAIL})
    parts = [rounds(before, **far), rounds(3 - before, **far)]
    at = 2 if before > 1 else 1
    parts[0 if before > 1 else 1] |= {"defender": {"fortress": "breda", "relief": relief | {"round": at}}} | policy
    cut = exact(besieged(*parts, fortress=fortress, force={"french": FRAIL}, columns=["breda_garrison_thirds"]))
    assert cut.p("breda_taken") == pytest.approx(one.p("fallen"), abs=1e-9)
    assert cut.p("breda_besieged") == pytest.approx(one.winner("nobody"), abs=1e-9)
    holds = one.table[one.table["winner"] != "attacker"]
    inside = (holds["garrison_left_thirds"] * holds["p"]).sum()
    means = {"french_thirds_left": one.mean("attacker_left_thirds"), "breda_garrison_thirds": inside}
    for column, mean in means.items():
        assert cut.mean(column) == pytest.approx(mean, abs=1e-9), column


def test_a_leader_lost_at_an_unnamed_fortress_is_gone():
    """Section 5.4: as after a battle in the field."""
    relief = RELIEF | {"round": 1}
    then = {"name": "field", "battle": "land", "attacker": "french", "defender": SPANISH | {"army_plus": 1}}
    robust = FRAIL | {"leader": FRAIL["leader"] | {"robust": True}}
    frail, plain = (
        exact(
            besieged({"defender": BREDA | {"relief": relief}} | rounds(1), then, force={"french": force})
            | {"columns": ["field_defender_losses_thirds"]}
        )
        for force in (FRAIL, robust)
    )
    assert frail.p("s1_won") < plain.p("s1_won")
    assert frail.mean("field_defender_losses_thirds") < plain.mean("field_defender_losses_thirds")


def test_worked_example_7():
    """Section 9: siegeworks+ and siegeworks-, then a drawn battle; the second siege undermines with +4."""
    state = {"siegeworks_minus": 1, "siegeworks_plus": 1, "first_round": False}
    second = exact(besieged(rounds(1), fortress=state, goal="breda_taken"))
    lines = "\n".join(load(besieged(rounds(1), fortress=state)).built.explain())
    assert "undermining: +4 siegeworks" in lines
    assert "first siege round" not in lines
    assert second.p("breda_siege_rounds == 1") == 1


def test_unnamed_fortresses_carry_nothing_and_the_answer_says_so():
    unnamed = [{"defender": BREDA} | rounds(2) for _ in range(2)]
    says = "s1, s2: a siege's state is not carried between unnamed fortresses; declare [fortress.NAME]"
    assert says in exact(besieged(*unnamed)).assumptions
    assert says not in exact(besieged(*unnamed[:1])).assumptions
    assert says not in exact(besieged(rounds(2), rounds(2))).assumptions


def test_columns_are_read_by_questions():
    odds = exact(besieged(rounds(1), rounds(1) | {"if": "breda_breach_counter or breda_siegeworks >= 3"}))
    assert 0 < odds.p("s2_fought") < 1 - odds.p("s1_won")
    assert value(odds, "p.breda_taken") == pytest.approx(odds.p("s1_won or s2_won"), abs=1e-12)
