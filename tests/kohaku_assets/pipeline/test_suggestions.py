"""Suggested questions are tried on the index that is published, and hold back nothing whatever becomes of them."""

from kohaku_assets.components.indexes import open_own_index
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.run import Run
from kohaku_lib.errors import StoreError
from kohaku_lib.index import current_version
from kohaku_lib.project import open_engine
from kohaku_lib.suggestions.stored import stored_suggestions
from kohaku_lib.suggestions.trying import MOST_KEPT, tried_questions

INDEX_ALONE = "corpus.questions="


def test_the_index_is_published_before_a_question_is_tried(fresh):
    before = current_version(fresh().snapshots)
    project = fresh("lexical.k1=0.7", INDEX_ALONE)
    published = []

    def note(stage):
        if stage == "suggested_questions":
            published.append(current_version(project.snapshots))

    assert refresh(project, ["suggested_questions"], on_stage=note).failure is None
    snapshot = open_own_index(project)
    assert published == [snapshot.version] != [before]
    assert 1 <= len(stored_suggestions(snapshot, "default")) <= MOST_KEPT


def test_a_question_at_which_the_engine_fails_is_counted_and_the_others_are_kept(fresh):
    project, opened = fresh(), []
    snapshot = open_own_index(project)

    def engine_of(org_id):
        opened.append(org_id)
        if len(opened) == 1:
            raise ZeroDivisionError
        return open_engine(Run(project).session, snapshot)

    table, report = tried_questions(snapshot, engine_of)
    assert report.metrics == {"failed": 1.0}
    assert opened == ["default", "default"]
    assert 0 < table.num_rows < report.rows_computed


def test_without_an_engine_nothing_is_suggested(fresh):
    def engine_of(org_id):
        raise StoreError(org_id)

    table, report = tried_questions(open_own_index(fresh()), engine_of)
    assert (table.num_rows, report.metrics) == (0, {"failed": float(report.rows_computed)})
    assert report.rows_computed > 1
