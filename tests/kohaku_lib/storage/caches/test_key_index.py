"""Keys are found where they were first put, however they came and went."""

from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.storage.caches.key_index import KeyIndex

KEYS = st.text("abc", max_size=2)
STEPS = st.lists(st.tuples(st.lists(KEYS, max_size=5), st.booleans(), st.integers(0, 3)), max_size=12)


@given(STEPS)
def test_an_index_answers_as_a_dictionary_does(steps):
    index, expected = KeyIndex(), {}
    for number, (keys, is_asked, forgotten) in enumerate(steps):
        index.add(keys, 100 * number)
        for at, key in enumerate(keys):
            expected.setdefault(key, 100 * number + at)
        if is_asked:
            assert len(index) == len(expected)
            assert index.places(["a", *keys, "never"]).tolist() == [
                expected.get(key, -1) for key in ["a", *keys, "never"]
            ]
        if forgotten:
            index.forget(0, 100 * forgotten)
            expected = {key: place for key, place in expected.items() if place >= 100 * forgotten}
    assert {key: int(index.places([key])[0]) for key in expected} == expected


def test_a_key_that_was_forgotten_can_be_put_elsewhere():
    index = KeyIndex()
    index.add(["a", "b"], 0)
    index.forget(1, 2)
    index.add(["b"], 9)
    assert index.places(["a", "b"]).tolist() == [0, 9]
    assert ("b" in index, "c" in index) == (True, False)


def test_a_key_that_cannot_be_encoded_is_a_key_like_others():
    index = KeyIndex()
    index.add(["\ud800", ""], 4)
    assert index.places(["", "\ud800"]).tolist() == [5, 4]
