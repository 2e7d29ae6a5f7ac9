"""Plans of a chat model on a loopback server: styles, passages, steps back, routes, and what becomes of failures."""

import json

import pyarrow as pa
import pytest
from counted_steps import steps_of

from kohaku_lib.answering import Engine, GivenParts, plan_questions
from kohaku_lib.errors import ModelError
from kohaku_lib.llm import CallLedger, build_chat, plain_chat
from kohaku_lib.retrieval import plan_question
from kohaku_lib.retrieval.channels.interface import CHANNELS
from kohaku_lib.retrieval.planning.plan_channels import parse_plan, simple_plan
from kohaku_lib.retrieval.planning.plan_chat import UnusableReplyError
from kohaku_lib.retrieval.planning.plan_question import broader_question, hypothetical_passage, is_abstract
from kohaku_lib.retrieval.planning.plan_rows import as_plan, plan_from_row, plan_to_row
from kohaku_lib.settings import LlmSettings, PlannerSettings, Settings
from kohaku_lib.tables import PLAN, QUESTIONS, PlannedQuery, QueryPlan
from kohaku_lib.testing.openai_server import OpenAIServer, prompt_of

QUESTION = "Why did the energy use of the firm whose founder left grow after 1990?"
ANSWERS = {
    "search queries": json.dumps({"queries": ["firm energy growth", "founder left 1990"]}),
    "reword": json.dumps({"queries": ["What made its energy use rise?", "Reasons for more energy"]}),
    "sentences": "The firm grew because demand rose.",
    "step back": "What drives the energy use of firms?",
    "key words (lexical)": json.dumps(
        {
            "keywords": ["firm", "energy"],
            "semantic_query_text": "growth of energy use",
            "weights": {"lexical": 1.5, "semantic": 0.5, "graph": 7},
            "top_k": {"lexical": 20, "semantic": 0},
            "intent": "relational",
        }
    ),
}


def planner_reply(request):
    system = request["messages"][0]["content"]
    return next(reply for words, reply in ANSWERS.items() if words in system)


def no_chat(*_):
    pytest.fail("the model was asked")


def roles(plan):
    return [(query.text, query.role, query.channels) for query in plan.queries]


@pytest.fixture
def asked(tmp_path):
    """Return a function that plans QUESTION by a server, and the server."""
    with OpenAIServer(reply=planner_reply) as server:
        llm = LlmSettings(provider="openai", model="m", base_url=server.base_url, call_retries=0)
        chat = plain_chat(build_chat(llm, CallLedger(tmp_path / "calls")), llm, "query_plans")

        def plan(question=QUESTION, **settings):
            return plan_question(question, "q1", PlannerSettings(max_queries=3, **settings), chat)

        plan.server = server
        yield plan


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-the-tests")


def test_by_default_the_model_is_asked_for_queries_alone(asked):
    planned = asked()
    assert roles(planned.plan) == [
        (QUESTION, "question", None),
        ("firm energy growth", "planned", None),
        ("founder left 1990", "planned", None),
    ]
    assert (planned.plan.merge, planned.plan.strategy, planned.problems, planned.is_gap) == (None, None, [], False)
    assert len(asked.server.requests) == 1


def test_variations_are_joined_by_rank_and_count_like_the_question(asked):
    plan = asked(style="variations").plan
    assert plan.merge == "rrf"
    assert [query.weight for query in plan.queries] == [1.0, 1.0, 1.0]
    assert plan.texts[1:] == ("What made its energy use rise?", "Reasons for more energy")


def test_a_plan_by_channel_sends_key_words_and_a_sentence_to_their_channels(asked):
    plan = asked(style="channels").plan
    assert roles(plan) == [
        (QUESTION, "question", None),
        ("firm energy", "planned", ("lexical",)),
        ("growth of energy use", "planned", ("dense",)),
    ]
    assert plan.weights == {"lexical": 1.5, "dense": 0.5, "graph": 0.0}
    assert (plan.channel_top_k, plan.intent) == ({"lexical": 20}, "relational")


def test_a_passage_is_searched_by_meaning_only_and_a_step_back_stands_apart(asked):
    plan = asked(hyde="always", step_back="always").plan
    assert roles(plan)[-2:] == [
        ("The firm grew because demand rose.", "hyde", ("dense",)),
        ("What drives the energy use of firms?", "step_back", None),
    ]


@pytest.mark.parametrize(
    ("question", "settings", "calls"),
    [
        ("Firm energy growth now", {"hyde": "auto"}, 2),  # four words are abstract
        ("How much energy does it use?", {"hyde": "auto", "step_back": "auto"}, 1),
        (QUESTION, {"hyde": "auto", "step_back": "auto"}, 1),  # only the route would ask for them
        (QUESTION, {"hyde": "auto", "step_back": "auto", "routing": "rules"}, 3),
        (QUESTION, {"hyde": "off", "step_back": "off", "routing": "rules"}, 1),
    ],
)
def test_auto_asks_only_where_the_words_or_the_route_call_for_it(asked, question, settings, calls):
    assert asked(question, **settings).problems == []
    assert len(asked.server.requests) == calls


def test_a_comparison_is_reworded_where_it_is_routed(asked):
    assert asked("Is A larger than B?", routing="rules").plan.merge == "rrf"
    assert asked("Is A larger than B?").plan.merge is None


def test_the_route_is_in_the_plan_and_weights_of_the_model_go_before_its_hints(asked):
    plan = asked(style="channels", routing="rules").plan
    assert (plan.strategy, plan.complexity) == ("fusion", 4)
    assert plan.signals == ("multi-hop", "reasoning", "temporal")
    assert plan.weights == {"lexical": 1.5, "dense": 0.5, "graph": 0.0}
    assert (plan.intent, plan.intent_confidence) == ("relational", None)


def test_a_forced_strategy_overrules_the_route_and_takes_no_hints():
    planned = plan_question("What is the PUE?", "q1", PlannerSettings(routing="hierarchical"), None)
    assert (planned.plan.strategy, planned.plan.intent, planned.plan.weights) == ("hierarchical", "FACTUAL", {})


def test_by_rule_no_model_is_needed_for_a_route():
    plan = plan_question("What is the PUE in 2023?", "q1", PlannerSettings(routing="rules", hyde="always"), None).plan
    assert plan.strategy == "hybrid"
    assert plan.weights == {"dense": 1.0, "lexical": 1.5625}
    assert {query.role for query in plan.queries} == {"question", "planned"}


def test_each_part_fails_by_itself(asked):
    asked.server.faults = [{"kind": "ok"}, {"kind": "status", "status": 500}, {"kind": "ok"}]
    planned = asked(hyde="always", step_back="always")
    assert [query.role for query in planned.plan.queries] == ["question", "planned", "planned", "step_back"]
    [problem] = planned.problems
    assert problem.startswith("the hypothetical passage failed: ")
    assert planned.is_gap


def test_a_failed_plan_by_channel_falls_back_to_the_own_key_words(asked):
    asked.server.faults = [{"kind": "ok", "text": "I cannot."}]
    planned = asked("What is the PUE of site B?", style="channels")
    assert planned.plan == simple_plan("What is the PUE of site B?", "q1")
    assert not planned.is_gap


def test_never_more_than_eight_queries_of_which_the_made_up_ones_stay(tmp_path):
    many = json.dumps({"queries": [f"query number {n} of {n * 7}" for n in range(20)]})

    def chat(system, user, question_id):
        return many if "search queries" in system else ANSWERS["sentences" if "sentences" in system else "step back"]

    plan = plan_question(QUESTION, "q1", PlannerSettings(max_queries=8, hyde="always", step_back="always"), chat).plan
    assert len(plan.queries) == 8
    assert [query.role for query in plan.queries[-2:]] == ["hyde", "step_back"]
    assert plan.queries[0].text == QUESTION


def test_a_second_time_every_call_comes_from_the_ledger(asked):
    first = asked(hyde="always")
    again = asked(hyde="always")
    assert again.plan == first.plan
    assert len(asked.server.billed) == 2


def test_the_stage_records_the_whole_plan_and_what_failed(asked):
    rows = [{"id": "q1", "question": QUESTION, "has_truth": False, "row_json": "{}", "problem": None}]
    settings = Settings(planner=PlannerSettings(routing="rules", max_queries=2))
    table, report = plan_questions(
        pa.Table.from_pylist(rows, schema=QUESTIONS), Engine(settings, GivenParts((), planner=None))
    )
    [row] = table.to_pylist()
    plan = plan_from_row("q1", row["plan"])
    assert (plan.strategy, plan.intent, plan.complexity) == ("fusion", "ANALYTICAL", 4)
    assert (row["error"], report.problems) == (None, ())


@pytest.mark.parametrize(
    "plan",
    [
        QueryPlan("q1"),
        as_plan(("q1", ["a", "b"])),
        QueryPlan(
            "q1",
            (PlannedQuery("a", "question"), PlannedQuery("b", "hyde", ("dense",), 0.5)),
            "rrf",
            {"dense": 1.5, "graph": 0.0},
            {"lexical": 20},
            "fusion",
            "LIST",
            0.5,
            4,
            ("long",),
        ),
    ],
)
def test_a_plan_survives_its_row(plan):
    table = pa.table({"plan": pa.array([plan_to_row(plan)], PLAN)})
    assert plan_from_row("q1", table.to_pylist()[0]["plan"]) == plan


@pytest.mark.parametrize("weight", ["1.5", True, None, -0.1, 2.01, float("nan"), float("inf"), [1]])
def test_a_weight_that_is_none_counts_as_missing(weight):
    reply = json.dumps({"keywords": ["a"], "requires_graph": True, "weights": {"semantic": weight, "lexical": 2}})
    assert parse_plan("q?", "q1", reply).weights == {"lexical": 2.0}


@pytest.mark.parametrize("count", ["5", True, 0, -1, 201, 1.5, None])
def test_a_count_that_is_none_counts_as_missing(count):
    reply = json.dumps({"keywords": ["a"], "top_k": {"semantic": count, "lexical": 200, "sound": 3}})
    assert parse_plan("q?", "q1", reply).channel_top_k == {"lexical": 200}


@pytest.mark.parametrize("reply", ["", "no", '{"queries": ["a"]}', '{"keywords": "a"}', "[1]"])
def test_a_reply_without_a_plan_is_told(reply):
    with pytest.raises(UnusableReplyError, match="a planner must reply"):
        parse_plan("q?", "q1", reply)


def test_odd_values_of_a_plan_are_passed_over():
    reply = '{"keywords": [1, " a ", ""], "semantic_query_text": " ", "weights": [1], "top_k": 3, "intent": "other"}'
    plan = parse_plan("q?", "q1", reply)
    assert (plan.texts, plan.weights, plan.channel_top_k, plan.intent) == (("q?", "a"), {"graph": 0.0}, {}, None)


def test_a_passage_is_cut_at_the_end_of_a_word():
    passage = hypothetical_passage("PUE?", "q1", lambda *_: "word " * 200)
    assert len(passage) == 499
    assert passage.endswith("word")
    assert len(hypothetical_passage("PUE?", "q1", lambda *_: "x" * 900)) == 500


@pytest.mark.parametrize("reply", ["", "  ", "<think>nothing but thoughts"])
def test_an_empty_passage_or_step_back_is_told(reply):
    with pytest.raises(ModelError, match="empty reply"):
        hypothetical_passage("PUE?", "q1", lambda *_: reply)
    with pytest.raises(ModelError, match="one other question"):
        broader_question("PUE?", "q1", lambda *_: reply)


@pytest.mark.parametrize("reply", ["pue? ", "word " * 100])
def test_a_step_back_must_be_another_and_a_single_question(reply):
    with pytest.raises(ModelError, match="one other question"):
        broader_question("PUE?", "q1", lambda *_: reply)


def test_less_than_five_words_are_abstract():
    assert is_abstract("one two three four")
    assert not is_abstract("one two three four five")


def test_the_prompts_hold_the_question(asked):
    asked(hyde="always", step_back="always")
    assert all(QUESTION in prompt_of(request) for request in asked.server.requests)


def test_planning_by_rule_takes_next_to_no_work():
    settings = PlannerSettings(routing="rules")
    plan_question(QUESTION, "q1", settings, None)  # what is loaded once
    assert steps_of(lambda: plan_question(QUESTION, "q1", settings, None)) < 1000


@pytest.mark.parametrize(
    ("question", "strategy", "results"),
    [
        ("PUE of site B?", "dense_only", 5),
        ("What is the PUE of A compared with B?", "hybrid", 10),
        ("Why is the total energy of A, owned by B, larger than that of C?", "fusion", 20),
    ],
)
def test_by_complexity_alone_a_simple_question_is_searched_least(question, strategy, results):
    plan = plan_question(question, "q1", PlannerSettings(routing="complexity"), None).plan
    assert plan.strategy == strategy
    assert plan.channel_top_k == dict.fromkeys(CHANNELS.names(), results)


def test_by_complexity_alone_a_complex_question_is_asked_in_every_way_and_others_of_two_channels(asked):
    """Variations, a hypothetical passage and a broader question; every engine that has a weight."""
    plan = asked(QUESTION, routing="complexity").plan
    assert (plan.strategy, plan.merge, plan.weights) == ("fusion", "rrf", {})
    assert [query.role for query in plan.queries][-2:] == ["hyde", "step_back"]
    assert sum(query.role not in ("hyde", "step_back") for query in plan.queries) == 3
    moderate = asked("What is the PUE of A compared with B?", routing="complexity").plan
    assert "hyde" not in {query.role for query in moderate.queries}
    assert moderate.weights == dict.fromkeys(("graph", "raptor", "lightrag", "late"), 0.0)
