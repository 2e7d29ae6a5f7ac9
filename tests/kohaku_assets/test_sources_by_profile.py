"""One question each under the profiles of the published systems, with servers on the loopback for their models.

Every stage that a source names leaves its trace, in its order and with its parameters (docs/sources.md).
"""

import json
import re
import shutil

import pytest
from click.testing import CliRunner
from tiny_chat_model import write_chat_model

from kohaku_assets.cli import main
from kohaku_assets.operations.debugging import debug_question
from kohaku_assets.pipeline.project import Project
from kohaku_assets.pipeline.run import Run
from kohaku_assets.pipeline.stage_running import run_stages
from kohaku_assets.pipeline.stages import with_ancestors
from kohaku_lib.composition import load_settings
from kohaku_lib.conversation import AssistantRequest, open_assistant
from kohaku_lib.prompts import (
    broader_question,
    channel_plan,
    cited_answer,
    graph_extraction,
    hypothetical_passage,
    question_variations,
    search_queries,
    structured_answer,
)
from kohaku_lib.testing.openai_server import OpenAIServer, prompt_of

FERRIES = ("Amber", "Birch", "Cedar", "Dune", "Elm", "Fjord", "Grove", "Heron")
TEXT = """# The ferry {name}

## Energy

The ferry {name} used {kwh} kWh of electricity in 2023. Its battery was charged at the pier of Port {name}.

The crew of {name} counted {weekly} crossings a week. Storms cancelled {number} of them.

## Owner

{name} Shipping owns the ferry {name}. The ferry {name} was built by Nordic Yards in {year}.
"""
QUESTION = "How many kWh of electricity did the ferry Cedar use in 2023?"
PLANNED = ("electricity of the ferry Cedar", "kWh used by Cedar 2023")
CHANNEL_PLAN = {
    "keywords": ["ferry", "Cedar", "kWh"],
    "semantic_query_text": "The electricity that the ferry Cedar used",
    "requires_graph": True,
    "weights": {"lexical": 1, "semantic": 1, "graph": 1},
}
QUERIES = json.dumps({"queries": PLANNED})
REPLIES = {  # by the first words of what a model is told
    search_queries.SYSTEM: QUERIES,
    question_variations.SYSTEM: QUERIES,
    channel_plan.SYSTEM: json.dumps(CHANNEL_PLAN),
    graph_extraction.SYSTEM: json.dumps({"entities": [], "relations": []}),
    hypothetical_passage.SYSTEM: "The ferry Cedar used electricity from the pier.",
    broader_question.SYSTEM: "What decides how much electricity a ferry uses?",
    cited_answer.SYSTEM: "Sure! The ferry Cedar used 1002 kWh in 2023 [source @].\nSUGGESTED_QUESTIONS: Who owns it?|And Elm?",
}


def structured(value, *refs):
    proof = "The ferry Cedar used 1002 kWh of electricity in 2023."
    reply = {"explanation": "e", "answer": "a", "answer_value": value, "ref_id": refs, "supporting_materials": proof}
    return json.dumps(reply)


def told(request):
    """What the model of a request is told, by the constants of its prompt; a reranker is told nothing."""
    system = request["messages"][0]["content"] if "messages" in request else "rerank"
    return next((known for known in REPLIES if system.startswith(known)), system.partition(".")[0])


def replying(*answers):
    """A reply to every request; the structured answers come one after the other, the last one again and again."""
    left = list(answers)

    def reply(request):
        if told(request) not in REPLIES:
            return left.pop(0) if len(left) > 1 else left[0]
        right = re.search(r"\[Source (\d+): [^\]]*\] [^\[]*1002 kWh", prompt_of(request))
        return REPLIES[told(request)].replace("@", right[1] if right else "")

    return reply


@pytest.fixture(scope="module")
def ferries(tmp_path_factory):
    """A folder with the documents, and what was parsed and embedded of them, which the profiles have in common."""
    folder = tmp_path_factory.mktemp("ferries")
    (folder / "documents").mkdir()
    for number, name in enumerate(FERRIES):
        facts = {"kwh": 1000 + number, "weekly": 20 + number, "number": number, "year": 1990 + number}
        (folder / "documents" / f"{name.lower()}.md").write_text(TEXT.format(name=name, **facts), encoding="utf-8")
    overrides = ["corpus.documents=documents", "embedding.model=minilm", "embedding.dim=384"]
    made = Project(load_settings(overrides=overrides, environment={}, folder=folder))
    run_stages(Run(made), with_ancestors(["sentence_embeddings"], made.settings))
    return folder


@pytest.fixture
def project(ferries, tmp_path):
    """Return a function that opens a project of the ferries under a profile, with its index."""
    shutil.copytree(ferries, tmp_path, dirs_exist_ok=True)

    def opened(profile, server, **settings):
        values = {
            "llm.provider": "openai",
            "answer.by": "model",
            "llm.base_url": server.base_url,
            "llm.call_retries": 0,
        } | settings
        values |= {"corpus.documents": "documents", "embedding.model": "minilm", "embedding.dim": 384}
        lines = [f'profile = "{profile}"', *(f"{key} = {json.dumps(value)}" for key, value in values.items())]
        (tmp_path / "kohaku.toml").write_text("\n".join(lines), encoding="utf-8")
        project = Project(load_settings(environment={}, folder=tmp_path))
        run_stages(Run(project), with_ancestors(["vector_tables"], project.settings))
        return project

    return opened


def names_of(snippets):
    return [snippet.node_id for snippet in snippets]


def channels_of(trace):
    return [set(query) - {"query", "role", "weight"} for query in trace["channels"]]


def test_kohaku_plans_searches_each_query_expands_and_answers_by_nodes(project):
    with OpenAIServer(reply=replying(structured("1002", "cedar:sec1:p1:s1"))) as server:
        trace = debug_question(project("kohaku", server), QUESTION)
    assert list(map(told, server.requests)) == [search_queries.SYSTEM, structured_answer.SYSTEM.partition(".")[0]]
    assert server.requests[1]["model"].endswith("gpt-4o-mini")
    assert trace.plan.texts == (QUESTION, *PLANNED)
    [(depth, found, _)] = trace.retrievals  # planner.max_queries = 3, answer.max_retries = 0
    assert (depth, channels_of(found.trace)) == (1, [{"dense"}] * 3)
    matched = [match["node_id"] for match in found.trace["matches"]]
    assert all(re.search(r":p\d+(:s\d+)?$", name) for name in matched)
    assert len(found.matches) <= 15  # three queries of retrieval.top_k = 5
    assert len(matched) > len(set(matched))  # retrieval.deduplicate = false
    of_sentence = ["cedar:sec1:p1:s1", "cedar:sec1:p1"]
    of_paragraph = ["cedar:sec1:p1", "cedar:sec1", "cedar:sec1:p1:s1", "cedar:sec1:p1:s2"]
    assert names_of(found.snippets)[:6] == of_sentence + of_paragraph
    [[call]] = [attempt.calls for attempt in trace.attempts]
    assert call.user.index(QUESTION) < call.user.index("[ref_id=cedar:sec1:p1:s1]")  # answer.context_first = false
    assert '{"answer_unit"' in call.user
    assert (trace.row["answer_value"], trace.row["ref_id"], trace.row["dropped_refs"]) == ("1002", ["cedar"], 0)
    assert trace.row["citations"][0]["node_id"] == "cedar:sec1:p1:s1"


def test_the_references_of_an_answer_are_nodes_under_kohaku_and_documents_elsewhere(project):
    with OpenAIServer(reply=replying(structured("1002", "cedar:sec1:p1:s1"), structured("1002", "cedar"))) as server:
        refs = []
        for profile in ("kohaku", "wattbot"):
            pictures = {"embedding.images": "captions"}  # wattbot's are vectors of a model that is not at hand
            file = project(profile, server, **pictures).loaded.file
            asked = CliRunner().invoke(main, ["ask", QUESTION, "--json", "--config", str(file)])
            refs.append(json.loads(asked.stdout)["ref_id"])
    assert refs == [["cedar:sec1:p1:s1"], ["cedar"]]


def test_local_ranks_by_consensus_and_deepens_blank_answers(project):
    blank = structured("is_blank")
    with OpenAIServer(reply=replying(blank, blank, structured("1002", "cedar"))) as server:
        trace = debug_question(project("local", server), QUESTION)
    assert trace.plan.texts == (QUESTION, *PLANNED)
    assert [depth for depth, _, _ in trace.retrievals] == [1, 2, 3]  # top_k of 8, 16 and 24
    for depth, found, _ in trace.retrievals:
        names = [match.node_id for match in found.matches]
        assert len(names) == len(set(names)) <= 10 * depth  # retrieval.top_k_final = 10
        best = found.trace["matches"][0]
        assert best["ranks"] == [{"dense": 1}] * 3
        assert best["score"] == pytest.approx(0.4 * 3 / 3 + 0.6)  # found by all queries, with the highest sum
    first = trace.retrievals[0][1]
    expected = ["cedar:sec0:p0:s0", "cedar:sec0:p0", "cedar:sec0:p0", "cedar:sec0"]
    assert names_of(first.snippets)[:4] == expected  # sentence with paragraph, paragraph with section
    assert "[ref_id=cedar]" in trace.attempts[0].calls[0].user
    assert (trace.row["attempts"], trace.row["answer_value"], trace.row["ref_id"]) == (3, "1002", ["cedar"])


def test_local_answers_by_a_model_in_this_process(project, tmp_path):
    model = write_chat_model(tmp_path / "model", context=16_384)
    settings = {
        "llm.model": str(model),
        "llm.dtype": "auto",
        "llm.max_tokens": 8,
        "answer.max_retries": 0,
        "planner.kind": "rule",
    }
    with OpenAIServer() as server:
        trace = debug_question(project("local", server, **settings | {"llm.provider": "local"}), QUESTION)
    assert server.requests == []
    [[call]] = [attempt.calls for attempt in trace.attempts]
    assert 0 < call.output_tokens <= 8
    assert trace.row["answer_value"] == "is_blank"  # weights at random answer nothing
    [(depth, found, _)] = trace.retrievals
    assert (depth, channels_of(found.trace)) == (1, [{"dense"}] * 3)  # planner.max_queries = 3
    names = [match.node_id for match in found.matches]
    assert len(names) == len(set(names)) <= 10  # retrieval.deduplicate = true, retrieval.top_k_final = 10
    assert found.trace["matches"][0]["ranks"] == [{"dense": 1}] * 3
    assert call.user.index(QUESTION) < call.user.index("[ref_id=cedar]")  # answer.context_first = false


def test_triple_hybrid_plans_channels_fuses_expands_reranks_and_refuses(project):
    question = "The ferry Cedar used how many kWh of electricity ?"
    with OpenAIServer(reply=replying(structured("1002", "cedar"))) as server:
        reranker = {"rerank.base_url": server.base_url, "rerank.served_model": "qwen3-vl-reranker"}
        opened = project("triple_hybrid", server, **reranker)
        assert set(map(told, server.requests)) == {graph_extraction.SYSTEM}  # graph.extractor = auto
        before = len(server.requests)
        trace = debug_question(opened, question)
        answering = structured_answer.SYSTEM.partition(".")[0]
        assert list(map(told, server.requests[before:])) == [channel_plan.SYSTEM, "rerank", answering]
        assert server.requests[-1]["model"].endswith("gpt-5")
        refused = debug_question(opened, "Who won the chess championship of Iceland?")
    [(_, found, _)] = trace.retrievals
    assert trace.plan.weights == {"lexical": 1.0, "dense": 1.0, "graph": 1.0}
    assert channels_of(found.trace) == [{"lexical", "dense", "graph"}, {"lexical"}, {"dense"}]
    reranked = found.trace["refinement"]["reranked"]
    assert (reranked["by"], reranked["failures"]) == ("served:qwen3-vl-reranker", [])
    assert len(reranked["scores"]) <= 20
    fused = {row["node_id"]: row["score_before"] for row in reranked["scores"]}
    [ranks] = [match["ranks"][0] for match in found.trace["matches"] if match["node_id"] == "cedar:sec1:p1:s1"]
    by_hand = 1.0 / (60 + ranks["graph"]) + 0.8 / (60 + ranks["dense"]) + 0.7 / (60 + ranks["lexical"])
    assert fused["cedar:sec1:p1"] == pytest.approx(by_hand)
    scores = {row["node_id"]: row["rerank_score"] for row in reranked["scores"]}
    # 7 of the 10 words stand in the paragraph on Cedar, 6 in those on the energy of the others, 3 or 2 in those on owners
    assert [scores[name] for name in ("cedar:sec1:p1", "elm:sec1:p1", "cedar:sec2:p2")] == pytest.approx(
        [0.7, 0.6, 0.3]
    )
    dropped = {
        why: [row["node_id"] for row in found.trace["dropped"] if row["why"] == why] for why in ("denoised", "rank")
    }
    assert {name.partition(":")[2] for name in dropped["denoised"]} == {"sec2:p2"}  # below 0.5 of 0.7
    assert len(dropped["rank"]) == 3  # of eight, five are shown
    assert (names_of(found.snippets)[0], len(found.snippets)) == ("cedar:sec1:p1", 5)
    assert trace.row["answer_value"] == "1002"
    [(_, nothing, _)] = refused.retrievals
    assert "below rerank.safety_threshold = 0.6" in nothing.trace["refinement"]["refused"]
    assert (nothing.snippets, refused.row["answer_value"]) == ((), "is_blank")


def test_the_score_of_an_item_of_the_tool_is_that_of_the_reranker_else_that_of_the_fusion(project):
    question = "The ferry Cedar used how many kWh of electricity ?"

    def items(server, **settings):
        opened = project("triple_hybrid", server, **settings)
        with open_assistant(opened.home) as assistant:
            found = assistant.search_knowledge_base(question, "default").items
        [(_, context, _)] = debug_question(opened, question).retrievals
        return [(item.id.rpartition(":")[0], round(item.score, 6)) for item in found], context.trace

    with OpenAIServer(reply=replying(structured("1002", "cedar"))) as server:
        reranker = {"rerank.base_url": server.base_url, "rerank.served_model": "qwen3-vl-reranker"}
        reranked, _ = items(server, **reranker)
        silent = {"rerank.base_url": "http://127.0.0.1:9/v1", "rerank.served_model": "silent", "rerank.call_retries": 0}
        fused, trace = items(server, **{"rerank.kind": "served"} | silent)
    assert reranked[0] == ("cedar:sec1:p1", 0.7)
    [best] = [match for match in trace["matches"] if match["node_id"] == "cedar:sec1:p1:s1"]
    [ranks] = best["ranks"][:1]
    weights = {"graph": 1.0, "dense": 0.8, "lexical": 0.7}
    assert ("cedar:sec1:p1", round(sum(weights[name] / (60 + rank) for name, rank in ranks.items()), 6)) in fused


COMPLEX = "How many kWh did the ferry that was built in 1992 use in total, and why more than Birch?"
ENGINES = {"dense", "lexical", "graph", "raptor", "lightrag", "late"}


def test_assistant_routes_by_complexity_verifies_orders_and_caches(project):
    with OpenAIServer(reply=replying(structured("1002", "cedar"))) as server:
        opened = project("assistant", server)
        [(_, simple, _)] = debug_question(opened, "How much electrcity did Cedar use?").retrievals
        [(_, complex_one, _)] = debug_question(opened, COMPLEX).retrievals
        before = len(server.requests)
        with open_assistant(opened.home) as assistant:
            response = assistant.respond(AssistantRequest(message=COMPLEX))
            again = assistant.respond(AssistantRequest(message=COMPLEX.lower()))
    assert simple.trace["corrections"] == [["electrcity", "electricity"]]
    assert simple.trace["routing"]["strategy"] == "dense_only"
    assert channels_of(simple.trace) == [{"dense"}, {"dense"}]
    assert all(sum(map(len, query["dense"])) <= 5 for query in simple.trace["channels"])
    routing = complex_one.trace["routing"]
    assert (routing["strategy"], routing["intent"]) == ("fusion", "COMPARISON")
    roles = [query["role"] for query in complex_one.trace["channels"]]
    assert roles == ["question", "planned", "planned", "hyde", "step_back"]
    assert channels_of(complex_one.trace) == [ENGINES, ENGINES, ENGINES, {"dense"}, ENGINES]
    refined = complex_one.trace["refinement"]
    assert (refined["penalised"], refined["verified"]["level"]) == ([], "quick")
    assert all(row["grade"] >= 0.35 for row in refined["verified"]["grades"])
    assert [told(request) for request in server.requests[before:]] == [cited_answer.SYSTEM]  # plans are in the ledger
    assert cited_answer.BY_INTENT["COMPARISON"] in server.requests[-1]["messages"][0]["content"]
    numbers = re.findall(r"^\[Source (\d+):", prompt_of(server.requests[-1]), re.MULTILINE)
    assert (numbers[0], numbers[-1]) == ("1", "2")  # a sandwich
    assert response.sources[0].chunk_id == "cedar:sec1:p1"
    assert response.content == "The ferry Cedar used 1002 kWh in 2023 [Source 1]."
    assert response.suggested_questions == ("Who owns it?", "And Elm?")
    assert (response.cached, again.cached) == (False, True)
