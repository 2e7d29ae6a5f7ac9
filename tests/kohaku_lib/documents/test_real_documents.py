"""Real documents, where they are at hand, come out as they look."""

import json
from pathlib import Path

import pytest

from kohaku_lib.documents import list_sources, parse_documents, parse_file, payload_to_json, read_metadata
from kohaku_lib.settings import CorpusSettings, DocumentsSettings

DATA = Path(__file__).resolve().parents[3] / "../shared/data"
PDFS = DATA / "pdfs"

pytestmark = pytest.mark.skipif(not PDFS.is_dir(), reason="the real documents are not on this machine")


def joined(name):
    return " ".join(parse_file(PDFS / name).text.split())


def test_two_columns_are_read_in_order():
    text = joined("olmocr-bench/pdfs/multi_column_miss.pdf")
    first = text.index("hope that it might gain by association.")
    second = text.index("Tobacco industry posturing")
    third = text.index("and the industry unblinkingly concurring")
    assert first < second < third
    assert "Downloaded from" not in text


def test_a_cash_flow_statement_keeps_its_rows():
    path = PDFS / "financebench/pdfs/AMCOR_2023Q4_EARNINGS.pdf"
    tables = [
        paragraph
        for section in parse_file(path).sections
        for paragraph in section.paragraphs
        if paragraph.metadata.get("modality") == "table"
    ]
    rows = [row for table in tables for row in table.text.split("\n") if row.startswith("| Net sales |")]
    assert rows
    assert all(len([cell for cell in row.split("|") if any(c.isdigit() for c in cell)]) >= 2 for row in rows)


def test_a_table_with_rules_keeps_its_wrapped_cells():
    text = joined("docling/redp5110_sampled.pdf")
    assert "| USER_NAME | VARCHAR(10) | Name of the user profile that has a usage setting for this function. |" in text


def test_a_paper_has_its_numbered_sections():
    titles = [section.title for section in parse_file(PDFS / "pdfjs/compressed.tracemonkey-pldi-09.pdf").sections]
    assert [title for title in titles if title[:2].strip(".").isdigit()][:3] == [
        "1. Introduction",
        "2. Overview: Example Tracing Run",
        "3. Trace Trees",
    ]
    assert titles[-1] == "References"


def test_wattbot_payloads_come_through_unchanged():
    corpus = CorpusSettings(documents=DATA / "wattbot/corpus", metadata=DATA / "wattbot/metadata.csv")
    sources, listed = list_sources(corpus)
    table, report = parse_documents(sources.slice(0, 3), corpus, DocumentsSettings())
    assert (sources.num_rows, listed.problems, report.problems) == (32, (), ())
    for row in table.to_pylist():
        raw = json.loads((DATA / "wattbot/corpus" / row["path"]).read_text(encoding="utf-8"))
        payload = json.loads(row["payload_json"])
        assert payload["sections"] == raw["sections"]
        assert payload["text"] == raw["text"]
        assert payload_to_json(parse_file(DATA / "wattbot/corpus" / row["path"])) == raw


def test_the_wattbot_metadata_is_mended():
    table = read_metadata(DATA / "wattbot/metadata.csv")
    assert (len(table.rows), table.problems) == (32, ())
    assert "Mélange" in table.rows["griggs2024"]["title"]
    assert table.rows["griggs2024"]["citation"].count("Mélange") == 1
    assert table.rows["zschache2025"]["url"] == table.rows["zschache2025"]["url"].strip()
