"""Write the documents of office_round_trip.py, and what each holds as truth.json: FOLDER SEED FORMAT ..."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path

from content import Content

WRITERS = {
    "docx": "write_word",
    "xlsx": "write_excel",
    "pptx": "write_slides",
    "odt": "write_odf",
    "rtf": "write_rtf",
    "eml": "write_mail",
    "msg": "write_mail",
    "epub": "write_book",
}
COUNTS = {"msg": 4}  # of the same messages as .eml
DOCUMENTS = 8
FURTHER = ("docx", "xlsx", "eml", "ics", "pdf")

if __name__ == "__main__":
    folder, seed, *formats = sys.argv[1:]
    documents = [
        (WRITERS[form], f"{seed} {form} {number}", f"{number}.{form}")
        for form in formats
        if form in WRITERS
        for number in range(COUNTS.get(form, DOCUMENTS))
    ]
    if "further" in formats:
        documents += [("write_further", f"{seed} further {form}", f"further.{form}") for form in FURTHER]
    truth = {}
    for module, named, name in documents:
        content = Content(named)
        import_module(module).write(Path(folder) / name, content)
        truth[name] = content.as_json()
    (Path(folder) / "truth.json").write_text(json.dumps(truth), encoding="utf-8")
