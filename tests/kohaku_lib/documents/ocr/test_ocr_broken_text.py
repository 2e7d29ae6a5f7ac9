"""Broken text layers are distinguished from good text in many languages, and from what is no prose."""

import json
import os
import random
import string
from pathlib import Path

import pymupdf
import pytest

from kohaku_lib.documents.ocr.broken_text import is_broken_text

DATA = Path(os.environ.get("KOHAKU_SHARED_DATA", Path(__file__).resolve().parents[5] / "shared" / "data"))
PROSE = {
    "English": "The harbour office opened in the spring and kept a record of every vessel that passed the lighthouse",
    "German": "Das Hafenamt wurde im Frühjahr eröffnet und führte Buch über jedes Schiff, das am Leuchtturm vorbeifuhr",
    "French": "Le bureau du port ouvrit au printemps et tint le registre de chaque navire qui passait devant le phare",
    "Spanish": "La oficina del puerto abrió en primavera y llevaba un registro de cada barco que pasaba junto al faro",
    "Polish": "Biuro portu otwarto wiosną i prowadziło ono spis każdego statku, który przepływał obok latarni morskiej",
    "Czech": "Kancelář přístavu byla otevřena na jaře a vedla záznam o každé lodi, která proplula kolem majáku ve městě",
    "Finnish": "Sataman toimisto avattiin keväällä ja se piti kirjaa jokaisesta laivasta joka kulki majakan ohitse yöllä",
    "Turkish": "Liman dairesi ilkbaharda açıldı ve deniz fenerinin önünden geçen her geminin kaydını düzenli olarak tuttu",
    "Welsh": "Agorwyd swyddfa'r harbwr yn y gwanwyn a chadwodd gofnod o bob llong a aeth heibio i'r goleudy newydd yno",
}

SECOND = "Fishermen brought their catch before dawn and merchants from three towns bid for it until the market closed"


def shifted(text, step):
    letters = string.ascii_lowercase
    table = str.maketrans(letters, letters[step:] + letters[:step])
    return text.lower().translate(table)


@pytest.mark.parametrize("language", PROSE)
def test_prose_is_no_broken_text(language):
    assert not is_broken_text(PROSE[language] * 2)


@pytest.mark.parametrize("step", range(1, 26))
def test_letters_shifted_by_any_step_are_broken(step):
    assert is_broken_text(shifted(f"{PROSE['English']} {SECOND}", step))


def test_letters_exchanged_at_random_are_broken():
    chance = random.Random(3)
    found = 0
    for _ in range(100):
        letters = list(string.ascii_lowercase)
        chance.shuffle(letters)
        table = str.maketrans(string.ascii_lowercase, "".join(letters))
        found += is_broken_text(PROSE["English"].lower().translate(table) * 2)
    assert found >= 97


def test_glyph_numbers_put_for_letters_are_broken():
    glyphs = "".join(" " if letter == " " else chr(ord(letter) - 29) for letter in PROSE["English"] * 4)
    assert is_broken_text(glyphs)


@pytest.mark.parametrize("sign", ["\ufffd", "\ue042", "(cid:17)"])
def test_characters_without_a_meaning_are_broken(sign):
    assert is_broken_text(f"{sign * 4} " * 20)
    assert not is_broken_text(f"{sign} " + PROSE["English"])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = 3.14159",
        "12 345.6 78 910 " * 50,
        "ISBN GDPR XML HTTP PDF NVDA MSFT TXN QCOM KLAC " * 2,
        "Москва и Петербург " * 20,
        "东京の天気は晴れです。" * 20,
        "بررسی دیدگاه و نظرات " * 20,
    ],
)
def test_what_is_no_prose_in_latin_letters_is_not_judged(text):
    assert not is_broken_text(text)


def test_the_one_broken_page_among_real_ones_is_found():
    if not (DATA / "pdfs").is_dir():
        pytest.skip("the shared data are not at hand")
    files = [*sorted((DATA / "pdfs").glob("olmocr-gnarly/*.pdf")), *sorted((DATA / "pdfs").glob("docling/*.pdf"))]
    broken = []
    for path in files:
        with pymupdf.open(path) as document:
            broken += [path.name for page in document.pages() if is_broken_text(str(page.get_text()))]
    assert json.dumps(broken) == '["dolma-page-1.pdf"]'
