"""Assets of the group evaluate: votes, scores, the error report, the submission, and the published index."""

from __future__ import annotations

from functools import partial
from typing import Any

import dagster as dg
import pyarrow as pa

from kohaku_assets.error_reports import write_error_report
from kohaku_assets.project import Project
from kohaku_assets.release import remember_release
from kohaku_assets.resources import AssetMaker
from kohaku_assets.stage_inputs import Inputs, StageOutput
from kohaku_lib.evaluation import (
    build_submission,
    report_errors,
    score_answers,
    score_retrieval,
    vote,
    write_csv,
)
from kohaku_lib.index import publish, withdrawn
from kohaku_lib.tables import PUBLISHED_INDEX, StageReport


def evaluate_assets(make: AssetMaker) -> list[dg.AssetsDefinition]:
    """Return the assets of the group, bound to the project of `make`."""
    project, settings = make.project, make.settings

    @make.asset("ensemble_votes")
    def ensemble_votes(inputs: Inputs) -> StageOutput:
        """One answer per question from all runs, by majority of normalised values, with who voted what."""
        return vote(inputs["predictions"], settings.ensemble)

    @make.asset("retrieval_scores")
    def retrieval_scores(inputs: Inputs) -> StageOutput:
        """Document recall, MRR, nDCG and evidence recall per question; empty without truth."""
        return score_retrieval(inputs["retrieved_context"], inputs["questions"])

    @make.asset("scores")
    def scores(inputs: Inputs) -> StageOutput:
        """Value, reference and abstention scores per question by all three metrics; empty without truth."""
        return score_answers(inputs["questions"], inputs["ensemble_votes"], inputs["predictions"])

    shown: dict[str, Any] = {}

    def write_report(_table: pa.Table) -> None:
        shown.clear()
        shown.update(write_error_report(project))

    @make.asset("error_report", kinds={"html", "parquet"}, effect=write_report, shown=lambda: shown)
    def error_report(inputs: Inputs) -> StageOutput:
        """What went wrong per question and where it was lost; also as error_report.html in the store, with pictures."""
        return report_errors(inputs["questions"], inputs["ensemble_votes"], inputs["retrieved_context"])

    def write_answers(table: pa.Table) -> None:
        write_csv(table, project.submission, escape_formulas=settings.submission.escape_formulas)

    @make.asset("submission", kinds={"csv", "parquet"}, effect=write_answers)
    def submission(inputs: Inputs) -> StageOutput:
        """The answers in the order and columns of the questions file, also as submission.csv in the store."""
        return build_submission(inputs["ensemble_votes"], inputs["questions"])

    @make.asset("published_index", kinds={"duckdb"}, effect=partial(_publish, project))
    def published_index(inputs: Inputs) -> StageOutput:
        """The snapshot that 'kohaku ask' and 'kohaku search' read; swapped in one step, rolled back in another."""
        version = inputs["vector_tables"]["index_version"][0].as_py()
        return pa.table({"index_version": [version]}, schema=PUBLISHED_INDEX), StageReport(rows_computed=1)

    return [ensemble_votes, retrieval_scores, scores, error_report, submission, published_index]


def _publish(project: Project, table: pa.Table) -> str | None:
    """Publish the index of `table`, unless it was rolled back from: then return one sentence that says so."""
    version = table["index_version"][0].as_py()
    if version in withdrawn(project.snapshots):
        return f"{version} was rolled back from and is not published again; 'kohaku snapshots --publish {version}' does"
    publish(project.snapshots, version)
    remember_release(project, version)
    project.prune_snapshots()
    return None
