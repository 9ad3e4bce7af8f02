"""The naval battle as a battle kind: from two fleets to the chain of end.py, and its final states as columns.

All ends of the fighting stand in one table (docs/rules/europa_naval_and_other.md section 3).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chain import SIDES, Chain
from simulator.engine.model.chance import NO_TABLE, TableBook, seen_as
from simulator.rules.battle import WINNERS, Columns, Outcomes
from simulator.rules.europa.sea import end, rules
from simulator.rules.europa.sea.end import EndParams, EndState
from simulator.rules.europa.sea.fight import FightSweep, fight_of, sweep_of
from simulator.rules.europa.sea.losses import Fight, Losses, Record
from simulator.rules.europa.sea.rules import NavalState
from simulator.rules.europa.sea.squadrons import GALLEYS, Engagement
from simulator.rules.europa.sea.tables import NavalSetup
from simulator.rules.europa.shared.fleets import ND, ships_left
from simulator.rules.europa.shared.leaders import FACES, KILLED, WOUNDED, both_fates
from simulator.rules.toolkit.merging import distinct
from simulator.rules.toolkit.weights import grid

EVADES_AT = 8
UNTOUCHED = Fight(False, False, 0, 0)
NO_PURSUIT = [(0, 1.0)]
# Ends in one table; more of them are drawn block by block.
LARGEST_BLOCK = 60_000
KINDS = ("warships", "exploration_ships", "galleys", "galleasses", "transports")
MAJOR, MAJOR_OVER_GALLEYS = 5 * ND, 8 * ND


class Row(NamedTuple):
    """An end of the battle but for the losses; `men` are the manoeuvres that count, `frail` as in end.py."""

    winner: int
    rolls: int
    left: int
    broke: int
    wind: int
    frail: int
    stars: tuple[int, int]
    men: tuple[int | None, int | None]


class Case(NamedTuple):
    """An end of the fighting but for the losses: as its row before any pursuit, and the pursuit's table (0: none).

    `routed`: which sides are before the pursuit.
    """

    row: Row
    routed: tuple[bool, bool]
    chase: int


class Chased(NamedTuple):
    """A case after one result of its pursuit: what both sides have come to, with thirds of the pursuit only."""

    row: Row
    fights: tuple[Fight, Fight]
    chance: float
    code: int


class Ends(NamedTuple):
    """Ends of battles, as arrays: fields as in `Row`, with the records of both sides and the fates of their leaders."""

    winner: np.ndarray
    rolls: np.ndarray
    left: np.ndarray
    broke: np.ndarray
    wind: np.ndarray
    stars: tuple[np.ndarray, ...]
    records: tuple[np.ndarray, np.ndarray]
    fates: np.ndarray


BOTH_WAYS = [(own, enemy) for own in (False, True) for enemy in (False, True)]
# A battle that does not take place.
EVADED = Row(2, 0, 0, 0, 2, 0, (0, 0), (None, None))


@dataclass
class BattleSetup:
    """Everything about one naval battle that is known before the first roll.

    `numbers`: of each side and fight the records by the thirds lost in the fighting, int64, -1 where that cannot be.
    """

    engagement: Engagement
    tables: TableBook = field(default_factory=TableBook)
    records: tuple[dict[Record, int], dict[Record, int]] = field(default_factory=lambda: ({}, {}))
    numbers: tuple[dict[Fight, np.ndarray], dict[Fight, np.ndarray]] = field(default_factory=lambda: ({}, {}))

    def __post_init__(self) -> None:
        self.fighting, self.losses = NavalSetup(self.engagement), Losses(self.engagement)
        self.pursued = cache(self._pursued)

    @cached_property
    def sweep(self) -> FightSweep:
        """The fighting, step by step."""
        return sweep_of(fight_of(self.engagement))

    def ends_by_case(self) -> Iterator[tuple[Case, NavalState, np.ndarray]]:
        """Cases by the states in which they come about, with the chances float64 [own losses, enemy losses].

        A state comes about as several cases, by which side its losses wipe out.
        """
        masks = {routed: self._masks(routed) for routed in BOTH_WAYS}
        for state, chances in self.sweep.ends.items():
            morale = rules.morale_left(self.fighting.plain, state, 0), rules.morale_left(self.fighting.plain, state, 1)
            for wiped, mask in masks[morale[0] == 0, morale[1] == 0]:
                inside = mask[: chances.shape[0], : chances.shape[1]]
                part = chances if inside.all() else chances * inside
                if part.any():
                    yield self._case(state, morale, wiped), state, part

    def _masks(self, routed: tuple[bool, bool]) -> list[tuple[tuple[bool, bool], np.ndarray]]:
        """(own side wiped out?, enemy wiped out?) with the bool [own losses, enemy losses] that make it so."""
        a, d = (
            np.array([self.losses.wiped(side, thirds, routed[side]) for thirds in range(self.sweep.room[side])])
            for side in (0, 1)
        )
        found = [(wiped, np.outer(a == wiped[0], d == wiped[1])) for wiped in BOTH_WAYS]
        return [(wiped, mask) for wiped, mask in found if mask.any()]

    def _case(self, state: NavalState, morale: tuple[int, int], wiped: tuple[bool, bool]) -> Case:
        group, routs = self.fighting.places[state.group], self.fighting.engagement.options.destruction_is_rout
        winner, pursues, routed = rules.settled(state.verdict, state.left > 0, morale, wiped, routs)
        men = group.men if any(self.fighting.storm) else (None, None)
        stars = state.stars_a, state.stars_d
        row = Row(winner, state.rolls, state.left, state.broke, group.wind, group.fragile, stars, men)
        return Case(row, routed, self.fighting.chase_table(state.group, winner, state.rolls) if pursues else 0)

    def _pursued(self, case: Case) -> list[Chased]:
        """The results of the pursuit in a case."""
        dice = self.fighting.dice(case.chase) if case.chase else NO_PURSUIT
        return [self._chased(case, *roll) for roll in dice]

    def _chased(self, case: Case, code: int, chance: float) -> Chased:
        row, winner = case.row, case.row.winner
        first, second = (Fight(winner == side, case.routed[side], 0, 0) for side in (0, 1))
        if not case.chase:
            return Chased(row, (first, second), chance, code)
        loser, caught = 1 - winner, code >> rules.LOSS_BITS
        stars = row.stars[0] + (loser == 0) * caught, row.stars[1] + (loser == 1) * caught
        routed = case.routed[loser] or stars[loser] >= self.fighting.engagement.morale[loser]
        beaten = Fight(False, routed, caught, code & rules.LOSS_MASK)
        return Chased(row._replace(stars=stars), (beaten, second) if loser == 0 else (first, beaten), chance, code)

    def number(self, side: int, record: Record) -> int:
        """The number of a record."""
        return self.records[side].setdefault(record, len(self.records[side]))

    def _number_records(self, case: Case, side: int, occurs: np.ndarray) -> None:
        """Number the records that a side may come to with these losses in the fighting."""
        for fight in dict.fromkeys(chased.fights[side] for chased in self.pursued(case)):
            if fight not in self.numbers[side]:
                self.numbers[side][fight] = np.full(self.sweep.room[side], -1)
            out = self.numbers[side][fight]
            for thirds in occurs[out[occurs] < 0].tolist():
                out[thirds] = self.number(side, self.losses.record(side, fight._replace(thirds=thirds + fight.thirds)))

    @cached_property
    def cases(self) -> dict[Case, np.ndarray]:
        """The chances of each case, float64 [own losses, enemy losses]; numbers the records too."""
        found: dict[Case, np.ndarray] = {}
        for case, _, chances in self.ends_by_case():
            whole = found.setdefault(case, np.zeros(self.sweep.room))
            inside = whole[: chances.shape[0], : chances.shape[1]]
            for side in (0, 1):
                fresh = np.flatnonzero(chances.any(axis=1 - side) & ~inside.any(axis=1 - side))
                if fresh.size:
                    self._number_records(case, side, fresh)
            inside += chances
        return found

    @cached_property
    def rows(self) -> list[Row]:
        """The rows by number, that of an evaded battle last."""
        pursued = [chased.row for case in self.cases for chased in self.pursued(case)]
        return list(dict.fromkeys([*pursued, EVADED]))

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Row (int64 [end]), records (int64 [side, end]) and chance (float64 [end]) of each end."""
        row_of = {row: n for n, row in enumerate(self.rows)}
        codes, chances = [], []
        sizes = [len(found) for found in self.records]
        for case, found in self.cases.items():
            cell = np.nonzero(found)
            p = found[cell]
            for row, fights, chance, _ in self.pursued(case):
                own, enemy = (self.numbers[side][fights[side]][cell[side]] for side in (0, 1))
                codes.append((row_of[row] * sizes[0] + own) * sizes[1] + enemy)
                chances.append(chance * p)
        code = np.concatenate(codes)
        first, which = distinct([code], len(code))
        rows, rest = np.divmod(code[first], sizes[0] * sizes[1])
        return rows, np.stack(np.divmod(rest, sizes[1])), np.bincount(which, np.concatenate(chances))

    # --- tables ---

    def storm_tables(self) -> np.ndarray:
        """Tables of the records that a storm leads to: int64 [side, record, row]."""
        before = [list(found) for found in self.records]
        if not any(self.fighting.storm):
            return np.zeros((2, 1, 1), np.int64)
        out = np.zeros((2, max(map(len, before)), len(self.rows)), np.int64)
        for side in (0, 1):
            men = np.array([row.men[side] or 0 for row in self.rows])
            for number, record in enumerate(before[side] if self.fighting.storm[side] else ()):
                for man in dict.fromkeys(men.tolist()):
                    out[side, number, men == man] = self.storm_table(side, record, man)
        return out

    def storm_table(self, side: int, record: Record, man: int) -> int:
        """The table of the records that a storm leads to from one record."""
        after = self.losses.after_storm(side, record, self.losses.storm_modifier(side, record.routed, man))
        return self.tables.add({self.number(side, new): weight for new, weight in after.items()})

    def tests(self, frail: Collection[int]) -> np.ndarray:
        """Tables of leader tests: int64 [fragile leaders, attacker's end, defender's]; `frail`: those that occur."""
        leaders = tuple(squadron.leader for squadron in self.engagement.squadrons)

        def test(fragile: int, *ends: int) -> int:
            return self.tables.add(seen_as(both_fates(leaders, fragile, ends), end.fates_at_sea))

        return grid((4, 4, 4), test, (frail, range(4), range(4)))

    def evade(self) -> int:
        """Table of the evasion: d10 + (own - enemy manoeuvre, if positive) >= 8; a replacement counts 0 (step 1)."""
        if self.fighting.policies[1].evasion != "evade":
            return NO_TABLE
        return self.tables.add(Counter(int(die + self.evasion_bonus >= EVADES_AT) for die in FACES))

    @property
    def evaded(self) -> float:
        """The chance of an evasion."""
        evades = self.tables.weights(self.evade())
        return evades.get(1, 0) / sum(evades.values())

    @property
    def evasion_bonus(self) -> int:
        """The manoeuvre that is added to the evader's die."""
        enemy, own = (squadron.leader.manoeuvre for squadron in self.engagement.squadrons)
        return max(0, own - enemy)

    def blocks(self, p: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
        """The table that draws a block of ends (NO_TABLE for one block), the table of each block and its first end.

        `p`: chances of the ends, float64, shape (ends,). The two arrays are int64, shape (blocks,).
        """
        begin = np.arange(0, len(p), LARGEST_BLOCK)
        parts = [p[first : first + LARGEST_BLOCK] for first in begin]
        fights = [self.tables.add((np.arange(len(part)), part / part.sum())) for part in parts]
        chances = np.array([part.sum() for part in parts])
        which = self.tables.add((np.arange(len(parts)), chances / chances.sum())) if len(parts) > 1 else NO_TABLE
        return which, np.array(fights, np.int64), begin

    @cached_property
    def params(self) -> EndParams:
        """All numbers of the battle."""
        row, records, p = self.ends
        nothing = [self.number(side, self.losses.record(side, UNTOUCHED)) for side in (0, 1)]
        which, fights, begin = self.blocks(p)
        storm_rolls = self.storm_tables()
        gone = np.zeros((2, max(map(len, self.records))), np.int64)
        for side, found in enumerate(self.records):
            gone[side, : len(found)] = [record.gone for record in found]
        return EndParams(
            evade=self.evade(),
            evaded=np.array([len(self.rows) - 1, *nothing], np.int64),
            blocks=which,
            fights=fights,
            begin=begin,
            row=row,
            record=np.ascontiguousarray(records),
            winner=np.array([row.winner for row in self.rows], np.int64),
            frail=np.array([row.frail for row in self.rows], np.int64),
            storm=np.array(self.fighting.storm, np.int64),
            storm_rolls=storm_rolls,
            gone=gone,
            tests=self.tests({row.frail for row in self.rows}),
            stops=end.OVER,
        )

    def chain(self, tell: Any) -> Chain:
        """The chain of states of the battle; `tell` gives the lines of a replay."""
        p = self.params
        most = max(len(p.winner), len(p.begin)) - 1
        limits = EndState(end.OVER, max(1, most), len(self.records[0]), len(self.records[1]), end.FATES**2 - 1)
        return end.chain_of(p, limits, self.tables.close(), tell)

    def winners(self) -> Outcomes:
        """The outcomes with the winner alone; no record is needed."""
        found = np.zeros(len(WINNERS))
        for case, _, chances in self.ends_by_case():
            found[case.row.winner] += chances.sum()
        found *= 1 - self.evaded
        found[EVADED.winner] += self.evaded
        return Outcomes({"winner": np.arange(len(WINNERS))}, found)

    # --- columns ---

    def outcome(self, states: Any) -> Columns:
        """The outcome columns of final states."""
        names = ("winner", "rolls", "left", "broke", "wind")
        rows = {name: _at_places([getattr(row, name) for row in self.rows], states.row) for name in names}
        stars = tuple(_at_places([row.stars[side] for row in self.rows], states.row) for side in (0, 1))
        return self.columns(Ends(**rows, stars=stars, records=(states.record_a, states.record_d), fates=states.fates))

    def columns(self, ends: Ends) -> Columns:
        """The outcome columns of ends."""
        own = [self.of_records(side, ends.records[side]) for side in (0, 1)]
        out: Columns = {"winner": ends.winner, "rolls": ends.rolls}
        out["major_victory"] = self._major(ends.winner, own)
        out["evaded"] = ends.rolls == 0
        for side, name in enumerate(SIDES):
            mine, enemy = own[side], own[1 - side]
            takes = (ends.winner == side).astype(np.int16)
            for kind in KINDS:
                out[f"{name}_{kind}_left"] = mine[f"own_{kind}_left"] + takes * enemy[f"captured_{kind}_left"]
            for column in ("losses", "damaged", "destroyed", "refitted"):
                out[f"{name}_{column}_thirds"] = mine[column]
            out[f"{name}_stars"] = ends.stars[side]
            out[f"{name}_ships_taken"] = takes * enemy["captured"]
            out[f"{name}_troops_left_thirds"] = mine["troops"]
            out[f"{name}_gold_left"] = mine["gold"]
            out[f"{name}_gold_taken"] = takes * enemy["seized"]
            out[f"{name}_routed"] = mine["routed"]
            out[f"{name}_destroyed"] = mine["gone"]
            out[f"{name}_wind"] = ends.wind == side
            out[f"{name}_left_with_wind"] = ends.left == side + 1
            out[f"{name}_broke_off"] = ends.broke == side + 1
            fate = ends.fates % end.FATES if side == 0 else ends.fates // end.FATES
            out[f"{name}_leader_killed"], out[f"{name}_leader_wounded"] = fate == KILLED, fate == WOUNDED
        return out

    def of_records(self, side: int, place: np.ndarray) -> Columns:
        """The columns of a side: the numbers of its records at these places."""
        return {name: _at_places(values, place) for name, values in self.recorded[side].items()}

    @cached_property
    def recorded(self) -> list[dict[str, list[Any]]]:
        """The numbers of all records of each side; they are all numbered once there is a chain."""
        return [numbers_of(list(records)) for records in self.records]

    def _major(self, winner: np.ndarray, columns: list[Columns]) -> np.ndarray:
        """A winner, the loser routed, and 5 ND more lost (8 if the winner's first line is galleys; step 13)."""
        found = np.zeros(len(winner), bool)
        for side in (0, 1):
            own, enemy = columns[side], columns[1 - side]
            least = MAJOR_OVER_GALLEYS if self.engagement.squadrons[side].line == GALLEYS else MAJOR
            found |= (winner == side) & enemy["routed"] & (enemy["losses"] - own["losses"] >= least)
        return found


def numbers_of(records: list[Record]) -> dict[str, list[Any]]:
    """The numbers of records by the name of a column."""
    rows = [
        {
            **ships_left("own", r.fleet), **ships_left("captured", r.captured), "captured": r.captured.detachments,
            "losses": r.losses, "damaged": r.damaged, "destroyed": r.destroyed, "refitted": r.refitted,
            "troops": r.cargo.troops, "gold": r.cargo.gold, "seized": r.seized, "routed": r.routed, "gone": r.gone,
        }
        for r in records
    ]  # fmt: skip
    return {name: [row[name] for row in rows] for name in rows[0]}


def _at_places(values: list[Any], place: np.ndarray) -> np.ndarray:
    """The values at these places, int16 or bool; often they are all equal and the places many."""
    array = np.array(values, np.bool_ if isinstance(values[0], bool) else np.int16)
    return np.full(len(place), array[0]) if len(place) and (array == array[0]).all() else array.take(place)
