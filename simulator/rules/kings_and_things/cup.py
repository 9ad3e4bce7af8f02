"""The cup (docs/rules/kings_and_things.md section 7): what it holds, what may be drawn, what is kept of a draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import comb
from typing import Any, NamedTuple, TypeVar

from simulator.engine.chance import seen_as
from simulator.rules.kings_and_things.creatures import Row, counted, counters, from_text, parse, rows_named
from simulator.rules.kings_and_things.model import SETTLEMENTS, Exploration
from simulator.rules.toolkit.naming import plain
from simulator.rules.toolkit.policies import refuse

ROLLS, MOST_DRAWN = (2, 3, 4, 5), 5
LOOT, NOTHING = "loot", "nothing"

# What a counter is in the draw: a creature (value, symbol), ("settlement", level), ("income", value), loot or nothing.
Kind = tuple[Any, ...]
Kept = TypeVar("Kept", bound=tuple[Any, ...])


class Draw(NamedTuple):
    """Defenders that can be met: creatures (value, symbol), the settlement's level, and whether there is any loot.

    Where there are none the hex is the explorer's without a fight.
    """

    creatures: tuple[Kind, ...] = ()
    settlement: int = 0
    loot: bool = False


def check_cup(scenario: Exploration) -> None:
    """Refuse a bad roll or cup."""
    conditions, roll = scenario.conditions, scenario.conditions.exploration_roll
    allowed = f"{roll} is not allowed; give 0 (it is rolled) or 2 to 5"
    refuse(roll not in (0, *ROLLS), "conditions.exploration_roll", allowed)
    both = conditions.cup is not None and conditions.cup_removed is not None
    refuse(both, "conditions.cup_removed", "goes with the full cup; leave it or conditions.cup out")
    size, most = sum(contents(scenario).values()), roll or MOST_DRAWN
    refuse(size < most, "conditions.cup", f"holds {size} counters, but up to {most} are drawn; add some")


def contents(scenario: Exploration) -> Counter[Kind]:
    """How many counters of each kind the cup holds: as given, or the full cup but for what the attacker has by name."""
    conditions, attacker, found = scenario.conditions, scenario.attacker, Counter[Kind]()
    for place, entry in enumerate(conditions.cup or ()):
        number, text = counted(entry, f"conditions.cup[{place}]")
        found[_kind(text, f"conditions.cup[{place}]")] += number
    if conditions.cup is not None:
        return found
    rows = [row for row in counters() if row.group != "special"]
    kinds, left = {row.copies: _kind_of(row, conditions.terrain) for row in rows}, Counter[str]()
    for row in rows:
        left[row.copies] += row.count
    for place, entry in enumerate(conditions.cup_removed or ()):
        where = f"conditions.cup_removed[{place}]"
        number, text = counted(entry, where)
        name = _copies(text, where)
        many = f"{entry!r} is more than the cup holds; there are {left[name]} left to remove"
        refuse(number > left[name], where, many)
        left[name] -= number
    held = [creature.row for creature in parse(attacker.creatures, "attacker.creatures") if creature.row]
    for name in [*(rows_named(row)[0].copies for row in held), *map(plain, attacker.items)]:
        left[name] = max(0, left[name] - 1)
    for name, number in left.items():
        found[kinds[name]] += number
    return found


def _kind(text: str, where: str) -> Kind:
    word = text.strip().lower()
    if word in SETTLEMENTS[1:]:
        return "settlement", SETTLEMENTS.index(word)
    if word in (LOOT, NOTHING):
        return (word,)
    if word.partition(":")[0].strip() == "income":
        value = word.partition(":")[2].strip()
        refuse(value not in set("123456789"), where, f"{text!r} is not allowed; write income:N with N from 1 to 9")
        return "income", int(value)
    creature = from_text(text, where)
    refuse(creature.special, where, f"{creature.label} is a special character; the cup holds none")
    return creature.value, creature.symbol


def _copies(text: str, where: str) -> str:
    """The name under which a counter of the full cup is counted."""
    for row in counters():
        if not row.fights and plain(text) in (plain(row.name), plain(row.id)):
            return row.copies
    creature = from_text(text, where)
    refuse(not creature.row, where, f"{text!r} is not a counter of the full cup; give a name of one")
    return rows_named(creature.row)[0].copies


def _kind_of(row: Row, terrain: str) -> Kind:
    if row.fights:
        return row.value, row.symbol
    if row.group == "settlement" or (row.group == "income" and row.terrain == terrain):
        return row.group, row.value
    return (LOOT,) if row.group in ("magic-item", "treasure") else (NOTHING,)


def draws(scenario: Exploration) -> dict[Draw, float]:
    """All distinct defenders with their chances."""
    held, roll = contents(scenario), scenario.conditions.exploration_roll
    lone = scenario.options.lone_settlement_defends
    people = {kind: n for kind, n in held.items() if isinstance(kind[0], int)}
    others = {kind: n for kind, n in held.items() if kind not in people}
    creatures = _by_size(people, tuple[Kind, ...](), lambda chosen, kind, number: chosen + (kind,) * number)
    rest = [seen_as(kept, _stays) for kept in _by_size(others, (0, 0, 0), _richer)]
    sizes = {roll: Fraction(1)} if roll else dict.fromkeys(ROLLS, Fraction(1, 6))
    found = {Draw(): 0.0 if roll else 1 / 3}
    for size, chance in sizes.items():
        each = float(chance / comb(held.total(), size))
        for number in range(size + 1):
            for (settlement, loot), others_ways in rest[size - number].items():
                for chosen, ways in creatures[number].items():
                    draw = Draw(chosen, settlement, loot) if chosen or (settlement and lone) else Draw()
                    found[draw] = found.get(draw, 0.0) + each * (ways * others_ways)
    return {draw: p for draw, p in found.items() if p}


def _by_size(kinds: Mapping[Kind, int], nothing: Kept, grown: Callable[[Kept, Kind, int], Kept]) -> list[Counter[Kept]]:
    """What 0 to 5 counters come to, with the ways to draw them; `grown(kept, kind, number)` adds some of a kind."""
    found = [Counter({nothing: 1}), *(Counter[Kept]() for _ in range(MOST_DRAWN))]
    for kind, copies in kinds.items():
        for size in range(MOST_DRAWN, 0, -1):
            for number in range(1, min(copies, size) + 1):
                for kept, ways in found[size - number].items():
                    found[size][grown(kept, kind, number)] += ways * comb(copies, number)
    return found


def _richer(kept: tuple[int, int, int], kind: Kind, number: int) -> tuple[int, int, int]:
    """The best settlement, the best special income counter, any loot."""
    settlement, income, loot = kept
    if kind[0] == "settlement":
        return max(settlement, kind[1]), income, loot
    if kind[0] == "income":
        return settlement, max(income, kind[1]), loot
    return settlement, income, loot or int(kind[0] == LOOT)


def _stays(kept: tuple[int, int, int]) -> tuple[int, bool]:
    """Only the special income counter of highest value stays, of equals the settlement; what stays is loot too."""
    settlement, income, loot = kept
    return settlement if settlement >= income else 0, bool(loot or settlement or income)
