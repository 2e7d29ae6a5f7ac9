"""Whether passages contradict each other on what a question asks."""

import pytest

from kohaku_lib.answering.coverage.content_words import content_stems
from kohaku_lib.answering.coverage.sufficiency import has_conflicts
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
