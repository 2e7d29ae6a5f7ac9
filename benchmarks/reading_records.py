"""Examples about made records: things with named properties, as tables, lists and sentences, in English and German.

Names and properties are drawn at random, so that a question is answered by matching its words and not by knowing them.
Half of the questions ask for a thing, a property, a year or a firm that the passage lacks.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from reading_examples import Example

from kohaku_lib.answering.extractive.reader.tables import linearised
from kohaku_lib.text.dates import plain_dates

WORDS: dict[str, list[str]] = json.loads((Path(__file__).parent / "reading_words.json").read_text("utf-8"))


def record_examples(chance: random.Random) -> Iterator[Example]:
    """Yield examples over one made collection of records."""
    records = _drawn(chance)
    passage, places = chance.choice((_as_table, _as_turned_table, _as_sentences, _as_list))(records, chance)
    row, column = chance.randrange(len(records.keys)), chance.randrange(len(records.columns))
    if (row, column) not in places:
        return
    yield Example(_question(records.keys[row], records.columns[column], chance), passage, places[row, column], "record")
    if chance.random() < 0.5:
        yield Example(_question(drawn_key(chance), records.columns[column], chance), passage, None, "record")
    if chance.random() < 0.5:
        other = _column(chance)
        if other.name not in {one.name for one in records.columns}:
            yield Example(_question(records.keys[row], other, chance), passage, None, "record")


def year_examples(chance: random.Random) -> Iterator[Example]:
    """Yield examples over a sentence that gives a count for a year, one for the year before, and none of a third thing."""
    key, year = drawn_key(chance), chance.randint(2012, 2026)
    first, second, third, fourth = chance.sample(WORDS["counted"], 4)
    values = chance.sample(range(2, 9000), 4)
    none = chance.choice(("none", "no", "not one"))
    text, spans = joined(
        chance.choice(
            (
                "In {year}, {key} had {a} {first}, up from {b} in {before}. It counted {c} {second}, but {none} {third}.",
                "{key} recorded {a} {first} in {year} after {b} in {before}; {c} {second} were reported, and {none} {third}.",
                "The number of {first} of {key} fell from {b} in {before} to {a} in {year}. There were {none} {third}; of the "
                "{second}, {c} were new.",
            )
        ),
        {
            "year": str(year), "before": str(year - 1), "key": key, "first": first, "second": second, "third": third,
            "none": none, "a": f"{values[0]:,}", "b": f"{values[1]:,}", "c": f"{values[2]:,}",
        },
    )  # fmt: skip
    ask = chance.choice(("How many {} did {key} have{}?", "How many {} were there at {key}{}?"))
    for name, noun, tail in (
        ("a", first, f" in {year}"), ("b", first, f" in {year - 1}"), ("c", second, ""), ("none", third, ""),
    ):  # fmt: skip
        if chance.random() < 0.5:
            yield Example(ask.format(noun, tail, key=key), text, spans[name], "record-year")
    lacking = ((first, f" in {chance.choice((year - 2, year - 3, year + 1))}"), (fourth, ""), (fourth, f" in {year}"))
    yield Example(ask.format(*chance.choice(lacking), key=key), text, None, "record-year")


def pair_examples(chance: random.Random) -> Iterator[Example]:
    """Yield examples over a sentence that gives two values for two things, in their order."""
    first, second, third = (drawn_key(chance) for _ in range(3))
    column = chance.choice((_counted_column, _measured_column))(chance)
    if len({first, second, third}) < 3:
        return
    a, b = column.draw(chance), column.draw(chance)
    text, spans = joined(
        chance.choice(
            (
                "The {name} was {a} vs. {b} for {first} and {second}.",
                "{first} and {second} have a {name} of {a} and {b}, respectively.",
                "{name}: {first} {a}, {second} {b}.",
                "While {first} reached {a} ({name}), {second} came to {b}.",
                "The {name} of {first} is {a}, that of {second} {b}.",
                "{first} had {a} against {b} for {second} ({name}).",
                "Between {first} and {second}, the {name} differs: {a} and {b}.",
            )
        ),
        {"name": column.name, "a": a, "b": b, "first": first, "second": second},
    )
    if a != b:
        yield Example(_question(first, column, chance), text, spans["a"], "record-pair")
        yield Example(_question(second, column, chance), text, spans["b"], "record-pair")
    yield Example(_question(third, column, chance), text, None, "record-pair")


def in_a_paper(example: Example, chance: random.Random) -> Example:
    """Return the example behind the title of a paper; a firm that its question then names may be another one."""
    firm, other = (f"{name} {chance.choice(WORDS['firms'])}" for name in chance.sample(WORDS["names"], 2))
    title = chance.choice(("{paper}, {firm}. ", "{firm}. {paper}. ", "{paper}. {firm}, ")).format(
        paper=_word(chance, "papers"), firm=firm
    )
    span = None if example.span is None else (example.span[0] + len(title), example.span[1] + len(title))
    question = example.question
    if chance.random() < 0.5 and question.endswith("?"):
        is_other = chance.random() < 0.25
        named = other if is_other else firm
        named = named if chance.random() < 0.6 else named.split()[0]
        question = f"{question[:-1]} {chance.choice(('at', 'of', 'according to', 'for', 'bei'))} {named}?"
        span = None if is_other else span
    return Example(question, title + example.passage, span, example.source)


def with_plain_dates(example: Example) -> Example:
    """Return the example with all dates in one spelling."""
    passage = plain_dates(example.passage)
    span = None if example.span is None else passage.plain_span(*example.span)
    return Example(plain_dates(example.question).text, passage.text, span, example.source)


@dataclass(frozen=True, slots=True)
class _Column:
    """A property: its name, its values, and whether it is a count, a person or the like."""

    name: str
    draw: Callable[[random.Random], str]
    kind: str


@dataclass(frozen=True, slots=True)
class _Records:
    keys: Sequence[str]
    key_name: str
    columns: Sequence[_Column]
    cells: Sequence[Sequence[str]]


def _drawn(chance: random.Random) -> _Records:
    keys = list(dict.fromkeys(drawn_key(chance) for _ in range(chance.randint(2, 6))))
    columns = list({one.name: one for one in (_column(chance) for _ in range(chance.randint(1, 4)))}.values())
    cells = [[column.draw(chance) for column in columns] for _ in keys]
    return _Records(keys, chance.choice(("Name", "Item", "", "Object", "Unit", "Entry", "Nr.", "What")), columns, cells)


def _word(chance: random.Random, kind: str) -> str:
    return chance.choice(WORDS[kind])


def drawn_person(chance: random.Random) -> str:
    """Return a made first and last name."""
    return f"{chance.choice(WORDS['first names'])} {chance.choice(WORDS['last names'])}"


def drawn_key(chance: random.Random) -> str:
    """Return the made name of a thing, a person, a place or a model."""
    thing = _word(chance, "things")
    return chance.choice(
        (
            thing,
            f"{chance.choice(WORDS['adjectives'])} {thing}",
            f"{chance.choice(WORDS['names'])} {thing}",
            drawn_person(chance),
            f"{chance.choice(WORDS['names'])}",
            f"{chance.choice(WORDS['names'])} {chance.randint(2, 900)}",
            f"{chance.choice('ABCDKLMPRSTX')}{chance.choice('ABCDKLMPRSTX')}-{chance.randint(10, 9999)}",
            f"{chance.choice(('Block', 'Team', 'Group', 'Line', 'Section', 'Halle', 'Room'))} {chance.choice('ABCDEFG1234567')}",
        )
    )


def _column(chance: random.Random) -> _Column:
    return chance.choice((_counted_column, _measured_column, _named_column))(chance)


def _counted_column(chance: random.Random) -> _Column:
    top = chance.choice((20, 400, 90_000))
    return _Column(_word(chance, "counted"), lambda c: f"{c.randint(0, top):,}", "count")


def _measured_column(chance: random.Random) -> _Column:
    unit, form = _word(chance, "units"), chance.choice(("{:,} {}", "{:.1f} {}", "{:,.2f} {}", "{:,}"))
    sign = chance.choice(("", "", "€", "$", "£"))

    def draw(own: random.Random) -> str:
        value = own.randint(1, 4000)
        return f"{sign}{value:,}" if sign else form.format(value / 10 if "f" in form else value, unit)

    return _Column(_word(chance, "measured"), draw, "measure")


def _named_column(chance: random.Random) -> _Column:
    name = _word(chance, "named")
    if "date" in name or name in {"birthday", "last inspection"}:
        return _Column(name, drawn_date, "date")
    if name in {"serial number", "phone number", "room", "floor"}:
        return _Column(name, lambda c: f"{c.randint(1, 9)}{c.choice('-./ ')}{c.randint(10, 999)}", "code")
    if name in WORDS["roles"]:
        return _Column(name, drawn_person, "person")
    return _Column(
        name,
        lambda c: chance.choice((_word(c, "names"), f"{c.choice(WORDS['names'])} {c.choice(WORDS['firms'])}")),
        "name",
    )


def drawn_date(chance: random.Random) -> str:
    """Return a date in one of three spellings, its day after the twelfth."""
    day, month, year = chance.randint(13, 28), chance.randint(1, 12), chance.randint(2012, 2027)
    return chance.choice((f"{year}-{month:02}-{day:02}", f"{day}.{month:02}.{year}", f"{month:02}/{day:02}/{year}"))


_QUESTIONS = {
    "count": (
        "How many {name} does {key} have?", "How many {name} did {key} have?", "How many {name} are there in {key}?",
        "What is the number of {name} of {key}?", "How many {name} were counted for {key}?",
        "Wie viele {name} hat {key}?", "How many {name} does the {key} have?",
    ),
    "measure": (
        "What is the {name} of {key}?", "What {name} does {key} have?", "What was the {name} of the {key}?",
        "How much is the {name} of {key}?", "What is {key}'s {name}?", "Which {name} is given for {key}?",
        "Wie hoch ist {name} von {key}?",
    ),
    "person": (
        "Who is the {name} of {key}?", "Who is the {name} of the {key}?", "What is the name of the {name} of {key}?",
        "Who was {name} of {key}?", "Wer ist {name} von {key}?", "Who acts as {name} for {key}?",
    ),
    "date": (
        "What is the {name} of {key}?", "When is the {name} of {key}?", "On which date is the {name} of the {key}?",
        "Wann ist {name} von {key}?",
    ),
}  # fmt: skip


def _question(key: str, column: _Column, chance: random.Random) -> str:
    kind = column.kind if column.kind in _QUESTIONS else "measure"
    return chance.choice(_QUESTIONS[kind]).format(name=column.name, key=key)


Places = dict[tuple[int, int], tuple[int, int]]


def _as_table(records: _Records, chance: random.Random) -> tuple[str, Places]:
    """Return the rows as sentences that name their columns; sometimes without names."""
    header = [records.key_name, *(_written(one.name, chance) for one in records.columns)]
    text, places = "", Places()
    for row, (key, cells) in enumerate(zip(records.keys, records.cells, strict=True)):
        own, spans = linearised(header, [key, *cells])
        for column, (start, end) in enumerate(spans[1:]):
            places[row, column] = (len(text) + start, len(text) + end)
        text += f"{own} "
    return text.strip(), places


def _as_turned_table(records: _Records, chance: random.Random) -> tuple[str, Places]:
    """Return a table whose rows are the properties and whose columns are the things."""
    header = [chance.choice(("", "Property", "Kind", "What", "Value")), *records.keys]
    text, places = "", Places()
    for column, one in enumerate(records.columns):
        own, spans = linearised(header, [_written(one.name, chance), *(cells[column] for cells in records.cells)])
        for row, (start, end) in enumerate(spans[1:]):
            places[row, column] = (len(text) + start, len(text) + end)
        text += f"{own} "
    return text.strip(), places


def _as_sentences(records: _Records, chance: random.Random) -> tuple[str, Places]:
    forms = {
        "count": ("{key} has {value} {name}.", "{value} {name} were counted for {key}.", "There are {value} {name} in {key}."),
        "person": ("{value} is the {name} of {key}.", "The {name} of {key} is {value}.", "{key} ({name}: {value})."),
        "other": (
            "The {name} of {key} is {value}.", "{key} has a {name} of {value}.", "For {key}, the {name} is {value}.",
            "{name} of {key}: {value}.", "{key}: {name} {value}.", "A {name} of {value} applies to {key}.",
        ),
    }  # fmt: skip
    text, places = "", Places()
    order = [(row, column) for row in range(len(records.keys)) for column in range(len(records.columns))]
    for row, column in chance.sample(order, min(len(order), 6)):
        one = records.columns[column]
        own, spans = joined(
            chance.choice(forms.get(one.kind, forms["other"])),
            {"key": records.keys[row], "name": one.name, "value": records.cells[row][column]},
        )
        start, end = spans["value"]
        places[row, column] = (len(text) + start, len(text) + end)
        text += f"{own} "
    return text.strip(), places


def _as_list(records: _Records, chance: random.Random) -> tuple[str, Places]:
    """Return lines of a thing and one property that a heading names."""
    column = chance.randrange(len(records.columns))
    text = f"{_written(records.columns[column].name, chance)}: "
    gap, places = chance.choice(("   ", " - ", ": ", "  ")), Places()
    for row, key in enumerate(records.keys):
        value = records.cells[row][column]
        places[row, column] = (len(text) + len(key) + len(gap), len(text) + len(key) + len(gap) + len(value))
        text += f"{key}{gap}{value}\n"
    return text.strip(), places


def _written(name: str, chance: random.Random) -> str:
    return chance.choice((name, name.capitalize(), name.title()))


def joined(form: str, values: dict[str, str]) -> tuple[str, dict[str, tuple[int, int]]]:
    """Return the form with its slots filled, and where each value stands last."""
    text, spans, rest = "", dict[str, tuple[int, int]](), form
    while "{" in rest:
        plain, _, rest = rest.partition("{")
        name, _, rest = rest.partition("}")
        text += plain
        spans[name] = (len(text), len(text) + len(values[name]))
        text += values[name]
    return text + rest, spans
