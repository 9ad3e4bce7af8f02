"""Scenarios and answers as HTML for a notebook: short, self-contained, and escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

MOST_ROWS = 20
# The colours are those of the notebook, so that its dark theme is dark here too.
STYLE = (
    "<style>.battle-odds{font-family:system-ui,sans-serif;font-size:.9em;overflow-x:auto}"
    ".battle-odds p{margin:.3em 0}.battle-odds p.headline{font-size:1.15em;font-weight:600}"
    ".battle-odds p.how{opacity:.7}.battle-odds table{border-collapse:collapse;margin:.4em 0}"
    ".battle-odds th,.battle-odds td{padding:.15em .8em;text-align:left;white-space:nowrap}"
    ".battle-odds tr{border-bottom:1px solid #8884}"
    ".battle-odds .number{text-align:right;font-variant-numeric:tabular-nums}</style>"
)


def page(headline: str, rows: Sequence[Mapping[str, Any]], how: str) -> str:
    """The HTML of a headline ("" for none), the first and last rows of a table, and a line on the method."""
    lines = [f'<p class="headline">{escape(headline)}</p>'] if headline else []
    lines += [table(rows)] if rows else []
    return "\n".join([f'<div class="battle-odds">{STYLE}', *lines, f'<p class="how">{escape(how)}</p></div>'])


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The first and last of at most MOST_ROWS rows, which have the same columns, as an HTML table.

    Left out: columns without any value, and the intervals of exact answers, which have no width.
    """
    exact = all(row.get("low") == row.get("high") for row in rows)
    names = [
        name
        for name in rows[0]
        if not (exact and name in {"low", "high"}) and any(row[name] not in (None, "") for row in rows)
    ]
    half, cut = MOST_ROWS // 2, len(rows) > MOST_ROWS
    chosen = [*rows[:half], *rows[-half:]] if cut else rows
    shown = [_cells("td", [row[name] for name in names]) for row in chosen]
    if cut:
        shown.insert(half, f'<td colspan="{len(names)}">{len(rows) - 2 * half:,} more rows</td>')
    # A heading stands above its column as the first value does.
    head = "".join(_cell("th", name, isinstance(rows[0][name], int | float)) for name in names)
    body = "".join(f"<tr>{cells}</tr>" for cells in shown)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cells(tag: str, values: Any) -> str:
    return "".join(_cell(tag, _text(one), isinstance(one, int | float)) for one in values)


def _cell(tag: str, text: str, number: bool) -> str:
    return f"<{tag}{' class=number' * number}>{escape(text)}</{tag}>"


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
