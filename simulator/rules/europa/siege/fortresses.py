"""Fortresses of a campaign, which keep the state of their siege from fight to fight (docs/rules/campaigns.md section
5.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pydantic import create_model

from simulator.rules.battle import ATTACKER, Columns
from simulator.rules.campaign.carry import Fortresses, each
from simulator.rules.europa.shared.land_model import Besieged, CampaignConditions
from simulator.rules.europa.siege.state import WORKS, WORKS_VALUE
from simulator.rules.toolkit.naming import counted
from simulator.rules.toolkit.words import words

# Thirds of a land detachment that a counter is worth.
THIRDS = {"army_plus": 12, "army_minus": 6, "land_detachments": 3, "exploration_detachments": 1}
# The conditions of a siege that its fortress carries.
WORKS_ON_IT = ("siegeworks_minus", "siegeworks_plus", "breach_counter", "assault_counter")
# They go when a siege is lifted.
OF_ONE_SIEGE = (*WORKS_ON_IT, "continued_siege", "unsupplied_segments")
KEPT = (*OF_ONE_SIEGE, "pillages", "first_round")
# Marks beside these: does it stand, the besieger (1 + the number of the force, 0 nobody), and does its siege go on?
MARKS = (*KEPT, "standing", "fortress_level", "siege_rounds", "besieger", "goes_on")


class EuropaFortresses(Fortresses):
    """The slots of a fortress: its garrison by counters, then its marks, which begin at `first`."""

    kept, known, in_the_fight = KEPT, ("supply_segment_first",), ("relief",)
    model = create_model(
        "Fortress",
        __base__=Besieged,
        __doc__="A place that is besieged: its fields as the defender of a siege, and its state at the start.",
        **{
            name: (CampaignConditions.model_fields[name].annotation, CampaignConditions.model_fields[name])
            for name in KEPT
        },  # type: ignore[call-overload]
    )

    def __init__(self, slots: tuple[str, ...]) -> None:
        self.slots = {name: at for at, name in enumerate(slots) if name in (*THIRDS, *MARKS)}
        self.size = len(slots)

    def read(self, table: Mapping[str, Any]) -> np.ndarray:
        """A fortress as its table says."""
        found = np.zeros(self.size, np.int64)
        fields = self.model.model_validate(dict(table))
        for name in (*THIRDS, *KEPT, "fortress_level"):
            found[self.slots[name]] = getattr(fields, name)
        found[self.slots["standing"]] = 1
        return found

    def begin(self, place: np.ndarray, besieger: int) -> None:
        """A siege goes on if the same force began it; another one begins its own."""
        before = self.of(place, "besieger")
        self.clear(place, (before > 0) & (before != besieger + 1))
        place[:, self.slots["goes_on"]] = before == besieger + 1
        place[:, self.slots["besieger"]] = besieger + 1

    def clear(self, place: np.ndarray, rows: np.ndarray) -> None:
        """Lift the siege in these rows."""
        for name in (*OF_ONE_SIEGE, "besieger", "goes_on"):
            place[rows, self.slots[name]] = 0

    def conditions(self, kind: str, pieces: np.ndarray) -> dict[str, Any]:
        """The conditions that the fortress carries; a siege segment has no supply segment."""
        fields = {name: int(pieces[self.slots[name]]) for name in KEPT}
        known = {"breach_counter", "assault_counter", "first_round", "continued_siege"}
        found: dict[str, Any] = {name: bool(value) if name in known else value for name, value in fields.items()}
        if kind == "siege":
            del found["unsupplied_segments"]
        elif pieces[self.slots["goes_on"]]:
            found["supply_segment_first"] = True
        return found

    def stands(self, place: np.ndarray) -> np.ndarray:
        """Has it not fallen yet?"""
        return self.of(place, "standing") > 0

    def lift(self, place: np.ndarray, here: np.ndarray, driven: np.ndarray) -> None:
        """A siege ends with its besieger, or when the fortress falls."""
        besieger, rows = self.of(place, "besieger") - 1, np.arange(len(place))
        troops = here[rows, besieger][:, [self.slots[name] for name in THIRDS]].sum(axis=1)
        self.clear(place, (besieger >= 0) & (driven[rows, besieger] | (troops == 0) | ~self.stands(place)))

    def after(self, kind: str, pieces: np.ndarray, columns: Columns) -> np.ndarray:
        """The slots after a siege with these columns but for the garrison: int64, shape (outcomes, slots)."""
        left = each(pieces, len(columns["winner"]))
        fallen = columns["winner"] == ATTACKER
        rounds = columns["rounds"] if "rounds" in columns else np.ones(len(left), np.int64)
        works = np.array(WORKS)[np.searchsorted(WORKS_VALUE, columns["siegeworks_value"])]
        changes = {
            "siegeworks_minus": works[:, 0],
            "siegeworks_plus": works[:, 1],
            "breach_counter": columns["breach_counter"],
            "assault_counter": columns["assault_counter"],
            "pillages": columns["pillages"],
            "first_round": self.of(left, "first_round") & (rounds == 0),
            "standing": ~fallen,
            "fortress_level": columns["fortress_level_after"],
            "siege_rounds": self.of(left, "siege_rounds") + rounds,
            "unsupplied_segments": columns.get("unsupplied segments", self.of(left, "unsupplied_segments")),
        }
        for name, values in changes.items():
            left[:, self.slots[name]] = values
        return left

    def columns(self, place: np.ndarray) -> Columns:
        """As section 5.4 lists them."""
        value = self.of(place, "siegeworks_minus") + 3 * self.of(place, "siegeworks_plus")
        return {
            "level": self.of(place, "fortress_level"),
            "garrison_thirds": sum(thirds * self.of(place, name) for name, thirds in THIRDS.items()),
            "siegeworks": value,
            "breach_counter": self.of(place, "breach_counter") > 0,
            "assault_counter": self.of(place, "assault_counter") > 0,
            "pillages": self.of(place, "pillages"),
            "siege_rounds": self.of(place, "siege_rounds"),
            "taken": ~self.stands(place),
            "besieged": self.of(place, "besieger") > 0,
        }  # type: ignore[dict-item]

    def words(self, pieces: np.ndarray) -> str:
        """Level, garrison and siegeworks."""
        garrison = counted((int(pieces[self.slots[name]]) for name in THIRDS), map(words, THIRDS))
        works = int(self.columns(pieces[None])["siegeworks"][0])
        return f"level {pieces[self.slots['fortress_level']]}, {garrison}, siegeworks {works}"

    def of(self, place: np.ndarray, name: str) -> np.ndarray:
        """A slot by its name: int64, shape (rows,)."""
        return place[:, self.slots[name]]
