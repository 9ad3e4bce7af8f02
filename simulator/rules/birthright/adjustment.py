"""The regent who moves last: the opposed check as one draw (docs/rules/birthright.md section 6)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import permutations, product
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chance import combine_all, die, seen_as
from simulator.engine.model.plain import Following, PlainBattle, Roll
from simulator.rules.battle import ATTACKER, DEFENDER, Built, Refusal
from simulator.rules.birthright.model import Adjustment, OtherRegent
from simulator.rules.toolkit.faces import thrown_until
from simulator.rules.toolkit.naming import listed
from simulator.rules.toolkit.plain import built

MOST_IN_ORDER = 4
# Divides evenly among up to 8 regents who roll off.
SHARES = lcm(*range(1, 9))


class CheckResult(NamedTuple):
    """A result for the first regent: his place, the barred moves, and the whole order if it is asked for."""

    position: int
    enter_barred: bool
    leave_barred: bool
    order: str = ""


@dataclass(frozen=True)
class Regents:
    """All regents of a check; the first is the attacker."""

    fields: Adjustment

    @cached_property
    def others(self) -> list[OtherRegent]:
        """The regents from the second on."""
        return self.fields.defender.regents

    @cached_property
    def modifiers(self) -> list[int]:
        """Warcraft of each regent."""
        return [self.fields.attacker.warcraft, *(regent.warcraft for regent in self.others)]

    def bars(self, own: int, total: int) -> bool:
        """Does a regent with this total bar the moves of one with the total `own`, where he has units?"""
        return total > own or (total == own and self.fields.options.tie == "blocked")

    def acting_order(self, rolls: Sequence[int], lots: Sequence[float]) -> list[int]:
        """Regents (from 0) by total, then modifier; a roll-off is decided by the lots, lower first."""
        return sorted(range(len(rolls)), key=lambda i: (rolls[i] + self.modifiers[i], self.modifiers[i], lots[i]))

    def result_of(self, rolls: Sequence[int], lots: Sequence[float]) -> CheckResult:
        """The result of these d20 and lots."""
        totals = [roll + modifier for roll, modifier in zip(rolls, self.modifiers, strict=True)]
        order = self.acting_order(rolls, lots)
        barring = [regent for regent, total in zip(self.others, totals[1:], strict=True) if self.bars(totals[0], total)]
        enter, leave = any(regent.in_target for regent in barring), any(regent.in_origin for regent in barring)
        digits = "".join(str(i + 1) for i in order) if self.fields.options.order else ""
        return CheckResult(order.index(0) + 1, enter, leave, digits)

    @cached_property
    def results(self) -> Counter[CheckResult]:
        """Every result with its integer weight."""
        return self._results_with_order() if self.fields.options.order else self._results_without_order()

    def _results_without_order(self) -> Counter[CheckResult]:
        """For each own roll, add the other regents one by one: acting before, level, barring entry, barring leaving."""
        results: Counter[CheckResult] = Counter()
        for own in (roll + self.modifiers[0] for roll in range(1, 21)):
            against = [seen_as(die(20), partial(self._against, own, regent)) for regent in self.others]
            others = combine_all(
                against, lambda a, b: (a[0] + b[0], a[1] + b[1], a[2] or b[2], a[3] or b[3]), (0, 0, False, False)
            )
            for (before, level, enter, leave), ways in others.items():
                for place in range(level + 1):
                    results[CheckResult(before + place + 1, enter, leave)] += ways * SHARES // (level + 1)
        return results

    def _against(self, own: int, regent: OtherRegent, roll: int) -> tuple[int, int, bool, bool]:
        """Does this regent act before, is he level in total and modifier, does he bar entering, leaving?"""
        total = roll + regent.warcraft
        first, other = (own, self.modifiers[0]), (total, regent.warcraft)
        bars = self.bars(own, total)
        return int(other < first), int(other == first), bars and regent.in_target, bars and regent.in_origin

    def _results_with_order(self) -> Counter[CheckResult]:
        """Every throw of all dice; all orders that a throw allows are equally likely."""
        count, modifiers = len(self.modifiers), np.array(self.modifiers)[:, None]
        totals = np.indices((20,) * count).reshape(count, -1) + 1 + modifiers
        rank = totals * 100 + modifiers
        orders = list(permutations(range(count)))
        allowed = np.array([np.all(np.diff(rank[list(order)], axis=0) >= 0, axis=0) for order in orders])
        share = SHARES // allowed.sum(0)
        barring = totals[1:] > totals[0] if self.fields.options.tie == "free" else totals[1:] >= totals[0]
        enter = (barring & np.array([regent.in_target for regent in self.others])[:, None]).any(0)
        leave = (barring & np.array([regent.in_origin for regent in self.others])[:, None]).any(0)
        results: Counter[CheckResult] = Counter()
        for order, fits in zip(orders, allowed, strict=True):
            digits = "".join(str(i + 1) for i in order)
            for barred in product((False, True), repeat=2):
                ways = int(share[fits & (enter == barred[0]) & (leave == barred[1])].sum())
                if ways:
                    results[CheckResult(order.index(0) + 1, *barred, digits)] = ways
        return results

    @property
    def able(self) -> bool:
        """Are there movement points left for the move?"""
        return bool(self.fields.attacker.points_left >= self.fields.conditions.cost)

    def follow(self, s: CheckResult | None) -> Following:
        """The dice of all regents at once."""
        return Roll("check", self.results, line=self.line) if s is None else None

    def columns(self, s: CheckResult) -> dict[str, Any]:
        """Outputs of a result."""
        enter, leave = self.able and not s.enter_barred, self.able and not s.leave_barred
        columns = {
            "winner": ATTACKER if enter and leave else DEFENDER,
            "position": s.position,
            "first": s.position == 1,
            "last_word": s.position == len(self.modifiers),
            "may_enter": enter,
            "may_leave": leave,
        }
        return columns | ({"order": s.order} if self.fields.options.order else {})

    def line(self, wanted: CheckResult, dice: random.Random) -> str:
        """The check with dice that give its result."""
        lines, count = [], len(self.modifiers)
        thrown = thrown_until(
            lambda dice: ([dice.randint(1, 20) for _ in range(count)], [dice.random() for _ in range(count)]),
            lambda thrown: self.result_of(*thrown) == wanted,
            dice,
        )
        if thrown is None:
            lines.append("A result so rare that its dice are not shown.")
        else:
            rolls, _ = thrown
            for i in self.acting_order(*thrown):
                name = "Regent 1, the attacker" if i == 0 else f"Regent {i + 1}"
                lines.append(f"{name}: d20 {rolls[i]} {self.modifiers[i]:+d} = {rolls[i] + self.modifiers[i]}")
        barred = [word for word, barred in (("enter", wanted.enter_barred), ("leave", wanted.leave_barred)) if barred]
        may_not = f" and may not {listed(barred, 'or')}" if barred else ""
        return "\n".join([*lines, f"The attacker acts as number {wanted.position}{may_not}."])

    def explain(self) -> list[str]:
        """The modifier of each regent, and the moves that he may bar."""
        lines = [f"regent 1, the attacker: d20 {self.modifiers[0]:+d}"]
        for i, regent in enumerate(self.others, 2):
            where = [name for name, there in (("enter", regent.in_target), ("leave", regent.in_origin)) if there]
            bars = f"bars the province to {listed(where)} if higher" if where else "bars nothing"
            lines.append(f"regent {i}: d20 {regent.warcraft:+d}, {bars}")
        if not self.able:
            cost, left = self.fields.conditions.cost, self.fields.attacker.points_left
            lines.append(f"the move costs {cost} points and {left} are left: it is not made")
        return lines

    def assumptions(self) -> list[str]:
        """Readings in force."""
        tie = "does not bar" if self.fields.options.tie == "free" else "bars as well"
        return [
            f"an equal total {tie} the way",
            "level in total: the higher modifier acts later; level in both: a roll-off (ASSUMED)",
        ]


def check(fields: Adjustment) -> None:
    """Refuse the whole order of more than 4 regents. Raises Refusal."""
    count = 1 + len(fields.defender.regents)
    if fields.options.order and count > MOST_IN_ORDER:
        raise Refusal("options.order", f"true is not allowed; at most {MOST_IN_ORDER} regents in all, here are {count}")


def build(fields: Adjustment) -> Built:
    """Everything that answers which regent moves last."""
    regents = Regents(fields)
    return built(PlainBattle(None, regents.follow), regents.columns, regents.assumptions(), regents.explain())
