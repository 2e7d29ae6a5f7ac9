"""The `tesseract` command as an OCR engine."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from kohaku_lib.documents.ocr.engine import Corners, OcrLine, Pixels
from kohaku_lib.documents.worker.memory_limit import limit_ocr_command
from kohaku_lib.errors import DocumentError, ModelError

PROGRAM = "tesseract"
TESSERACT_COMMANDS = "apt install tesseract-ocr, brew install tesseract"
_WORD = "5"  # the level of word rows in Tesseract's TSV
_LEAST_WORD_CONFIDENCE = 20.0  # percent; lower ones are specks and rules
_LEAST_WORDS_FOR_SLOPE = 3


class TesseractEngine:
    """The `tesseract` command for texts in `language` ("eng", "deu+fra"), on one core, `time_limit_s` per image.

    Its threads wait for each other in busy loops: on a shared machine two are far slower than one.

    Raises:
        ModelError: The command or the language data are not installed.

    """

    def __init__(self, language: str, time_limit_s: float) -> None:
        self._language = language
        self._time_limit_s = time_limit_s
        self._environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
        _check_language(language, tesseract_languages())

    def read(self, pixels: Pixels) -> list[OcrLine]:
        """Return the lines on `pixels`.

        Raises:
            DocumentError: The command fails or exceeds the time limit.

        """
        command = [PROGRAM, "stdin", "stdout", "-l", self._language, "--psm", "3", "tsv"]
        size = f"an image of {pixels.shape[1]} x {pixels.shape[0]} pixels"
        try:
            code, table, stderr = self._run_command(command, _portable_pixmap(pixels))
        except subprocess.TimeoutExpired as fault:
            msg = f"tesseract takes longer than {self._time_limit_s:g} s to read {size}; raise documents.time_limit_s"
            raise DocumentError(msg) from fault
        if code:
            reason = " ".join(stderr.decode(errors="replace").split())[-200:]
            msg = f"tesseract cannot read {size} ({reason})"
            raise DocumentError(msg) from subprocess.CalledProcessError(code, PROGRAM)
        return lines_of_tsv(table.decode(errors="replace"))

    def _run_command(self, command: list[str], picture: bytes) -> tuple[int, bytes, bytes]:
        """Return the exit code, standard output and standard error of `command`."""
        with subprocess.Popen(  # noqa: S603 - the language is one that Tesseract itself listed
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self._environment,
        ) as process:
            try:
                limit_ocr_command(process.pid)
                stdout, stderr = process.communicate(picture, self._time_limit_s)
            finally:
                process.kill()
        return process.returncode, stdout, stderr


def lines_of_tsv(table: str) -> list[OcrLine]:
    """Return the lines in Tesseract's TSV output of words with boxes and confidences in percent.

    A line's corners follow the slope of its words; its confidence is their mean weighted by length.
    """
    lines: dict[tuple[str, ...], list[Mapping[str, str]]] = {}
    for row in csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE):
        if row["level"] == _WORD and row["text"].strip() and float(row["conf"]) >= _LEAST_WORD_CONFIDENCE:
            lines.setdefault((row["block_num"], row["par_num"], row["line_num"]), []).append(row)
    return [_line_of_words(words) for words in lines.values()]


@cache
def tesseract_version() -> str | None:
    """Return the version of the `tesseract` command, such as "5.3.0"; None if it is not installed."""
    if shutil.which(PROGRAM) is None:
        return None
    first = _command_output(["--version"]).splitlines()[:1]
    return first[0].removeprefix(PROGRAM).strip() if first else "unknown"


@cache
def tesseract_languages() -> tuple[str, ...]:
    """Return the installed languages.

    Raises:
        ModelError: The `tesseract` command is not installed.

    """
    if shutil.which(PROGRAM) is None:
        msg = (
            "documents.ocr = 'tesseract' needs the command tesseract, which is not on PATH; "
            f"install it ({TESSERACT_COMMANDS}), or set documents.ocr to 'rapidocr' or 'off'"
        )
        raise ModelError(msg)
    return tuple(sorted(line.strip() for line in _command_output(["--list-langs"]).splitlines()[1:] if line.strip()))


def _check_language(language: str, known: Sequence[str]) -> None:
    for part in language.split("+"):
        if part not in known:
            msg = (
                f"documents.ocr_language names {part!r}, but tesseract has data for {', '.join(known) or 'no language'} "
                "only; install that language's data or name another one"
            )
            raise ModelError(msg)


def _command_output(arguments: list[str]) -> str:
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=30)  # noqa: S603
    return done.stdout


def _portable_pixmap(pixels: Pixels) -> bytes:
    height, width = pixels.shape[:2]
    return b"P6\n%d %d\n255\n" % (width, height) + pixels.tobytes()


def _line_of_words(words: Sequence[Mapping[str, str]]) -> OcrLine:
    letters = [len(word["text"]) for word in words]
    mean = sum(float(word["conf"]) * n for word, n in zip(words, letters, strict=True)) / sum(letters)
    return OcrLine(" ".join(word["text"] for word in words), _sloped_corners(words), mean / 100)


def _sloped_corners(words: Iterable[Mapping[str, str]]) -> Corners:
    """Return a parallelogram around the words with the slope of a line fitted to their bottom edges."""
    import numpy as np

    boxes = np.array([[float(word[name]) for name in ("left", "top", "width", "height")] for word in words])
    left, top, right, bottom = boxes[:, 0], boxes[:, 1], boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3]
    slope = 0.0
    middles = (left + right) / 2
    if len(boxes) >= _LEAST_WORDS_FOR_SLOPE and np.ptp(middles) > 1:  # words above each other have no slope
        slope = float(np.polyfit(middles, bottom, 1)[0])
    start, end = float(left.min()), float(right.max())
    fall = slope * (end - start)
    above = float((top - slope * (left - start)).min())
    below = float((bottom - slope * (left - start)).max())
    return (start, above), (end, above + fall), (end, below + fall), (start, below)
