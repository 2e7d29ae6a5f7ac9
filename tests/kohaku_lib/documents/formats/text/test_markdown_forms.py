"""The forms of Markdown beyond headings and paragraphs, and texts that are hard on parsers."""

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents.formats.html.list_pieces import list_pieces
from kohaku_lib.documents.formats.text.markdown import parse_markdown, split_front_matter
from kohaku_lib.documents.markdown_export import payload_to_markdown
from kohaku_lib.errors import DocumentError


def texts(text):
    return [paragraph.text for section in parse_markdown(text, "a", "A").sections for paragraph in section.paragraphs]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("> one\n> two\n>\n> - three", ["one two", "- three"]),
        ("![a *bee*](b.png) and [text][r]\n\n[r]: http://x.y 'title'", ["a bee and text"]),
        ("It is $a_b * c_d$, for $5 or $10.", ["It is $a_b * c_d$, for $5 or $10."]),
        ("$$\nx_1 = y_2\n$$", ["$$x_1 = y_2$$"]),
        ("\\begin{equation}\nx_1\n\\end{equation}", ["\\begin{equation} x_1 \\end{equation}"]),
        ("Noted[^1].\n\n[^1]: The note.", ["Noted[1].", "1. The note."]),
        ("~~old~~ <b>new</b><br>line", ["new\nline"]),
        ("the <model> of <energy use> is <b>big</b>", ["the <model> of <energy use> is big"]),
        ("a <!-- b --> c", ["a c"]),
        ("<div align=center>\n\n**in**\n\n</div>", ["in"]),
        ("~~~py\nx\n~~~", ["```py\nx\n```"]),
        ("    code", ["```\ncode\n```"]),
        ("1) a\n2) b", ["1. a\n2. b"]),
        ("- [x] done\n- [ ] open", ["- [x] done\n- [ ] open"]),
        ("a  \nb\nc", ["a\nb c"]),
    ],
)
def test_marks_go_and_words_stay(text, expected):
    assert texts(text) == expected


def test_a_table_of_html_with_blank_lines_in_its_cells_stays_one_table():
    table = "<table>\n <tr>\n  <td>\n\n one\n\n  </td>\n  <td>2</td>\n </tr>\n <tr><td>3</td><td>4</td></tr>\n</table>"
    assert texts(table) == ["| one | 2 |\n| --- | --- |\n| 3 | 4 |"]


def test_cells_lose_their_marks_and_keep_their_bars():
    assert texts("| *a* | `b\\|c` |\n|:--|--:|\n| [1](x) | |") == ["| a | b\\|c |\n| --- | --- |\n| 1 |  |"]


def test_a_comment_that_never_ends_hides_nothing():
    assert texts("one\n\n<!-- two\n\nthree") == ["one", "<!-- two", "three"]


def test_headings_without_text_are_noted_and_written_back():
    text = "# Part 1\n\n# Chapter 2\n\n## Age\n\nOld.\n\n# Index\n"
    payload = parse_markdown(text, "a", "A")
    [section] = payload.sections
    assert (section.title, section.metadata["heading_path"]) == ("Age", ["Chapter 2", "Age"])
    assert section.metadata["empty_headings"] == [[1, "Part 1"], [1, "Index"]]
    lines = payload_to_markdown(payload).split("\n\n")
    assert sorted(lines) == sorted(["# Part 1", "# Index", "# Chapter 2", "## Age", "Old.\n"])


@given(
    st.lists(
        st.tuples(st.integers(1, 6), st.text(st.sampled_from("abc"), min_size=1, max_size=5), st.booleans()), max_size=8
    )
)
def test_every_heading_survives(headings):
    text = "\n\n".join("#" * level + " " + name + ("\n\nbody" if full else "") for level, name, full in headings)
    payload = parse_markdown(text + "\n\n" + "# End\n\nbody", "a", "A")
    known = {(section.metadata["level"], section.title) for section in payload.sections}
    known |= {tuple(pair) for section in payload.sections for pair in section.metadata.get("empty_headings", [])}
    paths = {name for section in payload.sections for name in section.metadata["heading_path"]}
    assert all((level, name) in known or (not full and name in paths) for level, name, full in headings)


@pytest.mark.parametrize(
    ("front", "known"),
    [
        ("title: A\nDate: 2024-05-01", {"title": "A", "date": "2024-05-01"}),
        ("tags: [a, 1, true]\nnested: {x: .nan}", {"tags": ["a", 1, True], "nested": {"x": "nan"}}),
        ("title: Bees: a study\nauthor: 'Ann'", {"title": "Bees: a study", "author": "Ann"}),
        ("lang: de", {"language": "de"}),
        ("empty:\na: b", {"a": "b"}),
        ("a: &x [1]\nb: *x", {}),
        ("when: 2024-05-01 10:00:00", {"when": "2024-05-01T10:00:00"}),
    ],
)
def test_front_matter_becomes_metadata_in_json_values(front, known):
    said, rest = split_front_matter(f"---\n{front}\n---\nText.")
    assert rest == "Text."
    assert said == known


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nText.\n",
        "---\nno pair here\n---\nText.",
        "Text.\n---\na: b\n---\n",
        "",
        "---\n\nNote: read this.\n\n---\nText.",
        "---\nNote: mind: this.\nA sentence that is no pair, and would be lost.\n---\nText.",
    ],
)
def test_other_rules_are_no_front_matter(text):
    assert split_front_matter(text) == ({}, text)


def test_front_matter_that_grows_without_bound_is_refused():
    rows = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    rows += [
        f"{after}: &{after} [{', '.join([f'*{name}'] * 9)}]" for name, after in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    said, _ = split_front_matter("---\n" + "\n".join(rows) + "\n---\nText.")
    assert len(str(said)) < 2000


@pytest.mark.parametrize(
    ("lines", "pieces"),
    [
        (["- one item of a list that is long", "- no"], ["- one item of a list that is long\n- no"]),
        (["- a first item of some length", "  - below it", "- a second item of some length"],
         ["- a first item of some length\n  - below it", "- a second item of some length"]),
        (["- " + "long " * 80], None),
        ([], []),
    ],
)  # fmt: skip
def test_pieces_of_a_list_hold_items_with_what_is_below_them(lines, pieces):
    found = list_pieces(lines)
    assert (None if found is None else [piece.text for piece in found]) == pieces


HARD = [
    "<!--",
    "x <!-- ",
    "`",
    "` `` ",
    "[",
    "![",
    "[a](",
    "*a ",
    "_a_ ",
    "<a ",
    "$a ",
    "> ",
    "- ",
    "<div>\n\n",
    "&",
    "\\begin{a}\n",
]


@pytest.mark.parametrize("piece", HARD)
def test_texts_of_one_piece_over_and_over_take_time_in_proportion(piece):
    start = time.process_time()
    with contextlib.suppress(DocumentError):  # too deep
        parse_markdown("x " + piece * (30_000 // len(piece)), "a", "A")
    assert time.process_time() - start < 8
