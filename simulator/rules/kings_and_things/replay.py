"""One step of a replayed battle in a line of text."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from simulator.rules.battle import Columns
from simulator.rules.kings_and_things import rules
from simulator.rules.kings_and_things.catalogue import Catalogue
from simulator.rules.kings_and_things.conditions import TALISMAN_SAVE, Held
from simulator.rules.kings_and_things.forces import Forces
from simulator.rules.kings_and_things.rules import Params, State, throw_of
from simulator.rules.kings_and_things.sides import SIDES, Role, Slot
from simulator.rules.kings_and_things.tables import BARE_HIT, NEAR_MISS, PLAIN, turning
from simulator.rules.kings_and_things.text import STEP_NAMES, spoken, values_of
from simulator.rules.toolkit.faces import summing_to
from simulator.rules.toolkit.naming import listed, plural

ITEMS = {Held.TALISMAN: "the Talisman", Held.BOW: "the Magic Bow", Held.SWORD: "the Magic Sword"}
BITS = 20  # more dice than any side has
AFTER_WORDS = {1: "the fort drops a level", 2: "the settlement is destroyed", 4: "the income counter is destroyed"}


class Teller:
    """Tells the steps of one battle."""

    def __init__(self, forces: Forces, params: Params) -> None:
        self._forces, self._params = forces, params

    def tell(self, before: State, results: tuple[int, int], after: State, dice: random.Random) -> str:
        """What was rolled, and what it did."""
        if before.phase == rules.DRAW:
            here = _here(*self._condition(after, rules.DEFENDING))
            told = f"Drawn: {here}." if here else "The hex is taken without a fight."
            return told if after.phase != rules.DRAW else ""
        if before.phase == rules.AFTER:
            fallen = [text for bit, text in AFTER_WORDS.items() if results[0] & bit]
            return "After the battle: " + (listed(fallen) or "all is restored") + "."
        if before.phase == rules.FIREWALL:
            return f"{self._who(before.turn).capitalize()}'s Firewall has value {results[0]}."
        changes = "".join(f"; {text}" for i in range(self._params.sides) for text in self._changes(i, before, after))
        if before.phase == rules.SAVE:
            return f"{self._saving(before, results[0], dice)}{changes}."
        turns = ((before.turn + n, one) for n, one in enumerate(results))
        thrown = "; ".join(self._throw(before, i, n, dice) for i, n in turns if throw_of(self._params, before, i))
        return f"Round {before.rounds}, {STEP_NAMES[before.step]}: {thrown}{changes}."

    def _who(self, i: int) -> str:
        return spoken(self._forces.bands[i].name)

    def _condition(self, state: State, i: int) -> tuple[Catalogue, int]:
        return self._forces.at(i, rules.side(state, i))

    def _saving(self, before: State, result: int, dice: random.Random) -> str:
        one, number = self._condition(before, before.turn)
        c = one.conditions[number]
        slot = one.army.slots[c.victim]
        [label] = _names(slot, slot.number - c.left[c.victim], 1)
        face = dice.choice((2, 3, 4, 5) if result else (1, 6))
        by = " for the Talisman" if c.die == TALISMAN_SAVE else ""
        return f"{label} rolls {face}{by}: {'saved' if result else 'dies'}"

    def _throw(self, s: State, i: int, result: int, dice: random.Random) -> str:
        j, p = int(rules.target_of(s, i)), self._params
        spoils = p.about[rules.SPOILS :: p.row]
        one, number = self._condition(s, i)
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
        return f"{self._who(i)} rolls {', '.join(shown)} at {self._who(j)}: {scored}{turned}"

    def _changes(self, i: int, before: State, after: State) -> list[str]:
        """Who was lost, which structures fell how far, what was given up, who fled."""
        (one, old), (_, new) = self._condition(before, i), self._condition(after, i)
        was, now = one.conditions[old], one.conditions[new]
        fled = bool(now.fled) and not was.fled
        lost, walls = [], []
        for n, slot in enumerate(one.army.slots):
            less = was.left[n] - now.left[n] - (now.fled[n] if fled else 0)
            if slot.role & Role.STRUCTURE and was.left[n] != now.left[n]:
                walls.append(f"{slot.labels[0]} {was.left[n]} -> {now.left[n]}")
            elif slot.role & Role.PEOPLE or not fled:
                lost += _names(slot, slot.number - was.left[n], less)
        parts = [f"{self._who(i)} loses {listed(lost)}"] if lost else []
        parts += [f"{self._who(i)}'s {', '.join(walls)}"] if walls else []
        gone = was.items & ~now.items if after.phase < rules.AFTER and not fled else 0
        parts += [f"{text} of {self._who(i)} is gone" for bit, text in ITEMS.items() if gone & bit]
        return [*parts, f"{self._who(i)} retreats"] if fled else parts


def _names(slot: Slot, first: int, number: int) -> list[str]:
    """What counters of a slot are called: `number` of them from the `first` on."""
    if slot.role & Role.STRUCTURE:
        return list(slot.labels) if number else []
    labels = slot.labels if len(slot.labels) == slot.number else slot.labels * slot.number
    return list(labels[first : first + number])


def _here(one: Catalogue, number: int) -> str:
    """All counters and structures that are left."""
    left = zip(one.army.slots, one.left[number].tolist(), strict=True)
    return ", ".join(name for slot, n in left for name in _names(slot, max(0, slot.number - n), n))


def throw_faces(values: Sequence[int], aimed: int, result: int, charm: int, dice: random.Random) -> list[int]:
    """Faces of ordinary dice with these target numbers, then of the aimed die, that come to this result."""

    def worth(value: int, hit: int) -> list[int]:
        """A hit, and in the bits above it whether the charm could turn this die."""
        return [((face <= value) + (int(face == turning(value, charm)) << BITS)) * hit for face in range(1, 7)]

    def fits(total: int) -> bool:
        """The charm turns an ordinary die if it can, else the aimed one."""
        hits, turned, aim, last = (total >> BITS * n & (1 << BITS) - 1 for n in range(4))
        if turned:
            hits += 1 if charm == NEAR_MISS else -1
        elif last:
            aim = 1 - aim
        return result == 4 * hits + 2 * aim + (turned + last > 0)

    thrown = [worth(value, 1) for value in values] + ([worth(aimed, 1 << 2 * BITS)] if aimed else [])
    return summing_to(thrown, fits, dice) or []


def decisions(forces: Forces, states: Any, options: np.ndarray) -> Columns:
    """States in which a side decides whether it leaves, by the counters that are left, and what it does."""
    told: Columns = {}
    for i, name in enumerate(SIDES[:2]):
        left = cache(lambda condition, i=i: _here(*forces.at(i, condition)) or "nobody")
        told[name] = np.array([left(condition) for condition in getattr(states, f"side{i}").tolist()], dtype=object)
    paths = np.array([f"policy.{name}.retreat" for name in np.where(states.turn == 0, *SIDES[:2]).tolist()])
    return {"decision": paths, **told, "choice": np.where(options == rules.STAY, "stay", "leave")}
