"""The relation between two names is in the words between them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_material import graph_snapshot

from kohaku_lib.index.graph import describe_entities
from kohaku_lib.index.graph.names import DocumentNames
from kohaku_lib.index.graph.relation_words import with_links, wording_of
from kohaku_lib.index.graph.verbs import base_of, third_person
from kohaku_lib.text.word_lists import words


def stated(text, title=""):
    names = DocumentNames(title, [text])
    about = names.of_title() if names.title else None
    return [
        (found.named.name, link.relation_type, link.name)
        for found in with_links(text, names.mentions(text), about)
        for link in found.links
    ]


@pytest.mark.parametrize(
    ("text", "triples"),
    [
        ("Rasa Petraite maintains Amber Bridge.", [("Rasa Petraite", "MAINTAINS", "Amber Bridge")]),
        ("Amber Works acquired Tarn Mills.", [("Amber Works", "ACQUIRES", "Tarn Mills")]),
        ("Amber Works was acquired by Tarn Mills.", [("Tarn Mills", "ACQUIRES", "Amber Works")]),
        ("Amber Works has been sold by the company Tarn Mills.", [("Tarn Mills", "SELLS", "Amber Works")]),
        ("Amber Works is based in Tarn Hollow.", [("Amber Works", "BASED_IN", "Tarn Hollow")]),
        ("Amber Works, based in Tarn Hollow, grew.", [("Amber Works", "BASED_IN", "Tarn Hollow")]),
        ("Amber Works was founded in 1987.", [("Amber Works", "FOUNDED_IN", "1987")]),
        ("Orla Fenn lives in the city of Tarn Hollow.", [("Orla Fenn", "LIVES_IN", "Tarn Hollow")]),
        ("Orla Fenn, who also wrote Glass Sea, left.", [("Orla Fenn", "WRITES", "Glass Sea")]),
        ("Orla Fenn, the director of Amber Works, left.", [("Orla Fenn", "DIRECTOR_OF", "Amber Works")]),
        ("Orla Fenn is a founder of Amber Works.", [("Orla Fenn", "FOUNDER_OF", "Amber Works")]),
        ("Tarn Hollow is part of Amber County.", [("Tarn Hollow", "PART_OF", "Amber County")]),
        ("Tarn Hollow is a small town in Amber County.", [("Tarn Hollow", "LOCATED_IN", "Amber County")]),
        ("Amber University in Tarn County grew.", [("Amber University", "LOCATED_IN", "Tarn County")]),
        ("It fell near Tarn Hollow, Ohio.", [("Tarn Hollow", "LOCATED_IN", "Ohio")]),
    ],
)
def test_verbs_nouns_and_prepositions_name_the_relation(text, triples):
    assert stated(text) == triples


def test_a_list_of_objects_shares_the_verb():
    assert stated("Orla Fenn founded Amber Works and Tarn Mills.") == [
        ("Orla Fenn", "FOUNDS", "Amber Works"),
        ("Orla Fenn", "FOUNDS", "Tarn Mills"),
    ]


def test_a_second_verb_is_of_the_same_subject():
    assert stated("Orla Fenn was born in Tarn Hollow and moved to Amber Bay.") == [
        ("Orla Fenn", "BORN_IN", "Tarn Hollow"),
        ("Orla Fenn", "MOVES_TO", "Amber Bay"),
    ]


def test_the_subject_is_the_name_before_a_preposition():
    assert stated("Amber University in Tarn County acquired Glass Mills.") == [
        ("Amber University", "LOCATED_IN", "Tarn County"),
        ("Amber University", "ACQUIRES", "Glass Mills"),
    ]
    assert stated("A brother of Orla Fenn acquired Glass Mills.") == []


def test_what_a_text_without_subject_says_is_of_its_document():
    assert stated("Written by Orla Fenn and Kit Moor.", "Glass Sea") == [
        ("Orla Fenn", "WRITES", "Glass Sea"),
        ("Kit Moor", "WRITES", "Glass Sea"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Orla Fenn never maintained Amber Bridge.",
        "Orla Fenn is not based in Tarn Hollow.",
        "Orla Fenn left. Amber Bridge fell.",
        "Orla Fenn and Amber Bridge.",
        "Orla Fenn models Amber Bridge.",
        "In 1987 founded Amber Works.",
        "Amber Works might have acquired Tarn Mills.",
        "Amber Works may be acquired by Tarn Mills.",
        "Orla Fenn hardly supports Kit Moor.",
        "Amber Works nearly acquired Tarn Mills.",
        "Neither Orla Fenn nor Kit Moor founded Amber Works.",
        "No court found that Amber Works acquired Tarn Mills.",
        "Glass Sea denied that Amber Works acquired Tarn Mills.",
        "If Amber Works acquires Tarn Mills, it grows.",
        "Orla Fenn married the daughter of Kit Moor.",
        "The mayor who met Orla Fenn supports Kit Moor.",
    ],
)
def test_what_is_denied_or_not_said_is_no_relation(text):
    assert stated(text) == []


def test_a_company_at_the_end_of_a_sentence_is_the_one_within_another(tmp_path):
    tree = {
        "a": [[["Orion Ltd was acquired by Lumen Corp."], ["Lumen Corp acquired Tarn Mills."]]],
        "b": [[["nothing."]]],
    }
    with graph_snapshot(tmp_path, tree).connect() as connection:
        [company] = describe_entities(connection, "Lumen Corp", "default")
    assert {(one["name"], one["relation_type"]) for one in company["relations"]} == {
        ("Orion Ltd", "ACQUIRES"),
        ("Tarn Mills", "ACQUIRES"),
    }


def test_names_that_no_text_relates_stay_related_by_counts_alone(tmp_path):
    tree = {
        "a": [[["so Orla Fenn founded Amber Works."], ["once Glass Sea and Tarn Mills shone."]]],
        "b": [[["nothing else."], ["or this."]]],
    }
    with graph_snapshot(tmp_path, tree).connect() as connection:
        [[person], [sea]] = (describe_entities(connection, name, "default") for name in ("Orla Fenn", "Glass Sea"))
    assert [(one["name"], one["relation_type"]) for one in person["relations"]] == [("Amber Works", "FOUNDS")]
    assert [(one["name"], one["relation_type"]) for one in sea["relations"]] == [("Tarn Mills", "RELATED_TO")]


@pytest.mark.parametrize(
    ("form", "base", "third"),
    [
        ("supplied", "supply", "supplies"),
        ("publishes", "publish", "publishes"),
        ("taught", "teach", "teaches"),
        ("led", "lead", "leads"),
        ("employs", "employ", "employs"),
        ("released", "release", "releases"),
        ("runs", "run", "runs"),
    ],
)
def test_the_forms_of_a_verb_are_one(form, base, third):
    assert base_of(form) == base
    assert third_person(base) == third


WORDS = st.sampled_from(
    sorted(words("is was not founded maintains by in of the a city part , and who Orla Fenn Tarn 2019 lived"))
)


@settings(deadline=None)
@given(st.lists(WORDS, max_size=14).map(" ".join))
def test_relations_are_between_two_names_of_the_text(text):
    names = {found.name for found in DocumentNames("", [text]).mentions(text)}
    for subject, kind, target in stated(text):
        assert {subject, target} <= names
        assert subject != target
        assert kind.replace("_", "").isalpha()
        assert kind == kind.upper()


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from(list("ab ed s,by in.")), max_size=200))
def test_only_a_short_phrase_is_a_wording(text):
    found = wording_of(text)
    assert found is None or (len(text) <= 80 and "." not in text)
