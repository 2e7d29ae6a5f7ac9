import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from answering_material import snippet
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.citing.quotes import cite, find_quote
from kohaku_lib.values import parse_refs

WATTBOT = Path(__file__).resolve().parents[4] / "../shared/data/wattbot"

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
        "Section 4.3: 'used 24 MWh and produced' [12, 14]",
        "Training GShard-600B used 24 MWh [3] and pro- duced 4.3 net tCO2e",
        "Page 3 says “Training GShard-600B used 24 MWh” and page 9 says “it's some other thing altogether”",
    ],
)
def test_quotes_are_found_whatever_their_spacing_case_and_signs(quote):
    held = snippet(TEXT)
    place = find_quote(quote, [snippet("Something else entirely."), held])
    assert place is not None
    assert place.snippet is held


@pytest.mark.parametrize(
    "quote",
    [
        "Training GShard-600B used 25 MWh and produced 4.3 net tCO 2 e.",
        "Training GShard-600B used 24 MWh and produced 43 net tCO 2 e.",
        "The model was trained on a large cluster of accelerators",
        "Training GShard-600B … took 13 days",
        "Section 4.3: 'used 25 MWh and produced'",
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
    place = find_quote("machine room used 24 MWh in May", [similar, exact])
    assert place is not None
    assert place.snippet is exact
    assert exact.text[place.char_start : place.char_end] == "machine room used 24 MWh in May"


def test_the_document_that_holds_the_quote_carries_it_with_node_and_page():
    snippets = [snippet("Nothing here.", "a", 1, 5), snippet("It weighs 4 kg in all.", "b", 2, None)]
    first, second = cite(["a", "b"], "weighs 4 kg in all", snippets)
    assert (first.document_id, first.quote, first.quote_found, first.page) == ("a", None, False, 5)
    assert (second.node_id, second.quote, second.quote_found, second.page) == (
        "b:sec1:p2",
        "weighs 4 kg in all",
        True,
        None,
    )


def test_a_quote_from_a_document_that_is_not_cited_is_not_verified():
    snippets = [snippet("Nothing here.", "a"), snippet("It weighs 4 kg in all.", "b", 2)]
    (citation,) = cite(["a"], "weighs 4 kg in all", snippets)
    assert (citation.quote, citation.quote_found, citation.node_id) == ("weighs 4 kg in all", False, "a:sec1:p1")


def test_the_node_is_that_of_the_quote_not_of_the_best_snippet():
    snippets = [snippet("Nothing here.", "a", 1), snippet("It weighs 4 kg in all.", "a", 2)]
    (citation,) = cite(["a"], "weighs 4 kg in all", snippets)
    assert citation.node_id == "a:sec1:p2"


def test_a_document_without_a_snippet_is_cited_without_a_place():
    (citation,) = cite(["a"], None, [])
    assert (citation.document_id, citation.node_id, citation.page, citation.quote_found) == ("a", None, None, False)
    assert cite([], "some longer quote", []) == ()


@pytest.mark.skipif(not WATTBOT.exists(), reason="the WattBot corpus is not here")
def test_real_quotes_are_found_in_their_documents_and_in_no_other():
    pages = {path.stem: page_snippets(path) for path in (WATTBOT / "corpus").glob("*.json")}
    found = wrong = asked = 0
    with (WATTBOT / "train_QA.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["explanation"].strip() == "Quote"]
    for row in rows:
        refs = [ref for ref in parse_refs(row["ref_id"]) if ref in pages]
        others = [page for ref in sorted(pages) if ref not in refs for page in pages[ref]][::8]
        asked += 1
        found += find_quote(row["supporting_materials"], [page for ref in refs for page in pages[ref]]) is not None
        wrong += find_quote(row["supporting_materials"], others) is not None
    assert (asked, wrong) == (22, 0)
    assert found >= 19  # the others are shortened without an ellipsis


def page_snippets(path):
    payload = json.loads(path.read_text(encoding="utf-8"))
    texts = [paragraph["text"] for section in payload["sections"] for paragraph in section["paragraphs"]]
    return [snippet(text, path.stem, rank) for rank, text in enumerate(texts, start=1)]


def test_a_document_that_only_repeats_a_snippet_bears_its_quote():
    shared = replace(snippet(TEXT, "a"), also_in=("b",))
    [repeated] = cite(["b"], "Training GShard-600B used 24 MWh", [shared])
    assert (repeated.document_id, repeated.node_id, repeated.quote_found) == ("b", None, True)
    own, other = cite(["b", "a"], "Training GShard-600B used 24 MWh", [shared])[::-1]
    assert (own.document_id, own.node_id, own.quote) == ("a", shared.node_id, "Training GShard-600B used 24 MWh")
    assert (other.document_id, other.quote) == ("b", None)


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("used 24 MWh and produced 4.3 net tCO2e", "used 24 MWh and produced 4.3 net tCO 2 e"),
        ('The "energy-aware" run', "The “energy-\u00adaware” run"),
        ("GShard-600B … took 12 days", TEXT[TEXT.index("GShard") : TEXT.index(" days") + 5]),
    ],
)
def test_the_place_of_a_quote_spans_its_text_in_the_snippet(quote, expected):
    place = find_quote(quote, [snippet(TEXT)])
    assert place is not None
    found = TEXT[place.char_start : place.char_end]
    assert found == expected


def test_the_place_of_a_similar_piece_is_that_of_the_piece():
    place = find_quote("GShard-600B used 24 MWh then produced 4.3 net tCO2e", [snippet(TEXT)])
    assert place is not None
    assert TEXT[place.char_start : place.char_end].rstrip(".") == "GShard-600B used 24 MWh and produced 4.3 net tCO 2 e"


def test_a_footnote_within_a_quote_lies_within_its_place():
    text = "It weighs 4 kg [3] in all weathers."
    place = find_quote("weighs 4 kg in all", [snippet(text)])
    assert place is not None
    assert text[place.char_start : place.char_end] == "weighs 4 kg [3] in all"


@given(st.text(min_size=1, max_size=60), st.text(max_size=20), st.text(max_size=20))
def test_what_is_cut_from_a_text_is_found_in_it_or_too_short(quote, before, after):
    text = f"{before}{quote}{after}"
    place = find_quote(quote, [snippet(text)])
    assert place is None or 0 <= place.char_start < place.char_end <= len(text)
    if quote.isascii() and quote.isalnum() and len(quote) >= 8:
        assert place is not None
        assert place.char_start <= len(before) + len(quote)


def test_an_unverified_quote_has_no_place():
    (citation,) = cite(["a"], "it flies to the moon", [snippet("Nothing here.", "a")])
    assert (citation.quote_found, citation.char_start, citation.char_end) == (False, None, None)


def test_without_a_quote_the_citation_points_to_the_node_that_was_cited():
    snippets = [snippet(f"text {rank}", "d", rank) for rank in (1, 2, 3)]
    assert [one.node_id for one in cite(["d"], None, snippets, ["d:sec1:p2"])] == ["d:sec1:p2"]
    assert [one.node_id for one in cite(["d"], None, snippets)] == ["d:sec1:p1"]


# "The spare parts are in the cellar." has 34 characters, so the second sentence begins at 35; "which" ends on page 2.
OVER = "The spare parts are in the cellar. The spare rotor, which came last year, has the number RX-5521. It is new."
OVER_STARTS = ((0, 2), (OVER.index("came"), 3))


@pytest.mark.parametrize(
    ("quote", "value", "page"),
    [
        ("The spare parts are in the cellar.", "cellar", 2),
        ("came last year, has the number RX-5521.", "RX-5521", 3),
        ("The spare rotor, which came last year, has the number RX-5521.", "rx-5521", 3),  # where the value stands
        ("The spare rotor, which came last year, has the number RX-5521.", "", 2),  # where the quote begins
        ("The spare rotor, which came last year, has the number RX-5521.", "RX-55", 2),  # is no word of the quote
        ("The spare rotor, which came last year, has the number RX-5521.", "spare rotor", 2),
    ],
)
def test_a_quote_from_a_paragraph_over_a_page_break_cites_the_page_of_its_value(quote, value, page):
    over = replace(snippet(OVER, "a", page=2), page_starts=OVER_STARTS)
    [citation] = cite(["a"], quote, [over], value=value)
    assert (citation.page, citation.quote_found) == (page, True)


def test_a_snippet_without_page_starts_cites_its_page_or_none():
    for page in (2, None):
        [citation] = cite(["a"], "has the number RX-5521.", [snippet(OVER, "a", page=page)], value="RX-5521")
        assert citation.page == page


def test_a_document_cited_without_a_quote_has_the_page_of_its_match():
    over = replace(snippet(OVER, "a", page=3), page_starts=OVER_STARTS)
    assert [one.page for one in cite(["a"], None, [over], value="RX-5521")] == [3]
