"""What a Risk scenario may not say, beyond what types refuse (docs/rules/risk.md section 9)."""

from __future__ import annotations

from itertools import product

from simulator.rules.battle import Refusal
from simulator.rules.risk.model import Amphibious, AnyBattle, BlockadeRun, Crossing, Invasion, OnLand
from simulator.rules.risk.tables import PARAMETERS, Hand, each, path, places, round_tables, transports_of
from simulator.rules.toolkit.naming import SIDES
from simulator.rules.toolkit.policies import check_alone, check_parameters, named, refuse, refuse_if

MOST_ROLLED = 5
MOST_POSITIONS = 5_000_000


def check(fields: AnyBattle) -> None:
    """Raises Refusal."""
    if isinstance(fields, OnLand):
        _check_places(fields)
    _check_dice(fields)
    _check_fleets(fields)
    if isinstance(fields, Invasion):
        _check_convoy(fields)
        _check_crossings(fields.conditions.crossings, fields.options.max_move)
        _check_policy(fields, "sea_")
    _check_policy(fields, "")
    _check_decisions(fields)


def _check_places(fields: OnLand) -> None:
    """Lists have one value for each territory; commanders are among the regiments."""
    defenders = path(fields)
    for side, name in product(SIDES, Hand._fields):
        value = getattr(getattr(fields, side), name, None)
        wrong = isinstance(value, list) and len(value) != len(defenders)
        refuse_if(wrong, f"{side}.{name}", value, f"give one number, or {len(defenders)}, one per territory")
    own, most = fields.attacker, f"at most the {fields.attacker.regiments} regiments"
    refuse_if(own.commanders > own.regiments, "attacker.commanders", own.commanders, most)
    for i, commanders in enumerate(each(fields.defender.commanders, len(defenders))):
        most = f"at most the {defenders[i]} regiments of territory {i + 1}"
        refuse_if(commanders > defenders[i], "defender.commanders", commanders, most)


def _check_dice(fields: AnyBattle) -> None:
    for place in places(fields):
        for side, hand in zip(SIDES, (place.attack, place.defence), strict=True):
            most = f"{hand.dice} dice and {hand.bonus_dice} bonus dice make more than {MOST_ROLLED} ({place.name})"
            wrong = bool(hand.bonus_dice) and hand.dice + hand.bonus_dice > MOST_ROLLED
            refuse_if(wrong, f"{side}.bonus_dice", hand.bonus_dice, most)
    if fields.options.ties == "nobody":
        fights = places(fields)
        for place, calm in zip(fights, round_tables(fights, fields.options.ties).calm, strict=True):
            why = f"no roll could cause a loss in {place.name}, so the battle might never end"
            refuse_if(calm == 1, "options.ties", "nobody", why)


def _check_fleets(fields: AnyBattle) -> None:
    """Fleets in play, those of each crossing by themselves: they may be different players'; and how far they moved."""
    most, ways = fields.options.max_fleets, getattr(fields.conditions, "crossings", [])
    counts = {f"conditions.crossings[{i}].fleets": way.fleets for i, way in enumerate(ways)}
    for side, name in (("attacker", "fleets"), ("defender", "fleets"), ("defender", "port_fleets")):
        counts[f"{side}.{name}"] = getattr(getattr(fields, side), name, 0)
    for field, count in counts.items():
        refuse_if(count > most, field, count, f"at most {most} fleets in play for one player")
    on_link, moved = (getattr(fields.conditions, name, 0) for name in ("link_fleets", "sea_zones_moved"))
    why = "enemy fleets there bar land forces, fight them first"
    refuse_if(on_link > 0, "conditions.link_fleets", on_link, why)
    most = 0 if isinstance(fields, BlockadeRun) else fields.options.max_move
    why = f"a fleet moves at most {most} sea zones a turn" if most else "blockaded fleets cannot move; give 0"
    refuse_if(moved > most, "conditions.sea_zones_moved", moved, why)


def _check_convoy(fields: Invasion) -> None:
    own, capacity = fields.attacker, fields.options.fleet_capacity
    transports = transports_of(fields)
    most = f"at most the {own.fleets} fleets of the convoy"
    refuse_if(transports > own.fleets, "attacker.transports", transports, most)
    most = f"{transports} transports carry at most {capacity * transports}"
    refuse_if(0 < capacity * transports < own.regiments, "attacker.regiments", own.regiments, most)


def _check_crossings(ways: list[Crossing], max_move: int) -> None:
    for i, way in enumerate(ways):
        wrong = way.blockaded and (i > 0 or way.fleets == 0 or way.convoy == "defends")
        only = "only in the first crossing, with enemy fleets, the convoy attacking"
        refuse_if(wrong, f"conditions.crossings[{i}].blockaded", True, only)
    if all(way.turn is None for way in ways):
        return
    moved, last, fought = 0, 0, False
    for i, way in enumerate(ways):
        field, turn = f"conditions.crossings[{i}].turn", way.turn
        if turn is None:
            raise Refusal(field, "is needed; give the turn of every crossing or of none")
        refuse_if(turn < last, field, turn, "turns never go back")
        refuse_if(fought and turn == last, field, turn, "a fight ends the movement of its turn, so give a later one")
        moved = (moved if turn == last else 0) + (way.place == "sea-zone")
        refuse_if(moved > max_move, field, turn, f"a fleet moves at most {max_move} sea zones a turn")
        last, fought = turn, way.fleets > 0


def _check_policy(fields: AnyBattle, sea: str) -> None:
    where, policy = "policy.attacker", fields.policy.attacker
    chosen = named(getattr(policy, f"{sea}retreat"))
    check_alone(f"{where}.{sea}retreat", chosen, "to-the-end")
    known = {name: sea + parameter for name, parameter in PARAMETERS.items() if not (sea and name == "wear-down")}
    check_parameters(where, policy, chosen, known)
    if "stop-below-odds" in chosen and isinstance(fields, OnLand):
        # The chance to win is worked out for every number of attackers and defenders in each territory.
        defenders = path(fields)
        count = (len(defenders) + 1) * (fields.attacker.regiments + 1) * (max(defenders) + 1)
        most = f"the chance can be worked out in at most {MOST_POSITIONS:,} positions"
        most += f", and these regiments have {count:,}"
        refuse_if(count > MOST_POSITIONS, f"{where}.{sea}retreat", "stop-below-odds", most)


def _check_decisions(fields: AnyBattle) -> None:
    """Where nobody may withdraw; where no dice are chosen (docs/rules/decisions.md section 2.4)."""
    chosen, forced = named(fields.policy.attacker.retreat), ""
    if isinstance(fields, BlockadeRun) and fields.conditions.forced:
        forced = "a forced run is fought to-the-end"
    elif isinstance(fields, Amphibious | Invasion) and not fields.options.withdrawal:
        forced = "without withdrawal a landing is fought to-the-end"
    refuse_if(bool(forced) and chosen != ["to-the-end"], "policy.attacker.retreat", chosen[0], forced)
    for side in SIDES:
        best = getattr(fields.policy, side).hand == "best"
        refuse(isinstance(fields, Invasion) and best, f"policy.{side}.hand", "not in an invasion")
    blind = fields.options.defender_sees and fields.policy.defender.hand != "best"
    refuse(blind, "options.defender_sees", 'true is not allowed without policy.defender.hand = "best"')
