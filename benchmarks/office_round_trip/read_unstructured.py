"""Read every file of a folder by Unstructured, tables as HTML, with the names of sheets and the subjects: FOLDER OUTPUT.

Its model of English, which only names the kinds of the elements, does not come by pip; an empty one stands in for it.
"""

import json
import sys
from pathlib import Path
from typing import Any

import spacy
from unstructured.partition.auto import partition


def _empty_model(*_: Any, **__: Any) -> spacy.Language:
    model = spacy.blank("en")
    model.add_pipe("sentencizer")
    return model


if __name__ == "__main__":
    folder, output = sys.argv[1:]
    spacy.load = _empty_model
    texts = {}
    for path in sorted(Path(folder).glob("*.*")):
        options = {"process_attachments": True} if path.suffix in {".eml", ".msg"} else {}
        try:
            elements = partition(str(path), **options)
            named = (
                (one.metadata.page_name, one.metadata.subject, one.metadata.text_as_html or one.text)
                for one in elements
            )
            pieces = dict.fromkeys(piece for group in named for piece in group if piece)  # a name once
            texts[path.name] = "\n\n".join(pieces)
        except Exception as fault:  # what a reader cannot read counts as nothing found
            print(path.name, repr(fault))
            texts[path.name] = None
    Path(output).write_text(json.dumps(texts), encoding="utf-8")
