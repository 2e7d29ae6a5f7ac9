"""Values of spans."""

import pytest

from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reader.model import Span
from kohaku_lib.answering.extractive.reader.passages import passages_of
from kohaku_lib.answering.extractive.reader.values import locate, value_of
from kohaku_lib.tables import Question, Snippet


def value(text, span, question, unit=None):
    passage = passages_of([Snippet("d:1", "d", "", None, text, 1, 1.0)])[-1]
    start = passage.text.index(span)
    located = locate(Span(start, start + len(span), 1.0), passage)
    return value_of(read_question(Question("q", question, unit)), located)


TRIPS = "| Bus | Trips per day | Fare |\n| --- | --- | --- |\n| 9 | 31 | 4 |"


@pytest.mark.parametrize(
    ("text", "span", "question", "unit", "expected"),
    [
        ("It took 2,150 MWh.", "2,150", "How much electricity did it use?", "kWh", "2150000"),
        ("It took 2,150 MWh.", "2,150", "How much does it weigh?", "kg", None),
        ("As of January 31, 2025, it employed 566 people.", "31", "How many people does it employ?", None, None),
        ("As of January 31, 2025, it employed 566 people.", "566", "How many people does it employ?", None, "566"),
        ("It employed 566 people.", "566", "How many people does it employ?", "teaspoons", None),
        ("Bo began on 03/04/2025 here.", "04", "How many people does it employ?", None, None),
        ("1,930 orders were delayed; none was lost.", "none", "How many orders were lost?", None, "0"),
        ("None of it has a mass.", "None", "What does it weigh?", "kg", None),
        ("Im Jahr 2024 wurden 1.286 Reisen für 412.750,40 € gemacht.", "1286", "Wie viele Reisen?", "Reisen", "1286"),
        ("At 09:20 Amir Haddad opened it.", "Haddad", "Who opened it?", None, "Amir Haddad"),
        ("A charter of 1142 names it.", "1142", "In what year was it first named?", None, "1142"),
        ("Backups run every six hours.", "every six hours", "How often do backups run?", None, "every six hours"),
        ("| Host | Backup |\n| --- | --- |\n| Ada | weekly |", "weekly", "How often is Ada saved?", None, "weekly"),
        ("He promised three days; it took five men.", "five", "How many days did it take?", None, None),
        ("| Month | Frost days |\n| --- | --- |\n| March | 6 |", "6", "How many days of frost had March?", None, "6"),
        (TRIPS, "31", "How many trips does bus 9 make?", None, "31"),
        (TRIPS, "31", "How many days does bus 9 run?", None, None),
        (TRIPS, "4", "How many km does bus 9 drive?", None, None),
        ("The strike began in 2023.", "2023", "How many days did it last?", None, None),
        ("It lasts 3 days, in room 12, as ever.", "12", "How many days does it last?", None, None),
        ("It rang 3 times.", "3 times", "How often did it ring?", None, "3 times"),
        ("The mill burnt 1450 kg of coal.", "1450", "In what year did the mill burn coal?", None, None),
        ("Each sample was titrated three times.", "three times", "How many times was it titrated?", None, "3"),
        ("It opens at 9:30.", "9:30", "When does it open?", None, "9:30"),
        ("Im Mai kostete es 1.250,50 €.", "1250.50", "Wie viel kostete es?", "EUR", "1250.5"),
        ("It opened on 29 March 2025, 18:30.", "29 March 2025, 18:30", "When did it open?", None, "29 March 2025"),
        ("It was founded in May 1987 in Halifax.", "May 1987", "In which year was it founded?", None, "1987"),
        ("It is 80-90% of it.", "80-90", "What is the share at most?", "%", "90"),
        ("It is 80-90% of it.", "80-90", "What is the share?", "%", "[80,90]"),
        ("The fair lasts from 10:00 to 16:30.", "16:30", "How many stalls does the fair have?", None, None),
        ("The fair begins at 10:00 and lasts 3 hours.", "3 hours", "How long does the fair last?", "hours", "3"),
        ("A talk takes half an hour.", "half an hour", "How long is a talk?", "minutes", "30"),
        ("Ticks bit 3 dogs in May and none in June.", "3", "How many dogs were bitten in June?", None, "0"),
        ("Ticks bit 3 dogs in May and none in June.", "3", "How many dogs were bitten in May?", None, "3"),
        ("They raised 2 million pounds.", "2 million pounds", "How much did they raise?", "GBP", "2000000"),
        ("| Model | Words (million) |\n| --- | --- |\n| M | 35 |", "35", "How many words has M?", "words", "35000000"),
        (
            "In thousands of euros\n| Plot | Rent |\n| --- | --- |\n| A | 52 |",
            "52",
            "What is A's rent?",
            "EUR",
            "52000",
        ),
        ("| Site | Energy (MWh) |\n| --- | --- |\n| Linz | 12 |", "12", "What does Linz use?", "kWh", "12000"),
        ("| Plot | Rent in GBP |\n| --- | --- |\n| A1 | 52 |", "52", "What is the rent of A1?", "GBP", "52"),
        ("| Plot | Rent in GBP |\n| --- | --- |\n| A1 | 52 |", "52", "What is the rent of A1?", "EUR", None),
        ("Kg by plot\n| Plot | Plums |\n| --- | --- |\n| A1 | 14 |", "14", "How heavy are A1's plums?", "g", "14000"),
        (
            "Rents in the city, in GBP\n| Plot | Rent |\n| --- | --- |\n| A1 | 52 |",
            "52",
            "What is A1's rent?",
            "GBP",
            "52",
        ),
        ("Call 030 445 9911 for keys.", "030", "How many keys are there?", None, None),
        ("It boils at 250⁹ °C.", "250⁹ °C", "What is its boiling point?", None, "250 °C"),
        ("It holds 10⁶ words.", "10⁶ words", "What does it hold?", None, "10⁶ words"),
        ("File INV-2024-0031 has 12 pages.", "2024", "How many pages has the file?", None, None),
        ("| Site | Lead |\n| --- | --- |\n| Linz | Ann Fox, PhD |", "Ann", "Who leads Linz?", None, "Ann Fox, PhD"),
    ],
)
def test_the_value_of_a_span_is_of_the_asked_kind_and_unit_or_none(text, span, question, unit, expected):
    assert value(text, span, question, unit) == expected


def test_a_span_in_the_title_lies_nowhere():
    [passage] = passages_of([Snippet("d:1", "d", "Trams", None, "Graz has six.", 1, 1.0)])
    assert locate(Span(0, 5, 1.0), passage) is None
