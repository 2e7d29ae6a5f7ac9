import os
import subprocess
import sys

import pytest

from kohaku_assets.operations.scaffold import make_project
from kohaku_lib.project.keys_file import load_keys


@pytest.fixture(autouse=True)
def as_it_was():
    before = dict(os.environ)
    yield
    for name in os.environ.keys() - before.keys():
        del os.environ[name]


def test_names_of_the_file_are_set_unless_they_are_already(tmp_path, monkeypatch):
    monkeypatch.setenv("A_KEY_OF_TESTS", "from outside")
    (tmp_path / ".env").write_text(
        "# keys\nA_KEY_OF_TESTS=inside\nexport ANOTHER_KEY_OF_TESTS='se cret#1'\nHALF_KEY_OF_TESTS=$ANOTHER_KEY_OF_TESTS\n"
    )
    load_keys(tmp_path)
    assert os.environ["A_KEY_OF_TESTS"] == "from outside"
    assert os.environ["ANOTHER_KEY_OF_TESTS"] == "se cret#1"
    assert os.environ["HALF_KEY_OF_TESTS"] == "$ANOTHER_KEY_OF_TESTS"


def test_settings_are_not_taken_from_it(tmp_path):
    (tmp_path / ".env").write_text("KOHAKU_LLM__MODEL=other\nNAME_WITHOUT_VALUE_OF_TESTS\n")
    load_keys(tmp_path)
    assert "KOHAKU_LLM__MODEL" not in os.environ
    assert "NAME_WITHOUT_VALUE_OF_TESTS" not in os.environ


def test_a_folder_without_the_file_is_left_alone(tmp_path):
    before = dict(os.environ)
    load_keys(tmp_path)
    assert dict(os.environ) == before


@pytest.mark.skipif(os.name != "posix", reason="the system knows no such rights")
def test_a_file_that_everyone_can_read_is_warned_of_in_one_line(tmp_path, caplog):
    (tmp_path / "kohaku.toml").write_text("")
    (tmp_path / ".env").write_text("A_KEY_OF_TESTS=x\n")
    (tmp_path / ".env").chmod(0o644)
    command = [sys.executable, "-m", "kohaku_assets.cli", "settings"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    [found] = [line for line in done.stderr.splitlines() if ".env" in line]
    assert "(mode 644); run 'chmod 600 " in found
    for mode, warnings in ((0o644, 1), (0o640, 0), (0o600, 0)):
        caplog.clear()
        (tmp_path / ".env").chmod(mode)
        load_keys(tmp_path)
        assert len([line for line in caplog.messages if ".env" in line]) == warnings


def test_a_new_project_keeps_the_file_out_of_version_control(tmp_path):
    make_project(tmp_path / "project")
    assert ".env" in (tmp_path / "project/.gitignore").read_text().splitlines()
