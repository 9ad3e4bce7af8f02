"""A battle of a game file fought on the table: every die is written out, in the order in which units roll."""

import numpy as np

from simulator import load
from simulator.rules.custom.build import lay_out
from simulator.rules.custom.dice.checked import throw_of
from simulator.rules.custom.dice.die import MISS, hits_by_face
from simulator.rules.custom.dice.opposed import BOTH
from simulator.rules.custom.dice.volleys import Situation, best, fires, rerolls, volleys_at
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
        thrown_faces = [list(rolled.get(side, [])) for side in SIDES]
        group = field.salvos[state.salvo].group
        first = setup.step(setup.groups[group][0])
        if first.cancel:
            results = [_cancelled(field, state, thrown_faces), 0]
        elif first.compare is not None:
            results = [_opposed(field, state, thrown_faces, first.compare), 0]
        else:
            scored = _aimed if setup.aimed(group) else _result
            results = [scored(field, side, state, faces) for side, faces in zip(SIDES, thrown_faces, strict=True)]
        state = step(chain.params, state, *results)
    assert not running(chain.params, state), f"not over: {state}"
    columns = outcome(field, type(state)(*(np.array([int(value)]) for value in state)))
    return {name: WINNERS[v[0]] if name == "winner" else v[0].item() for name, v in columns.items()}


def _source(game, asked):
    from simulator.rules.custom.game_file import files

    return files.find(asked.data["game"], asked.data.get("rules"))


def _situation(field, side, state):
    """The round, and the units that stand on both sides."""
    stands = (field.places[one].standing([getattr(state, one)]) for one in (side, field.setup.sides[side].enemy))
    return Situation(0 if state.salvo < field.chain.params.opening else state.clock + 1, *stands)


def _result(field, side, state, faces):
    """The faces as the result of the side's chance table."""
    setup, p = field.setup, field.chain.params
    rules, army, salvo = setup.sides[side], getattr(p, side), field.salvos[state.salvo]
    now = _situation(field, side, state)
    hits = {}
    for i in setup.groups[salvo.group]:
        shot = rules.shots.get(i)
        if shot is None or not fires(shot, now):
            continue
        again = rerolls(rules, shot, now)
        rolled = volleys_at(rules, shot, now)
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
    absorbed = sum(int(n) * piece.absorbs for n, piece in zip(now.enemy.counts[0], pieces, strict=True))
    classes = [field.classes[side][army.targets[state.salvo, k]] for k in range(army.classes[state.salvo])]
    scored = [hits.pop(hit, 0) for hit in classes]
    for k in reversed(range(len(scored))):
        gone = min(absorbed, scored[k])
        absorbed, scored[k] = absorbed - gone, scored[k] - gone
    # Hits on units of which nobody stands are wasted.
    scored = [n if hit.units & int(now.enemy.mask) else 0 for n, hit in zip(scored, classes, strict=True)]
    return int(sum(n * stride for n, stride in zip(scored, army.stride[state.salvo], strict=False)))


def _aimed(field, side, state, faces):
    """The points that these faces take: each die at the piece that is next to fall, its checks behind it."""
    setup = field.setup
    rules, group = setup.sides[side], setup.groups[field.salvos[state.salvo].group]
    now = _situation(field, side, state)
    points, taken = list(now.enemy.points), 0
    if setup.step(group[0]).aim == "kind":
        points = [point for point in points if point[0] == points[0][0]]
    if setup.step(group[0]).aim == "piece":
        points = points[: points[0][1]]
    for shot in (rules.shots[i] for i in group if i in rules.shots and fires(rules.shots[i], now)):
        for volley in volleys_at(rules, shot, now):
            for _ in range(volley.dice):
                if not points:
                    continue
                damage = _thrown(setup, volley, points[0][0], faces)
                damage = damage if volley.roll.split else min(damage, points[0][1])
                taken += len(points[:damage])
                del points[:damage]
    assert not faces, f"dice too many for the {side}: {faces}"
    return taken


def _thrown(setup, volley, target, faces):
    """The damage of a die at a target: its face, then those of its checks as long as it gets through."""
    hit = hits_by_face(setup.file, volley.side.enemy, volley.roll, 1 << target)[faces.pop(0) - 1]
    for name, rules in volley.checked if hit != MISS else ():
        passed = faces.pop(0) in throw_of(volley.side, name, volley.unit, target, rules).good
        if passed == setup.file.check[name].save:
            return 0
    return hit.damage if hit != MISS else 0


def _cancelled(field, state, thrown_faces):
    """The hits of two front pieces that cancel, packed as the attacker's result."""
    hits, setup = [], field.setup
    for side, faces in zip(SIDES, thrown_faces, strict=True):
        rules, shot = setup.sides[side], setup.sides[side].shots[setup.groups[field.salvos[state.salvo].group][0]]
        (volley,) = volleys_at(rules, shot, _situation(field, side, state))
        hits.append(sum(_thrown(setup, volley, volley.aim, faces) > 0 for _ in range(volley.dice)))
    return max(0, hits[0] - hits[1]) + BOTH * max(0, hits[1] - hits[0])


def _opposed(field, state, thrown_faces, compare):
    """Dice that are compared from the highest down, packed as the attacker's result; faces in file order of the units.

    With `ratio` the attacker throws one die of as many sides as both strengths have, and hits up to his own.
    """
    setup, thrown = field.setup, []
    for side in SIDES:
        rules, shot = setup.sides[side], setup.sides[side].shots[setup.groups[field.salvos[state.salvo].group][0]]
        rolled = volleys_at(rules, shot, _situation(field, side, state))
        thrown.append([volley for volley in rolled for _ in range(volley.dice)])
    if compare.ratio:
        (mine,), (theirs,) = thrown
        (face,), () = thrown_faces
        assert 1 <= face <= mine.value + theirs.value
        return 1 if face <= mine.value else BOTH
    values = []
    for side, volleys, faces in zip(SIDES, thrown, thrown_faces, strict=True):
        assert len(faces) == min(len(volleys), getattr(compare.most, side)), f"{side}: {len(volleys)} dice"
        for volley, face in zip(volleys, faces, strict=False):
            die = setup.file.die[volley.roll.die] if volley.roll.die else setup.file.dice
            assert 1 <= face <= die.sides, f"{side}: no {face} on a die of the {list(setup.file.unit)[volley.unit]}"
        values.append(sorted([v.value + face for v, face in zip(volleys, faces, strict=False)], reverse=True))
    pairs = list(zip(*values, strict=False))[: compare.pairs]
    assert compare.ties == "defender"
    mine = sum(own > enemy for own, enemy in pairs)
    return mine + BOTH * (len(pairs) - mine)
