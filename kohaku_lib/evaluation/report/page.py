"""The frame of a report's page: one file that holds its style and pictures, runs no script and asks no network."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from kohaku_lib.evaluation.report.picture import COLOURS, Picture

_MEANT = re.compile(r"[\\`*\[\]|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^[#+-](?= )")  # snake_case means nothing
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def render_page(title: str, subtitle: str, sections: Iterable[str]) -> str:
    """Return the page; `title` and `subtitle` are escaped here, the `sections` are HTML."""
    body = "\n".join(sections)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style></head><body><main>\n"
        f'<header><h1>{escape(title)}</h1><p class="dim">{escape(subtitle)}</p></header>\n{body}\n</main></body></html>\n'
    )


def section(heading: str, *parts: str) -> str:
    """Return a section of HTML `parts` under an escaped heading."""
    return f"<section><h2>{escape(heading)}</h2>\n" + "\n".join(part for part in parts if part) + "\n</section>"


def figure(picture: Picture, caption: str) -> str:
    """Return a picture with its caption, which is escaped."""
    return f"<figure>{picture.svg()}<figcaption>{escape(caption)}</figcaption></figure>"


def paragraph(text: str) -> str:
    """Return an escaped paragraph."""
    return f"<p>{escape(text)}</p>"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], numeric: int = 1) -> str:
    """Return an HTML table of escaped cells; from column `numeric` on they stand to the right."""
    head = "".join(_cell("th", name, place >= numeric) for place, name in enumerate(columns))
    body = "\n".join(
        f"<tr>{''.join(_cell('td', cell, place >= numeric) for place, cell in enumerate(row))}</tr>" for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


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
    r"""Return `text` on one line, so that no sign in it means anything in Markdown or HTML.

    >>> markdown_text("a_b *<script>*\nx|y")
    'a_b \\*&lt;script&gt;\\* x\\|y'
    """
    line = " ".join(text.split())
    line = _MEANT.sub(r"\\\g<0>", line)
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _cell(tag: str, text: str, right: bool) -> str:
    return f'<{tag} class="n">{escape(text)}</{tag}>' if right else f"<{tag}>{escape(text)}</{tag}>"


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


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())


_STYLE = (
    f":root{{color-scheme:light dark;{_variables(COLOURS)}}}\n"
    f"@media(prefers-color-scheme:dark){{:root{{{_variables(_DARK)}}}}}\n"
    f"@media print{{:root{{{_variables(COLOURS)}}}}}\n"
    """*{box-sizing:border-box}
body{margin:0;font:15px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif;color:var(--ink);background:var(--paper)}
main{max-width:62rem;margin:0 auto;padding:1.5rem 1.25rem 4rem}
h1{font-size:1.6rem;line-height:1.2;margin:.2rem 0;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2.4rem 0 .5rem;padding-top:.8rem;border-top:1px solid var(--rule)}
h3{font-size:1rem;margin:1.4rem 0 .3rem}
p{margin:.4rem 0;max-width:48rem}
.dim,figcaption,small{color:var(--dim)}
header .dim{margin-top:0}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin:.6rem 0;font-size:.92rem}
th,td{padding:.3rem .8rem .3rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--rule);
overflow-wrap:anywhere}
th{color:var(--dim);font-weight:600}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
th.n{white-space:normal;overflow-wrap:normal}
td:first-child{min-width:9rem}
figure{margin:1rem 0 1.4rem}
figure svg{display:block;width:100%;max-width:720px;height:auto}
figcaption{font-size:.88rem;max-width:48rem}
a{color:var(--blue)}
.tiles{display:flex;flex-wrap:wrap;gap:.8rem;margin:1rem 0}
.tile{border:1px solid var(--rule);border-radius:6px;padding:.6rem .9rem;min-width:11rem}
.tile b{display:block;font-size:1.5rem;line-height:1.25;font-variant-numeric:tabular-nums}
.wrong{width:100%}
.wrong td{border:0;padding-bottom:.1rem}
.wrong tbody{border-bottom:1px solid var(--rule)}
.wrong .more td{padding:0 .8rem .7rem 0;font-size:.9rem}
.wrong td:first-child{min-width:0;white-space:nowrap}
.wrong .value{font-weight:600}
.tag{display:inline-block;border:1px solid var(--orange);color:var(--orange);border-radius:4px;padding:0 .4rem;
font-size:.82rem;white-space:nowrap}
blockquote{margin:.2rem 0 .3rem;padding-left:.7rem;border-left:3px solid var(--rule);color:var(--dim)}
@media print{body{font-size:10pt}table{font-size:8.5pt}th,td{padding-right:.45rem}
main{max-width:none;padding:0}h2{break-after:avoid}figure,.wrong tbody{break-inside:avoid}
a{color:inherit}}
"""
)
