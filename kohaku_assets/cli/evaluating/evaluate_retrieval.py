"""`kohaku evaluate-retrieval`: measure whether the right documents and quotes are found."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kohaku_assets.cli.shared.options import PATH, json_option, with_settings
from kohaku_assets.cli.shared.output import print_json, print_table, say
from kohaku_assets.cli.shared.verb import verb
from kohaku_lib.errors import InputFileError

if TYPE_CHECKING:
    import pyarrow as pa

    from kohaku_assets.pipeline.project import Project
    from kohaku_lib.evaluation import Judgement
    from kohaku_lib.evaluation.metrics.retrieval_summary import RetrievalFigure


ALL = "all"


@click.command("evaluate-retrieval")
@click.option("--truth", type=PATH, required=True, help="CSV with ref_id, BEIR folder, or qrels file.")
@click.option("--split", help="Split of a BEIR folder; default: test, else dev, else train.")
@click.option("--queries", type=PATH, help="Question texts for qrels; default: the queries.jsonl next to them.")
@click.option("--against", type=PATH, help="Earlier --json output of this command, to test the differences against.")
@verb("kohaku evaluate-retrieval --truth data/sample/questions.csv")
@json_option
@with_settings
def evaluate_retrieval_command(
    project: Project, truth: Path, split: str | None, queries: Path | None, against: Path | None, as_json: bool
) -> None:
    """Measure recall, MRR and nDCG of documents, and the share of the gold quotes in the contexts.

    Means are reported with 95 % bootstrap intervals by document, over all questions and per kind of evidence (quote,
    table, figure) if the truth names it. With --against an earlier output, the differences are tested by question,
    those about one document together.
    """
    from kohaku_assets.operations.question_files import evaluate_retrieval
    from kohaku_lib.evaluation import compare_scores, read_judgements
    from kohaku_lib.evaluation.statistics.intervals import few_documents

    earlier = None if against is None else _read_scores(against)
    judgements = read_judgements(truth, split, queries)
    scores, report = evaluate_retrieval(project, judgements)
    differences = [] if earlier is None else compare_scores(earlier, scores)
    for problem in report.problems:
        say(problem)
    figures = _figures_by_evidence(scores, judgements)
    if as_json:
        metrics = {
            evidence: {one.metric: {"mean": one.mean, "n": one.n, **asdict(one.interval)} for one in own}
            for evidence, own in figures.items()
        }
        result = {"questions": len(judgements), "metrics": metrics.pop(ALL), "by_evidence": metrics}
        compared = [asdict(difference) for difference in differences]
        print_json(result | {"differences": compared, "scores": scores.to_pylist()})
        return
    rows = [
        (figure.metric, evidence, figure.n, figure.mean, figure.interval.text(4))
        for evidence, own in figures.items()
        for figure in own
    ]
    print_table(f"{len(judgements)} questions", ("metric", "evidence", "n", "mean", "95 % interval"), rows)
    if differences:
        _print_differences(differences, against)
    if warning := few_documents(one.interval for one in (*figures[ALL], *differences)):
        say(warning)


def _figures_by_evidence(scores: pa.Table, judgements: list[Judgement]) -> dict[str, list[RetrievalFigure]]:
    """Return the figures over all questions and over those of each kind of evidence."""
    from kohaku_lib.evaluation import summarise

    kinds = dict.fromkeys(kind for judgement in judgements for kind in judgement.kinds)
    ids = {kind: [judgement.id for judgement in judgements if kind in judgement.kinds] for kind in kinds}
    return {evidence: summarise(scores, question_ids) for evidence, question_ids in ({ALL: None} | ids).items()}


def _read_scores(path: Path) -> pa.Table:
    import pyarrow as pa

    from kohaku_lib.tables import RETRIEVAL_SCORES

    try:
        return pa.Table.from_pylist(json.loads(path.read_text(encoding="utf-8"))["scores"], schema=RETRIEVAL_SCORES)
    except (ValueError, KeyError, TypeError, pa.ArrowException) as error:
        msg = f"{str(path)!r} is not --json output of evaluate-retrieval; give such a file with --against"
        raise InputFileError(msg) from error


def _print_differences(differences: list[Any], against: Path | None) -> None:
    columns = ("metric", "n", "first", "second", "difference", "95 % interval", "p", "p (Holm)", "detectable")
    rows = [
        (*(getattr(d, name) for name in columns[:5]), d.interval.text(4, signed=True), d.p_value, d.holm, d.detectable)
        for d in differences
    ]
    print_table(f"against {against}", columns, rows)
