"""Blocks of lines become paragraphs of a useful size, with the page of every sentence."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.settings import TreeSettings
from kohaku_lib.tree.resegmenting.blocks import Block
from kohaku_lib.tree.resegmenting.page_lines import PageLine
from kohaku_lib.tree.resegmenting.paragraph_sizing import LEAST_CHARS, MOST_CHARS, paragraphs_of
from kohaku_lib.tree.resegmenting.vocabulary import WordCounts

SETTINGS = TreeSettings()
SENTENCE = "The model was trained for many days on a large machine."
COUNTS = st.lists(st.tuples(st.sampled_from(["body", "item", "table", "caption"]), st.integers(1, 60)), max_size=6)


def block(kind, sentences, page=1):
    return Block(kind, [PageLine(SENTENCE, page + number // 20) for number in range(sentences)])


def paragraphs(*blocks):
    lines = [line for entry in blocks for line in entry.lines]
    return paragraphs_of(list(blocks), WordCounts(lines), SETTINGS)


def words(found):
    return " ".join(paragraph.text for paragraph in found).split()


def test_small_neighbours_are_joined_and_large_ones_are_not():
    assert [paragraph.text for paragraph in paragraphs(block("body", 1), block("body", 2))] == [
        f"{SENTENCE}\n{SENTENCE} {SENTENCE}"
    ]
    assert len(paragraphs(block("body", 10), block("body", 10))) == 2


def test_a_long_block_is_cut_into_even_runs_of_sentences():
    found = paragraphs(block("body", 60))
    assert len(found) == 3  # 60 sentences of 55 characters and a blank are 3,360 characters
    assert [len(paragraph.sentences) for paragraph in found] == [20, 20, 20]
    assert all(len(paragraph.text) <= MOST_CHARS for paragraph in found)


def test_floats_follow_the_running_text_and_are_marked():
    found = paragraphs(block("table", 3), block("body", 10))
    assert [paragraph.metadata.get("float") for paragraph in found] == [None, True]
    assert found[1].text == "\n".join([SENTENCE] * 3)


def test_floats_of_two_pages_are_not_joined():
    assert len(paragraphs(block("caption", 1, page=1), block("caption", 1, page=2))) == 2
    assert len(paragraphs(block("caption", 1, page=1), block("caption", 1, page=1))) == 1
    assert len(paragraphs(block("body", 1, page=1), block("body", 1, page=2))) == 1


def test_a_paragraph_has_the_page_on_which_it_begins_and_each_sentence_its_own():
    lines = [PageLine("The first sentence begins on this page", 4), PageLine(f"and ends on the next. {SENTENCE}", 5)]
    [paragraph] = paragraphs(Block("body", lines))
    assert paragraph.metadata == {"page": 4, "page_starts": [[39, 5]]}  # 38 characters and a blank stand on page 4
    assert [sentence.metadata["page"] for sentence in paragraph.sentences] == [4, 5]


def test_a_page_begins_within_a_sentence_whatever_was_joined_before_and_after_it():
    over = Block("body", [PageLine("The rotor, which", 2), PageLine("was new, turns.", 3), PageLine("It is red.", 3)])
    [paragraph] = paragraphs(block("body", 2), over, block("body", 1, page=4))
    [[second, two], [third, three], [fourth, four]] = paragraph.metadata["page_starts"]
    assert (two, three, four) == (2, 3, 4)
    assert paragraph.text[second:].startswith("The rotor, which was new")
    assert paragraph.text[third:].startswith("was new, turns. It is red.")
    assert paragraph.text[fourth:] == SENTENCE


def test_an_entry_of_a_bibliography_is_one_sentence_unless_it_is_long():
    [short] = paragraphs(Block("entry", [PageLine("Wu, C. 2021. Sustainable AI. Journal of AI 3.", 9)]))
    assert len(short.sentences) == 1
    [long] = paragraphs(block("entry", 12))
    assert len(long.sentences) == 12


def test_no_blocks_give_no_paragraphs():
    assert paragraphs() == []


@given(COUNTS)
def test_no_word_is_lost_and_none_is_added(kinds):
    blocks = [block(kind, count) for kind, count in kinds]
    found = paragraphs(*blocks)
    assert sorted(words(found)) == sorted(" ".join(line.text for entry in blocks for line in entry.lines).split())


@given(COUNTS)
def test_sentences_are_the_text_of_their_paragraph(kinds):
    for paragraph in paragraphs(*(block(kind, count) for kind, count in kinds)):
        assert " ".join(sentence.text for sentence in paragraph.sentences).split() == paragraph.text.split()


@given(st.lists(st.integers(1, 40), min_size=1, max_size=8))
def test_no_two_running_paragraphs_in_a_row_could_have_been_one(counts):
    found = paragraphs(*(block("body", count) for count in counts))
    for first, second in pairwise(found):
        sizes = [sum(len(sentence.text) + 1 for sentence in entry.sentences) for entry in (first, second)]
        assert min(sizes) >= LEAST_CHARS or sum(sizes) > MOST_CHARS
