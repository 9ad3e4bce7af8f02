"""The fleets that a naval battle leaves, and nothing else of it: campaigns fight on with them.

No later fight asks for rolls, stars, the wind or the categories of losses: an end in ten is left without them. Battles
of fleets that differ only in ships share one fight (fight.py), whose ends are sorted once; what losses, pursuit and
retreat leave of a side is one matrix for all its battles.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import NOBODY, Columns, Outcomes
from simulator.rules.europa.sea import rules
from simulator.rules.europa.sea.battle import BOTH_WAYS, KINDS, UNTOUCHED, BattleSetup
from simulator.rules.europa.sea.fight import End, FightKey, ends_of, fight_of, padded, sweep_of
from simulator.rules.europa.sea.losses import Fight, Force, Record, remaining, wiped
from simulator.rules.europa.sea.tables import Duel, Plan, Pursuit, chased
from simulator.rules.europa.shared.fleets import Afloat, Fleet, after_attrition, ships_left
from simulator.rules.europa.shared.leaders import UNHARMED, Trial, fates
from simulator.rules.europa.tables import Book
from simulator.rules.toolkit.by_key import by_key


class After(NamedTuple):
    """All that follows a fight in a group: both pursuits and manoeuvres in a retreat, fragile leaders as in `Pair`."""

    pursuits: tuple[Pursuit, Pursuit]
    men: tuple[int, int]
    fragile: int


class Part(NamedTuple):
    """The groups of a fight with one plan, and the ends of it.

    `alike`: the places of groups by manoeuvres and fragile leaders. `chances`: float64 [group, end, own losses, enemy
    losses]; `pursuits`: of each side, float64 [group, rolls before it, stars, thirds].
    """

    alike: dict[tuple[tuple[int, int], int], list[int]]
    ends: list[End]
    chances: np.ndarray
    pursuits: tuple[np.ndarray, np.ndarray]


# As many as `sweep_of` keeps; the parts of a fight are smaller than its sweep.
@lru_cache(maxsize=12)
def parts_of(fight: FightKey) -> list[Part]:
    """A fight by its plans; not to be changed."""
    sweep, weights = sweep_of(fight), defaultdict[Plan, dict[After, dict[Duel, float]]](dict)
    setup, book, found = sweep.setup, fight.engagement.book, list[Part]()
    for (place, chance), duel in zip(setup.dice(setup.draw), sweep.duels, strict=True):
        men = [setup.man(place, side) if setup.storm[side] else 0 for side in (0, 1)]
        pursuits = setup.pursuit(place, 0), setup.pursuit(place, 1)
        of_duels = weights[duel.plan].setdefault(After(pursuits, (men[0], men[1]), setup.places[place].fragile), {})
        of_duels[duel] = of_duels.get(duel, 0.0) + chance
    for plan, groups in weights.items():
        each = {duel: sweep.by_end(duel) for of_duels in groups.values() for duel in of_duels}
        chances = [sum(chance * each[duel] for duel, chance in of_duels.items()) for of_duels in groups.values()]
        first, second = (padded([chased(book, after.pursuits[side]) for after in groups]) for side in (0, 1))
        alike = by_key(range(len(groups)), dict(enumerate((after.men, after.fragile) for after in groups)).__getitem__)
        found.append(Part(alike, ends_of(plan)[0], np.array(chances), (first, second)))
    return found


class Case(NamedTuple):
    """An end of a fight once it is known who is wiped out; who got away is as in `NavalState`.

    `rolls` before a pursuit, 0 for none; `morale` of the loser before it.
    """

    winner: int
    left: int
    broke: int
    routed: tuple[bool, bool]
    rolls: int
    morale: int


class Row(NamedTuple):
    """An end of the battle but for the fleets."""

    winner: int
    left: int
    broke: int
    fragile: int
    evaded: bool = False


# Columns that ends have as those of the whole battle do.
OF_SURVIVORS = {"winner", "evaded"} | {
    f"{side}_{name}" for side in SIDES for name in ("troops_left_thirds", "left_with_wind", "broke_off")
}
OF_SURVIVORS |= {f"{side}_{kind}_left" for side in SIDES for kind in KINDS}
EVADED = Row(NOBODY, 0, 0, 0, evaded=True)


class Fought(NamedTuple):
    """A row before any retreat; `caught`: the stars of the pursuit."""

    row: Row
    routed: tuple[bool, bool]
    caught: int
    men: tuple[int, int]

    def fight(self, side: int, losses: int) -> Fight:
        """The fight of a side with these losses."""
        won, lost = self.row.winner == side, self.row.winner == 1 - side
        return Fight(won, self.routed[side], self.caught * lost, losses)


class Left(NamedTuple):
    """A side after the battle: its ships and troops, and the ships that the enemy has captured."""

    fleet: Fleet
    troops: int
    captured: Fleet

    @classmethod
    def of(cls, record: Record) -> Left:
        """The side as its record says."""
        return cls(record.fleet, record.cargo.troops, record.captured)


@lru_cache(maxsize=1 << 12)
def left_of(
    book: Book, force: Force, kinds: tuple[str, ...], fight: Fight, storm: int | None, losses: tuple[int, ...]
) -> tuple[list[Left], np.ndarray]:
    """The sides that are left after each of these losses in whole ships, and their chances: float64 [loss, left].

    `storm`: the modifier of its retreat attrition, None for none. Not to be changed.
    """
    places, found, each = dict[Left, int](), list[tuple[int, int, float]](), sorted(set(losses))
    for row, lost in enumerate(each):
        record = remaining(force, kinds, fight._replace(thirds=lost))
        afloat = Afloat(record.fleet, record.cargo)
        calm = storm is None or record.gone
        after = {afloat: 1} if calm else after_attrition(book, afloat, storm, force.order, force.hold)
        whole = sum(after.values())
        for (fleet, cargo), weight in after.items():
            place = places.setdefault(Left(fleet, cargo.troops, record.captured), len(places))
            found.append((row, place, weight / whole))
    rows, which, chances = np.array(found).T
    out = np.zeros((len(each), len(places)))
    np.add.at(out, (rows.astype(int), which.astype(int)), chances)
    return list(places), out[np.searchsorted(each, losses)]


class Survivors:
    """The ends of a battle by the fleets that are left; `tested`: is it asked whether a side's leader is lost?"""

    def __init__(self, battle: BattleSetup, tested: Sequence[object]) -> None:
        self.battle, self.losses, self.book, self.tested = battle, battle.losses, battle.engagement.book, tested
        self.places: tuple[dict[Left, int], dict[Left, int]] = ({}, {})
        self.left = cache(self._left)

    def _wiped(self, side: int, beaten: bool) -> list[tuple[bool, slice]]:
        """The losses with which a side is not wiped out, and is; `beaten`: its morale is gone."""
        thirds = self.battle.engagement.squadrons[side].fleet.thirds
        lost, small = wiped(self.book, thirds, self.losses.sizes[1 - side])
        least = 0 if small and beaten else lost
        return [(False, slice(0, least)), (True, slice(least, None))]

    def _cases(self, part: Part) -> dict[Case, np.ndarray]:
        """The chances of the cases: float64 [group, own losses, enemy losses]."""
        routs, shape = self.battle.engagement.options.destruction_is_rout, part.chances[:, 0].shape
        found = defaultdict[Case, np.ndarray](lambda: np.zeros(shape))
        for place, end in enumerate(part.ends):
            whole, beaten = part.chances[:, place], [morale == 0 for morale in end.morale]
            for (lost, own), (sunk, enemy) in product(self._wiped(0, beaten[0]), self._wiped(1, beaten[1])):
                if (chances := whole[:, own, enemy]).size:
                    settled = rules.settled(end.verdict, end.left > 0, end.morale, (lost, sunk), routs)
                    winner, pursues, routed = settled
                    morale = end.morale[1 - winner] if pursues and not routed[1 - winner] else 0
                    case = Case(winner, end.left, end.broke, routed, end.rolls * pursues, morale)
                    found[case][:, own, enemy] += chances
        return found

    def _fought(self) -> dict[Fought, np.ndarray]:
        """The chances of losses, pursuit included: float64 [own losses, enemy losses]."""
        parts = parts_of(fight_of(self.battle.engagement))
        pursued = max(pursuit.shape[-1] for part in parts for pursuit in part.pursuits) - 1
        room = [max(part.chances.shape[side + 2] for part in parts) + pursued for side in (0, 1)]
        found = defaultdict[Fought, np.ndarray](lambda: np.zeros(room))
        for part in parts:
            for case, chances in self._cases(part).items():
                loser = 1 - case.winner if case.rolls else 0
                chase = part.pursuits[1 - loser][:, case.rolls]
                for (men, fragile), places in part.alike.items():
                    row = Row(case.winner, case.left, case.broke, fragile)
                    held = np.tensordot(chase[places], chances[places], (0, 0))
                    for caught, more in np.argwhere(chase[places].any(axis=0)).tolist():
                        beaten = [side == loser and caught > 0 and caught >= case.morale for side in (0, 1)]
                        routed = case.routed[0] or beaten[0], case.routed[1] or beaten[1]
                        whole = found[Fought(row, routed, caught, men)]
                        whole = whole[more:] if loser == 0 else whole[:, more:]
                        whole[: held.shape[2], : held.shape[3]] += held[caught, more]
        return found

    def _left(self, side: int, fight: Fight, man: int) -> tuple[np.ndarray, np.ndarray]:
        """The sides that may be left, by number, and their chances by losses up to `thirds`: float64 [losses, left].

        `man`: the manoeuvre in the retreat.
        """
        losses, retreats = self.losses, self.battle.fighting.storm[side] and not fight.won
        storm = losses.storm_modifier(side, fight.routed, man) if retreats else None
        whole = tuple(losses.all_whole(side, fight.routed)[: fight.thirds].tolist())
        left, chances = left_of(self.book, losses.forces[side], losses.kinds[side], fight, storm, whole)
        return np.array([self._number(side, one) for one in left]), chances

    def _number(self, side: int, left: Left) -> int:
        return self.places[side].setdefault(left, len(self.places[side]))

    def _ends(self) -> tuple[list[Row], np.ndarray, np.ndarray]:
        """All rows; the row and what is left of both sides by end, int64 [3, end]; the chance of each end."""
        untouched = [Left.of(self.losses.record(side, UNTOUCHED)) for side in (0, 1)]
        own, enemy = (np.array([self._number(side, one)]) for side, one in enumerate(untouched))
        evaded = self.battle.evaded
        rows, found = {EVADED: 0}, [(0, own, enemy, np.array([[evaded]]))]
        for fought, chances in self._fought().items():
            (own, first), (enemy, second) = (
                self.left(side, fought.fight(side, chances.shape[side]), fought.men[side]) for side in (0, 1)
            )
            row = rows.setdefault(fought.row, len(rows))
            found.append((row, own, enemy, (1 - evaded) * first.T @ chances @ second))
        shape = len(rows), len(self.places[0]), len(self.places[1])
        whole = np.zeros(shape)
        for row, own, enemy, p in found:
            whole[row][np.ix_(own, enemy)] += p
        ends = np.array(np.nonzero(whole))
        return list(rows), ends, whole[tuple(ends)]

    def _lost_leaders(self, side: int, rows: list[Row], row: np.ndarray, left: np.ndarray) -> np.ndarray:
        """The chance of each end that the given leader of a side is killed or wounded (step 14)."""
        leader = self.battle.engagement.squadrons[side].leader
        gone = np.array([one.fleet.thirds == 0 for one in self.places[side]], int)
        found = np.zeros((len(rows), 2))
        for place, one in enumerate(rows if self.tested[side] else ()):
            for lost in (False, True):
                ends = fates(leader, Trial(one.winner == side, lost, one.fragile >> side & 1 > 0))
                found[place, int(lost)] = 0 if one.evaded else 1 - ends[UNHARMED] / ends.total()
        return found[row, gone[left]]

    def outcomes(self) -> Outcomes:
        """The ends with the columns that campaigns read."""
        rows, (row, *left), p = self._ends()
        lost = [self._lost_leaders(side, rows, row, left[side]) for side in (0, 1)]
        ways = [
            np.prod([np.where(own, of, 1 - of) for own, of in zip(both, lost, strict=True)], 0) for both in BOTH_WAYS
        ]
        which, end = np.nonzero(ways)
        found = {name: np.array([getattr(one, name) for one in rows])[row[end]] for name in Row._fields}
        out: Columns = {"winner": found["winner"], "evaded": found["evaded"]}
        each = [
            {name: values[at[end]] for name, values in numbers_of(list(places)).items()}
            for places, at in zip(self.places, left, strict=True)
        ]
        for side, name in enumerate(SIDES):
            mine, takes = each[side], found["winner"] == side
            for kind in KINDS:
                out[f"{name} own {kind}"] = mine[f"own_{kind}_left"]
                out[f"{name}_{kind}_left"] = mine[f"own_{kind}_left"] + takes * each[1 - side][f"captured_{kind}_left"]
            out[f"{name}_troops_left_thirds"] = mine["troops"]
            out[f"{name}_left_with_wind"], out[f"{name}_broke_off"] = (
                found[how] == side + 1 for how in ("left", "broke")
            )
            out[f"{name}_leader_lost"] = np.array(BOTH_WAYS)[which, side]
        return Outcomes(out, p[end] * np.array(ways)[which, end], explored=len(end))


def numbers_of(places: list[Left]) -> dict[str, np.ndarray]:
    """The numbers of what is left by the name of a column, int64 [place]."""
    rows = [
        {**ships_left("own", one.fleet), **ships_left("captured", one.captured), "troops": one.troops} for one in places
    ]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
