"""Pictures as numbers for SVG: where the pieces of a line or a heat map stand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simulator.analysis.odds.measure import in_words, is_chance
from simulator.analysis.studies.sweep import Sweep
from simulator.report.words import path_in_words, percent

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BELOW = 640, 320, 62, 12, 12, 44
TICKS = 6
# Light to dark, like the picture of the command line; nothing is told by hue alone.
COLD, WARM = (247, 247, 247), (178, 55, 34)
DEEP = (31, 78, 121)


def told(value: float, chance: bool) -> str:
    """A number of a picture in words."""
    return percent(value, 1) if chance else f"{value:.4g}"


def picture(swept: Sweep) -> Mapping[str, Any] | None:
    """A line with its band for one field of numbers, a heat map for two; None where there is nothing to draw."""
    if len(swept.paths) == 2:
        return heat_map(swept)
    return line(swept) if len(swept.paths) == 1 and len(swept.cells) > 1 else None


def line(swept: Sweep) -> Mapping[str, Any] | None:
    """The points of a line and the outline of its band."""
    cells = [cell for cell in swept.cells if not cell.refused]
    if not cells:
        return None
    chance = is_chance(swept.value)
    xs = [cell.settings[0] for cell in cells]
    if not all(isinstance(x, int | float) and not isinstance(x, bool) for x in xs):
        xs = list(range(len(cells)))
    values = [cell.value for cell in cells]
    low, high = (0.0, 1.0) if chance else (min(0.0, *values), max(values) * 1.05 or 1.0)

    def at(x: float, y: float) -> str:
        across = (x - min(xs)) / ((max(xs) - min(xs)) or 1)
        up = (y - low) / ((high - low) or 1)
        return f"{LEFT + across * (WIDTH - LEFT - RIGHT):.1f},{HEIGHT - BELOW - up * (HEIGHT - TOP - BELOW):.1f}"

    sure = [(x, cell) for x, cell in zip(xs, cells, strict=True) if not math.isnan(cell.low)]
    band = [at(x, cell.high) for x, cell in sure] + [at(x, cell.low) for x, cell in reversed(sure)]
    points = [at(x, value) for x, value in zip(xs, values, strict=True)]
    dots = [
        {"x": one.split(",")[0], "y": one.split(",")[1], "title": f"{cell.settings[0]}: {told(cell.value, chance)}"}
        for one, cell in zip(points, cells, strict=True)
    ]
    ticks = sorted({round(place * (len(xs) - 1) / (TICKS - 1)) for place in range(TICKS)})
    heights = [low + (high - low) * step / 5 for step in range(6)]
    return {
        "kind": "line",
        "points": " ".join(points),
        "band": " ".join(band) if any(cell.high > cell.low for _, cell in sure) else "",
        "dots": dots if len(dots) <= 60 else [],
        "across": [{"x": points[i].split(",")[0], "text": str(cells[i].settings[0])} for i in ticks],
        "up": [
            {"y": at(xs[0], y).split(",")[1], "text": f"{100 * y:.0f} %" if chance else f"{y:.3g}"} for y in heights
        ],
        "x_label": path_in_words(swept.paths[0]),
        "y_label": in_words(swept.value),
    }


def heat_map(swept: Sweep) -> Mapping[str, Any]:
    """The squares of a heat map: the second field across, the first up."""
    grid, chance = swept.grid(), is_chance(swept.value)
    rows, columns = grid.shape
    known = grid[~np.isnan(grid)]
    low, high = (0.0, 1.0) if chance or not len(known) else (float(known.min()), float(known.max()))
    width, height = (WIDTH - LEFT - RIGHT) / columns, (HEIGHT - TOP - BELOW) / rows
    squares = []
    for i in range(rows):
        for j in range(columns):
            value = float(grid[i, j])
            if math.isnan(value):
                continue
            share = (value - low) / ((high - low) or 1)
            settings = f"{swept.values[0][i]}, {swept.values[1][j]}"
            squares.append(
                {
                    "x": f"{LEFT + j * width:.2f}",
                    "y": f"{TOP + (rows - 1 - i) * height:.2f}",
                    "fill": colour(share),
                    "ink": ink(colour(share)),
                    "title": f"{settings}: {told(value, chance)}",
                    "text": f"{100 * value:.0f}" if chance else f"{value:.3g}",
                }
            )
    every_row, every_column = -(-rows // 12), -(-columns // 16)
    return {
        "kind": "heat",
        "squares": squares,
        "width": f"{width:.2f}",
        "height": f"{height:.2f}",
        "half": (f"{width / 2:.2f}", f"{height / 2 + 4:.2f}"),
        "written": width >= 22 and height >= 13,
        "across": [
            {"x": f"{LEFT + (j + 0.5) * width:.1f}", "text": str(swept.values[1][j])}
            for j in range(0, columns, every_column)
        ],
        "up": [
            {"y": f"{TOP + (rows - 0.5 - i) * height + 4:.1f}", "text": str(swept.values[0][i])}
            for i in range(0, rows, every_row)
        ],
        "x_label": path_in_words(swept.paths[1]),
        "y_label": path_in_words(swept.paths[0]),
    }


def colour(share: float) -> str:
    """From deep blue over almost white to deep red, darker towards both ends."""
    ends, part = ((DEEP, COLD), 2 * share) if share < 0.5 else ((COLD, WARM), 2 * share - 1)
    mixed = (round(a + (b - a) * part) for a, b in zip(*ends, strict=True))
    return "#" + "".join(f"{one:02x}" for one in mixed)


def ink(paper: str) -> str:
    """Black or white, whichever is read more easily on a colour (WCAG's relative luminance)."""
    parts = (int(paper[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000" if (light + 0.05) ** 2 > 1.05 * 0.05 else "#fff"
