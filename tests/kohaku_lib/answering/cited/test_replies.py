"""Replies of chat models: preambles go, citations take one form, suggested questions are taken apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.answering.cited.grounding import CITATION
from kohaku_lib.answering.cited.replies import normalise_citations, parse_reply, split_questions
from kohaku_lib.answering.cited.streaming import ShownReply, ShownText


@pytest.mark.parametrize(
    ("written", "normalised"),
    [
        ("It is 4 kg [Source 1].", "It is 4 kg [Source 1]."),
        ("It is 4 kg (source 1).", "It is 4 kg [Source 1]."),
        ("It is 4 kg [1].", "It is 4 kg [Source 1]."),
        ("It is 4 kg [1][2].", "It is 4 kg [Source 1][Source 2]."),
        ("It is 4 kg [Sources 1, 2 and 3].", "It is 4 kg [Source 1] [Source 2] [Source 3]."),
        ("It is 4 kg 【Source 2】.", "It is 4 kg [Source 2]."),
        ("It is 4 kg [Source 1: report (page 3)].", "It is 4 kg [Source 1]."),
        ("It is 4 kg [Source 9].", "It is 4 kg."),
        ("It is 4 kg [Source 0].", "It is 4 kg."),
        ("The year (2023) and the item (3) stay.", "The year (2023) and the item (3) stay."),
        ("A list [a, b] stays.", "A list [a, b] stays."),
    ],
)
def test_citations_take_one_form_and_name_sources_that_there_are(written, normalised):
    assert normalise_citations(written, sources=3) == normalised


@pytest.mark.parametrize(
    "preamble",
    [
        "Sure! ",
        "Certainly, ",
        "Of course. ",
        "Sure, here is the answer: ",
        "Here is a summary: ",
        "Based on the sources, ",
    ],
)
def test_a_preamble_is_removed(preamble):
    assert parse_reply(f"{preamble}It is 4 kg [Source 1].", 1).content == "It is 4 kg [Source 1]."


@pytest.mark.parametrize(
    "line",
    [
        "SUGGESTED_QUESTIONS: Why?|When?",
        "**SUGGESTED_QUESTIONS:** Why? | When?",
        "Suggested questions:\n1. Why?\n2. When?",
    ],
)
def test_suggested_questions_are_taken_out_of_the_content(line):
    parsed = parse_reply(f"It is 4 kg [1].\n\n{line}", 1)
    assert (parsed.content, parsed.suggested_questions) == ("It is 4 kg [Source 1].", ("Why?", "When?"))


def test_at_most_three_questions_are_suggested():
    assert split_questions("a?|b?|c?|d?") == ("a?", "b?", "c?")


def test_notes_before_the_answer_are_no_content():
    assert parse_reply("<think>4 or 5?</think>It is 4 kg [1].", 1).content == "It is 4 kg [Source 1]."


@given(st.text(max_size=200), st.integers(0, 3))
def test_no_citation_of_a_missing_source_is_left(reply, sources):
    content = parse_reply(reply, sources).content
    assert all(1 <= int(number) <= sources for number in CITATION.findall(content))


REPLY = (
    "<think>hm</think>Sure! The workshop used 41,800 kWh of electricity in 2023 [source 1], which was 10% more than in the "
    "year before [2][Source 7].\n\nThe machine room took most of it (70%).\nSUGGESTED_QUESTIONS: Why?|When?"
)


@given(st.lists(st.integers(1, 40), max_size=40))
def test_what_is_shown_while_a_reply_arrives_is_its_content_whatever_the_parts(lengths):
    shown, rest, parts = [], REPLY, []
    for length in lengths:
        parts.append(rest[:length])
        rest = rest[length:]
    text = ShownText(shown.append)
    reply = ShownReply(text, sources=2)
    for part in [*parts, rest]:
        reply.add(part)
    content = parse_reply(REPLY, 2).content
    text.finish(content)
    assert "".join(shown) == content
    assert content.endswith("The machine room took most of it (70%).")


def test_the_answer_is_shown_though_thoughts_that_nothing_opened_were_shown_before_it():
    shown = []
    text = ShownText(shown.append)
    reply = ShownReply(text, sources=1)
    for part in (
        "Thoughts that go on and on beyond eighty signs, let me see what the source says of it.\n",
        "Right.\n",
    ):
        reply.add(part)
    reply.add("</think>It used 12,100 kWh [Source 1].")
    text.finish("It used 12,100 kWh [Source 1].")
    assert "".join(shown).endswith("\n\nIt used 12,100 kWh [Source 1].")


def test_a_citation_is_shown_once_it_is_closed():
    shown = []
    reply = ShownReply(ShownText(shown.append), sources=2)
    reply.add("The workshop used 41,800 kWh of electricity in the whole of the year 2023, as it was counted [sou")
    assert "".join(shown).endswith("as it was counted")
    reply.add("rce 2]")
    assert "".join(shown).endswith("as it was counted [Source 2]")


def test_only_sentences_that_are_complete_and_allowed_are_shown_where_they_are_checked():
    shown = []
    reply = ShownReply(ShownText(shown.append), 1, lambda content: content if "4 kg" in content else "")
    told = "Sources tell about the press of the old workshop at length. It weighs 4 kg [Source 1]. It is old"
    for start in range(0, len(told), 7):
        reply.add(told[start : start + 7])
    assert "".join(shown) == told.removesuffix(" It is old")
