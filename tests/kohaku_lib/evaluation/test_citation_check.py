"""Each rule on citations, broken and kept."""

import json

import pytest

from kohaku_lib.evaluation.citation_check import check_answers, check_documents, check_quotes, is_web_address


def document(name, url="https://example.org/a", title="A", **facts):
    return {"document_id": name, "title": title, "metadata_json": json.dumps({"url": url, **facts})}


def broken(faults):
    return [(fault.rule, fault.of) for fault in faults]


def test_sound_documents_have_no_fault():
    assert check_documents([document("a"), document("b", "http://example.org/b"), document("c", "")]) == []


def test_ids_that_differ_by_case_alone_are_shared():
    faults = check_documents([document("A"), document("a", "https://example.org/b")])
    assert broken(faults) == [("unique_id", "A"), ("unique_id", "a")]
    assert faults[0].detail == "'a' is that of 2 documents"


def test_a_document_without_citation_and_title_cannot_be_cited():
    assert broken(check_documents([document("a", title=" ")])) == [("has_citation", "a")]
    assert check_documents([document("a", title="", citation="Strubell 2019")]) == []


def test_two_documents_at_one_address_are_told():
    assert broken(check_documents([document("a"), document("b")])) == [("unique_address", "a"), ("unique_address", "b")]


@pytest.mark.parametrize(
    "url", ["www.example.org", "http:/example.org", "ftp://example.org", "https://", "https://[::1"]
)
def test_an_address_that_is_not_whole_is_a_fault(url):
    assert not is_web_address(url)
    assert broken(check_documents([document("a", url)])) == [("web_address", "a")]


def test_an_answer_may_cite_only_what_is_there_and_gives_its_address():
    documents = [document("a")]
    right = {"id": "q1", "ref_id": "['A']", "ref_url": "['https://example.org/a']"}
    blank = {"id": "q2", "ref_id": "is_blank", "ref_url": "is_blank"}
    wrong = {"id": "q3", "ref_id": "['a','z']", "ref_url": "is_blank"}
    faults = check_answers([right, blank, wrong], documents)
    assert broken(faults) == [("known_reference", "q3"), ("address_of_reference", "q3")]
    assert faults[0].detail == "'z' is no document"


def quoted(quote, node="a:p1", quote_found=True):
    cited = {"document_id": "a", "node_id": node, "page": 1, "quote": quote, "quote_found": quote_found}
    return {"id": "q", "citations": [cited]}


def test_a_quote_stands_in_its_node_but_for_spaces_and_typography():
    texts = {"a:p1": "The total of 4.3 net tCO 2 e was  emitted in one year."}
    kept = [quoted("4.3 net tCO 2 e was emitted"), quoted("The total of 4.3 net tCO2e was emitted")]
    assert check_quotes(kept, texts) == []


@pytest.mark.parametrize(
    ("row", "faults"),
    [
        (quoted("The total of 4.9 net tCO2e was emitted"), 1),
        (quoted("The total", node="gone:p1"), 1),
        (quoted("never verified", quote_found=False), 0),
    ],
)
def test_a_quote_that_is_not_there_any_more_is_a_fault(row, faults):
    assert len(check_quotes([row], {"a:p1": "The total of 4.3 net tCO 2 e was emitted."})) == faults
