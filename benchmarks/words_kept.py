"""Which words of the documents are in what Kohaku reads of them? An independent reader counts them.

    python benchmarks/words_kept.py --readers PYTHON [--data FOLDER] [--worst 10]

PYTHON has pypdfium2, which reads the PDFs of FOLDER; of Word files, presentations and workbooks the text nodes count that
are shown, of messages the parts of plain text. A word is a run of letters or digits, and counts as often as it stands
there. It is kept if it is in our text and titles, in the text of a figure, or in the lines removed as running heads,
or in hidden text of Word files, which `kohaku parse` lists; hidden cells of workbooks are not. A word that is divided or
joined in another way is looked
for in our text without blanks. PDFs without a text layer are left out. FOLDER is the one that holds pdfs and cases
(default ../shared/data).
"""

import email
import email.policy
import json
import re
import subprocess
import unicodedata
import zipfile
from collections import Counter

from lxml import etree
from shared_data import data_parser

from kohaku_lib.documents import parse_paths
from kohaku_lib.documents.lost_parts import struck_texts
from kohaku_lib.settings import DocumentsSettings

WORD = re.compile(r"[^\W\d_]+|\d+")
DIVIDED = re.compile(r"[-‐\xad\x02\ufffe]\s*\n\s*")
TEXTS = {
    ".docx": r"word/(document|footnotes|endnotes)\.xml",
    ".pptx": r"ppt/slides/slide\d+\.xml",
    ".xlsx": r"xl/(sharedStrings|worksheets/sheet\d+)\.xml",
}
SHOWN = "//*[local-name()='t'][not(ancestor::*[local-name()='Fallback' or local-name()='moveFrom'])]"
LEAST = 4  # letters of a word that is looked for without blanks


def kept(theirs, ours):
    """Return how many words there are, and those that are missing, each as often as it is."""
    words, found = (Counter(WORD.findall(text)) for text in (DIVIDED.sub("", theirs), ours))
    squeezed = "".join(WORD.findall(ours))
    missing = words - found
    for word in list(missing):
        if len(word) >= LEAST and squeezed.count(word) >= words[word]:
            del missing[word]
    return words.total(), missing


def plain(text):
    return unicodedata.normalize("NFKC", text).casefold()


def our_text(outcome):
    """Return all that `kohaku parse` tells of a document and of what is attached to it."""
    payload = outcome.payload or {"title": "", "sections": None, "metadata": {}}
    sections = payload["sections"] or []
    paragraphs = [paragraph for section in sections for paragraph in section["paragraphs"]]
    removed = [text for _, text in payload["metadata"].get("removed_lines", ())]
    removed += [
        *payload["metadata"].get("hidden_text", ()),
        *struck_texts(payload["metadata"])[1],
        *map(our_text, outcome.children),
    ]
    figures = [str(one["metadata"].get(key) or "") for one in paragraphs for key in ("page_caption", "figure_text")]
    headings = {text for section in sections for text in section["metadata"].get("heading_path", ())}
    headings |= {text for section in sections for _, text in section["metadata"].get("empty_headings", ())}
    titles = [payload["title"], *(section["title"] for section in sections), *sorted(headings)]
    return "\n".join([*titles, *(paragraph["text"] for paragraph in paragraphs), *figures, *removed])


def their_text(path, readers):
    if path.suffix == ".pdf":
        command = [readers, "benchmarks/peers/read_files.py", path]
        lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
        return json.loads(lines[0])["texts"].get("pdfium", "") if lines else ""
    if path.suffix == ".eml":
        message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
        return "\n".join(part.get_content() for part in message.walk() if part.get_content_type() == "text/plain")
    with zipfile.ZipFile(path) as archive:
        parts = [archive.read(name) for name in archive.namelist() if re.fullmatch(TEXTS[path.suffix], name)]
    return "\n".join(
        "".join(node.text or "" for node in nodes) for part in parts for nodes in paragraphs_of(etree.fromstring(part))
    )


def paragraphs_of(root):
    """Yield the text nodes of each paragraph, which may cut words up."""
    by_paragraph = {}
    for node in root.xpath(SHOWN):
        paragraph = next(node.iterancestors("{*}p", "{*}si"), node)
        by_paragraph.setdefault(paragraph, []).append(node)
    return by_paragraph.values()


def main():
    parser = data_parser(__doc__)
    parser.add_argument("--readers", metavar="PYTHON", required=True, help="the Python that has pypdfium2")
    parser.add_argument("--worst", type=int, default=10, help="documents whose missing words are printed")
    options = parser.parse_args()
    folders = [options.data / "pdfs", options.data / "cases"]
    paths = sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in {".pdf", ".eml", *TEXTS})
    paths = [path for path in paths if "broken" not in path.parts]
    rows = []
    for outcome in parse_paths(paths, DocumentsSettings(ocr="off")):
        if outcome.payload is not None:
            theirs = plain(their_text(outcome.path, options.readers))
            rows.append((outcome.path.relative_to(options.data), *kept(theirs, plain(our_text(outcome)))))
    print("| format | documents | words | kept |\n| --- | --- | --- | --- |")
    for suffix in (*sorted({path.suffix for path, *_ in rows}), ""):
        of_format = [(count, missing.total()) for path, count, missing in rows if path.suffix.endswith(suffix)]
        words, lost = (sum(row[place] for row in of_format) for place in (0, 1))
        print(f"| {suffix or 'all'} | {len(of_format)} | {words} | {1 - lost / max(1, words):.4f} |")
    for path, count, missing in sorted(rows, key=lambda row: -row[2].total() / max(1, row[1]))[: options.worst]:
        print(f"\n{path}: {missing.total()} of {count} missing\n  {dict(missing.most_common(40))}")


if __name__ == "__main__":
    main()
