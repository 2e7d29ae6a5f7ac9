"""Slips of the pen: what is corrected, what never is, and how both queries are searched."""

import threading
from concurrent.futures import ThreadPoolExecutor
from weakref import WeakKeyDictionary

import numpy as np
import pytest
from hang_limit import HANG_S, ended
from hypothesis import given
from hypothesis import strategies as st
from index_material import small_snapshot, word_vectors

from kohaku_lib.index import SearchFilter
from kohaku_lib.retrieval import Retriever
from kohaku_lib.retrieval.planning import spelling
from kohaku_lib.retrieval.planning.spelling import IndexWords, KnownWords, correct, count_words
from kohaku_lib.settings import LexicalSettings, RetrievalSettings
from kohaku_lib.tables import PlannedQuery, QueryPlan

COUNTS = {
    "electricity": 9,
    "consumption": 4,
    "emission": 7,
    "energy": 12,
    "water": 5,
    "waters": 2,
    "training": 3,
    "leather": 1,
    "household": 2,
}
KNOWN = KnownWords(COUNTS, LexicalSettings())
LIBRARY = {
    "cats": [[["Cats sleep long. Cats purr.", "Old cats sleep more."]]],
    "dogs": [[["Puppies chew leather shoes.", "Leather shoes last."]]],
}


def corrected(query):
    found = correct(query, KNOWN)
    return query if found is None else found.text


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("electrcity use of training", "electricity use of training"),  # a letter left out
        ("the waetr and energy of training", "the water and energy of training"),  # two letters swapped
        ("household enrgy, by site", "household energy, by site"),  # punctuation stays
        ("consumtpoin of energy and water", "consumption of energy and water"),  # two edits in a long word
        ("How much energgy does training need?", "How much energy does training need?"),
        ("electricty electricty energy water training", "electricity electricity energy water training"),
    ],
)
def test_a_slip_is_mended_by_the_words_of_the_index(query, expected):
    assert corrected(query) == expected


@pytest.mark.parametrize(
    "query",
    [
        "Electrcity use of training",  # a capital may be a name
        "electrcity2 of training",
        "electrcity-based energy training",
        "the word 'electrcity' in quotes and energy",
        'the phrase "electrcity mix" and energy',
        "“waetr” and energy and training",
        "watr",  # nothing of the query would survive
        "emissions of trainings",  # other forms of known words
        "wat of energy",  # too short
        "the lether of training energy",  # the index has leather but once
        "aergy of water training",  # another first letter
        "enrgyy",  # a single word never survives
        "",
        "???",
        "the waiter of the household",  # a word of English, one edit from "water"
    ],
)
def test_what_may_be_meant_as_written_is_left_alone(query):
    assert correct(query, KNOWN) is None


def test_of_equally_near_words_the_most_frequent_one_is_taken():
    words = KnownWords({"tested": 2, "rested": 9, "testes": 5}, LexicalSettings(stemmer="none"))
    assert words.nearest("testex") == "testes"
    assert KnownWords({"tested": 6, "testes": 5}, LexicalSettings(stemmer="none")).nearest("testex") == "tested"


def test_a_short_word_may_be_one_edit_away_and_a_long_one_two():
    assert KNOWN.nearest("wtre") is None
    assert KNOWN.nearest("emissonn") == "emission"
    assert KNOWN.nearest("electrcty") == "electricity"
    assert KNOWN.nearest("elctrcty") is None


def test_more_than_half_of_the_words_must_survive():
    assert correct("electrcity enrgy", KNOWN) is None
    assert correct("electrcity energy", KNOWN) is not None


@pytest.mark.parametrize("word", ["हिंदी", "น้ำมัน"])
def test_a_word_with_vowel_signs_survives_as_one_word(word):
    assert correct(f"electrcity enrgy {word}", KNOWN) is None
    assert corrected(f"electrcity {word}") == f"electricity {word}"


@given(st.text(alphabet="abcdefgh \"'“”-2A", max_size=40))
def test_whatever_is_asked_only_plain_small_words_change(query):
    found = correct(query, KNOWN)
    if found is not None:
        for word, other in found.changes:
            assert word.isalpha()
            assert word.islower()
            assert other in COUNTS
            assert word not in COUNTS


@given(st.lists(st.sampled_from(sorted(COUNTS)), min_size=1, max_size=8))
def test_a_query_of_known_words_is_never_corrected(words):
    assert correct(" ".join(words), KNOWN) is None


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return small_snapshot(tmp_path_factory.mktemp("library"), LIBRARY)


def test_words_are_counted_once_per_paragraph_text_in_lower_case(library):
    assert count_words(library) == {
        "cats": 3,
        "sleep": 2,
        "long": 1,
        "purr": 1,
        "old": 1,
        "more": 1,
        "puppies": 1,
        "chew": 1,
        "leather": 2,
        "shoes": 2,
        "last": 1,
    }


def test_the_words_of_other_rows_are_not_known(library):
    cats = library.allowed(SearchFilter(documents=("cats",)))
    everyone, own = IndexWords(library, LexicalSettings()), IndexWords(library, LexicalSettings(), cats)
    assert everyone.knows("leather")
    assert everyone.nearest("leathr") == "leather"
    assert not own.knows("leather")
    assert own.nearest("leathr") is None
    assert set(count_words(library, np.asarray(cats))) == {"cats", "sleep", "long", "purr", "old", "more"}


def test_the_words_of_a_snapshot_are_counted_once_for_all_searches_of_one_filter(library, monkeypatch):
    counted: list[int] = []
    monkeypatch.setattr(spelling, "_VOCABULARIES", WeakKeyDictionary())
    monkeypatch.setattr(spelling, "count_words", lambda *of: counted.append(1) or count_words(*of))
    for documents in ((), ("cats",), (), ("cats",)):
        allowed = library.allowed(SearchFilter(documents=documents))
        IndexWords(library, LexicalSettings(), allowed).nearest("leathr")
    assert len(counted) == 2


def test_counting_the_words_of_one_filter_keeps_no_other_search_waiting(library, monkeypatch):
    is_counting, held = threading.Event(), threading.Event()
    cats = library.allowed(SearchFilter(documents=("cats",)))

    def count(snapshot, allowed=None):
        if allowed is not None:
            is_counting.set()
            assert held.wait(HANG_S)
        return count_words(snapshot, allowed)

    monkeypatch.setattr(spelling, "_VOCABULARIES", WeakKeyDictionary())
    monkeypatch.setattr(spelling, "count_words", count)
    with ThreadPoolExecutor(1) as other:
        slow = other.submit(IndexWords(library, LexicalSettings(), cats).nearest, "catz")
        try:
            assert is_counting.wait(HANG_S)
            assert ended(lambda: IndexWords(library, LexicalSettings()).nearest("leathr"), HANG_S / 2) == "leather"
        finally:
            held.set()
        assert slow.result(HANG_S) == "cats"


def test_a_word_with_combining_marks_stays_one_word(tmp_path):
    snapshot = small_snapshot(tmp_path, {"hindi": [[["पानी कीमत पानी."]]]})
    assert count_words(snapshot) == {"पानी": 2, "कीमत": 1}


def test_an_empty_index_knows_nothing(tmp_path):
    snapshot = small_snapshot(tmp_path, {})
    assert count_words(snapshot) == {}
    assert correct("leathr of energy", IndexWords(snapshot, LexicalSettings())) is None


def retrieved(snapshot, query, **settings):
    [result] = Retriever(snapshot, RetrievalSettings(**settings), word_vectors).retrieve([("q", [query, "shoes"])])
    return result


def test_the_corrected_question_is_searched_beside_the_original(library):
    result = retrieved(library, "old leathr for cats", spelling=True)
    assert [(query.text, query.role) for query in result.plan.queries] == [
        ("old leathr for cats", "question"),
        ("old leather for cats", "spelling"),
        ("shoes", "planned"),
    ]
    assert result.trace["corrections"] == [["leathr", "leather"]]
    assert [channel["weight"] for channel in result.trace["channels"]] == [0.3, 1.0, 0.3]


def test_planned_queries_are_mended_with_the_question(library):
    retriever = Retriever(library, RetrievalSettings(), word_vectors)
    [result] = retriever.retrieve([("q", ["old leathr for cats", "leathr cats", "leathrs"])])
    assert result.queries == ("old leathr for cats", "old leather for cats", "leather cats", "leathrs")


def test_nothing_is_corrected_where_it_is_switched_off_or_right(library):
    assert "corrections" not in retrieved(library, "old leathr for cats", spelling=False).trace
    assert "corrections" not in retrieved(library, "old leather for cats").trace


def test_a_corrected_plan_is_not_corrected_again_and_never_longer_than_eight_queries(library):
    retriever = Retriever(library, RetrievalSettings(spelling=True), word_vectors)
    [first] = retriever.retrieve([("q", ["old leathr for cats"])])
    [again] = retriever.retrieve([first.plan], depth=2)
    assert again.plan == first.plan
    full = QueryPlan("q", tuple(PlannedQuery(f"old leathr for cats {n}") for n in range(8)))
    [cut] = retriever.retrieve([full])
    assert len(cut.plan.queries) == 8
    assert cut.plan.queries[1].role == "spelling"


def test_a_broken_word_list_corrects_nothing_and_its_channel_is_named(tmp_path):
    snapshot = small_snapshot(tmp_path, LIBRARY)
    for file in (snapshot.folder / "lexical").rglob("*"):
        if file.is_file():
            file.unlink()
    result = retrieved(snapshot, "old leathr for cats", spelling=True)
    assert result.matches
    assert "corrections" not in result.trace
