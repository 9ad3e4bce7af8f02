"""Chains that are too large: what one run found out, the next one knows."""

from dataclasses import replace

import pytest

from simulator.engine.graph import compiled_explorer as expand
from simulator.engine.graph import refusal_cache as refused
from simulator.engine.graph.compiled_explorer import CompiledExplorer
from simulator.engine.model.limits import NoExactOdds
from simulator.scenarios import load

SMALL = 2_000


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr(refused.cache, "folder_of", lambda package: tmp_path / package)
    monkeypatch.setattr(expand, "PAUSE", 16)
    return tmp_path


def chain_of(regiments):
    sides = {"attacker": {"regiments": regiments}, "defender": {"regiments": 30}}
    return load({"game": "risk", "battle": "land"} | sides).chain


def test_a_refusal_is_kept_for_this_chain_and_budgets_as_small(folder):
    with pytest.raises(NoExactOdds) as first:
        CompiledExplorer(chain_of(30), SMALL).explore()
    (path,) = (folder / "risk" / refused.FOLDER).iterdir()
    path.write_text(f"{SMALL}\nso it was found")
    with pytest.raises(NoExactOdds, match="so it was found"):
        CompiledExplorer(chain_of(30), SMALL - 1).explore()
    with pytest.raises(NoExactOdds, match="past the budget") as other:
        CompiledExplorer(chain_of(31), SMALL).explore()
    assert "more than" in str(first.value)
    assert "more than" in str(other.value)
    assert len(CompiledExplorer(chain_of(30), 10**8).explore()) > 30


def test_a_file_that_cannot_be_read_is_no_refusal(folder):
    chain = chain_of(30)
    refused.remember(chain, SMALL, "too large")
    (path,) = (folder / "risk" / refused.FOLDER).iterdir()
    path.write_text("nonsense")
    refused.recall(chain, 1)
    refused.recall(replace(chain, start=chain.start), 1)
