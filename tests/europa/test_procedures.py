"""The form of a procedure: rolls, draws, the chain that comes of them, and the lines that show them."""

import random
from collections import Counter

import pytest

from simulator.engine.exact import exact_outcomes
from simulator.engine.model.plain import PlainBattle, Roll
from simulator.rules.europa.shared.modifiers import Bonus
from simulator.rules.europa.shared.procedure import D10, row_of, why
from simulator.rules.toolkit.plain import built

MODIFIERS = [Bonus(2, "supply"), Bonus(0, "calm sea"), Bonus(-3, "storm")]
FIRST = D10(
    "voyage", "4", MODIFIERS, lambda _, modified: row_of({1: "late", 6: "there"}, modified, "lost"), "{} {}".format
)


def follow(state):
    """The voyage; who is late draws one of two ports, three times as often the first."""
    if state == "":
        return FIRST
    return Roll("port", {"east": 3, "west": 1}, line=lambda after, _: f"to the {after}") if state == "late" else None


@pytest.fixture
def procedure():
    battle = PlainBattle("", follow)
    return built(battle, lambda state: {"winner": int(state == "lost"), "late": state in {"east", "west"}})


def test_the_row_of_a_modified_die_is_the_highest_that_it_reaches():
    assert [row_of({8: "free", 6: "stopped"}, n, "caught") for n in (-3, 5, 6, 7, 8, 15)] == [
        "caught", "caught", "stopped", "stopped", "free", "free",
    ]  # fmt: skip


def test_a_roll_counts_the_faces_that_lead_to_each_row():
    assert FIRST.total == -1
    assert FIRST.weights == Counter(lost=1, late=5, there=4)


def test_a_line_shows_a_die_that_leads_to_the_state():
    shown = {FIRST.replay("there", random.Random(seed)) for seed in range(50)}
    assert shown == {f"{die} - 1 = {die - 1} there" for die in (7, 8, 9, 10)}
    plain = FIRST._replace(modifiers=None)
    assert {plain.replay("late", random.Random(seed)) for seed in range(50)} == {f"{die} late" for die in range(1, 6)}


def test_modifiers_of_nothing_are_left_out():
    source = "(docs/rules/europa_naval_and_other.md section 4)"
    assert FIRST.why() == [f"voyage: +2 supply {source}", f"voyage: -3 storm {source}"]
    assert why("voyage", "4", [Bonus(0, "calm sea")]) == [f"voyage: no modifier {source}"]


def test_a_procedure_is_a_chain_of_its_states(procedure):
    ends = exact_outcomes(procedure.chain)
    columns = procedure.outcome(ends.states)
    found = Counter()
    for winner, late, p in zip(columns["winner"], columns["late"], ends.p, strict=True):
        found[int(winner), bool(late)] += p
    assert found == pytest.approx({(1, False): 0.1, (0, False): 0.4, (0, True): 0.5})
    assert sorted(ends.p) == pytest.approx([0.1, 0.125, 0.375, 0.4])


def test_a_draw_is_shown_by_its_own_line(procedure):
    chain = procedure.chain
    late, east = (chain.start._replace(place=place) for place in (2, 4))
    assert chain.tell(late, 0, east, random.Random(1)) == "to the east"
