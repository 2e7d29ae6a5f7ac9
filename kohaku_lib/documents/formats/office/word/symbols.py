"""Write characters of symbol fonts, such as Wingdings, and those that Word keeps as elements, as Unicode."""

from __future__ import annotations

from typing import Any

from kohaku_lib.documents.formats.office.word.word_file import WORD, child_of

_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_FONTS = frozenset(("Symbol", "Webdings", "Wingdings", "Wingdings 2", "Wingdings 3"))
_BOXES = {
    "Wingdings": {**dict.fromkeys((0x6F, 0x71, 0x72, 0xA8), "☐"), **dict.fromkeys((0xFD, 0xFE), "☒")},
    "Wingdings 2": {**dict.fromkeys((0xA3,), "☐"), **dict.fromkeys((0x51, 0x52, 0x53, 0x54), "☒")},
}
_AS_ELEMENTS = {"noBreakHyphen": "-", "softHyphen": "", "ptab": " "}  # characters, by the elements that stand for them


def write_symbols(part: Any) -> None:
    """Replace the characters that a part of a Word file shows in symbol fonts; boxes are ☐ and ☒ as in forms.

    Hyphens and tabs that are elements become text, carriage returns line breaks. Soft hyphens are left out, and so is the
    reading above a word, whose base stays.
    """
    for name, text in _AS_ELEMENTS.items():
        for element in list(part.iter(f"{WORD}{name}")):
            element.clear()
            element.tag, element.text = f"{WORD}t", text
            element.set(_SPACE, "preserve")
    for element in list(part.iter(f"{WORD}cr")):
        element.tag = f"{WORD}br"
    for ruby in list(part.iter(f"{WORD}ruby")):
        run = ruby.getparent()
        at = run.index(ruby)
        run[at : at + 1] = [one for base in ruby.iterchildren(f"{WORD}rubyBase") for one in base]
    for symbol in list(part.iter(f"{WORD}sym")):
        code = symbol.get(f"{WORD}char") or ""
        try:
            symbol.text = symbol_text(symbol.get(f"{WORD}font") or "", int(code, 16))
        except (ValueError, OverflowError):  # no number, or one of no character that XML may hold
            symbol.text = ""
        symbol.tag = f"{WORD}t"
    for fonts in part.iter(f"{WORD}rFonts"):
        font = fonts.get(f"{WORD}ascii") or fonts.get(f"{WORD}hAnsi") or ""
        run = fonts.getparent().getparent()
        if font in _FONTS and run is not None and run.tag == f"{WORD}r" and child_of(run, "rPr/rFonts") is fonts:
            for text in run.iterchildren(f"{WORD}t"):
                text.text = "".join(symbol_text(font, ord(character)) for character in text.text or "")


def symbol_text(font: str, code: int) -> str:
    """Return the character at a code of a symbol font, "" if it is unknown there; other fonts have Unicode.

    >>> symbol_text("Wingdings", 0xF0FE), symbol_text("Symbol", 0x61), symbol_text("Arial", 0x61)
    ('☒', 'α', 'a')
    """
    from mammoth.docx.dingbats import dingbats

    if font not in _FONTS or 0x100 <= code < 0xF000 or code > 0xF0FF or chr(code).isspace():
        return chr(code)
    place = code & 0xFF
    return _BOXES.get(font, {}).get(place) or (chr(dingbats[font, place]) if (font, place) in dingbats else "")
