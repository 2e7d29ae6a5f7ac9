"""Receipts, addresses, forms, poems and code of PDFs made on the spot keep their lines; wrapped text is joined."""

import pymupdf
import pytest

from kohaku_lib.documents import parse_file
from kohaku_lib.settings import DocumentsSettings

PLAIN = DocumentsSettings(parser="blocks", sections="pages", ocr="off")
LETTER = (
    "we thank you for your order of the twelfth of May and confirm that the pumps will be delivered",
    "on the first of June, as you had asked, to the gate of the museum, where our driver will call.",
)


def paragraphs(tmp_path, lines, font="helv"):
    """Return the paragraphs of a page with `lines` below each other; None is an empty line, a pair has its font."""
    document = pymupdf.open()
    page = document.new_page(width=612, height=792)
    for row, line in enumerate(lines):
        text, name = line if isinstance(line, tuple) else (line, font)
        if text is not None:
            page.insert_text((72, 100 + 13 * row), text, fontsize=10, fontname=name)
    document.save(tmp_path / "a.pdf")
    payload = parse_file(tmp_path / "a.pdf", settings=PLAIN)
    return [paragraph.text for section in payload.sections for paragraph in section.paragraphs]


@pytest.mark.parametrize(
    "lines",
    [
        ["CORNER SHOP", "12 High Street", "Tel 020 7946 0000"],
        ["Coffee 2.50", "Croissant 1.90", "Orange juice 3.20", "Subtotal 7.60", "VAT 20% 1.27", "TOTAL 8.87"],
        ["Amber Works Ltd", "5 Shore Road", "LT-00135 Palanga", "Lithuania"],
        ["Applicant: Jane Doe", "Date of birth: 3 May 1980", "Purpose of the visit: business"],
        ["The shore is wide, the sea is cold,", "The amber glows like gold,", "And every wave that comes to land",
         "Lays down a secret in the sand."],
    ],
    ids=["shop", "receipt", "address", "form", "poem"],
)  # fmt: skip
def test_lines_that_were_not_wrapped_stay_lines_of_one_paragraph(tmp_path, lines):
    assert paragraphs(tmp_path, lines) == ["\n".join(lines)]


def test_the_lines_of_code_stay(tmp_path):
    code = ["total = add(one, two)", "if total > limit:", "raise_alarm(total)"]
    assert paragraphs(tmp_path, code, "cour") == ["\n".join(code)]


def test_a_letter_keeps_its_address_and_signature_but_not_the_breaks_of_its_text(tmp_path):
    lines = [
        "Amber Works Ltd",
        "5 Shore Road",
        "Palanga",
        None,
        *LETTER,
        None,
        "Yours sincerely",
        "Jane Doe",
        "Head of Sales",
    ]
    assert paragraphs(tmp_path, lines) == [
        "Amber Works Ltd\n5 Shore Road\nPalanga",
        " ".join(LETTER),
        "Yours sincerely\nJane Doe\nHead of Sales",
    ]


def test_a_bold_label_and_its_value_are_two_lines(tmp_path):
    lines = [("Serial number of the unit", "hebo"), "RX-5521 of the second series, which is newer"]
    assert "RX-5521" not in paragraphs(tmp_path, lines)[0].split("\n")[0]


@pytest.mark.parametrize(
    "lines",
    [
        ["The museum opens at nine", "and closes at six in the", "evening, on Sundays at", "four."],
        ["The museum is in the town of", "Palanga, at the end of", "Shore Road."],
        ["Das Haus am Hafen hat die", "Besucher immer mit dem", "Boot vom Ufer geholt."],
    ],
    ids=["ragged", "names at line starts", "nouns at line starts"],
)
def test_wrapped_text_is_joined(tmp_path, lines):
    assert paragraphs(tmp_path, lines) == [" ".join(lines)]


def test_offsets_of_lines_count_the_kept_breaks(tmp_path):
    lines = ["Amber Works Ltd", "5 Shore Road", "Palanga"]
    paragraphs(tmp_path, lines)
    payload = parse_file(tmp_path / "a.pdf", settings=PLAIN)
    (paragraph,) = payload.sections[0].paragraphs
    assert [offset for offset, *_ in paragraph.metadata["line_boxes"]] == [0, 16, 29]


def test_a_title_of_two_lines_is_one_line(tmp_path):
    lines = [("Annual Report", "hebo"), ("To Our Shareholders", "hebo"), None, *LETTER]
    assert paragraphs(tmp_path, lines)[0].startswith("Annual Report To Our Shareholders")
