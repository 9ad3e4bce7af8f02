"""Output that a terminal or file cannot encode is written in ASCII instead: "#" for a bar, "x" for "×"."""

from __future__ import annotations

import codecs
import os
import sys
import unicodedata
from io import TextIOWrapper

NAME = "battle-odds-plain"
# Halves of a bar and more are drawn as a whole one. Frames of tables are ASCII by themselves (rich).
SIGNS = {
    **dict.fromkeys("█▉▊▋▌", "#"),
    **dict.fromkeys("▍▎▏", "."),
    **dict.fromkeys("─━−–—", "-"),
    "±": "+-",
    "×": "x",
    "…": "...",
}


def fall_back_to_ascii() -> None:
    """Have standard output and error write in ASCII whatever their encoding lacks; output to a closed one is lost."""
    codecs.register_error(NAME, _in_ascii)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - as long as the process
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=NAME)


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that cannot be encoded by an ASCII sign, the letter without accents, or "?"."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_plain, error.object[error.start : error.end])), error.end


def _plain(character: str) -> str:
    bare = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return SIGNS.get(character) or bare or "?"
