"""A Discord bot: `!odds risk land 20 v 15` is answered with a sentence, a link and a picture.

Run it with `python -m pip install discord.py` and `DISCORD_TOKEN=... python discord_bot.py`.
"""

import json
import os
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

SERVER = os.environ.get("BATTLE_ODDS", "http://localhost:8000")
HELP = "Write `!odds GAME KIND ARMIES`, for example `!odds risk land 20 v 15`."


def answered(text: str) -> str:
    """The reply to a message: the answer and its link, whose picture Discord shows, or what is wrong."""
    game, _, rest = text.removeprefix("!odds").strip().partition(" ")
    kind, _, armies = rest.strip().partition(" ")
    if not armies.strip():
        return HELP
    query = urlencode({"game": game, "battle": kind, "text": armies.strip(), "with.table": 0})
    try:
        with urlopen(f"{SERVER}/api/v1/odds?{query}", timeout=30) as reply:
            answer = json.load(reply)
    except HTTPError as error:
        return json.load(error)["error"]
    return f"{answer['text']} ({answer['how']})\n{answer['url']}"


def main(discord) -> None:
    """Answer messages until the bot is stopped."""
    intents = discord.Intents.default()
    intents.message_content = True
    client = discord.Client(intents=intents)

    @client.event
    async def on_message(message):
        if message.author != client.user and message.content.startswith("!odds"):
            await message.channel.send(answered(message.content))

    client.run(os.environ["DISCORD_TOKEN"])


if __name__ == "__main__":
    import discord

    main(discord)
