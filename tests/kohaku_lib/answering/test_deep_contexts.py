"""Deeper contexts are retrieved once for all runs, and never by two threads at a time."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from answering_material import ShelfRetriever, snippet

from kohaku_lib.answering import Engine, GivenParts
from kohaku_lib.answering.answerer import blank_answer
from kohaku_lib.answering.deep_contexts import DeepContexts
from kohaku_lib.errors import RetrievalError
from kohaku_lib.llm import ContextOverflowError
from kohaku_lib.retrieval.planning.plan_rows import as_plan
from kohaku_lib.settings import Settings
from kohaku_lib.tables import ImageMatch, Question, RetrievalResult, StructuredAnswer

SHELF = [snippet(f"Part {rank}.", rank=rank) for rank in range(1, 9)]
SEEN = ImageMatch("img:doc:p2:i1", "doc", 2, "", 0.8, searched=True)
CAPTIONED = ImageMatch("img:doc:p3:i1", "doc", 3, "A plot")


class FigureRetriever:
    """Returns a snippet, two figures and a lost channel, and notes how many threads are inside."""

    def __init__(self):
        self.lock, self.inside, self.most, self.calls = threading.Lock(), 0, 0, 0

    def retrieve(self, plans, depth=1):
        with self.lock:
            self.inside, self.calls = self.inside + 1, self.calls + 1
            self.most = max(self.most, self.inside)
        threading.Event().wait(0.01)
        with self.lock:
            self.inside -= 1
        trace = {"failed_channels": {"dense": f"gone at {depth}"}} if depth > 1 else {}
        return [RetrievalResult(plan, (), (SHELF[0],), (SEEN, CAPTIONED), trace) for plan in plans]


def test_a_context_is_retrieved_once_per_question_and_depth():
    retriever = ShelfRetriever(SHELF, step=2)
    contexts = DeepContexts(retriever)
    for _ in range(3):
        assert contexts.get(as_plan(("q1", ["?"])), 2) == tuple(SHELF[:4])
        assert contexts.get(as_plan(("q1", ["?"])), 3) == tuple(SHELF[:6])
        contexts.get(as_plan(("q2", ["!"])), 2)
    assert retriever.asked == [("q1", ("?",), 2), ("q1", ("?",), 3), ("q2", ("!",), 2)]


def test_figures_follow_the_snippets_and_those_without_a_caption_only_if_wanted():
    plan = as_plan(("q1", ["?"]))
    assert [one.node_id for one in DeepContexts(FigureRetriever()).get(plan, 1)] == ["doc:sec1:p1", "img:doc:p3:i1"]
    every = DeepContexts(FigureRetriever(), uncaptioned=True).get(plan, 1)
    assert [(one.node_id, one.rank) for one in every[1:]] == [("img:doc:p2:i1", 2), ("img:doc:p3:i1", 3)]


def test_lost_channels_are_kept_by_question():
    contexts = DeepContexts(FigureRetriever())
    contexts.get(as_plan(("q1", ["?"])), 1)
    assert contexts.lost == {}
    contexts.get(as_plan(("q1", ["?"])), 2)
    assert contexts.lost == {"q1": {"dense": "gone at 2"}}


def test_threads_take_turns_and_share_what_was_retrieved():
    retriever = FigureRetriever()
    contexts = DeepContexts(retriever)
    plans = [as_plan((f"q{number % 2}", ["?"])) for number in range(12)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda plan: contexts.get(plan, 2), plans))
    assert (retriever.most, retriever.calls) == (1, 2)


class NarrowRetriever:
    """Returns as many snippets as the plan limits dense search to."""

    def retrieve(self, plans, depth=1):
        limits = [plan.channel_top_k.get("dense", len(SHELF)) for plan in plans]
        return [RetrievalResult(plan, (), tuple(SHELF[:limit])) for plan, limit in zip(plans, limits, strict=True)]


class LosingRetriever(NarrowRetriever):
    """Loses the dense channel when it is limited."""

    def retrieve(self, plans, depth=1):
        found = super().retrieve(plans, depth)
        is_limited = [bool(plan.channel_top_k) for plan in plans]
        trace = {"failed_channels": {"dense": "the file is gone"}}
        return [replace(one, trace=trace) if few else one for one, few in zip(found, is_limited, strict=True)]


class SmallWindow:
    """An answerer whose model holds three snippets."""

    def answer(self, question, snippets, run=0):
        if len(snippets) > 3:
            raise ContextOverflowError("too long")
        return StructuredAnswer("4 t", "4", ("doc",), "Stated.")

    def stop(self):
        """Have nothing to stop."""


def narrow_engine(retriever, answerer=None, replanner=None, **answer):
    llm = {"provider": "openai", "model": "small"}
    values = {"llm": llm, "answer": {"by": "model", "overflow": "minus_one", **answer}, "retrieval": {"top_k": 4}}
    return Engine(
        Settings.model_validate(values), GivenParts([answerer or SmallWindow()], retriever, replanner=replanner)
    )


@pytest.mark.parametrize(("overflow", "kept"), [("minus_one", 3), ("minus_two", 2)])
def test_after_an_overflow_fewer_results_are_searched_for(overflow, kept):
    engine = narrow_engine(NarrowRetriever(), overflow=overflow, max_retries=0)
    question = Question("q1", "How heavy is it?")
    plan = as_plan(("q1", [question.text]))
    answer = engine.answer(question, RetrievalResult(plan, (), tuple(SHELF[:4])))
    assert [one.node_id for one in answer.trace.snippets] == [one.node_id for one in SHELF[:kept]]


@pytest.mark.parametrize("is_tolerant", [True, False])
def test_a_search_for_fewer_results_that_loses_a_channel_is_answered_from_only_where_that_is_tolerated(is_tolerant):
    engine = narrow_engine(LosingRetriever(), max_retries=0)
    found = RetrievalResult(as_plan(("q1", ["How heavy is it?"])), (), tuple(SHELF[:4]))
    if is_tolerant:
        answer = engine.answer(Question("q1", "How heavy is it?"), found)
        assert answer.lost_channels == {"dense": "the file is gone"}
    else:
        with pytest.raises(
            RetrievalError, match=r"the search lost the channels \['dense'\] \(dense: the file is gone\)"
        ):
            engine.answer(Question("q1", "How heavy is it?"), found, is_tolerant=False)


class DeepWindow(SmallWindow):
    """An answerer that finds nothing in two snippets, and whose model holds six."""

    def answer(self, question, snippets, run=0):
        if len(snippets) < 3:
            return blank_answer()
        return super().answer(question, snippets[3:], run)


def test_a_search_for_fewer_results_is_by_the_plan_of_its_depth():
    asked, planned = [], []

    class Remembering(NarrowRetriever):
        def retrieve(self, plans, depth=1):
            asked.extend((depth, plan.texts[1:], plan.channel_top_k.get("dense")) for plan in plans)
            return super().retrieve(plans, depth)

    def replanner(depth):
        planned.append(depth)
        return lambda *_: f'{{"queries": ["planned for depth {depth}"]}}'

    engine = narrow_engine(Remembering(), DeepWindow(), replanner, max_retries=1, replan_on_retry=True)
    found = RetrievalResult(as_plan(("q1", ["How heavy is it?"])), (), tuple(SHELF[:2]))
    assert engine.answer(Question("q1", "How heavy is it?"), found).trace.answer.answer_value == "4"
    new = ("planned for depth 2",)
    assert (asked, planned) == ([(2, new, None), (2, new, 7), (2, new, 6)], [2])
