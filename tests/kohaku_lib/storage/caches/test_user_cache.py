"""The cache of a user is in the configured folder, or where it can be written."""

import os

import platformdirs
import pytest

from kohaku_lib.storage import user_cache_folder


def test_the_folder_lies_in_the_one_that_the_environment_names(monkeypatch, tmp_path):
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path / "mine"))
    assert user_cache_folder("kind", "key") == tmp_path / "mine" / "kind" / "key"
    assert (tmp_path / "mine").is_dir()
    assert user_cache_folder() == tmp_path / "mine"


def test_where_it_cannot_be_made_it_lies_among_temporary_files(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path / "file" / "below"))
    assert user_cache_folder("kind").parts[-2:] == ("kohaku-cache", "kind")


def test_a_user_without_a_home_has_a_temporary_one(monkeypatch):
    def homeless(_name):
        msg = "Could not determine home directory."
        raise RuntimeError(msg)

    monkeypatch.delenv("KOHAKU_CACHE", raising=False)
    monkeypatch.setattr(platformdirs, "user_cache_path", homeless)
    assert user_cache_folder("kind").parts[-2:] == ("kohaku-cache", "kind")


@pytest.fixture
def read_only(monkeypatch, tmp_path):
    """A cache that nobody may write to: rights alone would not stop the user root."""
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)
    return tmp_path


def test_what_lies_in_a_cache_that_cannot_be_written_is_used_and_the_rest_is_kept_elsewhere(read_only):
    (read_only / "kind" / "there").mkdir(parents=True)
    assert user_cache_folder("kind", "there") == read_only / "kind" / "there"
    assert user_cache_folder("kind", "new").parts[-3:] == ("kohaku-cache", "kind", "new")
