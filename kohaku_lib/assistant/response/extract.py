"""The content of an answer without a language model: the value that was read, and the sentences that prove it, quoted."""

from __future__ import annotations

from collections.abc import Sequence, Set

from kohaku_lib.answering.answer import Answer
from kohaku_lib.answering.citing.quotes import find_quote
from kohaku_lib.answering.coverage.content_words import content_stems
from kohaku_lib.answering.figures import FigureSnippet
from kohaku_lib.assistant.response.draft import Draft
from kohaku_lib.tables import Snippet, StructuredAnswer
from kohaku_lib.text.sentences import sentence_spans
from kohaku_lib.text.table_rows import without_bars

NEAREST = 3  # passages shown where no value was found
_LONGEST = 400  # characters of a quoted sentence
QUOTING_INTENTS = ("SUMMARY", "ANALYTICAL")  # answered by passages where no single value is
NOTHING = "The documents hold nothing about this."


def extract_answer(answer: Answer) -> Draft | None:
    """Return the content that states the value of `answer` and quotes its proof; None if it is blank.

    Every cited document is a source: the one with the quote first, the others by their best passage.

    >>> from kohaku_lib.answering.answer import answer_of
    >>> from kohaku_lib.answering.deepening import AnswerOutcome
    >>> from kohaku_lib.tables import Question
    >>> snippet = Snippet("d:p1", "d", "D", 1, "It weighs 4 kg in all.", 1, 1.0)
    >>> read = StructuredAnswer("4", "4", ("d",), "", quote="It weighs 4 kg in all.")
    >>> print(extract_answer(answer_of(Question("q", "How heavy?"), AnswerOutcome(read, (snippet,)))).content)
    4 kg [Source 1]
    <BLANKLINE>
    > It weighs 4 kg in all [Source 1]
    """
    if answer.is_blank:
        return None
    read = answer.outcome.answer
    texts = [snippet for snippet in answer.passages if not isinstance(snippet, FigureSnippet)]
    place = find_quote(read.quote, [one for one in texts if _is_of(one, read)]) if read.quote else None
    best = {}
    for snippet in texts:
        best.setdefault(snippet.document_id, snippet)
    quoted = [place.snippet] if place else []
    others = [best[ref] for ref in read.ref_id if ref in best and not (place and place.snippet.document_id == ref)]
    cited = (*quoted, *others)
    marks = " ".join(f"[Source {number}]" for number in range(1, len(cited) + 1))
    quote = (
        f"\n\n> {_one_line(without_bars(place.snippet.text[place.char_start : place.char_end]))} [Source 1]"
        if place
        else ""
    )
    return Draft(f"{answer.text} {marks}{quote}".strip(), cited, answer=answer)


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
