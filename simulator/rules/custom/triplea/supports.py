"""Supports and territory effects of an imported map (docs/rules/triplea_import.md sections 3 and 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulator.rules.custom.triplea.report import Report
from simulator.rules.custom.triplea.units import MapUnit, slug, unused
from simulator.rules.custom.triplea.xml_map import Attachment, Option, TripleaMap

MOST_SUPPORTS = 32
MOST_MODIFIERS = 64
LARGEST_BONUS = 20
SIDES = {"offence": "attacker", "defence": "defender"}
DICE = {"strength": ("adds", False), "roll": ("dice", False), "AAstrength": ("adds", True), "AAroll": ("dice", True)}
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

    def __init__(self, found: TripleaMap, units: Sequence[MapUnit], report: Report) -> None:
        self.players, self.report = found.players, report
        self.names = {unit.spelling: unit.name for unit in units}
        self.guns = {unit.name for unit in units if unit.has_guns}
        self.attachments = found.kind("UnitSupportAttachment")

    def add_to(self, supports: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """These supports with those by attachment behind them, as many as a game file holds."""
        for attachment in self.attachments:
            notes: list[str] = []
            made = self._made(attachment, notes)
            if isinstance(made, str):
                self.report.left_out(attachment.line, attachment.name, made)
            elif len(supports) + len(made) > MOST_SUPPORTS:
                self.report.left_out(attachment.line, attachment.name, f"a game file holds {MOST_SUPPORTS} supports")
            else:
                supports = supports + made
                self.report.taken(attachment.line, attachment.name, "; ".join(notes))
        return supports

    def _made(self, attachment: Attachment, notes: list[str]) -> list[dict[str, Any]] | str:
        """The supports of one attachment, or the reason why it is left out; `notes` takes what differs."""
        given = attachment.latest()
        if attachment.owner not in self.names:
            return "its unit takes no part in battles"
        players = _list(given, "players")
        if not players:
            return "no player has it"
        bonus = _number(given, "bonus", 0, attachment.name)
        if bonus == 0:
            return "a bonus of 0"
        enemy = bool("faction" in given and given["faction"].value == "enemy")
        giver = self.names[attachment.owner]
        to = [self.names[name] for name in _list(given, "unitType") if name in self.names]
        to = [name for name in self.names.values() if name in to]
        if not enemy and giver in to:
            to.remove(giver)
            notes.append("a unit does not support its own kind")
        sides = [side for word, side in SIDES.items() if word in _list(given, "side")]
        dice = [word for word in _list(given, "dice") if word in DICE and (not DICE[word][1] or self.guns & {*to})]
        if not (to and sides and dice):
            return "supports no unit"
        if set(self.players) - set(players):
            notes.append("for all players")
        held = min(max(bonus, -LARGEST_BONUS), LARGEST_BONUS)
        if held != bonus:
            notes.append(f"a bonus of {held}")
        number = _number(given, "number", 1, attachment.name)
        base: dict[str, Any] = {
            "name": attachment.name, "side": sides[0] if len(sides) == 1 else "both", "from": [giver], "to": to,
            "each": 1000 if number < 1 else min(number, 1000),
        }  # fmt: skip
        if enemy:
            base["whom"] = "enemy"
        stack = _stack(attachment, given, notes)
        return [_with_bonus(base, word, held) | stack for word in dice]


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
    name = slug(text, "a-z0-9", "-")
    return (name if name[:1].isalpha() else f"{prefix}-{name}")[:40].rstrip("-")


def _list(given: dict[str, Option], name: str) -> list[str]:
    return given[name].names() if name in given else []


def _number(given: dict[str, Option], name: str, default: int, owner: str) -> int:
    return given[name].number(owner) if name in given and given[name].value.strip() else default


def territory_effects(
    found: TripleaMap, units: Sequence[MapUnit], room: int, report: Report
) -> tuple[list[dict[str, Any]], list[str]]:
    """Modifiers by territory, at most `room`, and the names of the territories; each option is reported."""
    names = {unit.spelling: unit.name for unit in units}
    modifiers: list[dict[str, Any]] = []
    territories: list[str] = []
    for attachment in found.kind("TerritoryEffectAttachment"):
        territory = unused(_hyphened(attachment.owner, "t"), [*territories, "none"], "-")
        here: list[dict[str, Any]] = []
        for option in attachment.options:
            named = {names[name] for name in option.names() if name in names}
            adds = Option(option.name, option.count, "", option.line).number(territory) if option.name in EFFECTS else 0
            if not (named and adds) or len(modifiers) + len(here) >= room:
                report.left_out(option.line, option.name, "does not concern the odds of these units")
                continue
            held = min(max(adds, -LARGEST_BONUS), LARGEST_BONUS)
            report.taken(option.line, option.name, "" if held == adds else f"an effect of {held}")
            here.append({
                "name": attachment.owner, "side": EFFECTS[option.name],
                "units": [unit.name for unit in units if unit.name in named], "adds": held,
                "if_condition": {"territory": territory},
            })  # fmt: skip
        if here:
            modifiers += here
            territories.append(territory)
    return modifiers, territories
