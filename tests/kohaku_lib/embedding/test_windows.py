"""Texts longer than a model reads: windows that hold all of it, their mean, and their key in the cache."""

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.digests import text_sha256
from kohaku_lib.embedding import EMBEDDING_CACHE_SCHEMA, embed_leaves, embed_texts
from kohaku_lib.embedding.cached import embed
from kohaku_lib.embedding.encoder_selection import encoder_for
from kohaku_lib.embedding.vectors import normalized
from kohaku_lib.embedding.windows import estimated_spans, mean_vectors, tokenized_windows, windows_of
from kohaku_lib.settings import EmbeddingSettings
from kohaku_lib.storage import RowCache
from kohaku_lib.testing.tiny_models import tiny_bert

SETTINGS = EmbeddingSettings(device="cpu", long_texts="window")
CUT = EmbeddingSettings(device="cpu")
LONG = " ".join(f"word{number}" for number in range(400))  # a token for the word and some for its number


@given(st.integers(0, 200), st.integers(1, 50))
def test_windows_hold_every_token_in_order_and_all_are_full(count, most_tokens):
    text = "".join(chr(0x4E00 + at) for at in range(count))
    windows = windows_of(text, [(at, at + 1) for at in range(count)], most_tokens)
    if count <= most_tokens:
        assert windows == [text]
        return
    assert {len(window) for window in windows} == {most_tokens}
    places = [text.index(window) for window in windows]
    assert places == sorted(set(places))
    assert (places[0], places[-1]) == (0, count - most_tokens)
    assert all(after <= before + most_tokens for before, after in itertools.pairwise(places))


def test_neighbours_share_an_eighth():
    windows = windows_of("abcdefghijklmnopqrstuvwxyz", [(at, at + 1) for at in range(26)], 16)
    assert windows == ["abcdefghijklmnop", "klmnopqrstuvwxyz"]
    assert windows_of("abcdefghijklmno", [(at, at + 1) for at in range(15)], 8) == ["abcdefgh", "hijklmno"]


@given(st.text(max_size=80))
def test_estimated_spans_cover_the_text(text):
    spans = estimated_spans(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(end > start for start, end in spans)


def test_only_texts_with_more_bytes_than_tokens_are_tokenised():
    tokenised = []

    def spans_of(texts):
        tokenised.extend(texts)
        return [[(at, at + 1) for at in range(len(text))] for text in texts]

    assert tokenized_windows(["abcd", "abcdefgh", "ééé"], spans_of, 5) == [
        ["abcd"],
        ["abc", "cde", "efg", "fgh"],
        ["ééé"],
    ]
    assert tokenised == ["abcdefgh", "ééé"]


def test_the_mean_counts_every_window_alike():
    rows = np.array([[10.0, 0.0], [0.0, 0.1], [0.0, 5.0]])
    assert np.allclose(mean_vectors(rows, np.array([0, 0, 1])), [[0.5**0.5, 0.5**0.5], [0.0, 1.0]])


@pytest.mark.parametrize("backend", ["openvino", "torch"])
def test_a_long_text_is_the_mean_of_its_windows_each_of_which_is_read_whole(backend):
    settings = SETTINGS.model_copy(update={"backend": backend})
    (windows,) = encoder_for(settings).windows([LONG], "document", "retrieval")
    found = embed([LONG], settings, None, "document")
    assert (found.cost.computed, found.cost.windowed, found.cost.windows) == (1, 1, len(windows))
    assert found.cost.truncated == 0
    mean = normalized(embed_texts(windows, settings).mean(axis=0, keepdims=True))
    assert (found.vectors * mean).sum() > 0.999
    assert windows[0].startswith("word0 ")
    assert windows[-1].endswith("399")


def test_text_behind_the_limit_counts_in_windows_only():
    other = LONG + " and a cat sleeps on the mat" * 20
    cut = embed_texts([LONG, other], CUT)
    windowed = embed_texts([LONG, other], SETTINGS)
    assert cut[0] @ cut[1] > 0.999
    assert windowed[0] @ windowed[1] < 0.99


def test_short_texts_keep_their_key_and_long_ones_get_another(tmp_path):
    cache = RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA)
    embed(["short", LONG], CUT, cache, "document")
    windowed = embed(["short", LONG], SETTINGS, cache, "document")
    assert (windowed.cost.computed, windowed.reused) == (1, 1)
    assert text_sha256(LONG) in cache
    assert f"{text_sha256(LONG)}.windows" in cache
    again = embed([LONG, "short", LONG], SETTINGS, RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA), "document")
    assert (again.cost.computed, again.reused) == (0, 2)
    assert np.array_equal(again.vectors[0], windowed.vectors[1])
    back = embed([LONG], CUT, RowCache(tmp_path, EMBEDDING_CACHE_SCHEMA), "document")
    assert (back.cost.computed, back.reused) == (0, 1)
    assert not np.allclose(back.vectors[0], again.vectors[0], atol=1e-3)


def test_the_stage_counts_windows_and_reports_no_problem():
    nodes = pa.table(
        {
            "node_id": ["d:1", "d:2"],
            "parent_row": pa.array([-1, -1], pa.int32()),
            "kind": ["paragraph", "paragraph"],
            "text": [LONG, "short"],
            "searchable": [True, True],
        }
    )
    _, report = embed_leaves(nodes, SETTINGS)
    assert report.problems == ()
    assert (report.metrics["truncated_texts"], report.metrics["windowed_texts"]) == (0, 1)
    assert report.metrics["windows"] >= 4


def test_the_prompt_takes_its_part_of_the_room(tmp_path, monkeypatch):
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path / "cache"))
    prompts = {"query": "one two three four five six seven eight: "}
    folder = str(tiny_bert(tmp_path / "model", most_tokens=32, prompts=prompts))
    for backend in ("openvino", "torch"):
        encoder = encoder_for(EmbeddingSettings(model=folder, device="cpu", backend=backend))
        text = "word " * 60
        question_words, node_words = (
            len(encoder.windows([text], side, "retrieval")[0][0].split()) for side in ("query", "document")
        )
        assert (question_words, node_words) == (32 - 2 - 9 - 2, 32 - 2 - 2)
        chunks = list(encoder.chunks(encoder.windows([text], "query", "retrieval")[0], "query", "retrieval"))
        assert sum(chunk.truncated for chunk in chunks) == 0
