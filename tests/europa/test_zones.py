"""Fleets on their way: several interceptors in one zone, fleets beaten or stopped, troops saved (section 14)."""

from itertools import product

import pytest

from simulator import ScenarioError, exact, load
from tests.europa import reference_naval as ref

SHIPS = ("warships", "exploration_ships", "transports")
CALM = {"sea_attrition": False, "landing_attrition": False}
ADMIRAL = {"manoeuvre": 2, "fire": 0, "shock": 0}


def passage(attacker, defender, conditions=None, **more):
    fleet = {"leader": "none"} | attacker
    return {
        "game": "europa", "battle": "passage", "attacker": fleet, "defender": defender, "conditions": conditions or {},
        **more,
    }  # fmt: skip


def interceptors(*fleets, **shared):
    return {"interceptors": [fleet | shared for fleet in fleets]}


def commanding(fleets):
    """The fleet whose leader commands: a table before a replacement before none; MAN, then Fire + Shock, then first."""

    def order(fleet):
        leader = fleet.get("leader", "replacement")
        if isinstance(leader, dict):
            return 2, leader["manoeuvre"], leader["fire"] + leader["shock"]
        return (1 if leader == "replacement" else 0), 0, 0

    best = fleets[0]
    for fleet in fleets[1:]:
        if order(fleet) > order(best):
            best = fleet
    return best


def technology(fleets):
    """That of most of the ships; of equals the first."""
    sizes = {}
    for fleet in fleets:
        name = fleet.get("technology", "nao-galleon")
        thirds = 3 * (fleet.get("warships", 0) + fleet.get("transports", 0)) + fleet.get("exploration_ships", 0)
        sizes[name] = sizes.get(name, 0) + thirds
    return max(sizes, key=sizes.get)


def by_hand(attacker, fleets, chances):
    """Slow: who comes, one battle against all of them; (beaten, mean ships left by kind)."""
    beaten, left = 0.0, dict.fromkeys(SHIPS, 0.0)
    for comes in product((False, True), repeat=len(fleets)):
        p = 1.0
        for there, chance in zip(comes, chances, strict=True):
            p *= chance if there else 1 - chance
        there = [fleet for fleet, arrives in zip(fleets, comes, strict=True) if arrives]
        if not there:
            for kind in SHIPS:
                left[kind] += p * attacker.get(kind, 0)
            continue
        enemy = {kind: sum(fleet.get(kind, 0) for fleet in there) for kind in SHIPS}
        enemy |= {"leader": commanding(there).get("leader", "replacement"), "technology": technology(there)}
        battle = {
            "game": "europa", "battle": "naval", "attacker": {"leader": "none"} | attacker, "defender": enemy,
            "conditions": {"interception": True},
        }  # fmt: skip
        for q, row in ref.naval(battle):
            own, other = row["sides"]
            thirds = own["fleet"]["warships"] + 3 * other["taken"]["warships"] * (row["winner"] == 0)
            transports = own["fleet"]["transports"] + other["taken"]["transports"] * (row["winner"] == 0)
            beaten += p * q * (row["winner"] != 0 or own["troops"] == 0)
            for kind, number in zip(SHIPS, (thirds // 3, thirds % 3, transports), strict=True):
                left[kind] += p * q * number
    return beaten, left


FLEET = {"warships": 6, "transports": 2, "land_detachments": 2}
# Against a leader of MAN 0: MAN 2 is there with a 6 or more, MAN 3 with a 5, MAN 0 with an 8.
THREE = (
    {"warships": 2, "leader": {"manoeuvre": 2, "fire": 3, "shock": 1}},
    {
        "warships": 1,
        "exploration_ships": 1,
        "technology": "galleon-fluyt",
        "leader": {"manoeuvre": 3, "fire": 1, "shock": 1},
    },
    {"warships": 2, "technology": "galleon-fluyt", "leader": "none"},
)
CHANCES = (0.5, 0.6, 0.3)


@pytest.mark.parametrize("shared", [{"zone": "Channel"}, {"stage": "landing"}])
def test_interceptors_of_one_zone_fight_in_one_battle(shared):
    """Against every fleet that may come about, fought by the slow reference."""
    odds = exact(passage(FLEET, interceptors(*THREE, **shared), CALM))
    beaten, left = by_hand(FLEET, THREE, CHANCES)
    assert odds.p("beaten_at_sea") == pytest.approx(beaten, abs=1e-9)
    assert {kind: odds.mean(f"attacker_{kind}_left") for kind in SHIPS} == pytest.approx(left, abs=1e-9)
    assert odds.p("battles <= 1") == pytest.approx(1)


def test_interceptors_without_a_zone_fight_one_after_the_other():
    apart = exact(passage(FLEET, interceptors(*THREE[:2]), CALM))
    assert apart.p("battles == 2") > 0
    said = " ".join(apart.assumptions)
    assert "each in a zone of its own" in said
    together = exact(passage(FLEET, interceptors(*THREE[:2], zone="Channel"), CALM))
    assert "each in a zone of its own" not in " ".join(together.assumptions)


@pytest.mark.parametrize(("warships", "beaten"), [(6, 0.4742), (8, 0.4232), (10, 0.4083)])
def test_p4_two_squadrons_at_the_landing(warships, beaten):
    squadrons = interceptors({"warships": 5, "leader": ADMIRAL}, {"warships": 5, "leader": ADMIRAL}, stage="landing")
    odds = exact(passage({"warships": warships, "transports": 2, "army_plus": 1}, squadrons, CALM))
    assert odds.p("beaten_at_sea") == pytest.approx(beaten, abs=5e-5)


FAR = {"zones_entered": 12, "sea_difficulty": 4, "zones_to_port": 5}


def test_p2_a_beaten_fleet_rolls_once_for_voyage_and_retreat():
    squadron = interceptors({"warships": 20, "leader": {"manoeuvre": 6}})
    odds = exact(passage(FLEET, squadron, FAR))
    assert odds.p("beaten_at_sea") == pytest.approx(0.7616, abs=5e-5)
    means = [odds.mean(name) for name in ("attacker_warships_left", "attacker_transports_left", "saved_thirds")]
    beaten = exact(passage(FLEET, squadron, FAR, options={"retreat_attrition": False}))
    assert means[0] < 0.1 * beaten.mean("attacker_warships_left")
    assert beaten.mean("saved_thirds") > means[2]


def test_p3_a_fleet_stopped_by_a_presidio_rolls_as_usual():
    work = {"works": [{"work": "presidio", "level": 5}]}
    odds = exact(passage(FLEET, work, FAR))
    assert odds.p("stopped_by_works") == pytest.approx(0.7)
    stopped = odds.p("stopped_by_works and attacker_warships_left == 6")
    # 9 and better stops; -6 + 4 + 9 = +7: 8 and better costs something at every die.
    assert stopped == pytest.approx(0)
    before = exact(passage(FLEET, work, FAR, options={"retreat_attrition": False}))
    assert before.p("stopped_by_works and attacker_warships_left == 6") > 0


@pytest.mark.parametrize(("zones", "modifier"), [(0, -6 + 4), (4, -6 + 4 + 1 + 3)])
def test_zones_entered_before_a_strait(zones, modifier):
    """The malus counts where a zone has been entered; 4 zones are +1."""
    strait = {"works": [{"work": "strait-europe", "zones_entered": zones}]}
    odds = exact(passage({"warships": 10, "land_detachments": 1}, strait, {"sea_difficulty": 4, "malus": 3}))
    whole = sum(die + modifier <= 5 for die in range(1, 11)) / 10  # up to 5 nothing is lost
    assert odds.p("stopped_by_works") == pytest.approx(0.4)  # 7 to 10, and none of them sinks a ship below 9
    none_sunk = 0.2  # 7 and 8 are 9 and 10; 9 and 10 are 11 and 12, which sink one ND
    assert odds.p("stopped_by_works and attacker_warships_left == 10") == pytest.approx(none_sunk * whole)


def test_n8_the_zones_of_a_retreat_make_its_modifier():
    """-6 + 5 + 4 for 4 zones with two counters + 6 for 2 zones to port: +9 before MAN, as if typed."""
    enemy = {"warships": 9, "leader": {"manoeuvre": 2, "fire": 3, "shock": 3}}
    own = {"warships": 6, "leader": {"manoeuvre": 1, "fire": 1, "shock": 1}}
    way = {"zones_entered": 4, "sea_difficulty": 5, "zones_to_port": 2}
    given, typed = (
        exact({"game": "europa", "battle": "naval", "attacker": own | more, "defender": enemy})
        for more in ({"fleets_minus": 1, "fleets_plus": 1, "retreat": way}, {"retreat_drm": 9})
    )
    assert given.mean("attacker_warships_left") == pytest.approx(typed.mean("attacker_warships_left"), abs=1e-12)


REFUSED = {
    "attacker.retreat: not allowed together with retreat_drm": {
        "game": "europa", "battle": "naval", "attacker": {"warships": 2, "retreat": {}, "retreat_drm": 2},
        "defender": {"warships": 2},
    },
    "attacker.retreat.supply_distance: at sea give zones_to_port": {
        "game": "europa", "battle": "naval", "attacker": {"warships": 2, "retreat": {"supply_distance": 2}},
        "defender": {"warships": 2},
    },
    "conditions.supply_distance: at sea give zones_to_port, the sea zones crossed from the own port to the fleet":
        passage(FLEET, {}, {"supply_distance": 2}),
    "defender.interceptors[0].zones_entered: only en route": passage(
        FLEET, interceptors({"warships": 2, "zones_entered": 0, "stage": "landing"})
    ),
    "defender.interceptors[0].gold: not allowed in a zone with troops": passage(
        FLEET, interceptors({"warships": 4, "gold": 5}, {"warships": 4, "land_detachments": 1}, zone="Channel")
    ),
    f"defender.interceptors[0].zone: {'x' * 41!r} is not allowed; give a text of at most 40 characters": passage(
        FLEET, interceptors({"warships": 2, "zone": "x" * 41})
    ),
    "attacker.retreat": passage(FLEET | {"retreat": {}}, {}),
    "conditions.retreat_zones": passage(FLEET, {}, {"retreat_zones": 0}),
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text):
    with pytest.raises(ScenarioError) as refused:
        load(REFUSED[text])
    assert str(refused.value).startswith(text)


def test_worked_example_p2_in_numbers():
    """docs/rules/europa_naval_and_other.md, P2: beaten on the way, one roll for the voyage and the retreat."""
    passage = {
        "game": "europa",
        "battle": "passage",
        "attacker": {"warships": 6, "transports": 2, "land_detachments": 2, "leader": "none"},
        "defender": {"interceptors": [{"warships": 20, "leader": {"manoeuvre": 6}}]},
        "conditions": {"zones_entered": 12, "sea_difficulty": 4, "zones_to_port": 5},
    }
    answer = exact(passage)
    assert answer.p("beaten_at_sea") == pytest.approx(0.7616, abs=5e-5)
    assert answer.mean("attacker_warships_left") == pytest.approx(0.0175, abs=5e-5)
    assert answer.mean("attacker_transports_left") == pytest.approx(0.1693, abs=5e-5)
    assert answer.mean("saved_thirds") / 3 == pytest.approx(0.0099, abs=5e-5)
    before = exact(passage | {"options": {"retreat_attrition": False}})
    assert before.mean("attacker_warships_left") == pytest.approx(0.2590, abs=5e-5)
    assert before.mean("attacker_transports_left") == pytest.approx(0.3469, abs=5e-5)
