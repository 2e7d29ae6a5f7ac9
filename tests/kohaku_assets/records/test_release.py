"""The release gate: an index whose scores fell stays unpublished, everything else is brought up to date."""

import dagster as dg
import pyarrow.parquet as pq
import pytest
from stage_refresh import refresh_stages

from kohaku_assets.components.dagster_instance import dagster_instance
from kohaku_assets.operations.publishing import change_publication
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.records.publication import pin_notice, released_version
from kohaku_lib.errors import StoreError
from kohaku_lib.index import current_version, pinned

INDEX_ALONE = "corpus.questions="


def without_its_best_documents(project):
    for name in ("kohaku-energy-report.pdf", "model-card.md", "amber-guide.md"):
        (project.settings.corpus.documents / name).unlink()


def test_an_index_that_finds_less_is_held_back_until_the_gate_is_opened(fresh):
    project = fresh()
    published = current_version(project.snapshots)
    without_its_best_documents(project)
    report = refresh(project)
    assert report.failure is not None
    assert "not_worse_than_published" in report.failure
    assert "in the published index 1.000" in report.failure
    assert "publish all the same with release.gate = false" in report.failure
    assert current_version(project.snapshots) == published
    assert {"error_report", "submission"} <= set(report.outcomes)
    assert "suggested_questions" not in report.outcomes
    assert refresh_stages(fresh(), ["published_index"]).failure is not None  # it does not wear off
    opened = fresh("release.gate=false")
    assert refresh_stages(opened, ["published_index"]).failure is None
    assert current_version(opened.snapshots) != published
    assert refresh_stages(fresh(), ["published_index"]).failure is None  # what is published now is the measure


def test_after_a_roll_back_no_scores_are_known_and_nothing_is_held_back(fresh):
    project = fresh()
    path = project.store / "release_scores.parquet"
    assert path.is_file()
    (project.snapshots / "current").write_text("0000000000000000\n", encoding="utf-8")
    without_its_best_documents(project)
    assert refresh_stages(project, ["published_index"]).failure is None


def test_scores_of_another_organisation_hold_nothing_back(fresh):
    project = fresh()
    without_its_best_documents(project)
    path = project.store / "release_scores.parquet"
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({**table.schema.metadata, b"org_id": b"another"}), path)
    assert refresh_stages(project, ["published_index"]).failure is None


def test_a_roll_back_holds_through_refreshes_until_it_is_unpinned_and_says_so(fresh):
    first = current_version(fresh().snapshots)
    other = ("lexical.k1=0.7", INDEX_ALONE)
    assert refresh_stages(fresh(*other), ["published_index"]).failure is None
    second = current_version(fresh().snapshots)
    assert change_publication(fresh()) == first
    project = fresh("lexical.k1=1.1", INDEX_ALONE)
    report = refresh(project, ["published_index"])
    assert report.failure is None
    third = released_version(project)
    assert third not in (first, second)
    assert report.outcomes["published_index"].problems == (
        f"{third} is not published, as {first} is pinned by a roll-back; to publish it, run 'kohaku snapshots --unpin'",
    )
    assert current_version(project.snapshots) == first
    [check] = pin_checks(project)
    assert not check.passed
    assert check.description == pin_notice(project)
    assert f"version {first}, which is pinned since 20" in check.description
    assert check.description.endswith(f"until 'kohaku snapshots --unpin', which publishes {third}")
    assert change_publication(project, unpin=True) == third
    assert (current_version(project.snapshots), pin_notice(project)) == (third, None)
    [check] = pin_checks(project)
    assert check.passed
    with pytest.raises(StoreError, match=f"no index version is pinned; {third} is published"):
        change_publication(project, unpin=True)
    change_publication(project, second)  # an older one, by name
    assert pinned(project.snapshots)
    change_publication(project, third)
    assert pinned(project.snapshots) is None


def pin_checks(project):
    """The latest evaluation of the check that the newest index is published."""
    key = dg.AssetCheckKey(dg.AssetKey("published_index"), "newest_is_published")
    with dagster_instance(project) as instance:
        records = instance.event_log_storage.get_asset_check_execution_history(key, limit=1)
        return [record.event.dagster_event.asset_check_evaluation_data for record in records]
