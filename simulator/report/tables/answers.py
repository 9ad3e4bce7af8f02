"""Tables of answers other than odds, for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table

from simulator.analysis.history.battle_log import is_loss
from simulator.report.tables.plain import table_of
from simulator.report.words import label_of
from simulator.rules.battle import WINNERS
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.words import percent

if TYPE_CHECKING:
    from simulator.analysis.history.luck import Luck
    from simulator.analysis.history.rounds import Rounds
    from simulator.analysis.odds.mix import Mixture

# Rounds after the first one that fewer battles than this reach are left out.
HARDLY_ANY = 5e-4


def luck_table(found: Luck) -> Table:
    """A row a battle."""
    numbers = {"expected": "{:.4g}", "observed": "{:.4g}", "luck": "{:.3f}"}
    return table_of(found.rows(), {"battle": "{}", "side": "{}"} | numbers)


def roll_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """A row a roll: the worth before and after it, and how lucky it was."""
    named = ({**row, "roll": row["line"].partition("\n")[0]} for row in rows)
    return table_of(named, {"roll": "{}", "before": "{:.4f}", "after": "{:.4f}", "change": "{:+.4f}", "luck": "{:.3f}"})


def mixture_table(found: Mixture) -> Table:
    """A row a combination."""
    rows = found.rows()
    chances = [name for name in rows[0] if name == "weight" or name.startswith("p_")]
    return table_of(rows, dict.fromkeys(found.paths, "{}") | dict.fromkeys(chances, percent) | {"method": "{:s}"})


def rounds_passed_tables(found: Rounds, everything: bool = False) -> list[Any]:
    """A row a round: still on, who has won, what both sides have lost. Of a campaign: its fights.

    With `everything`, all headline columns, and the rounds that hardly any battle reaches.
    """
    if found.fights:
        from simulator.report.campaigns import tables_by_fight

        return tables_by_fight(found)
    rows = [row | {"still on": max(0.0, 1 - row["over"])} for row in found.rows()]
    last = next((at for at, row in enumerate(rows) if row["still on"] < HARDLY_ANY), len(rows) - 1)
    shown = rows if everything else rows[: last + 1]
    sides = [name for name in WINNERS if name in rows[0] and (everything or rows[-1][name])]
    columns: dict[str, Any] = {"round": "{:d}"} | dict.fromkeys(["still on", *sides], percent)
    labels = _expected(found, everything)
    for label, column in labels.items():
        shown_as = found.scenario.battle.shown.get(column)
        number = (shown_as and shown_as.value) or "{:.2f}"
        columns[label] = percent if found.after(0).kind_of(column) == "yes/no" else number
    named = ({**row, **{label: row[f"mean.{column}"] for label, column in labels.items()}} for row in shown)
    more, table = len(rows) - len(shown), table_of(named, columns)
    if not everything:
        _by_side(table, list(labels))
    return [table, f"{more} more rounds: --all" if more else None]


def _by_side(table: Table, labels: Sequence[str]) -> None:
    """Say once, above a table, what the columns of both sides hold: "attacker units lost", "defender units lost"."""
    words = {label.removeprefix(f"{side} ") for side, label in zip(SIDES, labels, strict=False)}
    if len(labels) == len(SIDES) and len(words) == 1:
        (word,) = words
        table.title = f"lost: {word} so far, on average"
        for column, side in zip(table.columns[-2:], SIDES, strict=True):
            column.header = f"lost: {side}"


def _expected(found: Rounds, everything: bool) -> dict[str, str]:
    """The columns whose means are shown, by their labels: losses of both sides in units, or all of the headline."""
    battle = found.scenario.battle
    names = [name for name in battle.summary if name in found.columns and name != "rounds"]
    if not everything:
        lost = [next((one for one in names if one.startswith(side) and is_loss(one)), "") for side in SIDES]
        names = [name for name in lost if name] or names[:2]
    return {label_of(battle, name): name for name in names}
