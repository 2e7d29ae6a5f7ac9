"""What is attached to a message is read by its own format, or named with the reason why it is not."""

import io

import docx
import pymupdf
import pytest
from outlook_file import outlook_file

from kohaku_lib.documents.formats.interface import FORMATS
from kohaku_lib.documents.formats.mail.attachments import AttachedFile
from kohaku_lib.documents.formats.mail.bodies import Body
from kohaku_lib.documents.formats.mail.message import Message, payload_of_message
from kohaku_lib.settings import DocumentsSettings


def word():
    document, file = docx.Document(), io.BytesIO()
    document.add_heading("Roof", 1)
    document.add_paragraph("It weighs 42 kg.")
    document.save(file)
    return file.getvalue()


def pdf():
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "It weighs 42 kg.")
        return document.tobytes()


def read(*files, **others):
    message = Message("Tiles", attached=files, **others)
    return payload_of_message(message, "m", "file", DocumentsSettings())


def texts(payload):
    return {section.title: [one.text for one in section.paragraphs] for section in payload.sections}


def test_a_file_is_a_section_with_its_headings_below():
    payload = read(AttachedFile("plan.docx", word()), AttachedFile("Über uns: 1/2.TXT", b"We sell tiles."))
    assert texts(payload) == {
        "Tiles": ["Attachments: plan.docx, Über uns: 1/2.TXT"],
        "Roof": ["It weighs 42 kg."],
        "Attachment: Über uns: 1/2.TXT": ["We sell tiles."],
    }
    assert payload.sections[1].metadata["heading_path"] == ["Attachment: plan.docx", "Roof"]


def test_tables_stay_tables_and_pages_of_files_are_not_those_of_the_message():
    payload = read(AttachedFile("lines.csv", b"item,price\ncooler,1840\nfan,20\n"), AttachedFile("a.pdf", pdf()))
    table = payload.sections[1].paragraphs[0]
    assert table.text == "| item | price |\n| --- | --- |\n| cooler | 1840 |\n| fan | 20 |"
    assert table.metadata["modality"] == "table"
    page = payload.sections[2].paragraphs[0]
    assert (page.text, page.metadata, payload.sections[2].metadata.get("page")) == ("It weighs 42 kg.", {}, None)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("inner.eml", b"From: Bo <bo@x.example>\nSubject: Route\n\nBy rail.\n"),
        ("inner.msg", outlook_file({0x0037: "Route", 0x0042: "Bo", 0x1000: "By rail."})),
    ],
)
def test_a_message_may_be_attached_as_a_file(name, data):
    assert texts(read(AttachedFile(name, data)))[f"Attachment: {name}"] == ["From Bo", "By rail."]


def test_files_of_a_forwarded_message_are_below_it():
    payload = read(forwarded=(Message("Route", attached=(AttachedFile("a.txt", b"By rail."),)),))
    assert payload.sections[-1].metadata["heading_path"] == ["Forwarded: Route", "Attachment: a.txt"]


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (AttachedFile("a.exe", b"MZ"), "not of a document format"),
        (AttachedFile("a.PDF", b"none"), "is damaged beyond repair or is not a PDF"),
        (AttachedFile("a.txt", b"x" * 50_000_001), "over 50 MB"),
        (AttachedFile("a.txt"), "not in the message"),
        (AttachedFile("a.txt", b""), "is empty"),
    ],
)
def test_a_file_that_is_not_read_is_named_with_the_reason(file, reason):
    assert texts(read(file)) == {"Tiles": [f"Attachments, not read: {file.name} ({reason})"]}


def test_a_mail_depends_on_the_settings_of_whatever_may_be_attached():
    house = [FORMATS.get(name) for name in FORMATS.names()]
    assert set(FORMATS.get("mail").settings_keys) == {key for kind in house for key in kind.settings_keys}


def test_a_damaged_file_or_body_takes_nothing_else_along():
    damaged = bytearray(word())
    damaged[60:400] = b"\xff" * 340
    page = Body(html="<div>" * 300 + "deep" + "</div>" * 300)
    payload = read(
        AttachedFile("plan.docx", bytes(damaged)),
        AttachedFile("note.txt", b"We sell tiles."),
        bodies=(Body(plain="They come in May."), page),
    )
    assert "They come in May." in payload.text
    assert "We sell tiles." in payload.text
    assert "Attachments, not read: plan.docx (" in payload.text
    assert "Not read: " in payload.text
