"""Figures of PDFs made on the spot: what is one, what is none, and which words belong to it."""

import io

import pymupdf
import pytest
from PIL import Image

from kohaku_lib.documents import parse_file
from kohaku_lib.settings import DocumentsSettings

PROSE = [f"This is line {n} of a text that says nothing at all and goes on to the" for n in range(6)]
PLAIN = DocumentsSettings(ocr="off")
BARS = (60, 95, 40, 80, 110)


def saved(tmp_path, draw, name="a.pdf"):
    document = pymupdf.open()
    draw(document)
    document.save(tmp_path / name)
    return tmp_path / name


def write(page, texts, y=60.0, x=72.0, size=10, font="helv"):
    page.insert_textbox(
        pymupdf.Rect(x, y, x + 400, y + 14 * len(texts) + 8), "\n".join(texts), fontsize=size, fontname=font
    )


def bar_chart(page, x=100.0, bottom=320.0):
    for index, height in enumerate(BARS):
        left = x + 40 * index
        page.draw_rect(pymupdf.Rect(left, bottom - height, left + 20, bottom), fill=(0.1, 0.3, 0.8), color=None)
        page.insert_text((left, bottom + 10), str(2018 + index), fontsize=8)
    page.draw_line((x - 5, bottom), (x + 200, bottom))
    for step in (0, 50, 100):
        page.insert_text((x - 24, bottom - step + 3), str(step), fontsize=8)


def curve(page, box):
    points = [pymupdf.Point(box.x0 + box.width * t / 3, box.y0 + box.height * (t % 2)) for t in range(4)]
    for start in (0, 0.3, 0.6):
        shift = pymupdf.Point(0, start * 10)
        page.draw_bezier(*(point + shift for point in points))
    page.draw_rect(box)


def raster(width=120, height=90, first=(200, 30, 30), second=(20, 20, 120)):
    picture = Image.new("RGB", (width, height), first)
    picture.paste(second, (0, 0, width // 2, height // 2))
    sink = io.BytesIO()
    picture.save(sink, "PNG")
    return sink.getvalue()


def parts(path):
    """Return the figures' metadata and the texts of all other paragraphs."""
    paragraphs = [p for section in parse_file(path, settings=PLAIN).sections for p in section.paragraphs]
    figures = [p.metadata for p in paragraphs if p.metadata.get("modality") == "image"]
    return figures, [p.text for p in paragraphs if p.metadata.get("modality") != "image"]


def test_a_chart_made_of_bars_is_a_figure_with_its_ticks_and_its_caption(tmp_path):
    def draw(document):
        page = document.new_page()
        write(page, PROSE)
        bar_chart(page)
        write(page, ["Figure 1: Yield of amber by year."], 345)
        write(page, PROSE, 400)

    (figure,), texts = parts(saved(tmp_path, draw))
    assert (figure["image_name"], figure["xref"], figure["page_caption"]) == (
        "drawing",
        None,
        "Figure 1: Yield of amber by year.",
    )
    assert set(figure["figure_text"].split()) == {"0", "50", "100", "2018", "2019", "2020", "2021", "2022"}
    x0, y0, x1, y1 = figure["bbox"]
    assert (x0 <= 78, y0 <= 211, x1 >= 280, 325 <= y1 <= 345) == (True, True, True, True)
    assert texts == [" ".join(PROSE), " ".join(PROSE)]


def test_the_size_of_a_drawn_figure_is_that_at_150_dots_per_inch(tmp_path):
    def draw(document):
        page = document.new_page()
        write(page, PROSE)
        curve(page, pymupdf.Rect(72, 200, 216, 296))

    (figure,), _ = parts(saved(tmp_path, draw))
    assert (figure["image_width"], figure["image_height"]) == (pytest.approx(300, abs=6), pytest.approx(200, abs=26))
    assert (figure["has_image_data"], figure["image_data_size"]) == (True, None)


def test_a_caption_above_is_found_whole_over_its_lines(tmp_path):
    def draw(document):
        page = document.new_page()
        write(page, ["FIGURE 2 - How the yield of amber has grown over all", "of the years since records began."], 80)
        curve(page, pymupdf.Rect(72, 120, 300, 260))
        write(page, PROSE, 330)

    (figure,), texts = parts(saved(tmp_path, draw))
    assert figure["page_caption"] == (
        "FIGURE 2 - How the yield of amber has grown over all of the years since records began."
    )
    assert texts == [" ".join(PROSE)]


def test_a_label_alone_takes_the_text_beneath_it_as_the_rest_of_the_caption(tmp_path):
    def draw(document):
        page = document.new_page()
        curve(page, pymupdf.Rect(72, 120, 300, 260))
        page.insert_text((72, 280), "Figure 3", fontsize=10, fontname="hebo")
        page.insert_text((72, 293), "Amber rooms of the north", fontsize=9)
        write(page, PROSE, 330)

    (figure,), texts = parts(saved(tmp_path, draw))
    assert figure["page_caption"] == "Figure 3 Amber rooms of the north"
    assert texts == [" ".join(PROSE)]


def test_the_parts_of_a_figure_share_its_caption_and_are_one(tmp_path):
    def draw(document):
        page = document.new_page()
        curve(page, pymupdf.Rect(72, 100, 200, 200))
        curve(page, pymupdf.Rect(240, 100, 368, 200))
        page.insert_text((130, 212), "(a)", fontsize=8)
        page.insert_text((300, 212), "(b)", fontsize=8)
        write(page, ["Figure 4. Growth of two rooms over the years, by season."], 222)

    (figure,), texts = parts(saved(tmp_path, draw))
    assert figure["page_caption"] == "Figure 4. Growth of two rooms over the years, by season."
    assert (figure["figure_text"], texts) == ("(a)\n(b)", [])


def test_figures_in_two_columns_are_separate_where_text_is_between(tmp_path):
    def draw(document):
        page = document.new_page()
        for left in (60, 320):
            box = pymupdf.Rect(left, 20, left + 220, 240)
            page.insert_textbox(box, " ".join(PROSE * 2), fontsize=9)
        curve(page, pymupdf.Rect(60, 300, 312, 400))
        curve(page, pymupdf.Rect(318, 260, 540, 400))
        write(page, ["Figure 5. The left one", "of the two."], 408, 60)
        write(page, ["Figure 6. The right one", "of the two."], 408, 320)
        page.insert_textbox(pymupdf.Rect(60, 230, 280, 300), " ".join(PROSE[:3]), fontsize=9)

    figures, _ = parts(saved(tmp_path, draw))
    assert sorted(figure["page_caption"] for figure in figures) == [
        "Figure 5. The left one of the two.",
        "Figure 6. The right one of the two.",
    ]


def shaded_table(page):
    for row in range(8):
        page.draw_rect(pymupdf.Rect(72, 100 + 20 * row, 450, 110 + 20 * row), fill=(0.9, 0.9, 1), color=None)
        page.insert_text((75, 108 + 20 * row), f"Item number {row}", fontsize=9)
        for column in range(3):
            page.insert_text((230 + 80 * column, 108 + 20 * row), f"{row + column},{row}00", fontsize=9)


def frame_of_prose(page):
    page.draw_rect(pymupdf.Rect(60, 50, 500, 160), fill=(0.9, 0.95, 1))
    write(page, PROSE)


def rules(page):
    for y in (40, 200, 700):
        page.draw_line((72, y), (500, y))
    page.draw_line((72, 75), (130, 75))
    write(page, PROSE)


def bullets(page):
    for y in (100, 120, 140):
        page.draw_circle((80, y), 3, fill=(0, 0, 0))
        page.insert_text((90, y + 3), "An item of a list that has some words", fontsize=10)


def page_background(page):
    page.draw_rect(page.rect, fill=(0.95, 1, 0.95))
    write(page, PROSE)


@pytest.mark.parametrize("draw", [shaded_table, frame_of_prose, rules, bullets, page_background])
def test_what_is_drawn_but_no_figure(tmp_path, draw):
    figures, texts = parts(saved(tmp_path, lambda document: draw(document.new_page())))
    assert figures == []
    assert texts


def test_pieces_that_tile_an_image_are_one_figure(tmp_path):
    def draw(document):
        page = document.new_page()
        write(page, PROSE)
        for index in range(4):
            stream = raster(first=(index, 90, 90))
            page.insert_image(
                pymupdf.Rect(72, 200 + 40 * index, 300, 240 + 40 * index), stream=stream, keep_proportion=False
            )
        write(page, ["Fig. 7. A panel in four strips."], 365)

    (figure,), _ = parts(saved(tmp_path, draw))
    assert (figure["page_caption"], figure["bbox"]) == ("Fig. 7. A panel in four strips.", [72.0, 200.0, 300.0, 360.0])


def test_arrows_and_words_over_an_image_make_it_a_drawn_figure(tmp_path):
    def draw(document):
        page = document.new_page()
        page.insert_image(pymupdf.Rect(72, 100, 272, 250), stream=raster(), keep_proportion=False)
        page.insert_text((90, 150), "Keyway", fontsize=9)
        for y in (140, 180, 220):
            page.draw_line((150, 150), (210, y))

    (figure,), texts = parts(saved(tmp_path, draw))
    assert (figure["image_name"], figure["figure_text"], texts) == ("drawing", "Keyway", [])


def test_an_image_alone_keeps_its_own_pixels(tmp_path):
    def draw(document):
        page = document.new_page()
        write(page, PROSE)
        page.insert_image(pymupdf.Rect(72, 200, 192, 290), stream=raster(240, 180))

    (figure,), _ = parts(saved(tmp_path, draw))
    assert isinstance(figure["xref"], int)
    assert (figure["image_width"], figure["image_height"]) == (240, 180)


def test_a_mirrored_image_is_drawn_as_the_page_shows_it(tmp_path):
    def draw(document):
        page = document.new_page()
        write(page, PROSE)
        page.insert_image(pymupdf.Rect(72, 200, 192, 290), stream=raster())
        (xref,) = [item for item in page.get_contents() if b"/fzImg" in document.xref_stream(item)]
        content = document.xref_stream(xref).replace(b"120 0 0 90 72", b"-120 0 0 90 192")
        document.update_stream(xref, content)

    (figure,), _ = parts(saved(tmp_path, draw))
    assert figure["xref"] is None


def test_an_image_within_the_page_s_own_content_is_found(tmp_path):
    def draw(document):
        page = document.new_page()
        write(page, PROSE)
        pixels = bytes(range(64)) * 64
        inline = b"q 150 0 0 150 72 300 cm BI /W 64 /H 64 /CS /G /BPC 8 ID " + pixels + b" EI Q"
        (content, *_) = page.get_contents()
        document.update_stream(content, document.xref_stream(content) + b"\n" + inline)

    (figure,), _ = parts(saved(tmp_path, draw))
    assert (figure["xref"], figure["bbox"]) == (None, [72.0, 392.0, 222.0, 542.0])


def test_an_image_on_every_page_is_decoration_and_one_on_two_counts_once(tmp_path):
    logo, chart = raster(100, 60), raster(first=(0, 200, 0))

    def draw(document):
        for number in range(3):
            page = document.new_page()
            page.insert_image(pymupdf.Rect(400, 30, 500, 90), stream=logo)
            write(page, [*PROSE, f"Page {number}."], 120)
            if number:
                page.insert_image(pymupdf.Rect(72, 300, 192 + 10 * number, 390), stream=chart)

    figures, _ = parts(saved(tmp_path, draw))
    assert [(figure["page"], figure["image_width"]) for figure in figures] == [(2, 120)]


def test_different_charts_in_the_same_place_of_many_pages_stay(tmp_path):
    def draw(document):
        for number in range(4):
            page = document.new_page()
            write(page, PROSE)
            curve(page, pymupdf.Rect(72, 300, 300, 420))
            page.insert_text((100, 360), f"Room {number}", fontsize=8)

    assert len(parts(saved(tmp_path, draw))[0]) == 4


def test_a_scan_beneath_its_own_text_is_no_figure(tmp_path):
    def draw(document):
        page = document.new_page()
        page.insert_image(page.rect, stream=raster(600, 800), keep_proportion=False)
        write(page, PROSE)

    figures, texts = parts(saved(tmp_path, draw))
    assert (figures, texts) == ([], [" ".join(PROSE)])


def test_a_figure_without_caption_follows_the_text_above_it(tmp_path):
    def draw(document):
        page = document.new_page()
        write(page, PROSE)
        curve(page, pymupdf.Rect(72, 200, 300, 320))
        write(page, ["The last words stand beneath the figure."], 400)

    (section,) = parse_file(saved(tmp_path, draw), settings=PLAIN).sections
    kinds = [paragraph.metadata.get("modality", "text") for paragraph in section.paragraphs]
    assert kinds == ["text", "image", "text"]


def test_the_caption_is_in_the_text_of_the_document_once(tmp_path):
    def draw(document):
        page = document.new_page()
        write(page, PROSE)
        bar_chart(page)
        write(page, ["Figure 1: Yield of amber by year."], 345)

    payload = parse_file(saved(tmp_path, draw), settings=PLAIN)
    assert payload.text.count("Yield of amber") == 1
    assert "2019" not in payload.text


def test_words_that_a_font_without_a_key_left_are_not_kept(tmp_path):
    def draw(document):
        page = document.new_page()
        curve(page, pymupdf.Rect(72, 200, 300, 320))
        page.insert_text((100, 250), '?>9@AJ#<$4"', fontsize=8)
        page.insert_text((100, 280), "Monitor", fontsize=8)

    (figure,), texts = parts(saved(tmp_path, draw))
    assert (figure["figure_text"], texts) == ("Monitor", [])


def test_sideways_labels_belong_to_the_figure(tmp_path):
    def draw(document):
        page = document.new_page()
        write(page, PROSE)
        curve(page, pymupdf.Rect(100, 200, 300, 320))
        page.insert_text((94, 290), "Potential (V)", fontsize=8, rotate=90)

    (figure,), _ = parts(saved(tmp_path, draw))
    assert (figure["figure_text"], figure["bbox"][0] < 95) == ("Potential (V)", True)


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_page_that_is_turned_shows_the_same_figure(tmp_path, turn):
    def draw(document):
        upright = pymupdf.open()
        page = upright.new_page()
        write(page, PROSE)
        bar_chart(page)
        write(page, ["Figure 1: Yield of amber by year."], 345)
        size = (792, 612) if turn != 180 else (612, 792)
        document.new_page(width=size[0], height=size[1]).show_pdf_page(
            pymupdf.Rect(0, 0, *size), upright, 0, rotate=turn
        )

    (figure,), _ = parts(saved(tmp_path, draw))
    assert figure["page_caption"] == "Figure 1: Yield of amber by year."
    assert "2022" in figure["figure_text"]
    assert figure["turn"] != 0
