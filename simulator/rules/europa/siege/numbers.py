"""The numbers that a siege depends on: sieges with equal ones are one chain, which may begin in different states."""

from __future__ import annotations

from collections.abc import Hashable

from simulator.rules.europa.shared.land_model import Campaign, Siege
from simulator.rules.europa.shared.modifiers import sum_of
from simulator.rules.europa.siege.tables import SiegeSetup

# Conditions that differ only in the start of the chain, by kind; an assault may be made again in a campaign alone.
BEGINS = ("siegeworks_minus", "siegeworks_plus", "breach_counter", "first_round", "pillages")
ONLY_AT_START = {"siege": BEGINS, "siege-campaign": (*BEGINS, "assault_counter", "unsupplied_segments")}
# Fields of a garrison of which the rules read no more than `of_garrison`.
OF_A_GARRISON = {"country", "technology", "tercios", "leader_type"}


def begun_plainly(fields: Siege | Campaign) -> Siege | Campaign:
    """The same siege without the conditions that differ only in the start."""
    plain = fields.conditions.model_copy(update=dict.fromkeys(ONLY_AT_START[fields.battle], 0))
    return fields.model_copy(update={"conditions": plain})


def numbers_of(setup: SiegeSetup, plain: Siege | Campaign) -> Hashable:
    """The numbers of a siege that is `plain` as `begun_plainly` makes it."""
    return plain.model_dump_json(exclude={"defender": OF_A_GARRISON}, warnings=False), of_garrison(setup)


def of_garrison(setup: SiegeSetup) -> Hashable:
    """The numbers that the rules derive from the fields `OF_A_GARRISON`."""
    inside, behind = setup.besieged, sum_of(setup.assault_of_place(setup.besieger.size, 0, 0)[:1])
    return inside.leader, tuple(inside.leaders.items()), setup.assaults.assailants, behind
