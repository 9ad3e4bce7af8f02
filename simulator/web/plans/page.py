"""The page that plans a turn: its form, the plan as lines from places to targets, and the other plans."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from shlex import quote
from typing import Any

from simulator.analysis.plan import words
from simulator.analysis.plan.plan import Plan, plan
from simulator.rules.battle import Battle
from simulator.rules.toolkit.words import number_of, percent
from simulator.rules.toolkit.words import words as player_words
from simulator.scenarios import example_text, kinds_of
from simulator.scenarios.files import example, plan_names
from simulator.web import catalogue, links
from simulator.web.messages import Job, Limits, Reply
from simulator.web.plans.arrows import arrows
from simulator.web.plans.form import OBJECTIVES, form_of
from simulator.web.plans.request import HERE, PlanRequest, address_of, start_of
from simulator.web.views.calculator import redirect
from simulator.web.views.card import Picture
from simulator.web.views.render import render

START = "plan-eastern-front"


def page(job: Job, limits: Limits) -> Reply:
    """The whole page, or its answer alone; without a plan, and after a button of the form, a redirect to one."""
    if not any(key == "of" for key, _ in job.pairs):
        return redirect(address_of(example(START)))
    request = PlanRequest(job)
    if request.only_game:
        return redirect(address_of(start_of(request.data["of"])))
    if set(request.options) - {"part"}:
        data, card = request.changed()
        return redirect(address_of(data) + (f"#{card}" if card else ""))
    context = _frame(request) | _answer(request)
    return Reply(render("plan_answer.html" if request.part else "plan.html", **context))


def refused(job: Job, context: Mapping[str, Any]) -> bytes:
    """The page with a refusal in place of the answer, or the refusal alone. Raises ScenarioError without a game."""
    request = PlanRequest(replace(job, body=""))
    if request.part:
        return render("complaint.html", **context)
    return render("plan.html", **(_frame(request) | dict(context)))


def card(job: Job, limits: Limits) -> Reply:
    """The picture that a link to a plan shows where it is shared, as PNG."""
    request = PlanRequest(job)
    found = plan(request.draft)
    picture = Picture()
    picture.heading(_box(request.data), "plan a turn")
    picture.sentence(_proper([*found.turn.places, *(front.name for front in found.turn.fronts)])(found.headline))
    picture.numbers(_numbers(found))
    picture.bar([one | {"rows": [(0, one["said"])], "kind": one["drawn"]} for one in _counts(found)])
    picture.footer(found.how(), True, "each block: how many succeed, as wide as it is likely")
    return Reply(picture.png(), type="image/png")


def _kinds(data: Mapping[str, Any]) -> list[Battle]:
    """The battle kinds of a plan's game."""
    return list(kinds_of(str(data.get("of")), data.get("rules"), paths=False).values())


def _box(data: Mapping[str, Any]) -> str:
    return catalogue.short_name(_kinds(data)[0])


def _frame(request: PlanRequest) -> dict[str, Any]:
    """All of the page but its answer."""
    data = request.data
    titles = {name: example_text(name).partition("\n")[0].lstrip("# ") for name in plan_names()}
    shipped = [
        {"title": title, "short": re.split(r"[:,(]", title)[0].strip(), "address": address_of(example(name))}
        for name, title in titles.items()
    ]
    return {
        "form": form_of(data), "objectives": OBJECTIVES, "examples": shipped, "games": catalogue.planned(),
        "game": _kinds(data)[0].name or player_words(str(data["of"])).capitalize(),
        "address": request.address, "query": request.address.partition("?")[2], "here": HERE,
        "host": request.job.host,
    }  # fmt: skip


def _answer(request: PlanRequest) -> dict[str, Any]:
    """The answer, for its template."""
    found = plan(request.draft)
    orders = found.orders
    fronts = [(front.name, front.hold) for front in found.turn.fronts]
    more = {(one.place, one.piece): one for one in found.units_worth}
    data = request.data
    proper = _proper([*found.turn.places, *(name for name, _ in fronts)])
    command = f"echo {quote(json.dumps(data, ensure_ascii=False))} | battle-odds plan -"
    return {
        "found": found, "short": _short(found), "sentence": found.headline,
        "said": proper(found.headline), "certainty": proper(words.certainty(found)), "proper": proper,
        "title": _title(request, found), "money": found.turn.carry.money(), "counts": _counts(found),
        "lines": arrows(found.turn.places, fronts, orders), "more": more,
        "objective": found.objective,
        "rows": {row["target"]: row | {"from": _from(orders.get(row["target"], {}))} for row in found.rows()},
        "struck": {name: target.counter is not None for name, target in found.turn.file.target.items()},
        "home": {place: ", ".join(words.pieces_in_words(sent)) for place, sent in found.home.items()},
        "next": _next(found), "units": _units(request, found),
        "copies": [("TOML file", links.document(data)), ("Link", request.job.host + request.address),
                   ("Command", command)],
    }  # fmt: skip


def _proper(names: Iterable[str]) -> Callable[[str], str]:
    """A function that writes the names of places and targets in a text as the page's cards have them: "Ukraine"."""
    known = {text: re.sub(r"(?<![\w'])[a-z]", lambda one: one[0].upper(), text) for text in map(player_words, names)}
    pattern = "|".join(map(re.escape, sorted(known, key=len, reverse=True))) or "(?!)"
    return lambda text: re.sub(rf"(?<!\w)(?:{pattern})(?!\w)", lambda one: known[one[0]], text)


def _from(orders: Mapping[str, Mapping[str, int]]) -> list[tuple[str, str]]:
    """Pairs of a place and the pieces that it sends, in words."""
    return [(place, ", ".join(words.pieces_in_words(sent))) for place, sent in orders.items()]


def _next(found: Plan) -> list[dict[str, Any]]:
    """The next best plans in words."""
    rows = [{str(name): value for name, value in row.items()} for row in found.alternatives.to_dict("records")]
    for row in rows:
        sent = {name: ", ".join(words.together(found, one)) for name, one in row["orders"].items()}
        row["names"] = list(sent) or ["attack nothing"]
        row["sent"] = "; ".join(f"{name}: {pieces}" for name, pieces in sent.items())
    return rows


def _units(request: PlanRequest, found: Plan) -> list[dict[str, Any]]:
    """The worth of one unit more, the greatest first; each row has the address of that plan."""
    rows = []
    for one in found.units_worth:
        now = links.value_at(request.data, f"place.{one.place}.{one.piece}")
        set_more = {f"place.{one.place}.{one.piece}": now + 1} if isinstance(now, int) else {}
        address = address_of(request.draft.with_fields(set_more).data) if set_more else ""
        rows.append(vars(one) | {"address": address, "said": words.pieces_in_words({one.piece: 1})[0]})
    return sorted(rows, key=lambda row: -(row["more"] or 0.0))


def _counts(found: Plan) -> list[dict[str, Any]]:
    """The bar of how many fronts succeed: its blocks, all fronts first, in per cent of its width."""
    blocks, start, many = [], 0.0, len(found.number) - 1
    for at in range(many, -1, -1) if many > 0 else ():
        p = found.number[at]
        shade = 1.0 if at == many else 0.0 if at == 0 else 0.25 + 0.5 * at / many
        blocks.append({
            "said": f"{at} of {many}: {percent(p, 1)}", "p": p, "start": start, "width": 100 * p, "shade": shade,
            "drawn": "attacker" if at == many else "nobody" if at == 0 else "r2",
        })  # fmt: skip
        start += 100 * p
    return blocks


def _numbers(found: Plan) -> list[tuple[str, str]]:
    """The chance of all, and the worth, as the numbers of a card."""
    every = [("all of it succeeds", percent(found.chance_all or 0.0, 1))] if found.counted else []
    return [*every, ("worth", number_of(found.worth))] if found.worth is not None else []


def _title(request: PlanRequest, found: Plan) -> str:
    """The plan as the title of its page: "A&A 1942, plan a turn: worth 20.1, all 3 in 50 %"."""
    return f"{_box(request.data)}, plan a turn: {_short(found)}"


def _short(found: Plan) -> str:
    """The plan in a few words: "worth 20.1, all 3 in 50 %"."""
    if found.best is None or found.worth is None:
        return "nothing is enough"
    every = f", all {len(found.counted)} in {percent(found.chance_all or 0.0, 0)}" if len(found.counted) > 1 else ""
    return f"worth {number_of(found.worth)}{every}"
