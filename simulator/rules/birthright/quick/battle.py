"""The quick battle, a house rule: one check, or checks until it is decided (docs/rules/birthright.md section 4)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from simulator.engine.model.plain import Choice, Following, PlainBattle, Roll
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, WINNERS, Built
from simulator.rules.birthright import model
from simulator.rules.birthright.quick.armies import army_of
from simulator.rules.birthright.quick.check import Check, CheckEnd, Lost
from simulator.rules.birthright.quick.words import (
    assumed_armies,
    both,
    check_assumptions,
    explain_check,
    losses_columns,
)
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.naming import winner_text
from simulator.rules.toolkit.plain import built


class QuickState(NamedTuple):
    """Steps lost by both, checks made, the side that the last one routed, and the winner once the battle is over.

    Where a side decides whether it leaves: `asked`, the sides that have not answered yet, and the side `behind` in the
    last check.
    """

    lost: Lost = (0, 0)
    turns: int = 0
    routed: int = NOBODY
    winner: int | None = None
    asked: tuple[int, ...] = ()
    behind: int = NOBODY


class QuickRules:
    """A quick battle and its check."""

    def __init__(self, fields: model.QuickBattle) -> None:
        self.fields = fields
        armies = army_of(fields, "attacker"), army_of(fields, "defender")
        self.check = Check(armies, fields.conditions.terrain, fields.options)
        self.walls = self.check.walls(fields.conditions.fortification)
        self.retreat = fields.policy.attacker.retreat, fields.policy.defender.retreat

    def follow(self, s: QuickState) -> Following:
        """A side that is asked decides; else one check."""
        if s.winner is not None:
            return None
        if s.asked:
            side, *others = s.asked
            options = {"stay": self.ask(s, others), "leave": over(s, 1 - side)}
            return Choice(SIDES[side], f"policy.{SIDES[side]}.retreat", options)
        ways = defaultdict[QuickState, int](int)
        for checked, number in self.check.after(s.lost, self.walls).items():
            ways[self.after(s, checked)] += number
        return Roll("check", ways, line=partial(self.line, s))

    def after(self, s: QuickState, checked: CheckEnd) -> QuickState:
        """A rout or an army without steps ends the battle; else the side behind is asked first whether it leaves."""
        lost, ahead, rout = checked
        turns, behind = s.turns + 1, NOBODY if ahead == NOBODY else 1 - ahead
        if rout or self.fields.options.mode == "single":
            return QuickState(lost, turns, behind if rout else NOBODY, ahead)
        own, enemy = self.steps_left(lost)
        if not own or not enemy:
            return QuickState(lost, turns, winner=ATTACKER if own else DEFENDER if enemy else NOBODY)
        asked = (DEFENDER, ATTACKER) if behind == DEFENDER else (ATTACKER, DEFENDER)
        return self.ask(QuickState(lost, turns, behind=behind), asked)

    def ask(self, s: QuickState, sides: Sequence[int]) -> QuickState:
        """These sides are asked in turn: who leaves loses; then the next check follows, if there is one."""
        for place, side in enumerate(sides):
            if self.retreat[side] == "best":
                return s._replace(asked=tuple(sides[place:]))
            if self.leaves(side, s.lost):
                return over(s, 1 - side)
        return over(s, NOBODY if s.turns >= self.fields.options.max_turns else None)

    def leaves(self, side: int, lost: Lost) -> bool:
        """Does a side leave by its fixed policy?"""
        if self.retreat[side] == "half":
            return 2 * self.steps_left(lost)[side] <= self.check.armies[side].steps
        if self.retreat[side] == "outmatched":
            own, enemy = self.check.strengths[side], self.check.strengths[1 - side]
            return bool(2 * own[lost] <= enemy[lost])
        return False

    def steps_left(self, lost: Lost) -> tuple[int, int]:
        """Steps left of both."""
        attacker, defender = self.check.armies
        return attacker.steps - lost[0], defender.steps - lost[1]

    def line(self, before: QuickState, after: QuickState, dice: random.Random) -> str:
        """One check of a replay."""
        shown = self.check.line(before.lost, self.walls, lambda checked: self.after(before, checked) == after, dice)
        end = "" if after.winner is None else f"; {winner_text(after.winner)}"
        return f"Check {after.turns}: {shown}{end}."

    def columns(self, s: QuickState) -> dict[str, Any]:
        """A row of the outcome."""
        armies = self.check.armies
        units = [int(army.units_left[steps]) for army, steps in zip(armies, s.lost, strict=True)]
        return {
            "winner": s.winner,
            **losses_columns(armies, s.lost, self.fields.options.gold),
            **both("units_left", units),
            **{f"{name}_routed": s.routed == side for side, name in enumerate(SIDES)},
            "turns": s.turns,
        }

    def describe(self, s: QuickState) -> dict[str, Any]:
        """A state in which a side is asked, in words."""
        own, enemy = self.steps_left(s.lost)
        return {"attacker_steps": own, "defender_steps": enemy, "turn": s.turns, "behind": WINNERS[s.behind]}

    def assumptions(self) -> list[str]:
        """Options, policies and assumed numbers in force."""
        options, single = self.fields.options, self.fields.options.mode == "single"
        lines = check_assumptions(options) + assumed_armies(options.gold, *self.check.armies)
        lines.append("one check: its winner holds the field" if single else f"at most {options.max_turns} checks")
        for side in SIDES:
            policy = getattr(self.fields.policy, side)
            lines.append(f"{side}: losses {policy.losses}" + ("" if single else f", leaves: {policy.retreat}"))
        return lines

    def built(self, columns: Callable[[QuickState], dict[str, Any]]) -> Built:
        """Everything that answers the battle with these columns."""
        explained = explain_check(self.check, self.fields.conditions.fortification)
        return built(PlainBattle(QuickState(), self.follow), columns, self.assumptions(), explained, self.describe)


def over(s: QuickState, winner: int | None) -> QuickState:
    """The battle with this winner; None: it goes on."""
    return QuickState(s.lost, s.turns, winner=winner)


def build_quick(fields: model.QuickBattle) -> Built:
    """Everything that answers a quick battle."""
    battle = QuickRules(fields)
    return battle.built(battle.columns)
