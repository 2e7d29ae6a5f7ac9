"""The content of an answer without a language model: the value that was read, and the sentences that prove it, quoted."""

from __future__ import annotations

from kohaku_lib.answering.answer import COMES_CLOSEST, OTHERWISE, Answer
from kohaku_lib.answering.cited.replies import parse_reply
from kohaku_lib.answering.citing.quotes import find_quote
from kohaku_lib.answering.figures import FigureSnippet
from kohaku_lib.conversation.response.draft import Draft
from kohaku_lib.tables import Snippet, StructuredAnswer
from kohaku_lib.text.table_rows import without_bars

NEAREST = "The nearest passages:"
QUOTING_INTENTS = ("SUMMARY", "ANALYTICAL")  # answered by passages where no single value is


def extract_answer(answer: Answer) -> Draft | None:
    """Return the content that states the value of `answer` and quotes its proof; None if it is blank.

    Every cited document is a source: the one with the quote first, the others by their best passage, then those that state
    other values.

    >>> from kohaku_lib.answering.answer import answer_of
    >>> from kohaku_lib.answering.deepening import AnswerTrace
    >>> from kohaku_lib.tables import Question
    >>> snippet = Snippet("d:p1", "d", "D", 1, "It weighs 4 kg in all.", 1, 1.0)
    >>> read = StructuredAnswer("4", "4", ("d",), "", quote="It weighs 4 kg in all.")
    >>> print(extract_answer(answer_of(Question("q", "How heavy?"), AnswerTrace(read, (snippet,)))).content)
    4 kg [Source 1]
    <BLANKLINE>
    > It weighs 4 kg in all [Source 1]
    """
    if answer.is_blank:
        return None
    if answer.form == "text":
        return _cited_draft(answer)
    read = answer.trace.answer
    texts = [snippet for snippet in answer.trace.snippets if not isinstance(snippet, FigureSnippet)]
    place = find_quote(read.quote, [one for one in texts if _is_of(one, read)]) if read.quote else None
    best = {}
    for snippet in texts:
        best.setdefault(snippet.document_id, snippet)
    quoted = [place.snippet] if place else []
    further = [best[ref] for ref in read.ref_id if ref in best and not (place and place.snippet.document_id == ref)]
    cited = (*quoted, *further)
    marks = " ".join(f"[Source {number}]" for number in range(1, len(cited) + 1))
    quote = (
        f"\n\n> {_unmarked(_one_line(without_bars(place.snippet.text[place.char_start : place.char_end])))} [Source 1]"
        if place
        else ""
    )
    otherwise = _otherwise(answer, after=len(cited))
    sources = (*cited, *(other.snippet for other in answer.other_values))
    return Draft(f"{answer.text} {marks}{quote}{otherwise}".strip(), sources, answer=answer)


def _cited_draft(answer: Answer) -> Draft:
    """Return the content of a text: behind the passages that it cites all others that it was written from are sources."""
    snippets = {snippet.node_id: snippet for snippet in reversed(answer.trace.snippets)}
    written = answer.trace.answer
    cited = [snippets[node] for node in written.cited_nodes]
    others = [other.snippet for other in answer.other_values]
    rest = [one for one in answer.trace.snippets if one not in cited and one not in others]
    suggested = parse_reply(written.raw_response or "", len(cited)).suggested_questions
    content = f"{answer.text}{_otherwise(answer, after=len(cited))}"
    return Draft(content, (*cited, *others, *rest), suggested, answer=answer)


def _otherwise(answer: Answer, after: int) -> str:
    """Return what other documents state, as sources that are numbered behind `after` others; nothing where they do not."""
    others = [f"{other.text} [Source {number}]" for number, other in enumerate(answer.other_values, start=1 + after)]
    return f"\n\n{OTHERWISE} {'; '.join(others)}." if others else ""


def extract_passages(answer: Answer, *, is_overview: bool = False) -> Draft:
    """Return the content that quotes the passages closest to a question that has no value.

    Where the first likely answers, it alone, the answering words in bold; else for an overview all of them, which answer then;
    else all of them behind the word that the documents do not say it, with nothing in bold.
    """
    is_overview = is_overview and bool(answer.passages) and answer.outcome == "silent" and answer.error is None
    if is_overview:
        head, shown = [], answer.passages
    elif answer.outcome == "passage":
        head, shown = [COMES_CLOSEST], answer.passages[:1]
    else:
        head, shown = [answer.text, NEAREST] if answer.passages else [answer.text], answer.passages
    snippets = {snippet.node_id: snippet for snippet in reversed(answer.trace.snippets)}
    mark = "**" if is_overview or answer.outcome == "passage" else ""
    texts = [_unmarked(passage.with_marks(mark)) for passage in shown]
    quotes = [f"> {text} [Source {number}]" for number, text in enumerate(texts, start=1)]
    sources = tuple(snippets[passage.node_id] for passage in shown)
    return Draft(
        "\n\n".join([*head, *quotes]), sources, is_answer=is_overview or answer.outcome == "passage", answer=answer
    )


def _unmarked(text: str) -> str:
    """Return a quoted text in which nothing reads as the mark of a source."""
    return text.replace("[Source ", "[source ")


def _is_of(snippet: Snippet, answer: StructuredAnswer) -> bool:
    return any(name in answer.ref_id for name in (snippet.document_id, *snippet.also_in))


def _one_line(text: str) -> str:
    return " ".join(text.split())
