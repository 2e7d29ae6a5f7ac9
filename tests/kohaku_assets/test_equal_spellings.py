"""A question gets its answer however it is written, and however the documents are."""

import csv
import unicodedata
from pathlib import Path

import pytest
from stage_refresh import refresh_stages

from kohaku_lib.project import open_project

WIDE_DIGITS = {ord("0") + digit: ord("０") + digit for digit in range(10)}


def typographic(text):
    signs = text.replace("-", "\u2011").replace("'", "’").replace(" the ", " the\u00a0").replace(" a ", " a\u00a0")
    return signs.replace("“", "«").replace("”", "»")


SPELLINGS = {
    "typographic signs": typographic,
    "full-width digits": lambda text: text.translate(WIDE_DIGITS),
    "accents apart": lambda text: unicodedata.normalize("NFD", text),
}


def answers_of(home, questions):
    with open_project(home) as opened:
        return {name: shown(opened.ask(text)) for name, text in questions.items()}


def shown(answer):
    row = answer.as_json()
    return {name: row[name] for name in ("outcome", "answer_value", "answer_unit", "ref_id")}


@pytest.fixture
def questions(kohaku):
    rows = csv.DictReader(kohaku.project.settings.corpus.questions.read_text(encoding="utf-8").splitlines())
    return {row["id"]: row["question"] for row in rows} | {"name": "Who is “Milda Stankutė” in Kaunas-Dainava?"}


def test_questions_in_all_spellings_have_one_answer(kohaku, questions):
    home = kohaku.project.home
    found = answers_of(home, questions)
    assert sum(one["answer_value"] is not None for one in found.values()) >= 6
    for name, spell in SPELLINGS.items():
        respelled = {key: spell(text) for key, text in questions.items() if spell(text) != text}
        assert respelled, name
        assert answers_of(home, respelled) == {key: found[key] for key in respelled}, name


def test_documents_in_other_spellings_give_the_same_answers(kohaku, questions):
    project = kohaku.project
    found = answers_of(project.home, questions)
    for path in Path(project.settings.corpus.documents).glob("*.md"):
        lines = path.read_text(encoding="utf-8").split("\n")
        for spell in SPELLINGS.values():
            lines = list(map(respelled(spell), lines))
        path.write_text("\n".join(lines), encoding="utf-8")
    report = refresh_stages(project, ["published_index"])
    assert report.failure is None, report.failure
    assert answers_of(project.home, questions) == found


def respelled(spell):
    """Return a function that spells a line in another way, but for the signs that make it a heading, an item or a rule."""

    def line_of(text):
        body = text.lstrip("#-|: ")
        return text[: len(text) - len(body)] + spell(body)

    return line_of
