import numpy as np
import pytest

from kohaku_lib.index.bm25.idf import idf


def test_the_idf_is_that_of_lucene():
    assert idf(8, 2) == pytest.approx(np.log(1 + 6.5 / 2.5))
    assert idf(5, 5) == pytest.approx(np.log(1 + 0.5 / 5.5))


def test_the_idf_of_many_terms_is_that_of_each():
    assert idf(5, np.array([0, 1, 5])) == pytest.approx([np.log(12), np.log(4), np.log(12 / 11)])
