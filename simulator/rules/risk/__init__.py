"""Risk with fleets (docs/rules/risk.md): land, amphibious, naval, blockade-run, invasion.

Sources, as that document lists them: a designer's note on the naval rules of his variant; for land combat the public
rule summaries of classic Risk and J. A. Osborne, "Markov Chains for the RISK Board Game Revisited", Mathematics
Magazine 76 (2003).
"""

from __future__ import annotations

from typing import Any

from simulator.engine.chain import Chain
from simulator.rules.battle import Battle, Columns, by_kind
from simulator.rules.risk import fields
from simulator.rules.risk.checks import check
from simulator.rules.risk.fights import fight_chain
from simulator.rules.risk.invasion import invasion_chain, invasion_outcome
from simulator.rules.risk.outcomes import land_outcome, one_place, sea_outcome
from simulator.rules.risk.path import path_chain
from simulator.rules.risk.places import path
from simulator.rules.risk.words import assumptions, tell

LAND = (
    "attacker_regiments_lost",
    "defender_regiments_lost",
    "attacker_regiments_left",
    "territories_captured",
    "rounds",
)
SEA = ("attacker_fleets_lost", "defender_fleets_lost", "rounds")


def land_chain(scenario: Any) -> Chain:
    """One fight for a single territory, else a path."""
    return fight_chain(scenario) if len(path(scenario)) == 1 else path_chain(scenario)


def land_columns(scenario: Any, states: Any) -> Columns:
    """Outputs of either."""
    return one_place(scenario, states) if len(path(scenario)) == 1 else land_outcome(scenario, states)


SHARED = {"game": "risk", "check": check, "assumptions": assumptions, "tell": tell}

BATTLES = by_kind(
    Battle(
        kind="land",
        title="a land attack on a territory, or along a path of territories",
        model=fields.Land,
        headline=LAND,
        chain=land_chain,
        outcome=land_columns,
        **SHARED,
    ),
    Battle(
        kind="amphibious",
        title="troops landed from transports, and their fights inland",
        model=fields.Amphibious,
        headline=LAND,
        chain=land_chain,
        outcome=land_columns,
        **SHARED,
    ),
    Battle(
        kind="naval",
        title="fleets against fleets",
        model=fields.Naval,
        headline=SEA,
        chain=fight_chain,
        outcome=sea_outcome,
        **SHARED,
    ),
    Battle(
        kind="blockade-run",
        title="blockaded fleets put to sea against the blockaders",
        model=fields.BlockadeRun,
        headline=SEA,
        chain=fight_chain,
        outcome=sea_outcome,
        **SHARED,
    ),
    Battle(
        kind="invasion",
        title="a convoy crosses the sea, lands and takes a path of territories",
        model=fields.Invasion,
        headline=(
            "attacker_regiments_lost",
            "defender_regiments_lost",
            "attacker_fleets_lost",
            "defender_fleets_lost",
            "regiments_drowned",
            "territories_captured",
            "rounds",
        ),
        chain=invasion_chain,
        outcome=invasion_outcome,
        **SHARED,
    ),
)
