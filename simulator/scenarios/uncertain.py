"""Uncertain fields: distributions in a scenario (docs/rules/decisions.md section 6).

`{ mix = { 8 = 0.25, 10 = 0.5, 12 = 0.25 } }` or `{ from = 8, to = 14 }` in place of a whole number, yes or no, a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simulator.rules.battle import Battle
from simulator.rules.toolkit.tolerances import ALIKE
from simulator.scenarios.paths import is_distribution, leaves
from simulator.scenarios.schema import FRAME, branches_at
from simulator.scenarios.validation import ScenarioError, finite

MOST_VALUES = 10_000
NOT_DRAWN = ("policy", "objective")


def holds_distribution(data: Mapping[str, Any]) -> bool:
    """Does a field of a scenario's data, which are plain tables and lists, hold a distribution?"""
    # Every answer asks this: without paths it takes a third of the time of `distributions`.
    due = [one for name, one in data.items() if name not in FRAME]
    for value in due:
        if type(value) is dict:
            if ("mix" in value or "from" in value) and is_distribution(value):
                return True
            due += value.values()
        elif type(value) is list:
            due += value
    return False


def distributions(data: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every distribution in a scenario's data: (path, table)."""
    due = {name: one for name, one in data.items() if name not in FRAME}
    return ((path, value) for path, value in leaves(due, lists=True) if is_distribution(value))


def refuse(data: Mapping[str, Any]) -> None:
    """Raise ScenarioError if a field has a distribution."""
    for path, _ in distributions(data) if holds_distribution(data) else ():
        _refuse_decision(path)
        raise ScenarioError(f"{path}: a distribution is not allowed here; give one value")


def _refuse_decision(path: str) -> None:
    if path.partition(".")[0] in NOT_DRAWN:
        raise ScenarioError(f"{path}: a decision is not drawn; name a policy")


def drawn(battle: Battle, path: str, given: Mapping[str, Any]) -> dict[Any, float]:
    """The values of a distribution and their chances. Raises ScenarioError for one that is not allowed."""
    _refuse_decision(path)
    kinds = branches_at(battle, path)
    whole = any(kind.get("type") == "integer" for kind in kinds)
    truth = any(kind.get("type") == "boolean" for kind in kinds)
    names = any("enum" in kind or "const" in kind for kind in kinds)
    if kinds and not (whole or truth or names):
        raise ScenarioError(f"{path}: a decimal or a text has no distribution")
    if "mix" not in given:
        return _span(path, given)
    if not isinstance(given["mix"], Mapping) or not given["mix"]:
        raise ScenarioError(f"{path}: give values and their chances, like {{ mix = {{ 8 = 0.5, 10 = 0.5 }} }}")
    chances: dict[Any, float] = {}
    for key, chance in given["mix"].items():
        if not finite(chance) or chance <= 0:
            raise ScenarioError(f"{path}: {chance} for {key} is not allowed; a chance is above 0")
        chances[_value(str(key), whole, truth)] = float(chance)
    total = sum(chances.values())
    if abs(total - 1) > ALIKE:
        raise ScenarioError(f"{path}: chances add up to {total:g}; they must add up to 1")
    return chances


def _value(key: str, whole: bool, truth: bool) -> Any:
    if truth and key in {"true", "false"}:
        return key == "true"
    if whole and key.strip().lstrip("+-").isdecimal():
        return int(key)
    return key


def _span(path: str, given: Mapping[str, Any]) -> dict[Any, float]:
    low, high = given["from"], given["to"]
    for end in (low, high):
        if isinstance(end, bool) or not isinstance(end, int):
            raise ScenarioError(f"{path}: {end} is not allowed; a range goes from a whole number to another")
    if high < low:
        raise ScenarioError(f"{path}: from {low} to {high} is not allowed; a range goes up")
    if high - low >= MOST_VALUES:
        raise ScenarioError(f"{path}: {high - low + 1:,} values; at most {MOST_VALUES:,}")
    return dict.fromkeys(range(low, high + 1), 1 / (high - low + 1))
