"""Risk with fleets (docs/rules/risk.md): land, amphibious, naval, blockade-run, invasion.

Sources, as that document lists them: a designer's note on the naval rules of his variant; for land combat the public
rule summaries of classic Risk and J. A. Osborne, "Markov Chains for the RISK Board Game Revisited", Mathematics
Magazine 76 (2003).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from simulator.rules.battle import Battle, Built, by_kind
from simulator.rules.risk import checks, hands, invasion_tables, model, outcome, tables, text
from simulator.rules.toolkit.policies import named

LAND = (
    "attacker_regiments_lost",
    "defender_regiments_lost",
    "attacker_regiments_left",
    "territories_captured",
    "rounds",
)
SEA = ("attacker_fleets_lost", "defender_fleets_lost", "rounds")
INVASION = (
    "attacker_regiments_lost",
    "defender_regiments_lost",
    *SEA[:2],
    "regiments_drowned",
    "territories_captured",
    "rounds",
)


def build(fields: model.AnyBattle) -> Built:
    """Everything that answers one scenario."""
    if isinstance(fields, model.Invasion):
        chain, columns = invasion_tables.chain(fields), partial(outcome.invasion, fields)
    elif isinstance(fields, model.AtSea):
        chain, columns = tables.chain(fields), partial(outcome.sea, fields)
    else:
        chain, columns = tables.chain(fields), partial(outcome.land, fields)
    if hands.chosen(fields):
        chain = hands.with_hands(fields, chain)
    return Built(
        chain=replace(chain, tell=text.teller(fields)),
        outcome=partial(columns, chain.params),
        assumptions=partial(text.assumptions, fields),
        explain=partial(text.explain, fields),
        starts=starts(fields),
        begun=outcome.begun,
        decisions=partial(text.decisions, fields, chain.params),
    )


def starts(fields: model.AnyBattle) -> list[str]:
    """The numbers that only move the start: those of the attacker, and of the defender of a single place.

    Not where the attacker goes by his odds: they are worked out from the start, for positions that come from it.
    """
    if isinstance(fields, model.Invasion) or "stop-below-odds" in named(fields.policy.attacker.retreat):
        return []
    if isinstance(fields, model.AtSea):
        return ["attacker.fleets", "defender.fleets"]
    alone = not isinstance(fields.defender.regiments, list)
    return ["attacker.regiments", *(["defender.regiments"] if alone else [])]


def _battle(kind: str, title: str, scenario: type[model.Scenario], headline: tuple[str, ...]) -> Battle:
    return Battle(
        game="risk",
        kind=kind,
        title=title,
        model=scenario,
        headline=headline,
        check=checks.check,
        build=build,
        parameters=tables.PARAMETERS,
    )


BATTLES = by_kind(
    _battle("land", "a land attack on a territory, or along a path of territories", model.Land, LAND),
    _battle("amphibious", "troops landed from transports, and their fights inland", model.Amphibious, LAND),
    _battle("naval", "fleets against fleets", model.Naval, SEA),
    _battle("blockade-run", "blockaded fleets put to sea against the blockaders", model.BlockadeRun, SEA),
    _battle("invasion", "a convoy crosses the sea, lands and takes a path of territories", model.Invasion, INVASION),
)
