"""A naval battle in which a side decides when to leave: from two fleets to the chain of decided.py, and its columns."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any

import numpy as np

from simulator.engine.model.chain import SIDES, Chain
from simulator.engine.model.chance import NO_TABLE
from simulator.engine.model.interpreted import plain_params
from simulator.rules.battle import NOBODY, Columns
from simulator.rules.europa.sea import decided, end, rules
from simulator.rules.europa.sea.battle import UNTOUCHED, BattleSetup, Ends
from simulator.rules.europa.sea.decided import DecidedParams
from simulator.rules.europa.sea.losses import Fight
from simulator.rules.europa.sea.rules import NavalState
from simulator.rules.europa.sea.squadrons import Engagement
from simulator.rules.toolkit.weights import grid

BEST = "best"
# The rolls of a fight; a pursuit may follow from the first one on.
ROLLS = 4
DECISIONS = np.array(["leave_with_wind", "break_off", "break_off"])
TIMES = np.array(["", "day one, Fire", "day one, Shock (boarding)", "day two, Fire"])
# The side that has +1/+1 because its enemy failed to break off, by `failed`.
BONUS = np.array(["", "defender", "attacker", "both"])


def is_decided(engagement: Engagement) -> bool:
    """Does a side decide when to leave?"""
    policies = (squadron.policy for squadron in engagement.squadrons)
    return any(BEST in {policy.leave_with_wind, policy.break_off} for policy in policies)


class DecidedSetup:
    """Everything about a naval battle with decisions that is known before the first roll."""

    def __init__(self, engagement: Engagement) -> None:
        self.battle = BattleSetup(engagement)
        # The chain has one book of tables.
        self.battle.tables = self.battle.fighting.tables
        self.places = self.battle.fighting.places

    @cached_property
    def most(self) -> tuple[int, int]:
        """The most thirds and stars that one roll or pursuit inflicts."""
        fighting = self.battle.fighting
        tables = {*fighting.params.rolls.ravel().tolist(), *self.chases.ravel().tolist()}
        codes = [code for table in tables for code, _ in fighting.dice(table)]
        return max(code & rules.LOSS_MASK for code in codes), max(code >> rules.LOSS_BITS for code in codes)

    @cached_property
    def chases(self) -> np.ndarray:
        """The tables of the pursuits: int64 [winner, group, rolls]."""
        table = self.battle.fighting.chase_table
        return grid((2, len(self.places), ROLLS + 1), lambda side, at, rolls: table(at, side, rolls))

    @cached_property
    def record(self) -> np.ndarray:
        """The numbers of the records: int64 [side, won + 2 * routed, stars of the pursuit, losses]."""
        thirds, stars = self.most
        losses, found = self.battle.losses, np.zeros((2, 4, stars + 1, (ROLLS + 1) * thirds + 1), np.int64)
        for side, ending, caught in np.ndindex(*found.shape[:3]):
            won, routed = bool(ending & 1), ending >= 2
            if won and caught:
                continue  # only the loser is pursued
            whole, which = np.unique(losses.all_whole(side, routed)[: found.shape[3]], return_inverse=True)
            records = [losses.left_with(side, Fight(won, routed, caught, lost)) for lost in whole.tolist()]
            found[side, ending, caught] = np.array([self.battle.number(side, one) for one in records])[which]
        return found

    @cached_property
    def storms(self) -> np.ndarray:
        """The tables of the records that a storm leads to: int64 [side, group, record]."""
        battle, due = self.battle, self.battle.fighting.storm
        before = [list(found) for found in battle.records]
        if not any(due):
            return np.zeros((2, 1, 1), np.int64)
        out = np.zeros((2, len(self.places), max(map(len, before))), np.int64)
        for side in (0, 1):
            men = np.array([battle.fighting.man(at, side) for at in range(len(self.places))])
            for number, record in enumerate(before[side] if due[side] else ()):
                for man in dict.fromkeys(men.tolist()):
                    out[side, men == man, number] = battle.storm_table(side, record, man)
        return out

    def _first(self, of: list[Hashable]) -> np.ndarray:
        """The first group that is like each group."""
        return np.array([of.index(one) for one in of], np.int64)

    @cached_property
    def params(self) -> DecidedParams:
        """All numbers of the battle."""
        battle, losses = self.battle, self.battle.losses
        record, room = self.record, self.record.shape[-1]
        storms = self.storms
        gone = np.zeros((2, max(map(len, battle.records))), np.int64)
        for side, found in enumerate(battle.records):
            gone[side, : len(found)] = [one.gone for one in found]
        wiped_at = [
            [next((n for n in range(room) if losses.wiped(side, n, beaten)), room) for beaten in (False, True)]
            for side in (0, 1)
        ]
        men = any(battle.fighting.storm)
        return DecidedParams(
            fight=battle.fighting.params,
            evade=battle.evade(),
            untouched=np.array([battle.number(side, losses.record(side, UNTOUCHED)) for side in (0, 1)], np.int64),
            routs=int(battle.engagement.options.destruction_is_rout),
            wiped_at=np.array(wiped_at, np.int64),
            chases=self.chases,
            record=record,
            storm=np.array(battle.fighting.storm, np.int64),
            storms=storms,
            gone=gone,
            frail=np.array([group.fragile for group in self.places], np.int64),
            tests=battle.tests({group.fragile for group in self.places}),
            alike=self._first([(one.wind, one.fragile, one.men if men else ()) for one in self.places]),
            of_wind=self._first([one.wind for one in self.places]),
        )

    @cached_property
    def plain(self) -> DecidedParams:
        """The numbers of the battle for rules that run as plain Python."""
        found: DecidedParams = plain_params(self.params)
        return found

    def chain(self, tell: Any) -> Chain:
        """The chain of states of the battle; `tell` gives the lines of a replay."""
        p, (thirds, stars) = self.params, self.most
        stage = rules.DRAW if p.evade == NO_TABLE else decided.EVADE
        start = NavalState(stage, 0, 0, 0, 0, 0, 0, 0, rules.UNDECIDED, 0, 0)
        lost, hit, records = (ROLLS + 1) * thirds, (ROLLS + 1) * stars, [len(found) for found in self.battle.records]
        limits = NavalState(
            decided.DONE, max(1, len(self.places) - 1), lost, lost, hit, hit, 3, ROLLS, rules.UNDECIDED, 2, 2,
            records[0], records[1], end.FATES**2 - 1,
        )  # fmt: skip
        return Chain(p, start, limits, self.battle.tables.close(), tell=tell, may_be_over=True)

    # --- columns ---

    def outcome(self, states: Any) -> Columns:
        """The outcome columns of final states."""
        winds = np.array([group.wind for group in self.places])
        evaded = states.rolls == 0
        return self.battle.columns(
            Ends(
                winner=states.verdict,
                rolls=states.rolls,
                left=states.left,
                broke=states.broke,
                wind=np.where(evaded, NOBODY, winds[states.group]),
                stars=(states.stars_a, states.stars_d),
                records=(states.record_a, states.record_d),
                fates=states.fates,
            )
        )

    def decisions(self, states: Any, options: np.ndarray) -> Columns:
        """Columns of states in which a side may leave (docs/rules/decisions.md section 2.3), and its choice.

        Columns: text and int64; shape (states,). `options`: int32, shape (states,).
        """
        first, p = self.battle.fighting.first, self.params.fight
        of_wind, kind = states.stage == rules.WIND_CHOICE, states.stage - rules.WIND_CHOICE
        side = np.where(of_wind, p.wind[states.group], np.where(states.stage == rules.FIRST_CHOICE, first, 1 - first))
        paths = np.char.add(np.char.add("policy.", np.array(SIDES)[np.minimum(side, 1)]), ".")
        leaving = np.where(of_wind, "leave", "break off")
        return {
            "decision": np.char.add(paths, DECISIONS[kind]),
            "roll": TIMES[states.rolls],
            "attacker_losses_thirds": states.loss_a,
            "defender_losses_thirds": states.loss_d,
            "attacker_stars": states.stars_a,
            "defender_stars": states.stars_d,
            "bonus": BONUS[states.failed],
            "choice": np.where(options == rules.LEAVE, leaving, "stay"),
        }
