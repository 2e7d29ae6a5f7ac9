"""Word, PowerPoint and Excel files, written by the libraries of their formats, become payloads."""

import datetime
import io
import json
import zipfile

import docx
import openpyxl
import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from kohaku_lib.documents import (
    list_sources,
    parse_documents,
    parse_file,
    parse_paths,
    payload_from_json,
    payload_to_json,
)
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import CorpusSettings, DocumentsSettings

TABLE = {"modality": "table", "attachment_type": "table"}


def saved(document, path):
    document.save(path)
    return path


def parsed(path):
    payload = parse_file(path)
    assert payload_from_json(json.loads(json.dumps(payload_to_json(payload)))) == payload
    return payload


def outline(payload):
    return [(section.title, [paragraph.text for paragraph in section.paragraphs]) for section in payload.sections]


@pytest.fixture
def report(tmp_path):
    document = docx.Document()
    document.add_heading("Bees", 0)
    document.add_paragraph("Intro.")
    document.add_heading("Hives", 1)
    document.add_paragraph("one", style="List Bullet")
    document.add_paragraph("two", style="List Bullet")
    document.add_heading("Energy", 2)
    document.add_paragraph("Table 1: Energy.", style="Caption")
    table = document.add_table(3, 3)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Model"
    table.cell(0, 2).text = "MWh"
    table.cell(1, 0).merge(table.cell(2, 0)).text = "GPT"
    table.cell(1, 1).text, table.cell(1, 2).text = "3", "1,287"
    table.cell(2, 1).text, table.cell(2, 2).text = "2", "a|b"
    document.add_paragraph("Quoted.", style="Quote")
    document.sections[0].header.paragraphs[0].text = "running head"
    document.core_properties.title = ""
    document.core_properties.author = "Ann Bee"
    document.core_properties.created = datetime.datetime(2024, 5, 1, 12, 0)
    return saved(document, tmp_path / "report.docx")


def test_word_headings_lists_and_tables_come_by_style(report):
    assert outline(parsed(report)) == [
        ("Bees", ["running head"]),
        ("Bees", ["Intro."]),
        ("Hives", ["- one\n- two"]),
        (
            "Energy",
            [
                "Table 1: Energy.\n| Model | Model | MWh |\n| --- | --- | --- |\n| GPT | 3 | 1,287 |\n| GPT | 2 | a\\|b |",
                "Quoted.",
            ],
        ),
    ]


def test_word_tables_are_marked_and_have_their_caption(report):
    table, quote = parsed(report).sections[-1].paragraphs
    assert table.metadata == {**TABLE, "table_caption": "Table 1: Energy."}
    assert quote.metadata == {"block": "blockquote"}


def test_word_title_author_and_date_are_those_of_the_file(report, tmp_path):
    payload = parsed(report)
    assert (payload.title, payload.metadata) == ("Bees", {"author": "Ann Bee", "date": "2024-05-01"})
    document = docx.Document(str(report))
    document.core_properties.title = "All about bees"
    assert parsed(saved(document, tmp_path / "b.docx")).title == "All about bees"


def test_word_images_are_their_alternative_text_not_their_bytes(tmp_path):
    from PIL import Image

    picture = io.BytesIO()
    Image.new("RGB", (60, 60)).save(picture, "PNG")
    document = docx.Document()
    document.add_paragraph("Text.")
    document.add_picture(picture)
    document.inline_shapes[0]._inline.docPr.set("descr", "a bee")
    assert parsed(saved(document, tmp_path / "a.docx")).text == "Text.\n\na bee"


@pytest.fixture
def slides(tmp_path):
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "Bees"
    frame = slide.placeholders[1].text_frame
    frame.text = "one"
    deep = frame.add_paragraph()
    deep.text, deep.level = "two", 1
    slide.notes_slide.notes_text_frame.text = "Speak slowly."
    show.slides.add_slide(show.slide_layouts[6])
    slide = show.slides.add_slide(show.slide_layouts[6])
    low = slide.shapes.add_textbox(Inches(1), Inches(5), Inches(3), Inches(1))
    low.text_frame.text = "below"
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    table.cell(0, 0).merge(table.cell(0, 1))
    table.cell(0, 0).text, table.cell(1, 0).text, table.cell(1, 1).text = "both", "1", "2"
    group = slide.shapes.add_group_shape()
    inner = group.shapes.add_textbox(Inches(1), Inches(6), Inches(3), Inches(1))
    inner.text_frame.text = "grouped"
    data = CategoryChartData()
    data.categories = ["2022", "2023"]
    data.add_series("MWh", (1.5, 2))
    chart = slide.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(3), Inches(4), Inches(2), data
    ).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Energy"
    return saved(show, tmp_path / "slides.pptx")


def test_slides_are_sections_from_the_top_down_with_their_notes(slides):
    assert outline(parsed(slides)) == [
        ("Bees", ["- one\n  - two", "Speak slowly."]),
        (
            "Slide 3",
            [
                "| both | both |\n| --- | --- |\n| 1 | 2 |",
                "Energy\n|  | MWh |\n| --- | --- |\n| 2022 | 1.5 |\n| 2023 | 2 |",
                "below",
                "grouped",
            ],
        ),
    ]


def test_texts_and_tables_of_groups_within_groups_stand_apart(tmp_path):
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    outer = slide.shapes.add_group_shape()
    inner = outer.shapes.add_group_shape()
    for shapes, text, top in (
        (slide.shapes, "FIRST BOX", 1),
        (slide.shapes, "SECOND BOX", 2),
        (inner.shapes, "Pilot", 3),
    ):
        shapes.add_textbox(Inches(1), Inches(top), Inches(3), Inches(1)).text_frame.text = text
    assert outline(parsed(saved(show, tmp_path / "a.pptx"))) == [("Slide 1", ["FIRST BOX", "SECOND BOX", "Pilot"])]


def test_paragraphs_of_slides_have_their_page(slides):
    payload = parsed(slides)
    assert payload.metadata["pages"] == 3
    pages = [{paragraph.metadata["page"] for paragraph in section.paragraphs} for section in payload.sections]
    assert pages == [{1}, {3}]
    assert payload.title == "Bees"


@pytest.fixture
def book():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Energy"
    sheet.append(["Energy by model"])
    sheet.append(["model", "MWh", "share", "when", "old"])
    sheet.append(["GPT-3", 1287, 0.125, datetime.date(2020, 5, 1), True])
    sheet["C3"].number_format = "0.0%"
    sheet.append(["OPT", 324.5, None, datetime.datetime(2022, 1, 1, 10, 30), False])
    sheet.append([])
    sheet.append(["Source: our own."])
    big = book.create_sheet("Squares")
    for number in range(121):
        big.append(["n", "square"] if number == 0 else [number, number * number])
    book.create_sheet("Empty")
    return book


def test_sheets_are_sections_with_values_as_a_reader_sees_them(book, tmp_path):
    energy, squares = parsed(saved(book, tmp_path / "b.xlsx")).sections
    assert [paragraph.text for paragraph in energy.paragraphs] == [
        "Energy by model\n| model | MWh | share | when | old |\n| --- | --- | --- | --- | --- |\n"
        "| GPT-3 | 1287 | 12.5% | 2020-05-01 | TRUE |\n| OPT | 324.5 |  | 2022-01-01 10:30 | FALSE |",
        "Source: our own.",
    ]
    assert (energy.title, squares.title) == ("Energy", "Squares")


def test_a_long_sheet_becomes_tables_of_fifty_rows_with_the_header(book, tmp_path):
    _, squares = parsed(saved(book, tmp_path / "b.xlsx")).sections
    assert [len(paragraph.text.splitlines()) - 2 for paragraph in squares.paragraphs] == [50, 50, 20]
    assert [paragraph.metadata["first_row"] for paragraph in squares.paragraphs] == [2, 52, 102]
    assert all(paragraph.text.startswith("| n | square |\n") for paragraph in squares.paragraphs)
    assert squares.paragraphs[1].text.splitlines()[2] == "| 51 | 2601 |"


def test_formulas_without_stored_values_are_distinguished_from_an_empty_sheet(tmp_path):
    book = openpyxl.Workbook()
    book.active["A1"] = "=1+1"
    with pytest.raises(DocumentError, match="open and save it in a spreadsheet program"):
        parse_file(saved(book, tmp_path / "b.xlsx"))


@pytest.mark.parametrize("suffix", [".docx", ".pptx", ".xlsx"])
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "damaged or no"),
        (b"no zip", "damaged or no"),
        (b"PK\x03\x04 torn", "damaged or no"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 more", "is encrypted or in a format from before 2007"),
    ],
)
def test_files_that_are_no_office_files_are_refused_in_one_sentence(tmp_path, suffix, data, reason):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(data)
    with pytest.raises(DocumentError, match=reason):
        parse_file(path)


def zipped(path, name, data):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return path


def test_a_zip_file_of_another_kind_fails_alone(tmp_path, report):
    other = zipped(tmp_path / "other.docx", "a.txt", "x")
    outcomes = list(parse_paths([other, report], DocumentsSettings(), workers=1))
    assert [outcome.status for outcome in outcomes] == ["failed", "parsed"]
    assert outcomes[0].error.startswith("'other.docx' is a zip file, but not a .docx file; unpack it")


def test_an_office_file_of_another_kind_is_one_sentence_with_a_remedy(tmp_path, report):
    (tmp_path / "a.pptx").write_bytes(report.read_bytes())
    [outcome] = parse_paths([tmp_path / "a.pptx"], DocumentsSettings(), workers=1)
    assert outcome.error.startswith("'a.pptx' cannot be parsed (")
    assert outcome.error.endswith("); save it again")
    assert "\n" not in outcome.error


def test_what_unpacks_beyond_all_measure_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "x")
        archive.infolist()[0].file_size = 600 << 20  # what the file's directory says
    with pytest.raises(DocumentError, match="unpacks to 600 MiB"):
        parse_file(path)


def test_a_word_file_whose_entities_grow_without_bound_is_stopped(tmp_path, report):
    entities = "".join(f"<!ENTITY e{n} '{f'&e{n - 1};' * 10}'>" for n in range(1, 12))
    bomb = f"<?xml version='1.0'?><!DOCTYPE d [<!ENTITY e0 'bees'>{entities}]><d>&e11;</d>"
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(report) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            target.writestr(name, bomb if name == "word/document.xml" else source.read(name))
    [outcome] = parse_paths([path], DocumentsSettings(time_limit_s=20))
    assert outcome.status == "failed"


def test_a_sheet_that_takes_too_long_is_stopped_by_the_time_limit(tmp_path):
    cell = "<c t='inlineStr'><is><t>x</t></is></c>"
    sheet = "<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><sheetData>"
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    path = saved(book, tmp_path / "a.xlsx")
    rows = f"<row>{cell * 50}</row>" * 25_000
    slow = tmp_path / "slow.xlsx"
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(slow, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            is_sheet = name.endswith("sheet1.xml")
            target.writestr(name, f"{sheet}{rows}</sheetData></worksheet>" if is_sheet else source.read(name))
    outcomes = list(parse_paths([slow, path], DocumentsSettings(time_limit_s=2), workers=1))
    assert [outcome.status for outcome in outcomes] == ["failed", "parsed"]
    assert "takes longer than 2 s" in outcomes[0].error


def test_a_corpus_of_all_formats_is_parsed_with_its_types(report, slides, book, tmp_path):
    saved(book, tmp_path / "b.xlsx")
    (tmp_path / "page.html").write_text("<h1>Page</h1><p>text</p>")
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    corpus = CorpusSettings(documents=tmp_path)
    sources, _ = list_sources(corpus)
    table, outcome = parse_documents(sources, corpus, DocumentsSettings(), workers=1)
    assert outcome.problems == ()
    assert [row["mime_type"].rsplit(".", 1)[-1] for row in table.to_pylist()] == [
        "sheet",
        "text/html",
        "document",
        "text/csv",
        "presentation",
    ]
