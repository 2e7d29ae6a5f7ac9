"""The language of documents is found offline, or left open; what people say of it goes first."""

import json
import time
from pathlib import Path

import pytest

from kohaku_lib.documents import list_sources, parse_documents, payload_from_json
from kohaku_lib.documents.language import detect_language
from kohaku_lib.documents.payloads import document_text
from kohaku_lib.settings import CorpusSettings, DocumentsSettings

DATA = Path(__file__).resolve().parents[3] / "../shared/data"
TEXTS = {
    "en": "The machine room of the house used much more electricity in the last year than in all the years before it. ",
    "de": "Der Maschinenraum des Hauses hat im letzten Jahr viel mehr Strom verbraucht als in allen Jahren davor. ",
    "fr": "La salle des machines de la maison a consommé bien plus d'électricité l'année dernière qu'auparavant. ",
    "es": "La sala de máquinas de la casa gastó mucha más electricidad el año pasado que en todos los anteriores. ",
    "it": "La sala macchine della casa ha consumato molta più elettricità l'anno scorso che in tutti gli altri anni. ",
    "pt": "A sala de máquinas da casa gastou muito mais eletricidade no ano passado do que em todos os anteriores. ",
    "ru": "Машинный зал дома израсходовал в прошлом году гораздо больше электричества, чем во все прежние годы. ",
    "ja": "この家の機械室は、去年、それまでのすべての年よりもはるかに多くの電気を使いました。",
    "zh": "这所房子的机房去年使用的电力比以往任何一年都多得多,因此我们决定更换所有的旧机器。",
    "ar": "استهلكت غرفة الآلات في المنزل في العام الماضي كهرباء أكثر بكثير مما استهلكته في كل الأعوام السابقة. ",
    "hi": "घर के मशीन कक्ष ने पिछले साल उससे पहले के सभी वर्षों की तुलना में बहुत अधिक बिजली का उपयोग किया। ",
}


@pytest.mark.parametrize("language", TEXTS)
def test_languages_are_distinguished(language):
    assert detect_language(TEXTS[language] * 4) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "GPT-3",
        "The machine room.",
        "1,287 552 324 | 0.5 " * 200,
        "```\n" + "def f(x): return x\n" * 50 + "```",
        "x" * 5000,
    ],
)
def test_what_is_short_or_no_prose_has_no_language(text):
    assert detect_language(text) is None


def test_half_of_one_language_and_half_of_another_is_none_or_one_of_them():
    assert detect_language(TEXTS["en"] * 60 + TEXTS["de"] * 60) in {None, "en", "de"}


def test_tables_of_numbers_do_not_make_english_foreign():
    rows = "".join(f"| GPT-{n} | {n * 1287} MWh | {n}.5 tCO2e |\n" for n in range(40))
    assert detect_language(TEXTS["en"] * 3 + rows) == "en"


def test_the_metadata_hold_the_language_that_people_say_else_the_one_that_is_found(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "found.txt").write_text(TEXTS["de"] * 4, encoding="utf-8")
    (docs / "said.txt").write_text(TEXTS["de"] * 5, encoding="utf-8")
    (docs / "own.md").write_text(f"---\nlang: nl\n---\n{TEXTS['de'] * 4}", encoding="utf-8")
    (docs / "short.txt").write_text("Kurz.", encoding="utf-8")
    (tmp_path / "m.csv").write_text("id,language\nsaid,fr\n", encoding="utf-8")
    corpus = CorpusSettings(documents=docs, metadata=tmp_path / "m.csv")
    table, _ = parse_documents(list_sources(corpus)[0], corpus, DocumentsSettings(), workers=1)
    languages = {row["document_id"]: json.loads(row["metadata_json"]).get("language") for row in table.to_pylist()}
    assert languages == {"found": "de", "own": "nl", "said": "fr", "short": None}
    assert json.loads(table["payload_json"][0].as_py())["metadata"]["language"] == "de"


@pytest.mark.skipif(not (DATA / "wattbot").is_dir(), reason="the real documents are not on this machine")
def test_technical_papers_in_english_are_english():
    papers = sorted((DATA / "wattbot" / "corpus").glob("*.json"))
    texts = [document_text(payload_from_json(json.loads(path.read_text(encoding="utf-8")))) for path in papers]
    assert {detect_language(text) for text in texts} == {"en"}


def test_a_text_without_a_blank_takes_no_more_time_than_another():
    """It took half a minute: each of its letters was tried as the beginning of an address."""
    started = time.process_time()
    assert detect_language("ACGT" * 30_000) is None
    assert time.process_time() - started < 5
