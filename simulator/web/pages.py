"""The pages beside the calculator: comparing set-ups, opening a scenario, a game file of one's own, the API told."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlsplit

from simulator.analysis.odds.measure import in_words, is_chance
from simulator.analysis.studies.compare import LEAST, compare
from simulator.report.words import percent
from simulator.rules.custom import INLINE
from simulator.rules.custom.game_file.files import parse as parse_game
from simulator.scenarios import Draft, ScenarioError, kinds_of, parse
from simulator.web import answers, catalogue, views
from simulator.web import share_links as copies
from simulator.web import url_codec as address
from simulator.web.draw import told
from simulator.web.messages import Asked, Limits, Reply


def request_of(link: str) -> views.Request:
    """The scenario of an address, whole or without its server. Raises ScenarioError."""
    try:
        parts = urlsplit(link)
        names = parts.path.strip("/").split("/")
        pairs = tuple(parse_qsl(parts.query, keep_blank_values=True))
    except ValueError:
        names, pairs = [], ()
    if len(names) != 2:
        raise ScenarioError(f"compare: {link[:60]!r} is no address of a set-up; copy one from the page of a battle")
    return views.Request(Asked("page", {"game": names[0], "battle": names[1]}, pairs))


def compared(asked: Asked, limits: Limits) -> Reply:
    """Two to six set-ups side by side."""
    links = views.pinned(asked)
    if len(links) < LEAST:
        return Reply(views.compare_page(asked))
    if len(links) > views.MOST_PINS:
        raise ScenarioError(f"compare: {len(links)} set-ups; at most {views.MOST_PINS}")
    requests = {chr(ord("A") + place): request_of(link) for place, link in enumerate(links)}
    found = compare({name: one.draft for name, one in requests.items()}, threads=1)
    names = list(requests)
    rows = []
    for value in found.values:
        cells = [row for row in found.answers if row.value == value]
        chance = is_chance(value)
        best = max(row.estimate for row in cells)
        rows.append(
            {
                "value": value,
                "words": in_words(value),
                "cells": [
                    {
                        "text": told_value(row.estimate, chance),
                        "value": f"{row.estimate:.10g}",
                        "apart": ""
                        if place == 0 or row.difference.value == 0
                        else apart(row.difference, chance, row.method),
                        "most": row.estimate == best and any(other.estimate < best for other in cells),
                    }
                    for place, row in enumerate(cells)
                ],
            }
        )
    setups = [
        {
            "name": name,
            "title": f"{one.battle.game} {one.battle.kind}",
            "told": ", ".join(
                f"{key.replace('.', ' ')} {value}" for key, value in address.written(one.data, one.battle)
            ),
            "address": copies.address_of(one.data, one.battle),
            "bar": answers.bar_of(found.odds[name]),
            "results": [(result.label, percent(result.p), f"{result.p:.10g}") for result in found.odds[name].results],
        }
        for name, one in requests.items()
    ]
    shown = {
        "setups": setups,
        "rows": rows,
        "names": names,
        "sentence": found.sentence().replace(found.values[0], in_words(found.values[0])),
        "how": found.how(),
    }
    return Reply(views.compare_page(asked, found=shown))


def told_value(value: float, chance: bool) -> str:
    """A value of a comparison in words."""
    return percent(value) if chance else told(value, False)


def apart(difference: Any, chance: bool, method: str) -> str:
    """A difference to the first set-up, and how sure it is."""
    text = f"{100 * difference.value:+.2f}" if chance else f"{difference.value:+.4g}"
    if method == "exact" or difference.confidence != difference.confidence:
        return text
    return f"{text}, {100 * difference.confidence:.1f} % sure"


def opened(asked: Asked, limits: Limits) -> Reply:
    """Go to the page of a scenario that was pasted."""
    draft = Draft(parse(views.posted(asked), "the scenario"), paths=False)
    battle = draft.battle()
    return views.moved(copies.address_of(draft.data, battle))


def own(asked: Asked, limits: Limits) -> Reply:
    """A page for a game file of one's own; with one, go to the page of its first battle kind."""
    if not asked.body:
        return Reply(views.own_page(asked))
    game = parse_game(views.posted(asked).encode(), "your game")
    kinds = kinds_of(INLINE, game, paths=False)
    battle = next(iter(kinds.values()))
    data = catalogue.start_of(battle) | {"rules": game}
    return views.moved(copies.address_of(data, battle))
