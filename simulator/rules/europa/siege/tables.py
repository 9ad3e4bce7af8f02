"""From a siege scenario to its chain: die roll modifiers with reasons, tables of chances, and numbers for the rules.

docs/rules/europa_land_siege.md sections 4 and 5; the rules are in rules.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from simulator.engine.model.chance import NO_TABLE, TableBook, seen_as
from simulator.rules.europa.procedures.continuation import BOXES as ROUNDS
from simulator.rules.europa.procedures.continuation import END, START, Season, Track
from simulator.rules.europa.shared.land_checks import DEFAULT_ROUNDS, check_works
from simulator.rules.europa.shared.land_model import Campaign, CampaignPolicy, Siege, level_of
from simulator.rules.europa.shared.leaders import FACES, both_fates
from simulator.rules.europa.shared.losses import (
    GARRISON,
    MOST_PILLAGES,
    PILLAGE_SIDES,
    Pillaging,
    attrition,
    attrition_table,
    clamped,
    counters_by_size,
)
from simulator.rules.europa.shared.modifiers import Bonus, sum_of
from simulator.rules.europa.shared.stacks import LD, TECHNOLOGIES, Opponents, artillery_value
from simulator.rules.europa.siege import rules
from simulator.rules.europa.siege import state as siege
from simulator.rules.europa.siege.assault import Assaults
from simulator.rules.europa.siege.relief import Reliefs
from simulator.rules.europa.siege.state import ACTIONS, BEST, PLANS, SiegeParams, SiegeState
from simulator.rules.toolkit.weights import grid

# The round track, by the numbers that the rules know; `roll` leads to its first box.
BOXES = (*ROUNDS, END, "roll")
# A supply line of this many movement points is a cause of weak supply (section 5.3).
FAR = 6
# Countries whose besieger with an ARMY+ causes 2/3 more in an assault, and in which periods (section 4.5 step 4).
ELITE = {"poland": ("I", "II")} | dict.fromkeys(("russia", "russia-reformed", "turkey-janissary"), ("I", "II", "III"))


class SiegeSetup(Opponents[Siege | Campaign]):
    """A besieging stack before a fortress, and everything that is made once for it. Sizes in thirds.

    `camp` and `inside` are the counters of besieger and garrison by thirds left, `artillery` and `artillery_bonuses`
    the besieger's by its thirds; `habit` is what it does with a P, None outside Europe.
    """

    def __init__(self, fields: Siege | Campaign, tables: TableBook | None = None) -> None:
        super().__init__(fields)
        self.tables, self.assaults = tables or TableBook(), Assaults(self)
        (self.besieger, self.besieged), conditions = self.stacks, fields.conditions
        own, enemy, policy = fields.attacker, fields.defender, fields.policy.attacker
        self.level = level_of(fields)
        # The larger of the helpers' siege value and the leader's own; a Vizier may draw one more.
        values = self.besieger.siege_values
        self.own_siege, self.draws_siege = min(values), len(values) > 1
        self.enemy_siege = max(enemy.siege_value, self.besieged.leader.siege)
        self.camp = counters_by_size(own, policy.losses == "keep-best-army")
        self.inside = counters_by_size(enemy, keep_best=True)
        self.mixed = self.inside[-1].has_army
        self.habit = Pillaging(self.besieger.side.technology, policy.pillage) if self.europe else None
        self.artillery = [
            artillery_value(own, left.army_plus, left.army_minus, conditions.period, self.book) for left in self.camp
        ]
        self.artillery_bonuses = [self.book.siege_bonus(self.level, value) for value in self.artillery]
        # Rough ground and an open port (section 4.4); overseas a place with any port counts as plain.
        rough = conditions.terrain != "plain" and (self.europe or conditions.port == "none")
        port = conditions.port in {"open", "resupplied"}
        self.terrain_malus = (0, 2, 3)[rough + port] if self.level else int(rough or port)
        reformed = own.country == "turkey-janissary" and own.turkish_reform in {"m-1a", "m-2"}
        self.elite = conditions.period in ELITE.get(own.country, ()) and not reformed
        self._set_campaign(fields)
        # Whole LD are lost in Europe. Sizes that besieger and garrison may come down to, and sides of PILLAGE.
        self.unit = LD if self.europe else 1
        self.relief = Reliefs(self)
        self.room, self.inside = self.relief.room_for(self.inside)
        self.camps, self.garrisons = (
            [thirds for thirds in range(most + 1) if (stack.size - thirds) % self.unit == 0 and thirds >= least]
            for stack, most, least in zip(self.stacks, (self.besieger.size, self.room), (1, 0), strict=True)
        )
        self.sides = range(conditions.pillages, MOST_PILLAGES + 1)

    @property
    def works(self) -> int:
        """The siegeworks at the start, by their place in WORKS."""
        return works_of(self.fields.conditions)

    @cached_property
    def led(self) -> list[SiegeSetup]:
        """The siege by the besieger's leader, and by a replacement, where a relief army may cost him that leader."""
        if self.relief.army is None or not self.besieger.leader.given:
            return [self]
        lost = self.fields.attacker.model_copy(update={"leader": "replacement"})
        other = SiegeSetup(self.fields.model_copy(update={"attacker": lost}), self.tables)
        return [self, other]

    def _set_campaign(self, fields: Siege | Campaign) -> None:
        """The plan, rounds, supply and winter of a campaign; a siege segment is one round by a fixed plan."""
        policy = fields.policy.attacker
        self.campaign = fields if isinstance(fields, Campaign) else None
        # The conditions of a campaign on the round track.
        self.track = self.campaign.conditions if self.campaign and self.campaign.conditions.start_round else None
        # Fixed number of rounds; 0 on the round track, 1 for a siege segment.
        self.rounds = 0 if self.track else self.campaign.conditions.rounds or DEFAULT_ROUNDS if self.campaign else 1
        self.best = isinstance(policy, CampaignPolicy) and policy.plan == BEST
        if isinstance(policy, CampaignPolicy):
            self.plan = PLANS[policy.plan]
        else:
            self.plan = policy.action, policy.breach == "assault", False
        # The conditions of a campaign with the rules of supply, and with those of winter.
        by_rules = self.campaign is not None and self.campaign.options.supply_attrition
        self.supply_rules = self.campaign.conditions if self.campaign and by_rules else None
        self.winter = self.supply_rules if self.track else None

    @property
    def begins(self) -> int:
        """The moment at which the first round begins: a siege that goes on has its supply segment first."""
        goes_on = self.campaign is not None and self.campaign.conditions.supply_segment_first
        return siege.SUPPLY if goes_on else siege.ROUND_BEGINS

    def weak_supply(self, camp: int) -> list[str]:
        """The causes of weak supply (section 5.3); overseas only an ARMY is hindered by distance and by its fleet."""
        conditions = self.supply_rules
        if conditions is None or not conditions.supply_line:
            return []
        hindered = self.europe or self.camp[camp].has_army
        causes = {
            f"line of {FAR} movement points or more": hindered and conditions.supply_distance >= FAR,
            "desert": conditions.supply_desert,
            "foreign source": conditions.supply_foreign,
            "distant fleet": hindered and conditions.supply_distant_fleet,
        }
        return [cause for cause, holds in causes.items() if holds]

    def supply_attrition(self, camp: int, pillages: int, manoeuvre: int) -> list[Bonus]:
        """Supply attrition of the besieger (section 5.3)."""
        conditions, causes = self.fields.conditions, self.weak_supply(camp)
        return [
            Bonus(2 * max(0, len(causes) - 1), f"causes of weak supply above the first of: {', '.join(causes)}"),
            Bonus(2 * (camp >= 6 * LD), "6 LD or more"),
            Bonus(2 * (not conditions.supply_line), "no supply line"),
            Bonus(2, "enemy fortress"),
            Bonus(-manoeuvre, "manoeuvre"),
            Bonus(pillages, "sides of PILLAGE"),
            Bonus(conditions.attrition_modifier, "attrition_modifier"),
        ]

    def besieger_attrition(self, camp: int, pillages: int, bad_weather: bool, drawn: int = 0) -> list[Bonus]:
        """Siege attrition of the besieger (section 4.3); `drawn`: the Vizier's siege value."""
        conditions = self.fields.conditions
        unsupplied = not conditions.supply_line
        return [
            Bonus(2 * unsupplied, "no supply line"),
            Bonus(2 * (unsupplied and camp < LD * self.level), "no supply line and under 1 LD per level"),
            Bonus(2 * (camp >= 6 * LD), "6 LD or more"),
            Bonus(2 * bad_weather, "bad weather"),
            Bonus(pillages, "sides of PILLAGE"),
            Bonus(conditions.attrition_modifier, "attrition_modifier"),
            Bonus(-self.own_siege - drawn, "own siege value"),
            Bonus(self.enemy_siege, "besieged siege value"),
        ]

    def garrison_attrition(self, works: int, drawn: int = 0) -> list[Bonus]:
        """Siege attrition of the garrison (section 4.3; campaigns only); `drawn`: the Vizier's siege value."""
        return [
            Bonus(-self.enemy_siege, "own siege value"),
            Bonus(self.own_siege + drawn, "besieger's siege value"),
            Bonus(-3 * (self.fields.conditions.port == "open"), "open port"),
            Bonus(siege.WORKS_VALUE[works], "siegeworks"),
        ]

    def effect_of_place(self, camp: int) -> list[Bonus]:
        """Undermining: the place and the besieger."""
        return [
            Bonus(-self.level, "fortress level"),
            Bonus(self.artillery_bonuses[camp], f"artillery value {self.artillery[camp]}"),
            Bonus(-self.terrain_malus, "terrain and port"),
            Bonus(-self.enemy_siege, "besieged siege value"),
            Bonus(self.own_siege, "besieger's siege value"),
        ]

    def effect_of_counters(self, works: int, breach: int, assault: int) -> list[Bonus]:
        """Undermining: counters on the fortress."""
        both = self.fields.options.assault_and_breach == "sum"
        return [
            Bonus(assault * (both or not breach), "ASSAULT counter"),
            Bonus(2 * breach, "BREACH counter"),
            Bonus(siege.WORKS_VALUE[works], "siegeworks"),
        ]

    def effect_of_garrison(self, garrison: int, loose: bool = False) -> list[Bonus]:
        """Undermining: mouths to feed inside; `loose`: all that is left of it are loose detachments."""
        army = self.inside[garrison].has_army and not loose
        return [Bonus(3, "ARMY inside") if army else Bonus(int(garrison > 0), "troops inside")]

    def supply(self, garrison: int, first_round: int) -> list[Bonus]:
        """The supply check made with the undermining die."""
        return [
            Bonus(4 * first_round, "first siege round"),
            Bonus(-2 * self.fields.conditions.continued_siege, "continued siege"),
            Bonus(-self.enemy_siege, "besieged siege value"),
            Bonus(-(garrison // LD), "LD inside"),
        ]

    def assault_of_place(self, camp: int, breach: int, assault: int) -> list[Bonus]:
        """The besieger's assault rolls, its leader apart (section 4.5 step 2); `breach`: right after one."""
        behind = self.fields.defender.technology
        advanced = TECHNOLOGIES.index(behind) > TECHNOLOGIES.index("renaissance")
        return [
            Bonus(1 if behind == "medieval" else -1 if advanced else 0, f"{behind} besieged"),
            Bonus(0 if breach else -self.level, "fortress level"),
            Bonus(self.artillery_bonuses[camp], "artillery"),
            Bonus(assault, "ASSAULT counter"),
        ]

    # --- tables ---

    def attrition(self, camp: int, pillages: int, bad: int, drawn: int) -> int:
        """Table of the besieger's attrition by its size, sides of PILLAGE, weather and the Vizier's siege value."""
        drm = sum_of(self.besieger_attrition(camp, pillages, bool(bad), drawn))
        return self.tables.add(attrition_table(self.book, camp, pillages, drm, self.habit))

    def wears(self, camp: int, pillages: int) -> int:
        """Table of supply attrition by size and sides of PILLAGE, over what the leader's manoeuvre may be."""
        found: Counter[int] = Counter()
        for manoeuvre, weight in self.besieger.manoeuvres.items():
            drm = sum_of(self.supply_attrition(camp, pillages, manoeuvre))
            for result, times in attrition(self.book, camp, pillages, drm, self.habit).items():
                found[result] += weight * times
        return self.tables.add(found)

    def hunger(self, camp: int, pillages: int) -> int:
        """Table of a supply segment: rolled in weak supply, and without a line."""
        rolled = not self.fields.conditions.supply_line or self.weak_supply(camp)
        return self.wears(camp, pillages) if rolled else NO_TABLE

    def home(self, camp: int, pillages: int) -> int:
        """Table of Timar that go home in winter: d10 + twice the distance, whole LD of the table; P is ignored."""
        lost = Counter(self.book.attrition_europe(clamped(die + self.timar_winter), camp // LD)[0] for die in FACES)
        return self.tables.add(seen_as(lost, lambda gone: max(0, camp - LD * gone) * PILLAGE_SIDES + pillages))

    @cached_property
    def wear(self) -> np.ndarray:
        """Tables [cold, Timar going home, supply segment; size; sides of PILLAGE], NO_TABLE where none is rolled."""
        rules, cold = self.supply_rules, self.winter is not None and self.winter.cold_area
        hungry = rules is not None and (not rules.supply_line or self.weak_supply(self.besieger.size))
        # A winter in the cold brings a supply attrition whether or not supply is weak.
        rolls = (self.wears, cold), (self.home, self.timar_winter), (self.hunger, hungry)
        shape = self.besieger.size + 1, MOST_PILLAGES + 1
        return np.array(
            [grid(shape, table, (self.camps, self.sides) if rolled else ((), ())) for table, rolled in rolls]
        )

    @property
    def wears_down(self) -> bool:
        """May supply or winter cost anything?"""
        return bool(self.wear.any())

    @cached_property
    def timar_winter(self) -> int:
        """Modifier of the roll by which Timar go home in winter; 0 where none do."""
        return 2 * self.winter.timar_distance if self.winter and self.besieger.timar else 0

    def starved(self, garrison: int, works: int) -> int:
        """Table of the garrison's attrition from the second round on, by its size and the siegeworks."""
        found: Counter[int] = Counter()
        for drawn in range(1 + self.draws_siege):
            habit, drm = GARRISON if self.europe else None, sum_of(self.garrison_attrition(works, drawn))
            found.update(attrition(self.book, garrison, 0, drm, habit))
        return self.tables.add(found)

    @property
    def assaulted(self) -> tuple[Iterable[int], Sequence[int], Iterable[int], Iterable[int]]:
        """The assaults that may be made: sizes of besieger and garrison, right after a breach, counter."""
        action, on_breach, storms = self.plan
        plain = self.best or action == "assault" or storms or self.fields.policy.attacker.too_small == "assault"
        plain = plain or self.relief.army is not None
        made = [breach for breach, may in ((0, plain), (1, action == "undermine" and on_breach)) if may]
        # Only in a campaign is there a later assault, on what is left of a garrison and with a counter gained before.
        if self.campaign is None:
            return self.camps, (self.besieged.size,), made, (int(self.fields.conditions.assault_counter),)
        return self.camps, self.garrisons, made, (0, 1)

    def tests(self, how: int, fragile: int) -> int:
        """Table of leader tests after an assault: held, fell, besieger wiped out; by fragile leaders."""
        leaders, ends = tuple(stack.leader for stack in self.stacks), ((0, 1), (1, 0), (2, 1))[how]
        return NO_TABLE if self.campaign else self.tables.add(both_fates(leaders, fragile, ends))

    def next_box(self, box: int) -> int:
        """Table of a continuation or start roll: box * 2 + bad weather."""
        if self.track is None or box == siege.END_BOX:
            return NO_TABLE
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
        camps, garrisons, works = self.besieger.size + 1, self.room + 1, len(siege.WORKS)
        starves = self.campaign is not None and self.campaign.options.garrison_attrition
        inside = [thirds for thirds in self.garrisons if thirds and starves and conditions.port != "resupplied"]
        drawn = range(1 + any(led.draws_siege for led in self.led))

        def by_leader(make: Callable[[SiegeSetup], Any]) -> np.ndarray:
            return np.array([make(led) for led in self.led])

        return SiegeParams(
            campaign=int(self.campaign is not None),
            begins=self.begins,
            rounds=self.rounds,
            best=int(self.best),
            action=ACTIONS[action],
            storms=int(storms),
            on_breach=int(on_breach),
            grants=int(policy.war_honours == "grant"),
            too_small=ACTIONS[policy.too_small],
            mans=int(policy.garrison == "garrison"),
            distance=conditions.supply_distance,
            die=self.tables.add(Counter(FACES)),
            smallest=LD * self.level if conditions.supply_line else camps,
            **self.relief.params,
            effect_camp=by_leader(
                lambda led: grid((camps,), lambda camp: sum_of(led.effect_of_place(camp)), [self.camps])
            ),
            effect_garrison=grid(
                (2, garrisons), lambda loose, garrison: sum_of(self.effect_of_garrison(garrison, bool(loose)))
            ),
            effect_counters=grid((works, 2, 2), lambda *counters: sum_of(self.effect_of_counters(*counters))),
            supply=grid((garrisons, 2), lambda garrison, first: sum_of(self.supply(garrison, first))),
            vizier=by_leader(lambda led: self.tables.add(Counter((0, 1))) if led.draws_siege else NO_TABLE),
            attrition=by_leader(
                lambda led: grid(
                    (camps, MOST_PILLAGES + 1, 2, len(drawn)), led.attrition, (self.camps, self.sides, (0, 1), drawn)
                )
            ),
            lineless=int(self.supply_rules is not None and not conditions.supply_line),
            wear=by_leader(lambda led: led.wear),
            unit=self.unit,
            garrison_attrition=by_leader(lambda led: grid((garrisons, works), led.starved, (inside, range(works)))),
            assault=by_leader(lambda led: led.assaults.grid(*self.assaulted)),
            tests=grid((3, 4), self.tests),
            next_box=grid((len(BOXES),), self.next_box),
        )

    @property
    def start(self) -> SiegeState:
        """The fortress as it stands, at the start roll or at the first decision."""
        return self.begun({})

    def begun(self, changed: Mapping[str, Any], camp: int = 0) -> SiegeState:
        """As `start`, with these conditions of the fortress, before `camp` thirds of the besieger (0: all)."""
        conditions: Any = SimpleNamespace(**{**vars(self.fields.conditions), **changed})
        check_works(conditions)
        box = BOXES.index(self.track.start_round) if self.track else 0
        first = SiegeState(*[0] * len(SiegeState._fields))._replace(
            stage=siege.START if box == siege.ROLL_BOX else self.begins,
            box=box,
            camp=camp or self.besieger.size,
            garrison=self.besieged.size,
            works=works_of(conditions),
            breach=int(conditions.breach_counter),
            counter=int(conditions.assault_counter),
            pillages=conditions.pillages,
            first=int(conditions.first_round),
            bad=int(conditions.bad_weather),
            unsupplied=conditions.unsupplied_segments * self.params.lineless if self.supply_rules else 0,
        )
        return rules.onward(self.params, first)

    @property
    def limits(self) -> SiegeState:
        """The largest value of each field."""
        rounds, camp = max(self.rounds, siege.END_BOX + 1), self.besieger.size
        starved = camp // self.unit if self.wears_down else 0
        relieved = int(self.relief.army is not None)
        return SiegeState(
            rounds, camp, max(1, self.room), starved, FACES[-1] if self.best else 0,
            relief=siege.LEADER_LOST * relieved, relieving=(siege.FOUGHT | siege.RELIEVED) * relieved,
            parted=self.relief.size, loose=relieved,
        )  # fmt: skip


def works_of(conditions: Any) -> int:
    """The siegeworks of these conditions, by their place in WORKS."""
    return siege.WORKS.index((conditions.siegeworks_minus, conditions.siegeworks_plus))
