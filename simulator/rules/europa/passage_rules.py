"""A passage, stage by stage, over all that may be left (docs/rules/europa_naval_and_other.md section 14)."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from simulator.rules.battle import ATTACKER, DEFENDER, Built
from simulator.rules.europa.attrition_rules import (
    March,
    Voyager,
    movement_causes,
    movement_roll,
    of_the_country,
    voyage_bonuses,
)
from simulator.rules.europa.encounter_rules import (
    CAUGHT,
    FREE,
    Runner,
    fire_bonuses,
    hits,
    intercepts,
    run_bonuses,
    run_result,
    sea_bonuses,
    under_fire,
)
from simulator.rules.europa.fleets import LAW, Afloat, Cargo, Fleet, ships_left, stormed
from simulator.rules.europa.leaders import Leader
from simulator.rules.europa.losses import clamped
from simulator.rules.europa.passage_battles import Battles, Result
from simulator.rules.europa.passage_model import HostileFleet, PassageFields
from simulator.rules.europa.spelled import FACES, Bonus, built, plainly, rolled, spell_out, sum_of, why
from simulator.rules.europa.squadrons import Engagement, Squadron, squadron_of
from simulator.rules.europa.stacks import LD, detachments
from simulator.rules.europa.tables import Book, book
from simulator.rules.europa.voyage_model import Work
from simulator.rules.toolkit.faces import face_where

SOURCE = f"{LAW} 14"
FAILURES = ("stopped_by_works", "stopped_by_blockade", "beaten_at_sea", "lost_in_storm", "lost_on_landing")
WORKS, BLOCKADE, BATTLE, STORM, LANDING = FAILURES
LANDED = "landed"


class Passing(NamedTuple):
    """The fleet on its way: the stage to come, what is left, and how it ended ("" for not yet).

    `caught`: a battle against this stage's fleet comes next. `commander`: the one given is still there.
    """

    stage: int
    afloat: Afloat
    commander: bool
    battles: int = 0
    caught: bool = False
    ended: str = ""
    foraging: bool = False


class Stage(NamedTuple):
    """One stage: its kind, the work or fleet that it is about, and its name."""

    kind: str
    about: Work | HostileFleet | None
    name: str


@dataclass
class Voyage:
    """One passage."""

    fields: PassageFields
    book: Book
    battles: Battles = field(default_factory=Battles)
    landings: dict[int, Counter[tuple[int, bool]]] = field(default_factory=dict)
    fought: dict[tuple[int, Afloat, bool], Counter[Result]] = field(default_factory=dict)

    @cached_property
    def own(self) -> Squadron:
        """The fleet as it sets out."""
        return squadron_of(
            self.fields.attacker, "attacker", self.fields.conditions, self.fields.policy.attacker, self.book
        )

    @cached_property
    def stages(self) -> list[Stage]:
        """The stages in order."""
        defender, conditions = self.fields.defender, self.fields.conditions
        at_port = [w for w in defender.works if w.work in {"presidio", "siegeworks"}]
        straits = [w for w in defender.works if w not in at_port]
        found = [Stage("work", work, f"fire of {work.work}") for work in at_port]
        if defender.blockader:
            found.append(Stage("run", defender.blockader, "blockade"))
        found += [Stage("work", work, f"fire of {work.work}") for work in straits]
        found += self._patrols("en-route")
        if conditions.sea_attrition:
            found.append(Stage("storm", None, "voyage"))
        return [*found, *self._patrols("landing"), Stage("landing", None, "landing")]

    def _patrols(self, where: str) -> list[Stage]:
        fleets = self.fields.defender.interceptors
        return [Stage("patrol", f, f"interceptor {n} ({where})") for n, f in enumerate(fleets, 1) if f.stage == where]

    @cached_property
    def hostile(self) -> dict[int, Squadron]:
        """The hostile fleets by stage."""
        return {
            number: squadron_of(
                stage.about, "defender", self.fields.conditions, self.fields.policy.defender, self.book, stage.name
            )
            for number, stage in enumerate(self.stages)
            if isinstance(stage.about, HostileFleet)
        }

    @property
    def start(self) -> Passing:
        """Where it begins."""
        return Passing(0, Afloat(self.own.fleet, self.own.cargo), True)

    def leader(self, state: Passing) -> Leader:
        """Who commands: the given leader, or a replacement once that one is gone."""
        return self.own.leader if state.commander else Leader("replacement")

    def manoeuvre(self, state: Passing) -> int:
        """Manoeuvre outside battles; 0 for a replacement."""
        return self.leader(state).manoeuvre

    def fitted(self, state: Passing, fleet: Fleet, troops: int, reason: str) -> Passing:
        """The fleet after losses outside battle: the troops must fit; without troops it is over."""
        troops = self.own.hold.fitting(troops, fleet.half_points)
        state = state._replace(afloat=Afloat(fleet, Cargo(troops)))
        return state if troops else state._replace(ended=reason)

    # --- stages ---

    def follow(self, state: Passing) -> Counter[Passing] | None:
        """What may follow."""
        if state.ended:
            return None
        stage = self.stages[state.stage]
        if state.caught:
            return self.battle(state)
        if stage.kind == "storm":
            return self.storm(state)
        if stage.kind == "landing":
            return self.landing(state)
        drm = self.drm(state)
        return rolled(lambda die: self.throw(state, die, drm))

    def throw(self, state: Passing, die: int, drm: int) -> Passing:
        """A stage of one die: fire, a blockade run, an interception."""
        stage = self.stages[state.stage]
        modified = die + drm
        onward = state._replace(stage=state.stage + 1)
        if stage.kind == "work":
            sunk = hits(modified)
            if sunk is None:
                return onward
            fleet = under_fire(state.afloat.fleet, sunk, self.own.order)
            return self.fitted(state, fleet, state.afloat.cargo.troops, WORKS)._replace(ended=WORKS)
        if stage.kind == "patrol":
            return state._replace(caught=True) if intercepts(die, drm) else onward
        result = run_result(modified)
        if result == FREE:
            return onward
        engages = self.fields.policy.defender.engage == "always"
        return state._replace(caught=True) if result == CAUGHT and engages else state._replace(ended=BLOCKADE)

    def bonuses(self, state: Passing) -> list[Bonus]:
        """Modifiers of a stage's die."""
        stage, fleet, conditions = self.stages[state.stage], state.afloat.fleet, self.fields.conditions
        counters = self.fields.attacker.fleets_minus + self.fields.attacker.fleets_plus
        if isinstance(stage.about, Work):
            return fire_bonuses(stage.about, counters)
        if stage.kind == "run":
            enemy = self.hostile[state.stage]
            blockader = Runner(enemy.fleet, enemy.technology, enemy.leader.manoeuvre)
            return run_bonuses(Runner(fleet, self.own.technology, self.manoeuvre(state)), blockader)
        if isinstance(stage.about, HostileFleet):
            man = self.hostile[state.stage].leader.manoeuvre
            return sea_bonuses(stage.about, man, self.manoeuvre(state), conditions.bad_weather)
        if stage.kind == "storm":
            leader = self.leader(state)
            siege = 0 if leader.drawn else leader.siege
            voyager = Voyager(bool(fleet.warships), self.own.technology, counters, leader.manoeuvre, siege)
            return voyage_bonuses(voyager, conditions, self.fields.options.end_of_turn_plus_two)
        return self.march_roll(state.afloat.cargo.troops)

    def drm(self, state: Passing) -> int:
        """The modifier of a stage's die."""
        return sum_of(self.bonuses(state))

    def engagement(self, state: Passing) -> Engagement:
        """The battle that comes next."""
        conditions = self.fields.conditions
        own = replace(self.own, fleet=state.afloat.fleet, cargo=state.afloat.cargo, leader=self.leader(state))
        sides = own, self.hostile[state.stage]
        return Engagement(sides, conditions.sea, conditions.turn, True, "roll", self.fields.options, self.book)

    def battle(self, state: Passing) -> Counter[Passing]:
        """A battle; only a win with troops left goes on."""
        at = state.stage, state.afloat, state.commander
        if at not in self.fought:
            self.fought[at] = self.battles.results(self.engagement(state))
        stays = self.stages[state.stage].kind == "run" and self.fields.options.forced_battle_win == "stays"
        found: Counter[Passing] = Counter()
        for (won, fleet, cargo, lost_commander), chance in self.fought[at].items():
            ended = BATTLE if not won or not cargo.troops else BLOCKADE if stays else ""
            stage = state.stage if ended else state.stage + 1
            # Who commands matters no more once it is over.
            commander = bool(ended) or (state.commander and not lost_commander)
            after = Passing(stage, Afloat(fleet, cargo), commander, state.battles + 1, ended=ended)
            found[after] += chance  # type: ignore[assignment]
        return found

    def storm(self, state: Passing) -> Counter[Passing]:
        """Attrition of the voyage."""
        found: Counter[Passing] = Counter()
        for percent, faces in self.percents(self.drm(state)).items():
            left = stormed(self.book, state.afloat, percent, self.own.order, self.own.hold)
            for (fleet, cargo), weight in left.items():
                after = self.fitted(state, fleet, cargo.troops, STORM)
                found[after._replace(stage=state.stage + 1)] += faces * weight / left.total()  # type: ignore[assignment]
        return found

    def percents(self, drm: int) -> Counter[int]:
        """Losses in per cent with their faces."""
        return Counter(self.book.attrition_percent[clamped(die + drm)] for die in FACES)

    @cached_property
    def march(self) -> March:
        """How the troops suffer when they land."""
        side, conditions = self.fields.attacker, self.fields.conditions
        policy = self.fields.policy.attacker.pillage
        europe = conditions.region == "europe"
        return March(self.book, side.land_technology, policy, europe, conditions.pillage_possible, True)

    def march_roll(self, troops: int) -> list[Bonus]:
        """Modifiers of the landing's attrition; empty where none is rolled."""
        side, conditions = self.fields.attacker, self.fields.conditions
        causes = movement_causes(troops, 0, conditions, not conditions.landing_in_port, False)
        roll = movement_roll(causes, of_the_country(conditions, side.land_manoeuvre, 0, (0, 0)))
        return roll.bonuses if roll.rolled and conditions.landing_attrition else []

    def landing(self, state: Passing) -> Counter[Passing]:
        """Odd thirds vanish in Europe, then attrition (step 7)."""
        troops = state.afloat.cargo.troops
        if troops not in self.landings:
            self.landings[troops] = self._landed(troops)
        return Counter({self.ashore(state, *end): weight for end, weight in self.landings[troops].items()})

    def _landed(self, troops: int) -> Counter[tuple[int, bool]]:
        """Troops that get ashore (thirds), and do they forage?"""
        if self.fields.conditions.region == "europe":
            troops -= troops % LD
        roll, found = self.march_roll(troops), Counter[tuple[int, bool]]()
        if not roll or not troops:
            return Counter([(troops, False)])
        for die in FACES:
            after = self.march.after(troops, die + sum_of(roll))
            for end, weight in after.items():
                found[end.left, end.foraging and end.left > 0] += weight / after.total()  # type: ignore[assignment]
        return found

    def ashore(self, state: Passing, troops: int, foraging: bool) -> Passing:
        """The end of a landing."""
        ended = LANDED if troops else LANDING
        afloat = state.afloat._replace(cargo=Cargo(troops))
        return state._replace(afloat=afloat, ended=ended, foraging=foraging and troops > 0, commander=True)

    # --- what is seen ---

    def seen(self, state: Passing) -> dict[str, object]:
        """Columns."""
        landed = state.ended == LANDED
        troops = state.afloat.cargo.troops if landed else 0
        plus, minus, loose, explorers = self.own.hold.regrouped(troops)
        return {
            "winner": ATTACKER if landed else DEFENDER,
            "landed": landed,
            "landed_thirds": troops,
            "army_plus_landed": plus,
            "army_minus_landed": minus,
            "land_detachments_landed": loose,
            "exploration_detachments_landed": explorers,
            "foraging": state.foraging,
            "battles": state.battles,
            **ships_left("attacker", state.afloat.fleet),
            **{reason: state.ended == reason for reason in FAILURES},
        }

    def tell(self, before: Passing, after: Passing, dice: random.Random) -> str:
        """A line, which begins with the stage."""
        stage = self.stages[before.stage]
        text = self._told(stage, before, after, dice)
        return f"{stage.name.capitalize()}: {text}"

    def _told(self, stage: Stage, before: Passing, after: Passing, dice: random.Random) -> str:
        left = f"{after.afloat.fleet.told()} and {detachments(after.afloat.cargo.troops)} left"
        if before.caught:
            how = "lost" if after.ended else "won" + ", the commander is gone" * (before.commander > after.commander)
            return f"battle {how}; {left}."
        if stage.kind == "storm":
            return f"attrition at sea with {self.drm(before):+d}; {left}."
        if stage.kind == "landing":
            if not after.afloat.cargo.troops:
                return "nobody gets ashore."
            return f"{detachments(after.afloat.cargo.troops)} ashore{', foraging' * after.foraging}."
        drm = self.drm(before)
        die = face_where(FACES, lambda face: self.throw(before, face, drm) == after, dice)
        ends = "battle" if after.caught else "stopped" if after.ended else "passes"
        return f"{plainly(die, drm)}: {ends}."


def explanation(voyage: Voyage) -> list[str]:
    """Each stage with its modifiers, as the fleet sets out."""
    lines = []
    for number, stage in enumerate(voyage.stages):
        state = voyage.start._replace(stage=number)
        if stage.kind == "landing" and not voyage.bonuses(state):
            lines.append(f"{stage.name}: no attrition ({SOURCE} step 7)")
            continue
        lines += why(stage.name, voyage.bonuses(state), SOURCE)
        if number in voyage.hostile:
            enemy = voyage.hostile[number]
            lines.append(f"{stage.name}: {enemy.fleet.told()}, {enemy.technology}, {enemy.leader.told()} ({SOURCE})")
    return lines


def assumptions(voyage: Voyage) -> list[str]:
    """What the answer rests on."""
    options, policy = voyage.fields.options, voyage.fields.policy
    return [
        f"stages: {', then '.join(stage.name for stage in voyage.stages)}",
        f"a blockader that is beaten: the fleet {options.forced_battle_win.replace('-', ' ')} (forced_battle_win)",
        f"caught: {'battle' if policy.defender.engage == 'always' else 'stopped without battle'} (engage)",
        f"losses: {' then '.join(voyage.own.order)}; P: {policy.attacker.pillage}",
        "stacks are regrouped into the biggest counters first; every battle is an interception with the wind rolled",
    ]


def build_passage(fields: PassageFields) -> Built:
    """Everything that answers a passage."""
    voyage = Voyage(fields, book(fields.options.tables))
    course = spell_out(voyage.start, voyage.follow, voyage.tell, "passage")
    return built(course, voyage.seen, assumptions(voyage), explanation(voyage))
