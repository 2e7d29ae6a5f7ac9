"""A prompt is part of what the stages that send it depend on, and of no other stage."""

import types

import pytest

from kohaku_assets.pipeline.stages import STAGES, with_descendants
from kohaku_assets.pipeline.staleness import projected_versions
from kohaku_lib.composition import load_settings
from kohaku_lib.prompts import PROMPTS, Prompt
from kohaku_lib.retrieval.rerank import RERANKERS, RerankerKind

CHAT = ("llm.provider=openrouter", "llm.model=small", "graph.extractor=rule", "answer.max_retries=0")
BY_RULE = (*CHAT, "planner.kind=rule")
ANSWERS = {"structured_answer": ["predictions"], "number_citation": ["predictions"]}
PLANNED = {"search_queries": ["query_plans"], **ANSWERS}
CASES = {  # settings: the stages that send each prompt
    "no chat model": ((), {}),
    "chat": (CHAT, PLANNED),
    "nodes cited": (
        (*BY_RULE, "answer.cite=node"),
        {"structured_answer": ["predictions"], "node_citation": ["predictions"]},
    ),
    "a small model": (
        (*BY_RULE, "answer.prompt=short"),
        {"short_answer": ["predictions"], "number_citation": ["predictions"]},
    ),
    "documents cited": ((*BY_RULE, "answer.cite=document"), {"structured_answer": ["predictions"]}),
    "new plans": (
        (*CHAT, "answer.max_retries=1", "answer.replan_on_retry=true"),
        {"search_queries": ["query_plans", "predictions"], **ANSWERS},
    ),
    "rules plan": (BY_RULE, ANSWERS),
    "one query": ((*CHAT, "planner.max_queries=1"), ANSWERS),
    "vision": ((*BY_RULE, "images.captions=vision"), {"image_caption": ["image_captions"], **ANSWERS}),
    "graph": ((*BY_RULE, "graph.extractor=chat"), {"graph_extraction": ["knowledge_graph"], **ANSWERS}),
    "summaries": (
        (
            *BY_RULE,
            "raptor.enabled=true",
            "raptor.summariser=chat",
            "lightrag.enabled=true",
            "lightrag.summariser=chat",
        ),
        {"cluster_summary": ["raptor_summaries", "lightrag_themes"], **ANSWERS},
    ),
    "variations": ((*CHAT, "planner.style=variations"), {"question_variations": ["query_plans"], **ANSWERS}),
    "channels": ((*CHAT, "planner.style=channels"), {"channel_plan": ["query_plans"], **ANSWERS}),
    "passages": ((*CHAT, "planner.hyde=auto"), {"hypothetical_passage": ["query_plans"], **PLANNED}),
    "steps back": ((*CHAT, "planner.step_back=auto"), {"broader_question": ["query_plans"], **PLANNED}),
    "forced strategy": ((*CHAT, "planner.routing=fusion"), {"question_variations": ["query_plans"], **PLANNED}),
    "classifier": (
        (*CHAT, "planner.routing=rules", "planner.classifier=chat"),
        {"question_class": ["query_plans"], "question_variations": ["query_plans"], **PLANNED},
    ),
    "reranker": ((*BY_RULE, "rerank.kind=chat"), {"snippet_yes_no": ["retrieved_context"], **ANSWERS}),
    "grades": ((*BY_RULE, "rerank.verify=standard"), {"snippet_grading": ["retrieved_context"], **ANSWERS}),
    "deeper grades": (
        (*BY_RULE, "rerank.verify=thorough", "answer.max_retries=1"),
        {"snippet_grading": ["retrieved_context", "predictions"], **ANSWERS},
    ),
}
IN_CONVERSATIONS = {"agent_step", "cited_answer", "documents_overview", "follow_up", "merged_answer"}


def versions(overrides):
    settings = load_settings(overrides=overrides, environment={}).settings
    files = {"source_files": lambda: "d1", "questions": lambda: "q1"}
    return projected_versions(settings, files, STAGES)


@pytest.mark.parametrize("case", CASES)
def test_a_raised_version_makes_exactly_the_stages_that_send_the_prompt_stale(case, monkeypatch):
    overrides, senders = CASES[case]
    before = versions(overrides)
    for prompt in PROMPTS:
        with monkeypatch.context() as patch:
            patch.setattr(prompt.module, "VERSION", "raised")
            after = versions(overrides)
        moved = [name for name in STAGES if before.get(name) != after.get(name)]
        settings = load_settings(overrides=overrides, environment={}).settings
        assert moved == with_descendants(senders.get(prompt.name, []), settings), prompt.name


def test_every_prompt_is_sent_by_a_stage_in_some_case_or_in_conversations():
    sent = {name for _, senders in CASES.values() for name in senders}
    assert sent | IN_CONVERSATIONS == set(PROMPTS.names())
    assert sent.isdisjoint(IN_CONVERSATIONS)


def test_a_prompt_is_added_by_its_registration():
    module = types.ModuleType("toys.toy_prompt")
    module.VERSION = "toy.v3"
    toy = RerankerKind("toy", lambda settings, dependencies: None, prompts=("toy_prompt",))
    with PROMPTS.registered(Prompt(module)), RERANKERS.registered(toy):
        chosen = load_settings(overrides=("rerank.kind=toy",), environment={}).settings
        assert STAGES["retrieved_context"].slice(chosen)["prompts.toy_prompt"] == "toy.v3"
