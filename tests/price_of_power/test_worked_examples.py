"""The worked examples of docs/rules/price_of_power.md section 11, with the faces written there."""

import pytest

from simulator import exact, load
from simulator.rules.price_of_power import rules
from simulator.rules.price_of_power.dice import Icons
from simulator.rules.price_of_power.outcome import outcome
from simulator.rules.price_of_power.setup import Setup

ICONS = {"f": Icons(1), "T": Icons(tercios=1), "h": Icons(cavalry=1), "a": Icons(artillery=1), "-": Icons()}


def scenario(kind="land", **tables):
    return load({"game": "price-of-power", "battle": kind, **tables})


class Table:
    """A battle under way, driven by faces: the attacker's roll, then the defender's, which both count at once."""

    def __init__(self, asked):
        self.setup = Setup(asked.fields)
        self.state = rules.begun(self.setup)
        self.waiting = []

    @property
    def side(self):
        return ("attacker", "defender")[len(self.waiting)]

    def roll(self, faces):
        thrown = [ICONS[face] for face in faces.split()]
        side = len(self.waiting)
        assert len(thrown) == sum(rules.throw_of(self.setup, self.state, side).pool[:3])
        self.waiting.append(rules.after_faces(self.setup, self.state, 1 - side, thrown))
        if side:
            defender, attacker = self.waiting
            self.state, self.waiting = rules.rolled(self.setup, self.state.round, attacker, defender), []
        return self

    def next(self):
        return rules.follow(self.setup, self.state)

    def columns(self):
        return {name: values[0] for name, values in outcome(self.setup, [self.state]).items()}

    @property
    def over(self):
        return self.next() is None


def check(table, **expected):
    seen = table.columns()
    assert {name: int(seen[name]) for name in expected} == expected


def test_1_cap_per_unit():
    table = Table(scenario(attacker={"infantry": 2, "cavalry": 1}, defender={"infantry": 3}))
    table.roll("f f T").roll("h - f")
    check(table, attacker_infantry_left=1, attacker_cavalry_left=1, defender_units_left=1)
    table.roll("h h f").roll("a - T")
    check(table, attacker_cavalry_left=1, attacker_losses=2, defender_losses=3, winner=0)
    assert table.over


def test_2_idea_wounds_killed_ruler():
    asked = scenario(
        attacker={"infantry": 4, "ideas": ["tercios"]},
        defender={"infantry": 9, "leader": {"infantry": 2, "ruler": True}},
    )
    table = Table(asked)
    table.roll("T T -").roll("f - - h a")
    check(table, attacker_units_left=3, defender_units_left=5, defender_leader_wounds=1)
    table.roll("T T f").roll("- - - - -")
    check(table, attacker_units_left=3, defender_units_left=2, defender_ruler_killed=1)
    table.roll("- h a")
    table.roll("f - -")
    check(table, attacker_units_left=2, defender_units_left=2, defender_ruler_killed=1)


@pytest.mark.parametrize(("alternation", "left"), [("each-round", (0, 2, 1)), ("whole-battle", (1, 1, 1))])
def test_3_alternation(alternation, left):
    asked = scenario(
        attacker={"mercenary_infantry": 2, "infantry": 2, "allied_infantry": 1},
        defender={"infantry": 9},
        options={"casualty_alternation": alternation},
    )
    table = Table(asked)
    for _ in range(2):
        table.roll("- - -").roll("f - -")
    check(table, attacker_mercenary_left=left[0], attacker_regular_left=left[1], attacker_allied_left=left[2])


def test_4_retreat():
    asked = scenario(
        attacker={"infantry": 4, "cavalry": 1},
        defender={"infantry": 5},
        policy={"attacker": {"retreat": "when-outnumbered"}},
    )
    table = Table(asked).roll("f - -").roll("f f a")
    assert table.over
    check(
        table, winner=1, attacker_infantry_left=1, attacker_cavalry_left=1, attacker_losses=3, attacker_retreated=1,
        defender_units_left=4, defender_losses=1,
    )  # fmt: skip


def test_to_leave_is_a_decision_at_the_end_of_the_round():
    asked = scenario(
        attacker={"infantry": 4, "cavalry": 1, "mercenary_infantry": 1},
        defender={"infantry": 5},
        policy={"attacker": {"retreat": "best"}, "defender": {"retreat": "at-or-below", "retreat_at": 4}},
    )
    table = Table(asked).roll("f - -")
    assert table.side == "defender"
    table.roll("f f -")
    choice = table.next()
    assert (choice.side, choice.policy, list(choice.options)) == (
        "attacker", "policy.attacker.retreat", ["stay", "leave"],
    )  # fmt: skip
    table.state = choice.options["leave"]
    # Mercenary and regular were hit, there are no allies: the price is a regular again.
    check(table, winner=1, attacker_retreated=1, attacker_infantry_left=2, attacker_cavalry_left=1, attacker_losses=3)
    # Now the defender is asked: four units are left of five, and that is his time to go.
    table.state = choice.options["stay"]
    check(table, winner=0, defender_retreated=1, defender_infantry_left=3, attacker_losses=2, defender_losses=2)
    assert table.over


@pytest.mark.parametrize("capital", [False, True])
def test_5_npr_leaves(capital):
    asked = scenario(
        attacker={"infantry": 5},
        defender={"kind": "npr", "infantry": 4, "leader": "none", "defends_capital": capital},
    )
    table = Table(asked).roll("f - a").roll("f - -")
    assert table.over != capital
    if not capital:
        check(table, winner=0, defender_losses=1, defender_withdrawn=3, defender_units_left=0)


def test_6_three_defenders():
    asked = scenario(
        attacker={"infantry": 6},
        defender={
            "leader": {"cavalry": 2},
            "factions": [
                {"kind": "npr", "name": "Milan", "infantry": 3},
                {"name": "France", "infantry": 2, "cavalry": 2},
                {"name": "Austria", "infantry": 3},
            ],
        },
        policy={"defender": {"retreat": "at-or-below", "retreat_at": 4}},
    )
    table = Table(asked).roll("f f T").roll("f - - h h")
    check(table, attacker_units_left=3, defender_faction_1_left=2, defender_faction_2_left=3, defender_faction_3_left=2)
    table.roll("f f T").roll("- - - T f")
    check(table, attacker_units_left=1, defender_faction_1_left=1, defender_faction_2_left=1, defender_faction_3_left=0)
    check(table, defender_cavalry_left=1, defender_retreated=1)
    assert not table.over
    table.roll("- - -").roll("f f f")
    check(table, winner=1, attacker_units_left=0)


def test_realms_that_leave_by_themselves():
    """B leaves at one unit of its own and pays it; C may not leave; A follows the side, which stays."""
    asked = scenario(
        attacker={"infantry": 6},
        defender={
            "factions": [
                {"name": "A", "infantry": 3},
                {"name": "B", "infantry": 2, "retreat": "at-or-below", "retreat_at": 1},
                {"name": "C", "infantry": 2, "retreat": "when-outnumbered", "can_retreat": False},
                {"name": "D", "infantry": 3, "retreat": "when-half"},
                {"name": "E", "infantry": 1, "retreat": "after-round", "retreat_at": 2},
            ]
        },
    )
    table = Table(asked).roll("f f f").roll("- - -")
    # The largest are hit first, as listed: A, D, B. B is down to one.
    check(table, **{f"defender_faction_{n}_left": left for n, left in enumerate((2, 0, 2, 2, 1), 1)})
    check(table, defender_retreated=1, defender_losses=4, defender_ducats_lost=8, winner=2)
    table.roll("f f -").roll("- - -")
    # A and C are hit: 5 units against 6, but D has two of three left, and C may not go; E goes after round 2.
    check(table, **{f"defender_faction_{n}_left": left for n, left in enumerate((1, 0, 1, 2, 0), 1)})
    table.roll("- f f").roll("- - -")
    # D and A are hit: D has one of three left and goes, which costs it that one.
    check(table, **{f"defender_faction_{n}_left": left for n, left in enumerate((0, 0, 1, 0, 0), 1)})
    assert not table.over


@pytest.mark.parametrize(
    ("order", "left"), [(["cavalry", "cavalry", "infantry"], (1, 0, 1)), (["artillery", "infantry"], (1, 1, 0))]
)
def test_a_custom_order_of_losses(order, left):
    """An entry of a type that is not left is passed over; each category goes through the list for itself."""
    asked = scenario(
        attacker={"mercenary_infantry": 1, "infantry": 2, "cavalry": 1, "artillery": 1},
        defender={"infantry": 9},
        policy={"attacker": {"losses": "custom", "loss_order": order}},
    )
    table = Table(asked).roll("- - -").roll("f f f")
    check(
        table,
        **dict(zip((f"attacker_{unit}_left" for unit in ("infantry", "cavalry", "artillery")), left, strict=True)),
    )
    check(table, attacker_mercenary_left=0, attacker_losses=3)


def test_a_card_for_who_is_behind():
    """Played before the first round with fewer units; its two dice are rolled in that round alone."""
    card = {"infantry": 2, "when": "if-behind", "this_round_only": True}
    asked = scenario(attacker={"infantry": 4, "battle_actions": [card]}, defender={"infantry": 4})
    table = Table(asked).roll("f - -").roll("f f -")
    check(table, attacker_units_left=2, defender_units_left=3, attacker_actions_played=1)
    table.roll("f f - - -").roll("- - -")
    check(table, defender_units_left=1, attacker_actions_played=1, attacker_ducats_lost=4, defender_ducats_lost=6)
    table.roll("f - -").roll("- - -")
    assert table.over


def test_a_card_is_played_only_while_led():
    """Austria leads and falls; Milan is behind, but has no card to play."""
    asked = scenario(
        attacker={"infantry": 4},
        defender={
            "battle_actions": [{"infantry": 2, "when": "if-behind", "round": 2}],
            "factions": [{"kind": "npr", "name": "Milan", "infantry": 2, "defends_capital": True}, {"infantry": 1}],
        },
    )
    table = Table(asked).roll("f f -").roll("- - -")
    check(table, defender_faction_1_left=1, defender_faction_2_left=0, defender_actions_played=0)


@pytest.mark.parametrize(
    ("units", "cost"),
    [
        ({"infantry": 1, "cavalry": 1, "artillery": 1}, 13),
        ({"mercenary_infantry": 1, "mercenary_cavalry": 1, "mercenary_artillery": 1}, 19),
        ({"allied_infantry": 1, "allied_cavalry": 1}, 3),
        ({"kind": "npr", "infantry": 3}, 0),
        ({"galleys": 1, "light": 1, "heavy": 2, "damaged": 1}, 26),
        ({"kind": "pirates", "light": 2}, 0),
    ],
)
def test_prices(units, cost):
    sea = bool({"light", "galleys"} & set(units))
    enemy = {"light" if sea else "infantry": 9, "automatic_hits": 10}
    odds = exact(scenario("naval" if sea else "land", attacker=units, defender=enemy, options={"base_dice": 0}))
    assert odds.winner("defender") == 1
    assert odds.mean("attacker_ducats_lost") == cost


def test_7_charge():
    charged = exact(
        scenario(
            attacker={"infantry": 2, "cavalry": 3, "ideas": ["noble-knights"]},
            defender={"infantry": 2, "cavalry": 1},
            conditions={"max_rounds": 1},
            options={"base_dice": 0},
        )
    )
    assert [charged.p(f"defender_losses == {n}") for n in (0, 1, 2)] == pytest.approx([1 / 4, 1 / 2, 1 / 4])
    assert charged.p("defender_cavalry_left == 1") == 1


def test_8_drill():
    table = Table(
        scenario(attacker={"infantry": 1, "cavalry": 1, "ideas": ["military-drill"]}, defender={"infantry": 5})
    )
    table.roll("f h").roll("- - -")
    check(table, defender_losses=2)


def test_9_sea():
    table = Table(scenario("naval", attacker={"heavy": 1, "light": 2, "galleys": 1}, defender={"light": 3}))
    table.roll("a f T").roll("a a f")
    check(table, attacker_damaged_left=1, attacker_galleys_left=0, attacker_light_left=2, defender_ships_left=1)
    table.roll("T T a").roll("a f f")
    check(
        table, winner=0, attacker_light_left=1, attacker_damaged_left=1, attacker_captured=1, attacker_losses=2,
        defender_losses=3,
    )  # fmt: skip


def taken(asked):
    return {name: exact(asked).mean(name) for name in ("provinces_taken", "value_taken", "power_spent", "actions_used")}


def test_10_siege():
    provinces = [{"size": "large"}, {"size": "small"}, {"size": "large"}, {"size": "small", "island": True}]
    army = {"infantry": 2, "cavalry": 2, "artillery": 1, "military_power": 3}
    once = scenario("siege", attacker=army, defender={"provinces": provinces})
    assert taken(once) == {"provinces_taken": 2, "value_taken": 4, "power_spent": 3, "actions_used": 1}
    assert (exact(once).winner("attacker"), exact(once).p("all_taken")) == (1, 0)
    assert exact(once).mean("siege_strength") == 5
    thrice = scenario(
        "siege", attacker=army | {"ships_facing": True}, defender={"provinces": provinces}, conditions={"actions": 3}
    )
    assert taken(thrice) == {"provinces_taken": 4, "value_taken": 6, "power_spent": 3, "actions_used": 3}
    assert exact(thrice).winner("attacker") == 1


def test_11_capacities():
    provinces = [
        {"size": "large", "port": True, "faces_zone": True},
        {"manpower_tokens": 1},
        {"location": "land", "size": "large", "hostile_units": True},
        {"location": "land", "occupied": True},
        {"location": "sea", "port": True, "faces_zone": True},
    ]
    odds = exact(scenario("npr-defence", defender={"provinces": provinces}))
    assert (odds.mean("land_units"), odds.mean("ships")) == (5, 3)
    assert odds.p("leader_drawn_land") == odds.p("leader_drawn_sea") == 1
    over = exact(scenario("crossing", attacker={"units": 10, "military_power": 2}, conditions={"border": "mountain"}))
    assert (over.mean("units_across"), over.mean("power_for_all")) == (6, 4)


@pytest.mark.parametrize(
    ("kind", "attacker", "defender"),
    [("land", {"infantry": 1}, {"infantry": 1}), ("naval", {"light": 1}, {"kind": "pirates", "light": 1})],
)
def test_12_by_hand(kind, attacker, defender):
    odds = exact(scenario(kind, attacker=attacker, defender=defender, options={"count_rounds": True}))
    assert odds.winner("nobody") == pytest.approx(7 / 9)
    assert odds.winner("attacker") == pytest.approx(1 / 9)
    assert odds.winner("defender") == pytest.approx(1 / 9)
    assert odds.mean("rounds") == pytest.approx(64 / 63)
