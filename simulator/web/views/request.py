"""The scenario and the options that a request asks about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from simulator import rules
from simulator.rules import PLAN
from simulator.rules.campaign import GAME
from simulator.rules.sides import ALL_SIDES
from simulator.scenarios import Draft, ScenarioError, draft, example_names, find_battle, parse
from simulator.scenarios.files import example, plan_names
from simulator.web import links, text_line
from simulator.web.links import FRAME
from simulator.web.messages import BadRequest, Job, Limits
from simulator.web.plans.request import PlanRequest
from simulator.web.plans.request import address_of as address_of_plan

# The options of the tools' forms.
SHOWN = ("value", "path1", "path2", "range1", "range2", "target", "battles", "side")
# The key of both armies in one line of text.
TEXT = "text"
# The keys of an API request's body that hold scenarios; `log` holds battles that were fought.
SCENARIOS = ("scenario", "scenarios")


def whole_number(text: str, name: str) -> int:
    """An option as a whole number. Raises ScenarioError."""
    if not text.isdecimal() or len(text) > 20:
        raise ScenarioError(f"{name}: {text[:40]!r} is not allowed; give a whole number")
    return int(text)


class RequestOptions:
    """The fields of a request that belong to the page or the API, not to the scenario; empty ones are left out."""

    def __init__(self, fields: Mapping[str, list[str]]) -> None:
        self._fields = {name: [text.strip() for text in texts if text.strip()] for name, texts in fields.items()}

    def names(self) -> list[str]:
        """The names of the options given."""
        return list(self._fields)

    def many(self, name: str) -> list[str]:
        """All values of an option."""
        return self._fields.get(name, [])

    def text(self, name: str, default: str = "") -> str:
        """The last value of an option."""
        return (self.many(name) or [default])[-1]

    def shown(self) -> dict[str, str]:
        """The last value of each option, for the form that asks again; an empty text for those not given."""
        given = {name: texts[-1] for name, texts in self._fields.items() if texts}
        return dict.fromkeys(SHOWN, "") | given

    def whole(self, name: str) -> int | None:
        """An option as a whole number, None if it is not given. Raises ScenarioError."""
        text = self.text(name)
        return whole_number(text, name) if text else None


class BattleRequest:
    """A request about one battle: its kind, its scenario as a draft, and its options.

    Game and battle kind are in the path of a page, and in the query of the API. Raises BadRequest, ScenarioError.
    """

    def __init__(self, job: Job, limits: Limits | None = None) -> None:
        self.job, self.limits = job, limits or Limits()
        pairs, options, self.version = links.split(job.pairs)
        self.options = RequestOptions(options)
        frame = dict(pair for pair in (*pairs, *job.names.items()) if pair[0] in FRAME)
        self.pairs = [pair for pair in pairs if pair[0] not in (*FRAME, TEXT)]
        self.text = dict(pairs).get(TEXT, "").strip()
        # House rules change a game file's fields, so they are read before all others.
        house_rules = links.house_rules(pairs) if frame.get("game") not in rules.GAMES else None
        try:
            self.battle = find_battle(frame.get("game"), frame.get("battle"), house_rules, paths=False)
        except ScenarioError as error:
            if job.names and named_field(str(error)) in FRAME:
                raise BadRequest(str(error), 404) from None
            raise
        # A campaign names the game of its fights instead of a battle kind.
        kind = "of" if self.battle.game == GAME else "battle"
        self.frame = {"game": self.battle.game, kind: self.battle.kind}
        self.data = self.frame | links.read(self.pairs, self.battle)
        if self.text:
            self.data = text_line.applied(self.data, self.battle, self.text)

    @property
    def draft(self) -> Draft:
        """The scenario, not checked yet; files that it names are never read."""
        return Draft(self.data, paths=False)

    @cached_property
    def written(self) -> links.Pairs:
        """The query pairs of the scenario."""
        return links.written(self.data, self.battle)

    @cached_property
    def address(self) -> str:
        """The address of the scenario's page."""
        return links.link_of(self.written, self.battle)

    @cached_property
    def totals(self) -> dict[str, list[str]]:
        """The whole force of each side in words; an empty dict for a game without such words."""
        total, sides = self.battle.total, self.battle.model.model_fields
        return {side: list(total(self.data, side)) for side in ALL_SIDES if side in sides} if total else {}

    @property
    def outdated(self) -> str:
        """The rules version of the link if it is not the present one, else an empty text."""
        return self.version if self.version != str(self.battle.version) else ""


class ApiRequest:
    """A request to the API: its options, and what its body holds (`given`, empty without a body).

    The scenario is in the query (then options are named `with.NAME`), or it is the body, or the body is a table with
    `scenario` and options. Raises BadRequest, ScenarioError.
    """

    def __init__(self, job: Job, limits: Limits) -> None:
        self._job, self.limits = job, limits
        self.given: dict[str, Any] = {}
        pairs, options, _ = links.split(job.pairs)
        if job.body:
            if pairs:
                raise ScenarioError(f"{pairs[0][0][:60]}: give the scenario in the body or in the query, not in both")
            try:
                self.given = parse(job.body, "the body")
            except ScenarioError as error:
                raise BadRequest(str(error), 400) from None
            if "game" not in self.given:
                asked = {name: value for name, value in self.given.items() if name not in SCENARIOS}
                options = options | {name: _texts(name, value) for name, value in asked.items()}
        self.options = RequestOptions(options)

    @property
    def draft(self) -> Draft:
        """The scenario, not checked yet; files that it names are never read."""
        if not self._job.body:
            planned = dict(self._job.pairs).get("game") == PLAN
            return PlanRequest(self._job).draft if planned else BattleRequest(self._job).draft
        if "game" in self.given:
            return self.draft_of(self.given, "scenario")
        if "scenario" not in self.given:
            raise ScenarioError("scenario: is needed: a scenario, or the name of a shipped example")
        return self.draft_of(self.given["scenario"], "scenario")

    @property
    def address(self) -> str:
        """The address of the page that shows the scenario, or the comparison of several."""
        given = self.given.get("scenarios")
        drafts = [self.draft_of(one, "scenarios") for one in given] if isinstance(given, list) else [self.draft]
        if drafts[0].data.get("game") == PLAN:
            return address_of_plan(drafts[0].data)
        pages = [links.address_of(one.data, one.battle()) for one in drafts]
        return pages[0] if given is None else f"/compare?{links.query([('with.s', one) for one in pages])}"

    def draft_of(self, given: object, field: str) -> Draft:
        """A scenario of the body: a table, or the name of a shipped example."""
        if isinstance(given, str) and given in (*example_names(), *plan_names()):
            return draft(example(given), paths=False)
        if isinstance(given, dict) and isinstance(text := given.get(TEXT), str):
            table = {name: value for name, value in given.items() if name != TEXT}
            return Draft(text_line.applied(table, Draft(table, paths=False).battle(), text), paths=False)
        if not isinstance(given, dict):
            raise ScenarioError(f"{field}: give a scenario as a table, or the name of a shipped example")
        return Draft(given, paths=False)


def _texts(name: str, value: object) -> list[str]:
    """The value of an option in a body, as the texts that a query would hold."""
    if isinstance(value, Mapping):
        return [f"{key}={','.join(_texts(name, one))}" for key, one in value.items()]
    if isinstance(value, list):
        return [text for one in value for text in _texts(name, one)]
    if isinstance(value, bool):
        return [str(int(value))]
    if value is None:
        return []
    return [str(value)]


def named_field(text: str) -> str | None:
    """The field that a refusal starts with."""
    match = re.match(r"([A-Za-z_][\w.\[\]-]*): ", text)
    return match[1] if match else None
