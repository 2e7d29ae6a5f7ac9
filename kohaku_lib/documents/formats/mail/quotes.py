"""Find in the text of a message where it quotes other messages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

_MOST_LINES = 3  # over which "On ... wrote:" is broken
_MOST_HEADERS = 12  # lines
_WROTE = re.compile(
    r"(?=.*\d)(?:On .{6,300} wrote|Am .{6,300} schrieb(?: .{1,200})?|Le .{6,300} a écrit|El .{6,300} escribió"
    r"|(?:Den|På) .{6,300} skrev(?: .{1,200})?|Il .{6,300} ha scritto|Op .{6,300} schreef(?: .{1,200})?)\s?:"
    r"|[^<>]{1,200}<[^<>\s@]+@[^<>\s]+> (?:wrote|schrieb)\s?:",
    re.IGNORECASE,
)
_DIVIDER = re.compile(
    r"[-_*\s]{2,}(?:Original Message|Original Appointment|Forwarded message|Ursprüngliche Nachricht|Originalnachricht"
    r"|Weitergeleitete Nachricht|Message d'origine|Message transféré|Opprinnelig melding|Videresendt melding)[-_*\s]{2,}"
    r"|Begin forwarded message:|Anfang der weitergeleiteten Nachricht:",
    re.IGNORECASE,
)
_RULE = re.compile(r"[_-]{5,}")
_HEADER = re.compile(r"\*{0,2}(\w+)\s?:\*{0,2}\s*(.*)")
_HEADERS = {  # as Outlook and others name them in English, German, French, Norwegian and Swedish
    **dict.fromkeys(("from", "von", "de", "fra", "från"), "from"),
    **dict.fromkeys(("sent", "date", "gesendet", "datum", "envoyé", "sendt", "dato", "skickat"), "sent"),
    **dict.fromkeys(("to", "an", "à", "til", "till"), "to"),
    **dict.fromkeys(("subject", "betreff", "objet", "emne", "ämne"), "subject"),
    **dict.fromkeys(("cc", "kopie", "kopi", "kopia", "importance", "priorität", "attachments", "anlagen"), "cc"),
}
_ADDRESS = re.compile(r"(?<=\S)\s*(?:<[^<>]*>|\[mailto:[^\[\]]*\])")
_REPLY = re.compile(r"(?:(?:re|aw|fwd?|wg|sv|vs|tr)\s*:\s*)+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Unit:
    """A line or a paragraph of a message, and whether a mark such as > says that it is quoted."""

    text: str
    is_marked: bool


def quoted_units(units: Sequence[Unit]) -> list[bool]:
    """Return for each line or paragraph of a message whether it is quoted.

    From "On ... wrote:", "-----Original Message-----" and headers such as "Von: ... Gesendet: ..." on, everything is, unless
    marked lines follow: then these and what introduces them.

    >>> lines = ["In May.", "On 3 March 2026, Ida wrote:", "When?"]
    >>> quoted_units([Unit(line, False) for line in lines])
    [False, True, True]
    """
    quoted = [unit.is_marked for unit in units]
    for place, unit in enumerate(units):
        if quoted[place] or not unit.text.strip():
            continue
        count = _count_introducing(units, place)
        if not count:
            continue
        later = (units[at] for at in range(place + count, len(units)))
        after = next((unit for unit in later if unit.text.strip() or unit.is_marked), None)
        if after is None or not after.is_marked:
            quoted[place:] = [True] * (len(units) - place)
            break
        quoted[place : place + count] = [True] * count
    return quoted


def without_headers(lines: Sequence[str], subject: str) -> list[str]:
    """Return quoted lines with one in place of the headers of each message, its subject only if it is not `subject`.

    >>> head = ["-----Original Message-----", "From: Ida <i@x.example>", "Sent: Monday, 2 March 2026", "To: Bo; Kari"]
    >>> [line for line in without_headers([*head, "Subject: Windows", "", "When?"], "RE: Windows") if line]
    ['From Ida to Bo, Kari, sent on Monday, 2 March 2026', 'When?']
    """
    kept: list[str] = []
    place = 0
    while place < len(lines):
        stated, count = _headers_at(lines[place : place + _MOST_HEADERS])
        if count:
            about = stated.get("subject", "")
            is_known = _REPLY.sub("", about, count=1).casefold() in subject.casefold()
            kept += ["", _line_of(stated) + ("" if is_known else f": {about}"), ""]
        else:
            kept.append("" if _is_divider(lines[place]) else lines[place])
        place += count or 1
    return kept


def _count_introducing(units: Sequence[Unit], place: int) -> int:
    """Return over how many units a quoted message is introduced from `place` on, 0 if it is not."""
    if _is_divider(units[place].text, but_rules=True):
        return 1
    lines = list(takewhile(bool, (unit.text.strip() for unit in units[place : place + _MOST_LINES])))
    for count in range(1, len(lines) + 1):
        if _WROTE.fullmatch(" ".join(lines[:count])):  # unless it begins in a later line
            return 0 if any(_WROTE.fullmatch(" ".join(lines[later:count])) for later in range(1, count)) else count
    lines = [line for unit in units[place : place + _MOST_HEADERS] for line in unit.text.splitlines() or [""]]
    return 1 if _headers_at(lines[:_MOST_HEADERS])[1] else 0


def _is_divider(line: str, *, but_rules: bool = False) -> bool:
    text = line.strip()
    return bool(_DIVIDER.fullmatch(text) or (not but_rules and _RULE.fullmatch(text)))


def _headers_at(lines: Sequence[str]) -> tuple[dict[str, str], int]:
    """Return the headers of a quoted message that begin `lines`, and their number of lines, 0 if none do."""
    stated: dict[str, str] = {}
    name = ""
    for count, line in enumerate([*lines, ""]):
        found = _HEADER.match(line.strip())
        key = _HEADERS.get(found[1].lower(), "") if found else ""
        if found and key and (stated or key == "from"):
            name = key
            stated.setdefault(key, found[2].strip())
        elif not (name in {"to", "cc"} and line.strip() and lines[count - 1].rstrip().endswith((",", ";"))):
            is_whole = {"from", "sent"} <= stated.keys() and bool({"to", "subject"} & stated.keys())
            return (stated, count) if is_whole else ({}, 0)
    return {}, 0


def _line_of(stated: dict[str, str]) -> str:
    people = {name: _ADDRESS.sub("", stated.get(name, "")).replace(";", ",").strip(" ,") for name in ("from", "to")}
    to = f" to {people['to']}" if people["to"] else ""
    return f"From {people['from']}{to}, sent on {stated['sent']}"
