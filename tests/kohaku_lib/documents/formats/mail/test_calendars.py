"""Calendars, as files and in mails, are read as what, when, where and who."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents import parse_file, parse_paths
from kohaku_lib.documents.formats.mail.calendar_entries import calendar_entries
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings

ZONE = """BEGIN:VTIMEZONE
TZID:Europe/Oslo
BEGIN:STANDARD
DTSTART:16010101T030000
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
END:STANDARD
END:VTIMEZONE
"""


def calendar(*lines, method="REQUEST", kind="VEVENT"):
    entry = "\n".join((f"BEGIN:{kind}", *lines, f"END:{kind}"))
    return f"BEGIN:VCALENDAR\nMETHOD:{method}\n{ZONE}{entry}\nEND:VCALENDAR\n"


def facts(*lines, **more):
    (entry,) = calendar_entries(calendar(*lines, **more))
    return entry.facts


def test_a_file_has_a_section_for_each_entry(tmp_path):
    alarm = "BEGIN:VALARM\nDESCRIPTION:Reminder\nTRIGGER:-PT15M\nEND:VALARM"
    text = calendar(
        "SUMMARY;LANGUAGE=en:Stock audit",
        "DTSTART;TZID=Europe/Oslo:20260505T081500",
        "DTEND;TZID=Europe/Oslo:20260505T091500",
        "LOCATION:Hall 7\\, second\n  floor",
        'ORGANIZER;CN="Desk, Planning":mailto:desk@example.com',
        "ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:ida@example.com",
        "DESCRIPTION:Bring helmets\\; please.\\n\\nIt takes a\n\tbout an hour.",
        alarm,
    )
    (tmp_path / "a.ics").write_text("\ufeff" + (text + calendar("SUMMARY:Drill")).replace("\n", "\r\n"), "utf-8")
    payload = parse_file(tmp_path / "a.ics")
    assert payload.title == "a"
    assert [(one.title, [part.text for part in one.paragraphs]) for one in payload.sections] == [
        (
            "Stock audit",
            [
                "Stock audit starts on 5 May 2026, 08:15 (Europe/Oslo), and ends at 09:15.\n"
                "Stock audit takes place at Hall 7, second floor.\n"
                "Organiser: Desk, Planning <desk@example.com>\nInvited: ida@example.com",
                "Bring helmets; please.",
                "It takes about an hour.",
            ],
        ),
        ("Drill", ["Drill"]),
    ]


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (["DTSTART:20260505T081500Z"], "starts on 5 May 2026, 08:15 (UTC)"),
        (["DTSTART:20260505T081500"], "starts on 5 May 2026, 08:15"),
        (["DTSTART:20260505T230000", "DURATION:PT2H"], "starts on 5 May 2026, 23:00, and ends on 6 May 2026, 01:00"),
        (
            ["DTSTART;TZID=A:20260505T080000", "DTEND;TZID=B:20260505T100000"],
            "starts on 5 May 2026, 08:00 (A), and ends on 5 May 2026, 10:00 (B)",
        ),
        (["DTSTART;VALUE=DATE:20260505", "DTEND;VALUE=DATE:20260506"], "is on 5 May 2026, all day"),
        (["DTSTART;VALUE=DATE:20260505"], "is on 5 May 2026, all day"),
        (["DTSTART;VALUE=DATE:20260505", "DTEND;VALUE=DATE:20260508"], "is from 5 May 2026 to 7 May 2026, all day"),
        (["DTSTART;VALUE=DATE:20260505", "DURATION:P3D"], "is from 5 May 2026 to 7 May 2026, all day"),
        (["DTSTART;VALUE=DATE:00010101", "DTEND;VALUE=DATE:00010101"], "is on 1 January 1, all day"),
        (["DTSTART:20260505T081500", "DURATION:P999999W"], "starts on 5 May 2026, 08:15"),
    ],
)
def test_times(lines, says):
    assert facts("SUMMARY:Audit", *lines) == f"Audit {says}."


@pytest.mark.parametrize(
    ("lines", "more", "expected"),
    [
        (["LOCATION:Hall 7"], {"method": "CANCEL"}, "Audit (cancelled) takes place at Hall 7."),
        (["LOCATION:Hall 7", "STATUS:CANCELLED"], {}, "Audit (cancelled) takes place at Hall 7."),
        (["STATUS:TENTATIVE"], {}, "Audit (tentative)"),
        (["STATUS:CONFIRMED", "DTSTART:99999999"], {}, "Audit"),
        (
            ["RECURRENCE-ID:20260505T080000", "DTSTART:20260506T080000"],
            {},
            "Audit starts on 6 May 2026, 08:00.\nMoved from: 5 May 2026, 08:00",
        ),
        (["RECURRENCE-ID:20260505", "DTSTART:20260505"], {}, "Audit is on 5 May 2026, all day."),
        (["DUE:20260505T080000"], {"kind": "VTODO"}, "Audit is due on 5 May 2026, 08:00."),
        (
            ["ATTENDEE;CN=Ida;PARTSTAT=DECLINED:mailto:ida@example.com"],
            {"method": "REPLY"},
            "Audit\nReplies: Ida <ida@example.com> (declined)",
        ),
        (
            ["RRULE:FREQ=DAILY;COUNT=5", "EXDATE:20260506,20260507", "RDATE:20260601"],
            {},
            "Audit\nRepeated: every day, 5 times\nAlso on: 1 June 2026\nNot on: 6 May 2026; 7 May 2026",
        ),
        (
            ["RDATE;VALUE=PERIOD:20260601T090000/PT1H,20260602T090000/20260602T100000"],
            {},
            "Audit\nAlso on: 1 June 2026, 09:00; 2 June 2026, 09:00",
        ),
        (
            ["CONFERENCE;VALUE=URI:https://x.example/1", "URL:https://x.example", "CONTACT:Ida\\, 55"],
            {},
            "Audit\nLink: https://x.example, https://x.example/1\nContact: Ida, 55",
        ),
        (["CATEGORIES:Law,Tax", "COMMENT:Bring it."], {}, "Audit\nComment: Bring it.\nCategories: Law,Tax"),
        (["RRULE:FREQ=MONTHLY;BYMONTHDAY=15;WKST=MO"], {}, "Audit\nRepeated: every month on day 15"),
        (["RRULE:FREQ=MONTHLY;BYDAY=2TU"], {}, "Audit\nRepeated: every month on the second Tuesday"),
        (["RRULE:FREQ=WEEKLY;BYSETPOS=1"], {}, "Audit\nRepeated: FREQ=WEEKLY;BYSETPOS=1"),
        (["RRULE:FREQ=WEEKLY;BYDAY=XX"], {}, "Audit\nRepeated: FREQ=WEEKLY;BYDAY=XX"),
    ],
)
def test_what_is_stated(lines, more, expected):
    assert facts("SUMMARY:Audit", *lines, **more) == expected


def test_damaged_lines_and_ends_are_passed_over():
    text = "END:VEVENT\nBEGIN:VEVENT\nno property\nSUMMARY:Audit\nDTSTART:soon\n:\n"
    assert [entry.facts for entry in calendar_entries(text)] == ["Audit"]


@given(st.text(st.characters(exclude_categories=("C", "Z")) | st.sampled_from(" ,;\\"), min_size=1), st.integers(1, 9))
def test_any_text_is_read_as_it_was_written(text, width):
    escaped = text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    folded = "\r\n ".join(escaped[at : at + width] for at in range(0, len(escaped), width))
    (entry,) = calendar_entries(f"BEGIN:VEVENT\r\nSUMMARY:\r\n {folded}\r\nEND:VEVENT")
    assert entry.title == text.strip()


def test_a_file_without_entries_is_refused(tmp_path):
    (tmp_path / "a.ics").write_text(f"BEGIN:VCALENDAR\n{ZONE}END:VCALENDAR")
    with pytest.raises(DocumentError, match="has no entries of a calendar"):
        parse_file(tmp_path / "a.ics")


HEAD = "From: Desk <desk@example.com>\nSubject: Drill\nDate: Mon, 2 Mar 2026 09:00:00 +0100\nMIME-Version: 1.0\n"
SENT = "From Desk, sent on 2 March 2026"
DRILL = calendar("SUMMARY:Drill", "DTSTART:20260421T100000", "DESCRIPTION:Walk\\, do not\\nrun.")


def test_a_mail_that_is_an_invitation_alone(tmp_path):
    (tmp_path / "a.eml").write_text(f"{HEAD}Content-Type: text/calendar; method=REQUEST\n\n{DRILL}")
    assert (
        parse_file(tmp_path / "a.eml").text == f"{SENT}\n\nDrill starts on 21 April 2026, 10:00.\n\nWalk, do not\nrun."
    )


def test_a_calendar_without_entries_is_named_as_a_file(tmp_path):
    (tmp_path / "a.eml").write_text(f"{HEAD}Content-Type: text/calendar\n\nBEGIN:VCALENDAR\n")
    assert parse_file(tmp_path / "a.eml").text == f"{SENT}\n\nAttachments: text-calendar.ics"


def test_an_invitation_beside_its_text_says_its_description_once_and_an_attached_one_is_a_document(tmp_path):
    (tmp_path / "a.eml").write_text(
        f'{HEAD}Content-Type: multipart/mixed; boundary="m"\n\n--m\nContent-Type: multipart/alternative; boundary="b"\n\n'
        f"--b\nContent-Type: text/plain\n\nDear all: Walk, do not run.\n\n--b\nContent-Type: text/calendar\n\n{DRILL}\n--b--\n"
        f"--m\nContent-Type: application/ics\nContent-Disposition: attachment; filename=invite.ics\n\n{DRILL}\n--m--\n"
    )
    (outcome,) = parse_paths([tmp_path / "a.eml"], DocumentsSettings())
    assert outcome.payload["text"] == (
        f"{SENT}\n\nDear all: Walk, do not run.\n\nDrill starts on 21 April 2026, 10:00.\n\nAttachments: invite.ics"
    )
    assert [child.payload["title"] for child in outcome.children] == ["Drill"]
