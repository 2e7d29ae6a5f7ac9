"""The release gate: an index whose scores fell stays unpublished, everything else is brought up to date."""

import pytest

from kohaku_assets.operations.refresh import refresh
from kohaku_lib.index import current_version, roll_back

pytestmark = pytest.mark.xdist_group("sample")


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
    assert current_version(project.snapshots) == published
    assert {"error_report", "submission"} <= set(report.outcomes)
    assert refresh(fresh()).failure is not None  # it does not wear off
    opened = fresh("release.gate=false")
    assert refresh(opened).failure is None
    assert current_version(opened.snapshots) != published
    assert refresh(fresh()).failure is None  # what is published now is the measure


def test_after_a_roll_back_no_scores_are_known_and_nothing_is_held_back(fresh):
    project = fresh()
    path = project.store / "release_scores.parquet"
    assert path.is_file()
    (project.snapshots / "current").write_text("0000000000000000\n", encoding="utf-8")
    without_its_best_documents(project)
    assert refresh(project).failure is None


def test_a_refresh_leaves_what_was_rolled_back_from_unpublished_and_says_so(fresh):
    first = current_version(fresh().snapshots)
    other = ("lexical.k1=0.7", "release.gate=false")
    assert refresh(fresh(*other)).failure is None
    second = current_version(fresh().snapshots)
    assert roll_back(fresh().snapshots) == first
    project = fresh(*other)
    questions = project.settings.corpus.questions
    questions.write_text(questions.read_text() + "late,When was amber found?,,,,,,,\n")
    report = refresh(project)
    assert report.failure is None
    assert report.outcomes["published_index"].problems == (
        f"{second} was rolled back and is not published again; to publish it, run 'kohaku snapshots --publish {second}'",
    )
    assert current_version(project.snapshots) == first
    third = fresh("lexical.k1=1.1", "release.gate=false")
    assert refresh(third).outcomes["published_index"].problems == ()
    assert current_version(third.snapshots) not in (first, second)
    assert refresh(fresh(*other)).failure is None  # the settings of the second again, meant so
    assert current_version(project.snapshots) == second
