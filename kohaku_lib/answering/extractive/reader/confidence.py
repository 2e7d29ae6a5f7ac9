"""The probability that a candidate of the reader is right, fitted on documents that it was not trained on."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from kohaku_lib.answering.extractive.reader.candidates import Candidate
from kohaku_lib.answering.extractive.reader.model import WEIGHTS

Weights = Mapping[str, Mapping[str, float]]  # by place and feature


def probability(candidate: Candidate, weights: Weights) -> float:
    """Return the logistic function of the weighted features of a candidate of its place, "bias" added."""
    own = weights[candidate.place]
    total = sum(weight * (1.0 if name == "bias" else candidate.features[name]) for name, weight in own.items())
    return 1.0 / (1.0 + math.exp(-total))


@cache
def load_weights(model: Path = WEIGHTS) -> Weights:
    """Return the weight of each feature, as benchmarks/fit_reader.py writes them beside the model."""
    return json.loads(model.with_suffix(".json").read_text("utf-8"))
