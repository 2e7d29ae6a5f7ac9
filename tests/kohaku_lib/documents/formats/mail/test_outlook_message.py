"""Messages that Outlook saved are read as those that were sent over the Internet are."""

from datetime import UTC, date, datetime

import pytest
from outlook_file import compound_file, outlook_file

from kohaku_lib.documents import parse_file
from kohaku_lib.documents.formats.mail.internet_message import read_message
from kohaku_lib.documents.formats.mail.message import QUOTED, Person
from kohaku_lib.documents.formats.mail.outlook_message import read_outlook_message
from kohaku_lib.errors import DocumentError

HEAD = {0x0037: "RE: Windows", 0x0042: "Kari Lund", 0x0065: "/O=EX/CN=KL", 0x5D01: "kari@x.example"}
SENT = {0x0039: datetime(2026, 3, 2, 23, 30, tzinfo=UTC)}
IDA = {0x3001: "Ida Berg", 0x39FE: "ida@x.example", 0x0C15: 1}
BO = {0x3001: "'bo@x.example'", 0x3003: "bo@x.example", 0x0C15: 2}
LINE = "From Kari Lund to Ida Berg, sent on 2 March 2026"


def read(tmp_path, *parts):
    path = tmp_path / "file.msg"
    path.write_bytes(parts[0] if isinstance(parts[0], bytes) else outlook_file(*parts))
    return parse_file(path)


def texts(payload):
    return {section.title: [one.text for one in section.paragraphs] for section in payload.sections}


def test_headers_text_and_quoted_message(tmp_path):
    body = "In May.\r\n\r\nFrom: Ida\r\nSent: Monday\r\nTo: Kari\r\nSubject: Windows\r\n\r\nWhen?\r\n"
    payload = read(tmp_path, HEAD | SENT | {0x1000: body}, [IDA, BO])
    assert texts(payload) == {
        "RE: Windows": [LINE, "In May."],
        QUOTED: ["From Ida to Kari, sent on Monday", "When?"],
    }
    assert payload.metadata == {
        "author": "Kari Lund <kari@x.example>",
        "to": "Ida Berg <ida@x.example>",
        "cc": "bo@x.example",
        "date": "2026-03-02",
    }


def test_the_day_is_that_of_the_sender(tmp_path):
    headers = "From: k@x.example\r\nDate: Tue, 3 Mar 2026 00:30:00 +0100\r\n"
    payload = read(tmp_path, HEAD | SENT | {0x1000: "In May.", 0x007D: headers})
    assert payload.metadata["date"] == "2026-03-03"


@pytest.mark.parametrize(
    ("code_page", "data"),
    [(1252, "<p>Grüße, 18 €</p>".encode("windows-1252")), (65001, "<p>Grüße, 18 €</p>".encode())],
)
def test_html_is_read_in_its_code_page(tmp_path, code_page, data):
    payload = read(tmp_path, HEAD | SENT | {0x1013: data, 0x3FDE: code_page}, [IDA])
    assert texts(payload) == {"RE: Windows": [LINE, "Grüße, 18 €"]}


def test_large_texts_and_attachments_are_read(tmp_path):
    words = " ".join(f"w{number}" for number in range(3000))
    logo = {0x3707: "logo.png", 0x3712: "logo@1", 0x3701: b"PNG", 0x3705: 1}
    plan = {0x3707: "plan.bin", 0x3701: b"0" * 5000, 0x3705: 1}
    html = f"<p>{words}</p><img src='cid:logo@1'>".encode()
    payload = read(tmp_path, HEAD | SENT | {0x1013: html}, [IDA], [logo, plan])
    assert texts(payload) == {"RE: Windows": [LINE, words, "Attachments: plan.bin"]}


@pytest.mark.parametrize("header", [24, 32])  # as the format has it, and as some programs write it
def test_an_attached_message_is_a_file_that_loses_nothing(tmp_path, header):
    stated = {
        0x0037: "Straße",
        0x0C1A: 'Bo "B" Å',
        0x1000: "Über Köln.",
        0x1013: b"<p>\xc3\x9cber <b>K\xc3\xb6ln</b>.</p>",
    }
    inner = (SENT | stated, [IDA, BO], [{0x3707: "Öl.txt", 0x3701: b"By rail.", 0x3705: 1}], header)
    (file,) = read_outlook_message(outlook_file(HEAD, [IDA], [{0x3705: 5, 0x3701: inner}]), "file").attached
    message = read_message(file.data, "file")
    people = ((Person("Bo 'B' Å", ""),), (Person("Ida Berg", "ida@x.example"),), (Person("", "bo@x.example"),))
    assert (file.name, message.subject, message.day) == ("Straße.eml", "Straße", date(2026, 3, 2))
    assert (message.senders, message.recipients, message.copied) == people
    assert [(one.plain, one.html) for one in message.bodies] == [("Über Köln.", "<p>Über <b>Köln</b>.</p>")]
    assert [(one.name, one.data) for one in message.attached] == [("Öl.txt", b"By rail.")]


def test_text_that_is_only_in_rtf_is_said_not_to_be_read(tmp_path):
    payload = read(tmp_path, HEAD | SENT | {0x1009: b"LZFu"}, [IDA])
    assert texts(payload)["RE: Windows"][1] == "Not read: the text itself (only in RTF)"


@pytest.mark.parametrize(
    ("cut", "fault"), [(slice(0), "empty"), (slice(7), "no message of Outlook"), (slice(2000), "damaged message")]
)
def test_a_broken_file_is_refused(tmp_path, cut, fault):
    with pytest.raises(DocumentError, match=fault):
        read(tmp_path, outlook_file(HEAD | {0x1000: "In May."})[cut])


def test_a_compound_file_without_a_message_is_refused(tmp_path):
    with pytest.raises(DocumentError, match="damaged message"):
        read(tmp_path, compound_file({"WordDocument": b"x"}))
