"""Every tab of every battle kind on every shipped example: it is answered, and begins with a sentence."""

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from starlette.testclient import TestClient

from simulator import replay
from simulator.analysis.odds.warm import warm
from simulator.web import catalogue
from simulator.web.links import query
from simulator.web.messages import LARGE, Limits
from simulator.web.server.app import create_app
from simulator.web.server.pool import WorkerPool
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


class Pages:
    """The pages over one worker with half the seconds of the page; a request past them is asked again with ten times.

    Tables that end with their seconds take half the time, and are answers all the same. A busy machine takes up to
    three times as much processor time for the same work, and a worker without kernels tries plain Python for some
    seconds before it compiles. The second worker starts when it is first needed.
    """

    def __init__(self):
        self.pools = []
        self.clients = [self.client(0.5)]

    def client(self, times):
        limits = Limits(seconds=times * Limits.seconds, wait=300.0, queue=300.0, reply=300.0)
        self.pools.append(WorkerPool(1, 8, limits))
        self.pools[-1].start(kernels=False)
        return TestClient(create_app(self.pools[-1]), follow_redirects=False)

    def get(self, address):
        reply = self.clients[0].get(address)
        if reply.status_code == 422 and LARGE in reply.text:
            if len(self.clients) == 1:
                self.clients.append(self.client(5))
            reply = self.clients[1].get(address)
        return reply


@pytest.fixture(scope="module")
def patient():
    pages = Pages()
    yield pages
    for pool in pages.pools:
        pool.close()


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
def test_every_tab_answers_with_a_sentence(patient, address, name):
    if name:
        warm(name)  # the page's server begins with all kernels, too
    page = patient.get(address)
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
        reply = patient.get(f"{place.path}?{query([*parse_qsl(place.query, keep_blank_values=True), *pairs])}")
        assert reply.status_code == 200, (tool, reply.text)
        assert faults(answer_of(reply.text)) == [], tool
