"""A plan as an answer with outcomes, for the tools that change its fields: need, sweep and compare.

An outcome says which targets fall and which holds are held: `NAME_falls`, `NAME_held` (a target that is left alone does
not fall), `all_succeed` (all of them, or all aims), `chance_all` (all that the plan counts: docs/rules/plan.md section
4.1), `number` of those counted that succeed, and the `worth` and `cost` of the plan, the same in every outcome; nan
where there is no plan.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from simulator.analysis.plan.columns import columns_of
from simulator.analysis.plan.model import Target, model_of
from simulator.analysis.plan.plan import Plan, divided
from simulator.analysis.plan.reading import read
from simulator.analysis.plan.turn import Front, Turn
from simulator.analysis.words import settings_in_words
from simulator.rules import PLAN
from simulator.rules.battle import Battle, Built, Fields, Outcomes
from simulator.rules.question import Question
from simulator.rules.toolkit.naming import listed
from simulator.scenarios import Draft, Source, draft
from simulator.scenarios.kinds import worded

SUCCEEDED, COUNTED = "all_succeed", "chance_all"
NO_PLAN = "Nothing is enough: no plan reaches the chances asked."
# The plan that an objective asks for.
CHOSEN = {"worth": "the plan worth most", "all": "the plan with the largest chance", "cheapest": "the cheapest plan"}
# A field of an ordinary battle in a plan: the front, the counter-attack, the field in the battle.
_OF_BATTLE = re.compile(
    r"(?P<front>(target|hold)\.\w+)\.(?P<counter>counter\.)?(?P<field>(attacker|defender|conditions|policy|options)\..+)"
)


class PlanDraft(Draft):
    """A plan as a draft whose battle kind is a plan's."""

    def battle(self) -> Battle:
        """As of other drafts."""
        return worded(lambda: battle_of(self.data, self.folder, self.paths))


def studied(scenario: Source) -> Draft:
    """A scenario whose fields are changed, before it is checked: a plan, too."""
    asked = draft(scenario)
    return PlanDraft(asked.data, asked.folder, asked.paths) if asked.data.get("game") == PLAN else asked


def aimed(asked: Draft, value: str) -> tuple[Draft, str]:
    """A plan in which a chance is to be reached, and this chance; the search is then for the plan with the largest one.

    `value`: that all succeed, or that some do ("ural_falls and siam_falls"), which are then the aims. Other values, and
    other scenarios, stay as they are.
    """
    if not isinstance(asked, PlanDraft):
        return asked, value
    turn = worded(lambda: read(asked.data, asked.folder, asked.paths))
    names = {_column(front): front.name for front in turn.fronts}
    wanted = value.split(" and ")
    if value in {SUCCEEDED, COUNTED}:
        return asked.with_fields({"objective": "all"}), SUCCEEDED
    if set(wanted) <= set(names):
        return asked.with_fields({"objective": "all", "aims": [names[one] for one in wanted]}), SUCCEEDED
    return asked, value


def chosen_by(asked: Draft) -> str:
    """The plan that is answered for each setting, in words; "" for other scenarios."""
    if not isinstance(asked, PlanDraft):
        return ""
    return CHOSEN.get(str(asked.data.get("objective", "worth")), "")


def _column(front: Front) -> str:
    """The column that says whether a target falls or a hold is held."""
    return f"{front.name}_{'held' if front.hold else 'falls'}"


def _results(turn: Turn) -> dict[str, str]:
    """The chances of a plan in words, and the columns that answer them. Unless it is chosen by a chance the plan is
    named: with another one they may be larger.
    """
    aims, chosen = [turn.fronts[at] for at in turn.aims], turn.file.objective
    by = "" if chosen == "all" else f" with {CHOSEN[chosen]}"
    found = {f"{front.name} {'is held' if front.hold else 'falls'}{by}": _column(front) for front in turn.fronts}
    if len(aims) == 1:
        found[next(words for words, column in found.items() if column == _column(aims[0]))] = SUCCEEDED
        return found
    them = f"all {len(aims)}" if len(aims) == len(turn.fronts) else listed([front.name for front in aims])
    found[f"{them} {'succeed' if any(front.hold for front in aims) else 'fall'}{by}"] = SUCCEEDED
    return found | ({f"all that is tried succeeds{by}": COUNTED} if chosen == "worth" else {})


def battle_of(data: Mapping[str, Any], folder: Path | None, paths: bool) -> Battle:
    """The kind of a plan. Raises Refusal or Misfit."""
    turn = read(data, folder, paths)

    def outcomes(_: Any) -> Outcomes:
        return outcomes_of(divided(turn, columns_of(turn), 0, alone=True))

    carry = turn.carry
    fought = carry.kinds[carry.planned_kinds()[0]]
    results = _results(turn)
    every = next(words for words, column in results.items() if column == SUCCEEDED)
    sentence = f"{every} in {{m}}; the plan is worth {{mean.worth}}."
    return Battle(
        game=PLAN,
        kind=turn.file.of,
        title="who attacks what, and who holds what",
        model=model_of(carry),
        summary=(SUCCEEDED, "number", "worth", "cost"),
        build=lambda fields: Built(answer=outcomes),
        question=Question(SUCCEEDED, lambda odds: NO_PLAN if isnan(odds.mean("worth")) else sentence),
        notes=fought.notes,
        money=fought.money,
        results=results,
        means=frozenset({"worth", "cost", "number"}),
        holder=lambda path: holder_of(turn, path),
        made=(battle_of, (data, folder, paths)),
    )


def holder_of(turn: Turn, path: str) -> tuple[type[Fields], str] | None:
    """The model of the battle that a table of a target or a hold belongs to, and the path of the field there; None for
    a field of the plan itself.
    """
    found = _OF_BATTLE.fullmatch(path)
    front = next((one for one in turn.fronts if found and one.path == found["front"]), None)
    if found is None or front is None:
        return None
    counter = front.table.counter if isinstance(front.table, Target) else None
    if found["counter"] and counter is None:
        return None
    kind = (counter and found["counter"] and counter.battle) or front.table.battle
    return turn.carry.kinds[str(kind)].model, found["field"]


def lacking(asked: Draft) -> str:
    """The sentence of a plan that does not exist, with the best that can be had; "" for one that does, and for other
    scenarios.
    """
    if not isinstance(asked, PlanDraft):
        return ""
    turn = worded(lambda: read(asked.data, asked.folder, asked.paths))
    found = divided(turn, columns_of(turn), 0, alone=True)
    return "" if found.enough else found.headline


def lacking_with(asked: Draft, settings: Mapping[str, Any]) -> str:
    """The same for a scenario with these settings, which the sentence names."""
    none = lacking(asked.with_fields(settings))
    what = settings_in_words(asked.battle(), asked.data, settings)
    return none and f"With {what}: {none[:1].lower()}{none[1:]}"


def outcomes_of(plan: Plan) -> Outcomes:
    """The outcomes of the best plan; where there is none, nothing succeeds, and worth and cost are no numbers (nan)."""
    fronts, rows = plan.turn.fronts, plan.rows()
    chances = [row["chance"] if row["attacked"] or row["hold"] else 0.0 for row in rows] or [0.0] * len(fronts)
    happened = np.array(list(product(*([True, False] if 0 < p < 1 else [p >= 1] for p in chances))))
    p = np.where(happened, chances, 1 - np.array(chances)).prod(axis=1)
    size = len(p)
    columns = {_column(front): happened[:, at] for at, front in enumerate(fronts)}
    columns |= {
        SUCCEEDED: np.asarray(happened[:, plan.turn.aims].all(axis=1)),
        COUNTED: np.asarray(happened[:, plan.counted].all(axis=1) & plan.enough),
        "number": happened[:, plan.counted].sum(axis=1),
        "worth": np.full(size, np.nan if plan.worth is None else plan.worth),
        "cost": np.full(size, np.nan if plan.cost is None else plan.cost),
    }
    return Outcomes(columns, p)
