"""The server never reads files, evaluates text, shows foreign HTML, grows, or goes down, whatever a request holds."""

import gzip
import itertools
import logging
import os
import re
import signal
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from types import ModuleType
from typing import Literal
from urllib.parse import urlsplit
from weakref import WeakSet

import pydantic
import pytest
from numba.core import compiler_lock
from pydantic import Field
from starlette.testclient import TestClient

from simulator import rules
from simulator.rules.battle import Battle, Built, Fields
from simulator.scenarios import ScenarioError
from simulator.web.messages import BEGINS_TO_COMPILE, COMPILING, Job, Limits, Reply
from simulator.web.server import pool
from simulator.web.server.app import ReplyCache, create_app
from simulator.web.server.fork_server import WorkerProcess
from simulator.web.server.pool import WorkerPool
from simulator.web.server.schedule import Ticket
from simulator.web.server.serve import TimedProtocol, configured
from simulator.web.time_limit import OutOfTime, at_most
from simulator.web.views import calculator, dispatch
from tests.web.conftest import served

RISK = "attacker.regiments=20&defender.regiments=15"
SCENARIO = {"game": "risk", "battle": "land", "attacker": {"regiments": 20}, "defender": {"regiments": 15}}


@pytest.fixture
def secret(tmp_path):
    """A game file on the server's disk; a scenario that names it must not be answered."""
    path = tmp_path / "secret.toml"
    path.write_text('format = 1\nname = "hush"\nunit.pikes.combat = 2\nbattle.field = {}\n[[step]]\nname = "melee"\n')
    return str(path)


def test_no_file_is_read_by_its_name(site, secret):
    sides = {"attacker": {"pikes": 2}, "defender": {"pikes": 2}}
    reply = site.post("/api/odds", json={"game": secret, "battle": "field"} | sides)
    assert reply.status_code == 422
    assert "not read here" in reply.json()["error"]
    assert "hush" not in reply.text
    reply = site.post("/open", content=f'scenario=game = "{secret}"\nbattle = "field"')
    assert reply.status_code == 422
    reply = site.post("/own", content=f"game={secret}")
    assert reply.status_code == 422
    assert "hush" not in reply.text


@pytest.mark.parametrize("game", ["../risk", "/risk", "./risk", "risk/", "..\\risk", "../../skirmish", "x/../risk"])
def test_a_path_is_not_read_as_the_name_at_its_end(site, game):
    reply = site.get("/api/odds", params={"game": game, "battle": "land", "attacker.regiments": 3})
    assert (reply.status_code, reply.json()["field"]) == (404, "game")
    reply = site.post("/api/odds", json=SCENARIO | {"battle": f"../{SCENARIO['battle']}"})
    assert (reply.status_code, reply.json()["field"]) == (422, "battle")


@pytest.mark.parametrize("path", ["/etc/passwd", "../../pyproject.toml"])
def test_tables_are_no_file_names(site, path):
    from simulator.scenarios.files import example

    data = example("europa-blenheim-1704") | {"options": {"tables": {"combat_results": path}}}
    reply = site.post("/api/odds", json=data)
    assert reply.status_code == 422
    assert "root:" not in reply.text
    assert "setuptools" not in reply.text


def test_log_of_battles_names_no_scenario(site, secret):
    reply = site.get(f"/risk/land/luck?{RISK}", params={"with.battles": f"scenario, winner\n{secret}, attacker"})
    assert reply.status_code == 422
    assert "hush" not in reply.text


@pytest.mark.parametrize("question", ["__import__('os').system('true')", "().__class__", "winner == winner.__class__"])
def test_questions_are_not_evaluated(site, question):
    reply = site.get(
        "/api/sweep", params={"game": "risk", "battle": "land", "attacker.regiments": 3, "defender.regiments": 2,
                              "with.vary": "attacker.regiments=2:3", "with.value": question}
    )  # fmt: skip
    assert reply.status_code == 422


MARKUP = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


def test_nothing_of_a_scenario_is_html(site):
    places = [
        ("/europa/land", {"attacker.leader": MARKUP, "attacker.land_detachments": 3, "defender.land_detachments": 3}),
        ("/price-of-power/land", {"attacker.name": MARKUP}),
        ("/risk/land", {"attacker.regiments": MARKUP}),
        ("/risk/land", {MARKUP: "1"}),
        ("/risk/land/sweep", {"attacker.regiments": 3, "defender.regiments": 2, "with.vary": f"{MARKUP}=1:3"}),
        ("/compare", {"with.s": [MARKUP, MARKUP]}),
        (f"/risk/{MARKUP}", {}),
        ("/api/names/europa/leaders", {"q": MARKUP}),
    ]
    for path, fields in places:
        reply = site.get(path, params=fields)
        assert "<script>alert" not in reply.text or reply.headers["content-type"] == "application/json", path
        assert "<img src=x" not in reply.text or reply.headers["content-type"] == "application/json", path


def test_every_reply_has_the_headers_of_safety(site):
    for path in ("/", f"/risk/land?{RISK}", "/static/app.js", "/nowhere", "/api/games", f"/risk/land/stream?{RISK}"):
        headers = site.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "set-cookie" not in headers


def test_pages_need_nothing_that_the_policy_forbids(site):
    for path in ("/", f"/risk/land?{RISK}", "/compare", "/own", "/api/docs"):
        page = site.get(path).text
        assert " style=" not in page
        assert " onclick" not in page
        assert "http://" not in page.replace("http://testserver", "").replace("http://www.w3.org", "")
        assert "https://" not in page


def test_the_log_holds_no_scenario(site, caplog):
    with caplog.at_level(logging.INFO):
        site.get("/risk/land?attacker.regiments=17&defender.regiments=13")
        site.post("/api/odds", json=SCENARIO | {"attacker": {"regiments": 987654}})
        site.get("/secret-place-4711")
    lines = "\n".join(record.getMessage() for record in caplog.records if record.name == "battle-odds.web")
    assert "GET /{game}/{battle} 200" in lines
    assert "POST /api/{tool} 422" in lines
    lines = re.sub(r"\d+ ms", "", lines)  # a request may take 17 ms
    for hidden in ("17", "987654", "4711", "regiments"):
        assert hidden not in lines


def for_ever():
    while True:
        pass


def test_seconds_are_kept():
    begun = time.process_time()
    with pytest.raises(OutOfTime), at_most(0.2):
        for_ever()
    with at_most(5), pytest.raises(OutOfTime), at_most(0.05):
        for_ever()
    with pytest.raises(OutOfTime), at_most(0.1), at_most(5):  # an inner budget is never longer than the outer one
        for_ever()
    assert time.process_time() - begun < 3


@pytest.mark.parametrize("view", ["index", "stream"])
def test_the_limit_never_interrupts_the_sending_of_a_reply(view):
    """A worker that was interrupted while it sent its reply ended, and the request with it."""
    small = Job(view, {"game": "risk", "battle": "land"}, (("attacker.regiments", "3"), ("defender.regiments", "2")))
    list(dispatch.replies(small, Limits()))  # what is loaded once does not use up the limit below
    statuses = []
    for reply in dispatch.replies(small, Limits(seconds=0.4)):
        statuses.append(reply.status)
        begun = time.process_time()
        while time.process_time() - begun < 0.5:
            pass
    assert statuses[0] == 200


def for_ever_within(*seconds):
    with ExitStack() as limits:
        for one in seconds:
            limits.enter_context(at_most(one))
        for_ever()


@pytest.mark.parametrize("seconds", [(0,), (0, 60), (60, 0)])
def test_a_limit_is_interrupted_neither_while_it_begins_nor_while_it_ends(seconds, monkeypatch):
    """One whose signal came before its work stayed in place, and ended the later answers of its worker at once."""
    signals, set_timer = [], signal.setitimer

    def with_a_signal(clock, left):
        set_timer(clock, left)
        if not signals:
            signals.append(signal.SIGPROF)
            signal.getsignal(signal.SIGPROF)(signal.SIGPROF, sys._getframe(1))
            signals.clear()

    monkeypatch.setattr(signal, "setitimer", with_a_signal)
    with pytest.raises(OutOfTime):
        for_ever_within(*seconds)
    with at_most(60):
        assert signal.getitimer(signal.ITIMER_PROF)[0] > 59


def worked(seconds):
    """Use up this many seconds of processor time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_a_compiler_is_not_cut_off_and_the_seconds_begin_anew():
    """A kernel that is interrupted would be lost, and compiled again for the next request."""
    compiled = calculated = False
    with at_most(0.5), at_most(0.2):
        with compiler_lock.global_compiler_lock:
            worked(0.8)
            compiled = True
        worked(0.1)
        calculated = True
        with pytest.raises(OutOfTime):
            for_ever()
    assert compiled
    assert calculated


def test_an_import_is_not_cut_off(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "slow_to_import.py").write_text(
        "import time\nend = time.process_time() + 0.4\nwhile time.process_time() < end:\n    pass\ndone = True\n"
    )
    with at_most(0.1):
        import slow_to_import  # type: ignore[import-not-found]
    assert slow_to_import.done


def test_the_building_of_a_model_is_not_cut_off():
    class Late(pydantic.BaseModel, defer_build=True):
        """A model that is built when it is first used, and takes its time."""

        pieces: int

        @classmethod
        def __get_pydantic_core_schema__(cls, source, handler):
            end = time.process_time() + 0.2
            while time.process_time() < end:
                pass
            return handler(source)

    with at_most(0.1):
        assert Late.model_validate({"pieces": 3}).pieces == 3


def test_the_limit_ends_the_work_while_the_compiler_is_half_imported(monkeypatch):
    """Its module stands in `sys.modules` before its lock is made; the reply was an error in the program."""
    monkeypatch.setitem(sys.modules, "numba.core.compiler_lock", ModuleType("compiler_lock"))
    with pytest.raises(OutOfTime), at_most(0.1):
        for_ever()


class Forgotten:
    """An object that a set knows only as long as it lives."""


def forget(seconds):
    """Add objects to such a set, and drop them, for this many seconds of processor time."""
    known, end = WeakSet(), time.process_time() + seconds
    while time.process_time() < end:
        for _ in range(100):
            known.add(Forgotten())


def test_the_limit_is_not_lost_while_an_object_is_forgotten():
    """Python ignores an exception in the callback of a weak reference, so that the work went on for ever."""
    for _ in range(20):
        with pytest.raises(OutOfTime), at_most(0.002):
            forget(2)


class Talking:
    """The pool's end of a connection to a worker that says these things, one at each look."""

    def __init__(self, *said):
        self.said = [None, *said]

    def poll(self, seconds=0.0):
        return bool(self.said) and self.said[0] is not None if seconds else False

    def send(self, job):
        self.said.pop(0)

    def recv(self):
        return self.said.pop(0)


def passed_on(monkeypatch, *said):
    """The reply to a request whose worker uses a second of processor time between two looks, and says these things."""
    seconds = itertools.count()
    monkeypatch.setattr(pool, "processor_seconds", lambda process: float(next(seconds)))
    served, found = WorkerPool(1, 1, Limits(seconds=1.0, wait=0.5)), []
    ticket = Ticket(Job("page", {"game": "risk"}), "a", None)
    ticket.put = found.append
    usable = served._pass_on(WorkerProcess(0, Talking(*said), None), ticket)
    return usable, found[0]


def test_a_worker_that_compiles_is_not_ended_with_its_seconds(monkeypatch):
    usable, reply = passed_on(monkeypatch, BEGINS_TO_COMPILE, *[BEGINS_TO_COMPILE] * 5, Reply(b"done"))
    assert usable
    assert reply.body == b"done"
    usable, reply = passed_on(monkeypatch, BEGINS_TO_COMPILE, None)
    assert not usable
    assert reply.body == COMPILING.encode()
    usable, reply = passed_on(monkeypatch, None)
    assert not usable
    assert b"too large for this page" in reply.body


@pytest.mark.parametrize(("said", "refused"), [((None,), True), ((BEGINS_TO_COMPILE, Reply(b"done")), False)])
def test_a_request_that_is_in_a_workers_hands_does_not_wait_for_ever(monkeypatch, said, refused):
    """A worker that gets no processor time uses none of its seconds; one request waited 22 s so."""
    monkeypatch.setattr(pool, "processor_seconds", lambda process: 0.0)
    served, found = WorkerPool(1, 1, Limits()), []
    ticket = Ticket(Job("page", {"game": "risk"}), "a", None)
    ticket.put = found.append
    ticket.asked -= 11
    assert served._pass_on(WorkerProcess(0, Talking(*said), None), ticket) is not refused
    (reply,) = found
    if refused:
        assert str(reply) == "the server is busy: this request has waited 10 s; try again"
    else:
        assert reply.body == b"done"  # kernels are finished, and kept


class OwnSide(Fields):
    units: int = Field(1, ge=0, le=1_000_000)


class OwnFields(Fields):
    game: Literal["own-game"]
    battle: Literal["field"]
    attacker: OwnSide = OwnSide()
    defender: OwnSide = OwnSide()


@pytest.fixture
def own_game():
    """Registers a game whose only battle is answered by a given function."""

    def added(answer):
        title = "a battle"
        kind = Battle(
            game="own-game", kind="field", title=title, model=OwnFields, summary=(),
            build=lambda fields: Built(answer=lambda run: answer()),
        )  # fmt: skip
        rules.register(kind)

    yield added
    rules.GAMES.pop("own-game", None)


def job(view):
    names = {"game": "own-game", "battle": "field"}
    return Job(view, names, (("attacker.units", "100471"), ("defender.units", "100001")))


def test_what_is_too_large_is_refused_with_something_smaller(own_game):
    own_game(for_ever)
    (reply,) = dispatch.replies(job("page"), Limits(seconds=0.1))
    text = reply.body.decode()
    assert reply.status == 422
    assert "too large for this page" in text
    assert re.search(r"more than [\d,]+ states", text)
    assert "/own-game/field?attacker.units=50235&amp;defender.units=50000" in text


def test_a_fault_is_a_reply_without_what_was_asked(own_game, capsys):
    def fault():
        raise ZeroDivisionError(str(100_000 + 471))

    own_game(fault)
    (reply,) = dispatch.replies(job("page"), Limits())
    assert reply.status == 500
    err = capsys.readouterr().err
    assert "ZeroDivisionError" in err
    assert "100471" not in err


def test_a_fault_of_the_page_itself_does_not_end_the_worker(own_game, monkeypatch):
    """The refusal was a page with the form, which failed again."""

    def fault(*given):
        raise ZeroDivisionError

    monkeypatch.setattr(calculator, "page", fault)
    own_game(lambda: None)
    for view in ("page", "answer"):
        (reply,) = dispatch.replies(job(view), Limits())
        assert reply.status == 500


def test_memory_is_refused_not_taken(own_game):
    def hungry():
        raise MemoryError

    own_game(hungry)
    (reply,) = dispatch.replies(job("answer"), Limits())
    assert reply.status == 422
    assert b"MB" in reply.body


def test_past_the_queue_503_and_come_again():
    site = TestClient(create_app(WorkerPool(1, 0)))
    for path in (f"/risk/land?{RISK}", "/api/names/europa/leaders?q=full", f"/risk/land/stream?{RISK}"):
        reply = site.get(path)
        assert reply.status_code == 503
        assert reply.headers["retry-after"] == "1"
        assert "busy" in reply.text


def test_a_browser_gets_a_refusal_as_a_page():
    site = TestClient(create_app(WorkerPool(1, 0)))
    opened = {"Accept": "text/html,application/xhtml+xml"}
    busy = site.get(f"/risk/land?{RISK}", headers=opened)
    assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")
    assert busy.headers["content-type"].startswith("text/html")
    assert '<p class="complaint" role="alert">the server is busy; try again in a second</p>' in busy.text
    wrong = site.post(f"/risk/land?{RISK}", headers=opened)
    assert (wrong.status_code, "POST is not allowed here</p>" in wrong.text) == (405, True)
    assert site.get("/api/games", headers=opened).json() == {
        "error": "the server is busy; try again in a second",
        "field": None,
    }


def test_a_dead_worker_is_replaced(site, app):
    pool = app.app.state.pool
    assert site.get("/api/games").status_code == 200
    pids = [worker.pid for worker in pool.workers]
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    time.sleep(0.3)
    assert [site.get(f"/api/names/europa/leaders?q={n}").status_code for n in range(5)] == [200] * 5


def with_dying_workers(monkeypatch, begun):
    """A pool whose workers die of each request, before or after a part of the reply; its request; what that gets."""
    served, found = WorkerPool(2, 4), []
    ticket = Ticket(job("page"), "a", None)
    ticket.put = found.append

    def died(worker, ticket):
        ticket.begun = begun
        raise EOFError

    monkeypatch.setattr(served, "_pass_on", died)
    served.schedule.put(ticket)
    return served, ticket, found


def test_a_request_whose_worker_dies_is_tried_once_more(monkeypatch):
    served, ticket, found = with_dying_workers(monkeypatch, begun=False)
    assert not served._answered(None, served.schedule.take(0))
    assert found == []
    assert served.schedule.take(0) is ticket
    assert not served._answered(None, ticket)
    assert found == [pool.LOST]
    assert served.schedule.take(0) is None


def test_a_stream_whose_worker_dies_does_not_begin_anew(monkeypatch):
    served, _, found = with_dying_workers(monkeypatch, begun=True)
    assert not served._answered(None, served.schedule.take(0))
    assert found == [pool.LOST]
    assert served.schedule.take(0) is None


def test_a_killed_worker_costs_its_request_nothing(site, app):
    """A real worker, killed while it computes."""
    workers = app.app.state.pool.workers
    with ThreadPoolExecutor(1) as beside:
        asked = beside.submit(site.get, "/risk/land/answer?attacker.regiments=40000&defender.regiments=40000")
        busy = None
        while busy is None:
            busy = next((one for one in workers if one and processor_state(one.pid) == "R"), None)
        os.kill(busy.pid, signal.SIGKILL)
        assert asked.result().status_code in {200, 422}


def processor_state(process):
    """The state of a process as Linux shows it: R while it computes, S while it waits."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


def test_what_is_kept_has_an_end():
    kept = ReplyCache(10_000)
    for n in range(100):
        kept.put(n, Reply(b"x" * 1000))
    assert kept.get(99)
    assert kept.get(0) is None
    assert sum(len(one.body) for n in range(100) if (one := kept.get(n))) <= 10_000


def test_a_kept_reply_is_compressed_only_for_those_who_can_unpack_it(server):
    """The first and the second reply to the same address are the same, packed or not, with the same entity tag."""
    path = f"/risk/land/answer?{RISK}&with.column=kept".encode()
    found = {}
    for encoding in (b"identity", b"gzip", b"identity", b"gzip"):
        head, _, body = sent(
            server, b"GET " + path + b" HTTP/1.1\r\n" + HOST + b"Accept-Encoding: " + encoding + b"\r\n\r\n"
        ).partition(b"\r\n\r\n")
        assert (b"content-encoding: gzip" in head) == (encoding == b"gzip")
        assert b"vary: accept-encoding" in head.lower()
        found.setdefault(re.search(rb"etag: (\S+)", head)[1], set()).add(
            gzip.decompress(body) if encoding == b"gzip" else body
        )
    assert [len(bodies) for bodies in found.values()] == [1]


def test_a_refusal_is_compressed_only_for_those_who_can_unpack_it(site):
    path = "/risk/land?attacker.regiments=-1&defender.regiments=2"
    plain, packed = (site.get(path, headers={"Accept-Encoding": one}) for one in ("identity", "gzip"))
    assert plain.status_code == packed.status_code == 422
    assert [one.headers.get("content-encoding") for one in (plain, packed)] == [None, "gzip"]
    assert plain.text == packed.text
    assert 'class="complaint"' in plain.text


def sent(server, *parts):
    """Reply on a connection that sends these bytes."""
    host, port = urlsplit(server).netloc.split(":")
    with socket.create_connection((host, int(port)), timeout=20) as line:
        for part in parts:
            line.sendall(part)
        found = b""
        while more := line.recv(1 << 16):
            found += more
        return found


HOST = b"Host: x\r\nConnection: close\r\n"


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        (b"HEAD /", b"200"),
        (b"OPTIONS /", b"405"),
        (b"TRACE /risk/land", b"405"),
        (b"BREW /api/odds", b"405"),
        (b"GET /static/..%2f..%2fapp.py", b"404"),
        (b"GET //etc/passwd", b"404"),
        (b"GET /%00/%ff", b"404"),
        (b"GET /risk/land?a=" + b"a" * 70_000, b"414"),
    ],
)
def test_odd_requests_are_answered(server, request_line, status):
    found = sent(server, request_line + b" HTTP/1.1\r\n" + HOST + b"\r\n")
    assert found.split()[1] == status
    assert b"root:" not in found


def test_a_body_has_an_end_however_it_comes(site, server):
    assert site.post("/api/odds", content=iter([b"x" * 4096] * 18)).status_code == 413
    post = b"POST /api/odds HTTP/1.1\r\n" + HOST
    assert sent(server, post + b"Content-Length: -5\r\n\r\n").split()[1] == b"400"
    assert sent(server, post + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nxxxxx").split()[1] == b"400"


@pytest.mark.parametrize(
    "part", [b"", b"GET / HTTP/1.1\r\nHo", b"POST /own HTTP/1.1\r\n" + HOST + b"Content-Length: 9\r\n\r\nx"]
)
def test_nobody_dawdles(app, part):
    class Impatient(TimedProtocol):
        seconds = 0.2

    settings = configured(app)
    settings.http = Impatient
    with served(settings) as server:
        assert sent(server, part) == b""


def test_replies_do_not_wait_for_receipts():
    """asyncio sets TCP_NODELAY only on sockets that name their protocol."""
    from simulator.web.server.serve import bound_socket

    with bound_socket("127.0.0.1", 0) as line:
        assert line.proto == socket.IPPROTO_TCP


def test_no_header_is_made_of_a_scenario(site):
    reply = site.get(f"/risk/land?{RISK}&options.ties=defender%0d%0aSet-Cookie:+a=b&v=%0d%0aX:1&with.clean=1")
    assert "set-cookie" not in reply.headers
    assert "x" not in reply.headers
    reply = site.get(f"/risk/land?{RISK}&v=<wbr>1", headers={"host": 'evil"><wbr>'})
    assert "<wbr>" not in reply.text


def test_too_many_fields_and_too_deep():
    from simulator import load
    from simulator.web import links

    battle = load("risk-20v15").battle
    with pytest.raises(ScenarioError, match="more than"):
        links.read([("attacker.regiments", str(n)) for n in range(3000)], battle)
    with pytest.raises(ScenarioError, match="not a field"):
        links.read([(".".join("a" * 40), "1")], battle)
