"""Where a model is, what identifies it, and its dimensions according to its files."""

import json

import pytest

from kohaku_lib.embedding.model_folder import (
    check_folder,
    hub_answers,
    model_folder,
    model_identity,
    model_kind,
    stated_dim,
)
from kohaku_lib.errors import ModelError

POOLING = {"idx": 1, "type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}
TRANSFORMER = {"idx": 0, "type": "sentence_transformers.models.Transformer", "path": ""}
DENSE = {"idx": 2, "type": "sentence_transformers.models.Dense", "path": "2_Dense"}


def write_model(folder, modules=(TRANSFORMER, POOLING), pooling=None, weights=b"weights"):
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "modules.json").write_text(json.dumps(list(modules)))
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling or {"word_embedding_dimension": 12}))
    (folder / "model.safetensors").write_bytes(weights)
    return folder


def test_a_name_of_a_folder_is_a_folder_else_of_the_hub(tmp_path):
    assert model_kind(str(tmp_path)) == "folder"
    assert model_kind(str(tmp_path / "nowhere")) == "hub"
    assert model_kind("openai:") == "server"


def test_a_folder_without_a_configuration_is_no_model(tmp_path):
    with pytest.raises(ModelError, match=r"retrieval\.reranker must be .* contains no config\.json"):
        model_folder(str(tmp_path), setting="retrieval.reranker")
    (tmp_path / "config.json").write_text("{}")
    assert model_folder(str(tmp_path)) == tmp_path


def test_a_model_that_is_nowhere_is_an_error_with_the_remedy(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match=r"'example/no-such-model' at revision 'v2' is not available .* 'minilm'"):
        model_folder("example/no-such-model", "v2")
    with pytest.raises(ModelError, match=r"set llm\.model to a folder"):
        check_folder("example/no-such-model", setting="llm.model")
    check_folder("minilm")


@pytest.mark.parametrize("value", ["1", "TRUE", "yes", "On"])
def test_no_request_goes_to_the_hub_when_offline(monkeypatch, value):
    monkeypatch.setenv("HF_HUB_OFFLINE", value)
    monkeypatch.setenv("HF_ENDPOINT", "not a url")
    assert hub_answers() is False


def test_a_hub_that_cannot_be_reached_does_not_answer(monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert hub_answers() is False


def test_equal_content_is_one_identity_and_other_weights_another(tmp_path):
    first = write_model(tmp_path / "a")
    assert model_identity(str(first)) == model_identity(str(write_model(tmp_path / "b")))
    assert model_identity(str(first)) != model_identity(str(write_model(tmp_path / "c", weights=b"others")))
    before = model_identity(str(first))
    (first / "README.md").write_text("no part of the model")
    assert model_identity(str(first)) == before
    (first / "vocab.txt").write_text("a word")
    assert model_identity(str(first)) != before


def test_a_changed_file_changes_the_identity_within_one_process(tmp_path):
    folder = write_model(tmp_path / "a")
    before = model_identity(str(folder))
    (folder / "model.safetensors").write_bytes(b"longer weights")
    assert model_identity(str(folder)) != before


def test_a_snapshot_of_the_hub_is_identified_by_its_commit(tmp_path):
    folder = write_model(tmp_path / "models--example--bert" / "snapshots" / "0a1b")
    assert model_identity(str(folder)) == "models--example--bert@0a1b"


def test_a_model_on_a_server_is_identified_by_its_name():
    assert model_identity("openai:text-embedding-3-small") == "openai:text-embedding-3-small"


@pytest.mark.parametrize("key", ["word_embedding_dimension", "embedding_dimension"])
def test_the_dimensions_are_those_of_the_pooling(tmp_path, key):
    assert stated_dim(write_model(tmp_path, pooling={key: 12})) == 12


def test_a_module_that_may_change_the_dimensions_leaves_them_unknown(tmp_path):
    assert stated_dim(write_model(tmp_path, modules=(TRANSFORMER, POOLING, DENSE))) is None


@pytest.mark.parametrize("modules", ["", "{}", "[{}]", "[]"])
def test_files_of_another_shape_leave_the_dimensions_unknown(tmp_path, modules):
    (tmp_path / "modules.json").write_text(modules)
    assert stated_dim(tmp_path) is None
    assert stated_dim(tmp_path / "nowhere") is None
