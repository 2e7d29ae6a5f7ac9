"""The sentences and tables of an error report, for the page and for Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kohaku_lib.evaluation.report.confidence import ConfidenceAssessment
from kohaku_lib.evaluation.report.facts import ErrorFacts
from kohaku_lib.kinds import ANSWER_METRICS

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
    "AURC: the mean share of wrong answers over all coverages, where an answer is the surer, the more of the other runs "
    "give it. US$: what the answers cost."
)
SIGNAL_LEGEND = (
    "AURC: the mean share of wrong answers over all coverages, the lower the better (Geifman & El-Yaniv 2017). "
    "Separation: how often a right answer has more confidence than a wrong one; 0.5 says nothing. Brier: mean squared "
    "error as a probability, as stated and after fitting on the other nine tenths of the answers."
)


def score_rows_of(facts: ErrorFacts) -> Rows:
    """Return the rows of the headline scores, by metric."""
    return [
        (
            ANSWER_METRICS.get(one.metric).title,
            str(one.n),
            f"{one.score:.3f}",
            one.interval.text(),
            *(f"{part:.3f}" for part in (one.value, one.ref, one.na)),
        )
        for one in facts.scores
    ]


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


def signal_rows(assessed: ConfidenceAssessment) -> Rows:
    """Return a row per signal of confidence."""
    return [
        (
            one.name,
            str(one.n),
            f"{one.curve.area:.3f}",
            one.curve.interval.text(),
            "" if one.curve.separation is None else f"{one.curve.separation:.2f}",
            one.curve.separation_interval.text(2),
            "" if one.brier is None else f"{one.brier:.3f}",
            f"{one.fitted_brier:.3f}",
        )
        for one in assessed.signals
    ]


def kind_rows(facts: ErrorFacts) -> Rows:
    """Return a row per kind of answer, then per kind of evidence."""
    parts = (("asked for", facts.by_kind), ("evidence", facts.by_evidence))
    return [
        (f"{what}: {one.label}", str(one.right), str(one.n), f"{one.share:.0%}", one.interval.text())
        for what, found in parts
        for one in found
    ]


def confidence_sentences(facts: ErrorFacts) -> Iterator[str]:
    """Yield sentences on the quality of the confidence, its monotonicity, and the effect of a threshold."""
    assessed = facts.confidence
    if assessed is None:
        yield "Too few answers, or all of equal confidence: nothing can be said about leaving unsure ones blank."
        return
    curve = assessed.main.curve
    answered, wrong = curve.points[-1].answered, curve.points[-1].wrong
    yield (
        f"{answered} of {assessed.asked} questions are answered, {wrong} of them wrongly ({curve.risk:.0%}). By the "
        f"{assessed.main.name} the mean risk over all coverages is {curve.area:.3f} ({curve.interval.text()}); the best "
        f"order would have {curve.best_area:.3f}, none {curve.risk:.3f}."
    )
    if curve.separation is None:
        yield "All answers are right, or all are wrong: no order is better than another."
        return
    yield _worth(assessed, curve.separation)
    yield from _falls(assessed)
    yield _effect(facts, assessed)


def _worth(assessed: ConfidenceAssessment, separation: float) -> str:
    interval = assessed.main.curve.separation_interval
    sentence = f"A right answer has more of it than a wrong one in {separation:.0%} of the pairs"
    unsure = interval.low is not None and interval.low <= 0.5
    end = "; with so few answers this may be chance." if unsure else "."
    base = assessed.main.base_brier
    if assessed.main.brier is not None:
        verdict = "better" if assessed.main.brier < base else "no better"
        end += f" As a probability it is {verdict} than the mean alone (Brier {assessed.main.brier:.3f} against {base:.3f})."
    return f"{sentence} ({interval.text(2)}){end}"


def _falls(assessed: ConfidenceAssessment) -> Iterator[str]:
    pairs = list(zip(assessed.bins, assessed.bins[1:], strict=False))
    falls = [(low, high) for low, high in pairs if high.share.share < low.share.share]
    if not falls:
        yield "More confidence means more right answers throughout."
        return
    low, high = max(falls, key=lambda pair: min(pair[0].share.n, pair[1].share.n))
    yield (
        f"It does not rise with the share of right answers everywhere: at {low.confidence:.2f}, {low.share.right} of "
        f"{low.share.n} are right, at {high.confidence:.2f} {high.share.right} of {high.share.n}."
    )


def _effect(facts: ErrorFacts, assessed: ConfidenceAssessment) -> str:
    found = assessed.abstention
    price = f"Where a blank costs {found.blank_cost:g} of a wrong answer"
    if found.threshold == float("-inf"):
        return f"{price}, no answer is better left blank."
    has_bound = found.threshold != float("inf")
    advice = f"{f'answers below {found.threshold:.2f}' if has_bound else 'all answers'} are better left blank"
    if not found.helps:
        bound = f"{found.threshold:.2f}" if has_bound else "above them all"
        advice = f"no threshold can be advised: that of these answers, {bound}, does not carry over"
    judged = (
        f"Judged on questions that had no say in the threshold: {len(found.left_blank)} left blank, {found.saved} of them "
        f"in place of wrong answers and {found.lost} of right ones; the mean cost of an answer goes from "
        f"{found.cost_before:.3f} to {found.cost:.3f} (p {found.p_value:.2f}"
        f"{', with so few answers it may be chance' if found.helps and found.p_value > LEVEL else ''})."
    )
    if facts.blanked_score is None:
        return f"{price}, {advice}. {judged}"
    official = f"The official score, which forgives wrong answers, would go from {facts.scores[0].score:.3f} to"
    return f"{price}, {advice}. {judged} {official} {facts.blanked_score:.3f}."
