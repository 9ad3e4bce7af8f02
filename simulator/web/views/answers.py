"""An answer: its odds within the seconds it may take, and the context of its template (bar, distribution, ...)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from textwrap import wrap
from typing import Any

from simulator.analysis.decisions.advice import may_hold, to_hold
from simulator.analysis.history.battle_log import is_loss
from simulator.analysis.odds.answer import answer
from simulator.analysis.odds.headline import chances_in, contrary, headline_of, measure_of
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import Interrupted, by_rules
from simulator.engine.model.limits import QUICK_BYTES, NoExactOdds
from simulator.report.answer_words import facts, survivors
from simulator.report.survivor_bar import ORDER, SurvivorBlock, survivor_bar
from simulator.report.tables.odds import events
from simulator.report.words import label_of, value_of
from simulator.rules.battle import WINNERS
from simulator.rules.question import LOST, WON
from simulator.scenarios import Draft, Scenario, ScenarioError, is_uncertain, load
from simulator.web.messages import LARGE, MEGABYTE, Limits
from simulator.web.time_limit import at_most
from simulator.web.views import charts

MOST_VALUES = 200
# The tables and texts of an answer that are folded at first; while a player types, those that stay folded are left out,
# and so is the hint what to keep, which takes a second battle: a quarter of the processor time of Axis & Allies.
TABLES, TEXTS, HINT = {"costs", "distribution"}, {"rests", "copy"}, {"hint"}
# The widths in pixels of a bar of survivors from which on a text is written in a block (style.css), the pixels of a
# letter and of the edges of a block, and the most lines in it.
WIDTHS = (300, 370, 450, 560, 680)
LETTER, EDGES, MOST_LINES = 6.4, 6, 4
# These results have no verb: a sentence uses that of its beginning, as in "nobody resists in 30 %, some in 70 %".
HALVES = {"win", "some", "all"}
# Letters of a line of a result's name in its block.
SHORT_LINE = 9
# The share of an answer's seconds for exact odds, and that of a battle of several stages, which takes long to begin to
# simulate; that of both exact odds and a simulation, after which the answer is written.
EXACT_SHARE, SHARE_OF_STAGES, WHOLE_SHARE = 0.5, 0.35, 0.85
PRECISION = 0.001
LIVE_BATTLES, LIVE_SECONDS = 1 << 13, 0.1
# The first simulation of a battle of several stages.
FIRST_BATTLES = (1 << 4, 1 << 6, 1 << 9, 1 << 12)


def odds_in_time(asked: Draft | Scenario, limits: Limits, live: bool = False) -> tuple[Odds, Scenario | None, str]:
    """Odds, the checked scenario (None for one with distributions), and the reason why they are not exact.

    `live` tries exact odds for a moment and simulates only a few battles, for an answer at once; the page then asks for
    the whole answer. Raises ScenarioError.
    """
    scenario = None if is_uncertain(asked) else load(asked)
    source = scenario or asked
    explored = 0

    def progress(states: int, total: int | None) -> None:
        nonlocal explored
        explored = states

    stages = scenario is not None and scenario.built.answer is not None
    seconds = (SHARE_OF_STAGES if stages else EXACT_SHARE) * limits.seconds
    try:
        with at_most(min(LIVE_SECONDS, seconds) if live else seconds):
            return answer(source, Method(exact=True, budget=QUICK_BYTES), progress), scenario, ""
    except NoExactOdds as error:
        reason = str(error)
    except MemoryError:
        reason = f"exact odds would take more than the {limits.memory // MEGABYTE} MB an answer may take"
    except KeyboardInterrupt:
        reason = f"exact odds would take longer than this page computes (more than {explored:,} states)"
    if scenario is not None:
        by_rules(scenario)
    battles = LIVE_BATTLES if live else None
    odds = _simulated(
        source, WHOLE_SHARE * limits.seconds - seconds, (*FIRST_BATTLES, battles) if stages else (battles,)
    )
    if odds is None:
        most = f"computes for at most {limits.seconds:g} s"
        raise ScenarioError(f"{LARGE}, which {most}; {reason}; use fewer units or dice")
    return odds, scenario, reason


def _simulated(source: Draft | Scenario, seconds: float, battles: Iterable[int | None]) -> Odds | None:
    """Odds simulated within these seconds with the last of these numbers of battles that is done; None without any.

    The battles of several stages are lost if they are interrupted. None: until the odds are precise.
    """
    odds = None
    try:
        with at_most(seconds):
            for many in battles:
                odds = answer(source, Method(exact=False, battles=many, precision=PRECISION, threads=1))
    except Interrupted as interrupted:
        odds = interrupted.gathered
    except (KeyboardInterrupt, MemoryError):
        pass  # fewer battles have to do
    return odds


def context(odds: Odds, scenario: Scenario | None, column: str = "", folded: Collection[str] = ()) -> dict[str, Any]:
    """The context of the answer's template; `column` is that of the distribution. Raises ValueError.

    `folded`: those of TABLES, TEXTS and HINT that nobody looks at, left out (`later`); tables only where there are
    blocks.
    """
    bar, numbers = bar_of(odds), any(odds.kinds[name] == "number" for name in odds.summary_columns)
    blocks, named = blocks_of(odds, bar), said(odds)
    asked = {one["question"] for one in named} | {one.question for one in odds.question.endings}
    later = TEXTS.intersection(folded) | (TABLES.intersection(folded) if numbers and blocks else set())
    if scenario and may_hold(scenario, odds):
        later |= HINT.intersection(folded)
    shown = list(facts(odds, asked))
    hint, kept = ("", {}) if "hint" in later or scenario is None else to_hold(scenario, odds)
    return {
        "odds": odds,
        "sentence": headline_of(odds, decimals=1).text,
        "said": named,
        "other": next((one for one in named[:0:-1] if one["kind"] == "defender"), None),
        "hint": hint,
        "kept": kept,
        "bar": bar,
        "number": None if named else _number(odds, shown),
        "facts": shown if named else [one for one in shown if one != _number(odds, shown)],
        "blocks": blocks,
        "events": [one for one in events(odds) if one.p > 0 and one.question not in asked],
        "costs": [] if "costs" in later else _costs(odds),
        "pictures": charts.costs(odds),
        "survivors": survivors(odds),
        "distribution": None if "distribution" in later else _distribution(odds, column),
        "column": column,
        "later": later,
        "exact": odds.battles is None,
        "explanation": list(scenario.built.explain()) if scenario and "rests" not in later else [],
    }


def _number(odds: Odds, shown: Sequence[dict[str, str]]) -> dict[str, str] | None:
    """The fact that an answer without chances is about: its number, else the first one that is a number."""
    label, numbers = label_of(odds.battle, odds.question.number), [one for one in shown if "%" not in one["value"]]
    return next((one for one in numbers if one["label"] == label), numbers[0] if numbers else None)


def _costs(odds: Odds) -> list[dict[str, Any]]:
    """The means and quantiles of all numbers."""
    return [row for row in odds.summary_rows() if odds.kind_of(row["column"]) == "number"]


def said(odds: Odds) -> list[dict[str, Any]]:
    """The chances that the sentence names: words, question, chance, its interval, name of the result, and whose it is.

    The name is that of the winner where the chance is to win, else the words.
    """
    sides = {one.question: _side(one.side) for one in odds.question.endings} | {"winner == 'nobody'": "nobody"}
    sides |= {measure_of(odds.battle, "defender"): "defender", contrary(odds.question.measure): "defender"}
    sides |= {odds.question.measure: "attacker"}
    winners = {WON: "attacker", LOST: "defender", f"not ({WON})": "defender", "winner == 'nobody'": "nobody"}
    subjects = {question: words for words, question in odds.battle.results.items()}
    found: list[dict[str, Any]] = []
    for one in chances_in(odds):
        words = one.words
        if found and words.partition(" ")[0] in HALVES:
            words = subjects.get(one.question, words)
        words = words.removeprefix("The ").removeprefix("the ")
        low, high = odds.interval(one.question)
        about = {"words": words, "question": one.question, "p": one.p, "low": low, "high": high}
        name, kind = winners.get(one.question, words), sides.get(one.question, "nobody")
        found.append(about | {"name": name, "kind": kind})
    return found


def _side(side: str) -> str:
    """The colour of a side that wanted an ending: those beside attacker and defender have colours of their own."""
    return side if side in WINNERS else f"r{2 + side.startswith('third')}"


def endings(odds: Odds, among: str = "") -> list[tuple[str, str, float]]:
    """Words, side and chance of the ways in which a battle ends, or of its winners; `among`: a further condition.

    Nothing where the question is about a number.
    """
    if odds.question.number:
        return []
    given = [(one.words, _side(one.side), one.question) for one in odds.battle.question.fitting(odds.names).endings]
    if not given and "winner" in odds.names:
        given = [(side, side, f"winner == '{side}'") for side in ORDER]
    found = []
    for words, side, question in given:
        with suppress(ValueError):  # a third attacker whom this battle does not have
            found.append((words, side, odds.p(f"({question}) and {among}" if among else question)))
    return found


def bar_of(odds: Odds) -> list[dict[str, Any]]:
    """The pieces of the bar of how a battle ends."""
    ways = endings(odds)
    pieces = bar_pieces((words, p) for words, _, p in ways)
    return [piece | {"kind": side} for piece, (_, side, _) in zip(pieces, ways, strict=True)]


def blocks_of(odds: Odds, bar: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The pieces of the bar of survivors, or of the results (`bar`)."""
    if blocks := survivor_bar(odds):
        return drawn(blocks)
    if max((one["p"] for one in bar), default=1.0) == 1:
        return []
    named = [("" if one["name"] in WINNERS else one["name"], one["name"]) for one in bar]
    return _written([dict(one) for one in bar], [(tuple(wrap(name, SHORT_LINE)), words, 0.0) for name, words in named])


def drawn(blocks: Sequence[SurvivorBlock]) -> list[dict[str, Any]]:
    """The pieces of a bar of survivors."""
    pieces = bar_pieces((one.side, one.p) for one in blocks)
    return _written(pieces, [(one.lines, one.words, one.better) for one in blocks])


def _written(pieces: list[dict[str, Any]], texts: Sequence[tuple[tuple[str, ...], str, float]]) -> list[dict[str, Any]]:
    """The pieces with the text of each, its place in lines (`rows`), and the width of the bar from which on it fits
    (0: never)."""
    for piece, (lines, words, better) in zip(pieces, texts, strict=True):
        longest = max(map(len, lines), default=0)
        needed = (LETTER * longest + EDGES) / max(piece["width"] / 100, 1e-9)
        fits = next((width for width in WIDTHS if width >= needed), 0) if 0 < len(lines) <= MOST_LINES else 0
        rows = [(32 + 13 * (place - (len(lines) - 1) / 2), line) for place, line in enumerate(lines)]
        piece |= {
            "rows": rows,
            "words": words,
            "better": better,
            "fits": fits,
            "middle": piece["start"] + piece["width"] / 2,
        }
    return [one for one in pieces if one["p"] > 0]


def bar_pieces(shares: Iterable[tuple[str, float]]) -> list[dict[str, Any]]:
    """The pieces of a bar for names and their chances: where each starts and how wide it is, in per cent."""
    pieces, start = [], 0.0
    for place, (name, p) in enumerate(shares):
        kind = name if name in {*WINNERS, "going"} else f"r{place % 6}"
        pieces.append({"name": name, "kind": kind, "start": 100 * start, "width": 100 * max(p, 0), "p": p})
        start += p
    return pieces


# --- the distribution of a column -----------------------------------------------------------------------------------


def _distribution(odds: Odds, column: str) -> dict[str, Any] | None:
    """The distribution of a column, by default the first loss; None without any column."""
    columns = list(dict.fromkeys([*odds.summary_columns, *odds.names]))
    if not columns:
        return None
    numbers = [name for name in columns if odds.kind_of(name) == "number"]
    chosen = column or [*filter(is_loss, numbers), *numbers, *columns][0]
    table = {name: values.tolist() for name, values in odds.distribution_columns(chosen).items()}
    rows = list(_rows(odds, chosen, table))
    highest = max((row["p"] for row in rows), default=1.0) or 1.0
    return {"columns": columns, "chosen": chosen, "bounds": "at_least" in table, "rows": rows, "highest": highest}


def _rows(odds: Odds, column: str, table: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """The rows of a distribution; where there are many values, several of them share a row."""
    values = table["value"]
    step = -(-len(values) // MOST_VALUES)
    for first in range(0, len(values), step or 1):
        last = min(first + step, len(values)) - 1
        name = value_of(odds.battle, column, values[first])
        if last > first:
            name += f" to {value_of(odds.battle, column, values[last])}"
        # Rounding may carry a sum of chances past one.
        row = {"name": name, "p": min(1.0, sum(table["p"][first : last + 1])), "interval": None}
        if "at_least" in table:
            row |= {"at_least": min(1.0, table["at_least"][first]), "at_most": min(1.0, table["at_most"][last])}
        if "low" in table and last == first:
            row["interval"] = (table["low"][first], table["high"][first])
        yield row
