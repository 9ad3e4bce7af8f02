"""Campaigns: battles one after the other, in every game (docs/rules/campaigns.md).

carry     the interface of a game: its pieces, and the columns of what is left
model     the file; reading: its fields as a plan; checks: its fights and questions
course    the steps of a fight, from row to row; rows: where a campaign may stand, as columns
best      decisions whether to fight; text: assumptions, explanation, the lines of a replay
solve     the fights from their starts; starts: those that are one chain
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np

from simulator.rules import CAMPAIGN, GAMES, battles
from simulator.rules.advice import NOT_LEAVING, Advice, no_lists, no_words
from simulator.rules.battle import Battle, BattlesRun, Built, Columns, Outcomes, Refusal, Run
from simulator.rules.campaign import text
from simulator.rules.campaign.best import Decisions, Worth
from simulator.rules.campaign.carry import Carry
from simulator.rules.campaign.checks import check_fights, check_questions, keep_columns
from simulator.rules.campaign.course import Course
from simulator.rules.campaign.model import Campaign, model_of
from simulator.rules.campaign.plan import CampaignPlan
from simulator.rules.campaign.reading import Reader
from simulator.rules.campaign.rows import Rows, columns_of, summary, texts
from simulator.rules.campaign.solve import FightSolver
from simulator.rules.question import Question
from simulator.rules.sides import SIDES, ForceColumns
from simulator.rules.toolkit.policies import fitted, refuse

# A plan, and the checked fields of each fight.
Planned = tuple[CampaignPlan, list[Any]]
GAME = CAMPAIGN
VERSION = 2


def battle(data: Mapping[str, Any], folder: Path | None = None, paths: bool = True) -> Battle:
    """The kind of a campaign file: the campaigns of its game.

    `folder` and `paths` as for game files. Raises Refusal, or Misfit for an invalid game file.
    """
    of, rules = data.get("of"), data.get("rules")
    refuse(of is None, "of", "is needed: the game that is played")
    refuse(isinstance(of, str) and of in GAMES and "rules" in data, "rules", f"unknown field; {of} is no game file")
    if data.get("fortress") and not carry_of(of, rules, folder, paths).fortresses.kept:
        raise Refusal("fortress", "only europa has fortresses that are besieged")
    fights, forces = data.get("fight"), data.get("force")
    listed = fights if isinstance(fights, list) else []
    names = [
        str(one["name"]) if isinstance(one, Mapping) and one.get("name") else f"fight{at + 1}"
        for at, one in enumerate(listed)
    ]
    return _battle(
        of, rules, folder, paths, names, [str(name) for name in forces] if isinstance(forces, Mapping) else []
    )


def _battle(of: Any, rules: Any, folder: Path | None, paths: bool, fights: list[str], forces: list[str]) -> Battle:
    make, model = _game(of, rules, folder, paths)
    kinds = make().kinds
    # The plan that the check has made serves the answer.
    plans: list[tuple[Campaign, Planned]] = []

    def check(fields: Campaign) -> None:
        plans[:] = [(fields, planned(fields, make()))]

    def build(fields: Campaign) -> Built:
        if not plans or plans[0][0] is not fields:
            check(fields)
        return built(fields, make, plans[0][1], winning)

    return Battle(
        game=GAME,
        kind=of,
        title="battles one after the other",
        model=model,
        question=Question(sentence=text.headline),
        called=partial(text.called, next((one.called for one in kinds.values() if one.called), None)),
        summary=summary(fights, forces),
        check=check,
        build=build,
        advice=Advice(no_lists, no_words, partial(_fights_of, make)),
        texts=texts(fights),
        version=VERSION,
        price=partial(price, kinds) if any(one.price for one in kinds.values()) else None,
        money=next((one.money for one in kinds.values()), ""),
        forces=next((one.forces for one in kinds.values()), ForceColumns()),
        made=(_battle, (of, rules, folder, paths, fights, forces)),
    )


def _fights_of(make: Callable[[], Carry], fields: Campaign, side: str) -> dict[str, str]:
    """The decisions of a camp whether to fight."""
    plan = Reader(fields, make()).plan()
    ours = [plan.on_our_side(*fight.sides) == (side == SIDES[0]) for fight in plan.fights]
    return {f"fight[{number}].attacker.go": NOT_LEAVING for number, own in enumerate(ours) if own}


def _game(of: Any, rules: Any, folder: Path | None, paths: bool) -> tuple[Callable[[], Carry], type[Campaign]]:
    """Makers of the carry of a game and of the model of its campaigns."""
    if isinstance(of, str) and of in GAMES:
        return _built_in(of)
    from simulator.rules import custom

    if not custom.knows(of):
        raise Refusal("of", f"no game {of!r}; games: {', '.join([*games(), custom.INLINE])}")
    try:
        return _shipped(of) if rules is None and of in custom.names() else _of_file(of, rules, folder, paths)
    except Refusal as refusal:
        raise Refusal("of" if refusal.field == "game" else refusal.field, refusal.text) from None


def carry_of(of: Any, rules: Any = None, folder: Path | None = None, paths: bool = True) -> Carry:
    """The pieces of a game, which its battles leave; arguments as for `battle`. Raises Refusal."""
    return _game(of, rules, folder, paths)[0]()


def prepared(data: Mapping[str, Any], folder: Path | None = None, paths: bool = True) -> CampaignPlan:
    """The forces and fights of a campaign's tables, checked. Raises Refusal or Misfit."""
    make, model = _game(data["of"], data.get("rules"), folder, paths)
    return planned(fitted(model, data), make())[0]


# Pieces of a force, or those that join it in a fight.
PIECES = re.compile(r"(?:force\.([^.]+)|fight\[\d+\]\.(?:attacker|defender)\.join)\.(.+)")


def price(kinds: Mapping[str, Battle], data: Mapping[str, Any], path: str) -> float | None:
    """The price of one more piece of a force, or of one that joins it, in the game of the fights; None elsewhere."""
    found = PIECES.fullmatch(path)
    priced = next((battle.price for battle in kinds.values() if battle.price), None)
    if found is None or priced is None:
        return None
    forces, every = data.get("force"), data.get("every")
    side = forces.get(found[1], {}) if isinstance(forces, Mapping) and found[1] else {}
    options = every.get("options", {}) if isinstance(every, Mapping) else {}
    return priced({"attacker": side, "options": options}, f"attacker.{found[2]}")


def plan_of(battle: Battle, fields: Any) -> CampaignPlan:
    """The forces and fights of a checked campaign."""
    assert battle.made is not None
    return Reader(fields, carry_of(*battle.made[1][:4])).plan()


def spell_out(data: dict[str, Any]) -> None:
    """Write sides that are texts as tables, in place, so that their other fields can be set."""
    for fight in data["fight"] if isinstance(data.get("fight"), list) else ():
        for side in SIDES if isinstance(fight, dict) else ():
            if isinstance(fight.get(side), str):
                fight[side] = {"force": fight[side]}


def games() -> list[str]:
    """The games of the package, and the shipped game files."""
    from simulator.rules import custom

    return [*(game for game, home in GAMES.items() if isinstance(home, str)), *custom.names()]


def _of_file(
    of: str, rules: Any = None, folder: Path | None = None, paths: bool = True
) -> tuple[Callable[[], Carry], type[Campaign]]:
    from simulator.rules import custom
    from simulator.rules.custom.carry import FileCarry
    from simulator.rules.custom.game_file import files

    make = partial(FileCarry, custom.battles(of, rules, folder, paths), files.find(of, rules, folder, paths).file)
    return make, model_of(make())


# Making a model takes 8 ms: a search over a campaign reads the game hundreds of times.
_shipped = cache(_of_file)


@cache
def _built_in(of: str) -> tuple[Callable[[], Carry], type[Campaign]]:
    home = GAMES[of]
    if not isinstance(home, str) or find_spec(f"{home}.carry") is None:
        raise Refusal("of", f"{of} cannot be fought in campaigns: it does not say what its battles leave")
    make = partial(import_module(f"{home}.carry").CARRY, battles(of))
    return make, model_of(make())


def planned(fields: Campaign, carry: Carry, weights: Sequence[str] = ()) -> Planned:
    """The checked plan of a campaign, and the fields of each fight (None where a side has nobody).

    Raises Refusal, or Misfit where a fight does not fit its model.
    """
    plan = Reader(fields, carry).plan()
    of_fights = check_fights(plan)
    questions = [fight.question for fight in plan.fights if fight.question is not None]
    keep_columns(plan, of_fights, [*questions, *([plan.goal] if plan.goal else []), *fields.columns, *weights])
    check_questions(plan, fields.columns)
    return plan, of_fights


def built(fields: Campaign, make: Callable[[], Carry], plans: Planned, worth: Worth) -> Built:
    """Everything that answers a campaign; sides that decide whether to fight want `worth`."""
    plan, of_fights = plans

    def answer(run: Run) -> Outcomes:
        rows = played(plan, cast(BattlesRun, run), worth).stages[-1]
        count = None if rows.at is None else np.bincount(rows.at, minlength=len(rows))
        return Outcomes(columns_of(plan, rows), rows.p, count)

    def by_fight(run: BattlesRun) -> list[Outcomes]:
        course, found = played(plan, run, worth), []
        for number in range(len(plan.fights) + 1):
            rows = course.standing(number)
            there = np.flatnonzero(rows.p)
            over, rows = there < len(rows) // 2, rows.taken(there)
            count = None if run.battles is None else np.rint(rows.p * run.battles).astype(np.int64)
            found.append(Outcomes(columns_of(plan, rows) | {"over": over}, rows.p, count))
        return found

    return Built(
        answer=answer,
        by_fight=by_fight,
        assumptions=lambda: text.assumptions(plan, of_fights),
        explain=lambda: text.explain(plan, of_fights),
        sample=lambda: columns_of(plan, Rows.first(plan, None)),
        choices=lambda run: Decisions(FightSolver(plan, run), worth).rows(),
        aimed=lambda worth, names: built(fields, make, planned(fields, make(), names), worth),
    )


def played(plan: CampaignPlan, run: BattlesRun, worth: Worth) -> Course:
    """The course of a campaign; sides that decide whether to fight do it for `worth`."""
    solver, going = FightSolver(plan, run), None
    if plan.decides:
        exact = solver if run.battles is None else FightSolver(plan, run.exactly())
        going = Decisions(exact, worth).going_at
    return Course(solver, going).played()


def winning(columns: Columns) -> Any:
    """The worth of ends if only winning counts: float64, shape (2, ends)."""
    won = columns["winner"] == 0
    return [won.astype(float), -won.astype(float)]


__all__ = ["GAME", "Campaign", "battle", "carry_of", "plan_of", "prepared"]
