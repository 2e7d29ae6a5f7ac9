"""Stores of older versions of Kohaku are brought to the present format, those of newer ones are left as they are."""

import shutil

import pytest
from stage_refresh import refresh_stages

from kohaku_assets.operations.doctor.examine import examine
from kohaku_assets.operations.publishing import change_publication
from kohaku_assets.operations.refresh import refresh
from kohaku_assets.records.store_format import store_format, update_store_format
from kohaku_lib.errors import StoreError
from kohaku_lib.index import current_version, pinned
from kohaku_lib.storage import write_sealed

INDEX_ALONE = "corpus.questions="


def before_formats(project):
    """Make a store whose index was rolled back what it was when roll-backs were no pins."""
    project.paths.format.unlink()
    (project.snapshots / "pinned").unlink()
    left = next(path.parent.name for path in project.snapshots.glob("*/meta.json") if not is_current(path, project))
    (project.snapshots / "withdrawn").write_text(f"{left}\n")


def is_current(meta, project):
    return meta.parent.name == current_version(project.snapshots)


def test_a_roll_back_before_there_were_pins_is_pinned_and_no_refresh_undoes_it(fresh):
    assert refresh_stages(fresh("lexical.k1=0.7", INDEX_ALONE), ["published_index"]).failure is None
    project = fresh("lexical.k1=0.7", INDEX_ALONE)
    older = change_publication(project)
    before_formats(project)
    assert store_format(project.store) == 0
    assert refresh(fresh("lexical.k1=0.8", INDEX_ALONE), ["published_index"]).failure is None
    assert current_version(project.snapshots) == older
    assert pinned(project.snapshots) is not None
    assert not (project.snapshots / "withdrawn").exists()
    assert store_format(project.store) == 1


def test_a_step_that_was_killed_is_done_again(tmp_path):
    (tmp_path / "snapshots").mkdir()
    (tmp_path / "snapshots" / "withdrawn").write_text("a\n")
    update_store_format(tmp_path)
    (tmp_path / "format.json").unlink()  # the kill came before it was written
    update_store_format(tmp_path)
    assert store_format(tmp_path) == 1
    assert pinned(tmp_path / "snapshots") is not None


def test_a_store_of_a_newer_version_is_neither_written_nor_mended(fresh):
    project = fresh()
    write_sealed(project.paths.format, {"format": 2})
    (project.store / "stages" / "scores" / "latest.json").write_text("{}")  # as far as this version can read it
    for verb in (refresh, lambda project: examine(project, mend=True), change_publication):
        with pytest.raises(StoreError, match=r"has format 2, and this version of kohaku writes format 1; install"):
            verb(project)
    assert (project.store / "stages" / "scores" / "latest.json").read_text() == "{}"
    shutil.rmtree(project.store)
    assert store_format(project.store) == 0
