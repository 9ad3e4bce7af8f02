"""Birthright (docs/rules/birthright.md): tactical, storm, quick-battle, siege, adjustment, visibility, movement.

Sources, as that document lists them: a campaign's rules and its wiki page on fortification; the Birthright d20 chapter
on armies; the dice replacement of the war cards; unit tables of public campaigns. The quick battle is a house rule.

tactical/   a battle unit against unit: field battle and storm (section 3)
checks/     the quick check and the quick battle (section 4)
siege/      seasons of investment (section 5)
campaign/   adjustment, visibility and movement (sections 6 to 8)
"""

from __future__ import annotations

from simulator.rules.battle import Built, Clock, by_kind, offered
from simulator.rules.birthright import model, refusals
from simulator.rules.birthright.campaign import adjustment, visibility_and_movement
from simulator.rules.birthright.campaign import model as campaign_model
from simulator.rules.birthright.checks import tables as check_tables
from simulator.rules.birthright.checks import text as check_text
from simulator.rules.birthright.siege import tables as siege_tables
from simulator.rules.birthright.siege import text as siege_text
from simulator.rules.birthright.tactical import outcome, tables, text
from simulator.rules.birthright.units import unit_rows

LISTS = {"units": unit_rows}
FATES = tuple(
    f"{side}_{fate}" for side in ("attacker", "defender") for fate in ("standing", "routed", "destroyed", "hits")
)
KNOWN = ("visible", "knows_type", "knows_statistics", "knows_origin", "knows_destination")


def build_fight(fields: model.Fight) -> Built:
    """A battle unit against unit."""
    setup = tables.set_up(fields)
    chain = setup.chain(lambda *step: text.tell(setup, chain.params, step[:3], step[3]))
    return Built(
        chain=chain,
        outcome=lambda states: outcome.columns(setup, chain.params, states),
        assumptions=lambda: text.assumptions(fields),
        explain=lambda: text.explain(setup),
        apart=lambda: [build_by_entry(fields, side) for side in (0, 1)],
    )


def build_by_entry(fields: model.Fight, side: int) -> Built:
    """The same battle with the destroyed units of a side counted by entry, for `survival`."""
    setup = tables.set_up(fields, side)
    chain = setup.chain()
    return Built(
        chain=chain,
        outcome=lambda states: {"winner": outcome.winner(chain.params, states)},
        pieces=lambda states: outcome.survivors(setup, chain.params, side, states),
    )


def build_quick(fields: model.QuickBattle) -> Built:
    """A battle by quick checks."""
    battle = check_tables.matchup(fields)
    chain = check_tables.quick_chain(
        fields, battle, lambda *step: check_text.tell(battle, chain.params, step[:3], step[3])
    )
    return Built(
        chain=chain,
        outcome=lambda states: check_text.columns(battle, states),
        assumptions=lambda: check_text.assumptions(fields),
        explain=lambda: check_text.explain(battle, fields.conditions.fortification),
    )


def build_siege(fields: model.Siege) -> Built:
    """A siege season by season."""
    siege = siege_tables.siege_of(fields)
    chain = siege.chain(lambda *step: siege_text.tell(siege, chain.params, step[:3], step[3]))
    return Built(
        chain=chain,
        outcome=lambda states: siege_text.columns(siege, states),
        assumptions=lambda: siege_text.assumptions(fields),
        explain=lambda: siege_text.explain(siege),
    )


UNITS_LEFT = ("attacker_units_left", "defender_units_left", "attacker_routed", "defender_routed", "turns")
STEPS_LEFT = ("attacker_steps_left", "defender_steps_left")
BATTLES = by_kind(
    offered(model.Tactical, headline=FATES, check=refusals.check_fight, build=build_fight, version=2),
    offered(
        model.Storm, headline=(*FATES, "defender_captured"), check=refusals.check_fight, build=build_fight, version=2
    ),
    offered(model.QuickBattle, headline=(*STEPS_LEFT, *UNITS_LEFT), check=refusals.check_quick, build=build_quick),
    offered(
        model.Siege,
        headline=("seasons", "level_left", *STEPS_LEFT, "relief_came", "storms"),
        check=refusals.check_siege,
        build=build_siege,
        clock=Clock("seasons", "winner == 'attacker'", "the place has fallen", "policy.attacker.siege", "season"),
    ),
    offered(
        campaign_model.Adjustment,
        headline=("position", "first", "last_word", "may_enter", "may_leave"),
        check=adjustment.check,
        build=adjustment.build,
    ),
    offered(
        campaign_model.Visibility,
        headline=KNOWN,
        check=visibility_and_movement.check_visibility,
        build=visibility_and_movement.visibility,
    ),
    offered(
        campaign_model.Movement,
        headline=("war_moves_needed", "months", "entered_in_time", "points_left", "may_retreat"),
        check=visibility_and_movement.check_movement,
        build=visibility_and_movement.movement,
    ),
)
