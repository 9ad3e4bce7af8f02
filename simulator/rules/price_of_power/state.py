"""The state of a land or naval battle (docs/rules/price_of_power.md section 3.8)."""

from __future__ import annotations

from typing import NamedTuple

ATTACK, DEFENCE = 0, 1
# The step that comes next, in the order of the rules: a leader is appointed (3.7), drawn (3.1 step 2), the charge (3.1
# step 3), cards (3.5), the roll, its losses, who leaves and what that costs (3.2 steps 2, 3 and 6).
APPOINTS, DRAWS, CHARGES, PLAYS, ROLLS, LOSES, LEAVES, PAYS, OVER = range(9)
# Wounds of which a leader dies.
DEAD = 2


class Realm(NamedTuple):
    """A realm: the number of each of its categories (`forces.Faction.rows`), the place of the category that is hit next
    where that matters, and whether it has left the battle.
    """

    left: tuple[int, ...]
    turn: int = 0
    gone: bool = False


class Force(NamedTuple):
    """A side: its realms, its leader (place in `Side.leaders` from 1, 0 for nobody) and his wounds, and its cards.

    Hits and wounds wait here (`hits`, `hurt`) for an owner who picks his losses, and so do the realms that still
    have to pay for leaving (`paying`, places in `realms`).
    """

    realms: tuple[Realm, ...]
    leader: int = 0
    wounds: int = 0
    hand: tuple[int, ...] = ()
    hits: int = 0
    hurt: int = 0
    paying: tuple[int, ...] = ()


class BattleState(NamedTuple):
    """A battle: the step that comes next and the side that takes it; the rounds done; both sides.

    `round` stops at the last value on which anything depends. `captured`: ships taken by a roll that sank the last
    enemy, and the heavy ones among them. `charge`: hits that wait come from the charge.
    """

    stage: int
    side: int
    round: int
    attacker: Force
    defender: Force
    captured: tuple[int, int] = (0, 0)
    charge: bool = False


def force_of(s: BattleState, side: int) -> Force:
    """The force of a side."""
    return s.defender if side else s.attacker


def with_force(s: BattleState, side: int, force: Force) -> BattleState:
    """The battle with another force of a side."""
    attacker, defender = (s.attacker, force) if side else (force, s.defender)
    return BattleState(s.stage, s.side, s.round, attacker, defender, s.captured, s.charge)
