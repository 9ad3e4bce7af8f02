"""An expedition, stage by stage, over all that may be left (docs/rules/europa_naval_and_other.md section 19)."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.engine.model.chance import seen_as
from simulator.engine.model.plain import Following, PlainBattle, Roll
from simulator.rules.battle import ATTACKER, DEFENDER, Built, Columns
from simulator.rules.europa.land.battle import build_land, land_stage, set_up_stage, stage_ends
from simulator.rules.europa.passages import model
from simulator.rules.europa.passages.model import STAGES, stages_of, troops_of, with_troops
from simulator.rules.europa.passages.passage import LANDED, Passing, Voyage, assumptions, explanation
from simulator.rules.europa.passages.stages import in_stage
from simulator.rules.europa.shared.fleets import Hold
from simulator.rules.europa.shared.land_checks import check_land
from simulator.rules.europa.shared.land_model import FORAGERS, level_of, overruns
from simulator.rules.europa.shared.leaders import GONE
from simulator.rules.europa.shared.procedure import D10
from simulator.rules.europa.shared.stacks import LD, detachments, size_of, technology_of
from simulator.rules.europa.siege.battle import build_siege
from simulator.rules.europa.tables import book
from simulator.rules.toolkit.merging import chances_of
from simulator.rules.toolkit.plain import built

FELL, HELD = "fallen", "held"
BEATEN = "beaten ashore"
BY_THIRDS = 0
# Each stage ashore is a battle like any other.
BUILD: Mapping[str, Callable[[Any], Built]] = {"land": build_land, "siege": build_siege}
NAMES = {"passage": "Passage", "land": "Battle ashore", "siege": "Siege"}
PASSED = {"passage": "landed", "land": "won_ashore", "siege": "fortress_taken"}


class Ashore(NamedTuple):
    """Troops ashore before a stage (or after the last one): thirds, foraging, is the general gone; what is done."""

    stage: str
    landed: int
    thirds: int
    foraging: bool = False
    general_gone: bool = False
    ended: str = ""
    level: int = -1


@dataclass
class Expedition:
    """One expedition."""

    fields: model.Expedition

    def __post_init__(self) -> None:
        self.stages = stages_of(self.fields)
        self.ends = cache(self._fought_or_besieged)

    @cached_property
    def voyage(self) -> Voyage | None:
        """The passage, if there is one."""
        passage = self.fields.passage
        return Voyage(passage, book(passage.options.tables)) if passage else None

    @cached_property
    def hold(self) -> Hold:
        """Regroup troops into the biggest counters, at most as many as before."""
        side = troops_of(self.fields)
        return Hold(BY_THIRDS, side.army_plus + side.army_minus, False)

    def counters(self, stage: str, thirds: int) -> tuple[int, int, int, int]:
        """Counters of the troops in a stage, in the first as given; pashas and recruits ashore come beside them."""
        side = getattr(self.fields, stage).attacker
        if stage == self.stages[0]:
            return side.army_plus, side.army_minus, side.land_detachments, side.exploration_detachments
        beside = LD * getattr(side, "pasha_detachments", 0) + getattr(side, "converted_natives_thirds", 0)
        return self.hold.regrouped(thirds - beside)

    def after(self, stage: str) -> str:
        """The next stage, "" for none."""
        later = self.stages[self.stages.index(stage) + 1 :]
        return later[0] if later else ""

    @property
    def start(self) -> Passing | Ashore:
        """The first state of the chain."""
        if self.voyage:
            return self.voyage.start
        thirds = size_of(troops_of(self.fields))
        return Ashore(self.stages[0], thirds, thirds)

    def follow(self, state: Passing | Ashore) -> Following:
        """The possible results of a state."""
        if isinstance(state, Passing):
            assert self.voyage is not None
            following = self.voyage.follow(state)
            if following is None:
                return None
            assert isinstance(following, D10 | Roll)  # nobody decides at sea
            weights: Counter[Passing | Ashore] = seen_as(following.weights, self._landed)  # type: ignore[arg-type]
            return Roll("at sea", weights, line=lambda after, dice: self._line_at_sea(following, after, dice))
        if state.ended or not state.stage:
            return None
        # The landing that came before changes nothing ashore.
        ends = self.ends(state._replace(landed=0))
        ashore = {after._replace(landed=state.landed): chance for after, chance in ends.items()}
        return Roll("ashore", ashore, line=lambda after, _: text_ashore(state, after))

    def _line_at_sea(self, following: D10 | Roll, after: Passing | Ashore, dice: random.Random) -> str:
        """A line on one of the states of the passage behind this one."""
        if isinstance(after, Ashore):
            ends = {end: weight for end, weight in following.weights.items() if self._landed(end) == after}
            return f"Passage: {following.replay(dice.choices(list(ends), list(ends.values()))[0], dice)}"
        return f"Passage: {following.replay(after, dice)}"

    def _landed(self, state: Passing) -> Passing | Ashore:
        """A landing goes on ashore; the remains of a fleet that failed do not matter any more."""
        if state.ended == LANDED:
            thirds, land = state.afloat.cargo.troops, self.fields.land
            forages = state.foraging and land is not None and technology_of(land.attacker, land.options) in FORAGERS
            return Ashore(self.after("passage"), thirds, thirds, forages)
        return Ashore("passage", 0, 0, ended=state.ended) if state.ended else state

    def _fought_or_besieged(self, state: Ashore) -> dict[Ashore, float]:
        """The ends of the battle ashore, or of the siege, with their chances."""
        found = defaultdict[Ashore, float](float)
        for after, chance in self._fought(state) if state.stage == "land" else self._besieged(state):
            found[after] += chance
        return found

    def _fought(self, state: Ashore) -> Iterator[tuple[Ashore, float]]:
        assert self.fields.land is not None
        side = {"foraging": state.foraging or self.fields.land.attacker.foraging}
        conditions = {"crossing": "landing"} if self.voyage else {}
        columns, p = self._run(state, {"attacker": side, "conditions": conditions})
        gone = np.any([columns[f"attacker_leader_{how}"] for how in GONE], axis=0)
        # Those who stand by come along.
        left_in_all = columns["attacker_left_thirds"] + columns["attacker_idle_thirds"]
        for (winner, left, no_general), chance in chances_of([columns["winner"], left_in_all, gone], p).items():
            after = state._replace(thirds=left, foraging=False, general_gone=False, ended=BEATEN)
            if winner == ATTACKER and left > 0:
                after = after._replace(stage=self.after("land"), general_gone=no_general, ended="")
            yield after, chance

    def _besieged(self, state: Ashore) -> Iterator[tuple[Ashore, float]]:
        land, siege = self.fields.land, self.fields.siege
        assert siege is not None
        same = land is not None and land.attacker.leader == siege.attacker.leader
        side = {"leader": "replacement"} if state.general_gone and same else {}
        columns, p = self._run(state, {"attacker": side})
        after = state._replace(general_gone=False, foraging=False)
        ends = [columns[name] for name in ("fallen", "attacker_left_thirds", "fortress_level_after")]
        for (fallen, left, level), chance in chances_of(ends, p).items():
            yield after._replace(thirds=left, ended=FELL if fallen else HELD, level=level), chance

    def _run(self, state: Ashore, changes: dict[str, Mapping[str, object]]) -> tuple[Columns, np.ndarray]:
        """Columns and chances of a stage's outcomes."""
        fields = with_troops(self.fields, state.stage, self.counters(state.stage, state.thirds), **changes)
        if state.stage == "land":
            return land_stage(set_up_stage(fields, SIDES[ATTACKER]))
        return stage_ends(fields.model_dump_json(serialize_as_any=True), partial(build_siege, fields))

    def columns(self, state: Ashore) -> dict[str, object]:
        """Columns: how far it came, and what is left."""
        place = STAGES.index(state.stage) if state.stage else len(STAGES)
        done = [name for name in self.stages if STAGES.index(name) < place or (name == "siege" and state.ended == FELL)]
        row: dict[str, object] = {"winner": ATTACKER if done == self.stages else DEFENDER}
        row |= {PASSED[name]: name in done for name in self.stages}
        row["landed_thirds"] = state.landed
        row["attacker_left_thirds"] = state.thirds
        if self.fields.siege:
            row["fortress_level_after"] = state.level if state.level >= 0 else level_of(self.fields.siege)
        row["stages_passed"] = len(done)
        return row


def text_ashore(before: Ashore, after: Ashore) -> str:
    """A line on a stage ashore."""
    name, left = NAMES[before.stage], detachments(after.thirds)
    if before.stage == "land":
        how = "lost" if after.ended == BEATEN else "won"
        gone = ", the general is gone" if after.general_gone else ""
        return f"{name}: {detachments(before.thirds)} ashore, {how}; {left} left{gone}."
    return f"{name}: the fortress {'falls' if after.ended == FELL else 'holds'}; {left} left."


def check_expedition(fields: model.Expedition) -> None:
    """Refuse what types cannot, and an overrun that the troops of some landing are too few for; raises Refusal."""
    model.check_stages(fields)
    expedition = Expedition(fields)
    if expedition.voyage and fields.land and overruns(fields.land):  # type: ignore[arg-type]
        states = PlainBattle(expedition.voyage.start, expedition.voyage.follow).states
        for thirds in sorted({state.afloat.cargo.troops for state in states if state.ended == LANDED}):
            with in_stage("land"):
                check_land(with_troops(fields, "land", expedition.counters("land", thirds)))


def build_expedition(fields: model.Expedition) -> Built:
    """Everything that answers an expedition."""
    expedition = Expedition(fields)
    battle = PlainBattle(expedition.start, expedition.follow, label="expedition")
    made = built(battle, expedition.columns)
    return replace(made, assumptions=partial(assumed, expedition), explain=partial(explained, expedition))


def assumed(expedition: Expedition) -> list[str]:
    """The assumptions of an expedition, and of its stages at full strength."""
    rests = [
        f"stages: {', then '.join(NAMES[name].lower() for name in expedition.stages)}; each must be got through",
        "troops are regrouped into the biggest counters after each stage",
        "only a victory ashore goes on to the siege; a general lost there is replaced in the siege",
    ]
    if voyage := expedition.voyage:
        rests += [f"passage, {line}" for line in assumptions(voyage)]
    return rests + [f"{name}, {line}" for name, stage in at_full_strength(expedition) for line in stage.assumptions()]


def explained(expedition: Expedition) -> list[str]:
    """The parts of the stages at full strength."""
    voyage = expedition.voyage
    lines = [f"passage, {line}" for line in explanation(voyage)] if voyage else []
    return lines + [f"{name}, {line}" for name, stage in at_full_strength(expedition) for line in stage.explain()]


def at_full_strength(expedition: Expedition) -> Iterator[tuple[str, Built]]:
    """The stages ashore with all troops, and their names."""
    for name in expedition.stages:
        if name != "passage":
            counters = expedition.counters(name, size_of(troops_of(expedition.fields)))
            fields = with_troops(expedition.fields, name, counters)
            yield f"{NAMES[name].lower()} at full strength", BUILD[name](fields)
