"""What is said of a value that other documents state otherwise, and which one is given."""

from dataclasses import replace

import pytest

from kohaku_lib.answering.citing.other_values import other_values, settle
from kohaku_lib.tables import Question, Snippet, StructuredAnswer

ASKED = Question("q", "What is the limit for gifts?")


def snippet(document_id, text, title="", heading=""):
    return Snippet(f"{document_id}:p1", document_id, title or document_id, 1, text, 1, 1.0, heading=heading)


def read(value, quote, document_id):
    return StructuredAnswer(value, value, (document_id,), quote, quote=quote, confidence=0.8)


def others(question, answer, *snippets):
    return [(one.text, one.document_ids) for one in other_values(question, answer, snippets)]


FORTY = snippet("copy", "All gifts are listed. The limit for gifts is 40 EUR a year.")
LISTED = read("40", "The limit for gifts is 40 EUR a year.", "copy")


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("The limit for gifts is 25 EUR a year.", ["25 EUR"]),
        ("Now the limit for gifts is 25 EUR a year.", ["25 EUR"]),
        ("The limit for gifts is 40.00 EUR a year.", []),  # the same value
        ("The limit for loans of books to members is 25 EUR a year.", []),  # of something else
        ("The limit for gifts to Norway is 25 EUR a year.", []),  # a name of its own
        ("In 2019 the limit for gifts was 25 EUR a year.", []),  # a year of its own
        ("The limit for gifts is set by the board each year.", []),  # no value
        ("The limit for gifts is 4000 cents a year.", []),  # in another unit, so not comparable as written
    ],
)
def test_another_value_is_stated_in_the_same_words(text, stated):
    assert others(ASKED, LISTED, FORTY, snippet("rules", text)) == [(one, ("rules",)) for one in stated]


def test_documents_that_state_the_same_are_named_together():
    text = "The limit for gifts is 25 EUR a year."
    twice = [snippet("rules", text), replace(snippet("memo", text), also_in=("note",))]
    assert others(ASKED, LISTED, FORTY, *twice) == [("25 EUR", ("rules", "memo", "note"))]


def test_names_and_dates_are_compared_in_their_place():
    desk = snippet("old", "The register is kept by Ana Lee in Riga.")
    newer = snippet("new", "The register is kept by Bo Kim in Riga.")
    question = Question("q", "Who keeps the register?")
    assert others(question, read("Ana Lee", desk.text, "old"), desk, newer) == [("Bo Kim", ("new",))]
    opening = snippet("old", "The course starts on 3 September 2026.")
    later = snippet("new", "The course starts on 10 September 2026.")
    question = Question("q", "When does the course start?")
    assert others(question, read("3 September 2026", opening.text, "old"), opening, later) == [
        ("10 September 2026", ("new",))
    ]


def test_a_document_about_another_part_of_the_question_states_nothing_else():
    text = "The notice period is {} months."
    france = snippet("fr", text.format(3), "Handbook France")
    germany = snippet("de", text.format(1), "Handbook Germany")
    answer = read("3", france.text, "fr")
    assert others(Question("q", "What is the notice period in France?"), answer, france, germany) == []
    assert others(Question("q", "What is the notice period?"), answer, france, germany) == [("1 months", ("de",))]


def test_the_same_document_does_not_contradict_itself_and_claims_have_no_value_to_compare():
    within = snippet("copy", "The limit for gifts is 25 EUR a year.")
    assert others(ASKED, LISTED, FORTY, within) == []
    assert others(Question("q", "True or false: gifts are limited."), read("1", LISTED.quote, "copy"), FORTY) == []


@pytest.mark.parametrize("asked_unit", [None, "EUR"])
def test_the_value_of_the_latest_edition_is_given_and_the_others_are_named(asked_unit):
    text = "The limit for gifts is {} EUR."
    snippets = [
        replace(snippet("policy-2024", text.format(40)), also_in=("copy",)),
        snippet("policy-2026", text.format(25)),
        snippet("policy-2022", text.format(60)),
    ]
    answer = replace(read("40", text.format(40), "policy-2024"), answer="40 EUR")
    settled = settle(replace(ASKED, unit=asked_unit), answer, snippets)
    assert settled.is_latest
    assert (settled.answer.answer, settled.answer.answer_value) == ("25 EUR", "25")
    assert (settled.answer.ref_id, settled.answer.quote) == (("policy-2026",), text.format(25))
    assert [(one.text, one.document_ids) for one in settled.others] == [
        ("40 EUR", ("policy-2024", "copy")),
        ("60 EUR", ("policy-2022",)),
    ]


def test_the_answer_stays_where_its_own_edition_is_the_latest():
    text = "The limit for gifts is {} EUR."
    snippets = [snippet("policy-2026", text.format(25)), snippet("policy-2022", text.format(60))]
    settled = settle(ASKED, read("25", text.format(25), "policy-2026"), snippets)
    assert (settled.answer.answer_value, settled.is_latest, len(settled.others)) == ("25", True, 1)


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("What is the limit for gifts?", "policy", "policy-2026"),  # one has no year
        ("What is the limit for gifts?", "policy-2026", "rules-2026"),  # of the same year
        ("What is the limit for gifts since 2020?", "policy-2022", "policy-2026"),  # the question names a year
    ],
)
def test_where_no_edition_is_known_to_be_the_latest_the_answer_stays_and_is_doubted(question, first, second):
    text = "The limit for gifts is {} EUR."
    snippets = [snippet(first, text.format(40)), snippet(second, text.format(25))]
    settled = settle(Question("q", question), read("40", text.format(40), first), snippets)
    assert (settled.answer.answer_value, settled.is_latest, [one.text for one in settled.others]) == (
        "40",
        False,
        ["25 EUR"],
    )


def test_a_heading_tells_no_edition_and_other_words_are_no_edition_of_the_same():
    text = "The limit for gifts is {} EUR."
    plan = snippet("rules-2019", text.format(25), heading="Rules / Strategy 2030")
    settled = settle(ASKED, read("40", text.format(40), "rules-2025"), [snippet("rules-2025", text.format(40)), plan])
    assert (settled.answer.answer_value, settled.is_latest) == ("40", True)
    question = Question("q", "How many rooms are on the first floor?")
    first = snippet("plan-2024", "The ground floor of the first house has 12 rooms in all.")
    second = snippet("plan-2026", "The upper floor of the first house has 15 rooms in all.")
    settled = settle(question, read("12", first.text, "plan-2024"), [first, second])
    assert (settled.answer.answer_value, [one.value for one in settled.others]) == ("12", ["15"])
