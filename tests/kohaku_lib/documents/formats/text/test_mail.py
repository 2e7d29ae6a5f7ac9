"""E-mail messages become documents: headers, text, quoted messages, and what is attached."""

from email.message import EmailMessage

import pytest

from kohaku_lib.documents.formats.interface import format_of
from kohaku_lib.documents.formats.text.mail import QUOTED, parse_mail
from kohaku_lib.errors import DocumentError


def message(body: str, subtype: str = "plain") -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"] = "Kari Sand <kari@glasvik.example>", "Ingrid <ingrid@halvorsen.example>"
    made["Subject"], made["Date"] = "Forsinkelse på vinduer", "Tue, 17 Mar 2026 09:12:44 +0100"
    made.set_content(body, subtype=subtype)
    return made


def texts(payload):
    return {section.title: [one.text for one in section.paragraphs] for section in payload.sections}


def test_a_message_has_its_subject_as_title_and_its_sender_and_date_as_metadata():
    payload = parse_mail(bytes(message("The lorry comes on 27 May.")), "m", "file")
    assert payload.title == "Forsinkelse på vinduer"
    assert payload.metadata["author"] == "Kari Sand <kari@glasvik.example>"
    assert payload.metadata["date"] == "2026-03-17"
    assert texts(payload)[payload.title][1:] == ["The lorry comes on 27 May."]


def test_what_a_message_quotes_stands_apart_from_what_it_says():
    body = "It moves to 27 May.\n\n> On Friday you wrote:\n> Is it still 6 May?\n>\n> > older\n"
    payload = parse_mail(bytes(message(body)), "m", "file")
    assert texts(payload)[payload.title][1:] == ["It moves to 27 May."]
    assert texts(payload)[QUOTED] == ["On Friday you wrote:\nIs it still 6 May?", "older"]


def test_html_is_read_where_there_is_no_plain_text():
    page = "<h2>Hello</h2><p>Order <b>88213</b> is late.</p><script>x()</script>"
    assert "Order 88213 is late." in parse_mail(bytes(message(page, "html")), "m", "file").text


def test_attachments_are_named():
    made = message("See the plan.")
    made.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="plan.pdf")
    assert "Attachments, not read: plan.pdf" in parse_mail(bytes(made), "m", "file").text


def test_a_file_without_headers_is_refused():
    with pytest.raises(DocumentError, match="'file' is no e-mail message"):
        parse_mail(b"just words\n", "m", "file")


def test_the_suffix_of_a_mail_is_known():
    kind = format_of("Mail/RE Delay.EML")
    assert kind is not None
    assert kind.name == "mail"
