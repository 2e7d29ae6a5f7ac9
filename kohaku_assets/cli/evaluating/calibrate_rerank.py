"""`kohaku calibrate-rerank`: record what relevant snippets score, by a file of true answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.options import PATH, with_settings
from kohaku_assets.cli.shared.output import print_table, say
from kohaku_assets.cli.shared.verb import verb
from kohaku_lib.errors import InputFileError

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("calibrate-rerank")
@click.option("--truth", type=PATH, required=True, help="CSV with ref_id, BEIR folder, or qrels file.")
@click.option("--split", help="Split of a BEIR folder; default: test, else dev, else train.")
@click.option("--out", type=PATH, required=True, help="JSON to write, for rerank.conformal.")
@verb(
    "kohaku calibrate-rerank --truth data/sample/questions.csv --out calibration.json --set rerank.kind=local "
    "--set rerank.local_model=models/reranker"
)
@with_settings
def calibrate_rerank_command(project: Project, truth: Path, split: str | None, out: Path) -> None:
    """Write the scores of snippets with gold quotes under the configured reranker.

    With rerank.conformal set to that file, snippets are dropped that score below the rerank.conformal_error quantile of
    these scores. If the truth has no quotes, the best snippet of each relevant document is used. Entries of other
    rerankers in the file are preserved.
    """
    from kohaku_assets.operations.question_files import rerank_calibration
    from kohaku_lib.evaluation import read_judgements
    from kohaku_lib.retrieval.refine.score_thresholds import conformal_threshold
    from kohaku_lib.retrieval.rerank import write_calibration

    scores, report = rerank_calibration(project, read_judgements(truth, split))
    for problem in report.problems:
        say(problem)
    if not any(scores.values()):
        msg = f"no snippet known to be relevant to a question of {str(truth)!r} was reranked; set rerank.kind or another --truth"
        raise InputFileError(msg)
    write_calibration(out, scores)
    error = project.settings.rerank.conformal_error
    rows = [(name, len(own), f"{conformal_threshold(own, error):.4f}") for name, own in scores.items()]
    print_table("Calibration", ("reranker", "relevant snippets", f"minimum score at error {error:g}"), rows)
