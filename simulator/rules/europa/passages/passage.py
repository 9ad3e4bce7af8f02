"""A passage, stage by stage, with all fleets that may be left (docs/rules/europa_naval_and_other.md section 14)."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

from simulator.engine.model.plain import Following, PlainBattle, Roll
from simulator.rules.battle import ATTACKER, DEFENDER, Built
from simulator.rules.europa.passages.battles import results
from simulator.rules.europa.passages.model import HostileFleet, PassageFields
from simulator.rules.europa.procedures.attrition import (
    March,
    Voyager,
    march_of,
    movement_causes,
    of_the_country,
    of_the_march,
    of_the_voyage,
)
from simulator.rules.europa.procedures.blockades import (
    CAUGHT,
    FREE,
    Work,
    fire_modifiers,
    hits,
    run_modifiers,
    run_result,
    under_fire,
)
from simulator.rules.europa.procedures.interception import at_sea, succeeds
from simulator.rules.europa.sea.model import NavalConditions, SeaConditions
from simulator.rules.europa.sea.squadrons import Engagement, Squadron, squadron_of
from simulator.rules.europa.shared.fleets import LAW, Afloat, Cargo, Fleet, after_attrition, ships_left
from simulator.rules.europa.shared.leaders import Leader
from simulator.rules.europa.shared.losses import Pillaging
from simulator.rules.europa.shared.modifiers import Bonus, sum_of
from simulator.rules.europa.shared.procedure import D10, FACES, why
from simulator.rules.europa.shared.stacks import LD, detachments
from simulator.rules.europa.tables import Book, book
from simulator.rules.toolkit.plain import built

SECTION = "14"
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

    @property
    def title(self) -> str:
        """The beginning of a line of a replay."""
        return self.name.capitalize()


@dataclass
class Voyage:
    """One passage."""

    fields: PassageFields
    book: Book

    def __post_init__(self) -> None:
        self.fought = cache(lambda *at: results(self.engagement(*at)))
        self.landed = cache(self._landed)

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
            number: squadron_of(stage.about, "defender", self.fields.conditions, self.fields.policy.defender, self.book)
            for number, stage in enumerate(self.stages)
            if isinstance(stage.about, HostileFleet)
        }

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
        if state.caught:
            return Roll("battle", self.battle(state), line=lambda after, _: self.text_of_battle(state, after))
        if stage.kind == "storm":
            drm, weights = sum_of(self.bonuses(state)), self.storm(state)
            rolled = f"{stage.title}: attrition at sea with {drm:+d}"
            return Roll("attrition", weights, line=lambda after, _: f"{rolled}; {left_of(after)}.")
        if stage.kind == "landing":
            return Roll(
                "landing", self.landing(state), line=lambda after, _: f"{stage.title}: {text_of_landing(after)}."
            )

        def line(shown: str, after: Passing) -> str:
            return f"{stage.title}: {shown}: {'battle' if after.caught else 'stopped' if after.ended else 'passes'}."

        return D10(stage.name, SECTION, self.bonuses(state), lambda *die: self.after_die(state, *die), line)

    def after_die(self, state: Passing, die: int, modified: int) -> Passing:
        """A stage of one die: fire, a blockade run, an interception."""
        stage = self.stages[state.stage]
        onward = state._replace(stage=state.stage + 1)
        if stage.kind == "work":
            sunk = hits(modified)
            if sunk is None:
                return onward
            fleet = under_fire(state.afloat.fleet, sunk, self.own.order)
            return self.fitted(state, fleet, state.afloat.cargo.troops, WORKS)._replace(ended=WORKS)
        if stage.kind == "patrol":
            return state._replace(caught=True) if succeeds(die, modified) else onward
        result = run_result(modified)
        if result == FREE:
            return onward
        engages = self.fields.policy.defender.engage == "always"
        return state._replace(caught=True) if result == CAUGHT and engages else state._replace(ended=BLOCKADE)

    def bonuses(self, state: Passing) -> list[Bonus]:
        """Modifiers of a stage's die."""
        stage, fleet, conditions = self.stages[state.stage], state.afloat.fleet, self.fields.conditions
        leader = self.leader(state.commander)
        counters = self.fields.attacker.fleets_minus + self.fields.attacker.fleets_plus
        if isinstance(stage.about, Work):
            return fire_modifiers(stage.about, counters)
        if stage.kind == "run":
            enemy = self.hostile[state.stage]
            return run_modifiers(fleet, leader.manoeuvre - enemy.leader.manoeuvre, enemy.fleet, enemy.side.technology)
        if isinstance(stage.about, HostileFleet):
            man = self.hostile[state.stage].leader.manoeuvre
            return at_sea(stage.about, man, leader.manoeuvre, conditions.bad_weather)
        if stage.kind == "storm":
            siege = 0 if leader.drawn else leader.siege
            voyager = Voyager(bool(fleet.warships), self.own.side.technology, counters, leader.manoeuvre, siege)
            return of_the_voyage(voyager, conditions, self.fields.options.end_of_turn_plus_two)
        return self.march_roll(state.afloat.cargo.troops)

    @cached_property
    def battle_conditions(self) -> NavalConditions:
        """The conditions of every battle: an interception with the wind rolled."""
        given = {name: getattr(self.fields.conditions, name) for name in SeaConditions.model_fields}
        return NavalConditions(**given, interception=True)

    def engagement(self, stage: int, afloat: Afloat, commander: bool) -> Engagement:
        """The battle against the fleet of a stage."""
        own = replace(self.own, fleet=afloat.fleet, cargo=afloat.cargo, leader=self.leader(commander))
        return Engagement((own, self.hostile[stage]), self.battle_conditions, self.fields.options, self.book)

    def battle(self, state: Passing) -> dict[Passing, float]:
        """A battle; only a win with troops left goes on."""
        stays = self.stages[state.stage].kind == "run" and self.fields.options.forced_battle_win == "stays"
        found = defaultdict[Passing, float](float)
        results = self.fought(state.stage, state.afloat, state.commander)
        for (won, fleet, cargo, lost_commander), chance in results.items():
            ended = BATTLE if not won or not cargo.troops else BLOCKADE if stays else ""
            stage = state.stage if ended else state.stage + 1
            # Once it is over the commander matters no more.
            commander = bool(ended) or (state.commander and not lost_commander)
            after = Passing(stage, Afloat(fleet, cargo), commander, state.battles + 1, ended=ended)
            found[after] += chance
        return found

    def storm(self, state: Passing) -> Counter[Passing]:
        """Attrition of the voyage."""
        left = after_attrition(self.book, state.afloat, sum_of(self.bonuses(state)), self.own.order, self.own.hold)
        found: Counter[Passing] = Counter()
        for (fleet, cargo), weight in left.items():
            after = self.fitted(state, fleet, cargo.troops, STORM)
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


def left_of(state: Passing) -> str:
    """The remaining forces, in words."""
    return f"{state.afloat.fleet.text()} and {detachments(state.afloat.cargo.troops)} left"


def text_of_landing(state: Passing) -> str:
    """The end of a landing, in words."""
    troops = state.afloat.cargo.troops
    return f"{detachments(troops)} ashore{', foraging' * state.foraging}" if troops else "nobody gets ashore"


def explanation(voyage: Voyage) -> list[str]:
    """Each stage with its modifiers, as the fleet sets out."""
    lines = []
    for number, stage in enumerate(voyage.stages):
        state = voyage.start._replace(stage=number)
        if stage.kind == "landing" and not voyage.bonuses(state):
            lines.append(f"{stage.name}: no attrition ({LAW} {SECTION} step 7)")
            continue
        lines += why(stage.name, SECTION, voyage.bonuses(state))
        if number in voyage.hostile:
            enemy = voyage.hostile[number]
            lines.append(
                f"{stage.name}: {enemy.fleet.text()}, {enemy.side.technology}, {enemy.leader.text()} ({LAW} {SECTION})"
            )
    return lines


def assumptions(voyage: Voyage) -> list[str]:
    """The assumptions of the answer."""
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
    return built(
        PlainBattle(voyage.start, voyage.follow, label="passage"),
        voyage.columns,
        assumptions(voyage),
        explanation(voyage),
    )
