"""The reply to a parse task: a payload, or what failed and whether a retry could help."""

import errno
import subprocess
import zipfile
from pathlib import Path

import pytest
from PIL import UnidentifiedImageError

from kohaku_lib.digests import file_sha256
from kohaku_lib.documents.failures import NeedsOcrError
from kohaku_lib.documents.worker.replies import check_unchanged, payload_reply, reply_if_unchanged, reply_of
from kohaku_lib.documents.worker.supervisor import parse_task
from kohaku_lib.errors import DocumentError, ModelError
from kohaku_lib.settings import DocumentsSettings

SETTINGS = DocumentsSettings(memory_limit_mb=700, time_limit_s=30.0)


def task(path="/folder/a.pdf", **more):
    return {**parse_task(path, SETTINGS), **more}


def failing(error, **more):
    def work():
        raise error

    return reply_of(task(**more), work)


def test_a_task_has_the_limits_of_the_settings():
    assert parse_task("a.pdf", SETTINGS) == {
        "path": "a.pdf",
        "settings": SETTINGS.model_dump(mode="json"),
        "time_limit_s": 30.0,
        "memory_limit_mb": 700,
    }


def test_a_result_is_returned_as_it_is():
    assert reply_of(task(), lambda: {"payload": 1}) == {"payload": 1}


@pytest.fixture
def listed(tmp_path):
    """A task of a file as it was listed."""
    (tmp_path / "a.pdf").write_bytes(b"as listed")
    return {"path": str(tmp_path / "a.pdf"), "sha256": file_sha256(tmp_path / "a.pdf")}


def caused_by(cause):
    error = DocumentError("cannot be read")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NeedsOcrError("no text layer"), "needs_ocr"),
        (DocumentError("empty"), "failed"),
        (ValueError("bad value"), "failed"),
        (caused_by(zipfile.BadZipFile("no zip")), "failed"),
        (caused_by(UnidentifiedImageError("no image")), "failed"),  # an OSError, but of no call of the system
    ],
)
def test_what_follows_from_the_bytes_is_a_lasting_verdict(error, status, listed):
    reply = failing(error, **listed)
    assert (reply["status"], reply["lasting"]) == (status, True)


@pytest.mark.parametrize("number", [errno.ENOENT, errno.EACCES, errno.EIO, errno.EMFILE, errno.ENOSPC, errno.ESTALE])
def test_no_failed_call_of_the_system_is_a_lasting_verdict(number, listed):
    for error in (caused_by(OSError(number, "x")), OSError(number, "x"), caused_by(caused_by(OSError(number, "x")))):
        assert failing(error, **listed)["lasting"] is False


@pytest.mark.parametrize("cause", [MemoryError(), subprocess.TimeoutExpired("tesseract", 3)])
def test_no_lack_of_time_or_memory_is_a_lasting_verdict(cause, listed):
    assert failing(caused_by(cause), **listed)["lasting"] is False


@pytest.mark.parametrize("error", [DocumentError("empty"), NeedsOcrError("no text"), ValueError("bad value")])
def test_nothing_is_a_lasting_verdict_on_a_file_that_is_gone_or_has_other_bytes_by_now(error, listed):
    Path(listed["path"]).write_bytes(b"other bytes")
    assert failing(error, **listed)["lasting"] is False
    Path(listed["path"]).unlink()
    assert failing(error, **listed)["lasting"] is False


def test_what_was_read_of_a_file_that_changed_meanwhile_is_no_result(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("old")
    own = task(str(file), sha256=file_sha256(file))

    def read():
        file.write_text("new")
        return {"payload": "new"}

    assert reply_if_unchanged(own, lambda: {"payload": "old"}) == {"payload": "old"}
    reply = reply_of(own, lambda: reply_if_unchanged(own, read))
    assert reply == {
        "status": "failed",
        "error": "'a.txt' changed while it was being read; run again",
        "lasting": False,
    }


def test_a_fault_of_the_environment_is_fatal():
    assert failing(ModelError("no engine")) == {"status": "failed", "error": "no engine", "fatal": "ModelError"}


def test_any_other_fault_is_one_sentence_with_the_name_of_the_file():
    reply = failing(ValueError("bad\n  value"))
    assert reply["error"] == "'a.pdf' cannot be parsed (ValueError: bad value); save it again"
    assert len(failing(ValueError("x" * 1000))["error"]) < 400


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("std::bad_alloc"),
        RuntimeError("code=1: malloc (4096 bytes) failed"),
        OSError("Cannot allocate memory"),
        ValueError("unknown error (<string>, line 0)"),
    ],
)
def test_a_lack_of_memory_ends_the_process_and_follows_from_the_limit(error):
    reply = failing(error)
    assert reply == {
        "status": "failed",
        "error": "'a.pdf' needs more memory than the 700 MiB that a parser may take; "
        "raise documents.memory_limit_mb or leave the file out",
        "limit": True,
        "spent": True,
    }


def test_below_the_configured_limit_only_leaving_the_file_out_helps():
    scarce = failing(MemoryError(), memory_limit_mb=400)  # the share of a process on this machine
    assert scarce["error"].endswith("a parser may take; leave the file out")
    assert not scarce["limit"]


def test_a_file_must_have_the_hash_of_its_task(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("amber")
    check_unchanged(task(str(path)))
    check_unchanged(task(str(path), sha256=file_sha256(path)))
    check_unchanged(task(str(tmp_path / "missing.txt"), sha256="0"))
    with pytest.raises(DocumentError, match=r"'a\.txt' changed while it was being read; run again"):
        check_unchanged(task(str(path), sha256="0"))


def test_the_payload_has_the_id_of_the_task(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("Amber is old.")
    assert payload_reply(task(str(path)))["payload"]["document_id"] == "a"
    assert payload_reply(task(str(path), document_id="wu2021"))["payload"]["document_id"] == "wu2021"
