"""Which texts of a package are in what Kohaku reads of it? Every part that holds text is counted by an independent reader.

    python benchmarks/package_text.py [FILE_OR_FOLDER ...] [--data FOLDER]

Of Word, Excel, PowerPoint and OpenDocument files all text nodes of all parts count (diagrams, charts, comments, notes,
headers and footers too), of e-books their pages, of messages and calendars their texts. A word is a run of letters or
digits, and counts as often as it stands in its part. It is read if it is in our text or a title, named if it is in the
metadata or what `kohaku parse` lists (hidden and struck-out text, comments, unread parts), else missing. Numbers in cells
of workbooks are not compared, as they are read as their formats display them, and hidden cells are kept. Without paths the
files of FOLDER (default ../shared/data) and of the samples are read; those that Kohaku refuses do not count.
"""

import email
import email.policy
import json
import re
import unicodedata
import zipfile
from collections import Counter
from pathlib import Path

from lxml import etree, html
from shared_data import data_parser

from kohaku_lib.documents import parse_paths
from kohaku_lib.settings import DocumentsSettings

OFFICE = frozenset((".docx", ".xlsx", ".xlsm", ".pptx", ".odt", ".ods", ".odp"))
SUFFIXES = OFFICE | {".epub", ".eml", ".ics"}
WORD = re.compile(r"[^\W\d_]+|\d+")
LEAST = 4  # letters of a word that is looked for without blanks
NO_TEXT = re.compile(  # parts of programs: samples, prompts of layouts, settings, and copies of values
    r"(docProps|customXml|META-INF|word/glossary|ppt/(slide|notes|handout)(Masters|Layouts)|xl/(pivotCache|externalLinks))/"
    r"|ppt/diagrams/drawing|word/diagrams/drawing|xl/diagrams/drawing|(meta|settings|manifest)\.(xml|rdf)$"
)
NODES = [f"{{*}}{name}" for name in ("t", "v", "text", "noBreakHyphen", "sym", "cr", "ptab", "tab", "br")]
SYMBOL = re.compile(r"\S*¤\S*")  # a word with a character of a symbol font, which no independent reader knows
CALENDAR_TEXTS = re.compile(r"(?m)^(?:SUMMARY|LOCATION|DESCRIPTION)[;:].*")


def texts_of_part(name, data):
    """Yield the texts of a part of a package, each a paragraph."""
    if name.endswith((".xhtml", ".html", ".htm")):
        page = html.document_fromstring(data)
        etree.strip_elements(page, "head", "script", "style", "rt", "rp", with_tail=False)
        yield " ".join(page.itertext())
        return
    try:
        root = etree.fromstring(data)
    except etree.XMLSyntaxError:
        return
    is_odf = "opendocument" in (root.tag if isinstance(root.tag, str) else "")
    paragraphs = {}
    for node in root.iter("{*}p", "{*}h") if is_odf else root.iter(*NODES):
        if next(node.iterancestors("{*}Fallback", "{*}moveFrom", "{*}rt"), None) is not None:
            continue
        if (
            name.startswith("xl/worksheets/")
            and etree.QName(node).localname == "v"
            and node.getparent().get("t") != "str"
        ):
            continue
        if is_odf and next(node.iterancestors("{*}p", "{*}h"), None) is not None:
            continue
        holder = node if is_odf else next(node.iterancestors("{*}p", "{*}si", "{*}pt", "{*}tx"), node)
        paragraphs.setdefault(holder, []).append(
            ("".join(node.itertext()) if is_odf else node.text) or ("¤" if node.tag.endswith("}sym") else " ")
        )
    yield from (SYMBOL.sub(" ", "".join(texts)) for texts in paragraphs.values())


def texts_by_part(path):
    """Yield the name and the texts of each part of a file that holds text."""
    if path.suffix == ".ics":
        yield path.name, calendar_texts(path.read_text("utf-8"))
    elif path.suffix == ".eml":
        message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
        for number, part in enumerate(message.walk()):
            kind = part.get_content_type()
            if kind.startswith("text/"):
                text = part.get_content()
                page = html.fromstring(text).text_content() if kind == "text/html" else text
                yield f"{number} {kind}", calendar_texts(text) if kind == "text/calendar" else [page]
    else:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith((".xml", ".xhtml", ".html", ".htm")) and not NO_TEXT.search(name):
                    yield name, list(texts_of_part(name, archive.read(name)))


def calendar_texts(text):
    unfolded = re.sub(r"\r?\n[ \t]", "", text)
    return [re.sub(r"\\[nN]", " ", line.partition(":")[2]) for line in CALENDAR_TEXTS.findall(unfolded)]


def plain(text):
    return unicodedata.normalize("NFKC", text.replace("\xad", "")).casefold()


def our_texts(outcome):
    """Return what was read of a file and of what is attached to it, and what is named of it."""
    payload = outcome.payload or {"title": "", "sections": [], "metadata": {}}
    sections = payload["sections"] or []
    paths = [text for section in sections for text in section["metadata"].get("heading_path", ())]
    empty = [text for section in sections for _, text in section["metadata"].get("empty_headings", ())]
    read = [payload["title"], *paths, *empty, *(one["text"] for section in sections for one in section["paragraphs"])]
    named = [json.dumps(payload["metadata"], ensure_ascii=False).replace("\\n", "\n"), str(outcome.error or "")]
    for child in outcome.children:
        own, of_child = our_texts(child)
        read.append(own)
        named.append(of_child)
    return plain("\n".join(read)), plain("\n".join(named))


def lacking(words, text):
    """Return those of the words that a text lacks, each as often as it does."""
    squeezed = "".join(WORD.findall(text))
    missing = words - Counter(WORD.findall(text))
    for word in list(missing):
        if len(word) >= LEAST and squeezed.count(word) >= words[word]:
            del missing[word]
    return missing


def main():
    parser = data_parser(__doc__)
    parser.add_argument("paths", nargs="*", type=Path, help="files and folders to read instead")
    options = parser.parse_args()
    folders = options.paths or [options.data, Path("examples"), Path("data/sample"), Path("tests")]
    found = {path for folder in folders for path in ([folder] if folder.is_file() else folder.rglob("*"))}
    paths = sorted(path for path in found if path.suffix in SUFFIXES)
    sums, lines = {}, []
    for outcome in parse_paths(paths, DocumentsSettings(ocr="off", hidden_cells="keep")):
        if outcome.payload is None:
            continue  # refused, with its reason
        read, named = our_texts(outcome)
        counts = sums.setdefault(outcome.path.suffix, Counter())
        counts["files"] += 1
        for part, texts in texts_by_part(outcome.path):
            words = Counter(WORD.findall(plain("\n".join(texts))))
            unread = lacking(words, read)
            missing = Counter() if plain(part) in named else lacking(unread, named)
            counts.update(words=words.total(), unread=unread.total(), missing=missing.total())
            if missing:
                lines.append(f"{outcome.path} {part}: {dict(missing.most_common(40))}")
    print("| format | files | words | read | named | missing |\n| --- | --- | --- | --- | --- | --- |")
    for suffix, counts in sorted(sums.items()):
        words = max(counts["words"], 1)
        shares = (words - counts["unread"], counts["unread"] - counts["missing"], counts["missing"])
        print(f"| {suffix} | {counts['files']} | {counts['words']} |", *(f"{one / words:.4f} |" for one in shares))
    print("", *lines, sep="\n")


if __name__ == "__main__":
    main()
