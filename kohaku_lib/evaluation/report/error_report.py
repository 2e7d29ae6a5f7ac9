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
from kohaku_lib.evaluation.report.wrong import Cited, ContextEvidence, WrongQuestion

_LONGEST_QUOTE = 400
_MAPPED_RUNS = 24  # more are no longer legible


def error_page(facts: ErrorFacts, title: str = "Error report") -> str:
    """Return the report as one self-contained HTML file without scripts, with light and dark theme, printable."""
    sections = [_tiles(facts), _scores(facts), _classes(facts), _kinds(facts)]
    if len(facts.labels) > 1:
        sections.append(_runs(facts))
    sections += [_confidence(facts), _wrong(facts)]
    return render_page(title, _subtitle(facts), sections)


def error_markdown(facts: ErrorFacts, title: str = "Error report") -> str:
    """Return the report as Markdown, its pictures as tables."""
    classes = [(name, ERROR_CLASSES.get(name, ""), str(count)) for name, count in facts.classes.items()]
    parts = [
        f"# {markdown_text(title)}",
        markdown_text(_subtitle(facts)),
        markdown_table(text.SCORE_COLUMNS, text.score_rows_of(facts)),
        "## What went wrong",
        markdown_table(("class", "meaning", "questions"), classes, numeric=2),
        "## By kind",
        markdown_table(text.KIND_COLUMNS, text.kind_rows(facts)),
        "## Runs",
        markdown_table(text.MEMBER_COLUMNS, text.member_rows(facts)),
        markdown_text(text.MEMBER_LEGEND),
        "## How sure the answers are",
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


_WRONG_COLUMNS = ("id", "question", "class", "true", "answered", "true references", "cited", "what is wrong")


def _wrong_row(one: WrongQuestion) -> tuple[str, ...]:
    refs = ", ".join(one.truth_refs), ", ".join(one.refs)
    return (one.id, one.question, one.error_class, one.truth_value, one.answer_value, *refs, one.detail)


def _subtitle(facts: ErrorFacts) -> str:
    runs = len(facts.labels)
    whose = f"the vote of {runs} runs" if runs > 1 else facts.headline
    return f"{facts.asked} questions with known answers, answered by {whose}."


def _tiles(facts: ErrorFacts) -> Markup:
    official = facts.scores[0]
    tiles = [
        (f"{official.score:.3f}", f"official score, 95 % {official.interval.text()}"),
        (f"{facts.classes[RIGHT]} of {facts.asked}", "right, value and references"),
        (str(len(facts.wrong)), "wrong, listed below"),
    ]
    if facts.confidence and facts.confidence.is_informative:
        tiles.append(
            (
                f"{facts.confidence.main.curve.area:.3f}",
                f"AURC, where no order gives {facts.confidence.main.curve.risk:.3f}",
            )
        )
    return part("tiles", tiles)


def _scores(facts: ErrorFacts) -> Markup:
    note = (
        ""
        if facts.scores[0].n == facts.asked
        else f"{facts.asked - facts.scores[0].n} questions have no answer row and are not scored."
    )
    return section("Scores", table(text.SCORE_COLUMNS, text.score_rows_of(facts)), *([paragraph(note)] if note else []))


def _classes(facts: ErrorFacts) -> Markup:
    rows = [(name, ERROR_CLASSES[name], str(count)) for name, count in facts.classes.items() if name != RIGHT and count]
    unknown = "The contexts are not known, so nothing is traced back to the retrieval."
    note = Markup() if facts.knows_contexts else paragraph(unknown)
    drawn = figure(class_picture(facts), "Each wrong question counts once, where it was lost first.")
    return section(
        "What went wrong", drawn, note, table(("class", "meaning", "questions"), rows, numeric=2) if rows else Markup()
    )


def _kinds(facts: ErrorFacts) -> Markup:
    caption = "A question whose evidence is of several kinds counts for each. Lines: 95 % intervals by Wilson."
    return section("By kind of answer and of evidence", figure(kind_picture(facts), caption))


def _runs(facts: ErrorFacts) -> Markup:
    parts = [
        figure(
            ranking_picture(facts), "Runs whose intervals overlap widely may well be equal: kohaku compare tests pairs."
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
    unknown = "What the answers cost is unknown for all runs but one at most, so cost is not set against score."
    parts.append(figure(cost, "Lines: 95 % intervals.") if cost else paragraph(unknown))
    return section("Runs", *parts)


def _confidence(facts: ErrorFacts) -> Markup:
    sentences = map(paragraph, text.confidence_sentences(facts))
    assessed = facts.confidence
    if assessed is None or not assessed.is_informative:
        return section("How sure the answers are", *sentences)
    caption = "Questions are answered from the surest on. Grey: wrong answers that no order avoids at that coverage."
    said = "Right of all answers at about that confidence."
    return section(
        "How sure the answers are",
        *sentences,
        figure(risk_picture(assessed), caption),
        figure(calibration_picture(assessed), said),
        table(text.SIGNAL_COLUMNS, text.signal_rows(assessed)),
        legend(text.SIGNAL_LEGEND),
    )


def _wrong(facts: ErrorFacts) -> Markup:
    if not facts.wrong:
        return section("Wrong questions", paragraph("None."))
    return section("Wrong questions", part("wrong_questions", map(_entry, facts.wrong)))


def _entry(one: WrongQuestion) -> dict[str, Any]:
    """Return a wrong question with the additional fields for the template."""
    return {
        "wrong": one,
        "gold_quote": clipped(one.gold_quote, _LONGEST_QUOTE) if one.gold_quote else "",
        "cited": [(_linked(cited), clipped(cited.quote, _LONGEST_QUOTE) if cited.quote else "") for cited in one.cited],
        "context": "" if one.held is None else _context_sentence(one.held),
    }


def _linked(cited: Cited) -> dict[str, Any]:
    """Return the citation with its link, which is empty unless its address is an http(s) URL."""
    try:
        is_web = urlsplit(cited.url).scheme in {"http", "https"} and " " not in cited.url
    except ValueError:
        is_web = False
    page = f"#page={cited.page}" if cited.page and "#" not in cited.url else ""
    return asdict(cited) | {"link": cited.url + page if is_web else ""}


def _context_sentence(held: ContextEvidence) -> str:
    if not held.snippets:
        return "The context held nothing."
    found = "not found" if held.found_at is None else f"found as document {held.found_at}"
    shown = "in no snippet" if held.shown_at is None else f"first in snippet {held.shown_at} of {held.snippets}"
    share = "" if held.quote_share is None else f"; {held.quote_share:.0%} of the true quote is in the context"
    return f"Context: the true document was {found}, {shown}{share}."
