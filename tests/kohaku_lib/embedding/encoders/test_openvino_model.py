"""Converted models: made once, checked, refused where they are of another make; and quiet about their use."""

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from kohaku_lib.embedding import embed_queries, embed_texts
from kohaku_lib.embedding.encoder_selection import encoder_for
from kohaku_lib.embedding.encoders.openvino_batches import tokenize
from kohaku_lib.embedding.encoders.openvino_encoder import OpenvinoEncoder
from kohaku_lib.embedding.encoders.openvino_model import ConversionError, converted_model
from kohaku_lib.embedding.encoders.torch_encoder import TorchEncoder
from kohaku_lib.embedding.model_folder import model_folder
from kohaku_lib.errors import ModelError
from kohaku_lib.settings import EmbeddingSettings


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A BERT of one layer with random weights, a Dense module, prompts, and the bundled model's tokenizer."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    base = tmp_path_factory.mktemp("tiny") / "base"
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=30522, **shape)).save_pretrained(base)
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json"):
        if (model_folder("minilm") / name).exists():
            shutil.copy(model_folder("minilm") / name, base)
    transformer = modules.Transformer(str(base), max_seq_length=32)
    pooling = modules.Pooling(16)
    dense = modules.Dense(16, 8, activation_function=torch.nn.Tanh())
    model = SentenceTransformer(modules=[transformer, pooling, dense], device="cpu", prompts={"query": "ask: "})
    folder = base.parent / "model"
    model.save(str(folder))
    return str(folder)


def test_the_bundled_model_is_run_by_openvino_on_a_cpu():
    assert isinstance(encoder_for(EmbeddingSettings(device="cpu")), OpenvinoEncoder)
    assert isinstance(encoder_for(EmbeddingSettings(device="cpu", backend="torch")), TorchEncoder)


def test_a_conversion_states_how_near_it_is():
    model = converted_model("minilm")
    assert model.least_cosine >= 0.99
    assert model.mean_cosine >= 0.9999
    assert (model.dim, model.most_tokens) == (384, 256)


def test_a_model_is_converted_once(monkeypatch, tmp_path, tiny):
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path))
    first = converted_model(tiny)
    written = (first.folder / "model.bin").stat().st_mtime_ns
    assert first.folder.is_relative_to(tmp_path)
    assert converted_model(tiny) == first
    assert (first.folder / "model.bin").stat().st_mtime_ns == written


def test_a_model_of_ones_own_gives_the_vectors_of_sentence_transformers(monkeypatch, tmp_path, tiny):
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path))
    texts = ["one", "two three four", "word " * 90, ""]
    for embed in (embed_texts, embed_queries):
        ours, theirs = (
            embed(texts, EmbeddingSettings(model=tiny, device="cpu", backend=b)) for b in ("openvino", "torch")
        )
        assert ours.shape == (4, 8)
        assert ((ours * theirs).sum(axis=1) > 0.999).all()
    questions = EmbeddingSettings(model=tiny, device="cpu")
    assert np.allclose(embed_queries(["one"], questions), embed_texts(["ask: one"], questions), atol=1e-2)


def test_a_model_of_another_make_is_left_to_torch(monkeypatch, tmp_path, tiny):
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "model"
    shutil.copytree(tiny, folder)
    modules = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(
        json.dumps([*modules, {"idx": 3, "name": "3", "path": "3_X", "type": "x.LayerNorm"}])
    )
    with pytest.raises(ConversionError, match="LayerNorm"):
        converted_model(str(folder))
    with pytest.raises(ModelError, match=r"embedding\.backend is 'openvino', but the model in .* set it to 'auto'"):
        encoder_for(EmbeddingSettings(model=str(folder), backend="openvino", device="cpu"))


def test_a_model_that_cannot_be_converted_is_remembered_as_such(monkeypatch, tmp_path, tiny):
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "model"
    shutil.copytree(tiny, folder)
    (folder / "model.safetensors").write_bytes(b"no weights")
    for _ in range(2):
        with pytest.raises(ConversionError, match="cannot be loaded"):
            converted_model(str(folder))


def test_tokens_are_cut_at_the_limit_with_their_end_mark():
    found = tokenize(model_folder("minilm"), ["word " * 300, "one two"], 256)
    assert [len(ids) for ids in found.ids] == [256, 4]
    assert found.ids[0][-1] == found.ids[1][-1] == 102
    assert found.was_cut.tolist() == [True, False]


def test_texts_that_are_tokenised_in_several_goes_keep_their_order():
    texts = [f"text number {number} " + "word " * (number % 3) for number in range(1100)]
    found, single = tokenize(model_folder("minilm"), texts, 6), tokenize(model_folder("minilm"), texts[1023:1024], 6)
    assert (len(found.ids), len(found.was_cut)) == (1100, 1100)
    assert found.ids[1023].tolist() == single.ids[0].tolist()
    assert found.was_cut[:3].tolist() == [False, False, True]


def test_the_vector_of_a_query_does_not_depend_on_those_embedded_with_it():
    queries = [f"{'Where do the cats live, ' * more}in house {more}?" for more in range(1, 12)]
    together = embed_queries(queries)
    alone = np.concatenate([embed_queries([query]) for query in queries])
    assert np.abs(together - alone).max() < 1e-6  # after division by its length, in batches
    assert np.array_equal(embed_queries(queries[::-1]), together[::-1])


def test_a_query_needs_neither_torch_nor_usage_statistics():
    program = (
        "import sys; from kohaku_lib.embedding import embed_queries; embed_queries(['one']);"
        "print('torch' in sys.modules, 'CI' in __import__('os').environ);"
        "print(__import__('openvino_telemetry').Telemetry().consent)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["False", "False", "False"]


@pytest.mark.slow
def test_a_conversion_sends_no_usage_statistics(tiny, tmp_path):
    program = (
        "import sys; from kohaku_lib.embedding.encoders.openvino_model import converted_model; converted_model(sys.argv[1]);"
        "print(__import__('openvino_telemetry').Telemetry().consent)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    environment["KOHAKU_CACHE"] = str(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", program, str(tiny)], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("backend", ["openvino", "torch"])
def test_in_float32_both_backends_give_the_vectors_of_the_original(backend):
    from sentence_transformers import SentenceTransformer

    texts = ["A cat sleeps.", "GPT-3 took 1,287 MWh to train, as Patterson et al. estimate."]
    settings = EmbeddingSettings(device="cpu", backend=backend, precision="float32")
    original = SentenceTransformer(str(model_folder("minilm")), device="cpu", local_files_only=True)
    expected = original.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    assert encoder_for(settings).precision == "float32"
    assert np.abs(embed_texts(texts, settings) - expected).max() < 1e-6
