"""A damaged or nested file of any format has exactly one outcome: a document, or one sentence."""

from pathlib import Path

from damaged_files import damaged_files

from kohaku_lib.documents import parse_paths
from kohaku_lib.settings import DocumentsSettings

SAMPLE = Path(__file__).resolve().parents[3] / "data" / "sample" / "documents" / "kohaku-energy-report.pdf"


def test_every_damaged_file_is_a_document_or_one_sentence(tmp_path):
    files = damaged_files([SAMPLE], tmp_path / "damaged")
    outcomes = {one.path.name: one for one in parse_paths(files, DocumentsSettings(ocr="off", time_limit_s=60))}
    assert len(outcomes) == len(files) == 3 * 13 + 19
    for name, outcome in outcomes.items():
        assert (outcome.payload is None) != (outcome.error is None), name
        assert outcome.payload is None or outcome.status == "parsed", name
        told = outcome.error or ""
        assert "\n" not in told, name
        assert not any(word in told for word in ("Traceback", "ended the process", "takes longer", "Error:)")), told
    parsed = {name for name, outcome in outcomes.items() if outcome.payload}
    assert {"eml-nested.eml", "eml-wrapped.eml", "rtf-deep.rtf"} <= parsed
    assert not parsed & {"xml-laughs.xml", "docx-of-text.docx", "pdf-of-html.pdf", "xlsx-zip-in-zip.xlsx"}
