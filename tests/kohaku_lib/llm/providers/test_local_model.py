"""The identity of a local model, and whether its weights fit."""

import os

import pytest

from kohaku_lib.errors import ModelError
from kohaku_lib.llm.chat import ProviderUnavailableError
from kohaku_lib.llm.providers.local_model import GIB, check_folder, check_room, model_digest
from kohaku_lib.settings import LlmSettings


def write_model(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in ({"model.safetensors": b"weights", "config.json": b"{}"} | files).items():
        (folder / name).write_bytes(content)
    return folder


def test_the_same_files_in_another_folder_are_the_same_model(tmp_path):
    one, other = write_model(tmp_path / "one"), write_model(tmp_path / "other")
    assert model_digest(str(one)) == model_digest(str(other))


@pytest.mark.parametrize(
    "name", ["model.safetensors", "config.json", "tokenizer.model", "chat_template.jinja", "code.py"]
)
def test_whatever_shapes_the_replies_makes_another_model(tmp_path, name):
    one, other = write_model(tmp_path / "one"), write_model(tmp_path / "other", **{name: b"changed"})
    assert model_digest(str(one)) != model_digest(str(other))


def test_other_files_and_their_times_do_not_matter(tmp_path):
    folder = write_model(tmp_path / "one")
    before = model_digest(str(folder))
    (folder / "README.md").write_text("Hello.")
    os.utime(folder / "config.json", (1, 1))
    assert model_digest(str(folder)) == before


def test_a_name_on_the_hub_is_its_own_identity():
    assert model_digest("maker/model-7B") == "maker/model-7B"


@pytest.mark.parametrize("name", ["./absent", "/no/such/folder", "~/no-such-model"])
def test_a_path_without_a_folder_is_refused(name):
    with pytest.raises(ModelError, match="is not a folder"):
        check_folder(LlmSettings(provider="local", model=name))


def test_a_folder_and_a_name_on_the_hub_are_accepted(tmp_path):
    for name in (str(tmp_path), "maker/model-7B"):
        check_folder(LlmSettings(provider="local", model=name))


def test_only_the_weights_that_are_loaded_need_room(tmp_path):
    folder = str(write_model(tmp_path / "one", **{"pytorch_model.bin": b"x" * 100, "vocab.json": b"y" * 100}))
    check_room(folder, 7)  # bytes of model.safetensors
    with pytest.raises(ProviderUnavailableError, match="take a smaller model"):
        check_room(folder, 6)


def test_weights_in_the_older_format_need_room_too(tmp_path):
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "pytorch_model.bin").write_bytes(b"x" * 100)
    check_room(str(folder), 100)
    with pytest.raises(ProviderUnavailableError, match=r"take 0\.0 GiB"):
        check_room(str(folder), 99)
    assert GIB == 1_073_741_824
