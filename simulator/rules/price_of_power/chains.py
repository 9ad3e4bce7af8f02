"""From a checked scenario to the chain of its battle (rules/price_of_power.md sections 3 and 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from simulator.engine.chain import Chain
from simulator.rules.price_of_power import state
from simulator.rules.price_of_power.casualties import BITS, GONE
from simulator.rules.price_of_power.dice import Caps, Face, Pool, cavalry_icons
from simulator.rules.price_of_power.forces import Faction, Side, side_of
from simulator.rules.price_of_power.rolls import (
    TableSet,
    automatic_hits,
    caps_of,
    icon_dice,
    last_round,
    pools_of,
    worth_each,
)
from simulator.rules.price_of_power.rounds import step  # noqa: F401  registers the rules
from simulator.rules.price_of_power.state import Params, State

KINDS = {"player": state.PLAYER, "npr": state.NPR, "rebels": state.TO_THE_LAST, "pirates": state.TO_THE_LAST}
RETREATS = ("never", "when-outnumbered", "when-half", "at-or-below", "after-round", "when-leader-wounded")
MOST_ROUNDS = (1 << 20) - 1
MOST_FACTIONS = 3
NOBODY = Faction("player", "", False, tuple(np.zeros((1, 4), int) for _ in range(3)))


@dataclass(frozen=True)
class Setup:
    """A battle as the rules see it: both sides, dice, options and conditions.

    `brief`: a later stage asks for ships and units alone, not for damage or leaders.
    """

    sides: tuple[Side, Side]
    dice: Mapping[str, tuple[Face, ...]]
    options: Any
    max_rounds: int
    brief: bool = False

    @property
    def sea(self) -> bool:
        """Is it a naval battle?"""
        return self.sides[0].sea

    @property
    def last(self) -> int:
        """The last round in which anything depends on the round."""
        return last_round(self.sides, self.max_rounds)

    @property
    def ties(self) -> str:
        """Which of equally large defending factions is hit first."""
        return str(self.sides[0].policy.ties)

    def pools(self, side: int) -> list[list[Pool]]:
        """Pools of a side: row 3 * card + condition, column round - 1."""
        return pools_of(self.sides[side], self.options, self.last)


@dataclass(frozen=True)
class Story:
    """What a replay is told by: the setup, the parameters, each pool's dice, and each side's caps on icons."""

    setup: Setup
    params: Params
    pools: tuple[Pool, ...]
    caps: tuple[Caps, Caps]


def setup_of(fields: Any) -> Setup:
    """The setup of a land or naval scenario."""
    sea = fields.battle == "naval"
    sides = (
        side_of("attacker", sea, fields.attacker, fields.policy.attacker, fields.options),
        side_of("defender", sea, fields.defender, fields.policy.defender, fields.options),
    )
    return Setup(sides, icon_dice(fields.options), fields.options, fields.conditions.max_rounds)


def chain_of(fields: Any) -> Chain:
    """The chain of a land or naval scenario."""
    return chain_from(setup_of(fields))


def factions_of(setup: Setup) -> list[Faction]:
    """The attacker, then three defending factions, empty ones last."""
    attacker, defender = setup.sides
    empty = [NOBODY] * (MOST_FACTIONS - len(defender.factions))
    return [*attacker.factions, *defender.factions, *empty]


def chain_from(setup: Setup) -> Chain:
    """The chain of a battle."""
    made = TableSet(setup.dice)
    rolling = rolling_params(setup, made)
    opening, phases = opening_params(setup, made)
    tables, icons, tercios = made.close()
    numbers = {
        **side_params(setup),
        **faction_params(setup),
        **rolling,
        "opening": opening,
        "following": following(phases),
        "icons": icons,
        "tercios": tercios,
    }
    params = Params(packed(numbers))
    start = start_of(setup, phases[0])
    limits = limits_of(setup, start, int(tercios.max()))
    # Counted rounds have no end of states: such battles are fought by the rules themselves.
    counted = bool(params.n[state.COUNT_ROUNDS])
    return Chain(params, start, limits, tables, Story(setup, params, *side_pools(setup)), counters=("rounds",) if counted and not setup.last else ())


# Sections that follow the numbers with a place of their own, each told by the number that says where it begins.
SECTIONS = ("first", "shows", "icons", "tercios")


def packed(numbers: dict[str, Any]) -> np.ndarray:
    """All numbers of a battle in the one array that Params describes."""
    levels, pools = numbers.pop("levels"), numbers.pop("pool")
    sections = {name: np.asarray(numbers.pop(name)) for name in SECTIONS}
    tail = [np.concatenate([np.asarray(level) for level in levels]), np.asarray(pools)]
    at = state.SECTIONS
    numbers["row"] = np.asarray(numbers["row"]) + at
    numbers["levels"] = len(levels[0])
    at += len(tail[0])
    numbers["pools_at"] = np.asarray(numbers["pools_at"]) + at
    at += len(pools)
    for name, section in sections.items():
        numbers[name] = at
        tail.append(section)
        at += len(section)
    head = np.zeros(state.SECTIONS, np.int64)
    for name, value in numbers.items():
        place = getattr(state, name.upper())
        head[place : place + np.size(value)] = value
    return np.concatenate([head, *tail]).astype(np.int32)


def side_params(setup: Setup) -> dict[str, Any]:
    """Numbers of the battle and of each side."""
    sides, options = setup.sides, setup.options
    return {
        "sea": int(setup.sea),
        "whole_battle": int(options.casualty_alternation == "whole-battle"),
        "damage_wounds": int(options.damage_counts_as_casualty),
        "count_rounds": int(getattr(options, "count_rounds", False)),
        "max_rounds": setup.max_rounds,
        "last": setup.last,
        "brief": int(setup.brief),
        "may_leave": int(any(may_leave(side) for side in sides)),
        "factions": len(sides[1].factions),
        "automatic": [automatic_hits(side, options) for side in sides],
        "retreat": [RETREATS.index(side.policy.retreat) for side in sides],
        "retreat_at": [side.policy.retreat_at for side in sides],
        "can_retreat": [side.fields.can_retreat for side in sides],
        "start_units": [side.units for side in sides],
        "main": [0, 0 if sides[1].main is None else sides[1].main + 1],
        "supply": [side.fields.ships_in_supply if setup.sea and side.has_player else 0 for side in sides],
    }


def may_leave(side: Side) -> bool:
    """Does anyone on this side ever leave?"""
    return side.policy.retreat != "never" or any(faction.kind == "npr" for faction in side.factions)


def faction_params(setup: Setup) -> dict[str, Any]:
    """What each faction is and what its hits leave."""
    factions = factions_of(setup)
    row, types, heavy, fewest = [], [], [], []
    for faction in factions:
        for left in faction.left:
            row.append(len(types))
            units = left[:, :3].sum(axis=1)
            types += list(units << 2 * BITS if setup.sea else left[:, 0] | left[:, 1] << BITS | left[:, 2] << 2 * BITS)
            heavy += list(left[:, 2] if setup.sea else 0 * units)
            fewest += list(np.searchsorted(units, units))
    return {
        "kind": [KINDS[faction.kind] for faction in factions],
        "stays": [faction.stays for faction in factions],
        "tie": [0, *tie_order(factions[1:], setup.ties)],
        "row": row,
        "levels": (types, heavy, fewest),
    }


def tie_order(defenders: list[Faction], ties: str) -> list[int]:
    """Rank of each defending faction among equally large ones: which is hit first (`ties`)."""
    first = {"listed-order": set(), "players-first": {"player"}, "npr-first": {"npr", "rebels", "pirates"}}[ties]
    order = sorted(range(len(defenders)), key=lambda place: (defenders[place].kind not in first, place))
    return [order.index(place) for place in range(len(defenders))]


def rolling_params(setup: Setup, made: TableSet) -> dict[str, Any]:
    """Pools of both sides, their tables, and what they can show."""
    rows = [setup.pools(side) for side in range(2)]
    numbers: dict[tuple[int, Pool], int] = {}
    first, shows, cap, stride = [], [], [], []
    for side, caps in enumerate(side_pools(setup)[1]):
        pools = distinct(setup, side)
        each = worth_each(caps, len(pools))
        captures = setup.sea and setup.sides[side].has_player
        for pool in pools:
            numbers[side, pool] = len(first)
            first.append(made.add_pool(pool, caps, each, not captures))
            shows.append(icons_on(setup.dice, pool))
        cap += caps[:3]
        stride += [(caps.cavalry + 1) * (caps.artillery + 1), caps.artillery + 1, 1] if each else [0, 0, 0]
    places = [[numbers[side, pool] for row in rows[side] for pool in row] for side in range(2)]
    return {
        "pools_at": [0, len(places[0])],
        "pool": places[0] + places[1],
        "first": first,
        "shows": shows,
        "cap": cap,
        "stride": stride,
        "may_stick": int(any(may_stick(setup, side, set(distinct(setup, side))) for side in range(2))),
    }


def distinct(setup: Setup, side: int) -> list[Pool]:
    """The different pools of a side."""
    return list(dict.fromkeys(pool for row in setup.pools(side) for pool in row))


def side_pools(setup: Setup) -> tuple[tuple[Pool, ...], tuple[Caps, Caps]]:
    """The pools of both sides as they are numbered, and the caps on each side's icons."""
    attacker, defender = setup.sides
    mine, theirs = distinct(setup, 0), distinct(setup, 1)
    caps = (
        caps_of(attacker, defender, setup.dice, set(mine)),
        caps_of(defender, attacker, setup.dice, set(theirs)),
    )
    return (*mine, *theirs), caps


def icons_on(dice: Mapping[str, tuple[Face, ...]], pool: Pool) -> int:
    """Kinds of icons a pool can show: 1 infantry or tercios, 2 cavalry, 4 artillery."""
    faces = [face for die, number in zip(dice, pool[:3], strict=True) if number for face in dice[die]]
    return sum(
        1 << which
        for which, seen in enumerate((lambda f: f.infantry + f.tercios, lambda f: f.cavalry, lambda f: f.artillery))
        if any(seen(face) for face in faces)
    )


def may_stick(setup: Setup, side: int, pools: set[Pool]) -> bool:
    """Could a roll of this side be unable to hit, so that the battle might stick?"""
    needed = {"artillery": 4} if setup.sea else {"infantry": 1, "cavalry": 2, "artillery": 4}
    own = setup.sides[side]
    wanted = sum(code for which, code in enumerate(needed.values()) if setup.sea or own.of_type(which))
    return any(icons_on(setup.dice, pool) & wanted != wanted for pool in pools)


def opening_params(setup: Setup, made: TableSet) -> tuple[list[int], list[int]]:
    """Tables of the cards and charges, and the phases that the battle goes through at first."""
    attacker, defender = setup.sides
    opening, phases = [0, 0, 0, 0], []
    for phase, side in ((state.ATTACKER_DRAWS, attacker), (state.DEFENDER_DRAWS, defender)):
        if len(side.drawn) > 1:
            opening[phase] = made.add(side.drawn)
            phases.append(phase)
    charges = (knights(attacker, defender), knights(defender, attacker))
    if any(charges):
        for phase, dice in zip((state.ATTACKER_CHARGES, state.DEFENDER_CHARGES), charges, strict=True):
            opening[phase] = made.add(cavalry_icons(setup.dice, dice))
            phases.append(phase)
    return opening, [*phases, state.ATTACKER_ROLLS]


def knights(side: Side, enemy: Side) -> int:
    """Cavalry dice of a side's charge of Noble Knights (section 3.1, step 3)."""
    if "noble-knights" not in side.ideas:
        return 0
    return min(side.of_type(1), enemy.of_type(0), side.fields.knights_dice_limit)


def following(phases: list[int]) -> list[int]:
    """The phase after each of the first four."""
    after = dict(pairwise(phases))
    return [after.get(phase, state.ATTACKER_ROLLS) for phase in range(4)]


def start_of(setup: Setup, phase: int) -> State:
    """The battle before anything is rolled."""
    forces = [faction.start for faction in factions_of(setup)]
    cards = [next(iter(side.drawn)) if len(side.drawn) == 1 else 0 for side in setup.sides]
    wounds = [side.leaders[card - 1].wounds if card else 0 for side, card in zip(setup.sides, cards, strict=True)]
    return State(phase, 0, *forces, 0, *cards, *wounds, 0, 0, 0, 0)


def limits_of(setup: Setup, start: State, most_tercios: int) -> State:
    """The largest value of each field."""
    forces = [
        force and force | GONE for force in (start.attacker, start.defender_1, start.defender_2, start.defender_3)
    ]
    whole = setup.options.casualty_alternation == "whole-battle"
    rounds = MOST_ROUNDS if getattr(setup.options, "count_rounds", False) else setup.last
    hits = sum(sum(faction.hits) for faction in setup.sides[1].factions)
    hurt = 2 if setup.sides[1].leaders else 0
    cards = [len(side.leaders) for side in setup.sides]
    wounds = [2 if side.leaders else 0 for side in setup.sides]
    haul = max(most_tercios, *(side.units for side in setup.sides)) if setup.sea else 0
    return State(state.OVER, rounds, *forces, 255 if whole else 0, *cards, *wounds, hits, hurt, haul, haul)
