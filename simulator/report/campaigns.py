"""Campaigns in words and tables: the fights, their ends, and the pieces left of each force.

All tables fit into 80 columns: long names are broken, and nothing is cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.analysis.words import span
from simulator.report.tables.plain import plain_table
from simulator.rules.campaign import plan_of
from simulator.rules.campaign.plan import FATES, UNNAMED, PlannedFight, PlannedSide
from simulator.rules.campaign.text import called_fight, in_words
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.naming import listed, sentence
from simulator.rules.toolkit.words import percent, words

if TYPE_CHECKING:
    from simulator.analysis.history.rounds import Rounds
    from simulator.analysis.odds.odds import Odds
    from simulator.scenarios import Scenario

MOST_CLAUSES = 3
MOST_TEXTS = 4
# Means of pieces are written with two digits.
LEAST = 0.005


class CampaignReport:
    """A campaign and its odds in words; of the first `fights` alone, where no more were followed."""

    def __init__(self, scenario: Scenario, odds: Odds, fights: int | None = None) -> None:
        self.fields: Any = scenario.fields
        called = scenario.battle.called
        self.sides = {side: (called and called(scenario.data, side)) or f"the {side}" for side in SIDES}
        self.plan = plan_of(scenario.battle, self.fields)
        self.plan.fights = self.plan.fights[:fights]
        self.odds = odds

    def name(self, force: int) -> str:
        """A force or a fortress as a sentence names it."""
        name = self.plan.names[force]
        return self.sides.get(name, name)

    def camps(self) -> tuple[str, str]:
        """The forces of our side and of the other that fight."""
        used = dict.fromkeys(side.force for fight in self.plan.fights for side in fight.sides if side.is_force)
        ours, theirs = ([self.name(one) for one in used if (one in self.plan.us) == own] for own in (True, False))
        return listed(ours) or "our side", listed(theirs) or "the other side"

    def who(self, side: PlannedSide, article: bool = True) -> str:
        """A side of a fight; "" for one without a name and without pieces of its own."""
        if side.force != UNNAMED:
            return self.name(side.force) if article else self.plan.names[side.force]
        table = {name: value for name, value in side.table.items() if name in self.plan.carry.pieces}
        return self.words(self.plan.carry.read(table)) if table else ""

    def words(self, pieces: np.ndarray) -> str:
        """Pieces in words; int64, shape (slots,)."""
        return self.plan.carry.words(pieces).replace("_", " ")

    def versus(self, fight: PlannedFight) -> str:
        """The sides of a fight, for a table."""
        attacker, defender = (self.who(side, article=False) for side in fight.sides)
        return f"{attacker} v {defender}" if attacker and defender else f"{attacker or defender}, {fight.kind}"

    def course(self) -> str:
        """One sentence: the fights in order, each with its sides, their pieces and its condition."""
        clauses, seen = [], set[int]()
        for at, fight in enumerate(self.plan.fights[:MOST_CLAUSES]):
            names = []
            for side in fight.sides:
                brought = self.brought(side, seen)
                names.append(self.who(side) + (f" ({brought})" if brought else ""))
                seen.add(side.force)
            clause = f"{names[0] or 'others'} attacks {names[1]}" if names[1] else f"{names[0]} begins a {fight.kind}"
            if at:
                pair, before = ([side.force for side in one.sides] for one in (fight, self.plan.fights[at - 1]))
                terms = ["with the roles swapped"] * (pair == before[::-1])
                terms += [f"if {in_words(self.plan, fight.question)}"] if fight.question else []
                clause = f"then, {' and '.join(terms)}, {clause}" if terms else f"then {clause}"
            clauses.append(clause)
        more = len(self.plan.fights) - len(clauses)
        clauses += [f"and {more} more fights" if more > 1 else "and one more fight"] if more else []
        return sentence(", ".join(clauses))

    def brought(self, side: PlannedSide, seen: set[int]) -> str:
        """The pieces that a force has at the start, and those that join it before this fight; `seen` fought before."""
        if side.force == UNNAMED:
            return ""
        found, start = [], self.plan.start[side.force]
        if side.force not in seen and (start.any() or not seen):
            found.append(self.plan.words(side.force, start).replace("_", " "))
        if side.join is not None and side.join.any():
            found.append(self.words(side.join) + (" more" if found or side.force in seen else ""))
        return ", and ".join(found)

    def chance(self, question: str) -> str:
        """A chance, with its interval when simulated."""
        text = percent(self.odds.p(question))
        return text if self.odds.battles is None else f"{text} ({span(*self.odds.interval(question))})"

    def fates(self, fight: PlannedFight) -> dict[str, float]:
        """The chances of the ends of a fight: won by its attacker, its defender, nobody; none: did not take place."""
        return {fate: self.odds.p(f"{fight.name}_winner == '{fate}'") for fate in FATES}

    def fights_table(self) -> Table:
        """A row a fight: who v whom, fought, and who won it, by arms or because nobody stood against him."""
        fates = {fight.name: self.fates(fight) for fight in self.plan.fights}
        words = {"attacker": "won", "defender": "lost", "nobody": "nobody", "none": "no fight"}
        ends = [end for end in words if end in SIDES or any(one[end] for one in fates.values())]
        table = plain_table("fight", "who v whom", right=("fought", *(words[end] for end in ends)))
        for fight in self.plan.fights:
            chances = [self.odds.p(f"{fight.name}_fought"), *(fates[fight.name][end] for end in ends)]
            table.add_row(Text(fight.name), Text(self.versus(fight)), *map(percent, chances))
        return table

    def resting(self) -> Iterator[str]:
        """A line for each side of which some pieces take no part."""
        for fight, fields in zip(self.plan.fights, self.fields.fight, strict=False):
            for side in fight.sides:
                stay = getattr(getattr(fields, side.role), "stay", None)
                if stay:
                    pieces = [f"{piece} ({number})".replace("_", " ") for piece, number in stay.items()]
                    yield f"{fight.name}: {self.who(side)} leaves out {listed(pieces)}"

    def unfought(self) -> Iterator[str]:
        """A line for each reason why a fight was not fought."""
        for fight in self.plan.fights:
            name, winner = called_fight(fight.name), f"{fight.name}_winner"
            name = name[:1].upper() + name[1:]
            unnamed = ("others", f"the {fight.kind}")
            who = [self.who(side) or unnamed[at] for at, side in enumerate(fight.sides)]
            reasons = [f"it is fought only if {in_words(self.plan, fight.question)}"] if fight.question else []
            reasons += ["the fortress has fallen before"] if fight.sides[1].besieged else []
            reasons += [f"{who[0]} declines it {rule}" for rule in self.rules(fight.sides[0])]
            if p := self.odds.p(f"{winner} == 'none'"):
                yield f"{name} does not take place in {percent(p)}: {' or '.join(reasons)}"
            for at, role in enumerate(SIDES):
                if p := self.odds.p(f"{winner} == '{role}' and not {fight.name}_fought"):
                    why = f"{who[1 - at]} has nobody to fight"
                    yield f"{name} is won without a fight by {who[at]} in {percent(p)}: {why}"
            if p := self.odds.p(f"{winner} == 'nobody' and not {fight.name}_fought"):
                yield f"{name} is won by nobody without a fight in {percent(p)}"

    @staticmethod
    def rules(side: PlannedSide) -> list[str]:
        """The rules by which a side declines a fight."""
        found = ["where that is better"] if side.best else []
        found += [f"with fewer than {side.min_units:g} units"] if side.min_units is not None else []
        return found + ([f"with less than {percent(side.min_odds, 1)} to win it"] if side.min_odds is not None else [])

    def left_table(self) -> Table:
        """A row a force: units left and lost."""
        table = plain_table("on average", right=("units left", "5 %", "median", "95 %", "units lost"))
        for name in self.plan.forces:
            column = f"{name}_units_left"
            quantiles = [f"{self.odds.quantile(column, q):g}" for q in (0.05, 0.5, 0.95)]
            table.add_row(Text(name), self.mean(column), *quantiles, self.mean(f"{name}_units_lost"))
        return table

    def pieces(self) -> Iterator[str]:
        """A line for each force that has pieces of several sorts left: their means."""
        counts = [count for count in self.plan.carry.counts if count not in {"units", "thirds"}]  # one for the other
        for name in self.plan.forces if len(counts) > 1 else ():
            means = {count: self.odds.mean(f"{name}_{count}_left") for count in counts}
            left = [f"{words(count)} {mean:.2f}" for count, mean in means.items() if mean >= LEAST]
            if len(left) > 1:
                yield f"Left of {name}: {', '.join(left)}"

    def mean(self, column: str) -> str:
        """A mean, with half its interval when simulated."""
        low, high = self.odds.interval(column)
        return f"{self.odds.mean(column):.3f}" + (f" ± {(high - low) / 2:.2g}" if self.odds.battles is not None else "")

    def kept(self) -> Iterator[str]:
        """A line for each further column that is kept."""
        fights, forces = ("|".join(map(re.escape, names)) for names in (self.fights, self.plan.forces))
        standard = re.compile(rf"winner|(?:{fights})_(?:fought|winner|won)|(?:{forces})_.*_(?:left|here|out|lost)")
        odds = self.odds
        for name in odds.columns:
            if standard.fullmatch(name):
                continue
            if odds.kind_of(name) == "yes/no":
                yield f"{name}: {self.chance(name)}"
            elif odds.kind_of(name) == "number":
                yield f"{name}: {self.mean(name)} on average"
            else:
                found = odds.distribution_columns(name)
                pairs = sorted(zip(found["p"], found["value"], strict=True), reverse=True)[:MOST_TEXTS]
                yield f"{name}: {', '.join(f'{value} {percent(p)}' for p, value in pairs if value)}"

    @property
    def fights(self) -> list[str]:
        """The names of the fights."""
        return [fight.name for fight in self.plan.fights]


def campaign_parts(scenario: Scenario, odds: Odds) -> Iterator[RenderableType]:
    """The answer below its headline: who attacks whom, the fights, why some were not fought, what is left."""
    report = CampaignReport(scenario, odds)
    yield Text(report.course())
    if report.plan.goal:
        yield Text(f"The goal: {in_words(report.plan, report.plan.goal)}")
    yield report.fights_table()
    yield from map(Text, (*report.resting(), *report.unfought()))
    yield report.left_table()
    yield from map(Text, report.pieces())
    yield from map(Text, report.kept())


def tables_by_fight(found: Rounds) -> list[Any]:
    """The fights of a campaign, how it would end after each, and the units left of each force."""
    last, rows = len(found.by_round) - 1, found.rows()
    report = CampaignReport(found.scenario, found.after(last), last)
    ends = plain_table("if it ended after", right=("over", *SIDES, "nobody"))
    left = plain_table("units left after", right=report.plan.forces)
    for stage, row in zip(["start", *report.fights], rows, strict=True):
        ends.add_row(Text(stage), *(percent(row[name]) for name in ("over", *SIDES, "nobody")))
        left.add_row(Text(stage), *(f"{row[f'mean.{name}_units_left']:.3f}" for name in report.plan.forces))
    return [report.fights_table(), *map(Text, report.unfought()), ends, left]
