"""E-mail messages become documents: headers, text, quoted and forwarded messages, and what is attached."""

import base64
from email.message import EmailMessage

import pytest

from kohaku_lib.documents.formats.interface import format_of
from kohaku_lib.documents.formats.mail.internet_message import read_message
from kohaku_lib.documents.formats.mail.message import QUOTED, payload_of_message
from kohaku_lib.errors import DocumentError

LINE = "From Kari Sand to Ingrid, sent on 17 March 2026"


def message(body: str, subtype: str = "plain", **headers: str) -> EmailMessage:
    made = EmailMessage()
    known = {
        "From": "Kari Sand <kari@glasvik.example>",
        "To": "Ingrid <ingrid@halvorsen.example>",
        "Subject": "Forsinkelse på vinduer",
        "Date": "Tue, 17 Mar 2026 23:12:44 +0100",
    }
    for name, value in (known | headers).items():
        made[name] = value
    made.set_content(body, subtype=subtype)
    return made


def parsed(made):
    return payload_of_message(read_message(made if isinstance(made, bytes) else bytes(made), "file"), "m", "file")


def texts(payload):
    return {section.title: [one.text for one in section.paragraphs] for section in payload.sections}


def test_who_wrote_to_whom_and_when_is_a_line_and_metadata():
    payload = parsed(message("The lorry comes on 27 May.", Cc="Bo <bo@x.example>, ann@x.example"))
    assert payload.title == "Forsinkelse på vinduer"
    assert texts(payload) == {payload.title: [LINE, "The lorry comes on 27 May."]}
    assert payload.metadata == {
        "author": "Kari Sand <kari@glasvik.example>",
        "to": "Ingrid <ingrid@halvorsen.example>",
        "cc": "Bo <bo@x.example>, ann@x.example",
        "date": "2026-03-17",
    }


@pytest.mark.parametrize(
    ("to", "line"),
    [
        ("Bo <bo@x.example>, ann@x.example", "From Kari Sand to Bo and ann@x.example, sent on 17 March 2026"),
        (
            ", ".join(f"P{n} <p{n}@x.example>" for n in range(9)),
            "From Kari Sand to P0, P1, P2 and 6 others, sent on 17 March 2026",
        ),
        ("undisclosed-recipients:;", "From Kari Sand to undisclosed-recipients, sent on 17 March 2026"),
    ],
)
def test_many_recipients_are_counted(to, line):
    assert texts(parsed(message("Hi.", To=to)))["Forsinkelse på vinduer"][0] == line


def test_what_a_message_quotes_stands_apart_from_what_it_says():
    body = "It moves to 27 May.\n\n> Is it still 6 May?\n>\n> > older\n"
    payload = parsed(message(body))
    assert texts(payload) == {payload.title: [LINE, "It moves to 27 May."], QUOTED: ["Is it still 6 May?", "older"]}


def test_html_is_read_where_there_is_no_plain_text_with_its_headings_and_tables():
    page = "<p>Hello</p><h2>Late</h2><p>Order <b>88213</b>.</p><script>x()</script>"
    table = "<table><tr><th>item</th><th>day</th></tr><tr><td>door</td><td>Monday</td></tr></table>"
    payload = parsed(message(page + table, "html"))
    assert texts(payload)[payload.title] == [LINE, "Hello"]
    assert texts(payload)["Late"][0] == "Order 88213."
    assert "door" in texts(payload)["Late"][1]
    assert "Monday" in texts(payload)["Late"][1]


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("plan.exe", 'filename="plan.exe"'),
        ("Prüfung €.exe", "filename*0*=utf-8''Pr%C3%BCfung; filename*1*=%20%E2%82%AC.exe"),
        ("Prüfung.exe", 'filename="=?iso-8859-1?Q?Pr=FCfung.exe?="'),
    ],
)
def test_attachments_are_named(name, stated):
    data = (
        b"From: a@x.example\nContent-Type: multipart/mixed; boundary=m\n\n--m\n\nSee the plan.\n--m\n"
        b"Content-Type: application/octet-stream\nContent-Disposition: attachment; "
        + stated.encode()
        + b"\n\n%PDF\n--m--\n"
    )
    assert texts(parsed(data))["file"] == [
        "From a@x.example",
        "See the plan.",
        f"Attachments: {name}",
    ]


def test_logos_and_signatures_are_no_attachments():
    made = message("<p>Hi <img src='cid:logo'></p>", "html")
    made.add_related(b"GIF", "image", "gif", cid="<logo>", filename="logo.gif")
    made.make_mixed()
    made.add_attachment(b"0", "application", "pkcs7-signature", filename="smime.p7s")
    assert texts(parsed(made)) == {"Forsinkelse på vinduer": [LINE, "Hi"]}


def test_texts_one_after_another_are_read_all():
    made = message("First.")
    made.make_mixed()
    made.attach(message("<p>Second.</p>", "html", Subject=""))
    assert texts(parsed(made))["Forsinkelse på vinduer"] == [LINE, "First.", "Second."]


def test_a_forwarded_message_is_a_file_that_is_read_as_it_was_sent():
    inner = message(
        "Es kommt über Köln.", Subject="Straße", From="Bo <bo@x.example>", Date="Mon, 2 Mar 2026 08:00:00 +0000"
    )
    outer = message("See below.")
    outer.add_attachment(inner)
    (file,) = read_message(bytes(outer), "file").attached
    assert texts(parsed(outer)) == {"Forsinkelse på vinduer": [LINE, "See below.", "Attachments: Straße.eml"]}
    assert texts(parsed(file.data)) == {"Straße": ["From Bo to Ingrid, sent on 2 March 2026", "Es kommt über Köln."]}


def test_a_forwarded_text_without_headers_loses_nothing():
    (file,) = read_message(b"From: a@x.example\nContent-Type: message/rfc822\n\n\nBy rail.\n", "file").attached
    assert texts(parsed(file.data)) == {"Forwarded message": ["By rail."]}


def test_a_file_without_a_name_is_named_by_its_type():
    made = message("See below.")
    made.add_attachment(b"%PDF", "application", "pdf")
    assert [file.name for file in read_message(bytes(made), "file").attached] == ["application-pdf.pdf"]


def test_a_text_of_a_kind_that_nobody_knows_is_plain_text():
    made = b"From: a@x.example\nContent-Type: text/rfc822-headers\n\nSubject: Offer\n"
    assert [file.name for file in read_message(made, "file").attached] == ["text-rfc822-headers.txt"]


@pytest.mark.parametrize("kind", ["delivery-status", "DISPOSITION-NOTIFICATION"])
def test_the_fields_of_a_report_are_read(kind):
    made = (
        "From: a@x.example\nSubject: S\nContent-Type: multipart/report; boundary=b\n\n--b\n\nNot delivered.\n"
        f"--b\nContent-Type: message/{kind}\n\nReporting-MTA: dns; mx.example\n\nStatus: 5.1.1 (no such box)\n--b--\n"
    )
    assert texts(parsed(made.encode()))["S"][1:] == [
        "Not delivered.",
        "Reporting-MTA: dns; mx.example\nStatus: 5.1.1 (no such box)",
    ]


HEAD = b"From: a@x.example\nSubject: S\nContent-Type: text/plain; charset=%s\nContent-Transfer-Encoding: %s\n\n%s"


@pytest.mark.parametrize(
    ("charset", "data"),
    [
        ("utf-16", "Kjøl på 4 °C, Straße".encode("utf-16")),
        ("utf-16", "Kjøl på 4 °C, Straße".encode("utf-16-be")),
        ("utf-16le", "Kjøl på 4 °C, Straße".encode("utf-16-le")),
        ("utf-16", "Kjøl på 4 °C, Straße".encode()),
        ("us-ascii", "Kjøl på 4 °C, Straße".encode()),
        ("iso-8859-1", "Kjøl på 4 °C, Straße".encode()),
        ("utf-8", "Kjøl på 4 °C, Straße".encode("windows-1252")),
        ("x-unknown", "Kjøl på 4 °C, Straße".encode()),
    ],
)
def test_a_character_set_that_is_stated_wrongly_garbles_nothing(charset, data):
    made = HEAD % (charset.encode(), b"base64", base64.encodebytes(data))
    assert texts(parsed(made))["S"][1] == "Kjøl på 4 °C, Straße"
    if b"\0" not in data:
        assert texts(parsed(HEAD % (charset.encode(), b"8bit", data)))["S"][1] == "Kjøl på 4 °C, Straße"


@pytest.mark.parametrize("encoding", ["utf-8", "windows-1252", "utf-8-sig", "utf-16"])
def test_headers_and_files_in_other_encodings_are_read(encoding):
    payload = parsed("From: Jörg <j@x.example>\nSubject: Grüße aus Köln\n\nSchöne Tage!\n".encode(encoding))
    assert texts(payload) == {"Grüße aus Köln": ["From Jörg", "Schöne Tage!"]}


def test_lines_that_a_program_broke_are_joined():
    flowed = b"From: a@x.example\nSubject: S\nContent-Type: text/plain; format=flowed\n\nIt comes \non Monday.\n Bye.\n"
    assert texts(parsed(flowed))["S"][1] == "It comes on Monday.\nBye."


def test_a_file_without_headers_is_refused():
    with pytest.raises(DocumentError, match="'file' is no e-mail message"):
        parsed(b"just words\n")


def test_parts_nested_beyond_reason_are_refused_or_named():
    begins = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(12))
    nested = parsed(f"From: a@x.example\nSubject: S\n{begins}\nDeep.".encode())
    assert nested.text == "From a@x.example\n\nNot read: parts that are nested more than 8 deep"
    with pytest.raises(DocumentError, match="nests its parts too deeply"):
        parsed(b"From: a@x.example\n" + b"Content-Type: message/rfc822\n\n" * 5000 + b"Deep.")


def test_the_suffix_of_a_mail_is_known():
    kind = format_of("Mail/RE Delay.EML")
    assert kind is not None
    assert kind.name == "mail"


def test_a_header_that_python_cannot_parse_is_a_reason():
    with pytest.raises(DocumentError, match="'file' is a damaged message"):
        parsed(b"From: a@x.example\nContent-Type: text/plain; charset*\n\nHi.\n")


def test_a_name_of_a_character_set_that_is_none_garbles_nothing():
    assert texts(parsed(HEAD % (b"utf\x008", b"8bit", "Grün".encode())))["S"][1] == "Grün"


@pytest.mark.parametrize("kind", ["mixed", "alternative"])
def test_parts_whose_boundary_is_not_stated_are_read_as_text(kind):
    made = f"From: a@x.example\nSubject: S\nContent-Type: multipart/{kind}\n\nHi.\n"
    assert texts(parsed(made.encode()))["S"][1] == "Hi."


def test_a_long_header_of_labels_hides_neither_the_text_of_nested_parts_nor_the_file():
    labels = "".join(f" MSIP_Label_2f{n:02}_SetDate=2026-03-01;\n" for n in range(40))
    parts = (
        "--a\nContent-Type: text/plain; charset=windows-1252\nContent-Transfer-Encoding: quoted-printable\n\n"
        "Unser Angebot betr=E4gt 18.400 =80.\n--a\nContent-Type: text/html; charset=windows-1252\n"
        "Content-Transfer-Encoding: quoted-printable\n\n<p>Unser Angebot betr=E4gt <b>18.400 =80</b>.</p>\n--a--\n"
    )
    nested = (
        "From: Vera <vera@x.example>\nSubject: =?iso-8859-15?Q?Angebot_f=FCr_=A4?=\n"
        f"msip_labels: {labels.strip()}\nContent-Type: multipart/mixed; boundary=m\n\n"
        "--m\nContent-Type: multipart/related; boundary=r\n\n--r\n"
        f"Content-Type: multipart/alternative; boundary=a\n\n{parts}--r--\n"
        "--m\nContent-Type: text/csv; name=lines.csv\nContent-Disposition: attachment; filename=lines.csv\n"
        "Content-Transfer-Encoding: base64\n\naXRlbSxwcmljZQpjb29sZXIsMTg0MAo=\n--m--\n"
    )
    assert texts(parsed(nested.encode())) == {
        "Angebot für €": ["From Vera", "Unser Angebot beträgt 18.400 €.", "Attachments: lines.csv"]
    }
    [file] = read_message(nested.encode(), "file").attached
    assert (file.name, file.data) == ("lines.csv", b"item,price\ncooler,1840\n")
