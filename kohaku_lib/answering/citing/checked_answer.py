"""The references of an answer, checked against what was shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from kohaku_lib.answering.citing.missing_source import find_source
from kohaku_lib.answering.citing.references import named_nodes, resolve_refs
from kohaku_lib.answering.deepening import CheckedAnswer
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.values import is_blank


def checked_answer(
    question: Question, answer: StructuredAnswer, snippets: Sequence[Snippet], known_documents: Collection[str] = ()
) -> CheckedAnswer:
    """Return `answer` with its references restricted to the documents of `snippets`, and the nodes that they name.

    Where it cites only what does not exist, it cites the snippet that holds its quote, else its value. One of
    `known_documents` that was not shown exists: a text may have ordered to cite it, so nothing is cited in its place.

    >>> snippet, question = Snippet("d:p1", "d", "D", 1, "It weighs 4 kg.", 1, 1.0), Question("q", "How heavy?", "kg")
    >>> checked_answer(question, StructuredAnswer("4", "4", ("d", "e"), ""), [snippet]).dropped_refs
    1
    >>> repaired = checked_answer(question, StructuredAnswer("4", "4", ("e",), ""), [snippet])
    >>> repaired.answer.ref_id, repaired.source_found_by
    (('d',), 'value')
    """
    shown_ids = {name for snippet in snippets for name in (snippet.document_id, *snippet.also_in)}
    refs, dropped_count = resolve_refs(answer.ref_id, shown_ids)
    nodes = named_nodes(answer.ref_id, [snippet.node_id for snippet in snippets])
    found_by = None
    is_unknown = dropped_count and not refs and not resolve_refs(answer.ref_id, known_documents)[0]
    if is_unknown and not is_blank(answer.answer_value):
        source = find_source(question, answer, snippets)
        if source is not None:
            refs, found_by = (source[0],), source[1]
    return CheckedAnswer(replace(answer, ref_id=refs, cited_nodes=nodes), dropped_count, found_by)
