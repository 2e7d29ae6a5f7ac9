"""Questions are made from what a document states, and none from an instruction or a title that a program filled in."""

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_material import documents_table, nodes_table, small_snapshot

from kohaku_lib.conversation.response.suggestions import suggest_questions
from kohaku_lib.suggestions.candidates import content_words, document_candidates, is_same_thing
from kohaku_lib.suggestions.english import ENGLISH
from kohaku_lib.suggestions.german import GERMAN
from kohaku_lib.suggestions.headings import asked_heading, clean_heading
from kohaku_lib.suggestions.stored import store_suggestions, stored_suggestions
from kohaku_lib.tables import SUGGESTED_QUESTIONS


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The Aurora lamp costs 59 EUR and weighs 1.2 kg.", "How much does the Aurora lamp cost?"),
        ("Training took 1,240 kWh.", "How many kWh did training take?"),
        ("Gintaras-S has 120 million parameters.", "How many parameters does Gintaras-S have?"),
        ("The contract value is 84,300 EUR without tax.", "What is the contract value?"),
        ("Baltic amber is about 44 million years old.", "How old is Baltic amber?"),
        ("The bridge over the Öresund was opened in 2000.", "When was the bridge over the Öresund opened?"),
        ("The repair of the north bridge ends in May.", "When does the repair of the north bridge end?"),
        ("It was rebuilt in 2021.", None),
        ("In week 1 plant 0 made 11 units.", None),
        ("Press the red button for 5 seconds.", None),
        ("Curators compared 1,200 descriptions.", None),  # whether it is a name is not told
        ("The museum is 5 km from the station.", None),
    ],
)
def test_an_english_sentence_is_asked_for_its_number_or_date(sentence, question):
    assert ENGLISH.of_sentence(sentence, f"A sort of Baltic amber, and training. {sentence}") == question


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("Die Lieferpauschale beträgt 3,50 Euro.", "Wie hoch ist die Lieferpauschale?"),
        ("Die Kündigungsfrist beträgt drei Monate.", "Wie lang ist die Kündigungsfrist?"),
        ("Ein Waschgang kostet 2 Euro.", "Wie viel kostet ein Waschgang?"),
        ("Der Betrieb beschäftigt 14 Leute.", "Wie viele Leute beschäftigt der Betrieb?"),
        ("Das Becken ist 25 Meter lang.", "Wie lang ist das Becken?"),
        ("Das Museum wurde 1998 von der Stadt gegründet.", "Wann wurde das Museum von der Stadt gegründet?"),
        ("Die Abnahme der Halle war am 04.03.2026.", "Wann war die Abnahme der Halle?"),
        ("Das Fest findet am 3. Mai statt.", "Wann findet das Fest statt?"),
        ("Der Zug legt 300 Kilometer zurück.", None),
        ("Der Gemeinde stehen 5 Räume zur Verfügung.", None),
        ("Sie kostet 4 Euro.", None),
        ("Drücken Sie 5 Sekunden den Knopf.", None),
    ],
)
def test_a_german_sentence_is_asked_with_the_article_that_it_has(sentence, question):
    assert GERMAN.of_sentence(sentence, "") == question


@pytest.mark.parametrize(
    "title", ["Untitled", "Page 1", "Slide 3", "Sheet1", "Quoted messages", "References", "x" * 71]
)
def test_a_title_that_names_no_topic_is_none(title):
    assert clean_heading(title) is None
    assert asked_heading(title) is None


@pytest.mark.parametrize(
    ("phrasing", "heading", "text"),
    [
        (ENGLISH, "Press the red button", "You must press the red button."),
        (ENGLISH, "Wear gloves", "Always wear gloves."),
        (GERMAN, "Roten Knopf drücken", "Den roten Knopf drücken."),
        (GERMAN, "Drücken Sie den Knopf", "Drücken Sie den Knopf, bitte."),
    ],
)
def test_an_instruction_is_no_topic(phrasing, heading, text):
    assert phrasing.of_heading(heading, text) is None


TREE = {
    "manual": [
        [["Press the red button for 5 seconds."], ["The pump moves 12 litres an hour."]],
        [
            ["The pump was installed in 2019."],
            ["No price has tax."],
            ["| Part | Price |\n| --- | --- |\n| Seal | 4.50 |"],
        ],
    ],
    "regel": [[["Die Miete der Halle beträgt 500 Euro."], ["Zuschlag für Strom: 20 Euro"]]],
    "reglas": [[["La bomba cuesta 500 euros."]]],
    "short": [[["The kettle holds 2 litres."]]],
}
LANGUAGES = {"manual": "en", "regel": "de", "reglas": "es"}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    documents, nodes = documents_table(TREE), nodes_table(TREE)
    for_ids = {name: json.dumps({"language": code}) for name, code in LANGUAGES.items()} | {"short": "{}"}
    return small_snapshot(
        tmp_path_factory.mktemp("suggested"),
        TREE,
        nodes=_with_metadata(nodes, for_ids, [one in TREE for one in nodes["node_id"].to_pylist()]),
        documents=_with_metadata(documents, for_ids, [True] * len(TREE)),
    )


def _with_metadata(table, metadata, is_changed):
    pairs = zip(table["document_id"].to_pylist(), table["metadata_json"].to_pylist(), is_changed, strict=True)
    place = table.schema.get_field_index("metadata_json")
    values = [metadata[name] if changed else old for name, old, changed in pairs]
    return table.set_column(place, table.schema.field(place), pa.array(values, pa.string()))


def asked(snapshot, document_id, node_id=None):
    return [one.question for one in document_candidates(snapshot, document_id, node_id)]


def test_a_document_is_asked_in_its_own_language_and_in_others_not(snapshot):
    assert asked(snapshot, "manual") == [
        "How many litres does the pump move?",
        "When was the pump installed?",
        "What is the price of Seal?",
    ]
    assert asked(snapshot, "regel") == ["Wie hoch ist die Miete der Halle?", "Was steht bei „Zuschlag für Strom“?"]
    assert asked(snapshot, "reglas") == []
    assert asked(snapshot, "short") == ["How many litres does the kettle hold?"]


def test_what_stands_near_a_node_comes_first(snapshot):
    assert asked(snapshot, "manual", "manual:sec2:p1")[0] == "When was the pump installed?"


def test_after_an_answer_its_own_document_goes_on_and_what_was_asked_does_not(snapshot):
    question = "How many litres an hour does the pump move?"
    assert suggest_questions(snapshot, ["manual:sec1:p2"], question, "default") == (
        "When was the pump installed?",
        "What is the price of Seal?",
    )
    assert suggest_questions(snapshot, [], question, "default") == ()


def test_stored_questions_are_those_of_the_organisation_and_come_before_others(snapshot):
    rows = [
        {"org_id": org_id, "document_id": "manual", "question": f"What did {name} buy?", "outcome": "value"}
        for org_id, name in (("default", "Ida"), ("acme", "Zoe"))
    ]
    assert stored_suggestions(snapshot, "default") is None
    store_suggestions(snapshot.folder.parent, snapshot.version, pa.Table.from_pylist(rows, schema=SUGGESTED_QUESTIONS))
    assert stored_suggestions(snapshot, "default") == ["What did Ida buy?"]
    assert stored_suggestions(snapshot, "acme", "manual") == ["What did Zoe buy?"]
    assert stored_suggestions(snapshot, "acme", "regel") == []
    suggested = suggest_questions(snapshot, ["manual:sec1:p2"], "Why?", "default")
    assert (suggested[0], len(suggested)) == ("What did Ida buy?", 3)


@given(
    st.text("bdgklmnprt", min_size=4, max_size=9),
    st.integers(2, 99_999),
    st.sampled_from(["litres", "boxes", "kg", "kWh"]),
)
def test_a_question_holds_its_subject_and_never_the_number_that_answers_it(noun, number, unit):
    for phrasing, sentence in (
        (ENGLISH, f"The {noun} needs {number} {unit} a day."),
        (GERMAN, f"Der {noun.title()} braucht {number} {unit.title()}."),
    ):
        question = phrasing.of_sentence(sentence, sentence)
        assert question is not None
        assert noun in content_words(question)
        assert str(number) not in question
        assert is_same_thing(content_words(question), content_words(sentence))
