"""What the server says is German for who prefers it, and English for all others."""

import ast
import re
import string
from itertools import pairwise
from pathlib import Path

import pytest
from joined_client import joined_client
from stage_refresh import refresh_stages

import kohaku_assets
import kohaku_lib
from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.german import GERMAN, in_german, wants_german
from kohaku_lib.composition import load_settings

CODE = [*Path(kohaku_lib.__file__).parent.rglob("*.py"), *Path(kohaku_assets.__file__).parent.rglob("*.py")]
VARIANTS = {"'{}' has {} and needs OCR; {}"}  # written out in German for each lack


def template(node):
    """The text of a literal or an f-string, with {} for each value and '{}' for one in quotes."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    parts = (
        one.value if isinstance(one, ast.Constant) else ("'{}'" if one.conversion == 114 else "{}")
        for one in node.values
    )
    return "".join(parts)


def reasons():
    """The sentences of all errors that a document may fail with."""
    for path in (Path(kohaku_lib.__file__).parent / "documents").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            bodies = (getattr(node, name, None) for name in ("body", "orelse", "finalbody"))
            for first, second in (pair for body in bodies if isinstance(body, list) for pair in pairwise(body)):
                is_raised = isinstance(second, ast.Raise) and isinstance(second.exc, ast.Call)
                kind = getattr(second.exc.func, "id", "") if is_raised else ""
                if kind in {"DocumentError", "NeedsOcrError"} and isinstance(first, ast.Assign):
                    yield template(first.value)


def test_every_reason_why_a_document_cannot_be_read_has_its_german():
    found = set(reasons()) - VARIANTS
    assert len(found) > 45
    assert found - GERMAN.keys() == set()


def test_every_sentence_with_a_german_is_one_that_the_code_says():
    said = "\n".join(path.read_text(encoding="utf-8") for path in CODE if path.name != "german.py")
    said = re.sub(r'"\s*\n\s*f?"', "", said)  # a text over two lines
    parts = {part for english in GERMAN for part in re.split(r"'?\{\}'?|kohaku documents --include", english)}
    written_out = {" has no text layer and needs OCR; ", " has a broken text layer and needs OCR; "}
    unsaid = {part for part in parts - written_out if part not in said and part.replace("'", "\\'") not in said}
    assert {part for part in unsaid if "corpus.follow_links" not in part} == set()  # two texts that are joined


@pytest.mark.parametrize("english", GERMAN)
def test_a_german_sentence_keeps_what_the_english_one_says_of_this_document(english):
    values = [f"w{number}" for number in range(english.count("{}"))]
    told = in_german(english.format(*values))
    assert told != english.format(*values)
    kept = [value for value in values if value in told]
    places = {name for _, name, _, _ in string.Formatter().parse(GERMAN[english]) if name is not None}
    assert kept == (values[:1] if places == {"0"} else values[: GERMAN[english].count("{}")])


@pytest.mark.parametrize(
    ("header", "expected"),
    [("de", True), ("de-AT,de;q=0.9,en;q=0.5", True), ("en-GB,de;q=0.9", False), ("", False), ("da", False)],
)
def test_german_is_for_who_prefers_it(header, expected):
    assert wants_german({"type": "http", "headers": [(b"accept-language", header.encode())]}) is expected


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    home = tmp_path_factory.mktemp("german")
    (home / "documents").mkdir()
    (home / "kohaku.toml").write_text('store = "store"\n[corpus]\ndocuments = "documents"\n')
    for name, content in {"a.pdf": b"no PDF", "b's.md": b"", "c.md": b"# Pier\n\nIt is long.\n", "d.zip": b""}.items():
        (home / "documents" / name).write_bytes(content)
    (home / "documents" / "d.md").write_bytes((home / "documents" / "c.md").read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAGSTER_HOME", str(home / "dagster_home"))
        project = Project(load_settings(environment={}, folder=home))
        assert refresh_stages(project).failure is None
        with joined_client(Project(project.loaded)) as opened:
            yield opened


def test_reasons_and_refusals_are_in_the_language_of_the_caller(client):
    german = {"Accept-Language": "de-DE,de;q=0.9"}
    listed = client.get("/v1/documents", headers=german).json()["documents"]
    assert {row["path"]: row["reason"] for row in listed} == {
        "a.pdf": "„a.pdf“ ist zu stark beschädigt oder kein PDF",
        "b's.md": "„b's.md“ ist leer",
        "c.md": None,
        "d.md": "gleicher Inhalt wie „c.md“",
        "d.zip": "kein Format für Dokumente",
    }
    assert client.get("/v1/documents").json()["documents"][0]["reason"].startswith("'a.pdf' is damaged")
    refused = client.post("/v1/documents", files={"file": ("c.md", b"x")}, headers=german)
    assert (refused.status_code, refused.json()["detail"][:32]) == (409, "Eine Datei „c.md“ gibt es schon;")
    unknown = client.get("/v1/documents/none/text", headers=german).json()
    assert unknown["detail"] == "Ein Dokument „none“ hat der Index nicht"
    asked = {"message": "Who?", "session_id": "x", "stream": True}
    assert "Ein Gespräch „x“ haben Sie nicht" in client.post("/v1/chat", json=asked, headers=german).text
