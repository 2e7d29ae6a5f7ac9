"""The calls that the cards of Jina v3 and v4 name, on tiny models of their interface; and who may run own code."""

import json
import shutil

import numpy as np
import pytest
from PIL import Image

from kohaku_lib.composition import load_settings
from kohaku_lib.embedding import embed_queries, embed_texts
from kohaku_lib.embedding.cached import embed
from kohaku_lib.embedding.encoder_selection import encoder_for, image_encoder_for
from kohaku_lib.embedding.encoders.jina_v4 import check_jina_v4_dim, is_jina_v4
from kohaku_lib.embedding.encoders.openvino_model import ConversionError, converted_model
from kohaku_lib.embedding.model_folder import model_folder, model_identity, stated_dim
from kohaku_lib.embedding.vectors import normalized
from kohaku_lib.errors import ModelError
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.settings.profiles import PROFILES
from kohaku_lib.testing.tiny_models import tiny_bert, tiny_jina_v3, tiny_jina_v4

TEXTS = ["a cat", "the price of oil"]


@pytest.fixture(scope="module")
def v3(tmp_path_factory):
    return str(tiny_jina_v3(tmp_path_factory.mktemp("v3") / "model"))


@pytest.fixture(scope="module")
def v4(tmp_path_factory):
    return str(tiny_jina_v4(tmp_path_factory.mktemp("v4") / "model"))


def trusted(model, **more):
    return EmbeddingSettings(model=model, device="cpu", trust_remote_code=True, **more)


def test_the_short_names_are_those_of_kohakurag():
    names = {name: EmbeddingSettings(model=name).model for name in ("jina", "jinav4", "minilm")}
    assert names == {"jina": "jinaai/jina-embeddings-v3", "jinav4": "jinaai/jina-embeddings-v4", "minilm": "minilm"}


def encoded_by_the_card(folder, texts, task, prompt_name):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(folder, device="cpu", trust_remote_code=True)
    return normalized(model.encode(texts, task=task, prompt_name=prompt_name, show_progress_bar=False))


@pytest.mark.parametrize("task", ["retrieval", "text-matching", "classification", "separation", "retrieval.query"])
def test_v3_gets_the_task_and_the_prompt_of_each_side(v3, task):
    documents, queries = ("retrieval.passage", "retrieval.query") if task == "retrieval" else (task, task)
    settings = trusted(v3, task=task)
    assert np.allclose(embed_texts(TEXTS, settings), encoded_by_the_card(v3, TEXTS, documents, documents), atol=1e-5)
    assert np.allclose(embed_queries(TEXTS, settings), encoded_by_the_card(v3, TEXTS, queries, queries), atol=1e-5)


def test_v3_rejects_a_task_that_it_does_not_have(v3):
    with pytest.raises(ModelError) as caught:
        embed_texts(TEXTS, trusted(v3, task="code"))
    assert str(caught.value) == (
        f"embedding.task must be one of classification, retrieval, separation, text-matching for {v3!r}, got 'code'"
    )


def test_v3_states_its_width_and_is_not_for_openvino(v3, monkeypatch, tmp_path):
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path))
    assert stated_dim(model_folder(v3)) == 16
    with pytest.raises(ConversionError, match=r"custom_st\.Transformer"):
        converted_model(v3)


def test_a_task_model_reads_8192_tokens_at_most(v3, tmp_path):
    folder = tmp_path / "long"
    shutil.copytree(v3, folder)
    for file in folder.glob("sentence_*config.json"):
        content = json.loads(file.read_text())
        file.write_text(json.dumps(content | {"max_seq_length": 8194}))
    assert encoder_for(trusted(str(folder))).most_tokens == 8192


@pytest.mark.parametrize("make", [tiny_jina_v3, tiny_jina_v4])
def test_code_of_its_own_needs_trust(make, tmp_path):
    folder = str(make(tmp_path / "model"))
    with pytest.raises(ModelError) as caught:
        encoder_for(EmbeddingSettings(model=folder, device="cpu"))
    assert str(caught.value) == (
        f"the embedding model {folder!r} runs remote code (Python); set "
        "embedding.trust_remote_code = true if you trust it"
    )


def test_a_model_without_code_of_its_own_needs_no_trust(tmp_path, monkeypatch):
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path / "cache"))
    folder = str(tiny_bert(tmp_path / "model"))
    assert embed_texts(TEXTS, EmbeddingSettings(model=folder, device="cpu")).shape == (2, 16)


def test_changed_code_is_another_model(v4, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(v4, folder)
    assert model_identity(str(folder)) == model_identity(v4)
    (folder / "modeling_tiny.py").write_text("pass")
    assert model_identity(str(folder)) != model_identity(v4)


def calls_of(encoder):
    return type(encoder._model).calls


def test_v4_gets_the_task_and_the_prompt_name_of_each_side(v4):
    encoder = encoder_for(trusted(v4))
    calls_of(encoder).clear()
    for task in ("retrieval", "code", "text-matching"):
        embed_texts(TEXTS, trusted(v4, task=task))
        embed_queries(TEXTS, trusted(v4, task=task))
    assert calls_of(encoder) == [
        ("text", "retrieval", "passage", 8192, 2),
        ("text", "retrieval", "query", 8192, 2),
        ("text", "code", "passage", 8192, 2),
        ("text", "code", "query", 8192, 2),
        ("text", "text-matching", None, 8192, 2),
        ("text", "text-matching", None, 8192, 2),
    ]


def test_v4_vectors_are_those_of_its_own_method(v4):
    encoder = encoder_for(trusted(v4))
    own = encoder._model.encode_text(texts=TEXTS, task="retrieval", prompt_name="passage")
    assert np.allclose(embed_texts(TEXTS, trusted(v4)), normalized(np.array([row.detach().numpy() for row in own])))


def test_v4_dimensions_are_the_first_ones_and_only_those_it_was_trained_for(v4):
    whole = embed_texts(TEXTS, trusted(v4))
    assert np.allclose(embed_texts(TEXTS, trusted(v4, dim=8)), normalized(whole, 8), atol=1e-6)
    with pytest.raises(ModelError, match=r"embedding\.dim must be one of 4, 8, 16 for .*, got 5$"):
        embed_texts(TEXTS, trusted(v4, dim=5))


@pytest.mark.parametrize("dim", [64, 768, 4096])
def test_the_published_v4_refuses_other_dimensions_before_it_is_fetched(dim):
    settings = EmbeddingSettings(model="jinaai/jina-embeddings-v4", dim=dim)
    with pytest.raises(ModelError) as caught:
        encoder_for(settings)
    assert str(caught.value) == (
        f"embedding.dim must be one of 128, 256, 512, 1024, 2048 for 'jinaai/jina-embeddings-v4', got {dim}"
    )


@pytest.mark.parametrize("dim", [None, 128, 256, 512, 1024, 2048])
def test_the_published_v4_takes_its_own_dimensions(dim):
    check_jina_v4_dim("jinaai/jina-embeddings-v4", dim)


def test_v4_refuses_a_task_that_it_does_not_have(v4):
    with pytest.raises(ModelError, match=r"embedding\.task must be one of retrieval, text-matching, code"):
        embed_texts(TEXTS, trusted(v4, task="separation"))


def test_v4_cuts_and_counts_texts_over_its_limit_or_reads_them_in_windows(v4):
    long = "word " * 8300
    cut = embed([long, "a"], trusted(v4), None, "document")
    assert (cut.cost.truncated, cut.most_tokens) == (1, 8192)
    windowed = embed([long, "a"], trusted(v4, long_texts="window"), None, "document")
    assert (windowed.cost.truncated, windowed.cost.windowed, windowed.cost.windows) == (0, 1, 2)


def test_v4_has_images_in_the_same_space(v4):
    encoder = image_encoder_for(trusted(v4))
    calls_of(encoder).clear()
    vectors = encoder.image_vectors([Image.new("RGB", (9, 7), colour) for colour in ("red", "blue")] * 5, "retrieval")
    assert vectors.shape == (10, 16)
    assert np.array_equal(vectors[0], vectors[2])
    own = encoder._model.encode_image(images=[Image.new("RGB", (9, 7), "red")], task="retrieval")
    assert np.allclose(vectors[0], own[0].detach().numpy())
    calls_of(encoder).pop()
    assert [call[:2] + call[4:] for call in calls_of(encoder)] == [("image", "retrieval", 8), ("image", "retrieval", 2)]
    assert encoder.image_vectors([], "retrieval").shape == (0, 16)


def test_a_v4_is_recognised_by_its_folder(v3, v4, tmp_path):
    assert is_jina_v4(model_folder(v4))
    assert not is_jina_v4(model_folder(v3))
    (tmp_path / "config.json").write_text("[]")
    assert not is_jina_v4(tmp_path)


def test_a_broken_v4_is_refused_in_one_sentence(v4, tmp_path):
    folder = tmp_path / "broken"
    shutil.copytree(v4, folder)
    (folder / "modeling_tiny.py").write_text("import no_such_package_anywhere")
    with pytest.raises(ModelError, match=r"cannot be loaded by transformers: .*no_such_package_anywhere") as caught:
        encoder_for(trusted(str(folder)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", PROFILES)
def test_every_profile_is_resolved_without_a_download(name, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    settings = load_settings(overrides=[f"profile={name}"], environment={}, folder=tmp_path).settings
    check_jina_v4_dim(settings.embedding.model, settings.embedding.dim)
    assert settings.embedding.model == PROFILES[name].get("embedding.model", "minilm")
