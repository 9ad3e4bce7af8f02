"""Every battle kind of every game keeps the same promises, and what is written down of it stays as it is."""

import json
from dataclasses import replace

import numpy as np
import pytest

from simulator import exact, load
from simulator.conformance import check, check_winners
from simulator.engine.model.limits import BrokenGame
from simulator.rules.battle import Outcomes
from simulator.scenarios import example_names
from tests import records


@pytest.mark.parametrize("name", example_names())
def test_every_example_keeps_every_promise(name):
    check(load(name))


def test_every_battle_kind_has_an_example():
    assert set(records.kinds()) >= records.all_kinds()


@pytest.mark.parametrize("kind", sorted(records.kinds()), ids="-".join)
def test_the_transcript_is_what_the_program_says(kind):
    """`python -m tests.records` writes transcripts anew; the difference shows what a change of rules does."""
    name = records.kinds()[kind]
    assert records.path_of(kind).read_text(encoding="utf-8") == records.transcript(name)


def test_no_transcript_is_left_over():
    assert {path.name for path in records.TRANSCRIPTS.glob("*.txt")} == {
        records.path_of(k).name for k in records.kinds()
    }


@pytest.mark.parametrize("name", example_names())
def test_a_seed_gives_the_same_battles_on_every_machine(name):
    """`python -m tests.records` pins the counts anew; only a change of rules or of the stream may change them."""
    assert json.loads(records.COUNTS.read_text(encoding="utf-8"))[name] == records.counts(name)


def test_winners_alone_that_differ_are_found():
    even = {"winner": np.arange(2)}
    for name, columns in (
        ("europa-lepanto-1571", even),
        ("europa-la-hougue-1692", even | {"landed": np.arange(2) == 0}),
    ):
        scenario, wrong = load(name), Outcomes(columns, np.array([0.5, 0.5]))
        other = replace(scenario, battle=replace(scenario.battle, winners=lambda fields, wrong=wrong: wrong))
        with pytest.raises(BrokenGame, match="winners: "):
            check_winners(other, exact(scenario))
