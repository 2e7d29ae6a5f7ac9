"""Which index version is read: the published one, else the newest, else one sentence about what is missing."""

import shutil

import pytest
from index_material import LIBRARY, small_snapshot

from kohaku_lib.errors import StoreError
from kohaku_lib.index import publish
from kohaku_lib.project import open_published_index
from kohaku_lib.project.published_index import published_version


@pytest.fixture
def store(tmp_path):
    for version in ("v1", "v2"):
        small_snapshot(tmp_path / "snapshots", LIBRARY, version)
    return tmp_path


def test_the_published_version_is_read_although_a_newer_one_exists(store):
    publish(store / "snapshots", "v1")
    assert published_version(store) == "v1"
    assert open_published_index(store).version == "v1"


def test_publishing_another_version_changes_what_is_read(store):
    publish(store / "snapshots", "v1")
    publish(store / "snapshots", "v2")
    assert open_published_index(store).version == "v2"


def test_without_a_published_version_one_of_the_existing_ones_is_read(store):
    assert published_version(store) in ("v1", "v2")


def test_an_empty_store_is_refused_with_the_command_that_fills_it(tmp_path):
    with pytest.raises(StoreError, match=r"there is no index in .* run 'kohaku refresh' first"):
        open_published_index(tmp_path)


def test_a_damaged_pointer_is_refused_rather_than_guessed(store):
    publish(store / "snapshots", "v1")
    (store / "snapshots" / "current").write_text("v1, but not sealed")
    with pytest.raises(StoreError, match=r"which index is published is not known: .* run 'kohaku doctor'"):
        published_version(store)


def test_a_published_version_whose_folder_is_gone_is_refused(store):
    publish(store / "snapshots", "v1")
    shutil.rmtree(store / "snapshots" / "v1")
    with pytest.raises(StoreError):
        open_published_index(store)
