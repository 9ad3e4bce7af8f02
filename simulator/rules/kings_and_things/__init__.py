"""Kings & Things (rules/kings_and_things.md): land, free-for-all, exploration.

Sources, as that document lists them: an excerpt of the printed rules (11.4 to 11.71) and public implementations of
the game; counters in `data/`.
"""

from __future__ import annotations

from typing import Any

from simulator.engine.chain import Chain
from simulator.rules.battle import Battle, Columns, by_kind
from simulator.rules.kings_and_things import fields, rolls
from simulator.rules.kings_and_things.board import chain_of, check_width, muster_of
from simulator.rules.kings_and_things.checks import check_free_for_all, check_land
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


def chain(scenario: Any) -> Chain:
    """The chain of a land battle or a free-for-all."""
    return chain_of(muster_of(scenario))


def outcome(scenario: Any, states: Any) -> Columns:
    """Outputs of a land battle or a free-for-all."""
    return columns(chain(scenario).params, states, scenario.battle == "free-for-all")


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
)
