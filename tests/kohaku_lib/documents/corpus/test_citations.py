"""The text of a document that has no file."""

import pytest

from kohaku_lib.documents.corpus.citations import citation_payload, citation_text


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({"citation": "Wu et al. 2021.", "title": "Sustainable AI"}, "Wu et al. 2021."),
        ({"citation": "  ", "title": " Sustainable AI "}, "Sustainable AI"),
        ({"citation": "", "title": "\n"}, "wu2021"),
        ({}, "wu2021"),
    ],
)
def test_the_text_is_the_citation_else_the_title_else_the_id(facts, text):
    assert citation_text("wu2021", facts) == text


def test_the_payload_is_one_paragraph_below_the_title_and_marked():
    payload = citation_payload("wu2021", {"title": "Sustainable AI", "citation": "Wu, C. 2021. Sustainable AI."})
    [section] = payload.sections
    assert (payload.title, payload.text) == ("Sustainable AI", "Wu, C. 2021. Sustainable AI.")
    assert [paragraph.text for paragraph in section.paragraphs] == [payload.text]
    assert section.metadata == {"level": 1, "heading_path": ["Sustainable AI"]}
    assert payload.metadata == {"only_citation": True}


def test_without_a_title_the_id_is_the_title():
    payload = citation_payload("wu2021", {"citation": "Wu 2021."})
    assert (payload.title, payload.sections[0].title, payload.text) == ("wu2021", "wu2021", "Wu 2021.")
