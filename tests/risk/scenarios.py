"""Short ways to write Risk scenarios in tests."""

from simulator import load


def risk(battle, attacker, defender, conditions=None, policy=None, **options):
    sides = {"regiments": attacker} if isinstance(attacker, int) and battle in ("land", "amphibious") else None
    own = sides or (attacker if isinstance(attacker, dict) else {"fleets": attacker})
    if isinstance(defender, dict):
        enemy = defender
    else:
        enemy = {"regiments" if battle in ("land", "amphibious") else "fleets": defender}
    data = {"game": "risk", "battle": battle, "attacker": own, "defender": enemy, "options": options}
    if conditions:
        data["conditions"] = conditions
    if policy:
        data["policy"] = {"attacker": policy}
    return load(data)


def invasion(own, regiments, crossings=(), attacker=None, policy=None, **options):
    return load(
        {
            "game": "risk",
            "battle": "invasion",
            "attacker": {"fleets": own[0], "regiments": own[1], **(attacker or {})},
            "defender": regiments if isinstance(regiments, dict) else {"regiments": regiments},
            "conditions": {"crossings": list(crossings)},
            "policy": {"attacker": policy or {}},
            "options": options,
        }
    )
