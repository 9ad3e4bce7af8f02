"""The salvos of a replay in words, with dice that give their results."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.rules.custom.dice.aimed import dice_of
from simulator.rules.custom.dice.die import MISS, Hit, hit_class, hits_by_face
from simulator.rules.custom.dice.hits import CountedHits, linked_hits, results_of
from simulator.rules.custom.dice.opposed import BOTH
from simulator.rules.custom.dice.points import dice_in_words, scoring
from simulator.rules.custom.dice.replay_aimed import (
    MOST_SHOWN,
    aimed_text,
    faces_text,
    names_of,
    opposed_texts,
    throw_at,
)
from simulator.rules.custom.dice.slots import Class, pool_of, slots_by_group, slots_in_use
from simulator.rules.custom.dice.tables import NO_LIMIT
from simulator.rules.custom.dice.volleys import (
    Situation,
    Volley,
    at_one_place,
    best,
    covering,
    fired,
    rerolls,
    volleys_at,
)
from simulator.rules.custom.game_file.describe import short_value
from simulator.rules.custom.line import Places
from simulator.rules.custom.masks import bits
from simulator.rules.custom.rules.state import (
    ANSWERING,
    ATTACKER_LEFT,
    DEFENDER_LEFT,
    GONE,
    OVER,
    ROLLING,
    STALEMATE,
    State,
)
from simulator.rules.custom.setup import Help, Setup, SideSetup
from simulator.rules.toolkit.faces import thrown_until
from simulator.rules.toolkit.naming import counted, listed, plural, sentence

# A die as it was thrown: its volley, and the faces that it showed, of which the last one stands.
Fallen = tuple[Volley, list[int]]


def units_text(setup: Setup, units: int) -> str:
    """Units that a face hits."""
    return listed([setup.names[unit] for unit in bits(units)], "or") if units else "nobody there"


class Teller:
    """Writes a salvo of a replay, with dice that give its hits."""

    def __init__(self, field: Any) -> None:
        self.field, self.setup, self.params = field, field.setup, field.chain.params

    def __call__(self, before: Any, result: tuple[int, int], after: Any, dice: random.Random) -> str:
        """One line."""
        opening = before.salvo < self.params.opening
        when = "Before the battle" if opening else f"Round {before.clock + before.rounds + 1}"
        seen = self.field.seen(type(before)(*map(np.array, zip(before, after, strict=True))))
        lost = "; ".join(text for side in SIDES if (text := _losses(side, *seen[side])))
        gone = [side for side, (stands, rows) in seen.items() if not stands.units[rows[1]]]
        text = f"{when} {self._rolls(before, result, dice)}."
        return text + (f" {sentence(lost)}" if lost else "") + _ending(after.ending, gone)

    def _rolls(self, before: Any, result: tuple[int, int], dice: random.Random) -> str:
        """The steps of a salvo, and what each side rolls."""
        group = [self.setup.step(i) for i in self.setup.groups[self.field.salvos[before.salvo].group]]
        if self.setup.opposed(self.field.salvos[before.salvo].group) is not None:
            return f"{group[0].name}  {self._opposed(before, result[0], dice)}"
        if group[0].points:
            return f"{group[0].name}  {' | '.join(self._scored(before, result, dice))}"
        parts = []
        for side, hits in zip(SIDES, result, strict=True):
            if self.params.chosen and before.stage == (ROLLING if side == "defender" else ANSWERING):
                continue
            say = self._aimed if self.setup.aimed(self.field.salvos[before.salvo].group) else self._rolled
            if text := say(side, before, hits, dice):
                parts.append((side, text))
        # Both sides stand in their order; a side that rolls alone is named.
        rolls = " | ".join(text for _, text in parts) if len(parts) > 1 else "".join(f"{s}: {t}" for s, t in parts)
        return f"{listed([*dict.fromkeys(step.group or step.name for step in group)])}  {rolls}"

    def _scored(self, before: State, result: tuple[int, int], dice: random.Random) -> Iterator[str]:
        """The dice of each side that scores points, and what they score."""
        for side, points in zip(SIDES, result, strict=True):
            rules, now = self._situation(side, before)
            for shot in fired(rules, self.setup.groups[self.field.salvos[before.salvo].group], now):
                rolled = volleys_at(rules, shot, now)
                score = dice_in_words(scoring(rolled, [volley.dice for volley in rolled]), points, dice)
                yield f"{side}: {names_of(self.setup, rolled)}: {score}"

    def _opposed(self, before: State, result: int, dice: random.Random) -> str:
        """Both sides' dice, highest first where they are compared, that give these hits."""
        group, found, rooms = self.field.salvos[before.salvo].group, list[list[Volley]](), list[int]()
        step = self.setup.step(self.setup.groups[group][0])
        for side in SIDES:
            rules, now = self._situation(side, before)
            shots = fired(rules, self.setup.groups[group], now)
            found.append([volley for shot in shots for volley in volleys_at(rules, shot, now)])
            rooms.append(now.own.points[0][1] if step.aim == "piece" else BOTH)
        hits = result % BOTH, result // BOTH
        fits = partial(_taken, rooms, hits)
        texts = opposed_texts(step, found, fits, dice)
        return " | ".join(f"{text} -> {plural(scored, 'hit')}" for text, scored in zip(texts, hits, strict=True))

    def _aimed(self, side: str, before: State, result: int, dice: random.Random) -> str:
        """The dice of a side, one after the other, that take these points."""
        army, (rules, now) = getattr(self.params, side), self._situation(side, before)
        group = self.field.salvos[before.salvo].group
        slots = [slot.hit.units for slot in slots_by_group(rules, self.field.places[rules.enemy])[group]]
        packed = zip(army.stride[before.salvo], army.size[before.salvo], strict=True)
        taken = [result // int(stride) % int(size) for stride, size in packed] if len(slots) > 1 else [result]
        rolled = dice_of(rules, slots, group, now)
        shown = [(slot, [at_one_place(volley) for volley in some]) for slot, some in rolled]
        if not any(volley.dice for _, some in shown for volley in some):
            return ""
        text = aimed_text(self.setup, shown, slots, taken[: len(slots)], now.enemy, dice)
        return f"{text} -> {plural(sum(taken), 'point')}"

    def _situation(self, side: str, before: State) -> tuple[SideSetup, Situation]:
        """The rules of a side, and the situation as it sees it."""
        rules = self.setup.sides[side]
        own, enemy = (self.field.places[one].standing([getattr(before, one)]) for one in (side, rules.enemy))
        phase = 0 if before.salvo < self.params.opening else min(before.clock + 1, self.setup.phases)
        return rules, Situation(phase, own, enemy)

    def _rolled(self, side: str, before: State, result: int, dice: random.Random) -> str:
        army, salvo = getattr(self.params, side), self.field.salvos[before.salvo]
        rules, now = self._situation(side, before)
        enemy, shots = now.enemy, fired(rules, self.setup.groups[salvo.group], now)
        slots = slots_by_group(rules, self.field.places[rules.enemy])[salvo.group]
        used, chosen = slots_in_use(rules, slots, shots, enemy), salvo.slots[SIDES.index(side)]
        at = {of: chosen.index(slot) for of, slot in used.items() if slot in chosen}
        by_shot = [(volleys_at(rules, shot, now), rerolls(rules, shot, now)) for shot in shots]
        rolled = [volley for volleys, _ in by_shot for volley in volleys]
        rolled = [volley for volley in rolled if not volley.hits or _class_of(volley) in at]
        aims = [self.field.classes[side][k] for k in army.targets[before.salvo][: army.classes[before.salvo]]]
        sizes = [int(size) for size in army.size[before.salvo][: len(aims)]]
        pieces = self.setup.sides[rules.enemy].pieces
        absorbed = int(sum(enemy.counts[0, unit] * pieces[unit].absorbs for unit in bits(enemy.fighting)))
        wasted = any(not hit.units & enemy.fighting for volley in rolled for hit, _ in volley.hits)
        again = any(found for _, found in by_shot)
        if absorbed or wasted or again or any(len(volley.hits) > 1 for volley in rolled):
            most = [size - 1 if aim.units & enemy.fighting else 0 for aim, size in zip(aims, sizes, strict=True)]
            counted = CountedHits(tuple([size - 1 for size in sizes]), tuple(most), absorbed)
            if again and sum(volley.dice for volley in rolled) <= MOST_SHOWN:
                packed = results_of(counted)
                fallen = thrown_until(partial(_toss, by_shot), lambda some: _packed(some, at, packed) == result, dice)
                return f"{self._dice(fallen)} -> {self._score(aims, counted, result, enemy.fighting)}"
            return self._linked_text(rolled, aims, at, counted, result, dice)
        texts = []
        for k in range(len(aims)):
            hits = result // int(army.stride[before.salvo, k]) % sizes[k]
            if same := [volley for volley in rolled if at.get(_class_of(volley)) == k]:
                texts.append(self._class_text(same, hits, sizes[k] - 1, dice))
        return "; ".join(texts)

    def _linked_text(
        self,
        rolled: list[Volley],
        aims: list[Hit],
        at: Mapping[Class, int],
        counted: CountedHits,
        result: int,
        dice: random.Random,
    ) -> str:
        """Dice that may fall into several hit classes, or whose hits are absorbed."""
        number = sum(volley.dice for volley in rolled)
        there = self.setup.sides[rolled[0].side.enemy].present if rolled else 0
        score = self._score(aims, counted, result, there)
        if self.setup.low_luck or number > MOST_SHOWN or not number:
            return f"{names_of(self.setup, rolled)} roll {plural(number, 'die', 'dice')} -> {score}" if number else ""
        whole = self.setup.whole
        chances = [[(at[hit, None], chance / whole) for hit, chance in v.hits] for v in rolled for _ in range(v.dice)]
        fallen = linked_hits(chances, results_of(counted) == result, dice)
        return f"{self._faces(rolled, [MISS if slot is None else aims[slot] for slot in fallen], dice)} -> {score}"

    def _dice(self, fallen: Sequence[Fallen] | None) -> str:
        """The units that roll, and the faces of their dice, rolled again or not."""
        if fallen is None:
            return "?"
        texts: dict[int, str] = {}
        for volley, faces in fallen:
            who = f"{names_of(self.setup, [volley])}{self._at(volley)}:"
            texts[id(volley)] = f"{texts.get(id(volley), who)} {faces_text(volley, faces, _hit_of(volley, faces))}"
        return ", ".join(texts.values())

    def _faces(self, rolled: list[Volley], fallen: list[Hit], dice: random.Random) -> str:
        """The units that roll, and faces that give the hit of each of their dice."""
        texts, each = [], iter(fallen)
        for volley in rolled:
            faces = [_die_text(volley, hit, dice) for hit in islice(each, volley.dice)]
            texts.append(f"{names_of(self.setup, [volley])}{self._at(volley)}: {' '.join(faces)}")
        return ", ".join(texts)

    def _score(self, aims: list[Hit], counted: CountedHits, result: int, there: int) -> str:
        """The hits of a packed result in words."""
        parts = []
        for aim, cap in zip(aims, counted.caps, strict=True):
            result, hits = divmod(result, cap + 1)
            if hits:
                damage = f" of {aim.damage} damage" if aim.damage > 1 else ""
                parts.append(f"{plural(hits, 'hit')}{damage} on {units_text(self.setup, aim.units & there)}")
        absorbed = f", {counted.absorbed} absorbed" if counted.absorbed else ""
        return (", ".join(parts) or "no hit") + absorbed

    def _class_text(self, rolled: list[Volley], hits: int, most: int, dice: random.Random) -> str:
        score = plural(hits, "hit") + (" or more" if hits == most else "")
        if self.setup.low_luck:
            return f"{Fraction(sum(v.dice * v.chance for v in rolled), self.setup.whole)} expected -> {score}"
        number = sum(volley.dice for volley in rolled)
        if number > MOST_SHOWN:
            return f"{names_of(self.setup, rolled)} roll {number} dice -> {score}"
        each = [volley for volley in rolled for _ in range(volley.dice)]
        chances = [[(0, volley.chance / self.setup.whole)] for volley in each]
        fallen = linked_hits(chances, np.arange(most + 1) == hits, dice)
        drawn = [MISS if slot is None else v.hits[0][0] for v, slot in zip(each, fallen, strict=True)]
        return f"{self._faces(rolled, drawn, dice)} -> {plural(number - fallen.count(None), 'hit')}"

    def _at(self, volley: Volley) -> str:
        """The value that a unit rolls at: (5+) hits with 5 or more, (2-) with 2 or less."""
        value = short_value(self.setup.file, volley.roll)
        return f" ({value})" if value else ""


def _taken(rooms: Sequence[int], hits: tuple[int, int], mine: int, theirs: int) -> bool:
    """Are these the hits of both sides that are taken, where front pieces have no more points than `rooms`?"""
    return (min(mine, rooms[1]), min(theirs, rooms[0])) == hits


def _good(volley: Volley) -> tuple[Hit, ...]:
    """The hit of each face of a die."""
    return hits_by_face(volley.side.setup.file, volley.side.enemy, volley.roll, volley.shot.targets)


def _die_text(volley: Volley, hit: Hit, dice: random.Random) -> str:
    """Faces of a die that give this hit."""
    thrown = thrown_until(partial(throw_at, volley, volley.shot.targets), lambda die: die[1] == hit, dice)
    return "?" if thrown is None else faces_text(volley, *thrown)


def _hit_of(volley: Volley, faces: Sequence[int]) -> Hit:
    return _good(volley)[faces[-1] - 1]


def _toss(by_shot: Sequence[tuple[list[Volley], list[tuple[Help, Any]]]], dice: random.Random) -> list[Fallen]:
    """A throw of all dice of some steps; then each step's limited rerolls, one after the other (section 5)."""
    found: list[Fallen] = []
    for volleys, again in by_shot:
        each = [volley for volley in best(volleys, NO_LIMIT) for _ in range(volley.dice)]
        fallen = [(volley, throw_at(volley, volley.shot.targets, dice)[0]) for volley in each]
        for k, (_, most) in enumerate(again):
            left = int(np.max(most))
            for volley, faces in fallen:
                if left and len(faces) == 1 and k in covering(volley, again) and _hit_of(volley, faces) == MISS:
                    faces.append(dice.randint(1, len(_good(volley))))
                    left -= 1
        found += fallen
    return found


def _packed(fallen: Sequence[Fallen], at: Mapping[Class, int], packed: np.ndarray) -> int:
    """The result of dice that have fallen; `packed` by hits of each slot."""
    tally = [0] * packed.ndim
    for volley, faces in fallen:
        if (hit := _hit_of(volley, faces)) != MISS:
            tally[at[hit, None]] += 1
    return int(packed[tuple([min(n, size - 1) for n, size in zip(tally, packed.shape, strict=True)])])


def _class_of(volley: Volley) -> Class:
    """The hit class of dice that fall into one, also of those that cannot hit; the first one of others."""
    roll, shot = volley.roll, volley.shot
    hit = volley.hits[0][0] if volley.hits else hit_class(shot.targets, roll.damage, roll.split)
    return hit, pool_of(volley.side, shot)


def _losses(side: str, stands: Places, rows: np.ndarray) -> str:
    """The losses of a side between two places, in words; "" for none."""
    lost, hurt = (np.diff(counted[rows], axis=0)[0] for counted in (stands.lost, stands.damage))
    names = [counted([lost[u]], [stands.setup.names[u]]) for u in np.flatnonzero(lost).tolist()]
    damaged = [stands.setup.names[u] for u in np.flatnonzero(hurt > 0).tolist()]
    parts = [f"the {side} loses {listed(names)}"] if names else []
    if damaged:
        parts.append(f"the {side}'s {listed(damaged)} is hit")
    return ", ".join(parts)


def _ending(ending: int, gone: list[str]) -> str:
    """The end of the battle as a sentence with a space before it; "" while it goes on."""
    sentences = {
        GONE: f" Nobody is left of the {listed(gone)}.",
        OVER: " The rounds are over.",
        STALEMATE: " Nobody can hit any more.",
        ATTACKER_LEFT: " The attacker leaves.",
        DEFENDER_LEFT: " The defender leaves.",
    }
    return sentences.get(ending, "")
