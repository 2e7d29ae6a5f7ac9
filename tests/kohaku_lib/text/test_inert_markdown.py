"""What an untrusted writer's Markdown can do once it is made inert: checked with a parser of Markdown that allows all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from kohaku_lib.text.inert_markdown import InertStream, inert_markdown

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
ALLOWED = {
    *("inline", "text", "softbreak", "hardbreak", "code_inline", "code_block", "fence", "hr", "paragraph", "heading"),
    *("blockquote", "bullet_list", "ordered_list", "list_item", "em", "strong", "s"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
PIECES = st.sampled_from(
    [
        *"[]()<>!:\\`*_-#|1a/?\n &\"'",
        "[Source 1]",
        "[1]",
        "https://x.example",
        "\n\n",
        "> ",
        "- ",
        "1. ",
        "2) ",
        "\r",
        "    ",
        "<img src=x>",
    ]
)
TEXTS = st.lists(PIECES, max_size=14).map("".join)


def kinds(text):
    """The kinds of everything that Markdown makes of a text."""
    environment = {}
    tokens = PARSER.parse(text, environment)
    inner = [child for token in tokens for child in token.children or ()]
    found = {token.type.removesuffix("_open").removesuffix("_close") for token in [*tokens, *inner]}
    return found | ({"definition"} if environment.get("references") else set())


@given(TEXTS)
def test_nothing_but_text_emphasis_lists_tables_and_code_is_left(text):
    assert kinds(inert_markdown(text)) <= ALLOWED


@given(TEXTS, TEXTS)
def test_the_begin_of_a_text_becomes_the_begin_of_the_whole(begin, end):
    shown = []
    stream = InertStream(shown.append)
    stream.add(begin)
    stream.add(end)
    assert "".join(shown) == inert_markdown(begin + end)
    assert inert_markdown(begin + end).startswith(inert_markdown(begin))


@given(TEXTS)
def test_it_changes_nothing_a_second_time_and_takes_nothing_but_adds_spaces(text):
    once = inert_markdown(text)
    assert inert_markdown(once) == once
    assert once.replace(" ", "") == text.replace(" ", "")


@pytest.mark.parametrize(
    "text",
    [
        "A &lt; B, a < b, p<0.05 and 3 > 2.",
        "**Bold** and *emphasis*, `code`\n\n- one\n- two\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
        "It used 41,800 kWh [Source 1] [Source 2]; as [Source 3] says: 70%.",
        "See https://example.org (the form).",
    ],
)
def test_harmless_text_stays_as_it_is(text):
    assert inert_markdown(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "<img src=https://x.example/?q=1>",
        "<a href='https://x.example'>here</a>",
        "<script>alert(1)</script>",
        "<!-- hidden -->",
        "<https://x.example>",
        "![x](https://x.example)",
        "![x][1]\n\n[1]: https://x.example",
        "[Source 1](https://x.example)",
        "[1]: https://x.example\n\nIt is so [1].",
        "> [Source 1]: https://x.example\n\nIt is so [Source 1].",
        "\\<img src=x>",
        "So [Source 1].\n\n1. [Source 1]: https://x.example",
        "a\r\r[Source 1]: https://x.example\r\r[Source 1]",
        "[a\n[Source 1]: https://x.example",
    ],
)
def test_each_way_to_an_address_is_closed(text):
    assert kinds(inert_markdown(text)) <= ALLOWED
