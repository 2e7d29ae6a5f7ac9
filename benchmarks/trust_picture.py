"""The picture of how far the outcomes of the trust benchmark can be trusted: reliability, and risk over coverage.

    python benchmarks/trust_picture.py docs/images/outcomes.png

The three seen parts are asked. Left: of each outcome, how many are right by their confidence. Right: how many of the answers
are wrong where only the surest are given, of values alone and of values and passages.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from trust import RIGHT, Judged, confidence_bins, index_part, judge
from trust_truth import read_asked

from kohaku_lib.answering.answer import Outcome
from kohaku_lib.evaluation.abstention.coverage_risk import risk_curve
from kohaku_lib.evaluation.report.picture import COLOURS, SERIES, Picture, percent_axis

PARTS = ("seen", "second_seen", "third_seen")
GIVEN = {"values": ("value",), "values and passages": ("value", "passage")}


def main() -> None:
    """Ask, and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", type=Path)
    options = parser.parse_args()
    judged = list(_judged())
    alt = "Right answers by confidence and outcome, and wrong answers over the share of questions answered."
    options.picture.write_bytes(Picture("outcomes", alt, (9.0, 3.8), lambda figure: _draw(figure, judged)).png())


def _judged() -> Iterator[Judged]:
    for part in PARTS:
        with tempfile.TemporaryDirectory() as folder:
            yield from judge(index_part(part, Path(folder)), [one for one in read_asked() if one.part == part])


def _draw(figure: Any, judged: Sequence[Judged]) -> None:
    left, right = figure.subplots(1, 2)
    left.plot([0, 1], [0, 1], color=COLOURS["dim"], linewidth=0.9, linestyle=(0, (1, 2)))
    for outcome, colour in zip(get_args(Outcome), SERIES, strict=False):
        bins = confidence_bins(judged, outcome)
        means = [sum(confidence for confidence, _ in pairs) / len(pairs) for pairs in bins]
        shares = [sum(is_right for _, is_right in pairs) / len(pairs) for pairs in bins]
        left.plot(means, shares, color=colour, linewidth=0.9, label=outcome)
        left.scatter(means, shares, s=[3 * len(pairs) for pairs in bins], color=colour, alpha=0.6, linewidth=0)
    left.set_xlabel("confidence")
    left.set_ylabel("right (area: answers)")
    for (label, outcomes), colour in zip(GIVEN.items(), SERIES, strict=False):
        given = [one for one in judged if one.answer.outcome in outcomes]
        rated = [one.answer.confidence or 0.0 for one in given]
        points = risk_curve(rated, [one.verdict in RIGHT for one in given], len(judged)).points
        right.plot([one.coverage for one in points], [one.risk for one in points], color=colour, label=label)
    right.set_xlabel(f"coverage: answered, of {len(judged)} questions")
    right.set_ylabel("risk: wrong among the answered")
    for axes in (left, right):
        axes.grid(visible=True)
        axes.legend()
        percent_axis(axes.yaxis)
    percent_axis(right.xaxis)


if __name__ == "__main__":
    main()
