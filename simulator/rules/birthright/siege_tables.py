"""From a siege to its chain: ratings, reach, the checks of relief and storm (docs/rules/birthright.md section 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.engine.model.chance import NO_TABLE, TableBook
from simulator.rules.birthright import model
from simulator.rules.birthright.check_rules import NOBODY_WON
from simulator.rules.birthright.check_tables import MOST_UNITS, Army, Matchup, army_of
from simulator.rules.birthright.siege_rules import (
    AT_LEVEL,
    DRIVEN_OFF,
    FALL,
    LAST_SEASON,
    STORM_NOW,
    WAIT,
    SiegeParams,
    SiegeState,
    begin_season,
)
from simulator.rules.birthright.units import army

PLANS = {"wait": WAIT, "storm-now": STORM_NOW, "storm-at-level": AT_LEVEL, "storm-last-season": LAST_SEASON}


@dataclass(frozen=True)
class Siege:
    """A siege scenario and its three armies."""

    fields: model.Siege
    besieger: Army
    garrison: Army
    relief: Army

    @property
    def level(self) -> int:
        """At the start."""
        conditions = self.fields.conditions
        return int(conditions.fortification + conditions.allied_fortification)

    @cached_property
    def ratings(self) -> np.ndarray:
        """The besieger's rating, by steps lost."""
        base, given = self.besieger.bare(), self.fields.attacker.rating
        if given:
            return given * base // base[0]
        return self.fields.options.rating_per_strength * base // 2

    def row(self, rating: int) -> tuple[int, int]:
        """Level that can be invested with a rating, and levels removed a season; 0 reaches nothing."""
        options = self.fields.options
        table = options.siege_table
        if options.rating_reading == "below":
            fitting = [line for line in table if rating < line[0]][:1] or table[-1:]
        else:
            fitting = [line for line in table if line[0] <= rating][-1:]
        if rating == 0 or not fitting:
            return 0, 0
        return fitting[0][1], fitting[0][2]

    @cached_property
    def relief_battle(self) -> Matchup:
        """The relief army against the besieger."""
        return Matchup(self.relief, self.besieger, self.fields.conditions.terrain, self.fields.options)

    @cached_property
    def storm(self) -> Matchup:
        """The besieger against the garrison."""
        return Matchup(self.besieger, self.garrison, self.fields.conditions.terrain, self.fields.options)

    def chain(self, tell: Callable[..., str] | None = None) -> Chain:
        """The chain of seasons."""
        fields, book = self.fields, TableBook()
        rows = np.array([self.row(int(rating)) for rating in self.ratings], np.int64)
        on = fields.conditions.relief_on
        params = SiegeParams(
            self.relief_battle.check(book),
            self.storm.check(book),
            reach=rows[:, 0].copy(),
            removed=rows[:, 1].copy(),
            walls=np.array([self.storm.walls(level) for level in range(self.level + 1)], np.int64),
            arrival=book.add({0: on - 1, 1: 21 - on}) if on else NO_TABLE,
            plan=PLANS[fields.policy.attacker.siege],
            storm_level=fields.options.storm_level,
            seasons=fields.conditions.seasons,
        )
        start = begin_season(params, SiegeState(0, self.level, 0, 0, 0, 0, FALL, 0, 0))
        seasons = fields.conditions.seasons
        lost = self.besieger.steps, self.garrison.steps, self.relief.steps
        limits = SiegeState(seasons, self.level, *lost, DRIVEN_OFF, FALL, NOBODY_WON, seasons)
        return Chain(params, start, limits, book.close(), counters=("storms",), tell=tell, may_be_over=True)


def siege_of(fields: model.Siege) -> Siege:
    """The armies of a siege."""
    conditions = fields.conditions
    coming = army(conditions.relief_units, "conditions.relief_units", MOST_UNITS, 1 if conditions.relief_on else 0)
    relief = Army(coming, conditions.relief_warcraft)
    return Siege(fields, army_of(fields, "attacker"), army_of(fields, "defender", 0), relief)
