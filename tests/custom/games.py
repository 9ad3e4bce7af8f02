"""Random game files that are right, and scenarios for them, made by hypothesis."""

from hypothesis import strategies as st

TAGS = ("red", "blue")
UNITS = ("foot", "guns", "horse", "wagon")
STEPS = ("one", "two", "three", "four")


def maybe(strategy):
    return st.none() | strategy


def pruned(**keys):
    return {key: value for key, value in keys.items() if value is not None}


@st.composite
def rolls(draw, sides):
    value = draw(st.integers(0, sides))
    if value and draw(st.booleans()):
        faces = st.lists(st.integers(1, sides), min_size=1, max_size=2, unique=True)
        return pruned(
            value=value,
            dice=draw(maybe(st.integers(1, 3))),
            reroll=draw(maybe(st.sampled_from(["none", "misses"]) | faces)),
        )
    return value


@st.composite
def units(draw, sides):
    unit = pruned(
        cost=draw(maybe(st.sampled_from([0, 1, 2, 2.5, 4]))),
        tags=draw(maybe(st.lists(st.sampled_from(TAGS), unique=True, max_size=2))),
        hits=draw(maybe(st.integers(1, 3))),
        absorb=draw(maybe(st.sampled_from(["first", "last"]))),
    )
    if draw(st.booleans()):
        unit["combat"] = draw(rolls(sides))
    else:
        unit |= pruned(attack=draw(maybe(rolls(sides))), defence=draw(maybe(rolls(sides))))
    if draw(st.integers(0, 2)) == 0:
        unit["rolls"] = {"shot": draw(rolls(sides))}
    return unit


@st.composite
def scopes(draw, words, conditions, rounds=True):
    """Mostly empty: each key with one chance in five."""

    def sometimes(strategy):
        return draw(strategy) if draw(st.integers(0, 4)) == 0 else None

    selector = st.lists(st.sampled_from(words), min_size=1, max_size=2, unique=True)
    scope = pruned(
        if_own_has=sometimes(selector),
        if_enemy_has=sometimes(selector),
        unless_own_has=sometimes(selector),
        unless_enemy_has=sometimes(selector),
    )
    if rounds:
        first = sometimes(st.integers(1, 3))
        scope |= pruned(from_round=first, to_round=sometimes(st.integers(first or 1, 4)))
    if conditions and draw(st.integers(0, 3)) == 0:
        terrain = st.sampled_from(["open", "wood"])
        wanted = {"rain": st.booleans(), "terrain": terrain | st.lists(terrain, max_size=2)}
        scope["if_condition"] = {
            key: draw(wanted[key]) for key in draw(st.sampled_from([["rain"], ["terrain"], [*wanted]]))
        }
    return scope


@st.composite
def steps(draw, names, words, shots):
    """Steps, some of them in groups of neighbours that are fought at the same time."""
    found, group, when = [], None, None
    for i, name in enumerate(names):
        together = group is not None and draw(st.booleans())
        if not together:
            group = f"g{i}" if draw(st.booleans()) else None
            when = draw(st.sampled_from(["each-round", "each-round", "before-battle"]))
        selector = st.lists(st.sampled_from(words), min_size=1, max_size=2, unique=True)

        def sometimes(strategy, often=3):
            return draw(strategy) if draw(st.integers(0, often)) == 0 else None

        step = pruned(
            name=name,
            group=group,
            when=when,
            by=sometimes(selector),
            battle=sometimes(st.sampled_from([["field"], ["field", "raid"]]), 5) if i else None,
            hits_only=sometimes(selector),
            spares=sometimes(selector),
            dice_at_most=sometimes(st.builds(lambda k, s: {k: s}, st.sampled_from(["own", "enemy"]), selector)),
        )
        if shots and draw(st.integers(0, 2)) == 0:
            who = draw(st.sampled_from([("attacker",), ("defender",), ("attacker", "defender")]))
            step["fire"] = dict.fromkeys(who, "shot")
        found.append(step | draw(scopes(words, True, when == "each-round")))
    return found


@st.composite
def games(draw):
    sides = draw(st.sampled_from([2, 4, 6, 10]))
    keys = UNITS[: draw(st.integers(1, 4))]
    made = {key: draw(units(sides)) for key in keys}
    tags = {tag for unit in made.values() for tag in unit.get("tags", [])}
    words = [*keys, *sorted(tags)]
    shots = any(unit.get("rolls", {}).get("shot") for unit in made.values())
    names = STEPS[: draw(st.integers(1, 4))]
    known = ["attack", "defence", *(["shot"] if shots else [])]
    selector = st.lists(st.sampled_from(words), min_size=1, max_size=2, unique=True)
    each_side = st.sampled_from(["attacker", "defender", "both"])
    common = {
        "rolls": maybe(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True)),
        "steps": maybe(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True)),
    }
    modifier = st.fixed_dictionaries(
        {"adds": st.integers(-2, 2)},
        optional={
            "side": each_side,
            "units": selector,
            "dice": st.integers(-1, 1),
            "reroll": st.sampled_from(["none", "misses"]) | st.just([1]),
        },
    )
    modifiers = [
        draw(modifier) | pruned(**{k: draw(v) for k, v in common.items()}) | draw(scopes(words, True))
        for _ in range(draw(st.integers(0, 2)))
    ]
    supports = []
    for _ in range(draw(st.integers(0, 2)) if len(keys) > 1 else 0):
        help_by = draw(st.sampled_from([{"sets": draw(st.integers(1, sides))}, {"adds": draw(st.integers(-1, 2))}]))
        supports.append(
            {
                "from": [helper := draw(st.sampled_from(keys))],
                "to": [key for key in keys if key != helper],
                "each": draw(st.integers(1, 2)),
                "side": draw(each_side),
            }
            | help_by
            | pruned(**{k: draw(v) for k, v in common.items()})
            | draw(scopes(words, True))
        )
    order = st.sampled_from(["cheapest", "weakest"]) | st.permutations(keys)
    losses = pruned(
        order=draw(maybe(order | st.builds(lambda a: {"attacker": a}, order))),
        last=draw(maybe(selector)),
        removed_alone=draw(maybe(selector | st.builds(lambda s: {"defender": s}, selector))),
        repaired=draw(maybe(st.booleans())),
    )
    kind = pruned(
        taken_by=draw(maybe(selector)),
        may_retreat=["attacker", "defender"],
        retreat_after=draw(maybe(st.integers(0, 2))),
        rounds=draw(maybe(st.integers(1, 4))),
        undecided=draw(maybe(st.sampled_from(["nobody", "attacker", "defender"]))),
    )
    for side in ("attacker", "defender"):
        part = draw(st.sampled_from(["all", "all", "fights", "supports"] if len(keys) > 1 else ["all"]))
        if part == "fights":
            kind[side] = {"fights": draw(st.lists(st.sampled_from(keys), min_size=1, unique=True))}
        elif part == "supports":
            kind[side] = {"supports": [keys[-1]]}
    dice = {"sides": sides, "hit": draw(st.sampled_from(["at-most", "at-least"]))}
    if draw(st.integers(0, 3)) == 0:
        dice |= {"always_hit": [sides], "always_miss": [1]}
    if draw(st.integers(0, 3)) == 0:
        dice["clamp"] = [1, sides]
    return {
        "format": 1,
        "name": "made up",
        "dice": dice,
        "unit": made,
        "battle": {"field": kind, "raid": {}},
        "condition": {"rain": {}, "terrain": {"choices": ["open", "wood"], "default": "wood"}},
        "step": draw(steps(names, words, shots)),
        "support": supports,
        "modifier": modifiers,
        "losses": losses,
    }


POLICIES = st.sampled_from(["outnumbered", "outpowered", "after-rounds", "units-at-most", "odds-below"])
NUMBERS = {
    "after-rounds": ("after_rounds", 2),
    "units-at-most": ("units_at_most", 1),
    "odds-below": ("odds_below", 0.4),
}


@st.composite
def policies(draw, fights):
    policy = {}
    if draw(st.booleans()):
        chosen = draw(st.lists(POLICIES, min_size=1, max_size=2, unique=True))
        policy["retreat"] = chosen if len(chosen) > 1 else chosen[0]
        policy |= {NUMBERS[name][0]: NUMBERS[name][1] for name in chosen if name in NUMBERS}
    return policy | pruned(
        loss_order=draw(maybe(st.sampled_from(["cheapest", "weakest"]) | st.permutations(fights))),
        keep=draw(maybe(st.dictionaries(st.sampled_from(fights), st.integers(1, 2), max_size=1))),
        absorb=draw(maybe(st.sampled_from(["first", "last"]))),
    )


@st.composite
def scenarios(draw, most=4):
    game = draw(games())
    sides, kind = {}, game["battle"]["field"]
    policy = {}
    for side in ("attacker", "defender"):
        supports = kind.get(side, {}).get("supports", [])
        fights = kind.get(side, {}).get("fights", [key for key in game["unit"] if key not in supports])
        able = [key for key in game["unit"] if key in fights or key in supports]
        army = {key: draw(st.integers(0, 2)) for key in draw(st.lists(st.sampled_from(able), unique=True))}
        if not any(army.get(key) for key in fights):
            army[fights[0]] = draw(st.integers(1, most))
        own = st.fixed_dictionaries(
            {"adds": st.integers(-1, 1)},
            optional={"to_round": st.integers(1, 2), "units": st.just([fights[0]]), "reroll": st.just("misses")},
        )
        sides[side] = army | pruned(
            modifier=draw(maybe(st.integers(-1, 1))), modifiers=draw(maybe(st.lists(own, max_size=2)))
        )
        policy[side] = draw(policies(fights))
    return {
        "game": "custom",
        "battle": "field",
        "rules": game,
        "conditions": pruned(rain=draw(maybe(st.booleans())), terrain=draw(maybe(st.sampled_from(["open", "wood"])))),
        "policy": policy,
        "options": pruned(
            dice=draw(maybe(st.sampled_from(["rolled", "low-luck"]))), rounds=draw(maybe(st.integers(1, 5)))
        ),
        **sides,
    }
