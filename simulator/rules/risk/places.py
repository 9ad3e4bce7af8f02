"""Which dice apply in which place of a battle (docs/rules/risk.md sections 2, 3 and 5)."""

from __future__ import annotations

from typing import Any

from simulator.rules.risk.dice import Hand, place_tables

Tables = list[dict[int, int]]


def path(fields: Any) -> list[int]:
    """Defenders of each territory of the path."""
    regiments = fields.defender.regiments
    return list(regiments) if isinstance(regiments, list) else [regiments]


def each(value: Any, places: int) -> list[Any]:
    """One value for all places, or the list that has one each."""
    return list(value) if isinstance(value, list) else [value] * places


def land_hands(fields: Any) -> list[tuple[Hand, Hand]]:
    """Hands of attacker and defender in each territory; landing troops take the amphibious modifier in every one."""
    options, count = fields.options, len(path(fields))
    landed = options.amphibious_modifier if fields.battle in {"amphibious", "invasion"} else 0
    mine = _side_hands(fields.attacker, options, options.attack_dice, options.attack_die_sides, count)
    theirs = _side_hands(fields.defender, options, options.defence_dice, options.defence_die_sides, count)
    return [(a._replace(highest=a.highest + landed), d) for a, d in zip(mine, theirs, strict=True)]


def _side_hands(side: Any, options: Any, dice: int, sides: int, count: int) -> list[Hand]:
    names = ("commanders", "bonus_dice", "modifier_highest", "modifier_lowest", "modifier_all")
    commanders, bonus, highest, lowest, every = (each(getattr(side, name), count) for name in names)
    most = each(dice if side.dice is None else side.dice, count)
    faces = each(sides if side.die_sides is None else side.die_sides, count)
    return [
        Hand(
            most[i],
            faces[i],
            commanders[i],
            options.commander_die_sides,
            bonus[i],
            highest[i],
            lowest[i],
            every[i],
            options.clamp,
            options.resort,
        )
        for i in range(count)
    ]


def sea_hands(fields: Any) -> tuple[Hand, Hand]:
    """Hands of both fleets in a naval fight or blockade run."""
    options = fields.options
    blockaded = options.blockade_modifier if fields.battle == "blockade-run" else 0
    hands = []
    for side, dice, faces in (
        (fields.attacker, options.attack_dice, options.attack_die_sides),
        (fields.defender, options.defence_dice, options.defence_die_sides),
    ):
        hands.append(
            Hand(
                dice,
                faces,
                bonus=side.bonus_dice,
                highest=side.modifier_highest,
                lowest=side.modifier_lowest,
                all=side.modifier_all,
                clamp=options.clamp,
                resort=options.resort,
            )
        )
    return hands[0]._replace(highest=hands[0].highest + blockaded), hands[1]


def convoy_hands(fields: Any, role: str, blockaded: bool = False) -> tuple[Hand, Hand]:
    """Hands (side that attacks, side that defends) of a sea fight in an invasion.

    `role` is the convoy's: "attacks" or "defends". `blockaded` puts the blockade modifier on the side that attacks.
    """
    options = fields.options
    sides = (fields.attacker, fields.defender)
    first, second = sides if role == "attacks" else sides[::-1]
    blockade = options.blockade_modifier if blockaded else 0
    return (
        Hand(
            options.attack_dice,
            options.attack_die_sides,
            highest=first.sea_modifier_highest + blockade,
            all=first.sea_modifier_all,
            clamp=options.clamp,
            resort=options.resort,
        ),
        Hand(
            options.defence_dice,
            options.defence_die_sides,
            highest=second.sea_modifier_highest,
            all=second.sea_modifier_all,
            clamp=options.clamp,
            resort=options.resort,
        ),
    )


def crossings(fields: Any) -> list[Any]:
    """The crossings where there is a fight."""
    return [crossing for crossing in fields.conditions.crossings if crossing.fleets]


def all_places(fields: Any) -> list[tuple[str, tuple[Hand, Hand]]]:
    """Every place of the battle with its hands: sea fights first, then the territories, then the port."""
    if fields.battle in {"naval", "blockade-run"}:
        return [("sea", sea_hands(fields))]
    places = [(f"territory {i + 1}", hands) for i, hands in enumerate(land_hands(fields))]
    if fields.battle != "invasion":
        return places
    sea = [
        (f"crossing {i + 1}", convoy_hands(fields, crossing.convoy, crossing.blockaded))
        for i, crossing in enumerate(crossings(fields))
    ]
    port = [("port", convoy_hands(fields, "defends", True))] if fields.defender.port_fleets else []
    return sea + places + port


def tables_of(hands: tuple[Hand, Hand], ties: str) -> Tables:
    """The 16 round tables of a place."""
    return place_tables(hands[0], hands[1], ties)
