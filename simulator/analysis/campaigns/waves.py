"""Waves: several battles one after the other; the survivors of one fight the next, with its reinforcements.

waves(["first.toml", "second.toml"])       # Odds of the whole, exact over the distribution of survivors
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from simulator.analysis.odds.answer import exact
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import Progress
from simulator.rules import custom
from simulator.rules.battle import NOBODY, Columns, Outcomes
from simulator.rules.custom.game_file.files import is_path
from simulator.rules.toolkit.merging import merge
from simulator.scenarios import Draft, ScenarioError, Source, draft

SIDES = ("attacker", "defender")
Army = dict[str, int]


def waves(scenarios: Sequence[Source], progress: Progress | None = None) -> Odds:
    """Exact odds of several battles of one game file, fought in turn.

    Survivors that have not retreated fight the next battle beside the units that its scenario lists (0 of each is
    allowed); damage is repaired between battles. A side that has no units loses the battle. Columns: `winner` of the
    last battle, `rounds` and losses of all of them, units left at the end. Raises ScenarioError for scenarios that do
    not share a game file, NoExactOdds for one too large.
    """
    drafts = [draft(scenario) for scenario in scenarios]
    _check(drafts)
    rows = Outcomes({"winner": np.array([NOBODY]), "rounds": np.array([0])}, np.ones(1))
    explored, residual = 0, 0.0
    for number, one in enumerate(drafts):
        parts: list[Outcomes] = []
        for chosen, armies in _starts(rows):
            fought = _fight(one, armies, number)
            parts.append(_after(rows, chosen, fought))
            explored += fought.explored
            residual += float(rows.p[chosen].sum()) * fought.residual
            if progress:
                progress(explored, None)
        rows = merge(_together(parts))
    return Odds(
        Outcomes(_totals(rows.columns, _roster(drafts[-1])), rows.p, None, residual, explored),
        battle=drafts[-1].battle(),
        assumptions=[
            f"{len(drafts)} battles in turn: who is left and has not retreated fights on, repaired",
            *drafts[0].checked().assumptions(),
        ],
        scenario={"waves": [dict(one.data) for one in drafts]},
    )


def _roster(one: Draft) -> custom.Roster:
    """The units that may fight on each side of a battle, and their costs."""
    game, kind, rules = (one.data.get(key) for key in ("game", "battle", "rules"))
    return custom.roster(str(game), str(kind), rules, one.folder, one.paths)


def _check(drafts: Sequence[Draft]) -> None:
    if not drafts:
        raise ScenarioError("waves: give one or more scenarios")
    first = drafts[0]
    for number, one in enumerate(drafts):
        game = one.data.get("game")
        if not custom.knows(game):
            raise ScenarioError(f"game: {game} has no waves; they are for game files, see `battle-odds games`")
        same = (one.folder == first.folder or not is_path(game)) and all(
            one.data.get(key) == first.data.get(key) for key in ("game", "rules")
        )
        if not same:
            raise ScenarioError(f"game: scenario {number + 1} is of another game; waves share game and rules")


def _starts(rows: Outcomes) -> list[tuple[np.ndarray, dict[str, Army]]]:
    """The distinct surviving armies, and the rows that have them."""
    left = [name for name in rows.columns if name.endswith("_left")]
    if not left:
        return [(np.arange(len(rows.p)), {side: {} for side in SIDES})]
    armies, which = np.unique(np.stack([rows.columns[name] for name in left], axis=1), axis=0, return_inverse=True)
    found = []
    for number, counts in enumerate(armies.tolist()):
        army: dict[str, Army] = {side: {} for side in SIDES}
        for name, count in zip(left, counts, strict=True):
            side, unit = name.removesuffix("_left").split("_", 1)
            army[side][unit] = count
        found.append((np.flatnonzero(which.ravel() == number), army))
    return found


def _fight(one: Draft, armies: dict[str, Army], number: int) -> Outcomes:
    """The battle of these survivors and the units of its scenario; units left and lost by name.

    A side without units loses; the battle is not fought then.
    """
    data, may_fight = dict(one.data), _roster(one).fights
    sent: dict[str, Army] = {}
    for side in SIDES:
        table = dict(data.get(side) or {})
        sent[side] = {
            unit: table.get(unit, 0) + armies[side].get(unit, 0)
            for unit in may_fight[side]
            if unit in table or unit in armies[side]
        }
        data[side] = table | sent[side]
    fighting = [any(sent[side].values()) for side in SIDES]
    winner = fighting.index(True) if any(fighting) else NOBODY
    fought = Outcomes({"winner": np.array([winner]), "rounds": np.array([0])}, np.ones(1))
    if all(fighting):
        odds = exact(Draft(data, one.folder, one.paths).checked())
        fought = Outcomes(odds.columns, odds.chances, None, odds.residual, odds.explored)
    elif number == 0:
        Draft(data, one.folder, one.paths).checked()
    columns: Columns = {name: fought.columns[name] for name in ("winner", "rounds")}
    none = np.zeros(len(fought.p), np.int64)
    for side in SIDES:
        stays = ~fought.columns.get(f"{side}_retreated", none.astype(bool))
        for unit, count in sent[side].items():
            named = f"{side}_{unit}"
            lost = fought.columns.get(f"{named}_lost", none)
            columns[f"{named}_lost"] = lost
            columns[f"{named}_left"] = (count - lost) * stays
            columns[f"{named}_away"] = (count - lost) * ~stays
    return replace(fought, columns=columns)


def _after(rows: Outcomes, chosen: np.ndarray, fought: Outcomes) -> Outcomes:
    """Each of these rows combined with every outcome of the battle."""
    before = {name: np.repeat(values[chosen], len(fought.p)) for name, values in rows.columns.items()}
    now = {name: np.tile(values, len(chosen)) for name, values in fought.columns.items()}
    columns = before | now
    for name, earlier in before.items():
        counts = name == "rounds" or name.endswith(("_lost", "_away"))
        if counts and name in now:
            columns[name] = earlier + now[name]
    return Outcomes(columns, np.repeat(rows.p[chosen], len(fought.p)) * np.tile(fought.p, len(chosen)))


def _together(parts: Sequence[Outcomes]) -> Outcomes:
    names = dict.fromkeys(name for part in parts for name in part.columns)
    columns = {
        name: np.concatenate([part.columns.get(name, np.zeros(len(part.p), np.int64)) for part in parts])
        for name in names
    }
    return Outcomes(columns, np.concatenate([part.p for part in parts]))


def _totals(columns: Columns, roster: custom.Roster) -> Columns:
    """The columns of a single battle, as far as they apply to the series."""
    nothing = np.zeros(len(columns["rounds"]), np.int64)
    found: Columns = {"winner": columns["winner"], "rounds": columns["rounds"]}
    for side in SIDES:
        units = [
            name.removeprefix(f"{side}_").removesuffix("_lost")
            for name in columns
            if name.startswith(f"{side}_") and name.endswith("_lost")
        ]
        lost = {unit: columns[f"{side}_{unit}_lost"] for unit in units}
        left = {unit: columns[f"{side}_{unit}_left"] + columns[f"{side}_{unit}_away"] for unit in units}
        found[f"{side}_units_left"] = sum(left.values(), nothing)
        found[f"{side}_units_lost"] = sum(lost.values(), nothing)
        found[f"{side}_cost_lost"] = sum((lost[unit] * roster.costs[unit] for unit in units), 0.0 * nothing)
        found |= {f"{side}_{unit}_left": left[unit] for unit in units}
        found |= {f"{side}_{unit}_lost": lost[unit] for unit in units}
    return found
