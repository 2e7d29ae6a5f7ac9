"""Probe texts for comparing a converted or rounded model with its original, and how close their vectors must be."""

from __future__ import annotations

import numpy as np

LEAST_COSINE, LEAST_MEAN_COSINE = 0.99, 0.9999
PROBES = (
    "Yes.",
    "A cat sleeps on the mat.",
    "The machine room used 18,250 kWh in 2023, 4.3 % less than the year before.",
    "CO2e emissions rose from 1.2 to 3.4 tonnes (see Table 2).",
    "Müller et al. (2021) fanden keinen Unterschied zwischen beiden Gruppen.",
    "Les résultats montrent une baisse de la consommation d'électricité.",
    "モデルの学習には多くの電力が必要です。",
    "| Model | Parameters | Energy |",
    "GPT-3 has 175 billion parameters and was trained on V100 GPUs.",
    "def add(a: int, b: int) -> int: return a + b",
    "!!! ??? ...",
    "In contrast to earlier work, which measured only the final training run, we account for every experiment that "
    "led to it, the storage of intermediate results, and the power that the data centre spends on cooling.",
    " ".join(f"Sentence number {number} adds a few more words to a long paragraph." for number in range(1, 31)),
)


def are_accurate(cosines: np.ndarray) -> bool:
    """Return whether the cosines of probe vectors with the original ones are all at least 0.99, their mean 0.9999.

    >>> are_accurate(np.full(13, 0.99995)), are_accurate(np.array([1.0] * 12 + [0.98]))
    (True, False)
    """
    return bool(cosines.min() >= LEAST_COSINE and cosines.mean() >= LEAST_MEAN_COSINE)
