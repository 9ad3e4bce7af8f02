"""A battle of a game file fought on the table: every die is written out, in the order in which units roll."""

import numpy as np

from simulator import load
from simulator.rules.custom.build import lay_out
from simulator.rules.custom.dice.die import MISS, hits_by_face
from simulator.rules.custom.dice.volleys import best, fires, rerolls, volleys_at
from simulator.rules.custom.outcome import outcome
from simulator.rules.custom.setup import Setup

SIDES = ("attacker", "defender")
WINNERS = ("attacker", "defender", "nobody")


def fight(scenario, *salvos):
    """The columns after these salvos: each a dict side -> faces. Asserts that just these dice are rolled."""
    asked = load(scenario)
    game = asked.data["game"] if "rules" not in asked.data else None
    setup = Setup(_source(game, asked), asked.battle.kind, asked.fields)
    field = lay_out(setup)
    chain = field.chain
    running, step = chain.part("running"), chain.part("step")
    state = chain.start
    for rolled in salvos:
        assert running(chain.params, state), f"over before {rolled}"
        results = [_result(field, side, state, list(rolled.get(side, []))) for side in SIDES]
        state = step(chain.params, state, *results)
    assert not running(chain.params, state), f"not over: {state}"
    columns = outcome(field, type(state)(*(np.array([int(value)]) for value in state)))
    return {name: WINNERS[v[0]] if name == "winner" else v[0].item() for name, v in columns.items()}


def _source(game, asked):
    from simulator.rules.custom.game_file import files

    return files.find(asked.data["game"], asked.data.get("rules"))


def _result(field, side, state, faces):
    """The faces as the result of the side's chance table."""
    setup, p = field.setup, field.chain.params
    rules, army, salvo = setup.sides[side], getattr(p, side), field.salvos[state.salvo]
    own = field.places[side].standing([getattr(state, side)])
    enemy = field.places[rules.enemy].standing([getattr(state, rules.enemy)])
    number = 0 if state.salvo < p.opening else state.clock + 1
    hits = {}
    for i in setup.groups[salvo.group]:
        shot = rules.shots.get(i)
        if shot is None or not fires(shot, number, own, enemy):
            continue
        again = rerolls(rules, shot, number, own, enemy)
        rolled = volleys_at(rules, shot, number, own, enemy)
        fallen = []
        for volley in best(rolled, 1000) if again else rolled:
            by_face = hits_by_face(setup.file, rules.enemy, volley.roll, shot.targets)
            fallen += [[volley, by_face, by_face[faces.pop(0) - 1]] for _ in range(volley.dice)]
        for rule, most in again:  # the second throws are written behind the first ones
            missed = [die for die in fallen if die[2] == MISS and rule.units >> die[0].unit & 1]
            for die in missed[: int(np.max(most))]:
                die[2] = die[1][faces.pop(0) - 1]
        for *_, hit in fallen:
            hits[hit] = hits.get(hit, 0) + (hit != MISS)
    assert not faces, f"dice too many for the {side}: {faces}"
    pieces = setup.sides[rules.enemy].pieces
    absorbed = sum(int(n) * piece.absorbs for n, piece in zip(enemy.counts[0], pieces, strict=True))
    scored = [hits.pop(field.classes[side][army.targets[state.salvo, k]], 0) for k in range(army.classes[state.salvo])]
    for k in reversed(range(len(scored))):
        gone = min(absorbed, scored[k])
        absorbed, scored[k] = absorbed - gone, scored[k] - gone
    return int(sum(n * stride for n, stride in zip(scored, army.stride[state.salvo], strict=False)))
