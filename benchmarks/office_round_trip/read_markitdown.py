"""Read every file of a folder by MarkItDown: FOLDER OUTPUT."""

import json
import sys
from pathlib import Path

from markitdown import MarkItDown

if __name__ == "__main__":
    folder, output = sys.argv[1:]
    reader = MarkItDown()
    texts = {}
    for path in sorted(Path(folder).glob("*.*")):
        try:
            texts[path.name] = reader.convert(path).markdown
        except Exception as fault:  # what a reader cannot read counts as nothing found
            print(path.name, repr(fault))
            texts[path.name] = None
    Path(output).write_text(json.dumps(texts), encoding="utf-8")
