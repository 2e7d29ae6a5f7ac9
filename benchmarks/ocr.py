"""Reads images and scanned PDFs by every OCR engine at hand, with tiling and without, and compares with the truth.

Usage: python benchmarks/ocr.py [--data FOLDER] [--engines rapidocr,tesseract] [--images-only]

FOLDER (default KOHAKU_SHARED_DATA, else ../shared/data) holds ocr/ and pdfs/. Errors are edits per character of the
reference, blanks counted as one, on the document's text in reading order; words found are those of the reference
that appear anywhere. Seconds are processor time on all cores, so that other work on the machine counts little. A
page of small print (2,000 words in 4,800 x 3,600 pixels), drawn here, is the hardest case for reading at once.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rapidfuzz.distance import Levenshtein
from shared_data import data_parser

from kohaku_lib.documents import parse_file
from kohaku_lib.documents.ocr import chosen_engine, open_engine
from kohaku_lib.documents.ocr.tesseract import tesseract_version
from kohaku_lib.errors import DocumentError
from kohaku_lib.settings import DocumentsSettings

IMAGES = {
    "ocr/phototest.tif": "ocr/phototest.gold.txt",
    "ocr/eurotext.tif": "ocr/eurotext.txt",
    "ocr/8071_093.3B.tif": "ocr/8071_093.3B.txt",
    "ocr/linn.png": "ocr/linn.txt",
    "ocr/table-multi-row-column-cells.png": None,
}
SCANS = {
    "pdfs/ocrmypdf/linn.pdf": "ocr/linn.txt",
    "pdfs/ocrmypdf/skew.pdf": "ocr/linn.txt",
    "pdfs/olmocr-gnarly/edgar_image.pdf": "pdfs/olmocr-gnarly/edgar.md",
    "pdfs/olmocr-gnarly/dolma-page-1.pdf": None,
    "pdfs/olmocr-bench/pdfs/lincoln_letter.pdf": None,
    "pdfs/olmocr-bench/pdfs/blank_book_pg1.pdf": None,
    "pdfs/unstructured/table-multi-row-column-cells.pdf": None,
    "pdfs/ocrmypdf/c02-22.pdf": None,
    "pdfs/ocrmypdf/multipage.pdf": None,
}


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        small = _small_print(Path(folder))
        images = [*((options.data / name, _truth(options.data, truth)) for name, truth in IMAGES.items()), small]
        scans = [(options.data / name, _truth(options.data, truth)) for name, truth in SCANS.items()]
        print(
            "| file | engine | tiling | CPU s | characters | error rate | words found |\n|---|---|---|---|---|---|---|"
        )
        for engine in options.engines.split(",") if options.engines else _engines():
            open_engine(_settings(engine))
            for path, truth in images:
                for tiling in ("off", "auto", "always") if _is_large(path) else ("off",):
                    _print_row(path, truth, _settings(engine, tiling))
            for path, truth in [] if options.images_only else scans:
                _print_row(path, truth, _settings(engine))
    print(
        "\nLeft out: tiling of images that are not larger than documents.tile_threshold, where it changes nothing",
        end="",
    )
    print("; all PDFs." if options.images_only else ".")


def _options() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("--engines", help="names parted by commas; all that are installed by default")
    parser.add_argument("--images-only", action="store_true", help="leave the PDFs out")
    return parser.parse_args()


def _engines() -> Iterator[str]:
    if chosen_engine("auto") == "rapidocr":
        yield "rapidocr"
    if tesseract_version() is not None:
        yield "tesseract"


def _settings(engine: str, tiling: str = "auto") -> DocumentsSettings:
    return DocumentsSettings.model_validate({"ocr": engine, "tiling": tiling, "time_limit_s": 1200})


def _truth(data: Path, name: str | None) -> Path | None:
    return data / name if name else None


def _is_large(path: Path) -> bool:
    from PIL import Image

    with Image.open(path) as image:
        return max(image.size) > DocumentsSettings().tile_threshold


def _cpu_s() -> float:
    """Return the processor time of this process, its threads and the commands it has run."""
    return sum(os.times()[:4])


def _print_row(path: Path, truth: Path | None, settings: DocumentsSettings) -> None:
    start = _cpu_s()
    try:
        text = parse_file(path, settings=settings).text
    except DocumentError as fault:
        text = ""
        print(f"<!-- {fault} -->")
    seconds = _cpu_s() - start
    errors, found = ("", "") if truth is None else _compared(text, truth.read_text(encoding="utf-8"))
    tiling = settings.tiling
    print(f"| {path.name} | {settings.ocr} | {tiling} | {seconds:.1f} | {len(text)} | {errors} | {found} |", flush=True)


def _compared(text: str, truth: str) -> tuple[str, str]:
    plain, wanted = (re.sub(r"\s+", " ", re.sub(r"[#*|]|-\s*\n\s*", "", value)).strip() for value in (text, truth))
    words = set(re.findall(r"\w{3,}", wanted))
    found = len(words & set(re.findall(r"\w{3,}", plain))) / len(words)
    return f"{Levenshtein.distance(plain, wanted) / len(wanted):.3f}", f"{found:.3f}"


def _small_print(folder: Path) -> tuple[Path, Path]:
    """Draw words in letters of 26 pixels on a large image, and return it and the text."""
    from PIL import Image, ImageDraw, ImageFont

    names = (
        "amber",
        "harbour",
        "signal",
        "meadow",
        "copper",
        "lantern",
        "bridge",
        "window",
        "orchard",
        "thunder",
        "pencil",
    )
    words = [f"{names[n * 7 % len(names)]}{n % 10}" for n in range(2000)]
    lines = [" ".join(words[start : start + 40]) for start in range(0, len(words), 40)]
    image = Image.new("L", (4800, 3600), 255)
    font = ImageFont.load_default(26)
    for number, line in enumerate(lines):
        ImageDraw.Draw(image).text((60, 60 + 68 * number), line, fill=0, font=font)
    image.save(folder / "small-print.png")
    (folder / "small-print.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder / "small-print.png", folder / "small-print.txt"


if __name__ == "__main__":
    main()
