"""The card of an answer: the picture that a link shows where it is shared, 1200 x 630 pixels."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from simulator.analysis.odds.odds import Odds
from simulator.report.answer_words import unit_columns
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.words import number_of, percent, words
from simulator.web import catalogue, counter_attack
from simulator.web.messages import Job, Limits, Reply
from simulator.web.views.answers import context, odds_in_time
from simulator.web.views.request import BattleRequest

WIDTH, HEIGHT, LEFT = 1200, 630, 60
RIGHT = WIDTH - LEFT
RED, BLUE, GREY, INK, SOFT, GREEN = "#c2362b", "#1f62b5", "#8b93a0", "#14181f", "#566070", "#17713f"
# The colours of results that belong to no side, as on the page.
RESULTS = ("#54278f", "#0f766e", "#9a6700", "#a3326e", "#4d7c2a", "#56606b")
COLOURS = {"attacker": RED, "defender": BLUE, "nobody": GREY, "going": GREY}
SENTENCE, LEAST_SENTENCE, MOST_LINES = 46, 26, 2
BAR_TOP, BAR_HEIGHT = 380, 100
MOST_UNITS = 4


def card(job: Job, limits: Limits) -> Reply:
    """The card of the answer to a scenario, as PNG."""
    request, picture = BattleRequest(job, limits), Picture()
    if counter_attack.is_asked(request):
        return _second(request, picture)
    odds, scenario, _ = odds_in_time(request.draft, limits)
    picture.heading(catalogue.short_name(request.battle), words(request.battle.kind))
    answer = context(odds, scenario)
    picture.sentence(answer["sentence"])
    other = [one for one in answer["said"][1:] if one["kind"] == "defender"][-1:]
    number = answer["number"]
    named = [(f"{number['label']}{' on average' if number['span'] else ''}", number["value"])] if number else []
    picture.numbers([(one["words"], percent(one["p"], 1)) for one in answer["said"][:1] + other] or named)
    picture.bar(answer["blocks"])
    picture.armies([army(request, odds, side) for side in SIDES])
    counted = any(one["better"] for one in answer["blocks"])
    picture.footer(
        odds.how(), odds.battles is None, "each block: who is left, as wide as it is likely" if counted else ""
    )
    return Reply(picture.png(), type="image/png")


def _second(request: BattleRequest, picture: Picture) -> Reply:
    """The card of a battle and its counter-attack."""
    found = counter_attack.answer(request)
    picture.heading(catalogue.short_name(request.battle), f"{words(request.battle.kind)}, counter-attack")
    picture.sentence(found["sentence"])
    shown = (("taken and still held", found["held"]), ("taken back", found["lost"]))
    picture.numbers([(words, percent(p, 1)) for words, p in shown])
    picture.bar(found["blocks"])
    picture.armies(found["joining"])
    picture.footer(found["how"], found["exact"], "each block: who is left after the second battle")
    return Reply(picture.png(), type="image/png")


def army(request: BattleRequest, odds: Odds, side: str) -> str:
    """The units of a side in words, or its total; an empty text where the game has neither."""
    given, total = request.data.get(side), request.battle.total
    units = [unit for whose, unit in unit_columns(odds).values() if whose == side]
    counts = {unit: given.get(unit) for unit in units} if isinstance(given, Mapping) else {}
    named = [number_of(n, unit.replace("_", " ")) for unit, n in counts.items() if isinstance(n, int) and n]
    if 0 < len(named) <= MOST_UNITS:
        return ", ".join(named)
    return next(iter(total(request.data, side)), "") if total else ""


class Picture:
    """A card that is being drawn: places in pixels from the top left corner."""

    def __init__(self) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self.figure = Figure(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100, facecolor="white")
        self.canvas = FigureCanvasAgg(self.figure)
        self._box(0, 0, WIDTH, 10, RED)

    def heading(self, game: str, kind: str) -> None:
        """The name of the program, and of the game and the kind of battle."""
        self._box(LEFT, 46, 40, 40, INK, 10)
        for place in (13, 20, 27):
            self._box(LEFT + place - 3, 46 + place - 3, 6, 6, "white", 3)
        self._text(LEFT + 54, 66, "battle-odds", 26, bold=True)
        end = self._text(RIGHT, 66, kind, 26, SOFT, "right")
        self._text(RIGHT - end - 14, 66, game, 26, bold=True, align="right")

    def sentence(self, text: str) -> None:
        """The sentence of the answer, in two lines at most, as large as they allow."""
        for size in range(SENTENCE, LEAST_SENTENCE, -2):
            lines = self._broken(text, size)
            if len(lines) <= MOST_LINES:
                break
        first = text.partition(";")[0].rstrip(".")
        if len(lines) > MOST_LINES:
            size = LEAST_SENTENCE
            lines = self._broken(first, size)[:MOST_LINES]
        for place, line in enumerate(lines):
            self._text(LEFT, 172 + 1.2 * size * (place - (len(lines) - 1) / 2), line, size, bold=True)

    def numbers(self, chances: list[tuple[str, str]]) -> None:
        """The chance that was asked for, large at the left, and the other one at the right."""
        places = ((LEFT, "left", 80, RED), (RIGHT, "right", 54, BLUE))
        for (label, chance), (x, align, size, colour) in zip(chances, places, strict=False):
            self._text(x, 322 - 0.78 * size, label, 22, SOFT, align)
            self._text(x, 322, chance, size, colour, align, bold=True)

    def bar(self, blocks: list[dict[str, Any]]) -> None:
        """The bar of the answer; a text that does not fit into its block is left out."""
        for one in blocks:
            x, width = LEFT + (RIGHT - LEFT) * one["start"] / 100, (RIGHT - LEFT) * one["width"] / 100
            kind = one["kind"]
            fill = COLOURS.get(kind) or RESULTS[int(kind.removeprefix("r"))]
            self._box(x, BAR_TOP, max(width - 3, 1), BAR_HEIGHT, fill)
            lines = [line for _, line in one["rows"]]
            if (
                lines
                and max(self._width(line, 18, True) for line in lines) < width - 8
                and 22 * len(lines) < BAR_HEIGHT
            ):
                for place, line in enumerate(lines):
                    y = BAR_TOP + BAR_HEIGHT / 2 + 22 * (place - (len(lines) - 1) / 2)
                    self._text(x + width / 2 - 1, y, line, 18, "white", "center", bold=True)

    def armies(self, sides: list[str]) -> None:
        """Both armies in words."""
        for text, x, align, colour in zip(sides, (LEFT, RIGHT), ("left", "right"), (RED, BLUE), strict=False):
            self._text(x, BAR_TOP + BAR_HEIGHT + 34, text, 22, colour, align, bold=True)

    def footer(self, how: str, exact: bool, note: str) -> None:
        """The method of the numbers, and how to read the bar."""
        text = "✓ exact" if exact else f"≈ {how}"
        width = self._text(LEFT, HEIGHT - 38, text, 19, GREEN if exact else SOFT, bold=exact)
        if exact:
            self._text(LEFT + width + 22, HEIGHT - 38, note, 19, SOFT)

    def png(self) -> bytes:
        """The picture."""
        file = io.BytesIO()
        self.figure.savefig(file, format="png", dpi=100)
        return file.getvalue()

    def _text(
        self, x: float, y: float, text: str, size: float, colour: str = INK, align: str = "left", bold: bool = False
    ) -> float:
        """Write a text with its middle at a height; returns its width."""
        weight = "bold" if bold else "normal"
        self.figure.text(
            x / WIDTH, 1 - y / HEIGHT, text.replace("$", r"\$"), fontsize=0.72 * size, color=colour, ha=align,
            va="center_baseline", fontweight=weight, fontfamily="DejaVu Sans",
        )  # fmt: skip
        return self._width(text, size, bold)

    def _box(self, x: float, y: float, width: float, height: float, colour: str, corner: float = 0) -> None:
        from matplotlib.patches import FancyBboxPatch
        from matplotlib.transforms import IdentityTransform

        style = f"round,pad=0,rounding_size={corner}" if corner else "square,pad=0"
        box = FancyBboxPatch((x, HEIGHT - y - height), width, height, boxstyle=style, linewidth=0, facecolor=colour)
        box.set_transform(IdentityTransform())
        self.figure.add_artist(box)

    def _width(self, text: str, size: float, bold: bool) -> float:
        from matplotlib.font_manager import FontProperties

        font = FontProperties(family="DejaVu Sans", size=0.72 * size, weight="bold" if bold else "normal")
        renderer = self.canvas.get_renderer()  # type: ignore[no-untyped-call]
        return float(renderer.get_text_width_height_descent(text, font, False)[0])

    def _broken(self, text: str, size: float) -> list[str]:
        """A text in lines of the width of the card."""
        lines = [""]
        for word in text.replace(" %", "\u00a0%").split(" "):
            longer = f"{lines[-1]} {word}".strip()
            if self._width(longer, size, True) <= RIGHT - LEFT:
                lines[-1] = longer
            else:
                lines.append(word)
        return lines
