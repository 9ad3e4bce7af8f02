"""Columns of the outcome of a land or naval battle (docs/rules/price_of_power.md sections 3.3 and 4)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from simulator.rules.battle import ATTACKER, DEFENDER, Columns
from simulator.rules.price_of_power.casualties import GONE, force_of, forces_after, number_of, present
from simulator.rules.price_of_power.decisions import played
from simulator.rules.price_of_power.dice import IN_FORCE, KEPT
from simulator.rules.price_of_power.forces import CATEGORIES, SHIPS, Faction, Side, prices
from simulator.rules.price_of_power.model import TYPES
from simulator.rules.price_of_power.model import listed as realms
from simulator.rules.price_of_power.state import (
    ATTACKER_APPOINTS,
    ATTACKER_DECIDES,
    ATTACKER_LOSES,
    ATTACKER_PLAYS,
    DEAD,
    DEFENDER_LOSES,
    LEAVE,
    STAGES,
    Params,
    State,
    cards_of,
)
from simulator.rules.price_of_power.tables import FORCES, Setup
from simulator.rules.toolkit.naming import counted, listed, winners

DECIDES, PLAYS, APPOINTS = ATTACKER_DECIDES, ATTACKER_PLAYS, ATTACKER_APPOINTS
# Fields of a state that units lost do not depend on.
NOT_LOST = (
    "round", "rounds", "attacker_leader", "defender_leader", "wounds", "hurt", "captured", "captured_heavy",
    "attacker_cards", "defender_cards",
)  # fmt: skip


def outcome(setup: Setup, states: State) -> Columns:
    """Columns of final states (a State of int arrays)."""
    defender = setup.sides[1]
    forces = [np.asarray(getattr(states, name)) for name in FORCES[: len(setup.factions)]]
    here = [(force & GONE == 0) & (force > 0) for force in forces]
    attacking, defending = here[0], np.any(here[1:], axis=0)
    columns: Columns = {"winner": winners(attacking & ~defending, defending & ~attacking)}
    both = zip(setup.sides, setup.hands, (forces[:1], forces[1:]), strict=True)
    for side, hand, own in both:
        leader, cards = (np.asarray(getattr(states, f"{side.where}_{what}")) for what in ("leader", "cards"))
        columns |= (
            side_columns(side, own, leader)
            | leader_columns(side, leader)
            | {f"{side.where}_actions_played": np.array(hand.played)[cards]}
        )
    if setup.sea:
        for side, code in zip(setup.sides, (ATTACKER, DEFENDER), strict=True):
            columns[f"{side.where}_captured"] = np.where(columns["winner"] == code, states.captured, 0)
            columns[f"{side.where}_captured_heavy"] = np.where(columns["winner"] == code, states.captured_heavy, 0)
    if getattr(defender.fields, "factions", None):
        left = dict.fromkeys(range(1, len(realms(defender.fields)) + 1), np.zeros(len(forces[0]), int))
        left |= {f.number: units(alive(f, force)) for f, force in zip(defender.factions, forces[1:], strict=True)}
        columns |= {f"defender_faction_{number}_left": number_left for number, number_left in left.items()}
    if setup.options.count_rounds:
        columns["rounds"] = np.asarray(states.rounds)
    return columns


def in_place(faction: Faction, force: np.ndarray) -> np.ndarray:
    """Units of each category, gone or not: int64, shape (states, 3 categories, columns of `Faction.left`)."""
    return np.stack([rows[number_of(force, which)] for which, rows in enumerate(faction.left)], axis=1)


def alive(faction: Faction, force: np.ndarray) -> np.ndarray:
    """Units alive, in place or retreated; an NPR that left has none. Shape and dtype as in `in_place`."""
    left, gone = in_place(faction, force), (force & GONE) > 0
    if faction.realm.kind != "player":
        left[gone] = 0
    elif len(faction.paid) > 1:
        left[gone, 1] = faction.paid[number_of(force[gone], 1)]
    return left


def ducats(faction: Faction, left: np.ndarray) -> np.ndarray:
    """The price of the units that a player realm has lost (section 3.6): int64, shape (states,); `left` as `alive`."""
    if faction.realm.kind != "player":
        return np.zeros(len(left), np.int64)
    start = np.stack([rows[-1] for rows in faction.left])
    return np.asarray(((start - left) * prices()["sea" if faction.sea else "land"]).sum(axis=(1, 2)))


def units(left: np.ndarray) -> np.ndarray:
    """Units or ships in all: int64, shape (states,)."""
    return np.asarray(left[:, :, :3].sum(axis=(1, 2)))


def side_columns(side: Side, forces: list[np.ndarray], leader: np.ndarray) -> Columns:
    """Columns of survivors by type and category, losses, withdrawn, retreated, and the wounds of the leader.

    `forces` of each faction and `leader`: int64, shape (states,). Columns: int64, or bool for yes/no; shape (states,).
    """
    where, held = side.where, list(zip(side.factions, forces, strict=True))
    each = [alive(*one) for one in held]
    left, cost = np.sum(each, axis=0), np.sum([*map(ducats, side.factions, each)], axis=0)
    npr = [units(in_place(one, force)) * ((force & GONE) > 0) for one, force in held if one.realm.kind != "player"]
    withdrawn, killed = sum(npr, np.zeros(len(leader), int)), leader % STAGES == DEAD
    columns: Columns = {f"{where}_{side.fields.called}_left": units(left)}
    kinds = enumerate(SHIPS if side.sea else TYPES)
    columns |= {f"{where}_{kind}_left": left[:, :, at].sum(axis=1) for at, kind in kinds}
    if not side.sea:
        columns |= {f"{where}_{rank}_left": left[:, at].sum(axis=1) for at, rank in enumerate(CATEGORIES)}
    columns |= {
        f"{where}_losses": side.units - units(left) - withdrawn,
        f"{where}_ducats_lost": cost,
        f"{where}_withdrawn": withdrawn,
        f"{where}_retreated": np.any([force & GONE for force in forces], axis=0),
        f"{where}_leader_wounds": leader % STAGES,
        f"{where}_leader_killed": killed,
    }
    if side.sea:
        return columns
    rulers = np.array([False, *(general.ruler for general in side.leaders)])
    return columns | {f"{where}_ruler_killed": killed & rulers[cards_led_by(side, leader)]}


def cards_led_by(side: Side, leader: np.ndarray) -> np.ndarray:
    """The card of the leader of final states, 0 for nobody: int64, shape (states,); of a drawn one always 0."""
    return leader // STAGES if side.appoints else np.full(len(leader), max(side.drawn) * (len(side.drawn) == 1))


def leader_columns(side: Side, leader: np.ndarray) -> Columns:
    """The column of the price of the leader appointed (section 3.7), if there was a choice."""
    power = np.zeros(len(side.leaders) + 1, np.int64)
    for card, one in zip(side.cards, side.candidates, strict=True):
        power[card] = 0 if isinstance(one, str) else one.power
    return {f"{side.where}_leader_power": power[cards_led_by(side, leader)]} if side.candidates else {}


def decisions(setup: Setup, p: Params, states: State, options: np.ndarray) -> Columns:
    """Columns of decision states, shape (states,): the units in place and the option taken as text, numbers as int64.

    `options`: int32, shape (states,). `hits` are those to take now, `enemy_hits` those that the enemy will
    take, `hand` the cards that the side may still play.
    """
    rows = [State(*row) for row in np.column_stack(states).tolist()]
    sides, phases = [setup.sides[s.phase % 2].where for s in rows], np.asarray(states.phase)
    alone = [f"factions[{one.number - 1}].retreat" for one in setup.alone]
    leaving = f"defender.{' and '.join(alone)}" if alone else "policy.{}.retreat"
    names = {DECIDES: leaving, PLAYS: "{}.battle_actions", APPOINTS: "policy.{}.leader"}
    paths = [names.get(s.phase - s.phase % 2, "policy.{}.losses") for s in rows]
    columns: Columns = {"decision": np.array([path.format(side) for path, side in zip(paths, sides, strict=True)])}
    words = cache(partial(_in_words, setup))
    for place, side in enumerate(setup.sides):
        own = range(p.first_of[place], p.first_of[place + 1])
        forces = (tuple(force_of(s, faction) for faction in own) for s in rows)
        columns[side.where] = np.array([words(place, one) for one in forces], dtype=object)
    if setup.last > 1:
        columns["round"] = np.asarray(states.round + 1)
    if p.picks.any():
        pending = np.where(phases == ATTACKER_LOSES, states.back, np.where(phases == DEFENDER_LOSES, states.hits, 0))
        columns["hits"] = pending + sum(states.leaving >> faction & 1 for faction in range(len(setup.factions)))
        columns["enemy_hits"] = np.where(phases == ATTACKER_LOSES, states.hits, 0)
    if p.hands:
        hands = (setup.hands[s.phase % 2].names(cards_of(s, s.phase % 2), KEPT) for s in rows)
        columns["hand"] = np.array([", ".join(hand) for hand in hands], dtype=object)
    lost = cache(partial(_lost, setup, p))
    chosen = [_choice(setup, p, s, option, lost) for s, option in zip(rows, options.tolist(), strict=True)]
    return columns | {"choice": np.array(chosen, dtype=object)}


def _in_words(setup: Setup, side: int, forces: tuple[int, ...]) -> str:
    """The units of a side that are in the battle."""
    return counted(_there(setup.sides[side], forces)[:3].tolist(), SHIPS if setup.sea else TYPES)


def _there(side: Side, forces: tuple[int, ...]) -> np.ndarray:
    """Units in the battle by column of `Faction.left`: int64."""
    held = ((f, np.array([force])) for f, force in zip(side.factions, forces, strict=True) if not force & GONE)
    return np.sum([np.zeros(4 if side.sea else 3, int), *(in_place(*one)[0].sum(axis=0) for one in held)], axis=0)


def _choice(setup: Setup, p: Params, s: State, option: int, lost: Callable[[State, int], str]) -> str:
    """An option of a decision state in words; `lost` those of an option that loses units."""
    side = s.phase % 2
    if s.phase - side == APPOINTS:
        return setup.sides[side].called(option)
    if s.phase - side == DECIDES and side == 1 and setup.alone:
        may = [one for one in setup.alone if present(force_of(s, setup.factions.index(one)))]
        going = [one.called for at, one in enumerate(may) if p.sets[len(may), option] >> at & 1]
        return f"{listed(going)} {'leaves' if len(going) == 1 else 'leave'}" if going else "stay"
    if s.phase - side == DECIDES:
        return "leave" if option == LEAVE else "stay"
    if s.phase - side == PLAYS:
        hand, before = setup.hands[side], cards_of(s, side)
        names = hand.names(cards_of(played(p, s, side, option), side), IN_FORCE, before)
        return f"play {', '.join(names)}" if names else "keep"
    # Equal forces lose the same, whatever the enemy and the rest of the state.
    enemy = ("attacker", "back") if side else (*FORCES[1:], "hits")
    return lost(s._replace(**dict.fromkeys((*NOT_LOST, *enemy), 0)), option)


def _lost(setup: Setup, p: Params, s: State, option: int) -> str:
    """The units that a side loses by an option."""
    side, after = setup.sides[s.phase % 2], forces_after(p, s, s.phase % 2, option)
    own = range(p.first_of[s.phase % 2], p.first_of[s.phase % 2 + 1])
    before, left = (_there(side, tuple(int(force_of(one, faction)) for faction in own)) for one in (s, after))
    lost = before - left
    parts = [f"lose {counted(lost[:3].tolist(), SHIPS if setup.sea else TYPES)}"] if lost[:3].any() else []
    if setup.sea and lost[3] < 0:
        parts.append(f"damage {-lost[3]} heavy")
    return ", ".join(parts)
