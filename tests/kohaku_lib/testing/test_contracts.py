"""Every kind of the house keeps the contract of its family, and a kind that breaks it is told how."""

import io
import zipfile
from dataclasses import replace

import docx
import openpyxl
import pptx
import pymupdf
import pytest
from PIL import Image, ImageDraw, ImageFont

from kohaku_lib.documents.formats.interface import FORMATS, FormatKind
from kohaku_lib.documents.ocr import engine_identity
from kohaku_lib.errors import DocumentError
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS, AnswerMetric, AnswerParts
from kohaku_lib.evaluation.metrics.retrieval.interface import RETRIEVAL_METRICS, RetrievalMetric
from kohaku_lib.llm import OpenAIChat
from kohaku_lib.retrieval.rerank import RERANKERS, RerankDependencies, RerankerKind
from kohaku_lib.settings import LlmSettings, RerankSettings
from kohaku_lib.tables import DocumentPayload
from kohaku_lib.testing import check_answer_metric, check_format, check_reranker, check_retrieval_metric
from kohaku_lib.testing.openai_server import OpenAIServer
from kohaku_lib.testing.tiny_cross_encoder import tiny_cross_encoder

TEXT = "The bees fly over the fields in summer."


@pytest.fixture(scope="module")
def server():
    with OpenAIServer(reply=lambda body: "Yes") as server:
        yield server


@pytest.fixture(scope="module")
def set_up(server, tmp_path_factory):
    """The settings and dependencies under which each reranker works; others work without any."""
    model = str(tiny_cross_encoder(tmp_path_factory.mktemp("models") / "tiny"))
    chat = OpenAIChat(LlmSettings(provider="openai", base_url=server.base_url))
    return {
        "served": (RerankSettings(kind="served", base_url=server.base_url, served_model="small"), None),
        "chat": (RerankSettings(kind="chat"), RerankDependencies(chat=chat, chat_model="judge")),
        "local": (RerankSettings(kind="local", local_model=model), RerankDependencies(device="cpu")),
    }


@pytest.mark.parametrize("name", RERANKERS.names())
def test_a_reranker_keeps_its_contract(name, set_up, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    check_reranker(RERANKERS.get(name), *set_up.get(name, ()))


def saved(document, how="save"):
    file = io.BytesIO()
    getattr(document, how)(file)
    return file.getvalue()


def pdf():
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), TEXT)
        return document.tobytes()


def word():
    document = docx.Document()
    document.add_paragraph(TEXT)
    return saved(document)


def slides():
    show = pptx.Presentation()
    show.slides.add_slide(show.slide_layouts[0]).shapes.title.text = TEXT
    return saved(show)


def workbook():
    book = openpyxl.Workbook()
    book.active.append(["insect", "flight"])
    book.active.append(["bee", TEXT])
    return saved(book)


def picture():
    if engine_identity("auto") == "off":
        pytest.skip("no OCR engine is installed")
    image, file = Image.new("RGB", (1400, 120), "white"), io.BytesIO()
    ImageDraw.Draw(image).text((20, 30), TEXT, fill="black", font=ImageFont.load_default(size=48))
    image.save(file, "PNG")
    return file.getvalue()


def zipped(**parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def book():
    container = '<container><rootfile full-path="book.opf"/></container>'
    item = '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
    package = f'<package><manifest>{item}</manifest><spine><itemref idref="a"/></spine></package>'
    return zipped(
        **{"META-INF/container.xml": container, "book.opf": package, "a.xhtml": f"<html><p>{TEXT}</p></html>"}
    )


def open_document(kind, body):
    named = {one: f"urn:oasis:names:tc:opendocument:xmlns:{one}:1.0" for one in ("office", "text", "table", "drawing")}
    spaces = " ".join(f'xmlns:{one}="{space}"' for one, space in named.items())
    root, kind = "office:document-content", f"office:{kind}"
    return zipped(**{"content.xml": f"<{root} {spaces}><office:body><{kind}>{body}</{kind}></office:body></{root}>"})


PARAGRAPH = f"<text:p>{TEXT}</text:p>"
CELL = f"<table:table-row><table:table-cell>{PARAGRAPH}</table:table-cell></table:table-row>"
SLIDE = f"<drawing:page><drawing:custom-shape>{PARAGRAPH}</drawing:custom-shape></drawing:page>"


CONTENTS = {
    "odt": lambda: open_document("text", PARAGRAPH),
    "ods": lambda: open_document("spreadsheet", f"<table:table>{CELL}</table:table>"),
    "odp": lambda: open_document("presentation", SLIDE),
    "epub": book,
    "pdf": pdf,
    "markdown": f"# Bees\n\n{TEXT}".encode,
    "text": TEXT.encode,
    "json_lines": b'{"bee": "Ann"}\n{"bee": "Bo"}\n'.strip,
    "rtf": (r"{\rtf1\ansi " + TEXT + "}").encode,
    "xml": f"<hive><bee>{TEXT}</bee></hive>".encode,
    "json": lambda: b'{"document_id": "doc-1", "title": "Bees", "text": "The bees fly."}',
    "html": f"<html><body><p>{TEXT}</p></body></html>".encode,
    "mail": f"From: ann@example.org\nSubject: Bees\n\n{TEXT}\n".encode,
    "calendar": f"BEGIN:VEVENT\nSUMMARY:Bees\nDESCRIPTION:{TEXT}\nEND:VEVENT\n".encode,
    "csv": f"insect,flight\nbee,{TEXT}\n".encode,
    "docx": word,
    "pptx": slides,
    "xlsx": workbook,
    "image": picture,
}


@pytest.mark.parametrize("name", FORMATS.names())
def test_a_format_keeps_its_contract(name):
    check_format(FORMATS.get(name), CONTENTS[name]())


@pytest.mark.parametrize("name", ANSWER_METRICS.names())
def test_a_metric_of_answers_keeps_its_contract(name):
    check_answer_metric(ANSWER_METRICS.get(name))


@pytest.mark.parametrize("name", RETRIEVAL_METRICS.names())
def test_a_metric_of_retrieval_keeps_its_contract(name):
    check_retrieval_metric(RETRIEVAL_METRICS.get(name))


class Scores:
    def __init__(self, score):
        self.name, self.score = "toy", score

    def scores(self, query, texts, question_id):
        return self.score(texts)


@pytest.mark.parametrize(
    ("score", "fault"),
    [
        (lambda texts: [2.0 for _ in texts], "from 0 to 1, got 2.0"),
        (lambda texts: [0.5], "must give 4 scores, got 1"),
        (lambda texts: [None for _ in texts], "scored none of 4 texts"),
        (lambda texts: [place / 4 for place, _ in enumerate(texts)], "in another order"),
        (lambda texts: [1 / len(texts) for _ in texts], r"scores the same texts alone \[1.0"),
    ],
)
def test_a_reranker_that_breaks_the_contract_is_told_how(score, fault):
    with pytest.raises(AssertionError, match=fault):
        check_reranker(RerankerKind("toy", lambda settings, dependencies: Scores(score)))


def test_a_reranker_that_names_no_setting_is_told_so():
    kind = RerankerKind("toy", lambda settings, dependencies: Scores(len), settings_keys=("rerank.size",))
    with pytest.raises(AssertionError, match=r"names settings that there are not: \['rerank.size'\]"):
        check_reranker(kind)


def parse(path, document_id, settings):
    if not path.read_text(errors="replace").strip():
        message = "empty"
        raise DocumentError(message)
    return DocumentPayload(document_id, "A", path.read_text(errors="replace"))


LINES = FormatKind("lines", {".lines": "text/x-lines"}, parse)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"mime_types": {}}, "must have a suffix"),
        ({"mime_types": {".Lines": "text/plain"}}, "of small letters"),
        ({"mime_types": {".lines": "text"}}, "must be a MIME type"),
        ({"settings_keys": ("size",)}, r"names settings of documents that there are not: \['size'\]"),
        ({"parse": lambda path, document_id, settings: DocumentPayload("x", "A", "B")}, "must have the id 'doc-1'"),
        ({"parse": lambda path, document_id, settings: DocumentPayload(document_id, "A", " ")}, "finds no text"),
    ],
)
def test_a_format_that_breaks_the_contract_is_told_how(changes, fault):
    check_format(LINES, b"The bees fly.")
    with pytest.raises(AssertionError, match=fault):
        check_format(replace(LINES, **changes), b"The bees fly.")


def test_a_format_that_fails_at_a_broken_file_otherwise_than_by_its_error_breaks_the_contract():
    strict = replace(
        LINES, parse=lambda path, document_id, settings: DocumentPayload(document_id, "A", path.read_text())
    )
    with pytest.raises(UnicodeDecodeError):
        check_format(strict, b"The bees fly.")


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        (AnswerParts(1.5, 1.0, None), "parts are from 0 to 1"),
        (AnswerParts(0.0, 1.0, None), "must score the truth .* 1, got"),
    ],
)
def test_a_metric_of_answers_that_breaks_the_contract_is_told_how(parts, fault):
    with pytest.raises(AssertionError, match=fault):
        check_answer_metric(AnswerMetric("toy", lambda truth, predicted: parts, "toy"))


@pytest.mark.parametrize(
    ("score", "fault"),
    [
        (lambda judgement, result: float("nan"), "varies|must give a number"),
        (lambda judgement, result: 1.0 - len(result.documents), "scores the best ranking -2.0, another one 1.0"),
    ],
)
def test_a_metric_of_retrieval_that_breaks_the_contract_is_told_how(score, fault):
    with pytest.raises(AssertionError, match=fault):
        check_retrieval_metric(RetrievalMetric("toy", score))
