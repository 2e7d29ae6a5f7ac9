"""What an answer is worth: supported claims, coverage, conflicts, levels; and the quotes of an answer without a model."""

from dataclasses import replace

import pytest
from answering_material import snippet
from index_material import small_snapshot
from response_fields import FIELDS

from kohaku_lib.answering.answer import answer_by_passages, answer_of
from kohaku_lib.answering.answerer import blank_answer
from kohaku_lib.answering.cited.grounding import grounding, judge_claims
from kohaku_lib.answering.closest.passage import Closest, ClosestPassage
from kohaku_lib.answering.confidence import confidence_level
from kohaku_lib.answering.coverage.similarity import passage_similarities
from kohaku_lib.answering.coverage.sufficiency import judge_context
from kohaku_lib.answering.deepening import AnswerTrace
from kohaku_lib.conversation.response.extract import extract_answer, extract_passages
from kohaku_lib.conversation.response.response import Response, Source
from kohaku_lib.tables import Question, StructuredAnswer

REPORT = "In 2023 the workshop used 41,800 kWh of electricity. The cooling takes sea water."


@pytest.mark.parametrize(
    ("content", "supported"),
    [
        ("The workshop used 41,800 kWh of electricity [Source 1].", [True]),
        ("The workshop used 41800 kWh [Source 1].", [True]),
        ("The workshop used 52,000 kWh of electricity [Source 1].", [False]),
        ("The workshop used 41,800 kWh of electricity [Source 2].", [False]),
        ("The workshop used 41,800 kWh of electricity.", [True]),
        ("It used 41,800 kWh of electricity. [Source 1] The cooling takes rain. [Source 2]", [True, False]),
        ("# Electricity\n- The workshop used 41,800 kWh [Source 1]", [True]),
        ("The cooling was invented by engineers from Antarctica [Source 1].", [False]),
        ("41800 [Source 1]", [True]),
        ("0.0418 million kWh [Source 1]", [True]),
        ("41.8 million kWh [Source 1]", [False]),
        ("1. It used 41,800 kWh [Source 1]\n2. It used 7 kWh [Source 1]", [True, False]),
        ("", []),
    ],
)
def test_each_claim_is_judged_by_what_it_cites(content, supported):
    claims = judge_claims(content, [REPORT, "Amber floats in salt water."])
    assert [claim.supported for claim in claims] == supported


def test_the_grounding_is_the_share_of_supported_claims():
    claims = judge_claims("It used 41,800 kWh [Source 1]. It used 9 kWh [Source 1].", [REPORT])
    assert grounding(claims) == 0.5
    assert grounding(()) == 0.0


def test_coverage_is_six_tenths_similarity_and_four_tenths_words():
    found = judge_context("How much electricity did the workshop use in Riga?", [snippet(REPORT)], [0.5])
    assert found.coverage_score == pytest.approx(0.6 * 0.5 + 0.4 * 2 / 3)
    assert found.missing_aspects == ("riga",)


@pytest.mark.parametrize(("similarity", "is_sufficient"), [(0.17, True), (0.16, False), (-0.5, False)])
def test_a_context_suffices_from_a_coverage_of_one_half(similarity, is_sufficient):
    found = judge_context("How much electricity did the workshop use?", [snippet(REPORT)], [similarity])
    assert found.is_sufficient is is_sufficient


def test_no_passages_cover_nothing():
    found = judge_context("How much electricity?", [], [])
    assert (found.coverage_score, found.is_sufficient) == (0.0, False)


QUESTION = "How much electricity did the workshop use in 2023?"


@pytest.mark.parametrize(
    ("other", "conflicts"),
    [
        ("In 2023 the workshop used 52,000 kWh of electricity.", True),
        ("In 2023 the workshop used 41800 kWh of electricity.", False),
        ("In 2023 the workshop used electricity from the sun.", False),
        ("In 2022 the workshop used 38,000 kWh of electricity.", False),
    ],
)
def test_documents_conflict_where_sentences_about_the_question_have_other_numbers(other, conflicts):
    context = [snippet(REPORT, "a"), snippet(other, "b", rank=2)]
    assert judge_context(QUESTION, context, [0.9, 0.9]).has_conflicts is conflicts
    assert judge_context(QUESTION, context, [0.9, 0.9]).is_sufficient is not conflicts


def test_two_figures_of_one_document_are_no_conflict():
    context = [snippet(REPORT, "a"), snippet("In 2023 the workshop used 5 kWh of electricity.", "a", rank=2)]
    assert not judge_context(QUESTION, context, [0.9, 0.9]).has_conflicts


def engine_answer(answer, *snippets):
    return answer_of(Question("q", "How much electricity?"), AnswerTrace(answer, snippets))


def test_a_value_is_stated_with_every_document_that_has_it_and_quoted_once():
    answer = StructuredAnswer("41800", "41800", ("b", "a"), "", quote="the workshop used 41,800 kWh")
    found = extract_answer(engine_answer(answer, snippet(REPORT, "a"), snippet("Electricity: see it.", "b", rank=2)))
    assert found.content == "41,800 kWh [Source 1] [Source 2]\n\n> the workshop used 41,800 kWh [Source 1]"
    assert [source.document_id for source in found.sources] == ["a", "b"]


def test_a_value_that_was_read_keeps_the_confidence_of_the_reader():
    answer = StructuredAnswer("41800", "41800", ("a",), "", quote="the workshop used 41,800 kWh", confidence=0.9)
    assert extract_answer(engine_answer(answer, snippet(REPORT, "a"))).answer.confidence == 0.9


def test_a_blank_answer_is_no_extract():
    assert extract_answer(engine_answer(blank_answer(), snippet(REPORT))) is None


def closest(*scores, silence=0.8):
    snippets = [snippet(REPORT, f"d{number}") for number, _ in enumerate(scores)]
    passages = tuple(
        ClosestPassage("The cooling takes sea water.", (18, 27), score, one.document_id, one.node_id, "", 3)
        for one, score in zip(snippets, scores, strict=True)
    )
    return answer_by_passages(engine_answer(blank_answer(), *snippets), Closest(passages, silence))


def test_a_passage_that_likely_answers_is_quoted_alone_with_the_answering_words_in_bold():
    answer = closest(0.7, 0.6, silence=0.1)
    found = extract_passages(answer)
    assert (answer.outcome, answer.text, answer.confidence) == ("passage", "The cooling takes sea water.", 0.7)
    assert found.content == "This passage comes closest:\n\n> The cooling takes **sea water**. [Source 1]"
    assert [source.document_id for source in found.sources] == ["d0"]
    assert found.is_answer


def test_where_silence_is_likelier_right_the_documents_do_not_say_it_and_the_nearest_passages_follow():
    answer = closest(0.4, 0.3)
    found = extract_passages(answer)
    assert (answer.outcome, answer.text, answer.confidence) == ("silent", "The documents do not say.", 0.8)
    head, nearest, *quotes = found.content.split("\n\n")
    assert (head, nearest) == ("The documents do not say.", "The nearest passages:")
    assert quotes == [f"> The cooling takes sea water. [Source {number}]" for number in (1, 2)]
    assert not found.is_answer


@pytest.mark.parametrize(("score", "outcome"), [(0.36, "passage"), (0.34, "silent")])
def test_a_passage_is_shown_where_it_likelier_answers_than_silence_is_right(score, outcome):
    assert closest(score, silence=0.35).outcome == outcome


@pytest.mark.parametrize(("score", "outcome", "value"), [(0.5, "passage", None), (0.49, "value", "41800")])
def test_a_likely_passage_takes_the_place_of_an_unsure_value(score, outcome, value):
    unsure = engine_answer(StructuredAnswer("41800", "41800", ("a",), "", confidence=0.35), snippet(REPORT, "a"))
    found = answer_by_passages(unsure, Closest(closest(score).passages, 0.8))
    assert (found.outcome, found.value, bool(found.citations)) == (outcome, value, value is not None)


def test_an_overview_is_told_by_all_passages():
    found = extract_passages(closest(0.4, 0.3), is_overview=True)
    assert found.content.count("> The cooling") == 2
    assert (found.is_answer, found.answer.outcome) == (True, "silent")  # as by every door: no single passage answers


def test_what_failed_is_no_overview_and_no_passage():
    likely = Closest(closest(0.9).passages, 0.1)
    answer = answer_by_passages(engine_answer(blank_answer("the model is down"), *closest(0.9).trace.snippets), likely)
    found = extract_passages(answer, is_overview=True)
    assert (answer.outcome, answer.text) == ("silent", "the model is down")
    assert (found.is_answer, found.content.partition("\n")[0]) == (False, "the model is down")


def test_a_mark_of_a_source_in_a_document_is_none_in_a_quote():
    answer = closest(0.7, silence=0.1)
    marked = replace(answer.passages[0], text="See [Source 7] of it.", marked=(0, 3))
    found = extract_passages(replace(answer, passages=(marked,)))
    assert found.content.endswith("> **See** [source 7] of it. [Source 1]")


def test_without_passages_the_documents_do_not_say_it():
    answer = closest()
    assert extract_passages(answer).content == "The documents do not say."
    assert extract_passages(answer, is_overview=True).content == "The documents do not say."


def test_silence_is_not_rated_where_a_channel_was_lost_or_the_answer_failed():
    lost = replace(engine_answer(blank_answer(), snippet(REPORT)), lost_channels={"dense": "no vectors"})
    failed = engine_answer(blank_answer("the model is down"), snippet(REPORT))
    found = [answer_by_passages(answer, Closest((), 0.8)) for answer in (lost, failed)]
    assert [(one.outcome, one.text, one.confidence) for one in found] == [
        ("silent", "The documents do not say.", None),
        ("silent", "the model is down", None),
    ]


def test_a_passage_is_as_similar_as_its_best_sentence(tmp_path):
    snapshot = small_snapshot(tmp_path)
    sentence = next(row for row in range(snapshot.nodes.num_rows) if snapshot.kind(row) == "sentence")
    parent = int(snapshot.parent_rows[sentence])
    vector = snapshot.vectors()[snapshot.search_row_of_node[sentence]]
    ids = snapshot.column("node_id", [sentence, parent])
    found = passage_similarities(snapshot, [*ids, "no such node"], vector)
    assert found == [pytest.approx(1.0, abs=1e-5), pytest.approx(1.0, abs=1e-5), None]


def test_the_json_form_has_the_keys_of_the_contract():
    source = Source("d", "d.pdf", "D", "d:p1", 3, "text", 1.0, 0.6, (0.0, 0.0, 9.0, 9.0), cited=True)
    sent = Response(
        content="c", question="q", session_id="s", answer_id="a", sources=(source,), confidence_score=0.61
    ).as_json()
    assert set(sent) == FIELDS
    keys = {
        "document_id",
        "document_name",
        "document_title",
        "chunk_id",
        "page_number",
        "snippet",
        "relevance_score",
        "similarity_score",
        "box",
    }
    assert keys < set(sent["sources"][0])
    assert sent["confidence_level"] == "medium"


@pytest.mark.parametrize(
    ("score", "level"), [(1.0, "high"), (0.8, "high"), (0.79, "medium"), (0.5, "medium"), (0.49, "low")]
)
def test_a_confidence_has_a_level(score, level):
    assert confidence_level(score) == level
