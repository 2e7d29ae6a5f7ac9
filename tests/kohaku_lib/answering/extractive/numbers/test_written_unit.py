"""The unit beside a value, as its quote writes it."""

import pytest

from kohaku_lib.answering.extractive.numbers.written_unit import with_written_unit


@pytest.mark.parametrize(
    ("value", "quote", "shown"),
    [
        ("6", "The offer is valid for 6 weeks.", "6 weeks"),
        ("4200", "The kitchen costs €4,200 in all.", "€4200"),
        ("1500000", "It cost $1.5 million.", "$1500000"),
        ("70", "The machine room took 29,260 kWh, or 70 %.", "70 %"),
        ("29260", "The machine room took 29,260 kWh, or 70 %.", "29260 kWh"),
        ("41800", "It used 41,800 kWh of electricity.", "41800 kWh"),
        ("€4,200", "The kitchen costs €4,200 in all.", "€4,200"),
        ("1500000", "They burnt 1.5 million tonnes of coal.", "1500000 tonnes"),
        ("12000", "In May 12k kWh were used.", "12000 kWh"),
        ("-5", "It was -5 °C outside.", "-5 °C"),
        ("-18", "The freezer runs at −18 °C.", "-18 °C"),
        ("-7300", "It was a refund of -£7,300.", "£-7300"),
        ("1234.5", "The licence costs 1'234.50 CHF a year.", "1234.5 CHF"),
        ("1980", "It was leased for 1’980 CHF.", "1980 CHF"),
        ("12500", "The fence cost 12 500 EUR.", "12500 EUR"),
        ("4", "The induction is a 4-hour course.", "4-hour"),
        ("4", "The induction is a 4 -hour course.", "4-hour"),
        ("10", "The badge costs ten euros.", "10 euros"),
        ("3400000", "Der Umsatz lag bei 3,4 Mio. EUR.", "3400000 EUR"),
        ("48", "Der Verlust betrug 48 TEUR.", "48 TEUR"),
        ("12", "There are 12 windows.", "12"),
        ("5", "The offer is valid for 6 weeks.", "5"),
        ("1850", "The monthly rent is EUR 1,850, payable at once.", "EUR 1850"),
        ("4200", "The budget is 4.200 € a month.", "4200 €"),
        ("4.2", "It weighs 4.2 kg.", "4.2 kg"),
        ("12", "The mill emitted 12 t of CO2.", "12 t"),
        ("5", "It emits 5 t per year.", "5 t per year"),
        ("3", "It was a three-day trip.", "3-day"),
        ("5", "Work begins on 3 June and lasts five weeks.", "5 weeks"),
        ("4.35", "Der Stamm misst 4,35 Meter.", "4.35 Meter"),
        ("Ann Lee", "Ann Lee waited 6 weeks.", "Ann Lee"),
    ],
)
def test_a_number_is_shown_with_the_unit_that_stands_beside_it(value, quote, shown):
    assert with_written_unit(value, quote) == shown


TABLE = """Our tours:

| tour | days | price in EUR | guests 2024 | distance (km) |
| --- | --- | --- | --- | --- |
| Danube | 8 | 890 | 412 | 326 |
| Inn | 6 | 740 | 214 | 214 |"""
WORDS = "Danube — days: 8; price (EUR): 890; guests: 412; distance (km): 326"


@pytest.mark.parametrize(
    ("value", "quote", "shown"),
    [
        ("890", "| Danube | 8 | 890 | 412 | 326 |", "EUR 890"),
        ("326", "| Danube | 8 | 890 | 412 | 326 |", "326 km"),
        ("412", "| Danube | 8 | 890 | 412 | 326 |", "412"),  # guests are counted
        ("214", "| Inn | 6 | 740 | 214 | 214 |", "214"),  # of which column?
        ("890", "| Elbe | 8 | 890 | 412 | 326 |", "890"),  # a row that is not in the passage
        ("890", WORDS, "EUR 890"),
        ("326", WORDS, "326 km"),
        ("8", WORDS, "8"),
    ],
)
def test_a_number_of_a_table_is_shown_with_the_unit_of_its_column(value, quote, shown):
    assert with_written_unit(value, quote, TABLE) == shown


def test_without_a_quote_a_number_stays_bare():
    assert with_written_unit("6", None) == "6"
