"""Risk with fleets (docs/rules/risk.md): land, amphibious, naval, blockade-run, invasion.

Sources, as that document lists them: a designer's note on the naval rules of his variant; for land combat the public
rule summaries of classic Risk and J. A. Osborne, "Markov Chains for the RISK Board Game Revisited", Mathematics
Magazine 76 (2003).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from simulator.rules.battle import Built, by_kind, offered
from simulator.rules.risk import checks, model, outcome, tables, text
from simulator.rules.toolkit.policies import named

REGIMENTS = ("attacker_regiments_lost", "defender_regiments_lost")
FLEETS = ("attacker_fleets_lost", "defender_fleets_lost")
LAND = (*REGIMENTS, "attacker_regiments_left", "territories_captured", "rounds")
SEA = (*FLEETS, "rounds")
INVASION = (*REGIMENTS, *FLEETS, "regiments_drowned", "territories_captured", "rounds")


def build(fields: model.AnyBattle) -> Built:
    """The answer to one scenario."""
    chain = tables.with_hands(fields, tables.chain(fields, text.tell))
    return Built(
        chain=chain,
        outcome=partial(outcome.columns, fields, chain.params),
        assumptions=partial(text.assumptions, fields),
        explain=partial(text.explain, fields),
        starts=starts(fields),
        begun=lambda states: np.asarray(1 + states.sea_rounds + states.land_rounds),
        decisions=partial(text.decisions, fields, chain.params),
    )


def starts(fields: model.AnyBattle) -> list[str]:
    """The numbers that only move the start: the attacker's, and the defender's of a single place.

    None with stop-below-odds: its table holds only positions that the start can reach.
    """
    if isinstance(fields, model.Invasion) or "stop-below-odds" in named(fields.policy.attacker.retreat):
        return []
    if isinstance(fields, model.AtSea):
        return ["attacker.fleets", "defender.fleets"]
    alone = not isinstance(fields.defender.regiments, list)
    return ["attacker.regiments", *(["defender.regiments"] if alone else [])]


kind = partial(offered, check=checks.check, build=build, parameters=tables.PARAMETERS)
BATTLES = by_kind(
    kind(model.Land, headline=LAND),
    kind(model.Amphibious, headline=LAND),
    kind(model.Naval, headline=SEA),
    kind(model.BlockadeRun, headline=SEA),
    kind(model.Invasion, headline=INVASION),
)
