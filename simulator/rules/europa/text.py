"""What all kinds of battle on land say alike: values as the game writes them, readings every answer rests on."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.rules.europa.leaders import FATES, fate_told
from simulator.rules.europa.model import Campaign, Land, Siege
from simulator.rules.europa.stacks import SIDES, Stack, detachments


def value_text(column: str, value: float) -> str:
    """A value of an outcome column as the game writes it: 10 thirds are "3 LD 1/3", 10.4 on average "3.47 LD"."""
    if not column.endswith("_thirds"):
        return f"{value:g}"
    return detachments(int(value)) if value == int(value) else f"{value / 3:.2f} LD"


def column_text(column: str) -> str:
    """The name of an outcome column in words, its unit being told by the value."""
    return column.removesuffix("_thirds").replace("_", " ")


def fates_told(result: int) -> str:
    """The result of both leader tests."""
    codes = result % FATES, result // FATES
    return "Leaders: " + ", ".join(f"{side} {fate_told(code)}" for side, code in zip(SIDES, codes, strict=True)) + "."


def common_assumptions(fields: Land | Siege | Campaign, stacks: tuple[Stack, Stack]) -> Iterator[str]:
    """Readings about leaders and tables."""
    cap = fields.options.leader_differential_cap
    told = "no cap" if cap == 9 else f"at most +{cap}"
    yield f"leader differences: {told} (leader_differential_cap; pursuit never capped)"
    if fields.options.tables:
        yield f"tables varied: {', '.join(sorted(fields.options.tables))}"
    for stack in stacks:
        leader = stack.leader
        if leader.origin == "none":
            yield f"{stack.name}: no leader: all values 0, never tested (ASSUMED)"
        if leader.origin == "name":
            yield f"{stack.name}: {leader.told()}, {leader.kind}{', fragile' if leader.fragile else ''}"
        if wrong := leader.out_of_period(fields.conditions.period):
            yield f"{stack.name}: {wrong}: allowed, as the rules of battles ask for no years (leader_years)"
        if leader.drawn and stack.country == "usa":
            yield f"{stack.name}: usa draws its replacement from the minor row (ASSUMED)"
