"""The stages of documents and images, and the processes that parse."""

import io
import json
import os
from pathlib import Path

import pyarrow as pa
import pymupdf
import pytest
from PIL import Image

from kohaku_lib.documents import (
    DOCUMENT_ROW_CACHE_SCHEMA,
    caption_images,
    extract_images,
    list_sources,
    parse_documents,
    parse_paths,
)
from kohaku_lib.documents.worker.supervisor import parse_isolated
from kohaku_lib.settings import CorpusSettings, DocumentsSettings, ImagesSettings
from kohaku_lib.storage import RowCache
from kohaku_lib.tables import DOCUMENT_IMAGES, DOCUMENTS, IMAGE_CAPTIONS


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "bee.md").write_text("# Bees\n\nThey fly.\n")
    (folder / "empty.txt").write_text("")
    (folder / "own.json").write_text('{"document_id": "wu", "text": "t", "metadata": {"year": 1999, "kind": "x"}}')
    (tmp_path / "m.csv").write_text("id,title,year\nwu,Wu's paper,2021\nghost,Ghost,\n")
    return CorpusSettings(documents=folder, metadata=tmp_path / "m.csv", org_id="museum")


def parsed(corpus, cache=None, **settings):
    sources, _ = list_sources(corpus)
    return parse_documents(sources, corpus, DocumentsSettings(**settings), cache)


def test_every_ready_source_is_a_row_and_failures_are_listed(corpus):
    table, report = parsed(corpus)
    assert table.schema.equals(DOCUMENTS)
    rows = {row["path"]: row for row in table.to_pylist()}
    assert list(rows) == ["bee.md", "empty.txt", "own.json"]
    assert (rows["bee.md"]["title"], rows["bee.md"]["org_id"], rows["bee.md"]["pages"]) == ("Bees", "museum", None)
    assert (rows["empty.txt"]["status"], rows["empty.txt"]["payload_json"]) == ("failed", None)
    assert report.problems == ("empty.txt: 'empty.txt' is empty",)
    assert report.metrics == {"parsed": 2.0, "needs_ocr": 0.0, "failed": 1.0}


def test_the_metadata_table_goes_before_the_payload(corpus):
    table, _ = parsed(corpus)
    row = table.to_pylist()[2]
    payload = json.loads(row["payload_json"])
    assert (
        payload["metadata"] == json.loads(row["metadata_json"]) == {"year": "2021", "kind": "x", "title": "Wu's paper"}
    )
    assert payload["title"] == row["title"] == "Wu's paper"


def test_rows_are_reused_until_file_metadata_or_settings_change(corpus, tmp_path):
    def run(**settings):
        with RowCache(tmp_path / "cache", DOCUMENT_ROW_CACHE_SCHEMA) as cache:
            return parsed(corpus, cache, **settings)

    first, report = run()
    assert (report.rows_computed, report.rows_reused) == (3, 0)
    second, report = run(time_limit_s=60)
    assert (report.rows_computed, report.rows_reused) == (0, 3)
    assert second.equals(first)
    assert run(min_image_size=10, ocr="off")[1].rows_computed == 0  # settings of PDFs and images alone
    picture = Image.new("RGB", (60, 60), "white")
    picture.save(corpus.documents / "blank.png")
    computed = [run(ocr="off", sections=how)[1].rows_computed for how in ("headings", "headings", "pages")]
    assert computed == [1, 0, 1]
    assert run(ocr="off", sections="pages", min_image_size=20)[1].rows_computed == 0  # of pictures in PDFs
    (corpus.documents / "blank.png").unlink()
    (corpus.documents / "bee.md").write_text("# Bees\n\nThey sing.\n")
    assert run()[1].rows_computed == 1
    corpus.metadata.write_text("id,title\nwu,Renamed\n")
    table, report = run()
    assert (report.rows_computed, table.column("title").to_pylist()[2]) == (1, "Renamed")


def rewritten(file):
    file.write_text("# Wasps\n")


def unreadable(file):
    file.rename(file.with_suffix(".away"))
    file.mkdir()  # as root may read every file


@pytest.mark.parametrize("harm", [rewritten, unreadable, Path.unlink])
def test_a_file_that_cannot_be_read_for_a_while_is_read_by_the_next_run(harm, corpus, tmp_path):
    file = corpus.documents / "bee.md"
    content = file.read_bytes()
    sources, _ = list_sources(corpus)
    with RowCache(tmp_path / "cache", DOCUMENT_ROW_CACHE_SCHEMA) as cache:
        harm(file)
        table, report = parse_documents(sources, corpus, DocumentsSettings(), cache)
        assert (table.column("status").to_pylist()[0], report.metrics["to_retry"]) == ("failed", 1.0)
        if file.is_dir():
            file.rmdir()
        file.write_bytes(content)
        table, report = parse_documents(sources, corpus, DocumentsSettings(), cache)
        assert (table.column("status").to_pylist()[0], "to_retry" in report.metrics) == ("parsed", False)


def test_a_limit_that_was_reached_is_kept_with_the_limit(corpus, tmp_path):
    def run(limit_s, **how):
        table, report = parse_documents(sources, corpus, DocumentsSettings(time_limit_s=limit_s), cache, **how)
        assert "to_retry" not in report.metrics
        return report.rows_computed, table.column("status").to_pylist().count("failed")

    (corpus.documents / "empty.txt").unlink()
    sources, _ = list_sources(corpus)
    with RowCache(tmp_path / "cache", DOCUMENT_ROW_CACHE_SCHEMA) as cache:
        assert [run(1e-6), run(1e-6)] == [(2, 2), (0, 2)]
        assert run(1e-6, retry_failures=True) == (2, 2)
        assert [run(60), run(60)] == [(2, 0), (0, 0)]
        assert run(1e-6) == (0, 0)  # what was read once stays read


def test_failures_are_tried_again_where_that_is_asked_for(corpus, tmp_path):
    (corpus.documents / "empty.md").write_bytes(b"")
    sources, _ = list_sources(corpus)
    with RowCache(tmp_path / "cache", DOCUMENT_ROW_CACHE_SCHEMA) as cache:
        reports = [
            parse_documents(sources, corpus, DocumentsSettings(), cache, retry_failures=again)[1]
            for again in (False, False, True)
        ]
    failed = reports[0].metrics["failed"]
    assert [report.rows_computed for report in reports] == [reports[1].rows_reused, 0, failed] == [4, 0, 2]


def test_the_stated_page_count_may_be_any_value(tmp_path):
    said = [("many", 3), (12, True), (True, "all"), (-1, {"1": 2}), (10**12, 1.5), (None, None), ([1], [])]
    for number, (pages, silent) in enumerate(said):
        metadata = {"pages": pages, "pages_without_text": silent, "language": ["en"], "boxes": 1}
        text = json.dumps({"text": f"Text {number}.", "metadata": metadata})
        (tmp_path / f"{number}.json").write_text(text)
    table, report = parsed(CorpusSettings(documents=tmp_path))
    assert table.column("pages").to_pylist() == [None, 12, None, None, None, None, None]
    assert report.problems == ()


def test_a_range_of_pages_in_the_metadata_does_not_hide_how_many_a_pdf_has(illustrated):
    metadata = illustrated.documents / "m.csv"
    metadata.write_text("id,pages\na,117-125\n")
    table, _ = parsed(CorpusSettings(documents=illustrated.documents, metadata=metadata))
    assert table.column("pages").to_pylist() == [1]
    assert json.loads(table.column("metadata_json").to_pylist()[0])["pages"] == "117-125"


def test_no_ready_source_starts_nothing():
    corpus = CorpusSettings()
    table, report = parse_documents(list_sources(corpus)[0], corpus, DocumentsSettings())
    assert (table.num_rows, report.rows_computed) == (0, 0)


def test_paths_come_back_in_order_with_payload_or_sentence(corpus, tmp_path):
    paths = [tmp_path / "none.txt", corpus.documents / "bee.md", corpus.documents / "bee.md"]
    first, second, third = parse_paths(paths, DocumentsSettings(), workers=2)
    assert (first.status, first.payload) == ("failed", None)
    assert first.error == "'none.txt' cannot be read (No such file or directory)"
    assert (second.status, second.payload["document_id"]) == ("parsed", "bee")
    assert third == second


def test_a_file_that_never_ends_is_given_up_and_the_next_one_is_read(corpus, tmp_path):
    pipe = tmp_path / "pipe.txt"
    os.mkfifo(pipe)
    paths = [pipe, corpus.documents / "bee.md"]
    stuck, fine = parse_paths(paths, DocumentsSettings(time_limit_s=0.3), workers=1)
    assert stuck.error.startswith("'pipe.txt' takes longer than 0.3 s to read")
    assert fine.status == "parsed"


def test_a_process_that_dies_costs_its_file_only(corpus):
    bee = {"path": str(corpus.documents / "bee.md"), "settings": {}, "time_limit_s": 9, "memory_limit_mb": 4096}
    broken = {**bee, "settings": None}
    died, fine = parse_isolated([broken, bee], workers=1)
    assert (died["status"], fine["payload"]["document_id"]) == ("failed", "bee")


def test_text_with_lone_surrogates_can_be_stored(tmp_path):
    (tmp_path / "a.json").write_text('{"text": "x \\ud800 y"}')
    corpus = CorpusSettings(documents=tmp_path)
    table, _ = parsed(corpus)
    assert json.loads(table.column("payload_json").to_pylist()[0])["text"] == "x \ufffd y"


def test_the_remedy_for_too_long_a_reading_is_a_setting_that_is_read(corpus):
    task = {"path": str(corpus.documents / "bee.md"), "settings": {}, "time_limit_s": 1e-6, "memory_limit_mb": 4096}
    text, figures = parse_isolated([task, {**task, "images": []}], workers=1)
    assert text["error"].endswith("to read; raise documents.time_limit_s or leave the file out")
    assert figures["error"].endswith("to read; leave the file out")


# Images


@pytest.fixture
def illustrated(tmp_path):
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), "Some text above the figure.")
    wide = io.BytesIO()
    picture = Image.new("RGBA", (400, 200), (200, 100, 0, 255))
    picture.paste((0, 0, 0, 0), (0, 0, 200, 200))
    picture.save(wide, "PNG")
    page.insert_image(pymupdf.Rect(72, 100, 272, 200), stream=wide.getvalue())
    page.insert_text((72, 220), "Figure 1: Half of it is clear.")
    document.save(tmp_path / "a.pdf")
    return CorpusSettings(documents=tmp_path)


def test_images_are_webp_with_their_mask_and_never_enlarged(illustrated):
    table, report = extract_images(parsed(illustrated)[0], illustrated, ImagesSettings(max_side_px=1000))
    assert table.schema.equals(DOCUMENT_IMAGES)
    assert report.problems == ()
    (row,) = table.to_pylist()
    assert (row["storage_key"], row["mime"], row["width"], row["height"]) == ("img:a:p1:i1", "image/webp", 400, 200)
    stored = Image.open(io.BytesIO(row["bytes"]))
    assert (stored.format, stored.mode) == ("WEBP", "RGBA")
    assert (stored.getpixel((50, 100))[3], stored.getpixel((350, 100))[3]) == (0, 255)


def test_the_longer_side_is_bounded_and_the_bytes_are_the_same_every_time(illustrated):
    documents = parsed(illustrated)[0]
    first, second = (extract_images(documents, illustrated, ImagesSettings(max_side_px=100))[0] for _ in range(2))
    assert first.equals(second)
    assert (first.to_pylist()[0]["width"], first.to_pylist()[0]["height"]) == (100, 50)


def test_a_pdf_that_is_gone_is_listed_and_skipped(illustrated):
    documents = parsed(illustrated)[0]
    (illustrated.documents / "a.pdf").unlink()
    table, report = extract_images(documents, illustrated, ImagesSettings())
    assert (table.num_rows, len(report.problems)) == (0, 1)
    assert report.problems[0].startswith("a.pdf: 'a.pdf' cannot be read")


def test_captions_are_those_printed_on_the_page(illustrated):
    images = extract_images(parsed(illustrated)[0], illustrated, ImagesSettings())[0]
    silent = pa.Table.from_pylist([{**images.to_pylist()[0], "page_caption": None}], schema=DOCUMENT_IMAGES)
    table, report = caption_images(pa.concat_tables([images, silent]))
    assert table.schema.equals(IMAGE_CAPTIONS)
    (row,) = table.to_pylist()
    assert row["text"] == f"[img:{images.to_pylist()[0]['name']} 400x200] Figure 1: Half of it is clear."
    assert (row["caption_source"], report.rows_computed) == ("page", 1)
