"""A cross-encoder in this process: its scores, what is refused, the cache in front of it."""

import numpy as np
import pytest

from kohaku_lib.errors import InputFileError, ModelError
from kohaku_lib.retrieval.rerank import (
    RERANK_CACHE_SCHEMA,
    RerankDependencies,
    build_rerankers,
    read_calibration,
    rerank,
    write_calibration,
)
from kohaku_lib.retrieval.rerank.cached import CachedReranker
from kohaku_lib.retrieval.rerank.cross_encoder import CrossEncoderReranker
from kohaku_lib.settings import RerankSettings
from kohaku_lib.storage import RowCache
from kohaku_lib.testing.tiny_cross_encoder import tiny_cross_encoder

QUERY = "How long do cats sleep?"
TEXTS = ["Cats sleep for 15 hours.", "Dogs bark.", "The price of oil rose. " * 30, "Shoes are leather."]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return str(tiny_cross_encoder(tmp_path_factory.mktemp("models") / "tiny"))


class Counting:
    """A reranker that scores by length and counts what it is asked."""

    name = "counting"

    def __init__(self, unknown=()):
        self.asked, self.unknown = [], unknown

    def scores(self, query, texts, question_id):
        self.asked.append((query, list(texts)))
        return [None if text in self.unknown else min(len(text) / 100, 1.0) for text in texts]


def test_scores_are_the_sigmoids_of_the_models_own_logits(tiny):
    import torch
    from sentence_transformers import CrossEncoder

    plain = CrossEncoder(tiny, device="cpu", local_files_only=True)
    logits = plain.predict(
        [(QUERY, text) for text in TEXTS], activation_fn=torch.nn.Identity(), show_progress_bar=False
    )
    found = CrossEncoderReranker(tiny, "cpu").scores(QUERY, TEXTS, "q1")
    assert found == pytest.approx(1 / (1 + np.exp(-np.asarray(logits, np.float64))), abs=1e-5)
    assert len({round(score, 6) for score in found}) == 4


def test_a_score_does_not_depend_on_the_company_of_its_pair(tiny):
    reranker = CrossEncoderReranker(tiny, "cpu")
    alone = [reranker.scores(QUERY, [text], "q1")[0] for text in TEXTS]
    assert reranker.scores(QUERY, TEXTS * 20, "q1") == pytest.approx(alone * 20, abs=1e-5)
    assert reranker.scores(QUERY, [], "q1") == []


def test_it_is_named_by_its_folder_or_its_name_on_the_hub(tiny):
    assert CrossEncoderReranker(tiny).name == "local:tiny"
    assert CrossEncoderReranker("some/model").name == "local:some/model"


def test_a_model_with_several_outputs_is_refused(tmp_path):
    three = str(tiny_cross_encoder(tmp_path / "three", outputs=3))
    with pytest.raises(ModelError, match=r"must be a cross-encoder with one output, but .* has 3"):
        CrossEncoderReranker(three, "cpu").scores(QUERY, TEXTS, "q1")


def test_a_model_that_is_not_at_hand_or_broken_fails_in_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match=r"'some/model' is not available .*: set rerank\.local_model to a folder"):
        CrossEncoderReranker("some/model", "cpu").scores(QUERY, TEXTS, "q1")
    with pytest.raises(ModelError, match=r"rerank\.local_model must be a sentence-transformers model"):
        CrossEncoderReranker(str(tmp_path), "cpu").scores(QUERY, TEXTS, "q1")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="cannot be loaded by sentence-transformers"):
        CrossEncoderReranker(str(tmp_path), "cpu").scores(QUERY, TEXTS, "q1")


def test_a_model_that_is_not_at_hand_leaves_the_order_and_says_why(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    settings = RerankSettings(kind="local", local_model="some/model")
    with RowCache(tmp_path, RERANK_CACHE_SCHEMA) as cache:
        found = rerank(build_rerankers(settings, RerankDependencies(cache=cache, device="cpu")), QUERY, TEXTS, "q1")
    assert (found.scores, found.by) == ([None] * 4, None)
    assert "is not available" in found.failures[0]


def test_a_pair_that_the_cache_holds_is_not_computed_again(tiny, tmp_path):
    settings = RerankSettings(kind="local", local_model=tiny)
    [first] = build_rerankers(settings, RerankDependencies(cache=RowCache(tmp_path, RERANK_CACHE_SCHEMA), device="cpu"))
    found = first.scores(QUERY, TEXTS[:2], "q1")
    [again] = build_rerankers(settings, RerankDependencies(cache=RowCache(tmp_path, RERANK_CACHE_SCHEMA), device="cpu"))
    assert again.name == "local:tiny"
    assert again.scores(QUERY, TEXTS[1::-1], "q2") == found[::-1]
    assert len(RowCache(tmp_path, RERANK_CACHE_SCHEMA)) == 2


def test_only_what_is_missing_is_asked_once_per_distinct_text_and_kept(tmp_path):
    counting = Counting()
    reranker = CachedReranker(counting, RowCache(tmp_path, RERANK_CACHE_SCHEMA), "model a")
    assert reranker.scores("q", ["aa", "bbbb"], "1") == [0.02, 0.04]
    assert reranker.scores("q", ["cccccc", "bbbb", "cccccc"], "1") == [0.06, 0.04, 0.06]
    assert reranker.scores("other", ["aa"], "1") == [0.02]
    assert counting.asked == [("q", ["aa", "bbbb"]), ("q", ["cccccc"]), ("other", ["aa"])]
    other = CachedReranker(counting, RowCache(tmp_path, RERANK_CACHE_SCHEMA), "model b")
    other.scores("q", ["aa"], "1")
    assert counting.asked[-1] == ("q", ["aa"])


def test_an_unknown_score_is_asked_for_again(tmp_path):
    counting = Counting(unknown={"bb"})
    reranker = CachedReranker(counting, RowCache(tmp_path, RERANK_CACHE_SCHEMA), "model")
    assert reranker.scores("q", ["aa", "bb"], "1") == [0.02, None]
    assert reranker.scores("q", ["aa", "bb"], "1") == [0.02, None]
    assert counting.asked == [("q", ["aa", "bb"]), ("q", ["bb"])]


@pytest.mark.parametrize("kind", ["served", "chat", "local"])
def test_a_kind_that_is_named_but_not_set_up_is_an_error(kind):
    with pytest.raises(ModelError, match=r"needs"):
        build_rerankers(RerankSettings(kind=kind), RerankDependencies())


def test_auto_without_anything_set_up_reranks_nothing():
    assert build_rerankers(RerankSettings(kind="auto"), RerankDependencies()) == []


def test_a_calibration_keeps_what_it_says_of_other_rerankers(tmp_path):
    path = tmp_path / "calibration.json"
    write_calibration(path, {"local:a": [0.9, 0.2]})
    write_calibration(path, {"served:b": [0.5]})
    write_calibration(path, {"local:a": [0.7]})
    assert read_calibration(path) == {"local:a": [0.7], "served:b": [0.5]}


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"a": [1.5]}', '{"a": ["x"]}'])
def test_a_file_that_is_no_calibration_is_refused(text, tmp_path):
    path = tmp_path / "calibration.json"
    path.write_text(text)
    with pytest.raises(InputFileError, match="the calibration file"):
        read_calibration(path)
    with pytest.raises(InputFileError, match="cannot be read"):
        read_calibration(tmp_path / "absent.json")
