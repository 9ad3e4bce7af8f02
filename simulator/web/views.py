"""The views: a request comes in, replies go out. Every page, fragment and JSON answer is made here, in a worker."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from simulator import rules
from simulator.analysis.odds.answer import answer
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import Interrupted, Method
from simulator.engine.api import fight_by_rules
from simulator.engine.model.limits import QUICK_BYTES, NoExactOdds
from simulator.rules.battle import Battle
from simulator.scenarios import Draft, Scenario, ScenarioError, find_battle, is_uncertain, set_path
from simulator.scenarios.validation import brief
from simulator.web import answers, catalogue, forms
from simulator.web import share_links as copies
from simulator.web import url_codec as address
from simulator.web.messages import COMPILING, LARGE, Asked, Limits, NoSuchPage, Reply, as_json
from simulator.web.render import render
from simulator.web.time_limit import at_most, compiler_cuts

# Exact odds may take so much of an answer's seconds; then dice are rolled for the rest.
EXACT_SHARE = 0.5
PRECISION = 0.001
LIVE_BATTLES = 1 << 15
# A battle that is too large is offered with its numbers halved, from this one on.
MANY = 6
MOST_PINS = 6


# --- reading a request ----------------------------------------------------------------------------------------------


class Request:
    """A request about one battle: its kind, its scenario as a draft, and what belongs to the page's tools."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.pairs, self.tools, self.version = address.split(asked.pairs)
        self.game, self.kind = asked.names["game"], asked.names["battle"]
        # House rules change a game file's fields, so they are read before all others.
        house_rules = address.house_rules(self.pairs) if self.game not in rules.GAMES else None
        try:
            self.battle: Battle = find_battle(self.game, self.kind, house_rules, paths=False)
        except ScenarioError as error:
            if blamed(str(error)) in address.FRAME:
                raise NoSuchPage(str(error)) from None
            raise
        fields = address.read(self.pairs, self.battle)
        self.data: dict[str, Any] = {"game": self.game, "battle": self.kind} | fields

    @property
    def draft(self) -> Draft:
        """The scenario, not checked yet; no file is ever read for it."""
        return Draft(self.data, paths=False)

    def tool(self, name: str, default: str = "") -> str:
        """The last value of a tool's field."""
        given = [value.strip() for value in self.tools.get(name, []) if value.strip()]
        return given[-1] if given else default

    def many(self, name: str) -> list[str]:
        """All values of a tool's field."""
        return [value.strip() for value in self.tools.get(name, []) if value.strip()]

    @property
    def fragment(self) -> bool:
        """Is only a part of a page asked for?"""
        return self.tool("part") == "1"

    @property
    def outdated(self) -> bool:
        """Was the link made under other rules?"""
        return bool(self.version) and self.version != str(self.battle.version)


# --- answering ------------------------------------------------------------------------------------------------------


def answered(draft: Draft, limits: Limits, live: bool = False) -> tuple[Odds, Scenario | None, str]:
    """Odds, the checked scenario, and why they are not exact: exact where that fits, else dice until time is up.

    `live` rolls only as many as show something at once; more will follow.
    """
    uncertain = is_uncertain(draft)
    scenario = None if uncertain else draft.checked()
    source = scenario or draft
    reached = 0

    def told(states: int, total: int | None) -> None:
        nonlocal reached
        reached = states

    try:
        with at_most(EXACT_SHARE * limits.seconds):
            method = Method(exact=True, budget=QUICK_BYTES)
            return answer(source, method, told), scenario, ""
    except NoExactOdds as error:
        why = str(error)
    except KeyboardInterrupt:
        why = f"exact odds would take longer than this page reckons (more than {reached:,} states)"
    if scenario is not None and scenario.built.chain is not None and not scenario.decided:
        fight_by_rules(scenario.built.chain)
    battles = LIVE_BATTLES if live else None
    try:
        with at_most((1 - EXACT_SHARE) * limits.seconds):
            found = answer(source, Method(exact=False, battles=battles, precision=PRECISION, threads=1))
    except Interrupted as cut:
        found = cut.gathered
    except KeyboardInterrupt:
        if compiler_cuts:
            raise ScenarioError(COMPILING) from None
        large = f"{LARGE}, which reckons at most {limits.seconds:g} s; {why}; use fewer units or dice"
        raise ScenarioError(large) from None
    return found, scenario, why


def smaller(asked: Asked) -> str:
    """The address of the same battle with half as many of everything; nothing if that is no different."""
    try:
        request = Request(replace(asked, view="page"))
    except (ScenarioError, ValueError):
        return ""
    pairs = address.written(request.data, request.battle)
    many = [value.isdecimal() and len(value) < 10 and int(value) >= MANY for _, value in pairs]
    half = [(key, str(int(value) // 2) if cut else value) for (key, value), cut in zip(pairs, many, strict=True)]
    return copies.link_of(half, request.battle) if half != pairs else ""


def refused(asked: Asked, text: str, status: int) -> Reply:
    """A complaint of one line, with the field it names: as JSON, as a fragment, or as a page of its own."""
    text = brief(" ".join(text.split())).removeprefix("--")  # the command line names its options so
    field = blamed(text)
    if asked.view.startswith("api"):
        return as_json({"error": text, "field": field}, status)
    if asked.view in {"page", "tool"} and ("with.part", "1") not in asked.pairs:
        return _refused_page(asked, text, field, status)
    if asked.view in BOXES:
        return Reply(BOXES[asked.view](asked, complaint=text, field="", less=""), status)
    return Reply(render("complaint.html", **_complaint(asked, text, field)), status)


def _complaint(asked: Asked, text: str, field: str | None) -> dict[str, Any]:
    """What templates tell of a complaint: its field as the form names it, and what would be small enough."""
    less = smaller(asked) if text.startswith(LARGE) else ""
    return {"complaint": text, "field": address.key_of(field or ""), "less": less}


def refusal(asked: Asked, limits: Limits) -> Reply:
    """The complaint about a request whose worker was given up: the text is the body."""
    return refused(replace(asked, view=asked.names["view"], body=""), asked.body, 422)


def blamed(text: str) -> str | None:
    """The field that a complaint begins with."""
    match = re.match(r"([A-Za-z_][\w.\[\]-]*): ", text)
    return match[1] if match else None


def _refused_page(asked: Asked, text: str, field: str | None, status: int) -> Reply:
    """The calculator as far as it can be shown, with the complaint where the answer would be."""
    told = _complaint(asked, text, field)
    try:
        request = Request(replace(asked, view="page"))
        return Reply(_page(request, told), status)
    except (ScenarioError, ValueError):
        return Reply(render("error.html", **told), status)


# --- pages ----------------------------------------------------------------------------------------------------------


def posted(asked: Asked) -> str:
    """The text of a form's only field, or the whole body."""
    return asked.body.removeprefix("scenario=" if asked.view == "open" else "game=").strip()


def front(asked: Asked, **told: Any) -> bytes:
    """The page of all games and their battle kinds, with a box for a scenario."""
    kinds: dict[str, list[dict[str, Any]]] = {}
    for one in catalogue.games():
        kinds.setdefault(one["game"], []).append(one)
    return render("index.html", games=kinds, text=posted(asked), **told)


def own_page(asked: Asked, **told: Any) -> bytes:
    """The page for a game file of one's own."""
    return render("own.html", games=catalogue.game_files(), text=posted(asked), **told)


def compare_page(asked: Asked, **told: Any) -> bytes:
    """The page that compares set-ups, with a box for each address."""
    return render("compare.html", **({"links": pinned(asked), "most": MOST_PINS, "found": None} | told))


def pinned(asked: Asked) -> list[str]:
    """The addresses of the set-ups to compare, without empty ones."""
    return [value.strip() for key, value in asked.pairs if key == "with.s" and value.strip()]


# The pages with boxes that mistakes are made in: a complaint is shown on them, the text still in its box.
BOXES = {"open": front, "own": own_page, "compare": compare_page}


def index(asked: Asked, limits: Limits) -> Reply:
    """All games and their battle kinds."""
    return Reply(front(asked))


def calculator(asked: Asked, limits: Limits) -> Reply:
    """The whole page of a battle kind: form, answer and tools. Without a scenario, that of the first example."""
    request = Request(asked)
    if not request.pairs:
        return moved(copies.address_of(catalogue.start_of(request.battle), request.battle))
    if request.tool("clean") == "1" and not {"add", "drop"} & set(request.tools):
        return moved(copies.address_of(request.data, request.battle))
    if "add" in request.tools or "drop" in request.tools:
        return Reply(_page(request, {}))
    return Reply(_page(request, _answer_context(request, limits)))


def moved(to: str) -> Reply:
    """Go there instead."""
    return Reply(b"", 303, headers={"Location": to})


def _page(request: Request, answer_part: dict[str, Any]) -> bytes:
    form = forms.form_of(request.battle, _shown(request))
    told: dict[str, Any] = {
        "battle": request.battle,
        "form": form,
        "here": f"/{request.game}/{request.kind}",
        "examples": catalogue.examples_of(request.battle),
        "outdated": request.version if request.outdated else "",
        "tools": catalogue.tools_of(request.battle, request.data),
        "pairs": address.written(request.data, request.battle),
    }
    return render("calculator.html", **(told | answer_part))


def _shown(request: Request) -> dict[str, Any]:
    """The scenario with what a button adds to the form or takes from it."""
    data = request.data
    for key in request.many("drop"):
        pairs = [(k, v) for k, v in request.pairs if k != key and not k.startswith(f"{key}.")]
        data = {"game": request.game, "battle": request.kind} | address.read(pairs, request.battle)
    for key in request.many("add"):
        bare = re.sub(r"(\+|=\?)$", "", key)
        path = address.path_of(bare)
        if key.endswith("+"):
            given = _at(data, bare)
            values = given if isinstance(given, list) else [] if given is None else [given]
            set_path(data, path, [*values, ""])
        else:
            where, place = (path[: path.rindex("[")], True) if path.endswith("]") else (path, False)
            new: Any = "" if key.endswith("=?") else {}
            if place:
                given = _at(data, address.key_of(where))
                set_path(data, where, [*(given if isinstance(given, list) else []), new])
            else:
                set_path(data, path, new)
    return data


def _at(data: Any, key: str) -> Any:
    """The value at a key, None where there is none."""
    for part in key.split("."):
        if isinstance(data, Mapping):
            data = data.get(part)
        elif isinstance(data, list) and part.isdigit() and int(part) < len(data):
            data = data[int(part)]
        else:
            return None
    return data


def _answer_context(request: Request, limits: Limits, live: bool = False) -> dict[str, Any]:
    """What the answer's template tells of a scenario."""
    found, scenario, why = answered(request.draft, limits, live)
    return odds_context(request, found, scenario) | {"why": why}


def odds_context(request: Request, found: Odds, scenario: Scenario | None) -> dict[str, Any]:
    """The same for odds that are known."""
    column = request.tool("column")
    if column and column not in found.readable_columns:
        column = ""
    shown = answers.context(found, scenario, column)
    data, battle = request.data, request.battle
    pairs = address.written(data, battle)
    here = copies.link_of(pairs, battle)
    return {
        "answer": shown,
        "address": here,
        "here": f"/{battle.game}/{battle.kind}",
        "copies": copies.copies(data, battle, f"{request.asked.host}{here}", pairs, found),
        "swapped": copies.address_of(copies.swapped(data, battle), battle),
        "pairs": pairs,
        "outdated": request.version if request.outdated else "",
        "battle": battle,
    }


def fragment(asked: Asked, limits: Limits) -> Reply:
    """The answer alone, as the page asks for while somebody types."""
    request = Request(asked)
    live = request.tool("live") == "1"
    return Reply(render("answer.html", **_answer_context(request, limits, live)))


def form(asked: Asked, limits: Limits) -> Reply:
    """The form alone, with something added or taken away."""
    request = Request(asked)
    return Reply(render("form.html", form=forms.form_of(request.battle, _shown(request)), here=""))
