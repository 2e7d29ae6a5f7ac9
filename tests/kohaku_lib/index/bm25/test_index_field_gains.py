import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.index.bm25.field_gains import Posting, add_fields, field_gain
from kohaku_lib.index.bm25.idf import idf

K1 = 0.9


def plain(occurrences, idf, k1=K1):
    return (idf * occurrences / (occurrences + k1)).astype(np.float32)


def posting(occurrences, idf=1.0, k1=K1):
    texts = np.flatnonzero(occurrences).astype(np.int32)
    return Posting(texts, plain(np.array(occurrences)[texts], idf, k1), idf)


def fields(sections, weight_by_section):
    """The occurrences that the fields of each section count as, (sections,)."""
    found = np.zeros(max([*weight_by_section, *sections]) + 1)
    for section, weight in weight_by_section.items():
        found[section] = weight
    return found


def with_fields(occurrences, sections, weight_by_section, times=1, k1=K1):
    """The scores of one term with its fields, and its idf."""
    occurrences = np.array(occurrences, float)
    rarity = float(idf(len(occurrences), np.count_nonzero(occurrences)))
    own = posting(occurrences, rarity, k1)
    scores = np.zeros(len(occurrences), np.float32)
    scores[own.texts] = times * own.scores
    counted = fields(sections, weight_by_section)
    add_fields(scores, [(times, field_gain(own, counted, np.array(sections), k1))], np.array(sections), len(counted))
    return scores, rarity


def test_both_fields_add_up_before_the_saturation():
    scores, idf = with_fields([2.0, 0.0, 1.0, 0.0], [0, 0, 1, 1], {0: 0.5})
    expected = [idf * 2.5 / 3.4, idf * 0.5 / 1.4, idf * 1 / 1.9, 0.0]
    assert scores.tolist() == pytest.approx(expected, rel=1e-5)


def test_a_term_that_is_asked_twice_counts_twice():
    once, _ = with_fields([2.0, 0.0, 1.0], [0, 0, 1], {0: 0.5})
    twice, _ = with_fields([2.0, 0.0, 1.0], [0, 0, 1], {0: 0.5}, times=2)
    assert twice.tolist() == pytest.approx((2 * once).tolist(), rel=1e-5)


def test_without_saturation_one_occurrence_anywhere_counts_all():
    scores, idf = with_fields([2.0, 0.0, 0.0], [0, 0, 1], {0: 0.5}, k1=1e-12)
    assert scores.tolist() == pytest.approx([idf, idf, 0.0], abs=1e-5)


def test_a_term_in_no_field_has_the_score_of_the_text():
    scores, idf = with_fields([1.0, 0.0], [0, 1], {})
    assert scores.tolist() == pytest.approx([idf / 1.9, 0.0], rel=1e-6)


@given(
    st.lists(st.tuples(st.floats(0, 9), st.integers(0, 3)), min_size=1, max_size=10),
    st.dictionaries(st.integers(0, 3), st.floats(0, 10)),
)
def test_it_is_the_formula_text_by_text(texts, weights):
    occurrences, sections = [round(each, 3) for each, _ in texts], [section for _, section in texts]
    scores, idf = with_fields(occurrences, sections, weights)
    both = [each + weights.get(section, 0.0) for each, section in zip(occurrences, sections, strict=True)]
    assert scores.tolist() == pytest.approx([idf * each / (each + K1) for each in both], rel=1e-3, abs=1e-5)


def test_several_terms_add_up_as_each_does_alone():
    sections = np.array([0, 0, 1, 2])
    gains = [
        (times, field_gain(posting(occurrences, idf), np.array(counted), sections, K1))
        for times, occurrences, idf, counted in (
            (1, [2.0, 0.0, 1.0, 0.0], 0.7, [0.5, 0.0, 0.5]),
            (2, [1.0, 3.0, 0.0, 0.0], 1.1, [0.5, 0.0, 0.0]),
            (1, [0.0, 0.0, 0.0, 0.0], 2.2, [0.0, 0.5, 0.0]),
        )
    ]
    together, expected = np.zeros(4, np.float32), np.zeros(4, np.float32)
    add_fields(together, gains, sections, 3)
    for gain in gains:
        alone = np.zeros(4, np.float32)
        add_fields(alone, [gain], sections, 3)
        expected += alone
    assert together.tolist() == pytest.approx(expected.tolist(), rel=1e-6)
    # The third term is in no text but in a field of section 1: its text gets that alone.
    assert together[2] == pytest.approx(2.2 * 0.5 / 1.4, rel=1e-6)
