"""One chain for battles that differ in the number of some counters.

A condition is the full state of a side (`conditions`), so a smaller stack starts in a condition of the catalogue of the
largest one, which is extended by the conditions of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from simulator.engine.model.interpreted import plain_params
from simulator.rules.battle import Columns, Joined, Refusal, States
from simulator.rules.kings_and_things.catalogue import Catalogue
from simulator.rules.kings_and_things.creatures import parse
from simulator.rules.kings_and_things.forces import Forces
from simulator.rules.kings_and_things.model import CreatureTable, Exploration
from simulator.rules.kings_and_things.outcome import columns
from simulator.rules.kings_and_things.sides import takes
from simulator.rules.kings_and_things.tables import begun, chain_of
from simulator.rules.toolkit.weights import distinct

PATH = re.compile(r"(\w+)\.creatures\[(\d+)\]\.count$")


def starts_of(forces: Forces) -> list[str]:
    """Scenario paths of the counts of creatures (given as tables) that change the start state alone.

    Counts are left out where a Warlord takes the strongest, a Balloon takes passengers, or a counter may hold an item.
    """
    if isinstance(forces.scenario, Exploration) or forces.driven_off or any(map(takes, forces.bands)):
        return []
    return [
        f"{band.name}.creatures[{i}].count"
        for band in forces.bands
        if band.policy.retreat != "best" and not band.items & {"balloon", "magic-sword", "magic-bow"}
        for i, entry in enumerate(band.fields.creatures)
        if isinstance(entry, CreatureTable)
    ]


def joined(forces: Forces, paths: Sequence[str], settings: np.ndarray) -> Joined | None:
    """One chain for battles with these counts, none above those of `forces`; None for too many conditions."""
    catalogues = []
    for i, one in enumerate(forces.catalogues):
        start = one.conditions[one.starts[0]]
        left = np.array(start.left) - _fewer(forces, i, paths, settings)
        starts = [start, *(start._replace(left=tuple(row)) for row in left.tolist())]
        try:
            catalogues.append(Catalogue(one.army, starts, one.aimed_at, one.leaves))
        except Refusal:
            return None
    base = np.cumsum([0, *map(len, catalogues)]).tolist()
    meetings = np.stack([np.add(one.starts, first) for one, first in zip(catalogues, base, strict=False)], axis=1)
    whole = replace(forces, catalogues=catalogues, base=base, starts=np.insert(meetings[:1], 0, 0, axis=1))
    chain, (different, which), note = chain_of(whole), distinct(meetings[1:]), forces.notes[0]
    params = plain_params(chain.params)
    states = np.array([begun(params, sides) for sides in different.tolist()], np.int64)

    def outcome(states: States, at: Sequence[int]) -> Columns:
        lacking = (_fewer(forces, i, paths, np.array([at])).sum() for i in range(len(forces.bands)))
        people = tuple(int(number - less) for number, less in zip(note.people, lacking, strict=True))
        return columns(replace(whole, notes=[note._replace(people=people)]), states)

    return Joined(chain, states[which], outcome)


def _fewer(forces: Forces, i: int, paths: Sequence[str], settings: np.ndarray) -> np.ndarray:
    """Counters missing from each slot, compared with `forces`: int64, shape (settings, slots)."""
    band, army = forces.bands[i], forces.catalogues[i].army
    missing = np.zeros((len(settings), len(army.slots)), np.int64)
    for path, counts in zip(paths, settings.T, strict=True):
        name, entry = PATH.fullmatch(path).groups()  # type: ignore[union-attr]
        if name == band.name:
            given = band.fields.creatures[: int(entry) + 1]
            slot = band.counters[len(parse(given, path)) - 1]
            missing[:, army.place(slot)] += given[-1].count - counts  # type: ignore[union-attr]
    return missing
