"""Every tab of every battle kind on every shipped example: it is answered, and begins with a sentence."""

import asyncio
import math
import re
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest

from simulator import replay
from simulator.analysis.odds.warm import warm
from simulator.web import catalogue
from simulator.web.links import query
from simulator.web.messages import LARGE, Limits
from simulator.web.server.app import create_app
from simulator.web.server.pool import WorkerPool
from simulator.web.server.schedule import Ticket
from simulator.web.views.dispatch import replies
from simulator.web.views.tools import TOOLS
from tests.sentences import faults

# Page address and name of each example; a kind of a game file without one has its smallest battle.
EXAMPLES = [(one["address"], one["name"]) for kind in catalogue.games() for one in kind["examples"]]
# Tabs that are on no page of these kinds: they could only refuse.
NOT_OFFERED = {
    "risk/amphibious": "counter",
    "risk/invasion": "counter",
    "europa/pirate-hunt": "rounds best",
    "europa/revolt": "rounds best",
    "europa/naval": "rounds",
    "birthright/siege": "rounds",
    "kings-and-things/free-for-all": "best",
    "price-of-power/npr-defence": "rounds best counter luck",
    "europa/continuation": "luck",
    "axis-and-allies-1940/raid": "luck",
    "axis-and-allies-1940/raid-on-a-base": "luck",
    "axis-and-allies-1942/raid": "luck",
}


@contextmanager
def room_for(memory):
    """Let the work inside take so many bytes more, where the system can tell how many there are (Linux).

    Unlike a worker, this process has reserved far more than is resident, so what is reserved counts.
    """
    sizes = Path("/proc/self/statm")
    if not sizes.exists():
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    reserved = int(sizes.read_text(encoding="ascii").split()[5]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (reserved + memory, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


class Here(WorkerPool):
    """A pool whose worker is this process: what the other tests of an example need is found, and kept, once for all."""

    def submit(self, job, client="", most=math.inf):
        """The replies to a request, made at once within the limits of a worker."""
        ticket = Ticket(job, client, asyncio.get_running_loop())
        with room_for(self.limits.memory):
            for reply in replies(job, self.limits):
                ticket.put(reply.sealed())
        return ticket


# A fifth of the seconds of the page; a request past them is asked again with 25 times as many. Tables that end with
# their seconds take a fifth of the time, and are answers all the same. A busy machine takes up to three times as much
# processor time for the same work.
APPS = [create_app(Here(1, 8, Limits(seconds=times * Limits.seconds))) for times in (0.2, 5)]


def get(address):
    """The reply of the application to a request, in the main thread, whose work alone can be limited."""

    async def asked(app):
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://testserver") as client:
            return await client.get(address)

    reply = asyncio.run(asked(APPS[0]))
    if reply.status_code == 422 and LARGE in reply.text:
        reply = asyncio.run(asked(APPS[1]))
    return reply


def answer_of(text):
    """The sentence with which a page or a tool answers."""
    found = re.search(r'<p class="(?:sentence|verdict)">(.*?)</p>', text, re.S)
    return unescape(re.sub("<[^>]+>", "", found[1])) if found else ""


def tabs_on(page):
    """The names of the tabs on a page, the second table included, and the addresses that they ask."""
    found = re.findall(r'<a href="([^"]+)" data-tool="(\w+)" id="t-', page)
    found += re.findall(r'<a href="([^"]+/(counter)\?[^"]*)">Ask it</a>', page)
    return {name: unescape(address) for address, name in found if name != "outcome"}


@pytest.mark.parametrize(("address", "name"), EXAMPLES, ids=[name or address for address, name in EXAMPLES])
def test_every_tab_answers_with_a_sentence(address, name):
    if name:
        warm(name)  # the page's server begins with all kernels, too
    page = get(address)
    assert page.status_code == 200
    assert faults(answer_of(page.text)) == []
    tabs = tabs_on(page.text)
    missing = set(NOT_OFFERED.get(urlsplit(address).path.strip("/"), "").split())
    assert {"replay", "luck"} - missing <= set(tabs) <= set(TOOLS) - missing
    for tool, link in tabs.items():
        pairs = [("with.part", "1")]
        if tool == "luck":
            pairs.append(("with.battles", replay(name).outcome.get("winner", "nobody") if name else "attacker"))
        place = urlsplit(link)
        reply = get(f"{place.path}?{query([*parse_qsl(place.query, keep_blank_values=True), *pairs])}")
        assert reply.status_code == 200, (tool, reply.text)
        assert faults(answer_of(reply.text)) == [], tool


@pytest.mark.parametrize("target", ["", "&with.target=80+%25", "&with.target=7"])
def test_how_many_of_a_kind_that_asks_for_a_number(target):
    """The page asked for 80 % of a chance: any bomber was enough for .8 points."""
    address = next(address for address, name in EXAMPLES if name == "axis-raid").replace("?", "/need?")
    page = get(f"{address}&with.part=1&with.path1=attacker.bomber{target}").text
    assert answer_of(page).startswith("4 bombers are enough: the mean of the attacker's points is 7.")
    assert 'name="with.target" value="7"' in page
    assert '<option value="">mean of attacker points</option>' in page
