"""Risk with fleets (docs/rules/risk.md): land, amphibious, naval, blockade-run, invasion.

Sources, as that document lists them: a designer's note on the naval rules of his variant; for land combat the public
rule summaries of classic Risk and J. A. Osborne, "Markov Chains for the RISK Board Game Revisited", Mathematics
Magazine 76 (2003).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.rules.advice import advised
from simulator.rules.battle import Built, Columns, Joined, States, by_kind, offered
from simulator.rules.question import SEA_BATTLE, Question
from simulator.rules.risk import checks, model, outcome, tables, text
from simulator.rules.sides import ForceColumns
from simulator.rules.toolkit.policies import named

REGIMENTS = ("attacker_regiments_lost", "defender_regiments_lost")
FLEETS = ("attacker_fleets_lost", "defender_fleets_lost")
LAND = (*REGIMENTS, "attacker_regiments_left", "territories_captured", "rounds")
SEA = (*FLEETS, "rounds")
INVASION = (*REGIMENTS, *FLEETS, "regiments_drowned", "territories_captured", "rounds")


def build(fields: model.AnyBattle) -> Built:
    """The answer to one scenario."""
    chain = tables.with_hands(fields, tables.chain(fields, text.tell))
    return Built(
        chain=chain,
        outcome=partial(outcome.columns, fields, chain.params),
        assumptions=partial(text.assumptions, fields),
        explain=partial(text.explain, fields),
        starts=starts(fields),
        joined=partial(joined, fields, chain),
        begun=lambda states: np.asarray(1 + states.sea_rounds + states.land_rounds),
        decisions=partial(text.decisions, fields, chain.params),
    )


def starts(fields: model.AnyBattle) -> list[str]:
    """The numbers that only move the start: the attacker's, and the defender's of a single place.

    None with stop-below-odds: its table holds only positions that the start can reach.
    """
    if isinstance(fields, model.Invasion) or "stop-below-odds" in named(fields.policy.attacker.retreat):
        return []
    if isinstance(fields, model.AtSea):
        return ["attacker.fleets", "defender.fleets"]
    alone = not isinstance(fields.defender.regiments, list)
    return ["attacker.regiments", *(["defender.regiments"] if alone else [])]


def joined(fields: model.AnyBattle, chain: Chain, paths: Sequence[str], settings: np.ndarray) -> Joined:
    """One chain for battles with these numbers of units, none above those of `fields`: its own, from other starts.

    `settings`: the numbers, int64, shape (scenarios, paths).
    """
    own = "fleets" if isinstance(fields, model.AtSea) else "regiments"
    names = {f"attacker.{own}": own, f"defender.{own}": "enemy"}
    given = np.tile(np.array(chain.start, np.int64), (len(settings), 1))
    given[:, [chain.start._fields.index(names[path]) for path in paths]] = settings

    def columns(states: States, at: Sequence[int]) -> Columns:
        numbers, p = dict(zip(paths, at, strict=True)), chain.params
        if (path := f"attacker.{own}") in numbers:
            p = p._replace(aboard=np.arange(numbers[path] + 1) if own == "fleets" else np.array([numbers[path]]))
        if (path := f"defender.{own}") in numbers:
            p = p._replace(enemies=np.array([numbers[path], 0]))
        return outcome.columns(fields, p, states)

    return Joined(chain, given, columns)


COSTS = {"regiments": "regiment_cost", "fleets": "fleet_cost", "port_fleets": "fleet_cost"}


def price(data: Mapping[str, Any], path: str) -> float | None:
    """The coins that one more regiment or fleet costs by the options of a scenario (docs/rules/risk.md section 2)."""
    units = path.partition("[")[0] if path.endswith("]") else path
    cost = COSTS.get(units.rpartition(".")[2])
    if cost is None:
        return None
    options = data.get("options")
    given = options.get(cost) if isinstance(options, Mapping) else None
    return given if isinstance(given, int) else model.Options.model_fields[cost].default  # type: ignore[no-any-return]


DROWNED = {"escorts-first": "lose escorts first", "transports-first": "lose transports first"}
kind = partial(offered, check=checks.check, build=build, parameters=tables.PARAMETERS, price=price, money="coins")
BATTLES = by_kind(
    kind(model.Land, summary=LAND, question=Question(sentence=text.land_sentence)),
    kind(model.Amphibious, summary=LAND, question=Question(sentence=text.landing_sentence)),
    kind(model.Naval, summary=SEA, question=Question(sentence=SEA_BATTLE)),
    kind(model.BlockadeRun, summary=SEA, question=Question("blockade_broken", text.BLOCKADE)),
    kind(model.Invasion, summary=INVASION, question=Question(sentence=text.INVASION)),
    name="Risk",
    advice=advised({"losses": DROWNED}, {"retreat": "stop", "sea_retreat": "stop at sea"}),
    facts=(*REGIMENTS, *FLEETS, "rounds"),
    forces=ForceColumns(
        {"regiments_left": "regiments left", "fleets_left": "fleets left"},
        {"regiments_lost": "regiment", "fleets_lost": "fleet"},
    ),
)
