"""Moves of snippets between two contexts, and where the quotes of the answers are."""

from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.evaluation.changes.context_changes import find_supports, snippet_moves
from kohaku_lib.evaluation.changes.question_trace import QuestionTrace
from kohaku_lib.tables import Snippet

QUOTE = "The room used exactly 4 kWh."


def snippets(*names, text=None):
    return [
        Snippet(f"{name}:p1", name, name, 1, text or f"Text of {name}.", rank, 1.0)
        for rank, name in enumerate(names, 1)
    ]


def ranks(first, second):
    return [(move.node_id, move.first_rank, move.second_rank) for move in snippet_moves(first, second)]


def trace(context, *runs):
    return QuestionTrace("q", None, None, None, None, tuple(context), None, runs, None, None)


def run(label, quote=QUOTE, quote_found=True, node="a:p1"):
    return {"run_label": label, "citations": [{"quote": quote, "quote_found": quote_found, "node_id": node}]}


def test_snippets_of_the_first_context_come_first_then_the_new_ones():
    assert ranks(snippets("a", "b", "c"), snippets("c", "d", "a")) == [
        ("a:p1", 1, 3),
        ("b:p1", 2, None),
        ("c:p1", 3, 1),
        ("d:p1", None, 2),
    ]


def test_a_node_with_another_text_is_reworded_and_a_text_in_another_node_is_the_same():
    [reworded] = snippet_moves(snippets("a"), snippets("a", text="Another text."))
    assert (reworded.is_reworded, reworded.text) == (True, "Text of a.")
    [renamed] = snippet_moves(snippets("a", text="Same."), snippets("b", text="Same."))
    assert (renamed.node_id, renamed.first_rank, renamed.second_rank, renamed.is_reworded) == ("a:p1", 1, 1, False)


@given(st.permutations("abcdef"), st.permutations("cdefgh"), st.integers(0, 6), st.integers(0, 6))
def test_every_snippet_of_both_contexts_moves_once(first, second, first_size, second_size):
    first, second = first[:first_size], second[:second_size]
    moves = list(snippet_moves(snippets(*first), snippets(*second)))
    assert [move.document_id for move in moves if move.first_rank] == first
    assert sorted((move.second_rank, move.document_id) for move in moves if move.second_rank) == list(
        enumerate(second, 1)
    )
    assert len(moves) == len({*first, *second})


def test_a_quote_supports_its_answer_at_its_rank_in_either_context():
    own, other = snippets("b") + snippets("a", text=f"So: {QUOTE}"), snippets("x", text=f"Yes. {QUOTE}")
    [support] = find_supports("second", trace(own, run("one")), trace(other))
    assert (support.side, support.run, support.quote) == ("second", "one", QUOTE)
    assert (support.own_rank, support.other_rank) == (2, 1)


def test_a_quote_that_the_other_context_lacks_has_no_rank_there():
    [support] = find_supports("first", trace(snippets("a"), run("one")), trace(snippets("a")))
    assert (support.own_rank, support.other_rank) == (1, None)


def test_runs_with_the_same_quote_count_once_and_unverified_quotes_not_at_all():
    runs = [
        run("one", quote_found=False),
        run("two"),
        run("three"),
        run("four", quote=None),
        run("five", "Another quote of it."),
    ]
    supports = find_supports("first", trace(snippets("a"), *runs, {"run_label": "six", "citations": None}), trace(()))
    assert [(one.run, one.quote) for one in supports] == [("two", QUOTE), ("five", "Another quote of it.")]


def test_a_trace_without_runs_has_no_support():
    unknown = QuestionTrace("q", None, None, None, None, None, None, None, None, None)
    assert list(find_supports("first", unknown, unknown)) == []
