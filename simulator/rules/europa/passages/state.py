"""The states of a passage (docs/rules/europa_naval_and_other.md section 14)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from simulator.rules.europa.passages.battles import Results
from simulator.rules.europa.shared.fleets import Afloat, Cargo, Fleet
from simulator.rules.europa.shared.stacks import detachments

FAILURES = ("stopped_by_works", "stopped_by_blockade", "beaten_at_sea", "lost_in_storm", "lost_on_landing")
WORKS, BLOCKADE, BATTLE, STORM, LANDING = FAILURES
LANDED = "landed"
NO_FLEET = Afloat(Fleet(), Cargo())


class Passing(NamedTuple):
    """The fleet on its way: the stage to come, what is left, and how it ended ("" for not yet).

    `asked`: the fleets of the stage that have tried to meet it; `fighting`: those who have met it, by place. `stopped`:
    works have stopped it, and attrition is rolled. `commander`: the one given is still there.
    """

    stage: int
    afloat: Afloat
    commander: bool
    battles: int = 0
    asked: int = 0
    fighting: tuple[int, ...] = ()
    stopped: bool = False
    ended: str = ""
    foraging: bool = False


# The battles of passages that differ in another stage lead to the same states.
@lru_cache(maxsize=1024)
def after_battle(results: Results, drm: int | None, state: Passing, stays: bool) -> Mapping[Passing, float]:
    """The states after a battle, with chances; `stays`: a win does not go on. Not to be changed."""
    found = defaultdict[Passing, float](float)
    for (won, fleet, cargo, lost_commander), chance in results.chances(drm).items():
        ended = BATTLE if not won or not cargo.troops else BLOCKADE if stays else ""
        stage = state.stage if ended else state.stage + 1
        # Once it is over the commander matters no more.
        commander = bool(ended) or (state.commander and not lost_commander)
        found[Passing(stage, Afloat(fleet, cargo), commander, state.battles + 1, ended=ended)] += chance
    return found


def left_of(state: Passing) -> str:
    """The remaining forces, in words."""
    return f"{state.afloat.fleet.text()} and {detachments(state.afloat.cargo.troops)} left"


def text_of_landing(state: Passing) -> str:
    """The end of a landing, in words."""
    troops = state.afloat.cargo.troops
    return f"{detachments(troops)} ashore{', foraging' * state.foraging}" if troops else "nobody gets ashore"
