"""Lines that run left are read in their order, whatever the order in which MuPDF gives their spans and letters."""

from types import SimpleNamespace

import pytest

from kohaku_lib.documents.formats.pdf.text.right_to_left_spans import order_right_to_left, reading_order


def span(text, x0, x1, widths=None):
    """A span of a text page; its letters take its width from the right in equal parts, or the boxes of `widths`."""
    part = (x1 - x0) / len(text)
    boxes = widths or [(x1 - part * (at + 1), x1 - part * at) for at in range(len(text))]
    chars = [{"c": sign, "bbox": (low, 0, high, 9)} for sign, (low, high) in zip(text, boxes, strict=True)]
    return {"text": text, "bbox": (x0, 0, x1, 9), "chars": chars}


def read(*spans, direction=(1.0, 0.0)):
    blocks = [{"lines": [{"dir": direction, "spans": list(spans), "bbox": (0, 0, 99, 9)}]}]
    order_right_to_left(blocks, SimpleNamespace(extractRAWDICT=lambda: {"blocks": [{"lines": [{"spans": spans}]}]}))
    return "".join(one["text"] for one in blocks[0]["lines"][0]["spans"])


@pytest.mark.parametrize(
    ("spans", "text"),
    [
        ([span("עולם", 10, 30), span(" ", 30, 32), span("שלום", 32, 60)], "שלום עולם"),  # as on the page
        ([span("שלום", 32, 60), span(" ", 30, 32), span("עולם", 10, 30)], "שלום עולם"),  # as it is read
        (
            [
                *(span("קבצים", 10, 30), span(" ", 30, 32), span("PDF", 32, 40), span(" ", 40, 41)),
                *(span("files", 41, 60), span(" ", 60, 62), span("שלום רב", 62, 99)),
            ],
            "שלום רב PDF files קבצים",
        ),
        ([span("13", 20, 28), span("ימים", 30, 50), span(" ", 28, 30)], "ימים 13"),
        ([span("two", 30, 40), span(" one", 10, 30)], "two one"),  # not a line that runs left
    ],
)
def test_spans_are_in_the_order_in_which_they_are_read(spans, text):
    assert read(*spans) == text


def test_lam_and_alef_of_one_sign_change_places_and_an_article_stays():
    sign = [(18, 20), (14, 18), (14, 14), (5, 14), (0, 5)]  # the alef takes no room of its own
    assert read(span("كمالغ", 0, 20, sign)) == "كملاغ"
    assert read(span("بكالت", 0, 20, [(15, 20), (10, 15), (9.7, 10), (2, 10), (0, 2)])) == "بكلات"
    assert read(span("البلد", 0, 20)) == "البلد"


def test_lines_that_are_turned_stay():
    assert read(span("עולם", 10, 30), span("שלום", 32, 60), direction=(0.0, 1.0)) == "עולםשלום"


@pytest.mark.parametrize(
    ("letters", "text"),
    [
        ([("ש", 40, 50), (" ", 16, 20), ("ל", 30, 40), ("ם", 20, 30)], "שלם "),  # a blank that was drawn early
        ([("ש", 40, 50), ("ב", 10, 20), ("ל", 30, 40), ("ם", 20, 30)], "שלםב"),
        ([("ש", 40, 50), (" ", 37, 40), ("3", 25, 31), ("7", 31, 37)], "ש 37"),
        ([("ו", 40, 50), ("P", 20, 30), ("y", 30, 37), (" ", 37, 40)], "וPy "),  # the blank of a word that runs right
        ([("ש", 40, 50), ("4", 10, 15), ("2", 15, 20)], "ש 42"),  # a label and the value of the cell beside it
    ],
)
def test_letters_of_a_span_are_read_where_they_stand(letters, text):
    boxes = [(x0, x1) for _, x0, x1 in letters]
    assert read(span("".join(one for one, *_ in letters), 5, 50, boxes)) == text


def test_a_blank_that_mupdf_adds_across_letters_is_none():
    one = span("ש ל", 20, 50, [(40, 50), (20, 40), (30, 40)])
    one["chars"][1]["synthetic"] = True
    assert read(one) == "של"


@pytest.mark.parametrize(
    ("pieces", "read_as"),
    [
        (["04", "/", "10", "/", "1403"], ["1403", "/", "10", "/", "04"]),
        (["יום", "12", ".", "5"], ["יום", "5", ".", "12"]),
        (["555", "-", "0142"], ["555", "-", "0142"]),  # a hyphen turns in such lines, and the point ends a sentence
        (["25", "."], ["25", "."]),
    ],
)
def test_the_pieces_of_a_number_are_read_from_the_left(pieces, read_as):
    """`pieces` stand from the right to the left."""
    spans = [{"text": text, "bbox": (90 - 10 * at, 0, 100 - 10 * at, 9)} for at, text in enumerate(pieces)]
    assert [one["text"] for one in reading_order(spans)] == read_as
