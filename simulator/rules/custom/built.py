"""Everything that answers one scenario of a game file."""

from __future__ import annotations

from functools import partial
from typing import Any

from simulator.rules.battle import Built
from simulator.rules.custom import joint_states, text
from simulator.rules.custom.build import Field, PlacesField, lay_out
from simulator.rules.custom.decisions import best
from simulator.rules.custom.dice.linked_classes import TooLarge
from simulator.rules.custom.game_file.files import Source
from simulator.rules.custom.hits import params
from simulator.rules.custom.model import Scenario
from simulator.rules.custom.outcome import begun, outcome, pieces
from simulator.rules.custom.setup import Setup


def built(source: Source, kind: str, fields: Scenario) -> Built:
    """Everything that answers one scenario."""
    setup = Setup(source, kind, fields)
    more: dict[str, Any] = {}
    try:
        field: Field = lay_out(setup)
    except TooLarge:  # hits are counted by block where the places are too many
        field = params.lay_out(setup)
    if isinstance(field, PlacesField):
        more = {
            "decisions": partial(best.decisions, field),
            "starts": joint_states.starts_of(setup),
            "joined": partial(joint_states.joined, field),
        }
    # The chain was made just now; a copy of it would be checked again.
    field.chain.tell = text.Teller(field)
    return Built(
        chain=field.chain,
        outcome=partial(outcome, field),
        pieces=partial(pieces, field),
        assumptions=partial(text.assumptions, field),
        explain=partial(text.explain, field),
        begun=partial(begun, field),
        **more,
    )
