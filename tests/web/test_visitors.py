"""No visitor stops the server for the others: lanes, turns, clients that have gone, the start and the end."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlsplit

import pytest

from simulator.engine.jit.cost_model import check_compiled
from simulator.web.messages import Job, Limits
from simulator.web.server import fork_server
from simulator.web.server import pool as work
from simulator.web.server.schedule import BUSY, PATIENCE, QUICK_SECONDS, QUICK_WORK, Lane, Schedule, Ticket, work_of

SMALL = "/risk/land/answer?attacker.regiments={}&defender.regiments=2"
LARGE = "/risk/land/answer?attacker.regiments={0}&defender.regiments={0}"
SWEEP = "/api/sweep?game=risk&battle=land&attacker.regiments=9&defender.regiments=9"


class Recorded(Ticket):
    """A ticket outside of any loop, which records its replies."""

    def __init__(self, client="a", slow=False, pairs=()):
        super().__init__(Job("stream" if slow else "page", {"game": "risk"}, pairs), client, None)
        self.recorded = []

    def put(self, reply):
        self.recorded.append(reply)


# --- the schedule ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("link", "quick"),
    [
        (SMALL.format(3), True),
        (LARGE.format(200), True),
        (LARGE.format(5000), False),
        (f"{SWEEP}&with.vary=attacker.regiments%3D1:20", True),
        (f"{SWEEP}&with.vary=attacker.regiments%3D1:20&with.vary=defender.regiments%3D1:20", False),
        ("/risk/land/sweep?with.path1=attacker.regiments&with.path2=defender.regiments", False),
        ("/risk/land/stream?attacker.regiments=3", False),
        ("/", True),
    ],
)
def test_work_is_estimated_from_the_request(link, quick):
    parts = urlsplit(link)
    view = {"/api/sweep": "api", "/": "index"}.get(parts.path, parts.path.rpartition("/")[2])
    names = {"tool": "sweep"} if parts.path.endswith("/sweep") else {}
    assert (work_of(Job(view, names, tuple(parse_qsl(parts.query)))) <= QUICK_WORK) == quick


def test_clients_are_served_in_turn():
    lane = Lane(10)
    tickets = [Recorded(client) for client in "aaaabb"] + [Recorded("c")]
    for ticket in tickets:
        lane.put(ticket)
    assert [lane.take().client for _ in tickets] == list("abcabaa")
    assert lane.take() is None


def test_a_full_lane_refuses_the_client_with_the_most_waiting():
    schedule = Schedule(1, 3)
    greedy, other = [Recorded("a") for _ in range(4)], Recorded("b")
    for ticket in [*greedy, other]:
        schedule.put(ticket)
    assert [ticket.recorded for ticket in greedy] == [[], [], [BUSY], [BUSY]]
    assert other.recorded == []


def test_slow_requests_leave_a_worker_to_quick_ones():
    schedule = Schedule(1, 10)
    slow, quick = [Recorded(slow=True), Recorded(slow=True)], Recorded()
    for ticket in [*slow, quick]:
        schedule.put(ticket)
    assert schedule.take(0) is quick
    assert schedule.take(0) is slow[0]
    assert schedule.take(0) is None
    schedule.done(slow[0])
    assert schedule.take(0) is slow[1]


def test_a_slow_request_that_has_waited_long_goes_before_quick_ones_one_at_a_time():
    """The picture of an answer waited as long as players typed, and got 503."""
    schedule = Schedule(2, 10)
    quick, slow = [Recorded(), Recorded()], [Recorded(slow=True), Recorded(slow=True)]
    for ticket in [*quick, *slow]:
        schedule.put(ticket)
    for ticket in slow:
        ticket.asked -= PATIENCE + 1
    assert [schedule.take(0) for _ in range(4)] == [slow[0], *quick, slow[1]]


def test_the_worker_that_was_busy_last_gets_the_next_request():
    """Its memory is still in the processor's caches."""
    schedule, took = Schedule(2, 10), []

    def idle(name):
        if schedule.take(60):
            took.append(name)

    with ThreadPoolExecutor(3) as workers:
        for name in range(3):
            workers.submit(idle, name)
            while len(schedule._idle) <= name:
                time.sleep(0.001)
        for done in range(1, 4):
            schedule.put(Recorded())
            while len(took) < done:
                time.sleep(0.001)
    assert took == [2, 1, 0]


def test_an_idle_worker_is_not_woken_for_nothing():
    """A thread that wakes for each reply takes processor time from the others."""
    schedule, ticket = Schedule(2, 10), Recorded()
    schedule.put(ticket)
    schedule.take(0)
    with ThreadPoolExecutor(1) as workers:
        idle = workers.submit(schedule.take, 60)
        while not schedule._idle:
            time.sleep(0.001)
        schedule.done(ticket)
        assert schedule._idle
        schedule.put(ticket)
        assert idle.result() is ticket


def test_a_quick_request_that_takes_long_becomes_a_slow_one():
    schedule = Schedule(1, 10)
    first, second = Recorded(), Recorded()
    for ticket in (first, second):
        schedule.put(ticket)
        schedule.take(0)
    assert schedule.may_continue(first)
    assert not schedule.may_continue(second)
    schedule.done(second)  # its worker is ended; it is begun again when the first is done
    assert schedule.take(0) is None
    schedule.done(first)
    assert schedule.take(0) is second


def test_a_kind_whose_estimate_was_too_low_starts_as_slow_until_it_is_quick_again():
    schedule = Schedule(1, 10)

    def starts_slow(regiments, game="risk"):
        ticket = Recorded(pairs=(("game", game), ("attacker.regiments", regiments)))
        schedule.put(ticket)
        schedule.drop(ticket)
        return ticket.slow

    def measured(regiments, seconds):
        schedule.learn(Recorded(pairs=(("game", "risk"), ("attacker.regiments", regiments))), seconds)

    assert not starts_slow("50")
    measured("50", QUICK_SECONDS + 0.1)
    assert starts_slow("50")
    assert starts_slow("60")
    assert not starts_slow("40")
    assert not starts_slow("50", game="europa")
    measured("60", QUICK_SECONDS - 0.1)
    assert not starts_slow("50")


def in_a_loop(coroutine):
    """The result of a coroutine in a loop of its own; a browser test may have left one in this thread."""
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(asyncio.run, coroutine).result()


def test_a_request_does_not_wait_for_ever():
    async def waited():
        pool = work.WorkerPool(1, 8, Limits(queue=0.1))
        await pool.submit(Job("index")).next()

    with pytest.raises(work.Unserved, match=r"has waited 0\.1 s"):
        in_a_loop(waited())


def test_a_request_in_progress_that_has_waited_as_long_as_it_may_does_not_wait_again():
    """It was given another 10 s each time that it had to start again."""
    schedule = Schedule(1, 10)
    first, second = Recorded(), Recorded()
    for ticket in (first, second):
        schedule.put(ticket)
        schedule.take(0)
    schedule.may_continue(first)
    assert not schedule.drop(second)  # its time is up while a worker has it
    assert not schedule.may_continue(second)  # that worker is ended, since one large request is in progress
    schedule.done(second)
    assert second.recorded == [BUSY]
    schedule.done(first)
    assert schedule.take(0) is None


@pytest.fixture
def narrow():
    """A server of one worker for large requests, an answer of 0.3 s, and a wait of a second."""
    from simulator.web.server.app import create_app
    from simulator.web.server.serve import configured
    from tests.web.conftest import served

    pool = work.WorkerPool(1, 64, Limits(seconds=0.3, wait=20.0, queue=1.0))
    pool.start(kernels=False)
    pool.ready.wait(60)
    with served(configured(create_app(pool))) as address:
        yield address
    pool.close()


def test_each_of_80_heavy_requests_gets_an_answer_or_a_refusal(narrow):
    """A line that is read to its end within the timeout of `opened` has got its reply."""
    lines = [opened(narrow, LARGE.format(20_000 + n)) for n in range(80)]
    statuses = []
    for line in lines:
        with line:
            statuses.append(int(line.recv(1 << 16).split()[1]))
    assert set(statuses) <= {200, 422, 503}
    assert 503 in statuses  # they cannot all be computed in a second
    assert set(statuses) != {503}


# --- a server in use ------------------------------------------------------------------------------------------------


def opened(server, path, method="GET"):
    """A connection that has asked for a path."""
    host, port = urlsplit(server).netloc.split(":")
    line = socket.create_connection((host, int(port)), timeout=60)
    line.sendall(f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    return line


def slowness():
    """Seconds that pass while this process works for one: more than 1 on a busy machine."""
    begun, end = time.monotonic(), time.process_time() + 0.1
    while time.process_time() < end:
        pass
    return max(1, 10 * (time.monotonic() - begun))


def took(server, path):
    """Seconds until a path is answered."""
    begun = time.monotonic()
    with urllib.request.urlopen(server + path, timeout=600) as reply:
        assert reply.status == 200
    return time.monotonic() - begun


def test_requests_whose_clients_have_gone_are_dropped_and_interrupted(app, server):
    """An answer may take 8 s here, and one slow request runs at a time: 6 of them would take most of a minute."""
    lines = [opened(server, LARGE.format(20_000 + n)) for n in range(6)]
    time.sleep(0.5)
    for line in lines:
        line.close()
    assert took(server, LARGE.format(230)) < 20 * slowness()  # a slow one, behind them


def test_small_requests_do_not_wait_for_large_ones(server):
    lines = [opened(server, LARGE.format(30_000 + n)) for n in range(3)]
    time.sleep(0.5)
    assert took(server, SMALL.format(7)) < 7 * slowness()
    for line in lines:
        line.close()


def test_a_dead_fork_server_is_replaced(app, site):
    pool = app.app.state.pool
    assert pool.ready.wait(60)
    os.kill(pool._fork_server._process.pid, signal.SIGKILL)
    for worker in filter(None, pool.workers):  # one that was interrupted may just be begun anew
        os.kill(worker.pid, signal.SIGKILL)
    time.sleep(0.3)
    assert [site.get(SMALL.format(20 + n)).status_code for n in range(4)] == [200] * 4


def test_workers_come_from_the_newest_fork_server(app, site):
    pool = app.app.state.pool
    assert pool.ready.wait(60)
    old, new = pool._fork_server, fork_server.ForkServer(pool.limits, kernels=False)
    new.wait()
    pool._fork_server = pool._loader = new
    old.close()
    end = time.monotonic() + 30
    while not all(worker and worker.origin is new for worker in pool.workers) and time.monotonic() < end:
        time.sleep(0.1)
    assert all(worker.origin is new for worker in pool.workers)
    assert site.get(SMALL.format(30)).status_code == 200


def test_what_cannot_be_loaded_is_said_in_a_line(monkeypatch):
    def prepare():
        raise ModuleNotFoundError("No module named 'jinja2'")

    monkeypatch.setattr(fork_server, "prepare", prepare)
    monkeypatch.setattr(fork_server.signal, "signal", lambda *given: None)
    starting = object.__new__(fork_server.ForkServer)
    starting._connection, remote = fork_server.SPAWN.Pipe()
    fork_server.run(remote, Limits(), kernels=False)
    with pytest.raises(OSError, match="ModuleNotFoundError: No module named 'jinja2'"):
        starting.wait()


def test_without_workers_requests_do_not_wait(caplog):
    """They were refused as if the server was busy, after 7 s."""

    class Unable:
        def wait(self, progress=None):
            raise OSError("ModuleNotFoundError: No module named 'jinja2'")

    async def asked(pool):
        waiting = pool.submit(Job("index"))
        pool._run(kernels=False)
        for ticket in (waiting, pool.submit(Job("index"))):
            with pytest.raises(work.Unserved, match="no workers: they cannot be started, and its log says why"):
                await ticket.next()

    pool = work.WorkerPool(1, 8)
    pool._fork_server = Unable()
    in_a_loop(asked(pool))
    line = "workers: cannot be started (ModuleNotFoundError: No module named 'jinja2'); no request is answered"
    assert [record.getMessage() for record in caplog.records] == [line]


def test_loading_reports_the_games(monkeypatch):
    def warm(progress):
        for done in range(64):
            progress(done, 64)

    monkeypatch.setattr("simulator.analysis.odds.warm.warm", warm)
    states = []
    fork_server.load_kernels(states.append)
    assert states[0]["loaded"] == []
    assert "axis-and-allies-1942" in states[-1]["loaded"]
    for one in states:
        assert one["kernels"] == "loading"
        assert not set(one["loaded"]) & set(one["waiting"])


def test_kernels_that_are_not_compiled_are_left_out_when_workers_start(monkeypatch):
    """A worker does not wait for a compiler; the kernels that follow are loaded all the same."""
    first, *rest = fork_server.COMMONEST
    loaded = []

    def warm(name):
        if name == first:
            check_compiled("a kernel that is not in the cache", Job)
        loaded.append(name)

    monkeypatch.setattr("simulator.analysis.odds.warm.warm", warm)
    fork_server.load_commonest()
    assert loaded == rest
    check_compiled("a kernel that is not in the cache", Job)  # it may be compiled from then on


STARTING = """
from simulator.engine.jit.kernel_cache import cache_folder
from simulator.web.server.fork_server import load_commonest
from simulator.web.messages import Job, Limits
from simulator.web.views.dispatch import replies

load_commonest()
print(sum(path.suffix in {".nbc", ".nbi"} for path in cache_folder().rglob("*")))
numbers = (("attacker.regiments", "9"), ("defender.regiments", "7"))
print(*(reply.status for reply in replies(Job("answer", {"game": "risk", "battle": "land"}, numbers), Limits())))
"""


def test_nothing_is_compiled_before_the_first_answer(tmp_path):
    environment = os.environ | {"BATTLE_ODDS_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", STARTING], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "200"]


def test_workers_start_with_the_commonest_kernels(monkeypatch):
    """Their first 50 replies took three times as long as the next."""
    done = []

    def ended(connection):
        raise EOFError

    monkeypatch.setattr(fork_server, "prepare", lambda: done.append("prepare"))
    monkeypatch.setattr(fork_server, "load_commonest", lambda: done.append("kernels"))
    monkeypatch.setattr(fork_server, "recv_handle", ended)
    monkeypatch.setattr(fork_server.signal, "signal", lambda *given: None)
    monkeypatch.setattr(fork_server.gc, "freeze", lambda: None)
    here, there = fork_server.SPAWN.Pipe()
    fork_server.run(there, Limits(), kernels=False)
    assert (done, here.recv()) == (["prepare", "kernels"], fork_server.READY)


@pytest.fixture
def started(tmp_path):
    """A server of its own, as the command starts it, with nothing compiled; its address, process and log."""
    with open(tmp_path / "log", "w+") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "simulator", "web", "--port", "0", "--workers", "1"],
            stdout=subprocess.PIPE, stderr=log, text=True, env=os.environ | {"BATTLE_ODDS_CACHE": str(tmp_path)},
        )  # fmt: skip
        yield re.search(r"(http://[^/]+)/ ready", process.stdout.readline())[1], process, log
        process.kill()
        process.wait()


def test_a_server_listens_at_once_and_ends_with_an_answer_to_each(started):
    """Nothing is compiled yet, and all workers are busy."""
    server, process, log = started

    def status(path):
        try:
            return urllib.request.urlopen(server + path, timeout=60).status
        except HTTPError as error:
            return error.code

    health = json.loads(urllib.request.urlopen(f"{server}/healthz", timeout=60).read())
    assert health["kernels"] in {"waiting", "loading"}
    refused = 0  # on a busy machine the first requests may wait too long
    while (code := status(SMALL.format(3))) != 200:
        refused += code == 503
        time.sleep(0.1)
    busy = [opened(server, LARGE.format(20_000 + n)) for n in range(6)]
    dawdler = opened(server, "/own HTTP/1.1\r\nContent-Length: 9\r\nX:", "POST")
    for _ in range(2):  # which the server answers after it has read the requests before
        assert urllib.request.urlopen(f"{server}/healthz", timeout=60).status == 200
    process.terminate()
    assert all(b" 503 " in one.recv(100) for one in busy)
    assert process.wait(60) is not None
    assert b" 503 " in dawdler.recv(100)
    log.seek(0)
    text = log.read()
    lines = text.splitlines()
    assert sum("GET /{game}/{battle}/answer 503 " in line for line in lines) == 6 + refused
    assert "Traceback" not in text


# --- mistakes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "body", "text", "line"),
    [
        ("/own", "game=unit.x = 4711", "unit.x = 4711", "line 1: format: is needed"),
        ("/open", "scenario=game = 'x4711'", "game = 'x4711'", "game: "),
        ("/open", "scenario=<b>4711", "<b>4711", "scenario"),
        ("/compare?with.s=x4711&with.s=y", None, "x4711", "compare: 'x4711' is no address"),
    ],
)
def test_a_mistake_is_answered_with_the_page_and_the_text_in_its_box(site, path, body, text, line):
    reply = site.get(path) if body is None else site.post(path, content=body)
    assert reply.status_code == 422
    assert "<html" in reply.text
    boxes = re.findall(r'<textarea[^>]*>\n?(.*?)</textarea>|name="with.s" value="([^"]*)"', reply.text, re.S)
    assert text in [unescape(one or two).strip() for one, two in boxes]
    assert line in unescape(re.search(r'class="complaint"[^>]*>([^<]*)', reply.text)[1])


@pytest.mark.parametrize("path", ["/own", "/open"])
@pytest.mark.parametrize(
    ("body", "status", "line"),
    [
        (b"game=" + b"x" * 100_000, 413, "scenario: more than 64 KB"),
        (b"game=\xff\xfe", 400, "scenario: the text is not UTF-8"),
    ],
)
def test_a_text_that_is_too_long_or_no_utf_8_is_answered_with_the_page(site, path, body, status, line):
    reply = site.post(path, content=body)
    assert reply.status_code == status
    assert "<textarea" in reply.text
    assert line in unescape(re.search(r'class="complaint"[^>]*>([^<]*)', reply.text)[1])
