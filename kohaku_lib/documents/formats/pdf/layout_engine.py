"""Page layout analysis with PyMuPDF's layout engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from kohaku_lib.documents.formats.pdf.text.page_text import Box
from kohaku_lib.errors import ModelError
from kohaku_lib.install_command import pip_command

_LEAST_SIDE_PT = 2.0


@dataclass(frozen=True, slots=True)
class LayoutRegion:
    """A box on a page, in points, and the kind of its content.

    The kinds are "title", "section-header", "text", "list-item", "table", "picture", "caption", "formula",
    "footnote", "page-header" and "page-footer". For a table, `rows` and `columns` are the cell edges including the
    outermost ones.
    """

    kind: str
    box: Box
    rows: tuple[float, ...] = ()
    columns: tuple[float, ...] = ()


def layout_regions(page: Any) -> list[LayoutRegion]:
    """Return the regions of a `pymupdf.Page`, in the engine's order; a page without text has none.

    The engine (a graph network over the text lines and an image of the page, run by onnxruntime) is part of PyMuPDF
    from 2.0 on, under the same licence; it needs no network. It takes about a second per page.

    Raises:
        ModelError: PyMuPDF is older than 2.0.

    """
    import numpy as np

    predict = _load_engine()
    with np.errstate(divide="ignore", invalid="ignore"):
        groups = predict(page, return_raw=True)
    return [
        region for region in map(_layout_region, groups) if min(region.box.width, region.box.height) > _LEAST_SIDE_PT
    ]


@cache
def _load_engine() -> Callable[..., Any]:
    """Return the engine, loaded once per process, without changing the behaviour of PyMuPDF itself."""
    import pymupdf

    module: Any = pymupdf
    before = getattr(module, "_get_layout", None)
    try:
        import pymupdf.layout  # importing it makes Page.find_tables use the engine
    except ImportError as fault:
        msg = (
            f"documents.parser = 'auto' or 'layout' needs PyMuPDF 2.0 or newer, got {pymupdf.__version__}; "
            f"run {pip_command('pymupdf>=2.0')}, or set documents.parser to 'blocks'"
        )
        raise ModelError(msg) from fault
    engine, module._get_layout = module._get_layout, before
    return engine


def _layout_region(group: dict[str, Any]) -> LayoutRegion:
    x0, y0, x1, y1 = map(float, group["group_bbox"])
    grid = group.get("table_grid")
    if grid is None:
        return LayoutRegion(group["class_name"], Box(x0, y0, x1, y1))
    rows = (y0, *sorted(y0 + float(y) for y in grid.h_lines), y1)
    columns = (x0, *sorted(x0 + float(x) for x in grid.v_lines), x1)
    return LayoutRegion(group["class_name"], Box(x0, y0, x1, y1), rows, columns)
