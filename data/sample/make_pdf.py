"""Write documents/kohaku-energy-report.pdf; the same bytes every time.

Run from anywhere: python data/sample/make_pdf.py
"""

from __future__ import annotations

import io
from pathlib import Path

import pymupdf

TARGET = Path(__file__).parent / "documents" / "kohaku-energy-report.pdf"
TITLE = "Energy Report of the Kohaku Workshop, 2023"
HEADER = "Kohaku Workshop - Energy Report 2023"
WIDTH, HEIGHT, MARGIN = 595, 842, 78
SIZE, LEADING = 12, 18.0
BOTTOM = HEIGHT - 110
FACES = {"regular": "helv", "bold": "hebo", "italic": "heit"}

INTRODUCTION = [
    "The Kohaku Workshop in Palanga polishes Baltic amber and, since 2019, trains small language models that "
    "describe each piece for museum catalogues. This report counts the electricity that the workshop drew in 2023, "
    "says where it went, and compares the three models that were trained in the machine room during the year.",
    "In 2023 the whole workshop used 41,800 kWh of electricity, of which the machine room took 29,260 kWh, or 70%. "
    "The polishing hall used 9,196 kWh, and lighting and offices the remaining 3,344 kWh. In 2022 the whole workshop "
    "had used 38,000 kWh, so that consumption rose by 10% within a year.",
]
MACHINE_ROOM = [
    "The machine room holds twelve servers with four accelerators each. The room was rebuilt in March 2021, when the "
    "old fans gave way to a closed loop that is cooled with sea water. Its power usage effectiveness fell from 1.62 "
    "before the rebuilding to 1.18 afterwards, and it has stayed there since.",
    "Each accelerator has a rated power of 300 W. During training the meters showed between 180 and 260 W per "
    "accelerator, and 45 W when idle. The head of the machine room, Rasa Petraite, therefore lets idle servers sleep "
    "after 20 minutes, which saves about 2,100 kWh a year.",
    "Cooling water enters at 9 degrees Celsius in winter and at 19 degrees Celsius in summer. The loop moves 1.4 "
    "cubic metres of water an hour, all of which returns to the sea, so that the machine room consumes no drinking "
    "water at all. In July, when the sea is warm, the loop alone is not enough, and a small compressor helps for some "
    "hours of the day; over the whole year it ran for 212 hours and used 640 kWh.",
]
TRAINING = [
    "Three models were trained in 2023. Gintaras-S has 120 million parameters, Gintaras-M has 350 million and "
    "Gintaras-L has 1.3 billion. All three were trained on the same corpus of 2.6 billion words, drawn from "
    "catalogues, letters and excavation diaries in seven languages. Table 1 gives the electricity, the duration and "
    "the emissions of every run.",
    "Gintaras-S was trained in January, Gintaras-M in February and Gintaras-L in April. Five runs that failed within "
    "their first hour are not counted; together they used less than 50 kWh. The texts were cleaned on the workshop's "
    "ordinary computers, whose electricity is part of that of the offices, and the photographs were scaled down there "
    "as well, which took two weeks of nights.",
    "Gintaras-L took 81% of the electricity of the three runs, although its descriptions were preferred to those of "
    "Gintaras-M by only 54% of the curators. For everyday catalogues the workshop therefore uses Gintaras-M, and "
    "keeps the large model for inclusions, where the smaller ones confuse insects with plants. A description by "
    "Gintaras-M needs 0.4 Wh, one by Gintaras-L 1.5 Wh, and one by Gintaras-S 0.15 Wh; with about 90,000 descriptions "
    "a year, that difference weighs more than the training itself within a few years.",
]
TABLE_CAPTION = "Table 1: Electricity, duration and emissions of the training runs of 2023."
TABLE = [
    ["Model", "Parameters (million)", "Electricity (kWh)", "Duration (hours)", "Emissions (kg CO2e)"],
    ["Gintaras-S", "120", "310", "36", "47"],
    ["Gintaras-M", "350", "1,240", "92", "186"],
    ["Gintaras-L", "1,300", "6,600", "310", "990"],
]
EMISSIONS = [
    "The grid that supplies the workshop emitted 150 g of CO2e per kilowatt-hour in 2023. The electricity of the whole "
    "workshop thus stands for 6,270 kg of CO2e. The solar roof, which was finished in October 2023, is not counted "
    "here, since it delivered only 400 kWh before the end of the year.",
    "Figure 1 shows the electricity that the machine room drew in every quarter. The peak in the second quarter is the "
    "training of Gintaras-L; the low third quarter is the summer pause, in which only the catalogue service ran. "
    "The service itself draws much the same power on every day of the year, whatever the season and however many "
    "visitors the museums that use it happen to have. The meters of the machine room also count the pumps of the "
    "cooling loop, which never stop, so that no quarter falls to nothing. A kilowatt-hour that the room drew in the "
    "second quarter was no dirtier than one in winter, since the grid's mix hardly changed within the year, and the "
    "workshop therefore counts every one of them with the same factor.",
]
FIGURE_CAPTION = (
    "Figure 1: Electricity of the machine room by quarter in 2023; the peak is 9,800 kWh in the second quarter."
)
QUARTERS = {"Q1": 7100, "Q2": 9800, "Q3": 5260, "Q4": 7100}
OUTLOOK = [
    "For 2024 the workshop plans to run the machine room on 60% solar power from April to September, to shorten the "
    "training of new models by starting from Gintaras-M, and to sell the warmth of the cooling loop to the school "
    "next door. The school needs about 18,000 kWh of heat a year. The contract with the town was signed by the "
    "workshop's founder, Jonas Gintautas, on 4 December 2023.",
]


class Writer:
    """A pen that walks down the pages of a document and starts a new one when the text reaches the margin."""

    def __init__(self) -> None:
        self.document = pymupdf.open()
        self.fonts = {name: pymupdf.Font(face) for name, face in FACES.items()}
        self.page = self.new_page()

    def new_page(self) -> pymupdf.Page:
        """Start a page with its running header and number."""
        self.page = self.document.new_page(width=WIDTH, height=HEIGHT)
        self.y = 96.0
        self.write_line(HEADER, MARGIN, 48, 8.5, "italic")
        self.write_line(str(self.document.page_count), WIDTH / 2 - 3, HEIGHT - 40, 8.5, "regular")
        return self.page

    def write_line(self, text: str, x: float, y: float, size: float, face: str) -> None:
        """Write one line with its baseline at `y`."""
        self.page.insert_text((x, y), text, fontsize=size, fontname=FACES[face])

    def heading(self, text: str, size: float) -> None:
        """Write a heading, on a new page where little room is left."""
        if self.y > BOTTOM - 60:
            self.new_page()
        self.y += 0.9 * size
        self.write_line(text, MARGIN, self.y, size, "bold")
        self.y += 1.1 * size

    def paragraph(self, text: str, face: str = "regular", size: float = SIZE) -> None:
        """Write a paragraph and go on with it on the next page where it does not fit."""
        for line in self.broken(text, face, size):
            if self.y > BOTTOM:
                self.new_page()
            self.write_line(line, MARGIN, self.y, size, face)
            self.y += LEADING
        self.y += 8

    def broken(self, text: str, face: str, size: float) -> list[str]:
        """Return the lines of `text` that fit between the margins."""
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if self.fonts[face].text_length(longer, size) > WIDTH - 2 * MARGIN:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines

    def table(self, rows: list[list[str]]) -> None:
        """Draw a table with rules; the first row is its head."""
        widths = [80.0, 92.0, 84.0, 80.0, 100.0]
        height = 22.0
        top = self.y
        for number, row in enumerate(rows):
            x = float(MARGIN)
            for cell, width in zip(row, widths, strict=True):
                box = pymupdf.Rect(x, top + number * height, x + width, top + (number + 1) * height)
                self.page.draw_rect(box, width=0.7)
                self.write_line(cell, x + 4, box.y1 - 7, 8.5, "regular" if number else "bold")
                x += width
        self.y = top + len(rows) * height + 20

    def figure(self, picture: bytes, width: float, height: float) -> None:
        """Place a picture, on a new page where it does not fit."""
        if self.y + height > BOTTOM - 40:
            self.new_page()
        left = (WIDTH - width) / 2
        self.page.insert_image(pymupdf.Rect(left, self.y, left + width, self.y + height), stream=picture)
        self.y += height + 16


def bar_chart(values: dict[str, int]) -> bytes:
    """Return a PNG of bars with their values, drawn with Pillow alone so that it never changes."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (640, 360), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=18)
    for number, (name, value) in enumerate(values.items()):
        left, height = 70 + 140 * number, value * 270 // 10_000
        draw.rectangle((left, 320 - height, left + 90, 320), fill=(214, 140, 36))
        draw.text((left + 20, 296 - height), f"{value:,}", fill="black", font=font)
        draw.text((left + 30, 328), name, fill="black", font=font)
    draw.line((40, 320, 620, 320), fill="black", width=2)
    sink = io.BytesIO()
    image.save(sink, "PNG")
    return sink.getvalue()


def main() -> None:
    """Write the report."""
    writer = Writer()
    writer.heading(TITLE, 17)
    writer.paragraph("Kohaku Workshop, Palanga. Written by Rasa Petraite and Jonas Gintautas.", "italic")
    for heading, paragraphs in (("1 Introduction", INTRODUCTION), ("2 The machine room", MACHINE_ROOM)):
        writer.heading(heading, 13)
        for text in paragraphs:
            writer.paragraph(text)
    writer.heading("3 Training the models", 13)
    writer.paragraph(TRAINING[0])
    writer.paragraph(TABLE_CAPTION, "italic", 9.5)
    writer.table(TABLE)
    for text in TRAINING[1:]:
        writer.paragraph(text)
    writer.heading("4 Emissions", 13)
    for text in EMISSIONS:
        writer.paragraph(text)
    writer.figure(bar_chart(QUARTERS), 380, 214)
    writer.paragraph(FIGURE_CAPTION, "italic", 9.5)
    writer.heading("5 Outlook", 13)
    for text in OUTLOOK:
        writer.paragraph(text)
    writer.document.set_metadata({"title": TITLE, "author": "Kohaku Workshop"})
    writer.document.save(TARGET, garbage=4, deflate=True, no_new_id=True)


if __name__ == "__main__":
    main()
