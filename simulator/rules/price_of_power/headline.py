"""The sentences with which answers of The Price of Power begin (docs/rules/decisions.md section 12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.rules.price_of_power.procedures.npr_defence import TAX_VALUE
from simulator.rules.question import LOST, WON, Answered, Ending, given
from simulator.rules.toolkit.naming import listed, plural

# The ways in which a siege, a crossing and a campaign end.
TAKEN = (
    Ending("all taken", "all_taken", "attacker"),
    Ending("a part taken", "provinces_taken > 0 and not all_taken", "nobody"),
    Ending("nothing taken", "provinces_taken == 0", "defender"),
)
ACROSS = (
    Ending("all get across", WON, "attacker"),
    Ending("some get across", "winner == 'nobody'", "nobody"),
    Ending("none get across", LOST, "defender"),
)
AREA = (
    Ending("all taken", "all_taken", "attacker"),
    Ending("a part taken", "provinces_taken > 0 and not all_taken", "attacker"),
    Ending("area won", "winner == 'attacker' and provinces_taken == 0 and not all_taken", "attacker"),
    Ending("nobody has it", "winner == 'nobody' and provinces_taken == 0", "nobody"),
    Ending("defender holds", "winner == 'defender'", "defender"),
)
NPR_DEFENCE = "The realm defends with {mean.land_units|unit} on land and {mean.ships|ship}."


def siege(answer: Answered) -> str:
    """The provinces taken and their price."""
    number, tax = _provinces(answer)
    of = f"of {plural(number, 'province')}"
    taken = f"{{mean.provinces_taken|{of} is|{of} are}} taken, worth {{mean.value_taken}} of {tax} in tax"
    return f"{taken}, for {{mean.power_spent}} military power in {{mean.actions_used|action}}."


def crossing(answer: Answered) -> str:
    """The units that get across, and their price."""
    units = given(answer, "attacker.units")
    of = f"of {plural(units, 'unit')} " if isinstance(units, int) else ""
    single, several = (of + "gets", of + "get") if of else ("unit gets", "units get")
    return f"{{mean.units_across|{single}|{several}}} across, for {{mean.power_spent}} military power."


def campaign(answer: Answered) -> str:
    """The area, and the provinces taken in it."""
    number, tax = _provinces(answer)
    won = "{A} wins the area in {winner == 'attacker'}"
    if not number:
        return f"{won}."
    return f"{won} and takes provinces worth {{mean.value_taken}} of {tax} in tax on average (all of them in {{m}})."


def called(data: Mapping[str, Any], side: str) -> str:
    """The name that a scenario gives the realm or the realms of a side; "" where one has none."""
    table = data.get(side)
    if not isinstance(table, Mapping):
        return ""
    own = next((part for part in ("army", "fleet") if isinstance(table.get(part), Mapping)), None)
    realms = table.get("factions") or [table[own] if own else table]
    parts = [one for one in realms if isinstance(one, Mapping)] if isinstance(realms, list) else []
    names = [name for one in parts if isinstance(name := one.get("name"), str) and name]
    if not names or len(names) < len(parts):
        return ""
    return names[0] if len(names) == 1 else f"the side of {listed(names)}"


def _provinces(answer: Answered) -> tuple[int, int]:
    """The number of the provinces besieged, and their tax value; of an NPR those in the area that are not occupied."""
    listing = given(answer, "defender.provinces")
    if listing == "npr":
        own = given(answer, "defender.npr.provinces") or []
        listing = [one for one in own if one.get("location", "area") == "area" and not one.get("occupied")]
    places = listing if isinstance(listing, list) else []
    return len(places), sum(TAX_VALUE.get(one.get("size", "small"), 0) for one in places)
