"""Cells are shown as their number formats show them."""

import datetime
import re
from decimal import Decimal

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kohaku_lib.documents import parse_file
from kohaku_lib.documents.formats.office.number_formats import displayed
from kohaku_lib.index.bm25.tokenising import tokenise
from kohaku_lib.settings import LexicalSettings
from kohaku_lib.values import parse_value

ACCOUNTING = '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-'


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (417, "00000", "00417"),
        (1234567.891, "#,##0", "1,234,568"),
        (1.005, "0.00", "1.01"),
        (5, "0.##", "5"),
        (0.5, "#.##", ".5"),
        (0.475, "0.0%", "47.5%"),
        (4200, "[$€-407] #,##0.00", "€ 4,200.00"),
        (4200, '#,##0.00\\ "€"', "4,200.00 €"),
        (-4200, ACCOUNTING, "-4,200.00 €"),
        (0, ACCOUNTING, "- €"),
        ("rest", ACCOUNTING, "rest"),
        (-4200, "_($* #,##0_);_($* (#,##0);_(@_)", "$(4,200)"),
        (12.5, '0.0" kg"', "12.5 kg"),
        (4_200_000, '0.0,,"M"', "4.2M"),
        (123456, "0.00E+00", "1.23E+05"),
        (0.00012, "0.0E-00", "1.2E-04"),
        (123456, "##0.0E+0", "123.5E+3"),
        (999.99, "0.0E+0", "1.0E+3"),
        (1.75, "# ?/?", "1 3/4"),
        (1.75, "# ?/8", "1 6/8"),
        (2, "# ??/??", "2"),
        (1234567890, "000-000-0000", "123-456-7890"),
        (0, '0;-0;"none"', "none"),
        (5, "[Red][<10]0.0;0", "5.0"),
        (12, "[Red][<10]0.0;0", "12"),
        ("A5", '0;0;0;"No. "@', "No. A5"),
        (417, "@", "417"),
        (1234567890123, "General", "1234567890123"),
        (-0.001, "0.0", "0.0"),
        (3, ";;;", ""),
        (True, "0.0", "TRUE"),
        (datetime.datetime(2026, 1, 5), "dd/mm/yyyy", "2026-01-05"),
        (datetime.datetime(2026, 1, 5, 7, 5), "[$-409]d-mmm-yy h:mm AM/PM", "2026-01-05 07:05"),
        (datetime.datetime(2026, 1, 5, 7, 5), "yyyy-mm-dd", "2026-01-05"),
        (datetime.datetime(2026, 1, 5), "mmm-yy", "Jan-2026"),
        (datetime.datetime(2026, 1, 5), "yyyy", "2026"),
        (datetime.datetime(2026, 1, 5), "dddd", "Monday"),
        (datetime.time(17, 5), "h:mm AM/PM", "5:05 PM"),
        (datetime.time(0, 7, 9), "mm:ss", "07:09"),
        (datetime.timedelta(hours=26, minutes=30), "[h]:mm", "26:30"),
        (datetime.timedelta(minutes=-90), "[mm]:ss", "-90:00"),
    ],
)
def test_values_are_shown_as_their_format_says(value, number_format, shown):
    assert displayed(value, number_format) == shown


CODES = st.text(st.sampled_from('0#?.,%/E+-;@ [<>=]$hmsyd"\\_*()General1x'), max_size=14)


@given(st.one_of(st.floats(), st.integers(), st.text(max_size=5), st.datetimes(), st.times(), st.timedeltas()), CODES)
def test_every_format_shows_some_text(value, number_format):
    assert isinstance(displayed(value, number_format), str)


@given(st.integers(-(10**12), 10**12), st.integers(0, 4))
def test_an_amount_reads_back_as_the_value_that_it_shows(cents, places):
    number_format = '"$"#,##0' + ("." + "0" * places if places else "")
    shown = displayed(cents / 100, number_format)
    assert abs(100 * Decimal(re.sub(r"[$,]", "", shown)) - cents) <= 50 * Decimal(10) ** -places
    assert shown.count("$") == 1


@given(st.integers(0, 10**9), st.integers(1, 12))
def test_zeros_in_front_are_as_many_as_the_format_asks_for(value, width):
    assert displayed(value, "0" * width) == str(value).zfill(width)


def test_a_sheet_is_read_as_it_is_shown_and_its_amounts_are_found_and_understood(tmp_path):
    book = openpyxl.Workbook()
    book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    sheet = book.active
    sheet.append(["part", "cost", "due", "took"])
    sheet.append([417, 4200, datetime.date(2026, 2, 9), datetime.timedelta(hours=26)])
    for cell, number_format in zip(sheet[2], ["00000", '"$"#,##0.00', "d/m/yy", "[h]:mm"], strict=True):
        cell.number_format = number_format
    book.save(tmp_path / "parts.xlsx")
    row = parse_file(tmp_path / "parts.xlsx").text.splitlines()[-1]
    assert row == "| 00417 | $4,200.00 | 2026-02-09 | 26:00 |"
    assert "4200" in tokenise(row, LexicalSettings())
    assert parse_value("$4,200.00").low == 4200
