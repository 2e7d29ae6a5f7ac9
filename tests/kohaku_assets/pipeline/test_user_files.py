import json

import pytest

from kohaku_assets.pipeline.user_files import UserFiles
from kohaku_lib.digests import file_sha256
from kohaku_lib.errors import InputFileError
from kohaku_lib.settings import CorpusSettings
from kohaku_lib.storage import HashMemo


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nAmber.\n")
    (tmp_path / "docs" / "b.json").write_text(json.dumps({"document_id": "bee", "text": "Bees fly."}))
    (tmp_path / "questions.csv").write_text("id,question\n1,Why?\n")
    return tmp_path


def files_of(folder, **corpus):
    return UserFiles(CorpusSettings(documents=folder / "docs", **corpus), folder / "cache")


def digests_of(folder, **corpus):
    return {name: digest() for name, digest in files_of(folder, **corpus).digests.items()}


def test_each_digest_follows_its_own_files(folder):
    questions = folder / "questions.csv"
    first = digests_of(folder, questions=questions)
    assert digests_of(folder, questions=questions) == first
    questions.write_text("id,question\n1,Why not?\n")
    second = digests_of(folder, questions=questions)
    (folder / "docs" / "a.md").write_text("# A\n\nAmber is old.\n")
    third = digests_of(folder, questions=questions)
    assert [name for name in first if first[name] != second[name]] == ["questions"]
    assert [name for name in first if second[name] != third[name]] == ["source_files"]


def test_hashes_and_ids_are_remembered_from_run_to_run(folder):
    table, _ = files_of(folder).sources
    assert sorted(table["document_id"].to_pylist()) == ["a", "bee"]
    memo = HashMemo(folder / "cache" / "file_hashes.json")
    memo.note(folder / "docs" / "a.md", "f" * 64)
    memo.save()
    assert files_of(folder).sha256(folder / "docs" / "a.md") == "f" * 64  # not read again: size and times are the same
    rehashed = UserFiles(CorpusSettings(documents=folder / "docs"), folder / "cache", rehash=True)
    assert rehashed.sha256(folder / "docs" / "a.md") == file_sha256(folder / "docs" / "a.md")
    assert "bee" in (folder / "cache" / "payload_ids.json").read_text()


def test_what_cannot_be_read_is_said_in_one_sentence(folder):
    with pytest.raises(InputFileError, match=r"corpus\.documents is not set"):
        _ = UserFiles(CorpusSettings(), folder / "cache").sources
    with pytest.raises(InputFileError, match="which is not a file; correct the path or remove the setting"):
        files_of(folder, questions=folder / "none.csv").digests["questions"]()
    assert files_of(folder).digests["questions"]() == "none"
