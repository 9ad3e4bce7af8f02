"""From a siege scenario to its chain: tables of chances, and numbers that the rules in siege_rules.py look up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from simulator.engine.chance import TableBook
from simulator.rules.europa import siege_rules as siege
from simulator.rules.europa.assault import Assaults, Ground
from simulator.rules.europa.leaders import FACES, Trial, both_fates, fates
from simulator.rules.europa.losses import MOST_PILLAGES, besieger_rolls, garrison_rolls
from simulator.rules.europa.model import Campaign, CampaignConditions, SiegePolicy
from simulator.rules.europa.siege_modifiers import AFTER_MINUS, AFTER_PLUS, WORKS, Siegecraft, total
from simulator.rules.europa.siege_rules import SiegeParams, SiegeState
from simulator.rules.europa.stacks import LD

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


def is_winter(box: int) -> bool:
    """W boxes have even numbers."""
    return box % 2 == 0


def following(box: int, die: int, drm: int, poor_weather: bool) -> tuple[int, bool]:
    """The next box of the round track after a continuation die, and whether its weather is bad (section 5)."""
    end, modified, bad = siege.END_BOX, die + drm, False
    if is_winter(box):
        to = box + (1 if modified <= 7 else 2 if modified == 8 else 3)
    else:
        to = box + (1 if modified <= 5 else 2)
        bad = modified <= 5 and die in {1, 3, 5}
    if box == end - 1 or to >= end:
        return end, False
    return to, bad or (poor_weather and is_winter(to))


@dataclass
class SiegeSetup:
    """Everything that is made once for one siege: parameters and tables."""

    craft: Siegecraft
    tables: TableBook = field(default_factory=TableBook)

    def __post_init__(self) -> None:
        self.fields = self.craft.fields
        self.campaign = isinstance(self.fields, Campaign)
        self.assaults = Assaults(self.craft)

    @cached_property
    def track(self) -> CampaignConditions | None:
        """The conditions of a campaign on the round track."""
        conditions = self.fields.conditions
        return conditions if isinstance(conditions, CampaignConditions) and conditions.start_round else None

    @property
    def rounds(self) -> int:
        """Fixed number of rounds; 0 on the round track, 1 for a siege segment."""
        conditions = self.fields.conditions
        if not isinstance(conditions, CampaignConditions):
            return 1
        return 0 if self.track else conditions.rounds or DEFAULT_ROUNDS

    @cached_property
    def plan(self) -> tuple[str, bool, bool]:
        """Action, assault on a breach, storm."""
        policy = self.fields.policy.attacker
        if isinstance(policy, SiegePolicy):
            return policy.action, policy.breach == "assault", False
        return PLANS[policy.plan]

    def sizes(self, most: int) -> Iterator[int]:
        """Thirds to which a stack can be down; in Europe whole LD."""
        return iter(range(most, -1, -LD if self.craft.europe else -1))

    # --- tables --------------------------------------------------------------------------------------------------

    def attrition(self) -> np.ndarray:
        """Tables of the besieger's attrition by its size, sides of PILLAGE and weather."""
        craft, before = self.craft, self.fields.conditions.pillages
        out = np.zeros((craft.besieger.size + 1, MOST_PILLAGES + 1, 2), np.int64)
        for camp in filter(None, self.sizes(craft.besieger.size) if self.may_hunger() else ()):
            for pillages in range(before, MOST_PILLAGES + 1):
                for bad in (0, 1):
                    drm = total(craft.besieger_attrition(camp, pillages, bool(bad)))
                    rolls = besieger_rolls(craft.book, camp, pillages, drm, craft.habit)
                    out[camp, pillages, bad] = self.tables.add(rolls)
        return out

    def may_hunger(self) -> bool:
        """Can the besieger come to roll attrition at all?"""
        conditions = self.fields.conditions
        worst = 1 + total(self.craft.supply(self.craft.besieged.size, 0))
        digs = self.plan[0] == "undermine"
        return (digs and worst < conditions.supply_distance) or not conditions.supply_line or self.craft.level > 0

    def garrison_attrition(self) -> np.ndarray:
        """Tables of the garrison's attrition by its size and the siegeworks."""
        craft = self.craft
        out = np.zeros((craft.besieged.size + 1, len(WORKS)), np.int64)
        for garrison in filter(None, self.sizes(craft.besieged.size) if self.starves() else ()):
            for works in range(len(WORKS)):
                drm = total(craft.garrison_attrition(works))
                out[garrison, works] = self.tables.add(garrison_rolls(craft.book, garrison, drm, craft.europe))
        return out

    def starves(self) -> bool:
        """Does the garrison suffer attrition from the second round on?"""
        fields = self.fields
        return (
            isinstance(fields, Campaign)
            and fields.options.garrison_attrition
            and fields.conditions.port != "resupplied"
        )

    def assault(self) -> np.ndarray:
        """Tables of assaults by besieger, garrison, right after a breach, and counter."""
        besieger, besieged = self.craft.besieger.size, self.craft.besieged.size
        out = np.zeros((besieger + 1, besieged + 1, 2, 2), np.int64)
        action, on_breach, storms = self.plan
        plain = action == "assault" or storms or self.fields.policy.attacker.too_small == "assault"
        ways = [breach for breach, made in ((0, plain), (1, action == "undermine" and on_breach)) if made]
        counters = (1,) if self.fields.conditions.assault_counter else (0, 1) if self.campaign else (0,)
        # Only in a campaign is there a later assault on what is left of a garrison.
        garrisons = list(self.sizes(besieged)) if self.campaign else [besieged]
        for camp in filter(None, self.sizes(besieger)):
            for garrison, breach, counter in ((g, b, c) for g in garrisons for b in ways for c in counters):
                ground = Ground(camp, garrison, breach, counter)
                out[camp, garrison, breach, counter] = self.tables.add(self.assaults.weights(ground))
        return out

    def tests(self) -> np.ndarray:
        """Tables of leader tests after an assault: held, fell, besieger wiped out; by fragile leaders."""
        out = np.zeros((3, 4), np.int64)
        for how, code in np.ndindex(3, 4) if not self.campaign else ():
            trials = Trial(how == 1, how == 2, bool(code & 1)), Trial(how != 1, False, bool(code & 2))
            own, enemy = (
                fates(stack.leader, trial) if stack.leader.present else Counter({0: 1})
                for stack, trial in zip((self.craft.besieger, self.craft.besieged), trials, strict=True)
            )
            out[how, code] = self.tables.add(both_fates(own, enemy))
        return out

    def next_box(self) -> np.ndarray:
        """Tables of continuation rolls: box * 2 + bad weather."""
        out = np.zeros(len(BOXES), np.int64)
        if self.track is None:
            return out
        poor = self.track.poor_weather
        drm = 2 * poor - (self.track.period in {"VI", "VII"})
        for box in range(len(BOXES) - 1):
            reached = (following(box, die, drm, poor) for die in FACES)
            out[box] = self.tables.add(Counter(2 * to + bad for to, bad in reached))
        return out

    def start_box(self) -> int:
        """Table of the start roll, 0 if there is none."""
        track = self.track
        if track is None or track.start_round != "roll":
            return 0
        boxes = [BOXES.index(name) for name in STARTS]
        return self.tables.add(
            Counter(2 * box + (track.bad_weather or (track.poor_weather and is_winter(box))) for box in boxes)
        )

    # --- numbers -------------------------------------------------------------------------------------------------

    @cached_property
    def params(self) -> SiegeParams:
        """All numbers of the siege."""
        craft, conditions, policy = self.craft, self.fields.conditions, self.fields.policy.attacker
        action, on_breach, storms = self.plan
        camps, garrisons = range(craft.besieger.size + 1), range(craft.besieged.size + 1)
        counters = np.zeros((len(WORKS), 2, 2), np.int64)
        for place in np.ndindex(*counters.shape):
            counters[place] = total(craft.effect_of_counters(*place))
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
            effect_camp=_ints(total(craft.effect_of_place(camp)) for camp in camps),
            effect_garrison=_ints(total(craft.effect_of_garrison(garrison)) for garrison in garrisons),
            effect_counters=counters,
            supply=_ints([total(craft.supply(left, first)) for first in (0, 1)] for left in garrisons),
            after_minus=_ints(AFTER_MINUS),
            after_plus=_ints(AFTER_PLUS),
            attrition=self.attrition(),
            garrison_attrition=self.garrison_attrition(),
            assault=self.assault(),
            tests=self.tests(),
            next_box=self.next_box(),
        )

    @property
    def start(self) -> SiegeState:
        """The fortress as it stands, at the start roll or at the first decision."""
        p, conditions = self.params, self.fields.conditions
        begun = SiegeState(*[0] * len(SiegeState._fields))._replace(
            stage=siege.START,
            box=BOXES.index(self.track.start_round) if self.track and not p.start else 0,
            camp=self.craft.besieger.size,
            garrison=self.craft.besieged.size,
            works=WORKS.index((conditions.siegeworks_minus, conditions.siegeworks_plus)),
            breach=int(conditions.breach_counter),
            counter=int(conditions.assault_counter),
            pillages=conditions.pillages,
            first=int(conditions.first_round),
            bad=int(conditions.bad_weather),
        )
        return begun if p.start else siege.segment(p, begun)

    @property
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
            log=7,
            fragile=3,
            fates=63,
        )


def _ints(values: Any) -> np.ndarray:
    return np.array(list(values), np.int64)
