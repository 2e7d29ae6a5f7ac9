"""Bytes of unknown encoding to text."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE_ENCODINGS = re.compile(r"utf_(16|32)|big5|cp9(32|49|50)|euc|gb|hz|iso2022|johab|shift|koi8|cp125[1356]")
_LONGEST_SAMPLE = 65536
_LARGEST_CHAOS = 0.1
_LEAST_FOREIGN_SHARE = 0.15  # Latin text has fewer letters beyond ASCII


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The text, the encoding that it was read with, and the stray bytes that became U+FFFD."""

    text: str
    encoding: str
    replaced_bytes: int = 0


def decode_text(data: bytes) -> DecodedText:
    r"""Return the text of `data`: by its byte-order mark, as UTF-8, as a detected encoding, else as Windows-1252.

    Bytes that are not UTF-8 in a text that otherwise is are read as Windows-1252 one by one. Bytes that mean
    nothing there either become U+FFFD and are counted. Line ends become "\n".

    >>> decode_text(b"caf\xe9\r\n")
    DecodedText(text='café\n', encoding='windows-1252', replaced_bytes=0)
    """
    decoded = decode_bytes(data)
    return replace(decoded, text=decoded.text.replace("\r\n", "\n").replace("\r", "\n"))


def decode_bytes(data: bytes) -> DecodedText:
    r"""Return what `decode_text` does, with the line ends as they are.

    >>> decode_bytes(b"\xef\xbb\xbfa\r\n")
    DecodedText(text='a\r\n', encoding='utf-8-sig', replaced_bytes=0)
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decoded(data, encoding)
    try:
        return DecodedText(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        detected = _detected_encoding(data)
        return _decoded(data, detected) if detected else _mixed(data)


def repair_double_encoding(text: str) -> str:
    """Return `text` with UTF-8 that was once read as Windows-1252 turned back.

    >>> repair_double_encoding("RenÃ© and José")
    'René and José'
    """
    return _DOUBLE.sub(lambda match: _turned_back(match.group()), text)


def _decoded(data: bytes, encoding: str) -> DecodedText:
    text = data.decode(encoding, "replace")
    return DecodedText(text, encoding, text.count("\ufffd"))


def _detected_encoding(data: bytes) -> str | None:
    """Return a detected encoding that is neither UTF-8 nor a Latin one; None where Windows-1252 is as likely."""
    if _is_mostly_utf8(data[:_LONGEST_SAMPLE]):
        return None
    import charset_normalizer

    best = charset_normalizer.from_bytes(data[:_LONGEST_SAMPLE]).best()
    if best is None or best.chaos > _LARGEST_CHAOS or not _WIDE_ENCODINGS.match(best.encoding):
        return None
    foreign = _foreign_bytes(data[:_LONGEST_SAMPLE])
    is_likely = (
        b"\0" in data if "utf" in best.encoding else foreign > _LEAST_FOREIGN_SHARE * len(data[:_LONGEST_SAMPLE])
    )
    return best.encoding if is_likely else None


def _is_mostly_utf8(data: bytes) -> bool:
    """Return whether at least half of the bytes beyond ASCII are sound UTF-8, which is rare in any other encoding."""
    sound = data.decode("utf-8", "ignore").encode()
    return 2 * _foreign_bytes(sound) >= _foreign_bytes(data)


def _foreign_bytes(data: bytes) -> int:
    return sum(byte >= 0x80 for byte in data)


def _mixed(data: bytes) -> DecodedText:
    text = data.decode("utf-8", _STRAY_BYTES)
    return DecodedText(text, "windows-1252", text.count("\ufffd"))


def _stray_bytes(fault: UnicodeError) -> tuple[str, int]:
    """Read the bytes at which UTF-8 breaks off as Windows-1252, and go on behind them."""
    if not isinstance(fault, UnicodeDecodeError):
        raise fault
    return fault.object[fault.start : fault.end].decode("windows-1252", "replace"), fault.end


_STRAY_BYTES = "kohaku.windows-1252"
codecs.register_error(_STRAY_BYTES, _stray_bytes)


def _windows_character(byte: int) -> str:
    try:
        return bytes([byte]).decode("windows-1252")
    except UnicodeDecodeError:
        return chr(byte)


_CHARACTERS = {_windows_character(byte): byte for byte in range(0x80, 0x100)}


def _class_of(first: int, last: int) -> str:
    return "[" + "".join(re.escape(c) for c, byte in _CHARACTERS.items() if first <= byte <= last) + "]"


_TAIL = _class_of(0x80, 0xBF)
_DOUBLE = re.compile(
    f"{_class_of(0xC2, 0xDF)}{_TAIL}|{_class_of(0xE0, 0xEF)}{_TAIL}{{2}}|{_class_of(0xF0, 0xF4)}{_TAIL}{{3}}"
)


def _turned_back(run: str) -> str:
    try:
        return bytes(_CHARACTERS[character] for character in run).decode("utf-8")
    except UnicodeDecodeError:
        return run
