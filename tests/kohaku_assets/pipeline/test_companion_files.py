"""Files that stages write next to their tables: what is sealed, and which damage is found."""

import pytest

from kohaku_assets.pipeline.companion_files import REPORTS, SUBMISSION, companion_damage, companion_seals, damaged_files
from kohaku_lib.digests import file_sha256
from kohaku_lib.storage import FileChecks, LatestRecord, StageFiles


@pytest.fixture
def store(tmp_path):
    (tmp_path / SUBMISSION).write_text("id,answer\n")
    (tmp_path / "reports").mkdir()
    for name in REPORTS:
        (tmp_path / name).write_text("report")
    return tmp_path


def record(store, stage):
    return LatestRecord(stage, "v", "key", "hash", "tag", {}, {}, beside=companion_seals(store, stage))


def damage(store, record):
    return companion_damage(store, StageFiles(store / "stages"), record)


def test_a_seal_is_the_size_and_the_hash(store):
    assert companion_seals(store, "submission") == {SUBMISSION: [10, file_sha256(store / SUBMISSION)]}


def test_each_stage_seals_its_own_files_and_others_none(store):
    assert set(companion_seals(store, "error_report")) == set(REPORTS)
    assert companion_seals(store, "tree_nodes") == {}


def test_a_file_that_was_not_written_has_no_seal(store):
    (store / REPORTS[0]).unlink()
    assert set(companion_seals(store, "error_report")) == {REPORTS[1]}


def test_files_as_they_were_written_are_intact(store):
    assert damage(store, record(store, "submission")) is None
    assert damage(store, record(store, "error_report")) is None


def test_a_lost_file_is_called_gone(store):
    submission = record(store, "submission")
    (store / SUBMISSION).unlink()
    assert damage(store, submission) == "its files are gone"


@pytest.mark.parametrize("content", ["", "id,answer\nq1,5\n", "ID,ANSWER\n"])
def test_another_content_is_damage_that_names_the_file(store, content):
    submission = record(store, "submission")
    (store / SUBMISSION).write_text(content)
    assert damage(store, submission).startswith(f"damaged: {SUBMISSION} ")


def test_every_damaged_file_is_listed(store):
    reports = record(store, "error_report")
    for name in REPORTS:
        (store / name).write_text("")
    assert set(damaged_files(store, StageFiles(store / "stages"), reports, FileChecks(store))) == set(REPORTS)


def test_an_index_and_a_pointer_that_do_not_exist_are_gone(store):
    for stage in ("vector_tables", "published_index"):
        assert damage(store, record(store, stage)) == "its files are gone"
