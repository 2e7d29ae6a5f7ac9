"""The model that reads a passage."""

from types import SimpleNamespace

import numpy as np
import pytest

from kohaku_lib.answering.extractive.reader.model import (
    MOST_SPANS,
    WEIGHTS,
    SpanModel,
    best_spans,
    load_model,
    reading_tokenizer,
    torch_inference,
)
from kohaku_lib.answering.extractive.reader.passages import passages_of
from kohaku_lib.embedding.model_folder import model_folder
from kohaku_lib.tables import Snippet


def encoding(*tokens):
    """An encoding of a question of one token and a passage of `tokens`, each with the blank behind it."""
    offsets, place = [(0, 3)], 0
    for token in tokens:
        offsets.append((place, place + len(token)))
        place += len(token) + 1
    return SimpleNamespace(ids=[1] * len(offsets), type_ids=[0] + [1] * len(tokens), offsets=offsets)


def logits(size, **high):
    values = np.zeros(size)
    for place, value in high.items():
        values[int(place[1:])] = value
    return values


def test_the_best_span_lies_within_one_area_although_a_likelier_one_crosses_two():
    found = best_spans(encoding("Graz", "6", "Linz", "4"), logits(5, t2=9, t3=1), logits(5, t4=9), [(0, 6), (7, 13)])
    assert (found[0].start, found[0].end) == (7, 13)


def test_spans_do_not_overlap_and_their_probabilities_are_those_of_independent_ends():
    half = np.log(3.0)
    found = best_spans(encoding("a", "b"), logits(3, t1=half), logits(3, t1=half), [(0, 1), (2, 3)])
    assert [(one.start, one.end) for one in found] == [(0, 1), (2, 3)]
    assert [one.probability for one in found] == pytest.approx([0.9, 0.1])


def test_a_passage_without_an_area_has_no_span():
    assert best_spans(encoding("a", "b"), np.zeros(3), np.zeros(3), []) == ()


@pytest.mark.parametrize("length", [22, 127, 254, 300, 3000])
def test_of_a_question_of_any_length_its_end_is_read(length, caplog):
    [passage] = passages_of([Snippet("d:1", "d", "", None, "It rained. 46 customers called the hotline.", 1, 1.0)])
    question = f"{'We talked of the weather. ' * length}How many customers called the hotline?"
    [found] = load_model().read(question, [passage])
    assert passage.text[found.spans[0].start : found.spans[0].end].startswith("46")
    assert [record.getMessage().endswith("the reader reads the last 128") for record in caplog.records] == [True]


def test_torch_finds_the_same_spans_as_openvino():
    [passage] = passages_of([Snippet("d:1", "d", "", None, "It rained. 46 customers called the hotline.", 1, 1.0)])
    [compiled] = load_model().read("How many customers called?", [passage])
    by_torch = SpanModel(torch_inference(WEIGHTS, model_folder("minilm")), reading_tokenizer())
    [plain] = by_torch.read("How many customers called?", [passage])
    best, same = compiled.spans[0], plain.spans[0]
    assert (best.start, best.end) == (same.start, same.end)
    assert best.probability == pytest.approx(same.probability, abs=0.15)
    assert compiled.over_none == pytest.approx(plain.over_none, abs=0.6)  # logits; bfloat16 where the processor has it


def test_what_is_found_in_a_passage_does_not_depend_on_those_read_with_it_or_before():
    texts = [f"{'The ferry was late. ' * more}It carried {more} of the 46 bicycles." for more in range(1, 10)]
    passages = passages_of([Snippet(f"d:{row}", "d", "", None, text, 1, 1.0) for row, text in enumerate(texts)])
    question = "How many bicycles did the ferry carry?"
    together = load_model.__wrapped__().read(question, passages)
    one_by_one = load_model.__wrapped__()  # a new one, that remembers nothing
    assert [one_by_one.read(question, [passage])[0] for passage in passages] == together
    assert one_by_one.read(question, passages[::-1]) == together[::-1]


def test_the_bundled_model_finds_a_value_and_sees_where_there_is_none():
    text = "On 6 November the order service was down for two hours. 46 customers called the hotline."
    [passage] = passages_of([Snippet("d:1", "d", "", None, text, 1, 1.0)])
    bundled = load_model()
    [asked] = bundled.read("How many customers called the hotline?", [passage])
    [other] = bundled.read("What colour is the roof of the chapel?", [passage])
    best = asked.spans[0]
    assert passage.text[best.start : best.end] in {"46", "46 customers"}
    assert asked.over_none > 0 > other.over_none
    assert len(asked.spans) <= MOST_SPANS
    assert bundled.read("Why?", []) == []
