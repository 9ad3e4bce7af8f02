"""The page on which a game file is written: the text, and beside it all that follows from it."""

from __future__ import annotations

import re
from typing import Any

from simulator.rules.custom.game_file.files import shipped_text
from simulator.rules.custom.triplea import import_triplea
from simulator.rules.toolkit.words import percent
from simulator.scenarios import ScenarioError, kinds_of
from simulator.scenarios.validation import not_one_of
from simulator.web import catalogue
from simulator.web.editor import inserts, trial
from simulator.web.editor.checking import Checked, checked, dice_in_words, findings, unit_table
from simulator.web.editor.posted import Posted, posted
from simulator.web.links import Pairs, address_of, written
from simulator.web.messages import Job, Limits, Reply
from simulator.web.views.calculator import redirect
from simulator.web.views.render import render

# The shipped game file that the editor opens with.
START = "skirmish"
TABS = {"findings": "Findings", "worth": "Worth of units", "balance": "Balance"}


def page(job: Job, **context: Any) -> bytes:
    """The editor without what follows from its text; `complaint` is shown above a text that was refused as a whole.

    Where a map is refused, the editor opens with the text that the browser keeps, as it does without a map.
    """
    if job.view == "import":
        text, context = shipped_text(START), {"not_imported": context["complaint"], "sent": False}
    else:
        text = _text(job, posted(job))
    return _page(job, checked(text), Posted(text, []), {}, **context)


def own_game(job: Job, limits: Limits) -> Reply:
    """The editor; a posted game file is checked, changed by a button, saved as a file, or played.

    Played: a redirect to the test battle's page.
    """
    if _start(job) not in catalogue.game_files():
        raise ScenarioError(f"start: {not_one_of(_start(job), catalogue.game_files())}")
    query, given = dict(job.pairs), posted(job)
    if given.text is None:
        given = Posted(None, _example(_start(job)))
    asked, text = query.get("do", "play"), _text(job, given)
    if job.body and asked in inserts.inserts():
        text = inserts.inserted(text, asked)
    found = checked(text)
    if job.body and asked == "save":
        file = re.sub(r"[^a-z0-9]+", "-", found.name.lower()).strip("-") or "game"
        headers = {"Content-Disposition": f'attachment; filename="{file}.toml"'}
        return Reply(text.encode(), type="application/toml", headers=headers)
    if found.file and asked == "play" and job.body:
        tried = trial.trial_of(found, given)
        return redirect(address_of(tried.data, tried.battle))
    status = 422 if asked == "play" and job.body and not found.file else 200
    return Reply(_page(job, found, given, _results(found, given, limits)), status)


def imported(job: Job, limits: Limits) -> Reply:
    """The editor with the game file that a posted TripleA map describes, and the report of the import."""
    found = import_triplea(text=posted(job).text or "")
    kinds = {kind: [one for one in found.report if one["kind"] == kind] for kind in ("left out", "approximated")}
    taken = len(found.report) - sum(map(len, kinds.values()))
    text, given = checked(found.toml), Posted(None, [])
    return Reply(_page(job, text, given, _results(text, given, limits), imports=kinds, taken=taken))


def _start(job: Job) -> str:
    """The name of the game file that the editor opens with."""
    return dict(job.pairs).get("start", START)


def _example(name: str) -> Pairs:
    """The test battle of a shipped game file: its first example."""
    battle = next(iter(kinds_of(name).values()))
    return [("battle", battle.kind), *written(catalogue.start_of(battle), battle)]


def _text(job: Job, given: Posted) -> str:
    """The posted game file as written; without one, a shipped one."""
    if given.text is not None:
        return given.text
    return shipped_text(_start(job) if _start(job) in catalogue.game_files() else START)


def _page(job: Job, found: Checked, given: Posted, results: dict[str, Any], **context: Any) -> bytes:
    """The whole page, or the parts that follow from its text (`with.part`)."""
    query = dict(job.pairs)
    marks = {one.line: one for one in reversed(found.remarks)}
    shown = {
        "games": catalogue.game_files(), "start": _start(job), "found": found, "text": found.text, "name": found.name,
        "rows": found.text.count("\n") + 1, "marks": marks, "remarks": found.remarks, "inserts": inserts.inserts(),
        "tabs": TABS, "results": results, "tab": _tab(given), "sent": bool(job.body or "start" in query),
        "pairs": given.pairs,
    }  # fmt: skip
    return render("own_parts.html" if query.get("part") == "1" else "own.html", **(shown | context))


def _tab(given: Posted) -> str:
    """The tab that is open."""
    return given.last("tab") if given.last("tab") in TABS else next(iter(TABS))


def _results(found: Checked, given: Posted, limits: Limits) -> dict[str, Any]:
    """All that follows from a text: nothing where it has mistakes. Only the open tab is computed."""
    if found.file is None:
        return {}
    tried, tab = trial.trial_of(found, given), _tab(given)
    answer = trial.answer_of(tried, limits)
    about: dict[str, Any] = {"units": unit_table(found), "dice": dice_in_words(found.file), "trial": tried}
    about |= {"answer": answer, "battle": tried.battle, "title": ""}
    total = tried.battle.total
    about["totals"] = [total(tried.data, side) for side in ("attacker", "defender")] if total else []
    about["findings"] = list(findings(found, tried.data))
    if "refused" in answer:
        return about | {"worth": None, "balance": None}
    about["worth"] = trial.worth(tried, limits) if tab == "worth" else None
    about["balance"] = trial.balance(tried, given.last("balance"), limits) if tab == "balance" else None
    said = answer["said"][:1]
    return about | {"title": f"{said[0]['words']} {percent(said[0]['p'], 0)}" if said else ""}
