"""The visible text of HTML elements, lists as lines, and tables that are for layout."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from kohaku_lib.documents.formats.html.blocks import list_lines, tidy
from kohaku_lib.documents.formats.html.list_pieces import list_pieces
from kohaku_lib.documents.formats.html.tables import is_layout, table_of
from kohaku_lib.documents.formats.html.text import inline_text, is_element, is_hidden, tag_of

LINES = st.lists(
    st.tuples(st.integers(0, 3), st.text("ab ", min_size=1, max_size=60).filter(str.strip)), min_size=1, max_size=10
)


def element(markup):
    return html.fragment_fromstring(markup)


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>one<b> two</b> three</p>", "one two three"),
        ("<p>one\n\t two</p>", "one two"),
        ("<p>one<br>two</p>", "one\ntwo"),
        ("<div>one<p>two</p>three</div>", "one two three"),
        ("<p>one<script>x()</script><span hidden>y</span>two</p>", "onetwo"),
        ("<p>one<!-- no --><?php no ?>two</p>", "onetwo"),
        ('<p>a <img alt=" tall\n tree "> grows</p>', "a tall tree grows"),
        ("<p>a <img> b</p>", "a  b"),
        ("<p>é ü 日本</p>", "é ü 日本"),
        ("<p></p>", ""),
        ("<p>In <ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby> heute</p>", "In 東京 heute"),
        ("<p>Wasser&shy;kocher</p>", "Wasserkocher"),
    ],
)
def test_inline_text_is_what_a_reader_sees(markup, text):
    assert inline_text(element(markup)) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ('<p><math alttext="x^2"><mi>x</mi></math></p>', "$x^2$"),
        ('<p><math><mi>x</mi><annotation encoding="application/x-tex"> x^2 </annotation></math></p>', "$x^2$"),
        ('<p><math><mi>x</mi><annotation encoding="StarMath 5.0">no</annotation></math></p>', "xno"),
    ],
)
def test_a_formula_is_its_latex_if_it_has_any(markup, text):
    assert inline_text(element(markup)) == text


def test_elements_named_without_are_left_out_with_their_text():
    item = element("<li>one<ul><li>two</li></ul> three</li>")
    assert inline_text(item, without=("ul",)) == "one three"


def test_blanks_can_be_kept():
    assert inline_text(element("<pre>a\n  b<span> c</span></pre>"), keep_blanks=True) == "a\n  b c"


@pytest.mark.parametrize(
    ("markup", "hidden"),
    [
        ("<p>x</p>", False),
        ("<script>x</script>", True),
        ("<p hidden>x</p>", True),
        ('<p aria-hidden="true">x</p>', True),
        ('<math aria-hidden="true">x</math>', False),
        ('<p style="color:red; DISPLAY : none">x</p>', True),
        ('<p style="visibility:hidden">x</p>', True),
        ('<p style="display:block">x</p>', False),
        ('<a href="#top">↑</a>', True),
        ('<a href="#a">see ↑</a>', False),
        ("<button>x</button>", True),
    ],
)
def test_scripts_forms_and_hidden_elements_are_invisible(markup, hidden):
    assert is_hidden(element(markup)) is hidden


def test_comments_are_no_elements_and_names_have_no_namespace():
    comment, paragraph = element("<div><!-- x --><p>y</p></div>")
    assert (is_element(comment), is_element(paragraph)) == (False, True)
    assert (tag_of(comment), tag_of(paragraph)) == ("", "p")
    paragraph.tag = "{http://www.w3.org/1999/xhtml}P"
    assert tag_of(paragraph) == "p"


@given(st.text())
def test_tidy_text_has_no_empty_lines_and_no_outer_or_double_blanks(text):
    lines = tidy(text).split("\n")
    assert lines == [""] or all(line and line == " ".join(line.split()) for line in lines)
    assert tidy(tidy(text)) == tidy(text)


@pytest.mark.parametrize(
    ("markup", "lines"),
    [
        ("<ul><li>a</li><li>b</li></ul>", ["- a", "- b"]),
        ("<ol start='3'><li>a</li><li>b</li></ol>", ["3. a", "4. b"]),
        ("<ol start='-1'><li>a</li></ol>", ["1. a"]),
        ("<ol type='a' start='2'><li>x</li><li>y</li></ol>", ["b. x", "c. y"]),
        ("<ol type='I'><li>x<ol style='list-style: inside lower-roman'><li>y</li></ol></li></ol>", ["I. x", "  i. y"]),
        ("<ol><li value='7'>x</li><li>y</li></ol>", ["7. x", "8. y"]),
        ("<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>", ["- a", "  1. b", "- c"]),
        ("<ul><li>a</li><ul><li>b</li></ul></ul>", ["- a", "  - b"]),
        ("<ul><li>a<div><ul><li>b</li></ul></div></li></ul>", ["- a", "  - b"]),
        ("<ol><li> </li><li>a</li></ol>", ["1. a"]),
        ("<ul><li hidden>a</li></ul>", []),
        ("<ul><li>one<br>two</li></ul>", ["- one two"]),
    ],
)
def test_a_list_has_a_line_per_item_indented_by_depth(markup, lines):
    assert list(list_lines(element(markup))) == lines


@given(LINES)
def test_the_pieces_of_a_list_are_its_lines_again(items):
    lines = [f"{'  ' * depth}- {' '.join(text.split())}" for depth, text in items]
    pieces = list_pieces(lines)
    joined = [line.strip() for piece in pieces for line in piece.text.split("\n")]
    assert joined == [line.strip() for line in lines]
    assert all(len(piece.text) <= 300 + 20 for piece in pieces)


def test_an_item_that_is_a_paragraph_of_its_own_leaves_the_list_to_the_sentence_splitter():
    assert list_pieces(["- " + "x" * 299]) is None
    assert list_pieces(["- " + "x" * 298]) is not None


def test_items_below_a_long_item_have_the_texts_above_as_context():
    lines = ["- Disks of the machine", *(f"  - item {number} {'x' * 40}" for number in range(8))]
    first, *others = list_pieces(lines)
    assert (first.text, first.metadata) == ("- Disks of the machine", {})
    assert {piece.metadata["context"] for piece in others} == {"Disks of the machine"}


INNER = "<table><tr><td>1</table>"


@pytest.mark.parametrize(
    ("markup", "layout"),
    [
        ("<table><tr><td>a</td><td>b</td></tr></table>", False),
        ("<table role='presentation'><tr><td>a</td><td>b</td></tr></table>", True),
        ("<table><tr><td><h2>a</h2></td><td>b</td></tr></table>", True),
        ("<table><tr><td>a</td></tr></table>", True),
        ("<table><tr><td>a</td></tr><tr><td>b</td></tr></table>", False),
        ("<table><tr><td><p>a</p></td></tr><tr><td>b</td></tr></table>", True),
        (f"<table><tr><td>a<td>b<tr><td>c<td>d{INNER}</table>", False),
        (f"<table><tr><td>a<td>b{INNER}<tr><td>c<td>{INNER}</table>", True),  # they say more: 12 letters and marks to 4
        (f"<table><tr><td>a<td>b<tr><td>c<td>{INNER}</table>", True),  # one row alone has two cells
        (f"<table><tr><td>a<td>b<tr><td>c<td>d<table><tr><td>{INNER}</table></table>", True),
        ("<table><tr hidden><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", True),
    ],
)
def test_a_table_is_for_layout_by_its_role_content_or_single_column(markup, layout):
    assert is_layout(element(markup)) is layout


def test_the_caption_of_a_table_takes_precedence_over_that_of_its_figure():
    markup = "<table><caption>Own</caption><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    assert table_of(element(markup), "Figure").metadata["table_caption"] == "Own"
    assert (
        table_of(element(markup.replace("<caption>Own</caption>", "")), "Figure").metadata["table_caption"] == "Figure"
    )
    assert table_of(element("<table><tr><td> </td></tr></table>")) is None
