"""The headline of odds: the question of a battle kind answered in one sentence (docs/rules/decisions.md section 12)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.rules import CAMPAIGN
from simulator.rules.battle import WINNERS, Battle
from simulator.rules.question import LOST, WON
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.naming import same_name
from simulator.rules.toolkit.tolerances import ROUNDING
from simulator.rules.toolkit.words import agreeing, chance_of, number_of

if TYPE_CHECKING:
    from simulator.analysis.odds.odds import Odds
    from simulator.scenarios import Draft

# The names of these values: the measure of the battle kind for the attacker, and for the defender.
HEADLINES = {"headline": "attacker", "headline.attacker": "attacker", "headline.defender": "defender"}
# The words for certain chances; a sentence holds a mark in place of such a word until its position is known.
SURE = {"never": "0 %", "always": "100 %"}
_ADVERB = "\0"
_CLAUSE = re.compile(rf"((?:\band\b|^|(?<=[.;:,] )|(?<=\())(?:(?!\. )[^;:,()\0])*?) ?{_ADVERB}({'|'.join(SURE)})")
_SUBJECT = re.compile(r"(it|everything|some|nobody|all( of them)?)\b|(the|a) [\w-]+", re.IGNORECASE)
# A value in braces, with an "in" before it that "never" and "always" do without.
_VALUE = re.compile(r"(in )?\{([^{}]*)\}")
_BRACKET = re.compile(r"\[([^\[\]]*)\]")
_MEAN = re.compile(r"mean\.(\w+)(?:/(\d+))?(?:\|([^|]+))?(?:\|([^|]+))?")


@dataclass(frozen=True)
class Headline:
    """The first line of an answer: its `text`, and the measure that it is about with its 95 % interval."""

    text: str
    measure: str
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return self.text


def measure_of(battle: Battle, side: str = "attacker") -> str:
    """The measure of a battle kind for a side: a question, whose chance counts, or "mean.COLUMN".

    The defender's is his victory where the attacker's is victory, the contrary of the attacker's question, or the same
    mean.
    """
    measure = battle.question.measure
    if side == "attacker" or battle.question.number:
        return measure
    return LOST if measure == WON else contrary(measure)


def contrary(question: str) -> str:
    """The question whose answer is yes where that of another is no."""
    return question[4:] if re.fullmatch(r"not \w+", question) else f"not ({question})"


def meant(battle: Battle, value: str) -> str:
    """A value with "headline", "headline.defender" and the names of means replaced by what they stand for."""
    if value in battle.means:
        return f"mean.{value}"
    if value not in HEADLINES:
        return value
    measure = measure_of(battle, HEADLINES[value])
    return {WON: f"p_{WINNERS[0]}", LOST: f"p_{WINNERS[1]}"}.get(measure, measure)


def headline_of(odds: Odds, decimals: int = 2) -> Headline:
    """The headline of odds; its chances have this many decimals."""
    measure, number = odds.question.measure, odds.question.number
    value = odds.mean(number) if number else odds.p(measure)
    return Headline(sentence(odds, decimals), measure, value, *odds.interval(number or measure))


def sentence(odds: Odds, decimals: int = 2) -> str:
    """The sentence of a battle kind with the values of these odds in their places."""
    text = odds.in_braces
    names = dict(zip("AD", side_names(odds), strict=True))

    def value(found: re.Match[str]) -> str:
        name = names.get(found[2])
        said = name if name is not None else _said(odds, found[2], decimals)
        return f"{_ADVERB}{said}" if said in SURE else f"{found[1] or ''}{said}"

    text = _CLAUSE.sub(lambda found: _adverb_first(found[1], found[2], names.values()), _VALUE.sub(value, text))
    return agreeing(text[:1].upper() + text[1:], names.values())


@dataclass(frozen=True)
class Said:
    """A chance that a sentence names: what it is of ("the fortress falls"), its question, the chance."""

    words: str
    question: str
    p: float


def chances_in(odds: Odds) -> list[Said]:
    """The chances that the sentence of these odds names, in its order."""
    text, names = odds.in_braces, dict(zip("AD", side_names(odds), strict=True))
    measure, found, start = odds.question.measure, [], 0
    for value in _VALUE.finditer(text):
        name = value[2]
        if name in names or _MEAN.fullmatch(name) or "?" in name:
            continue
        words = _VALUE.sub(lambda one: names.get(one[2], ""), text[start : value.start()])
        words = re.split(r"[,;:.(] ?|^ ?and ", words.strip().rstrip(",;"))[-1] or words
        start = value.end()
        question = {"m": measure, "not m": contrary(measure)}.get(name, name)
        found.append(Said(words.strip().removeprefix("and "), question, odds.p(question)))
    return found


def in_braces(odds: Odds) -> str:
    """The sentence of a battle kind, with the parts in brackets that say something, and values in braces."""
    question = odds.question
    text = question.sentence if isinstance(question.sentence, str) else question.sentence(odds)
    return _BRACKET.sub(lambda found: found[1] if _worth_saying(odds, text[: found.start()], found[1]) else "", text)


def how_often(clause: str, value: float, bounds: tuple[float, float] | None, names: Sequence[str]) -> str:
    """A clause with its chance: "red wins in 35.21 %", "red never wins"; `names` are those of the sides."""
    chance = chance_of(value, 2, bounds)
    return agreeing(_adverb_first(clause, chance, names) if chance in SURE else f"{clause} in {chance}", names)


def _adverb_first(clause: str, adverb: str, names: Iterable[str]) -> str:
    """A clause with "never" or "always" before its verb: "the defender never holds", "is never driven off"."""
    lead = "and " if clause.startswith("and ") else ""
    words = clause.removeprefix(lead)
    # "All never get across" says that none does.
    every = adverb == "never" and words.startswith("all ") and not words.startswith("all of ")
    if every or words.lower().startswith(("nothing ", "nobody ")):
        return f"{lead}{words} in {SURE[adverb]}"
    subject = next((name for name in names if words == name or words.startswith(f"{name} ")), "")
    if not subject and (found := _SUBJECT.match(words)):
        subject = found[0]
    verb, _, rest = words.removeprefix(subject).strip().partition(" ")
    parts = [subject, verb, adverb, rest] if verb in {"is", "are", "has"} else [subject, adverb, verb, rest]
    return lead + " ".join(filter(None, parts))


def side_names(odds: Odds) -> tuple[str, str]:
    """The attacker and the defender as a sentence names them: by the names that the scenario gives them."""
    return names_of(odds.battle, odds.scenario or {})


def names_of(battle: Battle, data: Mapping[str, Any]) -> tuple[str, str]:
    """The attacker and the defender of a scenario's tables: by the names that they have there."""
    called = battle.called
    attacker, defender = ((called(data, side) if called else "") or f"the {side}" for side in SIDES)
    return attacker, defender


def side_called(scenario: Draft, name: str) -> str:
    """The side that a scenario calls by this name ("Spain"); the name itself where it calls none so."""
    if name in SIDES:
        return name
    names = names_of(scenario.battle(), scenario.data)
    found = same_name(name, names)
    return SIDES[names.index(found)] if found else name


def clause_of(battle: Battle, data: Mapping[str, Any], value: str) -> str:
    """The clause of a question of a battle kind: "the attacker takes the land"; "" for a question in other words."""
    if battle.game == CAMPAIGN:
        from simulator.rules.campaign.text import of_a_fight

        if words := of_a_fight(value):
            return words
    question = battle.question
    named = {question.measure: "m", contrary(question.measure): "not m"}.get(value)
    if named is None or not isinstance(question.sentence, str) or f"{{{named}}}" not in question.sentence:
        clauses = ((one.words, one.question) for one in question.endings if _SUBJECT.match(one.words))
        ends = [*battle.results.items(), *clauses]
        return next((words for words, query in ends if query == value), "")
    text = question.sentence.partition(f"{{{named}}}")[0].strip().removesuffix(" in")
    if named == "not m":
        # "The fortress falls in {m}, holds in {not m}": the fortress holds.
        # "{A} takes the land in {m}; {D} holds it in {not m}": the defender holds the land.
        first = text.partition(" in {m}")[0].split()
        text = re.split(r"[,;\]] *", text)[-1].removeprefix("and ")
        text = text if text.startswith("{") else " ".join([*first[:2], text])
        text = re.sub(r" it$", f" {' '.join(first[2:])}", text)
    names = dict(zip("AD", names_of(battle, data), strict=True))
    text = agreeing(_VALUE.sub(lambda found: names.get(found[2], ""), text), names.values())
    return f"{text[:1].lower()}{text[1:]}" if text.startswith(("The ", "Nothing ", "Nobody ", "A ")) else text


def _worth_saying(odds: Odds, before: str, part: str) -> bool:
    """Does a part in brackets say something that can happen, and that the chance before it has not said?"""
    question = _questions(odds, part)[0]
    try:
        if odds.p(question) == 0:
            return False
    except ValueError:
        return False
    last = _questions(odds, before)[-1:]
    if not last:
        return True
    unlike = odds.where_unmerged(question) != odds.where_unmerged(last[0])
    return float(odds.unmerged.p[unlike].sum()) > ROUNDING


def _questions(odds: Odds, text: str) -> list[str]:
    """The questions in braces whose chances a text names."""
    found = [odds.question.measure if name == "m" else name for _, name in _VALUE.findall(text)]
    return [name for name in found if name not in {"A", "D", "not m"} and not _MEAN.fullmatch(name) and "?" not in name]


def _said(odds: Odds, name: str, decimals: int) -> str:
    """A value in braces."""
    measure = odds.question.measure
    if name in {"m", "not m"}:
        name = measure if name == "m" else contrary(measure)
    if match := _MEAN.fullmatch(name):
        column, divisor, noun, more = match.groups()
        shares = int(divisor or 1)
        between = ""
        if name.startswith(measure) and odds.battles is not None:
            low, high = odds.interval(column)
            between = f" ({number_of(low / shares)} to {number_of(high / shares)})" if low < high else ""
        return ("about " if between else "") + number_of(odds.mean(column) / shares, noun or "", more or "", between)
    question, _, words = name.partition(" ? ")
    chance = odds.p(question)
    said = chance_of(chance, decimals, None if odds.battles is None else odds.interval(question))
    if not words:
        return said
    yes, _, no = words.partition(" : ")
    return yes if chance >= 1 - ROUNDING else no if chance == 0 else f"{yes} in {said}"
