"""Pieces that Europa's battles leave for the next fight (docs/rules/campaigns.md section 5.4)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Built, Columns, States
from simulator.rules.campaign.carry import Carry, Fighting, Left, Number, Starts, Table, Tables, each
from simulator.rules.europa.passages.text import build_passages
from simulator.rules.europa.sea.battle import BattleSetup
from simulator.rules.europa.sea.decided_battle import is_decided
from simulator.rules.europa.sea.model import SEA_TYPES
from simulator.rules.europa.sea.squadrons import engagement
from simulator.rules.europa.sea.survivors import OF_SURVIVORS, Survivors
from simulator.rules.europa.shared.fleets import Hold
from simulator.rules.europa.shared.land_model import FORAGERS
from simulator.rules.europa.shared.leaders import GONE, LAND_TYPES, leader_of
from simulator.rules.europa.shared.losses import Counters, counters_by_size, with_room
from simulator.rules.europa.shared.stacks import LD
from simulator.rules.europa.siege.fortresses import MARKS as OF_FORTRESSES
from simulator.rules.europa.siege.fortresses import THIRDS, EuropaFortresses
from simulator.rules.europa.siege.numbers import OF_A_GARRISON, ONLY_AT_START, of_garrison
from simulator.rules.europa.siege.state import LEADER_LOST
from simulator.rules.europa.siege.tables import SiegeSetup
from simulator.rules.europa.tables import standard
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.policies import refuse

SHIPS = ("warships", "galleys", "galleasses", "transports", "exploration_ships")
AT_SEA = ("naval", "passage")
SIEGES = ("siege", "siege-campaign")
# Thirds of a detachment, of which three are a whole one.
WHOLES = {"exploration_detachments": "land_detachments", "exploration_ships": "warships"}
# Marks: the leader on land and at sea is gone; the troops forage in their next battle.
MARKS = ("leader gone", "admiral gone", "foraging")
SLOTS = (*THIRDS, *SHIPS, *MARKS, *OF_FORTRESSES)
ON_LAND, AFLOAT = (("land_detachments", *THIRDS),), (SHIPS[:5],)
SEA_FIELDS = {"leader": "admiral", "technology": "naval_technology", "leader_country": "", "leader_type": ""}

KEEP_BEST, REGROUP = "keep-best-army", "regroup"
# Kind -> slots that decide only in which state a fight begins, beside the troops of a besieger.
ONLY_BEGINS = {
    **{kind: (*names, "siege_rounds") for kind, names in ONLY_AT_START.items()},
    "passage": (*SHIPS, "land_detachments", "exploration_detachments", "foraging"),
}
# Traits that no battle knows, with their words, the default first.
OF_CAMPAIGNS = {
    "losses": (KEEP_BEST, "keep-most-armies", REGROUP),
    "leader_after": ("replacement", "none"),
}


class EuropaCarry(Carry):
    """Land counters, which losses break, and ships; leaders who are gone."""

    fights: Mapping[str, Fighting] = {
        "land": (ON_LAND, ON_LAND), "siege": (ON_LAND, None), "siege-campaign": (ON_LAND, None),
        "naval": (AFLOAT, AFLOAT), "passage": ((*ON_LAND, *AFLOAT), None),
    }  # fmt: skip
    sieges = SIEGES
    fortresses = EuropaFortresses(SLOTS)
    not_fought: Mapping[str, str] = {"expedition": "expedition is not fought in a campaign: give its battles as fights"}
    in_one_fight: Mapping[str, str] = {"pasha_detachments": "pashas come to one fight"}
    traits = ("admiral", "naval_technology", *OF_CAMPAIGNS)
    renamed: Mapping[str, Mapping[str, str]] = {
        "naval": SEA_FIELDS,
        "passage": SEA_FIELDS | {"land_technology": "technology"},
    }
    ships = ("transports", "warships", "galleasses", "galleys")
    order = tuple(THIRDS)
    assumed = (
        "counters are broken as `losses` of a force says, morale is full again in every fight (ASSUMED)",
        "a named leader who is killed, wounded or captured is gone for the rest (ASSUMED)",
    )

    def piece_fields(self) -> Mapping[str, Any]:
        """Land counters and ships."""
        return dict.fromkeys((*THIRDS, *SHIPS), Number)

    def prepare(self, tables: Sequence[Table]) -> None:
        """A slot for each counter and kind of ship; losses are counted in thirds, since counters are broken."""
        self.slots = [slot for slot in SLOTS if self.has_fortresses or slot not in OF_FORTRESSES]
        self.by_piece = {piece: [SLOTS.index(piece)] for piece in self.pieces}
        self.marks = np.array([slot in (*MARKS, *OF_FORTRESSES) for slot in self.slots])
        self.counts = {piece: self.count({piece: 1}) for piece in self.pieces}
        for counter in THIRDS:
            self.counts[counter] = self.counts[counter]._replace(zones=("left", "here", "out"))
        units = {piece: thirds / 3 for piece, thirds in THIRDS.items()}
        self.counts["thirds"] = self.count(THIRDS)
        self.counts["units"] = self.count(units | dict.fromkeys(SHIPS, 1) | {"exploration_ships": 1 / 3})

    def settle(self, here: np.ndarray) -> None:
        """Three exploration detachments together are at once one LD (europa_land_siege.md 1); so are ships one ND."""
        for part, whole in WHOLES.items():
            here[:, SLOTS.index(whole)] += here[:, SLOTS.index(part)] // LD
            here[:, SLOTS.index(part)] %= LD

    def check_pieces(self, path: str, table: Table) -> None:
        """Words of the traits that belong to campaigns alone."""
        for trait, words in OF_CAMPAIGNS.items():
            wrong = trait in table and table[trait] not in words
            refuse(wrong, f"{path}.{trait}", f"{table.get(trait)!r} is not allowed; must be one of {', '.join(words)}")

    def check_trait(self, path: str, trait: str, traits: Table) -> None:
        """A leader or admiral by name is known, too."""
        super().check_trait(path, trait, traits)
        if isinstance(traits[trait], str) and trait in ("leader", "admiral"):
            narrowed = {name: traits.get(name, "") for name in ("leader_country", "leader_type") if trait == "leader"}
            one: Any = SimpleNamespace(**{"leader_country": "", **narrowed, "leader": traits[trait]})
            leader_of(one, standard(), f"{path}{trait}", SEA_TYPES if trait == "admiral" else LAND_TYPES)

    def pointless(self, kind: str, tables: Sequence[Table], part: Sequence[np.ndarray]) -> np.ndarray:
        """Transports alone on both sides."""
        armed = [SLOTS.index(ship) for ship in SHIPS if ship != "transports"]
        only = [
            (pieces[:, armed].sum(axis=1) == 0) & (not any(table.get(ship) for ship in SHIPS if ship != "transports"))
            for table, pieces in zip(tables, part, strict=True)
        ]
        return only[0] & only[1] & (kind == "naval")

    def side(self, kind: str, role: str, tables: Tables, pieces: np.ndarray) -> dict[str, Any]:
        """A leader who is gone is replaced as `leader_after` says; those who foraged on landing do so on land."""
        given = {name: value for name, value in tables[1].items() if name not in OF_CAMPAIGNS}
        found = super().side(kind, role, (tables[0], given), pieces)
        if kind in SIEGES and role == "defender":
            return found | {"fortress_level": int(pieces[SLOTS.index("fortress_level")])}
        who = "admiral" if kind in AT_SEA else "leader"
        if pieces[SLOTS.index(f"{who} gone")] and not {"leader", "admiral"} & set(tables[1]):
            kept = {name: value for name, value in found.items() if name not in ("leader_country", "leader_type")}
            found = kept | {"leader": {**tables[0], **tables[1]}.get("leader_after", "replacement")}
        if kind == "land" and role == "attacker" and pieces[SLOTS.index("foraging")]:
            found |= {"foraging": True} if found.get("technology", "musket") in FORAGERS else {}
        return found

    def containing(self, kind: str, data: Table, tables: Sequence[Tables], parts: Sequence[np.ndarray]) -> list[int]:
        """Passages of fleets that differ in ships and loose troops; sieges of one fortress that stand otherwise, by
        what losses leave of the largest besieger.
        """
        if kind not in ONLY_BEGINS:
            return super().containing(kind, data, tables, parts)
        begins = np.isin(self.slots, ONLY_BEGINS[kind])
        own, other = (np.where(begins, 0, part) for part in parts)
        if kind in SIEGES:
            policy = data.get("policy", {}).get("attacker", {}).get("losses", KEEP_BEST)
            orders = {policy, {**tables[0][0], **tables[0][1]}.get("losses", KEEP_BEST)}
            # A relief army fights the counters of the besieger.
            if not ("relief" in tables[1][1] or REGROUP in orders):
                return left_of_the_largest(own, other, orders)
        first = dict[bytes, int]()
        return [first.setdefault(row.tobytes(), at) for at, row in enumerate(np.hstack([own, other]))]

    def in_one_chain(
        self, kind: str, starts: Starts, fields: Callable[..., Any], conditions: Callable[..., Any]
    ) -> tuple[Built, Sequence[Any]]:
        """Of a siege only the first is set up."""
        if kind == "passage":
            fights = build_passages([fields(start) for start in starts])
            return fights[0], [fight.chain.start for fight in fights if fight.chain]
        built = self.build(kind, fields(starts[0]))
        assert built.begin is not None
        return built, [built.begin(conditions(start), int(thirds_of(start[0]))) for start in starts]

    def build(self, kind: str, fields: Any) -> Built:
        """The fight; the columns of a naval battle count captured ships apart from its own."""
        built = super().build(kind, fields)
        if kind == "siege-campaign":
            return with_columns(
                built,
                lambda states: {
                    "unsupplied segments": states.unsupplied,
                    "attacker_leader_lost": states.relief == LEADER_LOST,
                    "garrison is loose": states.loose == 1,
                },
            )
        setup = getattr(built.outcome, "__self__", None)
        if not isinstance(setup, BattleSetup):
            return built

        def own_ships(states: States) -> Columns:
            found: Columns = {}
            for side, place in enumerate((states.record_a, states.record_d)):
                mine = setup.of_records(side, place)
                found |= {f"{SIDES[side]} own {ship}": mine[f"own_{ship}_left"] for ship in SHIPS}
            return found

        return with_columns(built, own_ships)

    def what_is_read(self, kind: str, tables: Sequence[Tables], fields: Callable[[], Any]) -> Any:
        """The rules of a siege read some numbers that follow from the fields of a garrison."""
        if kind not in SIEGES:
            return tables
        inside = [{name: value for name, value in one.items() if name not in OF_A_GARRISON} for one in tables[1]]
        return tables[0], inside, of_garrison(SiegeSetup(fields()))

    def asked(self, kind: str, fields: Any, tables: Sequence[Tables], kept: Collection[str]) -> Built:
        """The fleets that naval battles leave are enough where nothing else is kept."""
        fleets = kind == "naval" and OF_SURVIVORS.issuperset(kept)
        found = survivors(fields, [tested(kind, one) for one in tables]) if fleets else None
        return found or self.build(kind, fields)

    def left(self, kind: str, role: str, tables: Tables, pieces: np.ndarray, columns: Columns) -> Left:
        """Counters by the thirds left, ships by kind."""
        if kind in SIEGES and role == "defender":
            return Left(self.fortress_left(kind, pieces, columns))
        # The numbers of a slot lie side by side in memory: they are written, and later compared, slot by slot.
        left = np.asfortranarray(each(pieces, len(columns["winner"])))
        gained = np.zeros(left.shape[::-1], np.int64).T
        before, losses = thirds_of(pieces), {**tables[0], **tables[1]}.get("losses", KEEP_BEST)
        if np.any(before):
            thirds = np.clip(self.thirds_left(kind, role, before, columns), 0, before)
            stacks, which = np.unique(np.atleast_2d(pieces)[:, : len(THIRDS)], axis=0, return_inverse=True)
            for at, stack in enumerate(stacks):
                rows = which.ravel() == at if len(stacks) > 1 else slice(None)
                left[rows, : len(THIRDS)] = np.array(_counters(stack, losses))[thirds[rows]]
        for ship in SHIPS if kind in AT_SEA else ():
            slot, there = SLOTS.index(ship), columns[f"{role}_{ship}_left"]
            own = columns.get(f"{role} own {ship}", np.minimum(there, pieces[..., slot]))
            left[:, slot], gained[:, slot] = own, there - own
        if kind == "passage":
            left[:, SLOTS.index("foraging")] = columns["foraging"]
        elif kind == "land" and role == "attacker":
            left[:, SLOTS.index("foraging")] = 0
        if who := tested(kind, tables):
            fates = [columns.get(f"{role}_leader_{fate}", False) for fate in (*GONE, "lost")]
            gone = np.any(np.broadcast_arrays(np.zeros(len(left), bool), *fates), axis=0)
            left[:, SLOTS.index(f"{who} gone")] |= gone
        return Left(left, gained)

    def fortress_left(self, kind: str, pieces: np.ndarray, columns: Columns) -> np.ndarray:
        """A fortress and its garrison after a siege; those who left with war honours are not here."""
        left = self.fortresses.after(kind, pieces, columns)
        inside = np.where(columns["fallen"], 0, columns["garrison_left_thirds"])
        kept = [Counters(*parts) for parts in _counters(np.atleast_2d(pieces)[0], KEEP_BEST)]
        counters = np.array(with_room(kept, int(inside.max())))
        # An ARMY that is broken does not come back with those of a relief army who enter.
        loose = np.array(with_room([Counters(0, 0, 0, 0)], len(counters) - 1))
        broken = np.asarray(columns.get("garrison is loose", np.zeros(len(left), bool)))
        left[:, : len(THIRDS)] = np.where(broken[:, None], loose[inside], counters[inside])
        return left

    @staticmethod
    def thirds_left(kind: str, role: str, before: Any, columns: Columns) -> np.ndarray:
        """Thirds of land detachments that a side has left of those it had `before`."""
        if kind == "land":
            return np.asarray(before - columns[f"{role}_losses_thirds"])
        if kind == "passage":
            return np.asarray(columns["landed_thirds"] + columns["saved_thirds"])
        return np.asarray(columns[f"{role}_troops_left_thirds" if kind == "naval" else f"{role}_left_thirds"])

    def fled(self, kind: str, role: str, columns: Columns) -> np.ndarray | bool:
        """A side that broke off, left with the wind or evaded."""
        if kind in SIEGES or kind == "passage":
            return False
        left = [columns.get(f"{role}_{how}", False) for how in ("broke_off", "left_with_wind")]
        return np.any([*np.broadcast_arrays(*left, columns["evaded"] & (role == SIDES[1]))], axis=0)


def thirds_of(pieces: np.ndarray) -> Any:
    """The thirds of land detachments of these pieces: int64, without the axis of the slots."""
    return pieces[..., : len(THIRDS)] @ list(THIRDS.values())


def left_of_the_largest(besiegers: np.ndarray, places: np.ndarray, orders: Collection[str]) -> list[int]:
    """For each siege that of the largest besieger whose losses, in each of these orders, lead to its own; `besiegers`,
    `places`: int64, shape (starts, slots).

    In Europe tables are made for losses of whole LD.
    """
    found, thirds, counters = [0] * len(besiegers), thirds_of(besiegers), len(THIRDS)
    largest = dict[Any, list[tuple[int, list[list[tuple[int, ...]]]]]]()
    for at in np.argsort(-thirds, kind="stable").tolist():
        own = tuple(besiegers[at, :counters].tolist())
        known = largest.setdefault((places[at].tobytes(), besiegers[at, counters:].tobytes(), thirds[at] % LD), [])
        for place, paths in known:
            if all(path[thirds[at]] == own for path in paths):
                found[at] = place
                break
        else:
            known.append((at, [_counters(besiegers[at], order) for order in orders]))
            found[at] = at
    return found


def survivors(fields: Any, tested: Sequence[str]) -> Built | None:
    """A naval battle as far as the fleets that it leaves; None where a side decides when to leave."""
    fleets = engagement(fields)
    if is_decided(fleets):
        return None
    return Built(answer=lambda run: Survivors(BattleSetup(fleets), tested).outcomes())


def tested(kind: str, tables: Tables) -> str:
    """The trait with the leader of a force whose fate in a fight matters to the next ones, "" for none."""
    who = {"land": "leader", "siege-campaign": "leader", "naval": "admiral"}.get(kind, "")
    named = tables[0].get(who) not in (None, "replacement", "none", "draw")
    return who if named and not {"leader", "admiral"} & set(tables[1]) else ""


def with_columns(built: Built, more: Callable[[States], Columns]) -> Built:
    """A fight with further columns of its final states."""
    return replace(built, outcome=lambda states: built.outcome(states) | more(states))


def _counters(pieces: np.ndarray, losses: str) -> list[tuple[int, ...]]:
    """The counters of a stack when it is down to 0, 1, 2 ... thirds, up to its present size."""
    counts = dict(zip(THIRDS, map(int, pieces), strict=False))
    if losses == REGROUP:
        hold, size = (
            Hold(0, counts["army_plus"] + counts["army_minus"], False),
            pieces[: len(THIRDS)] @ [*THIRDS.values()],
        )
        return [hold.regrouped(thirds) for thirds in range(int(size) + 1)]
    return list(counters_by_size(SimpleNamespace(**counts), losses == KEEP_BEST))  # type: ignore[arg-type]


CARRY = EuropaCarry
