"""What a user's projects share is kept where the user says, or where it can be written."""

from kohaku_lib.storage import user_cache_folder


def test_the_cache_folder_is_the_named_one_or_a_writable_one(monkeypatch, tmp_path):
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path / "mine"))
    assert user_cache_folder() == tmp_path / "mine"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path / "file" / "below"))
    assert user_cache_folder().name == "kohaku-cache"
