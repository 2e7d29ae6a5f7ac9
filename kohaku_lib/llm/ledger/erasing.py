"""Takes the replies about an erased document out of the call ledger; what was paid stays counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kohaku_lib.llm.ledger.calls import parse_call
from kohaku_lib.llm.ledger.lines import CHECK, ERASED, ledger_line
from kohaku_lib.storage import write_atomically
from kohaku_lib.storage.erasure.traces import Traces, strings_of

Call = Mapping[str, Any]
_CONTENT = ("text", "error", "first_token", "received")
_FROM_PASSAGES = ("predictions", "assistant")  # stages whose prompts hold all passages of a question


def is_call_about(call: Call, traces: Traces, questions: frozenset[str]) -> bool:
    """Return whether a call has a reply that holds the document, was made for one of its passages, or answers a question from it.

    `questions` are the ids of the questions whose passages the document gave: the same prompt cannot occur again.
    """
    if call.get("error") == ERASED:
        return False
    if traces.is_named(str(call.get("question_id"))):
        return True
    if call.get("stage") in _FROM_PASSAGES and call.get("question_id") in questions:
        return True
    return any(traces.is_held(text) for name in _CONTENT for text in strings_of(call.get(name)))


def replies_about(files: Iterable[Path], is_about: Callable[[Call], bool]) -> Iterator[str]:
    """Yield the replies of the calls in the ledger's `files` that `is_about` chooses."""
    for path in files:
        for line in path.read_bytes().splitlines():
            call = parse_call(line)
            if call is not None and is_about(call) and isinstance(call.get("text"), str):
                yield call["text"]


def erase_calls(files: Iterable[Path], is_about: Callable[[Call], bool]) -> int:
    """Drop the content of the calls that `is_about` chooses, and damaged lines, from a ledger's `files`; return their number.

    Tokens and cost stay, so that what was paid is still counted; the reply is not used again.
    """
    number = 0
    for path in files:
        before, kept = path.read_bytes(), []
        for line in before.splitlines():
            call = parse_call(line)
            if call is None:  # whose content is unknown
                continue
            if is_about(call):
                number += 1
                rest = {name: value for name, value in call.items() if name not in (*_CONTENT, CHECK)}
                kept.append(ledger_line({**rest, "text": None, "error": ERASED}))
            else:
                kept.append(line + b"\n")
        after = b"".join(kept)
        if after != before:
            write_atomically(path, lambda temporary, content=after: temporary.write_bytes(content))
    return number
