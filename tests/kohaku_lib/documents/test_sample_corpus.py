"""The sample corpus parses as its questions need it."""

import csv
import hashlib
import runpy
from pathlib import Path

import pytest

from kohaku_lib.documents import list_sources, parse_file
from kohaku_lib.settings import CorpusSettings

SAMPLE = Path(__file__).resolve().parents[3] / "data" / "sample"
COLUMNS = "id,question,answer,answer_value,answer_unit,ref_id,ref_url,supporting_materials,explanation"


@pytest.fixture(scope="module")
def report():
    return parse_file(SAMPLE / "documents" / "kohaku-energy-report.pdf")


def test_every_file_has_its_row_of_metadata():
    table, stage = list_sources(CorpusSettings(documents=SAMPLE / "documents", metadata=SAMPLE / "metadata.csv"))
    assert stage.problems == ()
    assert set(table.column("status").to_pylist()) == {"ready"}


def test_the_report_has_its_sections_without_running_header(report):
    titles = ["1 Introduction", "2 The machine room", "3 Training the models", "4 Emissions", "5 Outlook"]
    assert [section.title for section in report.sections][1:] == titles
    assert "Kohaku Workshop - Energy Report 2023" not in report.text


def test_two_paragraphs_go_on_across_pages(report):
    starts = [
        p.metadata["page_starts"][0][1] for s in report.sections for p in s.paragraphs if "page_starts" in p.metadata
    ]
    assert starts == [2, 3]


def test_the_table_and_the_figure_have_their_captions(report):
    attached = {
        p.metadata["attachment_type"]: p for s in report.sections for p in s.paragraphs if "modality" in p.metadata
    }
    assert attached["table"].text.startswith("Table 1: Electricity, duration")
    assert "| Gintaras-L | 1,300 | 6,600 | 310 | 990 |" in attached["table"].text
    assert attached["image"].metadata["page_caption"].startswith("Figure 1: Electricity of the machine room")


def test_the_quotes_of_the_questions_are_in_the_documents_they_cite():
    known = {path.stem: parse_file(path).text for path in (SAMPLE / "documents").iterdir()}
    with (SAMPLE / "questions.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert ",".join(rows[0]) == COLUMNS
    assert len(rows) == 12
    assert sum(row["answer_value"] == "is_blank" for row in rows) == 2
    for row in rows:
        if row["answer_value"] != "is_blank":
            cited = "\n".join(known[name.strip(" '")] for name in row["ref_id"].strip("[]").split(","))
            assert row["supporting_materials"] in cited, row["id"]


def test_the_script_writes_the_same_bytes_again(tmp_path, monkeypatch):
    module = runpy.run_path(str(SAMPLE / "make_pdf.py"))
    target = tmp_path / "again.pdf"
    monkeypatch.setitem(module["main"].__globals__, "TARGET", target)
    module["main"]()
    committed = (SAMPLE / "documents" / "kohaku-energy-report.pdf").read_bytes()
    assert hashlib.sha256(target.read_bytes()).hexdigest() == hashlib.sha256(committed).hexdigest()
