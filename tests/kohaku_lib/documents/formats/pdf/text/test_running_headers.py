"""Running heads of PDFs made on the spot: what repeats with the pages goes, and text at their edges stays."""

import pymupdf
import pytest

from kohaku_lib.documents import parse_file
from kohaku_lib.settings import DocumentsSettings

PLAIN = DocumentsSettings(parser="blocks", sections="pages", ocr="off")
BODY = tuple(
    (72, 120 + 16 * row, f"This is body line {'abcdefghij'[row]} of the page, wide as text is.") for row in range(10)
)


def parsed(tmp_path, pages, settings=PLAIN):
    """Return the payload of a PDF whose pages are lists of (x, y of the baseline, text), 612 by 792 points."""
    document = pymupdf.open()
    for lines in pages:
        page = document.new_page(width=612, height=792)
        for x, y, text in lines:
            page.insert_text((x, y), text, fontsize=10)
    document.save(tmp_path / "a.pdf")
    return parse_file(tmp_path / "a.pdf", settings=settings)


def removed(tmp_path, pages):
    return parsed(tmp_path, pages).metadata.get("removed_lines", [])


def test_numbered_lines_that_fill_every_page_stay(tmp_path):
    pages = [
        [(72, 40 + 14.5 * row, f"Line {49 * page + row + 1} of the ledger") for row in range(49)] for page in range(3)
    ]
    payload = parsed(tmp_path, pages)
    assert [f"Line {number} of the ledger" in payload.text for number in range(1, 148)] == [True] * 147
    assert payload.metadata == {"pages": 3}


@pytest.mark.parametrize(
    "line",
    [
        "Step {0}: turn the wheel by {0} degrees.",
        "{0}. Close the valve and wait",
        "Question {0}",
        "Figure {0}: The pump",
        "{0}) Oil the hinge",
    ],
)
def test_a_numbered_line_at_the_top_of_every_page_stays_even_if_it_counts_them(tmp_path, line):
    pages = [[(72, 60, line.format(number)), *BODY] for number in range(1, 7)]
    assert removed(tmp_path, pages) == []


def test_steps_right_above_the_text_of_every_page_stay(tmp_path):
    pages = [[(72, 104, f"Turn the wheel at station {7 * number}"), *BODY] for number in range(1, 7)]
    assert removed(tmp_path, pages) == []


def test_the_letterhead_of_a_letter_and_its_last_lines_stay(tmp_path):
    first = [(72, 40, "Amber Works Ltd"), (72, 53, "5 Shore Road, Palanga, www.amber.example, phone 370 460 12"), *BODY]
    last = (72, 750, "Registered in Palanga, number 30512")
    assert removed(tmp_path, [[*first, last]]) == []
    assert removed(tmp_path, [[*first, last], [*BODY]]) == []


def test_a_heading_at_the_very_top_of_a_page_stays(tmp_path):
    headings = ["Note 3 - Leases", "Overview", "Item 7. - Discussion of results", "Note 4 - Debt", "PART IV"]
    assert removed(tmp_path, [[(72, 38, heading), *BODY] for heading in headings]) == []


def test_the_head_of_a_table_that_fills_every_page_stays(tmp_path):
    def row(y, *cells):
        return [(x, y, cell) for x, cell in zip((72, 250, 400), cells, strict=True)]

    pages = [
        [
            *row(60, "Customer", "Town", "Balance"),
            *(line for n in range(40) for line in row(76 + 16 * n, f"Name {page * 40 + n}", "Palanga", f"{n + 20}.50")),
        ]
        for page in range(6)
    ]
    assert removed(tmp_path, pages) == []


def test_a_running_head_and_its_page_numbers_go(tmp_path):
    pages = [[(72, 50, "Annual report of the works"), *BODY, (300, 750, f"{number}")] for number in range(1, 7)]
    assert removed(tmp_path, pages) == [
        line for number in range(1, 7) for line in ([number, "Annual report of the works"], [number, str(number)])
    ]


def test_a_running_head_with_the_page_number_on_its_outer_side_goes(tmp_path):
    pages = [
        [(72, 50, f"{number}") if number % 2 else (500, 50, f"{number}"), (200, 50, "The works at Palanga"), *BODY]
        for number in range(311, 319)
    ]
    assert len(removed(tmp_path, pages)) == 16


def test_the_running_heads_of_chapters_go(tmp_path):
    heads = ["The shore"] * 4 + ["The trade"] * 5 + ["The museum"] * 3
    pages = [[(72, 50, head), *BODY] for head in heads]
    assert removed(tmp_path, pages) == [[number, head] for number, head in enumerate(heads, 1)]


def test_a_running_head_that_changes_with_every_page_goes_by_its_page_number(tmp_path):
    words = ["Aback", "Badge", "Cable", "Dagger", "Eager", "Fable"]
    pages = [[(72, 50, word), (520, 50, f"{number}"), *BODY] for number, word in enumerate(words, 57)]
    assert removed(tmp_path, pages) == [
        [page, text] for page, word in enumerate(words, 1) for text in (word, str(56 + page))
    ]


def test_of_two_pages_goes_what_stands_on_both_apart_from_the_text(tmp_path):
    def pages(first, second):
        return [[(72, 50, "Amber Works Ltd"), (72, 104, first), *BODY, (300, 750, "Page 1 of 2")], [
            (72, 50, "Amber Works Ltd"), (72, 104, second), *BODY, (300, 750, "Page 2 of 2")
        ]]  # fmt: skip

    assert removed(tmp_path, pages("Rule 1 is about oil", "Rule 8 is about salt")) == [
        [1, "Amber Works Ltd"],
        [1, "Page 1 of 2"],
        [2, "Amber Works Ltd"],
        [2, "Page 2 of 2"],
    ]


def test_pages_of_a_document_that_was_cut_lose_their_numbers_too(tmp_path):
    numbers = [4, 9, 10, 31, 32, 77]
    pages = [[*BODY, (72, 750, f"Handbook, part {n // 10}"), (520, 750, f"{n}")] for n in numbers]
    assert [line for _, line in removed(tmp_path, pages)][1::2] == [str(n) for n in numbers]


def test_what_was_removed_stays_on_request(tmp_path):
    pages = [[(72, 50, "Annual report of the works"), *BODY, (300, 750, f"{n}")] for n in (1, 2, 3)]
    payload = parsed(
        tmp_path, pages, DocumentsSettings.from_json({**PLAIN.model_dump(mode="json"), "headers_footers": "keep"})
    )
    assert payload.metadata == {"pages": 3}
    assert payload.text.count("Annual report of the works") == 3
    assert "2" in [paragraph.text for section in payload.sections for paragraph in section.paragraphs]


def test_a_row_of_a_table_at_an_edge_stays_though_a_number_stands_in_it_alone(tmp_path):
    total = [(72, 760, "Total"), (250, 760, "3"), (430, 760, "120.00 EUR")]
    assert removed(tmp_path, [[*BODY, *total]]) == []
