"""Random small battles with odd options, for comparison with the slow reference."""

CODES = ["0", "1", "2", "3", "4", "5", "6", "1R", "2R", "3R", "5R", "1M", "2M", "4M", "6M", "1C", "2C", "3C", "4C"]
HEROES = [
    "Sword Master", "Marksman", "Warlord", "Baron Munchausen", "Grand Duke", "Arch Mage", "Elf Lord", "Sir Lance-a-Lot",
]  # fmt: skip
ITEMS = ["talisman", "magic-bow", "magic-sword", "firewall", "golem", "balloon", "dispel-magic", "lucky-charm", "fan"]
CHOICES = {
    "losses": ["weakest-first", "strongest-first", "keep-next-step-fighters", "custom"],
    "structures": ["first", "last"],
    "sword_master": ["normal", "screen"],
    "marksman": ["volley", "aimed"],
    "item_hits": ["keep", "spend"],
    "lucky_charm": ["own-miss", "enemy-hit"],
    "warlord": ["take-strongest", "unused"],
    "retreat": ["never", "never", "after-rounds", "below-creatures", "when-outgunned"],
    "retreat_after": [1, 2, 3],
    "retreat_below": [1, 2, 3, 4],
    "retreat_ratio": [0.3, 0.6, 0.8, 1, 1.5],
}
# Fields that a free-for-all does not allow: nobody has magic items there, and no attacker a structure.
OF_TWO_SIDES = ("item_hits", "lucky_charm", "warlord")
OBJECTIVES = [
    {},
    {"objective": {"attacker": {"win": 2, "attacker_losses": -0.7, "fort_hits": 0.1}}},
    {"objective": {"attacker": {"win": 1, "attacker_losses": -0.3}, "defender": {"win": 1, "defender_losses": -0.25}}},
    {"objective": {"defender": {"win": 1, "attacker_value_left": -0.1, "settlement_level_after": 0.2}}},
]
TARGETS = ["defender", "strongest", "weakest", "attacker", "second-attacker", "third-attacker"]


def random_battle(rng, kind):
    """A land battle or free-for-all of a few counters a side."""
    names = ["attacker", "defender"]
    if kind == "free-for-all":
        names += ["second_attacker", "third_attacker"][: rng.choice([1, 1, 2])]
    scenario = {"game": "kings-and-things", "battle": kind, "policy": {}, "conditions": {}, "options": {}}
    unexplored = kind == "land" and rng.random() < 0.15
    heroes, items = rng.sample(HEROES, len(HEROES)), rng.sample(ITEMS, len(ITEMS))
    for name in names:
        wild = unexplored and name == "defender"
        side = {"creatures": [rng.choice(CODES) for _ in range(rng.randint(1, 2 if len(names) > 2 else 3))]}
        if rng.random() < 0.45:
            side["creatures"].append(heroes.pop())
        policy = {key: rng.choice(values) for key, values in CHOICES.items() if rng.random() < 0.7}
        if wild:
            policy.pop("retreat", None)
        if kind == "free-for-all":
            policy = {key: value for key, value in policy.items() if key not in OF_TWO_SIDES}
            if name != "defender":
                policy.pop("structures", None)
        if kind == "land" and not wild:
            _armed(rng, name, side, policy, items)
        if not wild:
            side |= {"retreat_hex_creatures": rng.choice([0, 0, 7, 10]), "retreat_hex": rng.random() < 0.8}
            side["retreat_hex_citadel"] = rng.random() < 0.2
        if len(names) > 2 and rng.random() < 0.7:
            policy["target"] = rng.choice(TARGETS)
        if name == "defender":
            _walled(rng, side, unexplored)
        _ordered(rng, side, policy)
        scenario[name], scenario["policy"][name] = side, policy
    scenario["conditions"] = {"black_cloud": not unexplored and rng.random() < 0.3}
    if kind == "land":
        scenario["conditions"]["unexplored"] = unexplored
        scenario["options"]["firewall_hits"] = rng.choice(["as-fort", "one"])
    scenario["options"]["post_battle_rolls"] = rng.choice(["damaged", "all", "none"])
    return scenario


def random_choice(rng):
    """A land battle in which one side or both choose their losses, the attacker sometimes his retreat too."""
    scenario = random_battle(rng, "land")
    choosing = rng.choice([["attacker"], ["defender"], ["attacker", "defender"]])
    for name in ("attacker", "defender"):
        side, policy = scenario[name], scenario["policy"][name]
        for key in ("retreat", "retreat_after", "retreat_below", "retreat_ratio", "dust"):
            policy.pop(key, None)
        unable = {"dust-of-defense"}
        if name in choosing:
            policy.pop("structures", None)
            side.pop("loss_order", None)
            policy["losses"] = "best"
            unable.add("talisman")
            side["creatures"] = [text for text in side["creatures"] if text != "Sword Master"]
        side["items"] = [item for item in side.get("items", []) if item not in unable]
    if rng.random() < 0.5:
        scenario["policy"]["attacker"]["retreat"] = "best"
    return scenario | rng.choice(OBJECTIVES)


def _armed(rng, name, side, policy, items):
    side["items"] = [items.pop() for _ in range(rng.choice([0, 0, 1, 1, 2]))]
    if name == "defender" and rng.random() < 0.2:
        side["items"].append("dust-of-defense")
        policy["dust"] = rng.choice(["at-start", "when-outgunned"])
    if "balloon" in side["items"]:
        able = [code for code in side["creatures"] if code in CODES and int(code[0]) < 4]
        side["balloon_passengers"] = able[: rng.randint(0, 3)]
    if "firewall" in side["items"]:
        side["firewall_value"] = rng.choice([0, rng.randint(1, 6)])


def _walled(rng, side, unexplored):
    if not unexplored and rng.random() < 0.6:
        side["fort"], side["fort_damage"] = rng.choice(["tower", "keep", "castle", "citadel"]), rng.choice([0, 0, 1])
    if rng.random() < 0.4:
        side["settlement"], side["settlement_damage"] = rng.choice(["village", "city"]), rng.choice([0, 0, 1])
    else:
        side["income_counter"] = rng.random() < 0.4


def _ordered(rng, side, policy):
    if policy.get("losses") == "custom":
        listed = list(dict.fromkeys(side["creatures"]))
        listed += [wall for wall in ("fort", "settlement") if wall in side]
        listed += [item for item in ("golem", "balloon", "firewall") if item in side.get("items", [])]
        rng.shuffle(listed)
        side["loss_order"] = listed[: rng.randint(1, len(listed))]
