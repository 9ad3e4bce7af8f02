"""A plan as an answer with outcomes, for the tools that change its fields: need, sweep and compare.

An outcome says which targets fall and which holds are held: `NAME_falls`, `NAME_held` (a target that is left alone does
not fall), `all_succeed` (all of them, or all aims), `chance_all` (all that the plan counts: docs/rules/plan.md section
4.1), `number` of those counted that succeed, and the `worth` and `cost` of the plan, the same in every outcome.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from simulator.analysis.plan.columns import columns_of
from simulator.analysis.plan.model import model_of
from simulator.analysis.plan.plan import Plan, divided
from simulator.analysis.plan.reading import read
from simulator.rules import PLAN
from simulator.rules.battle import Battle, Built, Outcomes
from simulator.rules.question import Question
from simulator.scenarios import Draft, Source, draft
from simulator.scenarios.scenario import worded

SUCCEEDED = "all_succeed"


class PlanDraft(Draft):
    """A plan as a draft whose battle kind is a plan's."""

    def battle(self) -> Battle:
        """As of other drafts."""
        return worded(lambda: battle_of(self.data, self.folder, self.paths))


def studied(scenario: Source) -> Draft:
    """A scenario whose fields are changed, before it is checked: a plan, too."""
    asked = draft(scenario)
    return PlanDraft(asked.data, asked.folder, asked.paths) if asked.data.get("game") == PLAN else asked


def battle_of(data: Mapping[str, Any], folder: Path | None, paths: bool) -> Battle:
    """The kind of a plan. Raises Refusal or Misfit."""
    turn = read(data, folder, paths)

    def outcomes(_: Any) -> Outcomes:
        return outcomes_of(divided(turn, columns_of(turn), 0, alone=True))

    carry = turn.carry
    fought = carry.kinds[carry.planned_kinds()[0]]
    succeed = "succeed" if turn.file.hold else "fall"
    every = f"all {len(turn.aims)} {succeed}" if len(turn.aims) > 1 else f"{turn.fronts[turn.aims[0]].name} {succeed}s"
    return Battle(
        game=PLAN,
        kind=turn.file.of,
        title="who attacks what, and who holds what",
        model=model_of(carry),
        summary=(SUCCEEDED, "number", "worth", "cost"),
        build=lambda fields: Built(answer=outcomes),
        question=Question(SUCCEEDED, f"{every} in {{m}}; the plan is worth {{mean.worth}}."),
        notes=fought.notes,
        money=fought.money,
        made=(battle_of, (data, folder, paths)),
    )


def outcomes_of(plan: Plan) -> Outcomes:
    """The outcomes of the best plan; where there is none, nothing succeeds, and it is worth 0."""
    fronts, rows = plan.turn.fronts, plan.rows()
    chances = [row["chance"] if row["attacked"] or row["hold"] else 0.0 for row in rows] or [0.0] * len(fronts)
    happened = np.array(list(product(*([True, False] if 0 < p < 1 else [p >= 1] for p in chances))))
    p = np.where(happened, chances, 1 - np.array(chances)).prod(axis=1)
    size = len(p)
    columns = {f"{front.name}_{'held' if front.hold else 'falls'}": happened[:, at] for at, front in enumerate(fronts)}
    columns |= {
        SUCCEEDED: np.asarray(happened[:, plan.turn.aims].all(axis=1)),
        "chance_all": np.asarray(happened[:, plan.counted].all(axis=1) & plan.enough),
        "number": happened[:, plan.counted].sum(axis=1),
        "worth": np.full(size, plan.worth or 0.0),
        "cost": np.full(size, plan.cost or 0.0),
    }
    return Outcomes(columns, p)
