"""Lists of document references as people and models write them in one cell."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from kohaku_lib.values.blanks import BLANK, is_blank

_MARKER = re.compile(r"^ref_id\s*=\s*", re.IGNORECASE)
_EDGES = "[](){}'\"`“”‘’ \t\r\n"


def parse_refs(text: str | None) -> tuple[str, ...]:
    """Return the document ids in `text`, each once, in order; blank tokens are dropped.

    Accepts a JSON list, a Python list, `[a,b]` without quotes, comma-separated words and a single word;
    `[ref_id=x]` gives `x`. A quoted id may contain a comma, unless white space follows it.

    >>> parse_refs('["is_blank", "wu2021", "[ref_id=xia2024]"]')
    ('wu2021', 'xia2024')
    >>> parse_refs("[a,b]"), parse_refs("a"), parse_refs("is_blank")
    (('a', 'b'), ('a',), ())
    """
    stripped = (text or "").strip()
    items = literal_list(stripped) if stripped.startswith("[") and stripped.endswith("]") else None
    pieces = stripped.split(",") if items is None else _split_spaced([str(item) for item in items if item is not None])
    cleaned = (_MARKER.sub("", piece.strip(_EDGES)).strip(_EDGES) for piece in pieces)
    return tuple(dict.fromkeys(piece for piece in cleaned if not is_blank(piece)))


def format_refs(refs: Iterable[str]) -> str:
    """Format `refs` as a submission cell: a list in single quotes, or is_blank if there are none.

    >>> format_refs(("wu2021", "xia2024")), format_refs(())
    ("['wu2021','xia2024']", 'is_blank')
    """
    quoted = [f'"{ref}"' if "'" in ref else f"'{ref}'" for ref in refs]
    return f"[{','.join(quoted)}]" if quoted else BLANK


def literal_list(text: str) -> list[object] | None:
    """Return the elements of a list or tuple written as a Python literal; None for any other text.

    >>> literal_list("['a', 1]"), literal_list("[a, b]"), literal_list("'a'")
    (['a', 1], None, None)
    """
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return list(value) if isinstance(value, (list, tuple)) else None


def named_items(value: str) -> list[str]:
    """Return the items of a value that is a list of names; none for any other value, such as a range.

    >>> named_items('["Ann", "Bo"]'), named_items("[2,3]"), named_items("Ann")
    (['Ann', 'Bo'], [], [])
    """
    return [item for item in literal_list(value) or () if isinstance(item, str)]


def _split_spaced(items: list[str]) -> list[str]:
    """Split strings in which a model joined several ids: ids contain no white space, so ", " separates two."""
    return [piece for item in items for piece in re.split(r",\s+", item)]
