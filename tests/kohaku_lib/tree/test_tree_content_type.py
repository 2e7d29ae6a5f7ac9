"""Bibliographies and tables of contents are distinguished from running text."""

import pytest

from kohaku_lib.documents import image_storage_key
from kohaku_lib.tree.build import encode_document_id
from kohaku_lib.tree.content_type import content_type, is_reference_heading

ENTRIES = (
    "[1] A. Bee. 2020. On hives. Journal of Bees 3. [2] C. Dee. 2021. On combs. arXiv:2101.00001. "
    "[3] E. Eff. 2022. On wax. Proceedings of Bees, pp. 1-9."
)


@pytest.mark.parametrize("title", ["References", "REFERENCES", "7 References", "VI. Bibliography", "Works Cited"])
def test_headings_of_bibliographies(title):
    assert is_reference_heading(title)


@pytest.mark.parametrize("title", ["Reference designs", "Results", "References to the law of bees", ""])
def test_other_headings(title):
    assert not is_reference_heading(title)


def test_under_its_heading_one_sourced_entry_is_enough():
    assert content_type("A. Bee. 2020. On hives. Journal of Bees 3.", "References") == "reference"


def test_text_under_the_heading_without_year_and_source_is_body():
    assert content_type("We thank the reviewers for their kind and careful words.", "References") == "body"


def test_a_list_of_entries_is_known_without_its_heading():
    assert content_type(ENTRIES, "Page 12") == "reference"


def test_text_with_citations_is_body():
    assert (
        content_type("As Wu et al. (2021) and Bee et al. (2020) show in the Journal, it is so [3].", "Results")
        == "body"
    )


def test_tables_of_contents():
    assert content_type("1 Introduction .... 3 2 Results ..... 7 3 End .... 9", "Page 2") == "toc"
    assert content_type("Introduction 3", "Contents") == "toc"


@pytest.mark.parametrize(
    "title", ["Glossary", "7 Glossary of terms", "List of Abbreviations", "Acronyms", "Nomenclature"]
)
def test_glossaries_are_known_by_their_heading(title):
    assert content_type("PUE is power usage effectiveness.", title) == "glossary"


@pytest.mark.parametrize(
    ("text", "title", "kind"),
    [
        ("A. Bee, C. Dee", "Image credits", "image_credit"),
        ("Photo: C. Dee / Shutterstock", "Page 2", "image_credit"),
        ("© Getty Images", "Page 2", "image_credit"),
        ("Getty Images sued in 2023.", "Law", "body"),
        ("The photo by the door shows a hive.", "Bees", "body"),
        ("We trained on photos by users of Unsplash. " * 20, "Data", "body"),
    ],
)
def test_image_credits_are_short_and_name_an_agency_or_stand_under_their_heading(text, title, kind):
    assert content_type(text, title) == kind


def test_ids_are_safe_and_stay_so():
    assert encode_document_id("a:b c\té") == "a%3Ab%20c%09é"
    assert encode_document_id(encode_document_id("a:b c")) == encode_document_id("a:b c")
    assert image_storage_key("d", 2, 3) == "img:d:p2:i3"
