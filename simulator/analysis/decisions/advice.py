"""Best play in one sentence: the order of losses, when to leave, and the result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simulator.analysis.odds.headline import headline_of, measure_of, side_names
from simulator.analysis.odds.run import ExactAnswer
from simulator.analysis.words import capital, points
from simulator.rules.campaign.text import called_fight
from simulator.rules.question import LOST
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.by_key import by_key
from simulator.rules.toolkit.naming import listed
from simulator.rules.toolkit.tolerances import ALIKE, ROUNDING
from simulator.rules.toolkit.words import agreeing, chance_of, percent, verb_of_many
from simulator.scenarios import Scenario
from simulator.scenarios.objective import PLAIN, TAKEN, side_of, weights_of

if TYPE_CHECKING:
    from simulator.analysis.decisions.best import Best
    from simulator.analysis.odds.odds import Odds

# The choices of a side that goes on with a battle; all others of the same decision end it.
STAYING = ("go on", "stay")
MOST_STOPS, LONGEST_PLACE = 3, 60
# Columns of a row that are numbers of the policy, not of the state.
NUMBERS = ("advantage", "reached")
# A hint is not worth the answer to a larger battle, nor is a gain that the first line would not show (0.05 %).
MOST_EXPLORED, LEAST_GAIN = 100_000, 0.0005
# The choices made in each battle by a policy of this name.
CHOSEN = {"losses": "your losses", "loss_order": "your losses", "hand": "your dice"}
Row = Mapping[str, Any]


def winning(found: Best, side: str) -> tuple[str, float] | None:
    """The side whose chance to win is the worth to `side`, and the sign of it; None where other things count."""
    whose, sign, weights = weights_of(found.scenario.objective, side)
    return (whose, sign) if dict(weights) == PLAIN else None


def headline(found: Best) -> str:
    """The play of the sides, and its result: "Lose infantry, then tanks: you take the land in 71.40 %. Never leave."

    One side that decides is "you".
    """
    by_side = {side: [*dict.fromkeys(_clauses(found, side))] for side in SIDES}
    sides = [side for side in SIDES if by_side[side]]
    you = found.default.side if found.default else sides[0] if len(sides) == 1 else ""
    brings = _brings(found, you)
    if not you:
        parts = [f"{side}: {listed(by_side[side])}" for side in sides]
        return capital("; ".join([*parts, brings])) + "."
    first, *rest = by_side[you] or [""]
    text = f"{first}: {brings}" if first else brings
    return " ".join(capital(part) + "." for part in [text, *rest])


def _clauses(found: Best, side: str) -> Iterator[str]:
    """The play of a side: its lists, then a clause for each decision in the course of the battle."""
    lots = [one for one in found.lots if one.side == side]
    drawn = [f"{_in_game_words(found, side, one.choice)} ({percent(one.chance)})" for one in lots]
    if drawn:
        yield f"draw lots: {listed(drawn, 'or')}" if len(drawn) > 1 else drawn[0]
    lists = found.default.lists if found.default else [path for path in found.choice if side_of(path) == side]
    if (not found.default or found.default.side == side) and (words := _of_lists(found, side, lists)):
        yield words
    for (whose, _), rows in by_decision(found.rows()).items():
        if whose == side:
            yield in_words(found, rows)
    if found.default and found.default.side == side:
        yield from (f"never {verb}" for verb in found.default.never)
        yield from (f"{verb} as the scenario says" for verb in found.default.settled)


def _of_lists(found: Best, side: str, paths: Sequence[str]) -> str:
    """The lists of a scenario in the words of its game; those that make no difference only where none does."""
    advice = found.scenario.battle.advice
    fields = found.scenario.fields
    every = [path for options in (advice.lists(fields, side) if advice else ()) for one in options for path in one]
    chosen = paths or (every if found.default else ())
    words = advice.words(fields, side, chosen) if advice and chosen else ""
    if words or found.default:
        return words
    return listed([plainly(path, found.choice[path]) for path in paths])


def plainly(path: str, value: str) -> str:
    """A named value of a policy whose game has no words for it: "first line warships"."""
    return f"{path.rpartition('.')[2]} {value}".replace("_", " ").replace("-", " ")


def _in_game_words(found: Best, side: str, choice: str) -> str:
    """Named values ("losses = cavalry-first, structures = first") in the words of the game."""
    changes = dict(part.split(" = ") for part in choice.split(", "))
    changes = {f"policy.{side}.{name}": value for name, value in changes.items()}
    advice, scenario = found.scenario.battle.advice, found.scenario.replace_all(changes)
    words = advice.words(scenario.fields, side, list(changes)) if advice else ""
    return words or listed([plainly(path, value) for path, value in changes.items()])


# --- what it brings -------------------------------------------------------------------------------------------------


def _brings(found: Best, you: str) -> str:
    """The chance of the event asked for, and the worth where more counts than winning."""
    side, default = you or SIDES[0], found.default
    text = happening(found.odds, you)
    if default is None:
        before = ""
    elif found.value[side] - default.before.value[side] <= ROUNDING:
        text += ", and no other choice brings more" if found.tried > 1 else ""
        before = ""
    else:
        text += _instead(_chance(default.before.odds, side), _chance(found.odds, side))
        before = f" instead of {default.before.value[side]:.4f}"
    if not found.scenario.objective or (default and default.by_measure):
        return text
    return f"it is worth {found.value[side]:.4f} to {'you' if you else f'the {side}'}{before}, and {text}"


def may_hold(scenario: Scenario, odds: Odds) -> bool:
    """May units that are kept to the last take the ground more often? Not said of simulated odds and large battles."""
    exact = odds.battles is None and odds.explored <= MOST_EXPLORED
    if odds.question.measure not in TAKEN or scenario.battle.advice is None or not exact:
        return False
    # No more can be gained than the battles that are won without the ground.
    return odds.p(odds.question.measure) <= odds.winner(SIDES[0]) - LEAST_GAIN


def to_hold(scenario: Scenario, odds: Odds) -> tuple[str, dict[str, Any]]:
    """The units to keep to the last where battles are won without taking the ground: a sentence, and how to set it.

    Empty where that brings nothing, and where `may_hold` says so. It solves a second battle.
    """
    measure, advice = odds.question.measure, scenario.battle.advice
    if advice is None or not may_hold(scenario, odds):
        return "", {}
    options = (one for every in advice.lists(scenario.fields, SIDES[0]) for one in every)
    keep = next(({path: one[path]} for one in options for path in one if path.endswith(".keep")), {})
    kept = scenario.replace_all(keep) if keep else scenario
    better = ExactAnswer(kept).odds().p(measure)
    if better < odds.p(measure) + LEAST_GAIN:
        return "", {}
    aim = _bare(event(odds, SIDES[0])[1])
    words = advice.words(kept.fields, SIDES[0], keep).rpartition("but ")[2]
    return f"To {aim} a unit that can hold it must be left: {words}, and it is {percent(better)}", keep


def _instead(before: str, now: str) -> str:
    return f" instead of {before}" if before != now else ", a little more than otherwise"


def _chance(odds: Odds, side: str) -> str:
    return chance_of(odds.p(measure_of(odds.battle, side)))


def happening(odds: Odds, you: str) -> str:
    """The headline's event and its chance, as `you` say it: "you take the land in 71.40 %", "you never hold it"."""
    if odds.battle.question.number:
        text = headline_of(odds).text.rstrip(".")
        return text[0].lower() + text[1:]
    subject, predicate = event(odds, you or SIDES[0])
    if you and subject in {"{A}", "{D}"}:
        subject, predicate = "you", _bare(predicate)
    subject = subject.format(**dict(zip("AD", side_names(odds), strict=True)))
    said = _chance(odds, you or SIDES[0])
    text = f"{subject} {predicate} in {said}" if said.endswith("%") else f"{subject} {said} {predicate}"
    return agreeing(text, [subject])


def _bare(predicate: str) -> str:
    """A predicate of "you": "take the land" for "takes the land", "still hold it", "are the winner"."""
    verb, _, rest = predicate.partition(" ")
    if verb == "still":
        return f"still {_bare(rest)}"
    return f"{verb_of_many(verb)} {rest}".strip()


_PART = re.compile(r"(?:^|[.;,]|\band\b)\s*([^.;,\[\]{}]*(?:\{[AD]\}[^.;,\[\]{}]*)?) in \{([^{}]*)\}")


def event(odds: Odds, side: str) -> tuple[str, str]:
    """Subject ({A} and {D} for the sides) and predicate of what a side's headline counts: from the kind's sentence."""
    question, advice = odds.battle.question, odds.battle.advice
    own = "{A}" if side == SIDES[0] else "{D}"
    if advice and advice.goal:
        return own, advice.goal[SIDES.index(side)]
    text = question.sentence if isinstance(question.sentence, str) else question.sentence(odds)
    parts = {asked: words.strip().removeprefix("and ") for words, asked in reversed(_PART.findall(text))}
    first = _split(text)[0]  # of the sentence; a later part may go without a subject
    attackers = parts.get("m") or parts.get(question.measure) or "reaches the goal"  # of which it says "never"
    if side == SIDES[0]:
        return _part(attackers, first)
    defenders = next((words for asked, words in parts.items() if asked == LOST or asked.startswith("not ")), "")
    if not defenders:
        return "{D}", "prevents it"
    if defenders == "{D}":  # the same, in a word
        return "{D}", _part(attackers, first)[1]
    return _part(defenders, first if first != "{A}" else "{D}")


def _part(words: str, first: str) -> tuple[str, str]:
    """Subject and predicate of a part of a sentence, which may leave out the subject."""
    subject, predicate = _split(words)
    return (subject, predicate) if subject.startswith(("{", "the ")) else (first, words)


def _split(words: str) -> tuple[str, str]:
    """The first words, a side or an article and a noun, and the rest."""
    parts = words.split(" ")
    start = 1 if words.startswith("{") else 2
    subject = " ".join(parts[:start])
    return subject if start == 1 else subject[:1].lower() + subject[1:], " ".join(parts[start:])


# --- decisions in the course of a battle ----------------------------------------------------------------------------


def by_decision(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    """The rows of each side and decision (a policy, or a fight of a campaign)."""
    return by_key(rows, lambda row: (row["side"], row.get("decision") or row["fight"]))


def ending(rows: Sequence[Row]) -> list[Row] | None:
    """The rows in which a side ends the battle; None for decisions of another kind."""
    if not any(row["choice"] in STAYING for row in rows):
        return None
    return [row for row in rows if row["choice"] not in STAYING]


def in_words(found: Best, rows: Sequence[Row]) -> str:
    """A decision in words."""
    side, decision = rows[0]["side"], rows[0].get("decision", "")
    often = sorted((row for row in rows if row["reached"] > ALIKE), key=lambda row: -row["reached"]) or list(rows)
    stops = ending(often)
    if stops is not None:
        return _stopping(stops, _verb(found, side, decision))
    if "fight" in rows[0]:
        return _fighting(rows)
    if len({row["choice"] for row in often}) == 1:
        return f"always {often[0]['choice']}"
    what = CHOSEN.get(decision.rpartition(".")[2], "")
    choose = f"choose {what} anew each time" if what else f"decide as it stands, most often {often[0]['choice']}"
    fixed = [one for one in found.fixed if one.decision == decision]
    best = min(fixed, key=lambda one: one.gain, default=None)
    if best is None:
        return choose
    name = _fixed_in_words(found, side, decision, best.policy)
    if best.gain <= ALIKE:
        return name
    by = points(best.gain, winning(found, side) is not None)
    more = f"{by} better than" if by.endswith("points") else f"worth {by} more than"
    return f"{choose}, {more} to {name} always"


def _fighting(rows: Sequence[Row]) -> str:
    """The decision to fight or not, of a campaign."""
    name = called_fight(rows[0]["fight"])
    asked = sum(row["reached"] for row in rows)
    goes = sum(row["reached"] for row in rows if row["choice"] == "go")
    if goes in {0, asked}:
        return f"go into {name}" if goes else f"stop before {name}"
    return f"go into {name} in {percent(goes / asked)} of the cases"


def _verb(found: Best, side: str, decision: str) -> str:
    """The verb of leaving by a policy: "leave", "break off"."""
    advice = found.scenario.battle.advice
    return (advice.leaving(found.scenario.fields, side).get(decision) if advice else "") or "stop"


def _fixed_in_words(found: Best, side: str, decision: str, policy: str) -> str:
    """A fixed policy as an advice in the words of the game."""
    advice, scenario = found.scenario.battle.advice, found.scenario.replace(decision, policy)
    words = advice.words(scenario.fields, side, [decision]) if advice else ""
    return words or plainly(decision, policy)


def _stopping(stops: Sequence[Row], verb: str) -> str:
    """The states in which a side ends the battle; the most frequent states first."""
    if not stops:
        return f"never {verb}"
    places = list(dict.fromkeys(map(place_of, stops)))
    if len(places) <= MOST_STOPS:
        return f"{verb} at {listed(places, 'or')}"
    often = f", most often at {places[0]}" if len(places[0]) <= LONGEST_PLACE else ""
    return f"{verb} in {percent(sum(row['reached'] for row in stops))} of battles{often}"


def place_of(row: Row) -> str:
    """The state of a row: "4 v 3", own units first, or the words of the game."""
    if "own" in row:
        return f"{row['own']} v {row['enemy']}"
    sides = [str(row[side]) for side in SIDES if side in row]
    if len(sides) == len(SIDES):
        return " v ".join(sides)
    state = {name: value for name, value in row.items() if name not in {"side", "decision", "choice", *NUMBERS}}
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in state.items() if value != "")
