"""Files embedded in Word, Excel and PowerPoint files are documents of their own below them, as those attached to mails are."""

import io
import struct
import zipfile

import pymupdf
import pytest
from drawn_parts import replaced
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook
from outlook_file import compound_file
from pptx import Presentation
from word_files import p, word_file

from kohaku_lib.documents import parse_paths
from kohaku_lib.documents.formats.office.embedded import embedded_files, files_within_office
from kohaku_lib.settings import DocumentsSettings


def workbook():
    book, saved = Workbook(), io.BytesIO()
    book.active["A1"] = "Wax 7 kg"
    book.save(saved)
    return saved.getvalue()


def docx(folder):
    return word_file(folder / "a.docx", p("Seen.")), "word"


def xlsx(folder):
    (folder / "a.xlsx").write_bytes(workbook())
    return folder / "a.xlsx", "xl"


def pptx(folder):
    slides = Presentation()
    slides.slides.add_slide(slides.slide_layouts[5]).shapes.title.text = "Seen."
    slides.save(folder / "a.pptx")
    return folder / "a.pptx", "ppt"


def packed(name, data, size=None):
    """Return an object of the Windows packer, with a file in it."""
    source, saved = b"C:\\files\\x\0", b"C:\\temp\\x\0"
    length = len(data) if size is None else size
    content = struct.pack("<H", 2) + name + b"\0" + source + struct.pack("<HHI", 0, 3, len(saved)) + saved
    content += struct.pack("<I", length) + data
    return compound_file({"\x01Ole10Native": struct.pack("<I", len(content)) + content})


def pdf():
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "Gate 5 opens at nine.")
        return document.tobytes()


@pytest.mark.parametrize("made", [docx, xlsx, pptx])
def test_embedded_files_are_documents_below_the_file(tmp_path, made):
    path, folder = made(tmp_path)
    inner = word_file(tmp_path / "inner.docx", p("Deeper."))
    replaced(inner, {}, {"word/embeddings/deep.bin": packed(b"deep.txt", b"Deepest.")})
    added = {
        "book.xlsx": workbook(),
        "letter.docx": inner.read_bytes(),
        "object1.bin": packed("Über uns.txt".encode("windows-1252"), b"Founded in 1961."),
        "object2.bin": compound_file({"CONTENTS": pdf()}),
        "object3.bin": compound_file({"Equation Native": b"x"}),
    }
    replaced(path, {}, {f"{folder}/embeddings/{name}": data for name, data in added.items()})
    (found,) = parse_paths([path], DocumentsSettings(), 1)
    listed = [*found.children, *(one for child in found.children for one in child.children)]
    texts = {one.path.relative_to(path).as_posix(): one.payload["text"] for one in listed}
    assert texts == {
        "book.xlsx": "Wax 7 kg",
        "letter.docx": "Deeper.",
        "letter.docx/deep.txt": "Deepest.",
        "object2.pdf": "Gate 5 opens at nine.",
        "Über uns.txt": "Founded in 1961.",
    }
    unread = f"file {folder}/embeddings/object3.bin"
    assert found.payload["metadata"]["unread_parts"] == {"count": 1, "first": [unread]}


@pytest.mark.parametrize("data", [packed(b"a.txt", b"All.", size=99), packed(b"", b"All."), b"\xd0\xcf", b""])
def test_an_object_without_a_whole_file_is_none(tmp_path, data):
    path, folder = docx(tmp_path)
    assert files_within_office(replaced(path, {}, {f"{folder}/embeddings/a.bin": data})).files == ()


@given(st.integers(0, 3000), st.binary(min_size=1, max_size=8))
def test_a_damaged_object_stops_nothing(at, data):
    whole = packed(b"a.txt", b"All." * 100)
    holder = io.BytesIO()
    with zipfile.ZipFile(holder, "w") as archive:
        archive.writestr("word/embeddings/a.bin", whole[:at] + data + whole[at + len(data) :])
        archive.writestr("word/embeddings/b.bin", whole)
    with zipfile.ZipFile(holder) as archive:
        assert embedded_files(archive)["word/embeddings/b.bin"].data == b"All." * 100
