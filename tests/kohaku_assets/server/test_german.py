"""What the server says is German for who prefers it, and English for all others."""

import ast
import re
import string
import time
from pathlib import Path

import pytest
from answering_material import chat_request
from joined_client import joined_client
from raw_server import RawServer, response, sends
from stage_refresh import refresh_stages

import kohaku_assets
import kohaku_lib
from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.german import GERMAN, in_german, wants_german
from kohaku_lib.composition import load_settings
from kohaku_lib.llm import CallError, Environment, OpenAIChat
from kohaku_lib.settings import LlmSettings
from kohaku_lib.storage import store_lock

CODE = [*Path(kohaku_lib.__file__).parent.rglob("*.py"), *Path(kohaku_assets.__file__).parent.rglob("*.py")]
ROOTS = (Path(kohaku_lib.__file__).parent, Path(kohaku_assets.__file__).parent)
# whose sentences reach the page, and of them those that do not
ON_PAGE = (
    "documents/formats documents/ocr documents/worker documents/payload_file.py documents/payloads.py conversation "
    "llm/resilience llm/providers/read_parts.py answering/chat/parsing.py answering/chat/chat_answerer.py server"
)
NOT_ON_PAGE = {
    "asked by agents and other programs": "conversation/tool.py conversation/vision.py conversation/assistant.py "
    "server/schemas.py routes/openai_protocol.py server/openai_messages.py server/mcp_http.py",
    "said where the server starts": "server/serving.py server/tracing.py memory/database.py",
    "said by the command line": "access/keys.py",
    "a part that is left out": "figures/figure_images.py",
    "settings": "ocr/rapid.py ocr/tesseract.py pdf/layout_engine.py worker/supervisor.py",
}
ERRORS = ("Error", "Problem", "Failure", "_refuse")
# written out in German for each lack, and put together from several
VARIANTS = {
    "'{}' has {} and needs OCR; {}",
    "answer.by = 'model' needs a chat model; build it with build_chat(settings.llm)",
}


def template(node):
    """The text of a literal or an f-string, with {} for each value and '{}' for one in quotes."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    parts = (
        one.value if isinstance(one, ast.Constant) else ("'{}'" if one.conversion == 114 else "{}")
        for one in node.values
    )
    return "".join(parts)


def sentences_in(path):
    """The texts that errors are made of: their arguments, and what `msg`, `error` and the like are just before."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        texts = []
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            texts = node.args if name.endswith(ERRORS) else []
        elif isinstance(node, ast.Assign):
            is_named = getattr(node.targets[0], "id", "") in {"msg", "problem", "error", "UNREADABLE"}
            texts = [node.value] if is_named else []
        for text in texts:
            if isinstance(text, ast.JoinedStr) or (isinstance(text, ast.Constant) and " " in str(text.value)):
                yield template(text)


def said_on_page():
    """The sentences of all errors that the page may show."""
    left_out = tuple(name for names in NOT_ON_PAGE.values() for name in names.split())
    for root, part in ((root, part) for root in ROOTS for part in ON_PAGE.split()):
        for path in [root / part] if part.endswith(".py") else (root / part).rglob("*.py"):
            if path.exists() and not path.as_posix().endswith(left_out):
                yield from sentences_in(path)


def test_every_sentence_that_the_page_may_show_has_its_german():
    found = set(said_on_page()) - VARIANTS
    assert len(found) > 110
    shown = {sentence: sentence.replace("'{}'", "'x'").replace("{}", "y") for sentence in found}
    assert {sentence for sentence, text in shown.items() if in_german(text) == text} == set()


def test_every_sentence_with_a_german_is_one_that_the_code_says():
    said = "\n".join(path.read_text(encoding="utf-8") for path in CODE if path.name != "german.py")
    said = re.sub(r'"\s*\n\s*f?"', "", said)  # a text over two lines
    parts = {part for english in GERMAN for part in re.split(r"'?\{\}'?|kohaku documents --include", english)}
    written_out = {" has no text layer and needs OCR; ", " has a broken text layer and needs OCR; "}
    written_out |= {" gave no reply: ", " gave no reply after ", " attempts: ", ", or the command tesseract ("}
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
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("german")


@pytest.fixture(scope="module")
def client(home):
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


def why_no_reply(base_url):
    settings = LlmSettings(provider="openai", base_url=base_url, call_retries=1)
    chat = OpenAIChat(settings, Environment(variables={}, sleep=lambda seconds: None))
    with pytest.raises(CallError) as caught:
        chat.complete(chat_request())
    return in_german(str(caught.value))


def test_why_a_model_did_not_answer_is_told_in_german():
    model = "Das Sprachmodell „test-model“ unter"
    assert why_no_reply("http://127.0.0.1:1/v1").startswith(
        f"{model} http://127.0.0.1:1/v1 hat nicht geantwortet: keine Verbindung ("
    )
    with RawServer(sends(response(b"no", "200 OK"))) as server:
        told = why_no_reply(server.url)
    assert told.endswith(" hat auch nach 2 Versuchen nicht geantwortet: die Antwort des Servers ist kein JSON")


def test_what_has_no_german_of_its_own_is_told_behind_the_german_of_its_status(client):
    german = {"Accept-Language": "de"}
    assert client.get("/v1/nothing", headers=german).json()["detail"] == "Das gibt es hier nicht: Not Found"
    assert client.get("/v1/nothing").json()["detail"] == "Not Found"
    wrong = {"message": "Who?", "temperature_override": 3}
    assert client.post("/v1/chat", json=wrong, headers=german).json()["detail"].startswith("Eine Angabe passt nicht: b")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('{"message": "%s"}' % ("a" * 20_001), "body.message hat höchstens 20000 Zeichen"),
        ('{"message": "a", "document_ids": [%s"d"]}' % ('"d", ' * 1000), "document_ids hat höchstens 1000 Einträge"),
        (
            '{"message": "a", "mode": "poem"}',
            "body.mode muss 'chat', 'general', 'agent' or 'vision' sein, nicht „poem“",
        ),
        ("{}", "body.message fehlt"),
        ("{", "body.1: kein gültiges JSON"),
    ],
)
def test_what_is_wrong_with_a_request_is_told_in_german(client, body, told):
    headers = {"Accept-Language": "de", "Content-Type": "application/json"}
    refused = client.post("/v1/chat", content=body, headers=headers)
    assert (refused.status_code, told in refused.json()["detail"]) == (422, True), refused.json()


def test_why_a_run_failed_is_told_in_german(client, home):
    added = home / "documents" / "e.md"
    added.write_text("# Mole\n\nIt is short.\n")
    with store_lock(home / "store"):
        run = client.post("/v1/runs").json()
        while run["status"] in {"queued", "running"}:
            time.sleep(0.2)
            run = client.get(f"/v1/runs/{run['run_id']}", headers={"Accept-Language": "de"}).json()
    added.unlink()
    assert run["status"] == "failed"
    assert run["messages"][-1].startswith("Ein anderer Lauf schreibt gerade in „")
