"""The arrays and states of a battle of a game file (docs/rules/custom_games.md section 13).

One set of rules for all games: what a file says lies in the arrays of `Params` (made in `build`). A *place* numbers
the losses of a side (see `line`), a *salvo* is what both sides roll at one time: mostly a whole group of steps; where
its hit classes would make too large a table, one class of each side after the other. Salvos in which nobody rolls are
passed over within a step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.rules.toolkit.retreat import Leave

FIGHTING, GONE, OVER, STALEMATE, ATTACKER_LEFT, DEFENDER_LEFT = range(6)
# The side that rolls or decides. Where losses are chosen the attacker's dice fall first, the defender chooses the units
# that he loses (they still fire), then the defender's dice fall and the attacker chooses. Dice that are compared fall
# together: the defender chooses, then the attacker (ASSUMED: the same order).
ROLLING, DEFENDER_LOSES, ANSWERING, ATTACKER_LOSES, ATTACKER_ASKED, DEFENDER_ASKED = range(6)
STAY, LEAVE = 0, 1


class Army(NamedTuple):
    """One side, by place; `rolls` and `means` also by row (see Params.rows) and by what the enemy shows of himself.

    - `units` fighting, `alone`: 1 where only units are left that are removed then; `gone[0]`: the place without units.
    - `after_hits[n, class, place]`: the place after 2**n hits of a class of the enemy's shots.
    - `shows[row, place]`: the part of this place that the enemy's dice depend on, as a number.
    - `rolls[row, place, shown]`: the chance table of the hits that this side scores, 0 where it rolls nothing;
      `means` the same as mean hits, in parts of a common whole.
    - `classes[salvo]`: how many hit classes a result holds: hits = result // `stride` % `size`, on `targets`.
    - Where losses are chosen (docs/rules/decisions.md section 2.2), a side that takes `hits`, at most `most`, of class
      `aim` at a `place` goes to one of `ways[ways_at[w]:ways_at[w + 1]]`, the fixed order's first; w is
      (aim * places + place) * (most + 1) + hits.
    - If `asked` is 1, it leaves or stays as well as possible. Else it leaves by `leave`; if `outpowered` is 1, when it
      would score fewer mean hits than the enemy; and where `below_odds[clock, own, enemy]` is 1, its chance to win
      being too small.
    """

    units: np.ndarray
    alone: np.ndarray
    gone: np.ndarray
    after_hits: np.ndarray
    shows: np.ndarray
    rolls: np.ndarray
    means: np.ndarray
    classes: np.ndarray
    stride: np.ndarray
    size: np.ndarray
    targets: np.ndarray
    most: int
    ways_at: np.ndarray
    ways: np.ndarray
    asked: int
    leave: Leave
    outpowered: int
    below_odds: np.ndarray


class Params(NamedTuple):
    """A battle: both sides, and the order of its salvos.

    - `rows[phase, salvo]`: phase 0 is before the battle, phase r round r, the last one every later round.
    - `begins[salvo]`, `ends[salvo]`: 1 for the first and the last salvo of a group; salvos below `opening` are fought
      before the battle.
    - `compared[salvo]`: where dice are compared, the attacker's table gives the hits of both sides, and his own are the
      rest of a division by this; else 0.
    - `scores[salvo]`: where dice score points, State.points holds the attacker's times this and the defender's; else 0.
    - `clock`: states differ by their round up to this number; `round_limit` 0 without one; `retreat_after` as in the
      file; `retreats` 0 if nobody has a policy to leave, `compares` 0 if nobody looks at mean hits.
    - `chosen`: 1 if a side chooses its losses.
    """

    attacker: Army
    defender: Army
    rows: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    compared: np.ndarray
    scores: np.ndarray
    opening: int
    salvos: int
    phases: int
    clock: int
    round_limit: int
    retreat_after: int
    retreats: int
    compares: int
    chosen: int


class State(NamedTuple):
    """Places of both sides; where they will be when the group is over (0 unless it has several salvos); what is next.

    `clock` counts rounds up to Params.clock; `rounds` counts those beyond, `points` what both sides
    have scored (see Params.scores); no rule reads them. `stage`: who rolls or
    decides; where losses are chosen, `hits` is the result that is being taken, from hit class `part` on.
    """

    attacker: int
    defender: int
    attacker_next: int = 0
    defender_next: int = 0
    salvo: int = 0
    clock: int = 0
    ending: int = 0
    stage: int = 0
    hits: int = 0
    part: int = 0
    rounds: int = 0
    points: int = 0
