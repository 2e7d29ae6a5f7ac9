"""Examples made by templates: tables, lists, rules and reports of office life, in English and German.

Half of the questions name a row, a column or a subject that the passage lacks while it has its neighbours.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from reading_examples import Example
from reading_lists import list_examples, minutes_examples
from reading_records import (
    in_a_paper,
    joined,
    pair_examples,
    record_examples,
    year_examples,
)

from kohaku_lib.answering.extractive.reader.tables import linearised

Draw = Callable[[random.Random], str]
_FIRST = (
    "Anna Ben Carla Deniz Eva Farid Greta Hugo Ines Jonas Kira Liam Mara Nils Olga Paul Rosa Sven Tara Uwe Vera Yusuf"
)
_LAST = (
    "Adler Brandt Costa Diaz Ebner Fischer Gruber Huber Ito Jansen Kaya Lang Moser Novak Okoye Petrov Roth Silva Wolf"
)
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_MONATE = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
]


def _word(words: str) -> Draw:
    return lambda chance: chance.choice(words.split())


def _phrase(phrases: str) -> Draw:
    return lambda chance: chance.choice([one.strip() for one in phrases.split(",")])


def _number(low: int, high: int, form: str = "{:,}") -> Draw:
    return lambda chance: form.format(chance.randint(low, high))


def _person(chance: random.Random) -> str:
    return f"{chance.choice(_FIRST.split())} {chance.choice(_LAST.split())}"


def _date(chance: random.Random) -> str:
    day, month, year = chance.randint(1, 28), chance.randint(1, 12), chance.randint(2015, 2026)
    forms = (
        f"{day} {_MONTHS[month - 1]} {year}",
        f"{_MONTHS[month - 1]} {day}, {year}",
        f"{year}-{month:02}-{day:02}",
        f"{month:02}/{day:02}/{year}",
        f"{day:02}.{month:02}.{year}",
    )
    return chance.choice(forms)


def _month(chance: random.Random) -> str:
    """Return a month and year in one of several spellings; see `_other_spelling`."""
    return f"{chance.randint(2019, 2026)}-{chance.randint(1, 12):02}"


def _spelled(month: str, chance: random.Random, names: Sequence[str] = _MONTHS) -> str:
    year, number = month.split("-")
    name = names[int(number) - 1]
    return chance.choice([month, f"{name} {year}", f"{name[:3]} {year}", f"{number}/{year}"])


def _money(low: int, high: int) -> Draw:
    def draw(chance: random.Random) -> str:
        value = chance.randint(low, high)
        return chance.choice([f"${value:,}", f"{value:,} USD", f"€{value:,}", f"{value}.50 EUR", f"£{value:,}"])

    return draw


def _betrag(low: int, high: int) -> Draw:
    def draw(chance: random.Random) -> str:
        value = f"{chance.randint(low, high):,}".replace(",", ".")
        return chance.choice([f"{value} €", f"{value},50 €", f"{value} EUR"])

    return draw


@dataclass(frozen=True, slots=True)
class Column:
    """A column: names it may have, its values, and questions about it with {key} for the key of a row."""

    names: tuple[str, ...]
    draw: Draw
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of table: the names and values of its key column, and its other columns."""

    key_names: tuple[str, ...]
    key: Draw
    columns: tuple[Column, ...]
    is_month: bool = False
    months: Sequence[str] = ()


_TEAMS = _phrase("Sales, Marketing, Finance, Legal, Support, Logistics, Research, Human Resources, Procurement, Design")
_PLACES = _word(
    "Lisbon Oslo Graz Porto Leeds Lyon Turin Basel Gdansk Malmo Ghent Cork Bergen Zadar Tampere Linz Varna Pisa"
)
_SYSTEMS = _phrase(
    "payroll, CRM, ticket desk, wiki, mail server, VPN, data warehouse, intranet, time tracking, backup, door access, "
    "phone system, build server, inventory, expense tool"
)
_GOODS = _phrase(
    "desk lamp, office chair, whiteboard, monitor arm, paper shredder, label printer, headset, docking station, webcam, "
    "filing cabinet, coffee machine, projector, standing desk, keyboard"
)
_WAREN = _phrase(
    "Schreibtischlampe, Bürostuhl, Tafel, Aktenschrank, Drucker, Kopfhörer, Tastatur, Projektor, Kaffeemaschine, Stehpult"
)
_CHEMICALS = _phrase(
    "acetone, ethanol, toluene, glycerol, methanol, sodium chloride, citric acid, hexane, benzene, urea"
)
KINDS = (
    Kind(
        ("Team", "Department", ""),
        _TEAMS,
        (
            Column(
                ("Headcount", "Employees", "Staff"),
                _number(3, 240),
                (
                    "How many employees does {key} have?",
                    "What is the headcount of {key}?",
                    "How many people work in {key}?",
                ),
            ),
            Column(
                ("Budget", "Annual budget"),
                _money(1000, 900000),
                ("What is the budget of {key}?", "How much money does {key} have for the year?"),
            ),
            Column(
                ("Lead", "Manager", "Head"),
                _person,
                ("Who leads {key}?", "Who is the manager of {key}?", "Who is responsible for the {key} team?"),
            ),
            Column(("Floor", "Office"), _number(1, 9), ("On which floor is {key}?", "Where does {key} sit?")),
            Column(
                ("Open positions", "Vacancies"),
                _number(0, 12),
                ("How many vacancies does {key} have?", "How many open positions are there in {key}?"),
            ),
        ),
    ),
    Kind(
        ("System", "Application", "Service", ""),
        _SYSTEMS,
        (
            Column(
                ("Owner", "Responsible", "Contact", ""),
                _person,
                ("Who owns the {key}?", "Who is responsible for the {key}?", "Who is the contact for the {key}?"),
            ),
            Column(
                ("Vendor", "Supplier"),
                _phrase("Nordwind, Acora, Bitmill, Celtis, Dovecot Labs, Elmtree, Fabrix, Glimmer"),
                ("Which vendor supplies the {key}?", "Who is the supplier of the {key}?"),
            ),
            Column(
                ("Renewal", "Contract ends", "Renewal date"),
                _date,
                ("When does the contract for the {key} end?", "When is the {key} renewed?"),
            ),
            Column(
                ("Availability", "Uptime"),
                _number(90, 99, "{}.5%"),
                ("What is the availability of the {key}?", "What uptime did the {key} reach?"),
            ),
        ),
    ),
    Kind(
        ("Item", "Product", "Article", ""),
        _GOODS,
        (
            Column(
                ("Price", "Unit price", "Cost"),
                _money(4, 1900),
                ("How much does the {key} cost?", "What is the price of the {key}?"),
            ),
            Column(
                ("Stock", "In stock", "Quantity"),
                _number(0, 600),
                ("How many units of the {key} are in stock?", "What is the stock of the {key}?"),
            ),
            Column(
                ("SKU", "Article no.", "ID"),
                _number(1000, 9999, "AX-{}"),
                ("What is the article number of the {key}?",),
            ),
            Column(
                ("Delivery time", "Lead time"),
                _number(1, 30, "{} days"),
                ("How long does delivery of the {key} take?", "What is the lead time of the {key}?"),
            ),
            Column(
                ("Supplier",),
                _phrase("Holm & Co, Brill AG, Tessera, Quinto, Marlow, Ostrava Trade"),
                ("Who supplies the {key}?",),
            ),
        ),
    ),
    Kind(
        ("Month", "Period", "Date", ""),
        _month,
        (
            Column(
                ("Orders", "Number of orders"),
                _number(40, 9000),
                ("How many orders were there in {key}?", "What was the number of orders in {key}?"),
            ),
            Column(
                ("Revenue", "Sales", "Turnover"),
                _money(1000, 90000),
                ("What was the revenue in {key}?", "How much was sold in {key}?"),
            ),
            Column(("Returns", "Returned"), _number(0, 300), ("How many returns were there in {key}?",)),
            Column(
                ("Energy (kWh)", "Electricity, kWh"),
                _number(500, 90000),
                ("How much electricity was used in {key}?", "What was the energy consumption in {key}?"),
            ),
            Column(("Visitors",), _number(100, 40000), ("How many visitors came in {key}?",)),
        ),
        is_month=True,
        months=_MONTHS,
    ),
    Kind(
        ("Site", "City", "Location", ""),
        _PLACES,
        (
            Column(
                ("Employees", "Staff"),
                _number(5, 3000),
                ("How many people work in {key}?", "How many employees are in {key}?"),
            ),
            Column(
                ("Opened", "Opening date", ""), _date, ("When was the site in {key} opened?", "When did {key} open?")
            ),
            Column(
                ("Area (m²)", "Floor space"),
                _number(100, 20000),
                ("What is the floor space in {key}?", "How large is the site in {key}?"),
            ),
            Column(("Parking spaces",), _number(0, 400), ("How many parking spaces does {key} have?",)),
        ),
    ),
    Kind(
        ("Substance", "Sample", "Compound"),
        _CHEMICALS,
        (
            Column(
                ("Purity", "Purity (%)"),
                _number(90, 99, "{}.8 %"),
                ("What is the purity of {key}?", "How pure is {key}?"),
            ),
            Column(
                ("Supplier",),
                _phrase("Chemara, Labor Nord, Reinst GmbH, Solvia"),
                ("Who supplies {key}?", "From which supplier is {key}?"),
            ),
            Column(("Batch", "Lot"), _number(100, 999, "L{}"), ("Which lot of {key} was tested?",)),
            Column(("Boiling point", "b.p. (°C)"), _number(40, 290), ("What is the boiling point of {key}?",)),
        ),
    ),
    Kind(
        ("Proposal", "Motion", "Nominee"),
        lambda chance: chance.choice([_person(chance), f"Proposal {chance.randint(1, 9)}"]),
        (
            Column(
                ("For", "Votes for", "In favour"),
                _number(1000, 99000000),
                ("How many votes were cast for {key}?", "How many voted for {key}?"),
            ),
            Column(
                ("Against", "Votes against"),
                _number(1000, 9900000),
                ("How many votes were cast against {key}?", "How many voted against {key}?"),
            ),
            Column(
                ("Abstain", "Abstentions"),
                _number(100, 990000),
                ("How many abstained on {key}?", "How many abstentions were there for {key}?"),
            ),
            Column(("Broker non-votes",), _number(100, 990000), ("How many broker non-votes were there for {key}?",)),
        ),
    ),
    Kind(
        ("Artikel", "Produkt", ""),
        _WAREN,
        (
            Column(
                ("Preis", "Einzelpreis"), _betrag(4, 2900), ("Was kostet {key}?", "Wie hoch ist der Preis für {key}?")
            ),
            Column(
                ("Bestand", "Lagerbestand"),
                _number(0, 600),
                ("Wie viele Stück von {key} sind auf Lager?", "Wie hoch ist der Bestand von {key}?"),
            ),
            Column(("Lieferzeit",), _number(1, 30, "{} Tage"), ("Wie lange dauert die Lieferung von {key}?",)),
            Column(("Lieferant",), _phrase("Holm & Co, Brill AG, Tessera, Quinto"), ("Wer liefert {key}?",)),
        ),
    ),
    Kind(
        ("Monat", "Zeitraum"),
        _month,
        (
            Column(
                ("Umsatz",),
                _betrag(1000, 90000),
                ("Wie hoch war der Umsatz im {key}?", "Welcher Umsatz wurde im {key} erzielt?"),
            ),
            Column(("Bestellungen", "Aufträge"), _number(10, 900), ("Wie viele Bestellungen gab es im {key}?",)),
            Column(("Krankentage",), _number(0, 90), ("Wie viele Krankentage gab es im {key}?",)),
        ),
        is_month=True,
        months=_MONATE,
    ),
)


def table_examples(chance: random.Random) -> Iterator[Example]:
    """Yield examples over one made table: about a cell, a row that it lacks and a column that it lacks."""
    kind = chance.choice(KINDS)
    keys = list(dict.fromkeys(kind.key(chance) for _ in range(chance.randint(3, 8))))
    columns = chance.sample(kind.columns, chance.randint(1, len(kind.columns)))
    header = [chance.choice(kind.key_names), *(chance.choice(column.names) for column in columns)]
    lines = [[_shown(kind, key, chance), *(column.draw(chance) for column in columns)] for key in keys]
    passage, spans = "", []
    for line in lines:
        text, cells = linearised(header, line)
        spans.append([(len(passage) + start, len(passage) + end) for start, end in cells])
        passage += f"{text} "
    passage = passage.strip()
    row, column = chance.randrange(len(keys)), chance.randrange(len(columns))
    yield Example(_asked(kind, keys[row], columns[column], chance), passage, spans[row][column + 1], "made-table")
    other = kind.key(chance)
    if other not in keys:
        yield Example(_asked(kind, other, columns[column], chance), passage, None, "made-table")
    lacking = [one for one in kind.columns if one not in columns]
    if lacking and chance.random() < 0.7:
        yield Example(_asked(kind, keys[row], chance.choice(lacking), chance), passage, None, "made-table")


def _shown(kind: Kind, key: str, chance: random.Random) -> str:
    return _spelled(key, chance, kind.months) if kind.is_month else key


def _asked(kind: Kind, key: str, column: Column, chance: random.Random) -> str:
    return chance.choice(column.questions).format(key=_shown(kind, key, chance))


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence with slots, and by slot the questions that it answers; "?" holds questions that it does not answer."""

    text: str
    slots: dict[str, Draw]
    questions: dict[str, tuple[str, ...]]


_THINGS = _phrase(
    "taxi rides, hotel nights, lunches, train tickets, parking, mobile phones, conference fees, books, laptops"
)
FACTS = (
    Fact(
        "Employees may claim up to {amount} per {period} for {thing}.",
        {"amount": _money(5, 900), "period": _word("day month year trip"), "thing": _THINGS},
        {
            "amount": ("How much may be claimed for {thing}?", "What is the limit for {thing}?"),
            "?": ("Who approves claims for {thing}?", "When must claims for {thing} be handed in?"),
        },
    ),
    Fact(
        "{thing} must be requested at least {days} in advance from {person}.",
        {
            "thing": _phrase("Leave, Remote work, Travel, Overtime, Equipment, Training"),
            "days": _number(2, 60, "{} days"),
            "person": _person,
        },
        {
            "days": (
                "How far in advance must {thing} be requested?",
                "How many days before must {thing} be requested?",
            ),
            "person": ("Who has to be asked for {thing}?", "From whom is {thing} requested?"),
            "?": ("How many days of {thing} are granted a year?", "What does {thing} cost?"),
        },
    ),
    Fact(
        "On {date}, {company} opened {count} stores in {place} and hired {staff} people.",
        {
            "date": _date,
            "company": _phrase("Nordwind, Tessera, Marlow, Quinto, Brill AG, Acora"),
            "count": _number(2, 90),
            "place": _PLACES,
            "staff": _number(20, 900),
        },
        {
            "date": ("When did {company} open stores in {place}?",),
            "count": ("How many stores did {company} open in {place}?", "How many stores were opened in {place}?"),
            "staff": ("How many people did {company} hire?", "How many people were hired in {place}?"),
            "place": ("Where did {company} open stores?",),
            "company": ("Who opened stores in {place}?", "Which company opened stores in {place}?"),
            "?": (
                "How many stores did {company} close in {place}?",
                "What was the revenue of {company}?",
                "How many customers does {company} have in {place}?",
            ),
        },
    ),
    Fact(
        "In {month}, {total} invoices were delayed; {none} was lost and {some} were paid twice.",
        {
            "month": lambda c: f"{c.choice(_MONTHS)} {c.randint(2019, 2026)}",
            "total": _number(30, 4000),
            "none": lambda c: "none",
            "some": _number(2, 29),
        },
        {
            "total": ("How many invoices were delayed in {month}?", "How many invoices were delayed?"),
            "none": ("How many invoices were lost?", "How many invoices were lost in {month}?"),
            "some": ("How many invoices were paid twice?",),
            "?": (
                "How many invoices were cancelled in {month}?",
                "How many parcels were lost?",
                "What was the total amount of the invoices?",
            ),
        },
    ),
    Fact(
        "There were {zero} complaints about {place} and {count} about {other}.",
        {"zero": _word("no zero"), "place": _PLACES, "count": _number(2, 60), "other": _PLACES},
        {
            "zero": ("How many complaints were there about {place}?",),
            "count": ("How many complaints were there about {other}?",),
            "?": ("How many visitors came to {place}?", "How many complaints were solved?"),
        },
    ),
    Fact(
        "{first} reached {a} in the test, compared with {b} for {second}.",
        {
            "first": _phrase("Model A, The old pump, DPR, Filter X, Team Red"),
            "a": _number(50, 99, "{}.4%"),
            "b": _number(20, 90, "{}.1%"),
            "second": _phrase("Model B, the new pump, BM25, Filter Y, Team Blue"),
        },
        {
            "a": ("What did {first} reach in the test?", "What was the result of {first}?"),
            "b": ("What did {second} reach?", "What was the result of {second}?"),
            "?": ("How long did the test of {first} take?", "What did {first} cost?"),
        },
    ),
    Fact(
        "The results were {a} vs. {b} for {first} and {second}, respectively.",
        {
            "a": _number(50, 99, "{}.4"),
            "b": _number(20, 90, "{}.1"),
            "first": _phrase("DPR, plan A, the morning shift, Oslo, group 1"),
            "second": _phrase("BM25, plan B, the night shift, Graz, group 2"),
        },
        {
            "a": ("What was the result of {first}?", "What did {first} get?"),
            "b": ("What was the result of {second}?", "What did {second} get?"),
            "?": ("How many people were in {first}?", "Who tested {second}?"),
        },
    ),
    Fact(
        "{person} moved to adopt the {plan}; {second} seconded, and it passed with {yes} to {no} votes.",
        {
            "person": _person,
            "plan": _phrase("new budget, parking plan, travel policy, office move, training plan"),
            "second": _person,
            "yes": _number(5, 40),
            "no": _number(0, 4),
        },
        {
            "person": ("Who moved to adopt the {plan}?", "Who proposed the {plan}?"),
            "second": ("Who seconded the motion on the {plan}?",),
            "yes": ("How many votes were cast for the {plan}?", "How many voted in favour of the {plan}?"),
            "no": ("How many voted against the {plan}?",),
            "?": (
                "When does the {plan} take effect?",
                "How much does the {plan} cost?",
                "Who abstained on the {plan}?",
            ),
        },
    ),
    Fact(
        "The {system} was down from {start} to {end} because {reason}; {count} users were affected.",
        {
            "system": _SYSTEMS,
            "start": _number(0, 11, "{:02}:10"),
            "end": _number(12, 23, "{:02}:40"),
            "reason": _phrase(
                "a disk was full, a certificate had expired, a cable was cut, an update failed, the cooling stopped"
            ),
            "count": _number(10, 5000),
        },
        {
            "reason": ("Why was the {system} down?", "What was the reason for the outage of the {system}?"),
            "start": ("When did the outage of the {system} begin?", "Since when was the {system} down?"),
            "end": ("Until when was the {system} down?", "When was the {system} back?"),
            "count": ("How many users were affected?", "How many users did the outage of the {system} affect?"),
            "?": ("Who repaired the {system}?", "What did the outage of the {system} cost?"),
        },
    ),
    Fact(
        "The contract with {company} runs until {date} and can be ended with {notice} notice; the monthly fee is {fee}.",
        {
            "company": _phrase("Celtis, Elmtree, Fabrix, Glimmer, Dovecot Labs"),
            "date": _date,
            "notice": _phrase("30 days', three months', six weeks', 14 days'"),
            "fee": _money(50, 9000),
        },
        {
            "date": ("Until when does the contract with {company} run?", "When does the contract with {company} end?"),
            "notice": ("What is the notice period of the contract with {company}?",),
            "fee": ("What is the monthly fee of {company}?", "How much does {company} charge a month?"),
            "?": ("Who signed the contract with {company}?", "What is the late fee of {company}?"),
        },
    ),
    Fact(
        "Für {thing} werden höchstens {amount} pro {period} erstattet; Belege sind binnen {days} bei {person} einzureichen.",
        {
            "thing": _phrase("Taxifahrten, Hotelnächte, Verpflegung, Bahnfahrten, Parkgebühren"),
            "amount": _betrag(5, 900),
            "period": _word("Tag Monat Reise Nacht"),
            "days": _number(3, 60, "{} Tagen"),
            "person": _person,
        },
        {
            "amount": ("Wie viel wird für {thing} höchstens erstattet?", "Wie hoch ist die Obergrenze für {thing}?"),
            "days": ("Bis wann sind Belege einzureichen?", "In welcher Frist müssen Belege eingereicht werden?"),
            "person": ("Bei wem sind Belege einzureichen?", "Wer nimmt die Belege an?"),
            "?": (
                "Wer genehmigt {thing}?",
                "Ab wann gilt die Regelung für {thing}?",
                "Wie viel wird für Bücher erstattet?",
            ),
        },
    ),
    Fact(
        "Am {date} beschloss der Vorstand mit {yes} zu {no} Stimmen, {person} zur Leitung von {team} zu bestellen.",
        {
            "date": _number(1, 28, "{}. März 2025"),
            "yes": _number(5, 30),
            "no": _number(0, 4),
            "person": _person,
            "team": _phrase("Einkauf, Vertrieb, Technik, Personal, Finanzen"),
        },
        {
            "date": ("Wann fasste der Vorstand den Beschluss?",),
            "person": ("Wer wurde zur Leitung von {team} bestellt?", "Wer leitet künftig {team}?"),
            "yes": ("Wie viele Stimmen gab es dafür?",),
            "?": ("Wie viele Beschäftigte hat {team}?", "Wie hoch ist das Budget von {team}?"),
        },
    ),
)


def fact_examples(chance: random.Random) -> Iterator[Example]:
    """Yield examples over a passage of one to five made sentences: one that it answers and some that it does not."""
    facts = [_filled(fact, chance) for fact in chance.sample(FACTS, chance.randint(1, 5))]
    passage = " ".join(text for _, text, _, _ in facts)
    fact, _text, values, spans = facts[0]
    chance.shuffle(facts)
    passage, start = "", 0
    for one in facts:
        if one[0] is fact:
            start = len(passage)
        passage += f"{one[1]} "
    passage = passage.strip()
    slot = chance.choice([name for name in fact.questions if name != "?"])
    low, high = spans[slot]
    yield Example(
        chance.choice(fact.questions[slot]).format(**values), passage, (start + low, start + high), "made-fact"
    )
    if chance.random() < 0.5:
        yield Example(chance.choice(fact.questions["?"]).format(**values), passage, None, "made-fact")
    if chance.random() < 0.5:
        other = _filled(fact, chance)[2]
        question = chance.choice(fact.questions[slot])
        named = [name for name in values if f"{{{name}}}" in question and values[name] != other[name]]
        if named and not any(other[name] in passage for name in named):
            yield Example(question.format(**other), passage, None, "made-fact")


def _filled(fact: Fact, chance: random.Random) -> tuple[Fact, str, dict[str, str], dict[str, tuple[int, int]]]:
    values = {name: draw(chance) for name, draw in fact.slots.items()}
    text, spans = joined(fact.text, values)
    return fact, text, values, spans


_MAKERS = (
    table_examples, fact_examples, record_examples, record_examples, year_examples, pair_examples,
    list_examples, minutes_examples,
)  # fmt: skip


def made_examples(count: int, seed: int) -> list[Example]:
    """Return at least `count` examples: about office tables and facts, and about random records; half behind a title."""
    chance = random.Random(seed)
    found: list[Example] = []
    while len(found) < count:
        for make in _MAKERS:
            found += [in_a_paper(one, chance) if chance.random() < 0.5 else one for one in make(chance)]
    chance.shuffle(found)
    return found
