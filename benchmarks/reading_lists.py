"""Examples about made lists: who holds what, who was there, figures of months with their total, columns of two years.

Tables are read as sentences that name the columns in training, and written in Markdown or with blanks in papers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reading_examples import Example
from reading_records import WORDS, drawn_date, drawn_key, drawn_person, joined

from kohaku_lib.answering.extractive.reader.tables import linearised
from kohaku_lib.text.dates import MONTHS


@dataclass(frozen=True, slots=True)
class MadeTable:
    """A made table and questions about it, each with the row and the column of its cell, None where it has none."""

    caption: str
    header: Sequence[str]
    lines: Sequence[Sequence[str]]
    asked: Sequence[tuple[str, tuple[int, int] | None]]

    def examples(self, source: str) -> Iterator[Example]:
        """Yield the questions over the rows as they are read."""
        text, spans = f"{self.caption} " if self.caption else "", []
        for line in self.lines:
            own, places = linearised(self.header, line)
            spans.append([(len(text) + start, len(text) + end) for start, end in places])
            text += f"{own} "
        for question, cell in self.asked:
            yield Example(question, text.strip(), None if cell is None else spans[cell[0]][cell[1]], source)


def list_examples(chance: random.Random) -> Iterator[Example]:
    """Yield examples over one table of each kind."""
    for kind, make in _TABLES.items():
        yield from make(chance).examples(kind)


def key_list(chance: random.Random) -> MadeTable:
    """Return a list of two columns that only a heading names; some questions ask for what it lacks."""
    heading, question, inverse, draw = chance.choice(
        (
            ("Keys", "Who holds the key to the {}?", "For which room does {} hold the key?", drawn_person),
            ("Holders of the keys", "Who has the key of the {}?", "Which key does {} have?", drawn_person),
            ("Responsible persons", "Who is responsible for the {}?", "What is {} responsible for?", drawn_person),
            ("Contacts", "Who is the contact for the {}?", "For what is {} the contact?", drawn_person),
            ("Extensions", "What is the extension of the {}?", "Which extension is {}?", _number),
            ("Fees in EUR", "What is the fee for the {}?", "Which fee is {}?", _number),
            ("Last inspection", "When was the {} last inspected?", "What was inspected on {}?", drawn_date),
            ("Duty", "Who is on duty in the {}?", "Where is {} on duty?", drawn_person),
            ("Owners", "Who owns the {}?", "What does {} own?", drawn_person),
            ("Opening hours", "What are the opening hours of the {}?", "What is open {}?", _hours),
        )
    )
    lacking, *keys = chance.sample(WORDS["things"], chance.randint(4, 9))
    values = [draw(chance) for _ in keys]
    place = f" {chance.choice(('of', 'in', 'at'))} the {chance.choice(WORDS['names'])} {chance.choice(WORDS['firms'])}"
    tail = place if chance.random() < 0.3 else ""
    row = chance.randrange(len(keys))
    asked: list[tuple[str, tuple[int, int] | None]] = [
        (_ended(question.format(keys[row]), tail), (row, 1)),
        (_ended(question.format(lacking), tail), None),
    ]
    if values.count(values[row]) == 1 and chance.random() < 0.4:
        asked.append((_ended(inverse.format(values[row]), tail), (row, 0)))
    lines = [(key.capitalize(), value) for key, value in zip(keys, values, strict=True)]
    return MadeTable(f"{heading}{place if tail or chance.random() < 0.5 else ''}.", ("", ""), lines, asked)


def minutes_examples(chance: random.Random) -> Iterator[Example]:
    """Yield examples over the head of minutes or a report: persons with their parts, alone or several."""
    parts = chance.sample(_PARTS, 4)
    persons = [[drawn_person(chance) for _ in range(chance.choice((1, 1, 2, 3)))] for _ in parts]
    text, spans = "", []
    for (noun, verb), own in zip(parts, persons, strict=True):
        form = chance.choice(
            ("{noun}: {who}. ", "{noun}: {who}. ", "{who} {verb}. ", "At {time} {who}, who {verb}, left. ")
        )
        time = f"{chance.randint(7, 20):02}:{chance.randint(0, 59):02}"
        values = {"noun": noun, "verb": verb, "who": _listed(own), "time": time}
        line, places = joined(form, values)
        spans.append((len(text) + places["who"][0], len(text) + places["who"][1]))
        text += line
    lacking = chance.choice([part for part in _PARTS if part not in parts])
    place = chance.randrange(len(parts))
    tail = chance.choice(("", "", f" on {drawn_date(chance)}", f" at {chance.choice(WORDS['names'])}"))
    ask = chance.choice(("Who {}{}?", "Who {}{}?", "Which person {}{}?"))
    yield Example(ask.format(parts[place][1], tail), text.strip(), spans[place], "minutes")
    if chance.random() < 0.6:
        yield Example(ask.format(lacking[1], tail), text.strip(), None, "minutes")


def totals(chance: random.Random) -> MadeTable:
    """Return figures of months with their total, asked of one month, of all, and of a month that is missing."""
    months = MONTHS[(first := chance.randint(0, 6)) : first + chance.randint(3, 6)]
    year = chance.randint(2015, 2027)
    unit = chance.choice(("GBP", "EUR", "USD", "€"))
    things, counted = chance.sample(WORDS["sold"], 2), chance.sample(WORDS["counted"], 2)
    named = [*(f"{one.capitalize()} ({unit})" for one in things), *map(str.capitalize, counted)]
    figures = [[chance.randint(2, 90_000) for _ in named] for _ in months]
    sums = [sum(column) for column in zip(*figures, strict=True)]
    labels = [*(f"{month} {year}" for month in months), chance.choice(("Total", "Sum", "All"))]
    lines = [[label, *map(str, own)] for label, own in zip(labels, [*figures, sums], strict=True)]
    column, row = chance.randrange(4), chance.randrange(len(months))
    ask = chance.choice(_SALES if column < 2 else _COUNTS).format([*things, *counted][column], "{}")
    whole = ("in total", "altogether", "in all months together", f"from {months[0]} to {months[-1]} {year}")
    other = chance.choice([month for month in MONTHS if month not in months])
    missing = chance.choice((f"{other} {year}", f"{months[row]} {year - 1}"))
    return MadeTable(
        "",
        [chance.choice(("Month", "Period", "When")), *named],
        lines,
        [
            (ask.format(f"in {months[row]} {year}"), (row, column + 1)),
            (ask.format(chance.choice(whole)), (len(months), column + 1)),
            (ask.format(f"in {missing}"), None),
        ],
    )


def two_years(chance: random.Random) -> MadeTable:
    """Return a table whose columns are two properties in two years each."""
    year = chance.randint(2014, 2027)
    names = [chance.choice(WORDS["counted"]), chance.choice(WORDS["measured"])]
    header = [
        chance.choice(("Name", "Unit", "Where")),
        *(f"{own} {name}" for own in (year - 1, year) for name in names),
    ]
    keys = list(dict.fromkeys(drawn_key(chance) for _ in range(chance.randint(3, 5))))
    lines = [[key, *(str(chance.randint(2, 70_000)) for _ in header[1:])] for key in keys]
    row, column = chance.randrange(len(keys)), chance.randrange(4)
    ask, own = chance.choice(_OF_YEAR[column % 2]), year - 1 + column // 2
    lacking = chance.choice(((drawn_key(chance), own), (keys[row], year + chance.choice((-2, 1)))))
    return MadeTable(
        "",
        header,
        lines,
        [
            (ask.format(names[column % 2], keys[row], own), (row, column + 1)),
            (ask.format(names[column % 2], *lacking), None),
        ],
    )


_TABLES = {"list": key_list, "total": totals, "two-years": two_years}


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _ended(question: str, tail: str) -> str:
    return f"{question.removesuffix('?')}{tail}?"


def _number(chance: random.Random) -> str:
    return str(chance.randint(10, 990))


def _hours(chance: random.Random) -> str:
    return f"{chance.randint(6, 11)}:00 to {chance.randint(14, 22)}:{chance.choice(('00', '30'))}"


_SALES = (
    "For how much did the shop sell {} {}?", "What were the sales of {} {}?", "How much was earned with {} {}?",
    "What was the turnover from {} {}?", "What did {} bring in {}?",
)  # fmt: skip
_OF_YEAR = (
    ("How many {} did {} have in {}?", "How many {} were there in {} in {}?"),
    ("What was the {} of {} in {}?", "What was the {} in {} in {}?"),
)
_COUNTS = ("How many {} were there {}?", "How many {} did the shop have {}?", "What was the number of {} {}?")
_PARTS = (
    ("Chair", "chaired the meeting"), ("Minutes", "wrote the minutes"), ("Excused", "was excused"), ("Present", "was present"),
    ("Absent", "was absent"), ("Guests", "was a guest"), ("Author", "wrote the report"), ("Approved by", "approved it"),
    ("Reviewed by", "reviewed it"), ("On call", "was on call"), ("Reported by", "reported it"), ("Speaker", "spoke"),
    ("Trainer", "trains the group"), ("Winner", "won the prize"), ("Secretary", "is the secretary"), ("Owner", "owns the house"),
    ("Treasurer", "keeps the accounts"), ("Caretaker", "takes care of the building"), ("Founder", "founded the firm"),
    ("Tenants", "lives in the flat"), ("Signed by", "signed the contract"), ("Auditors", "audited the accounts"),
    ("Deputy", "stands in for the head"), ("Host", "hosts the next meeting"), ("Driver", "drove the van"),
)  # fmt: skip
