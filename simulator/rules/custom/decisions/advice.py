"""The default decisions of a side of a game file: the order of its losses, and the units it keeps to the last."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from simulator.rules.advice import Advice
from simulator.rules.custom.game_file.files import Source
from simulator.rules.custom.game_file.words import by_side, fighters, selected
from simulator.rules.custom.model import counts
from simulator.rules.toolkit.naming import listed
from simulator.rules.toolkit.words import several

if TYPE_CHECKING:
    from simulator.rules.custom.setup import Setup

ORDERS = ("cheapest", "weakest")


def advice_of(source: Source, kind: str) -> Advice:
    """The default decisions of a battle kind of a game file."""
    return Advice(partial(_lists, source, kind), partial(_words, source, kind), _leaving)


def _lists(source: Source, kind: str, fields: Any, side: str) -> Sequence[Sequence[Mapping[str, Any]]]:
    """The loss orders, each without and with one unit kept that can take the land."""
    if by_side(source.file.losses.chosen_by, side) == "enemy":
        return ()
    own = getattr(fields.policy, side)
    usual = by_side(source.file.losses.order, side)
    given = own.loss_order or usual
    orders = [{}, *({f"policy.{side}.loss_order": one} for one in _distinct([usual, *ORDERS]) if one != given)]
    kept = keeping(source, kind, fields, side)
    return [[order | more for order in orders for more in ([{}, kept] if kept else [{}])]]


def _distinct(orders: Sequence[Any]) -> list[Any]:
    return [order for place, order in enumerate(orders) if order not in orders[:place]]


def keeping(source: Source, kind: str, fields: Any, side: str) -> dict[str, Any]:
    """The change that keeps a unit to the last that can take the land; empty where there is none or the side says it.

    By the tag that means exactly the units that can, else by their names.
    """
    file = source.file
    takers = file.battle[kind].taken_by
    if side != "attacker" or takers is None or getattr(fields.policy, side).keep:
        return {}
    able = selected(file, takers)
    there = [unit for unit, number in counts(getattr(fields, side)).items() if number and unit in able]
    there = [unit for unit in there if unit in fighters(file, kind, side)]
    if not there:
        return {}
    tags = sorted({tag for unit in file.unit.values() for tag in unit.tags})
    same = [tag for tag in tags if selected(file, [tag]) == able]
    return {f"policy.{side}.keep": dict.fromkeys(same[:1] or there, 1)}


def _words(source: Source, kind: str, fields: Any, side: str, said: Container[str]) -> str:
    """The order of losses by the names of the units, and the units kept."""
    from simulator.rules.custom.line import loss_order
    from simulator.rules.custom.setup import Setup

    own = getattr(fields.policy, side)
    if by_side(source.file.losses.chosen_by, side) == "enemy" or own.loss_order == "best":
        return ""
    setup = Setup(source, kind, fields)
    rules = setup.sides[side]
    there = [unit for unit in loss_order(setup, side) if (rules.present & rules.fights) >> unit & 1]
    names = [several(setup.names[u]) if rules.counts[u] > 1 else f"the {setup.names[u]}" for u in there]
    order = f"{', '.join(names[:-1])}, then {names[-1]}" if len(names) > 2 else ", then ".join(names)
    kept = _kept(setup, own.keep)
    if len(names) < 2:
        return ""
    return f"lose {order}{f', but keep {kept} to the last' if kept else ''}"


def _kept(setup: Setup, keep: Mapping[str, int]) -> str:
    """The units kept to the last: "one land unit", "one each of pikes and archers", "2 tanks"."""
    names = dict(zip(setup.units, setup.names, strict=True))
    if set(keep) <= set(names) and set(keep.values()) == {1}:
        units = [several(names[unit]) for unit in keep]
        return f"one each of {listed(units)}" if len(units) > 1 else "".join(f"one of the {unit}" for unit in units)
    words = {entry: names.get(entry, f"{entry.replace('_', ' ')} unit") for entry in keep}
    return listed(
        [f"{number} {several(words[entry])}" if number > 1 else f"one {words[entry]}" for entry, number in keep.items()]
    )


def _leaving(fields: Any, side: str) -> Mapping[str, str]:
    return {f"policy.{side}.retreat": "leave"}
