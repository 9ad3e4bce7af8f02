"""The pages beside the calculator: the list of games, a pasted scenario, and comparisons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from simulator.analysis.odds.headline import clause_of, meant
from simulator.analysis.odds.measure import in_words
from simulator.analysis.studies.compare import LEAST, Comparison, compare
from simulator.rules import PLAN
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.by_key import by_key
from simulator.rules.toolkit.words import noun_for, words
from simulator.scenarios import Draft, ScenarioError, parse
from simulator.web import catalogue
from simulator.web.editor.posted import posted
from simulator.web.links import address_of, in_one_line
from simulator.web.messages import Job, Limits, Reply
from simulator.web.plans.request import address_of as address_of_plan
from simulator.web.views.answers import bar_of
from simulator.web.views.calculator import redirect
from simulator.web.views.render import render
from simulator.web.views.request import BattleRequest

MOST_PINS, MOST_MATCHES, MOST_NAME = 6, 12, 40


# --- the pages with a box for text; `refusal` is shown above the box, whose text is kept ----------------------------


def index_page(job: Job, **refusal: Any) -> bytes:
    """The page of all games and their battle kinds, with a box for a scenario."""
    asked = next((value for key, value in job.pairs if key == "q"), "").strip()[:100]
    return render(
        "index.html",
        games=by_key(catalogue.games(), lambda one: one["game"]),
        text=(posted(job).text or "").strip(),
        asked=asked,
        matches=catalogue.found(asked),
        **refusal,
    )


def compare_page(job: Job, **context: Any) -> bytes:
    """The page that compares set-ups, with a box for each address."""
    return render("compare.html", **({"links": _links(job), "most": MOST_PINS, "comparison": None} | context))


def _links(job: Job) -> list[str]:
    """The addresses of the set-ups to compare, without empty ones."""
    return [value.strip() for key, value in job.pairs if key == "with.s" and value.strip()]


TEXT_PAGES = {"open": index_page, "compare": compare_page}


# --- the views ------------------------------------------------------------------------------------------------------


def index(job: Job, limits: Limits) -> Reply:
    """All games and their battle kinds; with `with.part`, only what a search finds."""
    query = dict(job.pairs)
    if query.get("with.part") == "1":
        asked = query.get("q", "").strip()[:100]
        return Reply(render("matches.html", asked=asked, matches=catalogue.found(asked)[:MOST_MATCHES]))
    return Reply(index_page(job))


def open_scenario(job: Job, limits: Limits) -> Reply:
    """Redirect to the page of a pasted scenario."""
    draft = Draft(parse((posted(job).text or "").strip(), "the scenario"), paths=False)
    if draft.data.get("game") == PLAN:
        return redirect(address_of_plan(draft.data))
    return redirect(address_of(draft.data, draft.battle()))


def compare_set_ups(job: Job, limits: Limits) -> Reply:
    """Two to six set-ups side by side."""
    links = _links(job)
    if len(links) < LEAST:
        return Reply(compare_page(job))
    if len(links) > MOST_PINS:
        raise ScenarioError(f"compare: {len(links)} set-ups; at most {MOST_PINS}")
    requests = {name: _request_of(link) for name, link in zip("ABCDEF", links, strict=False)}
    comparison = _by_question(compare({name: one.draft for name, one in requests.items()}, threads=1))
    written = [dict(one.written) for one in requests.values()]
    set_ups = [
        {
            "name": name,
            "battle": one.battle,
            "fields": in_one_line(one.written),
            "given": dict(one.written),
            "address": one.address,
            "bar": bar_of(comparison.odds[name]),
            "results": comparison.odds[name].results,
        }
        for name, one in requests.items()
    ]
    about = {
        "comparison": comparison,
        "values": _marked_rows(comparison),
        "set_ups": set_ups,
        "differing": _differing(written),
    }
    if ("with.part", "1") in job.pairs:
        names = [value.strip()[:MOST_NAME] for key, value in job.pairs if key == "with.n"]
        for place, one in enumerate(set_ups):
            given = names[place] if place < len(names) else ""
            one["called"] = given or _called(written[0], written[place])
        return Reply(render("beside.html", **about))
    return Reply(compare_page(job, **about))


def _by_question(comparison: Comparison) -> Comparison:
    """The same with the answer to the question of the first set-up's kind in front: "the attacker takes the land"."""
    asked = meant(comparison.odds[comparison.reference].battle, "headline")
    if f"mean.{asked}" not in comparison.values:
        return comparison
    first = [replace(one, value=asked) for one in comparison.answers if one.value == f"mean.{asked}"]
    rest = [one for one in comparison.answers if one.value.partition(".")[2] != asked]
    values = dict.fromkeys(one.value for one in (*first, *rest))
    return replace(comparison, values=tuple(values), answers=(*first, *rest))


def _marked_rows(comparison: Comparison) -> dict[str, list[dict[str, Any]]]:
    """The rows of each value without quantiles; the best and the worst for the attacker are marked.

    Each has its name in words, and says whether it is a chance.
    """
    battle = comparison.odds[comparison.reference].battle
    asked = meant(battle, "headline")
    shown = (row for row in comparison.rows() if not re.match(r"q\d", row["value"]))
    values = by_key(shown, lambda row: str(row["value"]))
    for value, rows in values.items():
        chance = comparison.in_percent(value)
        words = in_words(value.removeprefix("mean.") if chance else value)
        words = f"chance that {clause}" if value == asked and (clause := clause_of(battle, {}, asked)) else words
        sign = 1 if value == asked and chance else meaning(value)
        estimates = [round(sign * row["estimate"], 12) for row in rows]
        marks = {max(estimates): "better", min(estimates): "worse"} if min(estimates) < max(estimates) else {}
        for row, one in zip(rows, estimates, strict=True):
            row |= {"mark": marks.get(one, ""), "words": words, "chance": chance}
    return values


def _differing(written: Sequence[dict[str, str]]) -> list[str]:
    """The fields that are not the same in all set-ups."""
    every = dict.fromkeys(key for one in written for key in one)
    return [key for key in every if len({one.get(key) for one in written}) > 1]


def _called(first: dict[str, str], other: dict[str, str]) -> str:
    """A set-up by what differs from the first: "22 regiments", "v 9 infantry"."""
    said = []
    for key in dict.fromkeys((*other, *first)):
        if other.get(key) == first.get(key):
            continue
        side, _, name = key.partition(".")
        label = words(name.rpartition(".")[2] or key)
        value = other.get(key) or ("no" if side in SIDES else "default")
        counted = side in SIDES and "." not in name
        number = int(value) if value.isdecimal() else value
        text = f"{value} {noun_for(number, label)}" if counted else f"{label}: {words(value)}"
        said.append(f"v {text}" if counted and side == "defender" else text)
    return ", ".join(said[:2]) + (f" and {len(said) - 2} more" if len(said) > 2 else "") or "the same"


def meaning(value: str) -> int:
    """1 if more of a value is better for the attacker, -1 if less is, 0 for a value that is neither."""
    if value in {"p_attacker", "p_defender"}:
        return 1 if value == "p_attacker" else -1
    side = re.match(r"mean\.(attacker|defender)_", value)
    what = re.search(r"(lost|losses|destroyed|routed)|(left|standing)", value)
    return (1 if side[1] == "attacker" else -1) * (-1 if what[1] else 1) if side and what else 0


def _request_of(link: str) -> BattleRequest:
    """The scenario at an address, with or without its host. Raises ScenarioError."""
    try:
        parts = urlsplit(link)
        names = parts.path.strip("/").split("/")
        pairs = tuple(parse_qsl(parts.query, keep_blank_values=True))
    except ValueError:
        names, pairs = [], ()
    if len(names) != 2:
        raise ScenarioError(f"compare: {link[:60]!r} is no address of a set-up; copy one from the page of a battle")
    return BattleRequest(Job("page", {"game": names[0], "battle": names[1]}, pairs))
