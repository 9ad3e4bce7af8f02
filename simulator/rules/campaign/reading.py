"""A campaign's fields as a plan, with every refusal of docs/rules/campaigns.md section 7 that needs no fight."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from simulator.rules.battle import Refusal
from simulator.rules.campaign.carry import STATE, Carry
from simulator.rules.campaign.model import Campaign, given
from simulator.rules.campaign.model import Fight as FightFields
from simulator.rules.campaign.model import Side as SideFields
from simulator.rules.campaign.plan import OUT, STAY, UNNAMED, CampaignPlan, PlannedFight, PlannedSide, Ships, Taking
from simulator.rules.custom.game_file.files import laid_over
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.policies import refuse

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")
RESERVED = ("out", "stay", "winner")
MOST_FORCES, MOST_FORTRESSES, MOST_FIGHTS = 6, 6, 12
FOR_A_FORCE = ("join", "stay", "send", "carried", "driven_off", "leave", "leave_to")
FOR_THE_ATTACKER = ("go", "min_odds", "min_units")
BEST = "best"


def check_name(name: str, field: str) -> None:
    """Refuse a name that a column could not begin with. Raises Refusal."""
    refuse(not NAME.match(name) or name in RESERVED, field, f"{name!r} is not allowed; give a name like red or fleet_2")


class Reader:
    """Reads the fields of a campaign. Every method raises Refusal."""

    def __init__(self, fields: Campaign, carry: Carry) -> None:
        self.fields, self.carry = fields, carry
        # Games without fortresses have no field for them.
        self.places = {name: given(place) for name, place in getattr(fields, "fortress", {}).items()}
        self.forces, self.fortresses = list(fields.force), list(self.places)
        self.names: list[str] = []
        # The forces and the pieces that join, by their paths.
        self.tables = {f"force.{name}": given(force) for name, force in fields.force.items()}
        for at, fight in enumerate(fields.fight):
            for role in SIDES:
                side = getattr(fight, role)
                if isinstance(side, SideFields) and side.join is not None:
                    self.tables[f"fight[{at}].{role}.join"] = given(side.join)

    def plan(self) -> CampaignPlan:
        """The plan; questions are not looked at."""
        fields, carry = self.fields, self.carry
        refuse(
            not 0 < len(self.forces) <= MOST_FORCES, "force", f"{len(self.forces)} forces are not allowed; give 1 to 6"
        )
        for name in self.forces:
            check_name(name, f"force.{name}")
        refuse(not 0 < len(fields.fight) <= MOST_FIGHTS, "fight", "give 1 to 12 fights")
        self.check_fortresses()
        for path, table in self.tables.items():
            self.check_force(path, table)
        carry.has_fortresses = bool(self.fortresses)
        carry.prepare([self.pieces(table) for table in self.tables.values()])
        forces = [self.tables[f"force.{name}"] for name in self.forces]
        places = list(self.places.values())
        start = np.array([*(carry.read(self.pieces(force)) for force in forces), *map(carry.fortresses.read, places)])
        traits = [{k: v for k, v in table.items() if k not in carry.pieces} for table in (*forces, *places)]
        fights = [self.fight(at, fight) for at, fight in enumerate(fields.fight)]
        us, derived = self.our_side(fights)
        return CampaignPlan(carry, self.forces, self.fortresses, traits, start, fights, us, derived, fields.goal)

    def pieces(self, table: Mapping[str, Any]) -> dict[str, Any]:
        """The pieces of a table."""
        return {name: value for name, value in table.items() if name in self.carry.pieces}

    def check_force(self, path: str, table: Mapping[str, Any]) -> None:
        """Refuse what belongs to one fight."""
        for name, reason in self.carry.in_one_fight.items():
            refuse(table.get(name), f"{path}.{name}", f"{reason}; give it in that fight")
        self.carry.check_pieces(path, table)

    def fight(self, at: int, fields: FightFields) -> PlannedFight:
        """One fight."""
        path, every, carry = f"fight[{at}]", self.fields.every, self.carry
        name = fields.name if fields.name is not None else f"fight{at + 1}"
        check_name(name, f"{path}.name")
        taken = (*self.forces, *self.fortresses, *self.names)
        refuse(name in taken, f"{path}.name", f"{name!r} is given twice")
        self.names.append(name)
        kind = fields.battle or every.battle
        if kind not in carry.fights:
            self.refuse_kind(f"{path}.battle", kind)
        assert kind is not None
        data: dict[str, Any] = {"game": self.fields.of, "battle": kind}
        if self.fields.rules is not None:
            data["rules"] = self.fields.rules
        for table in ("conditions", "policy", "options"):
            if merged := laid_over(getattr(every, table), getattr(fields, table)):
                data[table] = merged
        for found in best_in(data.get("policy", {}), f"{path}.policy"):
            raise Refusal(found, "best is not offered inside a campaign")
        sides = tuple(self.side(f"{path}.{role}", kind, role, getattr(fields, role)) for role in SIDES)
        attacker, defender = sides
        if defender.besieged:
            refuse(attacker.force == UNNAMED, f"{path}.attacker", "only a force besieges a fortress of the campaign")
            self.check_carried(path, data.get("conditions", {}), self.fortresses[defender.force - len(self.forces)])
        refuse(attacker.force == defender.force == UNNAMED, path, "at least one side must be a force")
        if attacker.force == defender.force:
            raise Refusal(f"{path}.defender.force", f"{self.forces[defender.force]} cannot fight itself")
        for side, other in (sides, sides[::-1]):
            for key in ("driven_off", "leave_to"):
                enemy = side.force != UNNAMED and getattr(side, key) == other.force
                refuse(enemy and other.force != UNNAMED, f"{path}.{side.role}.{key}", "the enemy of this fight")
        return PlannedFight(name, kind, (attacker, defender), fields.question, data)

    def refuse_kind(self, field: str, kind: str | None) -> None:
        """Refuse a kind that is no fight of a campaign."""
        kinds = f"kinds: {', '.join(self.carry.fights)}"
        refuse(kind is None, field, f"is needed; {kinds}")
        if kind is not None and kind in self.carry.kinds:
            reason = self.carry.not_fought.get(kind, f"{kind} is not fought in a campaign: nothing is carried from it")
            raise Refusal(field, f"{reason}; {kinds}")
        raise Refusal(field, f"{kind!r} is not allowed; {kinds}")

    def side(self, path: str, kind: str, role: str, fields: Any) -> PlannedSide:
        """A side of a fight."""
        refuse(fields is None, path, "is needed")
        if isinstance(fields, str):
            fields = SideFields(force=fields)
        place = getattr(fields, "fortress", None)
        if place is not None or fields.force in self.fortresses:
            refuse(None not in (place, fields.force), f"{path}.fortress", "give force or fortress, not both")
            return self.fortress(path, kind, role, place or str(fields.force), fields)
        own = dict(fields.model_extra or {})
        self.refuse_going(path, role, fields)
        decides = fields.min_odds is not None or fields.min_units is not None
        refuse(fields.go == BEST and decides, f"{path}.go", "best does not go with min_odds or min_units")
        for name, decision in (("battle_actions", "when"), ("factions", "retreat")):
            for place, one in enumerate(own.get(name) or ()):
                inside = isinstance(one, Mapping) and one.get(decision) == BEST
                refuse(inside, f"{path}.{name}[{place}].{decision}", "best is not offered inside a campaign")
        decisions = {"best": fields.go == BEST, "min_odds": fields.min_odds, "min_units": fields.min_units}
        if fields.force is None:
            for key in FOR_A_FORCE:
                refuse(getattr(fields, key) is not None, f"{path}.{key}", "only for a force")
            renamed = self.carry.renamed.get(kind, {}).values()
            for key in self.carry.traits:
                refuse(key in own and key not in renamed, f"{path}.{key}", "only for a force")
            return PlannedSide(role, table=own, **decisions)
        self.check_side(path, kind, role, fields)
        force = self.force(f"{path}.force", fields.force)
        join = self.tables.get(f"{path}.join")
        return PlannedSide(
            role, force, own,
            join=None if join is None else self.carry.read(join),
            stay=self.amounts(f"{path}.stay", fields.stay or {}),
            send=self.sent(f"{path}.send", fields.send),
            carried=self.carried(f"{path}.carried", fields.carried, force),
            driven_off=self.place(f"{path}.driven_off", fields.driven_off, "stay"),
            leave=self.left(f"{path}.leave", fields.leave),
            leave_to=self.place(f"{path}.leave_to", fields.leave_to),
            uses=self.carry.uses(kind, role),
            able=self.carry.able(kind, role),
            **decisions,
        )  # fmt: skip

    def refuse_going(self, path: str, role: str, fields: SideFields) -> None:
        """Refuse a defender's decision whether to fight."""
        if role == "defender":
            for key in FOR_THE_ATTACKER:
                only = "only the attacker decides whether to fight"
                refuse(key in fields.model_fields_set, f"{path}.{key}", only)

    def check_fortresses(self) -> None:
        """Refuse their number and their names."""
        many = f"{len(self.fortresses)} fortresses are not allowed; give at most {MOST_FORTRESSES}"
        refuse(len(self.fortresses) > MOST_FORTRESSES, "fortress", many)
        for name in self.fortresses:
            check_name(name, f"fortress.{name}")
            refuse(name in self.forces, f"fortress.{name}", f"{name!r} is a force already")

    def fortress(self, path: str, kind: str, role: str, name: str, fields: SideFields) -> PlannedSide:
        """A fortress that is besieged in a fight; everything else of it stands in its own table."""
        known = f"fortresses: {', '.join(self.fortresses)}" if self.fortresses else "there are no fortresses"
        refuse(name not in self.fortresses, f"{path}.fortress", f"no fortress {name!r}; {known}")
        refuse(role == "attacker", path, "a fortress does not attack")
        only = f"{name!r} is a fortress: only {' and '.join(self.carry.sieges)} are fought there"
        refuse(kind not in self.carry.sieges, path, only)
        self.refuse_going(path, role, fields)
        for key in FOR_A_FORCE:
            refuse(getattr(fields, key) is not None, f"{path}.{key}", "only for a force")
        here, own_table = ("fortress", "force", *self.carry.fortresses.in_the_fight), dict(fields.model_extra or {})
        for field in (*fields.model_fields_set, *own_table):
            refuse(field not in here, f"{path}.{field}", f"given with the fortress; write it in fortress.{name}")
        number = len(self.forces) + self.fortresses.index(name)
        uses = np.ones(len(self.carry.slots), bool)
        return PlannedSide(role, number, own_table, besieged=True, driven_off=STAY, uses=uses)

    def check_carried(self, path: str, conditions: Mapping[str, Any], name: str) -> None:
        """Refuse conditions of a fight that its fortress carries."""
        for field in self.carry.fortresses.kept:
            text = f"the fortress carries it; give it in fortress.{name}"
            refuse(field in conditions, f"{path}.conditions.{field}", text)
        for field in self.carry.fortresses.known:
            refuse(field in conditions, f"{path}.conditions.{field}", "the campaign knows it")

    def check_side(self, path: str, kind: str, role: str, fields: SideFields) -> None:
        """Refuse fields that a force cannot have in this fight."""
        given = fields.model_extra or {}
        self.carry.check_pieces(path, {name: value for name, value in given.items() if name not in self.carry.pieces})
        for name in self.carry.parted(kind, role, given)[0]:
            raise Refusal(f"{path}.{name}", f"pieces come to a force with {path}.join")
        if self.carry.fights[kind][SIDES.index(role)] is None:
            self.force(f"{path}.force", str(fields.force))
            what = "passage" if kind == "passage" else "siege"
            raise Refusal(f"{path}.force", f"the {role} of a {what} is no force; give it in the fight")
        refuse(fields.stay is not None and fields.send is not None, f"{path}.send", "give stay or send, not both")
        if kind in self.carry.routs_are_out and fields.driven_off not in (None, "out"):
            raise Refusal(f"{path}.driven_off", "routed units of tactical and storm are only counted; they are out")

    def force(self, field: str, name: str) -> int:
        """The number of a force."""
        refuse(name not in self.forces, field, f"no force {name!r}; forces: {', '.join(self.forces)}")
        return self.forces.index(name)

    def place(self, field: str, name: str | None, *more: str) -> int:
        """The destination of pieces: OUT, STAY, or a force."""
        if name in (None, "out"):
            return OUT
        return STAY if name in more else self.force(field, str(name))

    def slots(self, field: str, piece: str) -> list[int]:
        """The slots of a piece, in the order in which they stay."""
        states = {name for name, count in self.carry.counts.items() if count.zones == STATE}
        known = [name for name in self.carry.by_piece if name not in states]
        refuse(piece not in known, f"{field}.{piece}", f"no such piece; pieces: {', '.join(known)}")
        return self.carry.by_piece[piece]

    def amounts(self, field: str, amounts: Mapping[str, Any]) -> list[Taking]:
        """Pieces and how many of them."""
        return [(self.slots(field, piece), None if n == "all" else n) for piece, n in amounts.items()]

    def sent(self, field: str, amounts: Mapping[str, Any] | None) -> list[Taking] | None:
        """The pieces that go, at most; marks, such as that a leader is lost, go with any of them."""
        if amounts is None:
            return None
        marks = [at for at, mark in enumerate(self.carry.marks) if mark]
        return [(marks, None), *((self.carry.going(slots), number) for slots, number in self.amounts(field, amounts))]

    def left(self, field: str, leave: Any) -> list[Taking]:
        """The pieces left behind."""
        if leave is None or isinstance(leave, Mapping):
            return self.amounts(field, leave or {})
        return [([at for at, mark in enumerate(self.carry.marks) if not mark], None)]

    def carried(self, path: str, fields: Any, force: int) -> Ships | None:
        """The limit by ships."""
        if fields is None:
            return None
        names = {"ships": fields.ships or list(self.carry.ships), "order": fields.order or list(self.carry.order)}
        for key in ("order", "ships"):
            refuse(not names[key], f"{path}.{key}", "is needed")
        by = force if fields.by is None else self.force(f"{path}.by", fields.by)
        ships = [slot for piece in names["ships"] for slot in self.slots(f"{path}.ships", piece)]
        order = [self.carry.going(self.slots(f"{path}.order", piece)) for piece in names["order"]]
        return Ships(by, fields.each, sorted(set(ships)), order)

    def our_side(self, fights: list[PlannedFight]) -> tuple[frozenset[int], bool]:
        """The forces on our side, and whether that follows from the fights (section 2.5)."""
        if self.fields.us is not None:
            names = [self.fields.us] if isinstance(self.fields.us, str) else self.fields.us
            refuse(not names, "us", "name at least one force")
            return frozenset(self.force("us", name) for name in names), False
        camp: dict[int, bool] = {}
        first = fights[0].sides
        attacks = first[0].is_force
        camp[first[0].force if attacks else first[1].force] = attacks
        pairs = [tuple(side.force for side in fight.sides) for fight in fights if all(s.is_force for s in fight.sides)]
        for _ in self.forces:
            for one, other in (*pairs, *(pair[::-1] for pair in pairs)):
                if one in camp:
                    camp.setdefault(other, not camp[one])
        split = any(camp.get(one) == camp.get(other) for one, other in pairs)
        lonely = any(side.is_force and side.force not in camp for fight in fights for side in fight.sides)
        text = "who is with whom does not follow from the fights; name the forces on your side"
        refuse(split or lonely, "us", text)
        return frozenset(force for force, ours in camp.items() if ours), True


def best_in(value: Any, path: str) -> Iterator[str]:
    """The paths of policies that are `best`."""
    if value == BEST or (isinstance(value, list) and BEST in value):
        yield path
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield from best_in(one, f"{path}.{name}")
