"""Values as people type them, on the command line and on the page: settings, ranges, precisions, prices."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from simulator.rules.toolkit.naming import unaccented
from simulator.scenarios.files import read_input
from simulator.scenarios.scenario import Draft, draft
from simulator.scenarios.schema import branches_at, items_at
from simulator.scenarios.validation import ScenarioError

MOST_VALUES = 10_000
# An example of each option of pairs.
LIKE = {
    "--set": "attacker.regiments=25",
    "--vary": "attacker.regiments=1:30",
    "--variant": "d10: rules.dice.sides=10",
    "--cost": "attacker.regiments=3",
    "--weight": "win=15",
    "--join": "attacker.tank=2",
}


def read_draft(source: str, settings: Sequence[str] = ()) -> Draft:
    """A file, a shipped example or `-` for standard input, with `path=value` settings put in, not checked yet."""
    base = draft(read_input()) if source == "-" else draft(source)
    pairs = [split_setting(setting, "--set") for setting in settings]
    return base.with_fields({path: _setting(base, path, value) for path, value in pairs})


def _setting(base: Draft, path: str, text: str) -> Any:
    """A value as `read_value`; in a field that takes a list, commas stand between its entries.

    A text alone is the one entry where a field takes nothing but lists.
    """
    value = read_value(text, "--set")
    if not isinstance(value, str):
        return value
    try:
        battle = base.battle()
        takes_list, only = (
            bool(items_at(battle, path)),
            all(one.get("type") == "array" for one in branches_at(battle, path)),
        )
    except ScenarioError:  # its game is refused when the draft is checked
        return value
    several = takes_list and (only or "," in text)
    return [read_value(part, "--set") for part in split_values(text, "--set")] if several else value


def split_setting(text: str, option: str) -> tuple[str, str]:
    """`path=value` in two. Raises ScenarioError."""
    path, equals, value = text.partition("=")
    if not equals or not path.strip() or not value.strip():
        raise ScenarioError(f"{option}: {text!r} is not allowed; write it like {LIKE.get(option, LIKE['--set'])}")
    return path.strip(), value.strip()


def read_pairs(texts: Sequence[str], option: str) -> dict[str, str]:
    """All `path=value` of an option. Raises ScenarioError for a path given twice."""
    found: dict[str, str] = {}
    for path, value in (split_setting(text, option) for text in texts):
        if path in found:
            raise ScenarioError(f"{option}: {path} is given twice")
        found[path] = value
    return found


def read_value(text: str, option: str) -> Any:
    """A value of an option as TOML writes it (25, true, [3, 2], {a = 1}), or else the text itself.

    Raises ScenarioError for one that is nested too deeply.
    """
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
    except (RecursionError, ValueError):
        raise ScenarioError(f"{option}: {text[:40]!r}... is nested too deeply or too long") from None


def read_range(text: str) -> tuple[str, list[Any]]:
    """`path=1:30` (both ends), `path=0:1:0.25` (with a step), `path=a,b,c`, or lists `path=[3, 2],[4, 1]`.

    Raises ScenarioError.
    """
    path, values = split_setting(text, "--vary")
    parts = values.split(":")
    if len(parts) in {2, 3} and not set("[{'\"") & set(values):
        return path, _span(values, parts)
    return path, [read_value(part, "--vary") for part in split_values(values)]


def _span(text: str, parts: Sequence[str]) -> list[Any]:
    """The numbers of a range, both ends included; decimal if any of it is."""
    try:
        low, high, step = (Decimal(part.strip()) for part in (*parts, "1")[:3])
    except InvalidOperation:
        raise ScenarioError(f"--vary: {text!r} is not allowed; write a range like 1:30, 0:20:5 or 0:1:0.25") from None
    fine = all(number.is_finite() for number in (low, high, step)) and step > 0
    try:
        short = fine and 0 <= (high - low) // step < MOST_VALUES
    except ArithmeticError:  # so many that even their number is no Decimal
        short = False
    if not short:
        raise ScenarioError(f"--vary: {text!r} is not allowed; a range goes up, over at most 10000 values")
    found = [low + i * step for i in range(int((high - low) // step) + 1)]
    whole = all(number == number.to_integral_value() for number in (low, step)) and not any("." in one for one in parts)
    return [int(number) if whole else float(number) for number in found]


def split_values(text: str, option: str = "--vary") -> list[str]:
    """Values between commas, but for commas inside brackets and quotes. Raises ScenarioError for an empty one."""
    found, depth, quote, begin = [], 0, "", 0
    for place, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
        elif sign == "," and depth == 0:
            found.append(text[begin:place])
            begin = place + 1
    found.append(text[begin:])
    values = [value.strip() for value in found]
    if not all(values):
        raise ScenarioError(f"{option}: {text!r} is not allowed; there is an empty value in it")
    return values


def read_vary(texts: Sequence[str], bare: bool = False) -> dict[str, Any]:
    """All ranges of a command; with `bare` a field may stand alone (None: all its settings).

    Raises ScenarioError for a field given twice.
    """
    found: dict[str, Any] = {}
    for text in texts:
        path, values = (text.strip(), None) if bare and "=" not in text else read_range(text)
        if path in found:
            raise ScenarioError(f"--vary: {path} is given twice; write all its values in one")
        found[path] = values
    return found


def read_variants(texts: Sequence[str]) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """The names of variants, and the changes of those that are written out. Raises ScenarioError.

    `d10, d12` are two that the scenario declares; `d10: rules.dice.sides=10, PATH=scale` is written out.
    """
    names: list[str] = []
    given: dict[str, dict[str, Any]] = {}
    for text in texts:
        if ":" in text or "=" in text:
            name, changes = _read_variant(text)
            given[name] = changes
            names.append(name)
        else:
            names += split_values(text, "--variant")
    for name in names:
        if names.count(name) > 1:
            raise ScenarioError(f"--variant: {name} is given twice")
    return names, given


def _read_variant(text: str) -> tuple[str, dict[str, Any]]:
    name, colon, changes = text.partition(":")
    if not colon or not name.strip() or "=" in name:
        raise ScenarioError(f"--variant: {text!r} is not allowed; write it like {LIKE['--variant']}, PATH=VALUE")
    pairs = [split_setting(one, "--variant") for one in split_values(changes, "--variant")]
    found = {path: read_value(value, "--variant") for path, value in pairs}
    if len(found) < len(pairs):
        raise ScenarioError(f"--variant: {text!r} is not allowed; it changes a field twice")
    return name.strip(), found


def read_number(text: str, option: str, like: str = "0.8 or 80%") -> float:
    """`80%` or `0.8` as 0.8. Raises ScenarioError, which says what a number is written `like`."""
    try:
        value = float(text.strip().rstrip("% ")) / (100 if text.strip().endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ScenarioError(f"{option}: {text!r} is not allowed; give a number like {like}")
    return value


def read_share(text: str, option: str) -> float:
    """A chance: `80%` or `0.8` as 0.8. Raises ScenarioError for one below 0 or above 1."""
    value = read_number(text, option)
    if not 0 <= value <= 1:
        hint = f"; did you mean {text.strip()}%?" if "%" not in text and 1 < value <= 100 else ""
        raise ScenarioError(f"{option}: {text!r} is not allowed; a chance is from 0 to 1, or from 0% to 100%{hint}")
    return value


def read_precision(text: str) -> float:
    """`0.1%` or `0.001` as 0.001. Raises ScenarioError."""
    value = read_number(text, "--precision")
    if not 1e-6 <= value < 0.5:
        raise ScenarioError(f"--precision: {text!r} is not allowed; give a half-width like 0.1%, 0.0001% or more")
    return value


def read_prices(texts: Sequence[str]) -> dict[str, float] | str | None:
    """`path=3` for each field that costs something, or the one name of a price list; None if none is given."""
    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    pairs = [split_setting(text, "--cost") for text in texts]
    return {path: read_number(price, f"--cost {path}", "3 or 2.5") for path, price in pairs} or None


def read_weights(texts: Sequence[str] | None) -> dict[str, float] | None:
    """`win=15` for each weight; None if none is given. Raises ValueError for one given twice."""
    pairs = read_pairs(texts or (), "--weight")
    return {name: read_number(number, f"--weight {name}", "15 or -0.1") for name, number in pairs.items()} or None


def matching(rows: Sequence[dict[str, Any]], words: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of a list that hold all of these words, in any case, with or without accents."""
    wanted, texts = list(map(unaccented, words)), [[unaccented(str(value)) for value in row.values()] for row in rows]
    return [
        row
        for row, values in zip(rows, texts, strict=True)
        if all(any(word in value for value in values) for word in wanted)
    ]
