"""Questions in other words than their passage."""

import csv
import random

import pytest
from reader_rewording import WORDS, reworded


def row(question, **changed):
    return {"set": "s", "question": question, "passage": "p", "dev": False, "drop": False, **changed}


@pytest.fixture(scope="module")
def pairs():
    with WORDS.open(encoding="utf-8", newline="") as stream:
        return [(one["document"], one["everyday"]) for one in csv.DictReader(stream)]


def test_each_pair_has_two_different_sides_and_stands_once(pairs):
    assert len(set(pairs)) == len(pairs)
    assert all(document.strip() and everyday.strip() and document != everyday for document, everyday in pairs)


def test_a_word_is_replaced_either_in_questions_to_train_on_or_in_those_kept_apart(pairs):
    words = sorted({document for document, _ in pairs if document.isalpha()})
    trained, kept = (
        {
            one["passage"]
            for one in reworded([row(f"{word}?", passage=word, dev=dev) for word in words], random.Random(0))
        }
        for dev in (False, True)
    )
    assert trained
    assert kept
    assert not trained & kept


def test_passage_and_answer_stay_and_what_is_dropped_or_has_no_known_word_gives_nothing(pairs):
    (document, _), *_ = pairs
    rows = [row(f"{document} {number}", answers=["x"]) for number in range(20)]
    for one in reworded([*rows, row(document, drop=True), row("Xyzzy?")], random.Random(0)):
        assert (one["set"], one["passage"], one["answers"]) == ("reworded", "p", ["x"])
        assert one["question"].split()[-1].isdigit()
