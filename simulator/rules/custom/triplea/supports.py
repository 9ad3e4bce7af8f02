"""Supports and territory effects of an imported map (docs/rules/triplea_import.md sections 3 and 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulator.rules.custom.game_file.unit_names import slug, unused
from simulator.rules.custom.triplea.report import Report
from simulator.rules.custom.triplea.units import NOT_RAISED, MapUnit
from simulator.rules.custom.triplea.xml_map import Attachment, Option, TripleaMap, number_in

MOST_SUPPORTS = 32
MOST_MODIFIERS = 64
LARGEST_BONUS = 20
SIDE_OF = {"offence": "attacker", "defence": "defender"}
VALUES = {"attacker": "attack", "defender": "defense"}
DICE = {"strength": ("adds", False), "roll": ("dice", False), "AAstrength": ("adds", True), "AAroll": ("dice", True)}
# Reasons for which a support changes no battle of the imported units.
NO_GIVER, NO_PLAYER, NO_BONUS = "its unit takes no part in battles", "no player has it", "a bonus of 0"
NOT_THESE_PLAYERS, NO_UNIT = "none of these players has it", "supports no unit"
REPLACED = "a later one of the same name takes its place"
NOTHING_LOST = {NO_GIVER, NO_PLAYER, NO_BONUS, NOT_THESE_PLAYERS, NO_UNIT, REPLACED}
NO_EFFECT, NO_NUMBER = "does not concern the odds of these units", "has no whole number"
EFFECTS = {"combatOffenseEffect": "attacker", "combatDefenseEffect": "defender"}


def artillery_supports(units: Sequence[MapUnit]) -> list[dict[str, Any]]:
    """A support from each artillery unit to all supportable units but itself."""
    supportable = [unit.name for unit in units if unit.is_true("artillerySupportable")]
    found = []
    for unit in units:
        to = [name for name in supportable if name != unit.name]
        if unit.is_true("artillery") and to:
            found.append({
                "name": unit.name, "side": "attacker", "from": [unit.name], "to": to,
                "each": min(max(unit.number("unitSupportCount", 1), 1), 1000), "adds": 1, "stack": "artillery",
            })  # fmt: skip
    return found[:MOST_SUPPORTS]


class Supports:
    """Supports by attachment, each reported with one line."""

    def __init__(self, found: TripleaMap, units: Sequence[MapUnit], players: Sequence[str], report: Report) -> None:
        self.players, self.report = players, report
        self.names = {unit.spelling: unit.name for unit in units}
        self.units = {unit.name: unit for unit in units}
        self.guns = {unit.name for unit in units if unit.has_guns}
        self.attachments = found.kind("UnitSupportAttachment")

    def add_to(self, supports: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """These supports with those by attachment behind them, as many as a game file holds."""
        # Of two with one name on the same unit TripleA keeps the later.
        latest = {(one.owner, one.name): one for one in self.attachments}
        for attachment in self.attachments:
            notes: list[str] = []
            replaced = latest[attachment.owner, attachment.name] is not attachment
            made = REPLACED if replaced else self._made(attachment, notes)
            if isinstance(made, str):
                self.report.left_out(attachment.line, attachment.name, made, "" if made in NOTHING_LOST else "support")
            elif len(supports) + len(made) > MOST_SUPPORTS:
                self.report.left_out(0, attachment.name, f"a game file holds {MOST_SUPPORTS} supports", "support")
            else:
                supports = supports + made
                self.report.taken(attachment.line, attachment.name, "; ".join(notes))
        return supports

    def _made(self, attachment: Attachment, notes: list[str]) -> list[dict[str, Any]] | str:
        """The supports of one attachment, or the reason why it is left out; `notes` takes what differs."""
        given = attachment.latest()
        bonus, players = _number(given, "bonus", 0), set(_list(given, "players"))
        if reason := self._not_taken(attachment, given, players, bonus):
            return reason
        enemy = "faction" in given and given["faction"].value == "enemy"
        giver = self.names[attachment.owner]
        named = {self.names[name] for name in _list(given, "unitType") if name in self.names}
        to = [name for name in self.names.values() if name in named]
        sides = [side for word, side in SIDE_OF.items() if word in _list(given, "side")]
        dice = [word for word in _list(given, "dice") if word in DICE and (not DICE[word][1] or self.guns & named)]
        if not (to and sides and dice):
            return NO_UNIT
        if set(self.players) - players:
            notes.append("for all players")
        values = [value for side, value in VALUES.items() if (side in sides) != enemy or len(sides) > 1]
        strength = "strength" in dice and bonus > 0
        if strength and any(self.units[name].number(value) <= 0 for name in to for value in values):
            notes.append(NOT_RAISED)
        held = min(max(bonus, -LARGEST_BONUS), LARGEST_BONUS)
        if held != bonus:
            notes.append(f"a bonus of {held}")
        number = _number(given, "number", 1)
        base: dict[str, Any] = {
            "name": attachment.name, "side": sides[0] if len(sides) == 1 else "both", "from": [giver], "to": to,
            "each": 1000 if number < 1 else min(number, 1000),
        }  # fmt: skip
        if enemy:
            base["whom"] = "enemy"
        elif giver in to:
            base["itself"] = True
        stack = _stack(attachment, given, notes)
        return [_with_bonus(base, word, held) | stack for word in dice]

    def _not_taken(self, attachment: Attachment, given: dict[str, Option], players: set[str], bonus: int) -> str:
        """The reason why a support concerns none of these units and players, or cannot be read; else ""."""
        if attachment.owner not in self.names:
            return NO_GIVER
        if not players:
            return NO_PLAYER
        if not players & {*self.players}:
            return NOT_THESE_PLAYERS
        if odd := [name for name in ("bonus", "number") if name in given and given[name].is_odd()]:
            return f"its {odd[0]} {given[odd[0]].value.strip()[:40]!r} is not a whole number"
        return NO_BONUS if bonus == 0 else ""


def _with_bonus(base: dict[str, Any], word: str, bonus: int) -> dict[str, Any]:
    key, guns = DICE[word]
    return base | {key: bonus} | ({"rolls": ["aa"]} if guns else {})


def _stack(attachment: Attachment, given: dict[str, Option], notes: list[str]) -> dict[str, str]:
    """The stack of a support by its type of bonus; none where several bonuses of a type count together."""
    kind = given.get("bonusType")
    name = kind.value if kind is not None and kind.value else attachment.name
    count, _, rest = name.partition(":")
    if rest and not count.isdecimal():
        count, rest = rest, count
    count = count if rest else kind.count if kind is not None and kind.count else "1"
    if count != "1":
        notes.append("bonuses of its type are added without a limit")
        return {}
    return {"stack": _hyphened(rest or name, "s")}


def _hyphened(text: str, prefix: str) -> str:
    """A text as a name of the game file: small letters, digits and hyphens."""
    name = slug(text, "-")
    return (name if name[:1].isalpha() else f"{prefix}-{name}")[:40].rstrip("-")


def _list(given: dict[str, Option], name: str) -> list[str]:
    return given[name].names() if name in given else []


def _number(given: dict[str, Option], name: str, default: int) -> int:
    return given[name].number(default) if name in given else default


def territory_effects(
    found: TripleaMap, units: Sequence[MapUnit], room: int, report: Report
) -> tuple[list[dict[str, Any]], list[str]]:
    """Modifiers by territory, at most `room`, and the names of the territories; each option is reported."""
    modifiers: list[dict[str, Any]] = []
    territories: list[str] = []
    for attachment in found.kind("TerritoryEffectAttachment"):
        territory = unused(_hyphened(attachment.owner, "t"), [*territories, "none"], "-")
        here: list[dict[str, Any]] = []
        for option in attachment.options:
            made = _effect(option, [unit.name for unit in units if unit.spelling in option.names()], territory)
            if isinstance(made, str):
                report.left_out(option.line, option.name, made, lost="territory effect" if made == NO_NUMBER else "")
            elif len(modifiers) + len(here) >= room:
                report.left_out(0, option.name, f"a game file holds {MOST_MODIFIERS} modifiers", "territory effect")
            else:
                report.taken(option.line, option.name, made.pop("note", ""))
                here.append({"name": attachment.owner, **made})
        if here:
            modifiers += here
            territories.append(territory)
    return modifiers, territories


def _effect(option: Option, named: list[str], territory: str) -> dict[str, Any] | str:
    """The modifier that an effect on the `named` units is, or the reason why it is left out."""
    if option.name not in EFFECTS or not named:
        return NO_EFFECT
    # Without a count the number stands before the units: 2:legion:onager.
    adds = number_in(option.count or option.value.partition(":")[0])
    if adds is None:
        return NO_NUMBER
    held = min(max(adds, -LARGEST_BONUS), LARGEST_BONUS)
    made = {"side": EFFECTS[option.name], "units": named, "adds": held, "if_condition": {"territory": territory}}
    return NO_EFFECT if adds == 0 else made if held == adds else made | {"note": f"an effect of {held}"}
