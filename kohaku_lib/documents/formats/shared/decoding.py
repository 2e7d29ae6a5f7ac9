"""Decode bytes of unknown encoding."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace

from kohaku_lib.documents.formats.shared.likely_encoding import likelihood, likely_encoding, telling_part

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The decoded text, the encoding used, the number of bytes replaced by U+FFFD, and whether another may be right."""

    text: str
    encoding: str
    replaced_bytes: int = 0
    is_unsure: bool = False


def decode_text(data: bytes) -> DecodedText:
    r"""Decode `data` by its byte-order mark, as UTF-8, or in the likeliest encoding (see `likely_encoding`).

    Single invalid bytes in UTF-8 text are decoded as Windows-1252; bytes undefined there as well become U+FFFD and are
    counted. Line ends become "\n".

    >>> decode_text(b"caf\xe9\r\n")
    DecodedText(text='café\n', encoding='windows-1252', replaced_bytes=0, is_unsure=False)
    """
    decoded = decode_bytes(data)
    return replace(decoded, text=decoded.text.replace("\r\n", "\n").replace("\r", "\n"))


def decode_bytes(data: bytes) -> DecodedText:
    r"""Decode as `decode_text` does, but keep the line ends.

    >>> decode_bytes(b"\xef\xbb\xbfa\r\n")
    DecodedText(text='a\r\n', encoding='utf-8-sig', replaced_bytes=0, is_unsure=False)
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decode_as(data, encoding)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    if text is not None and "\0" not in text:  # as in UTF-16, even where its bytes are UTF-8
        return DecodedText(text, "utf-8")
    found = likely_encoding(data)
    sample = telling_part(data)
    if text is None and _is_mostly_utf8(sample):
        mixed, other = _decode_mixed(sample), _decode_as(sample, found.name)
        if likelihood(mixed.text) >= likelihood(other.text):
            return _decode_mixed(data)
    if text is not None and not found.name.startswith("utf-16"):
        return DecodedText(text, "utf-8")
    if found.name == "windows-1252":
        return replace(_decode_mixed(data), is_unsure=found.is_unsure)
    return replace(_decode_as(data, found.name), is_unsure=found.is_unsure)


def unsure_encoding(decoded: DecodedText) -> dict[str, str]:
    """Return the metadata of a document whose encoding was guessed and may be another.

    >>> unsure_encoding(DecodedText("烈", "gb18030", is_unsure=True)), unsure_encoding(DecodedText("a", "utf-8"))
    ({'unsure_encoding': 'gb18030'}, {})
    """
    return {"unsure_encoding": decoded.encoding} if decoded.is_unsure else {}


def repair_double_encoding(text: str) -> str:
    """Return `text` with UTF-8 that was decoded as Windows-1252 restored.

    >>> repair_double_encoding("RenÃ© and José")
    'René and José'
    """
    return _DOUBLE.sub(lambda match: _restore(match.group()), text)


def _decode_as(data: bytes, encoding: str) -> DecodedText:
    text = data.decode(encoding, "replace")
    return DecodedText(text, encoding, text.count("\ufffd"))


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
