"""Refusals of scenarios of battles on land (docs/rules/europa_land_siege.md sections 3.8, 4.8 and 5)."""

from __future__ import annotations

from simulator.rules.battle import Refusal
from simulator.rules.europa.shared.land_model import (
    CONVERTERS,
    FORAGERS,
    NOT_IN_EUROPE,
    OVERRUN,
    Campaign,
    CampaignConditions,
    CampaignFields,
    Land,
    LandSide,
    Siege,
    SiegeConditions,
    overruns,
)
from simulator.rules.europa.shared.leaders import leader_of
from simulator.rules.europa.shared.losses import Counters
from simulator.rules.europa.shared.relief import battle_of
from simulator.rules.europa.shared.stacks import (
    LD,
    MOST_LD,
    TURKISH,
    Opponents,
    counted_ld,
    detachments,
    fighting,
    is_timar,
    size_of,
    technology_of,
)
from simulator.rules.europa.tables import book
from simulator.rules.sides import ENEMY, SIDES
from simulator.rules.toolkit.policies import refuse, refuse_if

# Siege rounds where neither their number nor a box of the track is given.
DEFAULT_ROUNDS = 4
WITH_RELIEF = "is not allowed without a relief army; only with defender.relief"


def check_land(fields: Land) -> None:
    """Refuse what types cannot; raises Refusal."""
    for name, side in zip(SIDES, (fields.attacker, fields.defender), strict=True):
        _check_side(fields, name)
        _check_allies(fields, side, name)
        refuse(size_of(side) == 0, name, "give at least one detachment")
    technology = technology_of(fields.attacker, fields.options)
    only = f"true is not allowed with technology {technology}; only with {', '.join(FORAGERS)}"
    refuse(fields.attacker.foraging and technology not in FORAGERS, "attacker.foraging", only)
    evades, intercepted = fields.policy.defender.evasion == "evade", fields.conditions.interception
    for given, text in ((intercepted, "in an interception"), (overruns(fields), "with an overrun")):
        refuse(given and evades, "policy.defender.evasion", f"'evade' is not allowed {text}; must be stand")
    for name in overruns(fields):
        sides = getattr(fields, name), getattr(fields, ENEMY[name])
        own, enemy = (size_of(fighting(side, fields.options)) for side in sides)
        text = f"'declare' is not allowed with {detachments(own)} against {detachments(enemy)}; needs {OVERRUN} to 1"
        refuse(own < OVERRUN * enemy, f"policy.{name}.overrun", text)
    _check_leaders_and_tables(fields)


def check_siege(fields: Siege | Campaign) -> None:
    """Refuse what types cannot; raises Refusal."""
    for name in SIDES:
        _check_side(fields, name)
    refuse(size_of(fields.attacker) == 0, "attacker", "give at least one detachment")
    most = f"at most {MOST_LD} LD"
    refuse_if(counted_ld(fields.attacker) > MOST_LD, "attacker", f"a stack of {counted_ld(fields.attacker)} LD", most)
    conditions, level, garrison = fields.conditions, fields.defender.fortress_level, size_of(fields.defender)
    europe, room = conditions.region == "europe", max(1, level)
    refuse(europe and level == 0, "defender.fortress_level", "0 (a fort) is not allowed in Europe; 1 to 5")
    refuse(europe and conditions.city, "conditions.city", f"true {NOT_IN_EUROPE}")
    many = f"a garrison of {detachments(garrison)}"
    refuse_if(garrison > LD * room, "defender", many, f"level {level} holds {room}")
    check_works(conditions)
    if isinstance(conditions, CampaignConditions):
        both = conditions.rounds and conditions.start_round
        refuse(both, "conditions.rounds", "give rounds or start_round, not both")
    _check_leaders_and_tables(fields)
    if isinstance(fields, Campaign | CampaignFields):
        check_relief(fields)  # type: ignore[arg-type]


def check_works(conditions: SiegeConditions) -> None:
    """Refuse more siegeworks than a fortress holds; raises Refusal."""
    works = "a fortress holds at most two siegeworks, - and + together"
    refuse(conditions.siegeworks_minus + conditions.siegeworks_plus > 2, "conditions.siegeworks_minus", works)


def check_relief(fields: Campaign) -> None:
    """Refuse what a siege with a relief army, or without one, does not allow (section 5.7)."""
    relief, policy = fields.defender.relief, fields.policy
    for side in SIDES:
        value = getattr(policy, side).break_off
        refuse(value == "best", f"policy.{side}.break_off", "best is not offered in a siege")
        refuse(relief is None and value != "never", f"policy.{side}.break_off", f"'{value}' {WITH_RELIEF}")
    if relief is None:
        refuse(policy.attacker.relief != "meet", "policy.attacker.relief", f"'{policy.attacker.relief}' {WITH_RELIEF}")
        return
    one = "give either round (from 1) or chance"
    refuse((relief.round > 0) == (relief.chance is not None), "defender.relief.round", one)
    last = 0 if fields.conditions.start_round else fields.conditions.rounds or DEFAULT_ROUNDS
    late = f"{relief.round} is not allowed: the siege has {last} rounds"
    refuse(0 < last < relief.round, "defender.relief.round", late)
    refuse(size_of(relief) == 0, "defender.relief", "give at least one detachment")
    storm = policy.attacker.relief == "storm-first" and relief.chance is not None
    refuse(storm, "policy.attacker.relief", "'storm-first' is not allowed with a chance; only with relief.round")
    refuse(policy.attacker.plan == "best", "policy.attacker.plan", "best is not offered beside a relief army")
    own, inside = Counters.of(fields.attacker), Counters.of(fields.defender)
    try:
        check_land(battle_of(fields, own, inside))
    except Refusal as refusal:
        path = refusal.field.removeprefix("attacker")
        raise Refusal(f"defender.relief{path}" if path != refusal.field else refusal.field, refusal.text) from None


def _check_side(fields: Land | Siege | Campaign, name: str) -> None:
    side = getattr(fields, name)
    explorers, army_class = side.exploration_detachments, getattr(side, "army_class", "")
    europe, of_another = fields.conditions.region == "europe", army_class and side.country != "minor"
    refuse(explorers and europe, f"{name}.exploration_detachments", f"{explorers} {NOT_IN_EUROPE}")
    only = f"with country {side.country}; only with country minor"
    refuse(of_another, f"{name}.army_class", f"{army_class!r} is not allowed {only}")
    text = "true is not allowed with technology medieval; renaissance or better"
    refuse(side.tercios and side.technology == "medieval", f"{name}.tercios", text)
    conscripts = is_timar(side, fields.options) and side.veteran
    refuse(conscripts, f"{name}.veteran", "Timar are always conscripts; false, or options.timar_limits = false")


def _check_allies(fields: Land, side: LandSide, name: str) -> None:
    """Pashas fight for Turkish countries before m-2, converted natives overseas behind one who can convert them."""
    pashas, natives = side.pasha_detachments, side.converted_natives_thirds
    only = f"with country {side.country}; only with {', '.join(TURKISH)}"
    refuse(pashas and side.country not in TURKISH, f"{name}.pasha_detachments", f"{pashas} is not allowed {only}")
    ended = pashas and side.turkish_reform == "m-2"
    refuse(ended, f"{name}.pasha_detachments", f"{pashas} is not allowed with turkish_reform m-2; pashas end with it")
    if not natives:
        return
    path = f"{name}.converted_natives_thirds"
    refuse(fields.conditions.region == "europe", path, f"{natives} {NOT_IN_EUROPE}")
    leader = leader_of(side, book(fields.options.tables), f"{name}.leader")
    leads = leader.given and leader.kind in CONVERTERS
    only = f"only with a leader by name or values of type {' or '.join(CONVERTERS)}"
    refuse(not leads, path, f"{natives} is not allowed with {leader.text()}; {only}")


def _check_leaders_and_tables(fields: Land | Siege | Campaign) -> None:
    for stack in Opponents(fields).stacks:
        wrong = stack.leader.out_of_period(fields.conditions.period)
        refused = wrong and fields.options.leader_years == "in-period"
        refuse(refused, f"{stack.name}.leader", f'{wrong}; options.leader_years = "any" allows it')
