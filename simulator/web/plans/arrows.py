"""A plan drawn as lines from places to targets and holds; what leaves no place for a text keeps its line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.analysis.plan import words

# The height of a card, the width of the drawing, and of a letter and the height of a text on a line, in pixels.
CARD, ACROSS, LETTER, LINE = 150, 250, 6.4, 26
# The parts of the way at which a text may stand, the middle first, and the pixels that it needs for itself.
STOPS = (0.5, 0.36, 0.64, 0.25, 0.75)
THINNEST, THICKEST = 2.0, 9.0


def arrows(places: list[str], fronts: list[tuple[str, bool]], orders: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The lines of a plan: ends and the middle of the text in per cent of the drawing, width in pixels, the words.

    `places` and `fronts` (name, is it a hold) are drawn from above at equal distances.
    """
    most = max((sum(sent.values()) for places_ in orders.values() for sent in places_.values()), default=1)
    height = CARD * max(len(places), len(fronts))
    found: list[dict[str, Any]] = []
    for at, (front, hold) in enumerate(fronts):
        end = 100 * (at + 0.5) / len(fronts)
        for place, sent in orders.get(front, {}).items():
            begin = 100 * (places.index(place) + 0.5) / len(places)
            said = " · ".join(words.pieces_in_words(sent))
            width = LETTER * len(said) + 16
            x, y = _free(begin, end, width, height, found)
            share = sum(sent.values()) / most
            found.append({
                "from": place, "to": front, "begin": begin, "end": end, "hold": hold, "words": said,
                "x": x, "y": y, "width": width, "thick": THINNEST + (THICKEST - THINNEST) * share,
            })  # fmt: skip
    return found


def _free(begin: float, end: float, width: float, height: float, others: list[dict[str, Any]]) -> tuple[float, float]:
    """The first stop at which a text covers no other, else the one that is farthest from all of them; in per cent."""

    def room(stop: float) -> float:
        x, y = _at(begin, end, stop)
        gaps = [
            max(abs(x - one["x"]) / 100 * ACROSS - (width + one["width"]) / 2, abs(y - one["y"]) / 100 * height - LINE)
            for one in others
        ]
        return min(gaps, default=0.0)

    best = next((stop for stop in STOPS if room(stop) >= 0), None)
    return _at(begin, end, max(STOPS, key=room) if best is None else best)


def _at(begin: float, end: float, stop: float) -> tuple[float, float]:
    return 100 * stop, begin + (end - begin) * stop
