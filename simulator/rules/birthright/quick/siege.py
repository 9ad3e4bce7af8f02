"""A siege season by season; its battles are quick checks, a house rule (docs/rules/birthright.md section 5)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

from simulator.engine.model.plain import Choice, Following, PlainBattle, Roll
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Built
from simulator.rules.birthright import model
from simulator.rules.birthright.quick.armies import MOST_UNITS, Army, army_of
from simulator.rules.birthright.quick.check import Check, CheckEnd, Lost
from simulator.rules.birthright.quick.words import assumed_armies, check_assumptions, explain_check, losses_columns
from simulator.rules.birthright.units import army
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.faces import face_where
from simulator.rules.toolkit.naming import plural
from simulator.rules.toolkit.plain import built

# The relief army.
NOT_COME, IN_FIELD, BEATEN = "not come", "in the field", "beaten"
POLICY = "policy.attacker.siege"


class SiegeState(NamedTuple):
    """The season and the step of it that comes next, the level, steps lost, the relief army, and the winner at the end.

    A relief army that is beaten is gone for good: its losses count no more.
    """

    season: int
    level: int
    step: int = 2
    besieger: int = 0
    garrison: int = 0
    relief_lost: int = 0
    relief: str = NOT_COME
    winner: int | None = None


class SiegeRules:
    """A siege and its three armies."""

    def __init__(self, fields: model.Siege) -> None:
        self.fields = fields
        conditions, options = fields.conditions, fields.options
        coming = army(conditions.relief_units, "conditions.relief_units", MOST_UNITS, 1 if conditions.relief_on else 0)
        self.besieger, self.garrison = army_of(fields, "attacker"), army_of(fields, "defender", 0)
        self.relief = Army(coming, conditions.relief_warcraft)
        pair, names = (self.relief, self.besieger), ("relief", "besieger")
        self.relief_check = Check(pair, conditions.terrain, options, names)
        pair, names = (self.besieger, self.garrison), ("besieger", "garrison")
        # No cavalry pursues over walls.
        self.storm_check = Check(pair, conditions.terrain, options, names, pursues=False)
        self.level = conditions.fortification + conditions.allied_fortification
        self.ratings = self.ratings_of(fields.attacker.rating)
        self.rows = [self.row(rating) for rating in self.ratings]
        self.plan = fields.policy.attacker.siege

    def ratings_of(self, given: int) -> list[int]:
        """The besieger's rating by steps lost, without terrain and leader; `given`: at full strength, 0: computed."""
        base = self.besieger.by_steps_left([2 * unit.strength for unit in self.besieger.units])
        rating = given * base // base[0] if given else self.fields.options.rating_per_strength * base // 2
        return [int(value) for value in rating]

    def row(self, rating: int) -> tuple[int, int]:
        """Level that can be invested with a rating, and levels removed a season; a rating of 0 invests nothing."""
        table = self.fields.options.siege_table
        if self.fields.options.rating_reading == "below":
            fitting = [line for line in table if rating < line[0]][:1] or table[-1:]
        else:
            fitting = [line for line in table if line[0] <= rating][-1:]
        if rating == 0 or not fitting:
            return 0, 0
        return fitting[0][1], fitting[0][2]

    @property
    def start(self) -> SiegeState:
        """The first season begins, if the besieger can invest the place at all."""
        return self.next_season(SiegeState(0, self.level))

    def follow(self, s: SiegeState) -> Following:
        """The relief army comes, or fights (step 2); the besieger storms or waits (3); the level falls (4)."""
        if s.winner is not None:
            return None
        if s.step == 2:
            return self.arrival(s) if s.relief == NOT_COME else self.relief_battle(s)
        if s.step == 3 and self.plan == "best":
            ways = {"wait": self.fall(s), "storm": self.storm(s), "withdraw": over(s, DEFENDER)}
            return Choice("attacker", POLICY, ways)
        return self.storm(s) if s.step == 3 and self.storms(s) else self.fall(s)

    def too_weak(self, s: SiegeState) -> bool:
        """The besieger cannot invest the level any more."""
        return self.rows[s.besieger][0] < s.level

    def next_season(self, s: SiegeState) -> SiegeState:
        """Steps 5 and 1: the siege fails, or it is over after the last season, or the next season begins."""
        if self.too_weak(s):
            return over(s, DEFENDER)
        if s.season == self.fields.conditions.seasons:
            return over(s, NOBODY)
        expected = self.fields.conditions.relief_on and s.relief != BEATEN
        return s._replace(season=s.season + 1, step=2 if expected else 3)

    def arrival(self, s: SiegeState) -> Roll:
        """Step 2: a d20 for the relief army."""
        on, come = self.fields.conditions.relief_on, s._replace(relief=IN_FIELD)

        def line(after: SiegeState, dice: random.Random) -> str:
            face = face_where(range(1, 21), lambda face: (face >= on) == (after == come), dice)
            return f"Season {s.season}: a d20 of {face} for relief on {on}: {'it comes' if after == come else 'none'}."

        return Roll("relief", {come: 21 - on, s._replace(step=3): on - 1}, line=line)

    def relief_battle(self, s: SiegeState) -> Roll:
        """Step 2: the relief army attacks the besieger; there are no walls."""
        return self.battle(s, self.relief_check, (s.relief_lost, s.besieger), 0, self.after_relief)

    def after_relief(self, s: SiegeState, checked: CheckEnd) -> SiegeState:
        """Relief ahead breaks the siege; beaten it is gone for good; after a draw both stay until the next season."""
        relief_lost, besieger = checked.lost
        after = s._replace(relief_lost=relief_lost, besieger=besieger)
        if checked.ahead == ATTACKER:
            return over(after, DEFENDER)
        if checked.ahead == NOBODY:
            return self.next_season(after)
        gone = after._replace(relief=BEATEN, relief_lost=0, step=3)
        return over(gone, DEFENDER) if self.too_weak(gone) else gone

    def storms(self, s: SiegeState) -> bool:
        """Step 3: does the besieger storm in this season, by a fixed plan?"""
        return (
            self.plan == "storm-now"
            or (self.plan == "storm-at-level" and s.level <= self.fields.options.storm_level)
            or (self.plan == "storm-last-season" and s.season == self.fields.conditions.seasons)
        )

    def storm(self, s: SiegeState) -> Roll:
        """Step 3: the besieger attacks the garrison behind the walls of the present level."""
        lost, walls = (s.besieger, s.garrison), self.storm_check.walls(s.level)
        return self.battle(s, self.storm_check, lost, walls, self.after_storm)._replace(counts={"storms": 1})

    def after_storm(self, s: SiegeState, checked: CheckEnd) -> SiegeState:
        """The besieger ahead takes the place, or if a garrison that had steps has none left while he has some."""
        besieger, garrison = checked.lost
        after = s._replace(besieger=besieger, garrison=garrison, step=4)
        emptied = s.garrison < self.garrison.steps == garrison
        if checked.ahead == ATTACKER or (emptied and besieger < self.besieger.steps):
            return over(after, ATTACKER)
        return over(after, DEFENDER) if self.too_weak(after) else after

    def fall(self, s: SiegeState) -> Roll:
        """Step 4: the level falls by the table's amount; at 0 the place surrenders."""
        after = s._replace(level=max(0, s.level - self.rows[s.besieger][1]))
        after = self.next_season(after) if after.level else over(after, ATTACKER)
        text = f"Season {s.season}: level {s.level} falls to {after.level}{self.ending(s, after)}."
        return Roll("fall of the level", {after: 1}, line=lambda after, dice: text)

    def battle(
        self, s: SiegeState, check: Check, lost: Lost, walls: int, leads: Callable[[SiegeState, CheckEnd], SiegeState]
    ) -> Roll:
        """A quick check after these steps lost, and the state that it leads to."""
        ways = defaultdict[SiegeState, int](int)
        for checked, number in check.after(lost, walls).items():
            ways[leads(s, checked)] += number

        def line(after: SiegeState, dice: random.Random) -> str:
            shown = check.line(lost, walls, lambda checked: leads(s, checked) == after, dice)
            storm = "storm: " if check is self.storm_check else ""
            return f"Season {s.season}: {storm}{shown}{self.ending(s, after)}."

        return Roll("check", ways, line=line)

    def ending(self, s: SiegeState, after: SiegeState) -> str:
        """The end of the siege, or of a season that was interrupted, after a roll in this state."""
        if after.winner is None:
            drawn = s.relief == after.relief == IN_FIELD and s.step == 2
            return "; both stay, the siege is interrupted" if drawn else ""
        if after.winner == ATTACKER:
            return "; the place is taken" if after.level else "; the place surrenders"
        if after.winner == NOBODY:
            return f"; after {plural(after.season, 'season')} it still stands, invested"
        broken = s.step == 2 and not self.too_weak(after)
        return "; the siege is broken" if broken else "; the besieger is too weak to go on, the siege is lifted"

    def columns(self, s: SiegeState, storms: int) -> dict[str, Any]:
        """A row of the outcome."""
        gold = self.fields.options.gold
        upkeep = sum(entry.count * entry.unit.maintenance for entry in self.besieger.entries)
        return {
            "winner": s.winner,
            "seasons": s.season,
            "level_left": s.level,
            **losses_columns((self.besieger, self.garrison), (s.besieger, s.garrison), gold),
            "relief_came": s.relief != NOT_COME,
            "storms": storms,
            **({"attacker_upkeep": s.season * upkeep} if gold else {}),
        }

    def describe(self, s: SiegeState) -> dict[str, Any]:
        """A state in which the besieger chooses, in words."""
        return {
            "season": s.season,
            "level": s.level,
            "attacker_steps": self.besieger.steps - s.besieger,
            "garrison_steps": self.garrison.steps - s.garrison,
            "relief": s.relief if self.fields.conditions.relief_on else "none",
        }

    def assumptions(self) -> list[str]:
        """Options, policies and assumed numbers in force."""
        options, conditions = self.fields.options, self.fields.conditions
        at = f" {options.storm_level}" if self.plan == "storm-at-level" else ""
        lines = [f"besieger's plan: {self.plan}{at}"]
        if rating := self.fields.attacker.rating:
            lines.append(f"rating {rating} at full strength, as given")
        else:
            lines.append(f"rating_per_strength: {options.rating_per_strength} (ASSUMED)")
        lines.append(f"siege table read {options.rating_reading}; surrender at level 0 (ASSUMED)")
        if conditions.relief_on:
            lines.append(f"relief comes on a d20 of {conditions.relief_on} or more each season (ASSUMED)")
        lines += [f"{side}: losses {getattr(self.fields.policy, side).losses}" for side in SIDES]
        if options.gold:
            lines.append("every season begun is paid in full (ASSUMED)")
        lines += assumed_armies(options.gold, self.besieger, self.garrison, self.relief)
        return lines + check_assumptions(options)

    def explain(self) -> list[str]:
        """Ratings, reach, and the checks of a storm and of a relief at full strength."""
        reach, removed = self.rows[0]
        lines = [f"level {self.level}; rating {self.ratings[0]} invests level {reach} and removes {removed} a season"]
        if reach < self.level:
            lines.append("the place cannot be invested")
        lines += ["a storm at the level of the start:"]
        lines += [f"  {line}" for line in explain_check(self.storm_check, self.level)]
        if self.fields.conditions.relief_on:
            lines += ["relief:"] + [f"  {line}" for line in explain_check(self.relief_check, 0)]
        return lines


def over(s: SiegeState, winner: int) -> SiegeState:
    """The end of the siege; the losses of the relief army count no more."""
    return s._replace(winner=winner, step=0, relief_lost=0)


def build_siege(fields: model.Siege) -> Built:
    """Everything that answers a siege."""
    siege = SiegeRules(fields)
    battle = PlainBattle(siege.start, siege.follow, ("storms",))
    return built(battle, siege.columns, siege.assumptions(), siege.explain(), siege.describe)
