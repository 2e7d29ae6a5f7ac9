"""The verb that calibrates a reranker: calibrate-rerank."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kohaku_assets.cli.shared.common import PATH, print_table, say, verb, with_settings
from kohaku_lib.errors import InputFileError

if TYPE_CHECKING:
    from kohaku_assets.pipeline.project import Project


@click.command("calibrate-rerank")
@click.option("--truth", type=PATH, required=True, help="CSV with ref_id, BEIR folder, or file of qrels.")
@click.option("--split", help="Split of a BEIR folder; test, else dev, else train by default.")
@click.option("--out", type=PATH, required=True, help="JSON to write, for rerank.conformal.")
@verb(
    "kohaku calibrate-rerank --truth data/sample/questions.csv --out calibration.json --set rerank.kind=local "
    "--set rerank.local_model=models/reranker"
)
@with_settings
def calibrate_rerank_command(project: Project, truth: Path, split: str | None, out: Path) -> None:
    """Write what snippets that hold the gold quotes score with the reranker of the settings.

    With rerank.conformal = that file, snippets are dropped that score less than all but rerank.conformal_error of
    these. Where the truth has no quotes, the best snippet of each relevant document counts. What the file says of
    other rerankers stays.
    """
    from kohaku_assets.operations.asking import rerank_calibration
    from kohaku_lib.evaluation import read_judgements
    from kohaku_lib.retrieval.refine.safety import conformal_threshold
    from kohaku_lib.retrieval.rerank import write_calibration

    scores, report = rerank_calibration(project, read_judgements(truth, split))
    for problem in report.problems:
        say(problem)
    if not any(scores.values()):
        msg = (
            f"no snippet known to be relevant to a question of {str(truth)!r} was reranked; set rerank.kind, or a truth"
        )
        raise InputFileError(msg)
    write_calibration(out, scores)
    error = project.settings.rerank.conformal_error
    rows = [(name, len(own), f"{conformal_threshold(own, error):.4f}") for name, own in scores.items()]
    print_table("Calibration", ("reranker", "relevant snippets", f"least score at error {error:g}"), rows)
