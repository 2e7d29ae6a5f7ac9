"""What is taken away by the page: an upload can be put back, and a file of the user is never touched."""

import errno
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from kohaku_lib.digests import file_sha256
from kohaku_lib.documents.corpus import removals as module
from kohaku_lib.documents.corpus.removals import KEPT, Removals
from kohaku_lib.errors import InputFileError, StoreError


@pytest.fixture
def documents(tmp_path):
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "mine.md").write_text("mine")
    (tmp_path / "documents" / "sent.md").write_text("sent")
    return tmp_path / "documents"


@pytest.fixture
def removals(tmp_path, documents):
    found = Removals(tmp_path / "store", documents)
    found.record_upload("sent.md", "ann")
    return found


def test_a_file_of_the_user_is_left_out_and_stays_as_it_is(removals, documents):
    before = (documents / "mine.md").stat()
    assert removals.remove("mine.md", "bob") == "left_out"
    assert (documents / "mine.md").stat() == before
    [(path, reason)] = removals.left_out().items()
    assert path == "mine.md"
    assert reason.startswith("left out by bob at 20")
    assert reason.endswith("undo it by kohaku documents --include 'mine.md'")
    removals.include("mine.md")
    assert removals.left_out() == {}
    with pytest.raises(InputFileError, match=r"'mine\.md' is not left out; 'kohaku documents' lists"):
        removals.include("mine.md")


def test_an_upload_goes_to_the_trash_and_comes_back_as_the_upload_that_it_was(removals, documents):
    assert removals.is_upload("sent.md")
    assert removals.remove("sent.md", "bob") == "trash"
    assert not (documents / "sent.md").exists()
    [trashed] = removals.trashed()
    assert (trashed.path, trashed.by) == ("sent.md", "bob")
    assert removals.restore(trashed.id) == "sent.md"
    assert ((documents / "sent.md").read_text(), removals.trashed()) == ("sent", [])
    assert removals.remove("sent.md", "bob") == "trash"
    with pytest.raises(InputFileError, match="the trash has no file 'x'"):
        removals.restore("x")


def test_an_upload_that_the_user_has_replaced_is_the_users(removals, documents):
    (documents / "sent.md").write_text("rewritten by hand")
    assert not removals.is_upload("sent.md")
    assert removals.remove("sent.md", "bob") == "left_out"
    assert (documents / "sent.md").read_text() == "rewritten by hand"


def test_nothing_is_restored_over_another_file(removals, documents):
    removals.remove("sent.md", "bob")
    (documents / "sent.md").write_text("another")
    with pytest.raises(InputFileError, match=r"there is a file 'sent\.md' by now"):
        removals.restore(removals.trashed()[0].id)
    assert ((documents / "sent.md").read_text(), len(removals.trashed())) == ("another", 1)


def test_destroying_a_document_leaves_a_copy_in_the_trash_of_another_organisation(removals, documents):
    sha256s = {file_sha256(uploaded(removals, documents, name)) for name in ("ours.md", "theirs.md")}
    for name in ("ours.md", "theirs.md"):
        removals.remove(name, "ann")
    done = removals.destroy([], sha256s, "ours.md".__eq__)
    assert done == ["ours.md in the trash"]
    assert [one.path for one in removals.trashed()] == ["theirs.md"]


def test_an_upload_of_a_name_that_was_left_out_is_read(removals):
    removals.remove("mine.md", "bob")
    removals.record_upload("mine.md", "ann")
    assert removals.left_out() == {}


def test_an_upload_brings_back_what_was_left_out_within_it(removals):
    for path in ("sent.md/a.txt", "sent.md/b.eml/c.txt", "sent.mdx"):
        assert removals.remove(path, "bob") == "left_out"
    removals.record_upload("sent.md", "ann")
    assert list(removals.left_out()) == ["sent.mdx"]


def test_the_trash_is_emptied_after_thirty_days(removals, documents, tmp_path, monkeypatch):
    then = datetime.now(UTC) - KEPT - timedelta(seconds=5)
    with monkeypatch.context() as patch:
        patch.setattr(module, "_now", then.isoformat)
        removals.remove("sent.md", "bob")
    assert len(list((tmp_path / "store" / "trash").iterdir())) == 1
    removals.remove("mine.md", "bob")
    assert (removals.trashed(), list((tmp_path / "store" / "trash").iterdir())) == ([], [])


def test_a_damaged_record_is_one_sentence_and_destroys_nothing(removals, documents, tmp_path):
    (tmp_path / "store" / "removals.json").write_text("{}")
    for act in (lambda: removals.remove("sent.md", "bob"), removals.left_out, removals.trashed):
        with pytest.raises(
            StoreError, match=r"removals\.json' is damaged, so it is unknown which documents are left out"
        ):
            act()
    assert (documents / "sent.md").read_text() == "sent"


def killed(*arguments, **options):
    raise KeyboardInterrupt


def uploaded(removals, documents, name="new.md", text="# New\n\nNine boats.\n"):
    (documents / name).write_text(text)
    removals.record_upload(name, "ann")
    return documents / name


def test_a_removal_that_was_killed_before_its_record_leaves_no_copy_behind(removals, documents, tmp_path, monkeypatch):
    file = uploaded(removals, documents)

    with monkeypatch.context() as patch:
        patch.setattr(module, "write_sealed", killed)
        with pytest.raises(KeyboardInterrupt):
            removals.remove("new.md", "ann")
    assert file.is_file()
    assert removals.remove("new.md", "ann") == "trash"
    [kept] = removals.trashed()
    assert [one.name for one in (tmp_path / "store" / "trash").iterdir()] == [kept.id]


def test_a_file_that_comes_back_is_whole_or_not_there_and_the_call_can_be_repeated(removals, documents, monkeypatch):
    file = uploaded(removals, documents, text="x" * 9000)
    removals.remove("new.md", "ann")
    [kept] = removals.trashed()

    def full(source, target):
        Path(target).write_text("x" * 5000)
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copy2", full)
        with pytest.raises(OSError, match="No space"):
            removals.restore(kept.id)
    assert list(documents.glob("*new*")) == []
    with monkeypatch.context() as patch:  # between the file and its record
        patch.setattr(module, "write_sealed", killed)
        with pytest.raises(KeyboardInterrupt):
            removals.restore(kept.id)
    assert file.read_text() == "x" * 9000
    assert removals.restore(kept.id) == "new.md"
    assert removals.is_upload("new.md")
