"""The error report as one page, as Markdown, and as a summary for the Dagster UI."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from urllib.parse import urlsplit

from markupsafe import Markup

from kohaku_lib.evaluation.error_classes import ERROR_CLASSES, RIGHT
from kohaku_lib.evaluation.report import error_text as text
from kohaku_lib.evaluation.report.confidence_pictures import calibration_picture, risk_picture
from kohaku_lib.evaluation.report.error_pictures import (
    agreement_picture,
    class_picture,
    cost_picture,
    habit_picture,
    kind_picture,
    ranking_picture,
)
from kohaku_lib.evaluation.report.facts import ErrorFacts
from kohaku_lib.evaluation.report.page import (
    figure,
    legend,
    markdown_table,
    markdown_text,
    paragraph,
    part,
    render_page,
    section,
    table,
)
from kohaku_lib.evaluation.report.picture import clipped
from kohaku_lib.evaluation.report.wrong import AnswerCitation, ContextEvidence, WrongQuestion

_LONGEST_QUOTE = 400
_MAPPED_RUNS = 24  # more are no longer legible


def error_page(facts: ErrorFacts, title: str = "Error report") -> str:
    """Return the report as one self-contained HTML file without scripts, with light and dark theme, printable."""
    sections = [_headline_tiles(facts), _score_section(facts), _class_section(facts), _kind_section(facts)]
    if len(facts.labels) > 1:
        sections.append(_run_section(facts))
    sections += [_confidence_section(facts), _wrong_section(facts)]
    return render_page(title, _report_subtitle(facts), sections)


def error_markdown(facts: ErrorFacts, title: str = "Error report") -> str:
    """Return the report as Markdown, its pictures as tables."""
    classes = [(name, ERROR_CLASSES.get(name, ""), str(count)) for name, count in facts.classes.items()]
    parts = [
        f"# {markdown_text(title)}",
        markdown_text(_report_subtitle(facts)),
        markdown_table(text.SCORE_COLUMNS, text.score_rows_of(facts)),
        *text.score_warnings(facts),
        "## Error classes",
        markdown_table(("class", "meaning", "questions"), classes, numeric=2),
        "## By kind",
        markdown_table(text.KIND_COLUMNS, text.kind_rows(facts)),
        "## Runs",
        markdown_table(text.MEMBER_COLUMNS, text.member_rows(facts)),
        markdown_text(text.MEMBER_LEGEND),
        "## Confidence of the answers",
        *map(markdown_text, text.confidence_sentences(facts)),
    ]
    if facts.confidence and facts.confidence.is_informative:
        parts += [
            markdown_table(text.SIGNAL_COLUMNS, text.signal_rows(facts.confidence)),
            markdown_text(text.SIGNAL_LEGEND),
        ]
    parts += ["## Wrong questions", markdown_table(_WRONG_COLUMNS, map(_wrong_row, facts.wrong), numeric=9)]
    return "\n\n".join(parts) + "\n"


def error_preview(facts: ErrorFacts) -> str:
    """Return the summary as Markdown: scores, error classes, the effect of a threshold; pictures are data URIs."""
    pictures = [class_picture(facts)] if facts.wrong else []
    if facts.confidence and facts.confidence.is_informative:
        pictures.append(risk_picture(facts.confidence))
    images = [f"![{markdown_text(one.alt)}]({one.data_uri()})" for one in pictures]
    sentences = map(markdown_text, text.confidence_sentences(facts))
    return "\n\n".join([markdown_table(text.SCORE_COLUMNS, text.score_rows_of(facts)), *images, *sentences]) + "\n"


_WRONG_COLUMNS = ("id", "question", "class", "true", "answered", "true references", "cited", "error")


def _wrong_row(question: WrongQuestion) -> tuple[str, ...]:
    refs = ", ".join(question.truth_refs), ", ".join(question.refs)
    return (
        question.id,
        question.question,
        question.error_class,
        question.truth_value,
        question.answer_value,
        *refs,
        question.detail,
    )


def _report_subtitle(facts: ErrorFacts) -> str:
    runs = len(facts.labels)
    whose = f"the vote of {runs} runs" if runs > 1 else facts.headline
    return f"{facts.questions} questions with known answers, answered by {whose}."


def _headline_tiles(facts: ErrorFacts) -> Markup:
    official = facts.scores[0]
    tiles = [
        (f"{official.score:.3f}", f"official score, 95 % {official.interval.text()}"),
        (f"{facts.classes[RIGHT]} of {facts.questions}", "right, value and references"),
        (str(len(facts.wrong)), "wrong, listed below"),
    ]
    if facts.confidence and facts.confidence.is_informative:
        tiles.append(
            (
                f"{facts.confidence.main.curve.area:.3f}",
                f"AURC; a random order has {facts.confidence.main.curve.risk:.3f}",
            )
        )
    return part("tiles", tiles)


def _score_section(facts: ErrorFacts) -> Markup:
    unscored = facts.questions - facts.scores[0].n
    notes = [f"{unscored} questions have no answer row and are not scored."] if unscored else []
    notes += text.score_warnings(facts)
    return section("Scores", table(text.SCORE_COLUMNS, text.score_rows_of(facts)), *map(paragraph, notes))


def _class_section(facts: ErrorFacts) -> Markup:
    rows = [(name, ERROR_CLASSES[name], str(count)) for name, count in facts.classes.items() if name != RIGHT and count]
    unknown = "The contexts are not known, so no error is attributed to the retrieval."
    note = Markup() if facts.knows_contexts else paragraph(unknown)
    picture = figure(class_picture(facts), "Each wrong question counts once, in the first class that applies.")
    return section(
        "Error classes",
        picture,
        note,
        table(("class", "meaning", "questions"), rows, numeric=2) if rows else Markup(),
    )


def _kind_section(facts: ErrorFacts) -> Markup:
    caption = "A question whose evidence is of several kinds counts for each. Lines: 95 % intervals by Wilson."
    return section("By kind of answer and of evidence", figure(kind_picture(facts), caption))


def _run_section(facts: ErrorFacts) -> Markup:
    parts = [
        figure(
            ranking_picture(facts),
            "Runs whose intervals overlap widely may be equal; kohaku compare tests pairs of runs.",
        ),
        table(text.MEMBER_COLUMNS, text.member_rows(facts)),
        legend(text.MEMBER_LEGEND),
        figure(
            habit_picture(facts),
            "Left: questions that no other run has right. Right: blanks, in percent of all questions.",
        ),
    ]
    if len(facts.labels) <= _MAPPED_RUNS:
        parts.append(
            figure(agreement_picture(facts), "Percent of the questions that two runs answer equally, blanks included.")
        )
    cost = cost_picture(facts.members)
    unknown = "Fewer than two runs have a known cost, so there is no picture of cost and score."
    parts.append(figure(cost, "Lines: 95 % intervals.") if cost else paragraph(unknown))
    return section("Runs", *parts)


def _confidence_section(facts: ErrorFacts) -> Markup:
    sentences = map(paragraph, text.confidence_sentences(facts))
    assessment = facts.confidence
    if assessment is None or not assessment.is_informative:
        return section("Confidence of the answers", *sentences)
    caption = "Answers are added from the most confident on. Grey: the risk that no order avoids at that coverage."
    calibration_caption = "Right answers among those of similar confidence."
    return section(
        "Confidence of the answers",
        *sentences,
        figure(risk_picture(assessment), caption),
        figure(calibration_picture(assessment), calibration_caption),
        table(text.SIGNAL_COLUMNS, text.signal_rows(assessment)),
        legend(text.SIGNAL_LEGEND),
    )


def _wrong_section(facts: ErrorFacts) -> Markup:
    if not facts.wrong:
        return section("Wrong questions", paragraph("None."))
    return section("Wrong questions", part("wrong_questions", map(_template_entry, facts.wrong)))


def _template_entry(question: WrongQuestion) -> dict[str, Any]:
    """Return a wrong question with the additional fields for the template."""
    return {
        "wrong": question,
        "gold_quote": clipped(question.gold_quote, _LONGEST_QUOTE) if question.gold_quote else "",
        "citations": [
            (_with_link(citation), clipped(citation.quote, _LONGEST_QUOTE) if citation.quote else "")
            for citation in question.citations
        ],
        "context": "" if question.evidence is None else _context_sentence(question.evidence),
    }


def _with_link(citation: AnswerCitation) -> dict[str, Any]:
    """Return the citation with its link, which is empty unless its address is an http(s) URL."""
    try:
        is_web = urlsplit(citation.url).scheme in {"http", "https"} and " " not in citation.url
    except ValueError:
        is_web = False
    page = f"#page={citation.page}" if citation.page and "#" not in citation.url else ""
    return asdict(citation) | {"link": citation.url + page if is_web else ""}


def _context_sentence(evidence: ContextEvidence) -> str:
    if not evidence.snippets:
        return "The context was empty."
    rank = "not found" if evidence.found_at is None else f"found as document {evidence.found_at}"
    place = (
        "in no snippet" if evidence.shown_at is None else f"first in snippet {evidence.shown_at} of {evidence.snippets}"
    )
    share = "" if evidence.quote_share is None else f"; {evidence.quote_share:.0%} of the true quote is in the context"
    return f"Context: the true document was {rank}, {place}{share}."
