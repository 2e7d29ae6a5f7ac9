"""PDFs that cannot be opened are one sentence with a remedy; the blocks of a page are in reading order."""

import pymupdf
import pytest

from kohaku_lib.documents.formats.pdf.open_pdf import open_pdf, was_repaired
from kohaku_lib.documents.formats.pdf.page_blocks import page_blocks
from kohaku_lib.documents.formats.pdf.tables.tables import PageTable
from kohaku_lib.documents.formats.pdf.text.hyphens import vocabulary_of
from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText
from kohaku_lib.errors import DocumentError

NO_WORDS = vocabulary_of([])


def saved(tmp_path, **options):
    path = tmp_path / "a.pdf"
    with pymupdf.open() as document:
        document.new_page()
        document.save(path, **options)
    return path


def test_an_opened_pdf_is_closed_at_the_end(tmp_path):
    with open_pdf(saved(tmp_path)) as document:
        assert document.page_count == 1
    assert document.is_closed


def test_a_pdf_is_closed_after_an_error_too(tmp_path):
    opened = []
    with pytest.raises(RuntimeError, match="of the caller"), open_pdf(saved(tmp_path)) as document:  # noqa: PT012
        opened.append(document)
        msg = "of the caller"
        raise RuntimeError(msg)
    assert opened[0].is_closed


def test_an_empty_user_password_opens_a_pdf_and_another_does_not(tmp_path):
    encrypted = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "owner_pw": "owner"}
    with open_pdf(saved(tmp_path, **encrypted, user_pw="")) as document:
        assert document.page_count == 1
    path = saved(tmp_path, **encrypted, user_pw="secret")
    with pytest.raises(DocumentError, match=r"'a\.pdf' is encrypted and needs a password; save a copy"), open_pdf(path):
        pass


@pytest.mark.parametrize(
    ("data", "message"), [(b"", "is empty"), (b"no PDF", "is damaged beyond repair or is not a PDF")]
)
def test_other_files_are_an_error_of_the_document(tmp_path, data, message):
    path = tmp_path / "a.pdf"
    path.write_bytes(data)
    with pytest.raises(DocumentError, match=rf"'a\.pdf' {message}"), open_pdf(path):
        pass


def test_a_page_of_html_with_the_suffix_of_a_pdf_is_refused(tmp_path):
    path = tmp_path / "a.pdf"
    path.write_bytes(b"<html><body>Bees hum.</body></html>")
    with pytest.raises(DocumentError, match=r"'a\.pdf' is not a PDF; correct its suffix"), open_pdf(path):
        pass


def test_the_pages_of_a_pdf_with_a_damaged_catalog_are_found(tmp_path):
    path = saved(tmp_path)
    with open_pdf(path) as document:
        assert not was_repaired(document)
    data = path.read_bytes()
    assert data.count(b"/Type/Catalog") == 1
    path.write_bytes(data.replace(b"/Type/Catalog", b"/Type/Cat) 7>"))
    with open_pdf(path) as document:
        assert (document.page_count, was_repaired(document)) == (1, True)


def test_a_missing_file_cannot_be_read(tmp_path):
    with pytest.raises(DocumentError, match=r"'a\.pdf' cannot be read \(No such file"), open_pdf(tmp_path / "a.pdf"):
        pass


def line(text, x0, y0, width=None):
    return Line(text, Box(x0, y0, x0 + (width or 5 * len(text)), y0 + 10), 10.0, False, 0)


def page(*lines, asides=()):
    return PageText(3, 600.0, 800.0, lines, asides)


def test_lines_become_paragraphs_with_the_page_and_a_region_of_their_own():
    blocks = page_blocks(page(line("One paragraph", 50, 100), line("of two lines.", 50, 112)), (), NO_WORDS)
    assert [(block.kind, block.text, block.page) for block in blocks] == [("text", "One paragraph of two lines.", 3)]
    assert blocks[0].region == 30_000


def test_a_table_is_in_its_place_and_its_text_is_not_repeated():
    table = PageTable((("Year", "kWh"), ("2023", "45")), Box(50, 150, 300, 200))
    lines = [line("Above.", 50, 100), line("45", 60, 170), line("Below.", 50, 300)]
    blocks = page_blocks(page(*lines), [table], NO_WORDS)
    assert [(block.kind, block.text.split("\n")[0]) for block in blocks] == [
        ("text", "Above."),
        ("table", "| Year | kWh |"),
        ("text", "Below."),
    ]


def test_lines_in_other_directions_come_last():
    blocks = page_blocks(page(line("Upright text.", 50, 400), asides=(line("Sideways.", 50, 100),)), (), NO_WORDS)
    assert [block.text for block in blocks] == ["Upright text.", "Sideways."]
    assert blocks[0].region != blocks[1].region


def test_groups_split_paragraphs():
    lines = [line("One paragraph", 50, 100), line("of two lines.", 50, 112)]
    blocks = page_blocks(page(*lines), (), NO_WORDS, lambda region: [[entry] for entry in region])
    assert [block.text for block in blocks] == ["One paragraph", "of two lines."]


def test_aligned_numbers_become_a_table_between_the_paragraphs():
    rows = [
        entry
        for number in range(4)
        for entry in (
            line(f"model {'abcd'[number]}", 50, 150 + 12 * number),
            line(f"{number}.5", 200, 150 + 12 * number),
            line(f"1,{number}00", 300, 150 + 12 * number),
        )
    ]
    blocks = page_blocks(page(line("A sentence above the table.", 50, 80), *rows), (), NO_WORDS)
    assert [block.kind for block in blocks] == ["text", "table"]
    assert blocks[1].text.split("\n")[-1] == "| model d | 3.5 | 1,300 |"


def test_a_page_without_lines_has_no_blocks():
    assert page_blocks(page(), (), NO_WORDS) == []
