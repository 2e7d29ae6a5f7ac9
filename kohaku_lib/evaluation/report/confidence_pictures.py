"""The pictures of an error report on the confidence of answers."""

from __future__ import annotations

from typing import Any

from kohaku_lib.evaluation.abstention.coverage_risk import RiskCurve
from kohaku_lib.evaluation.report.confidence import COMBINED, ConfidenceAssessment
from kohaku_lib.evaluation.report.picture import COLOURS, DASHES, SERIES, Picture, percent_axis

_WIDTH = 7.2
_LINES = 2


def risk_picture(assessment: ConfidenceAssessment) -> Picture:
    """Return the coverage-risk curves of the best signals, with those of the oracle and of a random order."""
    informative = [one for one in assessment.signals[1:] if one.name != COMBINED and one.curve.area < one.curve.risk]
    signals = [assessment.main, *sorted(informative, key=lambda one: one.curve.area)[: _LINES - 1]]

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        whole = assessment.main.curve.points[-1]
        axes.plot([0, whole.coverage], [whole.risk] * 2, color=COLOURS["dim"], linewidth=0.9, linestyle=(0, (1, 2)))
        axes.annotate(
            "random order",
            (0, whole.risk),
            xytext=(4, 3),
            textcoords="offset points",
            fontsize=8,
            color=COLOURS["dim"],
        )
        oracle = _oracle_curve(assessment.main.curve, assessment.questions)
        axes.fill_between(*oracle, color=COLOURS["rule"], linewidth=0)
        point = (whole.coverage, 0.0)
        style = {"xytext": (-4, 5), "textcoords": "offset points", "ha": "right"}
        axes.annotate("oracle order", point, fontsize=8, color=COLOURS["dim"], **style)
        for signal, colour, dashes in zip(signals, SERIES, DASHES, strict=False):
            points = signal.curve.points
            label = f"{signal.name} (AURC {signal.curve.area:.3f})"
            xs, ys = [point.coverage for point in points], [point.risk for point in points]
            axes.plot([0, *xs], [ys[0], *ys], color=colour, linestyle=dashes, linewidth=1.7, label=label)
        _mark_threshold(axes, assessment)
        axes.set_xlim(0, 1.0)
        axes.set_ylim(0, max(0.12, 1.25 * max(point.risk for one in signals for point in one.curve.points)))
        for axis in (axes.xaxis, axes.yaxis):
            percent_axis(axis)
        axes.grid(visible=True)
        axes.set_xlabel(f"coverage: questions answered, of {assessment.questions}")
        axes.set_ylabel("risk: wrong among the answered")
        figure.legend(loc="outside upper left", ncols=1)

    areas = ", ".join(f"{one.name} {one.curve.area:.3f}" for one in signals)
    return Picture("risk", f"Coverage and risk; area under the curve: {areas}.", (_WIDTH, 4.3), draw)


def calibration_picture(assessment: ConfidenceAssessment) -> Picture:
    """Return the share of right answers over their confidence, with intervals and the number of answers."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], color=COLOURS["dim"], linewidth=0.9, linestyle=(0, (1, 2)))
        axes.annotate(
            "perfect calibration",
            (0.04, 0.04),
            xytext=(6, -2),
            textcoords="offset points",
            fontsize=8,
            color=COLOURS["dim"],
        )
        xs = [one.confidence for one in assessment.bins]
        axes.plot(xs, [one.share.share for one in assessment.bins], color=COLOURS["blue"], linewidth=0.9, alpha=0.5)
        for one in assessment.bins:
            interval = one.share.interval
            axes.plot(
                [one.confidence] * 2, [interval.low, interval.high], color=COLOURS["blue"], linewidth=1.6, alpha=0.6
            )
            axes.plot(one.confidence, one.share.share, marker="o", markersize=5.5, color=COLOURS["blue"])
        for one, drop in zip(assessment.bins, _label_drops(xs), strict=True):
            text = f"{one.share.right}/{one.share.n}"
            point = (one.confidence, one.share.interval.low or 0.0)
            axes.annotate(text, point, xytext=(0, -11 - 10 * drop), textcoords="offset points", ha="center", fontsize=8)
        axes.set_xlim(0, 1.03)
        axes.set_ylim(-0.08, 1.05)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1.0])
        for axis in (axes.xaxis, axes.yaxis):
            percent_axis(axis)
        axes.grid(visible=True)
        axes.set_xlabel(assessment.main.name)
        axes.set_ylabel("right answers, 95 % interval")

    counts = ", ".join(f"{one.confidence:.2f}: {one.share.right} of {one.share.n}" for one in assessment.bins)
    return Picture("calibration", f"Right answers by confidence: {counts}.", (_WIDTH, 3.5), draw)


def _mark_threshold(axes: Any, assessment: ConfidenceAssessment) -> None:
    threshold = assessment.abstention.threshold
    answered_ids = [name for name, chance in assessment.probabilities.items() if chance >= threshold]
    if not assessment.abstention.helps or not answered_ids or len(answered_ids) == len(assessment.probabilities):
        return
    points = assessment.main.curve.points
    point = min(points, key=lambda one: abs(one.answered - len(answered_ids)))
    text = f"blank below {threshold:.2f} (a blank costs {assessment.abstention.blank_cost:g} of a wrong answer)"
    axes.plot(
        point.coverage, point.risk, linestyle="", marker="o", markersize=7, color=COLOURS["blue"], zorder=5, label=text
    )


def _oracle_curve(curve: RiskCurve, questions: int) -> tuple[list[float], list[float]]:
    """Return the curve of the oracle order, which puts every wrong answer last."""
    whole = curve.points[-1]
    right = whole.answered - whole.wrong
    counts = [0, *range(max(right, 1), whole.answered + 1)]
    return [count / questions for count in counts], [max(0, count - right) / max(count, 1) for count in counts]


def _label_drops(xs: list[float]) -> list[int]:
    """Return by how many lines each label is lowered to avoid overlapping the previous one."""
    drops: list[int] = []
    for place, x in enumerate(xs):
        drops.append(drops[-1] + 1 if place and x - xs[place - 1] < 0.045 else 0)
    return drops
