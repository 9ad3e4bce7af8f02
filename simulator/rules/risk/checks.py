"""What a Risk scenario may not be (docs/rules/risk.md sections 7 and 9)."""

from __future__ import annotations

from typing import Any

from simulator.rules.battle import Refusal
from simulator.rules.risk.places import all_places, each, path, tables_of

LISTS = (
    "modifier_highest",
    "modifier_lowest",
    "modifier_all",
    "bonus_dice",
    "dice",
    "die_sides",
    "commanders",
)
MOST_ROLLED = 5
PARAMETERS = {
    "stop-below": "stop_below",
    "max-rounds": "max_rounds",
    "wear-down": "wear_down_to",
    "stop-below-odds": "min_odds",
}


def check(fields: Any) -> None:
    """Refuse what types cannot; raises Refusal."""
    if fields.battle in {"land", "amphibious", "invasion"}:
        _lists(fields)
        _commanders(fields)
    _bonus_dice(fields)
    _fleets(fields)
    _conditions(fields)
    if fields.battle == "invasion":
        _convoy(fields)
        _crossings(fields)
        _policy(fields, "sea_")
    _policy(fields, "")
    _withdrawal(fields)
    _endless(fields)


def _lists(fields: Any) -> None:
    count = len(path(fields))
    for side in ("attacker", "defender"):
        for name in LISTS:
            value = getattr(getattr(fields, side), name)
            if isinstance(value, list) and len(value) != count:
                raise Refusal(
                    f"{side}.{name}",
                    f"a list of {len(value)} is not allowed; give one number, or {count}, one per territory",
                )


def _commanders(fields: Any) -> None:
    if fields.attacker.commanders > fields.attacker.regiments:
        raise Refusal(
            "attacker.commanders",
            f"{fields.attacker.commanders} is not allowed; at most the {fields.attacker.regiments} regiments",
        )
    defenders = path(fields)
    for i, commanders in enumerate(each(fields.defender.commanders, len(defenders))):
        if commanders > defenders[i]:
            raise Refusal(
                "defender.commanders",
                f"{commanders} is not allowed; at most the {defenders[i]} regiments of territory {i + 1}",
            )


def _bonus_dice(fields: Any) -> None:
    for place, hands in all_places(fields):
        for side, hand in zip(("attacker", "defender"), hands, strict=True):
            if hand.bonus and hand.dice + hand.bonus > MOST_ROLLED:
                raise Refusal(
                    f"{side}.bonus_dice",
                    f"{hand.bonus} is not allowed; {hand.dice} dice and {hand.bonus} bonus dice make more than "
                    f"{MOST_ROLLED} ({place})",
                )


def _fleets(fields: Any) -> None:
    most = fields.options.max_fleets
    counts: list[tuple[str, int]] = []
    if fields.battle in {"naval", "blockade-run"}:
        counts = [("attacker.fleets", fields.attacker.fleets), ("defender.fleets", fields.defender.fleets)]
    elif fields.battle == "invasion":
        counts = [
            ("attacker.fleets", fields.attacker.fleets),
            ("defender.port_fleets", fields.defender.port_fleets),
        ]
        counts += [
            (f"conditions.crossings[{i}].fleets", crossing.fleets)
            for i, crossing in enumerate(fields.conditions.crossings)
        ]
    for field, count in counts:
        if count > most:
            raise Refusal(field, f"{count} is not allowed; at most {most} fleets in play for one player")


def _conditions(fields: Any) -> None:
    if fields.battle == "land" and fields.conditions.link_fleets > 0:
        raise Refusal(
            "conditions.link_fleets",
            f"{fields.conditions.link_fleets} is not allowed; enemy fleets there bar land forces, fight them first",
        )
    if fields.battle in {"naval", "amphibious", "blockade-run"}:
        most = 0 if fields.battle == "blockade-run" else fields.options.max_move
        moved = fields.conditions.sea_zones_moved
        if moved > most:
            why = "blockaded fleets cannot move" if most == 0 else f"a fleet moves at most {most} sea zones a turn"
            raise Refusal("conditions.sea_zones_moved", f"{moved} is not allowed; {why}")


def _convoy(fields: Any) -> None:
    own = fields.attacker
    transports = own.fleets if own.transports is None else own.transports
    if transports > own.fleets:
        raise Refusal(
            "attacker.transports",
            f"{transports} is not allowed; at most the {own.fleets} fleets of the convoy",
        )
    capacity = fields.options.fleet_capacity
    if capacity and own.regiments > capacity * transports:
        raise Refusal(
            "attacker.regiments",
            f"{own.regiments} is not allowed; {transports} transports carry at most {capacity * transports}",
        )


def _crossings(fields: Any) -> None:
    ways = fields.conditions.crossings
    for i, way in enumerate(ways):
        if way.blockaded and (i > 0 or way.fleets == 0 or way.convoy == "defends"):
            raise Refusal(
                f"conditions.crossings[{i}].blockaded",
                "true is not allowed; only in the first crossing, with enemy fleets, the convoy attacking",
            )
    if all(way.turn is None for way in ways):
        return
    moved = 0
    for i, way in enumerate(ways):
        field = f"conditions.crossings[{i}].turn"
        if way.turn is None:
            raise Refusal(field, "is needed; give the turn of every crossing or of none")
        if i and way.turn < ways[i - 1].turn:
            raise Refusal(field, f"{way.turn} is not allowed; turns never go back")
        if i and ways[i - 1].fleets and way.turn == ways[i - 1].turn:
            raise Refusal(
                field,
                f"{way.turn} is not allowed; a fight ends the movement of its turn, so give a later one",
            )
        moved = (moved if i and way.turn == ways[i - 1].turn else 0) + (way.place == "sea-zone")
        if moved > fields.options.max_move:
            raise Refusal(
                field,
                f"{way.turn} is not allowed; a fleet moves at most {fields.options.max_move} sea zones a turn",
            )


def names(value: Any) -> list[str]:
    """The policies named, one or several."""
    return list(value) if isinstance(value, list) else [value]


def _policy(fields: Any, sea: str) -> None:
    policy = fields.policy.attacker
    field = f"policy.attacker.{sea}retreat"
    chosen = names(getattr(policy, f"{sea}retreat"))
    if "to-the-end" in chosen and len(chosen) > 1:
        raise Refusal(field, "to-the-end cannot be combined with other policies")
    for name, parameter in PARAMETERS.items():
        if sea and name == "wear-down":
            continue
        given = getattr(policy, sea + parameter)
        if name in chosen and given is None:
            raise Refusal(f"policy.attacker.{sea}{parameter}", f"is needed by the policy {name}")
        if name not in chosen and given is not None:
            raise Refusal(f"policy.attacker.{sea}{parameter}", f"{given} is not allowed without the policy {name}")


def _withdrawal(fields: Any) -> None:
    chosen = names(fields.policy.attacker.retreat)
    if chosen == ["to-the-end"]:
        return
    if fields.battle == "blockade-run" and fields.conditions.forced:
        raise Refusal("policy.attacker.retreat", f"{chosen[0]} is not allowed; a forced run is fought to-the-end")
    if fields.battle in {"amphibious", "invasion"} and not fields.options.withdrawal:
        raise Refusal(
            "policy.attacker.retreat",
            f"{chosen[0]} is not allowed; without withdrawal a landing is fought to-the-end",
        )


def _endless(fields: Any) -> None:
    if fields.options.ties != "nobody":
        return
    for place, hands in all_places(fields):
        if any(set(table) == {0} for table in tables_of(hands, "nobody")):
            raise Refusal(
                "options.ties",
                f"nobody is not allowed; no roll could cause a loss in {place}, so the battle might never end",
            )
