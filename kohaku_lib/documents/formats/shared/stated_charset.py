"""Decode bytes whose character set is stated, perhaps wrongly."""

from __future__ import annotations

from kohaku_lib.documents.formats.shared.decoding import decode_text


def decode_as_stated(data: bytes, charset: str) -> str:
    r"""Decode `data` in the character set that is stated, or in the likeliest one where that cannot be right.

    Valid UTF-8 beyond ASCII is UTF-8, whatever single-byte character set is stated. Line ends become "\n".

    >>> decode_as_stated(b"18 \x80", "iso-8859-1"), decode_as_stated("grün".encode(), "iso-8859-1")
    ('18 €', 'grün')
    """
    text = _strictly_decoded(data, charset)
    if text is None or "\0" in text or (len(text) == len(data) and not data.isascii() and _is_utf8(data)):
        text = decode_text(data).text
    return text.replace("\r\n", "\n").replace("\r", "\n")


def codec_of(charset: str) -> str:
    """Return Python's name of a character set as browsers understand its name.

    >>> codec_of("ISO-8859-1"), codec_of("koi8-r")
    ('windows-1252', 'koi8-r')
    """
    name = charset.strip().lower()
    return _BROWSER_NAMES.get(name, name)


def _strictly_decoded(data: bytes, charset: str) -> str | None:
    name = codec_of(charset)
    if name.startswith(("utf-16", "utf-32")) and (_is_utf8(data) or name in {"utf-16", "utf-32"}):
        return None  # the order of the bytes is told by their mark, or found
    try:
        return data.decode(name).removeprefix("\ufeff")
    except (LookupError, ValueError):  # no such codec, a name that is none, or other bytes
        return None


def _is_utf8(data: bytes) -> bool:
    try:
        return "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


# As in browsers: https://encoding.spec.whatwg.org/#names-and-labels.
_BROWSER_NAMES = {
    "iso-8859-1": "windows-1252",
    "latin1": "windows-1252",
    "ascii": "utf-8",
    "us-ascii": "utf-8",
    "utf-7": "utf-8",
    "unicode": "utf-16",
    "iso-8859-9": "windows-1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
}
