"""The method of answering a scenario: exact odds, simulation, or the choice between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.scenarios.validation import not_one_of

MOST_BATTLES, MOST_THREADS, MOST_BYTES = 10**12, 1024, 2**62
# The methods of answering by name: exact odds or a refusal, simulation, or exact where that fits.
NAMES = {"auto": None, "exact": True, "simulate": False}


@dataclass(frozen=True)
class Method:
    """The method of answering a scenario.

    `exact`: True for exact odds or a refusal, False for simulation, None for exact odds where they fit into `budget`
    bytes, else simulation. `battles` are simulated; if that is None, as many as bring the half-width of every 95 %
    interval down to `precision`; if that is None too, to DEFAULT_PRECISION, or as many as ANSWER_ROLLS allow. With
    `at_once` an automatic answer without a precision compiles nothing,
    see `first.first_answer`. `winners`: only the chances to win are asked, see `Battle.winners`; without `counted`,
    only columns that no counter changes, in an exact answer that is one chain.
    """

    exact: bool | None = None
    battles: int | None = None
    precision: float | None = None
    seed: int = 0
    threads: int | None = None
    budget: int | None = None
    at_once: bool = False
    winners: bool = False
    counted: bool = True

    @property
    def is_automatic(self) -> bool:
        """Are exact odds and battles both allowed?"""
        return self.exact is None and self.battles is None

    @classmethod
    def named(
        cls,
        name: str,
        battles: int | None = None,
        precision: float | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> Method:
        """The method of one of the NAMES. Raises ValueError for another, and for numbers that contradict each other."""
        if name not in NAMES:
            raise ValueError(f"method: {not_one_of(name, list(NAMES))}")
        if NAMES[name] and (battles is not None or precision is not None):
            which = "precision" if battles is None else "battles"
            raise ValueError(f'{which}: does not go with method "exact", which simulates nothing')
        if battles is not None and precision is not None:
            raise ValueError("battles: does not go with precision, which decides how many battles are fought")
        return cls(NAMES[name], battles, precision, seed, threads)

    @classmethod
    def given(cls, method: str | Method) -> Method:
        """The method itself, or the one of this name. Raises ValueError for another name."""
        return method if isinstance(method, Method) else cls.named(method)

    def __post_init__(self) -> None:
        check_numbers(1 if self.battles is None else self.battles, self.seed, self.threads, self.budget)
        if self.precision is not None and not 0 < self.precision < 1:
            raise ValueError(f"precision: {self.precision} is not allowed; give a number between 0 and 1, like 0.1%")


def check_numbers(battles: int, seed: int, threads: int | None, budget: int | None = None, battle: int = 0) -> None:
    """Raise ValueError for a number of battles, seed, number of threads, budget (bytes) or battle outside its range."""
    for name, value, low, high in (
        ("battles", battles, 1, MOST_BATTLES),
        ("seed", seed, 0, 2**64 - 1),
        ("threads", threads if threads is not None else 1, 1, MOST_THREADS),
        ("budget", budget if budget is not None else 1, 1, MOST_BYTES),
        ("battle", battle, 0, MOST_BATTLES - 1),
    ):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
            raise ValueError(f"{name}: {value} is not allowed; give a whole number from {low} to {high}")
