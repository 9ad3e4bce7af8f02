"""A passage in words, and everything that answers it (docs/rules/europa_naval_and_other.md section 14)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simulator.engine.model.plain import PlainBattle
from simulator.rules.battle import ATTACKER, DEFENDER, Built, Outcomes
from simulator.rules.europa.passages.model import PassageFields, zone_of
from simulator.rules.europa.passages.passage import SECTION, Voyage
from simulator.rules.europa.passages.state import LANDED
from simulator.rules.europa.shared.fleets import LAW
from simulator.rules.europa.shared.procedure import why
from simulator.rules.europa.tables import book
from simulator.rules.toolkit.plain import built


def explanation(voyage: Voyage) -> list[str]:
    """Each stage with its modifiers, as the fleet sets out."""
    lines = []
    for number, stage in enumerate(voyage.stages):
        state = voyage.start._replace(stage=number)
        if stage.kind == "landing" and not voyage.bonuses(state):
            lines.append(f"{stage.name}: no attrition ({LAW} {SECTION} step 7)")
            continue
        if not stage.fleets:
            lines += why(stage.name, SECTION, voyage.bonuses(state))
        for place, enemy in enumerate(voyage.hostile.get(number, ())):
            name = stage.each[place]
            lines += why(name, SECTION, voyage.bonuses(state._replace(asked=place)))
            lines.append(
                f"{name}: {enemy.fleet.text()}, {enemy.side.technology}, {enemy.leader.text()} ({LAW} {SECTION})"
            )
        if stage.work and voyage.falls_short:
            lines += why(f"{stage.name}, attrition of a fleet stopped", SECTION, voyage.of_storm(state))
        if stage.fleets and voyage.falls_short and voyage.own.retreat_drm is None:
            modifiers = voyage.of_retreat(stage, voyage.own.fleet, voyage.own.leader)
            lines += why(f"{stage.name}, attrition of a fleet beaten", SECTION, modifiers)
    return lines


def assumptions(voyage: Voyage) -> list[str]:
    """The assumptions of the answer."""
    options, policy = voyage.fields.options, voyage.fields.policy
    alone = [fleet for fleet in voyage.fields.defender.interceptors if not zone_of(fleet)]
    zones = "interceptors without a zone meet the fleet one after the other, each in a zone of its own (zone)"
    together = "fleets of one zone: the given leader with the greatest manoeuvre commands (ASSUMED)"
    return [
        f"stages: {', then '.join(stage.name for stage in voyage.stages)}",
        f"a blockader that is beaten: the fleet {options.forced_battle_win.replace('-', ' ')} (forced_battle_win)",
        f"caught: {'battle' if policy.defender.engage == 'always' else 'stopped without battle'} (engage)",
        *[zones] * (len(alone) > 1),
        *[together] * any(len(stage.fleets) > 1 for stage in voyage.stages),
        f"attrition of a fleet beaten or stopped: {'rolled' if voyage.falls_short else 'none'} (retreat_attrition)",
        f"losses: {' then '.join(voyage.own.order)}; P: {policy.attacker.pillage}",
        "stacks are regrouped into the biggest counters first; every battle is an interception with the wind rolled",
    ]


def winners_of_passage(fields: PassageFields) -> Outcomes:
    """Does the passage land? What is left is not asked for this."""
    landed = sum(Voyage(fields, book(fields.options.tables)).landings().values())
    columns = {"winner": np.array([ATTACKER, DEFENDER]), LANDED: np.array([True, False])}
    return Outcomes(columns, np.array([landed, 1 - landed]))


def build_passage(fields: PassageFields) -> Built:
    """Everything that answers a passage."""
    return build_passages([fields])[0]


def build_passages(several: Sequence[PassageFields]) -> list[Built]:
    """Passages that differ only in ships and in troops that are no ARMY: one battle, which begins in several states."""
    voyages = [Voyage(fields, book(fields.options.tables)) for fields in several]
    first, starts = voyages[0], [voyage.start for voyage in voyages]
    battle = PlainBattle(first.start, first.follow, label="passage", others=starts)
    return [
        built(battle.begun(voyage.start), first.columns, assumptions(voyage), explanation(voyage)) for voyage in voyages
    ]
