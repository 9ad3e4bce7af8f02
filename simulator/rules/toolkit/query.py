"""Questions about outcomes: a small grammar, so that no user text is run as code.

    attacker_losses >= 5 and (winner == 'attacker' or not both_eliminated)

    question   := all { ("or" | "|") all }
    all        := one { ("and" | "&") one }
    one        := ("not" | "~") one | comparison
    comparison := sum { ("==" | "!=" | "<" | "<=" | ">" | ">=") sum } | sum ["not"] "in" "[" sum { "," sum } "]"
    sum        := product { ("+" | "-") product }
    product    := value { "*" value }
    value      := "-" value | number | 'text' | name | "(" question ")"

A name is a column, or a value of the text column that it is compared with. A yes/no column alone is a question; in sums
it counts 1 or 0. Comparisons may be chained (`2 <= rounds <= 4`).
"""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import NamedTuple

import numpy as np

MOST_CHARACTERS = 2000
MOST_TOKENS = 500
MOST_DEPTH = 50
MOST_NAMES = 40

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?|\.\d+)|(?P<text>'[^']*'|\"[^\"]*\")"
    r"|(?P<name>[^\W\d]\w*)|(?P<sign>==|!=|<=|>=|&&|\|\||\*\*|[-+*<>()\[\],&|~=!/%^]))"
)
_COMPARE: Mapping[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_JOIN: Mapping[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "or": operator.or_,
    "and": operator.and_,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
_SIGNS = {"&": "and", "&&": "and", "|": "or", "||": "or", "~": "not", "!": "not"}
_WORDS = {"and", "or", "not", "in"}
_TRUTH = {"true": True, "false": False, "yes": True, "no": False}


class QueryError(ValueError):
    """A question that cannot be read: the place, the text there, and what is expected."""


class Token(NamedTuple):
    """A token: its kind (number, text, name, word, sign, end), its text, and where it begins."""

    kind: str
    text: str
    at: int


@dataclass(frozen=True)
class Value:
    """The value of a part of the question: numbers, yes/no or text, one for each outcome or one for all.

    `column` is the column that the value comes from, `word` a name that is no column.
    """

    kind: str
    array: np.ndarray
    token: Token
    column: str = ""
    word: str = ""


def ask(
    query: str, columns: Mapping[str, np.ndarray], size: int, known: Mapping[str, Sequence[str]] | None = None
) -> np.ndarray:
    """The outcomes for which the answer to `query` is yes: bool, shape (size,).

    `columns` hold numbers, yes/no or text; `known` are the values that a text column may take (else those it holds).
    Raises QueryError (a ValueError), which names the place.
    """
    with np.errstate(all="ignore"):
        return _Parser(query, columns, size, known or {}).question()


# The battle kinds ask the same questions of every battle.
@lru_cache(maxsize=512)
def _tokens(query: str) -> list[Token]:
    """The tokens of a question. Raises QueryError."""
    if len(query) > MOST_CHARACTERS:
        raise QueryError(f"query: {len(query):,} characters; at most {MOST_CHARACTERS:,}")
    tokens, at = [], 0
    end = len(query.rstrip())
    while at < end:
        match = _TOKEN.match(query, at)
        if not match:
            at += len(query[at:]) - len(query[at:].lstrip())
            quote = "a text that does not end" if query[at] in "'\"" else "not allowed here"
            raise _unreadable(query, Token("sign", query[at:], at), quote)
        kind = match.lastgroup or ""
        text = match[kind]
        if kind == "name" and text in _WORDS:
            kind = "word"
        elif kind == "sign" and text in _SIGNS:
            kind, text = "word", _SIGNS[text]
        tokens.append(Token(kind, text, match.start(match.lastgroup or 0)))
        at = match.end()
        if len(tokens) > MOST_TOKENS:
            raise QueryError(f"query: more than {MOST_TOKENS} words and signs")
    return [*tokens, Token("end", "", end)]


def _unreadable(query: str, token: Token, text: str) -> QueryError:
    shown = query if len(query) <= 60 else query[:57] + "..."
    here = repr(token.text[:30]) if token.text else "the end"
    return QueryError(f"query {shown!r} cannot be read at place {token.at + 1}, {here}: {text}")


class _Parser:
    """Parses and evaluates in one pass; depth and length are limited, so that every question ends."""

    def __init__(
        self, query: str, columns: Mapping[str, np.ndarray], size: int, known: Mapping[str, Sequence[str]]
    ) -> None:
        self._query, self._columns, self._size, self._known = query, columns, size, known
        self._place = self._depth = 0
        self._tokens = _tokens(query)

    def _error(self, token: Token, text: str) -> QueryError:
        return _unreadable(self._query, token, text)

    def _names(self) -> str:
        names = list(self._columns)
        rest = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        return ", ".join(names[:MOST_NAMES]) + rest

    def _next(self) -> Token:
        return self._tokens[self._place]

    def _take(self, kind: str, *texts: str) -> Token | None:
        token = self._next()
        if token.kind == kind and (not texts or token.text in texts):
            self._place += 1
            return token
        return None

    def question(self) -> np.ndarray:
        """The whole text as one yes/no question."""
        value = self._or()
        token = self._next()
        if token.kind != "end":
            raise self._error(token, _instead(token))
        chosen: np.ndarray = np.broadcast_to(self._yes_no(value), self._size).copy()
        return chosen

    def _yes_no(self, value: Value) -> np.ndarray:
        self._refuse_word(value)
        if value.kind != "yes":
            numbers = [name for name, result in self._columns.items() if result.dtype.kind in "iuf"]
            example = f'"{numbers[0]} >= 5"' if numbers else "\"winner == 'attacker'\""
            raise self._error(value.token, f"is no yes/no question; write one like {example}; columns: {self._names()}")
        return value.array

    def _number(self, value: Value) -> np.ndarray:
        self._refuse_word(value)
        if value.kind == "text":
            raise self._error(value.token, "a text is compared with a text column only")
        return value.array.astype(float)

    def _refuse_word(self, value: Value) -> None:
        """Raise QueryError for a name that is no column."""
        if value.word:
            near = _near(value.word, list(self._columns))
            hint = f"; did you mean {near}?" if near else ""
            raise self._error(value.token, f"no such column{hint}; columns: {self._names()}")

    @contextmanager
    def _deeper(self, token: Token) -> Iterator[None]:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise self._error(token, f"nested more than {MOST_DEPTH} deep")
        yield
        self._depth -= 1

    def _joined(self, part: Callable[[], Value], kind: str, *signs: str) -> Value:
        """Parts joined by any of these words (yes/no questions) or signs (numbers), from the left."""
        value, read, found = part(), self._number, "number"
        if kind == "word":
            read, found = self._yes_no, "yes"
        while token := self._take(kind, *signs):
            other = part()
            value = Value(found, _JOIN[token.text](read(value), read(other)), token)
        return value

    def _or(self) -> Value:
        with self._deeper(self._next()):
            return self._joined(lambda: self._joined(self._not, "word", "and"), "word", "or")

    def _not(self) -> Value:
        if token := self._take("word", "not"):
            with self._deeper(token):
                return Value("yes", ~self._yes_no(self._not()), token)
        return self._comparison()

    def _comparison(self) -> Value:
        left, first, found = self._sum(), self._next(), list[np.ndarray]()
        while token := self._take("sign", *_COMPARE):
            right = self._sum()
            found.append(self._compared(left, token, right))
            left = right
        return Value("yes", reduce(operator.and_, found), first) if found else self._among(left)

    def _among(self, left: Value) -> Value:
        token = self._next()
        other_than = self._take("word", "not") is not None
        if not self._take("word", "in"):
            self._place -= other_than
            return left
        closing = {"[": "]", "(": ")"}.get(self._next().text)
        if closing is None:
            raise self._error(self._next(), "write a list after in, like in ['attacker', 'nobody']")
        self._place += 1
        equal = Token("sign", "==", token.at)
        result = self._compared(left, equal, self._sum())
        while self._take("sign", ","):
            result = result | self._compared(left, equal, self._sum())
        self._close(closing)
        return Value("yes", ~result if other_than else result, token)

    def _close(self, sign: str) -> None:
        if not self._take("sign", sign):
            raise self._error(self._next(), f"a {sign} is missing")

    def _compared(self, left: Value, token: Token, right: Value) -> np.ndarray:
        for one, other in ((left, right), (right, left)):
            if one.kind == "text" and one.column:
                if token.text not in {"==", "!="}:
                    raise self._error(token, f"{one.column} is text; compare it with == or !=")
                return _COMPARE[token.text](one.array, self._text_for(one.column, other))
        for one, other in ((left, right), (right, left)):
            if one.kind == "yes" and other.word.lower() in _TRUTH and other.word:
                truth = np.array([_TRUTH[other.word.lower()]])
                return _COMPARE[token.text](one.array, truth)
        return _COMPARE[token.text](self._number(left), self._number(right))

    def _text_for(self, column: str, value: Value) -> np.ndarray:
        """The text that a text column is compared with. Raises QueryError if the column never holds it."""
        if value.column:
            return value.array
        if value.kind == "text" or value.word:
            given = value.word or str(value.array[0])
            allowed = [str(one) for one in self._known.get(column, ())] or sorted(set(map(str, self._columns[column])))
            if given in allowed:
                return np.array([given])
            near = _near(given, allowed)
            hint = f"did you mean {near!r}? " if near else ""
            shown = ", ".join(allowed[:MOST_NAMES]) + (", ..." if len(allowed) > MOST_NAMES else "")
            raise self._error(value.token, f"{column} is never that; {hint}it is one of {shown}")
        raise self._error(value.token, f"{column} is text; compare it with one like {column} == 'attacker'")

    def _sum(self) -> Value:
        return self._joined(lambda: self._joined(self._value, "sign", "*"), "sign", "+", "-")

    def _value(self) -> Value:
        token = self._next()
        if self._take("number"):
            return Value("number", np.array([float(token.text)]), token)
        if self._take("text"):
            return Value("text", np.array([token.text[1:-1]]), token)
        if self._take("name"):
            return self._named(token)
        if self._take("sign", "-"):
            with self._deeper(token):
                return Value("number", -self._number(self._value()), token)
        if self._take("sign", "("):
            inside = self._or()
            self._close(")")
            return inside
        raise self._error(token, _instead(token))

    def _named(self, token: Token) -> Value:
        if token.text not in self._columns:
            if token.text in {"True", "False", "true", "false"}:
                return Value("yes", np.array([_TRUTH[token.text.lower()]]), token)
            return Value("text", np.array([token.text]), token, word=token.text)
        array = self._columns[token.text]
        kind = {"b": "yes", "i": "number", "u": "number", "f": "number"}.get(array.dtype.kind, "text")
        return Value(kind, array.astype(str) if kind == "text" else array, token, column=token.text)


def _near(given: str, allowed: Sequence[str]) -> str | None:
    """The allowed name most similar to the one given, or None."""
    lower = {name.lower(): name for name in allowed}
    near = difflib.get_close_matches(given.lower(), lower, 1)
    if near:
        return lower[near[0]]
    parts = [name for name in allowed if len(given) > 2 and given.lower() in name.lower()]
    return parts[0] if parts else None


def _instead(token: Token) -> str:
    """Advice on what to write instead of a token."""
    if token.kind == "end":
        return "something is missing; a column, a number or a text would do"
    if token.text == "=":
        return "write == to compare"
    if token.text in {"**", "/", "%", "^"}:
        return "only +, - and * are known"
    return 'not allowed here; write questions like "winner == \'attacker\'" or "rounds >= 3 and rounds <= 5"'
