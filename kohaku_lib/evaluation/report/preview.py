"""The summary of an error report as Markdown with embedded pictures, for the Dagster UI."""

from __future__ import annotations

from kohaku_lib.evaluation.report import error_text as text
from kohaku_lib.evaluation.report.confidence_pictures import risk_picture
from kohaku_lib.evaluation.report.error_pictures import class_picture
from kohaku_lib.evaluation.report.facts import ErrorFacts
from kohaku_lib.evaluation.report.page import markdown_table, markdown_text


def error_preview(facts: ErrorFacts) -> str:
    """Return scores, error classes and the effect of an abstention threshold; pictures as data URIs."""
    pictures = [class_picture(facts)] if facts.wrong else []
    if facts.confidence and facts.confidence.is_informative:
        pictures.append(risk_picture(facts.confidence))
    images = [f"![{markdown_text(one.alt)}]({one.data_uri()})" for one in pictures]
    sentences = map(markdown_text, text.confidence_sentences(facts))
    return "\n\n".join([markdown_table(text.SCORE_COLUMNS, text.score_rows_of(facts)), *images, *sentences]) + "\n"
