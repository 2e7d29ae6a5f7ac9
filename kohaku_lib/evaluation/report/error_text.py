"""The sentences and tables of an error report, for the page and for Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kohaku_lib.evaluation.abstention.threshold import Abstention
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS
from kohaku_lib.evaluation.report.confidence import ConfidenceAssessment
from kohaku_lib.evaluation.report.facts import ErrorFacts
from kohaku_lib.evaluation.statistics.intervals import few_documents

Rows = list[Sequence[str]]
LEVEL = 0.05  # p-values above it may be chance
SCORE_COLUMNS = ("metric", "n", "score", "95 % interval", "value", "references", "abstention")
MEMBER_COLUMNS = (
    "run",
    "n",
    "score",
    "95 % interval",
    "right",
    "right alone",
    "blank",
    "wrongly blank",
    "AURC",
    "US$",
)
SIGNAL_COLUMNS = ("signal", "n", "AURC", "95 % interval", "separation", "95 % interval", "Brier", "Brier, fitted")
KIND_COLUMNS = ("", "right", "n", "share", "95 % interval")
MEMBER_LEGEND = (
    "AURC: the mean share of wrong answers over all coverages, where the confidence of an answer is the number of other runs "
    "that give it. US$: the cost of the answers."
)
SIGNAL_LEGEND = (
    "AURC: the mean share of wrong answers over all coverages, the lower the better (Geifman & El-Yaniv 2017). "
    "Separation: how often a right answer has more confidence than a wrong one; 0.5 is chance. Brier: mean squared "
    "error as a probability, as stated and after fitting on the other nine tenths of the answers."
)


def score_rows_of(facts: ErrorFacts) -> Rows:
    """Return the rows of the headline scores, by metric."""
    return [
        (
            ANSWER_METRICS.get(report.metric).title,
            str(report.n),
            f"{report.score:.3f}",
            report.interval.text(),
            *(f"{part:.3f}" for part in (report.value, report.ref, report.na)),
        )
        for report in facts.scores
    ]


def score_warnings(facts: ErrorFacts) -> list[str]:
    """Return what to know about the intervals of the scores, if there is anything."""
    return list(filter(None, [few_documents(report.interval for report in facts.scores)]))


def member_rows(facts: ErrorFacts) -> Rows:
    """Return a row per run and one for their vote, best first; an unknown cost is "unknown"."""
    return [
        (
            member.label,
            str(member.scores.n),
            f"{member.scores.score:.3f}",
            member.scores.interval.text(),
            str(member.right),
            "" if member.unique is None else str(member.unique),
            str(member.blank),
            str(member.wrong_blank),
            "" if member.area is None else f"{member.area:.3f}",
            "unknown" if member.cost_usd is None else f"{member.cost_usd:.4g}",
        )
        for member in facts.members
    ]


def signal_rows(assessment: ConfidenceAssessment) -> Rows:
    """Return a row per signal of confidence."""
    return [
        (
            signal.name,
            str(signal.n),
            f"{signal.curve.area:.3f}",
            signal.curve.interval.text(),
            "" if signal.curve.separation is None else f"{signal.curve.separation:.2f}",
            signal.curve.separation_interval.text(2),
            "" if signal.brier is None else f"{signal.brier:.3f}",
            f"{signal.fitted_brier:.3f}",
        )
        for signal in assessment.signals
    ]


def kind_rows(facts: ErrorFacts) -> Rows:
    """Return a row per kind of answer, then per kind of evidence."""
    parts = (("answer", facts.by_kind), ("evidence", facts.by_evidence))
    return [
        (f"{what}: {share.label}", str(share.right), str(share.n), f"{share.share:.0%}", share.interval.text())
        for what, shares in parts
        for share in shares
    ]


def confidence_sentences(facts: ErrorFacts) -> Iterator[str]:
    """Yield sentences on the quality of the confidence, its monotonicity, and the effect of a threshold."""
    assessment = facts.confidence
    if assessment is None:
        yield "Too few answers, or all of equal confidence: the effect of leaving uncertain ones blank is unknown."
        return
    curve = assessment.main.curve
    answered, wrong = curve.points[-1].answered, curve.points[-1].wrong
    yield (
        f"{answered} of {assessment.questions} questions are answered, {wrong} of them wrongly ({curve.risk:.0%}). By the "
        f"{assessment.main.name} the mean risk over all coverages is {curve.area:.3f} ({curve.interval.text()}); the best "
        f"order would have {curve.best_area:.3f}, none {curve.risk:.3f}."
    )
    if curve.separation is None:
        yield "All answers are right, or all are wrong: no order is better than another."
        return
    yield _describe_separation(assessment, curve.separation)
    yield from _describe_monotonicity(assessment)
    yield _describe_threshold(facts, assessment)


def _describe_separation(assessment: ConfidenceAssessment, separation: float) -> str:
    interval = assessment.main.curve.separation_interval
    sentence = f"A right answer has a higher one than a wrong answer in {separation:.0%} of the pairs"
    unsure = interval.low is not None and interval.low <= 0.5
    ending = "; with so few answers this may be chance." if unsure else "."
    base = assessment.main.base_brier
    if assessment.main.brier is not None:
        verdict = "better" if assessment.main.brier < base else "no better"
        ending += f" As a probability it is {verdict} than the mean alone (Brier {assessment.main.brier:.3f} against {base:.3f})."
    return f"{sentence} ({interval.text(2)}){ending}"


def _describe_monotonicity(assessment: ConfidenceAssessment) -> Iterator[str]:
    pairs = list(zip(assessment.bins, assessment.bins[1:], strict=False))
    falls = [(low, high) for low, high in pairs if high.share.share < low.share.share]
    if not falls:
        yield "More confidence means more right answers throughout."
        return
    low, high = max(falls, key=lambda pair: min(pair[0].share.n, pair[1].share.n))
    yield (
        f"It does not rise with the share of right answers everywhere: at {low.confidence:.2f}, {low.share.right} of "
        f"{low.share.n} are right, at {high.confidence:.2f} {high.share.right} of {high.share.n}."
    )


def _describe_threshold(facts: ErrorFacts, assessment: ConfidenceAssessment) -> str:
    abstention = assessment.abstention
    price = f"Where a blank costs {abstention.blank_cost:g} of a wrong answer"
    if abstention.threshold == float("-inf"):
        return f"{price}, no answer is better left blank."
    has_bound = abstention.threshold != float("inf")
    if abstention.helps:
        below = f"answers below {abstention.threshold:.2f}" if has_bound else "all answers"
        advice = f"{below} are better left blank"
    else:
        bound = f"{abstention.threshold:.2f}" if has_bound else "above them all"
        advice = f"no threshold is advised: the best one for these answers, {bound}, does not help on other questions"
    effect = _describe_effect(abstention)
    if facts.blanked_score is None:
        return f"{price}, {advice}. {effect}"
    official = (
        f"The official score, which does not penalise wrong answers, would go from {facts.scores[0].score:.3f} to"
    )
    return f"{price}, {advice}. {effect} {official} {facts.blanked_score:.3f}."


def _describe_effect(abstention: Abstention) -> str:
    chance = ", with so few answers it may be chance" if abstention.helps and abstention.p_value > LEVEL else ""
    return (
        f"Cross-validated, so on questions that the threshold was not chosen on: {len(abstention.left_blank)} left blank, "
        f"{abstention.saved} of them in place of wrong answers and {abstention.lost} of right ones; the mean cost of an "
        f"answer goes from {abstention.cost_before:.3f} to {abstention.cost:.3f} (p {abstention.p_value:.2f}{chance})."
    )
