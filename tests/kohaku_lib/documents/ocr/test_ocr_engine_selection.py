"""Which engine reads, with which settings, and what a document states about its reading."""

import numpy as np
import pytest

from kohaku_lib.documents.formats.pdf.text.page_text import Box, Line, PageText
from kohaku_lib.documents.ocr.engine import OcrLine, corners_of
from kohaku_lib.documents.ocr.engine_selection import (
    THREADS_VARIABLE,
    _thread_count,
    chosen_engine,
    engine_identity,
    figure_setting_names,
    ocr_remedy,
    ocr_setting_names,
)
from kohaku_lib.documents.ocr.orientation import find_turn, looks_turned
from kohaku_lib.documents.ocr.pdf_pages import PageReading, count_letters, reading_facts
from kohaku_lib.documents.ocr.read_image import OcrText
from kohaku_lib.settings import DocumentsSettings


@pytest.mark.parametrize("ocr", ["off", "tesseract", "rapidocr"])
def test_a_named_engine_is_chosen_whether_installed_or_not(ocr):
    assert chosen_engine(ocr) == ocr


def test_the_identity_of_an_engine_begins_with_its_name():
    assert engine_identity("off") == "off"
    assert engine_identity("tesseract").startswith("tesseract ")
    assert engine_identity("rapidocr").startswith("rapidocr ")


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"ocr": "off"}, {"ocr"}),
        ({"ocr": "rapidocr", "tiling": "off"}, {"ocr", "ocr_dpi", "ocr_confidence", "ocr_retries", "tiling"}),
        (
            {"ocr": "tesseract", "tiling": "off"},
            {"ocr", "ocr_dpi", "ocr_confidence", "ocr_retries", "tiling", "ocr_language"},
        ),
    ],
)
def test_only_settings_that_change_the_text_are_part_of_its_key(settings, names):
    assert set(ocr_setting_names(DocumentsSettings(**settings))) == names


def test_tiles_bring_their_settings_and_the_ratio_only_where_lines_are_compared():
    tiled = set(ocr_setting_names(DocumentsSettings(ocr="rapidocr", tiling="auto", merge_strategy="concat")))
    compared = set(ocr_setting_names(DocumentsSettings(ocr="rapidocr", tiling="auto", merge_strategy="vote")))
    assert {"tile_threshold", "tile_size", "tile_overlap", "max_tiles", "merge_strategy"} < tiled
    assert compared - tiled == {"fuzzy_ratio"}


def test_figures_are_read_without_tiles_and_retries():
    assert list(figure_setting_names(DocumentsSettings(ocr="rapidocr"))) == ["ocr", "ocr_confidence"]
    assert list(figure_setting_names(DocumentsSettings(ocr="off"))) == ["ocr"]


def test_the_remedy_depends_on_whether_ocr_is_off():
    assert ocr_remedy(DocumentsSettings(ocr="off")).startswith("set documents.ocr to")
    assert ocr_remedy(DocumentsSettings(ocr="auto")).startswith("install an engine")


@pytest.mark.parametrize(("stated", "threads"), [("4", 4), ("0", 1), ("99", 16)])
def test_threads_are_those_of_the_supervisor_within_bounds(monkeypatch, stated, threads):
    monkeypatch.setenv(THREADS_VARIABLE, stated)
    assert _thread_count() == threads


@pytest.mark.parametrize("stated", ["", "many", "-2"])
def test_without_a_usable_number_there_is_one_thread_per_core(monkeypatch, stated):
    monkeypatch.setenv(THREADS_VARIABLE, stated)
    assert 1 <= _thread_count() <= 16


def page(number, *texts, asides=()):
    lines = [tuple(Line(text, Box(0, 0, 9, 9), 9.0, False, 0) for text in part) for part in (texts, asides)]
    return PageText(number, 100, 100, *lines)


def test_letters_and_digits_are_counted_in_every_direction():
    assert count_letters(page(1, "a-b 1!", asides=("é日",))) == 5
    assert count_letters(page(1)) == 0


def test_facts_list_the_pages_by_outcome_and_name_the_engine_only_if_it_read():
    settings = DocumentsSettings(ocr="off")
    readings = [
        PageReading(page(1, "a"), "layer"),
        PageReading(page(2, "a"), "ocr", low_confidence=True),
        PageReading(page(3), "broken"),
        PageReading(page(4, asides=("a",)), "layer"),
    ]
    assert reading_facts(readings, settings) == {
        "pages_without_text": [3],
        "pages_with_broken_text": [3],
        "pages_read_by_ocr": [2],
        "pages_with_low_ocr_confidence": [2],
        "ocr_engine": "off",
    }
    assert reading_facts(readings[:1], settings) == {}
    assert reading_facts([], settings) == {}


def ocr_line(text, x0, y0, x1, y1, confidence=0.9):
    return OcrLine(text, corners_of(x0, y0, x1, y1), confidence)


@pytest.mark.parametrize("turn", range(4))
def test_a_doubtful_image_is_turned_to_the_orientation_with_the_most_confident_text(turn):
    upright = np.zeros((20, 60, 3), np.uint8)
    upright[0, 0] = 255  # marks the upper left corner
    pixels = np.rot90(upright, turn)

    def read(piece):
        confident = piece[0, 0].any() and piece.shape[1] > piece.shape[0]
        return [ocr_line("some words", 0, 0, 50, 10, 0.9 if confident else 0.2)]

    height, width = pixels.shape[:2]
    lines = [ocr_line("some words", 0, 0, width, height, 0.2)]
    assert find_turn(pixels, lines, read) == turn


def test_confident_level_lines_are_not_read_again():
    def read(piece):
        raise AssertionError

    assert find_turn(np.zeros((9, 9, 3), np.uint8), [ocr_line("words", 0, 0, 50, 10)], read) == 0
    assert find_turn(np.zeros((9, 9, 3), np.uint8), [], read) == 0


@pytest.mark.parametrize(
    ("lines", "turned"),
    [
        ([], False),
        ([ocr_line("words", 0, 0, 50, 10)], False),
        ([ocr_line("words", 0, 0, 10, 50)], True),
        ([ocr_line("I", 0, 0, 5, 50)], False),  # a letter may be taller than wide
        ([ocr_line("words", 0, 0, 50, 10, 0.69)], True),
        ([ocr_line("words", 0, 0, 10, 50), ocr_line("wider", 0, 0, 50, 10)], False),  # exactly half of the letters
    ],
)
def test_an_image_looks_turned_by_tall_or_doubtful_lines(lines, turned):
    assert looks_turned(lines) is turned


def test_the_text_of_an_image_goes_row_by_row():
    lines = (ocr_line("right", 60, 1, 90, 11), ocr_line("below", 0, 30, 50, 40), ocr_line("left", 0, 0, 50, 10))
    assert OcrText(lines, 100, 100, 0, 0.9).text == "left right\nbelow"
    assert OcrText((), 100, 100, 0, 0.0).text == ""
