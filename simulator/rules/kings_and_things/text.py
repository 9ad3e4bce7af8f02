"""Kings & Things in words: what an answer rests on, and how it comes about (sections 4, 5 and 9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from simulator.rules.kings_and_things.catalogue import Catalogue
from simulator.rules.kings_and_things.forces import Forces
from simulator.rules.kings_and_things.model import Exploration, FreeForAll, Scenario
from simulator.rules.kings_and_things.sides import Band, Role, bands, dust_at_start, takes, unexplored
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


def assumptions(scenario: Scenario) -> Iterator[str]:
    """Options, policies and assumed readings in force."""
    found = bands(scenario)
    for band in found:
        who, policy = spoken(band.name), band.policy
        text = RETREATS[policy.retreat].format(**policy.model_dump())
        yield f"{who} {text}; losses {policy.losses}, structures {policy.structures}"
        if policy.retreat != "never":
            if band.fields.retreat_hex_creatures and not band.fields.retreat_hex_citadel:
                yield f"{who}'s people beyond ten in the retreat hex are removed, weakest first (ASSUMED)"
            yield f"{who}'s items go back to the cup when it retreats (ASSUMED)"
    yield "structures are lost in the order Firewall, settlement, fort (ASSUMED)"
    if unexplored(scenario):
        yield "unexplored hex: inhabitants may not retreat; if nobody is left, nobody wins"
    else:
        yield "if all attackers are gone the defender keeps the hex (11.71)"
    yield f"post-battle rolls: {scenario.options.post_battle_rolls}; 1 or 6 destroys or lowers, 2-5 restores"
    for band in found:
        yield from _item_lines(scenario, band, found)
    if isinstance(scenario, FreeForAll):
        yield "more than two sides: each names one target a round (the printed 11.8 is not public)"
        yield from (f"{spoken(band.name)} fires at: {band.target}" for band in found)
    if isinstance(scenario, Exploration):
        roll, cup = scenario.conditions.exploration_roll, scenario.conditions.cup
        told = "the full cup (copies of some counters ASSUMED)" if cup is None else "the cup as given"
        number = roll or "d6: 1 and 6 nobody, else that many"
        yield f"{number} counters are drawn from {told}; terrain {scenario.conditions.terrain}"
        yield "of a special income counter and a settlement of equal value the settlement stays (ASSUMED)"
        defends = "defends" if scenario.options.lone_settlement_defends else "falls"
        yield f"a settlement drawn without creatures {defends} (ASSUMED)"


def _item_lines(scenario: Scenario, band: Band, found: Sequence[Band]) -> Iterator[str]:
    who, policy = spoken(band.name), band.policy
    if band.dispelled:
        yield f"Dispel Magic voids {who}'s {band.dispelled}"
    for special in ("Marksman", "Sword Master", "Warlord"):
        if band.has(special.lower().replace(" ", "-")):
            yield f"{who}'s {special}: {getattr(policy, special.lower().replace(' ', '_'))}"
    if band.has("warlord") and len(found) == 2:
        yield "the Warlord takes the last creature of the enemy's weakest-first order (ASSUMED)"
    if "lucky-charm" in band.items:
        yield f"{who}'s Lucky Charm: {policy.lucky_charm}, at the first chance"
    if band.items & {"magic-bow", "magic-sword"}:
        yield f"{who}'s Magic Bow and Sword: {policy.item_hits}"
    if "firewall" in band.items:
        yield f"{who}'s Firewall takes hits {scenario.options.firewall_hits} (ASSUMED)"
    if "talisman" in band.items:
        yield "the Talisman saves people only (ASSUMED)"
    if "dust-of-defense" in band.items:
        now = "at the start" if dust_at_start(found) else "when outgunned, if the attacker has somewhere to go"
        yield f"Dust of Defense is thrown {now} (ASSUMED)"
    if band.cloud:
        yield f"Black Cloud: -1 on all dice of {who}; structures still take their full hits"


def explained(forces: Forces) -> Iterator[str]:
    """How the answer comes about: what happens before round 1, who is lost first, who rolls when."""
    found, exploring = forces.bands, isinstance(forces.scenario, Exploration)
    yield from (f"Dispel Magic voids {spoken(band.name)}'s {band.dispelled}" for band in found if band.dispelled)
    if exploring and takes(found[0]):
        yield "the attacker's order of losses has everybody whom its Warlord may take over"
    if forces.driven_off:
        yield "before round 1 Dust of Defense drives the attacker off"
    for band in found if not (exploring or forces.driven_off) else ():
        if band.taken:
            yield f"before round 1 {spoken(band.name)}'s Warlord takes {band.taken.labels[0]} over"
        yield from (f"before round 1 Baron or Duke hits the {what}" for what in band.battered)
        if band.unrolled:
            yield f"before round 1 one die is rolled for the value of {spoken(band.name)}'s Firewall"
    for one, band in zip(forces.catalogues, found, strict=True):
        if not (exploring and band.name == "defender"):
            kept = "; within that, in each step, first those that roll no more in the round" if one.army.keeps else ""
            yield f"{spoken(band.name)} loses first to last: {_order(one)}{kept}"
            yield f"{spoken(band.name)} rolls in round 1: {_dice(one)}"
    if exploring:
        yield f"{len(forces.meetings):,} different defenders can be drawn; their order of losses goes by value"
    sizes = [f"{len(one):,} of {spoken(one.army.band.name)}" for one in forces.catalogues]
    yield f"what can become of each side by itself: {listed(sizes)}; rounds are fought between these"


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
        if values := values_of(one, at, step):
            needs = ", ".join(str(min(6, value)) for value in values)
            parts.append(f"{plural(len(values), 'die', 'dice')} in the {name} step (needs {needs})")
        at = int(one.led("after")[at, step])
    return "; ".join(parts) or "nothing"


def values_of(one: Catalogue, number: int, step: int) -> Sequence[int]:
    """Target numbers of the dice of a condition in a step, the aimed one last."""
    dice, aimed = one.dice[number, step].tolist(), int(one.aimed[number, step])
    return [value for value, times in enumerate(dice) for _ in range(times)] + ([aimed] if aimed else [])
