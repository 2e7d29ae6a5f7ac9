"""The trust benchmark: its questions stand on its documents, its parts share nothing, its verdicts are strict and fair."""

import ast
import itertools
from collections import defaultdict
from pathlib import Path

import pytest
from trust import Judged, changed
from trust_documents import PARTS, make_documents
from trust_truth import QUESTIONS, Asked, elements_of, folded, read_asked, verdict_on
from unrelated_documents import COMPANIES, PEOPLE, TOWNS, write_unrelated

from kohaku_lib.answering.questions import read_questions
from kohaku_lib.documents import parse_file
from kohaku_lib.project import Answer, Citation, ClosestPassage

ASKED = read_asked()


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """The text of every document as parsed, by part and document id."""
    found = defaultdict(dict)
    for part in PARTS:
        folder = tmp_path_factory.mktemp(part)
        make_documents(part, folder)
        for path in folder.iterdir():
            payload = parse_file(path)
            paragraphs = (paragraph.text for section in payload.sections for paragraph in section.paragraphs)
            found[part][payload.document_id] = folded("\n".join(paragraphs))
    return found


def test_the_project_reads_the_file_of_questions_without_a_problem():
    table, report = read_questions(QUESTIONS)
    assert (table.num_rows, report.problems) == (len(ASKED), ())
    assert len({one.id for one in ASKED}) == len(ASKED) >= 150


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.id)
def test_the_evidence_stands_in_its_document_as_parsed(texts, asked):
    assert asked.is_answerable == bool(asked.documents) == bool(asked.evidence)
    for piece in asked.evidence:
        assert any(folded(piece) in texts[asked.part][document] for document in asked.documents), piece


@pytest.mark.parametrize("part", PARTS)
def test_a_third_of_each_part_is_unanswerable_and_no_document_goes_unasked(texts, part):
    own = [one for one in ASKED if one.part == part]
    assert sum(not one.is_answerable for one in own) / len(own) == pytest.approx(1 / 3, abs=0.02)
    assert {document for one in own for document in one.documents} == set(texts[part])
    assert sum(one.language == "de" for one in own) >= len(own) / 8


def test_every_part_but_the_small_third_seen_has_every_class_and_no_document_or_question_of_another(texts):
    kinds = {part: {one.kind for one in ASKED if one.part == part} for part in PARTS}
    small = kinds.pop("third_seen")
    assert all(own == kinds["seen"] > small for own in kinds.values())
    for first, second in itertools.combinations(PARTS, 2):
        assert not texts[first].keys() & texts[second].keys()
        questions = [{one.text for one in ASKED if one.part == part} for part in (first, second)]
        assert not questions[0] & questions[1]


def test_every_value_that_is_not_worked_out_stands_in_the_evidence():
    spelled = {"zero", "claim", "worked out", "unit", "date", "scale", "explanation"}
    for one in ASKED:
        if one.is_answerable and one.kind not in spelled and one.language == "en":
            evidence = " ".join(one.evidence).replace(",", "")
            assert all(element in evidence for element in _elements(one.values[0])), one.id


def test_a_right_list_needs_two_elements_and_a_truth_value_is_one_or_zero():
    for one in ASKED:
        if one.is_answerable:
            assert (one.kind == "list") == (len(_elements(one.values[0])) > 1 and one.values[0].startswith("[")), one.id
            assert one.kind != "claim" or one.values[0] in {"0", "1"}, one.id


def _elements(value):
    return ast.literal_eval(value) if value.startswith("[") else [value]


def asked(kind="cell", values=("41",), unit=None, text="How many shops are there?", evidence=("now 41 shops",)):
    return Asked("q", "seen", kind, "en", text, unit, values, ("doc",) if values else (), evidence if values else ())


def answer(value, quote="There are now 41 shops.", document="doc", text=None):
    cited = (Citation(document, "n", None, quote, True),) if value is not None else ()
    outcome = "silent" if value is None else "value"
    return Answer(question="q", text=text or value or "", value=value, outcome=outcome, confidence=0.5, citations=cited)


def passage_answer(text, document="doc"):
    passage = ClosestPassage(text, (0, 4), 0.7, document, f"{document}:p1", "", None)
    return Answer(question="q", text=text, value=None, outcome="passage", confidence=0.7, passages=(passage,))


@pytest.mark.parametrize(
    ("question", "given", "verdict"),
    [
        (asked(), answer("41"), "value right"),
        (asked(), answer("about 41"), "value right"),
        (asked(), answer("41", document="other"), "wrong value"),
        (asked(), answer("42"), "wrong value"),
        (asked(), answer(None), "wrongly silent"),
        (asked(values=()), answer(None), "rightly silent"),
        (asked(values=()), answer("41"), "wrong value"),
        (asked(values=("0", "zero")), answer("zero"), "value right"),
        (asked(values=("0", "zero")), answer("0.001"), "wrong value"),
        (asked(values=("2150000",), unit="kWh"), answer("2,150 MWh"), "value right"),
        (asked(values=("2150000",), unit="kWh"), answer("2150"), "wrong value"),
        (asked(values=("33.6",), unit="million pounds"), answer("33.6"), "value right"),
        (asked(values=("Hanna Ostrow",)), answer("hanna  ostrow."), "value right"),
        (asked(values=("Hanna Ostrow",)), answer("Ostrow"), "wrong value"),
        (asked("list", ('["York", "Hull"]',)), answer("Hull and York"), "value right"),
        (asked("list", ('["York", "Hull"]',)), answer("['Hull', 'York']"), "value right"),
        (asked("list", ('["York", "Hull"]',)), answer("York"), "wrong value"),
        (asked("list", ('["York", "Hull"]',)), answer("York, Hull, Leeds"), "wrong value"),
    ],
)
def test_a_value_is_right_in_every_spelling_and_only_from_its_document(question, given, verdict):
    assert verdict_on(question, given) == verdict


def test_a_truth_value_is_right_only_with_its_evidence_among_the_quotes():
    claim = asked("claim", ("1",), text="Are there more than 40 shops?")
    assert verdict_on(claim, answer("1")) == "value right"
    assert verdict_on(claim, answer("1", quote="The shops sell bread.")) == "wrong value"
    assert verdict_on(claim, answer("0")) == "wrong value"


def test_a_reason_is_right_with_half_of_its_evidence_and_more_than_a_token():
    reason = asked("explanation", ("…",), text="Why?", evidence=("it was late", "it rained", "it was dark"))
    assert verdict_on(reason, answer("It was late.", quote="It was late. It rained.")) == "value right"
    assert verdict_on(reason, answer("It was late and it rained.", quote="It was late.")) == "value right"
    assert verdict_on(reason, answer("It was late.", quote="It was late.")) == "wrong value"
    assert verdict_on(reason, answer("late", quote="It was late. It rained.")) == "wrong value"


@pytest.mark.parametrize(
    ("question", "given", "verdict"),
    [
        (asked(), passage_answer("There are now 41 shops. They sell bread."), "passage right"),
        (asked(), passage_answer("There are now 41 shops.", document="other"), "wrong passage"),
        (asked(), passage_answer("There were 40 shops."), "wrong passage"),
        (asked(values=()), passage_answer("There are now 41 shops."), "wrong passage"),
        (asked(evidence=("| Leeds | 41 |",)), passage_answer("Town: Leeds; Shops: 41"), "passage right"),
        (asked(evidence=("| Leeds | 41 |",)), passage_answer("Town: Leeds; Shops: 4.1"), "wrong passage"),
    ],
)
def test_a_passage_is_right_with_the_evidence_of_its_document(question, given, verdict):
    assert verdict_on(question, given) == verdict


def test_a_passage_gives_a_reason_with_half_of_its_evidence():
    reason = asked("explanation", ("…",), text="Why?", evidence=("it was late", "it rained", "it was dark"))
    assert verdict_on(reason, passage_answer("It was late. It rained.")) == "passage right"
    assert verdict_on(reason, passage_answer("It was late.")) == "wrong passage"


def test_a_changed_answer_is_told_from_the_same_value_in_another_spelling():
    values = [("1", "1.0"), ("1", None), (None, "1"), ("1", "2"), (None, None)]
    sides = [[Judged(asked(), answer(value), "wrong value") for value in side] for side in zip(*values, strict=True)]
    for side, text in zip(sides, ("There are 41.", "There were 40."), strict=True):
        side.append(Judged(asked(), passage_answer(text), "wrong passage"))
    counts = {name: len(ids) for name, ids in changed(*sides).items()}
    assert counts == {"value to silent": 1, "silent to value": 1, "another value": 1, "another passage": 1}


def test_lists_are_read_as_written():
    assert elements_of("Pike & Sons, Northgate and Calder") == ["Pike & Sons", "Northgate", "Calder"]
    assert elements_of("{Halle 1; Halle 2}") == ["Halle 1", "Halle 2"]
    assert elements_of("Anna und Bert") == ["Anna", "Bert"]


def test_unrelated_documents_are_the_same_every_time_and_hold_no_evidence_and_no_name_of_a_question(tmp_path):
    for name in ("first", "second"):
        write_unrelated(25, tmp_path / name)
    first, second = (_contents(tmp_path / name) for name in ("first", "second"))
    assert first == second
    assert len(first) == 25
    text = folded("\n".join(first.values()))
    assert [one.id for one in ASKED if any(folded(piece) in text for piece in one.evidence)] == []
    questions = "\n".join(one.text for one in ASKED)
    assert [name for name in itertools.chain(COMPANIES, PEOPLE, TOWNS) if name in questions] == []


def _contents(folder: Path):
    return {path.name: path.read_text("utf-8") for path in sorted(folder.iterdir())}
