"""The profiles against what their sources say, written down again here by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from kohaku_lib.composition import load_settings
from kohaku_lib.settings import Settings, leaf_fields, pick, value_of
from kohaku_lib.settings.profiles import ALL_PROFILES, PROFILES
from kohaku_lib.settings.profiles.neutral import NEUTRAL
from kohaku_lib.settings.profiles.of_no_system import OF_NO_SYSTEM, is_of_no_system

UNLIMITED = 2**31 - 1
NAMES = ("kohaku", "wattbot", "local", "fork", "triple_hybrid", "assistant", "fast")
# Row by row the values of the sources in the order of NAMES; "…" where a source says nothing and any value will do.
ANY = ...
SOURCES = {
    "documents.sections": ("pages", "pages", "pages", "pages", ANY, ANY, "headings"),
    "documents.tiling": (ANY, ANY, ANY, ANY, "always", ANY, "auto"),
    "documents.merge_strategy": (ANY, ANY, ANY, ANY, "last_ten", ANY, ANY),
    "documents.tile_threshold": (ANY, ANY, ANY, ANY, 2048, ANY, ANY),
    "tree.view": ("hierarchy", "hierarchy", "hierarchy", "hierarchy", "parent_child", "hierarchy", "hierarchy"),
    "tree.parent_tokens": (ANY, ANY, ANY, ANY, 1000, ANY, ANY),
    "tree.child_tokens": (ANY, ANY, ANY, ANY, 200, ANY, ANY),
    "tree.child_overlap_tokens": (ANY, ANY, ANY, ANY, 50, ANY, ANY),
    "tree.resegment": (False, False, False, False, False, ANY, True),
    "images.captions": ("off", "vision", "page", "page", "page", "page", "page"),
    "tree.parent_texts": ("payload", "payload", "payload", "payload", "joined", "joined", "joined"),
    "tree.search_placeholders": (True, True, False, False, False, False, False),
    "tree.sentence_splitter": ("regex", "regex", "regex", "regex", ANY, ANY, "guarded"),
    "tree.id_base": (1, 1, 0, 1, ANY, ANY, 1),
    "tree.id_scope": ("document", "document", "parent", "document", ANY, ANY, "parent"),
    "embedding.model": (
        "jinaai/jina-embeddings-v3",
        "jinaai/jina-embeddings-v4",
        "jinaai/jina-embeddings-v4",
        "jinaai/jina-embeddings-v4",
        "openai:text-embedding-3-large",
        ANY,
        "minilm",
    ),
    "embedding.dim": (None, 512, None, None, 1024, ANY, None),
    "embedding.precision": ("float32", "float32", ANY, ANY, ANY, ANY, ANY),
    "embedding.paragraph_mode": ("averaged", "both", "averaged", "averaged", ANY, ANY, "averaged"),
    "embedding.weighting": ("none", "none", "chars", "chars", ANY, ANY, "none"),
    "graph.enabled": (False, False, False, False, True, True, True),  # what a channel of weight 0 does not search
    "raptor.enabled": (False, False, False, False, False, True, False),
    "late.enabled": (False, False, False, False, False, True, False),
    "lightrag.enabled": (False, False, False, False, False, True, False),
    "planner.max_queries": (3, 4, 3, 4, 1, 1, 1),
    "planner.style": ("queries", "queries", "queries", "queries", "channels", "queries", ANY),
    "planner.routing": ("off", "off", "off", "off", "off", "complexity", "off"),
    "planner.hyde": (
        "off",
        "off",
        "off",
        "off",
        "off",
        "off",
        "off",
    ),  # a complex question of the assistant has one anyway
    "retrieval.top_k": (5, 16, 8, 8, 100, 15, 5),
    "retrieval.top_k_final": (None, 32, 10, 10, 20, 10, None),
    "retrieval.kinds": ("both", "both", "both", "both", "sentence", "both", "both"),
    "retrieval.candidates": (*["top_k_of_all"] * 4, "top_k", "top_k", "top_k"),
    "retrieval.channel_top_k": (
        *[{}] * 4,
        {"dense": 100, "lexical": 50, "graph": 50},
        {"dense": 15, "lexical": 15},
        {},
    ),
    "retrieval.deduplicate": (False, True, True, True, True, True, True),
    "retrieval.dedup_first": (True, True, False, True, ANY, ANY, ANY),
    "retrieval.consensus": ("none", "combined", "combined", "combined", ANY, "rrf", "none"),
    "retrieval.fusion": ("append", "append", "append", "append", "weighted_rrf", "rrf", "append"),
    "retrieval.rrf_k": (ANY, ANY, ANY, ANY, 60, 30, ANY),
    "retrieval.rank_lists": (ANY, ANY, ANY, ANY, "channel", "channel", ANY),
    "retrieval.dense_weight": (ANY, ANY, ANY, ANY, 0.8, ANY, ANY),
    "retrieval.lexical_weight": (ANY, ANY, ANY, ANY, 0.7, ANY, ANY),
    "retrieval.graph_weight": (0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0),
    "retrieval.raptor_weight": (
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        1.0,
        0.0,
    ),  # the assistant's all engines, for complex questions
    "retrieval.lightrag_weight": (0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0),
    "retrieval.late_weight": (0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0),
    "retrieval.graph_hops": (ANY, ANY, ANY, ANY, 1, 2, ANY),
    "retrieval.bm25_top_k": (0, 4, 0, 0, ANY, ANY, 0),
    "retrieval.bm25_order": ("query", "query", "query", "query", ANY, ANY, ANY),
    "retrieval.threshold": (-1.0, -1.0, 0.25, -1.0, -1.0, 0.40, -1.0),
    "retrieval.intent_hints": (False, False, False, False, False, True, False),
    "retrieval.parent_depth": (1, 1, 1, 1, 1, ANY, 1),
    "retrieval.parent_limit": ("document", "document", "document", "document", "paragraph", ANY, "paragraph"),
    "retrieval.child_depth": (1, 0, 0, 0, 0, 0, 0),
    "retrieval.snippet_dedup": ("none", "none", "none", "none", "tree", "tree", "tree"),
    "retrieval.snippet_tokens": (UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED, 400),
    "retrieval.context_tokens": (UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED, UNLIMITED, 4400, 6000),
    "retrieval.with_images": (False, True, False, False, False, False, False),
    "retrieval.top_k_images": (0, 2, 0, 0, 0, 0, 0),
    "rerank.kind": ("off", "off", "off", "off", "auto", "off", "off"),
    "rerank.top_n": (ANY, ANY, ANY, ANY, 20, ANY, ANY),
    "rerank.top_k": (None, None, None, None, 5, None, None),
    "rerank.safety_threshold": (None, None, None, None, 0.6, None, None),
    "rerank.denoise_alpha": (None, None, None, None, 0.5, None, None),
    "rerank.penalties": (
        *[{}] * 5,
        {"reference": 0.7, "glossary": 0.7, "toc": 0.5, "image_credit": 0.6},
        {},
    ),
    "rerank.semantic_dedup": (None, None, None, None, None, 0.95, None),
    "rerank.verify": ("none", "none", "none", "none", "none", "quick", "none"),
    "llm.provider": ("openrouter", "openrouter", "local", "local", "openrouter", "openrouter", None),
    "llm.model": ("openai/gpt-4o-mini", "openai/gpt-oss-120b", ANY, ANY, "openai/gpt-5", ANY, ANY),
    "embedding.images": ("captions", "direct", *["captions"] * 5),
    "vectors.ann": ("off", "off", "off", "off", "usearch", "off", "off"),
    "llm.dtype": (ANY, ANY, "4bit", "4bit", ANY, ANY, ANY),
    "llm.call_retries": (10, 10, ANY, ANY, ANY, 3, ANY),
    "llm.retry_base_s": (3.0, 3.0, ANY, ANY, ANY, 1.0, ANY),
    "llm.retry_factor": (1.414, 1.414, ANY, ANY, ANY, 2.0, ANY),
    "llm.max_tokens": (ANY, ANY, 512, 512, ANY, ANY, ANY),
    "llm.max_concurrent": (32, 32, 5, 10, ANY, ANY, ANY),
    "answer.context_first": (False, True, False, True, ANY, ANY, ANY),
    "answer.snippet_order": (*["front_loaded"] * 5, "sandwich", "front_loaded"),
    "answer.max_retries": (0, 2, 3, 2, ANY, ANY, 0),
    "answer.deepening": ("linear", "linear", "linear", "linear", ANY, ANY, ANY),
    "answer.replan_on_retry": (True, True, ANY, ANY, ANY, ANY, False),
    "answer.overflow": ("minus_one", "minus_one", "minus_two", "minus_two", ANY, ANY, ANY),
    "answer.cite": ("node", *["document"] * 6),
    "answer.prompt": (*["full"] * 7,),
    "answer.temperature": (ANY, ANY, 0.2, 0.2, ANY, ANY, ANY),
    "ensemble.runs": (1, 5, 1, 1, 1, 1, 1),
    "ensemble.min_runs": (1, 1, 2, 2, 1, 1, 1),
    "ensemble.ref_mode": ("union", "answer_priority", "union", "union", ANY, ANY, ANY),
    "ensemble.tie_break": ("first", "first", "first", "first", ANY, ANY, ANY),
    "ensemble.ignore_blank": (False, True, True, True, ANY, ANY, ANY),
}
# What only we have, at the value that switches it off, in every published system.
OURS_OFF = {
    "retrieval.related_share": 0.0,
    "retrieval.title_weight": 0.0,
    "retrieval.heading_weight": 0.0,
    "embedding.headings": False,
    "answer.headings": False,
    "answer.keep_unstated": True,
    "retrieval.planned_query_weight": 1.0,
    "retrieval.evidence_share": 0.0,
    "retrieval.document_weight": 0.0,
}


def settings_of(name, *overrides):
    return load_settings(overrides=[f"profile={name}", *overrides], environment={}, folder=Path("/")).settings


@pytest.mark.parametrize("key", SOURCES)
def test_the_value_of_a_setting_in_every_profile_is_that_of_its_source(key):
    expected = dict(zip(NAMES, SOURCES[key], strict=True))
    stated = {name: value for name, value in expected.items() if value is not ANY}
    assert {name: value_of(settings_of(name), key) for name in stated} == stated


@pytest.mark.parametrize("key", OURS_OFF)
def test_what_only_we_have_is_off_in_every_profile(key):
    assert {name: value_of(settings_of(name), key) for name in NAMES} == dict.fromkeys(NAMES, OURS_OFF[key])


def test_the_names_of_the_profiles_are_those_that_the_setting_takes():
    literal, _ = get_args(Settings.model_fields["profile"].annotation)
    assert get_args(literal) == tuple(PROFILES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_is_set_by_a_profile_or_declared_to_be_of_no_system(name):
    """A new setting goes into NEUTRAL, also into the profiles whose sources have it, or into OF_NO_SYSTEM."""
    of_systems = {key for key in leaf_fields() if not is_of_no_system(key)}
    assert set(PROFILES[name]) == of_systems
    assert set(leaf_fields()) >= OF_NO_SYSTEM


@pytest.mark.parametrize("name", NAMES)
def test_the_settings_under_a_profile_are_its_values(name):
    settings = settings_of(name)
    profile = dict(PROFILES[name])
    assert pick(settings, profile) == {
        key: list(value) if isinstance(value, tuple) else value for key, value in profile.items()
    }


def test_every_value_of_a_profile_names_its_source():
    assert [profile.name for profile in ALL_PROFILES for _, source in profile.own.values() if not source] == []


def test_no_profile_repeats_a_setting_that_belongs_to_the_user():
    assert [key for profile in ALL_PROFILES for key in (*profile.own, *NEUTRAL) if is_of_no_system(key)] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_profile_works_with_the_bundled_model_and_no_language_model(name):
    page = (Path(__file__).parents[4] / "docs" / "profiles.md").read_text("utf-8")
    [command] = re.findall(r"Without a download or a key, .*: `(.*)`", page)
    told = [option.removeprefix("--set ") for option in command.split(" --set ")]
    assert told[0] == "profile=kohaku"
    found = settings_of(name, *told[1:])
    assert (found.embedding.model, found.answer.by, found.vectors.ann) == ("minilm", "reader", "off")
