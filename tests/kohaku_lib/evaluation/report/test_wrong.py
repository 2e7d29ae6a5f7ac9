"""Details of wrong questions: whose citations are shown, and the evidence in the context."""

import pytest

from kohaku_lib.evaluation.report.wrong import AnswerCitation, ContextEvidence, wrong_questions

QUOTE = "the machine room used exactly 24 megawatt hours of power"
TRUTH = {
    "answer_value": "24",
    "ref_id": "['A']",
    "supporting_materials": QUOTE,
    "explanation": "Quote",
    "answer_unit": "MWh",
}


def error(name="q1", error_class="value not read"):
    cells = {"question": "How much power?", "detail": "", "truth_value": "24", "truth_refs": ["A"], "answer_value": "7"}
    return {"id": name, "error_class": error_class, "ref_id": ["b"], **cells}


def vote(value="7", refs=("b",), urls=("https://b.org",), material="is_blank"):
    return {"answer_value": value, "ref_id": list(refs), "ref_url": list(urls), "supporting_materials": material}


def citation(document, quote="q", quote_found=True):
    return {"document_id": document, "page": 3, "quote": quote, "quote_found": quote_found}


def snippet(document, text, page=1):
    return {"document_id": document, "text": text, "page": page}


def context(*snippets, matches=()):
    return {"matches": [{"document_id": name} for name in matches], "snippets": list(snippets)}


def details(vote_row=None, predictions=(), contexts=None, truth=TRUTH):
    votes = {} if vote_row is None else {"q1": vote_row}
    [found] = wrong_questions([error()], {"q1": truth}, votes, {"q1": predictions}, contexts, {}, {})
    return found


def test_wrong_rows_go_by_error_class_and_right_ones_are_left_out():
    rows = [
        error("q1", "no answer"),
        error("q2", "right"),
        error("q3", "wrong unit"),
        error("q4", "document not retrieved"),
    ]
    found = wrong_questions(
        rows, {row["id"]: TRUTH for row in rows}, {}, {}, None, {"x": {"q1"}, "y": set()}, {"q3": 0.25}
    )
    assert [one.id for one in found] == ["q4", "q3", "q1"]
    assert [one.right_members for one in found] == [(), (), ("x",)]
    assert [one.probability for one in found] == [None, 0.25, None]


def test_citations_are_those_of_the_first_run_with_the_voted_value():
    runs = [
        {"answer_value": "8", "citations": [citation("x")]},
        {"answer_value": "7.0", "citations": []},
        {"answer_value": "7", "citations": [citation("b"), citation("c", None, None)]},
    ]
    assert details(vote(), runs).citations == (
        AnswerCitation("b", 3, "q", "https://b.org", True),
        AnswerCitation("c", 3, "", "", None),
    )


def test_a_recorded_run_is_cited_by_its_references_and_the_first_has_the_material():
    found = details(vote(refs=("b", "c"), urls=("https://b.org", "is_blank"), material="It is 7.")).citations
    assert found == (
        AnswerCitation("b", None, "It is 7.", "https://b.org", None),
        AnswerCitation("c", None, "", "", None),
    )


def test_addresses_that_cannot_be_matched_to_references_are_left_out():
    found = details(vote(refs=("b", "c"), urls=("https://b.org",))).citations
    assert [one.url for one in found] == ["", ""]


@pytest.mark.parametrize("row", [None, vote(value="is_blank")])
def test_no_answer_cites_nothing(row):
    assert details(row, [{"answer_value": "is_blank", "citations": [citation("b")]}]).citations == ()


def test_ranks_count_documents_once_among_matches_and_snippets_one_by_one():
    found = details(
        contexts={"q1": context(snippet("b", "x"), snippet("b", "y"), snippet("a", "z"), matches=["B", "b", "a"])}
    ).evidence
    assert (found.found_at, found.shown_at, found.snippets) == (2, 3, 3)


def test_the_snippet_with_most_of_the_quote_is_shown_from_a_gold_document():
    texts = [snippet("b", QUOTE), snippet("a", "machine room", 2), snippet("A", f"So {QUOTE}.", 5)]
    found = details(contexts={"q1": context(*texts)}).evidence
    assert (found.document_id, found.page, found.text, found.quote_share) == ("A", 5, f"So {QUOTE}.", 1.0)


def test_without_a_gold_document_the_best_snippet_is_shown():
    found = details(contexts={"q1": context(snippet("b", "first"), snippet("c", QUOTE))}).evidence
    assert (found.found_at, found.shown_at, found.text) == (None, None, "first")


def test_a_long_snippet_is_cut_around_the_evidence():
    text = "Nothing here. " * 60 + QUOTE + " Nothing there." * 60
    shown = details(contexts={"q1": context(snippet("a", text))}).evidence.text
    assert QUOTE in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= 422


def test_a_missing_context_is_empty_and_an_unknown_one_none():
    assert details(contexts={}).evidence == ContextEvidence(None, None, 0, None)
    assert details(contexts=None).evidence is None


def test_a_truth_without_a_quote_has_no_share_of_it():
    truth = TRUTH | {"explanation": "Figure 2"}
    found = details(contexts={"q1": context(snippet("a", QUOTE))}, truth=truth)
    assert (found.gold_quote, found.evidence.quote_share, found.unit) == ("", None, "MWh")
