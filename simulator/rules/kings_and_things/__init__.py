"""Kings & Things (rules/kings_and_things.md): land, free-for-all, exploration.

Sources, as that document lists them: an excerpt of the printed rules (11.4 to 11.71) and public implementations of
the game; counters in `data/`.
"""

from __future__ import annotations

from dataclasses import replace

import json
import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from simulator.engine.chain import Chain
from simulator.rules.battle import Battle, Columns, Piece, by_kind
from simulator.rules.kings_and_things import charting, exploration, fields, folding, rolls, state, tale
from simulator.rules.kings_and_things.board import Muster, chain_of, check_width, muster_of, params_of
from simulator.rules.kings_and_things.checks import check_explorer, check_free_for_all, check_land
from simulator.rules.kings_and_things.cup import Draw, check_cup, draws
from simulator.rules.kings_and_things.muster import bands, loss_order, opened
from simulator.rules.kings_and_things.outcomes import columns, pieces
from simulator.rules.kings_and_things.throws import Book
from simulator.rules.kings_and_things.words import assumptions

# `rolls` registers the rules of the chain.
__all__ = ["BATTLES", "rolls"]

LAND = (
    "attacker_losses",
    "defender_losses",
    "attacker_creatures_left",
    "defender_creatures_left",
    "rounds",
)


def land_check(scenario: Any) -> None:
    """Refuse what types cannot."""
    check_land(scenario)
    check_width(opened(bands(scenario)))


def partisan_check(scenario: Any) -> None:
    """Refuse what types cannot."""
    check_free_for_all(scenario)
    check_width(opened(bands(scenario)))


def explorer_check(scenario: Any) -> None:
    """Refuse what types cannot."""
    check_explorer(scenario)
    check_cup(scenario)
    check_width(bands(scenario)[:1])


MODELS = {"land": fields.Land, "free-for-all": fields.FreeForAll, "exploration": fields.Exploration}


# Beyond so many different draws there is no hope of a small chart.
MOST_CHARTED_DRAWS = 100


class Built(NamedTuple):
    """A battle ready to be fought, and what its outcomes are read with.

    `chart` is set if the chain walks over it, `folds` if the sides are folded; `met` are the defenders drawn.
    """

    chain: Chain
    chart: charting.Chart | None
    muster: Muster
    params: state.Params
    met: Sequence[Draw]
    folds: bool


def build(scenario: Any, fold: bool = True, charted: bool = True) -> Built:
    """The quickest chain that the battle allows: folded where it applies, charted where it fits."""
    chances = draws(scenario) if scenario.battle == "exploration" else {}
    muster = exploration.muster_for(scenario, chances) if chances else muster_of(scenario)
    folds = fold and folding.applies(muster)
    if folds:
        params = params_of(muster, Book())
        chain = folding.fold(muster, params)
    else:
        chain = chain_of(muster)
        params = chain.params
    counts_rounds = any(band.policy.retreat == "after-rounds" for band in muster.sides)
    drawn = None
    if not counts_rounds:
        chain = replace(chain, counters=("rounds",))
    return Built(drawn.chain if drawn else chain, drawn, muster, params, list(chances), folds)


@lru_cache(maxsize=8)
def _built(written: str) -> Built:
    """What was built of a scenario is kept for its outcomes; models with lists cannot be keys, their JSON can."""
    return build(MODELS[json.loads(written)["battle"]].model_validate_json(written))


def chain(scenario: Any) -> Chain:
    """The chain of a battle."""
    return _built(scenario.model_dump_json()).chain


def outcome(scenario: Any, states: Any) -> Columns:
    """Outputs of a battle."""
    return seen(_built(scenario.model_dump_json()), states)


def general(built: Built, states: Any) -> state.State:
    """Final states of a built battle as states of the general rules."""
    if built.chart:
        states = built.chart.charted(states)
    return folding.unfolded(built.muster, built.params, states) if built.folds else states


def seen(built: Built, states: Any) -> Columns:
    """Final states of a built battle as columns."""
    states = general(built, states)
    found = columns(built.params, states, built.params.sides > 2)
    return found | exploration.columns_of(built.met, states.lineup) if built.met else found


def explain(scenario: Any) -> list[str]:
    """How the battle is run, and how large it is."""
    built = _built(scenario.model_dump_json())
    lines = [
        "losses follow a fixed order: each side is the hits it has taken"
        if built.folds
        else "counters are told apart one by one: each side is who is left"
    ]
    if built.chart:
        lines.append(f"{len(built.chart.table):,} situations, charted: a roll leads straight to the next one")
    else:
        lines.append("not charted: too many situations, or a policy looks at the number of rounds")
    if built.met:
        lines.append(f"{len(built.met):,} different defenders can be drawn")
    return lines


def survivors(scenario: Any, states: Any) -> list[Piece]:
    """Each counter that was there before round 1, but for those that are drawn from a cup."""
    built = _built(scenario.model_dump_json())
    states = general(built, states)
    found = []
    for side, band in enumerate(built.muster.sides):
        if not (built.met and side == state.DEFENDING):
            found += pieces(built.params, states, side, loss_order(band))
    return found


def told(scenario: Any, before: Any, result: int, after: Any, dice: random.Random) -> str:
    """A step of a replay in words."""
    built = _built(scenario.model_dump_json())
    if built.chart:
        result = built.chart.roll_between(before.situation, after.situation, dice)
        before, after = built.chart.one(before), built.chart.one(after)
    return tale.tell(tale.Scene(built.muster, built.params, built.folds), before, result, after, dice)


BATTLES = by_kind(
    Battle(
        game="kings-and-things",
        kind="land",
        title="two sides in a hex, with fort, settlement, characters and magic items",
        model=fields.Land,
        headline=LAND,
        check=land_check,
        chain=chain,
        outcome=outcome,
        assumptions=assumptions,
        explain=explain,
        tell=told,
        survivors=survivors,
    ),
    Battle(
        game="kings-and-things",
        kind="free-for-all",
        title="three or four sides in an owned hex",
        model=fields.FreeForAll,
        headline=(*LAND[:2], "second_attacker_losses", *LAND[2:]),
        check=partisan_check,
        chain=chain,
        outcome=outcome,
        assumptions=assumptions,
        explain=explain,
        tell=told,
        survivors=survivors,
    ),
    Battle(
        game="kings-and-things",
        kind="exploration",
        title="entering an unexplored hex: the defender is drawn from the cup",
        model=fields.Exploration,
        headline=("explored_without_fight", *LAND, "defenders_drawn", "bribe_cost"),
        check=explorer_check,
        chain=chain,
        outcome=outcome,
        assumptions=assumptions,
        explain=explain,
        tell=told,
        survivors=survivors,
    ),
)
