"""Parts of a page and their Markdown: nothing in a cell is markup, empty parts leave no trace."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markupsafe import Markup

from kohaku_lib.evaluation.report.page import (
    figure,
    legend,
    markdown_table,
    markdown_text,
    paragraph,
    render_page,
    section,
    table,
)
from kohaku_lib.evaluation.report.picture import Picture


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("", ""),
        ("snake_case", "snake_case"),
        ("_a_", r"\_a\_"),
        ("# 1", r"\# 1"),
        ("#1", "#1"),
        ("- x", r"\- x"),
        ("-5", "-5"),
        ("a\n\n  b", "a b"),
        ("a & b < c", "a &amp; b &lt; c"),
        ("[x](y)", r"\[x\](y)"),
    ],
)
def test_signs_are_escaped_only_where_markdown_would_read_them(text, escaped):
    assert markdown_text(text) == escaped


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=30))
def test_markdown_shows_the_text_as_it_is(text):
    shown = MarkdownIt("commonmark", {"html": True}).parseInline(markdown_text(text))[0].children
    assert "".join(token.content for token in shown if token.type in ("text", "text_special", "code_inline")) == text
    assert {token.type for token in shown} <= {"text", "text_special"}


def test_a_table_aligns_its_figures_to_the_right_and_keeps_one_line_per_row():
    lines = markdown_table(("run", "kind", "n"), [("a\nb", "x|y", "3"), ("", "", "")], numeric=2).splitlines()
    assert lines == ["| run | kind | n |", "|:--|:--|--:|", r"| a b | x\|y | 3 |", "|  |  |  |"]
    html = table(("run", "n"), [("<b>", "3")])
    assert "<td>&lt;b&gt;</td>" in html
    assert '<td class="n">3</td>' in html


def test_a_section_omits_empty_parts_and_escapes_its_heading():
    part = section("a < b", Markup(), paragraph("x & y"), Markup(""))
    assert "<h2>a &lt; b</h2>" in part
    assert part == section("a < b", paragraph("x & y"))
    assert "<p>x &amp; y</p>" in part
    assert legend("x") == '<p class="dim">x</p>'


def test_a_page_needs_nothing_from_elsewhere_and_its_texts_are_no_markup():
    page = render_page("<t>", "<s>", [section("h", paragraph("p"))])
    assert "<title>&lt;t&gt;</title>" in page
    assert "&lt;s&gt;" in page
    assert "default-src 'none'" in page
    assert page.count("<section>") == 1
    assert "http" not in page.replace("http-equiv", "")


def test_a_figure_has_its_picture_unescaped_and_its_caption_escaped():
    picture = Picture("p", "a bar", (1.0, 1.0), lambda canvas: canvas.add_subplot().bar([0], [1]))
    html = figure(picture, "1 < 2")
    assert '<svg role="img" aria-label="a bar"' in html
    assert "<figcaption>1 &lt; 2</figcaption>" in html
