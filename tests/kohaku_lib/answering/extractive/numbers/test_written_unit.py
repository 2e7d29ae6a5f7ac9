"""The unit beside a value, as its quote writes it."""

import pytest

from kohaku_lib.answering.extractive.numbers.written_unit import with_written_unit


@pytest.mark.parametrize(
    ("value", "quote", "shown"),
    [
        ("4200", "The kitchen costs €4,200 in all.", "€4,200"),
        ("29260", "The machine room took 29,260 kWh, or 70 %.", "29,260 kWh"),
        ("12000", "In May 12k kWh were used.", "12k kWh"),
        ("-18", "The freezer runs at −18 °C.", "-18 °C"),
        ("-7300", "It was a refund of -£7,300.", "£-7300"),
        ("1234.5", "The licence costs 1'234.50 CHF a year.", "1'234.50 CHF"),
        ("4", "The induction is a 4-hour course.", "4-hour"),
        ("10", "The badge costs ten euros.", "ten euros"),
        ("3400000", "Der Umsatz lag bei 3,4 Mio. EUR.", "3,4 Mio. EUR"),
        ("5", "The offer is valid for 6 weeks.", "5"),
        ("1850", "The monthly rent is EUR 1,850, payable at once.", "EUR 1,850"),
        ("4200", "The budget is 4.200 € a month.", "4.200 €"),
        ("12", "The mill emitted 12 t of CO2.", "12 t"),
        ("5", "It emits 5 t per year.", "5 t per year"),
        ("3140", "Im Jahr waren es 3.140 Besuche, im Jahr davor 2.900.", "3.140"),
        ("3", "It was a three-day trip.", "three-day"),
    ],
)
def test_a_number_is_shown_with_the_unit_that_stands_beside_it(value, quote, shown):
    assert with_written_unit(value, quote) == shown


TABLE = """Our tours:

| tour | days | price in EUR | guests 2024 | distance (km) |
| --- | --- | --- | --- | --- |
| Danube | 8 | 890 | 412 | 326 |
| Inn | 6 | 740 | 214 | 214 |
| Rhine \\| Moselle | 5 | 690 | 96 | 180 |"""
WORDS = "Danube — days: 8; price (EUR): 890; guests: 412; distance (km): 326"


@pytest.mark.parametrize(
    ("value", "quote", "shown"),
    [
        ("890", "| Danube | 8 | 890 | 412 | 326 |", "EUR 890"),
        ("326", "| Danube | 8 | 890 | 412 | 326 |", "326 km"),
        ("412", "| Danube | 8 | 890 | 412 | 326 |", "412"),  # guests are counted
        ("214", "| Inn | 6 | 740 | 214 | 214 |", "214"),  # of which column?
        ("690", "| Rhine \\| Moselle | 5 | 690 | 96 | 180 |", "EUR 690"),  # a bar within a cell
        ("890", "| Elbe | 8 | 890 | 412 | 326 |", "890"),  # a row that is not in the passage
        ("890", WORDS, "EUR 890"),
        ("326", WORDS, "326 km"),
        ("8", WORDS, "8"),
    ],
)
def test_a_number_of_a_table_is_shown_with_the_unit_of_its_column(value, quote, shown):
    assert with_written_unit(value, quote, TABLE) == shown
