"""Every run says what it changed: to the caller, as the asset change_report, and as a tag of the run."""

import dagster as dg

from kohaku_assets.assets.change_report import CHANGES_TAG
from kohaku_assets.components.dagster_instance import dagster_instance
from kohaku_assets.operations.refresh import refresh


def reported(project):
    """The summary of the latest change_report and the tag of the run that made it."""
    with dagster_instance(project) as instance:
        event = instance.get_latest_materialization_event(dg.AssetKey("change_report")).asset_materialization
        run = instance.get_run_by_id(event.metadata["run"].value)
        assert " → " not in event.metadata["changes"].value.partition("answers: ")[2]
        return event.metadata["summary"].value, run.tags[CHANGES_TAG]


def test_the_first_run_has_nothing_to_compare_with(built):
    project, report = built
    assert report.changes is None
    assert reported(project) == ("the first state of this project",) * 2


def test_a_refresh_reports_documents_scores_and_flipped_answers(fresh, kohaku_checked):
    project = fresh("release.gate=false")
    folder = project.settings.corpus.documents
    (folder / "new.txt").write_text("New\n\nA page about resin.\n")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    (folder / "machine-room-log.txt").write_text("Another text.\n")
    (folder / "model-card.md").unlink()
    output = kohaku_checked("refresh", settings=["release.gate=false"]).stderr
    assert "(the documents)" in output
    assert "documents: 2 added, 1 changed, 1 removed, 1 failed" in output
    assert "  changed: machine-room-log\n" in output
    assert "  removed: model-card\n" in output
    assert "\n  broken.pdf is damaged beyond repair or is not a PDF\n" in output
    assert "failed: broken" not in output
    assert "document_recall@5: 1.000 → " in output
    assert ", 95 % interval " in output
    [flips] = [line for line in output.splitlines() if line.endswith(" flipped")]
    assert int(flips.split()[1]) > 0
    summary, tag = reported(project)
    assert summary == tag
    assert summary.startswith("documents: 2 added, 1 changed, 1 removed, 1 failed; wattbot ")
    again = refresh(fresh("release.gate=false"))
    assert (again.outcomes, again.changes) == ({}, None)
