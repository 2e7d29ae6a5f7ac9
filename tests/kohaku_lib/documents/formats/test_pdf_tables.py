"""Tables of real shapes, drawn on pages and read back: every cell is compared."""

from pathlib import Path

import pymupdf
import pytest

from kohaku_lib.documents.formats.pdf.parse_pdf import parse_pdf
from kohaku_lib.documents.payloads import payload_from_json, payload_to_json
from kohaku_lib.settings import DocumentsSettings, TreeSettings
from kohaku_lib.tables import ParagraphPayload
from kohaku_lib.tree.flatten import flatten

PROSE = "The work of the year went on as planned in all of the plants, and no part of it was left undone."


class Sheet:
    """A document whose pages are written at given places."""

    def __init__(self, path: Path) -> None:
        self.path, self.document = path, pymupdf.open()

    def page(self):
        page = self.document.new_page()
        page.insert_text((50, 780), PROSE[:70], fontsize=9)
        return page

    def tables(self) -> list[ParagraphPayload]:
        self.document.save(self.path)
        payload = parse_pdf(self.path, "d", DocumentsSettings(parser="blocks"))
        paragraphs = [paragraph for section in payload.sections or () for paragraph in section.paragraphs]
        return [paragraph for paragraph in paragraphs if paragraph.metadata.get("modality") == "table"]


@pytest.fixture
def sheet(tmp_path):
    return Sheet(tmp_path / "d.pdf")


def write(page, y, *cells, size=9, bold=False):
    """Write texts at the given x; a text with "<" at its end ends there instead."""
    font = "hebo" if bold else "helv"
    for x, text in cells:
        width = pymupdf.get_text_length(text.rstrip("<"), font, size)
        page.insert_text((x - width if text.endswith("<") else x, y), text.rstrip("<"), fontsize=size, fontname=font)


def centred(page, y, *cells, size=9):
    for x, text in cells:
        page.insert_text((x - pymupdf.get_text_length(text, "hebo", size) / 2, y), text, fontsize=size, fontname="hebo")


def rules(page, y, *spans):
    for start, end in spans:
        page.draw_line((start, y), (end, y), width=0.6)


def grid(page, xs, ys, skip=()):
    """Draw the edges of all cells; `skip` names ("right"/"below", row, column) that are not drawn."""
    for row in range(len(ys) - 1):
        page.draw_line((xs[0], ys[row]), (xs[0], ys[row + 1]), width=0.6)
        for column in range(len(xs) - 1):
            if ("right", row, column) not in skip:
                page.draw_line((xs[column + 1], ys[row]), (xs[column + 1], ys[row + 1]), width=0.6)
            if ("below", row, column) not in skip:
                page.draw_line((xs[column], ys[row + 1]), (xs[column + 1], ys[row + 1]), width=0.6)
    page.draw_line((xs[0], ys[0]), (xs[-1], ys[0]), width=0.6)


def rows_of(table: ParagraphPayload) -> list[list[str]]:
    lines = [line for line in table.text.split("\n") if line.startswith("|") and "---" not in line]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def statement(page, top=100):
    """A table of a report: heads over two columns with rules beneath, signs apart from numbers, a wrapped label."""
    centred(page, top, (355, "Year ended June 30,"))
    rules(page, top + 3, (260, 450))
    write(page, top + 14, (50, "(in millions)"))
    centred(page, top + 14, (305, "2023"), (405, "2022"))
    rules(page, top + 17, (50, 240), (260, 350), (360, 450))
    write(page, top + 29, (50, "Net sales"), (262, "$"), (345, "1,690<"), (362, "$"), (445, "1,480<"))
    write(page, top + 43, (50, "Other costs:"))
    write(page, top + 57, (58, "Net costs for significant"))
    write(page, top + 68, (58, "litigation"), (345, "(205)<"), (445, "-<"))
    write(page, top + 82, (58, "Share of sales"), (345, "12.5 %<"), (445, "9.1 %<"))


STATEMENT = [
    ["(in millions)", "Year ended June 30, 2023", "Year ended June 30, 2022"],
    ["Net sales", "$ 1,690", "$ 1,480"],
    ["Other costs:", "", ""],
    ["Net costs for significant litigation", "(205)", "-"],
    ["Share of sales", "12.5 %", "9.1 %"],
]


def test_a_statement_keeps_heads_signs_and_wrapped_labels(sheet):
    statement(sheet.page())
    (table,) = sheet.tables()
    assert rows_of(table) == STATEMENT


def test_two_statements_with_their_own_heads_are_two_tables(sheet):
    page = sheet.page()
    statement(page, 100)
    statement(page, 215)
    assert [rows_of(table) for table in sheet.tables()] == [STATEMENT, STATEMENT]


def test_rows_say_their_page_and_place(sheet):
    statement(sheet.page())
    (table,) = sheet.tables()
    assert table.sentences is not None
    first = table.sentences[0]
    assert first.text == "| Net sales | $ 1,690 | $ 1,480 |"
    assert first.metadata["page"] == 1
    x0, y0, x1, y1 = first.metadata["bbox"]
    assert (x0, x1) == (pytest.approx(50, abs=1), pytest.approx(445, abs=1))
    assert 110 < y0 < 129 < y1 < 140


def test_rows_become_sentences_that_name_their_columns(sheet):
    statement(sheet.page())
    sheet.document.save(sheet.path)
    payload = parse_pdf(sheet.path, "d", DocumentsSettings())
    again = payload_from_json(payload_to_json(payload))
    nodes = flatten(again, "default", {}, TreeSettings()).table().to_pylist()
    rows = [node for node in nodes if node["kind"] == "sentence" and node["modality"] == "table"]
    assert rows[0]["text"] == "Net sales — Year ended June 30, 2023: $ 1,690; Year ended June 30, 2022: $ 1,480"
    assert rows[1]["text"].startswith("Other costs, Net costs for significant litigation — ")
    assert all(row["page"] == 1 and len(row["bbox"]) == 4 for row in rows)


def test_narrow_numbers_stay_in_their_columns(sheet):
    page = sheet.page()
    centred(page, 90, (230, "ReACT"), (320, "Plan"))
    centred(
        page,
        104,
        (55, "#"),
        (100, "Task"),
        (200, "Score"),
        (230, "Time"),
        (260, "Knows"),
        (290, "Score"),
        (320, "Time"),
        (350, "Knows"),
        size=7,
    )
    rules(page, 108, (50, 365))
    for row, (name, values) in enumerate({"Sorting": "123456", "Mixing": "654321", "Finding": "142536"}.items()):
        numbers = [(194 + 30 * at, f"0.{value}0") for at, value in enumerate(values)]
        write(page, 120 + 12 * row, (53, str(row + 1)), (85, name), *numbers, size=7)
    (table,) = sheet.tables()
    heads = [f"{group} {head}" for group in ("ReACT", "Plan") for head in ("Score", "Time", "Knows")]
    assert rows_of(table) == [
        ["#", "Task", *heads],
        ["1", "Sorting", "0.10", "0.20", "0.30", "0.40", "0.50", "0.60"],
        ["2", "Mixing", "0.60", "0.50", "0.40", "0.30", "0.20", "0.10"],
        ["3", "Finding", "0.10", "0.40", "0.20", "0.50", "0.30", "0.60"],
    ]


@pytest.mark.parametrize("labels", [["Assets"], ["Assets", "Current assets:"], ["Stores", "Abroad", "In the north"]])
def test_headers_may_be_separated_from_the_numbers_by_labels(sheet, labels):
    page = sheet.page()
    write(page, 100, (280, "January 28, 2023<"), (380, "January 29, 2022<"))
    for at, label in enumerate(labels):
        write(page, 115 + 15 * at, (50, label))
    for at, name in enumerate(("Cash", "Receivables", "Inventories")):
        y = 115 + 15 * (len(labels) + at)
        write(page, y, (50, name), (280, f"{at + 1},874<"), (380, f"{at + 2},936<"))
    [table] = sheet.tables()
    assert rows_of(table)[0] == ["", "January 28, 2023", "January 29, 2022"]
    assert [row[0] for row in rows_of(table)[1:]] == [*labels, "Cash", "Receivables", "Inventories"]


def test_labels_without_heads_above_them_are_no_part_of_a_table(sheet):
    page = sheet.page()
    write(page, 85, (50, PROSE[:80]))
    write(page, 115, (50, "Assets"))
    for at, name in enumerate(("Cash", "Receivables", "Inventories")):
        write(page, 130 + 15 * at, (50, name), (280, f"{at + 1},874<"), (380, f"{at + 2},936<"))
    [table] = sheet.tables()
    assert rows_of(table)[0] == ["", "", ""]
    assert table.metadata["table_caption"] == "Assets"


def test_a_head_may_reach_left_over_the_narrow_numbers_beneath_it(sheet):
    page = sheet.page()
    write(page, 100, (330, "Parts of the change<"))
    for at, name in enumerate(("Wages and other costs of the staff", "Rent", "Power", "Freight")):
        write(page, 120 + 15 * at, (50, name), (300, f"{at + 2} %<"))
    [table] = sheet.tables()
    assert rows_of(table)[0] == ["", "Parts of the change"]


def test_a_table_of_contents_is_no_table(sheet):
    page = sheet.page()
    for row, title in enumerate(("Business", "Risk factors", "Properties", "Legal matters", "Results", "Exhibits")):
        write(page, 100 + 14 * row, (50, title), (500, str(4 + 7 * row)))
    assert sheet.tables() == []


def test_numbered_prose_in_two_columns_is_no_table(sheet):
    page = sheet.page()
    for row in range(12):
        write(
            page,
            100 + 12 * row,
            (50, f"In 20{row + 10} the plant made {row} more units"),
            (320, f"and some {row + 3} were kept in the store of it"),
        )
    assert sheet.tables() == []


def test_a_grid_repeats_heads_over_columns_and_fills_labels_down(sheet):
    page = sheet.page()
    xs, ys = (50, 150, 250, 350), (100, 120, 140, 160, 180)
    grid(page, xs, ys, {("right", 0, 1), ("below", 0, 0), ("below", 2, 0)})
    write(page, 114, (205, "Energy in kWh"))
    write(page, 134, (60, "Model"), (180, "2022"), (280, "2023"))
    write(page, 154, (60, "small"), (180, "45"), (280, "47"))
    write(page, 174, (180, "48"), (280, "52"))
    (table,) = sheet.tables()
    assert rows_of(table) == [
        ["Model", "Energy in kWh 2022", "Energy in kWh 2023"],
        ["small", "45", "47"],
        ["small", "48", "52"],
    ]


def test_rows_without_rules_between_are_split_by_their_baselines(sheet):
    page = sheet.page()
    grid(page, (50, 200, 300, 400), (100, 120, 170))
    write(page, 114, (60, "State"), (210, "Permits"), (310, "Checks"))
    for row, cells in enumerate(
        (("Alabama", "18,870", "71,137"), ("Alaska", "209", "7,095"), ("Arizona", "2,303", "27,087"))
    ):
        write(page, 134 + 14 * row, (60, cells[0]), (210, cells[1]), (310, cells[2]))
    (table,) = sheet.tables()
    assert rows_of(table)[1:] == [
        ["Alabama", "18,870", "71,137"],
        ["Alaska", "209", "7,095"],
        ["Arizona", "2,303", "27,087"],
    ]
    places = [sentence.metadata["bbox"][1] for sentence in table.sentences or ()]
    assert places == sorted(set(places))


def test_wrapped_words_in_a_grid_stay_one_row(sheet):
    page = sheet.page()
    grid(page, (50, 200, 400), (100, 120, 160))
    write(page, 114, (60, "Column"), (210, "Meaning"))
    write(page, 134, (60, "USAGE of the"), (210, "Says whether the profile is"))
    write(page, 148, (60, "function"), (210, "allowed to use the function."))
    (table,) = sheet.tables()
    assert rows_of(table)[1] == ["USAGE of the function", "Says whether the profile is allowed to use the function."]


def test_the_first_row_over_all_columns_is_the_caption(sheet):
    page = sheet.page()
    grid(page, (50, 200, 300), (100, 120, 140, 160), {("right", 0, 0)})
    write(page, 114, (100, "Power drawn by each of the models"))
    write(page, 134, (60, "Model"), (210, "Watts"))
    write(page, 154, (60, "small"), (210, "45"))
    (table,) = sheet.tables()
    assert table.metadata["table_caption"] == "Power drawn by each of the models"
    assert rows_of(table) == [["Model", "Watts"], ["small", "45"]]


def test_a_table_over_two_pages_is_one_and_has_its_header_once(sheet):
    for page_number in range(2):
        page = sheet.page()
        top = 700 if page_number == 0 else 60
        grid(
            page, (50, 200, 300), (top, top + 20, top + 40, top + 60) if page_number == 0 else (top, top + 20, top + 40)
        )
        write(page, top + 14, (60, "Model"), (210, "Watts"))
        for row in range(2 if page_number == 0 else 1):
            write(
                page,
                top + 34 + 20 * row,
                (60, f"model {'abc'[2 * page_number + row]}"),
                (210, f"{45 + row + page_number}"),
            )
    (table,) = sheet.tables()
    assert rows_of(table) == [["Model", "Watts"], ["model a", "45"], ["model b", "46"], ["model c", "46"]]
    assert table.metadata["table_pages"] == [1, 2]
    assert [sentence.metadata["page"] for sentence in table.sentences or ()] == [1, 1, 2]


EDGES = (50, 200, 320, 440)
PLACES = ("Place", "Street", "Keeper")
OAKS, ELMS = [("Oakham", "Mill Lane", "Ada"), ("Oakley", "High Road", "Ben")], [("Elmton", "Low Road", "Cid")] * 2
CODES = [("Melamine", "203-615-4", "108-78-1"), ("Anthracene", "204-371-1", "120-12-7")]
MORE_CODES = [("Formamide", "200-842-0", "75-12-7"), ("Styrene", "202-851-5", "100-42-5")]


def ruled_rows(page, top, rows, *, bold_head=False, xs=EDGES):
    """Draw a table with rules; the first row is in bold with `bold_head`."""
    grid(page, xs, [top + 20 * at for at in range(len(rows) + 1)])
    for at, row in enumerate(rows):
        write(page, top + 14 + 20 * at, *zip([x + 5 for x in xs], row, strict=False), bold=bold_head and at == 0)


def write_furniture(page, number):
    """Write a running head and foot so close to the table that they may pass for rows of it."""
    write(page, 56, (50, "List of the year"))
    write(page, 770, (50, f"Page {number} of 3, with no warranty"))


@pytest.mark.parametrize("has_furniture", [False, True])
@pytest.mark.parametrize("bold_head", [False, True])
@pytest.mark.parametrize(
    ("head", "parts"),
    [
        (PLACES, [OAKS, ELMS, OAKS]),
        (("Substance", "EC number", "CAS number"), [CODES, MORE_CODES, CODES]),
        (("Model", "Watts", "Price"), [[("small", "45", "19.50")] * 2, [("large", "260", "99.00")] * 2]),
    ],
)
def test_rows_on_the_next_pages_without_a_header_have_the_columns_of_the_first(
    sheet, head, parts, bold_head, has_furniture
):
    for number, rows in enumerate(parts, 1):
        page = sheet.document.new_page()
        ruled_rows(page, 60, [head, *rows] if number == 1 else rows, bold_head=bold_head and number == 1)
        if has_furniture:
            write_furniture(page, number)
    (table,) = sheet.tables()
    assert rows_of(table) == [list(row) for row in (head, *(row for rows in parts for row in rows))]
    assert table.metadata["table_pages"] == list(range(1, len(parts) + 1))
    pages = [number for number, rows in enumerate(parts, 1) for _ in rows]
    assert table.sentences is not None
    assert [sentence.metadata["page"] for sentence in table.sentences] == pages
    heights = [sentence.metadata["bbox"][3] - sentence.metadata["bbox"][1] for sentence in table.sentences]
    assert heights == [pytest.approx(20, abs=1)] * len(heights)


def test_the_pages_of_a_table_may_have_their_margins_on_either_side(sheet):
    ruled_rows(sheet.document.new_page(), 60, [PLACES, *OAKS])
    ruled_rows(sheet.document.new_page(), 60, ELMS, xs=[x + 30 for x in EDGES])
    (table,) = sheet.tables()
    assert [row[0] for row in rows_of(table)] == ["Place", "Oakham", "Oakley", "Elmton", "Elmton"]


def test_rows_on_the_next_page_are_told_with_the_names_of_their_columns(sheet):
    ruled_rows(sheet.document.new_page(), 60, [PLACES, *OAKS])
    ruled_rows(sheet.document.new_page(), 60, ELMS[:1] + OAKS)
    sheet.document.save(sheet.path)
    nodes = flatten(parse_pdf(sheet.path, "d", DocumentsSettings()), "default", {}, TreeSettings()).table().to_pylist()
    rows = [node["text"] for node in nodes if node["kind"] == "sentence" and node["modality"] == "table"]
    assert "Elmton — Street: Low Road; Keeper: Cid" in rows


@pytest.mark.parametrize(
    ("between", "on_first_page"),
    [
        ("The trees of the other county are told below.", False),
        ("The trees of the other county are told below.", True),
        ("Table 2: Trees of the county", False),
    ],
)
def test_a_text_or_a_caption_between_two_tables_keeps_them_apart(sheet, between, on_first_page):
    for is_first, rows in ((True, [PLACES, *OAKS]), (False, ELMS)):
        page = sheet.document.new_page()
        ruled_rows(page, 60 if is_first else 80, rows)
        if is_first == on_first_page:
            write(page, 200 if is_first else 70, (50, between))
    assert [len(rows_of(table)) for table in sheet.tables()] == [3, 2]


@pytest.mark.parametrize("rows", [CODES, [("Oslo", "717", "1048"), ("Rome", "2748", "753")]])
def test_words_above_numbers_are_the_header_of_another_table(sheet, rows):
    ruled_rows(sheet.document.new_page(), 60, [PLACES, *OAKS])
    ruled_rows(sheet.document.new_page(), 60, [("Name", "Sign", "Mark"), *rows])
    assert [rows_of(table)[0] for table in sheet.tables()] == [list(PLACES), ["Name", "Sign", "Mark"]]


def test_a_bold_first_row_is_the_header_of_another_table(sheet):
    for head, rows in ((PLACES, OAKS), (("Tree", "Soil", "Shade"), ELMS)):
        ruled_rows(sheet.document.new_page(), 60, [head, *rows], bold_head=True)
    assert [rows_of(table)[0] for table in sheet.tables()] == [list(PLACES), ["Tree", "Soil", "Shade"]]


def test_columns_of_other_widths_are_those_of_another_table(sheet):
    ruled_rows(sheet.document.new_page(), 60, [PLACES, *OAKS])
    ruled_rows(sheet.document.new_page(), 60, ELMS, xs=(50, 160, 320, 440))
    assert [len(rows_of(table)) for table in sheet.tables()] == [3, 2]


def test_equal_headers_below_numbered_captions_are_those_of_two_tables(sheet):
    for number in (1, 2):
        page = sheet.document.new_page()
        write(page, 70, (50, f"Table {number}: Trees of county {number}"))
        ruled_rows(page, 80, [PLACES, *OAKS])
    assert [table.metadata["table_caption"] for table in sheet.tables()] == [
        "Table 1: Trees of county 1",
        "Table 2: Trees of county 2",
    ]
