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
    fire; `not_fired`: units (as keys) that cannot be hit and so only support, but would fire in TripleA.
    """

    records: list[Record] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)
    used_up: list[str] = field(default_factory=list)
    not_fired: dict[str, None] = field(default_factory=dict)

    def taken(self, line: int, about: str, changed: str = "") -> None:
        """Add what the game file holds as the map does, or `changed` as it says."""
        self.records.append(Record(line, APPROXIMATED if changed else TAKEN, about, changed))

    def left_out(self, line: int, about: str, note: str, lost: str = "") -> None:
        """Add what the game file does not hold; `lost`: the noun for it, where it would have changed battles."""
        self.records.append(Record(line, LEFT_OUT, about, note))
        if lost:
            self.lost[lost] += 1

    def said_with_answers(self) -> list[str]:
        """Lines with what is left out of the map, for every answer; none if nothing is."""
        lines = []
        if self.not_fired:
            lines.append(f"cannot be hit, so that they only support; in TripleA they fire: {', '.join(self.not_fired)}")
        if self.lost:
            what = " and ".join(plural(number, noun) for noun, number in self.lost.items())
            verb = "is" if self.lost.total() == 1 else "are"
            lines.append(f"{what} of this map {verb} left out; the import's report names them")
        return lines


def report_text(records: list[Record]) -> str:
    """The report as lines of text, the totals last."""
    kinds = (TAKEN, APPROXIMATED, LEFT_OUT)
    totals = ", ".join(f"{kind} {sum(record.kind == kind for record in records)}" for kind in kinds)
    return "\n".join([*map(str, records), totals])
