"""The fields of a checked scenario that differ from their defaults, and game files in the form of scenarios."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel

from simulator.rules.battle import Battle, Built

PLAIN = {int, float, str, bool, type(None)}


@cache
def field_defaults(model: type[BaseModel]) -> dict[str, tuple[str, bool, Any]]:
    """For each field of a model: its name for the user, whether it is required, and its default."""
    return {
        name: (about.alias or name, about.is_required(), about.get_default(call_default_factory=True))
        for name, about in model.model_fields.items()
    }


def changed_fields(fields: BaseModel, path: str = "") -> Iterator[tuple[str, Any]]:
    """The fields whose value is not their default: (path, value)."""
    for name, (alias, required, default) in field_defaults(type(fields)).items():
        value = getattr(fields, name)
        if type(value) in PLAIN and (required or value == default):
            continue
        here = f"{path}.{alias}" if path else alias
        if isinstance(value, BaseModel):
            yield from changed_fields(value, here)
        elif isinstance(value, dict) and any(isinstance(item, BaseModel) for item in value.values()):
            for key, item in value.items():
                yield from changed_fields(item, f"{here}.{key}")
        elif isinstance(value, list | tuple) and value and all(isinstance(item, BaseModel) for item in value):
            for i, item in enumerate(value):
                yield from changed_fields(item, f"{here}[{i}]")
        elif not required and value != default:
            yield here, value


def plain(value: Any) -> Any:
    """A value as in a scenario's mapping: tables instead of models."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_defaults=True)
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def game_file_battle() -> Battle:
    """The keys of a game file, in the form of the fields of a battle kind."""
    from simulator.rules.custom.game_file.format import GameFile

    return Battle(game="game", kind="file", title="a game file", model=GameFile, headline=(), build=lambda _: Built())


def campaign_battle() -> Battle:
    """The keys of a campaign of any game, in the form of the fields of a battle kind."""
    from simulator.rules import campaign

    return Battle(
        game=campaign.GAME,
        kind="file",
        title="a campaign",
        model=campaign.Campaign,
        headline=(),
        build=lambda _: Built(),
    )
