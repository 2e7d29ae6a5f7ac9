"""Write the documents of office_round_trip.py, and what each holds as truth.json: FOLDER SEED FORMAT ..."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import write_book
import write_excel
import write_mail
import write_odf
import write_rtf
import write_slides
import write_word
from content import Content

WRITERS = {
    "docx": write_word,
    "xlsx": write_excel,
    "pptx": write_slides,
    "odt": write_odf,
    "rtf": write_rtf,
    "eml": write_mail,
    "msg": write_mail,
    "epub": write_book,
}
COUNTS = {"msg": 4}  # of the same messages as .eml
DOCUMENTS = 8

if __name__ == "__main__":
    folder, seed, *formats = sys.argv[1:]
    truth = {}
    for form in formats:
        for number in range(COUNTS.get(form, DOCUMENTS)):
            content = Content(f"{seed} {form} {number}")
            name = f"{number}.{form}"
            WRITERS[form].write(Path(folder) / name, content)
            truth[name] = content.as_json()
    (Path(folder) / "truth.json").write_text(json.dumps(truth), encoding="utf-8")
