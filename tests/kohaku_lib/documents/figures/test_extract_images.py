"""Figures out of PDFs: pixels as they are, or as the page shows them."""

import base64
import io
import json

import pyarrow as pa
import pymupdf
import pytest
from PIL import Image

from kohaku_lib.digests import file_sha256
from kohaku_lib.documents import extract_images, image_parts, parse_file, payload_to_json
from kohaku_lib.documents.formats.pdf.figures.figure_images import figure_images
from kohaku_lib.settings import CorpusSettings, DocumentsSettings, ImagesSettings
from kohaku_lib.storage import PreviousOutput, StageReader, concat_parts
from kohaku_lib.storage.stages.stage_writer import StageWriter
from kohaku_lib.tables import DOCUMENTS, TO_RETRY

PROSE = "These words say nothing at all, yet they fill a line of this page."


def two_colours(width=240, height=120):
    picture = Image.new("RGB", (width, height), (250, 0, 0))
    picture.paste((0, 0, 250), (0, 0, width // 2, height))
    sink = io.BytesIO()
    picture.save(sink, "PNG")
    return sink.getvalue()


def triangles(page):
    """Draw a red triangle in the upper left and a blue one in the lower right of the box (100, 200) to (244, 296)."""
    page.draw_polyline([(100, 200), (172, 200), (100, 248), (100, 200)], fill=(1, 0, 0), color=(1, 0, 0))
    page.draw_polyline([(244, 296), (172, 296), (244, 248), (244, 296)], fill=(0, 0, 1), color=(0, 0, 1))
    page.draw_bezier((100, 296), (130, 240), (200, 280), (244, 200))


def corpus_of(tmp_path, draw, names=("a",)):
    rows = []
    for name in names:
        document = pymupdf.open()
        page = document.new_page()
        page.insert_text((72, 60), PROSE)
        draw(page)
        document.save(tmp_path / f"{name}.pdf")
        payload = parse_file(tmp_path / f"{name}.pdf", settings=DocumentsSettings(ocr="off"))
        rows.append(
            dict.fromkeys(DOCUMENTS.names, "")
            | {"document_id": name, "path": f"{name}.pdf", "pages": 1, "status": "parsed", "metadata_json": "{}"}
            | {"sha256": file_sha256(tmp_path / f"{name}.pdf")}
            | {"payload_json": json.dumps(payload_to_json(payload))}
        )
    return pa.Table.from_pylist(rows, schema=DOCUMENTS), CorpusSettings(documents=tmp_path)


def opened(row):
    return Image.open(io.BytesIO(row["bytes"])).convert("RGB")


def is_near(colour, wanted):
    return all(abs(a - b) < 40 for a, b in zip(colour, wanted, strict=True))


def test_a_drawn_figure_is_rendered_at_150_dots_per_inch(tmp_path):
    documents, corpus = corpus_of(tmp_path, triangles)
    (row,) = extract_images(documents, corpus, ImagesSettings(), 1)[0].to_pylist()
    assert (row["name"], row["mime"], row["figure_text"]) == ("drawing", "image/webp", None)
    assert (row["width"], row["height"]) == (pytest.approx(300, abs=6), pytest.approx(200, abs=6))
    picture = opened(row)
    assert is_near(picture.getpixel((20, 12)), (255, 0, 0))
    assert is_near(picture.getpixel((picture.width - 20, picture.height - 12)), (0, 0, 255))


def test_a_drawn_figure_is_bounded_too(tmp_path):
    documents, corpus = corpus_of(tmp_path, triangles)
    (row,) = extract_images(documents, corpus, ImagesSettings(max_side_px=90), 1)[0].to_pylist()
    assert max(row["width"], row["height"]) == 90


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_a_figure_on_a_turned_page_is_stored_upright(tmp_path, turn):
    upright = pymupdf.open()
    page = upright.new_page()
    page.insert_text((72, 60), PROSE)
    triangles(page)
    document = pymupdf.open()
    size = (842, 595) if turn % 2 else (595, 842)
    document.new_page(width=size[0], height=size[1]).show_pdf_page(
        pymupdf.Rect(0, 0, *size), upright, 0, rotate=90 * turn
    )
    document.save(tmp_path / "a.pdf")
    payload = parse_file(tmp_path / "a.pdf", settings=DocumentsSettings(ocr="off"))
    (figure,) = [p.metadata for s in payload.sections for p in s.paragraphs if p.metadata.get("modality") == "image"]
    (result,) = figure_images(tmp_path / "a.pdf", [figure], ImagesSettings())
    assert result["width"] > result["height"]
    picture = Image.open(io.BytesIO(base64.b64decode(result["data"]))).convert("RGB")
    assert is_near(picture.getpixel((20, 12)), (255, 0, 0))


def test_an_image_that_cannot_be_decoded_is_drawn_as_the_page_shows_it(tmp_path):
    documents, corpus = corpus_of(tmp_path, lambda page: page.insert_image((72, 200, 312, 320), stream=two_colours()))
    (figure,) = images_of(documents)
    (result,) = figure_images(corpus.documents / "a.pdf", [{**figure, "xref": 1}], ImagesSettings())
    assert (result["width"], result["height"]) == (500, pytest.approx(250, abs=1))


def test_an_image_that_can_be_neither_decoded_nor_drawn_is_listed_and_stops_no_other(tmp_path):
    def draw(page):
        page.insert_image((72, 200, 312, 320), stream=two_colours())
        page.insert_image((72, 400, 272, 500), stream=two_colours(200, 100))

    documents, corpus = corpus_of(tmp_path, draw)
    row = documents.to_pylist()[0]
    payload = json.loads(row["payload_json"])
    first = next(p for s in payload["sections"] for p in s["paragraphs"] if p["metadata"].get("modality") == "image")
    first["metadata"] |= {"xref": 1, "bbox": [900.0, 900.0, 950.0, 950.0]}
    broken = pa.Table.from_pylist([row | {"payload_json": json.dumps(payload)}], schema=DOCUMENTS)
    table, report = extract_images(broken, corpus, ImagesSettings(), 1)
    assert table["idx"].to_pylist() == [2]
    (problem,) = report.problems
    assert problem.startswith("a.pdf page 1 image 1: cannot be decoded (")
    assert TO_RETRY not in report.metrics  # it follows from the bytes


def test_an_image_of_one_colour_is_counted_not_stored(tmp_path):
    def draw(page):
        sink = io.BytesIO()
        Image.new("RGB", (100, 60), (9, 9, 9)).save(sink, "PNG")
        page.insert_image((72, 200, 172, 260), stream=sink.getvalue())

    documents, corpus = corpus_of(tmp_path, draw)
    table, report = extract_images(documents, corpus, ImagesSettings(), 1)
    assert (table.num_rows, report.problems, report.metrics) == (0, (), {"blank": 1})


@pytest.mark.parametrize("workers", [1, 2])
def test_the_number_of_workers_changes_no_result(tmp_path, workers):
    documents, corpus = corpus_of(tmp_path, triangles, ("a", "b", "c"))
    table, _ = extract_images(documents, corpus, ImagesSettings(), workers)
    assert table["document_id"].to_pylist() == ["a", "b", "c"]
    assert len(set(table["sha256"].to_pylist())) == 1


def test_figures_that_an_earlier_output_holds_are_taken_from_it(tmp_path):
    documents, corpus = corpus_of(tmp_path, triangles, ("a", "b"))
    first = list(image_parts([documents], corpus, ImagesSettings(), 1, PreviousOutput(None, "s")))
    previous = PreviousOutput(written(tmp_path / "images.parquet", first), "s")
    (tmp_path / "a.pdf").unlink()  # so that nobody can read it
    (tmp_path / "b.pdf").write_bytes((tmp_path / "b.pdf").read_bytes() + b"\n% touched\n")
    changed = documents.set_column(
        documents.schema.get_field_index("sha256"),
        "sha256",
        pa.array([documents["sha256"][0].as_py(), file_sha256(tmp_path / "b.pdf")]),
    )
    table, report = concat_parts(list(image_parts([changed], corpus, ImagesSettings(), 1, previous)))
    assert table.equals(concat_parts(first)[0])
    assert (report.rows_computed, report.rows_reused, report.problems) == (1, 1, ())
    assert report.metrics == {"blank": 0}


def test_figures_that_take_too_long_are_not_tried_again(tmp_path, monkeypatch):
    documents, corpus = corpus_of(tmp_path, triangles)
    monkeypatch.setattr("kohaku_lib.documents.figures.extract_images._TIME_LIMIT_S", 1e-6)
    late = list(image_parts([documents], corpus, ImagesSettings(), 1, PreviousOutput(None, "s")))
    previous = PreviousOutput(written(tmp_path / "images.parquet", late), "s")
    monkeypatch.undo()
    _, report = concat_parts(list(image_parts([documents], corpus, ImagesSettings(), 1, previous)))
    assert (report.rows_computed, TO_RETRY in report.metrics) == (0, False)
    [problem] = report.problems
    assert "takes longer than 1e-06 s" in problem


def test_figures_that_could_not_be_read_are_tried_again(tmp_path):
    documents, corpus = corpus_of(tmp_path, triangles)
    whole = (tmp_path / "a.pdf").read_bytes()
    (tmp_path / "a.pdf").write_bytes(whole + b"\n% touched\n")
    failed = list(image_parts([documents], corpus, ImagesSettings(), 1, PreviousOutput(None, "s")))
    assert concat_parts(failed)[1].metrics[TO_RETRY] == 1  # so that the stage runs again though nothing else changes
    (tmp_path / "a.pdf").write_bytes(whole)
    previous = PreviousOutput(written(tmp_path / "images.parquet", failed), "s")
    table, report = concat_parts(list(image_parts([documents], corpus, ImagesSettings(), 1, previous)))
    assert (table.num_rows, report.rows_computed, report.problems) == (1, 1, ())


def written(path, parts):
    writer = StageWriter(path)
    for part in parts:
        writer.append(part)
    writer.close()
    return StageReader(path)


def images_of(documents):
    payload = json.loads(documents.to_pylist()[0]["payload_json"])
    paragraphs = [paragraph["metadata"] for section in payload["sections"] for paragraph in section["paragraphs"]]
    return [metadata for metadata in paragraphs if metadata.get("modality") == "image"]


def test_figures_are_not_taken_from_a_file_that_is_another_one_by_now(tmp_path):
    documents, corpus = corpus_of(tmp_path, triangles)
    with (tmp_path / "a.pdf").open("ab") as file:
        file.write(b"\n% touched\n")
    table, report = extract_images(documents, corpus, ImagesSettings(), 1)
    assert (table.num_rows, report.problems) == (0, ("a.pdf: 'a.pdf' changed while it was being read; run again",))
