"""Pictures for reports in one style, as SVG that uses the page's colours or as PNG on white."""

from __future__ import annotations

import base64
import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any

# Okabe & Ito's colour-blind-safe palette, slightly darker; by the names of the page's CSS variables.
COLOURS = {
    "ink": "#1f2430",
    "dim": "#5c6672",
    "rule": "#d9dee5",
    "paper": "#fffffe",
    "blue": "#0b62a8",
    "orange": "#c65a09",
    "green": "#0d7d5c",
    "purple": "#8d4f86",
    "sky": "#2f8fc4",
    "olive": "#857a10",
    "faint": "#c3cad3",
}
SERIES = tuple(COLOURS[name] for name in ("blue", "orange", "green", "purple", "sky", "olive"))
DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))
_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelcolor": COLOURS["dim"],
    "axes.edgecolor": COLOURS["faint"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "text.color": COLOURS["ink"],
    "xtick.color": COLOURS["faint"],
    "ytick.color": COLOURS["faint"],
    "xtick.labelcolor": COLOURS["ink"],
    "ytick.labelcolor": COLOURS["ink"],
    "grid.color": COLOURS["rule"],
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "text.parse_math": False,  # a run may be called "$x"
    "svg.fonttype": "none",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of `size` inches drawn by `draw`; `alt` is its text alternative."""

    name: str
    alt: str
    size: tuple[float, float]
    draw: Callable[[Any], None]

    def svg(self) -> str:
        """Return it as an SVG element for a page that sets the colours as CSS variables: --blue, --ink, …."""
        text = self._render("svg").decode()
        body = re.sub(r"<metadata>.*?</metadata>\s*", "", text[text.index("<svg") :], flags=re.DOTALL)
        for name, colour in COLOURS.items():
            body = body.replace(colour, f"var(--{name})")
        # Prefix ids with the figure's name, as ids would clash between the figures of a page.
        body = re.sub(r'(id="|url\(#|xlink:href="#)', rf"\g<1>{self.name}-", body)
        return body.replace("<svg ", f'<svg role="img" aria-label="{escape(self.alt)}" ', 1)

    def png(self, dpi: int = 130) -> bytes:
        """Return it as PNG on white."""
        return self._render("png", dpi=dpi, facecolor="white")

    def data_uri(self, dpi: int = 90) -> str:
        """Return the PNG as a data URI, for renderers without SVG support."""
        return f"data:image/png;base64,{base64.b64encode(self.png(dpi)).decode()}"

    def _render(self, form: str, **more: Any) -> bytes:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        with _report_style(self.name):
            figure = Figure(figsize=self.size, layout="constrained")
            FigureCanvasAgg(figure)
            self.draw(figure)
            stream = io.BytesIO()
            metadata = {"Date": None, "Creator": None} if form == "svg" else {"Software": None}
            figure.savefig(stream, format=form, metadata=metadata, **more)
        return stream.getvalue()


def percent_axis(axis: Any) -> None:
    """Format a matplotlib axis of shares in percent."""
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(1.0, decimals=0))


def clipped(text: str, length: int) -> str:
    """Return `text` on one line of at most `length` characters.

    >>> clipped("a label of many words", 8)
    'a label…'
    """
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"


def short_name(text: str, length: int = 32) -> str:
    """Return a run's name of at most `length` characters, cut in the middle: names differ at their ends.

    >>> short_name("archive-of-a-very-long-name-7b", 16)
    'archive-…name-7b'
    """
    line = " ".join(text.split())
    half = length // 2
    return line if len(line) <= length else f"{line[:half]}…{line[len(line) - (length - half - 1) :]}"


@contextmanager
def _report_style(name: str) -> Iterator[None]:
    import matplotlib as mpl

    with mpl.rc_context({**_STYLE, "svg.hashsalt": name}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # a run's name may be in any script
        yield
