"""Write the formulas of Word files as plain text."""

from __future__ import annotations

import re
from typing import Any

from kohaku_lib.documents.formats.office.word.word_file import MATH, WORD, text_run

_SIMPLE = re.compile(r"\w|\d+(?:[.,]\d+)?|\(.*\)")


def write_formulas(part: Any) -> None:
    """Replace each formula of a part of a Word file by a run with its text."""
    for formula in list(part.iter(f"{MATH}oMath")):
        run = text_run(formula_text(formula))
        run.tail = formula.tail
        formula.getparent().replace(formula, run)
    for paragraph in list(part.iter(f"{MATH}oMathPara")):
        parent, at = paragraph.getparent(), paragraph.getparent().index(paragraph)
        parent[at : at + 1] = list(paragraph.iterchildren(f"{WORD}r"))


def formula_text(element: Any) -> str:
    """Return a formula of Word's (OMML) in one line: fractions as (a + b)/2, powers as x^2, roots as sqrt(x).

    >>> from lxml import etree
    >>> math = '<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:r><m:t>y=</m:t></m:r>'
    >>> math += "<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath>"
    >>> formula_text(etree.fromstring(math))
    'y=x^2'
    """
    return "".join(map(_text_of, element.iterchildren("*")))


def _text_of(element: Any) -> str:
    name = element.tag.rpartition("}")[2]
    if name == "t":
        return element.text or ""
    if name in _WRITERS:
        return _WRITERS[name](element)
    return "" if name.endswith("Pr") or name == "sty" else formula_text(element)


def _part(element: Any, name: str) -> str:
    found = element.find(MATH + name)
    return "" if found is None else formula_text(found)


def _group(text: str) -> str:
    """Return the text in brackets unless it is one letter, one number or in brackets."""
    is_simple = _SIMPLE.fullmatch(text) and not (text.startswith("(") and ")" in text[:-1])
    return text if is_simple or not text else f"({text})"


def _sign(element: Any, properties: str, name: str, default: str) -> str:
    found = element.find(f"{MATH}{properties}/{MATH}{name}")
    return default if found is None else found.get(f"{MATH}val") or ""


def _raised(sign: str, text: str) -> str:
    return sign + _group(text) if text else ""


def _script(element: Any) -> str:
    return _group(_part(element, "e")) + _raised("_", _part(element, "sub")) + _raised("^", _part(element, "sup"))


def _fraction(element: Any) -> str:
    over, under = _part(element, "num"), _part(element, "den")
    if _sign(element, "fPr", "type", "bar") == "noBar":  # as of binomial coefficients
        return f"{over} over {under}"
    return f"{_group(over)}/{_group(under)}"


def _root(element: Any) -> str:
    degree = _part(element, "deg")
    return f"{f'root_{_group(degree)}' if degree else 'sqrt'}({_part(element, 'e')})"


def _operator(element: Any) -> str:
    sign = _sign(element, "naryPr", "chr", "∫")
    return f"{sign}{_raised('_', _part(element, 'sub'))}{_raised('^', _part(element, 'sup'))} {_part(element, 'e')}"


def _delimited(element: Any) -> str:
    between = _sign(element, "dPr", "sepChr", "|")
    inner = between.join(formula_text(one) for one in element.iterchildren(f"{MATH}e"))
    return _sign(element, "dPr", "begChr", "(") + inner + _sign(element, "dPr", "endChr", ")")


def _matrix(element: Any) -> str:
    rows = element.iterchildren(f"{MATH}mr")
    return "; ".join(", ".join(formula_text(cell) for cell in row.iterchildren(f"{MATH}e")) for row in rows)


def _equations(element: Any) -> str:
    return "; ".join(formula_text(one).replace("&", "").replace("#", " ") for one in element.iterchildren(f"{MATH}e"))


def _function(element: Any) -> str:
    return f"{_part(element, 'fName')} {_part(element, 'e')}"


def _limit(element: Any) -> str:
    return _part(element, "e") + _raised("_" if element.tag.endswith("limLow") else "^", _part(element, "lim"))


_WRITERS = {
    "f": _fraction,
    "sSup": _script,
    "sSub": _script,
    "sSubSup": _script,
    "sPre": lambda element: (
        f"{_raised('_', _part(element, 'sub'))}{_raised('^', _part(element, 'sup'))}{_part(element, 'e')}"
    ),
    "rad": _root,
    "nary": _operator,
    "d": _delimited,
    "m": _matrix,
    "eqArr": _equations,
    "func": _function,
    "limLow": _limit,
    "limUpp": _limit,
}
