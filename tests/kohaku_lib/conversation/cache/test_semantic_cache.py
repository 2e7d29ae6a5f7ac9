"""The cache finds a question again by words or meaning, within its scope and time, and never grows beyond its limit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.conversation.cache.semantic_cache import SemanticCache


class Clock:
    def __init__(self):
        self.now_s = 0.0

    def __call__(self):
        return self.now_s


def turned(cosine):
    """What computes a vector with this cosine to (1, 0)."""
    return lambda: np.array([cosine, np.sqrt(1 - cosine**2)], np.float32)


AT, FAR = turned(1.0), turned(-1.0)


def never():
    raise AssertionError("no vector is needed")


class OneMode(SemanticCache):
    """A cache of one mode, whose values live for 300 s."""

    def __init__(self, mode, *arguments):
        super().__init__(*arguments)
        self.mode = mode

    def get(self, scope, question, vector):
        return super().get(scope, question, vector, self.mode)

    def put(self, scope, question, vector, value):
        super().put(scope, question, vector, value, self.mode, 300.0)


def cache_of(mode="adaptive", entries=10, clock=None, agree=lambda first, second: True):
    cache = OneMode(mode, entries, clock or Clock(), agree)
    cache.put("s", "How heavy is it?", AT, "4 kg")
    return cache


@pytest.mark.parametrize("mode", ["exact", "precision", "recall", "adaptive"])
@pytest.mark.parametrize("words", [" how HEAVY is it", "“How heavy, is it?!”", "(How heavy is... it)"])
def test_the_same_words_hit_whatever_their_case_punctuation_and_spaces(mode, words):
    assert cache_of(mode).get("s", words, never if mode == "exact" else FAR).value == "4 kg"


@pytest.mark.parametrize(
    "other", ["How heavy is 1.5?", "How heavy is 15?", "How heavy isn't it?", "How heavy is it in C?"]
)
def test_punctuation_that_joins_two_characters_counts(other):
    cache = cache_of("exact")
    for question in ("How heavy is 1.5?", "How heavy is 15?", "How heavy isn't it?", "How heavy is it in C++?"):
        cache.put("s", question, never, question)
    found = cache.get("s", other, never)
    assert (found.value if found else None) == (other if other != "How heavy is it in C?" else None)


def test_the_exact_mode_takes_no_other_words_however_near():
    cache = cache_of("exact")
    assert cache.get("s", "What does it weigh?", never) is None
    assert (cache.counts.hits, cache.counts.misses) == (0, 1)


@pytest.mark.parametrize(
    ("mode", "cosine", "hits"),
    [
        ("precision", 0.951, True),
        ("precision", 0.949, False),
        ("recall", 0.851, True),
        ("recall", 0.849, False),
        ("adaptive", 0.851, True),
        ("adaptive", 0.849, False),
    ],
)
def test_near_meanings_hit_from_the_threshold_of_the_mode(mode, cosine, hits):
    found = cache_of(mode).get("s", "What does it weigh?", turned(cosine))
    assert (found is not None) is hits
    assert found is None or found.similarity == pytest.approx(cosine, abs=1e-6)


def test_the_guard_stops_a_hit_however_near():
    cache = cache_of(agree=lambda first, second: False)
    assert cache.get("s", "How heavy is it not?", AT) is None


def test_behind_a_stopped_question_the_next_nearest_is_found():
    cache = cache_of(agree=lambda first, second: second != "How heavy is it?")
    cache.put("s", "Its weight?", turned(0.9), "5 kg")
    assert cache.get("s", "What does it weigh?", AT).value == "5 kg"


def test_scopes_share_nothing():
    cache = cache_of()
    assert cache.get("t", "How heavy is it?", FAR) is None
    assert cache.get("t", "How heavy is it?", AT) is None


def test_a_value_expires_by_the_clock():
    clock = Clock()
    cache = cache_of(clock=clock)
    clock.now_s = 299.9
    assert cache.get("s", "How heavy is it?", FAR) is not None
    clock.now_s = 300.0
    assert cache.get("s", "How heavy is it?", FAR) is None
    assert cache.get("s", "How heavy is it?", AT) is None
    assert len(cache) == 0


def test_the_least_recently_used_goes_first():
    cache = cache_of(entries=2)
    cache.put("s", "b", turned(0.0), "b")
    cache.get("s", "How heavy is it?", FAR)
    cache.put("s", "c", turned(0.1), "c")
    assert cache.get("s", "b", FAR) is None
    assert cache.get("s", "How heavy is it?", FAR) is not None
    assert (len(cache), cache.counts.evictions) == (2, 1)


def test_a_question_put_again_replaces_its_value():
    cache = cache_of()
    cache.put("s", "how heavy is it", AT, "5 kg")
    assert (len(cache), cache.get("s", "How heavy is it?", FAR).value) == (1, "5 kg")


def test_a_cleared_cache_finds_nothing():
    cache = cache_of()
    cache.clear()
    assert cache.get("s", "How heavy is it?", FAR) is None
    assert cache.get("s", "How heavy is it?", AT) is None


def test_hits_and_misses_are_counted():
    cache = cache_of()
    cache.get("s", "How heavy is it?", FAR)
    cache.get("s", "Weight?", turned(0.9))
    cache.get("s", "Colour?", turned(0.1))
    counts = cache.counts
    assert (counts.hits, counts.exact, counts.semantic, counts.misses) == (2, 1, 1, 1)
    assert counts.mean_similarity == pytest.approx(0.9, abs=1e-6)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 30), st.booleans()), max_size=60), st.integers(1, 5))
def test_a_cache_returns_what_a_dictionary_of_the_newest_would(steps, entries):
    cache = OneMode("adaptive", entries, Clock())
    recent = {}  # least recently used first
    for scope, number, is_put in steps:
        key = scope, f"question {number}"
        if is_put:
            recent.pop(key, None)
            recent[key] = number
            while len(recent) > entries:
                del recent[next(iter(recent))]
            cache.put(scope, key[1], turned(0.0), number)
        else:
            found = cache.get(*key, turned(1.0))
            assert (found.value if found else None) == recent.get(key)
            if key in recent:
                recent[key] = recent.pop(key)
    assert len(cache) == len(recent)
