"""A slow, obvious plan: all divisions of the pieces, each attack answered as a campaign of its own.

It shares no code with `simulator.analysis.plan`: campaigns are written and answered as a user would write them.
"""

import json
from functools import cache
from itertools import product

from simulator import exact


def divisions(plan):
    """Every way to send the pieces of the places: {(place, front): {piece: number}}."""
    fronts = [*plan.get("target", {}), *plan.get("hold", {})]
    piles = []
    for place, table in plan["place"].items():
        stay, reach = table.get("stay", {}), table.get("reach", fronts)
        for piece, number in counted(table).items():
            goals = [front for front in table.get("reach_of", {}).get(piece, reach) if front != place]
            piles.append((place, piece, number - stay.get(piece, 0), goals))
    ways = [list(shares(free, len(goals))) for _, _, free, goals in piles]
    for shared in product(*ways):
        sent = {}
        for (place, piece, _, goals), numbers in zip(piles, shared, strict=True):
            for front, number in zip(goals, numbers, strict=True):
                if number:
                    sent.setdefault((place, front), {})[piece] = number
        yield sent


def counted(table):
    """The pieces of a place and their numbers; an entry of a list is a piece "creatures:3R" of its own."""
    found = {piece: n for piece, n in table.items() if piece not in {"stay", "reach", "reach_of"}}
    for piece, entries in table.items():
        if isinstance(entries, list) and piece in found:
            del found[piece]
            found |= {f"{piece}:{entry}": entries.count(entry) for entry in entries}
    return found


def force(pieces):
    """These pieces as a file has them."""
    found = {}
    for piece, number in pieces.items():
        name, _, entry = piece.partition(":")
        found[name] = [*found.get(name, []), *[entry] * number] if entry else number
    return found


def shares(most, parts):
    """Every way to give at most this many to each of the parts."""
    if not parts:
        yield ()
        return
    for first in range(most + 1):
        for rest in shares(most - first, parts - 1):
            yield (first, *rest)


def together(tables):
    found = {}
    for table in tables:
        for piece, number in table.items():
            found[piece] = found.get(piece, 0) + number
    return found


def worth_of(plan, sent, prices):
    """The worth of a division, summed over its attacks and holds, and the chance of each."""
    own, enemy = plan.get("weights", {}).get("own_lost", 0), plan.get("weights", {}).get("enemy_lost", 0)
    worth, chances = 0.0, {}
    for name, target in plan.get("target", {}).items():
        pieces = together(table for (_, front), table in sent.items() if front == name)
        if pieces:
            pieces = pieces | plan.get("every", {}).get("attacker", {})
            falls, lost, theirs = attack(plan["of"], key(plan, target, pieces), prices)
            chances[name] = falls
            worth += target.get("worth", 1) * falls + own * lost + enemy * theirs
    for name, hold in plan.get("hold", {}).items():
        at_home = {}
        if name in plan["place"]:
            table = {piece: n for piece, n in plan["place"][name].items() if piece not in {"stay", "reach", "reach_of"}}
            gone = together(one for (place, _), one in sent.items() if place == name)
            at_home = {piece: n - gone.get(piece, 0) for piece, n in table.items() if n > gone.get(piece, 0)}
        pieces = together([at_home, *(table for (_, front), table in sent.items() if front == name)])
        held, lost, theirs = defence(plan["of"], key(plan, hold, pieces), prices)
        comes = hold.get("comes", 1)
        held, lost, theirs = comes * held + 1 - comes, comes * lost, comes * theirs
        chances[name] = held
        worth += hold.get("worth", 1) * held + own * lost + enemy * theirs
    return worth, chances


def key(plan, front, pieces):
    kind = front.get("battle", plan.get("every", {}).get("battle"))
    return json.dumps([kind, front, pieces], sort_keys=True)


def lost(odds, side, prices):
    columns = [name for name in odds.columns if name.startswith(f"{side}_") and name.endswith("_lost")]
    pieces = {name: name.removeprefix(f"{side}_").removesuffix("_lost") for name in columns}
    return sum(prices[piece] * odds.mean(name) for name, piece in pieces.items() if piece in prices)


@cache
def attack(game, asked, prices):
    """The chance that a target falls, and the price of the losses on both sides."""
    kind, target, pieces = json.loads(asked)
    fights = [{"name": "attack", "battle": kind, "attacker": "us", "defender": "them"}]
    forces = {"us": force(pieces), "them": target["defender"]}
    land = game.startswith("axis")
    if "counter" in target:
        forces["again"] = target["counter"]["attacker"]
        taken = "attack_taken" if land else "attack_won"
        us = {"force": "us"} | ({"stay": {"fighter": "all"}} if land and "fighter" in pieces else {})
        fights.append({"name": "counter", "battle": kind, "if": taken, "attacker": "again", "defender": us})
    columns = [f"{one['name']}_taken" for one in fights] if land else []
    odds = exact({"game": "campaign", "of": game, "us": "us", "force": forces, "fight": fights, "columns": columns})
    question = "attack_taken" if land else "attack_won"
    if "counter" in target:
        question += f" and not {'counter_taken' if land else 'counter_won'}"
    theirs = lost(odds, "them", dict(prices)) + ("again" in forces and lost(odds, "again", dict(prices)))
    return odds.p(question), lost(odds, "us", dict(prices)), theirs


@cache
def defence(game, asked, prices):
    """The chance that a hold is held if he comes, and the price of the losses on both sides."""
    kind, hold, pieces = json.loads(asked)
    forces = {"us": pieces, "them": hold["attacker"]}
    land = game.startswith("axis")
    fight = {"name": "attack", "battle": kind, "attacker": "them", "defender": "us"}
    columns = ["attack_taken"] if land else []
    odds = exact({"game": "campaign", "of": game, "us": "us", "force": forces, "fight": [fight], "columns": columns})
    held = 1 - odds.p("attack_taken" if land else "attack_won")
    return held, lost(odds, "us", dict(prices)), lost(odds, "them", dict(prices))


def ranked(turn, found, asked, number, differ="pieces"):
    """The best division and the next ones, by looking at all: (value, sent) of each, in the order of section 3.3.

    The values are those of the columns, which other tests compare with campaigns.
    """
    every = list(filter(None, (measured(turn, found, sent) for sent in divisions(asked))))
    chosen = []
    while every and len(chosen) < number:
        equal = first_of_equals(every, turn.file.objective)
        chosen.append((equal["value"], equal["sent"]))
        every = [one for one in every if one[differ] != equal[differ]]
    return chosen


def first_of_equals(every, objective):
    """Section 3.3: of equal values the best chance (cheapest), the fewest pieces, the least price, the first order."""
    if objective == "cheapest":
        every = within(every, "value", -1, 1e-9)
        every = within(every, "chance", 1, 1e-6)
    else:
        every = within(every, "value", 1, 1e-6)
    every = within(within(every, "away", -1, 0), "price", -1, 1e-9)
    return max(every, key=lambda one: one["order"])


def within(every, name, sign, close):
    best = max(sign * one[name] for one in every)
    return [one for one in every if sign * one[name] >= best - close]


def measured(turn, found, sent):
    """The value of a division, and what decides between equals; None for one that a plan may not choose."""
    objective, names = turn.file.objective, [front.name for front in turn.fronts]
    goes = [[[sent.get((place, name), {}).get(piece, 0) for piece in turn.names] for name in names]
            for place in turn.places]  # fmt: skip
    away = [sum(goes[place][at][kind] for place in range(len(goes)) for at in range(len(names)))
            for kind in range(len(turn.names))]  # fmt: skip
    for at, front in enumerate(turn.fronts):
        if front.home >= 0:
            gone = [sum(row[kind] for row in goes[front.home]) for kind in range(len(turn.names))]
            goes[front.home][at] = [int(turn.here[front.home][kind]) - gone[kind] for kind in range(len(turn.names))]
    wanted = [tuple(sum(place[at][kind] for place in goes) for kind in range(len(turn.names)))
              for at in range(len(names))]  # fmt: skip
    worth, chance = 0.0, 1.0
    for at, (front, columns) in enumerate(zip(turn.fronts, found, strict=True)):
        place = {tuple(row): number for number, row in enumerate(columns.numbers.tolist())}.get(wanted[at])
        if place is None:
            return None
        aim = objective != "worth" and at in turn.aims
        least = front.min_odds - 1e-12
        if aim and (not any(wanted[at]) or columns.chance[place] < least or columns.chance[place] <= 0):
            return None
        if objective != "worth" and not aim and not front.hold and any(wanted[at]):
            return None
        if (front.hold or any(wanted[at])) and columns.chance[place] < least:
            return None
        worth += columns.worth[place]
        chance *= columns.chance[place] if aim else 1
    price = sum(n * cost for n, cost in zip(away, turn.price, strict=True))
    order = [n for at in range(len(names)) for place in goes for n in place[at]]
    value = {"worth": worth, "all": chance, "cheapest": price}[objective]
    return {"value": value, "chance": chance, "away": sum(away), "price": price, "order": order, "sent": goes,
            "pieces": wanted, "targets": [any(one) for one in wanted]}  # fmt: skip
