"""The view of parents and children: sizes, overlaps, pages, and what stays as it is."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.composition import load_settings
from kohaku_lib.errors import SettingsError
from kohaku_lib.settings import TreeSettings
from kohaku_lib.tables import DocumentPayload, ParagraphPayload, SectionPayload, SentencePayload
from kohaku_lib.tree.flatten import flatten
from kohaku_lib.tree.paragraph_leaves import paragraph_leaves
from kohaku_lib.tree.parent_child import parent_chunks, span_runs

TABLE = "| Model | kWh |\n| --- | --- |\n| small | 2 |\n| large | 9 |"


def chunk_settings(parent=1000, child=200, overlap=50):
    return TreeSettings(
        view="parent_child",
        parent_tokens=parent,
        child_tokens=child,
        child_overlap_tokens=overlap,
        min_sentence_chars=0,
    )


def chunked(paragraphs, settings):
    section = SectionPayload("S", tuple(paragraphs))
    leaves = [paragraph_leaves(paragraph, "d", {}, settings) for paragraph in paragraphs]
    return parent_chunks(section, leaves, settings)


def sentences(count, words=6):
    return [" ".join([f"Fact{number}", *["holds"] * (words - 1)]) + "." for number in range(count)]


def paragraph_of(texts, pages=None, **metadata):
    pages = pages or [None] * len(texts)
    given_sentences = tuple(
        SentencePayload(text, {"page": page} if page else {}) for text, page in zip(texts, pages, strict=True)
    )
    return ParagraphPayload(" ".join(texts), given_sentences, metadata)


def test_paragraphs_share_a_parent_until_it_is_full():
    paragraphs = [ParagraphPayload("x" * 70 + "."), ParagraphPayload("y" * 70 + "."), ParagraphPayload("z" * 70 + ".")]
    section, parents = chunked(paragraphs, chunk_settings(parent=40, child=20, overlap=0))  # 160 characters
    assert [parent.text for parent in parents] == [
        f"{'x' * 70}.\n\n{'y' * 70}.",
        f"{'z' * 70}.",
    ]
    assert [payload.text for payload in section.paragraphs] == [parent.text for parent in parents]


def test_a_long_paragraph_is_cut_between_sentences():
    texts = sentences(4)  # 36 characters each
    _, parents = chunked([paragraph_of(texts)], chunk_settings(parent=20, child=20, overlap=0))
    assert [parent.text for parent in parents] == [" ".join(texts[:2]), " ".join(texts[2:])]


def test_children_hold_whole_sentences_and_overlap():
    texts = sentences(4)
    _, [parent] = chunked([paragraph_of(texts)], chunk_settings(parent=100, child=20, overlap=10))
    assert [child.text for child in parent.sentences] == [" ".join(texts[at : at + 2]) for at in range(3)]
    assert all(parent.text[slice(*child.span)] == child.text for child in parent.sentences)


def test_a_sentence_longer_than_a_child_is_cut_at_its_largest_break():
    text = "aaaa bbbb cccc dddd; eeee, ffff gggg hhhh"
    _, [parent] = chunked([paragraph_of([text])], chunk_settings(parent=100, child=6, overlap=0))  # 24 characters
    assert [child.text for child in parent.sentences] == ["aaaa bbbb cccc dddd;", "eeee, ffff gggg hhhh"]
    _, [parent] = chunked([paragraph_of(["a" * 60])], chunk_settings(parent=100, child=6, overlap=0))
    assert [len(child.text) for child in parent.sentences] == [24, 24, 12]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("aaaa bbbb cccc\n", "dd; eeee ffff gggg"),  # a line before a semicolon, though the latter stands later
        ("aaaa bbbb cccc; ", "dd, eeee ffff gggg"),
        ("aaaa bbbb cccc, ", "dd eeee ffff gggg"),
        ("aa; bbbb cccc dddd eeee ", "ffff gggg"),  # in the first half of what fits no break counts
    ],
)
def test_a_larger_break_goes_before_a_later_one_in_the_second_half_of_what_fits(first, second):
    _, [parent] = chunked([paragraph_of([first + second])], chunk_settings(parent=100, child=6, overlap=0))
    assert [child.text for child in parent.sentences] == [first.rstrip(), second]


def test_a_child_has_the_page_and_the_boxes_of_its_own_sentences():
    paragraphs = [
        ParagraphPayload(
            "One fact here. Two facts there.",
            (
                SentencePayload("One fact here.", {"page": 3, "bbox": [0, 0, 9, 9]}),
                SentencePayload("Two facts there.", {"page": 4, "bbox": [1, 1, 8, 8]}),
            ),
        ),
        ParagraphPayload("Three facts now.", metadata={"page": 5}),
    ]
    _, [parent] = chunked(paragraphs, chunk_settings(parent=100, child=8, overlap=0))
    assert [(child.text, dict(child.metadata)) for child in parent.sentences] == [
        (
            "One fact here. Two facts there.",
            {
                "page": 3,
                "bbox": [0.0, 0.0, 9.0, 9.0],
                "boxes": [[3, 0.0, 0.0, 9.0, 9.0], [4, 1.0, 1.0, 8.0, 8.0]],
            },
        ),
        ("Three facts now.", {"page": 5}),
    ]


def test_tables_and_figures_stay_as_they_are():
    table = ParagraphPayload(TABLE, metadata={"modality": "table"})
    figure = ParagraphPayload("[image]", metadata={"modality": "image"})
    text = ParagraphPayload("Some words.")
    section, parents = chunked([text, table, figure, text], chunk_settings())
    assert [parent.modality for parent in parents] == ["text", "table", "image", "text"]
    assert [child.text for child in parents[1].sentences] == ["small — kWh: 2", "large — kWh: 9"]
    assert [payload.text for payload in section.paragraphs] == ["Some words.", TABLE, "[image]", "Some words."]


def test_the_nodes_are_those_of_any_tree():
    payload = DocumentPayload(
        "d", "Title", "", {}, (SectionPayload("S", (paragraph_of(sentences(3)), ParagraphPayload("A last word."))),)
    )
    table = flatten(payload, "acme", {}, chunk_settings(parent=100, child=20, overlap=10)).table()
    assert table.column("node_id").to_pylist() == [
        "d",
        "d:sec1",
        "d:sec1:p1",
        "d:sec1:p1:s1",
        "d:sec1:p1:s2",
        "d:sec1:p1:s3",
    ]
    assert table.column("parent_row").to_pylist() == [-1, 0, 1, 2, 2, 2]
    assert pa.compute.all(table.column("searchable").slice(2)).as_py()


def test_no_span_gives_no_group():
    assert span_runs([], 10, 3) == []


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=40),
    st.integers(1, 60),
    st.integers(0, 59),
)
def test_groups_cover_every_span_in_order_within_the_limit(lengths, most, overlap):
    spans, end = [], 0
    for length in lengths:
        spans.append((end, end + length))
        end += length + 1
    found = span_runs(spans, most, min(overlap, most - 1))
    assert found[-1].stop == len(spans)
    covered = 0
    for before, group in zip([range(0), *found], found, strict=False):
        assert group.start <= covered < group.stop
        assert group.start >= before.start
        assert len(group) == 1 or spans[group.stop - 1][1] - spans[group.start][0] <= most
        if group.start < covered:
            assert spans[covered - 1][1] - spans[group.start][0] <= overlap
        covered = group.stop


def test_an_overlap_as_long_as_a_child_is_refused(tmp_path):
    with pytest.raises(SettingsError, match=r"child_overlap_tokens must be less than tree.child_tokens"):
        load_settings(folder=tmp_path, overrides=["tree.view=parent_child", "tree.child_tokens=50"])
