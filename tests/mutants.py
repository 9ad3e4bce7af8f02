"""Mutation check: small errors put into rules and engine, each of which a narrow test must find.

`python -m tests.mutants [WORD ...]` applies each mutant (or those whose file or new text holds a word) to a copy of the
tree, runs its tests there, prints what became of it, and exits with 1 if one survives or cannot be applied.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
COPIED = ("simulator", "tests", "docs", "pyproject.toml", "README.md", "CHANGELOG.md")
SECONDS = 300
# The exit status of pytest when every test passed, and when one failed; any other status is no verdict.
PASSED, FAILED = 0, 1


class Mutant(NamedTuple):
    """One error: `old` stands in `file` (under simulator/) exactly once, `tests` are arguments of pytest."""

    file: str
    old: str
    new: str
    tests: str


RISK = "tests/test_vectors.py tests/risk/test_worked_examples.py -k risk"
KINGS = "tests/test_vectors.py tests/kings_and_things/test_worked_examples.py -k kings"
POWER = "tests/test_vectors.py tests/price_of_power/test_worked_examples.py -k power"
LAND = "tests/test_vectors.py tests/europa/test_worked_examples.py -k europa"
SIEGE = "rules/birthright/quick/siege.py"
ATTACKS = "rules/birthright/engagement.py"
BIRTHRIGHT = "tests/test_vectors.py tests/birthright/test_worked_examples.py -k birthright"
CHECK = "rules/custom/rules/check.py"
CUSTOM = "tests/test_vectors.py tests/custom/test_worked_examples.py -k custom"
TOOLKIT = "tests/toolkit/test_toolkit.py"
STREAMS = "tests/engine/test_streams.py -k known"
CAREFUL = "tests/europa/test_properties.py -k careful"
LEAST = "tests/analysis/test_precision.py -k least"
ROLLS = "tests/analysis/test_precision.py -k rolls_a"
DRAWING = "tests/engine/test_chance.py -k drawing"
COUNTER = "tests/engine/test_exact.py -k counter"
SEA = "tests/test_vectors.py -k sea"
NUMBERS = "tests/analysis/test_numbers.py"
EUROPA_FIELDS = "tests/europa/test_fields.py"
POWER_DEALT = "tests/price_of_power/test_reference.py -k dealt"
POWER_FIELDS = "tests/price_of_power/test_fields.py"
INTERCEPTION = "rules/europa/procedures/interception.py"
PASSAGE = "rules/europa/passages/passage.py"
OVERSEAS = "rules/europa/procedures/overseas.py"
VOYAGE = "rules/europa/shared/voyage.py"
NPR = "rules/price_of_power/procedures/npr_defence.py"

MUTANTS = [
    Mutant("rules/risk/rules.py", "regiments=s.regiments - own, land", "regiments=s.regiments - enemy, land", RISK),
    Mutant("rules/risk/rules.py", "if s.enemy > 0 or left == 0:", "if s.enemy > 1 or left == 0:", RISK),
    Mutant("rules/risk/tables.py", "(losses + 1) * states", "(losses + 3) * states", LEAST),
    Mutant("rules/kings_and_things/rules.py", "(hits - 1, aimed) if hits > 0", "(hits, aimed) if hits > 0", KINGS),
    Mutant("rules/kings_and_things/rules.py", "two + FIRE] < p.about", "two + FIRE] <= p.about", KINGS),
    Mutant("rules/kings_and_things/tables.py", "(face <= aimed) != turns", "(face < aimed) != turns", KINGS),
    Mutant("rules/price_of_power/setup.py", "automatic * led + own.heavy", "automatic * led", POWER),
    Mutant("rules/price_of_power/casualties.py", "w.ties[side][at], at)", "w.ties[side][at], -at)", POWER),
    Mutant("rules/price_of_power/setup.py", "led and force.wounds < DEAD", "led and force.wounds <= DEAD", POWER),
    Mutant("rules/price_of_power/decisions.py", "weaker and not stays", "not stays", POWER),
    Mutant("rules/europa/land/rules.py", "+ left >= SURE", "+ left > SURE", CAREFUL),
    Mutant("rules/europa/land/rules.py", "(thirds + 1) // 3 * 3", "thirds // 3 * 3", LAND),
    Mutant("rules/europa/land/rules.py", "+ p.reaches > p.size", "+ p.reaches >= p.size", LAND),
    Mutant("rules/europa/siege/rules.py", "box=box, first=0,", "box=box, first=1,", LAND),
    Mutant(INTERCEPTION, "Bonus(int(friend)", "Bonus(-int(friend)", EUROPA_FIELDS),
    Mutant(INTERCEPTION, "-int(own.from_swamp_or_flooded)", "int(own.from_swamp_or_flooded)", EUROPA_FIELDS),
    Mutant(OVERSEAS, "conditions.treaty or conditions.leader_alone", "conditions.leader_alone", EUROPA_FIELDS),
    Mutant(OVERSEAS, "attacks or conditions.already_active:", "attacks:", EUROPA_FIELDS),
    Mutant(OVERSEAS, "-2 * conditions.known_since_period_iv", "2 * conditions.known_since_period_iv", EUROPA_FIELDS),
    Mutant(OVERSEAS, "5 * LD if", "7 * LD if", EUROPA_FIELDS),
    Mutant(VOYAGE, "Bonus(-int(counters >= 2", "Bonus(int(counters >= 2", EUROPA_FIELDS),
    Mutant(VOYAGE, "Bonus(2 * int(end_of_turn", "Bonus(5 * int(end_of_turn", EUROPA_FIELDS),
    Mutant(VOYAGE, "9 if distance >= 5", "9 if distance > 5", EUROPA_FIELDS),
    Mutant("rules/europa/procedures/blockades.py", "conditions.supplied_pashas", "0", EUROPA_FIELDS),
    Mutant(PASSAGE, 'forced_battle_win == "stays"', 'forced_battle_win == ""', EUROPA_FIELDS),
    Mutant(NPR, "-(-units // 2)", "units // 2", POWER_FIELDS),
    Mutant(NPR, "(2 if self.distant", "(3 if self.distant", POWER_FIELDS),
    Mutant(NPR, "self.distant and not self.plague", "self.distant", POWER_FIELDS),
    Mutant(NPR, 'self.location == "sea" and', 'self.location == "land" and', POWER_FIELDS),
    Mutant(NPR, "self.occupied or self.inactive_port or", "self.occupied or", POWER_FIELDS),
    Mutant(NPR, "self.used_sea or not", "not", POWER_FIELDS),
    Mutant("rules/price_of_power/procedures/siege.py", "if province.unrest and", "if", POWER_FIELDS),
    Mutant(ATTACKS, 'if self.rally == "once" else 0', 'if self.rally else 0', BIRTHRIGHT),
    Mutant(ATTACKS, 'unit.kind == "pikemen"', 'unit.kind != "pikemen"', BIRTHRIGHT),
    Mutant(ATTACKS, "Counter({column: 18})", "Counter({column: 9})", BIRTHRIGHT),
    Mutant("rules/birthright/units.py", "defence=self.defence // 2", "defence=self.defence", BIRTHRIGHT),
    Mutant(SIEGE, "if self.too_weak(gone) else", "if not self.too_weak(gone) else", BIRTHRIGHT),
    Mutant("rules/birthright/field/text.py", "side.gold - lost)", "side.gold)", BIRTHRIGHT),
    Mutant(CHECK, "(s.clock >= p.round_limit)", "(s.clock > p.round_limit)", CUSTOM),
    Mutant(CHECK, "(enemy_alone == 0) & (enemies > 0)", "(enemy_alone == 0)", CUSTOM),
    Mutant(CHECK, "(alone > 0) & (enemy_alone == 0)", "(alone > 0) & (enemy_alone > 0)", CUSTOM),
    Mutant("rules/price_of_power/casualties.py", "if hits and room[i] >", "if hits and room[i] >=", POWER_DEALT),
    Mutant("rules/toolkit/retreat.py", "(units < leave.below)", "(units <= leave.below)", TOOLKIT),
    Mutant("rules/toolkit/retreat.py", "(rounds >= leave.rounds)", "(rounds > leave.rounds)", TOOLKIT),
    Mutant("rules/toolkit/retreat.py", "(enemy <= leave.worn_down)", "(enemy < leave.worn_down)", TOOLKIT),
    Mutant("rules/toolkit/weights.py", "out[min(value, most)]", "out[min(value, most + 1)]", TOOLKIT),
    Mutant("engine/model/streams.py", "value + GAMMA + mix", "value + mix", STREAMS),
    Mutant("engine/model/streams.py", "mix(seed ^ SEED_SALT)", "mix(seed)", STREAMS),
    Mutant("engine/sample/alias.py", "rest < (entry & 0xFFFFFFFF)", "rest <= (entry & 0xFFFFFFFF)", DRAWING),
    Mutant("engine/graph/graph.py", "counts + int(self.chain.start", "counts + 0 * int(self.chain.start", COUNTER),
    Mutant("engine/exact.py", "ends.p[which] * weight[place]", "ends.p[which] + 0 * weight[place]", SEA),
    Mutant("engine/sample/plain_walk.py", "rolls / max(1, battles)", "rolls", ROLLS),
    Mutant("analysis/odds/distribution.py", "cumulated[-1] - ROUNDING", "cumulated[-1] + ROUNDING", NUMBERS),
    Mutant("analysis/odds/distribution.py", "math.sqrt(max(0.0,", "abs(max(0.0,", NUMBERS),
    Mutant("analysis/odds/distribution.py", "(p + z * z / (2 * battles))", "(p + z * z / battles)", NUMBERS),
    Mutant("analysis/odds/distribution.py", "* std / math.sqrt(battles)", "* std / battles", NUMBERS),
    Mutant("analysis/odds/measure.py", "total += weight *", "total = weight *", NUMBERS),
    Mutant("scenarios/objective.py", "else 1.0 - np.asarray(taken, float)", "else np.asarray(taken, float)", NUMBERS),
]  # fmt: skip


def copied(folder: Path) -> None:
    """The tree that the tests need, in a folder of its own."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)


def became_of(mutant: Mutant, tree: Path) -> str:
    """The verdict on a mutant in this copy of the tree, which is restored afterwards."""
    path = tree / "simulator" / mutant.file
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1:
        return f"stands {text.count(mutant.old)} times in its file"
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", *mutant.tests.split()]
    own = os.environ | {"PYTHONPATH": str(tree), "BATTLE_ODDS_CACHE": str(tree / "cache")}
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        done = subprocess.run(command, cwd=tree, env=own, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "killed: its tests do not end"
    finally:
        path.write_text(text, encoding="utf-8")
    if done.returncode == FAILED:
        failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
        return f"killed: {failed[0].split(' ')[1]}" if failed else "killed"
    return "survived" if done.returncode == PASSED else f"no verdict: {done.stdout.strip()[-200:]}"


def chosen(words: list[str]) -> Iterator[Mutant]:
    """The mutants that were asked for, all if no word is given."""
    for mutant in MUTANTS:
        if not words or any(word in mutant.file or word in mutant.new for word in words):
            yield mutant


def main(words: list[str]) -> int:
    """Exit status: 0 if every mutant was killed."""
    killed = asked = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        copied(tree)
        for mutant in chosen(words):
            became = became_of(mutant, tree)
            asked, killed = asked + 1, killed + became.startswith("killed")
            print(f"{mutant.file}: {mutant.old} -> {mutant.new}\n    {became}", flush=True)
    print(f"{killed} of {asked} killed")
    return 0 if killed == asked else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
