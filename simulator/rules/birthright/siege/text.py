"""A siege in words, and its columns (docs/rules/birthright.md section 5)."""

from __future__ import annotations

import random
from typing import Any

from simulator.rules.battle import Columns
from simulator.rules.birthright import model
from simulator.rules.birthright.checks import text as checks
from simulator.rules.birthright.checks.rules import ATTACKER_WON, DEFENDER_WON
from simulator.rules.birthright.checks.text import WINNER
from simulator.rules.birthright.siege.rules import ARRIVAL, FALL, IN_FIELD, NOT_COME, RELIEF, SiegeParams, SiegeState
from simulator.rules.birthright.siege.tables import Siege
from simulator.rules.toolkit.faces import face_where
from simulator.rules.toolkit.naming import SIDES, plural


def columns(siege: Siege, states: Any) -> Columns:
    """Outputs of final states."""
    return {
        "winner": WINNER[states.ended],
        "seasons": states.season,
        "level_left": states.level,
        "attacker_steps_left": siege.besieger.steps - states.besieger_lost,
        "defender_steps_left": siege.garrison.steps - states.garrison_lost,
        "relief_came": states.relief != NOT_COME,
        "storms": states.storms,
    }


def assumptions(fields: model.Siege) -> list[str]:
    """Options, policies and assumed numbers in force."""
    options, conditions, plan = fields.options, fields.conditions, fields.policy.attacker.siege
    at = f" {options.storm_level}" if plan == "storm-at-level" else ""
    lines = [f"besieger's plan: {plan}{at}"]
    if fields.attacker.rating:
        lines.append(f"rating {fields.attacker.rating} at full strength, as given")
    else:
        lines.append(f"rating_per_strength: {options.rating_per_strength} (ASSUMED)")
    lines.append(f"siege table read {options.rating_reading}; surrender at level 0 (ASSUMED)")
    if conditions.relief_on:
        lines.append(f"relief comes on a d20 of {conditions.relief_on} or more each season (ASSUMED)")
    lines += [f"{side}: losses {getattr(fields.policy, side).losses}" for side in SIDES]
    return lines + checks.check_assumptions(options)


def explain(siege: Siege) -> list[str]:
    """Ratings, reach, and the checks of a storm and of a relief at full strength."""
    rating = int(siege.ratings[0])
    reach, removed = siege.row(rating)
    lines = [f"level {siege.level}; rating {rating} invests level {reach} and removes {removed} a season"]
    if reach < siege.level:
        lines.append("the place cannot be invested")
    lines += ["a storm at the level of the start:"]
    lines += [f"  {line}" for line in checks.explain(siege.storm, siege.level)]
    if siege.fields.conditions.relief_on:
        lines += ["relief:"] + [f"  {line}" for line in checks.explain(siege.relief_battle, 0)]
    return lines


def tell(siege: Siege, params: SiegeParams, step: tuple[SiegeState, int, SiegeState], dice: random.Random) -> str:
    """One roll of a replay, or the end of a season."""
    before, result, after = step
    if before.due == ARRIVAL:
        on = siege.fields.conditions.relief_on
        face = face_where(range(1, 21), lambda face: (face >= on) == (result > 0), dice)
        text = f"a d20 of {face} for relief on {on}: {'it comes' if result else 'none'}"
    elif before.due == RELIEF:
        lost = before.relief_lost, before.besieger_lost
        text = checks.check_line(siege.relief_battle, params.relief, lost, 0, result, dice)
    elif before.due == FALL:
        text = f"level {before.level} falls to {after.level}"
    else:
        lost, walls = (before.besieger_lost, before.garrison_lost), int(params.walls[before.level])
        text = "storm: " + checks.check_line(siege.storm, params.storm, lost, walls, result, dice)
    return f"Season {before.season}: {text}{_end(params, before, after)}."


def _end(params: SiegeParams, before: SiegeState, after: SiegeState) -> str:
    if not after.ended:
        drawn = before.due == RELIEF and after.relief == IN_FIELD
        return "; both stay, the siege is interrupted" if drawn else ""
    if after.ended == ATTACKER_WON:
        return "; the place surrenders" if before.due == FALL else "; the place is taken"
    if after.ended != DEFENDER_WON:
        return f"; after {plural(after.season, 'season')} it still stands, invested"
    if before.due == RELIEF and params.reach[after.besieger_lost] >= after.level:
        return "; the siege is broken"
    return "; the besieger is too weak to go on, the siege is lifted"
