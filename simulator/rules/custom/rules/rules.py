"""The battle of a game file as a chain of states (docs/rules/custom_games.md sections 5, 6 and 8).

Best play is the same battle with decisions in it (docs/rules/decisions.md sections 2.1 and 2.2): a side is asked
whether it leaves, and chooses which units it loses.
"""

from __future__ import annotations

from simulator.engine.model.chain import helper, rule
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.custom.rules.check import ask_defender, checked, ended, removed, stays
from simulator.rules.custom.rules.salvo import anybody_rolls, choices, fallen, landed, lost, roll, row_of, takes
from simulator.rules.custom.rules.state import (
    ANSWERING,
    ATTACKER_ASKED,
    ATTACKER_LEFT,
    ATTACKER_LOSES,
    DEFENDER_ASKED,
    DEFENDER_LEFT,
    DEFENDER_LOSES,
    FIGHTING,
    GONE,
    LEAVE,
    ROLLING,
    Params,
    State,
)


@helper
def onward(p, s):
    """On to the next dice that may hit or decision, or to the end."""
    while s.ending == FIGHTING:
        if s.salvo == p.salvos:
            s = checked(p, s)
        elif s.stage == DEFENDER_LOSES or s.stage == ATTACKER_LOSES:  # noqa: PLR1714 - compiled
            ways = choices(p, s)
            if ways > 1:
                return s
            s = takes(p, s, 0) if ways == 1 else lost(p, s)
        elif s.stage != ROLLING or anybody_rolls(p, s, row_of(p, s, s.salvo)):
            return s
        else:
            s = landed(p, s, 0, 0)
    return s


@rule(Params)
def running(p, s):
    """Until somebody is gone, the rounds are over, nobody can hit, or a side leaves."""
    return s.ending == FIGHTING


@rule(Params)
def decides(p, s):
    """1 for the attacker, 2 for the defender: the side that decides whether to leave, or which units it loses."""
    if s.stage in (ATTACKER_ASKED, ATTACKER_LOSES):
        return 1
    return 2 if s.stage in (DEFENDER_ASKED, DEFENDER_LOSES) else 0


@rule(Params)
def options(p, s):
    """To stay or to leave, or the ways of losing units."""
    return 2 if s.stage >= ATTACKER_ASKED else choices(p, s)


@rule(Params)
def table(p, s):
    """The attacker's dice."""
    if s.stage != ROLLING:
        return NO_TABLE
    return roll(p.attacker, p.defender, row_of(p, s, s.salvo), s.attacker, s.defender)


@rule(Params)
def second(p, s):
    """The defender's dice; they do not depend on the attacker's. Where losses are chosen, they fall after his own."""
    if s.stage != (ANSWERING if p.chosen > 0 else ROLLING):
        return NO_TABLE
    return roll(p.defender, p.attacker, row_of(p, s, s.salvo), s.defender, s.attacker)


@rule(Params)
def step(p, s, result, other):
    """A salvo or a decision, and what follows without either."""
    if s.stage == ATTACKER_ASKED:
        s = ended(s, ATTACKER_LEFT) if result == LEAVE else ask_defender(p, s)
    elif s.stage == DEFENDER_ASKED:
        s = ended(s, DEFENDER_LEFT) if result == LEAVE else stays(p, s)
    elif s.stage == DEFENDER_LOSES or s.stage == ATTACKER_LOSES:  # noqa: PLR1714 - compiled
        s = takes(p, s, result)
    else:
        s = fallen(p, s, result, other)
    return onward(p, s)


@rule(Params)
def lands(p, s, result, other):
    """One salvo; each side's dice move the other's place only."""
    return landed(p, s, result, other)


@rule(Params)
def follows(p, s):
    """The moves that follow without dice."""
    return onward(p, s)


def opened(p: Params, s: State) -> State:
    """The state in which the first dice are rolled, or a side decides (section 6, steps 1 to 3)."""
    s = removed(p, s)
    if not (p.attacker.units[s.attacker] and p.defender.units[s.defender]):
        return ended(s, GONE)
    return onward(p, s if p.opening else s._replace(salvo=p.salvos))
