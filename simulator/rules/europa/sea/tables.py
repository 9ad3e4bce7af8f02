"""From two fleets to their fighting: tables of chances, and the numbers that rules.py looks up."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from simulator.engine.model.chance import TableBook, row_of
from simulator.rules.europa.sea import rules
from simulator.rules.europa.sea.rules import NavalParams
from simulator.rules.europa.sea.squadrons import Engagement
from simulator.rules.europa.shared.leaders import FACES, Values, advantage
from simulator.rules.europa.shared.modifiers import Modifier, total
from simulator.rules.europa.shared.stacks import SIDES
from simulator.rules.europa.tables import HIGHEST, LOWEST

POLICIES = ("never", "always", "if-behind", "if-near-rout", "if-sure")
ROLLS = ((1, True), (1, False), (2, True), (2, False))


class Group(NamedTuple):
    """The side with the wind, both sides' advantages, fragile leaders, manoeuvres (None: for the pursuit only)."""

    wind: int
    fire: tuple[int, int]
    shock: tuple[int, int]
    fragile: tuple[bool, bool]
    men: tuple[int | None, int | None] = (None, None)


@dataclass
class NavalSetup:
    """Builds the parameters and tables of the fighting in one naval battle."""

    engagement: Engagement
    tables: TableBook = field(default_factory=TableBook)

    def __post_init__(self) -> None:
        self.policies = [squadron.policy for squadron in self.engagement.squadrons]
        # Which side rolls retreat attrition unless it wins? May anybody break off, and without a roll?
        self.storm = [squadron.retreat_drm is not None for squadron in self.engagement.squadrons]
        self.breaks = any(policy.break_off != "never" for policy in self.policies)
        self.chase_table = cache(self._chase_table)
        self.free = self.engagement.options.break_off_at_sea == "automatic"

    @cached_property
    def groups(self) -> dict[Group, Counter[tuple[Values, Values]]]:
        """All groups with the pairs of leaders behind them."""
        cap, squadrons = self.engagement.options.leader_differential_cap, self.engagement.squadrons
        asks = [
            storm or (policy.break_off != "never" and not self.free)
            for storm, policy in zip(self.storm, self.policies, strict=True)
        ]
        found: dict[Group, Counter[tuple[Values, Values]]] = {}
        for own, own_weight in squadrons[0].values().items():
            for enemy, enemy_weight in squadrons[1].values().items():
                fire = advantage(own[1], enemy[1], cap), advantage(enemy[1], own[1], cap)
                shock = advantage(own[2], enemy[2], cap), advantage(enemy[2], own[2], cap)
                men = own[0] if asks[0] else None, enemy[0] if asks[1] else None
                for wind, weight in self.engagement.winds(own, enemy).items():
                    group = Group(wind, fire, shock, (own[3], enemy[3]), men)
                    found.setdefault(group, Counter())[own, enemy] += own_weight * enemy_weight * weight
        return found

    @cached_property
    def places(self) -> list[Group]:
        """All groups by place."""
        return list(self.groups)

    # --- rolls ---

    def dice(self, table: int) -> list[tuple[int, float]]:
        """Results of a chance table with their chances."""
        results, chances = row_of(self.tables.weights(table))
        return list(zip(results.tolist(), chances.tolist(), strict=True))

    def modifiers(self, side: int, group: Group) -> list[Modifier]:
        """A side's modifiers in a group, without the leader's manoeuvre in a pursuit."""
        found = list(self.engagement.modifiers[side])
        if group.wind == side:
            found.append(self.engagement.wind_modifier(side))
        leader = self.engagement.squadrons[side].leader.text()
        found.append(Modifier(SIDES[side], (1, 2), group.fire[side], group.shock[side], f"leader: {leader}"))
        return found

    @cached_property
    def fixed_drm(self) -> dict[tuple[int, Group, int], int]:
        """A side's modifier in one of the four rolls, without stars and failed attempts to break off."""
        return {
            (side, group, roll): total(self.modifiers(side, group), "fire" if fire else "shock", day)
            for side in (0, 1)
            for group in self.groups
            for roll, (day, fire) in enumerate(ROLLS)
        }

    def drm(self, side: int, group: Group, roll: int, failed: int, worse: int) -> int:
        """A side's modifier in one of the four rolls (step 7)."""
        enemy_failed = ROLLS[roll][0] == 2 and failed >> (1 - side) & 1
        return self.fixed_drm[side, group, roll] + enemy_failed - (worse == side + 1)

    @cached_property
    def readings(self) -> list[list[dict[int, tuple[int, int]]]]:
        """Thirds and stars that a side inflicts, by side, step (Fire, Boarding) and modified die."""
        return [[self._readings(side, fire) for fire in (True, False)] for side in (0, 1)]

    def _readings(self, side: int, fire: bool) -> dict[int, tuple[int, int]]:
        column, halves = self.engagement.columns(side)[0 if fire else 1], fire and self.engagement.halves(side)
        found = {die: self.engagement.book.combat_roll(column, die) for die in range(LOWEST, HIGHEST + 1)}
        return {die: ((thirds + 1) // 2 if halves else thirds, stars) for die, (thirds, stars) in found.items()}

    def read(self, side: int, roll: int, modified: int) -> tuple[int, int]:
        """Thirds and stars that a side inflicts."""
        return self.readings[side][roll % 2][min(HIGHEST, max(LOWEST, modified))]

    def roll_table(self, side: int, roll: int, drm: int) -> int:
        """The table of a side's roll."""
        return self.tables.by(
            (side, roll % 2, drm), lambda: Counter(packed(*self.read(side, roll, die + drm)) for die in FACES)
        )

    @cached_property
    def rolls(self) -> np.ndarray:
        """Tables of rolls: int64 [side, group, roll, failed attempts, who has suffered more stars]."""
        out = np.zeros((2, len(self.groups), 4, 4, 3), np.int64)
        for place, group in enumerate(self.groups):
            for roll, failed, worse in np.ndindex(4, 4 if self.breaks else 1, 3):
                if (failed and roll < 2) or (roll == 0 and worse):
                    continue
                for side in (0, 1):
                    drm = self.drm(side, group, roll, failed, worse)
                    out[side, place, roll, failed, worse] = self.roll_table(side, roll, drm)
        return out

    def pursuit_drm(self, side: int, group: Group, rolls: int) -> int:
        """A side's pursuit modifier without the manoeuvre: +2 after day one, +1 after a Fire roll (step 9)."""
        return total(self.modifiers(side, group), "pursuit") + 2 * (rolls <= 2) + rolls % 2

    def _chase_table(self, place: int, side: int, rolls: int) -> int:
        """The table of a side's pursuit in the group at this place: thirds and stars."""
        group = self.places[place]
        ahead: Counter[int] = Counter()
        for pair, weight in self.groups[group].items():
            ahead[max(0, pair[side][0] - pair[1 - side][0])] += weight
        column, drm = self.engagement.pursuit_column(side), self.pursuit_drm(side, group, rolls)

        def chase() -> Counter[int]:
            found: Counter[int] = Counter()
            for more, weight in ahead.items():
                for die in FACES:
                    found[packed(*self.engagement.book.combat_roll(column, die + drm + more))] += weight
            return found

        return self.tables.by((side, drm, tuple(sorted(ahead.items()))), chase)

    def attempts(self) -> np.ndarray:
        """Tables of attempts to break off: int64 [group, side, morale left]."""
        out = np.zeros((len(self.groups), 2, max(self.engagement.morale) + 1), np.int64)
        for place, group in enumerate(self.groups):
            for side, morale in np.ndindex(out.shape[1:]):
                faces = 10 if self.free else min(10, (group.men[side] or 0) + morale)
                out[place, side, morale] = self.tables.add({1: faces, 0: 10 - faces})
        return out

    @cached_property
    def params(self) -> NavalParams:
        """All numbers of the fighting."""
        return NavalParams(
            draw=self.tables.add({place: pairs.total() for place, pairs in enumerate(self.groups.values())}),
            first=0 if self.engagement.conditions.interception else 1,
            breaks=int(self.breaks),
            free=int(self.free),
            wind=[group.wind for group in self.groups],
            rolls=self.rolls,
            man=[(group.men[0] or 0, group.men[1] or 0) for group in self.groups],
            attempt=self.attempts() if self.breaks else np.zeros(0, np.int64),
            leave=[POLICIES.index(policy.leave_with_wind) for policy in self.policies],
            break_off=[POLICIES.index(policy.break_off) for policy in self.policies],
            morale=self.engagement.morale,
        )


def packed(thirds: int, stars: int) -> int:
    """One side's part of a roll's result."""
    return thirds | stars << rules.LOSS_BITS
