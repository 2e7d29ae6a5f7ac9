r"""RTF as Word writes it, by hand: styles, \listtext, tables with merged cells, notes, comments, headers and shapes."""

from __future__ import annotations

from pathlib import Path

from content import Cell, Content

_HEAD = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil Calibri;}{\f1\fnil\fcharset2 Symbol;}}"
    r"{\colortbl;\red0\green0\blue0;}{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2\outlinelevel1 heading 2;}"
    r"{\s3\outlinelevel2 heading 3;}{\s35 caption;}{\*\cs10 Default Paragraph Font;}}"
    r"{\*\listtable{\list\listtemplateid1{\listlevel\levelnfc0{\leveltext\'02\'00.;}}\listid1}}"
    r"{\info{\author Ada}{\operator Ada}}\paperw11906\uc1"
)


def write(path: Path, content: Content) -> None:
    """Write a document."""
    header = _escaped(content.text("around"))
    footer = _escaped(content.text("around"))
    pieces = [_HEAD, rf"{{\header\pard {header}\par}}{{\footer\pard {footer}\par}}"]
    for chapter in range(3):
        pieces.append(_paragraph(content.text("heading", 2, 4), r"\s1\outlinelevel0\b"))
        pieces.append(_paragraph(content.text("paragraph")))
        level = 2 + chapter % 2
        pieces.append(_paragraph(content.text("heading", 2, 4), rf"\s{level}\outlinelevel{level - 1}\b"))
        for kind in ("", r"\ftnalt"):
            text, note = _escaped(content.text("paragraph")), _escaped(content.text("note"))
            pieces.append(
                rf"\pard\plain {text}{{\super\chftn}}{{\footnote{kind}\pard\plain {{\super\chftn}} {note}}}\par"
            )
        pieces += _list(content)
        caption = content.record("paragraph", f"Table {chapter + 1}: {content.words(3, 5)}")
        pieces.append(_paragraph(caption, r"\s35\i"))
        pieces.append(_table(content.table(5, 4)))
        pieces.append(_paragraph(content.text("paragraph")))  # a comment at once behind a table costs Pandoc the table
        text, comment = _escaped(content.text("paragraph")), _escaped(content.text("around"))
        pieces.append(
            rf"\pard\plain {text}{{\*\atnid A}}{{\*\atnauthor Ada}}\chatn{{\*\annotation\pard\plain {comment}}}\par"
        )
        text, box = _escaped(content.text("paragraph")), _escaped(content.text("around"))
        pieces.append(
            rf"\pard\plain {text}{{\shp{{\*\shpinst\shpleft0\shptop0{{\sp{{\sn shapeType}}{{\sv 202}}}}"
            rf"{{\shptxt\pard\plain {box}\par}}}}}}\par"
        )
        first, second = content.text("paragraph").split(maxsplit=1)
        pieces.append(rf"\pard\plain {_escaped(first)}\~{{\b\f0 {_escaped(second)}}}\par")
    path.write_text("\n".join([*pieces, "}"]), encoding="ascii")


def _paragraph(text: str, style: str = "") -> str:
    return rf"\pard\plain{style} {_escaped(text)}\par"


def _list(content: Content) -> list[str]:
    pieces = []
    for level, label in ((0, "1."), (1, "a)"), (1, "b)"), (2, "1.2.1"), (0, "2."), (0, "")):
        text = _escaped(content.text("item", label=label.rstrip(".)")))
        shown = label or r"\'b7"
        font = "" if label else r"\f1 "
        pieces.append(rf"{{\listtext\pard\plain {font}{shown}\tab}}\pard\plain\ls1\ilvl{level} {text}\par")
    return pieces


def _table(grid: list[list[Cell | None]]) -> str:
    pieces = []
    down: set[int] = set()  # columns whose cell goes on from the row above
    for cells in grid:
        pieces.append(r"\trowd\trgaph70")
        ends, texts, going_on = [], [], set()
        for column, cell in enumerate(cells):
            merge = r"\clvmrg" if cell is None and column in down else r"\clmrg" if cell is None else ""
            if cell is not None and cell.across > 1:
                merge = r"\clmgf"
            if cell is not None and cell.down > 1:
                merge, going_on = r"\clvmgf", {column}
            ends.append(rf"{merge}\cellx{2000 * (column + 1)}")
            texts.append(r"\line ".join(map(_escaped, cell.text.split("\n"))) if cell else "")
        down = going_on
        pieces.append("".join(ends) + r"\pard\intbl " + "".join(rf"{text}\cell " for text in texts) + r"\row")
    return "\n".join(pieces) + r"\pard"


def _escaped(text: str) -> str:
    pieces = []
    for sign in text:
        if sign in "\\{}":
            pieces.append(f"\\{sign}")
        elif ord(sign) < 128:
            pieces.append(sign)
        elif ord(sign) < 256:
            pieces.append(f"\\'{ord(sign):02x}")
        else:
            pieces.append(f"\\u{ord(sign) - (65536 if ord(sign) > 32767 else 0)}\\'3f")
    return "".join(pieces)
