"""Parameters and state of a land or naval battle, and the quantities derived from them.

docs/rules/price_of_power.md sections 2, 3 and 4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import helper
from simulator.rules.price_of_power.casualties import ATTACK, force_of, present

# The phase is the step that comes next; even phases are the attacker's.
(
    ATTACKER_DRAWS, DEFENDER_DRAWS, ATTACKER_CHARGES, DEFENDER_CHARGES, ATTACKER_ROLLS, DEFENDER_ROLLS,
    ATTACKER_LOSES, DEFENDER_LOSES, ATTACKER_DECIDES, DEFENDER_DECIDES, ATTACKER_PAYS, DEFENDER_PAYS,
    ATTACKER_PLAYS, DEFENDER_PLAYS, ATTACKER_APPOINTS, DEFENDER_APPOINTS, OVER,
) = range(17)  # fmt: skip
# Kinds of realms: a player decides, an NPR leaves when weaker, rebels stay and hold NPRs, the others never leave.
PLAYER, NPR, REBELS, TO_THE_LAST = range(4)
# When a side or a faction leaves: never, as its `Leave` says, when its leader is wounded, when that is best (a faction:
# by itself); or, a faction alone, when its side decides so.
NEVER, BY_POLICY, WHEN_WOUNDED, AT_BEST, WITH_SIDE = range(5)
STAY, LEAVE = 0, 1
DEAD, STAGES, UNLED = 2, 3, 2
MOST_FACTIONS = 5


class Params(NamedTuple):
    """Numbers of a battle. Factions are the attacker (0) and the defenders (1 to 5); arrays are int64.

    `last`: all rounds from this one on are alike. `main`: faction of the main defender, 0 for none. `brief`: a later
    stage needs the ships and units alone. `alternates`: something reads the turn of categories. `first_of[side]` is the
    side's first faction. `kind`, `tie`, `goes` (when it leaves) are indexed by faction; `automatic` hits, `asks` (when
    it leaves), `supply` (captured ships it can man), `picks` (1: its losses as it likes) by side; `leave` holds the
    numbers of a `Leave` by faction, then by side.
    `strength[3 * faction + category, n]` is the strength of a category with number n (casualties.py); `fewest` is the
    first number with as many of each ship.
    A category of number n that takes h hits has the ways w = first_way[3 * faction + category] + n * (most_hits + 2) +
    h, for h = most_hits + 1 the price of a retreat at sea: it becomes one of `ways[ways_at[w]:ways_at[w + 1]]`, of
    which the default policy takes number `usual[w]`.
    Cards: `hands` is 1 if there are any to decide on. `rows[side]` pools belong to each condition of the side's cards,
    which may become one of `plays[play_at[k]:play_at[k + 1]]`, k = first_play[side] + (condition * last + round) * 2,
    one more for a side with fewer units; after the round it is `used[side, condition]`.
    `candidates[side, :appoints[side]]` are the leaders of whom a side appoints one.
    `alone` is the number of factions that leave by themselves when that is best; `sets[n, option]` has a bit for each
    of n such factions that leave together, the fewest first.
    `pool[side, dice_of(...), round]` holds the first table of a roll and the most icons that the roll can show;
    there is a table for each number of units up to `cap[side]`. `shown[result]` holds the icons of a roll,
    packed as a strength, and above them its tercios. `opening` holds the tables of the first four phases, NO_TABLE for
    a phase left out.
    """

    sea: int
    whole_battle: int
    damage_wounds: int
    count_rounds: int
    max_rounds: int
    last: int
    main: int
    brief: int
    alternates: int
    first_of: np.ndarray
    kind: np.ndarray
    tie: np.ndarray
    goes: np.ndarray
    leave: np.ndarray
    strength: np.ndarray
    fewest: np.ndarray
    automatic: np.ndarray
    asks: np.ndarray
    supply: np.ndarray
    picks: np.ndarray
    most_hits: int
    first_way: np.ndarray
    ways_at: np.ndarray
    ways: np.ndarray
    usual: np.ndarray
    hands: int
    rows: np.ndarray
    first_play: np.ndarray
    play_at: np.ndarray
    plays: np.ndarray
    used: np.ndarray
    pool: np.ndarray
    cap: np.ndarray
    shown: np.ndarray
    opening: np.ndarray
    appoints: np.ndarray
    candidates: np.ndarray
    alone: int
    sets: np.ndarray


class State(NamedTuple):
    """The state of a battle: phase, rounds done, the force of each faction, leaders, a pending roll.

    `round` stops at the last value that a rule reads; `rounds` counts all rounds, where that is asked for. `turns`
    holds the next category of the casualty alternation, two bits for each faction. A leader is 3 x his card + his
    wounds, 0 for none. The cards of a side are the number of their condition (cards.py).
    `hits` and `wounds` are pending on the defender, `back` and `hurt` on the attacker; `charge` is 1 while they come
    from a charge. `leaving` has a bit for each faction that is paying to leave. `captured` and `captured_heavy` are
    the ships that the roll captures, at the end those captured.
    """

    phase: int
    round: int
    attacker: int
    defender_1: int
    defender_2: int
    defender_3: int
    defender_4: int
    defender_5: int
    turns: int
    attacker_leader: int
    defender_leader: int
    hits: int
    wounds: int
    captured: int
    captured_heavy: int
    rounds: int
    attacker_cards: int
    defender_cards: int
    back: int
    hurt: int
    charge: int
    leaving: int


@helper
def leader_of(s, side):
    """The leader of a side with his wounds."""
    return s.attacker_leader if side == ATTACK else s.defender_leader


@helper
def cards_of(s, side):
    """The condition of the cards of a side."""
    return s.attacker_cards if side == ATTACK else s.defender_cards


@helper
def with_cards(s, side, condition):
    """The state with another condition of the cards of a side."""
    return s._replace(attacker_cards=condition) if side == ATTACK else s._replace(defender_cards=condition)


@helper
def fights(p, s, side, kind):
    """A unit of a realm of this kind still fights on the side."""
    for faction in range(p.first_of[side], p.first_of[side + 1]):
        if p.kind[faction] == kind and present(force_of(s, faction)):
            return True
    return False


@helper
def has_empty_side(s):
    """A side has no unit left in the area."""
    if not present(s.attacker):
        return True
    if present(s.defender_1) or present(s.defender_2) or present(s.defender_3):
        return False
    return not (present(s.defender_4) or present(s.defender_5))


@helper
def led(p, s, side):
    """The side has no main defender, or he still has a unit in the battle (section 3.1, step 1)."""
    return side == ATTACK or p.main == 0 or present(force_of(s, p.main))
