"""The questions of the trust benchmark with their truth, and the verdict on an answer."""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from kohaku_lib.answering.citing.quotes import Citation
from kohaku_lib.project import Answer
from kohaku_lib.values import is_blank, normalise_answer, parse_refs, parse_value, values_equal, voting_key

QUESTIONS = Path(__file__).parent / "trust" / "questions.csv"
SEPARATOR = " // "  # between pieces of evidence, and between accepted values
Verdict = Literal["value right", "passage right", "wrong value", "wrong passage", "rightly silent", "wrongly silent"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its truth: every value that is right, none where the documents support no answer."""

    id: str
    part: str
    kind: str
    language: str
    text: str
    unit: str | None
    values: tuple[str, ...]
    documents: tuple[str, ...]
    evidence: tuple[str, ...]

    @property
    def is_answerable(self) -> bool:
        """Whether the documents support an answer."""
        return bool(self.values)


def read_asked(path: Path = QUESTIONS) -> list[Asked]:
    """Return the questions of the file, which is in the project's format with columns for class, part and language."""
    with path.open(encoding="utf-8", newline="") as stream:
        return [_asked(row) for row in csv.DictReader(stream)]


def verdict_on(asked: Asked, answer: Answer) -> Verdict:
    """Return what an answer is worth.

    A value is right with a citation of the document that supports it; a truth value, which is right by chance half the
    time, only with the evidence among its quotes. A reason or a summary is right where it holds half of the pieces of
    evidence or more in its quotes or its text, and is more than a word or two. A passage is right where it is of a
    document that supports the answer and holds a piece of the evidence, for a reason half of the pieces.
    """
    if answer.outcome == "silent":
        return "wrongly silent" if asked.is_answerable else "rightly silent"
    if answer.outcome == "passage":
        return (
            "passage right"
            if is_told(asked, answer.passages[0].text, answer.passages[0].document_id)
            else "wrong passage"
        )
    return "value right" if asked.is_answerable and _is_right(asked, answer) else "wrong value"


def is_told(asked: Asked, text: str, document_id: str) -> bool:
    """Return whether a passage of a document answers: it holds a piece of the evidence, for a reason half of the pieces."""
    words = set(words_of(text))
    found = sum(folded(piece) in folded(text) or words >= set(words_of(piece)) for piece in asked.evidence)
    needed = len(asked.evidence) / 2 if asked.kind == "explanation" else 1
    return asked.is_answerable and document_id in asked.documents and found >= needed


def folded(text: str) -> str:
    """Return a text without the marks of tables and lists and the differences of case and white space.

    >>> folded("| March 2025 |  41 |\\n- It rains.")
    'march 2025 41 it rains.'
    """
    return " ".join(re.sub(r"\||^-\s", " ", text, flags=re.MULTILINE).casefold().split())


def elements_of(value: str) -> list[str]:
    """Return the elements of a list as written: in brackets or quotes, or in a row with commas, "and" or "und".

    >>> elements_of('["York", "Hull"]'), elements_of("[York, Hull]"), elements_of("Ann, Bob and Cem")
    (['York', 'Hull'], ['York', 'Hull'], ['Ann', 'Bob', 'Cem'])
    """
    try:
        literal = ast.literal_eval(value.strip())
    except (ValueError, SyntaxError):
        literal = None
    if isinstance(literal, (list, tuple, set)):
        return [str(one) for one in literal]
    pieces = re.split(r"[,;\n]\s*(?:and\s|und\s)?|\s(?:and|und)\s", value.strip().strip("[]{}"))
    return [piece.strip(" '\"") for piece in pieces if piece.strip(" '\"")]


def _asked(row: dict[str, str]) -> Asked:
    truths = (row["answer_value"], *_pieces(row["accepted"]))
    return Asked(
        id=row["id"],
        part=row["part"],
        kind=row["class"],
        language=row["language"],
        text=row["question"],
        unit=None if is_blank(row["answer_unit"]) else row["answer_unit"],
        values=() if is_blank(row["answer_value"]) else truths,
        documents=parse_refs(row["ref_id"]),
        evidence=() if is_blank(row["supporting_materials"]) else _pieces(row["supporting_materials"]),
    )


def _is_right(asked: Asked, answer: Answer) -> bool:
    if answer.value is None or not _is_cited(asked, answer.citations):
        return False
    if asked.kind == "explanation":
        return _explains(asked, answer)
    has_evidence = asked.kind != "claim" or bool(_found(asked.evidence, _quotes(answer.citations)))
    return has_evidence and is_accepted(asked, answer.value)


def words_of(text: str) -> list[str]:
    """Return the words and numbers of a text: a row holds those of its evidence with the names of its columns between.

    >>> words_of("| Copper pipe | 18 mm |") == words_of("copper pipe; 18 mm")
    True
    """
    return re.findall(r"\w+(?:[.,]\d+)*", text.casefold())


def _pieces(cell: str) -> tuple[str, ...]:
    return tuple(cell.split(SEPARATOR)) if cell else ()


def _is_cited(asked: Asked, citations: Sequence[Citation]) -> bool:
    return any(citation.document_id in asked.documents for citation in citations)


def is_accepted(asked: Asked, value: str) -> bool:
    if asked.values[0].startswith("["):
        expected = {voting_key(str(one)) for one in json.loads(asked.values[0])}
        return {voting_key(one) for one in elements_of(value)} == expected
    forms = {value, normalise_answer(asked.text, value, asked.unit)}
    return any(_agree(truth, form, asked.unit) for truth in asked.values for form in forms)


def _agree(truth: str, given: str, unit: str | None) -> bool:
    """Return whether two values agree; one that names its own unit is compared with the truth in the unit asked for."""
    if unit and parse_value(given).unit and parse_value(f"{truth} {unit}").unit:
        return values_equal(f"{truth} {unit}", given)
    return values_equal(truth, given)


def _explains(asked: Asked, answer: Answer) -> bool:
    found = _found(asked.evidence, [*_quotes(answer.citations), answer.text])
    is_token = all(len(words.split()) <= 2 for words in (answer.value or "", answer.text))
    return not is_token and 2 * found >= len(asked.evidence)


def _quotes(citations: Iterable[Citation]) -> list[str]:
    return [citation.quote for citation in citations if citation.quote]


def _found(evidence: Sequence[str], texts: Sequence[str]) -> int:
    return sum(any(folded(piece) in folded(text) for text in texts) for piece in evidence)
