import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering import Engine, GivenParts, plan_questions
from kohaku_lib.errors import ModelError
from kohaku_lib.retrieval.planning.plan_chat import parse_queries, plan_by_chat
from kohaku_lib.retrieval.planning.plan_rules import distinct_queries, plan_by_rule
from kohaku_lib.settings import PlannerSettings, Settings
from kohaku_lib.tables import QUERY_PLANS, QUESTIONS

QUESTION = "How much energy did GPT-3 use?"


def plan_queries(questions, settings, chat=None, max_workers=0):
    engine = Engine(Settings(planner=settings), GivenParts((), planner=chat))
    return plan_questions(questions, engine, max_workers)


def questions(*texts, problem=None):
    rows = [
        {"id": f"q{n}", "question": text, "has_truth": False, "row_json": "{}", "problem": problem}
        for n, text in enumerate(texts, 1)
    ]
    return pa.Table.from_pylist(rows, schema=QUESTIONS)


def plan(texts, chat=None, problem=None, **settings):
    table, report = plan_queries(questions(*texts, problem=problem), PlannerSettings(**settings), chat, max_workers=2)
    return [row | {"queries": query_texts(row)} for row in table.to_pylist()], report


def query_texts(row):
    return [query["text"] for query in row["plan"]["queries"]]


def test_the_question_itself_is_always_the_first_query():
    rows, report = plan([QUESTION, "Why?"])
    assert [row["queries"][0] for row in rows] == [QUESTION, "Why?"]
    assert [row["planner"] for row in rows] == ["rule.v1"] * 2
    assert (report.rows_computed, report.problems) == (2, ())


@pytest.mark.parametrize(
    ("question", "others"),
    [
        (
            "True or False: Water cooling saves energy at Google in 2023.",
            ["Water cooling saves energy Google 2023", "Google 2023"],
        ),
        ("T/F: Water cooling saves energy.", ["Water cooling saves energy"]),
        ("What is water?", ["water"]),
        ("milk", []),  # nothing but itself
        ("According to the report, how many GPUs were used?", ["report GPUs used"]),
    ],
)
def test_key_words_and_names_with_numbers_follow(question, others):
    assert plan_by_rule(question, 3)[1:] == others


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("हिंदी में कीमत क्या है?", []),  # nothing but itself
        ("What is the कीमत of हिंदी मॉडल?", ["कीमत हिंदी मॉडल"]),
        ("What is the ราคาน้ำมัน of เชียงใหม่?", ["ราคาน้ำมัน เชียงใหม่"]),
    ],
)
def test_words_are_not_split_at_vowel_signs(question, others):
    assert plan_by_rule(question, 2) == [question, *others]


@given(st.text(), st.integers(1, 8))
def test_a_rule_plan_is_never_longer_than_asked_and_has_no_twins(question, max_queries):
    queries = plan_by_rule(question, max_queries)
    assert len(queries) <= max_queries
    assert len({query.lower() for query in queries}) == len(queries)
    assert all(query.strip() for query in queries)


def test_near_duplicates_are_dropped():
    same = ["a b c d e f g h i j", "J I H G F E D C B A", "a b c d e f g h i j k", " ", "a b"]
    assert distinct_queries(same, 8) == ["a b c d e f g h i j", "a b"]


@pytest.mark.parametrize(
    "reply",
    [
        '{"queries": ["a b", "c d"]}',
        '["a b", "c d"]',
        'Sure!\n```json\n{"queries": ["a b", "c d"]}\n```\nHope this helps {really}.',
        '<think>{"queries": ["wrong"]}</think>{"queries": ["a b", " c d ", ""]}',
        'First {"queries": ["wrong"]} no, better: {"note": {"n": 1}, "queries": ["a b", "c d"]}',
        '{"queries": ["a b",\n"c d"], "comment": "[1]"}',
        'The list: [1, 2] and ["a b", "c d"]',
        '{"queries": ["a b", "c d",]}',
        'perhaps {"queries": ["x y"]}</think>{"queries": ["a b", "c d"]}',
        '<think>unfinished business ... {"queries": ["a b", "c d"]}'.replace("<think>", ""),
    ],
)
def test_replies_of_every_shape_are_understood(reply):
    assert parse_queries(reply) == ["a b", "c d"]


@pytest.mark.parametrize(
    "reply", ["", "I cannot.", "{}", '{"queries": "a"}', '{"queries": []}', "[1]", '{"queries": ["a"', "<think>['a']"]
)
def test_an_unusable_reply_is_an_error_that_shows_it(reply):
    with pytest.raises(ModelError, match="a planner must reply"):
        parse_queries(reply)


def test_a_chat_plan_keeps_the_question_and_drops_its_twins():
    asked = []

    def chat(system, user, question_id):
        asked.append((system, user, question_id))
        return json.dumps({"queries": [QUESTION.lower(), "GPT-3 MWh", "gpt-3 mwh", "energy of GPT-3 training", "more"]})

    assert plan_by_chat(QUESTION, "q7", 3, chat) == [QUESTION, "GPT-3 MWh", "energy of GPT-3 training"]
    [(system, user, question_id)] = asked
    assert '"queries"' in system
    assert QUESTION in user
    assert "2 search queries" in user
    assert question_id == "q7"


def test_one_query_needs_no_call():
    def never(*_):
        pytest.fail("the model was asked")

    assert plan_by_chat(QUESTION, "q1", 1, never) == [QUESTION]
    rows, _ = plan([QUESTION], never, kind="rule", max_queries=3)
    assert rows[0]["planner"] == "rule.v1"


def test_a_failed_call_leaves_the_question_and_says_why():
    def chat(system, user, question_id):
        if question_id == "q2":
            msg = "the server is down"
            raise ModelError(msg)
        return '["GPT-3 MWh"]' if question_id == "q1" else "no idea"

    rows, report = plan([QUESTION, "Why water?", "Why milk?"], chat)
    assert [row["queries"] for row in rows] == [[QUESTION, "GPT-3 MWh"], ["Why water?"], ["Why milk?"]]
    assert rows[0]["error"] is None
    assert rows[1]["error"] == "the planner failed: the server is down"
    assert "must reply" in rows[2]["error"]
    assert [problem.split()[1] for problem in report.problems] == ["'q2'", "'q3'"]
    assert {row["planner"] for row in rows} == {"chat.v1"}


def test_a_question_with_a_problem_is_not_planned():
    rows, _ = plan(["Half a question", " "], problem="too short")
    assert [row["queries"] for row in rows] == [["Half a question"], []]


def test_no_question_gives_no_plan():
    table, report = plan_queries(questions(), PlannerSettings())
    assert (table.schema, table.num_rows, report.rows_computed) == (QUERY_PLANS, 0, 0)


def test_a_failed_call_leaves_a_gap_and_an_unusable_reply_does_not():
    def refused(system, user, question_id):
        raise ModelError("the server is down")

    questions = pa.Table.from_pylist(
        [{"id": "q1", "question": "What is amber?", "has_truth": False, "row_json": "{}"}], schema=QUESTIONS
    )
    _, down = plan_queries(questions, PlannerSettings(kind="chat"), refused)
    table, prose = plan_queries(questions, PlannerSettings(kind="chat"), lambda *_: "Amber is fossil resin.")
    assert down.incomplete == "1 questions were not planned; the next refresh plans them again"
    assert prose.incomplete is None
    assert len(prose.problems) == 1
    assert [query_texts(row) for row in table.to_pylist()] == [["What is amber?"]]
