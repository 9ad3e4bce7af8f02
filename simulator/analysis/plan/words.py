"""A plan in words: its sentence, what is sure, and its assumptions (docs/rules/plan.md section 4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from simulator.analysis.field_words import SIGNS
from simulator.rules.battle import Misfit, Refusal
from simulator.rules.campaign.text import assumptions as assumptions_of
from simulator.rules.toolkit.naming import listed
from simulator.rules.toolkit.words import noun_for, number_of, percent

if TYPE_CHECKING:
    from simulator.analysis.plan.plan import Plan
    from simulator.analysis.plan.turn import Front, Turn

SURE = 0.99


def pieces_in_words(pieces: Mapping[str, int]) -> list[str]:
    """Pieces with their numbers: "2 infantry", "1 tank", "1 ARMY+"."""
    return [f"{n} {noun_for(n, _on_the_box(name))}" for name, n in pieces.items()]


def _on_the_box(name: str) -> str:
    """A piece as its box names it: light ships, ARMY+."""
    noun, _, sign = name.rpartition("_")
    return f"{noun.upper()}{SIGNS[sign]}" if sign in SIGNS else name.replace("_", " ")


def together(plan: Plan, orders: Mapping[str, Mapping[str, int]]) -> list[str]:
    """The pieces of several places added up, in words and in the game's order."""
    sums = {name: sum(pieces.get(name, 0) for pieces in orders.values()) for name in plan.turn.names}
    return pieces_in_words({name: number for name, number in sums.items() if number})


def sentence(plan: Plan) -> str:
    """The plan, what it is worth, and the chance that all of it succeeds."""
    if plan.best is None:
        return f"Nothing is enough: {_lacking(plan)}."
    parts = list(_parts(plan))
    what = "; ".join(parts) if len(parts) > 1 else parts[0]
    fronts = [plan.turn.fronts[at] for at in plan.counted]
    verb = "succeed" if any(front.hold for front in fronts) else "fall"
    every = f"all {len(fronts)} {verb}" if len(fronts) > 1 else f"it {verb}s" if fronts else ""
    if fronts and len(fronts) == 1 and fronts[0].hold:
        every = "it is held"
    chance = f"{every} in {percent(plan.chance_all or 0)}" if fronts else ""
    if plan.objective == "cheapest":
        return f"{_price(plan)}: {what[:1].lower()}{what[1:]}{f'; {chance}' if chance else ''}."
    worth = [f"worth {plan.worth:.2f}"] if plan.objective == "worth" else []
    return f"{what}: {'; '.join([*worth, *filter(None, [chance])])}."


def _price(plan: Plan) -> str:
    money = plan.turn.carry.money() or "price"
    cost = number_of(plan.cost or 0)
    return f"Price {cost} is enough" if money == "price" else f"{cost} {money} are enough"


def _parts(plan: Plan) -> Iterator[str]:
    """The orders: holds first, then targets."""
    orders = plan.orders
    rows = {row["target"]: row for row in plan.rows()}
    held, attacked = [], []
    for front in plan.turn.fronts:
        pieces = listed(together(plan, orders.get(front.name, {})))
        if front.hold and front.name in orders:
            held.append(f"hold {front.name} with {pieces} (held {percent(rows[front.name]['chance'])})")
        elif front.name in orders:
            attacked.append(f"{front.name} with {pieces}")
    alone = [front.name for front in plan.turn.fronts if not front.hold and front.name not in orders]
    given_up = [front.name for front in plan.turn.fronts if front.hold and front.name not in orders]
    clauses = [f"attack {listed(attacked)}"] if attacked else []
    clauses += [f"leave {listed(alone)} alone"] if alone else []
    clauses += [f"give {listed(given_up)} up"] if given_up else []
    parts = [*held, *([", ".join(clauses)] if clauses else [])]
    for at, part in enumerate(parts):
        yield part[:1].upper() + part[1:] if at == 0 else part


def _lacking(plan: Plan) -> str:
    """The aim whose best chance alone lacks most of what is asked for it."""
    found = []
    for at in plan.turn.aims:
        front, columns = plan.turn.fronts[at], plan.columns[at]
        usable = (columns.numbers <= _most(plan, at)).all(axis=1)
        chance = float(columns.chance[usable].max(initial=0))
        found.append((front.min_odds - chance, front, chance))
    lack, front, chance = max(found, key=lambda one: one[0])
    if lack <= 0 and chance > 0:
        return "the pieces do not reach all aims at once"
    if chance <= 0:
        return f"{front.name} can never {'be held' if front.hold else 'fall'}"
    return f"{front.name} {'is held' if front.hold else 'falls'} in at most {percent(chance)}"


def _most(plan: Plan, at: int) -> Any:
    from simulator.analysis.plan.columns import most_of

    return most_of(plan.turn, plan.turn.fronts[at])


def gap(plan: Plan) -> str:
    """The largest possible gain over the plan of an interrupted search, in words."""
    found = plan.gap or 0.0
    if plan.objective == "all":
        return f"the best plan found; no plan has a chance of more than {percent(plan.bound or 0)}"
    what = "cheaper" if plan.objective == "cheapest" else "better"
    return f"the best plan found; no plan is {what} by more than {found:.4g}"


def certainty(plan: Plan) -> str:
    """The fronts that are sure and those that may fail, and the chance of that; "" without anything that counts."""
    if plan.best is None or not plan.counted:
        return ""
    rows = {row["target"]: row["chance"] for row in plan.rows()}
    fronts = [plan.turn.fronts[at] for at in plan.counted]
    sure = [front.name for front in fronts if rows[front.name] >= SURE]
    unsure = [f"{front.name} {percent(rows[front.name])}" for front in fronts if rows[front.name] < SURE]
    text = [f"Sure (99 % and more): {listed(sure)}."] if sure else []
    text += [f"Open: {listed(unsure)}."] if unsure else []
    if len(fronts) > 2:
        verb = "succeed" if any(front.hold for front in fronts) else "fall"
        chance = percent(sum(plan.number[len(fronts) - 1 :]))
        text.append(f"At least {len(fronts) - 1} of {len(fronts)} {verb} in {chance}.")
    return " ".join(text)


def assumptions(turn: Turn) -> list[str]:
    """The assumptions of every attack and counter-attack once, and those of plans."""
    found: dict[str, None] = {}
    for front in turn.fronts:
        found |= dict.fromkeys(_of_front(front))
    ours, theirs = turn.weights
    if turn.file.weights.own_lost is None:
        text = "losses count at cost" if ours else "losses count nothing; weights.own_lost = -1 counts them"
        found[text] = None
    elif ours or theirs:
        found[f"a lost unit of ours counts {ours:g} times its price, one of the enemy {theirs:g} times"] = None
    found["the enemy does not move between attacks"] = None
    if any(front.hold for front in turn.fronts):
        text = "he comes whatever he meets there, and what we destroy elsewhere is not taken from him"
        found[text] = None
    if not turn.staying.any():
        found["what stays at home is worth nothing more"] = None
    return list(found)


def _of_front(front: Front) -> list[str]:
    if front.plan is None:
        return []
    try:
        from simulator.rules.campaign.checks import check_fights

        return list(assumptions_of(front.plan, check_fights(front.plan)))
    except (Refusal, Misfit):
        return []
