"""The inverse document frequency of a term."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def idf(texts: int, holding: ArrayLike) -> np.ndarray:
    """Return the idf, float64, of terms contained in `holding` of `texts` texts: Lucene's ln(1 + (n − df + ½) / (df + ½)).

    >>> idf(8, [2, 8]).round(3).tolist()
    [1.281, 0.057]
    """
    df = np.asarray(holding)
    return np.log(1 + (texts - df + 0.5) / (df + 0.5))
