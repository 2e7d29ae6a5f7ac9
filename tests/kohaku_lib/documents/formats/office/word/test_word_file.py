"""The parts of a Word file are found by its relationships, and damage is an error."""

import zipfile

import pytest
from word_files import p, word_file

from kohaku_lib.documents import parse_file
from kohaku_lib.documents.formats.office.word.word_file import WORD, WordFile
from kohaku_lib.errors import DocumentError


def changed(path, change):
    """Rewrite each part of a file, given its name and data, leaving out those that become None."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            new_name, new_data = change(name, data)
            if new_data is not None:
                archive.writestr(new_name, new_data)
    return path


@pytest.fixture
def path(tmp_path):
    numbering = '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="4"/><w:lvlText w:val="§ %1"/>'
    numbering += '</w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    body = p("Bees", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
    return word_file(tmp_path / "a.docx", body, numbering=numbering)


def test_the_strict_variant_of_the_format_is_read(path):
    usual, strict = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main", b"http://purl.oclc.org/ooxml/"
    changed(path, lambda name, data: (name, data.replace(usual, strict + b"wordprocessingml/main")))
    assert parse_file(path).text == "§ 4 Bees"


def test_the_document_may_have_another_name(path):
    def renamed(name, data):
        return name.replace("document", "document2"), data.replace(b"word/document.xml", b"/word/document2.xml")

    assert parse_file(changed(path, renamed)).text == "§ 4 Bees"


def test_a_file_without_styles_and_numbering_is_read(path):
    changed(path, lambda name, data: (name, None if name in {"word/styles.xml", "word/numbering.xml"} else data))
    assert parse_file(path).text == "Bees"


@pytest.mark.parametrize(
    ("data", "message"), [(None, "it contains no document"), (b"<w:document", "is damaged"), (b"", "is damaged")]
)
def test_a_missing_or_damaged_document_is_an_error(path, data, message):
    changed(path, lambda name, old: (name, data if name == "word/document.xml" else old))
    with pytest.raises(DocumentError, match=message):
        parse_file(path)


def test_entities_are_not_resolved(path, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("password")
    declared = f'<!DOCTYPE d [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'.encode()
    changed(
        path,
        lambda name, data: (name, declared + data.replace(b"Bees", b"&x;") if name == "word/document.xml" else data),
    )
    assert "password" not in "".join(WordFile(path).document.itertext(f"{WORD}t"))
