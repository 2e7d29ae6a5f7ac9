"""The bundled model: its weights, its vectors, the cache, the key, and what is refused."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from kohaku_lib.digests import file_sha256, text_sha256
from kohaku_lib.embedding import (
    EMBEDDING_CACHE_SCHEMA,
    embed_images,
    embed_leaves,
    embed_paragraphs,
    embed_queries,
    embed_texts,
    model_key,
    propagate,
)
from kohaku_lib.embedding.cached import embed
from kohaku_lib.embedding.encoder_selection import encoder_for
from kohaku_lib.embedding.encoders.device import choose_device
from kohaku_lib.embedding.model_folder import model_folder, model_identity, stated_dim
from kohaku_lib.embedding.vectors import vector_matrix
from kohaku_lib.errors import ModelError
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage import RowCache
from kohaku_lib.tables import DOCUMENT_IMAGES, IMAGE_CAPTIONS, vector_schema

DEFAULTS = EmbeddingSettings(device="cpu")
BACKENDS = ["openvino", "torch"]
OFFICIAL = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TEXTS = ["A cat sleeps on the mat.", "The price of oil rose by 3 %.", "Kittens rest on rugs."]


def test_the_bundled_weights_are_those_of_the_official_release():
    assert file_sha256(model_folder("minilm") / "model.safetensors") == OFFICIAL


def test_rows_are_float32_of_length_one_in_the_order_of_the_texts():
    vectors = embed_texts(TEXTS, DEFAULTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert vectors[0] @ vectors[2] > 0.4 > vectors[0] @ vectors[1]


@pytest.mark.parametrize("backend", BACKENDS)
def test_vectors_agree_with_sentence_transformers_in_float32(backend):
    from sentence_transformers import SentenceTransformer

    texts = [*TEXTS, "word " * 300, "", "Größe — 3.5×10⁶ kWh"]
    plain = SentenceTransformer(str(model_folder("minilm")), device="cpu", local_files_only=True)
    expected = plain.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    cosines = (embed_texts(texts, EmbeddingSettings(device="cpu", backend=backend)) * expected).sum(axis=1)
    assert cosines.min() >= 0.99
    assert cosines.mean() >= 0.999


def test_equal_texts_get_equal_rows_and_are_computed_once():
    found = embed(["a", "b", "a", "a"], DEFAULTS, None, "document")
    assert (found.cost.computed, found.reused) == (2, 0)
    assert np.array_equal(found.vectors[0], found.vectors[2])
    assert np.array_equal(found.vectors[0], found.vectors[3])


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_company_of_a_text_hardly_changes_its_vector(backend):
    settings = EmbeddingSettings(device="cpu", backend=backend)
    alone = np.concatenate([embed_texts([text], settings) for text in TEXTS])
    assert ((alone * embed_texts([*TEXTS, "word " * 200], settings)[:3]).sum(axis=1) > 0.999).all()


def test_no_texts_give_no_rows_of_the_right_width():
    assert embed_texts([], DEFAULTS).shape == (0, 384)
    assert embed_queries([], EmbeddingSettings(device="cpu", dim=64)).shape == (0, 64)


def test_half_a_surrogate_pair_is_embedded_as_a_question_mark():
    vectors = embed_texts(["half \ud800", "half ?"], DEFAULTS)
    assert vectors[0] @ vectors[1] > 0.999


def test_dimensions_are_cut_and_normalised_again():
    whole, cut = embed_texts(TEXTS, DEFAULTS), embed_texts(TEXTS, EmbeddingSettings(device="cpu", dim=64))
    assert cut.shape == (3, 64)
    assert np.allclose(cut, whole[:, :64] / np.linalg.norm(whole[:, :64], axis=1, keepdims=True), atol=1e-3)


def test_more_dimensions_than_the_model_has_are_refused():
    with pytest.raises(ModelError, match=r"embedding\.dim is 500, but the model 'minilm' has 384 dimensions"):
        embed_texts(TEXTS, EmbeddingSettings(device="cpu", dim=500))


def test_queries_are_comparable_to_documents():
    query = embed_queries(["Where do cats sleep?"], DEFAULTS)
    assert (query @ embed_texts(TEXTS, DEFAULTS).T).argmax() == 0


def test_the_cache_is_used_and_filled(tmp_path):
    cache = RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA)
    first = embed(TEXTS[:2], DEFAULTS, cache, "document")
    again = embed(TEXTS, DEFAULTS, RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA), "document")
    assert (first.cost.computed, first.reused) == (2, 0)
    assert (again.cost.computed, again.reused) == (1, 2)
    assert np.array_equal(again.vectors[:2], first.vectors)


def test_cached_rows_are_found_by_the_hash_of_the_text_and_have_all_dimensions(tmp_path):
    cache = RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA)
    embed_texts(TEXTS[:1], EmbeddingSettings(device="cpu", dim=16), cache)
    assert text_sha256(TEXTS[0]) in cache
    assert len(cache.get_many([text_sha256(TEXTS[0])])["vector"][0]) == 384
    assert embed(TEXTS[:1], EmbeddingSettings(device="cpu", dim=32), cache, "document").cost.computed == 0


def test_what_was_computed_before_a_kill_is_durable(tmp_path):
    texts = ["word " * 300 + str(number) for number in range(66)]
    with RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA, flush_rows=1) as cache:
        reports = []
        embed(texts, DEFAULTS, cache, "document", lambda done, total: reports.append((done, total)))
    assert reports[-1] == (66, 66)
    assert len(reports) >= 2
    assert len(list(tmp_path.glob("part-*.parquet"))) == len(reports)


@pytest.mark.parametrize("backend", BACKENDS)
def test_chunks_cover_every_text_once_longest_first(backend):
    encoder = encoder_for(EmbeddingSettings(device="cpu", backend=backend))
    texts = ["word " * length for length in (3, 90, 1, 400)]
    chunks = list(encoder.chunks(texts, "document", "retrieval"))
    assert np.concatenate([chunk.rows for chunk in chunks]).tolist() == [3, 1, 0, 2]
    assert sum(chunk.truncated for chunk in chunks) == 1


def test_texts_that_are_too_long_are_counted_and_said():
    nodes = leaves_of("word " * 300, "short text")
    _, report = embed_leaves(nodes, DEFAULTS)
    assert report.metrics["truncated_texts"] == 1
    assert report.problems == ("1 of 2 texts exceed the embedding model's limit of 256 tokens and are truncated",)


def test_texts_that_are_too_long_are_counted_where_their_vectors_are_known(tmp_path):
    long = ["word " * 300, "1.5 " * 100]  # about 300 tokens each
    with RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA) as cache:
        first = embed([*long, "short text"], DEFAULTS, cache, "document").cost
        again = embed([*long, "short text", "other " * 400], DEFAULTS, cache, "document").cost
    assert (first.computed, first.truncated) == (3, 2)
    assert (again.computed, again.truncated) == (1, 3)


def leaves_of(*texts):
    """One document, one section, a paragraph with all texts as sentences, and an image placeholder."""
    count = len(texts)
    return pa.table(
        {
            "node_id": ["d", "d:1", "d:1:1", *(f"d:1:1:{at}" for at in range(count)), "d:1:2"],
            "parent_row": pa.array([-1, 0, 1, *([2] * count), 1], pa.int32()),
            "kind": ["document", "section", "paragraph", *(["sentence"] * count), "paragraph"],
            "text": ["d", "s", " ".join(texts), *texts, "[Image]"],
            "searchable": [False, False, True, *([True] * count), False],
        }
    )


def test_leaves_are_sentences_and_no_placeholders():
    table, report = embed_leaves(leaves_of("one text", "another text", "one text"), DEFAULTS)
    assert table["node_id"].to_pylist() == ["d:1:1:0", "d:1:1:1", "d:1:1:2"]
    assert table.schema.equals(vector_schema(384))
    assert (report.rows_computed, report.rows_reused, report.problems) == (2, 0, ())


def test_a_searchable_paragraph_without_sentences_is_a_leaf():
    nodes = leaves_of().set_column(4, "searchable", pa.array([False, False, True, False]))
    assert embed_leaves(nodes, DEFAULTS)[0]["node_id"].to_pylist() == ["d:1:1"]


@pytest.mark.parametrize("mode", ["full", "both"])
def test_paragraphs_are_embedded_directly_if_set(mode):
    table, report = embed_paragraphs(
        leaves_of("one text", "another"), EmbeddingSettings(device="cpu", paragraph_mode=mode)
    )
    assert table["node_id"].to_pylist() == ["d:1:1"]
    assert np.allclose(vector_matrix(table)[0], embed_texts(["one text another"], DEFAULTS)[0], atol=1e-2)
    assert report.rows_computed == 1


def test_in_mode_both_the_mean_and_the_direct_vector_of_a_paragraph_are_kept():
    settings, nodes = EmbeddingSettings(device="cpu", paragraph_mode="both"), leaves_of("one text", "another")
    direct = embed_paragraphs(nodes, settings)[0]
    main = propagate(nodes, embed_leaves(nodes, settings)[0], direct, settings)[0]
    mean = embed_texts(["one text", "another"], DEFAULTS).sum(axis=0)
    found = dict(zip(main["node_id"].to_pylist(), vector_matrix(main), strict=True))
    assert np.allclose(found["d:1:1"], mean / np.linalg.norm(mean), atol=1e-2)
    assert np.allclose(vector_matrix(direct), embed_texts(["one text another"], DEFAULTS), atol=1e-2)
    assert not np.allclose(found["d:1:1"], vector_matrix(direct)[0], atol=1e-2)


@pytest.mark.parametrize(("mode", "problems"), [("full", 1), ("both", 0)])
def test_a_paragraph_that_is_cut_is_a_problem_where_no_averaged_vector_holds_all_of_it(mode, problems):
    settings = EmbeddingSettings(device="cpu", paragraph_mode=mode)
    _, report = embed_paragraphs(leaves_of("word " * 300, "another"), settings)
    assert (len(report.problems), report.metrics["truncated_texts"]) == (problems, 1)


def test_averaged_paragraphs_are_an_empty_table_of_the_right_width():
    table, report = embed_paragraphs(leaves_of("one"), EmbeddingSettings(paragraph_mode="averaged"))
    assert (table.num_rows, report.rows_computed) == (0, 0)
    assert table.schema.equals(vector_schema(384))


def test_nothing_to_embed_is_an_empty_table():
    table, _ = embed_leaves(leaves_of().slice(0, 0), EmbeddingSettings(device="cpu", dim=48))
    assert table.schema.equals(vector_schema(48))


def test_captions_are_keyed_by_storage_key_and_blank_ones_left_out():
    rows = [
        {"storage_key": key, "document_id": "d", "page": 1, "idx": 1, "text": text, "caption_source": "page"}
        for key, text in (("img:d:p1:i1", "[img:a 9x9] A cat."), ("img:d:p1:i2", " "))
    ]
    captions = pa.Table.from_pylist(rows, schema=IMAGE_CAPTIONS)
    table, report = embed_images(DOCUMENT_IMAGES.empty_table(), captions, DEFAULTS)
    assert table["node_id"].to_pylist() == ["img:d:p1:i1"]
    assert report.rows_computed == 1


def test_the_key_depends_on_model_precision_task_and_side_only(tmp_path):
    key = model_key(DEFAULTS)
    same = EmbeddingSettings(device="cpu", dim=64, paragraph_mode="both", weighting="chars")
    assert model_key(same) == key
    assert model_key(EmbeddingSettings(device="cpu", task="text-matching")) != key
    assert model_key(DEFAULTS, "query") != key


def test_a_folder_of_equal_content_is_the_same_model(tmp_path):
    folder = tmp_path / "copy"
    for path in model_folder("minilm").rglob("*"):
        target = folder / path.relative_to(model_folder("minilm"))
        if path.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(path)
    assert model_identity(str(folder)) == model_identity("minilm")
    (folder / "vocab.txt").unlink()
    (folder / "vocab.txt").write_text("other", encoding="utf-8")
    assert model_identity(str(folder)) != model_identity("minilm")


def test_a_model_that_is_not_at_hand_ends_in_one_sentence(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match="'example/no-such-model' is not available") as caught:
        embed_texts(["text"], EmbeddingSettings(model="example/no-such-model"))
    assert "\n" not in str(caught.value)


def test_a_hub_that_does_not_answer_ends_in_one_sentence_soon(monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ModelError, match="is not available"):
        model_folder("example/no-such-model")


def test_a_name_that_no_model_can_have_is_not_at_hand(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match="is not available"):
        model_folder("no such model!")


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(ModelError, match="contains no config"):
        model_folder(str(tmp_path))


def test_a_broken_model_folder_is_refused_in_one_sentence(tmp_path):
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        embed_texts(["text"], EmbeddingSettings(model=str(tmp_path), device="cpu"))
    assert "\n" not in str(caught.value)


def test_the_width_is_known_without_loading_where_the_files_state_it(tmp_path):
    assert stated_dim(model_folder("minilm")) == 384
    assert stated_dim(tmp_path) is None


def test_an_absent_device_is_refused():
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has CUDA")
    with pytest.raises(ModelError, match=r"embedding\.device is 'cuda'"):
        choose_device("cuda")
    assert choose_device("auto") in {"cpu", "mps"}


def test_importing_the_folder_loads_no_model_library():
    program = "import sys, kohaku_lib.embedding, kohaku_lib.tree; print({'torch', 'openvino'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_hub_model_is_known_by_the_commit_of_its_revision(tmp_path):
    repository = tmp_path / "hub" / "models--some--model"
    for name, commit in (("main", "a" * 40), ("v2", "b" * 40)):
        (repository / "refs").mkdir(parents=True, exist_ok=True)
        (repository / "refs" / name).write_text(commit)
        (repository / "snapshots" / commit).mkdir(parents=True)
        (repository / "snapshots" / commit / "config.json").write_text("{}")
    program = (
        "from kohaku_lib.embedding.model_folder import model_identity as identity\n"
        f"print(*(identity('some/model', revision) for revision in (None, 'v2', '{'b' * 40}')))\n"
        "try: identity('some/model', 'v3')\n"
        "except Exception as error: print(error)"
    )
    environment = {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "PATH": ""}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    found, refused = done.stdout.splitlines()
    assert found.split() == [f"models--some--model@{commit * 40}" for commit in "abb"]
    assert refused.startswith("the embedding model 'some/model' at revision 'v3' is not available")
