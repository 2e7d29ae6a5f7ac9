"""What messages show of addresses, keys and passwords."""

import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.masking import masked, remember_password, remember_secret, shown_url


@given(st.text("abcXYZ09", min_size=1), st.text("abcXYZ09", min_size=1))
def test_an_address_is_shown_without_its_credentials_and_query(user, password):
    shown = shown_url(f"https://{user}!:{password}!@example.org/v1?key={password}#{user}")
    assert shown == "https://example.org/v1"


@pytest.mark.parametrize("written", [str, lambda key: quote(key, safe=""), lambda key: json.dumps(key)[1:-1]])
def test_a_secret_is_masked_as_it_is_and_as_it_stands_in_addresses_and_in_json(written):
    key = 'a/b+c="0123456789\\'
    remember_secret(key)
    assert masked(f"refused: {written(key)}, sorry") == "refused: [key], sorry"


def test_a_password_is_masked_in_every_form_in_which_it_is_sent():
    remember_password("http://me:p%40ssword-of-mine@example.org")
    for form in ("p@ssword-of-mine", base64.b64encode(b"me:p@ssword-of-mine").decode()):
        assert form not in masked(f"the server says {form}")


@pytest.mark.parametrize("scheme", ["Bearer", "Basic", "basic"])
def test_a_header_is_masked_although_nobody_remembers_its_key(scheme):
    assert masked(f"Authorization: {scheme} dXNlcjpwYXNzd29yZA==") == f"Authorization: {scheme} [key]"


@pytest.mark.parametrize("name", ["SOME_API_KEY", "SOME_APIKEY", "HUB_TOKEN", "APP_SECRET", "DB_PASSWORD"])
def test_values_of_variables_that_are_named_like_secrets_are_masked(name, monkeypatch):
    monkeypatch.setenv(name, "value-of-a-variable-0")
    assert masked("it was value-of-a-variable-0") == "it was [key]"
