"""A plan as its places, pieces and fronts, with every refusal of docs/rules/plan.md section 5.

A front is a target or a hold: a battle between pieces of ours, which the plan divides, and those of the enemy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simulator.analysis.plan.front_campaign import added, campaign_of, field_of
from simulator.analysis.plan.model import Hold, Place, PlanFile, Target, model_of
from simulator.analysis.plan.turn import Front, Turn, slot_prices
from simulator.rules.battle import Misfit, Refusal
from simulator.rules.campaign import carry_of, prepared
from simulator.rules.campaign.carry import Carry, Planned
from simulator.rules.campaign.model import given
from simulator.rules.campaign.plan import CampaignPlan
from simulator.rules.campaign.reading import best_in, check_name
from simulator.rules.custom.game_file.files import laid_over
from simulator.rules.toolkit.policies import fitted, refuse
from simulator.scenarios.validation import complaints

MOST_PLACES, MOST_FRONTS = 12, 8
USUAL_ODDS = 0.8


def read(data: Mapping[str, Any], folder: Path | None = None, paths: bool = True) -> Turn:
    """Read and check a plan. Raises Refusal or Misfit, whose field is one of this file."""
    of = data.get("of")
    if not isinstance(of, str) or not of:
        raise Refusal("of", "is needed: the game that is played")
    carry = carry_of(of, data.get("rules"), folder, paths)
    for name, place in (data.get("place") or {}).items() if isinstance(data.get("place"), Mapping) else ():
        for key in carry.not_planned:
            refuse(isinstance(place, Mapping) and key in place, f"place.{name}.{key}", "is not planned")
    file = fitted(model_of(carry), data)
    _check_size(file)
    turn = _turn(file, carry, of)
    for name, target in file.target.items():
        turn.fronts.append(_front(turn, name, _under(file.every, target), folder, paths))
    for name, hold in file.hold.items():
        turn.fronts.append(_front(turn, name, _hold_under(file.every, hold), folder, paths))
    turn.aims = _aims(turn)
    return turn


def _check_size(file: PlanFile) -> None:
    places, targets, holds = len(file.place), len(file.target), len(file.hold)
    refuse(not 0 < places <= MOST_PLACES, "place", f"{places} places are not allowed; give 1 to {MOST_PLACES}")
    refuse(
        targets > MOST_FRONTS or not targets + holds,
        "target", f"{targets} targets are not allowed; give 1 to {MOST_FRONTS}",
    )  # fmt: skip
    refuse(holds > MOST_FRONTS, "hold", f"{holds} holds are not allowed; give at most {MOST_FRONTS}")
    for kind in ("place", "target", "hold"):
        for name in getattr(file, kind):
            try:
                check_name(name, f"{kind}.{name}")
            except Refusal as refusal:
                raise Refusal(refusal.field, f"a name is letters, digits and _; {refusal.text}") from None
    for name in file.hold:
        refuse(name in file.target, f"hold.{name}", "is a target too")


def _turn(file: PlanFile, carry: Carry, of: str) -> Turn:
    """The pieces and where they stand."""
    tables = {name: _pieces(place, carry) for name, place in file.place.items()}
    for name, table in tables.items():
        refuse(not table, f"place.{name}", "has no pieces")
        carry.check_pieces(f"place.{name}", table)
    carry.prepare(list(tables.values()))
    order = [*(piece for piece in carry.order if piece in carry.pieces), *carry.pieces]
    found: dict[Any, Planned] = {}
    stands = [{one.identity: one for one in carry.planned(table)} for table in tables.values()]
    for standing in stands:
        for identity, one in standing.items():
            found.setdefault(identity, one)
    pieces = sorted(found.values(), key=lambda one: order.index(one.name) if one.name in order else len(order))
    names = [_name(pieces, at) for at in range(len(pieces))]
    here = np.array(
        [[there[one.identity].number if one.identity in there else 0 for one in pieces] for there in stands]
    )
    written = np.array([[one.identity in there for one in pieces] for there in stands])
    turn = Turn(file, carry, pieces, names, here, np.zeros_like(here), written, np.zeros(len(pieces)))
    for at, (name, place) in enumerate(file.place.items()):
        turn.staying[at] = _staying(turn, f"place.{name}.stay", place.stay, here[at])
    prices = slot_prices(turn, carry)
    turn.price = np.array([prices @ carry.read(one.one) for one in pieces])
    return turn


def _pieces(place: Place, carry: Carry) -> dict[str, Any]:
    return {name: value for name, value in given(place).items() if name in carry.pieces}


def _name(pieces: Sequence[Planned], at: int) -> str:
    """The name of a piece; of different pieces of one name the second is "infantry 2"."""
    same = [one.name for one in pieces[:at]].count(pieces[at].name)
    return f"{pieces[at].name} {same + 1}" if same else pieces[at].name


def _group(turn: Turn, path: str, name: str) -> np.ndarray:
    """The pieces that a piece's name, or a tag, stands for: bool, shape (pieces,)."""
    slots = turn.carry.by_piece.get(name)
    chosen = np.array([one == name for one in turn.names])
    if not chosen.any() and slots is not None:
        chosen = np.array([bool(turn.carry.read(one.one)[slots].any()) for one in turn.pieces])
    known = slots is not None or name in turn.carry.pieces or chosen.any()
    refuse(not known, f"{path}.{name}", "no such piece")
    return chosen


def _staying(turn: Turn, path: str, stay: Mapping[str, Any], here: np.ndarray) -> np.ndarray:
    """The pieces of a place that never leave; those of a tag are taken in the order of the game."""
    found = np.zeros_like(here)
    for name, number in stay.items():
        left = None if number == "all" else number
        for piece in np.flatnonzero(_group(turn, path, name)):
            one = here[piece] if left is None else min(here[piece], left)
            found[piece] = max(found[piece], one)
            left = None if left is None else left - one
    return found


def _under(every: Target, own: Target) -> Target:
    """A target with the keys of every one laid under it."""
    return Target.model_validate(laid_over(_plain(every), _plain(own)))


def _hold_under(every: Target, own: Hold) -> Hold:
    """A hold with the kind and the worth of every target, and its options if the kind is the same."""
    base = {key: value for key, value in _plain(every).items() if key in {"battle", "worth"}}
    kind = own.battle or every.battle
    if every.options and kind == every.battle:
        base["options"] = every.options
    return Hold.model_validate(laid_over(base, _plain(own)))


def _plain(table: Any) -> dict[str, Any]:
    dumped: dict[str, Any] = table.model_dump(exclude_unset=True)
    return dumped


def _front(turn: Turn, name: str, table: Target | Hold, folder: Path | None, paths: bool) -> Front:
    """A target or a hold, checked with one of each piece that reaches it."""
    hold = isinstance(table, Hold)
    path = f"{'hold' if hold else 'target'}.{name}"
    _check_kind(turn, f"{path}.battle", table.battle)
    side = table.attacker if isinstance(table, Hold) else table.defender
    refuse(hold and side is None, f"{path}.attacker", "is needed: who may come")
    refuse(side is None, f"{path}.defender", "is needed")
    ours, role = (table.defender, "defender") if isinstance(table, Hold) else (table.attacker, "attacker")
    # The structures of a hex belong to a hold, not to those who stand there.
    structures = {slot for slot, mark in zip(turn.carry.slots, turn.carry.marks, strict=True) if mark and hold}
    for piece in turn.carry.pieces:
        refuse(piece in ours and piece not in structures, f"{path}.{role}.{piece}", "our pieces stand in places")
    _check_policies(path, table)
    front = Front(name, table, np.zeros(turn.here.shape, bool), [], _least(turn, name, table))
    front.home = turn.places.index(name) if hold and name in turn.places else -1
    if isinstance(table, Target):
        front.limits = [
            (np.ones(len(turn.pieces), bool) if one == "units" else _group(turn, f"{path}.at_most", one), number)
            for one, number in table.at_most.items()
        ]
        if table.counter is not None:
            refuse(table.counter.attacker is None, f"{path}.counter.attacker", "is needed")
            _check_kind(turn, f"{path}.counter.battle", table.counter.battle or table.battle)
    used = turn.carry.uses(str(table.battle), role)
    uses = np.array([bool(turn.carry.read(one.one)[used].any()) for one in turn.pieces])
    for at, place in enumerate(turn.file.place.values()):
        front.reaches[at] = _reached(turn, at, place, name) & uses & turn.written[at]
    if front.home >= 0:
        front.reaches[front.home] = uses & turn.written[front.home]
    reaching = np.asarray(front.reaches.any(axis=0))
    if reaching.any() or hold:
        front.plan = _planned(turn, front, reaching, folder, paths)
    return front


def _check_kind(turn: Turn, field: str, kind: str | None) -> None:
    kinds = turn.carry.planned_kinds()
    refuse(kind is None, field, f"is needed; kinds: {', '.join(kinds)}")
    refuse(kind not in kinds, field, f"{kind!r} is not planned; kinds: {', '.join(kinds)}")


def _check_policies(path: str, table: Target | Hold) -> None:
    """Refuse decisions within a battle: a plan decides before the first roll."""
    counter = table.counter if isinstance(table, Target) else None
    tables = {f"{path}.policy": table.policy} | ({f"{path}.counter.policy": counter.policy} if counter else {})
    for place, policy in tables.items():
        for found in best_in(policy, place):
            raise Refusal(found, "best is not offered in a plan")


def _least(turn: Turn, name: str, table: Target | Hold) -> float:
    """The least chance that is allowed."""
    if table.min_odds is not None:
        return table.min_odds
    file = turn.file
    counted = isinstance(table, Target) or file.aims is None or name in file.aims
    return USUAL_ODDS if file.objective == "cheapest" and counted else 0.0


def _reached(turn: Turn, at: int, place: Place, front: str) -> np.ndarray:
    """The pieces of a place that reach a front: bool, shape (pieces,)."""
    path = f"place.{turn.places[at]}"
    known = [*turn.file.target, *turn.file.hold]
    for where, names in (("reach", place.reach or ()), *((f"reach_of.{p}", n) for p, n in place.reach_of.items())):
        for name in names:
            holds = f"; holds: {', '.join(turn.file.hold)}" if turn.file.hold else ""
            targets = f"no target {name!r}; targets: {', '.join(turn.file.target)}{holds}"
            refuse(name not in known, f"{path}.{where}", targets)
    found = np.full(len(turn.pieces), place.reach is None or front in place.reach)
    for piece, names in place.reach_of.items():
        found[_group(turn, f"{path}.reach_of", piece)] = front in names
    return found


def _aims(turn: Turn) -> list[int]:
    """The fronts that must fall or hold; all of them unless the file names some."""
    file, names = turn.file, [front.name for front in turn.fronts]
    if file.aims is None:
        return list(range(len(names)))
    refuse(file.objective == "worth", "aims", "only with objective all or cheapest")
    refuse(not file.aims, "aims", "name at least one target")
    for name in file.aims:
        holds = f"; holds: {', '.join(file.hold)}" if file.hold else ""
        refuse(name not in names, "aims", f"no target {name!r}; targets: {', '.join(file.target)}{holds}")
    return [at for at, name in enumerate(names) if name in file.aims]


def _planned(turn: Turn, front: Front, reaching: np.ndarray, folder: Path | None, paths: bool) -> CampaignPlan:
    """The campaign of a front, for one of each piece that reaches it. Raises as `read`."""
    chosen = [one.one for one, there in zip(turn.pieces, reaching, strict=True) if there]
    data = campaign_of(turn, front, added(chosen))
    try:
        return prepared(data, folder, paths)
    except Refusal as refusal:
        text = refusal.text.replace("inside a campaign", "in a plan")
        raise Refusal(field_of(front, refusal.field), text, refusal.unused) from None
    except Misfit as misfit:
        field, _, text = complaints(misfit.error, misfit.model)[0].partition(": ")
        raise Refusal(field_of(front, misfit.prefix + field), text) from None
