"""PDFs made on the spot become payloads."""

import io

import pymupdf
import pytest

from kohaku_lib.documents import NeedsOcrError, parse_file
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings

LINES = [f"This is line {n} of a text that says nothing and goes on to the" for n in range(5)]


def picture(width=120, height=90):
    pixmap = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, width, height))
    pixmap.clear_with(128)
    return pixmap.tobytes("png")


def saved(tmp_path, draw, name="a.pdf", **options):
    document = pymupdf.open()
    draw(document)
    document.save(tmp_path / name, **options)
    return tmp_path / name


def write(page, texts, y=100.0, size=11, font="helv"):
    for index, text in enumerate(texts):
        page.insert_text((72, y + 15 * index), text, fontsize=size, fontname=font)


def test_headings_paragraphs_pages_and_boxes(tmp_path):
    def draw(document):
        first = document.new_page()
        write(first, ["1 Start"], 80, 16, "hebo")
        write(first, LINES, 110)
        write(first, ["2 Middle"], 220, 16, "hebo")
        write(first, LINES, 250)
        write(document.new_page(), ["end of it."], 100)

    payload = parse_file(saved(tmp_path, draw))
    assert [section.title for section in payload.sections] == ["1 Start", "2 Middle"]
    bbox = payload.sections[1].metadata["bbox"]
    assert payload.sections[1].metadata == {"level": 1, "heading_path": ["2 Middle"], "page": 1, "bbox": bbox}
    assert bbox[1] < 220 < bbox[3] < 250
    (paragraph,) = payload.sections[1].paragraphs
    assert paragraph.text == " ".join([*LINES, "end of it."])
    assert paragraph.metadata["page_starts"] == [[len(" ".join(LINES)) + 1, 2]]
    x0, y0, _, y1 = paragraph.metadata["bbox"]
    assert (paragraph.metadata["page"], round(x0)) == (1, 72)
    assert (235 < y0 < 250, 310 < y1 < 320) == (True, True)
    assert payload.metadata == {"pages": 2}


def test_sections_by_page_on_request_and_without_headings(tmp_path):
    def draw(document):
        for number in (1, 2):
            write(document.new_page(), [f"Page text {number} that is not continued anywhere else."])

    path = saved(tmp_path, draw)
    by_headings, by_pages = (
        parse_file(path, settings=DocumentsSettings(sections=policy)) for policy in ("headings", "pages")
    )
    assert by_headings == by_pages
    assert [(s.title, s.metadata) for s in by_pages.sections] == [("Page 1", {"page": 1}), ("Page 2", {"page": 2})]


def test_a_ruled_table_is_one_paragraph_and_its_text_is_nowhere_else(tmp_path):
    def draw(document):
        page = document.new_page()
        write(page, ["Table 1: Colours of amber."], 90)
        for row, cells in enumerate([["Colour", "Share"], ["honey", "many"], ["white", "few"]]):
            for column, cell in enumerate(cells):
                box = pymupdf.Rect(72 + 100 * column, 110 + 20 * row, 172 + 100 * column, 130 + 20 * row)
                page.draw_rect(box)
                page.insert_text((box.x0 + 4, box.y1 - 6), cell, fontsize=10)
        write(page, ["After the table."], 220)

    payload = parse_file(saved(tmp_path, draw))
    table, after = payload.sections[0].paragraphs
    rows = "| Colour | Share |\n| --- | --- |\n| honey | many |\n| white | few |"
    assert table.text == f"Table 1: Colours of amber.\n{rows}"
    assert {key: table.metadata[key] for key in ("modality", "attachment_type")} == {
        "modality": "table",
        "attachment_type": "table",
    }
    assert after.text == "After the table."


def test_images_are_placeholders_once_and_small_ones_are_ignored(tmp_path):
    def draw(document):
        for _ in range(2):
            page = document.new_page()
            write(page, ["Some text above."], 60)
            page.insert_image(pymupdf.Rect(72, 100, 192, 190), stream=picture())
            page.insert_image(pymupdf.Rect(300, 100, 320, 120), stream=picture(20, 20))
            write(page, ["Figure 1: A grey box."], 205)

    payload = parse_file(saved(tmp_path, draw))
    images = [
        paragraph
        for section in payload.sections
        for paragraph in section.paragraphs
        if paragraph.metadata.get("attachment_type") == "image"
    ]
    assert len(images) == 1
    metadata = images[0].metadata
    size = metadata["image_data_size"]
    assert images[0].text == f"[Image page=1 idx=1 name={metadata['image_name']}] Size: 120x90, Data: {size}"
    assert metadata["page_caption"] == "Figure 1: A grey box."
    assert (metadata["image_width"], metadata["image_height"], metadata["has_image_data"]) == (120, 90, True)
    assert metadata["bbox"] == [72.0, 100.0, 192.0, 190.0]


def test_pages_without_text_are_named_where_others_have_some(tmp_path):
    def draw(document):
        write(document.new_page(), ["Some text that can be read."])
        document.new_page().insert_image(pymupdf.Rect(0, 0, 300, 300), stream=picture())

    payload = parse_file(saved(tmp_path, draw), settings=DocumentsSettings(ocr="off"))
    assert payload.metadata == {"pages": 2, "pages_without_text": [2]}


def test_a_picture_alone_needs_ocr(tmp_path):
    def draw(document):
        document.new_page().insert_image(pymupdf.Rect(0, 0, 300, 300), stream=picture())

    with pytest.raises(NeedsOcrError, match=r"needs OCR; set documents\.ocr"):
        parse_file(saved(tmp_path, draw), settings=DocumentsSettings(ocr="off"))


def test_blank_and_encrypted_documents_say_so(tmp_path):
    blank = saved(tmp_path, lambda document: document.new_page(), "blank.pdf")
    locked = saved(
        tmp_path,
        lambda document: write(document.new_page(), LINES),
        "locked.pdf",
        encryption=pymupdf.PDF_ENCRYPT_AES_256,
        user_pw="secret",
    )
    with pytest.raises(DocumentError, match=r"'blank\.pdf' contains only blank pages"):
        parse_file(blank)
    with pytest.raises(DocumentError, match=r"'locked\.pdf' is encrypted and needs a password"):
        parse_file(locked)


def test_an_owner_password_alone_does_not_lock_the_reader_out(tmp_path):
    path = saved(
        tmp_path,
        lambda document: write(document.new_page(), ["Open to all."]),
        encryption=pymupdf.PDF_ENCRYPT_AES_256,
        owner_pw="secret",
    )
    assert parse_file(path).text == "Open to all."


def test_raised_numbers_do_not_run_into_digits(tmp_path):
    def draw(document):
        page = document.new_page()
        text = "<p>It needs 10<sup>6</sup> steps and leaks 3 × 10<sup>-6</sup> mbar·l/s.</p>"
        page.insert_htmlbox(pymupdf.Rect(72, 72, 500, 200), text)

    assert parse_file(saved(tmp_path, draw)).text == "It needs 10^6 steps and leaks 3 × 10^-6 mbar·l/s."


def test_the_raised_mark_of_a_note_stays_apart_from_the_number_before_it(tmp_path):
    def draw(document):
        text = "<p>It boils at 250<sup>9</sup> °C, not at 181<sup>10</sup> °C, and costs 2.10<sup>3</sup> EUR.</p>"
        document.new_page().insert_htmlbox(pymupdf.Rect(72, 72, 500, 200), text)

    assert parse_file(saved(tmp_path, draw)).text == "It boils at 250⁹ °C, not at 181¹⁰ °C, and costs 2.10³ EUR."


def test_ligatures_are_the_letters_that_they_stand_for(tmp_path):
    def draw(document):
        document.new_page().insert_htmlbox(pymupdf.Rect(72, 72, 500, 200), "<p>An eﬃcient workﬂow, certiﬁed staﬀ.</p>")

    path = saved(tmp_path, draw)
    with pymupdf.open(path) as document:
        assert "ﬃ" in document[0].get_text(flags=pymupdf.TEXT_PRESERVE_LIGATURES)
    assert parse_file(path).text == "An efficient workflow, certified staff."


def test_a_raised_number_behind_a_unit_is_its_power(tmp_path):
    def draw(document):
        text = "The hall measures 42 m<sup>2</sup>, the tank holds 7 m<sup>3</sup>, Smith<sup>2</sup> says."
        document.new_page().insert_htmlbox(pymupdf.Rect(72, 72, 500, 200), f"<p>{text}</p>")

    assert parse_file(saved(tmp_path, draw)).text == "The hall measures 42 m², the tank holds 7 m³, Smith2 says."


@pytest.mark.parametrize("gutter", [16, 80])
def test_a_sentence_goes_on_in_the_next_column(tmp_path, gutter):
    left = ["In the winter the heating failed on six", "days. The contractor found that most of"]
    left += ["the devices were out of date. In the west", "wing, 38 thermo-"]
    right = ["stats were replaced within one week. The", "east wing follows in the summer. Pumps", "stay as they are."]

    def draw(document):
        page = document.new_page()
        width = max(pymupdf.get_text_length(text, fontsize=10.5) for text in left)
        for lines, x in ((left, 60), (right, 60 + width + gutter)):
            for index, text in enumerate(lines):
                page.insert_text((x, 82 + 14 * index), text, fontsize=10.5)

    text = " ".join(parse_file(saved(tmp_path, draw)).text.split())
    assert "In the west wing, 38 thermostats were replaced within one week. The east wing follows" in text


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_turned_text_is_read_as_if_upright(tmp_path, turn):
    def draw(document):
        page = document.new_page()
        for index, text in enumerate(LINES[:3]):
            origin = pymupdf.Point(100 + 15 * index, 600) if turn == 90 else None
            origin = origin or pymupdf.Point(100, 100 + 15 * index) if turn == 0 else origin
            origin = origin or (
                pymupdf.Point(500, 600 - 15 * index) if turn == 180 else pymupdf.Point(500 - 15 * index, 100)
            )
            page.insert_text(origin, text, rotate=turn)

    assert parse_file(saved(tmp_path, draw)).text == " ".join(LINES[:3])


def test_the_title_is_the_stated_one_else_the_largest_heading_else_the_stem(tmp_path):
    def draw(document):
        page = document.new_page()
        write(page, ["A Large Heading"], 80, 20, "hebo")
        write(page, LINES, 120)
        write(page, ["Second"], 240, 14, "hebo")
        write(page, LINES, 260)

    def stated(document):
        draw(document)
        document.set_metadata({"title": "A stated title"})

    titles = [
        parse_file(saved(tmp_path, stated)).title,
        parse_file(saved(tmp_path, draw)).title,
        parse_file(saved(tmp_path, lambda document: write(document.new_page(), LINES), "stem.pdf")).title,
    ]
    assert titles == ["A stated title", "A Large Heading", "stem"]


def test_nothing_is_printed(tmp_path, capfd):
    path = saved(tmp_path, lambda document: write(document.new_page(), LINES))
    damaged = tmp_path / "damaged.pdf"
    damaged.write_bytes(path.read_bytes()[:-200])
    parse_file(damaged)
    assert capfd.readouterr() == ("", "")


def test_a_scan_is_read_by_ocr(tmp_path):
    pytest.importorskip("rapidocr", reason="the [ocr] extra is not installed")

    def draw(document):
        page = document.new_page(width=300, height=120)
        page.insert_text((20, 60), "AMBER 2023", fontsize=36)
        scan = page.get_pixmap(dpi=150).tobytes("png")
        document.delete_page(0)
        document.new_page(width=300, height=120).insert_image(pymupdf.Rect(0, 0, 300, 120), stream=io.BytesIO(scan))

    payload = parse_file(saved(tmp_path, draw), settings=DocumentsSettings(ocr="rapidocr"))
    assert payload.text.replace(" ", "") == "AMBER2023"
