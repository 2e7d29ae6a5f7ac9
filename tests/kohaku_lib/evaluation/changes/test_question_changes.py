"""Why an answer changed: traces made by hand, and the differences that they must show."""

import json
from dataclasses import asdict, replace

import pyarrow as pa
import pytest
from sparse_tables import table_of

from kohaku_lib.answering.chat.chat_answerer import ChatAnswerer
from kohaku_lib.answering.figures import figure_snippets
from kohaku_lib.digests import text_sha256
from kohaku_lib.evaluation import RecordedTables, compare_traces, trace_question, why_changed
from kohaku_lib.evaluation.changes.question_changes import STEPS
from kohaku_lib.llm import ChatReply
from kohaku_lib.retrieval.contexts import snippet_from_row
from kohaku_lib.settings import AnswerSettings, LlmSettings
from kohaku_lib.tables import (
    ENSEMBLE_VOTES,
    PREDICTIONS,
    QUESTIONS,
    RETRIEVED_CONTEXT,
    SCORES,
    ImageMatch,
    Question,
)

QUOTE = "The room used 4 kWh."


def snippet(name, text, rank):
    place = {"node_id": f"{name}:p1", "document_id": name, "document_title": name.upper(), "page": 3}
    return {**place, "text": text, "rank": rank, "score": 1.0 / rank, "background": False, "also_in": []}


def plan_of(*queries):
    return {"queries": [{"text": text, "role": "planned"} for text in queries], "weights": [], "channel_top_k": []}


def experiment(
    value="4",
    snippets=(("a", f"Yes. {QUOTE}"), ("b", "Nothing.")),
    answerer="reader",
    top_k=8,
    images=(),
    best_guess=False,
    send_images=False,
):
    stages = {
        "lexical_index": {"code": "1", "settings": {"lexical.stemmer": "english"}},
        "retrieved_context": {"code": "3", "settings": {"retrieval.top_k": top_k}},
        "predictions": {
            "code": "2",
            "settings": {
                "answer.by": answerer,
                "retrieval.top_k": top_k,
                "answer.snippet_order": "front_loaded",
                "answer.context_first": True,
                "answer.headings": True,
                "answer.best_guess": best_guess,
                "answer.cite": "number",
                "answer.send_images": send_images,
            },
        },
    }
    cited = {"document_id": "a", "node_id": "a:p1", "page": 3, "quote": QUOTE, "quote_found": True}
    attempts = json.dumps({"attempts": [{"depth": 1, "snippets": len(snippets), "answer_value": value}]})
    prediction = {
        "id": "q",
        "run_label": "run 0",
        "answer_value": value,
        "ref_id": ["a"],
        "citations": [cited],
        "attempts": 1,
        "trace_json": attempts,
    }
    context = [snippet(name, text, rank) for rank, (name, text) in enumerate(snippets, start=1)]
    vote = {"id": "q", "question": "How much?", "answer_value": value, "ref_id": ["a"], "agreement": 1.0}
    scored = {"member": "ensemble", "metric": "wattbot", "id": "q", "score": 1.0 if value == "4" else 0.25}
    return RecordedTables(
        stages=stages,
        documents={"a": "1" * 64, "b": "2" * 64},
        questions=table_of(QUESTIONS, {"id": "q", "question": "How much?", "answer_unit": "kWh"}),
        contexts=table_of(
            RETRIEVED_CONTEXT,
            {"id": "q", "plan": plan_of("How much?"), "snippets": context}
            | {"images": [asdict(image) for image in images]},
        ),
        predictions=table_of(PREDICTIONS, prediction),
        votes=table_of(ENSEMBLE_VOTES, vote),
        scores=table_of(SCORES, scored, {**scored, "member": "run 0", "score": 0.5}),
    )


def changes(first, second, prompts=None):
    return compare_traces(trace_question("q", first, prompts), trace_question("q", second, prompts))


def told(found, step):
    return [(change.of, change.first, change.second) for change in found.changes if change.step == step]


def test_equal_experiments_differ_in_nothing():
    found = changes(experiment(), experiment())
    assert found.changes == ()
    assert set(found.same) == set(STEPS) - {"prompt", "reply"}
    assert found.not_kept == {
        "prompt": "there is none: no chat model answered",
        "reply": "there is none: no model was called",
    }
    assert why_changed(found) == "nothing upstream that is stored for both sides differs; the answer is the same."


def test_a_setting_is_told_once_with_all_who_read_it():
    found = changes(experiment(), experiment(top_k=2))
    assert told(found, "settings") == [("retrieval.top_k (read by retrieved_context, predictions)", 8, 2)]


def test_code_and_settings_of_one_side_alone_are_told():
    other = experiment()
    other = replace(other, stages={**other.stages, "lexical_index": {"code": "2", "settings": {}}})
    found = changes(experiment(), other)
    assert told(found, "code") == [("lexical_index", "1", "2")]
    assert told(found, "settings") == [("lexical.stemmer (read by lexical_index)", "english", None)]


def test_documents_are_told_by_their_versions():
    found = changes(experiment(), replace(experiment(), documents={"a": "3" * 64, "c": "4" * 64}))
    assert told(found, "documents") == [("a", "1" * 12, "3" * 12), ("b", "2" * 12, None), ("c", None, "4" * 12)]


def test_snippets_move_come_go_and_are_reworded():
    first = experiment(snippets=(("a", "one"), ("b", "two"), ("c", "three"), ("d", "four")))
    second = experiment(snippets=(("b", "two"), ("a", "one"), ("e", "five"), ("d", "four!")))
    moves = {move.node_id: move for move in changes(first, second).snippets}
    assert {name: (move.first_rank, move.second_rank) for name, move in moves.items()} == {
        "a:p1": (1, 2),
        "b:p1": (2, 1),
        "c:p1": (3, None),
        "d:p1": (4, 4),
        "e:p1": (None, 3),
    }
    assert [name for name, move in moves.items() if move.is_reworded] == ["d:p1"]


def test_a_snippet_whose_node_is_called_otherwise_is_the_same():
    found = changes(experiment(snippets=(("a", "one"),)), experiment(snippets=(("z", "one"),)))
    assert [(move.first_rank, move.second_rank) for move in found.snippets] == [(1, 1)]
    assert "context" in found.same


def test_the_quote_that_was_lost_is_named():
    found = changes(experiment(), experiment(value="is_blank", snippets=(("b", "Nothing."),), top_k=1))
    own, _ = found.supports
    assert (own.side, own.node_id, own.own_rank, own.other_rank) == ("first", "a:p1", 1, None)
    assert why_changed(found) == (
        "settings retrieval.top_k differs; 1 snippets left the context and 0 came; the quote of the first answer "
        "is in its own context only; 4 [a], score 1 became is_blank [a], score 0.25."
    )


def test_runs_are_paired_by_their_number():
    first = experiment()
    rows = first.predictions.to_pylist()
    more = replace(first, predictions=pa.Table.from_pylist([*rows, {**rows[0], "run": 1}], schema=PREDICTIONS))
    assert told(changes(first, more), "answer") == [
        ("run 1 answer_value", None, "4"),
    ]


def test_a_plan_is_compared_query_by_query():
    first, second = experiment(), experiment()
    row = second.contexts.to_pylist()[0] | {"plan": plan_of("How much?", "kWh of the room")}
    found = changes(first, replace(second, contexts=pa.Table.from_pylist([row], schema=RETRIEVED_CONTEXT)))
    assert told(found, "plan") == [("query 2", None, "kWh of the room")]


def test_the_prompt_is_made_again_and_known_to_the_ledger():
    trace = trace_question("q", experiment(answerer="model"), frozenset({"unknown"}))
    assert QUOTE in trace.prompt.text
    assert trace.prompt.called is False
    again = trace_question("q", experiment(answerer="model"), frozenset({text_sha256(trace.prompt.text)}))
    assert again.prompt.called is True
    assert trace_question("q", experiment(answerer="model")).prompt.called is None


class Listener:
    """A model that keeps what it is asked."""

    provider = "openai"

    def complete(self, request, keep=None):
        self.request = request
        return ChatReply("{}", 1, 0, 1, None, 0.0, 1, "stop")


@pytest.mark.parametrize("best_guess", [False, True])
def test_the_prompt_made_again_is_the_one_that_the_answerer_sent(best_guess):
    images = [ImageMatch("img:a:p2:i1", "a", 2, "A plot of 4 kWh"), ImageMatch("img:a:p3:i1", "a", 3, "")]
    kept = experiment(answerer="model", images=images, best_guess=best_guess)
    context = [snippet_from_row(row) for row in kept.contexts["snippets"][0].as_py()]
    figures = figure_snippets(images, len(context), uncaptioned=False)
    answerer = ChatAnswerer(chat := Listener(), LlmSettings(), AnswerSettings(best_guess=best_guess))
    answerer.answer(Question("q", "How much?", "kWh"), (*context, *figures))
    sent = text_sha256(f"{chat.request.system}\n\n{chat.request.user}")
    assert "A plot of 4 kWh" in chat.request.user
    assert trace_question("q", kept, frozenset({sent})).prompt.called is True


def test_whether_a_prompt_with_pictures_was_sent_cannot_be_told():
    images = [ImageMatch("img:a:p2:i1", "a", 2, "A plot", 0.5, searched=True)]
    kept = experiment(answerer="model", images=images, send_images=True)
    assert trace_question("q", kept, frozenset({"unknown"})).prompt.called is None


def test_the_difference_of_prompts_is_that_of_their_lines():
    found = changes(experiment(answerer="model"), experiment(answerer="model", snippets=(("a", "Other words."),)))
    assert any(line.startswith("-") and QUOTE in line for line in found.prompt_diff)
    assert any(line.startswith("+") and "Other words." in line for line in found.prompt_diff)
    assert "prompt" not in found.same


@pytest.mark.parametrize(
    ("part", "steps"),
    [
        ("contexts", {"plan", "context"}),
        ("predictions", {"answer", "reply"}),
        ("documents", {"documents"}),
        ("stages", {"code", "settings", "prompt"}),
    ],
)
def test_what_was_not_kept_is_said(part, steps):
    found = changes(experiment(), replace(experiment(), **{part: None}))
    assert {step for step, why in found.not_kept.items() if "not stored" in why} == steps
    assert not {change.step for change in found.changes} & steps


def test_a_question_that_nobody_knows_has_an_empty_trace():
    trace = trace_question("nobody", experiment())
    assert (trace.question_row, trace.vote, trace.snippets, trace.runs) == (None, None, None, ())


@pytest.mark.parametrize(
    ("provider", "answerer"),
    [("extractive", "reader"), ("reader", "reader"), ("replay", "replay"), ("openrouter", "model")],
)
def test_who_answered_is_known_of_a_record_of_an_earlier_version(provider, answerer):
    kept = experiment()
    settings = kept.stages["predictions"]["settings"]
    del settings["answer.by"]
    assert trace_question("q", kept).answerer is None
    settings["llm.provider"] = provider
    assert trace_question("q", kept).answerer == answerer
