"""What other readers find in files: `python read_files.py FILE ...` prints a line of JSON for each, the text by reader.

A reader that fails is left out. A file may end the process: give one at a time. It needs pypdfium2, pypdf, python-docx, openpyxl,
python-pptx and striprtf.
"""

import csv
import email
import email.policy
import io
import json
import re
import sys
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

PARTS = {  # of zipped formats, with the text
    ".docx": r"word/document\.xml",
    ".xlsx": r"xl/(worksheets/sheet\d+|sharedStrings)\.xml",
    ".pptx": r"ppt/slides/slide\d+\.xml",
    ".odt": r"content\.xml",
    ".epub": r".*\.x?html",
}


def pdfium(path):
    import pypdfium2  # pyrefly: ignore[missing-import]

    pages = pypdfium2.PdfDocument(path)
    return "\n".join(pages[number].get_textpage().get_text_bounded() for number in range(len(pages)))


def pypdf(path):
    from pypdf import PdfReader  # pyrefly: ignore[missing-import]

    return "\n".join(page.extract_text() for page in PdfReader(path).pages)


def of_zip(path):
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if re.fullmatch(PARTS[path.suffix], name)]
        return "\n".join("".join(ET.fromstring(archive.read(name)).itertext()) for name in names)


def docx(path):
    from docx import Document

    found = Document(str(path))
    cells = [cell.text for table in found.tables for row in table.rows for cell in row.cells]
    return "\n".join([*(paragraph.text for paragraph in found.paragraphs), *cells])


def openpyxl(path):
    from openpyxl import load_workbook

    rows = (row for sheet in load_workbook(path) for row in sheet.iter_rows(values_only=True))
    return "\n".join(str(value) for row in rows for value in row if value is not None)


def pptx(path):
    from pptx import Presentation

    shapes = (shape for slide in Presentation(str(path)).slides for shape in slide.shapes)
    frames = (getattr(shape, "text_frame", None) for shape in shapes)
    return "\n".join(frame.text for frame in frames if frame is not None)


def rtf(path):
    from striprtf.striprtf import rtf_to_text

    return rtf_to_text(path.read_bytes().decode("cp1252", "replace"))


def mail(path):
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    return " ".join(str(part["Subject"] or "") for part in message.walk())


def text_of_json(path):
    return json.dumps(json.loads(path.read_text()))


def text_of_csv(path):
    return "\n".join(map(" ".join, csv.reader(io.StringIO(path.read_text()))))


def text_of_xml(path):
    return "".join(ET.parse(path).getroot().itertext())


READERS = {
    ".pdf": (pdfium, pypdf),
    ".docx": (docx, of_zip),
    ".xlsx": (openpyxl, of_zip),
    ".pptx": (pptx, of_zip),
    ".odt": (of_zip,),
    ".epub": (of_zip,),
    ".rtf": (rtf,),
    ".eml": (mail,),
    ".json": (text_of_json,),
    ".csv": (text_of_csv,),
    ".xml": (text_of_xml,),
}


def main():
    """Print a line for each file."""
    for name in sys.argv[1:]:
        found = {}
        for reader in READERS.get(Path(name).suffix, ()):
            try:
                text = reader(Path(name))
            except Exception as fault:
                print(f"{name} {reader.__name__}: {fault!r}", file=sys.stderr)
            else:
                found[reader.__name__] = text
        print(json.dumps({"file": name, "texts": found}), flush=True)


if __name__ == "__main__":
    main()
