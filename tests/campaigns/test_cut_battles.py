"""A battle with a limit of rounds, cut in two fights, is one battle of all the rounds (docs/rules/campaigns.md 3).

Where the rules make the parts differ, a test says why. Sieges of Europa: test_fortresses.py.
"""

import pytest

from simulator import exact, rules
from simulator.rules import custom
from simulator.scenarios import kinds_of
from tests.campaigns.test_chains import table

TOLERANCE = 1e-9


def risk(rounds):
    return {"policy": {"attacker": {"retreat": "max-rounds", "max_rounds": rounds}}}


def most(rounds):
    return {"conditions": {"max_rounds": rounds}}


def of_file(rounds):
    return {"options": {"rounds": rounds}}


CUTS = {
    "risk land": ("risk", "land", {"regiments": 8}, {"regiments": 7}, risk, ["regiments"]),
    "risk amphibious": ("risk", "amphibious", {"regiments": 5, "fleets": 3}, {"regiments": 4}, risk, ["regiments"]),
    "risk naval": ("risk", "naval", {"fleets": 4}, {"fleets": 4}, risk, ["fleets"]),
    "the price of power, land": (
        "price-of-power", "land", {"infantry": 3, "cavalry": 1}, {"infantry": 3, "artillery": 1}, most,
        ["infantry", "cavalry", "artillery"],
    ),
    "the price of power, naval": (
        "price-of-power", "naval", {"light": 1, "heavy": 2}, {"light": 2, "heavy": 1}, most, ["light", "heavy"],
    ),
    "axis and allies": (
        "axis-and-allies-1942", "land", {"infantry": 3, "tank": 1, "fighter": 1}, {"infantry": 4, "fighter": 1},
        of_file, ["infantry", "tank", "fighter"],
    ),
    "axis and allies at sea": (
        "axis-and-allies-1942", "sea", {"cruiser": 2, "fighter": 1}, {"cruiser": 1, "destroyer": 2}, of_file,
        ["cruiser", "destroyer", "fighter"],
    ),
    "axis and allies, a landing without ships": (
        "axis-and-allies-1942", "amphibious", {"infantry": 3, "tank": 1}, {"infantry": 3}, of_file,
        ["infantry", "tank"],
    ),
    **{
        f"{game}, {kind}": (f"axis-and-allies-{game}", kind, own, own, of_file, [*own])
        for game in ("1940", "revised")
        for kind, own in {
            "land": {"infantry": 2, "artillery": 1},
            "amphibious": {"infantry": 3},
            "sea": {"destroyer": 2, "fighter": 1},
        }.items()
    },
    "skirmish on foot": (
        "skirmish", "field", {"pikes": 3, "captain": 1}, {"pikes": 4}, of_file, ["pikes", "captain"]
    ),
    "britannia": ("britannia", "area", {"roman": 2}, {"army": 3}, of_file, ["roman", "army"]),
    "risk 2210": ("risk-2210", "invasion", {"commander": 1, "mod": 4}, {"mod": 3}, of_file, ["commander", "mod"]),
    "space empires": ("space-empires-4x", "space", {"destroyer": 2}, {"destroyer": 2}, of_file, ["destroyer"]),
    "warhammer": ("warhammer-40000", "shooting", {"guardsman": 3}, {"guardsman": 3}, of_file, ["guardsman"]),
    "twilight imperium, in space": (
        "twilight-imperium-4", "space", {"cruiser": 3, "fighter": 1}, {"carrier": 2, "fighter": 2}, of_file,
        ["cruiser", "carrier", "fighter"],
    ),
    "twilight imperium, on the ground": (
        "twilight-imperium-4", "ground", {"infantry": 4}, {"infantry": 4}, of_file, ["infantry"]
    ),
}  # fmt: skip
# Kinds whose parts are joined by hand, here or where this says.
JOINED = {
    ("birthright", "siege"), ("price-of-power", "siege"), ("europa", "revolt"), ("europa", "pirate-hunt"),
    ("eclipse-second-dawn", "space"),
    ("europa", "siege"), ("europa", "siege-campaign"),  # test_fortresses.py
}  # fmt: skip
ONE_ROLL, CHAIN = "one procedure without rounds", "a chain of battles that go on within it (test_chains.py)"
DAYS, LEAVES = "the rules fix its days or segments: no limit ends it before", "who stops is driven off"
# Kinds that no field ends half way.
WHOLE = {
    ("europa", "land"): DAYS,
    ("europa", "naval"): DAYS,
    ("birthright", "tactical"): "fought until a side is gone",
    ("birthright", "storm"): "fought until a side is gone",
    ("birthright", "quick-battle"): ONE_ROLL,
    ("kings-and-things", "land"): LEAVES,
    ("kings-and-things", "free-for-all"): LEAVES,
    ("kings-and-things", "exploration"): LEAVES,
    ("risk", "invasion"): CHAIN,
    ("risk", "blockade-run"): "the odds of the run are those of the naval battle that it begins",
    ("price-of-power", "campaign"): CHAIN,
    ("europa", "expedition"): CHAIN,
    ("europa", "passage"): CHAIN,
    ("europa", "native-chain"): CHAIN,
    **{("birthright", kind): ONE_ROLL for kind in ("adjustment", "movement", "visibility")},
    **{("price-of-power", kind): ONE_ROLL for kind in ("crossing", "npr-defence")},
    **{
        ("europa", kind): ONE_ROLL
        for kind in (
            "attrition", "blockade-run", "conquistador", "continuation", "corsair-raid", "exploration", "interception",
            "leader-survival", "logistics", "native-activation", "strait-fire",
        )
    },
    **{(f"axis-and-allies-{game}", "raid"): "one round" for game in ("1940", "1942")},
    ("axis-and-allies-1940", "raid-on-a-base"): "one round",
    ("nexus-ops", "hex"): "one round",
    ("war-of-the-ring", "battle"): "the defender wins an undecided battle, and drives the attacker off",
    **dict.fromkeys(
        (("titan", "battle"), ("lordsawar", "battle"), ("freeciv", "attack"), ("julius-caesar", "city")),
        "damage is repaired between fights (docs/rules/campaigns.md 5.6)",
    ),
}  # fmt: skip


def test_every_kind_can_be_cut_or_says_why_not():
    """A new kind has to be written into one of the lists."""
    cut = {(game, kind) for game, kind, *_ in CUTS.values()}
    every = {(game, kind) for game in (*rules.GAMES, *custom.names()) for kind in kinds_of(game)}
    shipped = {(game, kind) for game, kind in every if game in custom.names() or isinstance(rules.GAMES[game], str)}
    assert shipped == cut | JOINED | WHOLE.keys()
    assert not WHOLE.keys() & (cut | JOINED)


def campaign(game, kind, own, enemy, *fights):
    listed = [{"battle": kind, "attacker": "red", "defender": "blue"} | one for one in fights]
    return {"game": "campaign", "of": game, "force": {"red": own, "blue": enemy}, "fight": listed}


def pieces(odds, names):
    """The chance of each combination of what both forces have here."""
    columns = [name for name in odds.columns if name.endswith("_here")]
    wanted = [name for name in columns if any(name.endswith(f"_{piece}_here") for piece in names)]
    assert wanted
    return table(odds, *(odds.columns[name] for name in sorted(wanted)))


def differences(one, two):
    return max(abs(one[row] - two[row]) for row in {*one, *two})


@pytest.mark.parametrize("parts", [(2, 2), (1, 3), (1, 1, 1, 1)], ids=str)
@pytest.mark.parametrize("name", CUTS)
def test_a_battle_cut_in_parts_is_one_battle(name, parts):
    game, kind, own, enemy, limit, names = CUTS[name]
    one = exact(campaign(game, kind, own, enemy, limit(sum(parts))))
    cut = exact(campaign(game, kind, own, enemy, *map(limit, parts)))
    assert differences(pieces(one, names), pieces(cut, names)) < TOLERANCE
    for winner in ("attacker", "defender", "nobody"):
        assert cut.winner(winner) == pytest.approx(one.winner(winner), abs=TOLERANCE)


def test_eclipse_is_one_battle_where_nobody_wins_an_undecided_one():
    """By the file the defender wins it, and drives the attacker off; ships of one hit have no damage to repair."""
    fleets = "eclipse-second-dawn", "space", {"interceptor": 4}, {"interceptor": 3}
    undecided = {"rules": {"battle": {"space": {"undecided": "nobody"}}}}
    one = exact(campaign(*fleets, of_file(4)) | undecided)
    cut = exact(campaign(*fleets, of_file(2), of_file(2)) | undecided)
    assert differences(pieces(one, ["interceptor"]), pieces(cut, ["interceptor"])) < TOLERANCE
    by_the_file = exact(campaign(*fleets, of_file(2), {}))
    assert by_the_file.p("fight1_winner == 'defender' and red_interceptor_out > 0") > 0.1
    assert by_the_file.p("fight1_winner == 'defender' and red_interceptor_here > 0") == 0


@pytest.mark.parametrize("troops", [{"knights": 2}, {"archers": 3}], ids=["knights", "archers"])
def test_a_skirmish_begins_anew_in_every_fight(troops):
    """Damage of the knights is repaired between fights (5.6); archers shoot in the first two rounds of every fight."""
    sides = "skirmish", "field", {"pikes": 1} | troops, {"pikes": 2}
    one, cut = exact(campaign(*sides, of_file(4))), exact(campaign(*sides, of_file(2), of_file(2)))
    names = ["pikes", *troops]
    assert differences(pieces(one, names), pieces(cut, names)) > 1e-3


def test_what_a_battle_of_the_price_of_power_remembers():
    """Casualties that alternate over the whole battle begin anew in a second one."""
    own = {"infantry": 2, "mercenary_infantry": 2}
    option = {"options": {"casualty_alternation": "whole-battle"}}
    sides = "price-of-power", "land", own, {"infantry": 3}
    one, cut = exact(campaign(*sides, most(4) | option)), exact(campaign(*sides, most(2) | option, most(2) | option))
    names = list(own)
    assert differences(pieces(one, names), pieces(cut, names)) > 1e-4


def test_who_leaves_a_hex_is_out_of_the_next_fight():
    """Kings & Things has no limit of rounds but a retreat, and who retreats is driven off (3.2)."""
    sides = "kings-and-things", "land", {"creatures": ["4", "3", "3"]}, {"creatures": ["4", "3"]}
    stop = {"policy": {"attacker": {"retreat": "after-rounds", "retreat_after": 2}}}
    cut = exact(campaign(*sides, stop, {}))
    left = cut.p("fight1_winner == 'defender' and red_creatures_out >= 1")
    assert left > 0.01
    assert cut.p("fight1_winner == 'defender' and red_creatures_out >= 1 and fight2_fought") == 0


SIEGE = {
    "game": "birthright", "battle": "siege",
    "attacker": {"units": ["10 x infantry", "3 x artillerists"], "warcraft": 2},
    "defender": {"units": ["2 x infantry"], "warcraft": 1},
}  # fmt: skip


def birthright(level, seasons, **more):
    table = {"options": {"siege_table": [[1000, 20, 2]]}}
    return SIEGE | table | {"conditions": {"fortification": level, "seasons": seasons} | more}


def test_a_siege_of_birthright_cut_in_parts_is_one_siege_while_nobody_is_lost():
    """Without a storm or a battle the level is all that goes on: 2 levels a season, 5 seasons for level 10."""
    for level in (4, 8, 10, 12):
        one, first = exact(birthright(level, 4)), exact(birthright(level, 2))
        goes_on = first.winner("nobody")
        second = exact(birthright(max(1, round(first.mean("level_left"))), 2))
        assert one.winner("attacker") == pytest.approx(
            first.winner("attacker") + goes_on * second.winner("attacker"), abs=TOLERANCE
        )
        if goes_on:
            assert one.mean("level_left") == pytest.approx(second.mean("level_left"), abs=TOLERANCE)


def test_a_storm_wears_a_besieger_of_birthright_down_for_the_rest_of_the_siege():
    """Steps that the storms of a first part cost are units of the second that are weaker: no field says so.

    A besieger begins every scenario with whole units, so that a siege with storms cannot be cut in scenarios.
    """
    storm = {"policy": {"attacker": {"siege": "storm-now"}}}
    one, first = exact(birthright(12, 2) | storm), exact(birthright(12, 1) | storm)
    assert first.p("attacker_steps_left < 26 and winner == 'nobody'") > 0
    fresh = exact(birthright(10, 1) | storm)
    forgotten = first.winner("attacker") + first.winner("nobody") * fresh.winner("attacker")
    assert one.winner("attacker") != pytest.approx(forgotten, abs=1e-3)


LOMBARDY = {
    "game": "price-of-power", "battle": "siege", "attacker": {"infantry": 2, "cavalry": 2, "artillery": 1},
    "defender": {"provinces": [{"name": "Milano"}, {"name": "Pavia"}, {"name": "Brescia"}, {"name": "Cremona"}]},
}  # fmt: skip


def test_siege_actions_of_the_price_of_power_cut_in_parts_are_one_siege():
    """Nothing is lost in a siege: the next action takes of what the first left."""
    one = exact(LOMBARDY | {"conditions": {"actions": 2}})
    first = exact(LOMBARDY | {"conditions": {"actions": 1}})
    provinces = LOMBARDY["defender"]["provinces"]
    left = [place for at, place in enumerate(provinces, 1) if not first.p(f"taken_{at}")]
    second = exact(LOMBARDY | {"defender": {"provinces": left}, "conditions": {"actions": 1}}) if left else None
    taken = first.mean("provinces_taken") + (second.mean("provinces_taken") if second else 0)
    assert one.mean("provinces_taken") == taken


UNREST = {
    "revolt": {"attacker": {"army_minus": 1, "land_detachments": 1, "manoeuvre": 2}, "defender": {"fortress_level": 1}},
    "pirate-hunt": {"attacker": {"warships": 3, "fleets_minus": 1}, "defender": {"manoeuvre": 1}},
}
COUNTERS = {"revolt": ("revolts_minus", "revolts_plus"), "pirate-hunt": ("corsairs_minus", "corsairs_plus")}


@pytest.mark.parametrize("kind", UNREST)
@pytest.mark.parametrize("parts", [(2, 2), (1, 3)], ids=str)
def test_unrest_fought_in_parts_is_one_fight(kind, parts):
    """Of one large counter two sides may be left, which is the large one again, or one: the small one."""

    def fought(rounds, small, large):
        sides = UNREST[kind]
        counters = dict(zip(COUNTERS[kind], (small, large), strict=True))
        scenario = {"game": "europa", "battle": kind, "attacker": sides["attacker"], "conditions": {"rounds": rounds}}
        return exact(scenario | {"defender": sides["defender"] | counters})

    one, first = fought(sum(parts), 0, 1), fought(parts[0], 0, 1)
    cleared, left = first.p("cleared"), 0.0
    for sides, counters in ((1, (1, 0)), (2, (0, 1))):
        chance, second = first.p(f"sides_left == {sides}"), fought(parts[1], *counters)
        assert chance > 0
        cleared += chance * second.p("cleared")
        left += chance * second.mean("sides_left")
    assert one.p("cleared") == pytest.approx(cleared, abs=TOLERANCE)
    assert one.mean("sides_left") == pytest.approx(left, abs=TOLERANCE)
