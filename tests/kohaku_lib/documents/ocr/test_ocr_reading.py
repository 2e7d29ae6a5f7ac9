"""Reading an image: tiles, retries, turns and skew, with an engine whose every answer is known."""

import math

import numpy as np
import pytest

from kohaku_lib.documents.ocr import OcrLine, corners_of, read_image_text
from kohaku_lib.documents.ocr.confidence import lines_confidence, text_confidence, tiles_confidence
from kohaku_lib.documents.ocr.orientation import looks_turned, without_skew
from kohaku_lib.documents.ocr.page_lines import page_of_ocr
from kohaku_lib.documents.ocr.read_image import OcrText, stroke_width
from kohaku_lib.settings import DocumentsSettings


def line(text, x0, y0, x1, y1, confidence: float | None = 0.95):
    return OcrLine(text, corners_of(x0, y0, x1, y1), confidence)


class MarkEngine:
    """Reads one line per red pixel, at its place; how sure it is depends on the size of the image."""

    def __init__(self, confidence=lambda width: 0.95):
        self.confidence = confidence
        self.sizes = []

    def read(self, pixels):
        height, width = pixels.shape[:2]
        self.sizes.append((width, height))
        rows, columns = np.nonzero(pixels[:, :, 0] == 255)
        return [
            line(f"mark {y // 10}", x, y, x + 60, y + 20, self.confidence(width))
            for y, x in zip(rows.tolist(), columns.tolist(), strict=True)
        ]


def image(width, height, *marks):
    pixels = np.zeros((height, width, 3), np.uint8)
    for x, y in marks:
        pixels[y, x, 0] = 255
    return pixels


def test_a_small_image_is_read_once():
    engine = MarkEngine()
    read = read_image_text(image(900, 500, (10, 20)), engine, DocumentsSettings())
    assert (read.text, read.turn, read.low_confidence) == ("mark 2", 0, False)
    assert engine.sizes == [(900, 500)]


def test_an_image_over_the_threshold_is_read_in_tiles_with_lines_at_their_places():
    engine = MarkEngine()
    pixels = image(2100, 1000, (10, 20), (1900, 500))
    read = read_image_text(pixels, engine, DocumentsSettings(tiling="always"))
    assert engine.sizes == [(1024, 1000)] * 3
    assert [(found.x0, found.y0) for found in read.lines] == [(10, 20), (1900, 500)]


def test_auto_tiles_only_where_the_text_is_small_for_the_image():
    plain = MarkEngine()
    read_image_text(image(2100, 1000, (10, 20)), plain, DocumentsSettings())
    assert plain.sizes == [(2100, 1000)]  # lines of 20 pixels on 2100
    small = MarkEngine()
    read_image_text(image(4000, 1000, (10, 20)), small, DocumentsSettings())
    assert small.sizes[0] == (4000, 1000)
    assert set(small.sizes[1:]) == {(1024, 1000)}


def test_off_never_tiles():
    engine = MarkEngine()
    read_image_text(image(4000, 1000, (10, 20)), engine, DocumentsSettings(tiling="off"))
    assert engine.sizes == [(4000, 1000)]


def test_a_blank_image_has_no_lines_and_is_not_read_again():
    engine = MarkEngine()
    read = read_image_text(image(300, 200), engine, DocumentsSettings())
    assert (read.lines, read.confidence, read.low_confidence, read.text) == ((), 0.0, False, "")
    assert len(engine.sizes) == 1


class GrowingEngine:
    """Reads the same line on every image, surer the larger that is."""

    def __init__(self, confidences):
        self.confidences = confidences
        self.widths = []

    def read(self, pixels):
        width = pixels.shape[1]
        self.widths.append(width)
        return [line(f"{width} wide", 10, 10, 10 + width / 4, 40, self.confidences.get(width, 0.0))]


@pytest.mark.parametrize(
    ("confidences", "retries", "text", "low"),
    [
        ({100: 0.9}, 2, "100 wide", False),
        ({100: 0.5, 150: 0.7}, 2, "150 wide", False),
        ({100: 0.2, 150: 0.5, 200: 0.4}, 2, "150 wide", True),
        ({100: 0.2, 150: 0.9}, 0, "100 wide", True),
    ],
)
def test_doubtful_text_is_read_again_larger_and_the_best_stays(confidences, retries, text, low):
    engine = GrowingEngine(confidences)
    read = read_image_text(image(100, 80), engine, DocumentsSettings(ocr_retries=retries))
    assert (read.text, read.low_confidence) == (text, low)
    assert max(engine.widths) <= 200
    assert (read.width, read.height) == (100, 80)
    assert max(found.x1 for found in read.lines) == pytest.approx(35, abs=4)


class UprightEngine:
    """Reads text where the bright stripe lies on top, and specks elsewhere, as engines do on turned pages."""

    def read(self, pixels):
        height, width = pixels.shape[:2]
        if pixels[:20].mean() > 200:
            return [line("a sentence that reads well", 10, 10, width - 10, 30)]
        tall = pixels[:, :20].mean() > 200 or pixels[:, -20:].mean() > 200
        box = (5, 10, 25, height - 10) if tall else (10, height - 30, width - 10, height - 10)
        return [line("zzcuot", *box, confidence=0.6)]


@pytest.mark.parametrize("turn", range(4))
def test_a_turned_image_is_read_upright(turn):
    upright = np.zeros((300, 200, 3), np.uint8)
    upright[:20] = 255
    read = read_image_text(np.rot90(upright, turn), UprightEngine(), DocumentsSettings(ocr_confidence=0.0))
    assert (read.turn, read.text) == (turn, "a sentence that reads well")
    assert (read.width, read.height) == (200, 300)


def test_lines_wider_than_tall_that_read_well_do_not_look_turned():
    assert not looks_turned([line("plain", 0, 0, 90, 20), line("l", 0, 30, 5, 50)])
    assert looks_turned([line("turned", 0, 0, 20, 90)])
    assert not looks_turned([])


def test_skewed_lines_are_turned_level_about_the_middle():
    angle = math.radians(3)

    def at(x, y):
        return x * math.cos(angle) - y * math.sin(angle) + 500, x * math.sin(angle) + y * math.cos(angle) + 400

    tilted = [
        OcrLine("skew", (at(-400, y), at(400, y), at(400, y + 20), at(-400, y + 20)), 0.9) for y in (-100, 0, 100)
    ]
    level, degrees = without_skew(tilted, 1000, 800)
    assert degrees == pytest.approx(3)
    assert [round(found.y0) for found in level] == [300, 400, 500]
    assert all(found.height == pytest.approx(20) for found in level)


def test_level_lines_stay_as_they_are():
    lines = [line("level", 0, 0, 100, 10)]
    assert without_skew(lines, 200, 100) == (lines, 0.0)


def test_text_goes_by_rows_and_from_left_to_right():
    lines = (line("right", 200, 12, 300, 32), line("below", 0, 50, 90, 70), line("left", 0, 10, 90, 30))
    assert OcrText(lines, 400, 100, 0, 0.9).text == "left right\nbelow"


def test_confidence_of_text_follows_its_length_and_its_characters():
    assert text_confidence("a" * 100) == 1.0
    assert text_confidence("a" * 99) == pytest.approx(0.85)
    assert text_confidence("a" * 49) == pytest.approx(0.7)
    assert (text_confidence("a" * 9), text_confidence(" \n")) == (0.1, 0.0)
    assert text_confidence("§" * 200) == 0.0
    assert text_confidence("." * 200) == pytest.approx(0.8)


def test_confidence_of_lines_is_the_engines_else_that_of_the_text():
    assert lines_confidence([line("abc", 0, 0, 1, 1, 0.9), line("a", 0, 0, 1, 1, 0.5)]) == pytest.approx(0.8)
    assert lines_confidence([line("b" * 120, 0, 0, 1, 1, None)]) == 1.0
    assert tiles_confidence([0.0, 0.5, 0.7]) == pytest.approx(0.6)
    assert tiles_confidence([]) == 0.0


def test_lines_of_a_page_have_one_size_and_one_edge():
    lines = (
        line("Heading", 100, 10, 500, 90),
        line("Only a few descenders", 101, 120, 500, 162),
        line("once more a row", 99, 170, 500, 200),
        line("indented by one letter", 140, 210, 500, 248),
    )
    page = page_of_ocr(OcrText(lines, 1000, 500, 1, 0.9), 4, 0.5, 1)
    assert (page.number, page.width, page.height, page.turn) == (4, 500, 250, 1)
    sizes = [found.size for found in page.lines]
    assert sizes[0] > 1.5 * sizes[1]
    assert sizes[1] == sizes[2] == sizes[3]
    assert [found.box.x0 for found in page.lines] == [49.5, 49.5, 49.5, 70.0]


def test_bullets_of_a_list_become_one_sign_and_single_ones_stay():
    def texts(*found):
        lines = tuple(line(text, 0, 40 * n, 300, 40 * n + 20) for n, text in enumerate(found))
        return [made.text for made in page_of_ocr(OcrText(lines, 400, 400, 0, 0.9), 1, 1.0, 0).lines]

    assert texts("·one", "¢ two", "* three", "four") == ["• one", "• two", "• three", "four"]
    assert texts("© Amber Press", "*note", "plain") == ["© Amber Press", "*note", "plain"]
    assert texts("© Amber Press", "·one") == ["© Amber Press", "• one"]


def test_lines_with_thick_strokes_for_their_size_are_bold():
    def stroked(text, y, height, stroke):
        return OcrLine(text, corners_of(10, y, 400, y + height), 0.9, stroke)

    lines = (
        stroked("Heading of the page", 0, 60, 6.0),  # twice as large, and as thick as that
        stroked("Heading in bold", 100, 30, 4.5),
        *(stroked("a line of the running text", 140 + 40 * n, 30, 3.0) for n in range(4)),
        stroked("a line that wavers", 320, 30, 3.6),
        line("a line without strokes", 10, 360, 400, 390),
    )
    page = page_of_ocr(OcrText(lines, 500, 500, 0, 0.9), 1, 1.0, 0)
    assert [found.text for found in page.lines if found.bold] == ["Heading in bold"]


def stems(width, *, ink=0, paper=255):
    row = np.full(200, paper, np.uint8)
    for start in range(10, 190, 20):
        row[start : start + width] = ink
    return np.tile(row, (30, 1))


@pytest.mark.parametrize("width", [1, 4, 7])
def test_the_width_of_stems_is_that_of_the_strokes(width):
    assert stroke_width(stems(width)) == width
    assert stroke_width(stems(width, ink=240, paper=30)) == width


def test_paper_and_faint_specks_have_no_strokes():
    assert stroke_width(np.full((20, 20), 250, np.uint8)) is None
    assert stroke_width(stems(3, ink=220)) is None


def test_strokes_are_those_of_the_first_reading_whatever_the_scale_that_was_read():
    class Engine:
        def read(self, pixels):
            height, width = pixels.shape[:2]
            return [line("stems", 0, 0, width, height, 0.9 if width > 200 else 0.3)]

    pixels = np.repeat(stems(4)[:, :, None], 3, axis=2)
    read = read_image_text(pixels, Engine(), DocumentsSettings())
    assert (read.width, read.confidence) == (200, 0.9)
    assert read.lines[0].stroke == pytest.approx(4, abs=0.4)
