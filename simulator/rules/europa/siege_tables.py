"""From a siege scenario to its chain: tables of chances, and numbers that the rules in siege_rules.py look up."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from simulator.engine.chance import TableBook
from simulator.rules.europa import siege_rules as siege
from simulator.rules.europa.assault import Assaults, Ground
from simulator.rules.europa.leaders import FACES, both_fates
from simulator.rules.europa.losses import GARRISON, MOST_PILLAGES, attrition
from simulator.rules.europa.model import Campaign, Siege, SiegePolicy
from simulator.rules.europa.siege_modifiers import Siegecraft
from simulator.rules.europa.siege_rules import SiegeParams, SiegeState
from simulator.rules.europa.spelled import sum_of
from simulator.rules.europa.stacks import LD, Stack
from simulator.rules.europa.track_rules import BOXES as ROUNDS
from simulator.rules.europa.track_rules import END, START, Season, Track
from simulator.rules.toolkit.weights import grid

ACTIONS = {"undermine": siege.DIG, "assault": siege.ATTACK, "redeploy": siege.LEAVE}
# plan -> action, assault on a breach, storm once a breach counter lies there (section 5).
PLANS = {
    "undermine-until-breach": ("undermine", True, False),
    "assault-at-once": ("assault", True, False),
    "undermine-only": ("undermine", False, False),
    "breach-then-storm": ("undermine", True, True),
}
# The round track, by the numbers that the rules know; `roll` leads to its first box.
BOXES = (*ROUNDS, END, "roll")
DEFAULT_ROUNDS = 4


class SiegeSetup(Siegecraft):
    """Everything that is made once for one siege: parameters and tables."""

    def __init__(self, fields: Siege | Campaign) -> None:
        super().__init__(fields)
        self.tables, self.assaults = TableBook(), Assaults(self)
        self.campaign = fields if isinstance(fields, Campaign) else None
        # The conditions of a campaign on the round track.
        self.track = self.campaign.conditions if self.campaign and self.campaign.conditions.start_round else None
        # Fixed number of rounds; 0 on the round track, 1 for a siege segment.
        self.rounds = 0 if self.track else self.campaign.conditions.rounds or DEFAULT_ROUNDS if self.campaign else 1
        policy = fields.policy.attacker
        if isinstance(policy, SiegePolicy):
            self.plan = policy.action, policy.breach == "assault", False
        else:
            self.plan = PLANS[policy.plan]

    def reached(self, stack: Stack, thirds: int) -> bool:
        """Can a stack come down to so many thirds? In Europe it loses whole LD."""
        return not self.europe or (stack.size - thirds) % LD == 0

    def attrition(self, camp: int, pillages: int, bad: int) -> int:
        """Table of the besieger's attrition by its size, sides of PILLAGE and weather."""
        if camp == 0 or pillages < self.fields.conditions.pillages or not self.reached(self.besieger, camp):
            return 0
        drm = sum_of(self.besieger_attrition(camp, pillages, bool(bad)))
        return self.tables.add(attrition(self.book, camp, pillages, drm, self.habit))

    def starved(self, garrison: int, works: int) -> int:
        """Table of the garrison's attrition from the second round on, by its size and the siegeworks."""
        resupplied = self.fields.conditions.port == "resupplied"
        starves = self.campaign is not None and self.campaign.options.garrison_attrition and not resupplied
        if garrison == 0 or not starves or not self.reached(self.besieged, garrison):
            return 0
        habit, drm = GARRISON if self.europe else None, sum_of(self.garrison_attrition(works))
        return self.tables.add(attrition(self.book, garrison, 0, drm, habit))

    def assault(self, camp: int, garrison: int, breach: int, counter: int) -> int:
        """Table of an assault by besieger, garrison, right after a breach, and counter; 0 for one never made."""
        action, on_breach, storms = self.plan
        plain = action == "assault" or storms or self.fields.policy.attacker.too_small == "assault"
        made = action == "undermine" and on_breach if breach else plain
        # Only in a campaign is there a later assault, on what is left of a garrison and with a counter gained before.
        before = int(self.fields.conditions.assault_counter)
        met = (garrison == self.besieged.size and counter == before) if self.campaign is None else counter >= before
        reached = self.reached(self.besieger, camp) and self.reached(self.besieged, garrison)
        if camp == 0 or not (made and met and reached):
            return 0
        return self.tables.add(self.assaults.weights(Ground(camp, garrison, breach, counter)))

    def tests(self, how: int, fragile: int) -> int:
        """Table of leader tests after an assault: held, fell, besieger wiped out; by fragile leaders."""
        leaders, ends = (stack.leader for stack in self.stacks), ((0, 1), (1, 0), (2, 1))[how]
        return 0 if self.campaign else self.tables.add(both_fates(leaders, fragile, ends))

    def next_box(self, box: int) -> int:
        """Table of a continuation or start roll: box * 2 + bad weather."""
        if self.track is None or box == siege.END_BOX:
            return 0
        begins = box == siege.ROLL_BOX
        season, before = Season.of(self.track), Track(START if begins else BOXES[box])
        reached = (season.throw(before, die) for die in FACES)
        bad_first = begins and self.track.bad_weather
        return self.tables.add(Counter(2 * BOXES.index(to.box) + (to.bad or bad_first) for to in reached))

    @cached_property
    def params(self) -> SiegeParams:
        """All numbers of the siege."""
        conditions, policy = self.fields.conditions, self.fields.policy.attacker
        action, on_breach, storms = self.plan
        camps, garrisons, works = self.besieger.size + 1, self.besieged.size + 1, len(siege.WORKS)
        return SiegeParams(
            campaign=int(self.campaign is not None),
            rounds=self.rounds,
            action=ACTIONS[action],
            storms=int(storms),
            on_breach=int(on_breach),
            grants=int(policy.war_honours == "grant"),
            too_small=ACTIONS[policy.too_small],
            mans=int(policy.garrison == "garrison"),
            distance=conditions.supply_distance,
            die=self.tables.add(Counter(FACES)),
            smallest=LD * self.level if conditions.supply_line else camps,
            effect_camp=grid((camps,), lambda camp: sum_of(self.effect_of_place(camp))),
            effect_garrison=grid((garrisons,), lambda garrison: sum_of(self.effect_of_garrison(garrison))),
            effect_counters=grid((works, 2, 2), lambda *counters: sum_of(self.effect_of_counters(*counters))),
            supply=grid((garrisons, 2), lambda garrison, first: sum_of(self.supply(garrison, first))),
            attrition=grid((camps, MOST_PILLAGES + 1, 2), self.attrition),
            garrison_attrition=grid((garrisons, works), self.starved),
            assault=grid((camps, garrisons, 2, 2), self.assault),
            tests=grid((3, 4), self.tests),
            next_box=grid((len(BOXES),), self.next_box),
        )

    @property
    def start(self) -> SiegeState:
        """The fortress as it stands, at the start roll or at the first decision."""
        conditions = self.fields.conditions
        works = conditions.siegeworks_minus, conditions.siegeworks_plus
        begun = SiegeState(*[0] * len(SiegeState._fields))._replace(
            stage=siege.START,
            box=BOXES.index(self.track.start_round) if self.track else 0,
            camp=self.besieger.size,
            garrison=self.besieged.size,
            works=siege.WORKS.index(works),
            breach=int(conditions.breach_counter),
            counter=int(conditions.assault_counter),
            pillages=conditions.pillages,
            first=int(conditions.first_round),
            bad=int(conditions.bad_weather),
        )
        return begun if begun.box == siege.ROLL_BOX else siege.segment(self.params, begun)

    @property
    def limits(self) -> SiegeState:
        """The largest value of each field."""
        return SiegeState(max(self.rounds, siege.END_BOX + 1), self.besieger.size, max(1, self.besieged.size))
