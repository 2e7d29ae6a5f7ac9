"""When the vectors of a converted or rounded model count as those of its original."""

import numpy as np
import pytest

from kohaku_lib.embedding.encoders.probes import LEAST_COSINE, LEAST_MEAN_COSINE, PROBES, are_accurate


@pytest.mark.parametrize(
    ("cosines", "accurate"),
    [
        ([1.0, 1.0], True),
        ([LEAST_MEAN_COSINE] * 4, True),
        ([0.9998] * 4, False),  # no outlier, but the mean is too low
        ([1.0] * 199 + [LEAST_COSINE], True),  # the mean is 0.99995
        ([1.0] * 199 + [0.9899], False),  # the mean is high enough, one cosine is not
        ([1.0, float("nan")], False),
    ],
)
def test_every_cosine_and_their_mean_must_be_high_enough(cosines, accurate):
    assert are_accurate(np.array(cosines)) is accurate


def test_the_probes_are_distinct_and_cover_scripts_and_lengths():
    assert len(set(PROBES)) == len(PROBES)
    assert any(not probe.isascii() for probe in PROBES)
    assert min(map(len, PROBES)) < 10
    assert max(map(len, PROBES)) > 1000
