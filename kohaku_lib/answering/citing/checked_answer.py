"""The references and the value of an answer, checked against what was shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from kohaku_lib.answering.answerer import LOW_CONFIDENCE
from kohaku_lib.answering.citing.references import named_nodes, resolve_refs
from kohaku_lib.answering.citing.source import FoundSource, find_source, is_of, shown_text
from kohaku_lib.answering.citing.support import support_of
from kohaku_lib.answering.deepening import CheckedAnswer
from kohaku_lib.answering.figures import FigureSnippet
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.values import is_blank


def checked_answer(
    question: Question, answer: StructuredAnswer, snippets: Sequence[Snippet], known_documents: Collection[str] = ()
) -> CheckedAnswer:
    """Return a model's answer with its references restricted to the documents of `snippets`, and the nodes that they name.

    Where these are missing or wrong, it cites the excerpt that holds its quote, else the one that states its value, else the
    closest. A value that no excerpt states is doubted: its confidence is low. One of `known_documents` that was not shown
    exists: a text may have ordered to cite it, so nothing is cited in its place.

    >>> snippet, question = Snippet("d:p1", "d", "D", 1, "It weighs 4 kg.", 1, 1.0), Question("q", "How heavy?", "kg")
    >>> checked_answer(question, StructuredAnswer("4", "4", ("d", "e"), ""), [snippet]).dropped_refs
    1
    >>> repaired = checked_answer(question, StructuredAnswer("4", "4", ("e",), ""), [snippet])
    >>> repaired.answer.ref_id, repaired.source_found_by, repaired.answer.explanation
    (('d',), 'value', '(Source found by the value.)')
    >>> doubted = checked_answer(question, StructuredAnswer("5", "5", ("e",), ""), [snippet])
    >>> doubted.answer.ref_id, doubted.source_found_by, doubted.answer.confidence
    (('d',), 'words', 0.3)
    """
    shown_ids = {name for snippet in snippets for name in (snippet.document_id, *snippet.also_in)}
    refs, dropped_count = resolve_refs(answer.ref_id, shown_ids)
    named = named_nodes(answer.ref_id, [snippet.node_id for snippet in snippets])
    checked = replace(answer, ref_id=refs, cited_nodes=tuple(dict.fromkeys((*answer.cited_nodes, *named))))
    is_ordered = dropped_count and not refs and resolve_refs(answer.ref_id, known_documents)[0]
    if is_blank(answer.answer_value) or is_ordered or not snippets or _is_of_picture(refs, snippets):
        return CheckedAnswer(checked, dropped_count)
    source = find_source(question, checked, snippets)
    is_moved = not is_of(source.snippet, refs) and not (refs and source.found_by == "words")
    cited = _citing(checked, source, snippets) if is_moved or source.found_by == "value" else checked
    is_doubted = (is_moved and source.found_by == "words") or _is_stated_nowhere(question, answer, snippets)
    if is_doubted:
        low = LOW_CONFIDENCE if cited.confidence is None else min(cited.confidence, LOW_CONFIDENCE)
        cited = replace(cited, confidence=low, explanation=f"{_DOUBT}{cited.explanation}")
    if is_moved and source.found_by != "words":
        cited = replace(cited, explanation=f"{cited.explanation} (Source found by the {source.found_by}.)".strip())
    return CheckedAnswer(cited, dropped_count, source.found_by if is_moved else None, is_doubted=is_doubted)


def _citing(answer: StructuredAnswer, source: FoundSource, snippets: Sequence[Snippet]) -> StructuredAnswer:
    """Return the answer with the node of its source in place of any other one of that document, and its document cited."""
    document = source.snippet.document_id
    others = [one.node_id for one in snippets if one.document_id != document and one.node_id in answer.cited_nodes]
    refs = answer.ref_id if is_of(source.snippet, answer.ref_id) else (document,)
    return replace(answer, ref_id=refs, cited_nodes=(*others, source.snippet.node_id))


def _is_of_picture(refs: Sequence[str], snippets: Sequence[Snippet]) -> bool:
    """Return whether a document is cited whose figures were sent, as a value read from one stands in no text."""
    return any(isinstance(one, FigureSnippet) and one.searched and is_of(one, refs) for one in snippets)


def _is_stated_nowhere(question: Question, answer: StructuredAnswer, snippets: Sequence[Snippet]) -> bool:
    shown = "\n\n".join(map(shown_text, snippets))
    return support_of(question, answer.answer_value, shown).states_value is False


_DOUBT = "No excerpt states this value: "
