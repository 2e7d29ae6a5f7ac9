"""A name has one type in its document: that for which all its mentions speak."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_material import graph_snapshot, nodes_table

from kohaku_lib.index import extract_mentions
from kohaku_lib.index.graph import describe_entities
from kohaku_lib.index.graph.evidence import votes_of_context, votes_of_form
from kohaku_lib.index.graph.name_types import NameTypes
from kohaku_lib.index.graph.names import DocumentNames
from kohaku_lib.settings import GraphSettings
from kohaku_lib.text.word_lists import words

TYPES = {*GraphSettings().entity_types, "OTHER"}


def typed(*texts, title=""):
    names = DocumentNames(title, texts)
    return [[(found.name, found.mention.entity_type) for found in names.mentions(text)] for text in texts]


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("the pianist Wadge Moor came", "Wadge Moor", "PERSON"),
        ("The head of the machine room, Rasa Petraite, left.", "Rasa Petraite", "PERSON"),
        ("it was written by Orla Fenn and sold", "Orla Fenn", "PERSON"),
        ("then Orla Fenn, who had a boat, left", "Orla Fenn", "PERSON"),
        ("then Orla Fenn (3 May 1901 – 8 June 1980) left", "Orla Fenn", "PERSON"),
        ("it is said that Orla Fenn was born there", "Orla Fenn", "PERSON"),
        ("Orla Fenn is a Welsh painter of cats.", "Orla Fenn", "PERSON"),
        ("they saw Archduke Karl Salvator of Austria there", "Archduke Karl Salvator", "PERSON"),
        ("by the Kohaku Workshop it is", "Kohaku Workshop", "ORGANIZATION"),
        ("we bought it of Tramm & Co. then", "Tramm & Co.", "ORGANIZATION"),
        ("the boy group Vexo sang", "Vexo", "ORGANIZATION"),
        ("she works for Vexo since then", "Vexo", "ORGANIZATION"),
        ("the director of Vexo left", "Vexo", "ORGANIZATION"),
        (
            "of the International Union for Conservation of Trees",
            "International Union for Conservation of Trees",
            "ORGANIZATION",
        ),
        ("it lies near Karkle, by the sea", "Karkle", "LOCATION"),
        ("in the city of Tarn Hollow it was", "Tarn Hollow", "LOCATION"),
        ("we went to Tarn, Ohio, then", "Tarn", "LOCATION"),
        ("it was in Tarn.", "Tarn", "LOCATION"),
        ("so Tarn Hollow is a small town of millers", "Tarn Hollow", "LOCATION"),
        ("under Article VI of it", "Article VI", "CLAUSE"),
        ("under Item 5.05 of it", "Item 5.05", "CLAUSE"),
        ("the Bill of Rights says", "Bill of Rights", "REGULATION"),
        ("the Tarn Constitution says", "Tarn Constitution", "REGULATION"),
        ("with Gintaras-M it was", "Gintaras-M", "PRODUCT"),
        ("on LLaMA 65B it was", "LLaMA 65B", "PRODUCT"),
        ("since 1777 it is", "1777", "DATE"),
        ("it was in autumn 1961 there", "autumn 1961", "DATE"),
        ("it came on August 6 there", "August 6", "DATE"),
    ],
)
def test_the_words_around_a_name_or_in_it_tell_its_type(text, name, kind):
    assert (name, kind) in typed(text)[0]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Sea of Glass is a 1909 silent film.", "Sea of Glass"),
        ("it was in Bayesian inference that", "Bayesian"),
        ("the Welsh singers came", "Welsh"),
        ("the Evolved Transformer was better", "Evolved Transformer"),
    ],
)
def test_films_peoples_and_what_nothing_is_said_of_have_no_type(text, name):
    assert (name, "OTHER") in typed(text)[0]


def test_what_one_sentence_says_of_a_name_holds_in_all_others():
    assert typed("We saw Orla Fenn there.", "Later Orla Fenn was born.") == [
        [("Orla Fenn", "PERSON")],
        [("Orla Fenn", "PERSON")],
    ]


def test_a_surname_is_the_person_whose_full_name_the_document_holds():
    assert typed("The painter Orla Fenn left.", "Fenn paints cats.") == [
        [("Orla Fenn", "PERSON")],
        [("Orla Fenn", "PERSON")],
    ]


def test_a_surname_of_two_persons_stays_alone():
    found = typed("The painter Orla Fenn and her brother Kit Fenn left.", "The dog saw Fenn go.")
    assert found[1] == [("Fenn", "PERSON")]


def test_a_word_that_begins_a_sentence_is_a_name_only_where_the_document_says_so():
    assert typed("Amber is old.", "Polishing takes time.") == [[], []]
    assert typed("Tarn is old.", "It is near Tarn.") == [[("Tarn", "LOCATION")], [("Tarn", "LOCATION")]]


def test_names_in_a_list_share_their_type():
    assert typed("written by Orla Fenn and Kit Moor, it sold")[0] == [("Orla Fenn", "PERSON"), ("Kit Moor", "PERSON")]


def test_an_acronym_has_the_type_of_what_it_stands_for():
    assert typed("The Amber Trade Association (ATA) met.", "The ATA met.")[1] == [("ATA", "ORGANIZATION")]


def test_names_with_digits_are_genes_where_the_text_is_of_biology():
    assert typed("The gene BMP2 is read in cells by a receptor.")[0] == [("BMP2", "TECHNICAL_TERM")]
    assert typed("We ran BMP2 on a server.")[0] == [("BMP2", "PRODUCT")]


def test_brackets_behind_a_title_type_it():
    assert typed("They saw Orla Fenn there.", title="Orla Fenn (singer)")[0] == [("Orla Fenn", "PERSON")]


def test_documents_that_tell_different_types_speak_of_one_entity(tmp_path):
    tree = {"a": [[["we met the painter Orla Fenn there."]]], "b": [[["in fog came Orla Fenn with a dog."]]]}
    table, _ = extract_mentions(nodes_table(tree), GraphSettings())
    assert len(set(table["entity_id"].to_pylist())) == 1
    assert set(table["entity_type"].to_pylist()) == {"PERSON", "OTHER"}
    with graph_snapshot(tmp_path, tree).connect() as connection:
        [entity] = describe_entities(connection, "Orla Fenn", "default")
    assert (entity["entity_type"], entity["mentions"]) == ("PERSON", 2)  # that of the document that knows


WORDS = st.sampled_from(
    sorted(
        words(
            """Orla Fenn Tarn the of in by , . and who was born (1901–1980) ’s 's director city painter BBC GPT-3 2019 é Ž St. &
            Co. Dr. is a town said ; ( ) “ ” - Kohaku Workshop U.S. May King"""
        )
    )
)


@settings(deadline=None)
@given(
    st.lists(st.lists(WORDS, max_size=16).map(" ".join), min_size=1, max_size=4),
    st.lists(WORDS, max_size=3).map(" ".join),
)
def test_a_name_has_one_known_type_in_its_document(texts, title):
    names = DocumentNames(title, texts)
    kinds = {}
    for text in texts:
        found = names.mentions(text)
        for one in found:
            mention = one.mention
            assert text[mention.start : mention.end] == mention.text
            assert mention.entity_type in TYPES
            if mention.text[0].isalpha():
                kinds.setdefault((mention.text, one.name), set()).add(mention.entity_type)
        assert all(one.mention.end <= other.mention.start for one, other in pairwise(found))
    assert all(len(own) == 1 for own in kinds.values())


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from(list("aAbB1 3.,-'’(é“")), min_size=1, max_size=60), st.data())
def test_votes_are_for_known_types_and_never_negative(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    votes = [*votes_of_context(text, start, end), *(votes_of_form(text) if text.strip() else ())]
    assert all(kind in TYPES and weight > 0 for kind, weight in votes)


def test_the_order_of_texts_does_not_change_a_type():
    texts = ["The painter Orla Fenn left.", "Fenn saw Tarn.", "It is near Tarn, Ohio."]
    there, back = NameTypes("", texts), NameTypes("", texts[::-1])
    for name in ("Orla Fenn", "Fenn", "Tarn", "Ohio"):
        assert there.type_of(name) == back.type_of(name)


def test_a_word_that_the_document_also_writes_small_is_no_name():
    kept, dropped = typed("it says (Vexo) and Power.", "the power of it")
    assert kept == [("Vexo", "OTHER")]
    assert dropped == []
