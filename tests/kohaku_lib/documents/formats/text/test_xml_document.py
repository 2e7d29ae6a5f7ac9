"""XML becomes tables of its records and text under the names of its elements."""

import pytest

from kohaku_lib.documents.formats.text.xml_document import parse_xml
from kohaku_lib.errors import DocumentError


def outline(text):
    payload = parse_xml(text.encode(), "a", "A")
    return payload.title, [(section.title, [one.text for one in section.paragraphs]) for section in payload.sections]


def test_repeated_flat_elements_are_rows_with_attributes_and_repeated_fields():
    books = (
        '<c xmlns="urn:c" version="2"><book id="1"><name>Hives</name><price cur="EUR">2.50</price></book>'
        '<book id="2"><name>Honey &amp; wax</name><tag>a</tag><tag>b</tag></book></c>'
    )
    table = (
        "book\n| id | name | price | price.cur | tag |\n| --- | --- | --- | --- | --- |\n"
        "| 1 | Hives | 2.50 | EUR |  |\n| 2 | Honey & wax |  |  | a; b |"
    )
    assert outline(books) == ("A", [("A", ["version: 2", table])])


def test_text_is_in_order_under_the_titles_of_its_elements():
    article = (
        "<article><title>Bees</title><!-- draft --><sec><title>Hives</title><p>A hive <b>hums <i>lo</i>ud</b>.</p>"
        "<note>careful</note><p>Two.</p><empty/></sec></article>"
    )
    assert outline(article) == ("Bees", [("Hives", ["A hive hums loud.", "note: careful", "Two."])])


def test_other_elements_are_lines_and_headings_by_their_names():
    settings = '<s><name>x</name><size>3</size><inner a="1"><deep><k>v</k></deep></inner></s>'
    assert outline(settings) == ("A", [("A", ["name: x\nsize: 3"]), ("inner", ["a: 1"]), ("deep", ["k: v"])])


LAUGHS = '<!ENTITY e0 "ha ha ha">' + "".join(
    f'<!ENTITY e{number} "{f"&e{number - 1};" * 20}">' for number in range(1, 6)
)


def test_entities_of_the_file_stand_for_their_text():
    declared = '<!ENTITY firm "Bee Ltd"><!ENTITY by "by &firm;">'
    assert outline(f"<!DOCTYPE d [{declared}]><d><p>Made &by;.</p></d>")[1] == [("A", ["Made by Bee Ltd."])]


def test_entities_of_other_files_are_not_fetched_but_named(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden")
    declared = f'<!ENTITY a "lol"><!ENTITY b "{"&a;" * 9}"><!ENTITY f SYSTEM "{secret.as_uri()}">'
    text = f"<!DOCTYPE d [{declared}]><d><p>one &b; two &f; three</p></d>"
    assert outline(text)[1] == [("A", ["one two three"])]
    assert parse_xml(text.encode(), "a", "A").metadata == {"entities_left_out": ["b", "f"]}


def test_xhtml_is_read_as_html():
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body><p>x<br/>y</p></body></html>'
    assert outline(page) == ("T", [("T", ["x\ny"])])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<a>", "'A' is damaged or not XML"),
        ("<a><b/></a>", "'A' contains no text"),
        ("<a>" * 300, "'A' nests more than 256 elements"),
        (f"<!DOCTYPE a [{LAUGHS}]><a>&e5;</a>", "the entities of 'A' expand to far more"),
    ],
)
def test_damaged_and_empty_files_are_refused(text, message):
    with pytest.raises(DocumentError, match=message):
        outline(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<note>Hello world</note>", "Hello world"),
        ("<note>Buy milk <b>now</b> please</note>", "Buy milk now please"),
        (
            "<r><item id='1'><id>A7</id></item><item id='2'><id>A8</id></item></r>",
            "| id | id (2) |\n| --- | --- |\n| 1 | A7 |",
        ),
        ("<a><b><c><d><e><f><g><h><title>Deep</title><p>Text.</p></h></g></f></e></d></c></b></a>", "Deep"),
    ],
)
def test_no_text_of_a_root_a_record_or_a_deep_title_is_lost(text, found):
    assert found in parse_xml(text.encode(), "a", "A").text
