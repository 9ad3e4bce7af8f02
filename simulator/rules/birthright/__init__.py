"""Birthright (docs/rules/birthright.md): tactical, storm, quick-battle, siege, adjustment, visibility, movement.

Sources, as that document lists them: a campaign's rules and its wiki page on fortification; the Birthright d20 chapter
on armies; the dice replacement of the war cards; unit tables of public campaigns. The quick battle is a house rule.

engagement, field_*   a battle unit against unit: field battle and storm (section 3)
quick_*               the quick check: quick battle, and siege season by season (sections 4 and 5)
adjustment, visibility_and_movement   sections 6 to 8
"""

from __future__ import annotations

from simulator.rules.battle import Built, Clock, by_kind, offered
from simulator.rules.birthright import adjustment, field_text, model, quick_text, refusals, visibility_and_movement
from simulator.rules.birthright.field_tables import Setup
from simulator.rules.birthright.quick_tables import matchup, quick_chain, siege_of
from simulator.rules.birthright.units import unit_rows

LISTS = {"units": unit_rows}
FATES = tuple(
    f"{side}_{fate}" for side in ("attacker", "defender") for fate in ("standing", "routed", "destroyed", "hits")
)
KNOWN = ("visible", "knows_type", "knows_statistics", "knows_origin", "knows_destination")


def build_fight(fields: model.Fight) -> Built:
    """A battle unit against unit."""
    setup = Setup(fields)
    chain = setup.chain(lambda *step: field_text.tell(setup, chain.params, *step))
    return Built(
        chain=chain,
        outcome=lambda states: field_text.columns(setup, chain.params, states),
        assumptions=lambda: field_text.assumptions(fields),
        explain=lambda: field_text.explain(setup),
        apart=lambda: [build_by_entry(fields, side) for side in (0, 1)],
    )


def build_by_entry(fields: model.Fight, side: int) -> Built:
    """The same battle with the destroyed units of a side counted by entry, for `survival`."""
    setup = Setup(fields, side)
    chain = setup.chain()
    return Built(
        chain=chain,
        outcome=lambda states: {"winner": field_text.winner(chain.params, states)},
        pieces=lambda states: field_text.survivors(setup, chain.params, side, states),
    )


def build_quick(fields: model.QuickBattle) -> Built:
    """A battle by quick checks."""
    battle = matchup(fields)
    chain = quick_chain(fields, battle, lambda *step: quick_text.quick_tell(battle, chain.params, *step))
    return Built(
        chain=chain,
        outcome=lambda states: quick_text.quick_columns(battle, states),
        assumptions=lambda: quick_text.quick_assumptions(fields),
        explain=lambda: quick_text.explain_check(battle, fields.conditions.fortification),
    )


def build_siege(fields: model.Siege) -> Built:
    """A siege season by season."""
    siege = siege_of(fields)
    chain = siege.chain(lambda *step: quick_text.siege_tell(siege, chain.params, *step))
    return Built(
        chain=chain,
        outcome=lambda states: quick_text.siege_columns(siege, states),
        assumptions=lambda: quick_text.siege_assumptions(fields),
        explain=lambda: quick_text.siege_explain(siege),
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
        model.Adjustment,
        headline=("position", "first", "last_word", "may_enter", "may_leave"),
        check=adjustment.check,
        build=adjustment.build,
    ),
    offered(
        model.Visibility,
        headline=KNOWN,
        check=visibility_and_movement.check_visibility,
        build=visibility_and_movement.visibility,
    ),
    offered(
        model.Movement,
        headline=("war_moves_needed", "months", "entered_in_time", "points_left", "may_retreat"),
        check=visibility_and_movement.check_movement,
        build=visibility_and_movement.movement,
    ),
)
