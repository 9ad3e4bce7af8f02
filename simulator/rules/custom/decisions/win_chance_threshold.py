"""States in which a side's win chance is below its threshold (`odds-below`, docs/rules/custom_games.md section 8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import prod
from typing import Any

import numpy as np

from simulator.engine.api import state_values
from simulator.engine.model.chain import SIDES
from simulator.engine.model.interpreted import plain_params
from simulator.rules.battle import Refusal
from simulator.rules.custom.kept import keep, key_of
from simulator.rules.custom.rules.rules import onward
from simulator.rules.custom.rules.state import FIGHTING, State
from simulator.rules.custom.setup import Setup
from simulator.rules.toolkit.policies import named
from simulator.rules.toolkit.tolerances import ROUNDING

# A limit of many rounds is first tried as one of this many: far from the last round the chances stay the same.
FEW_ROUNDS, STEADY = 64, 1e-14
# Pairs of line-ups, by round where it counts, of which the chances are worked out.
MOST_CHANCES = 20_000_000
# Larger tables of chances are not kept for battles with other thresholds.
MOST_CHANCES_KEPT = 1 << 17
LayOut = Callable[[Setup], Any]


def below_odds(setup: Setup, lay_out: LayOut) -> dict[str, np.ndarray]:
    """1 where a round begins with less than the wanted chance to win if nobody ever retreats.

    By side with this policy; int64, shape (clock, own places, enemy places). `lay_out` is that of `build`.
    Raises Refusal for too many places.
    """
    policies = {side: getattr(setup.fields.policy, side) for side in SIDES}
    wanted = {side: one.odds_below for side, one in policies.items() if "odds-below" in named(one.retreat)}
    if not (wanted and setup.obeys):
        return {}
    rounds, few = setup.rounds or 0, FEW_ROUNDS + 2 * setup.phases
    while 2 * few < rounds:
        chances = _chances(setup, wanted, few, lay_out)
        middle = few // 2
        steady = (np.allclose(at[middle], at[middle + 1], 0, STEADY, equal_nan=True) for at in chances.values())
        if all(steady):
            below = _below(chances, wanted)
            return {side: np.insert(at, [middle] * (rounds - few), at[middle], axis=0) for side, at in below.items()}
        few *= 4
    return _below(_chances(setup, wanted, rounds, lay_out), wanted)


def _below(chances: Mapping[str, np.ndarray], wanted: Mapping[str, float]) -> dict[str, np.ndarray]:
    return {side: (chance < wanted[side] - ROUNDING).astype(np.int64) for side, chance in chances.items()}


def _chances(setup: Setup, wanted: Mapping[str, float], rounds: int, lay_out: LayOut) -> dict[str, np.ndarray]:
    """Chances to win where a round begins (NaN where none does), with a limit of this many rounds (0: without one)."""
    staying = Setup(setup.source, setup.kind_name, setup.fields, obeys=False)
    staying.rounds = rounds or None
    key = key_of(setup.kind_name, setup.fields)

    def make(side: str) -> tuple[np.ndarray, bool]:
        field = lay_out(staying)
        pairs = prod(map(len, field.places.values()))
        if pairs * max(field.chain.params.clock + 1, setup.rounds or 0) > MOST_CHANCES:
            raise Refusal(f"policy.{side}.retreat", "odds-below needs exact odds; this battle is too large for them")
        found = _chances_of(field, side)
        return found, found.size <= MOST_CHANCES_KEPT

    return {side: keep(setup.source, "chances", (key, rounds, side), partial(make, side)) for side in wanted}


def _without_counters(state: Any) -> tuple[Any, ...]:
    """The fields of a state that rules read."""
    return tuple([part for name, part in zip(state._fields, state, strict=True) if name not in {"rounds", "points"}])


def _chances_of(field: Any, side: str) -> np.ndarray:
    """A side's chances by clock, own and enemy place."""

    def wins(ends: Any) -> np.ndarray:
        return np.asarray(field.winner(ends, field.seen(ends)) == SIDES.index(side))

    states, value = state_values(field.chain, wins)
    p = plain_params(field.chain.params)
    attackers, defenders = (field.places[one].units.tolist() for one in SIDES)
    found = np.full((p.clock + 1, len(attackers), len(defenders)), np.nan)
    begins = (states.salvo == p.opening) & (states.ending == FIGHTING)
    found[states.clock[begins], states.attacker[begins], states.defender[begins]] = value[begins]
    # Battles that pass over the beginning of a round, as nobody rolls there, or that come there from no state.
    seen = zip(*(part.tolist() for part in _without_counters(states)), strict=True)
    known = dict(zip(seen, value.tolist(), strict=True))
    last = p.clock if p.round_limit == 0 else p.round_limit - 1
    for clock, attacker, defender in np.argwhere(np.isnan(found[: last + 1])).tolist():
        if attackers[attacker] and defenders[defender] and p.opening < p.salvos:
            after = onward(p, State(attacker, defender, salvo=p.opening, clock=clock))
            if after.ending:
                ended: Any = [np.array([part]) for part in after]
                found[clock, attacker, defender] = wins(State(*ended))[0]
            else:
                found[clock, attacker, defender] = known.get(_without_counters(after), np.nan)
    return found if side == "attacker" else np.ascontiguousarray(found.transpose(0, 2, 1))
