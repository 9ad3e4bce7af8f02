"""Battles in words: assumptions (sections 4, 5 and 9), explanation, and the lines of a replay."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from simulator.rules.kings_and_things import rules
from simulator.rules.kings_and_things.conditions import BEST, TALISMAN_SAVE, Held
from simulator.rules.kings_and_things.forces import Catalogue, Forces
from simulator.rules.kings_and_things.model import Exploration, FreeForAll, Scenario
from simulator.rules.kings_and_things.rules import Params, State, throw_of
from simulator.rules.kings_and_things.sides import ROLES, Band, Role, Slot, bands, dust_at_start, takes, unexplored
from simulator.rules.kings_and_things.tables import BARE_HIT, NEAR_MISS, PLAIN, turning
from simulator.rules.toolkit.faces import summing_to
from simulator.rules.toolkit.naming import listed, plural

STEP_NAMES = ("magic", "ranged", "melee")
RETREATS = {
    "never": "fights to the end",
    "after-rounds": "retreats at the end of round {retreat_after} or later",
    "below-creatures": "retreats with fewer than {retreat_below} people left",
    "when-outgunned": "retreats when its fire is less than {retreat_ratio:g} x the enemy's",
    "best": "retreats where that is best",
}
ITEMS = {Held.TALISMAN: "the Talisman", Held.BOW: "the Magic Bow", Held.SWORD: "the Magic Sword"}
BITS = 20  # more dice than any side has
AFTER_WORDS = {1: "the fort drops a level", 2: "the settlement is destroyed", 4: "the income counter is destroyed"}


def in_words(name: str) -> str:
    """The name of a side in text."""
    return "the " + name.replace("_", " ")


def assumptions(scenario: Scenario) -> Iterator[str]:
    """Lines for the options, policies and assumed readings in force."""
    sides = bands(scenario)
    for band in sides:
        who, policy = in_words(band.name), band.policy
        text = RETREATS[policy.retreat].format(**policy.model_dump())
        order = "chosen by its owner" if policy.losses == BEST else f"{policy.losses}, structures {policy.structures}"
        yield f"{who} {text}; losses {order}"
        if policy.retreat != "never":
            if band.fields.retreat_hex_creatures and not band.fields.retreat_hex_citadel:
                yield f"{who}'s people beyond ten in the retreat hex are removed, weakest first (ASSUMED)"
            yield f"{who}'s items go back to the cup when it retreats (ASSUMED)"
    if any(band.policy.losses == BEST for band in sides):
        yield "the attacker takes his losses off first, and the defender has seen it (ASSUMED)"
    if any(band.policy.losses != BEST for band in sides):
        yield "structures are lost in the order Firewall, settlement, fort (ASSUMED)"
    if unexplored(scenario):
        yield "unexplored hex: inhabitants may not retreat; if nobody is left, nobody wins"
    else:
        yield "if all attackers are gone the defender keeps the hex (11.71)"
    yield f"post-battle rolls: {scenario.options.post_battle_rolls}; 1 or 6 destroys or lowers, 2-5 restores"
    for band in sides:
        yield from _item_lines(scenario, band, sides)
    if isinstance(scenario, FreeForAll):
        yield "more than two sides: each names one target a round (the printed 11.8 is not public)"
        yield from (f"{in_words(band.name)} fires at: {band.target}" for band in sides)
    if isinstance(scenario, Exploration):
        roll, cup = scenario.conditions.exploration_roll, scenario.conditions.cup
        source = "the full cup (copies of some counters ASSUMED)" if cup is None else "the cup as given"
        number = roll or "d6: 1 and 6 nobody, else that many"
        yield f"{number} counters are drawn from {source}; terrain {scenario.conditions.terrain}"
        yield "of a special income counter and a settlement of equal value the settlement stays (ASSUMED)"
        defends = "defends" if scenario.options.lone_settlement_defends else "falls"
        yield f"a settlement drawn without creatures {defends} (ASSUMED)"


def _item_lines(scenario: Scenario, band: Band, sides: Sequence[Band]) -> Iterator[str]:
    who, policy = in_words(band.name), band.policy
    if band.dispelled:
        yield f"Dispel Magic voids {who}'s {band.dispelled}"
    for special in ("Marksman", "Sword Master", "Warlord"):
        if band.has(special.lower().replace(" ", "-")):
            yield f"{who}'s {special}: {getattr(policy, special.lower().replace(' ', '_'))}"
    if band.has("warlord") and len(sides) == 2:
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
        now = "at the start" if dust_at_start(sides) else "when outgunned, if the attacker has somewhere to go"
        yield f"Dust of Defense is thrown {now} (ASSUMED)"
    if band.cloud:
        yield f"Black Cloud: -1 on all dice of {who}; structures still take their full hits"


def explained(forces: Forces) -> Iterator[str]:
    """Lines for the events before round 1, the orders of losses and the dice of round 1."""
    sides, exploring = forces.bands, isinstance(forces.scenario, Exploration)
    yield from (f"Dispel Magic voids {in_words(band.name)}'s {band.dispelled}" for band in sides if band.dispelled)
    if exploring and takes(sides[0]):
        yield "the attacker's order of losses has everybody whom its Warlord may take over"
    if forces.driven_off:
        yield "before round 1 Dust of Defense drives the attacker off"
    for band in sides if not (exploring or forces.driven_off) else ():
        if band.taken:
            yield f"before round 1 {in_words(band.name)}'s Warlord takes {band.taken.labels[0]} over"
        yield from (f"before round 1 Baron or Duke hits the {what}" for what in band.battered)
        if band.unrolled:
            yield f"before round 1 one die is rolled for the value of {in_words(band.name)}'s Firewall"
    for one, band in zip(forces.catalogues, sides, strict=True):
        if not (exploring and band.name == "defender"):
            kept = "; within that, in each step, first those that roll no more in the round" if one.army.keeps else ""
            order = "chooses what every hit falls on, among" if one.army.chooses else "loses first to last:"
            yield f"{in_words(band.name)} {order} {_order(one)}{kept}"
            yield f"{in_words(band.name)} rolls in round 1: {_dice(one)}"
    if exploring:
        yield f"{len(forces.starts):,} different defenders can be drawn; their order of losses goes by value"
    sizes = [f"{len(one):,} of {in_words(one.army.band.name)}" for one in forces.catalogues]
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


def tell(forces: Forces, p: Params, before: State, results: tuple[int, int], after: State, dice: random.Random) -> str:
    """The line of one step of a replay: its dice and their effect."""
    if before.phase == rules.DRAW:
        one, number = forces.at(rules.DEFENDING, after.side1)
        here = ", ".join(things(one, one.left[number], one.left[number], "{wall}"))
        text = f"Drawn: {here}." if here else "The hex is taken without a fight."
        return text if after.phase != rules.DRAW else ""
    if before.phase == rules.AFTER:
        fallen = [text for bit, text in AFTER_WORDS.items() if results[0] & bit]
        return "After the battle: " + (listed(fallen) or "all is restored") + "."
    if before.phase == rules.FIREWALL:
        return f"{in_words(ROLES[before.turn]).capitalize()}'s Firewall has value {results[0]}."
    changes = "".join(f"; {text}" for i in range(p.sides) for text in _changes(forces, i, before, after))
    if before.phase == rules.SAVE:
        return f"{_saving(forces, before, results[0], dice)}{changes}."
    turns = ((before.turn + n, one) for n, one in enumerate(results))
    thrown = "; ".join(_throw(forces, p, before, i, n, dice) for i, n in turns if throw_of(p, before, i))
    return f"Round {before.rounds}, {STEP_NAMES[before.step]}: {thrown}{changes}."


def _saving(forces: Forces, before: State, result: int, dice: random.Random) -> str:
    one, number = forces.at(before.turn, rules.side(before, before.turn))
    c = one.conditions[number]
    slot = one.army.slots[c.victim]
    [label] = names(slot, slot.number - c.left[c.victim], 1)
    face = dice.choice((2, 3, 4, 5) if result else (1, 6))
    by = " for the Talisman" if c.die == TALISMAN_SAVE else ""
    return f"{label} rolls {face}{by}: {'saved' if result else 'dies'}"


def _throw(forces: Forces, p: Params, s: State, i: int, result: int, dice: random.Random) -> str:
    j, spoils = int(rules.target_of(s, i)), p.about[rules.SPOILS :: p.row]
    one, number = forces.at(i, rules.side(s, i))
    own = one.conditions[number].items & Held.CHARM and not spoils[rules.side(s, i)]
    charm = BARE_HIT if spoils[rules.side(s, j)] else NEAR_MISS if own else PLAIN
    values, aimed = values_of(one, number, s.step), int(one.aimed[number, s.step])
    faces = throw_faces(values[:-1] if aimed else values, aimed, result, charm, dice)
    shown = [f"{face} (needs {min(value, 6)})" for value, face in zip(values, faces, strict=True)]
    if aimed:
        shown[-1] += " aimed"
    turned = " (the Lucky Charm turns one)" if result & 1 else ""
    hits = (result >> 2) + (result >> 1 & 1)
    scored = plural(hits, "hit") if hits else "no hit"
    return f"{in_words(ROLES[i])} rolls {', '.join(shown)} at {in_words(ROLES[j])}: {scored}{turned}"


def _changes(forces: Forces, i: int, before: State, after: State) -> list[str]:
    """Phrases for counters lost, structures hit, items gone and a retreat of side `i`."""
    who, ((one, old), (_, new)) = in_words(ROLES[i]), (forces.at(i, rules.side(s, i)) for s in (before, after))
    was, now = one.conditions[old], one.conditions[new]
    fled = bool(now.fled) and not was.fled
    lost, walls = [], []
    for n, slot in enumerate(one.army.slots):
        less = was.left[n] - now.left[n] - (now.fled[n] if fled else 0)
        if slot.role & Role.STRUCTURE and was.left[n] != now.left[n]:
            walls.append(f"{slot.labels[0]} {was.left[n]} -> {now.left[n]}")
        elif slot.role & Role.PEOPLE or not fled:
            lost += names(slot, slot.number - was.left[n], less)
    parts = [f"{who} loses {listed(lost)}"] if lost else []
    parts += [f"{who}'s {', '.join(walls)}"] if walls else []
    gone = was.items & ~now.items if after.phase < rules.AFTER and not fled else 0
    parts += [f"{text} of {who} is gone" for bit, text in ITEMS.items() if gone & bit]
    return [*parts, f"{who} retreats"] if fled else parts


def names(slot: Slot, first: int, number: int) -> list[str]:
    """Labels of `number` counters of a slot from the `first` on."""
    labels = slot.labels if len(slot.labels) == slot.number else slot.labels * slot.number
    return list(labels[first : first + number])


def things(one: Catalogue, left: np.ndarray, number: np.ndarray, structure: str) -> Iterator[str]:
    """The next `number` of the counters and levels `left` in each slot, in words; both int64, shape (slots,).

    `structure` says how a structure is named, such as "{wall} ({level})".
    """
    for slot, here, some in zip(one.army.slots, left.tolist(), number.tolist(), strict=True):
        if slot.role & Role.STRUCTURE and some:
            yield structure.format(wall=slot.labels[0], level=some)
        else:
            yield from names(slot, max(0, slot.number - here), some)


def throw_faces(values: Sequence[int], aimed: int, result: int, charm: int, dice: random.Random) -> list[int]:
    """Faces of ordinary dice with these target numbers, then of the aimed die, that give this result."""

    def worth(value: int, hit: int) -> list[int]:
        """Of each face: 1 for a hit, and in the bits above 1 where the charm turns this die; times `hit`."""
        return [((face <= value) + (int(face == turning(value, charm)) << BITS)) * hit for face in range(1, 7)]

    def fits(total: int) -> bool:
        """The sum gives the result; the charm turns an ordinary die if it can, else the aimed one."""
        hits, turned, aim, last = (total >> BITS * n & (1 << BITS) - 1 for n in range(4))
        if turned:
            hits += 1 if charm == NEAR_MISS else -1
        elif last:
            aim = 1 - aim
        return result == 4 * hits + 2 * aim + (turned + last > 0)

    thrown = [worth(value, 1) for value in values] + ([worth(aimed, 1 << 2 * BITS)] if aimed else [])
    return summing_to(thrown, fits, dice) or []
