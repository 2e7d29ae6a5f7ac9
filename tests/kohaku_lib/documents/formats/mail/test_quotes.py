"""What a message quotes stands in a section of its own, once, however its mail program marks it."""

import pytest

from kohaku_lib.documents.formats.mail.bodies import Body
from kohaku_lib.documents.formats.mail.message import QUOTED, Message, payload_of_message

ENGLISH = "From: Ida Berg <ida@x.example>\nSent: Monday, 2 March 2026 08:00\nTo: Kari Lund; Bo\nSubject: Windows\n"
GERMAN = "Von: Ida Berg [mailto:ida@x.example]\nGesendet: Montag, 2. März 2026\nAn: Kari Lund\nBetreff: AW: Fenster\n"


def read(plain="", html="", subject="RE: Windows"):
    payload = payload_of_message(Message(subject, bodies=(Body(plain, html),)), "m", "file")
    return {section.title: [one.text for one in section.paragraphs] for section in payload.sections}


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("In May.\n\nOn 2 March 2026 at 08:00, Ida wrote:\nWhen?", ["On 2 March 2026 at 08:00, Ida wrote:\nWhen?"]),
        ("In May.\n\nOn Mon, 2 Mar 2026,\nIda wrote:\n\n> When?", ["On Mon, 2 Mar 2026,\nIda wrote:", "When?"]),
        ("In May.\n\nAm 02.03.26 schrieb Ida Berg:\nWann?", ["Am 02.03.26 schrieb Ida Berg:\nWann?"]),
        ("In May.\n\nIda <ida@x.example> wrote:\n> When?", ["Ida <ida@x.example> wrote:\nWhen?"]),
        ("In May.\n\n-----Original Message-----\nWhen?", ["When?"]),
        ("In May.\n________________________________\n" + ENGLISH + "\nWhen?",
         ["From Ida Berg to Kari Lund, Bo, sent on Monday, 2 March 2026 08:00", "When?"]),
        ("In May.\n-----Ursprüngliche Nachricht-----\n" + GERMAN + "\nWann?",
         ["From Ida Berg to Kari Lund, sent on Montag, 2. März 2026: AW: Fenster", "Wann?"]),
        ("In May.\n\n" + GERMAN.replace("Von:", "*Von:*") + "\nWann?\n\n" + ENGLISH + "\nWhen?",
         ["From Ida Berg to Kari Lund, sent on Montag, 2. März 2026: AW: Fenster", "Wann?",
          "From Ida Berg to Kari Lund, Bo, sent on Monday, 2 March 2026 08:00", "When?"]),
    ],
)  # fmt: skip
def test_a_quoted_message_needs_no_marks(text, quoted):
    assert read(text) == {"RE: Windows": ["In May."], QUOTED: quoted}


@pytest.mark.parametrize(
    "text",
    [
        "On Monday the board wrote:\nWe agree.",  # no date
        "From: the board\nWe agree.",
        "Date: Monday\nFrom: the station\nTo: the house",
        "The original message was lost.",
    ],
)
def test_words_that_only_look_like_an_introduction_stay(text):
    assert read(text) == {"RE: Windows": [text]}


def test_answers_between_quotes_are_the_message():
    text = "On 2 March 2026, Ida wrote:\n> When?\n\nIn May.\n\n> How many?\n\nNine.\n"
    assert read(text) == {
        "RE: Windows": ["In May.", "Nine."],
        QUOTED: ["On 2 March 2026, Ida wrote:\nWhen?", "How many?"],
    }


def test_what_is_quoted_twice_or_said_by_the_message_stands_once():
    text = "In May,\nby rail.\n\n> When does it come?\n>\n> > When does\n> > it come?\n> >\n> > In May, by rail."
    assert read(text) == {"RE: Windows": ["In May,\nby rail."], QUOTED: ["When does it come?"]}


@pytest.mark.parametrize(
    "quote",
    [
        '<blockquote type="cite"><h3>Plan</h3><p>When?</p></blockquote>',
        '<div class="gmail_quote x"><h3>Plan</h3>When?</div>',
    ],
)
def test_quoted_elements_of_html_stand_apart_and_what_follows_them_does_not(quote):
    page = f"<p>In May.</p>{quote}By rail.<h2>Doors</h2><p>Nine.</p>"
    assert read(html=page) == {"RE: Windows": ["In May.", "By rail."], "Doors": ["Nine."], QUOTED: ["Plan", "When?"]}


def test_headers_of_outlook_begin_a_quoted_message_in_html():
    head = ENGLISH.strip().replace("<", "&lt;").replace(">", "&gt;").replace("\n", "<br>")
    page = f"<p>In May.</p><div><p>{head}</p></div><p>When?</p><table><tr><td>a</td><td>b</td></tr></table>"
    quoted = ["From Ida Berg to Kari Lund, Bo, sent on Monday, 2 March 2026 08:00", "When?"]
    assert read(html=page)["RE: Windows"] == ["In May."]
    assert read(html=page)[QUOTED][:2] == quoted
