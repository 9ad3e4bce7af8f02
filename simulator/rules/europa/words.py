"""Options, policies and assumed readings that an answer rests on (docs/rules/europa_land_siege.md sections 6 and 8)."""

from __future__ import annotations

from typing import Any

from simulator.rules.europa.land_modifiers import is_interception
from simulator.rules.europa.leaders import leader_of
from simulator.rules.europa.meeting import is_non_european
from simulator.rules.europa.stacks import EIGHT_LD, SIDES, size_of
from simulator.rules.europa.tables import book


def _common(fields: Any) -> list[str]:
    cap = fields.options.leader_differential_cap
    told = "no cap" if cap == 9 else f"at most +{cap}"
    lines = [f"leader differences: {told} (leader_differential_cap; pursuit never capped)"]
    if fields.options.tables:
        lines.append(f"tables varied: {', '.join(sorted(fields.options.tables))}")
    tables = book(fields.options.tables)
    for name in SIDES:
        side = getattr(fields, name)
        leader = leader_of(side, tables, f"{name}.leader")
        if leader.origin == "none":
            lines.append(f"{name}: no leader: all values 0, never tested (ASSUMED)")
        if leader.origin == "name":
            lines.append(f"{name}: {leader.told()}, {leader.kind}{', fragile' if leader.fragile else ''}")
        if leader.drawn and side.country == "usa":
            lines.append(f"{name}: usa draws its replacement from the minor row (ASSUMED)")
    return lines


def land_assumptions(fields: Any) -> list[str]:
    """What a land battle's odds rest on."""
    lines, options = _common(fields), fields.options
    for name in SIDES:
        policy = getattr(fields.policy, name)
        lines.append(f"{name} breaks off: {policy.break_off}" + (", overruns" if policy.overrun == "declare" else ""))
    lines.append(
        f"destroyed when losses {'exceed' if options.destruction_test == 'exceeds' else 'reach'} the stack's size"
    )
    if fields.attacker.tercios or fields.defender.tercios:
        needs = "count only with an ARMY" if options.tercios_require_army else "count without an ARMY too"
        lines.append(f"Tercios {needs} (tercios_require_army)")
    if fields.policy.defender.evasion == "evade":
        lines.append("the defender tries to evade; a replacement leader counts manoeuvre 0 (ASSUMED)")
    if is_interception(fields) and not fields.conditions.interception:
        lines.append("an overrun of 4 to under 8 times is fought as an interception battle")
    for number, name in enumerate(SIDES):
        side = getattr(fields, name)
        if is_non_european(fields, number) and size_of(side) > EIGHT_LD:
            lines.append(f"{name}: several dice; the groups before the last are capped at 8 LD each (ASSUMED)")
        if side.country == "sweden" and side.structural_cavalry == "auto":
            lines.append(f"{name}: Sweden's own cavalry on plain or northern forest, beside that of class IIIM")
    return lines


def siege_assumptions(fields: Any) -> list[str]:
    """What a siege's odds rest on."""
    lines, policy, options = _common(fields), fields.policy.attacker, fields.options
    campaign = fields.battle == "siege-campaign"
    if campaign:
        lines.append(f"plan: {policy.plan}")
        lines.append(_duration(fields.conditions))
        lines.append(f"garrison attrition: {'on' if options.garrison_attrition else 'off'}")
        lines.append("leaders are not tested in a campaign")
    else:
        lines.append(f"action: {policy.action}; on a breach: {policy.breach}")
    lines.append(
        f"war honours: {policy.war_honours}; too small: {policy.too_small}; taken fortress: {policy.garrison}; "
        f"P: {policy.pillage}; losses: {policy.losses}"
    )
    lines.append(
        f"a besieger loses at most {options.assault_cap_factor} x resistance + troops inside (assault_cap_factor)"
    )
    lines.append("after undermining the effect comes first, with any assault, then siege attrition")
    if fields.attacker.country == "turkey-janissary" and fields.attacker.turkish_reform == "m-2":
        lines.append("m-2 ends the Janissary bonus as m-1a does (ASSUMED)")
    return lines


def _duration(conditions: Any) -> str:
    if conditions.start_round:
        start = "a rolled box" if conditions.start_round == "roll" else conditions.start_round
        return f"on the round track from {start} to the end of the turn"
    return f"{conditions.rounds or 4} siege rounds"
