"""Lines that run left are read in their order, whatever the order in which MuPDF gives their spans and letters."""

from types import SimpleNamespace

import pytest

from kohaku_lib.documents.formats.pdf.text.right_to_left_spans import order_right_to_left


def span(text, x0, x1, widths=None):
    """A span of a text page; its letters take its width from the right in equal parts, or the boxes of `widths`."""
    part = (x1 - x0) / len(text)
    boxes = widths or [(x1 - part * (at + 1), x1 - part * at) for at in range(len(text))]
    chars = [{"c": sign, "bbox": (low, 0, high, 9)} for sign, (low, high) in zip(text, boxes, strict=True)]
    return {"text": text, "bbox": (x0, 0, x1, 9), "chars": chars}


def read(*spans, direction=(1.0, 0.0)):
    blocks = [{"lines": [{"dir": direction, "spans": list(spans)}]}]
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
    sign = [(18, 20), (14, 18), (10, 10), (5, 10), (0, 5)]  # the alef takes no room of its own
    assert read(span("كمالغ", 0, 20, sign)) == "كملاغ"
    assert read(span("بكالت", 0, 20, [(15, 20), (10, 15), (5, 5.3), (2, 5.3), (0, 2)])) == "بكلات"
    assert read(span("البلد", 0, 20)) == "البلد"


def test_lines_that_are_turned_stay():
    assert read(span("עולם", 10, 30), span("שלום", 32, 60), direction=(0.0, 1.0)) == "עולםשלום"
