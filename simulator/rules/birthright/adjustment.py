"""Who moves last: the regents' opposed check as one draw (docs/rules/birthright.md section 6)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chain import Chain, rule
from simulator.engine.model.chance import TableBook, combine, die, seen_as
from simulator.rules.battle import ATTACKER, DEFENDER, Built, Columns, Refusal
from simulator.rules.birthright.campaign_model import Adjustment, OtherRegent
from simulator.rules.toolkit.faces import thrown_until
from simulator.rules.toolkit.naming import listed

MOST_IN_ORDER = 4
SHARES = lcm(*range(1, 9))


class CheckParams(NamedTuple):
    """The table of the opposed check."""

    check: int


class CheckState(NamedTuple):
    """0 before the check, else 1 + the number of its result."""

    result: int


@rule(CheckParams)
def running(p, s):
    """Until all have rolled."""
    return s.result == 0


@rule(CheckParams)
def table(p, s):
    """All dice at once."""
    return p.check


@rule(CheckParams)
def step(p, s, result):
    """The result."""
    return s._replace(result=result + 1)


class Standing(NamedTuple):
    """A result of the check for the regent asked about: the place, what is barred, and the order if it is asked for."""

    position: int
    enter_barred: bool
    leave_barred: bool
    order: str = ""


@dataclass(frozen=True)
class Regents:
    """All regents of a check; the first is the one asked about."""

    fields: Adjustment

    @cached_property
    def modifiers(self) -> list[int]:
        """Warcraft of each."""
        return [self.fields.attacker.warcraft, *(regent.warcraft for regent in self.fields.defender.regents)]

    def bars(self, own: int, total: int) -> bool:
        """Does a regent with this total bar one with the other, where he has units?"""
        return total > own or (total == own and self.fields.options.tie == "blocked")

    def judged(self, rolls: Sequence[int], lots: Sequence[float]) -> Standing:
        """The result of these d20; full ties go by the lots, lower first."""
        totals = [roll + modifier for roll, modifier in zip(rolls, self.modifiers, strict=True)]
        order = sorted(range(len(totals)), key=lambda i: (totals[i], self.modifiers[i], lots[i]))
        higher = [self.bars(totals[0], total) for total in totals[1:]]
        regents = self.fields.defender.regents
        enter = any(bar and regent.in_target for bar, regent in zip(higher, regents, strict=True))
        leave = any(bar and regent.in_origin for bar, regent in zip(higher, regents, strict=True))
        digits = "".join(str(i + 1) for i in order) if self.fields.options.order else ""
        return Standing(order.index(0) + 1, enter, leave, digits)

    @cached_property
    def results(self) -> Counter[Standing]:
        """All results with their whole weights."""
        return self._with_order() if self.fields.options.order else self._without_order()

    def _without_order(self) -> Counter[Standing]:
        """Each other regent acts before, level or after, one after the other, for each of the own rolls."""
        found: Counter[Standing] = Counter()
        for own in (roll + self.modifiers[0] for roll in range(1, 21)):
            met: Counter[tuple[int, int, bool, bool]] = Counter({(0, 0, False, False): 1})
            for regent in self.fields.defender.regents:
                one = seen_as(die(20), lambda roll, own=own, regent=regent: self._meets(own, roll, regent))
                met = combine(met, one, lambda a, b: (a[0] + b[0], a[1] + b[1], a[2] or b[2], a[3] or b[3]))
            for (before, level, enter, leave), ways in met.items():
                for place in range(level + 1):
                    found[Standing(before + place + 1, enter, leave)] += ways * SHARES // (level + 1)
        return found

    def _meets(self, own: int, roll: int, regent: OtherRegent) -> tuple[int, int, bool, bool]:
        """Does this regent act before, is he level in all, does he bar entering, leaving?"""
        total = roll + regent.warcraft
        mine, his = (own, self.modifiers[0]), (total, regent.warcraft)
        bars = self.bars(own, total)
        return int(his < mine), int(his == mine), bars and regent.in_target, bars and regent.in_origin

    def _with_order(self) -> Counter[Standing]:
        """Every throw of all dice; every order that it allows is equally likely."""
        count, modifiers = len(self.modifiers), np.array(self.modifiers)[:, None]
        totals = np.indices((20,) * count).reshape(count, -1) + 1 + modifiers
        rank = totals * 100 + modifiers
        orders = list(permutations(range(count)))
        able = np.array([np.all(np.diff(rank[list(order)], axis=0) >= 0, axis=0) for order in orders])
        share = SHARES // able.sum(0)
        higher = totals[1:] > totals[0] if self.fields.options.tie == "free" else totals[1:] >= totals[0]
        regents = self.fields.defender.regents
        enter = (higher & np.array([regent.in_target for regent in regents])[:, None]).any(0)
        leave = (higher & np.array([regent.in_origin for regent in regents])[:, None]).any(0)
        found: Counter[Standing] = Counter()
        for order, fits in zip(orders, able, strict=True):
            digits = "".join(str(i + 1) for i in order)
            for barred in ((False, False), (False, True), (True, False), (True, True)):
                ways = int(share[fits & (enter == barred[0]) & (leave == barred[1])].sum())
                found[Standing(order.index(0) + 1, *barred, digits)] += ways
        return Counter({standing: ways for standing, ways in found.items() if ways})

    @property
    def able(self) -> bool:
        """Are there movement points left for the move?"""
        return bool(self.fields.attacker.points_left >= self.fields.conditions.cost)

    def columns(self, states: Any) -> Columns:
        """Final states as the user's columns."""
        standings = [list(self.results)[number - 1] for number in states.result]
        position = np.array([standing.position for standing in standings])
        enter = np.array([self.able and not standing.enter_barred for standing in standings])
        leave = np.array([self.able and not standing.leave_barred for standing in standings])
        found = {
            "winner": np.where(enter & leave, ATTACKER, DEFENDER),
            "position": position,
            "first": position == 1,
            "last_word": position == len(self.modifiers),
            "may_enter": enter,
            "may_leave": leave,
        }
        if self.fields.options.order:
            found["order"] = np.array([standing.order for standing in standings])
        return found

    def told(self, result: int, dice: random.Random) -> Iterator[str]:
        """The check with dice that give its result."""
        wanted = list(self.results)[result]
        count = len(self.modifiers)
        thrown = thrown_until(
            lambda dice: ([dice.randint(1, 20) for _ in range(count)], [dice.random() for _ in range(count)]),
            lambda thrown: self.judged(*thrown) == wanted,
            dice,
        )
        if thrown is None:
            yield "A result so rare that its dice are not shown."
        else:
            ranked = sorted(
                range(count),
                key=lambda i: (thrown[0][i] + self.modifiers[i], self.modifiers[i], thrown[1][i]),
            )
            for i in ranked:
                who = "Regent 1, the attacker" if i == 0 else f"Regent {i + 1}"
                yield f"{who}: d20 {thrown[0][i]} {self.modifiers[i]:+d} = {thrown[0][i] + self.modifiers[i]}"
        bars = [word for word, barred in (("enter", wanted.enter_barred), ("leave", wanted.leave_barred)) if barred]
        yield f"The attacker acts as number {wanted.position}" + (
            f" and may not {listed(bars, 'or')}." if bars else "."
        )

    def explain(self) -> list[str]:
        """Who rolls with what, and who may bar the way."""
        lines = [f"regent 1, the attacker: d20 {self.modifiers[0]:+d}"]
        for i, regent in enumerate(self.fields.defender.regents, 2):
            where = [name for name, there in (("enter", regent.in_target), ("leave", regent.in_origin)) if there]
            bars = f"bars the province to {listed(where)} if higher" if where else "bars nothing"
            lines.append(f"regent {i}: d20 {regent.warcraft:+d}, {bars}")
        if not self.able:
            cost = self.fields.conditions.cost
            lines.append(
                f"the move costs {cost} points and {self.fields.attacker.points_left} are left: it is not made"
            )
        return lines

    def assumptions(self) -> list[str]:
        """Readings in force."""
        tie = "does not bar" if self.fields.options.tie == "free" else "bars as well"
        return [
            f"an equal total {tie} the way",
            "level in total: the higher modifier acts later; level in both: a roll-off (ASSUMED)",
        ]


def check(fields: Adjustment) -> None:
    """Refuse an order of too many regents."""
    count = 1 + len(fields.defender.regents)
    if fields.options.order and count > MOST_IN_ORDER:
        raise Refusal("options.order", f"true is not allowed; at most {MOST_IN_ORDER} regents in all, here are {count}")


def build(fields: Adjustment) -> Built:
    """The check and everything told about it."""
    regents, book = Regents(fields), TableBook()
    number = book.add(dict(enumerate(regents.results.values())))
    chain = Chain(
        CheckParams(number),
        CheckState(0),
        CheckState(len(regents.results)),
        book.close(),
        tell=lambda before, result, after, dice: "\n".join(regents.told(result, dice)),
    )
    return Built(chain=chain, outcome=regents.columns, assumptions=regents.assumptions, explain=regents.explain)
