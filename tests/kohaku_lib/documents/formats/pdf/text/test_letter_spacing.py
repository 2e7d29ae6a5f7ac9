"""Letters that a PDF sets apart: words are closed up by their gaps, and words of one letter stay."""

import pymupdf
import pytest

from kohaku_lib.documents.formats.pdf.text.page_text import read_page_text


def line_texts(*operators):
    """Return the lines of a page that shows each of the text `operators` on a line of its own, 11 points high."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "x", fontsize=1)  # brings the font
    shown = " ".join(f"BT /helv 11 Tf 72 {700 - 40 * row} Td {show} ET" for row, show in enumerate(operators))
    document.update_stream(page.get_contents()[0], f"q {shown} Q".encode())
    return [line.text for line in read_page_text(page, 1).lines]


@pytest.mark.parametrize(
    ("operator", "text"),
    [
        ("[(Test) -300 (i) -300 (ng Dedupl) -300 (i) -300 (cat) -300 (i) -300 (on)] TJ", "Testing Deduplication"),
        ("3 Tc (Annual Report of the Works) Tj", "Annual Report of the Works"),
        ("4.5 Tc (INVOICE NUMBER) Tj", "INVOICE NUMBER"),
        ("3 Tc [(Annual) -300 (Report)] TJ", "Annual Report"),
    ],
    ids=["around one letter", "spaced", "spaced capitals", "gaps for blanks"],
)
def test_letters_apart_are_closed_up(operator, text):
    assert line_texts(operator) == [text]


@pytest.mark.parametrize(
    "text", ["The values of i and k are integers, n is none", "Plan B or plan C or plan D", "x y z"]
)
def test_letters_that_are_words_stay(text):
    assert line_texts(f"({text}) Tj") == [text]


@pytest.mark.parametrize(
    "words",
    ["Let x and|y|be|vectors|in|the|plane", "Gates B and|C|are|on|the|left|side", "Grades|B|C|D|E|F", "Y|N|N|Y|Y|N"],
)
def test_words_that_are_set_one_by_one_stay(words):
    pieces = " -300 ".join(f"({word})" for word in words.split("|"))
    assert line_texts(f"[{pieces}] TJ") == [words.replace("|", " ")]


def test_variables_of_a_formula_set_by_gaps_stay():
    formula = "[(f) -300 (=) -300 (a) -300 (x) -300 (+) -300 (b)] TJ"
    assert line_texts(formula) == ["f = a x + b"]
