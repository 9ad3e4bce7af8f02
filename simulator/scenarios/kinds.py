"""Battle kinds by the names of their game and kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from simulator import rules
from simulator.rules.battle import Battle, Misfit, Refusal
from simulator.rules.toolkit.naming import same_name
from simulator.scenarios import validation
from simulator.scenarios.validation import ScenarioError

T = TypeVar("T")


def find_battle(
    game: Any, kind: Any, house_rules: Any = None, folder: Path | None = None, paths: bool = True
) -> Battle:
    """The battle kind of a game or game file. Raises ScenarioError for an unknown name or an invalid game file."""
    kinds = kinds_of(game, house_rules, folder, paths)
    if not isinstance(kind, str) or kind not in kinds:
        if meant := same_name(kind, kinds):
            return kinds[meant]
        raise ScenarioError(f"battle: {validation.not_one_of(kind, list(kinds))}")
    return kinds[kind]


def kinds_of(
    game: Any, house_rules: Any = None, folder: Path | None = None, paths: bool = True
) -> Mapping[str, Battle]:
    """The battle kinds of a game or game file, by name. Raises ScenarioError as `find_battle`."""
    if isinstance(game, str) and game in rules.GAMES:
        return rules.battles(game)
    from simulator.rules import custom

    if game == rules.CAMPAIGN:
        from simulator.rules import campaign

        return {of: worded(partial(campaign.battle, {"of": of})) for of in campaign.games()}
    if game not in custom.names():
        if meant := same_name(game, (*rules.GAMES, *custom.names(), rules.CAMPAIGN)):
            return kinds_of(meant, house_rules, folder, paths)
        if not custom.knows(game):
            raise ScenarioError(f"game: {validation.not_one_of(game, [*rules.GAMES, *custom.names(), custom.INLINE])}")
    return worded(lambda: custom.battles(game, house_rules, folder, paths))


def worded(asked: Callable[[], T]) -> T:
    """Call a function of the rules; its refusals become ScenarioErrors."""
    try:
        return asked()
    except Refusal as refusal:
        raise validation.from_refusal(refusal) from None
    except Misfit as misfit:
        raise validation.from_misfit(misfit) from None
