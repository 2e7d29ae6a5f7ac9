"""A file as a folder: text, payload and figures, in a folder that is new or empty."""

import json
import re
from pathlib import Path

import pytest
from mails import mail
from PIL import Image

from kohaku_lib.documents.folder_export import export_folder
from kohaku_lib.errors import DocumentError, InputFileError
from kohaku_lib.settings import DocumentsSettings, ImagesSettings

SAMPLE = Path(__file__).resolve().parents[3] / "data" / "sample" / "documents"
PLAIN = DocumentsSettings(parser="blocks", ocr="off")


def test_a_pdf_becomes_text_payload_and_figures_in_their_place(tmp_path):
    report = export_folder(SAMPLE / "kohaku-energy-report.pdf", tmp_path / "out", PLAIN, ImagesSettings())
    text = (tmp_path / "out" / "document.md").read_text(encoding="utf-8")
    payload = json.loads((tmp_path / "out" / "document.json").read_text(encoding="utf-8"))
    shown = re.findall(r"^!\[.*\]\((images/p\d+-i\d+\.webp)\)$", text, re.M)
    files = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out" / "images").iterdir())
    assert sorted(shown) == files != []
    assert report.rows_computed == len(files)
    assert payload["document_id"] == "kohaku-energy-report"
    for name in files:
        with Image.open(tmp_path / "out" / name) as image:
            assert (image.format, max(image.size) <= 1024) == ("WEBP", True)


def test_other_files_have_no_figures(tmp_path):
    (tmp_path / "out").mkdir()
    report = export_folder(SAMPLE / "model-card.md", tmp_path / "out", PLAIN, ImagesSettings())
    assert (report.rows_computed, report.problems) == (0, ())
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["document.json", "document.md"]


def test_a_folder_with_files_is_left_alone_and_a_broken_file_leaves_none(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputFileError, match="no empty folder"):
        export_folder(SAMPLE / "model-card.md", tmp_path, PLAIN, ImagesSettings())
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    with pytest.raises(DocumentError):
        export_folder(tmp_path / "broken.pdf", tmp_path / "out", PLAIN, ImagesSettings())
    assert not (tmp_path / "out").exists()


def test_what_is_attached_has_folders_below_that_of_its_mail(tmp_path):
    inner = mail("Route", files=[("a.txt", b"By rail.")])
    path = tmp_path / "offer.eml"
    path.write_bytes(
        mail(
            "Tiles",
            files=[("plan.pdf", (SAMPLE / "kohaku-energy-report.pdf").read_bytes()), ("x.exe", b"MZ")],
            forwarded=[inner],
        )
    )
    report = export_folder(path, tmp_path / "out", PLAIN, ImagesSettings())
    plan = tmp_path / "out" / "attached" / "plan.pdf"
    images = len(list((plan / "images").iterdir()))
    assert images > 0
    assert (report.rows_computed, report.problems) == (images, ("offer.eml/x.exe: not a document format",))
    assert sorted(one.relative_to(tmp_path / "out").as_posix() for one in (tmp_path / "out").rglob("*.*md")) == [
        "attached/Route.eml/attached/a.txt/document.md",
        "attached/Route.eml/document.md",
        "attached/plan.pdf/document.md",
        "document.md",
    ]
    assert "](images/p" in (plan / "document.md").read_text()
    assert "By rail." in (tmp_path / "out/attached/Route.eml/attached/a.txt/document.md").read_text()
