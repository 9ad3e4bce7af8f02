"""Long work keeps what it did, and goes on from there; many machines give the numbers of one."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pandas as pd
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("distributed")

from simulator import load, odds, simulate, sweep
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.run import PORTION, Interrupted
from simulator.analysis.storage import cluster
from simulator.analysis.storage import run_store as keeping
from simulator.analysis.storage.cluster import answer_portion, code, machines, on_worker
from simulator.analysis.storage.kept_run import RunPart, RunParts, fought, kept_run
from simulator.analysis.storage.kept_sweep import KeptSweep
from simulator.analysis.studies.grid import Grid, Portion
from simulator.cli import run
from simulator.cli.output import pace
from simulator.rules.battle import Outcomes
from simulator.scenarios import draft

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 4}, "defender": {"regiments": 3}}
# Cells of a standard deviation are answered one by one, those of a chance in one pass.
VARY = {"attacker.regiments": range(1, 5), "options.ties": ["defender", "attacker"], "defender.regiments": range(1, 6)}
CELLS = 40
SLOW = "std.attacker_regiments_lost"


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Everything that is done is saved at once."""
    monkeypatch.setattr(keeping, "SECONDS", 0.0)
    monkeypatch.setattr(keeping, "SHARE", 0)


def after(number, action):
    def message(done, total):
        if done >= number:
            action()

    return message


def interrupt():
    raise KeyboardInterrupt


@pytest.mark.parametrize("value", ["p_attacker", SLOW, ["p_attacker", "p_defender"]])
def test_an_interrupted_sweep_goes_on_where_it_stopped(tmp_path, value):
    out = tmp_path / "cells.parquet"
    with pytest.raises(Interrupted) as cut:
        sweep(LAND, VARY, value, out=out, progress=after(15, interrupt))
    kept = cut.value.gathered
    assert 15 <= kept.cells < CELLS
    assert not kept.complete
    assert len(pd.read_parquet(out)) == kept.cells
    whole = sweep(LAND, VARY, value, out=out)
    assert whole.complete
    assert whole.pace.total == CELLS - kept.cells
    assert whole.sweep().rows() == sweep(LAND, VARY, value).rows()
    values = [value] if isinstance(value, str) else value
    assert whole.table[["cell", "asked"]].values.tolist() == [[cell, one] for cell in range(CELLS) for one in values]
    assert len(whole.rows()) == len(whole.table)
    assert list(whole.rows()[0]) == list(whole.table.columns)
    assert sweep(LAND, VARY, value, out=out).pace.total == 0


def test_a_sweep_interrupted_before_its_first_cell_keeps_an_empty_table(tmp_path):
    with pytest.raises(Interrupted) as cut:
        sweep(LAND, VARY, out=tmp_path / "cells", progress=after(0, interrupt))
    kept = cut.value.gathered
    assert kept.cells == len(kept.table) == 0
    assert list(kept.table.columns[:4]) == ["cell", *VARY]


def test_an_interrupted_sweep_that_is_kept_tells_so_without_its_cells(tmp_path, monkeypatch, capsys):
    real = KeptSweep.add

    def first_only(file, answered):
        real(file, answered)
        if answered.cells:
            interrupt()

    monkeypatch.setattr(KeptSweep, "add", first_only)
    vary = ["--vary", "attacker.regiments=1:4", "--vary", "defender.regiments=1:5"]
    assert run(["sweep", "risk-20v15", *vary, "--value", SLOW, "--out", str(tmp_path / "cells")]) == 130
    out = capsys.readouterr().out
    assert " cells are kept in " in out
    assert not out.startswith("0 cells")
    assert len(out.splitlines()) == 1


def test_cells_that_the_rules_refuse_and_simulated_ones_are_kept_too(tmp_path):
    vary = {"attacker.regiments": [0, 3], "options.clamp": [True, False]}
    kept = sweep(LAND, vary, out=tmp_path / "cells", battles=2_000, seed=5)
    assert kept.sweep().rows() == sweep(LAND, vary, battles=2_000, seed=5).rows()
    assert kept.table["options.clamp"].tolist() == [True, False, True, False]


KILLED = """
import os, signal
from simulator.analysis.storage import run_store as keeping
from simulator import {function}
keeping.SECONDS = keeping.SHARE = 0
def told(done, total):
    if done >= {least}:
        os.kill(os.getpid(), signal.SIGKILL)
{function}({arguments}, progress=told)
"""


def killed(**text):
    """Run Python that is killed by kill -9 in the middle."""
    done = subprocess.run([sys.executable, "-c", KILLED.format(**text)], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


def test_a_sweep_goes_on_after_kill_9(tmp_path):
    out = tmp_path / "cells.parquet"
    killed(function="sweep", least=20, arguments=f"{LAND}, {VARY}, {SLOW!r}, out={str(out)!r}")
    (out / f".part-00000009.parquet.{os.getpid()}.tmp").write_bytes(b"half a file")
    before = len(pd.read_parquet(out))
    assert 5 <= before < CELLS
    kept = sweep(LAND, VARY, SLOW, out=out)
    assert kept.pace.total == CELLS - before
    assert kept.sweep().rows() == sweep(LAND, VARY, SLOW).rows()
    assert not list(out.glob(".*.tmp"))


def test_a_run_goes_on_after_kill_9_bit_for_bit(tmp_path):
    out = tmp_path / "run.json"
    killed(function="odds", least=3_000_000, arguments=f"{LAND}, battles=5_000_000, seed=7, out={str(out)!r}")
    before = json.loads(out.read_text())["battles"]
    assert 0 < before < 5_000_000
    found = odds(LAND, battles=5_000_000, seed=7, out=out)
    assert found.table.equals(simulate(LAND, 5_000_000, 7).table)
    assert json.loads(out.read_text())["battles"] == 5_000_000
    more = odds(LAND, battles=5_500_000, seed=7, out=out)
    assert more.table.equals(simulate(LAND, 5_500_000, 7).table)


def staged():
    """The same battle as one of stages: each portion has a seed of its own."""
    scenario = load(LAND)
    chain, outcome = scenario.chain, scenario.built.outcome

    def answer(run):
        ends = run(chain)
        return Outcomes(outcome(ends.states), ends.p, ends.count)

    vars(scenario)["built"] = replace(scenario.built, chain=None, outcome=dict, answer=answer)
    return scenario


def small_pieces(scenario, seed, pieces):
    for first in range(0, pieces._end, PORTION):
        yield fought(scenario, seed, RunPart(first, min(PORTION, pieces._end - first)))


def test_a_run_of_stages_goes_on_bit_for_bit(tmp_path):
    out, battles = tmp_path / "run.json", 2 * PORTION + 1000
    with pytest.raises(Interrupted):
        kept_run(
            staged(),
            Method.named("auto", battles, seed=1),
            out,
            progress=after(PORTION, interrupt),
            fighting=small_pieces,
        )
    assert json.loads(out.read_text())["battles"] == PORTION
    found = odds(staged(), battles=battles, seed=1, out=out)
    assert found.table.equals(simulate(staged(), battles, 1).table)
    assert json.loads(out.read_text())["battles"] == 2 * PORTION


def test_a_full_disk_is_an_error_and_what_was_written_stays(tmp_path, monkeypatch):
    out, real, calls = tmp_path / "cells.parquet", os.fsync, []

    def full(handle):
        calls.append(handle)
        if len(calls) > 6:
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(keeping.os, "fsync", full)
    with pytest.raises(OSError, match=r"^out: No space left on device; \d+ cells are kept in .*, and the same command"):
        sweep(LAND, VARY, SLOW, out=out)
    monkeypatch.undo()
    before = len(pd.read_parquet(out))
    assert 0 < before < CELLS
    assert not list(out.glob(".*"))
    assert sweep(LAND, VARY, SLOW, out=out).sweep().rows() == sweep(LAND, VARY, SLOW).rows()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"seed": 1}, "seed 0, and this is 1"),
        ({"value": "p_defender"}, r'value\[0\] "p_attacker", and this is "p_defender"'),
        ({"battles": 100}, "battles nothing, and this is 100"),
        ({"vary": {"attacker.regiments": [2]}}, r"vary.attacker.regiments\[1\] 3, and this is nothing"),
        ({"scenario": LAND | {"options": {"clamp": True}}}, 'scenario.options nothing, and this is {"clamp": true}'),
    ],
)
def test_another_question_into_the_same_file_is_refused(tmp_path, change, text):
    asked = {"scenario": LAND, "vary": {"attacker.regiments": [2, 3]}, "value": "p_attacker"}
    sweep(**asked, out=tmp_path / "cells")
    with pytest.raises(ValueError, match=f"is of another question: it was begun with {text}"):
        sweep(**asked | change, out=tmp_path / "cells")


def test_files_of_others_are_left_alone(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("mine")
    with pytest.raises(ValueError, match="holds no sweep"):
        sweep(LAND, VARY, out=tmp_path / "notes")
    with pytest.raises(ValueError, match="holds no run"):
        odds(LAND, battles=1000, out=tmp_path / "notes" / "a.txt")
    sweep(LAND, VARY, out=tmp_path / "cells")
    (tmp_path / "cells" / "part-00000007.parquet").write_bytes(b"half a file")
    with pytest.raises(ValueError, match=r"part-00000007.parquet' cannot be read .* remove it"):
        sweep(LAND, VARY, out=tmp_path / "cells")


def test_two_runs_do_not_write_one_file(tmp_path):
    out = tmp_path / "cells"
    sweep(LAND, VARY, out=out)
    with keeping.alone(out / "_lock"), pytest.raises(ValueError, match="another run is writing it"):
        sweep(LAND, VARY, out=out)
    assert sweep(LAND, VARY, out=out).complete


def test_a_later_version_of_the_rules_is_another_question(tmp_path, monkeypatch):
    odds(LAND, battles=1000, out=tmp_path / "run.json")
    monkeypatch.setattr(keeping, "FORMAT", 3)
    with pytest.raises(ValueError, match="begun with format 2, and this is 3"):
        odds(LAND, battles=1000, out=tmp_path / "run.json")
    assert keeping.question_of(draft(LAND))["rules"] == "risk land version 1"
    own = {"game": "skirmish", "battle": "field"}
    changed = draft(own | {"rules": {"about": "mine"}})
    assert keeping.question_of(draft(own))["game file"] != keeping.question_of(changed)["game file"]


def test_the_commands(tmp_path, capfd):
    out, counts = str(tmp_path / "cells"), str(tmp_path / "run.json")
    vary = ["--vary", "attacker.regiments=18:19", "--vary", "defender.regiments=14:18"]
    assert run(["sweep", "risk-20v15", *vary, "--out", out]) == 0
    message = capfd.readouterr()
    assert f"10 cells are kept in {out}" in " ".join(message.out.split())
    assert "10 exact cells," in message.err
    assert run(["sweep", "risk-20v15", *vary, "--out", out, "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["complete"] is True
    assert run(["sweep", "risk-20v15", *vary, "--out", out, "--seed", "1"]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert run(["odds", "risk-20v15", "--battles", "10_000", "--out", counts, "--quiet"]) == 0
    assert "attacker" in capfd.readouterr().out
    assert run(["odds", "risk-20v15", "--battles", "5_000", "--out", counts]) == 2
    assert "has 10,000 battles already" in capfd.readouterr().err
    assert run(["odds", "risk-20v15", "--out", counts]) == 2
    assert run(["odds", "risk-20v15", "--battles", "10", "--workers", "1", "--cluster", "tcp://a:1"]) == 2
    assert "--workers: does not go with --cluster" in capfd.readouterr().err


def test_workers_that_would_be_slower_are_not_started(capfd, monkeypatch):
    monkeypatch.setattr(cluster, "machines", lambda *_: pytest.fail("processes were started"))
    assert run(["sweep", "risk-20v15", "--vary", "attacker.regiments=10:30", "--workers", "2"]) == 0
    assert "--workers: done here in 0." in capfd.readouterr().err
    assert run(["odds", "risk-20v15", "--battles", "1000", "--workers", "2"]) == 0
    assert "--workers: not used; one process uses all processors here" in capfd.readouterr().err


def test_pieces_grow_as_long_as_they_are_quick_and_cover_a_run():
    pieces, at, sizes = RunParts(1000, 200 * PORTION), 1000, []
    for piece in pieces:
        assert piece.first == at
        assert piece.first % PORTION == 0 or piece.first == 1000
        at += piece.battles
        sizes.append(piece.battles)
        pieces.learn(piece._replace(seconds=0.1 if len(sizes) < 4 else 10.0))
    assert at == 200 * PORTION
    assert sizes[1] == 2 * (sizes[0] + 1000)
    assert sizes[5] < sizes[3]


def test_progress_tells_rate_and_time_left():
    assert pace(3_000, 9_000, 10.0, 1_000) == ", 200 a second, 0:00:30 left"
    assert pace(3_000, None, 10.0, 1_000) == ", 200 a second"
    assert pace(1_000, 9_000, 10.0, 1_000) == ""


@pytest.fixture(scope="module")
def team():
    with machines(2, processes=False) as client:
        yield client


@pytest.mark.parametrize("value", ["p_attacker", SLOW])
def test_a_cluster_gives_the_cells_of_one_machine(team, tmp_path, value):
    alone = sweep(LAND, VARY, value).rows()
    assert sweep(LAND, VARY, value, cluster=team).rows() == alone
    with pytest.raises(Interrupted) as cut:
        sweep(LAND, VARY, value, out=tmp_path / "cells", cluster=team, progress=after(10, interrupt))
    assert cut.value.gathered.cells < CELLS
    kept = sweep(LAND, VARY, value, out=tmp_path / "cells", cluster=team)
    assert kept.sweep().rows() == alone


def test_a_cluster_fights_the_battles_of_one_machine(team, tmp_path):
    plain = simulate(LAND, 4_000_000, 11)
    with pytest.raises(Interrupted):
        odds(LAND, battles=4_000_000, seed=11, out=tmp_path / "run.json", cluster=team, progress=after(1, interrupt))
    found = odds(LAND, battles=4_000_000, seed=11, out=tmp_path / "run.json", cluster=team)
    assert found.table.equals(plain.table)


def test_a_worker_with_another_program_is_refused(team):
    grid = Grid(draft(LAND), ("attacker.regiments",), ((2, 3),), ("p_attacker",))
    other = team.submit(on_worker, "battle-odds 9.9 (0123)", answer_portion, "run", grid, Portion(((0, 2),)))
    with pytest.raises(
        ValueError, match=r"^cluster: the worker on .* runs battle-odds .*, and this is battle-odds 9.9"
    ):
        other.result()
    assert code().startswith("battle-odds 0.")


def test_no_cluster_at_an_address(capfd):
    assert run(["sweep", "risk-20v15", "--vary", "attacker.regiments=2:3", "--cluster", "nonsense://x"]) == 2
    assert "cluster: there is no Dask scheduler at 'nonsense://x'" in capfd.readouterr().err


def test_a_killed_worker_costs_no_cells(tmp_path):
    """The only worker is killed once cells have come back; another takes its place."""
    victims = []

    def kill(client):
        def message(done, total):
            if done >= 10 and not victims:
                pids = client.run(os.getpid)
                victims.append(next(iter(pids.values())))
                os.kill(victims[0], signal.SIGKILL)

        return message

    with machines(1) as client:
        kept = sweep(LAND, VARY, SLOW, out=tmp_path / "cells", cluster=client, progress=kill(client))
    assert victims
    assert kept.sweep().rows() == sweep(LAND, VARY, SLOW).rows()
    assert KeptSweep(tmp_path / "cells", kept.grid).cells == CELLS
