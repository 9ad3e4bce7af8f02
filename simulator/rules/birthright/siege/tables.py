"""From a siege to its chain: ratings, reach, the checks of relief and storm (docs/rules/birthright.md section 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.engine.model.chance import NO_TABLE, TableBook
from simulator.rules.birthright import model
from simulator.rules.birthright.checks.rules import NOBODY_WON
from simulator.rules.birthright.checks.tables import MOST_UNITS, Army, Matchup, army_of
from simulator.rules.birthright.siege.rules import (
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
        """The level at the start."""
        return int(self.fields.conditions.fortification + self.fields.conditions.allied_fortification)

    @cached_property
    def ratings(self) -> np.ndarray:
        """The besieger's rating, by steps lost."""
        base, given = self.besieger.plain_half_points(), self.fields.attacker.rating
        return given * base // base[0] if given else self.fields.options.rating_per_strength * base // 2

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

    @cached_property
    def relief_battle(self) -> Matchup:
        """The relief army against the besieger."""
        fields = self.fields
        return Matchup(self.relief, self.besieger, fields.conditions.terrain, fields.options, ("relief", "besieger"))

    @cached_property
    def storm(self) -> Matchup:
        """The besieger against the garrison; no cavalry pursues over walls."""
        names, fields = ("besieger", "garrison"), self.fields
        return Matchup(self.besieger, self.garrison, fields.conditions.terrain, fields.options, names, pursues=False)

    def chain(self, tell: Callable[..., str] | None = None) -> Chain:
        """The chain of seasons."""
        fields, book, conditions = self.fields, TableBook(), self.fields.conditions
        rows = np.array([self.row(int(rating)) for rating in self.ratings], np.int64)
        on = conditions.relief_on
        params = SiegeParams(
            self.relief_battle.check(book),
            self.storm.check(book),
            reach=rows[:, 0].copy(),
            removed=rows[:, 1].copy(),
            walls=np.array([self.storm.walls(level) for level in range(self.level + 1)], np.int64),
            arrival=book.add({0: on - 1, 1: 21 - on}) if on else NO_TABLE,
            plan=PLANS[fields.policy.attacker.siege],
            storm_level=fields.options.storm_level,
            seasons=conditions.seasons,
        )
        start = begin_season(params, SiegeState(0, self.level, 0, 0, 0, 0, FALL, 0, 0))
        lost = self.besieger.steps, self.garrison.steps, self.relief.steps
        limits = SiegeState(conditions.seasons, self.level, *lost, DRIVEN_OFF, FALL, NOBODY_WON, conditions.seasons)
        return Chain(params, start, limits, book.close(), counters=("storms",), tell=tell, may_be_over=True)


def siege_of(fields: model.Siege) -> Siege:
    """The armies of a siege."""
    conditions = fields.conditions
    coming = army(conditions.relief_units, "conditions.relief_units", MOST_UNITS, 1 if conditions.relief_on else 0)
    relief = Army(coming, conditions.relief_warcraft)
    return Siege(fields, army_of(fields, "attacker"), army_of(fields, "defender", 0), relief)
