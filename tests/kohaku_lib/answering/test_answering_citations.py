import pytest
from answering_material import snippet

from kohaku_lib.answering.citations import cite, find_quote

TEXT = "Training GShard-600B used 24 MWh and produced 4.3 net tCO 2 e. The “energy-\u00adaware” run – the last – took 12 days."


@pytest.mark.parametrize(
    "quote",
    [
        "Training GShard-600B used 24 MWh and produced 4.3 net tCO 2 e.",
        "training gshard-600b   used 24 MWh",
        '"produced 4.3 net tCO2e."',
        'The "energy-aware" run - the last - took 12 days',
        "Training GShard-600B … took 12 days",
        "Training GShard-600B used 24 MWh [...] 4.3 net",
        "Training GShard-600B used 24 MWh then produced 4.3 net tCO2e",
    ],
)
def test_quotes_are_found_whatever_their_spacing_case_and_signs(quote):
    held = snippet(TEXT)
    assert find_quote(quote, [snippet("Something else entirely."), held]) is held


@pytest.mark.parametrize(
    "quote",
    [
        "Training GShard-600B used 25 MWh and produced 4.3 net tCO 2 e.",
        "Training GShard-600B used 24 MWh and produced 43 net tCO 2 e.",
        "The model was trained on a large cluster of accelerators",
        "Training GShard-600B … took 13 days",
        "4.3",
        "...",
        "",
    ],
)
def test_quotes_with_other_numbers_other_words_or_too_few_are_not(quote):
    assert find_quote(quote, [snippet(TEXT)]) is None


def test_an_exact_place_goes_before_a_similar_one_of_better_rank():
    similar, exact = (
        snippet("The machine room used 24 MWh in its May.", "d", 1),
        snippet("The machine room used 24 MWh in May.", "d", 2),
    )
    assert find_quote("machine room used 24 MWh in May", [similar, exact]) is exact


def test_the_document_that_holds_the_quote_carries_it_with_node_and_page():
    snippets = [snippet("Nothing here.", "a", 1, 5), snippet("It weighs 4 kg in all.", "b", 2, None)]
    first, second = cite(["a", "b"], "weighs 4 kg in all", snippets)
    assert (first.document_id, first.quote, first.verified, first.page) == ("a", None, False, 5)
    assert (second.node_id, second.quote, second.verified, second.page) == (
        "b:sec1:p2",
        "weighs 4 kg in all",
        True,
        None,
    )


def test_a_quote_from_a_document_that_is_not_cited_is_not_verified():
    snippets = [snippet("Nothing here.", "a"), snippet("It weighs 4 kg in all.", "b", 2)]
    (citation,) = cite(["a"], "weighs 4 kg in all", snippets)
    assert (citation.quote, citation.verified, citation.node_id) == ("weighs 4 kg in all", False, "a:sec1:p1")


def test_the_node_is_that_of_the_quote_not_of_the_best_snippet():
    snippets = [snippet("Nothing here.", "a", 1), snippet("It weighs 4 kg in all.", "a", 2)]
    (citation,) = cite(["a"], "weighs 4 kg in all", snippets)
    assert citation.node_id == "a:sec1:p2"


def test_a_document_without_a_snippet_is_cited_without_a_place():
    (citation,) = cite(["a"], None, [])
    assert (citation.document_id, citation.node_id, citation.page, citation.verified) == ("a", None, None, False)
    assert cite([], "some longer quote", []) == ()
