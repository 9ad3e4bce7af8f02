"""The example bots of the docs against fakes of Discord and of Tabletop Simulator, and a real server."""

import asyncio
import json
import os
import runpy
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
SENTENCE = "The attacker takes the territory in 86.04 % and loses"


class FakeDiscord:
    """The part of discord.py that the bot uses: it gives one message, and keeps those that are sent."""

    def __init__(self, text, own=False):
        self.sent, self.text, self.own = [], text, own
        self.Intents = SimpleNamespace(default=lambda: SimpleNamespace(message_content=False))

    def Client(self, intents):
        assert intents.message_content
        self.user, self.handler = object(), None
        return self

    def event(self, handler):
        self.handler = handler

    async def send(self, text):
        self.sent.append(text)

    def run(self, token):
        assert token == "secret"
        author = self.user if self.own else object()
        message = SimpleNamespace(author=author, content=self.text, channel=self)
        with ThreadPoolExecutor() as pool:  # the thread of the tests has a loop of its own where a browser was driven
            pool.submit(asyncio.run, self.handler(message)).result()


def replies(monkeypatch, server, text, own=False):
    """The messages that the bot sends after one message."""
    monkeypatch.setitem(os.environ, "BATTLE_ODDS", server)
    monkeypatch.setitem(os.environ, "DISCORD_TOKEN", "secret")
    fake = FakeDiscord(text, own)
    runpy.run_path(str(EXAMPLES / "discord_bot.py"))["main"](fake)
    return fake.sent


def test_the_discord_bot_answers(monkeypatch, server):
    [reply] = replies(monkeypatch, server, "!odds risk land 20 v 15")
    assert reply.startswith(SENTENCE)
    assert reply.endswith(f"{server}/risk/land?attacker.regiments=20&defender.regiments=15&v=1")


def test_the_discord_bot_says_what_is_wrong_and_hears_nothing_else(monkeypatch, server):
    [reply] = replies(monkeypatch, server, "!odds risk land 20 knights v 15")
    assert "knights" in reply
    assert replies(monkeypatch, server, "!odds risk")[0].startswith("Write `!odds GAME KIND ARMIES`")
    assert replies(monkeypatch, server, "hello") == []
    assert replies(monkeypatch, server, "!odds risk land 20 v 15", own=True) == []


@pytest.fixture
def table(server):
    """The script in Lua with what Tabletop Simulator gives it; `said` holds the lines of the chat."""
    lupa = pytest.importorskip("lupa", reason="lupa is not installed: pip install '.[test]'")
    lua, said = lupa.LuaRuntime(), []

    def get(address, done):
        try:
            with urlopen(address) as reply:
                text = reply.read().decode()
        except HTTPError as error:
            text = error.read().decode()
        done(lua.table_from({"is_error": False, "text": text}))

    lua.globals().printToAll = said.append
    lua.globals().printToColor = lambda text, color: said.append(f"{color}: {text}")
    lua.globals().WebRequest = lua.table_from({"get": get})
    lua.globals().JSON = lua.table_from(
        {"decode": lambda text: lua.table_from({k: v for k, v in json.loads(text).items() if isinstance(v, str)})}
    )
    lua.execute((EXAMPLES / "tabletop_simulator.lua").read_text("utf-8"))
    lua.globals().SERVER = server
    chat = lua.globals().onChat
    return (lambda text: chat(text, lua.table_from({"color": "Red"}))), said


def test_the_table_answers_in_the_chat(table):
    chat, said = table
    assert chat("!odds risk land 20 v 15") is False  # the message itself is not shown
    assert said[0].startswith(SENTENCE)
    chat("!odds risk land 20 knights v 15")
    assert "knights" in said[1]
    chat("!odds risk")
    assert said[2].startswith("Red: Write !odds GAME KIND ARMIES")
    assert chat("hello") is True
    assert len(said) == 3
