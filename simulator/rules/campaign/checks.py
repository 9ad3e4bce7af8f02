"""Checks of a campaign beyond its types: its fights as scenarios, and its questions (docs/rules/campaigns.md
section 7).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from simulator.rules.battle import Built, Columns, Misfit, Refusal
from simulator.rules.campaign.carry import fields_of
from simulator.rules.campaign.plan import STAY, TOTALS, UNNAMED, CampaignPlan, PlannedFight
from simulator.rules.campaign.rows import Rows, StandingRows, holds
from simulator.rules.campaign.starts import fields_of_fight
from simulator.rules.toolkit.policies import refuse
from simulator.rules.toolkit.query import QueryError

WORD = re.compile(r"'[^']*'|\"[^\"]*\"|([^\W\d]\w*)")
OF_EVERY_FIGHT = ("fought", "winner", "won")


def largest_parts(plan: CampaignPlan) -> list[tuple[list[np.ndarray], bool]]:
    """For each fight, the most that each side may bring (int64, shape (slots,)), and whether both can fight then."""
    here = plan.start[None].copy()
    found = []
    for fight in plan.fights:
        parts, able = plan.coming(fight, here)
        found.append(([part[0] for part in parts], bool(able[0][0] and able[1][0])))
        for side, part in zip(fight.sides, parts, strict=True):
            for to in (side.driven_off, side.leave_to):
                if side.force != UNNAMED and to > STAY and to != UNNAMED:
                    here[:, to] += np.where(plan.carry.marks, 0, part)
    return found


def check_fights(plan: CampaignPlan) -> list[Any]:
    """Check every fight as a scenario of its game, with all that its forces may bring; the fields of each.

    None where a side can have nobody. Raises Refusal or Misfit with the fight before the field.
    """
    found: list[Any] = []
    for fight, (parts, able) in zip(plan.fights, largest_parts(plan), strict=True):
        found.append(fields_of_fight(plan, fight, parts) if able else None)
        if not able:
            check_traits(plan, fight)
    checked = [fight for fight, fields in zip(plan.fights, found, strict=True) if fields is not None]
    for number, force in enumerate(plan.forces):
        sides = [(fight.kind, side.role) for fight in checked for side in fight.sides if side.force == number]
        used = {trait for kind, role in sides for trait in plan.carry.traits_of(kind, role).values()}
        for trait in [trait for trait in plan.traits[number] if trait not in used]:
            plan.carry.check_trait(f"force.{force}.", trait, plan.traits[number])
    return found


def check_traits(plan: CampaignPlan, fight: PlannedFight) -> None:
    """Refuse unknown fields of the sides of a fight that is not checked as a scenario. Raises Refusal."""
    for side in fight.sides:
        known = fields_of(plan.carry.kinds[fight.kind], side.role)
        for name in side.table:
            if name not in (*known, *plan.carry.traits):
                allowed = f"unknown field; allowed here: {', '.join(known)}"
                raise Refusal(f"fight[{plan.fights.index(fight)}].{side.role}.{name}", allowed)


def fought_by_somebody(plan: CampaignPlan, fight: PlannedFight, parts: Sequence[np.ndarray]) -> Any:
    """The fields of a fight in which a side that has nobody has one piece; None where that is not allowed."""
    parts = [part.copy() for part in parts]
    for side, part in zip(fight.sides, parts, strict=True):
        for group in side.able:
            if not part[group].any():
                part[np.flatnonzero(group)[0]] = 1
    try:
        return fields_of_fight(plan, fight, parts)
    except (Misfit, Refusal):
        return None


def sample(built: Built) -> Columns:
    """The columns of a fight with a value each, as if it were over before it begins."""
    if built.chain is None:
        assert built.answer is not None
        return built.answer(lambda *_: (_ for _ in ()).throw(TypeError())).columns  # type: ignore[arg-type]
    start = type(built.chain.start)(*(np.array([int(value)]) for value in built.chain.start))
    return {name: np.asarray(values) for name, values in built.outcome(start).items()}


def keep_columns(plan: CampaignPlan, fields: Sequence[Any], asked: Iterable[str]) -> None:
    """Note the columns of fights that these questions or names use in the plan."""
    standard = StandingRows(plan, Rows.first(plan, None))
    unasked = (f"{fight.name}_{of}" for fight in plan.fights for of in plan.carry.always_kept.get(fight.kind, ()))
    asked = [*asked, *unasked]
    kept = dict.fromkeys(word for text in asked for word in WORD.findall(text) if word and word not in standard)
    samples: dict[int, Columns] = {}

    def columns(at: int) -> Columns:
        if at not in samples:
            one = fields[at] or fought_by_somebody(plan, plan.fights[at], largest_parts(plan)[at][0])
            samples[at] = sample(plan.carry.build(plan.fights[at].kind, one)) if one is not None else {}
        return samples[at]

    for word in kept:
        for at in range(len(plan.fights)) if word in TOTALS else ():
            if word in columns(at):
                plan.fights[at].kept[word] = word
                plan.likeness[word] = _nothing(columns(at)[word])
        # The longest name first: fights may be called field and field_two.
        for at in sorted(range(len(plan.fights)), key=lambda at: -len(plan.fights[at].name)):
            fight, of = plan.fights[at], word.removeprefix(f"{plan.fights[at].name}_")
            if of != word and of in columns(at) and of not in OF_EVERY_FIGHT:
                fight.kept[word] = of
                plan.likeness[word] = _nothing(columns(at)[of])
                break


def _nothing(values: np.ndarray) -> Any:
    """The value of a column of a fight that is not fought: 0, no or an empty text."""
    return "" if values.dtype.kind in "UO" else values.dtype.type(0)


def check_questions(plan: CampaignPlan, columns: Sequence[str]) -> None:
    """Refuse questions that cannot be read, or that ask about later fights or unknown columns. Raises Refusal."""
    rows = Rows.first(plan, None)
    for at, fight in enumerate(plan.fights):
        if fight.question is not None:
            _check_question(plan, fight.question, f"fight[{at}].if", rows, at)
    if plan.goal is not None:
        _check_question(plan, plan.goal, "goal", rows, len(plan.fights))
    standard = StandingRows(plan, rows)
    for name in columns:
        refuse(name not in standard, "columns", f"no such column {name!r}")


def _check_question(plan: CampaignPlan, question: str, field: str, rows: Rows, known: int) -> None:
    try:
        holds(plan, question, rows, known)
    except QueryError as error:
        now = StandingRows(plan, rows, known)
        for word in WORD.findall(question):
            if word and word not in now and any(_about(word, fight) for fight in plan.fights[known:]):
                raise Refusal(field, f"{word!r} is not known yet: only earlier fights may be asked about") from None
        if match := re.search(r"'([^']*)': no such column(; did you mean \w+\?)?", str(error)):
            raise Refusal(field, f"no such column {match[1]!r}{match[2] or ''}") from None
        raise Refusal(field, str(error)) from None


def _about(word: str, fight: PlannedFight) -> bool:
    return word in fight.kept or word in {f"{fight.name}_{found}" for found in OF_EVERY_FIGHT}
