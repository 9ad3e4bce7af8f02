"""Scenarios that the tests share: named for what is special about them."""

TROOPS = ("army_plus", "army_minus", "land_detachments", "exploration_detachments")


def leader(manoeuvre, fire, shock, siege=0, **more):
    return {"manoeuvre": manoeuvre, "fire": fire, "shock": shock, "siege": siege, **more}


def land(attacker, defender, **more):
    return {"game": "europa", "battle": "land", "attacker": attacker, "defender": defender, **more}


def naval(attacker, defender, **more):
    return {"game": "europa", "battle": "naval", "attacker": attacker, "defender": defender, **more}


def siege(attacker, defender, **more):
    return {"game": "europa", "battle": "siege", "attacker": attacker, "defender": defender, **more}


def campaign(attacker, defender, **more):
    return {"game": "europa", "battle": "siege-campaign", "attacker": attacker, "defender": defender, **more}


def regrouped(thirds, counters):
    """The biggest counters first, at most this many of ARMY+ and ARMY- (europa_naval_and_other.md section 2)."""
    plus = minus = 0
    for _ in range(counters):
        if thirds >= 12:
            plus, thirds = plus + 1, thirds - 12
        elif thirds >= 6:
            minus, thirds = minus + 1, thirds - 6
    return dict(zip(TROOPS, (plus, minus, *divmod(thirds, 3)), strict=True))


SMALL = {"army_minus": 1, "technology": "arquebus", "leader": leader(3, 2, 4)}
LAND = {
    "smallest": land({"land_detachments": 1, "leader": "none"}, {"land_detachments": 1, "leader": "none"}),
    "rule book": land(
        {"country": "france", "army_plus": 2, "leader": leader(2, 4, 2)},
        {"country": "spain", "army_plus": 1, "land_detachments": 1, "tercios": True, "leader": leader(4, 2, 3)},
        policy={"defender": {"break_off": "always"}},
    ),
    "all the options": land(
        SMALL | {"country": "turkey", "pasha_detachments": 2, "turkish_reform": "m-1a", "retreat_room": 1},
        SMALL | {"country": "venice", "leader": leader(5, 6, 1, type="king"), "tercios": True, "retreat_room": 0},
        conditions={"terrain": "desert", "crossing": "strait", "interception": True, "period": "II"},
        policy={"attacker": {"break_off": "if-behind"}, "defender": {"break_off": "if-sure"}},
        options={"leader_differential_cap": 9, "destruction_test": "reaches", "tercios_require_army": True},
    ),
    "7-LD dice": land(
        {"country": "england", "army_plus": 1, "land_detachments": 3, "leader": leader(2, 2, 2), "foraging": True},
        {"country": "poland", "army_minus": 3, "land_detachments": 1, "leader": leader(1, 3, 2)},
        policy={"attacker": {"break_off": "always"}},
    ),
    "replacement leaders": land(
        {"country": "sweden", "army_minus": 1, "technology": "baroque"},
        {"country": "russia", "land_detachments": 2, "technology": "musket"},
        conditions={"terrain": "northern-forest"},
        policy={"defender": {"break_off": "always"}},
    ),
    "natives with two dice": land(
        {"country": "spain", "army_minus": 1, "exploration_detachments": 1, "leader": leader(4, 3, 5, type="explorer")},
        {
            "country": "natives", "army_plus": 2, "land_detachments": 1, "technology": "medieval", "veteran": False,
            "leader": leader(1, 0, 4),
        },
        conditions={"region": "rotw", "terrain": "swamp", "period": "II"},
    ),
    "4 to 1 overrun": land(
        {"army_plus": 1, "leader": leader(1, 1, 1)},
        {"land_detachments": 1, "leader": leader(2, 3, 1, anonymous=True)},
        policy={"attacker": {"overrun": "declare"}},
        conditions={"terrain": "mountain"},
    ),
    "converted natives": land(
        {
            "country": "spain", "land_detachments": 1, "technology": "arquebus", "converted_natives_thirds": 7,
            "leader": leader(2, 2, 3, type="conquistador"),
        },
        {"country": "natives", "land_detachments": 2, "technology": "medieval", "veteran": False, "leader": "none"},
        conditions={"region": "rotw", "period": "I"},
    ),
}  # fmt: skip
SIEGES = {
    "small undermining": siege(
        {"country": "france", "army_plus": 1, "leader": leader(2, 2, 2, 1)},
        {"fortress_level": 3, "land_detachments": 1, "leader": leader(1, 2, 2, type="king")},
        conditions={"supply_distance": 9, "siegeworks_plus": 2, "port": "open", "bad_weather": True},
        policy={"attacker": {"garrison": "garrison", "too_small": "assault"}},
    ),
    "assault with replacement leaders": siege(
        {"country": "poland", "army_plus": 1, "technology": "arquebus"},
        {"country": "venice", "fortress_level": 2, "army_minus": 1, "technology": "renaissance", "tercios": True},
        conditions={"period": "II", "assault_counter": True},
        policy={"attacker": {"action": "assault"}},
    ),
    "fort overseas": siege(
        {"country": "holland", "army_minus": 1, "exploration_detachments": 2, "leader": leader(4, 6, 4)},
        {"fortress_level": 0, "exploration_detachments": 2, "technology": "medieval", "leader": "none"},
        conditions={"region": "rotw", "terrain": "swamp", "supply_line": False},
        policy={"attacker": {"too_small": "assault"}},
    ),
}
CAMPAIGNS = {
    "fixed rounds": campaign(
        {"country": "france", "army_plus": 1, "army_minus": 1, "leader": leader(2, 4, 2)},
        {"country": "spain", "fortress_level": 3, "land_detachments": 2},
        conditions={"rounds": 3, "supply_distance": 7},
        policy={"attacker": {"plan": "breach-then-storm", "pillage": "lose-detachment"}},
    ),
    "round track overseas": campaign(
        {"country": "portugal", "army_plus": 1, "technology": "arquebus", "leader": leader(4, 3, 4, 1)},
        {"fortress_level": 2, "land_detachments": 1, "exploration_detachments": 1, "leader": "none"},
        conditions={"region": "rotw", "start_round": "S5", "poor_weather": True, "supply_distance": 12, "city": True},
        policy={"attacker": {"garrison": "garrison", "too_small": "assault", "losses": "keep-most-armies"}},
    ),
    "assault at once": campaign(
        {"country": "turkey-janissary", "army_plus": 2, "technology": "arquebus", "leader": leader(4, 4, 4, 1)},
        {"country": "venice", "fortress_level": 3, "army_minus": 1, "leader": leader(3, 2, 1)},
        conditions={"rounds": 3, "period": "II"},
        policy={"attacker": {"plan": "assault-at-once"}},
    ),
}
ALL = LAND | SIEGES | CAMPAIGNS
