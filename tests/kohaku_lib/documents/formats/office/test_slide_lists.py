"""Paragraphs of slides have the numbers that PowerPoint shows."""

import pptx
import pytest
from lxml import etree
from pptx.util import Inches

from kohaku_lib.documents.formats.office.slide_lists import list_labels

DRAW = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def paragraph(frame, text, level=0, **numbering):
    added = frame.add_paragraph()
    added.text, added.level = text, level
    if numbering:
        etree.SubElement(added._p.get_or_add_pPr(), f"{DRAW}buAutoNum", numbering)


@pytest.fixture
def frame():
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    return slide.shapes.add_textbox(Inches(1), Inches(1), Inches(5), Inches(5)).text_frame


def test_numbers_go_on_over_deeper_paragraphs_and_deeper_ones_begin_anew(frame):
    for level in (0, 1, 1, 0, 1):
        paragraph(frame, "x", level, type="alphaLcParenR" if level else "arabicPeriod")
    assert list_labels(frame.paragraphs) == ["", "1.", "a)", "b)", "2.", "a)"]


def test_another_kind_or_a_paragraph_without_a_number_begins_anew(frame):
    paragraph(frame, "x", type="romanUcParenBoth", startAt="4")
    paragraph(frame, "", type="romanUcParenBoth", startAt="4")  # shown without its number, which the next one has
    paragraph(frame, "x", type="romanUcParenBoth", startAt="4")
    paragraph(frame, "x")
    paragraph(frame, "x", type="romanUcParenBoth")
    paragraph(frame, "x", type="arabicPlain")
    assert list_labels(frame.paragraphs)[1:] == ["(IV)", "(V)", "(V)", "", "(I)", "1"]


def test_numbers_may_come_from_the_list_style_of_the_shape(frame):
    style = etree.SubElement(
        etree.SubElement(frame._txBody.find(f"{DRAW}lstStyle"), f"{DRAW}lvl1pPr"), f"{DRAW}buAutoNum"
    )
    style.set("type", "arabicParenR")
    paragraph(frame, "x")
    paragraph(frame, "bulleted")
    etree.SubElement(frame.paragraphs[2]._p.get_or_add_pPr(), f"{DRAW}buChar", char="•")
    assert list_labels(frame.paragraphs)[1:] == ["1)", ""]
