"""Rounds of the military phase, leader survival, logistics (docs/rules/europa_naval_and_other.md sections 11 to 13)."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Built, Outcomes, Run, certain
from simulator.rules.europa import leaders
from simulator.rules.europa.fleets import LAW, fleet_of, half_points_needed, hold_of
from simulator.rules.europa.leaders import CAPTURED, KILLED, UNHARMED, WOUNDED, Leader, Trial, is_fragile
from simulator.rules.europa.model import CampaignConditions
from simulator.rules.europa.overseas_model import Continuation, Survival, TrackConditions
from simulator.rules.europa.spelled import FACES, Bonus, built, plainly, rolled, spell_out, sum_of, why
from simulator.rules.europa.stacks import size_of
from simulator.rules.europa.tables import book
from simulator.rules.europa.voyage_model import Logistics, Supplier
from simulator.rules.toolkit.faces import face_where

# --- the round track (section 11) ---

START, END = "start", "End"
BOXES = ("W0", "S1", "W1", "S2", "W2", "S3", "W3", "S4", "W4", "S5", "W5")
STARTS = ("W0", "S1", "S1", "S2", "S2", "W2", "S3", "S3", "S3", "S3")
LAST_YEAR = 5
EXTENDED_UP_TO, STORMY = 5, (1, 3, 5)


class Track(NamedTuple):
    """The current box, and what has been counted since the start: rounds played as bits, and the rest."""

    box: str
    played: int = 0
    extended: int = 0
    bad: int = 0
    winterings: int = 0
    frozen: bool = False


@dataclass(frozen=True)
class Season:
    """What bears on the continuation rolls."""

    poor_weather: bool
    late: bool

    @classmethod
    def of(cls, conditions: TrackConditions | CampaignConditions) -> Season:
        """That of a scenario."""
        return cls(conditions.poor_weather, conditions.period in {"VI", "VII"})

    @property
    def bonuses(self) -> list[Bonus]:
        """Modifiers of a continuation roll."""
        return [Bonus(2 * self.poor_weather, "poor weather"), Bonus(-int(self.late), "period VI or VII")]

    def box_after(self, box: str, die: int) -> str:
        """The next box."""
        if box == START:
            return STARTS[die - 1]
        if box == BOXES[-1]:
            return END
        year, modified = int(box[1]), die + sum_of(self.bonuses)
        if box[0] == "S":
            return f"W{year}" if modified <= EXTENDED_UP_TO else self._summer(year + 1)
        return self._summer(year + 1) if modified <= 7 else f"W{year + 1}" if modified == 8 else self._summer(year + 2)

    @staticmethod
    def _summer(year: int) -> str:
        return f"S{year}" if year <= LAST_YEAR else END

    def moves(self, box: str) -> Counter[tuple[str, bool, bool]]:
        """(next box, natural 1, 3 or 5, natural 1) with their faces."""
        return Counter((self.box_after(box, die), die in STORMY, die == 1) for die in FACES)

    def after(self, state: Track, move: tuple[str, bool, bool]) -> Track:
        """The next round, counted."""
        box, stormy, one = move
        if box == END:
            return state._replace(box=END, winterings=state.winterings + 1)
        winter = box[0] == "W"
        extended = winter and state.box[0] == "S"
        bad = winter and (self.poor_weather or (extended and stormy))
        turns = state.box != START and box[1] != state.box[1]
        return Track(
            box,
            state.played | 1 << BOXES.index(box),
            state.extended + extended,
            state.bad + bad,
            state.winterings + turns,
            state.frozen or (winter and self.poor_weather and one),
        )

    def throw(self, state: Track, die: int) -> Track:
        """The next round after a die."""
        return self.after(state, (self.box_after(state.box, die), die in STORMY, die == 1))


def build_continuation(fields: Continuation) -> Built:
    """Everything that answers how long the military phase lasts."""
    conditions, season = fields.conditions, Season.of(fields.conditions)
    moves = {box: season.moves(box) for box in (START, *BOXES)}

    def follow(state: Track) -> Counter[Track] | None:
        if state.box == END:
            return None
        found: Counter[Track] = Counter()
        for move, faces in moves[state.box].items():
            found[season.after(state, move)] += faces
        return found

    def tell(before: Track, after: Track, dice: random.Random) -> str:
        die = face_where(FACES, lambda face: season.throw(before, face) == after, dice)
        shown = str(die) if before.box == START else plainly(die, sum_of(season.bonuses))
        notes = [
            "an extended campaign" * (after.extended > before.extended),
            "bad weather" * (after.bad > before.bad),
            "the Sund is frozen" * (after.frozen and not before.frozen),
        ]
        return f"From {before.box}: {shown}: {', '.join([after.box, *filter(None, notes)])}."

    def seen(state: Track) -> dict[str, object]:
        played = [box for place, box in enumerate(BOXES) if state.played >> place & 1]
        summers = sum(box[0] == "S" for box in played)
        return {
            "winner": NOBODY,
            "rounds_left": len(played),
            "summers_left": summers,
            "winters_left": len(played) - summers,
            "extended_campaigns": state.extended,
            "bad_weather_rounds": state.bad,
            "winterings": state.winterings,
            "sund_frozen": state.frozen,
            **{f"played_{box.lower()}": box in played for box in BOXES},
        }

    rests = [f"counted after {conditions.round}" if conditions.round != START else "counted from the first round on"]
    course = spell_out(Track(conditions.round), follow, tell)
    return built(course, seen, rests, why("continuation", season.bonuses, f"{LAW} 11"))


# --- leader survival (section 12) ---

HIT = -1
UNTESTED, UNTESTED_BELOW = -2, 3


def build_survival(fields: Survival) -> Built:
    """Everything that answers what becomes of a leader."""
    side, conditions = fields.attacker, fields.conditions
    fragile = is_fragile(side.fire, side.shock) and not side.robust
    trial = Trial(side.won, side.destroyed, fragile)
    leader = Leader("table", kind="king" if side.monarch else "general", anonymous=side.anonymous)
    small = conditions.enemy_detachments < UNTESTED_BELOW
    tested = not (conditions.where == "land" and conditions.region == "europe" and small)

    def first(die: int) -> int:
        return UNHARMED if leaders.fate(leader, trial, die, 1) == UNHARMED else HIT

    def follow(state: int) -> Counter[int] | None:
        if state == UNTESTED:
            return rolled(first)
        return rolled(lambda die: leaders.fate(leader, trial, 1, die)) if state == HIT else None

    def tell(before: int, after: int, dice: random.Random) -> str:
        if before == UNTESTED:
            die = face_where(FACES, lambda face: first(face) == after, dice)
            return f"Leader test: {plainly(die, trial.bonus)}: {'hit' if after == HIT else 'unharmed'}."
        die = face_where(FACES, lambda face: leaders.fate(leader, trial, 1, face) == after, dice)
        return f"Fate: {die}: {leaders.fate_told(after)}."

    def seen(state: int) -> dict[str, object]:
        wounded = state > WOUNDED
        return {
            "winner": DEFENDER if state not in {UNHARMED, UNTESTED} else ATTACKER,
            "killed": state == KILLED,
            "wounded": wounded,
            "wound_rounds": state - WOUNDED if wounded else 0,
            "captured": state == CAPTURED,
        }

    bonuses = [
        Bonus(-(not side.won), "did not win"),
        Bonus(-5 * side.destroyed, "destroyed"),
        Bonus(-int(fragile), "Fire or Shock of 6"),
    ]
    lines = why("leader test", bonuses, f"{LAW} 12")
    if not tested:
        lines = [f"no test on land in Europe: the enemy began with under {UNTESTED_BELOW} LD ({LAW} 12)"]
    start = UNTESTED if tested else UNHARMED
    return built(spell_out(start, follow, tell), seen, ["hit on a modified 1 or less"], lines)


# --- logistics (section 13) ---

BLOCKADE_GRADES = (1, 2, 3, 3, 4, 4)
# Grade -> most LD, with an army, most pashas.
SUPPLIES = {4: (10**6, True, 10**6), 3: (5, True, 1), 2: (3, False, 0), 1: (1, False, 0), 0: (0, False, 0)}


def grade_of(side: Supplier) -> int:
    """Blockade and supply grade of a fleet; transports of a convoy apart."""
    fleet = fleet_of(side)
    fleet = fleet._replace(transports=fleet.transports - side.convoy_transports)
    nd = fleet.detachments
    if side.fleets_plus and nd >= 3:
        return 4
    if (side.fleets_plus or side.fleets_minus) and nd >= 2:
        return 3
    return 2 if nd else int(fleet.warships > 0)


def build_logistics(fields: Logistics) -> Built:
    """Everything that answers what a fleet can carry, supply and blockade."""
    side, conditions = fields.attacker, fields.conditions
    hold = hold_of(side, conditions, book(fields.options.tables))
    needed, provided, grade = half_points_needed(side, hold), fleet_of(side).half_points, grade_of(side)
    most, army, pashas = SUPPLIES[grade]
    counters = side.fleets_minus + side.fleets_plus
    supplies = (
        conditions.supplied_detachments <= most
        and (army or not conditions.supplied_army)
        and conditions.supplied_pashas <= pashas
    )
    fits = needed <= provided
    blockades = grade >= BLOCKADE_GRADES[conditions.fortress_level]
    row = {
        "half_points_needed": needed,
        "half_points_provided": provided,
        "fits": fits,
        "supplies": supplies,
        "can_blockade": blockades,
        "port_holds": counters <= {"arsenal": counters, "port": 1, "fort": 0}[conditions.port],
        "blockade_and_supply_grade": grade,
    }

    def answer(_: Run) -> Outcomes:
        return certain(winner=ATTACKER if fits else DEFENDER, **row)

    plus, minus, loose, explorers = hold.regrouped(size_of(side))
    lines = [
        f"load: {plus} ARMY+ at {hold.points} points, {minus} ARMY- at half, {loose} LD at 2, {explorers} LDE at 1/2, "
        f"{side.gold} ducats at 5 a point: {needed / 2:g} points ({LAW} 2)",
        f"room: {fleet_of(side).told()}: {provided / 2:g} points ({LAW} 2)",
        f"grade {grade}: blockades up to level {_highest(grade)} ({LAW} 13)",
    ]
    rests = ["stacks are regrouped into the biggest counters first"]
    return Built(answer=answer, assumptions=lambda: rests, explain=lambda: lines)


def _highest(grade: int) -> str:
    levels = [level for level, needed in enumerate(BLOCKADE_GRADES) if needed <= grade]
    return str(levels[-1]) if levels else "nothing"
