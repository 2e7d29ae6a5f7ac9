"""Images and unusable PDF pages as documents, with OCR and without."""

import re

import numpy as np
import pymupdf
import pytest
from PIL import Image

from kohaku_lib.documents import NeedsOcrError, parse_file, parse_paths
from kohaku_lib.documents.ocr import OcrLine, chosen_engine, corners_of
from kohaku_lib.documents.ocr.pdf_pages import read_page
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings

OFF = DocumentsSettings(ocr="off")
PROSE = "Oqnbddchmfr ne sgd lddshmf ne sgd rnbhdsx enq sgd rstcx ne kzmftzfd"  # each letter is the one before


class ScriptedEngine:
    """Reads the same words on every image."""

    def __init__(self, *texts):
        self.texts = texts
        self.sizes = []

    def read(self, pixels):
        self.sizes.append(pixels.shape[:2])
        return [OcrLine(text, corners_of(30, 30 + 60 * n, 600, 70 + 60 * n), 0.95) for n, text in enumerate(self.texts)]


def page_with(*texts, image=False, rotation=0):
    document = pymupdf.open()
    page = document.new_page(width=400, height=300)
    if image:
        pixmap = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 40, 30), False)
        pixmap.clear_with(200)
        page.insert_image(page.rect, pixmap=pixmap)
    for number, text in enumerate(texts):
        page.insert_text((30, 60 + 20 * number), text, fontsize=8)
    page.set_rotation(rotation)
    return page


def reading(page, engine, **settings):
    return read_page(page, 1, DocumentsSettings(**settings), lambda _: engine)


def test_a_page_with_good_text_is_not_sent_to_ocr():
    engine = ScriptedEngine("never")
    found = reading(page_with("A good text layer stays as it is"), engine)
    assert (found.state, found.text.lines[0].text) == ("layer", "A good text layer stays as it is")
    assert engine.sizes == []


def test_a_scan_is_read_at_the_resolution_of_the_settings():
    engine = ScriptedEngine("What the scan says")
    found = reading(page_with(image=True), engine, ocr_dpi=144)
    assert (found.state, found.text.lines[0].text) == ("ocr", "What the scan says")
    assert engine.sizes == [(600, 800)]
    assert (found.text.width, found.text.height) == (400, 300)
    assert found.text.lines[0].box.x0 == 15


def test_a_scan_on_a_turned_page_has_its_boxes_on_the_page_as_the_file_has_it():
    found = reading(page_with(image=True, rotation=90), ScriptedEngine("Turned"), ocr_dpi=72)
    assert (found.text.turn, found.text.width, found.text.height) == (1, 300, 400)


def test_a_stamp_on_a_scan_gives_way_to_a_fuller_reading_only():
    stamp = page_with("Page 7", image=True)
    assert reading(stamp, ScriptedEngine("Page 7", "and all that the scan says")).state == "ocr"
    assert reading(stamp, ScriptedEngine("Page 7")).state == "layer"
    assert reading(stamp, None).state == "layer"


def test_a_broken_text_layer_is_read_by_ocr_or_dropped():
    page = page_with(PROSE, PROSE)
    assert reading(page, ScriptedEngine("Proceedings of the meeting")).state == "ocr"
    dropped = reading(page, None)
    assert (dropped.state, dropped.text.lines) == ("broken", ())


def test_pages_without_anything_are_blank_and_pictures_without_text_silent():
    assert reading(page_with(), ScriptedEngine("never")).state == "blank"
    assert reading(page_with(image=True), ScriptedEngine()).state == "silent"
    assert reading(page_with(image=True), None).state == "silent"


def saved(tmp_path, *pages):
    document = pymupdf.open()
    for page in pages:
        document.insert_pdf(page.parent)
    document.save(tmp_path / "a.pdf")
    return tmp_path / "a.pdf"


def test_broken_pages_are_listed_and_the_good_ones_stay(tmp_path):
    path = saved(tmp_path, page_with("A good text layer stays"), page_with(PROSE, PROSE))
    payload = parse_file(path, settings=OFF)
    assert payload.metadata["pages_with_broken_text"] == [2]
    assert "sgd" not in payload.text


def test_nothing_but_broken_pages_needs_ocr(tmp_path):
    with pytest.raises(NeedsOcrError, match=r"has a broken text layer and needs OCR; set documents\.ocr"):
        parse_file(saved(tmp_path, page_with(PROSE, PROSE)), settings=OFF)


@pytest.mark.parametrize("suffix", ["png", "jpg", "tif", "webp", "bmp"])
def test_an_image_without_an_engine_needs_ocr(tmp_path, suffix):
    path = tmp_path / f"scan.{suffix}"
    Image.new("RGB", (60, 40), "white").save(path)
    with pytest.raises(NeedsOcrError, match=r"is an image and needs OCR; set documents\.ocr"):
        parse_file(path, settings=OFF)


def test_a_damaged_image_fails_by_itself_beside_others(tmp_path):
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\nno image")
    (tmp_path / "good.txt").write_text("A plain text.", encoding="utf-8")
    Image.new("L", (50, 50)).save(tmp_path / "scan.tiff")
    outcomes = {outcome.path.name: outcome for outcome in parse_paths(sorted(tmp_path.iterdir()), OFF, 1)}
    assert {name: outcome.status for name, outcome in outcomes.items()} == {
        "bad.png": "failed",
        "good.txt": "parsed",
        "scan.tiff": "needs_ocr",
    }
    assert "cannot be read as an image" in str(outcomes["bad.png"].error)


def scan(text):
    with pymupdf.open() as document:
        page = document.new_page(width=260, height=130)
        page.insert_text((20, 60), text, fontsize=28)
        pixmap = page.get_pixmap(dpi=108)
    return Image.fromarray(np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width, 3).copy())


@pytest.mark.skipif(chosen_engine("auto") == "off", reason="no OCR engine is at hand")
def test_frames_of_an_image_are_pages(tmp_path):
    path = tmp_path / "two.tif"
    scan("Amber harbour").save(path, save_all=True, append_images=[scan("Copper lantern")])
    payload = parse_file(path)
    pages = [paragraph.metadata["page"] for section in payload.sections or () for paragraph in section.paragraphs]
    assert payload.metadata["pages"] == 2
    assert payload.metadata["pages_read_by_ocr"] == [1, 2]
    assert pages == [1, 2]
    assert re.fullmatch(
        r"Ambe\w* ?harbour\n\nCoppe\w* ?lantern", payload.text
    )  # RapidOCR doubles a letter here and there
    assert payload.metadata["ocr_engine"].split()[0] == chosen_engine("auto")


@pytest.mark.skipif(chosen_engine("auto") == "off", reason="no OCR engine is at hand")
def test_an_image_without_text_fails_in_one_sentence(tmp_path):
    Image.new("RGB", (200, 100), "white").save(tmp_path / "white.png")
    with pytest.raises(DocumentError, match=r"'white.png' shows no text that \w+ [\d.]+ can read"):
        parse_file(tmp_path / "white.png")
