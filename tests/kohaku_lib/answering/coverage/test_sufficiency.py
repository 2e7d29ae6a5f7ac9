"""Whether passages contradict each other on what a question asks, and what of it they lack."""

import pytest

from kohaku_lib.answering.coverage.content_words import content_stems
from kohaku_lib.answering.coverage.sufficiency import has_conflicts, judge_context
from kohaku_lib.tables import Snippet


@pytest.mark.parametrize(
    ("first", "second", "conflicting"),
    [
        ("The Riga workshop used 41 kWh of electricity.", "The Riga workshop used 52 kWh of electricity.", True),
        ("The Riga workshop used 41 kWh of electricity.", "Electricity the Riga workshop used: 41 kWh.", False),
        ("The Riga workshop used 41 kWh of electricity.", "The Graz workshop used 52 kWh of electricity.", False),
        ("The Riga workshop used 41 kWh of electricity.", "The Riga workshop used electricity.", False),
    ],
)
def test_two_documents_contradict_each_other_by_other_numbers_for_all_words_of_the_question(first, second, conflicting):
    snippets = [Snippet(f"{name}:p1", name, name, 1, text, 1, 1.0) for name, text in (("a", first), ("b", second))]
    assert has_conflicts(content_stems("How much electricity has the workshop in Riga used?"), snippets) == conflicting


ENGLISH = "In 2023 the workshop used 41,800 kWh of electricity, and it is cooled by the sea."
GERMAN = "Im Jahr 2023 verbrauchte die Werkstatt 41.800 kWh, und sie wird mit Wasser aus dem Meer gekühlt."


@pytest.mark.parametrize(
    ("question", "passage", "lacks"),
    [
        ("Wie hoch ist die PUE der Anlage?", ENGLISH, ()),
        ("Wer leitet die Werkstatt?", ENGLISH, ()),
        ("Combien d'électricité l'atelier a-t-il consommé ?", ENGLISH, ()),
        ("Wer leitet die Werkstatt in Riga?", GERMAN, ("leitet", "riga")),
        ("Wie viele Leute sind in der Werkstatt?", GERMAN, ("leute",)),
        ("Where is the workshop in Riga?", ENGLISH, ("riga",)),
        ("PUE of Riga", GERMAN, ()),
        ("PUE Riga", ENGLISH, ("pue", "riga")),
    ],
)
def test_passages_lack_content_words_of_a_question_in_their_language(question, passage, lacks):
    snippet = Snippet("a:p1", "a", "a", 1, passage, 1, 1.0)
    assert judge_context(question, [snippet]).missing_aspects == lacks
