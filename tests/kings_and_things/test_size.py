"""An exploration knows how large it is at least, so that one that is too large is refused before it is tried."""

import pytest

from simulator import load
from simulator.analysis.odds.answer import answer
from simulator.analysis.odds.method import Method
from simulator.engine.graph.graph_cache import graph_of
from simulator.engine.model.limits import QUICK_BYTES, NoExactOdds

CUP = ["2", "3R", "4M", "5", "1C", "village", "loot", "income:3", "nothing"]


def exploration(creatures, **attacker):
    attacker = {"creatures": creatures, **attacker}
    return {
        "game": "kings-and-things", "battle": "exploration", "attacker": attacker,
        "conditions": {"terrain": "mountain", "cup": CUP, "exploration_roll": 3},
    }  # fmt: skip


@pytest.mark.parametrize("creatures", [["3"], ["3R", "4"], ["2M", "1C", "5", "5"]], ids=len)
def test_it_never_says_more_than_there_is(creatures):
    chain = load(exploration(creatures)).built.chain
    graph, (states, transitions) = graph_of(chain), chain.at_least
    assert len(graph) / 4 < states <= len(graph)
    assert len(graph.to) / 4 < transitions <= len(graph.to)


@pytest.mark.parametrize("items", [["magic-sword"], ["talisman"], ["golem"], ["balloon"]], ids=lambda items: items[0])
def test_it_says_nothing_where_items_matter(items):
    assert load(exploration(["3R", "4"], items=items)).built.chain.at_least == (0, 0)


def test_the_largest_example_is_refused_unseen(monkeypatch):
    monkeypatch.setattr("simulator.engine.graph.interpreted_explorer.PlainExplorer", None)
    with pytest.raises(NoExactOdds, match="at least 1,328,854 states and 10,069,958 transitions"):
        answer(load("knt-into-the-unknown"), Method(exact=True, budget=QUICK_BYTES))
