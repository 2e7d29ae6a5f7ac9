from kohaku_lib.evaluation.experiments.context_lengths import ContextLength, context_length, repeated_chars
from kohaku_lib.evaluation.token_counts import TokenCounter
from kohaku_lib.tables import QueryPlan, RetrievalResult, Snippet


def result(*texts):
    snippets = tuple(Snippet(f"d:p{n}", "d", "D", 1, text, n, 1.0) for n, text in enumerate(texts, start=1))
    return RetrievalResult(QueryPlan("q"), (), snippets)


def test_lengths_are_means_over_questions_and_the_longest():
    counter = TokenCounter("minilm")
    found = context_length([result("A datacenter.", "datacenter"), result()], counter)
    tokens = int(counter.counts(["A datacenter.", "datacenter"]).sum())
    assert found == ContextLength(2, 0.0, 1.0, 11.5, 5.0, tokens / 2, tokens)


def test_without_questions_all_is_zero():
    assert context_length([], TokenCounter("minilm")).questions == 0


def test_text_recurs_in_a_part_a_whole_or_a_copy_of_an_earlier_snippet():
    assert repeated_chars(["abc", "abc"]) == 3
    assert repeated_chars(["abc", "xabcy"]) == 3
    assert repeated_chars(["xabcy", "abc"]) == 3
    assert repeated_chars(["abc", "de"]) == repeated_chars([]) == 0
