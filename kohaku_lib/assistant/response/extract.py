"""The content of an answer without a language model: the value that was read, and the sentences that prove it, quoted."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from kohaku_lib.answering import is_blank_answer
from kohaku_lib.answering.citing.quotes import find_quote
from kohaku_lib.answering.extractive.numbers.written_unit import with_written_unit
from kohaku_lib.answering.figures import FigureSnippet
from kohaku_lib.assistant.response.content_words import content_stems
from kohaku_lib.assistant.response.draft import Draft
from kohaku_lib.tables import Snippet, StructuredAnswer
from kohaku_lib.text.sentences import sentence_spans
from kohaku_lib.text.table_rows import without_bars

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
NEAREST = 3  # passages shown where no value was found
_LONGEST = 400  # characters of a quoted sentence
QUOTING_INTENTS = ("SUMMARY", "ANALYTICAL")  # of which a single value is no answer
NOTHING = "The documents hold nothing about this."


def extract_answer(answer: StructuredAnswer, snippets: Sequence[Snippet]) -> Draft | None:
    """Return the content that states the value of `answer` and quotes its proof; None if it is blank.

    A bare number has the unit of its quote or of its column. Every cited document is a source: the one with the quote
    first, the others by their best passage.

    >>> snippet = Snippet("d:p1", "d", "D", 1, "It weighs 4 kg in all.", 1, 1.0)
    >>> print(extract_answer(StructuredAnswer("4", "4", ("d",), "", quote="It weighs 4 kg in all."), [snippet]).content)
    4 kg [Source 1]
    <BLANKLINE>
    > It weighs 4 kg in all [Source 1]
    """
    if is_blank_answer(answer):
        return None
    texts = [snippet for snippet in snippets if not isinstance(snippet, FigureSnippet)]
    place = find_quote(answer.quote, [one for one in texts if _is_of(one, answer)]) if answer.quote else None
    best = {}
    for snippet in texts:
        best.setdefault(snippet.document_id, snippet)
    quoted = [place.snippet] if place else []
    others = [best[ref] for ref in answer.ref_id if ref in best and not (place and place.snippet.document_id == ref)]
    cited = (*quoted, *others)
    marks = " ".join(f"[Source {number}]" for number in range(1, len(cited) + 1))
    quote = (
        f"\n\n> {_one_line(without_bars(place.snippet.text[place.char_start : place.char_end]))} [Source 1]"
        if place
        else ""
    )
    passage = place.snippet.text if place else ""
    is_bare = answer.answer == answer.answer_value
    stated = with_written_unit(answer.answer, answer.quote, passage) if is_bare else answer.answer
    return Draft(f"{stated} {marks}{quote}".strip(), cited, confidence=answer.confidence)


def is_of_another_year(question: str, answer: StructuredAnswer) -> bool:
    """Return whether the proof of an answer names years, and none of those that are asked about.

    >>> answer = StructuredAnswer("41,800", "41800", ("d",), "", quote="In 2023 it used 41,800 kWh.")
    >>> [is_of_another_year(question, answer) for question in ("How much in 2022?", "How much in 2023?")]
    [True, False]
    """
    asked, named = set(_YEAR.findall(question)), set(_YEAR.findall(answer.quote or ""))
    return bool(asked and named) and asked.isdisjoint(named)


def extract_passages(question: str, snippets: Sequence[Snippet], *, is_answer: bool) -> Draft:
    """Return the content that quotes the sentence nearest to `question` of each of the best passages.

    With `is_answer` False it says first that no answer was found.
    """
    shown = [snippet for snippet in snippets if snippet.text.strip()][:NEAREST]
    if not shown:
        return Draft(NOTHING, is_answer=False)
    wanted = content_stems(question).keys()
    quotes = [
        f"> {_nearest_sentence(snippet.text, wanted)} [Source {number}]"
        for number, snippet in enumerate(shown, start=1)
    ]
    head = "" if is_answer else "I found no answer that the documents support. The nearest passages:\n\n"
    return Draft(head + "\n\n".join(quotes), tuple(shown), is_answer=is_answer)


def _is_of(snippet: Snippet, answer: StructuredAnswer) -> bool:
    return any(name in answer.ref_id for name in (snippet.document_id, *snippet.also_in))


def _nearest_sentence(text: str, wanted: Set[str]) -> str:
    sentences = [
        _one_line(row)
        for start, end in sentence_spans(text)
        for row in (without_bars(text[start:end]).split("\n") if text[start:end].startswith("|") else [text[start:end]])
    ]
    best = max(sentences, key=lambda sentence: len(content_stems(sentence).keys() & wanted))
    return best if len(best) <= _LONGEST else best[:_LONGEST].rpartition(" ")[0] + " …"


def _one_line(text: str) -> str:
    return " ".join(text.split())
