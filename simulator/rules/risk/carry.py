"""Pieces that Risk's battles leave for the next fight (docs/rules/campaigns.md section 5.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from simulator.rules.battle import Columns
from simulator.rules.campaign.carry import Carry, Fighting, Left, Number, Table, Tables, each

LAND: Fighting = ((("regiments",),), (("regiments",),))
SEA: Fighting = ((("fleets",),), (("fleets",),))


class RiskCarry(Carry):
    """Regiments, of which some may be commanders, and fleets."""

    fights: Mapping[str, Fighting] = {
        "land": LAND, "amphibious": LAND, "naval": SEA, "blockade-run": SEA,
        "invasion": ((("regiments",), ("fleets",)), (("regiments",),)),
    }  # fmt: skip
    ships, order = ("fleets",), ("regiments",)
    first_stays = joins = True
    not_planned = ("invasion", "blockade-run", "commanders")

    def piece_fields(self) -> Mapping[str, Any]:
        """Regiments, the commanders among them, and fleets."""
        return dict.fromkeys(("regiments", "commanders", "fleets"), Number)

    def prepare(self, tables: Sequence[Table]) -> None:
        """Slots: regiments without a commander, commanders, fleets. Commanders stay behind last."""
        self.slots = ["plain", "commanders", "fleets"]
        self.by_piece = {"regiments": [0, 1], "commanders": [1], "fleets": [2]}
        self.marks = np.zeros(3, bool)
        self.counts = {
            "regiments": self.count({"plain": 1, "commanders": 1}),
            "commanders": self.count({"commanders": 1}),
            "fleets": self.count({"fleets": 1}),
            "units": self.count({"plain": 1, "commanders": 1, "fleets": 1}),
        }

    def read(self, table: Table) -> np.ndarray:
        """The pieces of a table; commanders are regiments, too."""
        commanders = table.get("commanders", 0)
        return np.array([table.get("regiments", 0) - commanders, commanders, table.get("fleets", 0)], np.int64)

    def settle(self, here: np.ndarray) -> None:
        """No more commanders than regiments."""
        here[:, 1] += np.minimum(here[:, 0], 0)
        np.maximum(here[:, 0], 0, out=here[:, 0])

    def traits_for(self, kind: str, role: str, traits: Table) -> dict[str, Any]:
        """Without `transports`: their number depends on the fleets that take part."""
        return {name: value for name, value in super().traits_for(kind, role, traits).items() if name != "transports"}

    def side(self, kind: str, role: str, tables: Tables, pieces: np.ndarray) -> dict[str, Any]:
        """At most the fleets that take part are transports."""
        found = super().side(kind, role, tables, pieces)
        transports = self._transports(kind, role, tables)
        return found if transports is None else found | {"transports": min(transports, int(pieces[2]))}

    def _transports(self, kind: str, role: str, tables: Tables) -> int | None:
        """The transports of an invader, where a limit of them is given."""
        return {**tables[0], **tables[1]}.get("transports") if role == "attacker" and kind == "invasion" else None

    def numbers(self, kind: str, role: str, tables: Tables, pieces: np.ndarray) -> dict[str, np.ndarray]:
        """As `side`: the transports, too."""
        found = super().numbers(kind, role, tables, pieces)
        transports = self._transports(kind, role, tables)
        return found if transports is None else found | {"transports": np.minimum(transports, pieces[:, 2])}

    def left(self, kind: str, role: str, tables: Tables, pieces: np.ndarray, columns: Columns) -> Left:
        """Regiments and fleets left; the commanders are lost last."""
        left = each(pieces, len(columns["winner"]))
        if (name := f"{role}_regiments_left") in columns:
            left[:, 1] = np.minimum(left[:, 1], columns[name])
            left[:, 0] = columns[name] - left[:, 1]
        if (name := f"{role}_fleets_left") in columns:
            left[:, 2] = np.where(left[:, 2] > 0, columns[name], 0)
        return Left(left)

    def fled(self, kind: str, role: str, columns: Columns) -> bool:
        """A fight called off drives off nobody."""
        return False


CARRY = RiskCarry
