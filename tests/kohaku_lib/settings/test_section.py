"""Types shared by the settings: addresses, and groups that refuse unknown keys."""

import json
import pickle
from contextlib import suppress
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from kohaku_lib.errors import SliceError
from kohaku_lib.settings import LexicalSettings, Settings, value_of
from kohaku_lib.settings.section import PositiveInt, Section, ServerUrl, Share, Slice


@pytest.mark.parametrize("address", ["http://a", "https://a.example:8000/v1", "http://[::1]:80", "HTTP://a"])
def test_an_address_of_http_is_accepted_as_written(address):
    assert TypeAdapter(ServerUrl).validate_python(address) == address


@pytest.mark.parametrize(
    "address", ["", "a.example", "ftp://a", "http://", "http://a:0", "http://a:99999", "http://[::1"]
)
def test_an_address_without_http_host_or_valid_port_is_refused(address):
    with pytest.raises(ValidationError, match="an address of http or https"):
        TypeAdapter(ServerUrl).validate_python(address)


class Food(Section):
    portions: PositiveInt = 1
    salt: Share = 0.5


def test_an_unknown_key_of_a_group_is_refused():
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        Food(pepper=1)


@given(st.floats())
def test_a_share_is_accepted_exactly_from_0_to_1(value):
    if 0.0 <= value <= 1.0:
        assert Food(salt=value).salt == value
    else:
        with pytest.raises(ValidationError):
            Food(salt=value)


@pytest.mark.parametrize(("value", "is_valid"), [(0, False), (1, True), (2**31 - 1, True), (2**31, False)])
def test_a_positive_number_fits_into_31_bits(value, is_valid):
    if is_valid:
        assert Food(portions=value).portions == value
    else:
        with pytest.raises(ValidationError):
            Food(portions=value)


VIEW = Slice("scores", frozenset({"lexical.k1", "llm.fallback.model"}))


def test_a_view_has_the_settings_of_its_slice_in_every_copy_and_no_others():
    view = Settings().sliced(VIEW)
    copies = [view, view.model_copy(), pickle.loads(pickle.dumps(view)), deepcopy(view)]
    for one in copies:
        assert (one.lexical.k1, one.llm.fallback.model) == (0.9, None)
        assert one.lexical.model_dump() == {"k1": 0.9}
        for key in ("lexical.b", "llm.fallback.provider"):
            with pytest.raises(SliceError, match=f"the stage 'scores' reads the setting '{key}'"):
                value_of(one, key)
    assert isinstance(view, Settings)
    assert not hasattr(view, "nothing_of_this_name")


def test_what_a_copy_of_a_view_is_given_can_be_read():
    assert Settings().sliced(VIEW).lexical.model_copy(update={"b": 0.5}).b == 0.5


def test_a_view_is_a_view_in_another_process_too():
    lexical = LexicalSettings(k1=0.5)
    assert LexicalSettings.from_json(json.loads(json.dumps(lexical.to_json()))) == lexical
    view = LexicalSettings.from_json(json.loads(json.dumps(lexical.sliced(VIEW, "lexical.").to_json())))
    assert view.k1 == 0.5
    with pytest.raises(SliceError, match=r"the stage 'scores' reads the setting 'lexical\.b'"):
        print(view.b)


def test_every_breach_of_a_slice_is_noted():
    read = Slice("scores", frozenset())
    view = LexicalSettings().sliced(read, "lexical.")
    with suppress(SliceError):
        print(view.stemmer)
    assert [str(error).split("'")[3] for error in read.breaches] == ["lexical.stemmer"]
