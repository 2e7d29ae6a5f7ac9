import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.index.bm25.idf import idf
from kohaku_lib.index.bm25.title_field import Posting, add_titles, title_gain

K1 = 0.9


def plain(occurrences, idf, k1=K1):
    return (idf * occurrences / (occurrences + k1)).astype(np.float32)


def posting(occurrences, idf=1.0, k1=K1):
    texts = np.flatnonzero(occurrences).astype(np.int32)
    return Posting(texts, plain(np.array(occurrences)[texts], idf, k1), idf)


def with_titles(occurrences, titled, documents, weight, times=1, k1=K1):
    """The scores of one term with its title field, and its idf."""
    occurrences = np.array(occurrences, float)
    rarity = float(idf(len(occurrences), np.count_nonzero(occurrences)))
    own = posting(occurrences, rarity, k1)
    scores = np.zeros(len(occurrences), np.float32)
    scores[own.texts] = times * own.scores
    gain = title_gain(own, np.array(titled, np.int32), np.array(documents), (weight, k1))
    add_titles(scores, [(times, gain)], np.array(documents), max([*titled, *documents]) + 1)
    return scores, rarity


def test_both_fields_add_up_before_the_saturation():
    scores, idf = with_titles([2.0, 0.0, 1.0, 0.0], titled=[0], documents=[0, 0, 1, 1], weight=0.5)
    expected = [idf * 2.5 / 3.4, idf * 0.5 / 1.4, idf * 1 / 1.9, 0.0]
    assert scores.tolist() == pytest.approx(expected, rel=1e-5)


def test_a_term_that_is_asked_twice_counts_twice():
    once, _ = with_titles([2.0, 0.0, 1.0], titled=[0], documents=[0, 0, 1], weight=0.5)
    twice, _ = with_titles([2.0, 0.0, 1.0], titled=[0], documents=[0, 0, 1], weight=0.5, times=2)
    assert twice.tolist() == pytest.approx((2 * once).tolist(), rel=1e-5)


def test_without_saturation_one_occurrence_anywhere_counts_all():
    scores, idf = with_titles([2.0, 0.0, 0.0], titled=[0], documents=[0, 0, 1], weight=0.5, k1=1e-12)
    assert scores.tolist() == pytest.approx([idf, idf, 0.0], abs=1e-5)


def test_a_title_of_no_known_document_changes_nothing():
    scores, idf = with_titles([1.0, 0.0], titled=[], documents=[0, 1], weight=3.0)
    assert scores.tolist() == pytest.approx([idf / 1.9, 0.0], rel=1e-6)


@given(
    st.lists(st.tuples(st.floats(0, 9), st.integers(0, 3)), min_size=1, max_size=10),
    st.sets(st.integers(0, 3)),
    st.floats(0, 10),
)
def test_it_is_the_formula_text_by_text(texts, titled, weight):
    occurrences, documents = [round(each, 3) for each, _ in texts], [document for _, document in texts]
    documents[-1] = 3  # the last document has a text
    scores, idf = with_titles(occurrences, sorted(titled), documents, weight)
    both = [each + weight * (document in titled) for each, document in zip(occurrences, documents, strict=True)]
    assert scores.tolist() == pytest.approx([idf * each / (each + K1) for each in both], rel=1e-3, abs=1e-5)


def test_several_terms_add_up_as_each_does_alone():
    documents = np.array([0, 0, 1, 2])
    gains = [
        (times, title_gain(posting(occurrences, idf), np.array(titled, np.int32), documents, (0.5, K1)))
        for times, occurrences, idf, titled in (
            (1, [2.0, 0.0, 1.0, 0.0], 0.7, [0, 2]),
            (2, [1.0, 3.0, 0.0, 0.0], 1.1, [0]),
            (1, [0.0, 0.0, 0.0, 0.0], 2.2, [1]),
        )
    ]
    together, expected = np.zeros(4, np.float32), np.zeros(4, np.float32)
    add_titles(together, gains, documents, 3)
    for gain in gains:
        alone = np.zeros(4, np.float32)
        add_titles(alone, [gain], documents, 3)
        expected += alone
    assert together.tolist() == pytest.approx(expected.tolist(), rel=1e-6)
    # The third term is in no text but in the title of document 1: its third text gets that alone.
    assert together[2] == pytest.approx(2.2 * 0.5 / 1.4, rel=1e-6)
