"""Tables of a plan for a terminal: targets and holds, who stays, the next best plans, the worth of units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from simulator.analysis.plan import words
from simulator.report.tables.odds import listing
from simulator.rules.toolkit.naming import listed
from simulator.rules.toolkit.words import chance_of, number_of

if TYPE_CHECKING:
    from simulator.analysis.plan.plan import Plan


def plan_parts(found: Plan) -> Iterator[Any]:
    """Everything below the headline."""
    yield words.certainty(found) or None
    if found.best is not None:
        yield from _fronts(found, hold=False)
        yield from _fronts(found, hold=True)
        stay = [f"{name} {listed(words.pieces_in_words(pieces))}" for name, pieces in found.home.items()]
        yield f"At home: {'; '.join(stay) or 'nobody'}."
        yield from _alternatives(found)
        yield from _units(found)
    yield f"Method: {found.how()}"
    yield "Rests on"
    yield from (f"  {line}" for line in found.assumptions())


def _number(value: float | None) -> str:
    return "" if value is None else number_of(value)


def _from_places(orders: Mapping[str, Mapping[str, int]]) -> str:
    """The pieces by the places that they come from."""
    return "; ".join(f"{listed(words.pieces_in_words(pieces))} from {place}" for place, pieces in orders.items())


def _fronts(found: Plan, hold: bool) -> Iterator[Any]:
    """A row a target, or a hold."""
    struck_back = any(row["taken"] != row["chance"] for row in found.rows() if not row["hold"])
    rows = []
    for row in found.rows():
        if row["hold"] != hold:
            continue
        who = _from_places(found.orders.get(row["target"], {})) or ("nobody" if hold else "left alone")
        chances = {"held" if hold else "falls": chance_of(row["chance"]) if row["attacked"] or hold else ""}
        if struck_back and not hold:
            chances = {"taken": chance_of(row["taken"]) if row["attacked"] else ""} | chances
        rows.append(
            {"hold" if hold else "target": row["target"], "who": who} | chances
            | {name.replace("_", " "): _number(row[name]) for name in ("own_lost", "enemy_lost", "worth")}
            | {"without it": _number(row["leave"])}
        )  # fmt: skip
    if rows:
        yield listing(rows)


def _alternatives(found: Plan) -> Iterator[Any]:
    if found.next_best:
        yield "The next best plans:"
    for row in found.alternatives.to_dict("records"):
        orders = "; ".join(
            f"{name} with {listed(words.together(found, places))}" for name, places in row["orders"].items()
        )
        yield f"  {_number(row['value'])} ({_number(row['behind'])} behind): {orders or 'nobody attacks'}"


def _units(found: Plan) -> Iterator[Any]:
    rows = [
        {"place": one.place, "piece": one.piece.replace("_", " "), "one more is worth": _number(one.more),
         "one fewer costs": _number(one.less)}
        for one in found.units_worth
    ]  # fmt: skip
    if rows:
        yield listing(rows)
