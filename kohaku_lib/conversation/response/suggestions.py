"""Further questions after an answer: those that its own document suggests."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from kohaku_lib.index import Snapshot
from kohaku_lib.suggestions.candidates import content_words, document_candidates, is_same_thing
from kohaku_lib.suggestions.stored import stored_suggestions

MOST = 3


def suggest_questions(snapshot: Snapshot, node_ids: Sequence[str], question: str, org_id: str) -> tuple[str, ...]:
    """Return up to three questions about the document of the first of `node_ids`, best first.

    First those that were tried once the index was published, then what stands near the node. None is about the same thing as
    `question` or another.
    """
    if not node_ids:
        return ()
    [document_id] = snapshot.column("document_id", [snapshot.row_of(node_ids[0])])
    tried = stored_suggestions(snapshot, org_id, document_id) or ()
    near = (one.question for one in document_candidates(snapshot, document_id, node_ids[0]))
    about, found = [content_words(question)], list[str]()
    for suggested in chain(tried, near):
        words = content_words(suggested)
        if not any(is_same_thing(words, other) for other in about):
            about.append(words)
            found.append(suggested)
    return tuple(found[:MOST])
