"""Kings & Things in words: what an answer rests on (rules/kings_and_things.md sections 4, 5 and 9)."""

from __future__ import annotations

from typing import Any

from simulator.rules.kings_and_things.muster import bands, dust_at_start, present_sides

RETREATS = {
    "never": "fights to the end",
    "after-rounds": "retreats at the end of round {retreat_after} or later",
    "below-creatures": "retreats with fewer than {retreat_below} people left",
    "when-outgunned": "retreats when its fire is less than {retreat_ratio:g} x the enemy's",
}


def spoken(name: str) -> str:
    """A side as text names it."""
    return "the " + name.replace("_", " ")


def assumptions(scenario: Any) -> list[str]:
    """Options, policies and assumed readings in force."""
    lines = []
    for name in present_sides(scenario):
        lines += _policy_lines(scenario, name)
    lines.append("structures are lost in the order Firewall, settlement, fort (ASSUMED)")
    if scenario.battle == "exploration" or getattr(scenario.conditions, "unexplored", False):
        lines.append("unexplored hex: inhabitants may not retreat; if nobody is left, nobody wins")
    else:
        lines.append("if all attackers are gone the defender keeps the hex (11.71)")
    lines.append(f"post-battle rolls: {scenario.options.post_battle_rolls}; 1 or 6 destroys or lowers, 2-5 restores")
    lines += _item_lines(scenario)
    if scenario.battle == "free-for-all":
        lines += _target_lines(scenario)
    if scenario.battle == "exploration":
        lines += _cup_lines(scenario)
    return lines


def _policy_lines(scenario: Any, name: str) -> list[str]:
    policy, fields = getattr(scenario.policy, name), getattr(scenario, name)
    text = RETREATS[policy.retreat].format(**policy.model_dump())
    lines = [f"{spoken(name)} {text}; losses {policy.losses}, structures {policy.structures}"]
    if policy.retreat != "never":
        if getattr(fields, "retreat_hex_creatures", 0) and not fields.retreat_hex_citadel:
            lines.append(f"{spoken(name)}'s people beyond ten in the retreat hex are removed, weakest first (ASSUMED)")
        lines.append(f"{spoken(name)}'s items go back to the cup when it retreats (ASSUMED)")
    return lines


def _item_lines(scenario: Any) -> list[str]:
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


def _target_lines(scenario: Any) -> list[str]:
    lines = ["more than two sides: each names one target a round (the printed 11.8 is not public)"]
    for name in present_sides(scenario):
        default = "strongest" if name == "defender" else "defender"
        lines.append(f"{spoken(name)} fires at: {getattr(scenario.policy, name).target or default}")
    return lines


def _cup_lines(scenario: Any) -> list[str]:
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
