"""Refusals of a Risk scenario, beyond those of types (docs/rules/risk.md section 9)."""

from __future__ import annotations

from itertools import product

from simulator.engine.model.chain import SIDES
from simulator.rules.risk.model import Amphibious, AnyBattle, BlockadeRun, Invasion, OnLand
from simulator.rules.risk.rules import MOST_DICE
from simulator.rules.risk.tables import PARAMETERS, Hand, path, places, round_table
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
        _check_policy(fields, "sea_")
    _check_policy(fields, "")
    _check_hands(fields)


def _check_places(fields: OnLand) -> None:
    """Lists have one value for each territory."""
    territories = len(path(fields))
    for side in SIDES:
        for name, value in vars(getattr(fields, side)).items():
            if isinstance(value, list) and len(value) != territories and name in Hand._fields:
                refuse_if(True, f"{side}.{name}", value, f"give one number, or {territories}, one per territory")


def _check_dice(fields: AnyBattle) -> None:
    """Commanders are among the units; at most 5 dice are rolled; every fight can end."""
    units = range(1, MOST_DICE + 1)
    for place in places(fields):
        attackers, defenders = ("attacker", place.attack, place.own), ("defender", place.defence, place.enemies)
        for side, hand, number in (attackers, defenders):
            if hand.commanders > number:
                most = f"at most the {number} regiments" + (f" of {place.name}" if side == "defender" else "")
                refuse_if(True, f"{side}.commanders", hand.commanders, most)
            if hand.bonus_dice and hand.dice + hand.bonus_dice > MOST_ROLLED:
                most = f"{hand.dice} dice and {hand.bonus_dice} bonus dice make more than {MOST_ROLLED} ({place.name})"
                refuse_if(True, f"{side}.bonus_dice", hand.bonus_dice, most)
        why = f"no roll could cause a loss in {place.name}, so the battle might never end"
        for a, d in product(units, units) if fields.options.ties == "nobody" else ():
            no_loss = {0} == set(round_table(place.attack, place.defence, a, d, "nobody"))
            refuse_if(no_loss, "options.ties", "nobody", why)


def _check_fleets(fields: AnyBattle) -> None:
    """Fleets in play (each crossing by itself: it may be another player's), and the zones that they moved."""
    # Fields are asked of the table's dict: pydantic takes a microsecond to find that a model has no such field.
    here = vars(fields.conditions)
    most, ways = fields.options.max_fleets, here.get("crossings", [])
    counts = {f"conditions.crossings[{i}].fleets": way.fleets for i, way in enumerate(ways)}
    for side, name in (("attacker", "fleets"), ("defender", "fleets"), ("defender", "port_fleets")):
        counts[f"{side}.{name}"] = vars(getattr(fields, side)).get(name, 0)
    for field, count in counts.items():
        refuse_if(count > most, field, count, f"at most {most} fleets in play for one player")
    on_link, moved = here.get("link_fleets", 0), here.get("sea_zones_moved", 0)
    refuse_if(on_link > 0, "conditions.link_fleets", on_link, "enemy fleets there bar land forces, fight them first")
    most = 0 if isinstance(fields, BlockadeRun) else fields.options.max_move
    why = f"a fleet moves at most {most} sea zones a turn" if most else "blockaded fleets cannot move; give 0"
    refuse_if(moved > most, "conditions.sea_zones_moved", moved, why)


def _check_convoy(fields: Invasion) -> None:
    """Loads, blockades, and the turns of the crossings (section 7)."""
    own, capacity = fields.attacker, fields.options.fleet_capacity
    transports = own.transports or own.fleets
    most = f"at most the {own.fleets} fleets of the convoy"
    refuse_if(transports > own.fleets, "attacker.transports", transports, most)
    most = f"{transports} transports carry at most {capacity * transports}"
    refuse_if(0 < capacity * transports < own.regiments, "attacker.regiments", own.regiments, most)
    ways, moved, last, fought = fields.conditions.crossings, 0, 0, False
    timed, max_move = any(way.turn for way in ways), fields.options.max_move
    for i, way in enumerate(ways):
        field, turn = f"conditions.crossings[{i}].turn", way.turn or 0
        wrong = way.blockaded and (i > 0 or way.fleets == 0 or way.convoy == "defends")
        only = "only in the first crossing, with enemy fleets, the convoy attacking"
        refuse_if(wrong, f"conditions.crossings[{i}].blockaded", True, only)
        refuse(timed and not turn, field, "is needed; give the turn of every crossing or of none")
        refuse_if(turn < last, field, turn, "turns never go back")
        fresh = "a fight ends the movement of its turn, so give a later one"
        refuse_if(timed and fought and turn == last, field, turn, fresh)
        moved = (moved if turn == last else 0) + (way.place == "sea-zone")
        refuse_if(timed and moved > max_move, field, turn, f"a fleet moves at most {max_move} sea zones a turn")
        last, fought = turn, way.fleets > 0


def _check_policy(fields: AnyBattle, sea: str) -> None:
    """Check the attacker's policy: on land, or (`sea_`) at sea in an invasion."""
    policy, field = fields.policy.attacker, f"policy.attacker.{sea}retreat"
    chosen, forced = named(getattr(policy, f"{sea}retreat")), ""
    check_alone(field, chosen, "to-the-end")
    known = {name: sea + parameter for name, parameter in PARAMETERS.items() if not (sea and name == "wear-down")}
    check_parameters("policy.attacker", policy, chosen, known)
    if "stop-below-odds" in chosen and isinstance(fields, OnLand):
        # The chance to win is computed for every number of attackers and defenders in each territory.
        defenders = path(fields)
        count = (len(defenders) + 1) * (fields.attacker.regiments + 1) * (max(defenders) + 1)
        most = f"the chance can be worked out in at most {MOST_POSITIONS:,} positions"
        refuse_if(count > MOST_POSITIONS, field, "stop-below-odds", f"{most}, and these regiments have {count:,}")
    if isinstance(fields, BlockadeRun) and fields.conditions.forced:
        forced = "a forced run is fought to-the-end"
    elif isinstance(fields, Amphibious | Invasion) and not (fields.options.withdrawal or sea):
        forced = "without withdrawal a landing is fought to-the-end"
    refuse_if(forced and chosen != ["to-the-end"], field, chosen[0], forced)


def _check_hands(fields: AnyBattle) -> None:
    """Kinds and options without a choice of dice (docs/rules/decisions.md section 2.4)."""
    for side in SIDES:
        best = getattr(fields.policy, side).hand == "best"
        refuse(isinstance(fields, Invasion) and best, f"policy.{side}.hand", "not in an invasion")
    blind = fields.options.defender_sees and fields.policy.defender.hand != "best"
    refuse(blind, "options.defender_sees", 'true is not allowed without policy.defender.hand = "best"')
