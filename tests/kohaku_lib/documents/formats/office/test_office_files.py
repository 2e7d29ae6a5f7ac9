"""The container of an office file and its properties."""

import zipfile

import pytest

from kohaku_lib.documents.formats.office.office_files import check_office_file, office_properties
from kohaku_lib.errors import DocumentError

CORE = """<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">{}</cp:coreProperties>"""


def office_file(tmp_path, properties="", contents=True, name="a.docx"):
    path = tmp_path / name
    with zipfile.ZipFile(path, "w") as archive:
        if contents:
            archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("docProps/core.xml", CORE.format(properties))
    return path


def test_an_office_file_passes_the_check(tmp_path):
    check_office_file(office_file(tmp_path))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 rest", r"encrypted or in a format from before 2007; .* as \.docx"),
        (b"plain text", r"'a\.docx' is damaged or not a \.docx file"),
        (b"", r"'a\.docx' is damaged or not a \.docx file"),
    ],
)
def test_other_files_are_an_error_with_a_remedy(tmp_path, data, message):
    path = tmp_path / "a.docx"
    path.write_bytes(data)
    with pytest.raises(DocumentError, match=message):
        check_office_file(path)


def test_a_zip_file_without_the_table_of_contents_is_no_office_file(tmp_path):
    with pytest.raises(DocumentError, match=r"a zip file, but not a \.docx file"):
        check_office_file(office_file(tmp_path, contents=False))


def test_a_file_that_is_missing_cannot_be_read(tmp_path):
    with pytest.raises(DocumentError, match=r"cannot be read \(No such file"):
        check_office_file(tmp_path / "a.docx")


def test_properties_have_the_names_of_our_metadata_and_a_date_without_time(tmp_path):
    stated = (
        "<dc:title> Energy\n use </dc:title><dc:creator>Wu</dc:creator><dc:subject>AI</dc:subject>"
        "<dc:language>de</dc:language><dcterms:created>2024-05-01T10:00:00Z</dcterms:created>"
        "<cp:lastModifiedBy>Someone</cp:lastModifiedBy>"
    )
    assert office_properties(office_file(tmp_path, stated)) == {
        "title": "Energy use",
        "author": "Wu",
        "subject": "AI",
        "language": "de",
        "date": "2024-05-01",
    }


@pytest.mark.parametrize("stated", ["", "<dc:title> </dc:title>", "<dcterms:created>last year</dcterms:created>"])
def test_empty_properties_and_a_date_of_another_form_are_left_out(tmp_path, stated):
    assert office_properties(office_file(tmp_path, stated)) == {}


def test_a_file_without_or_with_damaged_properties_has_none(tmp_path):
    path = tmp_path / "a.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    assert office_properties(path) == {}
    assert office_properties(office_file(tmp_path, "<dc:title>no end", name="b.docx")) == {}
    (tmp_path / "c.docx").write_text("no zip file")
    assert office_properties(tmp_path / "c.docx") == {}


def test_external_entities_of_properties_are_not_resolved(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("password")
    path = tmp_path / "a.docx"
    document = f'<!DOCTYPE c [<!ENTITY x SYSTEM "{secret.as_uri()}">]>' + CORE.format("<dc:title>a &x; b</dc:title>")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("docProps/core.xml", document)
    assert "password" not in office_properties(path).get("title", "")
