"""Kings & Things in words: what an answer rests on, and how it comes about (sections 4, 5 and 9)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from simulator.rules.kings_and_things.catalogue import Catalogue
from simulator.rules.kings_and_things.forces import Forces
from simulator.rules.kings_and_things.model import Exploration, FreeForAll, Scenario
from simulator.rules.kings_and_things.sides import Role, bands, dust_at_start, opened, present_sides, unexplored
from simulator.rules.toolkit.naming import listed, plural

STEP_NAMES = ("magic", "ranged", "melee")

RETREATS = {
    "never": "fights to the end",
    "after-rounds": "retreats at the end of round {retreat_after} or later",
    "below-creatures": "retreats with fewer than {retreat_below} people left",
    "when-outgunned": "retreats when its fire is less than {retreat_ratio:g} x the enemy's",
    "best": "retreats where that is best",
}


def spoken(name: str) -> str:
    """A side as text names it."""
    return "the " + name.replace("_", " ")


def assumptions(scenario: Scenario) -> list[str]:
    """Options, policies and assumed readings in force."""
    lines = []
    for name in present_sides(scenario):
        lines += _policy_lines(scenario, name)
    lines.append("structures are lost in the order Firewall, settlement, fort (ASSUMED)")
    if unexplored(scenario):
        lines.append("unexplored hex: inhabitants may not retreat; if nobody is left, nobody wins")
    else:
        lines.append("if all attackers are gone the defender keeps the hex (11.71)")
    lines.append(f"post-battle rolls: {scenario.options.post_battle_rolls}; 1 or 6 destroys or lowers, 2-5 restores")
    lines += _item_lines(scenario)
    if isinstance(scenario, FreeForAll):
        lines += _target_lines(scenario)
    if isinstance(scenario, Exploration):
        lines += _cup_lines(scenario)
    return lines


def _policy_lines(scenario: Scenario, name: str) -> list[str]:
    policy, fields = getattr(scenario.policy, name), getattr(scenario, name)
    text = RETREATS[policy.retreat].format(**policy.model_dump())
    lines = [f"{spoken(name)} {text}; losses {policy.losses}, structures {policy.structures}"]
    if policy.retreat != "never":
        if getattr(fields, "retreat_hex_creatures", 0) and not fields.retreat_hex_citadel:
            lines.append(f"{spoken(name)}'s people beyond ten in the retreat hex are removed, weakest first (ASSUMED)")
        lines.append(f"{spoken(name)}'s items go back to the cup when it retreats (ASSUMED)")
    return lines


def _item_lines(scenario: Scenario) -> list[str]:
    found, lines = bands(scenario), []
    for band in found:
        who = spoken(band.name)
        if band.dispelled:
            lines.append(f"Dispel Magic voids {who}'s {band.dispelled}")
        for special, key, text in (
            ("marksman", "marksman", "Marksman"),
            ("sword-master", "sword_master", "Sword Master"),
            ("warlord", "warlord", "Warlord"),
        ):
            if band.has(special):
                lines.append(f"{who}'s {text}: {getattr(band.policy, key)}")
                if special == "warlord" and len(found) == 2:
                    lines.append("the Warlord takes the last creature of the enemy's weakest-first order (ASSUMED)")
        if "lucky-charm" in band.items:
            lines.append(f"{who}'s Lucky Charm: {band.policy.lucky_charm}, at the first chance")
        if band.items & {"magic-bow", "magic-sword"}:
            lines.append(f"{who}'s Magic Bow and Sword: {band.policy.item_hits}")
        if "firewall" in band.items:
            lines.append(f"{who}'s Firewall takes hits {scenario.options.firewall_hits} (ASSUMED)")
        if "talisman" in band.items:
            lines.append("the Talisman saves people only (ASSUMED)")
        if "dust-of-defense" in band.items:
            now = "at the start" if dust_at_start(found) else "when outgunned, if the attacker has somewhere to go"
            lines.append(f"Dust of Defense is thrown {now} (ASSUMED)")
        if band.cloud:
            lines.append(f"Black Cloud: -1 on all dice of {who}; structures still take their full hits")
    return lines


def _target_lines(scenario: FreeForAll) -> list[str]:
    lines = ["more than two sides: each names one target a round (the printed 11.8 is not public)"]
    for name in present_sides(scenario):
        default = "strongest" if name == "defender" else "defender"
        lines.append(f"{spoken(name)} fires at: {getattr(scenario.policy, name).target or default}")
    return lines


def _cup_lines(scenario: Exploration) -> list[str]:
    conditions = scenario.conditions
    roll = conditions.exploration_roll
    cup = "the full cup (copies of some counters ASSUMED)" if conditions.cup is None else "the cup as given"
    lines = [
        f"{roll or 'd6: 1 and 6 nobody, else that many'} counters are drawn from {cup}; terrain {conditions.terrain}"
    ]
    lines.append("of a special income counter and a settlement of equal value the settlement stays (ASSUMED)")
    defends = "defends" if scenario.options.lone_settlement_defends else "falls"
    lines.append(f"a settlement drawn without creatures {defends} (ASSUMED)")
    return lines


def explained(forces: Forces) -> list[str]:
    """How the answer comes about: what happens before round 1, who is lost first, who rolls when."""
    lines, sizes = _before_round_one(forces), []
    for one, band in zip(forces.catalogues, forces.bands, strict=True):
        who = spoken(band.name)
        sizes.append(f"{len(one):,} of {who}")
        if not (isinstance(forces.scenario, Exploration) and band.name == "defender"):
            kept = "; within that, in each step, first those that roll no more in the round" if one.army.keeps else ""
            lines.append(f"{who} loses first to last: {_order(one)}{kept}")
            lines.append(f"{who} rolls in round 1: {_dice(one)}")
    if isinstance(forces.scenario, Exploration):
        lines.append(f"{len(forces.meetings):,} different defenders can be drawn; their order of losses goes by value")
    lines.append(f"what can become of each side by itself: {listed(sizes)}; rounds are fought between these")
    return lines


def _before_round_one(forces: Forces) -> list[str]:
    found = bands(forces.scenario)
    lines = [f"Dispel Magic voids {spoken(band.name)}'s {band.dispelled}" for band in found if band.dispelled]
    if isinstance(forces.scenario, Exploration):
        return lines
    if forces.driven_off:
        return [*lines, "before round 1 Dust of Defense drives the attacker off"]
    opened(found)
    for band in found:
        if band.taken:
            lines.append(f"before round 1 {spoken(band.name)}'s Warlord takes {band.taken.label} over")
        lines += [f"before round 1 Baron or Duke hits the {what}" for what in band.battered]
        if band.unrolled:
            lines.append(f"before round 1 one die is rolled for the value of {spoken(band.name)}'s Firewall")
    return lines


def _order(one: Catalogue) -> str:
    """The loss order in a line: `fort (4), 2 x Goblins (1), Old Dragon (4)`."""
    parts = []
    for slot in one.army.slots:
        worth = slot.number if slot.role & Role.STRUCTURE else slot.worth
        for label, same in groupby(slot.labels):
            number = len(list(same))
            parts.append((f"{number} x " if number > 1 else "") + f"{label} ({worth})")
    return ", ".join(parts)


def _dice(one: Catalogue) -> str:
    """Dice of the first round by step: `magic 4 (needs 3 3 4 6); melee ...`."""
    at, parts = int(one.led("armed")[one.starts[0], 0]), []
    for step, name in enumerate(STEP_NAMES):
        values = values_of(one, at, step)
        if values:
            needs = ", ".join(str(min(6, value)) for value in values)
            parts.append(f"{plural(len(values), 'die', 'dice')} in the {name} step (needs {needs})")
        at = int(one.led("after")[at, step])
    return "; ".join(parts) or "nothing"


def values_of(one: Catalogue, number: int, step: int) -> Sequence[int]:
    """Target numbers of the dice of a condition in a step, the aimed one last."""
    dice, aimed = one.dice[number, step].tolist(), int(one.aimed[number, step])
    return [value for value, times in enumerate(dice) for _ in range(times)] + ([aimed] if aimed else [])
