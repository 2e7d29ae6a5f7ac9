"""Presentations by python-pptx, which no reader of .pptx in the comparison does without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pptx
from content import Content
from lxml import etree
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from write_word import fill

_DRAW = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def write(path: Path, content: Content) -> None:
    """Write a presentation of six slides."""
    deck = pptx.Presentation()
    for number in range(6):
        slide: Any = deck.slides.add_slide(deck.slide_layouts[5 if number % 2 else 1])
        slide.shapes.title.text = content.text("heading", 2, 4)
        if number % 2 == 0:
            _add_bullets(slide.placeholders[1].text_frame, content, is_numbered=number == 2)
        elif number == 3:
            _add_chart(slide, content)
        else:
            grid = content.table(4, 4)
            frame = slide.shapes.add_table(4, 4, Inches(1), Inches(2), Inches(8), Inches(2))
            fill(frame.table, grid)
        box = slide.shapes.add_textbox(Inches(1), Inches(5), Inches(4), Inches(0.5))
        box.text_frame.text = content.text("paragraph")
        group = slide.shapes.add_group_shape()
        for at in range(2):
            inner = group.shapes.add_textbox(Inches(1), Inches(5.7 + at / 2), Inches(3), Inches(0.4))
            inner.text_frame.text = content.text("paragraph")
        slide.notes_slide.notes_text_frame.text = content.text("note")
    deck.save(str(path))


def _add_bullets(frame: Any, content: Content, *, is_numbered: bool) -> None:
    labels = ("1", "2", "a", "b", "3") if is_numbered else ("", "", "", "", "")
    for at, (label, level) in enumerate(zip(labels, (0, 0, 1, 1, 0), strict=True)):
        paragraph = frame.paragraphs[0] if at == 0 else frame.add_paragraph()
        paragraph.text = content.text("item", label=label)
        paragraph.level = level
        if label:
            form = {"type": "alphaLcParenR" if level else "arabicPeriod"}
            etree.SubElement(paragraph._p.get_or_add_pPr(), f"{_DRAW}buAutoNum", form)


def _add_chart(slide: Any, content: Content) -> None:
    data = CategoryChartData()
    names, series = [f"area {content.number()}" for _ in range(3)], [f"year {content.number()}" for _ in range(2)]
    data.categories = names
    values = [[content.number() for _ in names] for _ in series]
    for name, one in zip(series, values, strict=True):
        data.add_series(name, one)
    place = (Inches(1), Inches(2), Inches(6), Inches(2.5))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data)
    for row in (
        series,
        *([name, *map(str, column)] for name, column in zip(names, zip(*values, strict=True), strict=True)),
    ):
        content.record_row(row)
