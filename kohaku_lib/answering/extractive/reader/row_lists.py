"""The rows of a table that share a cell which the question names: their list, or their number."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from kohaku_lib.answering.extractive.finding import Finding
from kohaku_lib.answering.extractive.reader.enumerations import asks_for_several
from kohaku_lib.answering.extractive.reader.tables import Row, Table, blocks_of
from kohaku_lib.answering.extractive.text import content_stems, tokens_of
from kohaku_lib.tables import Snippet

CONFIDENCE = 0.8  # set, not fitted: the fitted sets have no such questions


def find_rows(question: str, snippets: Sequence[Snippet]) -> Finding | None:
    r"""Return the cells of the asked column in all rows with the named cell, as a JSON list; for "how many" their number.

    The asked column is the one whose name the question uses behind "which" or "how many" and its like; another cell of
    the rows must stand in the question word for word, and a list has two cells or more. None if no table has that, or
    the column has numbers, which are values and not things to count. Of two columns without names either is the asked one.

    >>> text = "| System | Owner |\n| --- | --- |\n| Payroll | Ann |\n| Wiki | Bob |\n| CRM | Ann |"
    >>> snippet = Snippet("d:1", "d", "", None, text, 1, 1.0)
    >>> [find_rows(question, [snippet]).value for question in ("Which systems does Ann own?", "How many systems has Ann?")]
    ['["Payroll", "CRM"]', '2']
    """
    asked = _ASKED.search(question)
    if asked is None:
        return None
    counts, nouns = asked["count"] is not None, set(content_stems(asked["noun"]))
    for snippet in snippets:
        for block in blocks_of(snippet.text):
            if isinstance(block, Table):
                for column, rows in _matches(question, nouns, block):
                    cells = list(dict.fromkeys(row.cells[column] for row in rows))
                    if counts or len(cells) > 1:
                        value = str(len(rows)) if counts else json.dumps(cells, ensure_ascii=False)
                        return Finding(value, " … ".join(row.line for row in rows), (snippet.document_id,), CONFIDENCE)
    return None


_ASKED = re.compile(
    r"\b(?:(?P<count>how many|wie viele)|which|what|welche[nrms]?)\s+(?P<noun>(?:[\w-]+\s+){0,2}?[\w-]+)"
    r"(?=\s+(?:do|does|did|is|are|was|were|has|have|had|of|in|on|at|for|with|hat|haben|hatte|lager\w*|sind|werden|liegt|"
    r"liegen|gehör\w*|stammen|kommen)\b)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[-+($€£<~±]*\d")


def _matches(question: str, nouns: set[str], table: Table) -> Iterator[tuple[int, list[Row]]]:
    is_bare = len(table.columns) == 2 and not any(table.columns) and asks_for_several(question)
    for column, name in enumerate(table.columns):
        stems = {token.stem for token in tokens_of(name)}
        if (not is_bare and stems.isdisjoint(nouns)) or any(_NUMBER.match(row.cells[column]) for row in table.rows):
            continue
        for other in range(len(table.columns)):
            for cell in dict.fromkeys(row.cells[other] for row in table.rows):
                if other != column and _is_named(cell, question):
                    yield column, [row for row in table.rows if row.cells[other] == cell]


def _is_named(cell: str, question: str) -> bool:
    """Return whether a cell with letters stands in the question as whole words, in the same case."""
    return (
        len(cell) > 1
        and any(sign.isalpha() for sign in cell)
        and re.search(rf"(?<!\w){re.escape(cell)}(?!\w)", question) is not None
    )
