"""One step of a replayed battle in a line of text, for both ways in which a battle is run."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from simulator.rules.kings_and_things import folded, folding
from simulator.rules.kings_and_things import state as st
from simulator.rules.kings_and_things.board import Muster
from simulator.rules.kings_and_things.counters import (
    dice_of,
    effective,
    first_slot,
    hand_of,
    holding,
    step_of,
    trait,
    units,
    value_of,
)
from simulator.rules.kings_and_things.flow import charm_at, victim_of
from simulator.rules.kings_and_things.muster import Band, loss_order
from simulator.rules.kings_and_things.words import spoken

STEPS = ("magic", "ranged", "melee")


class Scene(NamedTuple):
    """Muster and general params of a battle that is told."""

    muster: Muster
    params: st.Params
    folds: bool


def tell(scene: Scene, before: Any, result: int, after: Any, dice: random.Random) -> str:
    """What was rolled and what it did."""
    phases = folded if scene.folds else st
    if before.phase == phases.DRAW:
        return "" if after.phase == phases.DRAW else _drawn(scene, after)
    now, then = _general(scene, before), _general(scene, after)
    if before.phase == phases.AFTER:
        return "After the battle: " + _after(result) + "."
    if not scene.folds and before.phase == st.FIREWALL_DIE:
        return f"The Firewall of {_side(scene, before.actor)} has value {result}."
    if not scene.folds and before.phase == st.SAVE:
        slot = first_slot(scene.params, before, before.actor) + (before.victim - 1) // 2
        save = f"{_label(scene, before, before.actor, slot)} rolls {dice.choice((2, 3, 4, 5) if result else (1, 6))}"
        return f"{save}: {'saved' if result else 'dies'}{_changes(scene, now, then)}."
    rolled = _folded_rolls(scene, before, result, dice) if scene.folds else _rolls(scene, before, result, dice)
    return f"Round {before.rounds}, {STEPS[before.step]}: {rolled}{_changes(scene, now, then)}."


def _side(scene: Scene, side: int) -> str:
    return spoken(scene.muster.sides[side].name)


def _general(scene: Scene, state: Any) -> st.State:
    """A state of either kind as one of the general rules."""
    if not scene.folds:
        return state
    one = type(state)(*(np.array([value]) for value in state))
    seen = folding.unfolded(scene.muster, scene.params, one)
    return st.State(*(int(values[0]) for values in seen))


def _drawn(scene: Scene, after: Any) -> str:
    state = _general(scene, after)
    here = [text for text, _ in _roster(scene, state, 1, start=True)]
    return f"Drawn: {', '.join(here)}." if here else "The hex is taken without a fight."


@lru_cache(maxsize=64)
def _labels(labels: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(label.split("\n")) for label in labels)


def _label(scene: Scene, s: Any, side: int, slot: int) -> str:
    """What a slot's next counter is called."""
    place = slot - first_slot(scene.params, s, side)
    names = _names(scene, side)
    return names[place][0] if place < len(names) else _code(scene.params, slot)


def _names(scene: Scene, side: int) -> Sequence[Sequence[str]]:
    """Labels of a side's slots; none for a side that is drawn."""
    band: Band = scene.muster.sides[side]
    if scene.muster.draw and (side == 1 or len(scene.muster.lineups[side].role) > 1):
        return ()
    return _labels(tuple(slot.label for slot in loss_order(band)))


def _code(p: st.Params, slot: int) -> str:
    symbol = (
        "C" if trait(p, slot, st.DICE) == 2 else "MR"[trait(p, slot, st.HOME)] if trait(p, slot, st.HOME) < 2 else ""
    )
    return f"{trait(p, slot, st.PRINTED)}{symbol}"


def _roster(scene: Scene, s: st.State, side: int, start: bool = False) -> list[tuple[str, int]]:
    """Counters (each once) and structures (with their level) of a side."""
    p, found = scene.params, []
    base, names = first_slot(p, s, side), _names(scene, side)
    place = side * p.lineups + s.lineup
    alive = p.data[p.start_at + 2 * place] if start else st.alive_of(s, side)
    gear = p.data[p.start_at + 2 * place + 1] if start else st.gear_of(s, side)
    for slot in range(base, base + p.slots):
        role = trait(p, slot, st.ROLE)
        if role & st.STRUCTURE:
            where = st.FORT_AT if role & st.FORT else st.FIREWALL_AT if role & st.FIREWALL else st.SETTLEMENT_AT
            if st.get(gear, where):
                found.append((_wall(scene, role, side), int(st.get(gear, where))))
        elif role:
            number = int((alive >> trait(p, slot, st.SHIFT)) & trait(p, slot, st.MASK))
            labels = names[slot - base] if slot - base < len(names) else [_code(p, slot)] * number
            found += [(label, 1) for label in labels[len(labels) - number :]]
    return found


def _wall(scene: Scene, role: int, side: int) -> str:
    return scene.muster.sides[side].fort if role & st.FORT else "Firewall" if role & st.FIREWALL else "settlement"


def _changes(scene: Scene, before: st.State, after: st.State) -> str:
    """Who was lost, which structures fell how far, who fled."""
    parts = []
    for side in range(scene.params.sides):
        old, new = _roster(scene, before, side), _roster(scene, after, side)
        left = list(new)
        lost = [label for label, number in old if not _take(left, label, number)]
        walls = [
            f"{label} {number} -> {next((n for name, n in new if name == label), 0)}"
            for label, number in old
            if label in lost and (number > 1 or label in ("settlement", "Firewall", scene.muster.sides[side].fort))
        ]
        gone = [label for label in lost if not any(wall.startswith(f"{label} ") for wall in walls)]
        if gone:
            parts.append(f"{_side(scene, side)} loses {', '.join(gone)}")
        if walls:
            parts.append(f"{_side(scene, side)}'s {', '.join(walls)}")
        if st.get(st.gear_of(after, side), st.AWAY) > st.get(st.gear_of(before, side), st.AWAY):
            parts.append(f"{_side(scene, side)} retreats")
    return "; " + "; ".join(parts) if parts else ""


def _take(left: list[tuple[str, int]], label: str, number: int) -> bool:
    if (label, number) in left:
        left.remove((label, number))
        return True
    return False


def _after(result: int) -> str:
    fallen = [text for bit, text in ((1, "the fort drops a level"), (2, "the settlement is destroyed"),
              (4, "the income counter is destroyed")) if result & bit]  # fmt: skip
    return " and ".join(fallen) or "all is restored"


def _rolls(scene: Scene, s: st.State, result: int, dice: random.Random) -> str:
    p, i = scene.params, s.actor
    charm, hits = charm_at(p, s, i), result >> 1
    values = _values(p, s, i, s.hand)
    faces = faces_for(values, hits, charm if result & 1 else 0, dice)
    turned = " (the Lucky Charm turns one)" if result & 1 else ""
    target = _side(scene, victim_of(p, s, i))
    aim = ", aimed," if s.hand == st.AIMED_HAND else ""
    return f"{_side(scene, i)} rolls{aim} {_listed(values, faces)} at {target}: {_hits(hits)}{turned}"


def _values(p: st.Params, s: st.State, i: int, hand: int) -> list[int]:
    """Target numbers of the dice of a hand."""
    found, base = [], first_slot(p, s, i)
    for slot in range(base, base + p.slots):
        number, aimed = units(p, s, i, slot), bool(trait(p, slot, st.ROLE) & st.AIMED)
        held = holding(p, s, i, slot)
        if number and step_of(p, s, i, slot, held) == s.step and aimed == (hand == st.AIMED_HAND):
            value = effective(p, i, trait(p, slot, st.VALUE), 0) if aimed else value_of(p, s, i, slot, held)
            if aimed or hand_of(p, (3 * i + s.step) * 8 + value) == hand:
                found += [int(value)] * int(number * dice_of(p, s, i, slot, held))
    return found


def _folded_rolls(scene: Scene, s: Any, result: int, dice: random.Random) -> str:
    both = s.phase == folded.BOTH_ROLL
    hits = (result >> folded.JOINT_BITS, result & ((1 << folded.JOINT_BITS) - 1)) if both else (result, result)
    parts = []
    for side, phase in ((0, folded.FIRST_ROLL), (1, folded.SECOND_ROLL)):
        if both or s.phase == phase:
            values = _folded_values(scene, s, side)
            if values:
                struck = min(hits[side], len(values))
                faces = faces_for(values, struck, 0, dice)
                parts.append(f"{_side(scene, side)} rolls {_listed(values, faces)}: {_hits(struck)}")
    return "; ".join(parts)


def _folded_values(scene: Scene, s: Any, side: int) -> list[int]:
    lineup, band = scene.muster.lineups[side], scene.muster.sides[side]
    places = folding.places_of(lineup, scene.muster.scenario.options.firewall_hits == "one")
    strength = folding.strength_of(lineup, places, band.cloud)
    numbers = strength.dice[s.attacker if side == 0 else s.defender, s.step]
    return [value for value in range(1, 8) for _ in range(int(numbers[value]))]


def faces_for(values: Sequence[int], hits: int, charm: int, dice: random.Random) -> list[int]:
    """Faces of dice with these target numbers that hit so often; with a charm one of them can be turned."""
    chosen: list[int] = []
    turn = -1
    if charm:
        able = [n for n, value in enumerate(values) if (value < 6 if charm == 1 else value <= 6)]
        turn = dice.choice(able)
        hits -= charm == 2
    free = [n for n in range(len(values)) if n != turn]
    for place, n in enumerate(free):
        rest = [values[m] for m in free[place + 1 :]]
        hit, miss = min(values[n], 6) * _ways(rest, hits - 1), max(0, 6 - values[n]) * _ways(rest, hits)
        lands = dice.random() * (hit + miss) < hit
        hits -= lands
        chosen.append(dice.randint(1, min(values[n], 6)) if lands else dice.randint(values[n] + 1, 6))
    if turn >= 0:
        chosen.insert(turn, values[turn] + (charm == 1))
    return chosen


def _ways(values: Sequence[int], hits: int) -> int:
    ways = [1] + [0] * len(values)
    for value in values:
        hit = min(value, 6)
        ways = [(ways[h - 1] * hit if h else 0) + ways[h] * (6 - hit) for h in range(len(ways))]
    return ways[hits] if 0 <= hits < len(ways) else 0


def _listed(values: Sequence[int], faces: Sequence[int]) -> str:
    return ", ".join(f"{face} (needs {min(value, 6)})" for value, face in zip(values, faces, strict=True))


def _hits(number: int) -> str:
    return "no hit" if number == 0 else f"{number} hit{'s' * (number > 1)}"
