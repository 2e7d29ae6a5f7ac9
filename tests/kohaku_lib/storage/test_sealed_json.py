"""JSON files with a digest: what was written is read, and anything else is None."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.storage import read_sealed, write_sealed

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(content=st.dictionaries(st.text(max_size=5).filter(lambda key: key != "seal"), VALUES, max_size=4))
def test_what_is_written_is_read(content, tmp_path_factory):
    path = tmp_path_factory.mktemp("sealed") / "a.json"
    write_sealed(path, content)
    assert read_sealed(path) == content


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[1, 2]",
        b"null",
        b'{"rows": 3}',
        b'{"rows": 3, "seal": "0"}',
        b'{"rows": 3, "seal": null}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_anything_else_is_none(tmp_path, content):
    (tmp_path / "a.json").write_bytes(content)
    assert read_sealed(tmp_path / "a.json") is None


def test_a_missing_file_and_a_folder_are_none(tmp_path):
    assert read_sealed(tmp_path / "a.json") is None
    assert read_sealed(tmp_path) is None


def test_a_changed_value_is_detected_and_another_layout_is_not(tmp_path):
    path = tmp_path / "a.json"
    write_sealed(path, {"rows": 3, "name": "a"})
    sealed = json.loads(path.read_text())
    path.write_text(json.dumps(dict(reversed(sealed.items()))))
    assert read_sealed(path) == {"rows": 3, "name": "a"}
    path.write_text(json.dumps({**sealed, "rows": 4}))
    assert read_sealed(path) is None


def test_a_truncated_file_is_none_at_every_length(tmp_path):
    path = tmp_path / "a.json"
    write_sealed(path, {"rows": 3})
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert read_sealed(path) is None
