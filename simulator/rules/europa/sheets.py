"""What each table of the game must look like: its key columns, its values, and the rows that may not be missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product

PERIODS = ("I", "II", "III", "IV", "V", "VI", "VII")
CLASSES = ("I", "IM", "II", "IIM", "III", "IIIM", "IV", "IVM", "A")
TECHNOLOGIES = ("medieval", "renaissance", "arquebus", "musket", "baroque", "manoeuvre", "lace-war")
COLUMNS = ("A", "B", "C", "D", "E")
REPLACEMENT_ROWS = (
    "MINOR", "ENG", "SPA", "FRA", "HAB", "HOL", "POL", "PRU", "POR", "RUS", "SUE", "TUR", "VIZIER", "VEN", "NATIVES",
)  # fmt: skip
LEADER_TYPES = (
    "KING", "GENERAL", "CONQUISTADOR", "GOVERNOR", "EXPLORER", "PACHA", "ENGINEER", "ADMIRAL", "PRIVATEER",
)  # fmt: skip
LARGEST_STACK_THIRDS = 30

Value = int | str


def in_file(technology: str) -> str:
    """A technology as the files spell it (`lace-war` is LACE_WAR)."""
    return technology.upper().replace("-", "_")


@dataclass(frozen=True)
class Number:
    """A column of whole numbers; `blank` is what an empty cell stands for (None: not allowed)."""

    low: int
    high: int
    blank: int | None = None
    step: int = 1

    def allowed(self) -> str:
        """In words."""
        steps = f" in steps of {self.step}" if self.step > 1 else ""
        return f"a whole number from {self.low} to {self.high}{steps}"

    def read(self, given: Value) -> int | None:
        """The value, or None when it is not allowed."""
        if given == "":
            return self.blank
        try:
            number = int(given)
        except ValueError:
            return None
        fits = self.low <= number <= self.high and (number - self.low) % self.step == 0
        return number if fits and not isinstance(given, bool) else None


@dataclass(frozen=True)
class Text:
    """A column of texts, any or one of `choices`."""

    choices: tuple[str, ...] = ()

    def allowed(self) -> str:
        """In words."""
        return "one of " + ", ".join(self.choices) if self.choices else "text"

    def read(self, given: Value) -> str | None:
        """The value, or None when it is not allowed."""
        text = str(given)
        return text if not self.choices or text in self.choices else None


Column = Number | Text
DIE = Number(1, 10)
FLAG = Number(0, 1)


@dataclass(frozen=True)
class Sheet:
    """One table: key columns, value columns and the keys that must be there.

    `needed` are complete keys; `rest` says what else must hold (lines of complaint, none if all is well).
    """

    keys: Mapping[str, Column]
    values: Mapping[str, Column]
    needed: tuple[tuple[Value, ...], ...] = ()
    rest: Callable[[Iterable[Mapping[str, Value]]], list[str]] = field(default=lambda rows: [])
    repeats: bool = False

    @property
    def columns(self) -> dict[str, Column]:
        """All columns."""
        return {**self.keys, **self.values}


def _no_gap_in_sizes(rows: Iterable[Mapping[str, Value]]) -> list[str]:
    """Every modified die must give a loss to every size from 1 LD on."""
    found = []
    for die in range(5, 16):
        spans = sorted((r["min_size"], r["max_size_exclusive"]) for r in rows if r["modified_die"] == die)
        edges = [1]
        for low, high in spans:
            edges += [low, high]
        joined = all(edges[i] == edges[i + 1] for i in range(0, len(edges) - 1, 2))
        if not joined or edges[-1] != ENDLESS:
            found.append(f"the sizes of modified_die {die} leave a gap or overlap")
    return found


ENDLESS = 999
RESULT = {"round_loss": Number(0, 4), "third_loss": Number(0, 2), "morale_loss": Number(0, 7)}
LAND_TECH = tuple(map(in_file, TECHNOLOGIES))
SEA_TECH = ("GALLEY", "CARRACK", "NAE_GALEON", "GALLEON_FLUYT", "BATTERY", "VESSEL", "THREE_DECKER", "SEVENTY_FOUR")
SIZES = (1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30)

SHEETS: dict[str, Sheet] = {
    "combat_result": Sheet(
        {"column": Text(COLUMNS), "modified_die": Number(3, 14)},
        RESULT,
        tuple(product(COLUMNS, range(3, 15))),
    ),
    "battle_tech": Sheet(
        {"land": FLAG, "tech_for": Text(LAND_TECH + SEA_TECH), "tech_against": Text(LAND_TECH + SEA_TECH)},
        {
            "fire_column": Text(("", *COLUMNS)),
            "shock_column": Text(COLUMNS),
            "morale": Number(1, 5),
            "veteran_bonus": Number(0, 2),
        },
        tuple(product((1,), LAND_TECH, LAND_TECH)),
    ),
    "assault_result": Sheet(
        {"besieger": FLAG, "fire": FLAG, "breach": FLAG, "modified_die": Number(3, 12)},
        RESULT,
        tuple(key for key in product((0, 1), (0, 1), (0, 1), range(3, 13)) if not (key[0] and key[2])),
    ),
    "fortress_resistance": Sheet(
        {"fortress_level": Number(0, 5), "breach": FLAG},
        {"round": Number(0, 10), "third": Number(0, 2)},
        tuple(product(range(6), (0, 1))),
    ),
    "artillery_siege_bonus": Sheet(
        {"fortress_level": Number(0, 5), "artillery_at_least": Number(0, 12)}, {"bonus": Number(0, 9)}
    ),
    "artillery_per_army": Sheet(
        {"row": Text(), "period": Text(PERIODS)},
        {"artillery": Number(0, 10)},
        tuple(product(("class-I-II", "class-A", "class-other"), PERIODS)),
    ),
    "army_class_size": Sheet(
        {"army_class": Text(CLASSES), "period": Text(PERIODS)},
        {"size": Number(0, 7)},
        tuple(product(CLASSES, PERIODS)),
    ),
    "attrition_land_europe": Sheet(
        {"modified_die": Number(5, 15), "min_size": Number(1, 8)},
        {"max_size_exclusive": Number(1, ENDLESS, ENDLESS), "loss": Number(0, 8, 0), "pillage": Number(0, 1, 0)},
        rest=_no_gap_in_sizes,
    ),
    "attrition_other_percent": Sheet(
        {"modified_die": Number(5, 15)},
        {"loss_percent": Number(0, 100, step=10)},
        tuple((die,) for die in range(5, 16)),
    ),
    "attrition_remainders": Sheet(
        {"size_thirds": Number(1, LARGEST_STACK_THIRDS), "loss_percent": Number(10, 90, step=10)},
        {"left_thirds": Number(0, LARGEST_STACK_THIRDS), "half_chance_one_more_third": FLAG},
        tuple(product(SIZES, range(10, 100, 10))),
    ),
    "replacement_leaders": Sheet(
        {"country": Text(REPLACEMENT_ROWS), "die": DIE},
        {"manoeuvre": Number(0, 9), "fire": Number(0, 9), "shock": Number(0, 9)},
        tuple(product(REPLACEMENT_ROWS, range(1, 11))),
    ),
    "leaders": Sheet(
        {"name": Text(), "country": Text(), "type": Text(LEADER_TYPES)},
        {
            "begin": Text(),
            "end": Text(),
            "rank": Text(),
            "manoeuvre": Number(0, 9),
            "fire": Number(0, 9),
            "shock": Number(0, 9),
            "siege": Number(0, 9),
        },
        repeats=True,
    ),
    "land_small_stack": Sheet(
        {"size_thirds_at_least": Number(1, 24)},
        {"odd_die": Number(0, 12), "even_die": Number(0, 12)},
        ((1,),),
    ),
    "land_size_loss": Sheet(
        {"size_step": Number(-2, 2), "loss_thirds": Number(1, 19)},
        {"modified_thirds": Number(0, 60)},
        tuple(product((-2, 1, 2), (1, 2, 3, 6, 9, 12, 15, 18, 19))),
    ),
}
