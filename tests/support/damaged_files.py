"""Files that are cut, flipped or nested: what comes of each is a document or one sentence of refusal."""

import base64
import io
import random
import zipfile

import docx
import openpyxl
import pptx
from odf_files import odf_file
from outlook_file import outlook_file

DEEP = 3000  # levels
_EPUB = {
    "META-INF/container.xml": "<container><rootfiles><rootfile full-path='b.opf'/></rootfiles></container>",
    "b.opf": "<package><manifest><item id='a' href='a.xhtml' media-type='application/xhtml+xml'/></manifest>"
    "<spine><itemref idref='a'/></spine></package>",
    "a.xhtml": "<html><body><h1>Hives</h1>" + "<p>Nine hundred bees hum in the oak tree.</p>" * 40 + "</body></html>",
}
_RTF = b"{\\rtf1\\ansi\\ansicpg1252 " + b"Nine hundred bees hum in the caf\\'e9.\\par " * 40 + b"}"
_XML = "<hives>" + "".join(f"<hive no='{no}'><bees>{no}00</bees></hive>" for no in range(1, 60)) + "</hives>"
_JSON = "[" + ",".join(f'{{"hive": {no}, "bees": {no}00}}' for no in range(1, 60)) + "]"


def damaged_files(good, folder, seed=0):
    """Write damaged and nested files into `folder`, the damaged ones from the `good` files and from small ones made here.

    Of each there is one cut after a third, one cut before its end and one with flipped bits.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    for path in [*good, *_made_files(folder / "good")]:
        data = path.read_bytes()
        flipped = bytearray(data)
        for place in rng.sample(range(len(data)), max(3, len(data) // 1000)):
            flipped[place] ^= 1 << rng.randrange(8)
        for kind, bytes_ in (("cut", data[: len(data) // 3]), ("end", data[: -len(data) // 20]), ("flip", flipped)):
            (folder / f"{path.suffix[1:]}-{kind}-{path.name}").write_bytes(bytes_)
    for name, data in _nested_files().items():
        (folder / name).write_bytes(data)
    return sorted(path for path in folder.iterdir() if path.is_file())


def _made_files(folder):
    folder.mkdir()
    body = "<text:p>Nine hundred bees hum in the oak tree.</text:p>" * 40
    made = {
        "hives.epub": zipped(_EPUB),
        "hives.rtf": _RTF,
        "hives.csv": b"hive,bees\n" + b"7,900\n" * 60,
        "hives.eml": b"From: Ida <ida@x.example>\nSubject: Hives\n\n" + b"Nine hundred bees hum.\n" * 60,
        "hives.html": _EPUB["a.xhtml"].encode(),
        "hives.xml": _XML.encode(),
        "hives.json": _JSON.encode(),
        "hives.msg": outlook_file({0x0037: "Hives", 0x1000: "Nine hundred bees hum. " * 300}),
    }
    for name, data in made.items():
        (folder / name).write_bytes(data)
    paths = [folder / f"hives.{suffix}" for suffix in ("docx", "xlsx", "pptx")]
    word, book, deck = docx.Document(), openpyxl.Workbook(), pptx.Presentation()
    for number in range(40):
        word.add_paragraph(f"Hive {number} hums in the oak tree.")
        book.active.append([f"Hive {number}", number * 100])
    deck.slides.add_slide(deck.slide_layouts[0]).shapes.title.text = "Nine hundred bees hum."
    for file, path in zip((word, book, deck), paths, strict=True):
        file.save(str(path))
    return [odf_file(folder / "hives.odt", body), *paths, *(folder / name for name in made)]


def _nested_files():
    """Return files by their names: containers within each other, and elements within elements."""
    mail, archive = b"Subject: Hive\n\nBees hum.\n", zipped({"a.txt": "Bees hum."})
    for _ in range(60):
        mail = b'Subject: Hive\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (
            (len(mail),) * 2
        ) + b"Content-Type: message/rfc822\n\n%s\n--b%d--\n" % (mail, len(mail))
    wrapped = b"Subject: Hive\n\nBees hum.\n"
    for _ in range(12):
        wrapped = (
            b"Subject: Hive\nMIME-Version: 1.0\nContent-Type: application/octet-stream; name=a.eml\n"
            b"Content-Disposition: attachment; filename=a.eml\nContent-Transfer-Encoding: base64\n\n"
            + base64.encodebytes(wrapped)
        )
    for _ in range(20):
        archive = zipped({"a.zip": archive})
    word = (
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
        + "<w:tbl><w:tr><w:tc>" * DEEP
    )
    return {
        "eml-nested.eml": mail,
        "eml-wrapped.eml": wrapped,
        "docx-zip-in-zip.docx": archive,
        "xlsx-zip-in-zip.xlsx": archive,
        "epub-zip-in-zip.epub": archive,
        "docx-deep.docx": zipped({"[Content_Types].xml": "<Types/>", "word/document.xml": word}),
        "docx-of-text.docx": b"Bees hum.",
        "pdf-of-html.pdf": b"<html>Bees hum.</html>",
        "pdf-empty.pdf": b"",
        "json-deep.json": b"[" * DEEP + b"1" + b"]" * DEEP,
        "json-very-deep.json": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        "xml-deep.xml": b"<a>" * DEEP + b"bees" + b"</a>" * DEEP,
        "xml-laughs.xml": b'<!DOCTYPE a [<!ENTITY a "bees">'
        + b"".join(b'<!ENTITY a%d "%s">' % (no, (b"&a%d;" % (no - 1) if no else b"&a;") * 10) for no in range(12))
        + b"]><a><p>Bees hum.</p><p>&a11;</p></a>",
        "html-deep.html": b"<div>" * DEEP + b"bees hum" + b"</div>" * DEEP,
        "html-deep-lists.html": b"<ul><li>bees" * DEEP,
        "html-deep-tables.html": b"<table><tr><td>bees" * DEEP,
        "rtf-deep.rtf": b"{\\rtf1 " + b"{" * 50_000 + b"bees hum" + b"}" * 50_000 + b"}",
        "rtf-open.rtf": b"{\\rtf1 bees hum " + b"{\\footnote " * 20_000,
        "csv-quote.csv": b'hive,bees\n1,"900\n' + b"2,70\n" * 2000,
    }


def zipped(parts):
    """Return a zip file of texts or bytes by their names."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return whole.getvalue()
