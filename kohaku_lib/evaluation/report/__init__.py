"""HTML and Markdown reports: error analysis, confidence, and sweeps."""

from kohaku_lib.evaluation.report.error_report import error_markdown, error_page, error_preview
from kohaku_lib.evaluation.report.facts import Answers, ErrorFacts, gather_facts
from kohaku_lib.evaluation.report.recorded import recorded_answers
from kohaku_lib.evaluation.report.sweep_page import sweep_markdown, sweep_page
from kohaku_lib.evaluation.report.sweep_picture import sweep_picture

__all__ = [
    "Answers",
    "ErrorFacts",
    "error_markdown",
    "error_page",
    "error_preview",
    "gather_facts",
    "recorded_answers",
    "sweep_markdown",
    "sweep_page",
    "sweep_picture",
]
