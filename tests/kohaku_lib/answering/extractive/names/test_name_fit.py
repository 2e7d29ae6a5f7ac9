"""The description of a name decides whether it answers the question."""

import pytest

from kohaku_lib.answering.extractive.evidence.evidence import gather_evidence
from kohaku_lib.answering.extractive.names.name_spans import name_spans
from kohaku_lib.answering.extractive.names.names import find_name, name_candidates
from kohaku_lib.answering.extractive.question.focus import focus_of, focus_stems
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.tables import Question, Snippet
from kohaku_lib.text.countries import is_country, is_state


def _read(question, *texts):
    form = read_question(Question("q", question))
    snippets = [Snippet(f"d{n}:1", f"d{n}", "Harbours", 1, text, n, 1 / n) for n, text in enumerate(texts, 1)]
    return form, gather_evidence(form, snippets)


def _value(question, *texts):
    finding = find_name(*_read(question, *texts))
    return finding and finding.value


def _spans(text):
    return [span.text for span in name_spans(text)]


@pytest.mark.parametrize(
    ("question", "stems", "name_type"),
    [
        ("Which Canadian rock band released it?", ("canadian", "rock", "band"), ""),
        ("Which state borders Ohio to the east?", (), "state"),
        ("In what country was it built?", ("countri",), "country"),
        ("What is the name of the city where it stands?", ("citi",), "place"),
        ("Who was the first president of the society?", ("first", "presid"), "person"),
        ("It was built by which Italian architect who died young?", ("italian", "architect"), "person"),
        ("Which ship carried the woman who wrote it?", ("ship",), ""),
        ("What is the term for water that is not returned?", ("water",), "term"),
        ("Where does it moor?", (), "place"),
        ("Which sports teams were there?", ("sport", "team"), ""),
    ],
)
def test_the_focus_and_the_name_type_are_parsed_from_the_question(question, stems, name_type):
    focus = focus_of(question)
    assert (focus.stems, focus.name_type) == (stems, name_type)
    assert focus_stems(question) == stems


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        (
            "Which rock band recorded Counterpoints?",
            "Nobody's Tide is a song by the rock band Anchor from Counterpoints, recorded at Quayside.",
            "Anchor",
        ),
        (
            "Which company built the harbour crane?",
            "Port Ellen has a harbour crane that was built by Northgate, a company from Leith.",
            "Northgate",
        ),
        (
            "Which river flows past the mill?",
            "Past the mill flows the Silver River down to Old Town.",
            "Silver River",
        ),
        (
            "Which state is the Kraus House in?",
            "The Kraus House, known as the Wright House, is a house in Kirkwood, Missouri.",
            "Missouri",
        ),
        (
            "Which country is Mika Strand from?",
            "Mika Strand was born in Dala in Sweden.",
            "Sweden",
        ),
        (
            "Who designed the lighthouse?",
            "The lighthouse of the Harbour Union was designed by Robert Stone.",
            "Robert Stone",
        ),
        (
            "Who was the first president of the Rowing Society?",
            "Edward Hill, who was the first president of the Rowing Society, came from the Trade Union.",
            "Edward Hill",
        ),
    ],
)
def test_the_name_described_as_the_requested_thing_wins(question, text, value):
    assert _value(question, text) == value


def test_an_adjective_before_its_noun_is_no_answer():
    assert (
        _value("Which club did the footballer join?", "The Welsh footballer did join the club Arrow Town.")
        == "Arrow Town"
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("It was written by J. M. Barrie in spring.", "J. M. Barrie"),
        ("It was ruled by Maria von Trapp then.", "Maria von Trapp"),
        ("the law is Finland's national treasure", "Finland"),
        ("under the Clean Air Act of 1970", "Clean Air Act"),
        ("born Ann Lee 13 December 1967 here", "Ann Lee"),
    ],
)
def test_names_are_cut_where_they_end(text, name):
    assert name in _spans(text)


def test_names_joined_by_and_are_read_together_and_apart():
    assert set(_spans("It lies between Kentucky and Virginia.")) == {"Kentucky and Virginia", "Kentucky", "Virginia"}


def test_candidates_come_best_first_and_hold_no_word_of_the_question_alone():
    form, evidence = _read(
        "Which tug pulls the ferry Aurora?", "The tug Bulldog pulls the ferry Aurora past Inchkeith."
    )
    candidates = name_candidates(form, evidence)
    assert candidates[0].span.text == "Bulldog"
    assert "Aurora" not in {one.span.text for one in candidates}
    assert [one.score for one in candidates] == sorted((one.score for one in candidates), reverse=True)


def test_the_margin_is_the_lead_over_the_next_other_name():
    form, evidence = _read("Which tug pulls the ferry?", "The tug Bulldog pulls the ferry past Inchkeith.")
    finding = find_name(form, evidence)
    others = [one.score for one in name_candidates(form, evidence) if one.span.text != "Bulldog"]
    assert finding is not None
    assert finding.margin == pytest.approx(finding.score - max(others))


@pytest.mark.parametrize(
    ("name", "country", "state"), [("Norway", 1, 0), ("Iowa", 0, 1), ("Georgia", 1, 1), ("Oslo", 0, 0)]
)
def test_countries_and_states_are_known(name, country, state):
    assert (is_country(name), is_state(name)) == (bool(country), bool(state))
