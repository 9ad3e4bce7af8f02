"""Everything that answers one scenario of a game file."""

from __future__ import annotations

from functools import partial

from simulator.rules.battle import Built
from simulator.rules.custom import joint_states, text
from simulator.rules.custom.build import lay_out
from simulator.rules.custom.decisions import best
from simulator.rules.custom.dice.replay import Teller
from simulator.rules.custom.game_file.files import Source
from simulator.rules.custom.kept import played
from simulator.rules.custom.model import FileScenario
from simulator.rules.custom.outcome import begun, outcome, pieces
from simulator.rules.custom.setup import Setup


def built(source: Source, kind: str, fields: FileScenario) -> Built:
    """Everything that answers one scenario. Raises Refusal for line-ups that are too large."""
    setup = Setup(played(source, fields), kind, fields)
    field = lay_out(setup)
    # The chain was made just now; a copy of it would be checked again.
    field.chain.tell = Teller(field)
    return Built(
        chain=field.chain,
        outcome=partial(outcome, field),
        pieces=partial(pieces, field),
        assumptions=partial(text.assumptions, field),
        explain=partial(text.explain, field),
        begun=partial(begun, field),
        decisions=partial(best.decisions, field),
        starts=joint_states.starts_of(setup),
        joined=partial(joint_states.joined, field),
    )
