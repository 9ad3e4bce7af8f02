"""The decisions that `best` makes for a side that names none (docs/rules/decisions.md section 2.3)."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from simulator.rules.sides import SIDES

# The verb of a decision that may bring more also where only winning counts: when to storm, whether to fight.
NOT_LEAVING = ""


@dataclass(frozen=True)
class Advice:
    """The decisions of a battle kind that are made by default; each is asked with a scenario's fields and a side.

    - `lists`: the decisions before the battle, one after the other: for each the changes to try, values by path.
    - `words`: what the scenario says on those of these decisions whose paths are given, as an advice: "lose cavalry
      first"; "" without any.
    - `leaving`: the policies that say when to leave, by path: the verb ("leave", "break off"), or NOT_LEAVING.
    - `goal`: what each side is after, as it completes "you ...", where the sentence of the kind does not say it.
    """

    lists: Callable[[Any, str], Sequence[Sequence[Mapping[str, Any]]]]
    words: Callable[[Any, str, Container[str]], str]
    leaving: Callable[[Any, str], Mapping[str, str]]
    goal: tuple[str, str] | None = None


def no_lists(fields: Any, side: str) -> Sequence[Sequence[Mapping[str, Any]]]:
    """No decisions before the battle."""
    return ()


def no_words(fields: Any, side: str, said: Container[str]) -> str:
    """Nothing to say on lists."""
    return ""


def advised(lists: Mapping[str, Mapping[str, str]], leaving: Mapping[str, str] | None = None) -> Advice:
    """The decisions of a kind whose policies choose among names.

    `lists`: by policy of a side ("losses", or "defender.structures" for one side alone) its values, and the advice to
    take that value. `leaving`: by policy the verb.
    """
    # Partial functions of a module can be pickled with a scenario; functions inside this one could not.
    return Advice(partial(_changes, lists), partial(_words, lists), partial(_verbs, leaving or {}))


def _changes(by_policy: Mapping[str, Mapping[str, str]], fields: Any, side: str) -> list[list[dict[str, Any]]]:
    """The values to try for each policy of a side."""
    return [[{path: value} for value in by_policy[name]] for name, path in _paths(by_policy, fields, side)]


def _words(by_policy: Mapping[str, Mapping[str, str]], fields: Any, side: str, said: Container[str]) -> str:
    """The advice of the values that the scenario has at these paths."""
    paths = [(name, path) for name, path in _paths(by_policy, fields, side) if path in said]
    values = [(name, value_at(fields, path)) for name, path in paths]
    return "; ".join(by_policy[name][value] for name, value in values if value in by_policy[name])


def _verbs(verbs: Mapping[str, str], fields: Any, side: str) -> dict[str, str]:
    """The verb of each policy that says when to leave, by its path."""
    return {path: verbs[name] for name, path in _paths(verbs, fields, side)}


def _paths(policies: Mapping[str, Any], fields: Any, side: str) -> Iterator[tuple[str, str]]:
    """The policies that a side has, with their paths in a scenario."""
    for name in policies:
        owner, _, rest = name.partition(".")
        own = name if owner not in SIDES else rest if owner == side else ""
        path = f"policy.{side}.{own}"
        if own and value_at(fields, path) is not None:
            yield name, path


def value_at(fields: Any, path: str) -> Any:
    """The value of a field of a checked scenario; None where there is none."""
    for name in path.split("."):
        fields = getattr(fields, name, None)
    return fields
