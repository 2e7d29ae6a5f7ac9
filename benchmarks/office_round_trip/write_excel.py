"""Workbooks by XlsxWriter: number formats, stored results of formulas, merged cells, comments, boxes, hidden rows."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import xlsxwriter
from content import Content


def write(path: Path, content: Content) -> None:
    """Write a workbook."""
    with xlsxwriter.Workbook(path) as book:
        merged = book.add_format({"text_wrap": True})
        for number in range(3):
            sheet = book.add_worksheet(content.record("heading", f"Sheet {number} {content.number()}"))
            sheet.write(0, 0, content.text("paragraph"))
            _add_grid(sheet, content, merged)
            _add_numbers(book, sheet, content, 10)
            sheet.write(22, 0, content.text("paragraph"))
            sheet.write_comment(22, 0, content.text("around"))
            sheet.insert_textbox(25, 1, content.text("around"))
            sheet.set_header(f"&C{content.text('around').replace('&', '&&')}")


def _add_grid(sheet: Any, content: Content, merged: Any) -> None:
    for row, cells in enumerate(content.table(6, 4), start=2):
        for column, cell in enumerate(cells):
            if cell is None:
                continue
            if cell.across > 1 or cell.down > 1:
                sheet.merge_range(row, column, row + cell.down - 1, column + cell.across - 1, cell.text, merged)
            elif cell.text:
                sheet.write_string(row, column, cell.text)


def _add_numbers(book: Any, sheet: Any, content: Content, top: int) -> None:
    """Write a table of numbers, with what people see of them as its cells; one row is hidden."""
    heads = ["item", "day", "share", "price", "code", "sum", "paid", "change"]
    forms = ["@", "yyyy-mm-dd", "0.0%", '#,##0.00 "€"', "00000", "#,##0", "", "0.00;(0.00)"]
    formats = [book.add_format({"num_format": form} if form else {}) for form in forms]
    content.record_row(heads)
    sheet.write_row(top, 0, heads)
    for row in range(top + 1, top + 9):
        name = f"{content.random.choice(['honey', 'Wachs', 'мёд', '蜜'])} {content.number()}"
        day = date(2021, 1, 1) + timedelta(content.random.randrange(1500))
        share, price = content.random.randrange(1, 999), content.number()
        code, total, change = content.random.randrange(10, 9999), content.number(), content.random.randrange(10_000)
        paid = content.random.random() < 0.5
        sheet.write_string(row, 0, name, formats[0])
        sheet.write_datetime(row, 1, day, formats[1])
        sheet.write_number(row, 2, share / 1000, formats[2])
        sheet.write_number(row, 3, price / 100, formats[3])
        sheet.write_number(row, 4, code, formats[4])
        sheet.write_formula(row, 5, f"=D{row + 1}*0+{total}", formats[5], total)
        sheet.write_boolean(row, 6, paid)
        sheet.write_number(row, 7, -change / 100, formats[7])
        if row == top + 4:
            sheet.set_row(row, None, None, {"hidden": True})
            continue
        shown = [f"{share / 10:.1f}%", f"{price / 100:,.2f} €", f"{code:05d}", f"{total:,}", str(paid).upper()]
        negative = f"({change / 100:.2f})" if change else "0.00"
        content.record_row([name, day.isoformat(), *shown, negative])
