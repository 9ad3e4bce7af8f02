"""Europa Universalis 8/9: land battles and sieges (docs/rules/europa_land_siege.md), and the sea with all other
procedures (docs/rules/europa_naval_and_other.md).

Sources, as that document lists them: the military rules of 2016, the finished rule book of 2020 and the player-aid
tables of `BAMGames/europa-universalis-rules`, and `BAMGames/europa-universalis-implementation` (MIT).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any, get_args

from simulator.rules.advice import advised
from simulator.rules.battle import Battle, Built, Clock, Fields, by_kind, offered
from simulator.rules.europa.land.battle import build_land
from simulator.rules.europa.passages.expedition import build_expedition, check_expedition, winners_of_expedition
from simulator.rules.europa.passages.model import Expedition, Passage, check_passage
from simulator.rules.europa.passages.native_chain import NativeChain, build_native_chain, check_native_chain
from simulator.rules.europa.passages.text import build_passage, winners_of_passage
from simulator.rules.europa.procedures import (
    attrition,
    blockades,
    continuation,
    corsairs,
    interception,
    leader_survival,
    overseas,
    unrest,
)
from simulator.rules.europa.sea.model import Naval, check_naval
from simulator.rules.europa.sea.text import build_naval, winners_of_naval
from simulator.rules.europa.shared import land_model as model
from simulator.rules.europa.shared.fields import check_tables
from simulator.rules.europa.shared.land_checks import check_land, check_siege
from simulator.rules.europa.shared.stacks import COUNTRIES
from simulator.rules.europa.shared.text import called, leader_rows, shown, total
from simulator.rules.europa.siege.battle import build_siege
from simulator.rules.question import WON, Ending, Question
from simulator.rules.sides import SIDES, ForceColumns

KINDS = tomllib.loads(files("simulator.rules.europa").joinpath("data/kinds.toml").read_text("utf-8"))

# Columns of thirds and of exploration ships that no summary has.
BESIDE = [f"{side}_{name}_thirds" for side in SIDES for name in ("idle", "damaged", "refitted", "troops_left")]
BESIDE += ["natives_removed_thirds", *(f"{side}_exploration_ships_left" for side in SIDES)]
# The unit of what is lost, where it is not land detachments.
UNITS = {"naval": "ND", "strait-fire": "ND", "attrition": "detachments"}


def question_of(words: dict[str, Any], others: Sequence[Question] = ()) -> Question:
    """The question of a kind, whose words are taken out of `words`."""
    endings = [Ending(*one) for one in words.pop("endings", ())]
    measure, columns = words.pop("measure", WON), words.pop("columns", ())
    return Question(measure, words.pop("sentence").strip(), endings, columns, others, words.pop("stages", {}))


def kind(
    scenario: type[Fields], build: Callable[[Any], Built], check: Callable[[Any], None] = check_tables, **more: Any
) -> Battle:
    """A battle kind; its question, its summary and the words of its results stand in `data/kinds.toml`."""
    name = get_args(scenario.model_fields["battle"].annotation)[0]
    words = dict(KINDS[name])
    question = question_of(words, [question_of(other) for other in words.pop("others", ())])
    summary = words["summary"]
    words |= {"summary": tuple(summary), "shown": shown([*summary, *BESIDE], UNITS.get(name, "LD"))}
    return offered(scenario, build=build, check=check, question=question, **words, **more)


PLANS = {
    "undermine-until-breach": "undermine until there is a breach",
    "assault-at-once": "assault at once",
    "undermine-only": "undermine and never assault",
    "breach-then-storm": "undermine until there is a breach, then assault every round",
}
BATTLES = by_kind(
    kind(
        model.Land,
        build_land,
        check_land,
        facts=("attacker_losses_thirds", "defender_losses_thirds", "major_victory", "attacker_leader_killed"),
    ),
    kind(model.Siege, build_siege, check_siege),
    kind(
        model.Campaign,
        build_siege,
        check_siege,
        clock=Clock("rounds", "fallen", "the fortress has fallen", plans="policy.attacker.plan"),
    ),
    kind(Naval, build_naval, check_naval, winners=winners_of_naval),
    kind(attrition.Attrition, attrition.build_attrition, attrition.check_attrition),
    kind(interception.Interception, interception.build_interception, interception.check_interception),
    kind(blockades.BlockadeRun, blockades.build_blockade_run, blockades.check_blockade_run),
    kind(blockades.StraitFire, blockades.build_strait_fire, blockades.check_strait_fire),
    kind(corsairs.CorsairRaid, corsairs.build_corsair_raid, corsairs.check_corsair_raid),
    kind(
        unrest.PirateHunt,
        unrest.build_pirate_hunt,
        unrest.check_pirate_hunt,
        clock=Clock("rounds", "cleared", "the corsairs are gone", plans="policy.attacker.target"),
    ),
    kind(overseas.Exploration, overseas.build_exploration, overseas.check_exploration),
    kind(overseas.Conquest, overseas.build_conquest, overseas.check_conquest),
    kind(overseas.Activation, overseas.build_activation),
    kind(NativeChain, build_native_chain, check_native_chain),
    kind(
        unrest.Revolt,
        unrest.build_revolt,
        unrest.check_revolt,
        clock=Clock("rounds", "cleared", "the revolt is over", plans="policy.attacker.target"),
    ),
    kind(continuation.Continuation, continuation.build_continuation),
    kind(leader_survival.Survival, leader_survival.build_survival),
    kind(blockades.Logistics, blockades.build_logistics, blockades.check_logistics),
    kind(Passage, build_passage, check_passage, winners=winners_of_passage),
    kind(Expedition, build_expedition, check_expedition, winners=winners_of_expedition),
    name="Europa Universalis 8",
    advice=advised({"plan": PLANS}, {"leave_with_wind": "leave with the wind", "break_off": "break off"}),
    total=total,
    forces=ForceColumns({"left_thirds": "LD left"}, {"losses_thirds": "detachment"}, 3, no_units=("morale", "gold")),
    called=called,
)

# The battle of a relief army is a part of a siege: whether to break it off is not decided state by state.
BATTLES = {**BATTLES, "siege-campaign": replace(BATTLES["siege-campaign"], advice=advised({"plan": PLANS}))}

# The names that `leader` and `country` take; a country gives its army class, and the rows of its artillery and
# replacement leaders.
LISTS = {"leaders": leader_rows, "countries": lambda: list(COUNTRIES.values())}
