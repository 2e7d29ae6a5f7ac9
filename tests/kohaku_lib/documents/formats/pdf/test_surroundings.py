"""Notes on the pages of a PDF, the values of its forms, and its layers that are off are read or named."""

import pymupdf
import pytest

from kohaku_lib.documents.formats.pdf.parse_pdf import parse_pdf
from kohaku_lib.settings import DocumentsSettings


@pytest.fixture
def page():
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 72), "The fee is 640,000 EUR a year.")
        yield page


def parsed(page, tmp_path):
    page.parent.save(tmp_path / "a.pdf")
    return parse_pdf(tmp_path / "a.pdf", "a", DocumentsSettings())


def texts(payload):
    return [one.text for section in payload.sections for one in section.paragraphs]


def test_notes_have_their_authors_and_the_words_that_they_mark(page, tmp_path):
    page.add_text_annot((300, 200), "Ask the\nboard.").set_info(title="Bo")
    marked = page.add_highlight_annot(page.search_for("640,000 EUR"))
    marked.set_info(title="Ann", content="In four parts?")
    page.add_underline_annot(page.search_for("year"))  # says nothing
    page.add_rect_annot((60, 60, 90, 80)).set_info(content="Which?")
    payload = parsed(page, tmp_path)
    assert payload.metadata["comments"] == [
        "Bo: Ask the board.",
        'Ann on "640,000 EUR": In four parts?',
        "Unknown: Which?",
    ]
    assert texts(payload) == ["The fee is 640,000 EUR a year."]


def test_text_that_is_typed_on_the_page_and_into_forms_is_text(page, tmp_path):
    page.add_freetext_annot((72, 150, 300, 180), "Paid on 3 May.", fontsize=11)
    field = pymupdf.Widget()
    field.field_type, field.field_name, field.field_value = pymupdf.PDF_WIDGET_TYPE_TEXT, "name", "Nordkai"
    field.rect = pymupdf.Rect(72, 300, 300, 320)
    page.add_widget(field)
    payload = parsed(page, tmp_path)
    assert texts(payload) == ["The fee is 640,000 EUR a year.", "Paid on 3 May.", "Nordkai"]
    assert "comments" not in payload.metadata


def test_the_text_of_a_layer_that_is_off_is_named_and_not_read(page, tmp_path):
    draft, final = (page.parent.add_ocg(name, on=is_on) for name, is_on in (("Draft", False), ("Final", True)))
    page.insert_text((72, 300), "The fee was 500,000 EUR.", oc=draft)
    page.insert_text((72, 340), "It is paid in four parts.", oc=final)
    payload = parsed(page, tmp_path)
    assert texts(payload) == ["The fee is 640,000 EUR a year.", "It is paid in four parts."]
    assert payload.metadata["hidden_text"] == ["The fee was 500,000 EUR."]


def test_a_pdf_without_notes_and_layers_has_neither(page, tmp_path):
    assert not {"comments", "hidden_text"} & set(parsed(page, tmp_path).metadata)
