"""The templates and their filters. Everything is escaped; no text of a scenario is taken for HTML."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from simulator.analysis.odds.measure import in_words, is_chance
from simulator.analysis.words import capital
from simulator.report.survivor_bar import LEAST
from simulator.report.words import bound, label_of, path_in_words, value_of
from simulator.rules.battle import Battle
from simulator.rules.toolkit.words import percent, words
from simulator.web.catalogue import sentences
from simulator.web.static_files import address_of
from simulator.web.views.charts import ink


def number(value: float, chance: bool, decimals: int = 1) -> str:
    """A value that was asked for: a chance in per cent, or a number in its own unit."""
    return percent(value, decimals) if chance else f"{value:.4g}"


def short(value: float, chance: bool) -> str:
    """A value for a small space in a chart."""
    return f"{100 * value:.0f}" if chance else f"{value:.3g}"


def change(value: float, chance: bool) -> str:
    """A difference of two values, with its sign."""
    return (f"{100 * value:+.2f}" if chance else f"{value:+.4g}").replace("-", "−")


def chance_text(p: float, battles: int | None, decimals: int = 2) -> str:
    """The chance of a result; `battles` is the number of simulated battles, None if the chance is exact."""
    if p:
        return percent(p, decimals)
    return "never" if battles is None else f"not once: {bound(battles)}"


def interval(bounds: tuple[float, float] | None) -> str:
    """The bounds of a chance."""
    return f"{100 * bounds[0]:.2f} to {100 * bounds[1]:.2f} %" if bounds else ""


def mean(value: float, battle: Battle, column: str, decimals: int = 3) -> str:
    """A mean, in the unit of its column."""
    shown = battle.shown.get(column)
    return shown.value(value) if shown and shown.value else f"{value:.{decimals}f}"


def difference(row: Mapping[str, Any], chance: bool) -> str:
    """The difference of a comparison's row, and its confidence; an empty text where there is none."""
    if not row["difference"]:
        return ""
    confidence = row["confidence"]
    unsure = row["method"] != "exact" and confidence is not None and not math.isnan(confidence)
    return change(row["difference"], chance) + (f", {100 * confidence:.1f} % sure" if unsure else "")


def fixed(value: float, decimals: int = 3) -> str:
    """A number with this many decimals."""
    return f"{value:.{decimals}f}"


def signed(value: float) -> str:
    """A difference with two decimals and its sign."""
    return "0.00" if abs(value) < 0.005 else f"{value:+.2f}".replace("-", "−")


def shares(pieces: Iterable[Mapping[str, Any]]) -> str:
    """The chances of the pieces of a bar."""
    return ", ".join([percent(one["p"]) for one in pieces])


def coordinates(points: Iterable[tuple[float, float]]) -> str:
    """The points of an SVG line."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def says(choice: str, name: str) -> str:
    """The words on a choice of a policy, after its name; an empty text for other fields."""
    last = re.sub(r"\.\d+$", "", name).rpartition(".")[2].removeprefix("sea_")
    sentence = sentences().get(last, {}).get(choice) if name.startswith("policy.") else None
    return f": {sentence}" if sentence else ""


def unbroken(text: object) -> str:
    """A sentence whose numbers stay in one line with their per cent signs, and with the sign of minus."""
    text = re.sub(r"(?<= )-(?=\d)", "−", str(text))
    return re.sub(r"(?<= [<>]) (?=\d)| (?=%)", "\N{NO-BREAK SPACE}", text)


@lru_cache(maxsize=1024)
def apart(label: str) -> str:
    """The name of a campaign's column with its fight apart: "fight 1 won"."""
    return re.sub(r"\bfight(?=\d)", "fight ", label)


# --- pictures of many parts, of which a template takes three times as long ------------------------------------------


@lru_cache(maxsize=8192)
def escaped(text: str) -> str:
    """A text for HTML; the texts of pictures are few, and most are written in each answer."""
    return str(escape(text))


def blocks(pieces: Sequence[Mapping[str, Any]]) -> Markup:
    """The bar of survivors: the blocks with the texts that fit into them."""
    seen = escape("; ".join(one["words"] for one in pieces if one["p"] >= LEAST))
    drawn = [f'<svg class="blocks" role="img" aria-label="{seen}">', *map(_block, pieces), "</svg>"]
    return Markup("".join(drawn))


def _block(one: Mapping[str, Any]) -> str:
    words, p, kind = escaped(one["words"]), escaped(percent(one["p"], 1)), escaped(one["kind"])
    better = f' data-better="{escaped(percent(one["better"], 1))}"' if one["better"] else ""
    begun = f'<text class="onsquare on-{kind} from{one["fits"]}" x="{one["middle"]:.3f}%"'
    texts = [f'{begun} y="{y:.1f}">{escaped(line)}</text>' for y, line in (one["rows"] if one["fits"] else ())]
    return (
        f'<g class="block" data-words="{words}" data-p="{p}"{better}><rect class="s-{kind}" x="{one["start"]:.3f}%" '
        f'width="{one["width"]:.3f}%" height="56"><title>{words}: {p}</title></rect>{"".join(texts)}</g>'
    )


def histogram(one: Mapping[str, Any], label: str) -> Markup:
    """The distribution of a number (`charts.costs`) as columns, with the chances that are 0.5 % or more above them."""
    kind, columns = escaped(one["kind"]), one["columns"]
    seen = escape(", ".join(f"{column['name']} in {percent(column['p'], 0)}" for column in columns))
    drawn = [f'<svg class="columns" viewBox="0 0 300 144" role="img" aria-label="{escaped(label)}: {seen}">']
    for column in columns:
        name, p, x, width, height = (column[key] for key in ("name", "p", "x", "width", "height"))
        middle = f'x="{x + width / 2:.1f}"'
        drawn.append(
            f'<rect class="s-{kind}" x="{x + 1.5:.1f}" y="{126 - height:.1f}" width="{width - 3:.1f}" '
            f'height="{height:.1f}"><title>{escaped(name)}: {escaped(percent(p, 1))}</title></rect>'
        )
        if p >= 0.005:
            above = f'y="{121 - height:.1f}" text-anchor="middle">{100 * p:.0f}'
            drawn.append(f'<text class="strong" {middle} {above}</text>')
        drawn.append(f'<text {middle} y="141" text-anchor="middle">{escaped(name)}</text>')
    return Markup("".join([*drawn, '<line class="axis" x1="0" x2="300" y1="126" y2="126"/></svg>']))


class Templates(Environment):
    """Templates whose `one.p` looks into a dict first, which most values are: a quarter less time for an answer."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """The attribute, or the entry of a mapping."""
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates of this package."""
    result = Templates(
        loader=PackageLoader("simulator.web"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    own = (fixed, words, percent, number, short, change, chance_text, interval, mean, difference)
    more = (signed, shares, coordinates, ink, in_words, is_chance, says, capital, unbroken, apart, blocks, histogram)
    result.filters |= {function.__name__: function for function in (*own, *more)}
    result.filters |= {"path": path_in_words, "machine": "{:.10g}".format}
    result.filters["static"] = address_of
    result.filters["label"] = lambda column, battle: apart(label_of(battle, column))
    result.filters["value"] = lambda value, battle, column: value_of(battle, column, value)
    return result


def render(template: str, /, **context: Any) -> bytes:
    """A template as bytes."""
    return environment().get_template(template).render(**context).encode()
