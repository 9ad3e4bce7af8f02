"""Figures of the running server in the text format of Prometheus (version 0.0.4); nothing of a scenario is in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

TYPE = "text/plain; version=0.0.4; charset=utf-8"
# Upper bounds of the buckets of the seconds until a reply has been sent.
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counts of the requests since the start: replies by route and status, and the seconds that they took."""

    def __init__(self) -> None:
        self._replies: Counter[tuple[str, str, int]] = Counter()
        self._within: Counter[float] = Counter()
        self._seconds = 0.0

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one reply."""
        self._replies[method, route, status] += 1
        self._seconds += seconds
        self._within.update(bound for bound in BOUNDS if seconds <= bound)

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """All figures; `gauges` are those of this moment: name -> what it is, value."""
        counted = [
            (f'{{method="{_escaped(method)}",route="{_escaped(route)}",status="{status}"}}', count)
            for (method, route, status), count in sorted(self._replies.items())
        ]
        total = self._replies.total()
        buckets = [(f'_bucket{{le="{bound:g}"}}', self._within[bound]) for bound in BOUNDS]
        timed = [*buckets, ('_bucket{le="+Inf"}', total), ("_sum", self._seconds), ("_count", total)]
        lines = [*_family("replies_total", "counter", "Replies by method, route and status.", counted)]
        lines += _family("reply_seconds", "histogram", "Seconds until a reply has been sent.", timed)
        for name, (about, value) in gauges.items():
            lines += _family(name, "gauge", about, [("", value)])
        return "\n".join(lines) + "\n"


def _family(name: str, kind: str, about: str, samples: Iterable[tuple[str, float]]) -> list[str]:
    """The lines of one metric; a sample is what follows the name, and its value."""
    full = f"battle_odds_{name}"
    lines = [f"# HELP {full} {about}", f"# TYPE {full} {kind}"]
    return [*lines, *(f"{full}{suffix} {value:.10g}" for suffix, value in samples)]


def _escaped(text: str) -> str:
    """The value of a label."""
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
