"""`kohaku ask`: answer one question from the published index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import click

from kohaku_assets.cli.shared.options import filter_options, json_option, with_settings
from kohaku_assets.cli.shared.output import emit, print_json, say
from kohaku_assets.cli.shared.pin_notice import say_if_pinned
from kohaku_assets.cli.shared.spinner import Spinner
from kohaku_assets.cli.shared.terminal import one_line
from kohaku_assets.cli.shared.verb import verb
from kohaku_lib.text.table_rows import without_bars

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.answering.citing.quotes import Citation


@click.command("ask")
@click.argument("question")
@click.option("--unit", help="Unit of the answer.")
@filter_options
@verb('kohaku ask "How much electricity did the whole workshop use in 2023?" --unit kWh')
@json_option
@with_settings
def ask_command(project: Project, question: str, unit: str | None, as_json: bool, **only: Any) -> None:
    """Answer QUESTION from the published index, citing documents, pages and quotes."""
    from kohaku_assets.cli.shared.explaining import say_failed_channels, say_passage
    from kohaku_assets.components.preflight import open_checked
    from kohaku_assets.pipeline.changed_files import changed_files
    from kohaku_lib.answering.answer import COMES_CLOSEST, OTHERWISE
    from kohaku_lib.project.open_index import check_not_empty

    check_not_empty(question, "question", "ask")
    with Spinner(hidden=as_json) as spinner:
        opened = open_checked(project)
        on_passage = None if as_json else spinner.behind(say_passage)
        answer = opened.ask(question, unit, **only, on_passage=on_passage)
    say_if_pinned(project)
    if number := changed_files(project):
        files = "1 file has" if number == 1 else f"{number} files have"
        say(f"{files} changed since the documents were read; 'kohaku refresh' reads them")
    if answer.error:
        say(f"the answer is incomplete: {answer.error}")
    say_failed_channels(answer.lost_channels)
    if answer.warning:
        say(answer.warning)
    if as_json:
        print_json(answer.as_json())
        return
    mark = "" if answer.outcome == "silent" else "**"
    passages = [f"  {_place(one.document_id, one.heading, one.page)} {one.with_marks(mark)}" for one in answer.passages]
    if answer.outcome == "value":
        found_by = answer.trace.source_found_by
        mark = f" (source found by the {found_by})" if found_by else ""
        shown = [answer.text, *(f"  {_citation_line(citation)}{mark}" for citation in answer.citations)]
        others = [f"{other.text} [{', '.join(other.document_ids)}]" for other in answer.other_values]
        shown += [f"  {OTHERWISE} {'; '.join(others)}"] if others else []
    else:
        shown = [COMES_CLOSEST, passages[0]] if answer.outcome == "passage" else [answer.text]
    emit("\n".join(shown))
    confidence = "" if answer.outcome == "silent" else f"; confidence {confidence_in_words(answer.confidence)}"
    emit(f"  answered by {answer.answered_by}{confidence}")
    for line in passages if answer.outcome != "passage" else ():
        say(line)


def confidence_in_words(confidence: float | None) -> str:
    """Return a confidence as a word with its number.

    >>> [confidence_in_words(confidence) for confidence in (0.797, 0.6, 0.2, None)]
    ['high (0.80)', 'medium (0.60)', 'low (0.20)', 'unknown']
    """
    from kohaku_lib.answering.confidence import confidence_level

    if confidence is None:
        return "unknown"
    return f"{confidence_level(confidence)} ({confidence:.2f})"


def _citation_line(citation: Citation) -> str:
    place, quote = _place(citation.document_id, citation.heading, citation.page), citation.quote
    if quote is None:
        return place
    mark = "" if citation.quote_found else "(not found in the document) "
    return f"{place} {mark}{one_line(without_bars(quote))}{_support_note(citation)}"


def _place(document_id: str, heading: str, page: int | None) -> str:
    parts = (one_line(unquote(document_id)), one_line(heading), f"page {page}" if page else "")
    return f"[{', '.join(filter(None, parts))}]"


def _support_note(citation: Citation) -> str:
    if citation.converted_from:
        return f" (converted from {one_line(citation.converted_from)})"
    return " (the quote does not state the value)" if citation.supports_value is False else ""
