"""The reply to a parse task: a payload, or what failed and whether a retry could help."""

import pytest

from kohaku_lib.digests import file_sha256
from kohaku_lib.documents.failures import NeedsOcrError
from kohaku_lib.documents.worker.replies import check_unchanged, payload_reply, reply_of
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


def test_a_page_that_needs_ocr_will_need_it_again():
    assert failing(NeedsOcrError("no text layer")) == {"status": "needs_ocr", "error": "no text layer", "lasting": True}


def test_a_fault_of_the_document_is_lasting():
    assert failing(DocumentError("empty")) == {"status": "failed", "error": "empty", "lasting": True}


def test_a_fault_of_the_environment_is_fatal():
    assert failing(ModelError("no engine")) == {"status": "failed", "error": "no engine", "fatal": "ModelError"}


def test_any_other_fault_is_one_sentence_with_the_name_of_the_file():
    reply = failing(ValueError("bad\n  value"))
    assert reply["error"] == "'a.pdf' cannot be parsed (ValueError: bad value); save it again"
    assert reply["lasting"] is True
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
def test_a_lack_of_memory_ends_the_process_and_is_not_lasting(error):
    reply = failing(error)
    assert reply == {
        "status": "failed",
        "error": "'a.pdf' needs more memory than the 700 MiB that a parser may take; "
        "raise documents.memory_limit_mb or leave the file out",
        "spent": True,
    }


def test_below_the_configured_limit_only_leaving_the_file_out_helps():
    assert failing(MemoryError(), memory_limit_mb=400)["error"].endswith("a parser may take; leave the file out")


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
