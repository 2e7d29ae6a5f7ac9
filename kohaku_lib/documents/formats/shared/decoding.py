"""Decode bytes of unknown encoding."""

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
_LEAST_FOREIGN_SHARE = 0.15  # Latin text has fewer non-ASCII letters


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The decoded text, the encoding used, and the number of bytes replaced by U+FFFD."""

    text: str
    encoding: str
    replaced_bytes: int = 0


def decode_text(data: bytes) -> DecodedText:
    r"""Decode `data` by its byte-order mark, as UTF-8, as a detected encoding, or as Windows-1252, in this order.

    Single invalid bytes in UTF-8 text are decoded as Windows-1252; bytes undefined there as well become U+FFFD and are
    counted. Line ends become "\n".

    >>> decode_text(b"caf\xe9\r\n")
    DecodedText(text='café\n', encoding='windows-1252', replaced_bytes=0)
    """
    decoded = decode_bytes(data)
    return replace(decoded, text=decoded.text.replace("\r\n", "\n").replace("\r", "\n"))


def decode_bytes(data: bytes) -> DecodedText:
    r"""Decode as `decode_text` does, but keep the line ends.

    >>> decode_bytes(b"\xef\xbb\xbfa\r\n")
    DecodedText(text='a\r\n', encoding='utf-8-sig', replaced_bytes=0)
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode_as(data, encoding)
    try:
        return DecodedText(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        detected = _detected_encoding(data)
        return _decode_as(data, detected) if detected else _decode_mixed(data)


def repair_double_encoding(text: str) -> str:
    """Return `text` with UTF-8 that was decoded as Windows-1252 restored.

    >>> repair_double_encoding("RenÃ© and José")
    'René and José'
    """
    return _DOUBLE.sub(lambda match: _restore(match.group()), text)


def _decode_as(data: bytes, encoding: str) -> DecodedText:
    text = data.decode(encoding, "replace")
    return DecodedText(text, encoding, text.count("\ufffd"))


def _detected_encoding(data: bytes) -> str | None:
    """Return a detected encoding that is neither UTF-8 nor Latin, None if Windows-1252 is as likely."""
    if _is_mostly_utf8(data[:_LONGEST_SAMPLE]):
        return None
    import charset_normalizer

    best = charset_normalizer.from_bytes(data[:_LONGEST_SAMPLE]).best()
    if best is None or best.chaos > _LARGEST_CHAOS or not _WIDE_ENCODINGS.match(best.encoding):
        return None
    non_ascii = _count_non_ascii(data[:_LONGEST_SAMPLE])
    is_likely = (
        b"\0" in data if "utf" in best.encoding else non_ascii > _LEAST_FOREIGN_SHARE * len(data[:_LONGEST_SAMPLE])
    )
    return best.encoding if is_likely else None


def _is_mostly_utf8(data: bytes) -> bool:
    """Return whether at least half of the non-ASCII bytes are valid UTF-8, which is rare in other encodings."""
    sound = data.decode("utf-8", "ignore").encode()
    return 2 * _count_non_ascii(sound) >= _count_non_ascii(data)


def _count_non_ascii(data: bytes) -> int:
    return sum(byte >= 0x80 for byte in data)


def _decode_mixed(data: bytes) -> DecodedText:
    text = data.decode("utf-8", _STRAY_BYTES)
    return DecodedText(text, "windows-1252", text.count("\ufffd"))


def _stray_bytes(fault: UnicodeError) -> tuple[str, int]:
    """Codec error handler that decodes invalid UTF-8 bytes as Windows-1252."""
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


def _restore(run: str) -> str:
    try:
        return bytes(_CHARACTERS[character] for character in run).decode("utf-8")
    except UnicodeDecodeError:
        return run
