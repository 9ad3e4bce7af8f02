"""The page of a battle kind: its form, its answer, the stream that refines the answer; whole or in parts."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from simulator.analysis.decisions.advice import to_hold
from simulator.analysis.odds.headline import headline_of
from simulator.analysis.odds.method import MOST_BATTLES
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import SimulatedAnswer, by_rules, width
from simulator.rules import CAMPAIGN
from simulator.rules.battle import Battle
from simulator.rules.custom import INLINE
from simulator.rules.custom.game_file.written import toml_text
from simulator.rules.sides import ALL_SIDES, SIDES
from simulator.rules.toolkit.words import percent
from simulator.scenarios import Scenario, ScenarioError, set_path
from simulator.scenarios.schema import branches_at, whole_numbers
from simulator.web import catalogue, counter_attack, links, text_line
from simulator.web.forms.campaign import form_of
from simulator.web.messages import EVENTS, Job, Limits, Reply, event
from simulator.web.views import answers
from simulator.web.views.answers import HINT, TABLES, TEXTS, odds_in_time
from simulator.web.views.render import render
from simulator.web.views.request import BattleRequest
from simulator.web.views.tools import tabs_of

MOST_LETTERS, SHOWN_KINDS, MOST_EXAMPLES = 44, 5, 3
FIRST_BATTLES, EVENT_SECONDS = 1 << 13, 0.25
# The share of an answer's seconds for the simulation, and the half-width (95 %) that ends it.
SHARE, PRECISION = 0.9, 0.0002


def calculator(job: Job, limits: Limits) -> Reply:
    """The whole page. Without a scenario, redirects to the first example."""
    request = BattleRequest(job, limits)
    if request.text:
        return redirect(request.address)
    if not request.pairs and not request.version:  # `v` alone: an empty form
        return redirect(links.address_of(catalogue.start_of(request.battle), request.battle))
    changes_form = bool(request.options.many("add") or request.options.many("drop"))
    if request.options.many("move"):
        return redirect(links.address_of(_changed(request), request.battle))
    if change := CHANGES.get(request.options.text("change")):
        return redirect(links.address_of(change(request.data, request.battle), request.battle))
    if request.options.text("clean") == "1" and not changes_form:
        return redirect(request.address)
    return Reply(page(request, {} if changes_form else _answer(request, limits) | _second(request)))


def fragment(job: Job, limits: Limits) -> Reply:
    """The answer alone, as the script requests it while the player types (`live`): with the parts that are open.

    Once the player pauses, the script requests the hint what to keep (`part`).
    """
    request = BattleRequest(job)
    live = request.options.text("live") == "1"
    if request.options.text("part") == "hint":
        return Reply(render("hint.html", **_hint(request, *odds_in_time(request.draft, limits, live)[:2])))
    folded = (TABLES | TEXTS | HINT).difference(request.options.many("open")) if live else ()
    return Reply(render("answer.html", **answer_context(request, *odds_in_time(request.draft, limits, live), folded)))


def embed(job: Job, limits: Limits) -> Reply:
    """The answer as a page for a frame in another page, with the counter-attack where the address asks for it."""
    request = BattleRequest(job)
    second = _second(request)
    back = second["second"]["address"] if second else request.address
    return Reply(render("embed.html", **(_answer(request, limits) | second), kind=request.battle, back=back))


def form(job: Job, limits: Limits) -> Reply:
    """The form alone, with something added or removed."""
    request = BattleRequest(job)
    return Reply(render("form.html", form=form_of(request.battle, _changed(request))))


def examples(battle: Battle) -> list[dict[str, str]]:
    """The first examples of a battle kind, with a short title; its smallest battle where a game file ships none."""
    found = catalogue.examples_of(battle)[:MOST_EXAMPLES]
    if not found and battle.game in catalogue.game_files():
        found = [catalogue.smallest(battle)]
    return [one | {"short": _short(one["title"])} for one in found]


def _short(title: str) -> str:
    """The head of an example's title."""
    head = re.split(r"[,;(.]", title.partition(": ")[2] or title)[0].strip()
    return head if len(head) <= MOST_LETTERS else head[:MOST_LETTERS].rpartition(" ")[0] + " …"


def redirect(to: str) -> Reply:
    """A redirect to another address."""
    return Reply(b"", 303, headers={"Location": to})


def _second(request: BattleRequest) -> dict[str, Any]:
    """The counter-attack, where the address asks for it and there may be one; its title is that of the page."""
    if not counter_attack.is_asked(request) or not counter_attack.is_possible(request.battle, request.data):
        return {}
    with suppress(ScenarioError):
        found = counter_attack.answer(request)
        return {"second": found, "title": found["title"]}
    return {}


def page(request: BattleRequest, context: dict[str, Any]) -> bytes:
    """The whole page; `context` holds its answer, or a refusal."""
    battle = request.battle
    here = {"battle": battle.kind, "address": f"/{battle.game}/{battle.kind}"}
    kinds = [one for one in catalogue.games() if one["game"] == battle.game] or [here]
    place = next((at for at, one in enumerate(kinds) if one["battle"] == battle.kind), 0)
    if place >= SHOWN_KINDS:
        kinds.insert(SHOWN_KINDS - 1, kinds.pop(place))
    answer = context.get("answer", {})
    frame = {
        "form": form_of(battle, _changed(request)),
        "examples": examples(battle),
        "kinds": kinds,
        "box": battle.name or battle.game.replace("-", " ").capitalize(),
        "tabs": tabs_of(battle, request.data, context.get("scenario"), "exact" not in answer or answer["exact"]),
        "line_units": text_line.written(catalogue.start_of(battle), battle) if _counts_units(battle) else "",
        "has_sides": battle.game != CAMPAIGN,  # to swap or to clear
        "plans": any(of == battle.game for _, of in catalogue.planned()),
        "query": links.query(request.written),
        "card": links.query([*request.written, *(counter_attack.pairs_of(request) if "second" in context else [])]),
        "address": request.address,
        "game_text": toml_text(request.data["rules"]) if battle.game == INLINE else "",
        "game_file": battle.game if battle.game in catalogue.game_files() and "rules" not in request.data else "",
    }
    return render("calculator.html", **(_about(request) | frame | context))


def _about(request: BattleRequest) -> dict[str, Any]:
    battle = request.battle
    here = f"/{battle.game}/{battle.kind}"
    sides = [side for side in ALL_SIDES if side in battle.model.model_fields]
    about = {
        "battle": battle,
        "here": here,
        "pairs": request.written,
        "outdated": request.outdated,
        "host": request.job.host,
    }
    about["line"] = text_line.written(request.data, battle) if _counts_units(battle) else ""
    about |= {"sides": sides, "totals": list(request.totals.values()), "summary": summary(request)}
    return about


def title_of(request: BattleRequest, odds: Odds, said: Sequence[Mapping[str, Any]]) -> str:
    """An answer as the title of its page: "A&A 1942: 13 v 11, attacker takes the land 71 %".

    `said`: the chances that its sentence names.
    """
    battle = request.battle
    text = f"{said[0]['words']} {percent(said[0]['p'], 0)}" if said else headline_of(odds, decimals=0).text
    return f"{catalogue.short_name(battle)}: {catalogue.against(battle, request.data, request.totals)}{text}"


def summary(request: BattleRequest) -> str:
    """The battle in a few words, for the list of recent battles."""
    battle, data = request.battle, request.data
    sides = [request.totals.get(side, [])[:1] for side in SIDES] if battle.total else []
    if not sides or not all(sides):
        tables = [data[side] for side in SIDES if isinstance(data.get(side), Mapping)]
        numbers = [next((value for value in one.values() if isinstance(value, int)), None) for one in tables]
        sides = [[str(one)] for one in numbers if one is not None]
    against = " against ".join(one[0] for one in sides if one)
    return battle.label + (f": {against}" if against else "")


def _counts_units(battle: Battle) -> bool:
    """Is an army of this kind no more than numbers of units?"""
    return all(text_line.only_numbers(battle, side) for side in SIDES)


def emptied(data: Mapping[str, Any], battle: Battle) -> dict[str, Any]:
    """The scenario without its units, conditions and policies: of units that are needed there is one each."""

    def needed(side: str) -> dict[str, Any]:
        tables = [table for table in branches_at(battle, side) if "properties" in table]
        names = tables[0].get("required", []) if tables else []
        return {name: 1 for name in names if whole_numbers(battle, f"{side}.{name}")}

    kept = {name: data[name] for name in (*links.FRAME, "rules") if name in data}
    return kept | {side: units for side in ALL_SIDES if side in data and (units := needed(side))}


# The changes of a whole scenario, by the name that a link gives (`with.change`).
CHANGES = {"swap": links.swapped, "clear": emptied}


def is_only_begun(request: BattleRequest, refusal: str) -> bool:
    """Does a refusal only say what is still to be given: units of a side, or everything?"""
    sides = [side for side in SIDES if side in request.battle.model.model_fields]
    given = [request.data.get(side, {}) for side in sides]
    without_units = any(isinstance(side, Mapping) and not any(side.values()) for side in given)
    first, nothing = re.split(r"[.:]", refusal)[0], not request.data.keys() - {*links.FRAME, "rules"}
    missing = first in SIDES or ": is needed" in refusal
    return (without_units and missing) or (nothing and first in request.battle.model.model_fields)


def _answer(request: BattleRequest, limits: Limits) -> dict[str, Any]:
    return answer_context(request, *odds_in_time(request.draft, limits))


def answer_context(
    request: BattleRequest, odds: Odds, scenario: Scenario | None, reason: str, folded: Collection[str] = ()
) -> dict[str, Any]:
    """The context of the answer's template; `reason` says why the odds are not exact, `folded` what is left out."""
    column, link = request.options.text("column"), f"{request.job.host}{request.address}"
    answer = answers.context(odds, scenario, column if column in odds.names else "", folded)
    return _about(request) | {
        "answer": answer,
        "kept": _link_to_keep(request, answer["kept"]),
        "title": title_of(request, odds, answer["said"]),
        "scenario": scenario,
        "reason": reason,
        "address": request.address,
        "copies": [] if "copy" in folded else links.copies(request.data, request.battle, link, request.written, odds),
    }


def _hint(request: BattleRequest, odds: Odds, scenario: Scenario | None) -> dict[str, Any]:
    """The context of the hint alone."""
    hint, kept = to_hold(scenario, odds) if scenario else ("", {})
    return {"answer": {"hint": hint, "later": ()}, "kept": _link_to_keep(request, kept)}


def _link_to_keep(request: BattleRequest, kept: Mapping[str, Any]) -> str:
    """The address of the battle with these fields of a hint; an empty text without any."""
    return links.address_of(request.draft.with_fields(kept).data, request.battle) if kept else ""


def _changed(request: BattleRequest) -> dict[str, Any]:
    """The scenario with the parts that a button of the form adds or removes."""
    data = request.data
    for key in request.options.many("drop"):
        pairs = [(k, v) for k, v in request.pairs if k != key and not k.startswith(f"{key}.")]
        data = request.frame | links.read(pairs, request.battle)
    for key in request.options.many("move"):
        _move(data, key)
    named = re.sub(r"\W+", "_", request.options.text("named")).strip("_").lower()
    for asked in request.options.many("add"):
        key = f"force.{named}" if named and asked.startswith("force.") else asked
        # `leaders+` appends an empty value, `crossings.2` an empty table, `units.3=?` an empty name, `order=*` a list.
        bare = re.sub(r"(\+|=[?*])$", "", key)
        path = links.path_of(bare)
        new: Any = {} if bare == key else ""
        if key.endswith("=*"):  # an order of one's own begins with the units that are there
            units = links.value_at(data, path.partition(".")[2].partition(".")[0])
            counts = units.items() if isinstance(units, Mapping) else ()
            new = [name for name, count in counts if isinstance(count, int) and count]
        listed = path.rpartition("[")[0] if path.endswith("]") else path if key.endswith("+") else ""
        if listed:
            given = links.value_at(data, links.key_of(listed))
            new = [*(given if isinstance(given, list) else [] if given is None else [given]), new]
        set_path(data, listed or path, new)
    return data


def _move(data: dict[str, Any], key: str) -> None:
    """Move an entry of a list in place: `fight.2=0` becomes the first.

    Fights without a name that a question mentions keep the names they have by their places.
    """
    path, _, place = key.partition("=")
    listed, _, at = path.rpartition(".")
    entries = links.value_at(data, listed)
    if not (isinstance(entries, list) and all(isinstance(one, Mapping) for one in entries)):
        return
    if all(one.isdecimal() and len(one) < 5 and int(one) < len(entries) for one in (at, place)):
        if re.search(r"\bfight\d+_", str(data)):
            entries[:] = [{"name": f"fight{number + 1}"} | dict(one) for number, one in enumerate(entries)]
        entries.insert(int(place), entries.pop(int(at)))


def refined(job: Job, limits: Limits) -> Iterator[Reply]:
    """Simulate until the chances are precise enough or the seconds are used up; four events a second."""
    request = BattleRequest(job)
    scenario = request.draft.checked()
    begun = time.process_time()
    if request.options.text("exact") == "no":  # the answer before this stream found that
        by_rules(scenario)
    fight = SimulatedAnswer(scenario, 0, 1)
    batch, ended = FIRST_BATTLES, ""
    while not ended:
        before = time.monotonic()
        fight.add(batch)
        seconds = time.monotonic() - before
        odds = fight.odds()
        batch = int(min(MOST_BATTLES, batch * min(4.0, max(0.25, EVENT_SECONDS / max(seconds, 1e-4)))))
        if width(odds) <= PRECISION:
            ended = "precise enough"
        elif time.process_time() - begun + seconds > SHARE * limits.seconds:
            ended = f"after {limits.seconds:g} s of compute"
        html = render("answer.html", **answer_context(request, odds, scenario, "")).decode()
        state = {"html": html, "battles": fight.battles, "ended": ended}
        yield Reply(event(state), type=EVENTS, last=bool(ended))
