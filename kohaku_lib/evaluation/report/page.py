"""The HTML page of a report: one self-contained file with style and pictures, without scripts or requests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from kohaku_lib.evaluation.report.picture import COLOURS, Picture
from kohaku_lib.html_pages import templates

_MEANT = re.compile(r"[\\`*\[\]|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^[#+-](?= )")  # snake_case is not markup


def render_page(title: str, subtitle: str, sections: Iterable[Markup]) -> str:
    """Return the page with the given sections."""
    page = templates(__package__ or "").get_template("page.html.j2")
    return page.render(title=title, subtitle=subtitle, sections=sections, light=COLOURS, dark=_DARK)


def section(heading: str, *parts: Markup) -> Markup:
    """Return a section of `parts` under a heading; empty parts are omitted."""
    return part("section", heading, [part for part in parts if part])


def figure(picture: Picture, caption: str) -> Markup:
    """Return a picture with its caption."""
    return part("figure", Markup(picture.svg()), caption)  # noqa: S704 - drawn by us


def paragraph(text: str) -> Markup:
    """Return a paragraph."""
    return part("paragraph", text)


def legend(text: str) -> Markup:
    """Return a paragraph in fainter letters."""
    return part("legend", text)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], numeric: int = 1) -> Markup:
    """Return a table; the columns from `numeric` on are right-aligned."""
    return part("table", columns, rows, numeric)


def part(name: str, *values: object) -> Markup:
    """Return a part of a page, rendered by the macro `name`; values other than Markup are escaped."""
    return getattr(templates(__package__ or "").get_template("parts.html.j2").module, name)(*values)


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]], numeric: int = 1) -> str:
    r"""Return the same table as Markdown, its cells escaped for it.

    >>> print(markdown_table(("run", "n"), [("a|b", "3")]))
    | run | n |
    |:--|--:|
    | a\|b | 3 |
    """
    lines = [f"| {' | '.join(map(markdown_text, columns))} |"]
    lines.append("|" + "".join("--:|" if place >= numeric else ":--|" for place in range(len(columns))))
    lines += [f"| {' | '.join(map(markdown_text, row))} |" for row in rows]
    return "\n".join(lines)


def markdown_text(text: str) -> str:
    r"""Return `text` on one line, escaped for Markdown and HTML.

    >>> markdown_text("a_b *<script>*\nx|y")
    'a_b \\*&lt;script&gt;\\* x\\|y'
    """
    line = " ".join(text.split())
    line = _MEANT.sub(r"\\\g<0>", line)
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


_DARK = {
    "ink": "#e4e8ee",
    "dim": "#9aa5b3",
    "rule": "#323a45",
    "paper": "#14181e",
    "blue": "#6db3ee",
    "orange": "#f0974a",
    "green": "#4fc39c",
    "purple": "#d199ca",
    "sky": "#8fd0f5",
    "olive": "#cfc35a",
    "faint": "#4a5462",
}
