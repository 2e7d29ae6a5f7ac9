import pytest
from answering_material import snippet

from kohaku_lib.answering.answerer import blank_answer
from kohaku_lib.answering.deepening import OVERFLOW, CheckedAnswer, answer_with_retries, ask_within_limit, depth_at
from kohaku_lib.llm import ContextOverflowError
from kohaku_lib.tables import StructuredAnswer

SHELF = [snippet(f"text {rank}", "d", rank) for rank in range(1, 65)]
FOUND = CheckedAnswer(StructuredAnswer("It is 4.", "4", ("d",), "Stated."))
NOT_FOUND = CheckedAnswer(blank_answer())


class Deeper:
    """Gives `step` × depth snippets and keeps the depths."""

    def __init__(self, step=16, most=64):
        self.step, self.most = step, most
        self.depths = []

    def __call__(self, depth):
        self.depths.append(depth)
        return SHELF[: min(self.step * depth, self.most)]


def found_from(least):
    return lambda snippets: FOUND if len(snippets) >= least else NOT_FOUND


@pytest.mark.parametrize(("deepening", "sizes"), [("linear", [16, 32, 48]), ("geometric", [16, 32, 64])])
def test_blank_answers_are_tried_again_over_deeper_contexts(deepening, sizes):
    asked = []

    def ask(snippets):
        asked.append(len(snippets))
        return NOT_FOUND

    deeper = Deeper()
    outcome = answer_with_retries(ask, SHELF[:16], deeper, 2, deepening)
    assert asked == sizes
    assert outcome.answer.answer_value == "is_blank"
    assert [attempt["depth"] for attempt in outcome.attempts] == [depth_at(n, deepening) for n in range(3)]


def test_the_first_answer_that_is_not_blank_ends_it():
    deeper = Deeper()
    outcome = answer_with_retries(found_from(32), SHELF[:16], deeper, 5, "linear")
    assert (outcome.answer.answer_value, len(outcome.snippets), deeper.depths) == ("4", 32, [2])
    assert [attempt["answer_value"] for attempt in outcome.attempts] == ["is_blank", "4"]


def test_an_answer_whose_source_was_found_by_its_words_alone_is_kept_and_a_sourced_one_is_looked_for():
    guessed = CheckedAnswer(StructuredAnswer("It is 5.", "5", ("d",), ""), source_found_by="words")

    def value_of(found, retries):
        outcome = answer_with_retries(found, SHELF[:16], Deeper(), retries, "linear")
        return outcome.answer.answer_value, len(outcome.snippets), len(outcome.attempts)

    assert value_of(lambda snippets: FOUND if len(snippets) >= 48 else guessed, 5) == ("4", 48, 3)
    assert value_of(lambda snippets: guessed, 2) == ("5", 16, 3)
    assert value_of(lambda snippets: NOT_FOUND if len(snippets) > 16 else guessed, 2) == ("5", 16, 3)


@pytest.mark.parametrize("deepen", [None, Deeper()])
def test_without_retries_or_retriever_one_attempt_is_all(deepen):
    outcome = answer_with_retries(found_from(99), SHELF[:16], deepen, 0 if deepen else 5, "linear")
    assert len(outcome.attempts) == 1


def test_a_deeper_context_without_a_new_snippet_is_not_asked():
    asked = []

    def ask(snippets):
        asked.append(len(snippets))
        return NOT_FOUND

    deeper = Deeper(most=20)
    outcome = answer_with_retries(ask, SHELF[:16], deeper, 5, "linear")
    assert (asked, deeper.depths, len(outcome.attempts)) == ([16, 20], [2, 3], 2)


@pytest.mark.parametrize("refs", [(), ("is_blank",), ("",)])
def test_an_answer_without_a_document_counts_as_blank(refs):
    ask = lambda snippets: CheckedAnswer(StructuredAnswer("It is 4.", "4", refs, "Stated."))
    assert len(answer_with_retries(ask, SHELF[:16], Deeper(), 2, "linear").attempts) == 3


def fitting(most):
    def ask(snippets):
        if len(snippets) > most:
            message = "maximum context length"
            raise ContextOverflowError(message)
        return FOUND

    return ask


@pytest.mark.parametrize(("most", "used"), [(64, 64), (63, 32), (16, 16), (15, 8), (2, 2)])
def test_after_an_overflow_the_lower_half_is_dropped(most, used):
    asked, kept, overflows = ask_within_limit(fitting(most), SHELF)
    assert asked is FOUND
    assert list(kept) == SHELF[:used]
    assert overflows == tuple(64 // 2**n for n in range(len(overflows)))


@pytest.mark.parametrize(("shelf", "most"), [(64, 1), (4, 0), (1, 0)])
def test_after_five_halvings_or_with_nothing_left_to_drop_the_answer_is_blank(shelf, most):
    asked, kept, _ = ask_within_limit(fitting(most), SHELF[:shelf])
    assert (asked.answer.answer_value, asked.answer.error, kept) == ("is_blank", OVERFLOW, ())


def overflowing(limit, count_tokens, reply=FOUND):
    """A model with a limit of `limit` prompt tokens, counted by `count_tokens` from the snippets."""

    def ask(snippets):
        if count_tokens(snippets) > limit:
            error = ContextOverflowError("too long")
            error.limit_tokens, error.prompt_tokens = limit, count_tokens(snippets)
            raise error
        return reply

    return ask


LONG = [snippet("x" * 4000, "d", rank) for rank in range(1, 21)]


@pytest.mark.parametrize("chars_per_token", [2.5, 4.0, 5.0])
@pytest.mark.parametrize("limit", [4_000, 8_000, 12_000])
def test_a_server_that_tells_its_token_counts_gets_one_shorter_prompt_that_nearly_fills_it(limit, chars_per_token):
    tokens = lambda snippets: round((3000 + sum(len(item.text) for item in snippets)) / chars_per_token)
    asked, kept, overflows = ask_within_limit(overflowing(limit, tokens), LONG)
    assert asked is FOUND
    assert len(overflows) <= 1
    assert limit * 0.95 - 5000 / chars_per_token <= tokens(kept) <= limit


def test_token_counts_that_mislead_are_followed_once_and_then_the_prompt_is_halved():
    def ask(snippets):
        if len(snippets) > 3:
            error = ContextOverflowError("too long")
            error.limit_tokens, error.prompt_tokens = 16_000, 20_750
            raise error
        return FOUND

    asked, kept, overflows = ask_within_limit(ask, LONG)
    assert (asked, len(kept), overflows) == (FOUND, 3, (20, 14, 7))


def test_what_did_not_fit_and_who_answered_instead_stand_in_the_trace():
    by_other = CheckedAnswer(StructuredAnswer("It is 4.", "4", ("d",), "Stated.", written_by="openrouter:spare"))
    ask = overflowing(4_000, lambda snippets: 100 * len(snippets), by_other)
    outcome = answer_with_retries(ask, SHELF, None, 0, "linear")
    assert (outcome.attempts[0]["overflows"], outcome.attempts[0]["fallback"]) == ([64], "openrouter:spare")
    plain = answer_with_retries(lambda snippets: FOUND, SHELF, None, 0, "linear").attempts[0]
    assert not {"overflows", "fallback"} & plain.keys()


def test_an_overflow_ends_the_deepening():
    def ask(snippets):
        if len(snippets) > 10:
            message = "context_length_exceeded"
            raise ContextOverflowError(message)
        return NOT_FOUND

    deeper = Deeper()
    outcome = answer_with_retries(ask, SHELF[:16], deeper, 5, "linear")
    assert (deeper.depths, outcome.attempts[0]["overflow_dropped"]) == ([], 8)


@pytest.mark.parametrize(("overflow", "most", "asked"), [("minus_one", 60, (64, 63, 62, 61)), ("minus_two", 62, (64,))])
def test_an_overflow_drops_one_snippet_each_time_or_two_of_them_once(overflow, most, asked):
    outcome, kept, overflows = ask_within_limit(fitting(most), SHELF, overflow)
    assert (outcome, list(kept), overflows) == (FOUND, SHELF[:most], asked)


@pytest.mark.parametrize(("overflow", "shelf", "asked"), [("minus_one", 3, (3, 2, 1)), ("minus_two", 64, (64, 62))])
def test_an_overflow_with_nothing_left_to_drop_is_blank(overflow, shelf, asked):
    outcome, kept, overflows = ask_within_limit(fitting(0), SHELF[:shelf], overflow)
    assert (outcome.answer.error, kept, overflows) == (OVERFLOW, (), asked)


def test_an_overflow_is_followed_by_a_search_for_fewer_results_where_that_shortens_the_context():
    searched = []

    def narrow(depth, less):
        searched.append((depth, less))
        return SHELF[: 16 - 5 * less]

    asked = []

    def ask(snippets):
        asked.append(len(snippets))
        if len(snippets) > 10:
            raise ContextOverflowError("long")
        return FOUND

    outcome = answer_with_retries(ask, SHELF[:16], None, 0, "linear", "minus_one", narrow)
    assert (asked, searched, len(outcome.snippets)) == ([16, 11, 6], [(1, 1), (1, 2)], 6)
    same = answer_with_retries(ask, SHELF[:11], None, 0, "linear", "minus_one", lambda depth, less: SHELF[:11])
    assert len(same.snippets) == 10  # the search finds no less, so the last snippet is dropped
