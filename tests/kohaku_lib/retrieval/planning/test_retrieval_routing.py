"""Intents, complexity and strategies of questions, by rule."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.retrieval.planning.routing import channel_hints, classify_intent, complexity_signals, route


@pytest.mark.parametrize(
    ("question", "intent", "confidence"),
    [
        ("List the sites", "LIST", 1 / 3),
        ("List and enumerate every site", "LIST", 2 / 3),
        ("Compare solar with wind; what is the difference between them?", "COMPARISON", 1.0),
        ("Give an overview and summary of the report", "SUMMARY", 2 / 3),
        ("Explain the reasons for the peak", "ANALYTICAL", 2 / 3),
        ("Who built it, and when?", "FACTUAL", 2 / 3),
        ("List the differences", "LIST", 0.7 / 3),  # a tie with COMPARISON
        ("Why was it when it was?", "ANALYTICAL", 0.7 / 3),  # a tie with FACTUAL
        ("GPT-3 energy", "FACTUAL", 0.4),
        ("Does the room have sensors?", "FACTUAL", 0.5),
        ("How hot may it get?", "ANALYTICAL", 0.5),
        ("energy of the machine room", "SUMMARY", 0.4),
        ("energy machine room", "FACTUAL", 0.4),
        ("", "UNKNOWN", 0.0),
        ("   ", "UNKNOWN", 0.0),
    ],
)
def test_the_intent_with_most_hits_wins_and_the_form_decides_without_any(question, intent, confidence):
    assert classify_intent(question) == (intent, pytest.approx(confidence))


@pytest.mark.parametrize(
    ("question", "signals"),
    [
        ("Show whom the growth belonged to, so far", ()),  # how, row, long, who: only inside other words
        ("What is the total power?", ("aggregation",)),
        ("Who is the founder whose firm was sold after 1990?", ("multi-hop", "temporal")),
        ("Why is A larger than B?", ("comparison", "reasoning")),
        ("How is the pump related to the valve?", ("relation",)),
        ("One? Two?", ("several",)),
        (" ".join(["word"] * 16), ("long",)),
        (" ".join(["word"] * 15), ()),
    ],
)
def test_complexity_is_counted_in_whole_words(question, signals):
    assert complexity_signals(question) == signals


@pytest.mark.parametrize(
    ("question", "complexity", "strategy"),
    [
        ("Capital of France", 0, "hybrid"),
        ("Is A larger than B?", 1, "hybrid"),
        ("Why did the firm whose founder left grow after 1990?", 4, "fusion"),
        ("What is the average use of all rooms?", 2, "two_stage"),
        ("What do the papers that measure water say across sites?", 0, "hierarchical"),
        ("Summary of what happened after 1990", 1, "hierarchical"),
    ],
)
def test_the_strategy_follows_from_the_complexity_and_its_signals(question, complexity, strategy):
    found = route(question)
    assert (found.complexity, found.strategy) == (complexity, strategy)


def test_what_a_chat_model_adds_follows_from_the_signals():
    complex_reason = route("Why did the firm whose founder left grow after 1990?")
    assert (complex_reason.hyde, complex_reason.step_back, complex_reason.variations) == (True, True, False)
    compared = route("Is A larger than B?")
    assert (compared.hyde, compared.step_back, compared.variations) == (False, False, True)


def test_the_confidence_falls_with_the_complexity_and_rises_with_clear_signals():
    assert route("Capital of France").confidence == pytest.approx(0.9)
    # complexity 4 costs 0.2, three signals bring 0.15
    assert route("Why did the firm whose founder left grow after 1990?").confidence == pytest.approx(0.85)


@pytest.mark.parametrize(
    ("question", "dense", "lexical"),
    [
        ("the use of water", 1.0, 1.0),
        ("power use", 1.0, 1.25),
        ('"power use" of rooms here', 1.0, 1.25),
        ("PUE 2023", 1.0, 1.953125),
        ('"PUE 2023"', 1.0, 2.0),  # four hints, and never more than 2
        ("what do people say about cooling with water", 1.25, 1.0),
    ],
)
def test_hints_move_weight_between_meaning_and_words(question, dense, lexical):
    assert channel_hints(question) == {"dense": dense, "lexical": lexical}


@given(st.text())
def test_every_text_has_a_route(question):
    found = route(question)
    assert 0.0 <= found.intent_confidence <= 1.0
    assert 0.5 <= found.confidence <= 1.0
    assert found.complexity >= 0
    assert all(1.0 <= weight <= 2.0 for weight in found.weights.values())
