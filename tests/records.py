"""Transcripts and counts that are kept in the repository: `python -m tests.records` writes them anew.

Some of them: `python -m tests.records counts risk-land`.

A transcript shows, for each battle kind, its fields, one explained answer and one replay, so that a change of rules is
a readable difference. The counts of one small seeded run of every shipped example pin the promise that a seed gives
the same numbers on every machine.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

from rich.console import Console

from simulator import NoExactOdds, Odds, exact, load, replay, rules, simulate
from simulator.engine.model.limits import QUICK_BYTES
from simulator.report.tables.odds import odds_parts
from simulator.scenarios import example_names
from simulator.scenarios.schema import field_rows

TRANSCRIPTS = Path(__file__).parent / "transcripts"
COUNTS = Path(__file__).parent / "data" / "pinned_counts.json"
WIDTH = 110
# Transcripts beside those of the kinds: what a kind does only where a part is given. An example, or a file beside this.
FURTHER = {
    ("europa", "siege-with-relief"): "europa-vienna-1683",
    ("europa", "passage-with-zones"): "europa-la-hougue-1692",
    ("europa", "naval-with-retreat"): "europa-quiberon-bay-1759",
    ("europa", "naval-with-decisions"): "europa-flores-1591",
    ("price-of-power", "campaign-on-a-march"): "power-march-milan",
    ("price-of-power", "campaign-with-ships-in-port"): "data/power-out-of-port.toml",
    ("price-of-power", "land-with-generals"): "data/power-generals.toml",
}
BATTLES = 2_000
SEED = 2_026


@cache
def kinds() -> dict[tuple[str, str], str]:
    """Each battle kind of each game of the package, and the first shipped example of it; then further transcripts."""
    found: dict[tuple[str, str], str] = {}
    for name in example_names():
        scenario = load(name)
        found.setdefault((scenario.battle.game, scenario.battle.kind), name)
    return found | FURTHER


def all_kinds() -> set[tuple[str, str]]:
    """Every battle kind that the package's own games offer."""
    own = [game for game, home in rules.GAMES.items() if isinstance(home, str)]
    return {(game, kind) for game in own for kind in rules.battles(game)}


def transcript(name: str) -> str:
    """The transcript of one example."""
    scenario = load(Path(__file__).parent / name if name.endswith(".toml") else name)
    lines = [f"{scenario.battle.game} {scenario.battle.kind}: {scenario.battle.title}", "", "FIELDS"]
    for row in field_rows(scenario.battle):
        lines.append(f"{row.path} ({row.default or 'no default'}): {row.takes}. {row.meaning}")
    try:
        answer = exact(scenario, QUICK_BYTES)
    except NoExactOdds:
        answer = simulate(scenario, BATTLES, SEED)
    out = io.StringIO()
    console = Console(file=out, width=WIDTH, markup=False, highlight=False, color_system=None)
    for part in odds_parts(scenario, answer, explain=True):
        if part is not None:
            console.print(part)
    message = replay(scenario, SEED, 0)
    outcome = ", ".join(f"{column} {value}" for column, value in message.outcome.items())
    lines += ["", f"ANSWER to {name}", *(line.rstrip() for line in out.getvalue().splitlines())]
    lines += ["", f"REPLAY of battle 0, seed {SEED}", *message.lines, f"Outcome: {outcome}"]
    return "\n".join(lines) + "\n"


def counts(name: str) -> dict[str, Any]:
    """Record of one small run of an example: a digest of all counts, and the most frequent outcomes."""
    found: Odds = simulate(name, BATTLES, SEED)
    assert found.counts is not None
    rows = zip(*(values.tolist() for values in found.readable_columns.values()), found.counts.tolist(), strict=True)
    table = sorted(map(list, rows), key=json.dumps)
    digest = hashlib.sha256(json.dumps([list(found.readable_columns), table]).encode()).hexdigest()
    often = sorted(table, key=lambda row: (-row[-1], json.dumps(row)))[:3]
    top = [dict(zip([*found.readable_columns, "count"], row, strict=True)) for row in often]
    return {"outcomes": len(table), "digest": digest, "most_frequent": top}


def path_of(kind: tuple[str, str]) -> Path:
    """Path of the transcript of a battle kind."""
    return TRANSCRIPTS / f"{'-'.join(kind)}.txt"


def main(wanted: list[str]) -> None:
    """Write everything anew, or only what is named: `counts`, or battle kinds like `risk-land`."""
    TRANSCRIPTS.mkdir(exist_ok=True)
    COUNTS.parent.mkdir(exist_ok=True)
    for kind, name in kinds().items():
        if not wanted or "-".join(kind) in wanted:
            path_of(kind).write_text(transcript(name), encoding="utf-8")
            print(path_of(kind).name, flush=True)
    if not wanted or "counts" in wanted:
        pinned = {name: counts(name) for name in example_names()}
        COUNTS.write_text(json.dumps(pinned, indent=1) + "\n", encoding="utf-8")
        print(COUNTS.name)


if __name__ == "__main__":
    main(sys.argv[1:])
