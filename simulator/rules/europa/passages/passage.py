"""A passage, stage by stage, with all fleets that may be left (docs/rules/europa_naval_and_other.md section 14)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

from simulator.engine.model.plain import Following, Roll
from simulator.rules.battle import ATTACKER, DEFENDER
from simulator.rules.europa.passages.battles import Meeting, Results, meeting_of
from simulator.rules.europa.passages.model import HostileFleet, PassageFields
from simulator.rules.europa.passages.obstacles import Stage, merged, stages_of_passage, way_until
from simulator.rules.europa.passages.state import (
    BLOCKADE,
    FAILURES,
    LANDED,
    LANDING,
    NO_FLEET,
    STORM,
    WORKS,
    Passing,
    after_battle,
    left_of,
    text_of_landing,
)
from simulator.rules.europa.procedures.attrition import (
    March,
    march_of,
    movement_causes,
    of_the_country,
    of_the_march,
)
from simulator.rules.europa.procedures.blockades import (
    CAUGHT,
    FREE,
    fire_modifiers,
    hits,
    run_modifiers,
    run_result,
    under_fire,
)
from simulator.rules.europa.procedures.interception import at_sea, succeeds
from simulator.rules.europa.sea.fight import FightKey
from simulator.rules.europa.sea.model import NavalConditions, NavalOptions, SeaConditions
from simulator.rules.europa.sea.squadrons import Engagement, Squadron, squadron_of, voyager_of
from simulator.rules.europa.shared.fields import TableOptions
from simulator.rules.europa.shared.fleets import Afloat, Cargo, Fleet, after_attrition, ships_left
from simulator.rules.europa.shared.leaders import Leader
from simulator.rules.europa.shared.losses import COUNTER_FIELDS, Pillaging
from simulator.rules.europa.shared.modifiers import Bonus, sum_of
from simulator.rules.europa.shared.procedure import D10, FACES
from simulator.rules.europa.shared.stacks import LD
from simulator.rules.europa.shared.voyage import SeaWay, VoyageConditions, of_the_voyage, of_the_way
from simulator.rules.europa.tables import Book

SECTION = "14"


@dataclass
class Voyage:
    """One passage."""

    fields: PassageFields
    book: Book

    def __post_init__(self) -> None:
        self.meeting, self.retreat_drm = cache(self._meeting), cache(self._retreat_drm)
        self.shares, self.storm_drm = cache(self._shares), cache(self._storm_drm)
        self.landed, self.together = cache(self._landed), cache(self._together)
        self.falls_short = self.fields.conditions.sea_attrition and self.fields.options.retreat_attrition

    @cached_property
    def own(self) -> Squadron:
        """The fleet as it sets out."""
        return squadron_of(
            self.fields.attacker, "attacker", self.fields.conditions, self.fields.policy.attacker, self.book
        )

    @cached_property
    def stages(self) -> list[Stage]:
        """The stages in order."""
        return stages_of_passage(self.fields)

    @cached_property
    def hostile(self) -> dict[int, list[Squadron]]:
        """The hostile fleets by stage."""
        return {
            number: [self.enemy(fleet) for fleet in stage.fleets]
            for number, stage in enumerate(self.stages)
            if stage.fleets
        }

    def enemy(self, fleet: HostileFleet) -> Squadron:
        """A hostile fleet about to fight."""
        return squadron_of(fleet, "defender", self.fields.conditions, self.fields.policy.defender, self.book)

    def _together(self, stage: int, fighting: tuple[int, ...]) -> Squadron:
        """The fleets of a stage that have met the moving one."""
        return self.enemy(merged([self.hostile[stage][place] for place in fighting]))

    @property
    def start(self) -> Passing:
        """The first state of the chain."""
        return Passing(0, Afloat(self.own.fleet, self.own.cargo), True)

    def leader(self, commander: bool) -> Leader:
        """The given leader, or a replacement once that one is gone; a replacement has 0 outside battles."""
        return self.own.leader if commander else Leader("replacement")

    def fitted(self, state: Passing, fleet: Fleet, troops: int, reason: str) -> Passing:
        """The fleet after losses outside battle: the troops must fit; without troops it is over."""
        troops = self.own.hold.fitting(troops, fleet.half_points)
        state = state._replace(afloat=Afloat(fleet, Cargo(troops)))
        return state if troops else state._replace(ended=reason)

    # --- stages ---

    def follow(self, state: Passing) -> Following:
        """The roll or draw that comes next."""
        if state.ended:
            return None
        stage = self.stages[state.stage]
        if self.fights(state):
            return Roll("battle", self.battle(state), line=lambda after, _: self.text_of_battle(state, after))
        if stage.kind == "storm" or state.stopped:
            drm, weights = self.storm_modifier(state), self.storm(state)
            rolled = f"{stage.title}: attrition at sea with {drm:+d}"
            return Roll("attrition", weights, line=lambda after, _: f"{rolled}; {left_of(after)}.")
        if stage.kind == "landing":
            return Roll(
                "landing", self.landing(state), line=lambda after, _: f"{stage.title}: {text_of_landing(after)}."
            )
        name = stage.each[state.asked] if stage.fleets else stage.name

        def line(shown: str, after: Passing) -> str:
            stopped = "stopped" if after.ended or after.stopped else "passes"
            return (
                f"{name.capitalize()}: {shown}: {'battle' if len(after.fighting) > len(state.fighting) else stopped}."
            )

        return D10(name, SECTION, self.bonuses(state), lambda *die: self.after_die(state, *die), line)

    def after_die(self, state: Passing, die: int, modified: int) -> Passing:
        """A stage of one die: fire, a blockade run, an interception."""
        stage = self.stages[state.stage]
        if stage.kind == "work":
            sunk = hits(modified)
            return self.onward(state) if sunk is None else self.stopped(state, sunk)
        if stage.kind == "patrol":
            fighting = (*state.fighting, state.asked) if succeeds(die, modified) else state.fighting
            asked = state.asked + 1
            return (
                self.onward(state)
                if asked == len(stage.fleets) and not fighting
                else state._replace(asked=asked, fighting=fighting)
            )
        result = run_result(modified)
        if result == FREE:
            return self.onward(state)
        engages = self.fields.policy.defender.engage == "always"
        return (
            state._replace(asked=1, fighting=(0,)) if result == CAUGHT and engages else state._replace(ended=BLOCKADE)
        )

    @staticmethod
    def onward(state: Passing) -> Passing:
        """To the next stage."""
        return state._replace(stage=state.stage + 1, asked=0, fighting=())

    def stopped(self, state: Passing, sunk: int) -> Passing:
        """Stopped by a work, which sinks this many ND; the rest rolls attrition."""
        fleet = under_fire(state.afloat.fleet, sunk, self.own.order)
        state = self.fitted(state, fleet, state.afloat.cargo.troops, WORKS)
        if self.falls_short and fleet.thirds:
            return state._replace(stopped=True, ended="")
        return state._replace(ended=WORKS)

    def bonuses(self, state: Passing) -> list[Bonus]:
        """Modifiers of a stage's die."""
        stage, fleet, conditions = self.stages[state.stage], state.afloat.fleet, self.fields.conditions
        leader, side = self.leader(state.commander), self.fields.attacker
        if stage.work:
            return fire_modifiers(stage.work, side.fleets_minus + side.fleets_plus)
        if stage.kind == "run":
            (enemy,) = self.hostile[state.stage]
            return run_modifiers(fleet, leader.manoeuvre - enemy.leader.manoeuvre, enemy.fleet, enemy.side.technology)
        if stage.kind == "patrol":
            man = self.hostile[state.stage][state.asked].leader.manoeuvre
            return at_sea(stage.fleets[state.asked], man, leader.manoeuvre, conditions.bad_weather)
        return self.of_storm(state) if stage.kind == "storm" else self.march_roll(state.afloat.cargo.troops)

    def _storm_drm(self, stage: int, warships: bool, commander: bool) -> int:
        """The modifier of attrition at sea of a fleet with or without warships."""
        return sum_of(self.of_storm(Passing(stage, Afloat(Fleet(int(warships)), Cargo()), commander)))

    def storm_modifier(self, state: Passing) -> int:
        """The modifier of attrition at sea in a state."""
        return self.storm_drm(state.stage, state.afloat.fleet.warships > 0, state.commander)

    def of_storm(self, state: Passing) -> list[Bonus]:
        """Modifiers of attrition at sea, of the voyage or of a fleet that works have stopped."""
        leader, stage = self.leader(state.commander), self.stages[state.stage]
        way = way_until(stage, self.fields) if stage.work else self.fields.conditions
        return self.of_way(way, state.afloat.fleet, leader, leader.manoeuvre)

    def of_way(self, way: SeaWay, fleet: Fleet, leader: Leader, manoeuvre: int) -> list[Bonus]:
        """Modifiers of attrition at sea on a way; without `manoeuvre` those of a retreat."""
        siege = 0 if leader.drawn else leader.siege
        voyager = voyager_of(self.fields.attacker, fleet, manoeuvre, siege)
        if isinstance(way, VoyageConditions):
            return of_the_voyage(voyager, way, self.fields.options.end_of_turn_plus_two)
        return of_the_way(voyager, way)

    def of_retreat(self, stage: Stage, fleet: Fleet, leader: Leader) -> list[Bonus]:
        """Modifiers but MAN of the attrition of a fleet that is beaten in a stage."""
        return self.of_way(way_until(stage, self.fields), fleet, leader, 0)

    @cached_property
    def battle_conditions(self) -> NavalConditions:
        """The conditions of every battle: an interception with the wind rolled."""
        given = {name: getattr(self.fields.conditions, name) for name in SeaConditions.model_fields}
        return NavalConditions(**given, interception=True)

    def _meeting(self, stage: int, fighting: tuple[int, ...], commander: bool) -> Meeting:
        """The battles against the fleets of a stage that have met the moving one."""
        own, enemy = replace(self.own, leader=self.leader(commander)), self.together(stage, fighting)
        if self.falls_short and own.retreat_drm is None:
            own = replace(own, retreat_drm=0)  # another for each fleet: `_retreat_drm`
        options = (*self.battle_options, self.book)
        key = (
            own.retreat_drm is None,
            own.numbers,
            enemy.numbers,
            enemy.fleet,
            enemy.cargo,
            *dict(self.battle_conditions).values(),
            *options,
        )
        return meeting_of(
            FightKey(key, Engagement((own, enemy), self.battle_conditions, self.fields.options, self.book))
        )

    @cached_property
    def battle_options(self) -> list[object]:
        """The readings of battles."""
        return [
            getattr(self.fields.options, name)
            for name in NavalOptions.model_fields
            if name not in TableOptions.model_fields
        ]

    def _retreat_drm(self, stage: int, warships: bool, commander: bool) -> int | None:
        """The modifiers but MAN of the attrition of a fleet that is beaten in a stage, None for no attrition."""
        if self.own.retreat_drm is not None or not self.falls_short:
            return self.own.retreat_drm
        return sum_of(self.of_retreat(self.stages[stage], Fleet(int(warships)), self.leader(commander)))

    def results(self, state: Passing) -> Results:
        """The results of the battle in a state."""
        return self.meeting(state.stage, state.fighting, state.commander).results(state.afloat)

    def stays(self, state: Passing) -> bool:
        """Does a win over a blockader not go on?"""
        return self.stages[state.stage].kind == "run" and self.fields.options.forced_battle_win == "stays"

    def battle(self, state: Passing) -> Mapping[Passing, float]:
        """A battle; only a win with troops left goes on."""
        drm = self.retreat_drm(state.stage, state.afloat.fleet.warships > 0, state.commander)
        return after_battle(self.results(state), drm, state._replace(afloat=NO_FLEET), self.stays(state))

    def landings(self) -> dict[tuple[int, bool], float]:
        """The chances of the troops that get ashore, as `_landed`; what is left of beaten fleets is not asked."""
        held: dict[tuple[int, ...], dict[Passing, float]] = {(0,): {self.start: 1.0}}
        before, found = defaultdict[int, float](float), defaultdict[tuple[int, bool], float](float)
        while held:
            for state, chance in held.pop(min(held)).items():
                if self.stages[state.stage].kind == "landing":
                    before[state.afloat.cargo.troops] += chance
                elif self.fights(state) and self.stays(state):
                    pass  # the passage is over, however the battle ends
                elif self.fights(state) and self.stages[state.stage + 1].kind == "landing":
                    for troops, share in self.results(state).troops.items():
                        before[troops] += chance * share
                else:
                    for after, share in self.goes_on(state):
                        # Every step leads to a later one.
                        later = held.setdefault((after.stage, after.asked, after.stopped), {})
                        later[after] = later.get(after, 0.0) + chance * share
        for troops, chance in before.items():
            ends = self.landed(troops) if troops else {}
            for end, weight in ends.items():
                found[end] += chance * weight / sum(ends.values())
        return {end: chance for end, chance in found.items() if end[0]}

    def goes_on(self, state: Passing) -> Iterator[tuple[Passing, float]]:
        """The states that follow in which the passage is not over, with chances."""
        if self.fights(state):
            for (_, fleet, cargo, lost), chance in self.results(state).won.items():
                if cargo.troops:
                    yield Passing(state.stage + 1, Afloat(fleet, cargo), state.commander and not lost), chance
            return
        # The interception of one fleet is that of all.
        one = state._replace(afloat=NO_FLEET) if self.stages[state.stage].kind == "patrol" else state
        for after, share in self.shares(one):
            yield after._replace(afloat=state.afloat) if one is not state else after, share

    def _shares(self, state: Passing) -> list[tuple[Passing, float]]:
        following = self.follow(state)
        assert isinstance(following, D10 | Roll)  # nobody decides, and the passage is not over
        weights = following.weights
        return [(after, weight / sum(weights.values())) for after, weight in weights.items() if not after.ended]

    def fights(self, state: Passing) -> bool:
        """Do fleets that have met fight now?"""
        fleets = self.stages[state.stage].fleets
        return bool(fleets) and state.asked == len(fleets)

    def storm(self, state: Passing) -> Counter[Passing]:
        """Attrition of the voyage, or of a fleet that works have stopped."""
        left = after_attrition(self.book, state.afloat, self.storm_modifier(state), self.own.order, self.own.hold)
        found: Counter[Passing] = Counter()
        for (fleet, cargo), weight in left.items():
            after = self.fitted(state, fleet, cargo.troops, STORM)
            if state.stopped:
                found[after._replace(stopped=False, ended=WORKS)] += weight
            else:
                found[after._replace(stage=state.stage + 1)] += weight
        return found

    @cached_property
    def march(self) -> March:
        """The attrition of the troops when they land."""
        conditions = self.fields.conditions
        habit = Pillaging(self.fields.attacker.land_technology, self.fields.policy.attacker.pillage)
        return march_of(self.book, conditions.region, habit, conditions.pillage_possible, True)

    def march_roll(self, troops: int) -> list[Bonus]:
        """Modifiers of the landing's attrition; empty where none is rolled."""
        side, conditions = self.fields.attacker, self.fields.conditions
        causes = movement_causes(troops, 0, conditions, not conditions.landing_in_port, False)
        modifiers = of_the_march(causes, of_the_country(conditions, side.land_manoeuvre, 0, (0, 0)))
        return modifiers if conditions.landing_attrition else []

    def landing(self, state: Passing) -> dict[Passing, float]:
        """Odd thirds vanish in Europe, then attrition (step 7)."""
        found: dict[Passing, float] = {}
        for (troops, foraging), weight in self.landed(state.afloat.cargo.troops).items():
            afloat, ended = state.afloat._replace(cargo=Cargo(troops)), LANDED if troops else LANDING
            found[state._replace(afloat=afloat, ended=ended, foraging=foraging, commander=True)] = weight
        return found

    def _landed(self, troops: int) -> dict[tuple[int, bool], float]:
        """Troops that get ashore (thirds), and do they forage? With chances."""
        if self.fields.conditions.region == "europe":
            troops -= troops % LD
        roll, found = self.march_roll(troops), defaultdict[tuple[int, bool], float](float)
        if not roll or not troops:
            return {(troops, False): 1}
        for die in FACES:
            after = self.march.after(troops, die + sum_of(roll))
            for end, weight in after.items():
                found[end.left, end.foraging and end.left > 0] += weight / after.total()
        return found

    def text_of_battle(self, before: Passing, after: Passing) -> str:
        """A line on a battle."""
        how = "lost" if after.ended else "won" + ", the commander is gone" * (before.commander > after.commander)
        return f"{self.stages[before.stage].title}: battle {how}; {left_of(after)}."

    def columns(self, state: Passing) -> dict[str, object]:
        """A row of the outcome."""
        landed, troops = state.ended == LANDED, state.afloat.cargo.troops
        return {
            "winner": ATTACKER if landed else DEFENDER,
            "landed": landed,
            **self.ashore("landed", troops if landed else 0),
            **self.ashore("saved", 0 if landed else troops - troops % LD * (self.fields.conditions.region == "europe")),
            "foraging": state.foraging,
            "battles": state.battles,
            **ships_left("attacker", state.afloat.fleet),
            **{reason: state.ended == reason for reason in FAILURES},
        }

    def ashore(self, how: str, troops: int) -> dict[str, int]:
        """Outputs: troops (thirds) that are ashore, regrouped into counters."""
        parts = zip(COUNTER_FIELDS, self.own.hold.regrouped(troops), strict=True)
        return {f"{how}_thirds": troops} | {f"{counter}_{how}": number for counter, number in parts}
