"""Which served questions a person should look at."""

import json
from datetime import UTC, datetime, timedelta

import pyarrow as pa

from kohaku_lib.conversation.memory.served_questions import SERVED_QUESTIONS
from kohaku_lib.conversation.usage.review_queue import review_queue
from kohaku_lib.conversation.usage.usage_report import usage_report

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)


def served(*rows):
    """Rows of served questions; each is a question with what differs from a sure answer at NOW."""
    return pa.Table.from_pylist(
        [
            {
                "answer_id": f"a{number}",
                "session_id": "s1",
                "served_at": NOW,
                "message": question,
                "question": question,
                "mode": "chat",
                "answer": "4 kg [Source 1]",
                "is_answer": True,
                "confidence": 0.9,
                "coverage": 0.9,
                "cached": False,
                "sources_json": json.dumps(
                    [{"document_id": "d1", "cited": True}, {"document_id": "d2", "cited": False}]
                ),
                "trace_json": "{}",
                "timings_json": json.dumps({"retrieve": 10.0, "read": 5.0}),
            }
            | changes
            for number, (question, changes) in enumerate(rows)
        ],
        schema=SERVED_QUESTIONS,
    )


def reasons(table, **more):
    return {row["question"]: row["reasons"] for row in review_queue(table, **more).to_pylist()}


def test_blame_comes_before_what_was_not_answered_or_answered_unsurely():
    table = served(
        ("Sure?", {}),
        ("Unsure?", {"confidence": 0.4}),
        ("Unanswered?", {"is_answer": False, "confidence": 0.0}),
        ("Praised?", {"confidence": 0.4, "rating": 1}),
        ("Blamed?", {"rating": -1}),
        ("Corrected?", {"rating": -1, "correction": "5 kg"}),
        ("A joke?", {"mode": "general", "is_answer": False}),
    )
    assert reasons(table) == {
        "Corrected?": ["corrected", "thumbs down"],
        "Blamed?": ["thumbs down"],
        "Unanswered?": ["unanswered"],
        "Unsure?": ["low confidence"],
    }


def test_the_same_question_is_one_row_with_the_newest_answer_and_correction():
    table = served(
        ("How heavy?", {"rating": -1, "correction": "5 kg", "right_source": "scales"}),
        ("how  heavy", {"answer": "6 kg"}),
    )
    [row] = review_queue(table).to_pylist()
    assert (row["answer_id"], row["asked"], row["correction"], row["sources"]) == ("a1", 2, "5 kg", ["scales"])


def test_sources_are_those_that_were_cited():
    [row] = review_queue(served(("Why?", {"rating": -1}))).to_pylist()
    assert row["sources"] == ["d1"]


def test_what_was_decided_or_is_known_comes_back_only_when_it_is_blamed():
    later = NOW + timedelta(hours=1)
    table = served(
        ("One?", {"rating": -1}), ("Two?", {"confidence": 0.1}), ("Two?", {"served_at": later, "rating": -1})
    )
    assert reasons(table, decided={"one": later, "two": NOW}) == {"Two?": ["thumbs down"]}
    assert reasons(served(("One?", {"confidence": 0.1})), known=["One?"]) == {}
    assert reasons(served(("One?", {"rating": -1})), known=["One?"]) == {"One?": ["thumbs down"]}


def test_a_topic_of_the_last_month_is_new_if_nobody_asked_about_it_before():
    before = {"served_at": NOW - timedelta(days=40)}
    old, new = "Who maintains Gintaras-M?", "Who maintains Laurel-7?"
    assert reasons(served((old, before), (old, {}), (new, {}))) == {new: ["new topic"]}
    assert reasons(served((new, {}))) == {}  # nothing is older


def test_the_report_sums_up_months_and_tells_how_topics_drift():
    april = {"served_at": NOW - timedelta(days=40), "rating": 1}
    table = served(
        ("Who maintains Gintaras-M?", april),
        ("Who maintains Laurel-7?", {"is_answer": False, "cost_usd": 0.25, "rating": -1}),
        ("Who maintains Laurel-7?", {"cached": True, "session_id": "s2", "timings_json": json.dumps({"cache": 1.0})}),
    )
    first, second = usage_report(table).to_pylist()
    assert (first["month"], first["questions"], first["topic_drift"], first["thumbs_up"]) == ("2026-04", 1, None, 1)
    assert first["cost_usd"] is None
    assert (second["month"], second["questions"], second["sessions"]) == ("2026-05", 2, 2)
    assert (second["unanswered_share"], second["cache_share"], second["cost_usd"]) == (0.5, 0.5, 0.25)
    assert (second["latency_p50_ms"], second["topic_drift"], second["thumbs_down"]) == (8.0, 1.0, 1)
    assert len(second["new_topics"]) == 1


def test_without_questions_the_queue_and_the_report_are_empty():
    assert review_queue(served()).num_rows == 0
    assert usage_report(served()).num_rows == 0
