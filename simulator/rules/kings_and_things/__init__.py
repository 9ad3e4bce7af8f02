"""Kings & Things (docs/rules/kings_and_things.md): land, free-for-all, exploration.

Sources, as that document lists them: an excerpt of the printed rules (11.4 to 11.71) and public implementations of
the game; counters in `data/`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import prod

from simulator.rules.advice import advised
from simulator.rules.battle import Built, Clock, Outcomes, by_kind, offered
from simulator.rules.kings_and_things import model
from simulator.rules.kings_and_things.checks import check
from simulator.rules.kings_and_things.creatures import creature_rows, item_rows
from simulator.rules.kings_and_things.decisions import decisions
from simulator.rules.kings_and_things.forces import Forces, forces_of
from simulator.rules.kings_and_things.outcome import columns, pieces, winners
from simulator.rules.kings_and_things.tables import chain_of, joined, numbers_of, starts_of
from simulator.rules.kings_and_things.text import assumptions, explained, tell
from simulator.rules.question import LOST, Ending, Question
from simulator.rules.sides import ForceColumns
from simulator.rules.toolkit.naming import counted_list

# Most pairs of conditions for the chances of winners alone: 48 bytes each.
MOST_PAIRS = 1 << 21
LOSSES = ("attacker_losses", "second_attacker_losses", "third_attacker_losses", "defender_losses")
LEFT = ("attacker_creatures_left", "defender_creatures_left", "rounds")
CLOCK = Clock("rounds", "winner == 'attacker'", "an attacker has taken the hex", plans="policy.attacker.retreat")
PARAMETERS = {"after-rounds": "retreat_after", "below-creatures": "retreat_below", "when-outgunned": "retreat_ratio"}
# The side that holds the hex at the end.
HOLDERS = {
    "the attacker takes the hex": "taken_by_attacker",
    "the second attacker takes the hex": "taken_by_second_attacker",
    "the third attacker takes the hex": "taken_by_third_attacker",
    "the defender keeps the hex": "winner == 'defender'",
    "nobody (stalemate)": "winner == 'nobody'",
}
LAND = "{A} takes the hex in {m}, {D} keeps it in {winner == 'defender'}[, nobody has it in {winner == 'nobody'}]."
FREE_FOR_ALL = Question(
    "taken_by_attacker",
    "{A} takes the hex in {m}, the second attacker in {taken_by_second_attacker}"
    "[, the third in {taken_by_third_attacker}]; {D} keeps it in {winner == 'defender'}.",
    (
        Ending("attacker takes it", "taken_by_attacker", "attacker"),
        Ending("second attacker", "taken_by_second_attacker", "second_attacker"),
        Ending("third attacker", "taken_by_third_attacker", "third_attacker"),
        Ending("nobody", "winner == 'nobody'", "nobody"),
        Ending("defender keeps it", LOST, "defender"),
    ),
)


def build(scenario: model.Scenario, known: Forces | None = None) -> Built:
    """A battle of any kind; `known`: its forces, where they are known."""
    forces = known or forces_of(scenario)
    numbers = numbers_of(forces)
    chain = chain_of(forces, numbers)
    return Built(
        chain=replace(chain, tell=partial(tell, forces, chain.params)),
        outcome=partial(columns, forces),
        pieces=partial(pieces, forces),
        assumptions=lambda: list(assumptions(scenario)),
        explain=lambda: list(explained(forces)),
        decisions=partial(decisions, forces, chain.params),
        begun=lambda states: states.rounds,  # a round counts when it begins
        starts=starts_of(forces),
        joined=partial(joined, forces),
    )


def winners_of(scenario: model.Exploration) -> Outcomes | None:
    """The winner of an exploration alone, where pairs of conditions find it."""
    forces = forces_of(scenario)
    numbers = numbers_of(forces)
    return winners(forces, chain_of(forces, numbers), numbers.kept) if _pairs_do(forces) else None


def _pairs_do(forces: Forces) -> bool:
    """Do pairs of conditions find the winner of an exploration: do hits alone change its sides?"""
    catalogues, explored = forces.catalogues, isinstance(forces.scenario, model.Exploration)
    return explored and prod(map(len, catalogues)) <= MOST_PAIRS and all(one.only_hit for one in catalogues)


ADVICE = advised(
    {
        "losses": {
            "weakest-first": "lose the weakest first",
            "strongest-first": "lose the strongest first",
            "keep-next-step-fighters": "lose those first that fight no more this round",
        },
        "defender.structures": {
            "first": "let the structures take the hits first",
            "last": "let the structures take the hits last",
        },
    },
    {"retreat": "leave"},
)
_kind = partial(offered, check=check, build=build, parameters=PARAMETERS, clock=CLOCK)
BATTLES = by_kind(
    _kind(model.Land, summary=(*LOSSES[::3], *LEFT), question=Question(sentence=LAND), advice=ADVICE, version=2),
    _kind(model.FreeForAll, summary=(*LOSSES, *LEFT), question=FREE_FOR_ALL, results=HOLDERS, version=2),
    _kind(
        model.Exploration,
        winners=winners_of,
        summary=("explored_without_fight", *LOSSES[::3], *LEFT, "defenders_drawn", "bribe_cost"),
        question=Question(
            sentence="The hex is won in {m}, without a fight in {explored_without_fight}.",
            columns=("explored_without_fight",),
            others=(Question(sentence="The hex is won in {m}.", columns=("winner",)),),
        ),
        advice=ADVICE,
    ),
    name="Kings & Things",
    facts=("taken_by_attacker", *LOSSES[::3], "rounds"),
    total=partial(counted_list, "creatures", "creature"),
    forces=ForceColumns({"creatures_left": "creatures left"}, {"losses": ""}, no_units=("value",)),
)
LISTS = {"creatures": creature_rows, "items": item_rows}
