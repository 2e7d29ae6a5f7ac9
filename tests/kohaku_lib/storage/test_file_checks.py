"""Files are checked against their seals, by content only if size or times changed."""

import os
import sys

import pytest

from kohaku_lib.digests import file_sha256
from kohaku_lib.storage import FileChecks, FileSeal, seal_of
from kohaku_lib.storage.file_checks import CHECKED


@pytest.fixture
def sealed(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("amber")
    return path, seal_of(path)


def test_a_seal_is_the_size_and_the_hash(sealed):
    path, seal = sealed
    assert seal == FileSeal(5, file_sha256(path))


def test_an_intact_file_has_no_damage(sealed, tmp_path):
    path, seal = sealed
    assert FileChecks(tmp_path).damage(path, seal) is None
    assert FileChecks(tmp_path).damage(path, seal) is None  # from the cached hash


def test_every_kind_of_damage_is_named(sealed, tmp_path):
    path, seal = sealed
    checks = FileChecks(tmp_path)
    path.write_text("ambers")
    assert checks.damage(path, seal) == "has 6 bytes instead of 5"
    path.write_text("embar")
    assert checks.damage(path, seal) == "has changed since it was written"
    path.unlink()
    assert checks.damage(path, seal) == "is missing"


def test_a_folder_in_the_place_of_the_file_cannot_be_read(tmp_path):
    (tmp_path / "a").mkdir()
    seal = FileSeal((tmp_path / "a").stat().st_size, "0")
    assert FileChecks(tmp_path).damage(tmp_path / "a", seal) == "cannot be read (Is a directory)"


def test_a_file_whose_modification_time_was_set_back_is_read_again(sealed, tmp_path):
    path, seal = sealed
    checks = FileChecks(tmp_path)
    assert checks.damage(path, seal) is None
    times = path.stat()
    path.write_text("embar")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert checks.damage(path, seal) == "has changed since it was written"


def test_a_noted_seal_is_believed_until_the_file_changes_or_all_are_checked_afresh(sealed, tmp_path):
    path, _ = sealed
    wrong = FileSeal(5, "0" * 64)
    checks = FileChecks(tmp_path)
    checks.note(path, wrong)
    checks.save()
    assert FileChecks(tmp_path).damage(path, wrong) is None
    assert FileChecks(tmp_path, afresh=True).damage(path, wrong) == "has changed since it was written"
    path.write_text("amber")
    assert FileChecks(tmp_path).damage(path, wrong) == "has changed since it was written"


def test_many_files_are_checked_with_one_write_of_their_hashes(sealed, tmp_path):
    _, seal = sealed
    (tmp_path / "b.txt").write_text("embar")
    writes, names = [], ("a.txt", "b.txt", "c.txt")

    def note_write(event, arguments):
        if event == "os.rename" and arguments[1] == str(tmp_path / CHECKED):
            writes.append(event)

    sys.addaudithook(note_write)
    damage = FileChecks(tmp_path, afresh=True).damage_by_name(tmp_path, dict.fromkeys(names, seal))
    assert damage == {"b.txt": "has changed since it was written", "c.txt": "is missing"}
    assert len(writes) == 1
