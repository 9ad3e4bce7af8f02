"""Kings & Things (rules/kings_and_things.md): land, free-for-all, exploration.

Sources, as that document lists them: an excerpt of the printed rules (11.4 to 11.71) and public implementations of
the game; counters in `data/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from simulator.engine.chain import Chain
from simulator.rules.battle import Battle, Columns, by_kind
from simulator.rules.kings_and_things import exploration, fields, rolls
from simulator.rules.kings_and_things.board import chain_of, check_width, muster_of
from simulator.rules.kings_and_things.checks import check_explorer, check_free_for_all, check_land
from simulator.rules.kings_and_things.cup import Draw, check_cup, draws
from simulator.rules.kings_and_things.muster import bands, opened
from simulator.rules.kings_and_things.outcomes import columns

# `rolls` registers the rules of the chain.
__all__ = ["BATTLES", "rolls"]

LAND = (
    "attacker_losses",
    "defender_losses",
    "attacker_creatures_left",
    "defender_creatures_left",
    "rounds",
)


def land_check(scenario: Any) -> None:
    """Refuse what types cannot."""
    check_land(scenario)
    check_width(opened(bands(scenario)))


def partisan_check(scenario: Any) -> None:
    """Refuse what types cannot."""
    check_free_for_all(scenario)
    check_width(opened(bands(scenario)))


def explorer_check(scenario: Any) -> None:
    """Refuse what types cannot."""
    check_explorer(scenario)
    check_cup(scenario)
    check_width(bands(scenario)[:1])


@lru_cache(maxsize=8)
def _built(kind: str, written: str) -> tuple[Chain, Sequence[Draw]]:
    """Chain and draws of a scenario, kept for its outcomes; models with lists cannot be keys, their JSON can."""
    if kind == "exploration":
        scenario = fields.Exploration.model_validate_json(written)
        chances = draws(scenario)
        return chain_of(exploration.muster_for(scenario, chances)), list(chances)
    model = fields.Land if kind == "land" else fields.FreeForAll
    return chain_of(muster_of(model.model_validate_json(written))), ()


def chain(scenario: Any) -> Chain:
    """The chain of a battle."""
    return _built(scenario.battle, scenario.model_dump_json())[0]


def outcome(scenario: Any, states: Any) -> Columns:
    """Outputs of a battle."""
    built, found = _built(scenario.battle, scenario.model_dump_json())
    seen = columns(built.params, states, scenario.battle == "free-for-all")
    return seen | exploration.columns_of(found, states.lineup) if found else seen


BATTLES = by_kind(
    Battle(
        game="kings-and-things",
        kind="land",
        title="two sides in a hex, with fort, settlement, characters and magic items",
        model=fields.Land,
        headline=LAND,
        check=land_check,
        chain=chain,
        outcome=outcome,
    ),
    Battle(
        game="kings-and-things",
        kind="free-for-all",
        title="three or four sides in an owned hex",
        model=fields.FreeForAll,
        headline=(*LAND[:2], "second_attacker_losses", *LAND[2:]),
        check=partisan_check,
        chain=chain,
        outcome=outcome,
    ),
    Battle(
        game="kings-and-things",
        kind="exploration",
        title="entering an unexplored hex: the defender is drawn from the cup",
        model=fields.Exploration,
        headline=("explored_without_fight", *LAND, "defenders_drawn", "bribe_cost"),
        check=explorer_check,
        chain=chain,
        outcome=outcome,
    ),
)
