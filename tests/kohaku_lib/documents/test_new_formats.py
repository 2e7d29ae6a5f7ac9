"""A format that is registered, and nothing else, is listed, parsed and keyed like those of the house."""

import subprocess
import sys
from pathlib import Path

import pytest

from kohaku_lib.documents import corpus_files, list_sources, parse_documents, parse_file, parse_paths
from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import CorpusSettings, DocumentsSettings
from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload

ROOT = Path(__file__).resolve().parents[3]


def parse_lines(path, document_id, settings):
    paragraphs = tuple(map(ParagraphPayload, path.read_text().splitlines()))
    return DocumentPayload(document_id, settings.sections, "", {}, (SectionPayload("Lines", paragraphs),))


LINES = FormatKind("lines", {".lines": "text/x-lines"}, parse_lines, settings_keys=("sections",), is_plain=True)


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "bees.lines").write_text("Bees fly.\nBees hum.")
    return CorpusSettings(documents=tmp_path)


def test_a_format_is_added_by_its_registration(corpus):
    with FORMATS.registered(LINES):
        sources, _ = list_sources(corpus)
        table, _ = parse_documents(sources, corpus, DocumentsSettings())
        (outcome,) = parse_paths([corpus.documents / "bees.lines"], DocumentsSettings(sections="pages"))
    assert table.select(["document_id", "mime_type", "title"]).to_pylist() == [
        {"document_id": "bees", "mime_type": "text/x-lines", "title": "headings"}
    ]
    assert [one["text"] for one in outcome.payload["sections"][0]["paragraphs"]] == ["Bees fly.", "Bees hum."]
    assert outcome.payload["title"] == "pages"


def test_a_format_whose_package_is_gone_is_skipped(corpus):
    assert corpus_files(corpus).skipped == {"bees.lines": "not a document format"}
    with pytest.raises(DocumentError, match=r"'bees.lines' is not of a document format; its name must end in one of"):
        parse_file(corpus.documents / "bees.lines")


PLUGIN = """
from kohaku_lib.documents.formats.interface import FormatKind
from kohaku_lib.tables import DocumentPayload

def parse(path, document_id, settings):
    import os
    return DocumentPayload(document_id, str(os.getpid()), path.read_text())

KIND = FormatKind("shout", {".shout": "text/x-shout"}, parse)
"""
PROGRAM = """
import os, sys
from pathlib import Path
from kohaku_lib.documents import parse_paths
from kohaku_lib.settings import DocumentsSettings
if __name__ == "__main__":
    (outcome,) = parse_paths([Path(sys.argv[1])], DocumentsSettings())
    print(outcome.payload["text"], outcome.payload["title"] != str(os.getpid()))
"""


@pytest.fixture
def installed(tmp_path):
    """The folder of an installed package whose entry point is a format."""
    package = tmp_path / "packages"
    (package / "shouting-1.0.dist-info").mkdir(parents=True)
    (package / "shouting-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n"
    )
    (package / "shouting-1.0.dist-info" / "entry_points.txt").write_text("[kohaku.formats]\nshout = shouting:KIND\n")
    (package / "shouting.py").write_text(PLUGIN)
    (tmp_path / "bees.shout").write_text("BEES")
    return package


def run_with(package, *arguments):
    command = [sys.executable, "-c", PROGRAM, *arguments]
    environment = {"PYTHONPATH": f"{package}:{ROOT}", "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_the_format_of_an_installed_package_is_parsed_in_a_process_of_its_own(installed, tmp_path):
    assert run_with(installed, str(tmp_path / "bees.shout")).stdout.split() == ["BEES", "True"]


def test_a_package_whose_format_cannot_be_loaded_is_named(installed, tmp_path):
    (installed / "shouting.py").write_text("")
    said = run_with(installed, str(tmp_path / "bees.shout")).stderr.splitlines()[-1]
    assert "the document format 'shout' of another package (shouting:KIND) cannot be loaded" in said


def test_docs_have_a_row_with_the_suffixes_of_every_format():
    rows = (ROOT / "docs" / "documents.md").read_text().splitlines()
    for kind in FORMATS:
        suffixes = " ".join(f"`{suffix}`" for suffix in kind.mime_types)
        assert any(f"| {suffixes} |" in row for row in rows), f"no row of docs/documents.md has {suffixes}"
