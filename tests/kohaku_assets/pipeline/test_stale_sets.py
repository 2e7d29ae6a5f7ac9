"""Walks every leaf of the settings and asserts the exact set of assets that a change of it makes stale."""

import json

import pytest

from kohaku_assets.pipeline.result_free import RESULT_FREE
from kohaku_assets.pipeline.stages import STAGES, with_descendants
from kohaku_assets.pipeline.staleness import FILES, projected_versions
from kohaku_lib.composition import load_settings
from kohaku_lib.settings import leaf_fields
from kohaku_lib.settings.profiles import PROFILES

READING = ("llm.provider=openai", "llm.model=small", "graph.extractor=chat")
CHAT = ("llm.provider=openai", "llm.model=small")
TEXT = (*CHAT, "answer.form=text")
FALLBACK = (*CHAT, "llm.fallback.provider=openrouter")
FIGURES = (*CHAT, "retrieval.top_k_images=2")
SHOWN = (*FIGURES, "answer.send_images=true")
VISION = (*CHAT, "images.captions=vision")
APPEND, MINMAX, RRF = ("retrieval.fusion=append",), ("retrieval.fusion=minmax",), ("retrieval.fusion=weighted_rrf",)
TESSERACT = ("documents.ocr=tesseract",)
PLAIN_VOTE = ("ensemble.ref_mode=answer_priority",)
QUANTISED = (
    "vectors.precision=float16",
)  # approximate in any case, so that retrieval.rescore is read before and after
CHUNKS = ("tree.view=parent_child",)
BOTH = ("embedding.paragraph_mode=both",)
RAPTOR, LATE, LIGHTRAG = ("raptor.enabled=true",), ("late.enabled=true",), ("lightrag.enabled=true",)
RAPTOR_CHAT = (*RAPTOR, "llm.provider=openai", "llm.model=small", "raptor.summariser=chat")
LIGHTRAG_CHAT = (*LIGHTRAG, "llm.provider=openai", "llm.model=small", "lightrag.summariser=chat")
SERVED = ("embedding.model=openai:small", *BOTH)
EMBEDDINGS = ["sentence_embeddings", "paragraph_embeddings", "image_embeddings"]

# setting: (the assets that read it, another value, settings under which it is read)
SUGGESTED = "suggested_questions"
READERS = {
    "store": ([], "elsewhere", ()),
    "corpus.documents": ([], "moved", ()),  # the content behind a path counts; see the file tests below
    "corpus.metadata": ([], "moved.csv", ()),
    "corpus.questions": ([], "moved.csv", ()),
    "corpus.org_id": (["documents"], "other", ()),
    "corpus.follow_links": ([], "true", ()),  # and so does this
    "corpus.missing_roots": ([], "delete", ()),
    "corpus.use_citations": ([], "true", ()),  # it changes what source_files lists
    "documents.parser": (["documents"], "blocks", ()),
    "documents.sections": (["documents"], "pages", ()),
    "documents.headers_footers": (["documents"], "keep", ()),
    "documents.hidden_cells": (["documents"], "keep", ()),
    "documents.ocr": (["documents"], "rapidocr", TESSERACT),
    "documents.ocr_language": (["documents"], "deu", TESSERACT),
    "documents.ocr_dpi": (["documents"], "200", TESSERACT),
    "documents.ocr_confidence": (["documents"], "0.5", TESSERACT),
    "documents.ocr_retries": (["documents"], "0", TESSERACT),
    "documents.tiling": (["documents"], "off", TESSERACT),
    "documents.tile_threshold": (["documents"], "1500", TESSERACT),
    "documents.tile_size": (["documents"], "768", TESSERACT),
    "documents.tile_overlap": (["documents"], "64", TESSERACT),
    "documents.max_tiles": (["documents"], "9", TESSERACT),
    "documents.merge_strategy": (["documents"], "vote", TESSERACT),
    "documents.fuzzy_ratio": (["documents"], "0.85", TESSERACT),
    "documents.min_image_size": (["documents"], "10", ()),
    "documents.time_limit_s": (["documents"], "5.0", ()),
    "documents.memory_limit_mb": (["documents"], "2048", ()),
    "images.max_side_px": (["document_images"], "512", ()),
    "images.quality": (["document_images"], "80", ()),
    "images.captions": (["image_captions"], "vision", CHAT),
    "images.caption_model": (["image_captions"], "eye", VISION),
    "images.caption_max_tokens": (["image_captions"], "99", VISION),
    "images.caption_concurrent": ([], "2", VISION),
    "tree.view": (["tree_nodes"], "parent_child", ()),
    "tree.parent_tokens": (["tree_nodes"], "800", CHUNKS),
    "tree.child_tokens": (["tree_nodes"], "100", CHUNKS),
    "tree.child_overlap_tokens": (["tree_nodes"], "0", CHUNKS),
    "tree.resegment": (["tree_nodes"], "false", ()),
    "tree.parent_texts": (["tree_nodes"], "payload", ()),
    "tree.search_placeholders": (["tree_nodes"], "true", ()),
    "tree.sentence_splitter": (["tree_nodes"], "regex", ()),
    "tree.min_sentence_chars": (["tree_nodes"], "5", ()),
    "tree.id_base": (["tree_nodes"], "0", ()),
    "tree.id_scope": (["tree_nodes"], "document", ()),
    "embedding.model": (EMBEDDINGS, "other", BOTH),
    "embedding.dim": (EMBEDDINGS, "128", BOTH),
    "embedding.task": (EMBEDDINGS, "code", BOTH),
    "embedding.precision": (EMBEDDINGS, "float32", BOTH),
    "embedding.long_texts": (EMBEDDINGS, "window", BOTH),
    "embedding.revision": (EMBEDDINGS, "v2", ("embedding.model=some/model", *BOTH)),
    "llm.trust_remote_code": ([], "true", ()),  # as with embeddings
    "embedding.trust_remote_code": ([], "true", ()),  # a model that needs it is refused without
    "embedding.images": (["image_embeddings"], "direct", ("embedding.model=some/clip",)),
    "embedding.server_dimensions": (EMBEDDINGS, "256", SERVED),
    "embedding.input_tokens": (EMBEDDINGS, "512", SERVED),
    "embedding.base_url": ([], "http://127.0.0.1:1/v1", SERVED),
    "embedding.api_key_env": ([], "MY_KEY", SERVED),
    "embedding.batch_size": ([], "16", SERVED),
    "embedding.request_tokens": ([], "5000", SERVED),
    "embedding.max_concurrent": ([], "2", SERVED),
    "embedding.call_retries": ([], "1", SERVED),
    "embedding.retry_base_s": ([], "0.5", SERVED),
    "embedding.timeout_s": ([], "5.0", SERVED),
    "embedding.max_reply_mb": ([], "5.0", SERVED),
    "embedding.usd_per_million_tokens": ([], "0.1", SERVED),
    "embedding.paragraph_mode": (["paragraph_embeddings", "node_embeddings"], "full", ()),
    "embedding.headings": (["sentence_embeddings"], "false", ()),
    "embedding.weighting": (["node_embeddings"], "chars", ()),
    "embedding.device": ([], "cpu", ()),
    "embedding.backend": ([], "torch", ()),
    "vectors.precision": (["vector_tables"], "int8", QUANTISED),
    "vectors.ann": (["vector_tables"], "usearch", QUANTISED),
    "lexical.k1": (["vector_tables"], "0.7", ()),
    "lexical.b": (["vector_tables"], "0.6", ()),
    "lexical.stemmer": (["lexical_index"], "none", ()),
    "graph.enabled": (["knowledge_graph"], "false", ()),
    "graph.extractor": (["knowledge_graph"], "chat", CHAT),
    "graph.model": (["knowledge_graph"], "small", READING),
    "graph.entity_types": (["knowledge_graph"], '["SPECIES"]', READING),
    "graph.relation_types": (["knowledge_graph"], '["OWNS"]', READING),
    "graph.max_tokens": (["knowledge_graph"], "99", READING),
    "graph.max_concurrent": ([], "2", READING),
    "raptor.enabled": (["raptor_summaries"], "true", ()),
    "raptor.cluster_size": (["raptor_summaries"], "5", RAPTOR),
    "raptor.levels": (["raptor_summaries"], "2", RAPTOR),
    "raptor.summariser": (["raptor_summaries"], "chat", (*CHAT, *RAPTOR)),
    "raptor.summary_tokens": (["raptor_summaries"], "50", RAPTOR),
    "raptor.model": (["raptor_summaries"], "other", RAPTOR_CHAT),
    "raptor.max_concurrent": ([], "2", RAPTOR_CHAT),
    "late.enabled": (["token_vectors"], "true", ()),
    "late.compression": (["vector_tables"], "residuals", LATE),
    "lightrag.enabled": (["lightrag_themes"], "true", ()),
    "lightrag.relations_per_entity": (["lightrag_themes"], "5", LIGHTRAG),
    "lightrag.min_community": (["lightrag_themes"], "4", LIGHTRAG),
    "lightrag.summariser": (["lightrag_themes"], "chat", (*CHAT, *LIGHTRAG)),
    "lightrag.summary_tokens": (["lightrag_themes"], "50", LIGHTRAG),
    "lightrag.model": (["lightrag_themes"], "other", LIGHTRAG_CHAT),
    "lightrag.max_concurrent": ([], "2", LIGHTRAG_CHAT),
    "planner.kind": (["query_plans"], "rule", CHAT),
    "planner.max_queries": (["query_plans", SUGGESTED], "5", ()),
    "planner.model": (["query_plans"], "small", CHAT),
    "planner.style": (["query_plans"], "variations", CHAT),
    "planner.hyde": (["query_plans"], "auto", CHAT),
    "planner.step_back": (["query_plans"], "always", CHAT),
    "planner.routing": (["query_plans", SUGGESTED], "rules", ()),
    "planner.classifier": (["query_plans"], "chat", (*CHAT, "planner.routing=rules")),
    "llm.provider": (["query_plans", "predictions"], "openrouter", CHAT),
    "llm.model": (["query_plans", "predictions"], "large", CHAT),
    "llm.base_url": ([], "http://127.0.0.1:1/v1", CHAT),
    "llm.api_key_env": ([], "MY_KEY", CHAT),
    "llm.max_concurrent": ([], "2", CHAT),
    "llm.call_retries": ([], "1", CHAT),
    "llm.retry_base_s": ([], "0.5", CHAT),
    "llm.retry_factor": ([], "1.5", CHAT),
    "llm.timeout_s": ([], "5.0", CHAT),
    "llm.max_reply_mb": ([], "5.0", CHAT),
    "llm.dtype": (["query_plans", "predictions"], "bf16", ("llm.provider=local",)),
    "llm.requests_per_minute": ([], "60", CHAT),
    "llm.tokens_per_minute": ([], "60000", CHAT),
    "llm.max_cost_usd": ([], "1.5", CHAT),
    "llm.batch": ([], "true", CHAT),
    "llm.batch_price_share": ([], "0.4", CHAT),
    "llm.fallback.provider": (["query_plans", "predictions"], "openrouter", CHAT),
    "llm.fallback.model": (["query_plans", "predictions"], "spare", FALLBACK),
    "llm.fallback.base_url": ([], "http://127.0.0.1:1/v1", FALLBACK),
    "llm.fallback.api_key_env": ([], "MY_KEY", FALLBACK),
    "llm.max_tokens": (["predictions"], "77", CHAT),
    "llm.prices": ([], "{m = {input_usd_per_million = 1.0, output_usd_per_million = 2.0}}", CHAT),
    "llm.models": (["predictions"], "{small = {context_window = 2048, top_p = 0.5}}", CHAT),
    "answer.by": (["query_plans", "predictions"], "reader", CHAT),
    "answer.form": (["predictions"], "text", CHAT),
    "answer.context_first": (["predictions"], "false", CHAT),
    "answer.snippet_order": (["predictions"], "sandwich", CHAT),
    "answer.headings": (["predictions"], "false", CHAT),
    "answer.send_images": (["predictions"], "true", FIGURES),
    "answer.max_images": (["predictions"], "2", SHOWN),
    "answer.max_image_mb": (["predictions"], "1.5", SHOWN),
    "answer.best_guess": (["predictions"], "true", CHAT),
    "answer.keep_unstated": (["predictions"], "true", CHAT),
    "answer.max_retries": (["predictions", SUGGESTED], "1", ()),
    "answer.deepening": (["predictions", SUGGESTED], "geometric", ()),
    "answer.replan_on_retry": (["predictions"], "true", (*CHAT, "answer.max_retries=2")),
    "answer.overflow": (["predictions"], "minus_one", CHAT),
    "answer.cite": (["predictions"], "node", CHAT),
    "answer.prompt": (["predictions"], "short", CHAT),
    "answer.temperature": (["predictions"], "1.0", CHAT),
    "answer.seed": (["predictions"], "7", CHAT),
    "answer.wrong_answer_penalty": (["predictions", SUGGESTED], "2.0", ()),
    "answer.read_passages": (["predictions", SUGGESTED], "8", ()),
    "ensemble.runs": (["predictions", SUGGESTED], "3", ()),
    "ensemble.min_runs": (["ensemble_votes"], "2", ()),
    "ensemble.ref_mode": (["ensemble_votes"], "union", ("ensemble.ref_mode=answer_priority",)),
    "ensemble.tie_break": (["ensemble_votes"], "blank", PLAIN_VOTE),
    "ensemble.ignore_blank": (["ensemble_votes"], "false", (*PLAIN_VOTE, "ensemble.ignore_blank=true")),
    "ensemble.seed": (["ensemble_votes"], "7", (*PLAIN_VOTE, "ensemble.tie_break=random")),
    "sweep": ([], "{s = {line = 'a', line_values = [1], x = 'b', x_values = [2]}}", ()),
    "submission.escape_formulas": (["submission"], "false", ()),
    "report.blank_cost": (["error_report"], "0.2", ()),
    "release.gate": ([], "false", ()),
    "release.retrieval_metric": ([], "mrr", ()),
    "release.answer_metric": ([], "fork", ()),
    "release.significance_level": ([], "0.01", ()),
    "fetch.max_concurrent": ([], "2", ()),
    "fetch.per_host": ([], "1", ()),
    "fetch.retries": ([], "1", ()),
    "fetch.retry_base_s": ([], "0.5", ()),
    "fetch.timeout_s": ([], "9", ()),
    "fetch.max_mb": ([], "50", ()),
    "fetch.allow_private": ([], "true", ()),
    "fetch.user_agent": ([], "me", ()),
    "assistant.level": ([], "basic", ()),
    "assistant.max_message_chars": ([], "9", ()),
    "assistant.chain_of_thought": (["predictions"], "true", TEXT),
    "assistant.extended_thinking": (["predictions"], "true", TEXT),
    "assistant.follow_ups": ([], "off", ()),
    "assistant.history_turns": ([], "5", ()),
    "assistant.sessions": ([], "5", ()),
    "assistant.cache": ([], "false", ()),
    "assistant.cache_mode": ([], "adaptive", ()),
    "assistant.cache_entries": ([], "5", ()),
    "assistant.cache_ttl_s": ([], "5.0", ()),
    "assistant.database": ([], "sqlite://", ()),
    "assistant.temperature": (["predictions"], "1.0", TEXT),
    "assistant.confidence": ([], "grounding", ()),
    "assistant.vote": ([], "best_of_n", ()),
    "assistant.model_size_b": (["predictions"], "7.0", TEXT),
    "assistant.context_window": (["predictions"], "4096", TEXT),
    "assistant.tool_calls": ([], "off", ()),
    "corpus.accepted_questions": ([], "moved.csv", ()),
    "corpus.org_folders": (["documents"], "true", ()),
    "backup.url": ([], "s3://bucket", ()),
    "backup.keep": ([], "2", ()),
    "backup.after_refresh": ([], "true", ()),
    "bucket.url": ([], "s3://bucket", ()),
    "bucket.keep": ([], "2", ()),
    "bucket.lease_s": ([], "20.0", ()),
    "bucket.upload_every_s": ([], "20.0", ()),
    "watch.failed_documents": ([], "0.2", ()),
    "watch.blank_answers": ([], "0.2", ()),
    "watch.unsupported_answers": ([], "0.2", ()),
    "watch.unfound_quotes": ([], "0.2", ()),
    "watch.published_within_days": ([], "2", ()),
    "watch.files_url": ([], "https://files.example", ()),
    "watch.webhook_env": ([], "OTHER", ()),
    "watch.webhook_format": ([], "json", ()),
    "watch.webhook_timeout_s": ([], "2.0", ()),
    "watch.store_budget_gb": ([], "2.0", ()),
    "watch.stale_after_h": ([], "2.0", ()),
    "server.connections_per_peer": ([], "9", ()),
    "server.head_timeout_s": ([], "5.0", ()),
    "server.workers": ([], "2", ()),
    "server.max_body_mb": ([], "2.0", ()),
    "server.max_upload_mb": ([], "2.0", ()),
    "server.body_timeout_s": ([], "2.0", ()),
    "server.requests_per_minute": ([], "2", ()),
    "server.requests_at_once": ([], "2", ()),
    "server.drain_s": ([], "2.0", ()),
    "server.hosts": ([], "['kohaku.example']", ()),
    "server.origins": ([], "['https://wiki.example']", ()),
    "server.dagster_url": ([], "http://127.0.0.1:3000", ()),
    "server.traces": ([], "http://127.0.0.1:4318/v1/traces", ()),
    "server.user_header": ([], "X-User", ()),
    "server.proxies": ([], "['10.0.0.2']", ()),
    **{
        f"resources.{kind}.{name}": ([], value, ())
        for kind in ("parse", "embed", "answer")
        for name, value in {"memory_gib": "8", "cpus": "2", "gpus": "1"}.items()
    },
    "parallel.kind": ([], "ray", ()),
    "parallel.workers": ([], "1", ()),
    "snapshots.keep": ([], "5", ()),
}


def versions(*overrides, documents="d1", questions="q1", folder):
    loaded = load_settings(overrides=overrides, environment={}, folder=folder)
    files = {"source_files": lambda: documents, "questions": lambda: questions}
    return projected_versions(loaded.settings, files, STAGES)


def moved(before, after):
    return [name for name in STAGES if before.get(name) != after.get(name)]


def test_the_table_names_every_setting():
    special = {key for key in leaf_fields() if key.startswith(("retrieval.", "rerank.", "replay.", "profile"))}
    assert set(READERS) | special == set(leaf_fields())


@pytest.mark.parametrize("key", READERS)
def test_a_changed_setting_makes_exactly_its_readers_and_their_descendants_stale(key, tmp_path):
    readers, value, base = READERS[key]
    if value is None:  # a setting with one value so far
        assert STAGES[readers[0]].slice(load_settings(environment={}, folder=tmp_path).settings)[key]
        return
    before = versions(*base, folder=tmp_path)
    after = versions(*base, f"{key}={value}", folder=tmp_path)
    settings = load_settings(overrides=[*base, f"{key}={value}"], environment={}, folder=tmp_path).settings
    assert moved(before, after) == with_descendants(readers, settings)


RETRIEVAL = {
    "top_k": ("12", ()),
    "top_k_final": ("4", ()),
    "paragraph_search_mode": ("both", BOTH),
    "deduplicate": ("false", ("retrieval.consensus=none",)),
    "kinds": ("sentence", ()),
    "candidates": ("top_k", ()),
    "channel_top_k": ("{dense = 5}", ()),
    "dedup_first": ("true", ()),
    "consensus": ("frequency", ("retrieval.consensus=combined",)),
    "fusion": ("append", MINMAX),
    "rrf_k": ("30", RRF),
    "rank_lists": ("channel", RRF),
    "dense_weight": ("0.31", MINMAX),
    "lexical_weight": ("0.31", MINMAX),
    "graph_weight": ("0.2", MINMAX),
    "graph_hops": ("2", (*MINMAX, "retrieval.graph_weight=0.1")),
    "raptor_weight": ("0.2", RAPTOR),
    "lightrag_weight": ("0.2", LIGHTRAG),
    "late_weight": ("0.2", LATE),
    "planned_query_weight": ("0.7", ()),
    "evidence_share": ("0.1", ()),
    "document_weight": ("0.6", ()),
    "title_weight": ("0.9", ()),
    "heading_weight": ("0.9", ()),
    "bm25_top_k": ("9", APPEND),
    "bm25_order": ("query", APPEND),
    "threshold": ("0.3", ()),
    "intent_hints": ("true", ()),
    "rescore": ("9", ("vectors.precision=int8",)),
    "parent_depth": ("2", ()),
    "parent_limit": ("section", ()),
    "child_depth": ("1", ()),
    "snippet_dedup": ("none", ()),
    "merge_duplicates": ("false", ()),
    "snippet_tokens": ("70", ()),
    "hop_weight": ("0.5", ()),
    "related_share": ("0.3", ()),
    "context_tokens": ("900", ()),
}
RETRIEVAL |= {
    "spelling": ("false", ()),
    "statement_words": ("false", ()),
    "with_images": ("true", ()),
    "top_k_images": ("2", ()),
}
NO_RESULT = {
    "graph_server": "http://127.0.0.1:1",
    "graph_server_timeout_s": "5.0",
    "channel_timeout_s": "5.0",
}  # they change when a search is given up, not what it finds


SERVED_RERANKER = (
    "rerank.kind=served",
    "rerank.base_url=http://127.0.0.1:1/v1",
    "rerank.served_model=small",
)
CHAT_RERANKER, GRADED = (*CHAT, "rerank.kind=chat"), (*CHAT, "rerank.verify=standard")
RERANK = {  # setting: (another value, settings under which it is read), or None where it changes no result
    "kind": ("auto", (*SERVED_RERANKER, *CHAT)),
    "weight": ("0.5", SERVED_RERANKER),
    "top_n": ("7", SERVED_RERANKER),
    "top_k": ("5", ()),
    "base_url": None,
    "served_model": ("large", SERVED_RERANKER),
    "api_key_env": None,
    "logits": ("true", SERVED_RERANKER),
    "batch_size": None,
    "call_retries": None,
    "retry_base_s": None,
    "timeout_s": None,
    "max_reply_mb": None,
    "chat_model": ("large", CHAT_RERANKER),
    "local_model": ("some/other", ("rerank.kind=local", "rerank.local_model=some/model")),
    "max_concurrent": None,
    "safety_threshold": ("0.5", SERVED_RERANKER),
    "denoise_alpha": ("0.4", SERVED_RERANKER),
    "score_gap": ("true", SERVED_RERANKER),
    "conformal": ("calibration.json", SERVED_RERANKER),
    "conformal_error": ("0.2", (*SERVED_RERANKER, "rerank.conformal=calibration.json")),
    "penalties": ("{reference = 0.7}", ()),
    "semantic_dedup": ("0.9", ()),
    "verify": ("quick", ()),
    "verify_cosine": ("0.2", ("rerank.verify=quick",)),
    "verify_grade": ("0.5", GRADED),
    "mmr": ("0.5", ()),
    "mmr_k": ("4", ("rerank.mmr=0.7",)),
}
OTHER = {
    "base_url": "http://127.0.0.1:2/v1",
    "api_key_env": "MY_KEY",
    "batch_size": "8",
    "call_retries": "1",
    "retry_base_s": "0.5",
    "timeout_s": "5.0",
    "max_reply_mb": "5.0",
    "max_concurrent": "2",
}


def test_the_rerank_table_names_every_rerank_setting():
    assert {f"rerank.{name}" for name in RERANK} == {key for key in leaf_fields() if key.startswith("rerank.")}


@pytest.mark.parametrize("name", RERANK)
def test_a_rerank_setting_makes_the_context_and_what_follows_stale_where_it_changes_a_result(name, tmp_path):
    value, base = RERANK[name] or (OTHER[name], SERVED_RERANKER)
    before = versions(*base, folder=tmp_path)
    after = versions(*base, f"rerank.{name}={value}", folder=tmp_path)
    assert moved(before, after) == (with_descendants(["retrieved_context", SUGGESTED]) if RERANK[name] else [])


def test_what_the_chosen_ways_of_refining_do_not_read_makes_nothing_stale(tmp_path):
    cases = [
        ((), "rerank.top_n=7"),
        ((), "rerank.conformal_error=0.2"),
        ((), "rerank.kind=auto"),  # nothing is set up
        ((), "rerank.chat_model=large"),
        ((), "rerank.mmr_k=3"),
        (SERVED_RERANKER, "rerank.local_model=some/model"),
        (SERVED_RERANKER, "rerank.kind=auto"),  # it is the only one that is set up
        (("rerank.verify=quick",), "rerank.verify_grade=0.1"),
    ]
    for base, override in cases:
        assert moved(versions(*base, folder=tmp_path), versions(*base, override, folder=tmp_path)) == [], override


def test_the_chat_model_that_judges_snippets_is_in_the_slice_of_the_context(tmp_path):
    for base in (CHAT_RERANKER, GRADED):
        before, after = (versions(*base, f"llm.model={name}", folder=tmp_path) for name in ("small", "large"))
        assert "retrieved_context" in moved(before, after)
        named = (*base, "rerank.chat_model=judge", "planner.kind=rule")
        before, after = (versions(*named, f"llm.model={name}", folder=tmp_path) for name in ("small", "large"))
        assert "retrieved_context" not in moved(before, after)


def test_a_calibration_counts_by_its_content_not_by_its_path(tmp_path):
    for name, text in (("one", "{}"), ("copy", "{}"), ("other", "[]")):
        (tmp_path / f"{name}.json").write_text(text)
    one, copy, other = (
        versions(*SERVED_RERANKER, f"rerank.conformal={name}.json", folder=tmp_path)
        for name in ("one", "copy", "other")
    )
    assert moved(one, copy) == []
    assert moved(one, other) == with_descendants(["retrieved_context", SUGGESTED])


def test_the_retrieval_table_names_every_retrieval_setting():
    assert {f"retrieval.{name}" for name in (*RETRIEVAL, *NO_RESULT)} == {
        key for key in leaf_fields() if key.startswith("retrieval.")
    }


@pytest.mark.parametrize("name", RETRIEVAL)
def test_a_retrieval_setting_makes_exactly_the_context_and_what_follows_stale(name, tmp_path):
    value, base = RETRIEVAL[name]
    before = versions(*base, folder=tmp_path)
    after = versions(*base, f"retrieval.{name}={value}", folder=tmp_path)
    assert moved(before, after) == [
        "retrieved_context",
        "predictions",
        "ensemble_votes",
        "retrieval_scores",
        "scores",
        "error_report",
        "submission",
        "published_index",
        "suggested_questions",
    ]


@pytest.mark.parametrize("name", NO_RESULT)
def test_a_retrieval_setting_that_changes_no_result_makes_nothing_stale(name, tmp_path):
    override = f"retrieval.{name}={NO_RESULT[name]}"
    assert moved(versions(folder=tmp_path), versions(override, folder=tmp_path)) == []


def test_a_profile_counts_by_the_values_it_sets_not_by_its_name(tmp_path):
    spelled_out = [f"{key}={json.dumps(value)}" for key, value in PROFILES["fast"].items() if value not in (None, {})]
    assert moved(versions("profile=fast", folder=tmp_path), versions(*spelled_out, folder=tmp_path)) == []


def test_an_unread_setting_makes_nothing_stale(tmp_path):
    cases = [
        (("answer.by=reader",), "llm.model=large"),
        ((), "planner.kind=rule"),
        (("planner.kind=rule", *CHAT), "planner.model=large"),
        ((), "answer.temperature=1.0"),
        (CHAT, "llm.dtype=bf16"),
        (CHAT, "llm.fallback.model=spare"),
        (APPEND, "retrieval.rrf_k=30"),
        ((), "planner.hyde=always"),
        (("tree.sentence_splitter=regex",), "tree.min_sentence_chars=3"),
        ((), "tree.child_tokens=100"),
        ((), "ensemble.seed=4"),
        ((), "ensemble.tie_break=blank"),
        ((), "ensemble.ignore_blank=false"),
        ((), "embedding.revision=v2"),
        ((), "embedding.server_dimensions=256"),
        ((), "retrieval.deduplicate=false"),
        ((), "retrieval.rescore=9"),
        (("vectors.ann=usearch", *MINMAX, "retrieval.dense_weight=0"), "retrieval.rescore=9"),
        (("retrieval.consensus=none",), "retrieval.planned_query_weight=0.7"),
        ((*MINMAX, "retrieval.lexical_weight=0"), "retrieval.document_weight=0.6"),
        ((*MINMAX, "retrieval.lexical_weight=0"), "retrieval.title_weight=0.9"),
        ((*MINMAX, "retrieval.dense_weight=0"), "retrieval.threshold=0.5"),
        ((*MINMAX, "retrieval.graph_weight=0"), "retrieval.hop_weight=0.5"),
    ]
    for base, override in cases:
        assert moved(versions(*base, folder=tmp_path), versions(*base, override, folder=tmp_path)) == [], override


def test_replayed_runs_count_by_content_and_label_not_by_path(tmp_path):
    for name, text in (("a/run", "x"), ("b/run", "x"), ("c/run", "y"), ("a/other", "x")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.csv").write_text(text)

    def replayed(*names):
        runs = json.dumps([f"{name}.csv" for name in names])
        return versions("answer.by=replay", f"replay.runs={runs}", folder=tmp_path)

    after = with_descendants(["predictions"])
    assert moved(replayed("a/run"), replayed("b/run")) == []
    assert moved(replayed("a/run"), replayed("c/run")) == after
    assert moved(replayed("a/run"), replayed("a/other")) == after  # the predictions name their run


def test_a_replay_plans_as_the_extractive_reader_does(tmp_path):
    (tmp_path / "run.csv").write_text("x")
    replay = versions("answer.by=replay", 'replay.runs=["run.csv"]', folder=tmp_path)
    assert moved(versions(folder=tmp_path), replay) == with_descendants(["predictions"])


def test_a_model_folder_counts_by_its_content_not_by_its_path(tmp_path):
    for name, weights in (("one", "w"), ("copy", "w"), ("trained", "v")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
        (tmp_path / name / "model.bin").write_text(weights)
    one, copy, trained = (
        versions(f"embedding.model=./{name}", *BOTH, folder=tmp_path) for name in ("one", "copy", "trained")
    )
    assert moved(one, copy) == []
    assert moved(one, trained) == with_descendants(EMBEDDINGS)


def test_averaged_paragraphs_read_no_model(tmp_path):
    before, after = (
        versions("embedding.paragraph_mode=averaged", *more, folder=tmp_path) for more in ((), ("embedding.dim=64",))
    )
    assert moved(before, after) == with_descendants(["sentence_embeddings", "image_embeddings"])


def test_what_deeper_contexts_are_retrieved_by_is_in_the_slice_of_the_predictions(tmp_path):
    def read(*overrides):
        return set(STAGES["predictions"].slice(load_settings(overrides=overrides, folder=tmp_path).settings))

    assert {"retrieval.top_k", "retrieval.context_tokens"} <= read()
    assert not [key for key in read(*CHAT, "answer.max_retries=0") if key.startswith("retrieval.")]
    by_reader = {key for key in read("answer.max_retries=0") if key.startswith("retrieval.")}
    assert by_reader == {
        "retrieval.fusion",
        "retrieval.dense_weight",
    }  # whether vectors count for what the passages cover


def test_a_changed_document_spares_the_questions_and_a_changed_question_spares_the_index(tmp_path):
    before = versions(folder=tmp_path)
    documents = moved(before, versions(documents="d2", folder=tmp_path))
    questions = moved(before, versions(questions="q2", folder=tmp_path))
    assert documents == with_descendants(["source_files"])
    assert "questions" not in documents
    assert questions == with_descendants(["questions"])
    assert "vector_tables" not in questions


def test_a_raised_code_tag_moves_the_stage_and_its_descendants(tmp_path, monkeypatch):
    from dataclasses import replace

    before = versions(folder=tmp_path)
    monkeypatch.setitem(STAGES, "lexical_index", replace(STAGES["lexical_index"], code_tag="next"))
    assert moved(before, versions(folder=tmp_path)) == with_descendants(["lexical_index"])


def test_file_digests_stand_beside_the_versions(tmp_path):
    assert versions(folder=tmp_path)[f"questions{FILES}"] == "q1"


def test_what_every_stage_may_read_makes_nothing_stale_but_the_tenant():
    changing = {key for key, (readers, *_) in READERS.items() if readers}
    changing |= {f"rerank.{name}" for name, changed in RERANK.items() if changed}
    changing |= {key for key in leaf_fields() if key.startswith("retrieval.")} - {
        f"retrieval.{key}" for key in NO_RESULT
    }
    assert changing & RESULT_FREE == {"corpus.org_id"}  # it is in every row of the documents
    assert set(leaf_fields()) >= RESULT_FREE


def test_a_threshold_without_a_reranker_counts_as_it_keeps_related_paragraphs_out(tmp_path):
    auto = "rerank.kind=auto"  # nothing is set up
    before, after = (versions(auto, *more, folder=tmp_path) for more in ((), ("rerank.safety_threshold=0.0",)))
    assert moved(before, after) == with_descendants(["retrieved_context", SUGGESTED])


def test_accepted_questions_are_those_of_an_organisation(tmp_path):
    accepted = tmp_path / "accepted.csv"
    own = (f"corpus.accepted_questions={accepted}",)
    other = (*own, "corpus.org_id=other")
    without = moved(versions(*own, folder=tmp_path), versions(*other, folder=tmp_path))
    accepted.write_text("id,question\n")
    assert "questions" not in without
    assert "questions" in moved(versions(*own, folder=tmp_path), versions(*other, folder=tmp_path))
