"""Steps of the group evaluate: votes, scores, the error report, the submission, the published index, and its suggestions."""

from __future__ import annotations

import pyarrow as pa

from kohaku_assets.components.indexes import open_index
from kohaku_assets.pipeline.effect import Effect
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_inputs import Inputs, StageOutput
from kohaku_assets.records.error_reports import write_error_report
from kohaku_assets.records.release import record_release
from kohaku_lib.answering import Engine, is_accepted
from kohaku_lib.evaluation import build_submission, report_errors, score_answers, score_retrieval, vote, write_csv
from kohaku_lib.index import current_version, pinned, publish
from kohaku_lib.project import open_engine
from kohaku_lib.suggestions.stored import store_suggestions
from kohaku_lib.suggestions.trying import tried_questions
from kohaku_lib.tables import PUBLISHED_INDEX, StageReport


def ensemble_votes(run: Run, inputs: Inputs) -> StageOutput:
    """One answer per question from all runs, by majority of normalised values, with each run's vote."""
    return vote(inputs["predictions"], run.settings.ensemble)


def retrieval_scores(_run: Run, inputs: Inputs) -> StageOutput:
    """Document recall, MRR, nDCG and evidence recall per question; empty without truth."""
    return score_retrieval(inputs["retrieved_context"], inputs["questions"])


def scores(_run: Run, inputs: Inputs) -> StageOutput:
    """Value, reference and abstention scores per question by all three metrics; empty without truth."""
    return score_answers(inputs["questions"], inputs["ensemble_votes"], inputs["predictions"])


def error_report(_run: Run, inputs: Inputs) -> StageOutput:
    """The error class of each question and the stage where it was lost; also as error_report.html in the store."""
    return report_errors(inputs["questions"], inputs["ensemble_votes"], inputs["retrieved_context"])


def submission(_run: Run, inputs: Inputs) -> StageOutput:
    """The answers in the order and columns of the questions file, also as submission.csv in the store."""
    questions = inputs["questions"]
    asked = pa.array([not is_accepted(name) for name in questions["id"].to_pylist()], pa.bool_())
    return build_submission(inputs["ensemble_votes"], questions.filter(asked))


def published_index(_run: Run, inputs: Inputs) -> StageOutput:
    """The snapshot that 'kohaku ask' and 'kohaku search' read; the swap is atomic and can be rolled back."""
    version = inputs["vector_tables"]["index_version"][0].as_py()
    return pa.table({"index_version": [version]}, schema=PUBLISHED_INDEX), StageReport(rows_computed=1)


def suggested_questions(run: Run, inputs: Inputs) -> StageOutput:
    """Questions that the documents suggest and the built-in reader answers from them, some of each organisation."""
    by_reader = run.settings.by_reader()
    snapshot = open_index(run.project, inputs)

    def engine_of(org_id: str) -> Engine:
        corpus = by_reader.corpus.model_copy(update={"org_id": org_id})
        return open_engine(run.session.overlaid(by_reader.model_copy(update={"corpus": corpus})), snapshot)

    return tried_questions(snapshot, engine_of)


def write_report(run: Run, _table: pa.Table) -> Effect:
    """Write the error report into the store."""
    return Effect(shown=write_error_report(run.project))


def write_submission(run: Run, table: pa.Table) -> None:
    """Write the answers of `table` as submission.csv."""
    write_csv(table, run.project.submission, escape_formulas=run.settings.submission.escape_formulas)


def publish_index(run: Run, table: pa.Table) -> Effect:
    """Publish the index of `table`; report a problem instead if another version is pinned."""
    project, version = run.project, table["index_version"][0].as_py()
    current, is_pinned = current_version(project.snapshots), pinned(project.snapshots) is not None
    if is_pinned and current not in (None, version):
        project.prune_snapshots()
        unpin = "to publish it, run 'kohaku snapshots --unpin'"
        problem = f"{version} is not published, as {current} is pinned by a roll-back; {unpin}"
        return Effect(problem, shown={"published version": current})
    publish(project.snapshots, version)
    record_release(project, version)
    project.prune_snapshots()
    return Effect(shown={"published version": version})


def write_suggestions(run: Run, table: pa.Table) -> None:
    """Write the questions of `table` beside the index that answers them."""
    version = run.project.files.latest_table("vector_tables")["index_version"][0].as_py()
    store_suggestions(run.project.snapshots, version, table)
