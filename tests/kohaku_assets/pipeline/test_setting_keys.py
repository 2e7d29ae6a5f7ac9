"""The settings that the selected kinds of rerankers and chat models read, and no others."""

import json

import pytest

from kohaku_assets.pipeline.effective_values import rerank_identities
from kohaku_assets.pipeline.retrieval_keys import rerank_keys
from kohaku_assets.pipeline.setting_keys import Implied, chat_keys
from kohaku_assets.pipeline.stages import STAGES
from kohaku_assets.pipeline.stages.answer import asking_keys
from kohaku_assets.pipeline.staleness import stage_input_key, stage_version
from kohaku_lib.digests import file_sha256
from kohaku_lib.settings import Settings, leaf_fields

RERANKED = {"rerank.weight", "rerank.safety_threshold", "rerank.denoise_alpha", "rerank.score_gap", "rerank.conformal"}
ALWAYS = {
    "rerank.kind",
    "rerank.penalties",
    "rerank.semantic_dedup",
    "rerank.verify",
    "rerank.mmr",
    "rerank.top_k",
}


def keys(has_chat=False, **rerank):
    return counted(rerank_keys(Settings(rerank=rerank), has_chat=has_chat))


def counted(keys):
    return {key for key in keys if not isinstance(key, Implied)}


def test_without_a_reranker_only_the_switches_are_read():
    assert keys() == ALWAYS


@pytest.mark.parametrize(
    ("rerank", "more"),
    [
        ({"kind": "local", "local_model": "x"}, {"rerank.top_n", "rerank.local_model", *RERANKED}),
        ({"kind": "embedding_similarity"}, {"rerank.top_n", *RERANKED}),
        ({"mmr": 0.0}, {"rerank.top_n", "rerank.mmr_k"}),  # 0 is a weight, not "off"
        ({"verify": "quick"}, {"rerank.verify_cosine"}),
        (
            {"verify": "standard"},
            {"rerank.top_n", "rerank.verify_grade", "llm.provider", "llm.model", "llm.max_tokens"},
        ),
        (
            {"verify": "thorough", "chat_model": "m"},
            {"rerank.top_n", "rerank.verify_grade", "llm.provider", "rerank.chat_model", "llm.max_tokens"},
        ),
    ],
)
def test_each_switch_adds_the_settings_that_it_reads(rerank, more):
    assert keys(has_chat=True, **rerank) == ALWAYS | more


def test_the_error_of_a_calibration_is_read_only_with_its_file(tmp_path):
    assert "rerank.conformal_error" not in keys(kind="embedding_similarity")
    assert "rerank.conformal_error" in keys(kind="embedding_similarity", conformal=tmp_path / "c.json")


def test_a_chat_model_that_is_not_available_adds_nothing_to_auto():
    assert keys(kind="auto") == ALWAYS
    assert keys(kind="auto", has_chat=True) > ALWAYS


def test_every_key_is_a_setting(tmp_path):
    settings = Settings(
        rerank={"kind": "auto", "mmr": 0.5, "verify": "thorough", "conformal": tmp_path / "c.json", "local_model": "x"},
        retrieval={"top_k_images": 2},
        answer={"send_images": True},
        llm={"provider": "openai", "fallback": {"provider": "openrouter"}},
    )
    yielded = {*rerank_keys(settings, has_chat=True), *asking_keys(settings), *chat_keys(settings)}
    assert yielded <= set(leaf_fields())


def test_a_calibration_counts_by_its_content_and_not_by_its_path(tmp_path):
    identity = rerank_identities()["rerank.conformal"]
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    assert identity(Settings()) is None
    assert identity(Settings(rerank={"conformal": paths[0]})) == "missing"
    for path in paths:
        path.write_text(json.dumps({"local:x": [0.5]}))
    first, second = (identity(Settings(rerank={"conformal": path})) for path in paths)
    assert first == second == file_sha256(paths[0])


def test_figures_are_read_for_the_prompt_only_as_far_as_they_are_sent():
    shown = Settings(retrieval={"top_k_images": 2})
    sent = Settings(retrieval={"top_k_images": 2}, answer={"send_images": True})
    assert counted(asking_keys(shown)) - counted(asking_keys(Settings())) == {"answer.send_images"}
    assert set(asking_keys(sent)) - set(asking_keys(shown)) == {"answer.max_images", "answer.max_image_mb"}


def test_a_fallback_model_counts_only_with_its_provider():
    assert not any(
        key.startswith("llm.fallback") for key in counted(chat_keys(Settings(llm={"fallback": {"model": "m"}})))
    )
    named = set(chat_keys(Settings(llm={"fallback": {"provider": "openai"}})))
    assert {"llm.fallback.provider", "llm.fallback.model"} <= named


def test_a_setting_with_a_new_name_leaves_versions_and_keys_as_they_were():
    stage = STAGES["retrieved_context"]
    first, present = {"retrieval.rerank": "rrf"}, {"retrieval.consensus": "rrf"}
    parents = dict.fromkeys(stage.reads, "v1")
    assert stage_version(stage, first, None, parents) == stage_version(stage, present, None, parents)
    assert stage_input_key(stage, first, None, parents) == stage_input_key(stage, present, None, parents)
