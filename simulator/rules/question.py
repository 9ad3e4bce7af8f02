"""The question that a player asks of a battle kind, and the sentence that answers it (docs/rules/decisions.md 12)."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

WON, LOST = "winner == 'attacker'", "winner == 'defender'"
MEAN = "mean."
# The sentence of a battle at sea.
SEA_BATTLE = "{A} wins the sea battle in {m}, {D} in {winner == 'defender'}[, nobody in {winner == 'nobody'}]."


class Answered(Protocol):
    """The parts of an answer that a sentence may use: `scenario` as given (None if not known), chances and means.

    `battles`: those simulated, None for an exact answer.
    """

    scenario: Mapping[str, Any] | None
    battles: int | None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        ...

    def p(self, query: Any) -> float:
        """The chance of a question."""
        ...

    def mean(self, column: str) -> float:
        """The mean of a column."""
        ...


class Ending(NamedTuple):
    """A way in which a battle ends: its words, its question, and the side that wanted it ("nobody": neither did)."""

    words: str
    question: str
    side: str


@dataclass(frozen=True)
class Question:
    """The attacker's measure, and the sentence with which an answer begins.

    `measure`: a question, whose chance counts, or "mean.COLUMN".
    `sentence`: text, or a function of the answer that gives it. In braces stand values:

    - `{m}`: the measure, `{not m}`: its contrary; `{A}` and `{D}`: the sides by their names;
    - `{taken}`, or any question: its chance;
    - `{taken ? it is : it is not}`: the first words if the question holds, the second if not, else the first and its
      chance;
    - `{mean.rounds}`: a mean; `{mean.losses_thirds/3|detachment}`: a mean divided, with its noun (`|ship|ships` where
      "s" does not make the plural).

    A part in brackets is left out where its chance is 0, where it asks the same as the chance before it, and where the
    answer lacks its column.

    `endings`: where nobody wins a battle (a siege, a crossing), the ways in which it ends, of which one comes about,
    the attacker's best first.

    `columns`: those that it needs, where not every scenario of the kind has them; `others`: the questions of these
    scenarios (an expedition without a passage). `stages`: the table of each stage that a scenario may lack, and the
    column of its result.
    """

    measure: str = WON
    sentence: str | Callable[[Answered], str] = "{A} wins the battle in {m}, {D} in {winner == 'defender'}" + (
        "[, nobody in {winner == 'nobody'}]."
    )
    endings: Sequence[Ending] = ()
    columns: Sequence[str] = ()
    others: Sequence[Question] = ()
    stages: Mapping[str, str] = field(default_factory=dict)

    @property
    def number(self) -> str:
        """The column whose mean is asked; "" where a chance is."""
        return self.measure.removeprefix(MEAN) if self.measure.startswith(MEAN) else ""

    def of_stages(self, data: Mapping[str, Any]) -> Question:
        """The question of a scenario's own stages."""
        return self.fitting({column for table, column in self.stages.items() if table in data})

    def fitting(self, columns: Container[str]) -> Question:
        """The first of this question and the others whose columns an answer has."""
        return next((one for one in (self, *self.others) if all(name in columns for name in one.columns)), self)


def given(answer: Answered, path: str) -> Any:
    """The value of a field as the scenario gives it; None where it gives none."""
    node: Any = answer.scenario
    for name in path.split("."):
        node = node.get(name) if isinstance(node, Mapping) else None
    return node
