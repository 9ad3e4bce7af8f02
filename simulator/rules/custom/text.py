"""A battle of a game file in words: its assumptions, the dice of both sides and why, and the salvos of a replay."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.rules.custom.build import Field
from simulator.rules.custom.dice.die import MISS, Hit, face_names, hit_class, hits_by_face, rolled_again
from simulator.rules.custom.dice.hits import Counted, linked_hits, results_of
from simulator.rules.custom.dice.opposed import BOTH, hits_of_throw, kept_dice, thrown
from simulator.rules.custom.dice.points import dice_in_words, scoring
from simulator.rules.custom.dice.slots import Class, pool_of, slots_by_group, slots_in_use
from simulator.rules.custom.dice.volleys import Standing, Volley, fired, volleys_at
from simulator.rules.custom.game_file.words import by_side
from simulator.rules.custom.line import Places, absorbs_first, loss_order
from simulator.rules.custom.masks import bits
from simulator.rules.custom.model import PARAMETERS, options_of, usual
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
from simulator.rules.custom.setup import Help, Setup, Shot, SideSetup
from simulator.rules.toolkit.faces import thrown_until
from simulator.rules.toolkit.naming import counted, listed, plural, sentence
from simulator.rules.toolkit.policies import in_words, named

# More dice than this are counted, not shown.
MOST_SHOWN = 60


def assumptions(field: Field) -> list[str]:
    """The assumptions of the answer (section 9), from the file's own lines to the options."""
    setup = field.setup
    lines = [" ".join(line.split()) for line in setup.file.assumed]
    lines += [f"house rule: {path}: {old} -> {new}" for path, old, new in setup.source.changes]
    for key, condition in setup.file.condition.items():
        if setup.conditions[key] != usual(condition):
            lines.append(f"{key}: {_said(setup.conditions[key])}")
    for side in SIDES:
        lines += _side_lines(setup, side)
    options = setup.fields.options
    if setup.low_luck:
        lines.append("low luck: each hit class scores its mean, and the fraction is rolled")
    if setup.most_points is not None:
        lines.append(f"a side scores {setup.most_points} points at most")
    if setup.rounds:
        limit = plural(setup.rounds, "round")
        lines.append(f"after {limit} the battle is undecided{'' if options.rounds is None else ' (option)'}")
    return lines


def _said(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _side_lines(setup: Setup, side: str) -> Iterator[str]:
    policy, on = getattr(setup.fields.policy, side), options_of(getattr(setup.fields, side))
    if on:
        yield f"the {side} has {listed([setup.file.option[key].name or key for key in on])}"
    chosen = named(policy.retreat)
    if chosen == ["never"]:
        yield f"the {side} never leaves"
    else:
        yield f"the {side} leaves: {listed(in_words(policy, chosen, PARAMETERS), 'or')}"
    own = setup.sides[side]
    order = [setup.names[unit] for unit in loss_order(setup, side) if own.present >> unit & 1]
    enemys = by_side(setup.file.losses.chosen_by, side) == "enemy"
    loses = f"the {own.enemy} hits" if enemys else f"the {side} loses"
    text = f"{loses} {', then '.join(order)}" if order else ""
    several = [unit for unit in bits(own.present & own.fights) if own.pieces[unit].hits > 1]
    if front := [setup.names[unit] for unit in several if absorbs_first(setup, side, unit)]:
        text += f"; damage to {listed(front)} first"
    if policy.keep:
        text += f"; kept to the end: {listed([f'{number} {entry}' for entry, number in policy.keep.items()])}"
    yield text


def explain(field: Field) -> list[str]:
    """The dice of each unit at the start, with their values and the rules that change them."""
    setup = field.setup
    stands = {side: field.places[side].standing([0]) for side in SIDES}
    lines: dict[tuple[int, str, str], str] = {}
    for phase in range(setup.phases + 1):
        for number, group in enumerate(setup.groups):
            if (phase == 0) != (number < setup.opening):
                continue
            for side in SIDES:
                for text in _shot_lines(field, side, group, phase, stands):
                    lines.setdefault((number, side, text), f"{_when(phase, setup.phases)}: {text}")
    return [*lines.values()] or ["nobody rolls a die"]


def _when(phase: int, last: int) -> str:
    if phase == 0:
        return "before the battle"
    return f"round {phase}" if phase < last else "every round" if last == 1 else f"round {phase} and later"


def _shot_lines(field: Field, side: str, group: list[int], phase: int, stands: dict[str, Standing]) -> Iterator[str]:
    setup, rules = field.setup, field.setup.sides[side]
    own, enemy = stands[side], stands[rules.enemy]
    for shot in fired(rules, group, phase, own, enemy):
        rolled = [_volley_text(setup, volley) for volley in volleys_at(rules, shot, phase, own, enemy)]
        if rolled:
            yield f"{shot.given.name}, {side}: {'; '.join(rolled)}{_aim(setup, side, shot, enemy)}"


def _volley_text(setup: Setup, volley: Volley) -> str:
    each = "" if volley.dice == volley.units else f", {plural(volley.dice, 'die', 'dice')}"
    reroll = ""
    if volley.roll.reroll == "misses":
        reroll = ", misses rerolled"
    elif volley.roll.reroll:
        reroll = f", {listed([str(face) for face in sorted(volley.roll.reroll, key=str)])} rerolled"
    why = "".join(f", {_help_text(setup, rule)}" for rule in volley.helps)
    who = counted([volley.units], [setup.names[volley.unit]]) + _rolls_at(setup, volley)
    return f"{who}{each}{reroll}{_chance(setup, volley, why)}"


def _rolls_at(setup: Setup, volley: Volley) -> str:
    """The value, the die and the damage of a roll."""
    roll = volley.roll
    die = "" if roll.die is None else f" on {roll.die}"
    if roll.compared:
        return f"{die} with {roll.value:+d}"
    if isinstance(face_names(setup.file, roll)[0], str):
        return die
    word = "or less" if setup.file.dice.hit == "at-most" else "or more"
    damage = "" if roll.damage == 1 else f" for {roll.damage} damage{', split' * roll.split}"
    return f" at {roll.value} {word}{die}{damage}"


def _chance(setup: Setup, volley: Volley, why: str) -> str:
    """The chance of a die, for each set of units that it may hit."""
    if volley.roll.compared:
        return f" ({'scored' if volley.shot.given.points else 'compared'}{why})"
    there = setup.sides[volley.side.enemy].present
    chances: dict[int, Fraction] = {}
    for hit, chance in volley.hits:
        chances[hit.units & there] = chances.get(hit.units & there, Fraction(0)) + Fraction(chance, setup.whole)
    if len(chances) < 2:
        return f" (chance {sum(chances.values())} a die{why})"
    parts = [f"{chance} on {_units(setup, units)}" for units, chance in chances.items()]
    return f" (chance a die: {', '.join(parts)}{why})"


def _units(setup: Setup, units: int) -> str:
    """Units that a face hits."""
    return listed([setup.names[unit] for unit in bits(units)], "or") if units else "nobody there"


def _help_text(setup: Setup, rule: Help) -> str:
    given = rule.given
    parts = []
    if getattr(given, "sets", None) is not None:
        parts.append(f"raised to {given.sets}")
    if given.adds:
        parts.append(f"{given.adds:+d}")
    if getattr(given, "dice", 0):
        parts.append(f"{given.dice:+d} dice")
    if getattr(given, "reroll", "none") != "none":
        parts.append("reroll")
    kind = "support" if rule.by else "modifier"
    name = given.name or (listed([setup.names[u] for u in bits(rule.by)]) if rule.by else kind)
    return f"{' and '.join(parts) or 'nothing'} from {name}"


def _aim(setup: Setup, side: str, shot: Shot, enemy: Standing) -> str:
    others = enemy.fighting & ~shot.targets
    spared = f"; cannot hit {listed([setup.names[unit] for unit in bits(others)])}" if others else ""
    limit = shot.given.dice_at_most
    if isinstance(limit, int):
        return f"{spared}; at most {plural(limit, 'die', 'dice')}, the best ones"
    return spared + ("" if limit is None else "; no more dice than units allow, the best ones")


class Teller:
    """Tells a salvo of a replay, with dice that give its hits."""

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
        if self.setup.compared(self.field.salvos[before.salvo].group) is not None:
            return f"{group[0].name}  {self._compared(before, result[0], dice)}"
        if group[0].points:
            return f"{group[0].name}  {' | '.join(self._scored(before, result, dice))}"
        parts = []
        for side, hits in zip(SIDES, result, strict=True):
            if self.params.chosen and before.stage == (ROLLING if side == "defender" else ANSWERING):
                continue
            if text := self._rolled(side, before, hits, dice):
                parts.append((side, text))
        # Both sides stand in their order; a side that rolls alone is named.
        rolls = " | ".join(text for _, text in parts) if len(parts) > 1 else "".join(f"{s}: {t}" for s, t in parts)
        return f"{listed([*dict.fromkeys(step.group or step.name for step in group)])}  {rolls}"

    def _scored(self, before: State, result: tuple[int, int], dice: random.Random) -> Iterator[str]:
        """The dice of each side that scores points, and what they score."""
        for side, points in zip(SIDES, result, strict=True):
            rules, phase, own, enemy = self._situation(side, before)
            for shot in fired(rules, self.setup.groups[self.field.salvos[before.salvo].group], phase, own, enemy):
                rolled = volleys_at(rules, shot, phase, own, enemy)
                score = dice_in_words(scoring(rolled, [volley.dice for volley in rolled]), points, dice)
                yield f"{side}: {self._names(rolled)}: {score}"

    def _compared(self, before: State, result: int, dice: random.Random) -> str:
        """Both sides' dice, highest first, that give these hits."""
        found = []
        for side in SIDES:
            rules, phase, own, enemy = self._situation(side, before)
            group = self.setup.groups[self.field.salvos[before.salvo].group]
            shot = fired(rules, group, phase, own, enemy)[0]
            most = getattr(shot.given.compare.most, side)
            found.append(kept_dice(volleys_at(rules, shot, phase, own, enemy), rules, most))
        hits = result % BOTH, result // BOTH
        compare = shot.given.compare
        throw = partial(thrown, found[0], found[1])
        both = thrown_until(throw, lambda faces: hits_of_throw(faces, compare) == hits, dice)
        texts = []
        for n, scored in enumerate(hits):
            faces = "?" if both is None else " ".join(map(str, both[n]))
            texts.append(f"{faces} -> {plural(scored, 'hit')}")
        return " | ".join(texts)

    def _situation(self, side: str, before: State) -> tuple[SideSetup, int, Standing, Standing]:
        """The rules of a side, the round, and who stands on both sides, as the side sees it."""
        rules = self.setup.sides[side]
        own, enemy = (self.field.places[one].standing([getattr(before, one)]) for one in (side, rules.enemy))
        phase = 0 if before.salvo < self.params.opening else min(before.clock + 1, self.setup.phases)
        return rules, phase, own, enemy

    def _rolled(self, side: str, before: State, result: int, dice: random.Random) -> str:
        army, salvo = getattr(self.params, side), self.field.salvos[before.salvo]
        rules, phase, own, enemy = self._situation(side, before)
        shots = fired(rules, self.setup.groups[salvo.group], phase, own, enemy)
        slots = slots_by_group(rules, self.field.places[rules.enemy])[salvo.group]
        used, chosen = slots_in_use(rules, slots, shots, enemy), salvo.slots[SIDES.index(side)]
        at = {of: chosen.index(slot) for of, slot in used.items() if slot in chosen}
        rolled = [volley for shot in shots for volley in volleys_at(rules, shot, phase, own, enemy)]
        rolled = [volley for volley in rolled if not volley.hits or _class_of(volley) in at]
        aims = [self.field.classes[side][k] for k in army.targets[before.salvo][: army.classes[before.salvo]]]
        sizes = [int(size) for size in army.size[before.salvo][: len(aims)]]
        pieces = self.setup.sides[rules.enemy].pieces
        absorbed = int(sum(enemy.counts[0, unit] * pieces[unit].absorbs for unit in bits(enemy.fighting)))
        wasted = any(not hit.units & enemy.fighting for volley in rolled for hit, _ in volley.hits)
        if absorbed or wasted or any(len(volley.hits) > 1 for volley in rolled):
            most = [size - 1 if aim.units & enemy.fighting else 0 for aim, size in zip(aims, sizes, strict=True)]
            counted = Counted(tuple([size - 1 for size in sizes]), tuple(most), absorbed)
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
        counted: Counted,
        result: int,
        dice: random.Random,
    ) -> str:
        """Dice that may fall into several hit classes, or whose hits are absorbed."""
        number = sum(volley.dice for volley in rolled)
        there = self.setup.sides[rolled[0].side.enemy].present if rolled else 0
        score = self._score(aims, counted, result, there)
        if self.setup.low_luck or number > MOST_SHOWN or not number:
            return f"{self._names(rolled)} roll {plural(number, 'die', 'dice')} -> {score}" if number else ""
        whole = self.setup.whole
        chances = [[(at[hit, None], chance / whole) for hit, chance in v.hits] for v in rolled for _ in range(v.dice)]
        fallen = linked_hits(chances, results_of(counted) == result, dice)
        return f"{self._faces(rolled, [MISS if slot is None else aims[slot] for slot in fallen], dice)} -> {score}"

    def _names(self, rolled: list[Volley]) -> str:
        return counted((volley.units for volley in rolled), (self.setup.names[volley.unit] for volley in rolled))

    def _faces(self, rolled: list[Volley], fallen: list[Hit], dice: random.Random) -> str:
        """The units that roll, and faces that give the hit of each of their dice."""
        texts, each = [], iter(fallen)
        for volley in rolled:
            faces = [self._face(volley, hit, dice) + "*" * (hit != MISS) for hit in islice(each, volley.dice)]
            texts.append(f"{self._names([volley])}{self._at(volley)}: {' '.join(faces)}")
        return ", ".join(texts)

    def _score(self, aims: list[Hit], counted: Counted, result: int, there: int) -> str:
        """The hits of a packed result in words."""
        parts = []
        for aim, cap in zip(aims, counted.caps, strict=True):
            result, hits = divmod(result, cap + 1)
            if hits:
                damage = f" of {aim.damage} damage" if aim.damage > 1 else ""
                parts.append(f"{plural(hits, 'hit')}{damage} on {_units(self.setup, aim.units & there)}")
        absorbed = f", {counted.absorbed} absorbed" if counted.absorbed else ""
        return (", ".join(parts) or "no hit") + absorbed

    def _class_text(self, rolled: list[Volley], hits: int, most: int, dice: random.Random) -> str:
        score = plural(hits, "hit") + (" or more" if hits == most else "")
        if self.setup.low_luck:
            return f"{Fraction(sum(v.dice * v.chance for v in rolled), self.setup.whole)} expected -> {score}"
        number = sum(volley.dice for volley in rolled)
        if number > MOST_SHOWN:
            return f"{self._names(rolled)} roll {number} dice -> {score}"
        each = [volley for volley in rolled for _ in range(volley.dice)]
        chances = [[(0, volley.chance / self.setup.whole)] for volley in each]
        fallen = linked_hits(chances, np.arange(most + 1) == hits, dice)
        drawn = [MISS if slot is None else v.hits[0][0] for v, slot in zip(each, fallen, strict=True)]
        return f"{self._faces(rolled, drawn, dice)} -> {plural(number - fallen.count(None), 'hit')}"

    def _at(self, volley: Volley) -> str:
        """The value that a unit rolls at: (5+) hits with 5 or more, (2-) with 2 or less."""
        file = self.setup.file
        symbols = isinstance(face_names(file, volley.roll)[0], str)
        return "" if symbols else f" ({volley.value}{'-' if file.dice.hit == 'at-most' else '+'})"

    def _face(self, volley: Volley, hit: Hit, dice: random.Random) -> str:
        """A face, or two where the die was rolled again."""
        file, roll = self.setup.file, volley.roll
        good = hits_by_face(file, volley.side.enemy, roll, volley.shot.targets)
        again, names = rolled_again(file, roll, good), face_names(file, roll)

        def throw(dice: random.Random) -> list[int]:
            first = dice.randint(1, len(good))
            return [first, dice.randint(1, len(good))] if again[first - 1] else [first]

        thrown = thrown_until(throw, lambda faces: good[faces[-1] - 1] == hit, dice)
        return "?" if thrown is None else ">".join([str(names[face - 1]) for face in thrown])


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
