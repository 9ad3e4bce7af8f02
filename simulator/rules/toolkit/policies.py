"""Refusals beyond those of types: of policies, of their parameters, and of any field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from simulator.rules.battle import Fields, Misfit, Refusal
from simulator.rules.toolkit.naming import listed, text_of

M = TypeVar("M", bound=BaseModel)


def refuse(wrong: object, field: str, text: str) -> None:
    """Refuse `field` with this text if it is wrong. Raises Refusal."""
    if wrong:
        raise Refusal(field, text)


def fitted(model: type[M], data: Any, prefix: str = "") -> M:
    """Data as a model; `prefix` stands before their fields. Raises Misfit."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise Misfit(prefix, error, model) from None


def refuse_if(wrong: object, field: str, given: object, allowed: str) -> None:
    """Refuse the value `given` of `field` if it is wrong, with the values allowed. Raises Refusal."""
    refuse(wrong, field, f"{text_of(given)} is not allowed; {allowed}")


def named(value: str | Sequence[str]) -> list[str]:
    """The policies named, one or several."""
    return [value] if isinstance(value, str) else list(value)


def in_words(policy: Fields, chosen: list[str], parameters: Mapping[str, str]) -> list[str]:
    """The policies chosen, each with its number: "stop-below 3"; `parameters` as for `check_parameters`."""
    return [f"{name} {getattr(policy, parameters[name])}" if name in parameters else name for name in chosen]


def check_alone(field: str, chosen: list[str], alone: str) -> None:
    """Refuse a policy that makes no sense beside others ("to-the-end", "never")."""
    if alone in chosen and len(chosen) > 1:
        raise Refusal(field, f"{listed(chosen)} is not allowed; {alone} cannot be combined with others")


def check_parameters(where: str, policy: Fields, chosen: list[str], parameters: Mapping[str, str]) -> None:
    """Refuse a policy without its parameter, and a parameter without its policy. Raises Refusal.

    `parameters` maps policy names to field names of `policy`, the table at path `where`. The refusal of a parameter
    without its policy is marked `unused`, so that a sweep over policies can drop the parameter.
    """
    for name, parameter in parameters.items():
        given = getattr(policy, parameter)
        if name in chosen and given is None:
            raise Refusal(f"{where}.{parameter}", f"is needed by the policy {name}")
        if name not in chosen and given is not None:
            raise Refusal(f"{where}.{parameter}", f"{given} is not allowed without the policy {name}", unused=True)
