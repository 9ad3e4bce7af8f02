"""The form of the editor as it is sent: the text of a game file, and the test battle."""

from __future__ import annotations

import re
from dataclasses import dataclass

from simulator.web.links import Pairs
from simulator.web.messages import Job

# The field of the text; all others belong to the test battle, or say which tab is open.
TEXT = "game"
_NAME = re.compile(r'form-data; name="([^"]*)"')


@dataclass(frozen=True)
class Posted:
    """The text, None if nothing was sent, and the other fields of the form as pairs."""

    text: str | None
    pairs: Pairs

    def last(self, name: str, default: str = "") -> str:
        """The last value of a field."""
        return dict(self.pairs).get(name, default)


def posted(job: Job) -> Posted:
    """The fields of a form in parts (multipart), of one that is sent as text, or a text alone."""
    if not job.body:
        return Posted(None, [])
    mark, _, rest = job.body.partition("\r\n")
    if not (mark.startswith("--") and rest.startswith("Content-Disposition:")):
        text = job.body.removeprefix("scenario=" if job.view == "open" else f"{TEXT}=").removesuffix("\r\n")
        return Posted(_lines(text), [])
    texts, pairs = [], []
    for part in rest.split(f"\r\n{mark}"):
        head, _, value = part.partition("\r\n\r\n")
        named = _NAME.search(head)
        if named and named[1] in {TEXT, "scenario"}:
            texts.append(_lines(value.removeprefix("\ufeff")))
        elif named:
            pairs.append((named[1], value.strip()))
    return Posted(texts[0] if texts else None, pairs)


def _lines(text: str) -> str:
    """The text with the line ends of a file; browsers send others."""
    return text.replace("\r\n", "\n")
