"""`kohaku compare`: compare answers with others, or show why one changed."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import PATH, KindOption, json_option, with_settings
from kohaku_assets.cli.shared.output import emit, print_json, print_table, say
from kohaku_assets.cli.shared.verb import verb
from kohaku_lib.errors import InputFileError
from kohaku_lib.evaluation.metrics.answers.interface import ANSWER_METRICS

if TYPE_CHECKING:
    from kohaku_assets.operations.comparison_sources import ComparisonSource
    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.evaluation import RunComparison


COLUMNS = ("metric", "part", "n", "first", "second", "difference", "95 % interval", "p", "detectable")


@click.command("compare")
@click.argument("first")
@click.argument("others", metavar="SECOND...", nargs=-1, required=True)
@click.option("--truth", type=PATH, help="CSV with the true answers; corpus.questions by default.")
@click.option("--metric", type=KindOption(ANSWER_METRICS, "all"), default="wattbot", show_default=True)
@click.option(
    "--at",
    "sizes",
    type=click.IntRange(min=2),
    multiple=True,
    help="Also report the detectable difference for this number of questions; repeatable.",
)
@click.option("--question", metavar="ID", help="Show what differs upstream of the answer to this question.")
@verb(
    "kohaku answer --questions data/sample/questions.csv --out run.csv --runs 2\n"
    "      kohaku compare run.1.csv run.2.csv --truth data/sample/questions.csv --at 282"
)
@json_option
@with_settings
def compare_command(
    project: Project,
    first: str,
    others: tuple[str, ...],
    truth: Path | None,
    question: str | None,
    as_json: bool,
    **how: Any,
) -> None:
    """Compare each SECOND with FIRST, question by question.

    Each is a CSV file of answers, a bundle, "now", "before" or another state of 'kohaku history', the version of an
    index, or a cell SWEEP/LINE/X. Prints the differences with their paired bootstrap intervals and permutation
    p-values, both by document, the questions that flipped, and the minimum detectable difference for this number of
    questions (and for those in --at). With several SECONDs the p-values of the scores are Holm-corrected. With
    --question, prints the settings, code, documents, plan, context, prompt, replies, answers and vote that differ for
    that question.
    """
    from kohaku_assets.operations.comparison_sources import open_source
    from kohaku_lib.evaluation import read_rows

    path = truth or project.settings.corpus.questions
    if question is not None:
        labelled = read_rows(path, ["id"]) if path else []
        sources = [open_source(project, name, labelled) for name in (first, *others)]
        _print_changes(project, question, sources, as_json)
        return
    if path is None:
        msg = "comparing runs requires true answers, but there are none; give a CSV file with --truth or in corpus.questions."
        raise InputFileError(msg)
    sources = [open_source(project, name) for name in (first, *others)]
    _compare_all(sources, read_rows(path, ["id"]), as_json, **how)


def _print_changes(project: Project, question: str, sources: list[ComparisonSource], as_json: bool) -> None:
    from kohaku_assets.cli.shared.change_printing import print_changes
    from kohaku_assets.operations.comparison_sources import called_prompts
    from kohaku_lib.evaluation import compare_traces, trace_question

    prompts = called_prompts(project, question)
    traces = [trace_question(question, source.tables, prompts) for source in sources]
    if not any(trace.vote or trace.question_row for trace in traces):
        msg = f"neither source has a question {question!r}; use an id of the questions file"
        raise InputFileError(msg)
    changes = [compare_traces(traces[0], trace) for trace in traces[1:]]
    if as_json:
        print_json(
            [
                {"first": sources[0].name, "second": source.name, **asdict(one)}
                for source, one in zip(sources[1:], changes, strict=True)
            ]
        )
        return
    for source, one in zip(sources[1:], changes, strict=True):
        print_changes(one, (sources[0].name, source.name))


def _compare_all(
    sources: list[ComparisonSource], labelled: Any, as_json: bool, metric: str, sizes: tuple[int, ...]
) -> None:
    from kohaku_lib.evaluation import compare_runs, holm_by_metric

    metrics: Any = ANSWER_METRICS.names() if metric == "all" else (metric,)
    first, *others = sources
    comparisons = [compare_runs(labelled, first.rows, source.rows, metrics, sizes=sizes) for source in others]
    triples = list(zip(others, comparisons, holm_by_metric(comparisons), strict=True))
    if as_json:
        print_json([{"first": first.name, "second": s.name, "holm": holm, **asdict(c)} for s, c, holm in triples])
        return
    for source, comparison, holm in triples:
        _print_comparison(f"{source.name} against {first.name}", comparison)
        if len(others) > 1:
            emit("p of the score, Holm-corrected: " + ", ".join(f"{m} {p:.4f}" for m, p in holm.items()))


def _print_comparison(title: str, comparison: RunComparison) -> None:
    from kohaku_lib.evaluation.statistics.intervals import few_documents

    rows = [
        (*(getattr(d, name) for name in COLUMNS[:6]), d.interval.text(4, signed=True), d.p_value, d.detectable)
        for d in comparison.differences
    ]
    print_table(title, COLUMNS, rows)
    if warning := few_documents(d.interval for d in comparison.differences):
        say(warning)
    for d in comparison.differences:
        if d.part == "score" and d.detectable_at:
            sizes_shown = ", ".join(f"{size} questions {least:.3f}" for size, least in d.detectable_at.items())
            emit(f"minimum detectable difference of the {d.metric} score (power 0.8): {sizes_shown}")
    flips = [
        (flip.id, flip.metric, flip.first_value, flip.second_value, flip.second_score - flip.first_score)
        for flip in comparison.flips
    ]
    if flips:
        print_table("flipped", ("id", "metric", "first", "second", "gain"), flips)
    if comparison.unpaired:
        say(f"answered by only one of them, skipped: {', '.join(comparison.unpaired)}")
