"""Checks of the words of a game file: names, selectors, faces (docs/rules/custom_games.md section 2.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache

from simulator.rules.battle import Fields, Refusal
from simulator.rules.custom.game_file.format import (
    ChosenBySide,
    GameFile,
    Modifier,
    OrderBySide,
    SelectorBySide,
    Step,
    Support,
)
from simulator.rules.custom.game_file.keys import HYPHENED, LONGEST_NAME
from simulator.rules.toolkit.naming import listed, same_name, suggested, text_of
from simulator.rules.toolkit.policies import refuse

# The presence keys of steps and rules (2.7), in words.
SCOPES = {
    "if_own_has": "own {}",
    "if_enemy_has": "enemy {}",
    "unless_own_has": "no own {}",
    "unless_enemy_has": "no enemy {}",
}


def hint(given: str, known: Sequence[str]) -> str:
    """A suggestion for a near miss."""
    near = suggested(given, known)
    return f"; did you mean {near}?" if near else ""


def check_known(word: str, known: Sequence[str], field: str, what: str) -> None:
    """Refuse a word that is not among those known: `what` begins the refusal ("no step")."""
    if word not in known:
        raise Refusal(field, f"{what} {word[:50]!r}{hint(word, known)}", meant=same_name(word, known))


def words_of(file: GameFile) -> list[str]:
    """Everything a selector may name: units, then tags."""
    tags = dict.fromkeys(tag for unit in file.unit.values() for tag in unit.tags)
    return [*file.unit, *tags]


def check_name(text: str, field: str, pattern: str, what: str) -> None:
    """Refuse a name that is not written as names are."""
    if not re.match(pattern, text) or text.endswith("\n") or len(text) > LONGEST_NAME:
        hyphens = " and hyphens" if pattern == HYPHENED else ""
        raise Refusal(
            field,
            f"{text[:50]!r} is no name for {what}; small letters, digits, underscores{hyphens}, "
            f"a letter first, at most {LONGEST_NAME}",
        )


def check_face(value: int, sides: int, field: str, least: int = 1) -> None:
    """Refuse a number that is no face of a die."""
    refuse(not least <= value <= sides, field, f"{value} is not allowed; give a whole number from {least} to {sides}")


def check_each(words: Sequence[str], known: Sequence[str], field: str, what: str) -> None:
    """As `check_known`, for each word of a list."""
    for i, word in enumerate(words):
        check_known(word, known, f"{field}[{i}]", what)


def check_selector(file: GameFile, selector: Sequence[str] | None, field: str) -> None:
    """Refuse an entry that is neither unit nor tag."""
    check_each(selector or (), words_of(file), field, "no unit or tag")


def check_beside(given: Fields, keys: Set[str], field: str, beside: str) -> None:
    """Refuse the first of these keys that a table gives beside another."""
    if found := sorted(keys & given.model_fields_set):
        raise Refusal(f"{field}.{found[0]}", f"is not allowed beside {beside}")


def selected(file: GameFile, selector: Iterable[str]) -> set[str]:
    """The units that a selector names, by name or by tag."""
    words = set(selector)
    if not words:
        return set()
    return {key for key, unit in file.unit.items() if key in words or not words.isdisjoint(unit.tags)}


@lru_cache(maxsize=512)
def part_of(file: GameFile, kind: str, side: str) -> tuple[set[str], set[str]]:
    """Units that may fight, and that may support, on a side."""
    part = getattr(file.battle[kind], side)
    supports = selected(file, part.supports)
    return (set(file.unit) - supports if part.fights is None else selected(file, part.fights)), supports


def steps_of(file: GameFile, kind: str) -> list[Step]:
    """The steps of a kind of battle."""
    return [step for step in file.step if step.battle is None or kind in step.battle]


def adds_up(step: Step) -> bool:
    """May the dice of a step be added up in low luck? Compared, aimed and scoring dice are rolled (section 6)."""
    return step.compare is None and step.aim == "anyone" and not step.points


@lru_cache(maxsize=256)
def counts_points(file: GameFile, kind: str) -> tuple[str, ...]:
    """The sides that may score points in a kind of battle (2.6)."""
    steps = [step for step in steps_of(file, kind) if step.points]
    return tuple(side for side in ("attacker", "defender") if any(getattr(step.fire, side) for step in steps))


@lru_cache(maxsize=512)
def fighters(file: GameFile, kind: str, side: str) -> tuple[str, ...]:
    """Units that may fight on a side, in file order."""
    fights, _ = part_of(file, kind, side)
    return tuple(key for key in file.unit if key in fights)


def written(given: object) -> list[str]:
    """A value, or each of a list, as a game file has it: true and false in small letters."""
    values = given if isinstance(given, list) else [given]
    return [text_of(value) for value in values]


def by_side(given: str | list[str] | OrderBySide | SelectorBySide | ChosenBySide, side: str) -> str | list[str]:
    """A list or text for both sides, or that of one."""
    return getattr(given, side) if isinstance(given, OrderBySide | SelectorBySide | ChosenBySide) else given


def presence(given: Step | Support | Modifier) -> list[str]:
    """The units and conditions (2.7) that a step or rule asks for, in words."""
    parts = [
        f"if {text.format(listed(units, 'or'))}"
        for name, text in SCOPES.items()
        if (units := getattr(given, name)) is not None
    ]
    return parts + [f"if {key} is {listed(written(wanted), 'or')}" for key, wanted in given.if_condition.items()]


def rounds(first: int | None, last: int | None) -> str:
    """The rounds of a scope (docs/rules/custom_games.md 2.7) in words."""
    first = first or 1
    return f"round {first}" if last == first else f"rounds {first} to {last or 'the end'}"
