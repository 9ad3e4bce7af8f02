"""The report of an import: what was taken, approximated and left out (docs/rules/triplea_import.md section 1)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from simulator.rules.toolkit.naming import plural

TAKEN, APPROXIMATED, LEFT_OUT = "taken", "approximated", "left out"


@dataclass(frozen=True)
class Record:
    """One line: line of the map, kind (taken, approximated, left out), subject, and a note ("" for none)."""

    line: int
    kind: str
    about: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.line}: {self.kind}: {self.about}" + (f" - {self.note}" if self.note else "")


@dataclass
class Report:
    """Records in the order in which they come.

    `lost`: what would have changed battles, counted by its noun; `used_up`: units left out as they are lost when they
    fire.
    """

    records: list[Record] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)
    used_up: list[str] = field(default_factory=list)

    def taken(self, line: int, about: str, changed: str = "") -> None:
        """Add what the game file holds as the map does, or `changed` as it says."""
        self.records.append(Record(line, APPROXIMATED if changed else TAKEN, about, changed))

    def left_out(self, line: int, about: str, note: str, lost: str = "") -> None:
        """Add what the game file does not hold; `lost`: the noun for it, where it would have changed battles."""
        self.records.append(Record(line, LEFT_OUT, about, note))
        if lost:
            self.lost[lost] += 1

    def said_with_answers(self) -> list[str]:
        """A line with what is left out of the map, for every answer; none if nothing is."""
        if not self.lost:
            return []
        what = " and ".join(plural(number, noun) for noun, number in self.lost.items())
        return [
            f"{what} of this map {'is' if self.lost.total() == 1 else 'are'} left out; the import's report names them"
        ]


def report_text(records: list[Record]) -> str:
    """The report as lines of text, the totals last."""
    kinds = (TAKEN, APPROXIMATED, LEFT_OUT)
    totals = ", ".join(f"{kind} {sum(record.kind == kind for record in records)}" for kind in kinds)
    return "\n".join([*map(str, records), totals])
