"""The sets of benchmarks/unspaced: well-formed, each in its own script, half of the questions not quoting the text."""

import json
import re
import unicodedata
from difflib import SequenceMatcher
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "unspaced"
LENGTHS = {"zh": (80, 250), "ja": (80, 250), "th": (150, 400)}
SCRIPTS = {"zh": "CJK", "ja": "CJK|HIRAGANA|KATAKANA|HALFWIDTH KATAKANA", "th": "THAI"}
LONGEST_QUOTED = {"zh": 5, "ja": 6, "th": 11}  # characters that a reworded question has in one piece from its text


@pytest.fixture(params=LENGTHS)
def language(request):
    return request.param


@pytest.fixture
def documents(language):
    return [json.loads(line) for line in (FOLDER / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()]


def test_the_ids_titles_texts_and_questions_of_a_set_are_unique(documents, language):
    assert [row["id"] for row in documents] == [f"{language}-{number:02}" for number in range(1, 61)]
    assert len({row["title"] for row in documents}) == len({row["text"] for row in documents}) == 60
    assert len({question for row in documents for question in row["questions"]}) == 120


def test_every_document_has_two_questions_and_a_text_of_the_length_of_its_language(documents, language):
    shortest, longest = LENGTHS[language]
    for row in documents:
        assert row.keys() == {"id", "title", "text", "questions"}
        assert len(row["questions"]) == 2, row["id"]
        assert shortest <= len(row["text"]) <= longest, row["id"]


def test_the_script_of_the_language_prevails_in_every_text_and_question(documents, language):
    for row in documents:
        assert script_share(row["text"], SCRIPTS[language]) > 0.5, row["id"]
        assert script_share("".join(row["questions"]), SCRIPTS[language]) > 0.5, row["id"]
        kana = script_share(row["text"], "HIRAGANA|KATAKANA|HALFWIDTH KATAKANA")
        assert (kana > 0.3) if language == "ja" else (kana == 0), row["id"]


def test_the_second_question_quotes_no_phrase_of_its_text(documents, language):
    for row in documents:
        assert longest_run(row["questions"][1], row["text"]) <= LONGEST_QUOTED[language], row["id"]


def script_share(text, names):
    """Return the share of the letters and vowel signs of `text` whose Unicode name begins with one of `names`."""
    letters = [letter for letter in text if unicodedata.category(letter)[0] in "LM"]
    return sum(bool(re.match(names, unicodedata.name(letter))) for letter in letters) / len(letters)


def longest_run(question, text):
    """Return the length of the longest piece of `question` that `text` has as it is."""
    return SequenceMatcher(None, question, text, autojunk=False).find_longest_match().size
