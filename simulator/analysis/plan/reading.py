"""A plan as its places, pieces and fronts, with every refusal of docs/rules/plan.md section 5.

A front is a target or a hold: a battle between pieces of ours, which the plan divides, and those of the enemy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from simulator.analysis.plan.model import Hold, Place, PlanFile, Target, model_of
from simulator.rules.battle import Misfit, Refusal
from simulator.rules.campaign import carry_of, prepared
from simulator.rules.campaign.carry import Carry, Planned
from simulator.rules.campaign.model import given
from simulator.rules.campaign.plan import Plan
from simulator.rules.campaign.reading import best_in, check_name, laid_over
from simulator.rules.toolkit.policies import refuse

MOST_PLACES, MOST_FRONTS = 12, 8
USUAL_ODDS = 0.8
# The sides of the campaign that answers a front; the counter-attackers.
US, THEM, AGAIN = "us", "them", "again"


@dataclass
class Front:
    """A target, or a hold, and the campaign that answers it.

    `reaches`: bool, shape (places, pieces). `home`: for a hold that is a place, the number of that place, else -1.
    `limits`: groups of pieces (bool, shape (pieces,)) of which at most so many take part. `plan`: None where no piece
    reaches a target.
    """

    name: str
    table: Target | Hold
    reaches: np.ndarray
    limits: list[tuple[np.ndarray, int]]
    min_odds: float
    home: int = -1
    plan: Plan | None = None

    @property
    def hold(self) -> bool:
        """Is it a place of ours?"""
        return isinstance(self.table, Hold)

    @property
    def path(self) -> str:
        """Its path in the file."""
        return f"{'hold' if self.hold else 'target'}.{self.name}"


@dataclass
class Turn:
    """A plan's file, read: pieces in the order of the game, places and fronts in the order of the file.

    `here`, `staying`: the pieces in each place, and those that never leave, int64, shape (places, pieces); `written`:
    the pieces that the file names there, bool. `price`: float64, shape (pieces,). `aims`: the fronts that count.
    """

    file: PlanFile
    carry: Carry
    pieces: list[Planned]
    names: list[str]
    here: np.ndarray
    staying: np.ndarray
    written: np.ndarray
    price: np.ndarray
    fronts: list[Front] = field(default_factory=list)
    aims: list[int] = field(default_factory=list)

    @property
    def places(self) -> list[str]:
        """The names of the places."""
        return list(self.file.place)

    @property
    def weights(self) -> tuple[float, float]:
        """The worth of the price of a unit lost by us and by the enemy."""
        printed = self.carry.prints_prices
        ours, theirs = self.file.weights.own_lost, self.file.weights.enemy_lost
        return (-1.0 if printed else 0.0) if ours is None else ours, float(printed) if theirs is None else theirs


def read(data: Mapping[str, Any], folder: Path | None = None, paths: bool = True) -> Turn:
    """Read and check a plan. Raises Refusal or Misfit, whose field is one of this file."""
    of = data.get("of")
    if not isinstance(of, str) or not of:
        raise Refusal("of", "is needed: the game that is played")
    carry = carry_of(of, data.get("rules"), folder, paths)
    for name, place in (data.get("place") or {}).items() if isinstance(data.get("place"), Mapping) else ():
        for key in carry.not_planned:
            refuse(isinstance(place, Mapping) and key in place, f"place.{name}.{key}", "is not planned")
    model = model_of(carry)
    try:
        file = model.model_validate(data)
    except ValidationError as error:
        raise Misfit("", error, model) from None
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


def slot_prices(turn: Turn, carry: Carry) -> np.ndarray:
    """The price of a piece in each slot of the game: float64, shape (slots,)."""
    found = carry.prices()
    for name, price in turn.file.price.items():
        slots = carry.priced().get(name)
        if slots is None and carry is not turn.carry:  # a piece that does not fight here
            continue
        if slots is None:
            raise Refusal(f"price.{name}", f"no such piece; pieces: {', '.join(carry.priced())}")
        found[slots] = price
    return found


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


def _planned(turn: Turn, front: Front, reaching: np.ndarray, folder: Path | None, paths: bool) -> Plan:
    """The campaign of a front, for one of each piece that reaches it. Raises as `read`."""
    chosen = [one.one for one, there in zip(turn.pieces, reaching, strict=True) if there]
    data = campaign_of(turn, front, added(chosen))
    try:
        return prepared(data, folder, paths)
    except Refusal as refusal:
        text = refusal.text.replace("inside a campaign", "in a plan")
        raise Refusal(_field(front, refusal.field), text, refusal.unused) from None
    except Misfit as misfit:
        raise Misfit(_field(front, misfit.prefix), misfit.error, misfit.model) from None


def added(tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The tables of several pieces as one."""
    found: dict[str, Any] = {}
    for table in tables:
        for name, value in table.items():
            found[name] = found[name] + value if name in found else value
    return found


def campaign_of(turn: Turn, front: Front, ours: Mapping[str, Any]) -> dict[str, Any]:
    """The campaign in which these pieces fight on a front (docs/rules/plan.md section 3.1)."""
    table, carry = front.table, turn.carry
    data: dict[str, Any] = {"game": "campaign", "of": turn.file.of, "us": US, "force": {}, "fight": []}
    if turn.file.rules is not None:
        data["rules"] = turn.file.rules
    kind = str(table.battle)
    their_role = "attacker" if front.hold else "defender"
    their_side = table.attacker if isinstance(table, Hold) else table.defender
    theirs, own = carry.parted(kind, their_role, their_side or {})
    traits = table.defender if isinstance(table, Hold) else table.attacker
    data["force"] = {US: dict(ours) | dict(traits), THEM: theirs}
    sides = {"attacker": {"force": US}, "defender": {"force": THEM} | own}
    if front.hold:
        sides = {"attacker": {"force": THEM} | own, "defender": {"force": US}}
    fight = {"name": "attack", "battle": kind} | sides
    data["fight"].append(fight | {key: getattr(table, key) for key in ("conditions", "policy", "options")})
    columns = ["attack_taken"] if carry.taken(kind) is not None else []
    if isinstance(table, Target) and table.counter is not None:
        counter, again = table.counter, table.counter.battle or kind
        theirs, own = carry.parted(again, "attacker", counter.attacker or {})
        data["force"][AGAIN] = theirs
        same = {"conditions": table.conditions, "options": table.options} if again == kind else {}
        given_tables = {key: getattr(counter, key) for key in ("conditions", "options") if getattr(counter, key)}
        data["fight"].append({
            "name": "counter", "battle": again, "if": columns[0] if columns else "attack_won",
            "attacker": {"force": AGAIN} | own, "defender": {"force": US, "stay": _sitting_out(turn, kind, table)},
            "policy": counter.policy,
        } | same | given_tables)  # fmt: skip
        columns += ["counter_taken"] if carry.taken(again) is not None else []
    return data | {"columns": columns}


def _sitting_out(turn: Turn, kind: str, table: Target) -> dict[str, Any]:
    """The survivors of ours that do not defend against the counter-attack."""
    assert table.counter is not None
    if table.counter.stay is not None:
        return dict(table.counter.stay)
    takers = turn.carry.taken(kind)
    if takers is None:
        return {}
    names = [
        name for name, slots in turn.carry.by_piece.items() if name in turn.carry.pieces and not takers[slots].any()
    ]
    there = {name for one in turn.pieces for name in one.one}
    return {name: "all" for name in names if name in there}


# The fields of a front's campaign, and those of the plan's file that they come from.
_OF_TARGET = (
    (rf"force\.{US}\.|fight\[0\]\.attacker\.", "attacker."),
    (rf"force\.{THEM}\.|fight\[0\]\.defender\.", "defender."),
    (rf"force\.{AGAIN}\.|fight\[1\]\.attacker\.", "counter.attacker."),
    (r"fight\[1\]\.defender\.", "attacker."),
    (r"fight\[1\]\.", "counter."),
    (r"fight\[0\]\.", ""),
)
_OF_HOLD = (
    (rf"force\.{US}\.|fight\[0\]\.defender\.", "defender."),
    (rf"force\.{THEM}\.|fight\[0\]\.attacker\.", "attacker."),
    (r"fight\[0\]\.", ""),
)


def _field(front: Front, field: str) -> str:
    """A field of a front's campaign as one of the plan's file."""
    for pattern, own in _OF_HOLD if front.hold else _OF_TARGET:
        if match := re.match(pattern, field):
            return f"{front.path}.{own}{field[match.end() :]}"
    return field
