"""Campaigns in words: the assumptions of an answer, the plan of the fights, and the lines of a replay."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.rules.campaign.plan import AWAY, HERE, OUT, STAY, UNNAMED, CampaignPlan, PlannedFight, PlannedSide
from simulator.rules.campaign.rows import Rows
from simulator.rules.question import Answered, given
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.naming import listed, winner_text

# The sentence for a yes/no column of a fight, and the sentence for its contrary.
ENDS = {
    "won": ("is won", "is not won"),
    "fought": ("is fought", "is not fought"),
    "taken": ("takes the land", "does not take the land"),
}


def in_words(plan: CampaignPlan, question: str) -> str:
    """A question about earlier fights as a sentence: `not counter_won` is "the counter-attack is not won"."""
    names = "|".join(re.escape(fight.name) for fight in plan.fights)
    forces = "|".join(map(re.escape, plan.forces))
    pattern = rf"\b(not )?({names})_({'|'.join(ENDS)})\b"
    question = re.sub(
        rf"\b({forces})_units_here == 0\b",
        lambda found: f"nobody of {'the ' * (found[1] in SIDES)}{found[1]} is there",
        question,
    )
    return re.sub(pattern, lambda found: f"{called_fight(found[2])} {ENDS[found[3]][found[1] is not None]}", question)


def of_a_fight(question: str) -> str:
    """A yes/no column of a fight, or its contrary, as a sentence: "the attack takes the land"; "" for others."""
    found = re.fullmatch(rf"(not )?\(?(\w+)_({'|'.join(ENDS)})\)?", question)
    return f"{called_fight(found[2])} {ENDS[found[3]][found[1] is not None]}" if found else ""


# Taking and holding: "attack_taken and not counter_won".
HELD = re.compile(r"(\w+)_(taken|won) and not (\w+)_won")


def headline(answer: Answered) -> str:
    """The sentence with which an answer begins (docs/rules/decisions.md section 12)."""
    goal = given(answer, "goal")
    if isinstance(goal, str) and (held := HELD.fullmatch(goal.strip())) and _ours(answer, held[1]):
        first = f"{held[1]}_{held[2]}"
        if answer.battles is None and not answer.p(first):
            return "{A} never takes it."
        if answer.battles is None and not answer.p(goal):
            return f"{{A}} takes it in {{{first}}}, but never holds it after {called_fight(held[3])}."
        return f"{{A}} takes it in {{{first}}} and still holds it after {called_fight(held[3])} in {{m}}."
    if goal is not None:
        return "{A} reaches the goal in {m}."
    value = next((name for name in answer.names if name.endswith("_value_taken")), None)
    if value is not None and (tax := _tax(answer)):
        return f"{{A}} wins the area in {{m}} and takes provinces worth {{mean.{value}}} of {tax} in tax on average."
    return "{A} is the winner at the end in {m}, {D} in {winner == 'defender'}[, nobody in {winner == 'nobody'}]."


def _ours(answer: Answered, name: str) -> bool:
    """Does our side, as the scenario names it, attack in a fight? True where it names none."""
    us = given(answer, "us")
    ours = {us} if isinstance(us, str) else {*(us or ())}
    fights = enumerate(given(answer, "fight") or ())
    attackers = [force_of(one.get("attacker")) for at, one in fights if name == one.get("name", f"fight{at + 1}")]
    return not ours or not attackers or attackers[0] in ours


def _tax(answer: Answered) -> int:
    """The tax value of the provinces besieged in the last fight; 0 where it besieges none."""
    fights = given(answer, "fight") or [{}]
    side = fights[-1].get("defender")
    provinces = side.get("provinces") if isinstance(side, Mapping) else None
    return sum(1 + (one.get("size") == "large") for one in provinces or ())


def called_fight(name: str) -> str:
    """A fight as a sentence names it: "the counter-attack", "fight 2", "the siege"."""
    if name == "counter":
        return "the counter-attack"
    number = name.removeprefix("fight")
    words = name.replace("_", " ")
    return f"fight {number}" if number.isdecimal() else words if words[-1:].isdecimal() else f"the {words}"


def called(name_of: Callable[[Mapping[str, Any], str], str] | None, data: Mapping[str, Any], side: str) -> str:
    """Our forces that fight, for the attacker, or those of the others.

    A force that is called by its side has the name of its realm or country in a fight, as `name_of` the battles of the
    game finds it; "" where it has none.
    """
    fights = [one for one in data.get("fight") or () if isinstance(one, Mapping)]
    pairs = [tuple(force_of(fight.get(role)) for role in SIDES) for fight in fights]
    used = dict.fromkeys(name for pair in pairs for name in pair if name)
    us = data.get("us")
    ours = {us} if isinstance(us, str) else {*us} if isinstance(us, list) else _our_side(pairs)
    names = [name for name in used if (name in ours) == (side == "attacker")]
    if not names or {*names} & {*SIDES}:
        own = [fight[role] for fight in fights for role in SIDES if force_of(fight.get(role)) == side]
        given = [name_of({side: one}, side) if name_of else "" for one in own if isinstance(one, Mapping)]
        return next(filter(None, given), "")
    words = ["our side" if name == "us" else name.replace("_", " ") for name in names]
    return words[0] if len(words) == 1 else f"the side of {listed(words)}"


def force_of(side: Any) -> str:
    """The name of the force that fights on a side of a fight, as a scenario gives it; "" without one."""
    name = side.get("force") if isinstance(side, Mapping) else side
    return name if isinstance(name, str) else ""


def _our_side(pairs: Sequence[tuple[str, ...]]) -> set[str]:
    """Our forces: the first attacker, and the enemies of his enemies."""
    ours: set[str] = set()
    theirs: set[str] = set()
    if pairs:
        (ours if pairs[0][0] else theirs).add(pairs[0][0] or pairs[0][1])
    for _ in pairs:
        for one, other in (*pairs, *(pair[::-1] for pair in pairs)):
            ours |= {other} if one in theirs else set()
            theirs |= {other} if one in ours else set()
    return ours - {""}


def assumptions(plan: CampaignPlan, fields: Sequence[Any]) -> list[str]:
    """The lines of every fight, then those of the campaign."""
    lines: dict[str, list[str]] = {}
    for fight, one in zip(plan.fights, fields, strict=True):
        for line in plan.carry.build(fight.kind, one).assumptions() if one is not None else ():
            lines.setdefault(line, []).append(fight.name)
    every = [fight.name for fight, one in zip(plan.fights, fields, strict=True) if one is not None]
    found = [line if names == every else f"{listed(names)}: {line}" for line, names in lines.items()]
    return [*dict.fromkeys([*found, *_of_campaign(plan)])]


def _of_campaign(plan: CampaignPlan) -> Iterator[str]:
    if plan.derived:
        yield f"us: {listed([plan.forces[force] for force in sorted(plan.us)])} (follows from the fights)"
    for fight in plan.fights:
        if fight.question is not None:
            yield f"{fight.name}: is not fought unless {in_words(plan, fight.question)}"
    yield "driven_off: those who are beaten or leave a battle are out of the campaign, unless the field says otherwise"
    for at, fight in enumerate(plan.fights):
        if fight.sides[0].best:
            camp = "our side" if plan.on_our_side(*fight.sides) else "the other side"
            yield f"fight[{at}].attacker.go: best for {camp} by the objectives, with all that may follow"
        for side in fight.sides:
            if side.is_force and side.driven_off != OUT:
                to = "stay with their force" if side.driven_off == STAY else f"join {plan.forces[side.driven_off]}"
                yield f"fight[{at}].{side.role}.driven_off: those driven off {to}"
    sieges = [fight.name for fight in plan.fights if fight.kind in plan.carry.sieges and not fight.sides[1].besieged]
    if plan.carry.fortresses.kept and len(sieges) > 1:
        text = "a siege's state is not carried between unnamed fortresses; declare [fortress.NAME]"
        yield f"{', '.join(sieges)}: {text}"
    yield from plan.carry.assumed


def explain(plan: CampaignPlan, fields: Sequence[Any]) -> list[str]:
    """The sides of each fight, and its explanation from the most that they may bring."""
    lines = []
    for fight, one in zip(plan.fights, fields, strict=True):
        names = [_name(plan, side) for side in fight.sides]
        asked = f", only if {in_words(plan, fight.question)}" if fight.question else ""
        lines.append(f"{fight.name}: {fight.kind}, {names[0]} against {names[1]}{asked}")
        more = plan.carry.build(fight.kind, one).explain() if one is not None else ()
        lines += [f"{fight.name}: {line}" for line in more]
    return lines


def _name(plan: CampaignPlan, side: PlannedSide) -> str:
    return "others" if side.force == UNNAMED else plan.names[side.force]


@dataclass
class Story:
    """Lines about a campaign of a single battle; all rows given have one row at most."""

    plan: CampaignPlan
    lines: list[str]

    def begins(self, fight: PlannedFight, asked: np.ndarray, here: np.ndarray, part: Sequence[np.ndarray]) -> None:
        """The name of the fight, why it is not fought, who joins and who takes no part.

        `here`: int64, shape (rows, forces, slots).
        """
        self.lines.append(f"{fight.name}:")
        if not asked.all():
            why = f"only if {in_words(self.plan, fight.question)}" if fight.question else "the fortress has fallen"
            self._tell(f"not fought: {why}")
            return
        for side in fight.sides:
            if side.join is not None:
                self._of(side, "joining", side.join)
        for side, own in zip(fight.sides, part, strict=True):
            if side.is_force and len(own):
                self._of(side, "taking no part", here[0, side.force] - own[0])

    def walk_over(self, winner: np.ndarray, able: Sequence[np.ndarray]) -> None:
        """A fight that one side cannot fight."""
        if not len(winner):
            return
        missing = [f"the {side}" for side, there in zip(SIDES, able, strict=True) if not there[0]]
        why = f"{' and '.join(missing)} cannot fight" if missing else "neither side can hurt the other"
        self._tell(f"not fought: {why}; {winner_text(winner[0])}")

    def declined(self, fight: PlannedFight, rows: np.ndarray, units: float) -> None:
        """A fight that its attacker does not want; `rows` are those in which that is so."""
        side = fight.sides[0]
        if not len(rows):
            return
        why = "by the objective it is better not to"
        if side.min_units is not None and units < side.min_units:
            why = f"{units:g} units are fewer than min_units = {side.min_units:g}"
        elif side.min_odds is not None:
            why = f"the chance to win is below min_odds = {side.min_odds:g}"
        self._tell(f"not fought: the attacker declines; {why}")

    def ended(self, fight: PlannedFight, number: int, before: Rows, after: Rows) -> None:
        """Note the pieces left behind or driven off, from the rows before and after the fight."""
        for code, side in enumerate(fight.sides):
            if not side.is_force or not len(after):
                continue
            won = after.winner[0, number] == code
            to = side.leave_to if won else side.driven_off
            what = "left behind" if won else "driven off"
            gone = (after.pieces - before.pieces)[0, side.force, AWAY]
            if to not in (OUT, side.force) and to >= 0:
                gone = (after.pieces - before.pieces)[0, to, HERE]
            self._of(side, f"{what}, {'out' if to < 0 else f'to {self.plan.forces[to]}'}", gone)

    def captured(self, side: PlannedSide, pieces: np.ndarray) -> None:
        """Pieces that a side captured: int64, shape (rows, slots)."""
        if len(pieces):
            self._of(side, "captured", pieces[0])

    def _of(self, side: PlannedSide, what: str, pieces: np.ndarray) -> None:
        pieces = np.where(self.plan.carry.marks, 0, pieces)
        if pieces.any():
            self._tell(f"{self.plan.names[side.force]}, {what}: {self.plan.carry.words(pieces)}")

    def _tell(self, line: str) -> None:
        self.lines.append(f"  {line}")
