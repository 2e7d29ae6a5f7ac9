"""E-books are read chapter by chapter in the order of their spine."""

import zipfile

import pytest

from kohaku_lib.documents import parse_file
from kohaku_lib.errors import DocumentError

CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
METADATA = """<dc:title>On  Bees</dc:title><dc:creator>Ann Bee</dc:creator><dc:creator>Bo Wax</dc:creator>
<dc:date>2024-05-01T00:00:00Z</dc:date><dc:language>en-GB</dc:language>"""
PAGE = '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>{}</html>'
# The spine is not in the order of the manifest, and names the second chapter twice.
OPF = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/" version="3.0">
<metadata>{}</metadata><manifest>
<item id="two" href="text/two%20a.xhtml" media-type="application/xhtml+xml"/>
<item id="toc" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="one" href="text/one.xhtml" media-type="application/xhtml+xml"/>
<item id="drawing" href="hive.svg" media-type="image/svg+xml"/></manifest>
<spine><itemref idref="toc"/><itemref idref="one"/><itemref idref="drawing"/><itemref idref="two"/><itemref idref="two"/>
<itemref idref="gone"/></spine></package>"""
ENCRYPTION = """<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"
 xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="{}"/>
<enc:CipherData><enc:CipherReference URI="OEBPS/text/one.xhtml"/></enc:CipherData></enc:EncryptedData></encryption>"""


def book(folder, metadata=METADATA, **more):
    """Write a book; further parts, such as `encryption`, are in META-INF."""
    path = folder / "my book.epub"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("OEBPS/book.opf", OPF.format(metadata))
        archive.writestr("OEBPS/nav.xhtml", PAGE.format("<body><nav><ol><li>Hives</li></ol></nav></body>"))
        archive.writestr("OEBPS/text/two a.xhtml", PAGE.format("<body><h1>Honey</h1><p>It is söet.</p></body>"))
        archive.writestr(
            "OEBPS/text/one.xhtml",
            PAGE.format('<body><h1>Hives</h1><p><a id="p1"/>A hive hums.</p><ul><li>wood</li></ul></body>'),
        )
        for name, content in more.items():
            archive.writestr(f"META-INF/{name}.xml", content)
    return path


def test_chapters_come_in_the_order_of_the_spine_each_once(tmp_path):
    payload = parse_file(book(tmp_path))
    assert [(section.title, [one.text for one in section.paragraphs]) for section in payload.sections] == [
        ("Hives", ["A hive hums.", "- wood"]),
        ("Honey", ["It is söet."]),
    ]


def test_title_authors_date_and_language_are_those_that_the_book_states(tmp_path):
    payload = parse_file(book(tmp_path))
    assert payload.title == "On Bees"
    assert payload.metadata == {"author": "Ann Bee, Bo Wax", "date": "2024-05-01", "language": "en"}


def test_a_book_that_states_nothing_has_the_name_of_its_file(tmp_path):
    payload = parse_file(book(tmp_path, metadata=""))
    assert (payload.title, payload.metadata) == ("my book", {})


def test_chapters_that_are_not_in_the_file_are_named(tmp_path):
    path = book(tmp_path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist() if not name.endswith("two a.xhtml")}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    assert parse_file(path).metadata["missing_chapters"] == ["OEBPS/text/two a.xhtml"]


def test_a_protected_book_is_refused_and_disguised_fonts_are_not(tmp_path):
    drm = ENCRYPTION.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc")
    with pytest.raises(DocumentError, match=r"'my book\.epub' is protected by the DRM of its shop"):
        parse_file(book(tmp_path, encryption=drm))
    fonts = ENCRYPTION.format("http://www.idpf.org/2008/embedding")
    assert "A hive hums." in parse_file(book(tmp_path, encryption=fonts)).text


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"mimetype": "application/epub+zip"}, "is a zip file, but not a .epub file"),
        ({"META-INF/container.xml": "<container>"}, "is damaged or not XML"),
        ({"META-INF/container.xml": CONTAINER}, "the package 'OEBPS/book.opf' that it names is missing"),
        ({"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": "<package/>"}, "contains no text"),
    ],
)
def test_a_damaged_book_is_an_error_of_the_document(tmp_path, parts, message):
    path = tmp_path / "bad.epub"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with pytest.raises(DocumentError, match=message):
        parse_file(path)
