"""Channels that a search lost: no answer from part of the index unless it says so."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering import LOST_CHANNELS, lost_channels
from kohaku_lib.answering.lost_channels import mark_lost_channels, raise_for_lost_channels
from kohaku_lib.errors import RetrievalError
from kohaku_lib.settings import RetrievalSettings

CHANNELS = ("dense", "lexical", "graph")
WEIGHTS = st.floats(0, 2)


def settings(*weights):
    return RetrievalSettings(**{f"{name}_weight": weight for name, weight in zip(CHANNELS, weights, strict=True)})


def row(confidence=0.8, trace="{}"):
    return {"id": "q1", "confidence": confidence, "trace_json": trace}


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
    marked = mark_lost_channels(row(1.0), dict.fromkeys(lost, "gone"), settings(*weights))
    left = sum(weight for name, weight in zip(CHANNELS, weights, strict=True) if name not in lost)
    assert marked["confidence"] == pytest.approx(left / sum(weights))


def test_an_unknown_confidence_stays_unknown():
    assert mark_lost_channels(row(None), {"dense": "gone"}, settings(1, 1, 1))["confidence"] is None


def test_the_trace_keeps_what_it_has_and_the_given_row_is_unchanged():
    before = row(trace='{"attempts": [1]}')
    marked = mark_lost_channels(before, {"dense": "geöffnet"}, settings(1, 1, 0))
    assert json.loads(marked["trace_json"]) == {"attempts": [1], LOST_CHANNELS: {"dense": "geöffnet"}}
    assert "geöffnet" in marked["trace_json"]
    assert before == row(trace='{"attempts": [1]}')
