"""Channels that a search lost: no answer from part of the index unless it says so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering import lost_channels
from kohaku_lib.answering.lost_channels import raise_for_lost_channels, remaining_share
from kohaku_lib.errors import RetrievalError
from kohaku_lib.settings import RetrievalSettings

CHANNELS = ("dense", "lexical", "graph")
WEIGHTS = st.floats(0, 2)


def settings(*weights):
    return RetrievalSettings(**{f"{name}_weight": weight for name, weight in zip(CHANNELS, weights, strict=True)})


def test_a_search_that_lost_nothing_may_be_answered():
    assert lost_channels({"depth": 1}) == {}
    raise_for_lost_channels({})


def test_an_error_names_every_lost_channel_and_its_reason():
    with pytest.raises(RetrievalError, match=r"\['dense', 'graph'\] \(graph: gone; dense: torn\)"):
        raise_for_lost_channels({"graph": "gone", "dense": "torn"})


@given(
    st.tuples(WEIGHTS, WEIGHTS, WEIGHTS).filter(lambda weights: sum(weights) > 0.01), st.sets(st.sampled_from(CHANNELS))
)
def test_confidence_shrinks_to_the_weight_of_the_channels_that_are_left(weights, lost):
    left = sum(weight for name, weight in zip(CHANNELS, weights, strict=True) if name not in lost)
    assert remaining_share(dict.fromkeys(lost, "gone"), settings(*weights)) == pytest.approx(left / sum(weights))
