"""The campaign that answers a front of a plan (docs/rules/plan.md section 3.1), and its fields in the plan's file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from simulator.analysis.plan.model import Hold, Target
from simulator.analysis.plan.turn import Front, Turn

# The sides of the campaign that answers a front; the counter-attackers.
US, THEM, AGAIN = "us", "them", "again"


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


def field_of(front: Front, field: str) -> str:
    """A field of a front's campaign as one of the plan's file."""
    if match := re.fullmatch(r"(?:fight\[\d\]\.)?(rules(?:\..*)?)", field):
        return match[1]  # the rules of the whole file
    for pattern, own in _OF_HOLD if front.hold else _OF_TARGET:
        if match := re.match(pattern, field):
            return f"{front.path}.{own}{field[match.end() :]}"
    return field
