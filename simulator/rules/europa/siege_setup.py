"""From a siege scenario to its chain: tables of chances, and numbers that the rules in siege.py look up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simulator.engine.chain import Chain
from simulator.engine.chance import TableBook
from simulator.rules.europa import siege
from simulator.rules.europa.assault import Assaults, Ground
from simulator.rules.europa.leaders import Trial, fates
from simulator.rules.europa.leaders import both_fates as both
from simulator.rules.europa.losses import MOST_PILLAGES, besieger_rolls, garrison_rolls
from simulator.rules.europa.siege import SiegeParams, SiegeState
from simulator.rules.europa.siegecraft import AFTER_MINUS, AFTER_PLUS, WORKS, Siegecraft, siegecraft, total
from simulator.rules.europa.stacks import LD

FACES = range(1, 11)
ACTIONS = {"undermine": siege.DIG, "assault": siege.ATTACK, "redeploy": siege.LEAVE}
# plan -> action, assault on a breach, storm once a breach counter lies there (section 5).
PLANS = {
    "undermine-until-breach": ("undermine", True, False),
    "assault-at-once": ("assault", True, False),
    "undermine-only": ("undermine", False, False),
    "breach-then-storm": ("undermine", True, True),
}
# The round track: W0, S1, W1, S2, ... S5, W5, End; start `roll` for each d10.
BOXES = ("W0", "S1", "W1", "S2", "W2", "S3", "W3", "S4", "W4", "S5", "W5", "End")
STARTS = ("W0", "S1", "S1", "S2", "S2", "W2", "S3", "S3", "S3", "S3")
DEFAULT_ROUNDS = 4
# Effects and supply are kept as numbers from 0 up.
RAISED = 100


def is_winter(box: int) -> bool:
    """W boxes have even numbers."""
    return box % 2 == 0


def following(box: int, die: int, drm: int, poor_weather: bool) -> tuple[int, bool]:
    """The next box of the round track after a continuation die, and whether its weather is bad (section 5)."""
    end, modified = siege.END_BOX, die + drm
    if box >= end - 1:
        return end, False
    if is_winter(box):
        to = box + (1 if modified <= 7 else 2 if modified == 8 else 3)
        bad = False
    else:
        to = box + (1 if modified <= 5 else 2)
        bad = modified <= 5 and die in {1, 3, 5}
    to = min(to, end)
    return to, to < end and (bad or (poor_weather and is_winter(to)))


@dataclass
class SiegeSetup:
    """Builds the parameters and tables of one siege."""

    craft: Siegecraft
    tables: TableBook = field(default_factory=TableBook)

    @property
    def fields(self) -> Any:
        """The scenario."""
        return self.craft.fields

    @property
    def campaign(self) -> bool:
        """Several rounds, or one segment?"""
        return bool(self.fields.battle == "siege-campaign")

    @property
    def rounds(self) -> int:
        """Fixed number of rounds; 0 on the round track."""
        if not self.campaign:
            return 1
        conditions = self.fields.conditions
        return 0 if conditions.start_round else conditions.rounds or DEFAULT_ROUNDS

    def plan(self) -> tuple[str, bool, bool]:
        """Action, assault on a breach, storm."""
        policy = self.fields.policy.attacker
        return PLANS[policy.plan] if self.campaign else (policy.action, policy.breach == "assault", False)

    def camps(self) -> Iterator[int]:
        """Thirds to which the besieger can be down; in Europe whole LD."""
        most = self.craft.besieger.size
        return iter(range(most, 0, -LD if self.craft.europe else -1))

    def garrisons(self) -> Iterator[int]:
        """Thirds to which the garrison can be down; in Europe whole LD."""
        most = self.craft.besieged.size
        return iter(range(most, -1, -LD if self.craft.europe else -1))

    def attrition(self) -> np.ndarray:
        """Tables of the besieger's attrition by its size, sides of PILLAGE and weather."""
        out = np.zeros((self.craft.besieger.size + 1, MOST_PILLAGES + 1, 2), np.int64)
        if not self.may_hunger():
            return out
        for camp in self.camps():
            for pillages in range(self.fields.conditions.pillages, MOST_PILLAGES + 1):
                for bad in (0, 1):
                    drm = total(self.craft.besieger_attrition(camp, pillages, bool(bad)))
                    rolls = besieger_rolls(self.craft.book, camp, pillages, drm, self.craft.habit)
                    out[camp, pillages, bad] = self.tables.add(rolls)
        return out

    def may_hunger(self) -> bool:
        """Can the besieger come to roll attrition at all?"""
        conditions = self.fields.conditions
        worst = 1 + total(self.craft.supply(self.craft.besieged.size, 0))
        digs = self.plan()[0] == "undermine"
        return (digs and worst < conditions.supply_distance) or not conditions.supply_line or self.craft.level > 0

    def garrison_attrition(self) -> np.ndarray:
        """Tables of the garrison's attrition by its size and the siegeworks."""
        out = np.zeros((self.craft.besieged.size + 1, len(WORKS)), np.int64)
        for garrison in self.garrisons() if self.starves() else ():
            for works in range(len(WORKS)) if garrison else ():
                drm = total(self.craft.garrison_attrition(works))
                rolls = garrison_rolls(self.craft.book, garrison, drm, self.craft.europe)
                out[garrison, works] = self.tables.add(rolls)
        return out

    def starves(self) -> bool:
        """Does the garrison suffer attrition from the second round on?"""
        resupplied = self.fields.conditions.port == "resupplied"
        return self.campaign and self.fields.options.garrison_attrition and not resupplied

    def assault(self) -> np.ndarray:
        """Tables of assaults by besieger, garrison, right after a breach, and counter."""
        out = np.zeros((self.craft.besieger.size + 1, self.craft.besieged.size + 1, 2, 2), np.int64)
        assaults = Assaults(self.craft)
        action, on_breach, storms = self.plan()
        plain = action == "assault" or storms or self.fields.policy.attacker.too_small == "assault"
        ways = [breach for breach, made in ((0, plain), (1, action == "undermine" and on_breach)) if made]
        counters = (1,) if self.fields.conditions.assault_counter else (0, 1) if self.campaign else (0,)
        for camp in self.camps() if ways else ():
            for garrison in self.garrisons() if self.garrison_shrinks() else [self.craft.besieged.size]:
                for breach in ways:
                    for counter in counters:
                        ground = Ground(camp, garrison, breach, counter)
                        out[camp, garrison, breach, counter] = self.tables.add(assaults.weights(ground))
        return out

    def garrison_shrinks(self) -> bool:
        """Only in a campaign is there a later assault on what is left of a garrison."""
        return self.campaign

    def leaders(self) -> np.ndarray:
        """Tables of leader tests after an assault: held, fell, besieger wiped out; by fragile leaders."""
        out = np.zeros((3, 4), np.int64)
        attacker, defender = self.craft.besieger.leader, self.craft.besieged.leader
        for how in range(3) if not self.campaign else ():
            fell, wiped = how == 1, how == 2
            for code in range(4):
                trials = Trial(fell, wiped, bool(code & 1)), Trial(not fell, False, bool(code & 2))
                out[how, code] = self.tables.add(
                    both(
                        *(
                            fates(leader, trial) if leader.present else Counter({0: 1})
                            for leader, trial in zip((attacker, defender), trials, strict=True)
                        )
                    )
                )
        return out

    def next_box(self) -> np.ndarray:
        """Tables of continuation rolls: box * 2 + bad weather."""
        conditions = self.fields.conditions
        out = np.zeros(len(BOXES), np.int64)
        if self.rounds:
            return out
        drm = 2 * conditions.poor_weather - (conditions.period in {"VI", "VII"})
        for box in range(len(BOXES) - 1):
            reached = (following(box, die, drm, conditions.poor_weather) for die in FACES)
            out[box] = self.tables.add(Counter(2 * to + bad for to, bad in reached))
        return out

    def start_box(self) -> int:
        """Table of the start roll, 0 if there is none."""
        conditions = self.fields.conditions
        if self.rounds or conditions.start_round != "roll":
            return 0
        codes = []
        for name in STARTS:
            box = BOXES.index(name)
            bad = conditions.bad_weather or (conditions.poor_weather and is_winter(box))
            codes.append(2 * box + bad)
        return self.tables.add(Counter(codes))

    def params(self) -> SiegeParams:
        """All numbers of the siege."""
        craft, conditions, policy = self.craft, self.fields.conditions, self.fields.policy.attacker
        action, on_breach, storms = self.plan()
        camps, garrisons = range(craft.besieger.size + 1), range(craft.besieged.size + 1)
        return SiegeParams(
            campaign=int(self.campaign),
            rounds=self.rounds,
            action=ACTIONS[action],
            storms=int(storms),
            on_breach=int(on_breach),
            grants=int(policy.war_honours == "grant"),
            too_small=ACTIONS[policy.too_small],
            mans=int(policy.garrison == "garrison"),
            supplied=int(conditions.supply_line),
            distance=conditions.supply_distance,
            start=self.start_box(),
            die=self.tables.add(Counter(FACES)),
            smallest=LD * craft.level,
            starves=int(self.starves()),
            effect_camp=_ints([RAISED + total(craft.effect_of_place(camp)) for camp in camps]),
            effect_garrison=_ints([total(craft.effect_of_garrison(garrison)) for garrison in garrisons]),
            effect_counters=_ints(
                [
                    [[total(craft.effect_of_counters(works, breach, made)) for made in (0, 1)] for breach in (0, 1)]
                    for works in range(len(WORKS))
                ]
            ),
            supply=_ints([[RAISED + total(craft.supply(left, first)) for first in (0, 1)] for left in garrisons]),
            after_minus=_ints(AFTER_MINUS),
            after_plus=_ints(AFTER_PLUS),
            attrition=self.attrition(),
            garrison_attrition=self.garrison_attrition(),
            assault=self.assault(),
            leaders=self.leaders(),
            next_box=self.next_box(),
        )

    def start(self, p: SiegeParams) -> SiegeState:
        """The fortress as it stands, at the start roll or at the first decision."""
        conditions = self.fields.conditions
        box = 0 if self.rounds or p.start else BOXES.index(conditions.start_round)
        begun = SiegeState(
            stage=siege.START,
            box=box,
            rounds=0,
            camp=self.craft.besieger.size,
            garrison=self.craft.besieged.size,
            works=WORKS.index((conditions.siegeworks_minus, conditions.siegeworks_plus)),
            breach=int(conditions.breach_counter),
            counter=int(conditions.assault_counter),
            pillages=conditions.pillages,
            first=int(conditions.first_round),
            bad=int(conditions.bad_weather),
            hungry=0,
            how=siege.GOES_ON,
            manned=0,
            log=0,
            fragile=0,
            fates=0,
        )
        return begun if p.start else siege.segment(p, begun)

    def limits(self) -> SiegeState:
        """The largest value of each field."""
        return SiegeState(
            stage=siege.OVER,
            box=siege.END_BOX,
            rounds=max(self.rounds, len(BOXES)),
            camp=self.craft.besieger.size,
            garrison=max(1, self.craft.besieged.size),
            works=len(WORKS) - 1,
            breach=1,
            counter=1,
            pillages=MOST_PILLAGES,
            first=1,
            bad=1,
            hungry=1,
            how=siege.REDEPLOYED,
            manned=1,
            log=3,
            fragile=3,
            fates=63,
        )


def _ints(values: Any) -> np.ndarray:
    return np.array(values, np.int64)


def siege_chain(fields: Any) -> Chain:
    """The chain of states of a siege segment or of a campaign."""
    setup = SiegeSetup(siegecraft(fields))
    p = setup.params()
    start = SiegeState(*(int(value) for value in setup.start(p)))
    return Chain(p, start, setup.limits(), setup.tables.close(), mapped=True)
