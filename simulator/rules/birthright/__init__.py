"""Birthright (docs/rules/birthright.md): tactical, storm, quick-battle, siege, adjustment, visibility, movement.

Sources, as that document lists them: a campaign's rules and its wiki page on fortification; the Birthright d20 chapter
on armies; the dice replacement of the war cards; unit tables of public campaigns. The quick battle is a house rule.
"""

from __future__ import annotations

from simulator.engine.model.chain import Chain
from simulator.rules.battle import Battle, Built, Clock, by_kind
from simulator.rules.birthright import (
    adjustment,
    campaign_model,
    check_tables,
    check_text,
    errands,
    model,
    outcome,
    refusals,
    siege_tables,
    siege_text,
    tables,
    text,
)
from simulator.rules.birthright.units import unit_rows

LISTS = {"units": unit_rows}
FATES = ("standing", "routed", "destroyed", "hits")


def build_fight(fields: model.Fight) -> Built:
    """A battle unit against unit."""
    setup = tables.set_up(fields)
    chain: Chain = setup.chain(lambda *step: text.tell(setup, chain.params, step[:3], step[3]))
    return Built(
        chain=chain,
        outcome=lambda states: outcome.columns(setup, chain.params, states),
        assumptions=lambda: text.assumptions(fields),
        explain=lambda: text.explain(setup),
        apart=lambda: [told_apart(fields, side) for side in (0, 1)],
    )


def told_apart(fields: model.Fight, side: int) -> Built:
    """The same battle with the fallen of each entry of a side told apart: what survival asks for."""
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
    chain: Chain = check_tables.quick_chain(
        fields, battle, lambda *step: check_text.tell(battle, chain.params, step[:3], step[3])
    )
    return Built(
        chain=chain,
        outcome=lambda states: check_text.columns(battle, states),
        assumptions=lambda: check_text.assumptions(fields),
        explain=lambda: check_text.check_lines(battle, fields.conditions.fortification),
    )


def build_siege(fields: model.Siege) -> Built:
    """A siege season by season."""
    siege = siege_tables.siege_of(fields)
    chain: Chain = siege.chain(lambda *step: siege_text.tell(siege, chain.params, step[:3], step[3]))
    return Built(
        chain=chain,
        outcome=lambda states: siege_text.columns(siege, states),
        assumptions=lambda: siege_text.assumptions(fields),
        explain=lambda: siege_text.explain(siege),
    )


BATTLES = by_kind(
    Battle(
        game="birthright",
        kind="tactical",
        title="a field battle unit against unit",
        model=model.Tactical,
        headline=tuple(f"{side}_{fate}" for side in ("attacker", "defender") for fate in FATES),
        check=refusals.check_fight,
        build=build_fight,
        version=2,
    ),
    Battle(
        game="birthright",
        kind="storm",
        title="an assault on a fortified, garrisoned province, unit against unit",
        model=model.Storm,
        headline=(*(f"{side}_{fate}" for side in ("attacker", "defender") for fate in FATES), "defender_captured"),
        check=refusals.check_fight,
        build=build_fight,
        version=2,
    ),
    Battle(
        game="birthright",
        kind="quick-battle",
        title="a field battle by opposed checks (house rule)",
        model=model.QuickBattle,
        headline=(
            "attacker_steps_left",
            "defender_steps_left",
            "attacker_units_left",
            "defender_units_left",
            "attacker_routed",
            "defender_routed",
            "turns",
        ),
        check=refusals.check_quick,
        build=build_quick,
    ),
    Battle(
        game="birthright",
        kind="siege",
        title="seasons of investment: wait, storm, relief (its battles by the quick check, a house rule)",
        model=model.Siege,
        headline=("seasons", "level_left", "attacker_steps_left", "defender_steps_left", "relief_came", "storms"),
        check=refusals.check_siege,
        build=build_siege,
        clock=Clock("seasons", "winner == 'attacker'", "the place has fallen", "policy.attacker.siege", "season"),
    ),
    Battle(
        game="birthright",
        kind="adjustment",
        title="who moves last: the regents' opposed Warcraft check",
        model=campaign_model.Adjustment,
        headline=("position", "first", "last_word", "may_enter", "may_leave"),
        check=adjustment.check,
        build=adjustment.build,
    ),
    Battle(
        game="birthright",
        kind="visibility",
        title="what a regent sees (no dice)",
        model=campaign_model.Visibility,
        headline=("visible", "knows_type", "knows_statistics", "knows_origin", "knows_destination"),
        check=errands.check_visibility,
        build=errands.visibility,
    ),
    Battle(
        game="birthright",
        kind="movement",
        title="how many war moves a march takes (no dice)",
        model=campaign_model.Movement,
        headline=("war_moves_needed", "months", "entered_in_time", "points_left", "may_retreat"),
        check=errands.check_movement,
        build=errands.movement,
    ),
)
