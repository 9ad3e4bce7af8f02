"""Birthright (docs/rules/birthright.md)."""

from __future__ import annotations

from typing import Any

from simulator.rules.battle import Battle, Built, by_kind
from simulator.rules.birthright import model, outcome, tables


def build_field(fields: Any) -> Built:
    setup = tables.set_up(fields)
    chain = setup.chain()
    return Built(chain=chain, outcome=lambda states: outcome.columns(setup, chain.params, states))


BATTLES = by_kind(
    Battle(game="birthright", kind="tactical", title="x", model=model.Tactical, headline=("attacker_standing",), build=build_field),
    Battle(game="birthright", kind="storm", title="x", model=model.Storm, headline=("attacker_standing",), build=build_field),
)
