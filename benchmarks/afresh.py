"""Scenarios that are answered anew each time, for measurements."""

from __future__ import annotations

from simulator.analysis.odds import stages
from simulator.scenarios import Scenario, scenario


def afresh(asked: Scenario) -> Scenario:
    """The same scenario with no answer kept of equal ones before it; for checkouts that keep none as well."""
    getattr(scenario, "_kept", {}).clear()
    getattr(stages.COMMON, "forget", lambda: None)()
    return type(asked)(asked.battle, asked.fields, asked.data)


def forget(asked: Scenario) -> None:
    """Drop what is kept of this scenario: its answer, and the layouts and dice of its game file."""
    afresh(asked)
    for part in getattr(asked.battle, "made", None) or ():
        for one in part if isinstance(part, tuple) else ():
            getattr(one, "kept", {}).clear()
