"""A folder as an office has it: one document of each kind, and a question for each that only it answers."""

import csv
from email.message import EmailMessage
from pathlib import Path

import docx
import openpyxl
import pptx
import pymupdf
from pptx.util import Inches

SUFFIXES = ("pdf", "docx", "xlsx", "pptx", "eml", "md", "html", "csv", "txt", "scan")
QUESTIONS = {
    "pdf": ("What is the highest price of a hotel night in Vienna?", "Vienna", "150"),
    "docx": ("Where is the eyewash station?", "eyewash", "next to the door of laboratory 2"),
    "xlsx": ("How many seats does room Birch have?", "Birch", "24"),
    "pptx": ("When does the new catalogue open?", "catalogue", "14 September 2026"),
    "eml": ("How much is the deposit for the storage unit?", "deposit", "1,250"),
    "md": ("How often are the backups tested?", "backups", "every second Monday"),
    "html": ("What does a guided tour cost per person?", "tour", "8.50"),
    "csv": ("Which supplier delivers the toner?", "toner", "Nordlicht"),
    "txt": ("What is the code word of the fire drill?", "fire drill", "Lanternfish"),
    "scan": ("Who signed the handover of the boiler room?", "boiler room", "Ines Halvorsen"),
}  # of a kind: the question, a word of the line that answers it, and the words there that do


def mixed_folder(folder: Path) -> Path:
    """Write the documents into `folder` and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    _pdf(folder / "Travel rules.pdf")
    _word(folder / "Laboratory safety.docx")
    _workbook(folder / "Rooms.xlsx")
    _slides(folder / "Roadmap 2026.pptx")
    _mail(folder / "Storage unit.eml")
    (folder / "operations.md").write_text(
        "# Operations handbook\n\n## Servers\n\nThe two servers stand in the basement.\n\n## Backups\n\n"
        "A backup is written each night at 2 am.\n\nThe backups are tested every second Monday by the duty engineer.\n\n"
        "- Tapes are kept for 90 days.\n- Disks are kept for 30 days.\n",
        encoding="utf-8",
    )
    (folder / "visitors.html").write_text(
        "<!doctype html><html lang='en'><head><title>Visitors</title></head><body><h1>Visitors</h1>"
        "<p>The house is open from Tuesday to Sunday.</p><h2>Prices</h2><table><tr><th>What</th><th>Adults</th>"
        "<th>Children</th></tr><tr><td>Entry</td><td>12.00 euros</td><td>6.00 euros</td></tr>"
        "<tr><td>Audio guide</td><td>4.00 euros</td><td>4.00 euros</td></tr></table>"
        "<h2>Tours</h2><p>A guided tour costs 8.50 euros per person. It takes 75 minutes.</p></body></html>",
        encoding="utf-8",
    )
    with (folder / "supplies.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [
                ("Article", "Supplier", "Unit", "Price", "Currency"),
                ("Paper A4", "Papyrus Ltd", "box", "24.90", "EUR"),
                ("Toner", "Nordlicht GmbH", "piece", "89.00", "EUR"),
                ("Envelopes", "Papyrus Ltd", "box", "11.20", "EUR"),
                ("Whiteboard pens", "Kessler", "set", "7.80", "EUR"),
            ]
        )
    (folder / "fire drill.txt").write_text(
        "Fire drill\n\nThe drill takes place twice a year, in April and in October.\n\n"
        "The code word of the fire drill is Lanternfish. Nobody uses the lift.\n",
        encoding="utf-8",
    )
    _scan(folder / "handover scanned.pdf")
    (folder / "minutes.md").write_text(
        "# Minutes of the spring meeting\n\nPresent were nine members.\n\nThe annual fee stays at 45 euros.\n",
        encoding="utf-8",
    )
    (folder / "parking.txt").write_text(
        "Parking\n\nThere are 18 places behind the house, two of them for electric cars.\n", encoding="utf-8"
    )
    return folder


def _pdf(path: Path) -> None:
    tables = (
        ("Hotel nights", ("City", "Highest price", "Breakfast"),
         (("Paris", "180 euros", "yes"), ("Vienna", "150 euros", "no"), ("Oslo", "210 euros", "yes"))),
        ("Meals", ("Length of the trip", "Per day", "Receipts"),
         (("up to 8 hours", "14 euros", "no"), ("more than 8 hours", "28 euros", "no"))),
        ("Trains", ("Distance", "Class", "Seat"), (("up to 300 km", "second", "free"), ("longer", "first", "reserved"))),
    )  # fmt: skip
    with pymupdf.open() as document:
        document.set_metadata({"title": "Travel rules"})
        first = document.new_page()
        first.insert_text((60, 70), "Travel rules", fontsize=20)
        first.insert_text((60, 110), "These rules hold for all trips of members and guests.", fontsize=11)
        page, top = document.new_page(), 70.0
        for title, heads, rows in tables:
            page.insert_text((60, top), title, fontsize=14)
            top += 12
            for line in (heads, *rows):
                for place, cell in enumerate(line):
                    box = pymupdf.Rect(60 + place * 150, top, 210 + place * 150, top + 20)
                    page.draw_rect(box)
                    page.insert_text((box.x0 + 4, box.y1 - 6), cell, fontsize=10)
                top += 20
            top += 50
        document.save(path)


def _word(path: Path) -> None:
    document = docx.Document()
    document.core_properties.title = "Laboratory safety"
    document.add_heading("Laboratory safety", 0)
    document.add_heading("Emergencies", 1)
    document.add_paragraph("In an emergency, call the gate at 4711.")
    document.add_paragraph("The eyewash station is next to the door of laboratory 2. It is tested each Friday.")
    document.add_heading("Waste", 1)
    table = document.add_table(1, 3)
    for cell, text in zip(table.rows[0].cells, ("Waste", "Container", "Collected"), strict=True):
        cell.text = text
    for line in (("Solvents", "red drum", "Tuesday"), ("Glass", "blue box", "Thursday")):
        for cell, text in zip(table.add_row().cells, line, strict=True):
            cell.text = text
    document.save(path)


def _workbook(path: Path) -> None:
    book = openpyxl.Workbook()
    rooms = book.active
    rooms.title = "Rooms"
    for line in (
        ("Room", "Floor", "Seats", "Projector", "Price per hour"),
        ("Alder", 1, 12, "yes", 15),
        ("Birch", 1, 24, "yes", 30),
        ("Cedar", 2, 24, "no", 20),
        ("Dogwood", 3, 60, "yes", 75),
    ):
        rooms.append(line)
    keys = book.create_sheet("Keys")
    for line in (("Key", "Holder"), ("K1", "Mira Olsen"), ("K2", "Jan Petersen")):
        keys.append(line)
    book.save(path)


def _slides(path: Path) -> None:
    show = pptx.Presentation()
    for title, lines in (
        ("Roadmap 2026", ["Three projects of the year"]),
        ("Catalogue", ["The new catalogue opens on 14 September 2026.", "Readers are invited to test it in August."]),
    ):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = "\n".join(lines)
    table = show.slides.add_slide(show.slide_layouts[5])
    table.shapes.title.text = "Budget"
    cells = table.shapes.add_table(3, 2, Inches(1), Inches(2), Inches(6), Inches(1.5)).table
    for row, line in enumerate(
        (("Project", "Budget"), ("Catalogue", "30,000 euros"), ("Reading room", "12,500 euros"))
    ):
        for column, text in enumerate(line):
            cells.cell(row, column).text = text
    show.save(path)


def _mail(path: Path) -> None:
    message = EmailMessage()
    message["From"], message["To"] = "Mira Olsen <mira@example.org>", "Jan Petersen <jan@example.org>"
    message["Subject"], message["Date"] = "Storage unit", "Mon, 02 Mar 2026 09:30:00 +0100"
    message.set_content(
        "Dear Jan,\n\nthe storage unit is ours from April on. The rent is 310 euros a month.\n\n"
        "The deposit for the storage unit is 1,250 euros, to be paid by 20 March.\n\nBest wishes\nMira\n"
    )
    message.add_attachment("The unit has 34 square metres.\n", filename="floor plan.txt")
    path.write_bytes(message.as_bytes())


def _scan(path: Path) -> None:
    lines = (
        "Handover of the boiler room",
        "The boiler room was handed over on 3 February 2026.",
        "The handover of the boiler room was signed by Ines Halvorsen.",
        "The pressure gauge shows 1.8 bar.",
    )
    with pymupdf.open() as drawn, pymupdf.open() as scanned:
        page = drawn.new_page()
        for place, line in enumerate(lines):
            page.insert_text((60, 90 + 34 * place), line, fontsize=20 if place == 0 else 15)
        picture = page.get_pixmap(dpi=200)
        scanned.new_page().insert_image(page.rect, pixmap=picture)
        scanned.save(path)
