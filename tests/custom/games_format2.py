"""Random game files of format 2 that are right, and scenarios for them: those of format 1 with further keys."""

import copy

from hypothesis import strategies as st

from tests.custom.games import POLICIES, pruned, scenarios

SIDES = ("attacker", "defender")
DICE = {
    "small": {"sides": 4},
    "large": {"sides": 8, "always_hit": [8], "clamp": [1, 7]},
    "symbols": {"faces": ["a", "a", "b", "blank"], "hits": {"a": "all", "b": "all"}, "damage": {"b": 2}},
}


def table(roll):
    return dict(roll) if isinstance(roll, dict) else {"value": roll}


@st.composite
def rolls(draw, roll, heavy):
    """A roll of format 1 with more to it."""
    if not roll:
        return roll
    found, kind = table(roll), draw(st.sampled_from(["as it was", "as it was", "damage", *DICE]))
    if kind == "symbols":
        return pruned(die=kind, dice=found.get("dice"), split=None if heavy else True)
    if kind in DICE:
        return {"die": kind, "value": min(found["value"], 4), "dice": found.get("dice", 1)}
    if kind == "damage":
        return found | {"damage": draw(st.integers(2, 3)), "split": not heavy or draw(st.booleans())}
    return found


@st.composite
def with_values(draw, unit, heavy):
    """A unit with shields, initiative and values of its own by side."""
    unit = copy.deepcopy(unit)
    for name in ("attack", "defence", "combat"):
        if name in unit:
            unit[name] = draw(rolls(unit[name], heavy))
    if "rolls" in unit:
        unit["rolls"] = {name: draw(rolls(roll, heavy)) for name, roll in unit["rolls"].items()}
    small = st.sampled_from([None, None, 0, 1, 2])
    unit |= pruned(initiative=draw(small), shield=draw(small), absorbs=draw(st.sampled_from([None, None, None, 1])))
    for side in SIDES:
        if draw(st.integers(0, 3)) == 0:
            own = pruned(initiative=draw(small), shield=draw(small), hits=draw(st.sampled_from([None, 2])))
            unit[side] = own | draw(st.sampled_from([{}, {"combat": 1}, {"combat": 0}, {"attack": 2, "cost": 3}]))
    if heavy:
        for one in (unit, *(unit.get(side, {}) for side in SIDES)):
            if one is unit or "hits" in one:
                one["absorb"] = "last"
    return unit


@st.composite
def with_format_2(draw, game):
    """The game with keys of format 2."""
    heavy = draw(st.booleans())
    units = {key: draw(with_values(unit, heavy)) for key, unit in game["unit"].items()}
    symbols = copy.deepcopy(DICE)
    symbols["symbols"]["hits"]["a"] = draw(st.sampled_from(["all", [next(iter(units))]]))
    if not heavy and not any("symbols" in str(unit) for unit in units.values()):
        del symbols["symbols"]
    steps, orders = [], {}
    for step in game["step"]:
        fresh = draw(st.sampled_from([{}, {"order": "initiative"}, {"order": "initiative", "ties": "defender"}]))
        steps.append(step | orders.setdefault(step.get("group", step["name"]), fresh))
    supports = []
    for support in game["support"]:
        more = pruned(stack=draw(st.sampled_from([None, "one"])), dice=draw(st.sampled_from([None, 1, -1])))
        if "adds" in support and draw(st.booleans()):
            more["whom"] = "enemy"
        supports.append(support | more)
    losses = game["losses"] | {"chosen_by": draw(st.sampled_from(["owner", "enemy", {"defender": "enemy"}]))}
    return game | {"format": 2, "die": symbols, "unit": units, "step": steps, "support": supports, "losses": losses}


@st.composite
def scenarios_of_format_2(draw, most=2):
    """A scenario of format 2."""
    scenario = draw(scenarios(most=most))
    game = scenario["rules"] = draw(with_format_2(scenario["rules"]))
    for side in SIDES:
        policy = scenario["policy"][side]
        policy.pop("absorb", None)
        chosen_by = game["losses"]["chosen_by"]
        if (chosen_by.get(side) if isinstance(chosen_by, dict) else chosen_by) == "enemy":
            policy.pop("loss_order", None)
            policy.pop("keep", None)
            enemy = SIDES[1 - SIDES.index(side)]
            if draw(st.booleans()):
                scenario["policy"][enemy]["target_order"] = draw(st.sampled_from(["weakest", "cheapest"]))
    return scenario


@st.composite
def comparing(draw):
    """A scenario of a game that compares dice, with a plain step beside."""
    bonus = st.integers(-1, 2)
    units = {
        "foot": {"cost": 1, "combat": {"bonus": draw(bonus)}, "rolls": {"shot": 1}},
        "horse": {
            "cost": 2,
            "hits": 2,
            "combat": pruned(bonus=draw(bonus), die=draw(st.sampled_from([None, "small"]))),
        },
        "guns": {"cost": 3, "combat": {"bonus": 0, "dice": draw(st.integers(1, 2))}, "absorbs": 1},
    }
    ties = draw(st.sampled_from(["attacker", "defender", "both", "nobody", "reroll"]))
    pairs = 1 if ties == "reroll" else draw(st.integers(1, 3))
    most = st.integers(1, 3)
    compare = {"ties": ties, "pairs": pairs, "most": {"attacker": draw(most), "defender": draw(most)}}
    steps = [{"name": "melee", "compare": compare} | draw(st.sampled_from([{}, {"spares": ["guns"]}]))]
    if draw(st.booleans()):
        steps.insert(0, {"name": "volley", "fire": {"attacker": "shot", "defender": "shot"}, "to_round": 2})
    support = {"from": ["guns"], "to": ["foot"], "adds": draw(st.sampled_from([1, -1]))}
    rules = {
        "format": 2,
        "name": "Compared",
        "dice": {"sides": draw(st.sampled_from([2, 4]))},
        "die": {"small": {"sides": 4}},
        "unit": units,
        "battle": {"field": {"may_retreat": ["attacker"], "retreat_after": 0, "rounds": draw(st.integers(2, 3))}},
        "step": steps,
        "support": [support | draw(st.sampled_from([{}, {"whom": "enemy"}, {"side": "attacker"}]))],
    }
    army = st.fixed_dictionaries({"foot": st.integers(1, 2), "horse": st.integers(0, 1), "guns": st.integers(0, 1)})
    retreat = draw(POLICIES)
    policy = {"retreat": retreat} if retreat in {"outnumbered", "outpowered"} else {}
    return {
        "game": "custom",
        "battle": "field",
        "rules": rules,
        "attacker": draw(army),
        "defender": draw(army),
        "policy": {"attacker": policy},
    }
