"""Behind a proxy: the shipped nginx and Caddy files, and the figures for Prometheus."""

import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs" / "proxies"
SMALL = "/risk/land/answer?attacker.regiments=5&defender.regiments=4"
# A line of the text format: a metric, its labels, its value.
SAMPLE = re.compile(r'battle_odds_\w+(\{\w+="(?:[^"\\\n]|\\.)*"(,\w+="(?:[^"\\\n]|\\.)*")*\})? [-+0-9.e]+')


def figures(site):
    """The samples of the figures, by metric with its labels."""
    lines = [line for line in site.get("/metrics").text.splitlines() if not line.startswith("#")]
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines}


def test_the_figures_have_the_text_format_of_prometheus(site):
    reply = site.get("/metrics")
    assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert reply.text.endswith("\n")
    kinds = {}
    for line in reply.text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            kinds[name] = kind
        elif not line.startswith("# HELP "):
            assert SAMPLE.fullmatch(line), line
            name = re.match(r"\w+", line)[0]
            assert name in kinds or re.sub("_(bucket|sum|count)$", "", name) in kinds
    assert kinds["battle_odds_replies_total"] == "counter"
    assert kinds["battle_odds_reply_seconds"] == "histogram"


def test_the_figures_count_what_was_answered(site):
    asked = 'battle_odds_replies_total{method="GET",route="/{game}/{battle}/answer",status="200"}'
    before = figures(site)
    for _ in range(3):
        assert site.get(SMALL).status_code == 200
    after = figures(site)
    assert after[asked] - before.get(asked, 0) == 3
    assert after["battle_odds_up"] == 1
    assert after["battle_odds_cache_bytes"] > 0
    # A histogram's buckets are cumulative, and the last one holds all.
    within = [value for name, value in after.items() if "_bucket" in name]
    assert within == sorted(within)
    assert within[-1] == after["battle_odds_reply_seconds_count"]


def test_the_figures_hold_nothing_of_a_request(site):
    site.get('/no-such-place-4711/"quoted"')
    site.request("BREW", "/risk/land?attacker.regiments=4711")
    text = site.get("/metrics").text
    assert "4711" not in text
    assert "BREW" not in text
    assert "quoted" not in text


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as line:
        return line.getsockname()[1]


def until_up(address):
    """Wait until a proxy answers."""
    for _ in range(100):
        try:
            return urllib.request.urlopen(address + "/healthz", timeout=5)
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"nothing answers at {address}")


@pytest.fixture(params=["nginx", "caddy"])
def proxied(request, server, tmp_path):
    """The address of the page behind a proxy with the shipped file; skipped where the program is missing."""
    program = shutil.which(request.param)
    if program is None:
        pytest.skip(f"{request.param} is not installed; on Debian: apt-get install {request.param}")
    port, upstream = free_port(), server.removeprefix("http://")
    if request.param == "nginx":
        site = (DOCS / "nginx.conf").read_text().replace("127.0.0.1:8000", upstream)
        site = re.sub(r"listen 443 ssl;.*", f"listen 127.0.0.1:{port};", site)
        site = re.sub(r"\s*ssl_certificate\w* .*", "", site)
        (tmp_path / "nginx.conf").write_text(
            f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error.log; events {{}}\n"
            f"http {{ access_log off; client_body_temp_path {tmp_path}/body;\n"
            f"proxy_temp_path {tmp_path}/proxy;\n{site}}}"
        )
        command = [program, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf"), "-e", str(tmp_path / "error.log")]
    else:
        site = (DOCS / "Caddyfile").read_text().replace("127.0.0.1:8000", upstream)
        site = site.replace("play.example.org {", f"http://127.0.0.1:{port} {{")
        (tmp_path / "Caddyfile").write_text("{\n\tadmin off\n}\n" + site)
        command = [program, "run", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        until_up(address)
        yield address
    finally:
        process.terminate()
        process.wait(10)


def test_the_page_is_answered_through_a_proxy(proxied):
    with urllib.request.urlopen(proxied + SMALL, timeout=60) as reply:
        assert reply.status == 200
        assert 'class="answer"' in reply.read().decode()
        assert "default-src 'none'" in reply.headers["content-security-policy"]


def test_links_name_the_proxy_and_not_the_server_behind_it(proxied):
    with urllib.request.urlopen(proxied + SMALL + "&with.column=rounds", timeout=60) as reply:
        assert f"{proxied}/risk/land?" in reply.read().decode()


def test_a_stream_comes_through_a_proxy_part_by_part(proxied):
    path = "/risk/land/stream?attacker.regiments=5&defender.regiments=4"
    with urllib.request.urlopen(proxied + path, timeout=60) as reply:
        assert reply.headers["content-type"].startswith("text/event-stream")
        assert reply.readline().startswith(b"data: ")


def test_the_figures_are_not_for_strangers(proxied):
    with pytest.raises(urllib.error.HTTPError) as refusal:
        urllib.request.urlopen(proxied + "/metrics", timeout=60)
    assert refusal.value.code in {403, 404}
