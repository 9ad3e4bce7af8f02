"""The common text of all battles on land: values as the game writes them, and assumptions of every answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Shown
from simulator.rules.europa.shared.land_model import Besieged, Campaign, Land, Siege
from simulator.rules.europa.shared.leaders import FATES, by_alias, fate_text, who
from simulator.rules.europa.shared.stacks import LD, MOST_LD, THIRDS, Stack, counted_ld, detachments
from simulator.rules.europa.tables import standard
from simulator.rules.toolkit.words import number_of

SHIPS = ("warships", "galleys", "galleasses", "transports")
DETACHMENTS = {"army_plus": 4, "army_minus": 2, "land_detachments": 1}  # LD of each counter


def thirds_text(unit: str, value: float) -> str:
    """Thirds in the units of the game: 10 are "3 LD 1 LDE", a mean of 9.5 is "3.17 LD" (section 11)."""
    exact = unit in THIRDS and value >= 0 and float(value).is_integer()
    return detachments(int(value), unit) if exact else f"{number_of(value / 3)} {unit}"


# The counters of siegeworks by their value.
SIEGEWORKS: Mapping[float, str] = {
    0: "none",
    1: "siegeworks-",
    3: "siegeworks+",
    4: "siegeworks+ and -",
    6: "two siegeworks+",
}


def siegeworks_text(value: float) -> str:
    """The counters of siegeworks; a mean as a number (section 11)."""
    return SIEGEWORKS.get(value, f"{value:.2f}")


# The naval size that blockades and supplies, by its grade.
NAVAL_SIZES: Mapping[float, str] = dict(enumerate(("convoy only", "DE", "ND", "FLEET-", "FLEET+")))


def naval_size_text(value: float) -> str:
    """The naval size of the seed's table; a mean as a number (section 11)."""
    return NAVAL_SIZES.get(value, f"{value:.2f}")


def explorers_text(value: float) -> str:
    """Exploration ships, each a third of a detachment (section 11)."""
    return f"{number_of(value)} DE"


def half_points_text(value: float) -> str:
    """Half points as points."""
    return f"{value / 2:g}"


def shown(columns: Iterable[str], unit: str) -> dict[str, Shown]:
    """The display of columns of thirds, whose values contain the unit, of half points, siegeworks and grades."""
    found: dict[str, Shown] = {}
    value: Callable[[float], str]
    for column in columns:
        if column.endswith("_thirds"):
            units = "LD" if "troops" in column else unit
            label, value, counts = column.removesuffix("_thirds"), partial(thirds_text, units), f"1/3 {units}"
        elif "exploration_ships" in column:
            label, value, counts, units = column, explorers_text, "1/3 ND", "DE"
        elif column.startswith("half_points"):
            label, value = column.removeprefix("half_"), half_points_text
            counts, units = "1/2 transport point", "transport points"
        elif column == "siegeworks_value":
            label, value, counts, units = "siegeworks", siegeworks_text, "1/3", "counters"
        elif column == "blockade_and_supply_grade":
            label, value, counts, units = column, naval_size_text, "grade 0-4", "naval size"
        else:
            continue
        found[column] = Shown(label.replace("_", " "), value, counts, units)
    return found


def called(data: Mapping[str, Any], side: str) -> str:
    """The country of a side as a sentence names it: "Turkey" for turkey-janissary; "" without one."""
    table = data.get(side)
    country = table.get("country") if isinstance(table, Mapping) else None
    if not isinstance(country, str) or country in {"minor", "natives"}:
        return ""
    name = country.partition("-")[0]
    return "the USA" if name == "usa" else name.capitalize()


def leader_rows() -> list[dict[str, Any]]:
    """Leaders that may be named: also called, what leader_country accepts, its English name, the turns of service."""
    book, also = standard(), dict[tuple[Any, ...], list[str]]()
    listed, common = book.sheets["leaders"], by_alias(book)
    for alias, row in common.items():
        also.setdefault(who(row), []).extend([alias] if alias != row["name"] else [])
    further = {who(row): row for row in common.values() if who(row) not in set(map(who, listed))}
    english = book.column("leader_countries", "english")
    return [
        {
            "name": row["name"],
            "also": ", ".join(also.get(who(row), ())),
            "country": row["country"],
            "english": english[row["country"]],
            "type": str(row["type"]).lower(),
            "turns": f"{row['begin']}-{row['end']}" if row["begin"] else "",
            **{value: row[value] for value in ("manoeuvre", "fire", "shock", "siege")},
        }
        for row in (*listed, *further.values())
    ]


def fates_text(result: int) -> str:
    """The result of both leader tests."""
    codes = result % FATES, result // FATES
    return "Leaders: " + ", ".join(f"{side} {fate_text(code)}" for side, code in zip(SIDES, codes, strict=True)) + "."


def common_assumptions(fields: Land | Siege | Campaign, stacks: tuple[Stack, Stack]) -> Iterator[str]:
    """Readings about leaders and tables."""
    cap = fields.options.leader_differential_cap
    shown = "no cap" if cap == 9 else f"at most +{cap}"
    yield f"leader differences: {shown} (leader_differential_cap; pursuit never capped)"
    if fields.options.tables:
        yield f"tables varied: {', '.join(sorted(fields.options.tables))}"
    for stack in stacks:
        leader = stack.leader
        if stack.idle:
            yield (
                f"{stack.name}: {stack.idle // LD} of {counted_ld(stack.given)} land detachments stand by "
                f"(at most {MOST_LD} fight)"
            )
        if stack.side.technology != stack.given.technology:
            yield f"{stack.name}: Timar fight with {stack.side.technology}, not {stack.given.technology}"
        if stack.timar:
            yield f"{stack.name}: Timar are conscripts (timar_limits)"
        if stack.is_vizier:
            inside = "; inside the fortress his siege value is 0 (ASSUMED)" * isinstance(stack.side, Besieged)
            yield f"{stack.name}: the Vizier's values are rolled each time one is needed{inside}"
        if leader.origin == "none":
            yield f"{stack.name}: no leader: all values 0, never tested (ASSUMED)"
        if leader.origin == "name":
            yield f"{stack.name}: {leader.text()}, {leader.kind}{', fragile' if leader.fragile else ''}"
        if wrong := leader.out_of_period(fields.conditions.period):
            yield f"{stack.name}: {wrong}: allowed, as the rules of battles ask for no years (leader_years)"
        if leader.drawn and stack.side.country == "usa":
            yield f"{stack.name}: usa draws its replacement from the minor row (ASSUMED)"


def total(data: Mapping[str, Any], side: str) -> list[str]:
    """The ships and land detachments of a side of a scenario in words; those that are not there are left out."""
    given = data.get(side)
    number = {name: one for name, one in given.items() if isinstance(one, int)} if isinstance(given, Mapping) else {}
    ships = sum(number.get(name, 0) for name in SHIPS)
    detachments = sum(size * number.get(name, 0) for name, size in DETACHMENTS.items())
    return [f"{count} {word}" for count, word in ((detachments, "LD"), (ships, "ships")) if count]
