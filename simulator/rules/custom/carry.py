"""Pieces that the battles of a game file leave for the next fight (docs/rules/campaigns.md section 5.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Battle, Columns
from simulator.rules.campaign.carry import Carry, Left, Number, Table, Tables, each
from simulator.rules.custom.game_file.format import GameFile
from simulator.rules.custom.game_file.units import MAIN_ROLLS, pieces_of
from simulator.rules.custom.game_file.words import fighters, part_of, selected
from simulator.rules.toolkit.naming import counted


class FileCarry(Carry):
    """Every unit of the file by type, repaired between fights."""

    joins = True
    prints_prices = True
    in_one_fight = MappingProxyType({"damaged": "damage is repaired between fights"})

    def __init__(self, kinds: Mapping[str, Battle], file: GameFile) -> None:
        self.file = file
        cheap = {role: self.cheapest(role) for role in SIDES}
        self.fights: dict[str, Any] = {
            kind: tuple((tuple(sorted(fighters(file, kind, role), key=cheap[role].index)),) for role in SIDES)
            for kind in kinds
        }
        super().__init__(kinds)

    def cheapest(self, role: str) -> list[str]:
        """All units, the cheapest first; those without a roll of their own come last."""
        pieces, main = pieces_of(self.file, role), MAIN_ROLLS[role]
        ranks = {unit: (not one.rolls.get(main), one.cost) for unit, one in zip(self.file.unit, pieces, strict=True)}
        return sorted(ranks, key=ranks.__getitem__)

    def name(self) -> str:
        """The text of the whole file."""
        return self.file.model_dump_json()

    def piece_fields(self) -> Mapping[str, Any]:
        """Every unit."""
        return dict.fromkeys(self.file.unit, Number)

    def prepare(self, tables: Sequence[Table]) -> None:
        """A slot for each unit; a tag stands for its units in file order. Counts: units named somewhere, and cost."""
        super().prepare(tables)
        named = {unit for table in tables for unit in table}
        costs = {key: unit.cost for key, unit in self.file.unit.items()}
        for tag in dict.fromkeys(tag for unit in self.file.unit.values() for tag in unit.tags):
            chosen = selected(self.file, [tag])
            self.by_piece.setdefault(tag, [at for at, unit in enumerate(self.slots) if unit in chosen])
        self.counts = {unit: count for unit, count in self.counts.items() if unit in named}
        self.counts |= {"units": self.count(dict.fromkeys(self.slots, 1)), "cost": self.count(costs)}

    def parted(self, kind: str, role: str, table: Table) -> tuple[dict[str, Any], dict[str, Any]]:
        """Units that support are given for one fight."""
        pieces, own = super().parted(kind, role, table)
        serving = pieces.keys() & part_of(self.file, kind, role)[1]
        return pieces, own | {unit: pieces.pop(unit) for unit in sorted(serving)}

    def words(self, pieces: np.ndarray) -> str:
        """Units by name, without their tags."""
        return counted(pieces.tolist(), self.slots)

    def left(self, kind: str, role: str, tables: Tables, pieces: np.ndarray, columns: Columns) -> Left:
        """Every unit less its losses."""
        left = each(pieces, len(columns["winner"]))
        for slot, unit in enumerate(self.slots):
            if (name := f"{role}_{unit}_lost") in columns:
                left[:, slot] -= np.where(left[:, slot] > 0, columns[name], 0)
        return Left(left)

    def taken(self, kind: str) -> np.ndarray | None:
        """The units of `taken_by`."""
        takers = self.file.battle[kind].taken_by
        if takers is None:
            return None
        chosen = selected(self.file, takers)
        return np.array([unit in chosen for unit in self.slots])
