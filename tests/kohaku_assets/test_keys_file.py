import os

import pytest

from kohaku_assets.keys_file import load_keys


@pytest.fixture(autouse=True)
def as_it_was(monkeypatch):
    before = dict(os.environ)
    yield
    for name in os.environ.keys() - before.keys():
        monkeypatch.delenv(name)


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
