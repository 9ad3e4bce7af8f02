"""How an answer comes about: the modifiers of each side, day and step with their sources (sections 3.2, 4.3 to 4.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from simulator.rules.europa.land_modifiers import PURSUIT
from simulator.rules.europa.meeting import Meeting, meeting
from simulator.rules.europa.modifiers import LAW, Modifier
from simulator.rules.europa.siegecraft import WORKS, Bonus, Siegecraft, siegecraft
from simulator.rules.europa.stacks import SIDES, Stack, detachments


class Line(NamedTuple):
    """One modifier: whose, on which day (0: none), to which step, how much, why, and where it is written."""

    side: str
    day: int
    step: str
    value: str
    reason: str
    source: str

    def __str__(self) -> str:
        when = f" day {self.day}" if self.day else ""
        return f"{self.side}{when} {self.step}: {self.value} {self.reason} ({self.source})"


def land_explanation(fields: Any) -> list[str]:
    """Lines for a land battle: what each side is worth, then every modifier with its source."""
    met = meeting(fields)
    lines = [_worth(met, side) for side in (0, 1)]
    if met.overrun >= 0:
        return [*lines, f"{SIDES[met.overrun]} overruns the enemy without a battle ({LAW} 3.5 step 1)"]
    return lines + [str(line) for line in land_lines(met)]


def land_lines(met: Meeting) -> Iterator[Line]:
    """Modifiers of a land battle by side, day and step; a drawn leader's as a range."""
    for side in (0, 1):
        own = met.modifiers[side]
        gains = [met.leader_modifiers(pair)[side] for pair in met.pairs]
        for day in (1, 2):
            for step in ("Fire", "Shock"):
                if step == "Fire" and not met.columns(side)[0]:
                    continue
                yield from _lines_of(own, gains, day, step)
                if day == 2 and getattr(met.fields.policy, SIDES[1 - side]).break_off != "never":
                    yield Line(SIDES[side], 2, step, "+1", "if the enemy has failed to break off", f"{LAW} 3.5 step 5")
        yield from _pursuit(own, gains)


def _lines_of(own: list[Modifier], gains: list[Modifier], day: int, step: str) -> Iterator[Line]:
    def value(modifier: Modifier) -> int:
        return modifier.fire if step == "Fire" else modifier.shock

    for modifier in own:
        if day in modifier.days and value(modifier):
            yield Line(modifier.side, day, step, f"{value(modifier):+d}", modifier.reason, modifier.source)
    yield from _range(gains, day, step, [value(gain) for gain in gains])


def _range(gains: list[Modifier], day: int, step: str, values: list[int]) -> Iterator[Line]:
    low, high = min(values), max(values)
    if high:
        told = f"{low:+d}" if low == high else f"{low:+d} to {high:+d}"
        yield Line(gains[0].side, day, step, told, gains[0].reason, gains[0].source)


def _pursuit(own: list[Modifier], gains: list[Modifier]) -> Iterator[Line]:
    for modifier in own:
        if modifier.pursuit:
            yield Line(modifier.side, 0, "pursuit", f"{modifier.pursuit:+d}", modifier.reason, modifier.source)
    yield from _range(gains, 0, "pursuit", [gain.pursuit for gain in gains])
    yield Line(gains[0].side, 0, "pursuit", "+0 to +3", "+2 if it ended on day 1, +1 if it ended after a Fire", PURSUIT)


def _worth(met: Meeting, side: int) -> str:
    stack, enemy = met.stacks[side], met.stacks[1 - side]
    fire, shock = met.columns(side)
    dice = met.dice(side)
    several = f", {dice} dice a roll" if dice > 1 else ""
    return (
        f"{stack.name}: {Stack.told(stack)}, {stack.technology} against {enemy.technology}: columns "
        f"{fire or 'no Fire'}/{shock}, morale {stack.morale}, size step {met.steps[side]:+d}, artillery value "
        f"{stack.artillery}{several}, {stack.leader.told()} ({LAW} 2.4 and 3.2)"
    )


def siege_explanation(fields: Any) -> list[str]:
    """Lines for a siege as it begins: who is there, then every modifier of each roll with its source."""
    craft = siegecraft(fields)
    return _siege_worth(craft) + [
        f"{bonus.side} {bonus.roll}: {bonus.value:+d} {bonus.reason} ({bonus.source})" for bonus in siege_bonuses(craft)
    ]


def siege_bonuses(craft: Siegecraft) -> Iterator[Bonus]:
    """Modifiers of all rolls of a siege as it begins."""
    conditions, cap = craft.fields.conditions, craft.fields.options.leader_differential_cap
    camp, garrison = craft.besieger.size, craft.besieged.size
    works = WORKS.index((conditions.siegeworks_minus, conditions.siegeworks_plus))
    breach, counter = int(conditions.breach_counter), int(conditions.assault_counter)
    yield from craft.effect_of_place(camp)
    yield from craft.effect_of_counters(works, breach, counter)
    yield from craft.effect_of_garrison(garrison)
    yield from craft.supply(garrison, int(conditions.first_round))
    yield from craft.besieger_attrition(camp, conditions.pillages, conditions.bad_weather)
    if craft.fields.battle == "siege-campaign" and garrison:
        yield from craft.garrison_attrition(works)
    yield from craft.assault_of_place(craft.artillery_bonuses[camp], 0, counter)
    yield from _commanders(craft, cap)


def _commanders(craft: Siegecraft, cap: int) -> Iterator[Bonus]:
    own, enemy = craft.besieger.leader, craft.besieged.leader
    source = f"{LAW} 4.5"
    if own.drawn or enemy.drawn:
        yield Bonus("both", "assault", 0, "leaders' advantage, drawn for each assault", source)
        return
    for side, mine, theirs in (("attacker", own, enemy), ("defender", enemy, own)):
        for step, value, against in (("Fire", mine.fire, theirs.fire), ("Shock", mine.shock, theirs.shock)):
            gain = max(0, value - against) if cap == 9 else min(cap, max(0, value - against))
            if gain:
                yield Bonus(side, f"assault {step}", gain, f"leader: {mine.told()}", source)


def _siege_worth(craft: Siegecraft) -> list[str]:
    camp, inside = craft.besieger, craft.besieged
    resistance = craft.book.resistance[craft.level, 0]
    breached = craft.book.resistance[craft.level, 1]
    return [
        f"attacker: {Stack.told(camp)}, {camp.technology}, morale {camp.morale}, artillery value {camp.artillery}, "
        f"{camp.leader.told()} ({LAW} 2.4)",
        f"defender: level {craft.level}, {inside.country}, {detachments(inside.size)} inside, {inside.technology}, "
        f"morale {inside.morale}, {inside.leader.told()}; resistance {detachments(resistance)}, after a breach "
        f"{detachments(breached)} ({LAW} 4.5 step 6)",
    ]
