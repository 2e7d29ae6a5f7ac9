import json
import sys
import threading
import time
import traceback

import pyarrow as pa
import pytest
from answering_material import ShelfRetriever, chat_settings, contexts_table, questions_table, snippet
from hang_limit import HANG_S

from kohaku_lib.answering import Engine, GivenParts, answer_all, answer_questions, build_answerer, document_metadata
from kohaku_lib.errors import ModelError, StoreError
from kohaku_lib.llm import CallLedger, build_chat
from kohaku_lib.retrieval.planning.plan_rows import as_plan
from kohaku_lib.settings import Settings
from kohaku_lib.tables import DOCUMENTS, PREDICTIONS, Question, RetrievalResult, StructuredAnswer
from kohaku_lib.testing.openai_server import OpenAIServer, prompt_of, structured_reply

DOCUMENTS_BY_ID = {
    "doc": {"title": "Doc", "url": "https://example.org/doc ", "citation": "Amber (2024)"},
    "other": {"title": "Other", "url": "https://example.org/other", "citation": ""},
}
KEPT = {"keep_unstated": True}
QUESTIONS = questions_table(("q1", "How heavy?", "kg"), ("q2", "How long?", "m"), ("q3", "How old?"))
CONTEXTS = contexts_table(
    {
        "q1": [snippet("It weighs 41 kg in all.")],
        "q2": [snippet("It is 42 m long, they say.", "other"), snippet("It is long.", rank=2)],
        "q3": [snippet("It was made 43 years ago.")],
    }
)


def reply(value="41", refs=("doc",), quote="It weighs 41 kg in all."):
    fields = {"explanation": "Stated.", "answer": f"{value}.", "answer_value": value, "ref_id": list(refs)}
    return {"kind": "ok", "text": json.dumps(fields | {"supporting_materials": quote})}


def answered(server, *, questions=QUESTIONS, contexts=CONTEXTS, retriever=None, ledger=None, progress=None, **sections):
    settings = chat_settings(server.base_url, **sections)
    answerer = build_answerer(settings, build_chat(settings.llm, ledger))
    table, report = answer_questions(
        questions, contexts, Engine(settings, GivenParts([answerer], retriever, DOCUMENTS_BY_ID)), progress
    )
    assert table.schema.equals(PREDICTIONS)
    return table.to_pylist(), report


def one(server, **options):
    rows, report = answered(server, questions=QUESTIONS.slice(0, 1), **options)
    return rows[0], report


def test_rows_go_by_run_and_input_order_whoever_answers_first():
    def slow_first(body):
        if "How heavy?" in prompt_of(body):
            threading.Event().wait(0.1)
        return reply(prompt_of(body).split("Question: ")[1].split("?")[0])["text"]

    told = []
    with OpenAIServer(reply=slow_first) as server:
        rows, report = answered(server, ensemble={"runs": 2}, progress=lambda done, of: told.append((done, of)))
    assert [(row["run"], row["id"], row["answer_value"]) for row in rows] == [
        (run, question, value)
        for run in (0, 1)
        for question, value in (("q1", "How heavy"), ("q2", "How long"), ("q3", "How old"))
    ]
    assert [row["run_label"] for row in rows[::3]] == ["test-model.0", "test-model.1"]
    assert told == [(done, 6) for done in range(1, 7)]
    assert (report.rows_computed, report.rows_reused, report.problems) == (6, 0, ())


def test_each_run_has_a_seed_of_its_own():
    with OpenAIServer() as server:
        answered(server, ensemble={"runs": 3}, answer={"seed": 7})
        assert sorted({request["seed"] for request in server.requests}) == [7, 8, 9]


def test_the_best_snippets_stand_at_both_ends_of_a_sandwich():
    shelf = [snippet(f"It weighs {rank} kg.", rank=rank) for rank in (1, 2, 3, 4)]
    with OpenAIServer() as server:
        one(server, contexts=contexts_table({"q1": shelf}), answer={"snippet_order": "sandwich", "max_retries": 0})
        [request] = server.requests
    prompt = prompt_of(request)
    places = [prompt.index(f"It weighs {rank} kg.") for rank in (1, 3, 4, 2)]
    assert places == sorted(places)


def test_a_quote_that_was_found_is_the_material_and_its_place_the_citation():
    with OpenAIServer([reply()]) as server:
        row, report = one(server)
    assert (row["answer_value"], row["ref_id"], row["answer_unit"]) == ("41", ["doc"], "kg")
    assert (row["ref_url"], row["supporting_materials"]) == (["https://example.org/doc"], "It weighs 41 kg in all.")
    assert row["citations"] == [
        {
            "document_id": "doc",
            "node_id": "doc:sec1:p1",
            "page": 3,
            "quote": "It weighs 41 kg in all.",
            "quote_found": True,
            "char_start": 0,
            "char_end": len("It weighs 41 kg in all"),
            "supports_value": True,
            "converted_from": None,
            "heading": "",
        }
    ]
    assert (report.metrics["verified_quotes"], report.metrics["unverified_quotes"]) == (1.0, 0.0)
    assert (row["sentences"], row["passages_cited"]) == ([{"text": "41.", "supported": True}], 1)


def test_without_a_quote_that_was_found_the_citations_or_titles_are_the_material():
    contexts = contexts_table({"q1": [snippet("It weighs 41 kg in all."), snippet("It is heavy.", "other", 2)]})
    with OpenAIServer([reply(refs=["doc", "other"], quote="It says so somewhere on page nine.")]) as server:
        row, report = one(server, contexts=contexts)
    assert row["supporting_materials"] == "Amber (2024) | Other"
    assert (report.metrics["verified_quotes"], report.metrics["unverified_quotes"]) == (0.0, 1.0)
    assert [citation["quote_found"] for citation in row["citations"]] == [False, False]


@pytest.mark.parametrize("text", ["I cannot say.", reply("is_blank", ["doc"])["text"]])
def test_a_blank_row_is_blank_everywhere(text):
    with OpenAIServer(reply=lambda body: text) as server:
        row, report = one(server)
    blank = ["answer", "answer_value", "supporting_materials", "explanation"]
    assert {row[name] for name in blank} == {"is_blank"}
    assert (row["ref_id"], row["ref_url"], row["citations"]) == ([], [], [])
    assert (row["answer_unit"], row["raw_response"]) == ("kg", text)
    assert report.metrics["blank"] == 1.0


def test_a_value_that_no_excerpt_states_is_none_and_the_row_tells_what_the_model_said():
    with OpenAIServer([reply("43", ["nobody2020"], "It weighs 43 kg.")]) as server:
        row, report = one(server)
    assert (row["answer"], row["answer_value"], row["citations"], row["error"]) == ("is_blank", "is_blank", [], None)
    assert report.problems == ("question 'q1' in run 'test-model.0': The model said “43”, which no passage states.",)
    [attempt] = json.loads(row["trace_json"])["attempts"]
    assert (attempt["answer_value"], attempt["unfounded"], report.metrics["blank"]) == ("43", True, 1.0)
    assert "43" in row["raw_response"]


def test_a_value_that_no_excerpt_states_may_be_kept_with_low_confidence_and_the_closest_excerpt():
    with OpenAIServer([reply("43", ["nobody2020"], "It weighs 43 kg.")]) as server:
        row, report = one(server, answer=KEPT)
    assert (row["answer_value"], row["ref_id"], row["confidence"]) == ("43", ["doc"], 0.3)
    [citation] = row["citations"]
    assert (citation["node_id"], citation["quote_found"], citation["supports_value"]) == ("doc:sec1:p1", False, False)
    assert row["explanation"].startswith("No excerpt states this value: ")
    assert json.loads(row["trace_json"])["attempts"][0]["doubted"] is True
    assert report.metrics["blank"] == 0.0


def test_a_doubted_value_is_looked_for_deeper_and_kept_where_nothing_better_is_found():
    shelf = [snippet("It is heavy."), snippet("It weighs 41 kg in all.", "scales", 2)]
    contexts, invented = contexts_table({"q1": shelf[:1]}), reply("43", [], "It weighs 43 kg.")
    for second, expected in (
        (reply("41", ["2"]), ("41", ["scales"], None)),
        (reply("is_blank", []), ("43", ["doc"], 0.3)),
    ):
        with OpenAIServer([invented, second]) as server:
            row, _ = one(server, contexts=contexts, retriever=ShelfRetriever(shelf), answer={"max_retries": 1, **KEPT})
        assert (row["answer_value"], row["ref_id"], row["confidence"], row["attempts"]) == (*expected, 2)


@pytest.mark.parametrize(
    ("value", "quote", "kept", "outcome", "passages"),
    [
        ("43", "Its weight is 43 kg.", {}, "passage", ["doc"]),
        ("43", "Its weight is 43 kg.", KEPT, "value", ["doc"]),
        ("43", "It weighs 41 kg in all.", {}, "value", ["doc"]),
        ("41", "Its weight is 41 kg.", {}, "value", []),
    ],
)
def test_a_doubted_value_has_the_closest_passages_beside_it_or_in_its_place(value, quote, kept, outcome, passages):
    shelf = (snippet("It weighs 41 kg in all."), snippet("It was built in Riga.", "other", 2))
    context = RetrievalResult(as_plan(("q1", ["How heavy is it?"])), (), shelf)
    with OpenAIServer([reply(value, [1], quote)]) as server:
        settings = chat_settings(server.base_url, answer=kept)
        answerer = build_answerer(settings, build_chat(settings.llm))
        engine = Engine(settings, GivenParts([answerer], None, DOCUMENTS_BY_ID))
        question = Question("q1", "How heavy is it?", "kg")
        answer = engine.with_passages(question, engine.answer(question, context))
    assert (answer.outcome, answer.value) == (outcome, value if outcome == "value" else None)
    assert [one.document_id for one in answer.passages][:1] == passages
    told = "The model said “43”, which no passage states." if outcome == "passage" else None
    assert (answer.warning, answer.as_json()["warning"], answer.answered_by) == (told, told, "test-model")


def test_a_quote_that_paraphrases_its_excerpt_is_supported_by_it():
    with OpenAIServer([reply("41", ["doc"], "Its weight was found to be forty-one kilograms.")]) as server:
        row, _ = one(server)
    [citation] = row["citations"]
    assert (citation["quote_found"], citation["supports_value"], row["confidence"]) == (False, True, None)


def test_documents_that_the_context_does_not_hold_are_dropped_and_counted():
    with OpenAIServer([reply(refs=["DOC:sec1:p2", "nobody2020", "other"])]) as server:
        row, report = one(server)
    assert (row["ref_id"], row["dropped_refs"], report.metrics["dropped_refs"]) == (["doc"], 2, 2.0)


def test_an_empty_explanation_is_filled():
    text = json.dumps({"answer": "", "answer_value": "41", "ref_id": ["doc"], "explanation": ""})
    with OpenAIServer([{"kind": "ok", "text": text}]) as server:
        row, _ = one(server)
    assert (row["answer"], row["explanation"]) == ("41 kg", "41 kg")


def test_blank_answers_are_deepened_with_the_same_queries_once_for_all_runs():
    shelf = [
        snippet("Nothing of use.", "doc", 1),
        snippet("Nothing either.", "doc", 2),
        snippet("It is 44 kg.", "doc", 3),
    ]
    retriever = ShelfRetriever(shelf)
    contexts = contexts_table({"q1": shelf[:1]})
    with OpenAIServer() as server:
        rows, report = answered(
            server, questions=QUESTIONS.slice(0, 1), contexts=contexts, retriever=retriever, ensemble={"runs": 2}
        )
        assert len(server.requests) == 6
    assert [(row["answer_value"], row["attempts"]) for row in rows] == [("44", 3), ("44", 3)]
    assert sorted(retriever.asked) == [("q1", ("query of q1",), 2), ("q1", ("query of q1",), 3)]
    attempts = json.loads(rows[0]["trace_json"])["attempts"]
    assert [(attempt["depth"], attempt["snippets"], attempt["answer_value"]) for attempt in attempts] == [
        (1, 1, "is_blank"),
        (2, 2, "is_blank"),
        (3, 3, "44"),
    ]
    assert report.metrics["deepened"] == 2.0


def test_an_overflow_shortens_the_context_and_is_traced():
    overflow = {"kind": "status", "status": 400, "code": "context_length_exceeded"}
    contexts = contexts_table({"q1": [snippet(f"It weighs {n} kg.", "doc", n) for n in range(1, 5)]})
    with OpenAIServer([overflow]) as server:
        row, _ = one(server, contexts=contexts)
    (attempt,) = json.loads(row["trace_json"])["attempts"]
    assert (row["answer_value"], attempt["snippets"], attempt["overflow_dropped"]) == ("1", 2, 2)


def test_an_overflow_of_a_single_snippet_leaves_the_row_blank_with_its_reason():
    overflow = {"kind": "status", "status": 400, "message": "maximum context length is 10 tokens"}
    with OpenAIServer([overflow]) as server:
        row, report = one(server)
    assert (row["answer_value"], row["error"]) == ("is_blank", "context_overflow")
    assert report.problems == ("question 'q1' in run 'test-model.0' stays blank: context_overflow",)


def test_a_refused_question_is_blank_and_the_others_go_on():
    refuse = {"kind": "status", "status": 422, "message": "content policy"}
    with OpenAIServer([reply(), refuse, reply("43")]) as server:
        rows, report = answered(server, answer=KEPT, llm={"max_concurrent": 1})
        assert server.most_in_flight == 1
    values = sorted(row["answer_value"] for row in rows)
    assert values == ["41", "43", "is_blank"]
    (failed,) = [row for row in rows if row["error"]]
    assert "status 422, content policy" in failed["error"]
    assert (report.metrics["failed"], len(report.problems)) == (1.0, 1)


def test_a_question_that_cannot_be_asked_is_blank_without_a_call():
    with OpenAIServer() as server:
        rows, _ = answered(server, questions=questions_table(("q9", ""), problem="the question is empty"))
        assert server.requests == []
    assert (rows[0]["answer_value"], rows[0]["error"]) == ("is_blank", "the question is empty")


def test_a_question_without_any_snippet_is_blank_without_a_call():
    with OpenAIServer() as server:
        row, _ = one(server, contexts=contexts_table({}), retriever=ShelfRetriever([]))
        assert server.requests == []
    assert (row["error"], row["attempts"]) == ("no snippet was retrieved", 1)


def test_a_second_time_every_call_comes_from_the_ledger(tmp_path):
    with OpenAIServer() as server:
        first, report = answered(server, ledger=CallLedger(tmp_path))
        again, second_report = answered(server, ledger=CallLedger(tmp_path))
        assert server.stats() == {"requests": 3, "billed": 3, "distinct": 3}
    assert again == first
    assert (report.rows_computed, report.rows_reused) == (3, 0)
    assert (second_report.rows_computed, second_report.rows_reused) == (0, 3)


def test_a_server_that_is_down_ends_the_batch_in_one_sentence(tmp_path):
    with OpenAIServer() as server:
        pass
    with pytest.raises(ModelError, match="gave no reply: the connection failed") as caught:
        answered(server, ledger=CallLedger(tmp_path), llm={"max_concurrent": 1})
    assert "none of the first 3 questions was answered" in str(caught.value)


def test_a_single_question_to_a_server_that_is_down_is_no_blank_answer_either():
    with OpenAIServer() as server:
        pass
    with pytest.raises(ModelError, match="none of the first 1 questions"):
        one(server)


def test_a_server_that_is_overloaded_for_all_ends_the_batch_too():
    with OpenAIServer([{"kind": "status", "status": 503}] * 6) as server, pytest.raises(ModelError, match="status 503"):
        answered(server, llm={"max_concurrent": 1})


def test_a_row_without_a_call_does_not_prove_the_server_alive():
    with OpenAIServer() as server:
        pass
    many = questions_table(*[(f"q{n}", "How long?") for n in range(5)])
    rest = contexts_table({f"q{n}": [snippet(f"It is {n} m.")] for n in range(1, 5)})
    with pytest.raises(ModelError, match="none of the first 3 questions was answered"):
        answered(server, questions=many, contexts=rest, llm={"max_concurrent": 1})


def test_a_server_that_goes_down_later_blanks_its_questions_only(tmp_path):
    refuse = {"kind": "status", "status": 401, "message": "key expired"}
    many = questions_table(*[(f"q{n}", f"How many {n}?") for n in range(6)])
    contexts = contexts_table({f"q{n}": [snippet(f"It is {n} kg.")] for n in range(6)})
    with OpenAIServer([reply(), *[refuse] * 5]) as server:
        rows, report = answered(server, questions=many, contexts=contexts, llm={"max_concurrent": 1})
    assert sum(row["error"] is not None for row in rows) == report.metrics["failed"] == 5


class Breaking:
    """An answerer that raises an unexpected error."""

    def __init__(self, error):
        self.error = error

    def answer(self, question, snippets, run=0):
        if question.id == "q2":
            raise self.error
        return StructuredAnswer("It is 1.", "1", ("doc",), "Stated.", confidence=0.5)

    def stop(self):
        pass


def test_a_fault_of_the_answerer_is_its_rows_own():
    table, report = answer_questions(
        QUESTIONS, CONTEXTS, Engine(Settings(), GivenParts([Breaking(ValueError("odd"))], None, DOCUMENTS_BY_ID))
    )
    assert table.column("error").to_pylist() == [None, "ValueError: odd", None]
    assert table.column("confidence").to_pylist() == [0.5, None, 0.5]
    assert table.column("run_label").to_pylist() == ["reader.0"] * 3
    assert report.problems == ("question 'q2' in run 'reader.0' stays blank: ValueError: odd",)


def test_questions_of_a_caller_are_answered_by_the_given_engine_without_a_table(monkeypatch):
    class Scale:
        def answer(self, question, snippets, run=0):
            if question.id == "q1":
                msg = "the scale is broken"
                raise OSError(msg)
            return StructuredAnswer("42", "42", ("other",), "", quote="It is 42 m long, they say.")

    class Asked(Engine):
        asked = ()

        def answer(self, question, *rest, **options):
            self.asked += (question.id,)
            return super().answer(question, *rest, **options)

    for name in ("answers_to_table", "answer_row"):
        monkeypatch.delattr(f"kohaku_lib.answering.many.{name}")
    engine = Asked(Settings(), GivenParts([Scale()], ShelfRetriever([snippet("It is 42 m long, they say.", "other")])))
    first, second = answer_all(engine, [Question("q1", "How heavy?"), Question("q2", "How long?", "m")])
    assert sorted(engine.asked) == ["q1", "q2"]
    assert (first.value, first.error) == (None, "OSError: the scale is broken")
    assert (second.value, second.unit) == ("42", "m")


def test_a_ledger_that_cannot_be_written_ends_the_batch():
    with pytest.raises(StoreError):
        answer_questions(
            QUESTIONS, CONTEXTS, Engine(Settings(), GivenParts([Breaking(StoreError("disk full"))], None, {}))
        )


def test_a_chat_provider_without_a_model_is_refused():
    with pytest.raises(ModelError, match="needs a chat model"):
        build_answerer(chat_settings("http://127.0.0.1:1/v1"))


def test_the_metadata_of_parsed_documents_is_at_hand():
    row = dict.fromkeys(DOCUMENTS.names, "") | {"pages": 1, "error": None, "payload_json": None}
    rows = [
        row | {"document_id": "a", "title": "A", "status": "parsed", "metadata_json": '{"url": "u", "title": "old"}'},
        row | {"document_id": "b", "title": "B", "status": "failed", "metadata_json": "{}"},
    ]
    table = pa.Table.from_pylist(rows, schema=DOCUMENTS)
    assert document_metadata(table) == {"a": {"url": "u", "title": "A"}}


PRICED = {"test-model": {"input_usd_per_million": 1.0, "output_usd_per_million": 0.0}}


def many(count):
    questions = questions_table(*[(f"q{n}", f"How many {n}?") for n in range(count)])
    return questions, contexts_table({f"q{n}": [snippet(f"It is {n + 10} kg.")] for n in range(count)})


def test_a_spent_budget_keeps_what_was_answered_and_lists_the_rest(tmp_path):
    questions, contexts = many(6)
    llm = {"max_concurrent": 1, "prices": PRICED, "max_cost_usd": 0.0015}
    with OpenAIServer() as server:
        rows, report = answered(server, questions=questions, contexts=contexts, ledger=CallLedger(tmp_path), llm=llm)
        paid = server.stats()["billed"]
        told = {"max_cost_usd": None, "prices": PRICED}
        again, full = answered(server, questions=questions, contexts=contexts, ledger=CallLedger(tmp_path), llm=told)
        assert server.stats() == {"requests": 6, "billed": 6, "distinct": 6}
    values = [row["answer_value"] for row in rows]
    assert sorted(values) == sorted(
        [*[str(10 + n) for n in range(6) if values[n] != "is_blank"], *["is_blank"] * (6 - paid)]
    )
    assert 0 < paid < 6
    assert report.incomplete is not None
    assert report.incomplete.startswith(f"{6 - paid} of 6 answers are missing: not asked: 0.00")
    assert "raise it and refresh again" in report.incomplete
    assert len(report.problems) == 6 - paid
    assert (full.rows_reused, full.incomplete) == (paid, None)
    assert [row["answer_value"] for row in again] == [str(10 + n) for n in range(6)]


class Interrupted(BaseException):
    """Like the Ctrl-C of a user."""


def test_an_interruption_keeps_the_calls_in_flight_and_begins_no_other(tmp_path):
    """The server answers the first question, and later ones when the interrupted run awaits its threads."""
    questions, contexts = many(40)
    awaited, before = threading.Event(), []  # what was asked before the first question, as threads may be

    def reply_when_awaited(request):
        if "It is 10 kg." in prompt_of(request):
            before.append(None)
        elif None in before:
            assert awaited.wait(HANG_S)
        else:
            before.append(request)
        return structured_reply(request)

    def tell_when_awaited(caller):
        while "shutdown" not in {frame.name for frame in traceback.extract_stack(sys._current_frames()[caller])}:
            time.sleep(0.01)
        awaited.set()

    watcher = threading.Thread(target=tell_when_awaited, args=(threading.get_ident(),))

    def interrupt(done, of):
        watcher.start()
        raise Interrupted

    with OpenAIServer(reply=reply_when_awaited) as server:
        with pytest.raises(Interrupted):
            answered(
                server,
                questions=questions,
                contexts=contexts,
                ledger=CallLedger(tmp_path),
                progress=interrupt,
                llm={"max_concurrent": 2},
            )
        watcher.join()
        billed = server.stats()["billed"]
        # Those until the first, and at most two that were in flight.
        assert billed == len(CallLedger(tmp_path)) <= len(before) + 2
        rows, report = answered(server, questions=questions, contexts=contexts, ledger=CallLedger(tmp_path))
        assert server.stats() == {"requests": 40, "billed": 40, "distinct": 40}
    assert report.rows_reused == billed
    assert {row["error"] for row in rows} == {None}


def test_a_repaired_citation_is_recorded_in_the_trace_and_counted():
    with OpenAIServer([reply(refs=("excerpts 4aa1264af757",))]) as server:
        row, report = one(server)
    assert (row["answer_value"], row["ref_id"], row["dropped_refs"]) == ("41", ["doc"], 1)
    assert json.loads(row["trace_json"])["attempts"][0]["source_found_by"] == "quote"
    assert (report.metrics["repaired_refs"], report.metrics["dropped_refs"]) == (1, 1)


@pytest.mark.parametrize("text", ["<h1>Bad gateway</h1>", "I cannot say."])
def test_a_reply_without_an_answer_is_paid_and_listed_and_asked_for_anew_by_the_next_run(tmp_path, text):
    broken = {"kind": "ok", "text": text}
    with OpenAIServer([broken]) as server:
        first, _ = answered(server, ledger=CallLedger(tmp_path), questions=QUESTIONS.slice(0, 2))
        again, report = answered(server, ledger=CallLedger(tmp_path), questions=QUESTIONS.slice(0, 2))
        assert server.stats()["requests"] == 3
    assert sorted(row["answer_value"] == "is_blank" for row in first) == [False, True]
    assert [row["answer_value"] for row in again] == ["41", "42"]
    assert report.rows_reused == 1
    lines = [json.loads(line) for path in tmp_path.glob("*.jsonl") for line in path.read_text().splitlines()]
    assert [(line["text"] == text, line.get("unusable", False)) for line in lines].count((True, True)) == 1
    assert [line["input_tokens"] is not None for line in lines] == [True] * 3


def test_a_reply_that_was_cut_is_not_paid_for_again(tmp_path):
    cut = {"kind": "ok", "text": "Let me think"}
    with OpenAIServer([cut], adjust=lambda body: body["choices"][0].update(finish_reason="length")) as server:
        for _ in range(2):
            [row], _ = answered(server, ledger=CallLedger(tmp_path), questions=QUESTIONS.slice(0, 1))
            assert "llm.max_tokens" in row["error"]
        assert server.stats()["requests"] == 1


def test_an_answer_of_the_fallback_says_so_in_its_trace():
    down = {"kind": "status", "status": 503}
    with OpenAIServer([down] * 2) as server, OpenAIServer() as spare:
        fallback = {"provider": "openrouter", "model": "spare", "base_url": spare.base_url}
        row, _ = one(server, llm={"fallback": fallback})
    assert json.loads(row["trace_json"])["attempts"][0]["fallback"] == "openrouter:spare"
    assert row["answer_value"] == "41"


def test_runs_of_an_ensemble_differ_by_seed_and_share_no_call(tmp_path):
    with OpenAIServer() as server:
        answered(server, ledger=CallLedger(tmp_path), ensemble={"runs": 3}, answer={"seed": 7})
        seeds = sorted((request["seed"], request["temperature"]) for request in server.requests)
        assert seeds == [(7, 0.2)] * 3 + [(8, 0.2)] * 3 + [(9, 0.2)] * 3
    assert len(CallLedger(tmp_path)) == 9


def test_the_reply_is_held_to_the_shape_that_the_prompt_describes():
    with OpenAIServer() as server:
        one(server)
    (request,) = server.requests
    schema = request["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == schema["required"]
    shape = request["messages"][1]["content"].rpartition("in this order:")[2]
    assert list(json.loads(shape)) == schema["required"]


def test_a_cited_node_is_the_citation_and_its_document_the_reference():
    shelf = [snippet("It is heavy.", rank=1), snippet("It weighs 41 kg in all.", rank=2)]
    with OpenAIServer([reply(refs=("doc:sec1:p2",), quote="")]) as server:
        row, report = one(server, contexts=contexts_table({"q1": shelf}), answer={"cite": "node"})
        assert "[ref_id=doc:sec1:p2] (Doc) It weighs 41 kg" in prompt_of(server.requests[0])
    assert (row["ref_id"], [citation["node_id"] for citation in row["citations"]]) == (["doc"], ["doc:sec1:p2"])
    assert report.metrics["dropped_refs"] == 0


@pytest.mark.parametrize(
    ("replans", "queries"), [(True, ("query of q1", "planned anew at depth 2")), (False, ("query of q1",))]
)
def test_a_deeper_attempt_searches_by_the_new_plan_only_where_it_is_wanted(replans, queries):
    retriever = ShelfRetriever([snippet("It is heavy."), snippet("It weighs 41 kg in all.", rank=2)])
    replan = lambda depth: lambda *_: f'{{"queries": ["planned anew at depth {depth}"]}}'
    with OpenAIServer([reply("is_blank", ()), reply()]) as server:
        settings = chat_settings(server.base_url, answer={"replan_on_retry": replans, "max_retries": 1})
        answerer = build_answerer(settings, build_chat(settings.llm))
        questions, contexts = QUESTIONS.slice(0, 1), contexts_table({"q1": [snippet("It is heavy.")]})
        table, _ = answer_questions(
            questions, contexts, Engine(settings, GivenParts([answerer], retriever, DOCUMENTS_BY_ID, replanner=replan))
        )
    assert table["answer_value"].to_pylist() == ["41"]
    assert retriever.asked == [("q1", queries, 2)]


def test_a_known_window_decides_how_many_snippets_are_sent_before_any_call():
    shelf = [snippet("x" * 4000, rank=rank) for rank in range(1, 9)]  # 1,000 tokens each
    models = {"test-model": {"context_window": 4096}}
    with OpenAIServer([reply(quote="")]) as server:
        llm = {"models": models, "max_tokens": 512}
        row, _ = one(server, contexts=contexts_table({"q1": shelf}), answer={"max_retries": 0}, llm=llm)
        assert len(server.requests) == 1
    [attempt] = json.loads(row["trace_json"])["attempts"]
    assert (attempt["overflows"], attempt["snippets"], attempt["overflow_dropped"]) == ([8], 2, 6)


def test_the_last_snippet_is_sent_whatever_the_estimate():
    with OpenAIServer([reply(quote="")]) as server:
        llm = {"models": {"test-model": {"context_window": 1024}}, "max_tokens": 512}
        row, _ = one(server, contexts=contexts_table({"q1": [snippet("It weighs 41 kg. " + "x" * 9000)]}), llm=llm)
    assert row["answer_value"] == "41"
