"""Examples that a reader is trained and judged on."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading_examples import Sentence, is_held_out
from reading_templates import made_examples


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("It 's `` new '' -LRB- 3 % -RRB- .", 'It\'s "new" (3%).'),
        ("Costs rose , to $ 5 .", "Costs rose, to $5."),
    ],
)
def test_tokens_are_joined_to_running_text(tokens, text):
    assert Sentence.of(tokens).text == text


@given(st.lists(st.sampled_from(["word", ",", "``", "''", "-LRB-", "-RRB-", "%", "'s", "12"]), max_size=12))
def test_the_offsets_of_tokens_give_back_their_characters(tokens):
    sentence = Sentence.of(" ".join(tokens))
    signs = {"-LRB-": "(", "-RRB-": ")", "``": '"', "''": '"'}
    assert [sentence.text[start:end] for start, end in sentence.offsets] == [signs.get(one, one) for one in tokens]


def test_made_examples_are_the_same_for_a_seed_and_half_of_them_have_no_answer():
    examples = made_examples(2000, 7)
    assert examples == made_examples(2000, 7)
    assert 0.4 < sum(one.span is None for one in examples) / len(examples) < 0.6


def test_no_made_question_has_an_open_slot_and_every_answer_lies_in_its_passage():
    for one in made_examples(2000, 11):
        assert "{" not in one.question + one.passage
        assert one.span is None or one.answer == one.answer.strip() != ""


def test_the_share_of_documents_kept_apart_is_about_what_is_asked():
    chance = random.Random(1)
    names = [str(chance.random()) for _ in range(4000)]
    assert sum(is_held_out(name, 0.2) for name in names) / len(names) == pytest.approx(0.2, abs=0.02)
    assert not any(is_held_out(name, 0.0) for name in names)
