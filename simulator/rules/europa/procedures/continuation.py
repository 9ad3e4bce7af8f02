"""Rounds of the military phase (docs/rules/europa_naval_and_other.md section 11)."""

from __future__ import annotations

from collections import Counter
from typing import Literal, NamedTuple, get_args

from pydantic import Field

from simulator.engine.model.plain import Following, PlainBattle, Roll
from simulator.rules.battle import NOBODY, Built, Fields
from simulator.rules.europa.shared.fields import Procedure
from simulator.rules.europa.shared.land_model import Box, CampaignConditions, Period
from simulator.rules.europa.shared.modifiers import Bonus
from simulator.rules.europa.shared.procedure import D10, FACES, why
from simulator.rules.toolkit.plain import built

START, END = "start", "End"
BOXES = get_args(Box)
STARTS = ("W0", "S1", "S1", "S2", "S2", "W2", "S3", "S3", "S3", "S3")
LAST_YEAR = 5
EXTENDED_UP_TO, STORMY = 5, (1, 3, 5)
# The next box, and whether the die was 1, 3 or 5 and whether it was 1.
Move = tuple[str, bool, bool]


class TrackConditions(Fields):
    """The round of the military phase and its conditions."""

    round: Literal["start", Box] = Field("start", description="the current box of the round track")
    poor_weather: bool = Field(False, description="event of this turn")
    period: Period = Field("III", description="period of the game")


class Continuation(Procedure[Literal["continuation"], Fields, Fields, TrackConditions]):
    """Rounds of the military phase."""


class Track(NamedTuple):
    """The current box, and what has been counted since the start: rounds played as bits, and the rest."""

    box: str
    played: int = 0
    extended: int = 0
    bad: int = 0
    winterings: int = 0
    frozen: bool = False


class Season(NamedTuple):
    """The conditions of the continuation rolls: poor weather, and is it period VI or VII?"""

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
        year, modified = int(box[1]), die + 2 * self.poor_weather - self.late
        if box[0] == "S" and modified <= EXTENDED_UP_TO:
            return f"W{year}"
        if box[0] == "W" and modified == 8:
            return f"W{year + 1}"
        year += 2 if box[0] == "W" and modified > 8 else 1
        return f"S{year}" if year <= LAST_YEAR else END

    def move(self, box: str, die: int) -> Move:
        """The state after a die."""
        return self.box_after(box, die), die in STORMY, die == 1

    def after(self, state: Track, move: Move) -> Track:
        """The next round, counted."""
        box, stormy, one = move
        if box == END:
            return state._replace(box=END, winterings=state.winterings + 1)
        winter = box[0] == "W"
        extended = winter and state.box[0] == "S"
        return Track(
            box,
            state.played | 1 << BOXES.index(box),
            state.extended + extended,
            state.bad + (winter and (self.poor_weather or (extended and stormy))),
            state.winterings + (state.box != START and box[1] != state.box[1]),
            state.frozen or (winter and self.poor_weather and one),
        )

    def throw(self, state: Track, die: int) -> Track:
        """The next round after a die."""
        return self.after(state, self.move(state.box, die))


def columns(state: Track) -> dict[str, object]:
    """A row of the outcome."""
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


def build_continuation(fields: Continuation) -> Built:
    """Everything that answers how long the military phase lasts."""
    season, start = Season.of(fields.conditions), fields.conditions.round
    # Equal faces are followed once: a state takes half the time.
    moves = {box: Counter(season.move(box, die) for die in FACES) for box in (START, *BOXES)}

    def roll(state: Track) -> D10:
        def line(shown: str, after: Track) -> str:
            notes = [
                "an extended campaign" * (after.extended > state.extended),
                "bad weather" * (after.bad > state.bad),
                "the Sund is frozen" * (after.frozen and not state.frozen),
            ]
            return f"From {state.box}: {shown}: {', '.join([after.box, *filter(None, notes)])}."

        bonuses = None if state.box == START else season.bonuses
        return D10("continuation", "11", bonuses, lambda die, _: season.throw(state, die), line)

    def follow(state: Track) -> Following:
        if state.box == END:
            return None
        weights: Counter[Track] = Counter()
        for move, faces in moves[state.box].items():
            weights[season.after(state, move)] += faces
        return Roll("continuation", weights, line=lambda after, dice: roll(state).replay(after, dice))

    counted = f"counted after {start}" if start != START else "counted from the first round on"
    return built(PlainBattle(Track(start), follow), columns, [counted], why("continuation", "11", season.bonuses))
