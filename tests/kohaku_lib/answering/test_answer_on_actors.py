"""Answers of Ray actors: those of threads, and a killed actor neither loses nor pays for one twice."""

import importlib.util
import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from answering_material import chat_settings, contexts_table, questions_table, snippet

from kohaku_lib.answering import Engine, GivenParts, answer_on_actors, answer_questions, build_answerer
from kohaku_lib.answering.answer_on_actors import divide_limits
from kohaku_lib.errors import ModelError
from kohaku_lib.llm import CallLedger, build_chat
from kohaku_lib.settings import Settings
from kohaku_lib.tables import PREDICTIONS
from kohaku_lib.testing.openai_server import OpenAIServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("ray"),
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="the extra [ray] is not installed"),
    pytest.mark.filterwarnings("ignore"),  # Ray's own
]
COUNT = 12
DOCUMENTS_BY_ID = {"doc": {"title": "Doc", "url": "https://example.org/doc", "citation": "Amber (2024)"}}
QUESTIONS = questions_table(*[(f"q{n}", f"How heavy is part {n}?", "kg") for n in range(COUNT)])
CONTEXTS = contexts_table({f"q{n}": [snippet(f"The part weighs {n + 100} kg.")] for n in range(COUNT)})


@pytest.fixture(scope="module", autouse=True)
def no_cluster_stays():
    yield
    import ray

    ray.shutdown()


def settings_for(server, **llm):
    return chat_settings(server.base_url, llm={"max_concurrent": 4, **llm}, parallel={"kind": "ray", "workers": 2})


def maker(folder):
    """Return what makes the tools of an actor; a nested function, so that it travels with its code."""
    folder, documents = Path(folder), DOCUMENTS_BY_ID

    def make(settings):
        return GivenParts([build_answerer(settings, build_chat(settings.llm, CallLedger(folder)))], None, documents)

    return make


def test_actors_answer_as_threads_do_and_replay_what_they_paid_for(tmp_path):
    told = []
    with OpenAIServer(delay_s=0.02) as server:
        settings = settings_for(server)
        table, report = answer_on_actors(
            QUESTIONS, CONTEXTS, settings, maker(tmp_path / "a"), lambda done, of: told.append((done, of))
        )
        engine = Engine(settings, maker(tmp_path / "b")(settings))
        by_threads, threads_report = answer_questions(QUESTIONS, CONTEXTS, engine)
        again, again_report = answer_on_actors(QUESTIONS, CONTEXTS, settings, maker(tmp_path / "a"))
        assert server.stats() == {"requests": 2 * COUNT, "billed": 2 * COUNT, "distinct": COUNT}
        assert server.most_in_flight <= 4
    assert table.schema.equals(PREDICTIONS)
    assert table.equals(by_threads)
    assert again.equals(by_threads)
    assert report == threads_report
    assert (again_report.rows_computed, again_report.rows_reused) == (0, COUNT)
    assert told[-1] == (COUNT, COUNT)
    assert table.column("answer_value").to_pylist() == [str(n + 100) for n in range(COUNT)]


def test_a_killed_actor_loses_nothing_and_pays_for_no_finished_call_twice(tmp_path):
    mark, folder, documents = str(tmp_path / "killed"), tmp_path / "calls", DOCUMENTS_BY_ID

    def make(settings):
        answerer = build_answerer(settings, build_chat(settings.llm, CallLedger(folder)))

        class Deadly:
            def answer(self, question, snippets, run=0):
                answer = answerer.answer(question, snippets, run)
                if question.id == "q7" and not Path(mark).exists():
                    Path(mark).touch()
                    os.kill(os.getpid(), signal.SIGKILL)
                return answer

        return GivenParts([Deadly()], None, documents)

    with OpenAIServer(delay_s=0.02) as server:
        settings = settings_for(server, max_concurrent=2)  # one call in flight for each actor
        table, report = answer_on_actors(QUESTIONS, CONTEXTS, settings, make)
        assert Path(mark).exists()
        assert server.stats()["distinct"] == COUNT
        twice = [prompt for prompt, times in Counter(server.billed).items() if times > 1]
        assert [prompt for prompt in twice if "part 7?" in prompt] == []  # it was finished
        assert len(server.billed) - COUNT == len(twice) <= 1  # what the killed actor had in flight
    assert table.column("answer_value").to_pylist() == [str(n + 100) for n in range(COUNT)]
    assert len(CallLedger(folder)) == COUNT
    assert report.problems == ()


def test_a_missing_key_is_told_as_in_this_process(tmp_path):
    settings = Settings.model_validate({"llm": {"provider": "openai", "api_key_env": "KOHAKU_NO_SUCH_KEY"}})
    with pytest.raises(ModelError, match="KOHAKU_NO_SUCH_KEY"):
        answer_on_actors(QUESTIONS, CONTEXTS, settings, maker(tmp_path))


def test_no_question_gives_an_empty_table(tmp_path):
    table, report = answer_on_actors(QUESTIONS.slice(0, 0), CONTEXTS, Settings(), maker(tmp_path))
    assert (table.num_rows, table.schema.equals(PREDICTIONS), report.rows_computed) == (0, True, 0)


@pytest.mark.parametrize(("workers", "share"), [(1, 8), (3, 2), (8, 1), (20, 1)])
def test_the_calls_in_flight_are_divided_but_each_actor_has_one(workers, share):
    assert divide_limits(Settings(), workers).llm.max_concurrent == share
