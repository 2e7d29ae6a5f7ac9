"""The engines themselves, and which of them the settings mean."""

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from kohaku_lib.documents.ocr import (
    OcrLine,
    chosen_engine,
    corners_of,
    engine_identity,
    ocr_setting_names,
    open_engine,
    read_figure_text,
    read_image_text,
)
from kohaku_lib.documents.ocr.rapid import _ocr_line, _pad_strip
from kohaku_lib.documents.ocr.tesseract import TesseractEngine, lines_of_tsv, tesseract_languages, tesseract_version
from kohaku_lib.errors import DocumentError, ModelError
from kohaku_lib.settings import DocumentsSettings

TSV = """level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext
1\t1\t0\t0\t0\t0\t0\t0\t640\t480\t-1\t
5\t1\t1\t1\t1\t1\t36\t92\t60\t20\t96.0\tThis
5\t1\t1\t1\t1\t2\t109\t92\t20\t20\t90.0\tis
5\t1\t1\t1\t1\t3\t140\t92\t9\t20\t3.0\t~
5\t1\t1\t1\t2\t1\t36\t126\t70\t20\t50.0\t"code
5\t1\t2\t1\t1\t1\t36\t226\t70\t20\t80.0\tblock
"""


def has_rapidocr():
    return chosen_engine("auto") == "rapidocr"


ENGINES = [
    pytest.param("rapidocr", marks=pytest.mark.skipif(not has_rapidocr(), reason="the [ocr] extra is not installed")),
    pytest.param("tesseract", marks=pytest.mark.skipif(tesseract_version() is None, reason="tesseract is not on PATH")),
]


def drawn(text, size=(460, 230), background="white", fill="black"):
    image = Image.new("RGB", size, background)
    ImageDraw.Draw(image).text((30, 30), text, fill=fill, font=ImageFont.load_default(40))
    return np.asarray(image)


def test_words_of_one_line_come_together_without_specks():
    lines = lines_of_tsv(TSV)
    assert [line.text for line in lines] == ["This is", '"code', "block"]
    assert lines[0].confidence == pytest.approx((4 * 0.96 + 2 * 0.90) / 6)
    assert (lines[0].x0, lines[0].y0, lines[0].x1, lines[0].y1) == (36, 92, 129, 112)


def test_a_line_follows_the_slope_of_its_words():
    rows = [f"5\t1\t1\t1\t1\t{n}\t{100 * n}\t{50 + 4 * n}\t80\t20\t90\tword" for n in range(5)]
    (line,) = lines_of_tsv("\n".join([TSV.splitlines()[0], *rows]))
    (left, top), (right, top_right), *_ = line.corners
    assert (top_right - top) / (right - left) == pytest.approx(0.04)


def test_words_above_each_other_make_a_level_line():
    rows = [f"5\t1\t1\t1\t1\t{n}\t100\t{50 + 30 * n}\t80\t20\t90\tword" for n in range(3)]
    (line,) = lines_of_tsv("\n".join([TSV.splitlines()[0], *rows]))
    assert line.corners == ((100, 50), (180, 50), (180, 130), (100, 130))


@pytest.mark.parametrize("name", ENGINES)
def test_a_drawn_line_is_read(name):
    settings = DocumentsSettings(ocr=name)
    engine = open_engine(settings)
    assert engine is not None
    read = read_image_text(drawn("Amber harbour 2023"), engine, settings)
    assert read.text.replace(" ", "") == "Amberharbour2023"
    assert read.confidence > 0.6
    assert read.lines[0].x0 == pytest.approx(30, abs=15)


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.slow
@pytest.mark.parametrize("turn", [1, 2])
def test_a_turned_page_is_read(name, turn):
    settings = DocumentsSettings(ocr=name)
    engine = open_engine(settings)
    assert engine is not None
    pixels = drawn("Amber harbour\nopened in 2023")
    read = read_image_text(np.rot90(pixels, turn), engine, settings)
    assert read.turn == turn
    assert read.text.replace(" ", "").splitlines()[0] == "Amberharbour"


@pytest.mark.parametrize("name", ENGINES)
def test_a_blank_image_has_no_lines(name):
    engine = open_engine(DocumentsSettings(ocr=name))
    assert engine is not None
    assert engine.read(np.full((100, 200, 3), 255, np.uint8)) == []


@pytest.mark.skipif(tesseract_version() is None, reason="tesseract is not on PATH")
def test_a_language_without_data_is_named_with_those_that_have_some():
    with pytest.raises(ModelError, match=r"names 'xxx', but tesseract has data for .*; install"):
        TesseractEngine("eng+xxx", 10)


def test_a_missing_command_is_an_error_with_the_remedy(monkeypatch):
    monkeypatch.setenv("PATH", "")
    tesseract_languages.cache_clear()
    with pytest.raises(ModelError, match=r"needs the command tesseract, which is not on PATH; install it"):
        TesseractEngine("eng", 10)


@pytest.mark.skipif(tesseract_version() is None, reason="tesseract is not on PATH")
def test_an_image_that_takes_too_long_is_given_up():
    with pytest.raises(DocumentError, match=r"takes longer than 0\.001 s to read an image of 460 x 230 pixels; raise"):
        TesseractEngine("eng", 0.001).read(drawn("Amber harbour"))


@pytest.mark.parametrize("size", [(400, 60), (60, 400), (300, 200)])
def test_strips_are_padded_to_half_as_wide_as_long(size):
    filled = _pad_strip(np.full((size[1], size[0], 3), 7, np.uint8))
    assert (filled == 7).all()
    assert sorted(filled.shape[:2]) == ([200, 400] if 60 in size else [200, 300])


@pytest.mark.parametrize(("score", "confidence"), [(1.0, 1.0), (0.95, 0.9), (0.75, 0.5), (0.5, 0.0), (0.3, 0.0)])
def test_confidence_counts_from_the_score_at_which_lines_are_dropped(score, confidence):
    found = _ocr_line([(0, 0), (9, 0), (9, 5), (0, 5)], " Amber ", score)
    assert (found.text, found.confidence) == ("Amber", pytest.approx(confidence))


def test_the_text_of_a_figure_takes_one_reading():
    class Doubtful:
        readings = 0

        def read(self, pixels):
            self.readings += 1
            return [OcrLine("axis", corners_of(0, 0, 10, 90), 0.3)]

    engine = Doubtful()
    read = read_figure_text(np.zeros((3000, 3000, 3), np.uint8), engine, DocumentsSettings(tiling="always"))
    assert (read.text, read.low_confidence, engine.readings) == ("axis", True, 1)


def test_off_means_no_engine():
    assert open_engine(DocumentsSettings(ocr="off")) is None
    assert engine_identity("off") == "off"


def test_auto_is_known_by_the_engine_that_it_finds():
    found = chosen_engine("auto")
    assert found in {"rapidocr", "tesseract", "off"}
    assert engine_identity("auto") == engine_identity(found)


def test_only_the_settings_that_the_engine_reads_count():
    assert list(ocr_setting_names(DocumentsSettings(ocr="off"))) == ["ocr"]
    tesseract = set(ocr_setting_names(DocumentsSettings(ocr="tesseract", tiling="off")))
    assert "ocr_language" in tesseract
    assert not {"tile_size", "fuzzy_ratio"} & tesseract
    rapid = set(ocr_setting_names(DocumentsSettings(ocr="rapidocr", merge_strategy="concat")))
    assert "tile_size" in rapid
    assert not {"ocr_language", "fuzzy_ratio"} & rapid
