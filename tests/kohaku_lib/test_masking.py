"""What messages show of addresses."""

from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.masking import shown_url


@given(st.text("abcXYZ09", min_size=1), st.text("abcXYZ09", min_size=1))
def test_an_address_is_shown_without_its_credentials_and_query(user, password):
    shown = shown_url(f"https://{user}!:{password}!@example.org/v1?key={password}#{user}")
    assert shown == "https://example.org/v1"
