"""The splitter keeps whole sentences whole, and every span gives back its text."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentence_cases import CASES, HELD_OUT, sentences_of, text_of

from kohaku_lib.settings import TreeSettings
from kohaku_lib.tree.leaf_spans import leaf_spans, line_spans, merge_short

GUARDED = TreeSettings()
REGEX = TreeSettings(sentence_splitter="regex")


def split(text, settings=GUARDED):
    return [text[start:end] for start, end in leaf_spans(text, settings)]


@pytest.mark.parametrize(
    "text",
    [
        "The method of Strubell et al. Reported figures agree with ours in every respect.",
        "As Fig. 3 shows, the energy that is drawn grows with every token.",
        "The share is 3.5 percent of the power that Eq. (4) gives for it.",
        "The U.S. Grid emits more carbon than that of France does on average.",
        "The work of J. Smith and of K. L. Jones was of great help to all of us.",
        "We ask, i.e. Models were queried, and count tokens, e.g. Words or their parts.",
        "It runs on large machines (approx. 5 km of cable) in the data centre.",
        "The cost is high vs. The cost of a flight from New York to Paris.",
        "See No. 4 and Vol. 2 of pp. 12 in the list of sources for this claim.",
        "The list (in Sec. 2, Tab. 4 and Ref. 7) is longer than anybody would like.",
        "We cite [3]. it goes on in lower case, so it is one sentence to us.",
        "Valve no. 7 leaks approx. 3.5 l/h, cf. Fig. 2.",
        "Yan et al. [2004] showed that the gasket fails at 80 °C.",
        "The ring, i.e. the outer one, was replaced by Dr. A. Lund at 4 p.m. on Friday.",
    ],
)
def test_guarded_does_not_break_within_a_sentence(text):
    assert split(text) == [text]


AMBIGUOUS = {  # an initial, a short answer and a numbered step look alike
    "Plan B is better than plan A.| Nobody has a plan C.| We do.",
    "No. 5 is alive.| No.| 6 is not.",
    "Step 1. Open the box.| Step 2. Close it.",
}
MARKED = [(language, case) for cases in (CASES, HELD_OUT) for language in cases for case in cases[language]]


@pytest.mark.parametrize(("language", "case"), [pair for pair in MARKED if pair[1] not in AMBIGUOUS])
def test_the_sentences_are_those_that_a_person_marked(language, case):
    text = text_of(case)
    spans = leaf_spans(text, TreeSettings(min_sentence_chars=0), language)
    assert [text[start:end] for start, end in spans] == sentences_of(case)


def test_a_number_before_a_word_is_an_ordinal_in_german():
    said = ["Die 3. Sitzung war am 12. Mai 2026.", "Der Raum lag im 2. Stock des Hauses."]
    text = " ".join(said)
    assert [text[start:end] for start, end in leaf_spans(text, GUARDED, "de")] == said


def test_an_unknown_language_is_read_as_english():
    text = "As Wu et al. Reported, it holds. It is so."
    assert leaf_spans(text, GUARDED, None) == leaf_spans(text, GUARDED, "en")
    assert len(leaf_spans(text, TreeSettings(min_sentence_chars=0), "xx")) == 2


def test_a_text_without_any_capitals_is_cut_before_lower_case():
    text = "the company had net sales of 16 million dollars in the year. it paid all of its debts in time. " * 4
    assert len(split(text)) == 8


def test_the_items_of_a_list_are_sentences_and_short_ones_join_the_one_before():
    text = "- The first item has enough words\n- The second item has them too\n- No\n"
    assert split(text) == ["- The first item has enough words", "- The second item has them too\n- No"]


def test_a_number_at_the_start_of_a_single_line_is_no_list():
    assert len(split("The limit was raised from two to\n3. it was lowered again in the year that followed.")) == 1


def test_guarded_breaks_between_sentences():
    text = "Training took 24 days in all. It drew 1,287 MWh of energy! Was it worth the cost of it? We doubt that very much."
    assert split(text) == [
        "Training took 24 days in all.",
        "It drew 1,287 MWh of energy!",
        "Was it worth the cost of it?",
        "We doubt that very much.",
    ]


def test_guarded_breaks_behind_a_closing_quote():
    text = "He said “the model is too large.” Nobody in the room agreed with him."
    assert split(text) == ["He said “the model is too large.”", "Nobody in the room agreed with him."]


def test_guarded_joins_fragments_to_the_sentence_before():
    assert split("The result was clear to everybody. Yes. And it was a surprise to most of them.") == [
        "The result was clear to everybody. Yes.",
        "And it was a surprise to most of them.",
    ]


def test_guarded_joins_a_leading_fragment_to_the_next_sentence():
    assert split("ELMo. The model is based on stacked networks.") == ["ELMo. The model is based on stacked networks."]


def test_the_least_length_is_a_setting():
    text = "Yes. It is so. Indeed it is."
    assert split(text, TreeSettings(min_sentence_chars=0)) == ["Yes.", "It is so.", "Indeed it is."]
    assert split(text, TreeSettings(min_sentence_chars=9)) == ["Yes. It is so.", "Indeed it is."]


def test_a_blank_line_ends_a_sentence_without_a_full_stop():
    text = "A heading that stands alone\n\nThe text below it is another sentence."
    assert split(text) == ["A heading that stands alone", "The text below it is another sentence."]


def test_a_sentence_without_end_is_cut_between_words():
    text = "word " * 500
    pieces = split(text)
    assert all(500 <= len(piece) <= 1000 for piece in pieces[:-1])
    assert " ".join(pieces) == text.strip()


def test_a_long_list_is_cut_behind_a_semicolon():
    text = "; ".join(f"the item with the number {number:04d}" for number in range(60))
    first, *_ = split(text)
    assert first.endswith(";")
    assert len(first) <= 1000


def test_regex_cuts_at_white_space_behind_the_four_marks():
    assert split("One et al. two; three! Four? ", REGEX) == ["One et al.", "two;", "three!", "Four?"]


def test_regex_does_not_cut_without_white_space():
    assert split("3.5 of it;yes", REGEX) == ["3.5 of it;yes"]


@pytest.mark.parametrize("settings", [GUARDED, REGEX])
def test_blank_text_has_no_sentence_and_text_without_boundary_is_one(settings):
    assert split("  \n ", settings) == []
    assert split(" no boundary here ", settings) == ["no boundary here"]


@pytest.mark.parametrize("settings", [GUARDED, REGEX])
@given(text=st.text(alphabet=st.sampled_from(list("aB1 .,;!?()\n“”é汉-")), max_size=200))
def test_spans_are_trimmed_ordered_and_lose_nothing_but_blanks(settings, text):
    spans = leaf_spans(text, settings)
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    covered = "".join(text[start:end] for start, end in spans)
    assert "".join(covered.split()) == "".join(text.split())


def test_short_lines_of_a_table_join_up_to_a_bound():
    text = "\n".join(["ab"] * 200)
    spans = line_spans(text, 20)
    assert all(end - start <= 200 for start, end in spans)
    assert "\n".join(text[start:end] for start, end in spans) == text


def test_lines_of_enough_characters_stay_alone():
    text = "GPT-3 1,287 MWh in all\nGopher 1,066 MWh in all"
    assert [text[start:end] for start, end in line_spans(text, 20)] == text.split("\n")


def test_merging_keeps_pieces_of_exactly_the_least_length():
    assert merge_short("abc de fgh", [(0, 3), (4, 6), (7, 10)], 3) == [(0, 6), (7, 10)]


@pytest.mark.parametrize("piece", ["能源的消耗很大。", "\n", "word ", "Энергия", "A sentence stands here. "])
def test_texts_of_one_piece_over_and_over_take_time_in_proportion(piece):
    start = time.process_time()
    leaf_spans(piece * (120_000 // len(piece)), GUARDED)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "piece", ["Each sentence of this text is whole. ", "能源的消耗是四十二千瓦时，比以前少了许多。"]
)
def test_where_a_long_text_is_parted_for_the_splitter_changes_no_sentence(piece):
    found = split(piece * 1000)
    assert (len(found), set(found)) == (1000, {piece.strip()})


def test_a_long_text_without_any_sentence_is_parted_between_words_only():
    text = "word " * 5000
    assert {piece for sentence in split(text) for piece in sentence.split()} == {"word"}
