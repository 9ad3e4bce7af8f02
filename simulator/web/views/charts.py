"""Charts as numbers for SVG: the coordinates of a line or a heat map."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from simulator.analysis.history.battle_log import is_loss
from simulator.analysis.odds.measure import is_chance
from simulator.analysis.odds.odds import Odds
from simulator.analysis.studies.swept import Sweep

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 320, 62, 12, 12, 44
INNER_WIDTH, INNER_HEIGHT = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
TICKS = 6
MOST_DOTS = 60
# From the defender's blue over almost white to the attacker's red, as in the plots of the command line.
COLOURS = ((31, 98, 181), (247, 247, 247), (194, 54, 43))
NEUTRAL = ((247, 247, 247), (84, 39, 143))


def chart(sweep: Sweep, now: Sequence[Any] = (), measure: str = "") -> dict[str, Any] | None:
    """A line with its band for one field, a heat map for two; None where there is nothing to draw.

    `now`: the values of the present battle, which the map marks; `measure`: what the attacker of its kind wants.
    """
    if len(sweep.paths) == 2:
        return heat_map(sweep, now, measure)
    return line(sweep) if len(sweep.paths) == 1 and len(sweep.cells) > 1 else None


def _scale(low: float, high: float, start: float, length: float) -> Callable[[float], float]:
    """The coordinate of a number between `low` and `high` on an axis."""
    return lambda number: start + (number - low) / ((high - low) or 1) * length


def line(sweep: Sweep) -> dict[str, Any] | None:
    """The points of a line and the outline of its band."""
    cells = [cell for cell in sweep.cells if not cell.refused]
    if not cells:
        return None
    settings = [cell.settings[0] for cell in cells]
    numeric = all(isinstance(one, int | float) and not isinstance(one, bool) for one in settings)
    xs: Sequence[float] = settings if numeric else range(len(cells))
    values = [cell.value for cell in cells]
    low, high = (0.0, 1.0) if is_chance(sweep.value) else (min(0.0, *values), max(values) * 1.05 or 1.0)
    x_of = _scale(min(xs), max(xs), LEFT, INNER_WIDTH)
    y_of = _scale(low, high, HEIGHT - BOTTOM, -INNER_HEIGHT)
    bounds = [
        (x_of(x), y_of(cell.low), y_of(cell.high)) for x, cell in zip(xs, cells, strict=True) if cell.low == cell.low
    ]
    has_width = any(lower != upper for _, lower, upper in bounds)
    band = [(x, upper) for x, _, upper in bounds] + [(x, lower) for x, lower, _ in reversed(bounds)]
    points = [(x_of(x), y_of(value)) for x, value in zip(xs, values, strict=True)]
    return {
        "kind": "line",
        "points": points,
        "band": band if has_width else [],
        "dots": list(zip(points, settings, values, strict=True)) if len(points) <= MOST_DOTS else [],
        "across": [(points[place][0], settings[place]) for place in _marked(len(xs))],
        "up": [(y_of(height), height) for height in np.linspace(low, high, TICKS).tolist()],
    }


def _marked(length: int) -> list[int]:
    """The places of an axis of this length that are written under it."""
    return sorted({round(place * (length - 1) / (TICKS - 1)) for place in range(TICKS)})


def heat_map(sweep: Sweep, now: Sequence[Any] = (), measure: str = "") -> dict[str, Any]:
    """The squares of a heat map: the second field across, the first up."""
    grid = sweep.grid()
    rows, columns = grid.shape
    known = grid[~np.isnan(grid)]
    chance = is_chance(sweep.value) or not known.size
    low, high = (0.0, 1.0) if chance else (float(known.min()), float(known.max()))
    colour = colours_of("p_attacker" if sweep.value == measure else sweep.value)
    share_of = _scale(low, high, 0.0, 1.0)
    width, height = INNER_WIDTH / columns, INNER_HEIGHT / rows
    x_of, y_of = _scale(0, columns, LEFT, INNER_WIDTH), _scale(-1, rows - 1, TOP + INNER_HEIGHT, -INNER_HEIGHT)
    squares = []
    for i, j in np.argwhere(~np.isnan(grid)).tolist():
        at, value = [sweep.values[0][i], sweep.values[1][j]], float(grid[i, j])
        square = {"x": x_of(j), "y": y_of(i), "fill": colour(share_of(value)), "value": value}
        squares.append(square | {"settings": f"{at[0]}, {at[1]}", "at": at, "here": at == list(now)})
    return {
        "kind": "heat",
        "squares": squares,
        "width": width,
        "height": height,
        "low": low,
        "high": high,
        "legend": [colour(place / 10) for place in range(11)],
        "numbers": width >= 22 and height >= 13,
        "across": [(x_of(j + 0.5), sweep.values[1][j]) for j in range(0, columns, -(-columns // 16))],
        "up": [(y_of(i - 0.5) + 4, sweep.values[0][i]) for i in range(0, rows, -(-rows // 12))],
    }


# --- what it costs, and how it goes round by round ------------------------------------------------------------------

COSTS_WIDTH, COSTS_HEIGHT, MOST_COLUMNS = 300, 126, 10
# The beginnings of the columns of each side's forces.
FORCES = (("attacker", ("attacker",)), ("defender", ("defender", "garrison")))
FROM_BELOW = ("attacker", "r2", "r3", "going", "nobody", "defender")


def costs(odds: Odds) -> list[dict[str, Any]]:
    """The losses of each side, or the units left where no loss is counted: at most ten columns of chances a side.

    Thirds of a detachment share the column of the whole ones.
    """
    numbers = [name for name in odds.summary_columns if odds.kinds[name] == "number"]
    found = []
    for kind, sides in FORCES:
        own = [name for name in numbers if name.startswith(sides)]
        named = [f"{kind}_{one}" for one in odds.battle.forces.lost]
        lost = [name for name in own if name in named or is_loss(name)]
        if column := next(iter([*lost, *(name for name in own if "_left" in name)]), ""):
            found.append({"column": column, "kind": kind, "mean": odds.mean(column)} | _columns(odds, column))
    return found


def _columns(odds: Odds, column: str) -> dict[str, Any]:
    """The columns of a distribution: where each stands, how high it is, what is written under and above it."""
    unit, spread = _unit(column), odds.spread_of(column)
    values = spread.values / unit
    low, high = math.floor(values[0]), float(values[-1])
    step = max(1, -int(-(high - low + 1) // MOST_COLUMNS))
    places = ((values - low) // step).astype(int)
    sums = np.bincount(places, spread.p).tolist()
    width, highest, columns = COSTS_WIDTH / len(sums), max(sums), []
    for place, p in enumerate(sums):
        first = low + place * step
        name = f"{first}" if step == 1 else f"{first}+"
        height = (COSTS_HEIGHT - 18) * p / highest
        columns.append({"x": place * width, "p": p, "height": height, "name": name, "width": width})
    return {"columns": columns, "unit": unit}


def course(rounds: Sequence[Sequence[tuple[str, str, float]]]) -> list[dict[str, Any]]:
    """A column for each round of parts: words, side and chance.

    From below: what the attacker wanted, what goes on, what neither wanted, what the defender wanted.
    """
    width = 600 / max(1, len(rounds))
    found = []
    for place, parts in enumerate(rounds):
        below, pieces = 0.0, []
        for words, kind, p in sorted(parts, key=lambda one: FROM_BELOW.index(one[1])):
            below += p
            y = 190 * (1 - below)
            pieces.append({"words": words, "kind": kind, "p": p, "y": y, "height": 190 * p})
        found.append({"x": place * width, "width": width, "pieces": pieces, "round": place + 1})
    return found


def left(rows: Sequence[Mapping[str, Any]], odds: Odds) -> dict[str, Any] | None:
    """A line for each side: what it has left on average after each round; None where the game counts neither.

    `rows` are those of the rounds, from round 0; `odds` are those after one of them.
    """
    found = []
    for kind, sides in FORCES:
        named = [f"{kind}_{one}" for one in odds.battle.forces.left]
        own = [name for name in odds.summary_columns if name.startswith(sides) and "_left" in name]
        if column := next((name for name in (*named, *own) if f"mean.{name}" in rows[0]), ""):
            found.append((kind, column, [row[f"mean.{column}"] / _unit(column) for row in rows]))
    if not found or len(rows) < 2:
        return None
    high = max(max(values) for _, _, values in found) * 1.05 or 1.0
    x_of, y_of = _scale(0, len(rows) - 1, LEFT, INNER_WIDTH), _scale(0, high, HEIGHT - BOTTOM, -INNER_HEIGHT)
    lines = [
        {"kind": kind, "column": column, "points": [(x_of(n), y_of(value), value) for n, value in enumerate(values)]}
        for kind, column, values in found
    ]
    across = [(x_of(place), rows[place]["round"]) for place in _marked(len(rows))]
    return {"lines": lines, "across": across, "up": [(y_of(one), one) for one in np.linspace(0, high, TICKS).tolist()]}


def _unit(column: str) -> int:
    """The number of a column that is one piece: thirds of a detachment share the place of a whole one."""
    return 3 if column.endswith("_thirds") else 1


def colours_of(value: str) -> Callable[[float], str]:
    """The colour of a share: red is the attacker's, blue the defender's, purple that of no side."""
    points = {"p_attacker": COLOURS, "p_defender": COLOURS[::-1]}.get(value, NEUTRAL)

    def colour(share: float) -> str:
        parts = (np.interp(share, np.linspace(0, 1, len(points)), channel) for channel in zip(*points, strict=True))
        return "#" + "".join(f"{round(part):02x}" for part in parts)

    return colour


def ink(background: str) -> str:
    """Black or white, whichever has more contrast to a colour (WCAG's relative luminance)."""
    parts = (int(background[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000" if (light + 0.05) ** 2 > 1.05 * 0.05 else "#fff"
