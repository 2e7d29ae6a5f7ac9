"""The error report as one page and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from urllib.parse import urlsplit

from kohaku_lib.evaluation.errors import ERROR_CLASSES, RIGHT
from kohaku_lib.evaluation.report import error_text as text
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
    markdown_table,
    markdown_text,
    paragraph,
    render_page,
    section,
    table,
)
from kohaku_lib.evaluation.report.picture import clipped
from kohaku_lib.evaluation.report.sureness_pictures import calibration_picture, risk_picture
from kohaku_lib.evaluation.report.wrong import Cited, Held, WrongQuestion

_LONGEST_QUOTE = 400
_MAPPED_RUNS = 24  # more are no longer legible


def error_page(facts: ErrorFacts, title: str = "Error report") -> str:
    """Return the report as one HTML file: no script, no network, in light and dark, fit to print."""
    sections = [_tiles(facts), _scores(facts), _classes(facts), _kinds(facts)]
    if len(facts.labels) > 1:
        sections.append(_runs(facts))
    sections += [_sureness(facts), _wrong(facts)]
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
        *map(markdown_text, text.sureness_sentences(facts)),
    ]
    if facts.sureness and facts.sureness.is_telling:
        parts += [
            markdown_table(text.SIGNAL_COLUMNS, text.signal_rows(facts.sureness)),
            markdown_text(text.SIGNAL_LEGEND),
        ]
    parts += ["## Wrong questions", markdown_table(_WRONG_COLUMNS, map(_wrong_row, facts.wrong), numeric=9)]
    return "\n\n".join(parts) + "\n"


_WRONG_COLUMNS = ("id", "question", "class", "true", "answered", "true references", "cited", "what is amiss")


def _wrong_row(one: WrongQuestion) -> tuple[str, ...]:
    refs = ", ".join(one.truth_refs), ", ".join(one.refs)
    return (one.id, one.question, one.error_class, one.truth_value, one.answer_value, *refs, one.detail)


def _subtitle(facts: ErrorFacts) -> str:
    runs = len(facts.labels)
    whose = f"the vote of {runs} runs" if runs > 1 else facts.headline
    return f"{facts.asked} questions with known answers, answered by {whose}."


def _tiles(facts: ErrorFacts) -> str:
    official = facts.scores[0]
    tiles = [
        (f"{official.score:.3f}", f"official score, 95 % {text.bounds(official.interval)}"),
        (f"{facts.classes[RIGHT]} of {facts.asked}", "right, value and references"),
        (str(len(facts.wrong)), "wrong, listed below"),
    ]
    if facts.sureness and facts.sureness.is_telling:
        tiles.append(
            (
                f"{facts.sureness.main.curve.area:.3f}",
                f"AURC, where no order gives {facts.sureness.main.curve.risk:.3f}",
            )
        )
    inner = "".join(
        f'<div class="tile"><b>{escape(big)}</b><small>{escape(small)}</small></div>' for big, small in tiles
    )
    return f'<div class="tiles">{inner}</div>'


def _scores(facts: ErrorFacts) -> str:
    note = (
        ""
        if facts.scores[0].n == facts.asked
        else f"{facts.asked - facts.scores[0].n} questions have no answer row and are not scored."
    )
    return section("Scores", table(text.SCORE_COLUMNS, text.score_rows_of(facts)), paragraph(note) if note else "")


def _classes(facts: ErrorFacts) -> str:
    rows = [(name, ERROR_CLASSES[name], str(count)) for name, count in facts.classes.items() if name != RIGHT and count]
    note = (
        ""
        if facts.knows_contexts
        else paragraph("The contexts are not known, so nothing is traced back to the retrieval.")
    )
    drawn = figure(class_picture(facts), "Each wrong question counts once, where it was lost first.")
    return section(
        "What went wrong", drawn, note, table(("class", "meaning", "questions"), rows, numeric=2) if rows else ""
    )


def _kinds(facts: ErrorFacts) -> str:
    caption = "A question whose evidence is of several kinds counts for each. Lines: 95 % intervals by Wilson."
    return section("By kind of answer and of evidence", figure(kind_picture(facts), caption))


def _runs(facts: ErrorFacts) -> str:
    parts = [
        figure(
            ranking_picture(facts), "Runs whose intervals overlap widely may well be equal: kohaku compare tests pairs."
        ),
        table(text.MEMBER_COLUMNS, text.member_rows(facts)),
        f'<p class="dim">{escape(text.MEMBER_LEGEND)}</p>',
        figure(
            habit_picture(facts),
            "Left: questions that no other run has right. Right: blanks, in percent of all questions.",
        ),
    ]
    if len(facts.labels) <= _MAPPED_RUNS:
        parts.append(
            figure(agreement_picture(facts), "Percent of the questions that two runs answer alike, blanks included.")
        )
    cost = cost_picture(facts.members)
    unknown = "What the answers cost is unknown for all runs but one at most, so cost is not set against score."
    parts.append(figure(cost, "Lines: 95 % intervals.") if cost else paragraph(unknown))
    return section("Runs", *parts)


def _sureness(facts: ErrorFacts) -> str:
    sentences = map(paragraph, text.sureness_sentences(facts))
    sure = facts.sureness
    if sure is None or not sure.is_telling:
        return section("How sure the answers are", *sentences)
    caption = "Questions are answered from the surest on. Grey: wrong answers that no order avoids at that coverage."
    said = "Right of all answers at about that confidence."
    return section(
        "How sure the answers are",
        *sentences,
        figure(risk_picture(sure), caption),
        figure(calibration_picture(sure), said),
        table(text.SIGNAL_COLUMNS, text.signal_rows(sure)),
        f'<p class="dim">{escape(text.SIGNAL_LEGEND)}</p>',
    )


def _wrong(facts: ErrorFacts) -> str:
    if not facts.wrong:
        return section("Wrong questions", paragraph("None."))
    head = "".join(f"<th>{escape(name)}</th>" for name in ("id", "question", "true", "answered", "class"))
    rows = "\n".join(_entry(one) for one in facts.wrong)
    return section(
        "Wrong questions",
        f'<div class="wide"><table class="wrong"><thead><tr>{head}</tr></thead>\n{rows}\n</table></div>',
    )


def _entry(one: WrongQuestion) -> str:
    unit = f" <small>{escape(one.unit)}</small>" if one.unit else ""
    sure = "" if one.probability is None else f"<br><small>confidence {one.probability:.2f}</small>"
    true, said = (
        f'<span class="value">{escape(value)}</span>{unit}<br><small>{escape(", ".join(refs) or "no reference")}</small>'
        for value, refs in ((one.truth_value, one.truth_refs), (one.answer_value, one.refs))
    )
    cells = (
        escape(one.id),
        escape(one.question),
        true,
        said + sure,
        f'<span class="tag">{escape(one.error_class)}</span>',
    )
    more = "".join(f"<div>{line}</div>" for line in _lines(one))
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    return (
        f'<tbody id="{escape(one.id)}"><tr>{row}</tr><tr class="more"><td></td><td colspan="4">{more}</td></tr></tbody>'
    )


def _lines(one: WrongQuestion) -> Iterator[str]:
    if one.detail:
        yield escape(one.detail)
    if one.gold_quote:
        yield f"True evidence:<blockquote>{escape(clipped(one.gold_quote, _LONGEST_QUOTE))}</blockquote>"
    for cited in one.cited:
        yield _citation(cited)
    if one.held is not None:
        yield _holding(one.held) if one.truth_refs else "No answer exists, so no document could hold it."
    if one.right_members:
        yield f"Right in {len(one.right_members)} runs: {escape(', '.join(one.right_members))}."


def _citation(cited: Cited) -> str:
    page = "" if cited.page is None else f", page {cited.page}"
    place = f"{_linked(cited)}{page}"
    checked = {True: " (found there word for word)", False: " (not found there)", None: ""}[cited.verified]
    quote = f"<blockquote>{escape(clipped(cited.quote, _LONGEST_QUOTE))}</blockquote>" if cited.quote else ""
    return f"Cited: {place}{checked}{':' if quote else ''}{quote}"


def _linked(cited: Cited) -> str:
    """The document's name, as a link where its address is one of the web and can be nothing else."""
    try:
        is_web = urlsplit(cited.url).scheme in {"http", "https"} and " " not in cited.url
    except ValueError:
        is_web = False
    if not is_web:
        return escape(cited.document_id)
    page = f"#page={cited.page}" if cited.page and "#" not in cited.url else ""
    return f'<a rel="noreferrer noopener" href="{escape(cited.url + page)}">{escape(cited.document_id)}</a>'


def _holding(held: Held) -> str:
    if not held.snippets:
        return "The context held nothing."
    found = "not found" if held.found_at is None else f"found as document {held.found_at}"
    shown = "in no snippet" if held.shown_at is None else f"first in snippet {held.shown_at} of {held.snippets}"
    share = "" if held.quote_share is None else f"; {held.quote_share:.0%} of the true quote stands in the context"
    page = "" if held.page is None else f", page {held.page}"
    snippet = (
        f"Nearest: {escape(held.document_id)}{page}:<blockquote>{escape(held.text)}</blockquote>" if held.text else ""
    )
    return f"Context: the true document was {found}, {shown}{share}. {snippet}"
