"""Headings are distinguished from sentences, table rows, names and list items."""

import pytest

from kohaku_lib.tree.resegmenting.line_forms import full_widths, is_numeric, numeric_share
from kohaku_lib.tree.resegmenting.line_kinds import heading_rows
from kohaku_lib.tree.resegmenting.page_lines import PageLine

BODY = "The energy that training draws is measured at the wall and"
END = "then multiplied by the factor."


def headings(*texts, page=2):
    lines = [PageLine("The first page of the document holds its title and names.", 1)]
    lines += [PageLine(text, page) for text in texts]
    return [lines[row].text for row in heading_rows(lines, full_widths(lines))]


def test_numbered_headings_whose_numbers_go_on():
    found = headings("1 Introduction", BODY, END, "2 Related Work", BODY, END, "2.1 Energy of Models", BODY, END)
    assert found == ["1 Introduction", "2 Related Work", "2.1 Energy of Models"]


def test_a_heading_straight_above_a_deeper_one():
    assert headings("1 Method", "1.1 Setup", BODY, END) == ["1 Method", "1.1 Setup"]


def test_a_number_out_of_sequence_is_no_heading():
    assert headings("1 Introduction", BODY, END, "29 Packaging", BODY) == ["1 Introduction"]


def test_one_missed_heading_does_not_break_the_sequence():
    assert headings("1 Introduction", BODY, END, "3 Results", BODY) == ["1 Introduction", "3 Results"]


@pytest.mark.parametrize("title", ["Abstract", "References", "ACKNOWLEDGMENTS", "Conclusion", "Limitations"])
def test_usual_words_are_headings(title):
    assert headings(BODY, END, title, BODY, END) == [title]


def test_a_usual_word_that_ends_a_sentence_is_none():
    assert headings(BODY, "results.", BODY, END) == []


def test_capitals_are_a_heading():
    assert headings(BODY, END, "MODEL SUITABILITY", BODY, END) == ["MODEL SUITABILITY"]


def test_roman_and_lettered_numbers():
    assert headings("II. Background", BODY, END, "A. Data Sets", BODY, END) == ["II. Background", "A. Data Sets"]


def test_an_appendix_with_a_longer_title():
    title = "Appendix A. Details of estimates for four models"
    assert headings(BODY, END, title, BODY, END) == [title]


def test_a_lone_title_between_sentences():
    assert headings(BODY, END, "Our Approach", BODY, END) == ["Our Approach"]


def test_a_title_within_a_sentence_is_none():
    assert headings(BODY, "Our Approach", BODY, END) == []


def test_a_title_that_occurs_twice_is_none():
    assert headings(BODY, END, "Our Approach", BODY, END, "Our Approach", BODY, END) == []


def test_titles_on_the_first_page_are_the_front_matter():
    assert headings(BODY, END, "Emma Example", BODY, END, page=1) == []


@pytest.mark.parametrize(
    "line",
    [
        "Y. X. Wei, Y. X. Zhu, and Z. Yu",
        "A. Askell, S. Agarwal, and",
        "E = P × T",
        "• Dual Nature of Caches",
        "8 GPUs in one node,",
        "Answer: [Yes]",
        "Training one model;",
    ],
)
def test_names_formulas_and_items_are_none(line):
    assert headings(BODY, END, line, BODY, END) == []


def test_a_heading_leads_on_to_text():
    assert headings("1 Introduction", BODY, END, "2 Carbon", "Short", "Row", "Cell") == ["1 Introduction"]


def test_a_line_above_a_lower_case_line_is_none():
    assert headings(BODY, END, "Our Approach", "continues in lower case and is therefore a sentence") == []


def test_the_last_line_is_none():
    assert headings(BODY, END, "References") == []


def test_widths_are_those_of_the_page_where_it_has_enough_lines():
    narrow = [PageLine("n" * 30, 1)] * 10
    wide = [PageLine("w" * 90, 2)] * 10
    few = [PageLine("f" * 50, 3)]
    widths = full_widths([*narrow, *wide, *few])
    assert (widths[0], widths[10], widths[20]) == (30.0, 90.0, 90.0)


def test_a_document_of_short_lines_has_the_usual_width():
    assert full_widths([PageLine("short", 1)]) == [60.0]


@pytest.mark.parametrize("word", ["1,287", "12%", "$52–$175", "3.5e6", "—", "N/A", "2019"])
def test_figures_and_empty_cells_are_numeric(word):
    assert is_numeric(word)


@pytest.mark.parametrize("word", ["(2019)", "2021;", "2019a,", "GPT-3", "Transformer"])
def test_cited_years_and_words_are_not(word):
    assert not is_numeric(word)


def test_the_share_of_no_words_is_zero():
    assert numeric_share("") == 0.0
