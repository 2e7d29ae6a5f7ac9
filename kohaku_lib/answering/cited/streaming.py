"""What may be shown of a reply while it arrives: no notes, no suggested questions, citations only once they are closed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from kohaku_lib.answering.cited.cited_text import checked_citations, checked_text, is_settled
from kohaku_lib.answering.cited.grounding import complete_sentences
from kohaku_lib.answering.cited.replies import parse_reply
from kohaku_lib.answering.deepening import CheckedAnswer
from kohaku_lib.prompts.cited_answer import SUGGESTED
from kohaku_lib.tables import Question, Snippet, StructuredAnswer
from kohaku_lib.text.json_replies import strip_thinking

_OPENING_CHARS = 80  # held back until a preamble would have ended
Stands = Callable[
    [CheckedAnswer, Sequence[Snippet]], bool
]  # of an answer over these passages: whether it passes all checks
_OPEN_MARK = re.compile(r"[\[(【<][^\])】>\n]{0,160}\Z|[ \t]+\Z")


class ShownText:
    """A text that is shown while it grows; `shown` is what was passed to `show` so far."""

    def __init__(self, show: Callable[[str], object]) -> None:
        self._show, self.shown = show, ""

    def add(self, part: str) -> None:
        """Show a further part."""
        self.shown += part
        self._show(part)

    def show_up_to(self, content: str) -> None:
        """Show what `content` has more than is shown; nothing if it goes on otherwise."""
        if content.startswith(self.shown) and len(content) > len(self.shown):
            self.add(content[len(self.shown) :])

    def finish(self, content: str) -> None:
        """Show what is left of `content`, the whole text; all of it where other text was shown."""
        if not content.startswith(self.shown):
            self._show("\n\n")
            self.shown = ""
        self.show_up_to(content)


class ShownReply:
    r"""The part of a reply that can no longer change, passed on as it grows.

    Args:
        shown: Where it is shown.
        sources: The number of sources that may be cited.
        check: Returns what may be shown of the sentences that are complete; all of what has arrived by default.

    Example:
        >>> shown = ShownReply(ShownText(print), sources=2)
        >>> for part in ("<think>hm</think>It used 41,800 kWh in 2023 [sou", "rce 1], as the report about the whole year",
        ...              " says.\nSUGGESTED_QUESTIONS: Why?"):
        ...     shown.add(part)
        It used 41,800 kWh in 2023 [Source 1], as the report about the whole year says.

    """

    def __init__(self, shown: ShownText, sources: int, check: Callable[[str], str] | None = None) -> None:
        self._shown, self._sources, self._check = shown, sources, check
        self._received = self._complete = ""

    def add(self, part: str) -> None:
        """Take a part of the reply as it arrives."""
        self._received += part
        text = strip_thinking(self._received)
        if len(text) < _OPENING_CHARS and "\n" not in text.strip():
            return
        content = parse_reply(self._settled(text), self._sources).content
        if self._check is None:
            self._shown.show_up_to(content)
        elif (complete := complete_sentences(content)) != self._complete:
            self._complete = complete
            self._shown.show_up_to(self._check(complete))

    def _settled(self, text: str) -> str:
        """Return `text` without an end that later parts may change: an open mark, or a line that may suggest questions."""
        text = _OPEN_MARK.sub("", text)
        last = text.rpartition("\n")[2].strip(" *_#>-")
        opens = bool(last) and SUGGESTED.startswith(last.upper()[: len(SUGGESTED)])
        return text.rpartition("\n")[0] if opens else text


class GrowingText:
    """What may be shown of the complete sentences of a growing text, over the passages that it cites.

    Nothing may until its answer stands; from then on all of it, with the citations that hold, as what follows cannot take the
    answer back. A text beside a picture has no such answer.
    """

    def __init__(
        self, question: Question, known_documents: Collection[str], stands: Stands, *, has_picture: bool
    ) -> None:
        self._question, self._known, self._stands, self._has_picture = question, known_documents, stands, has_picture
        self._standing = ""

    def shown(self, passages: Sequence[Snippet], content: str) -> str:
        """Return what may be shown of `content`; empty if nothing."""
        if not self._has_picture and not (self._standing and content.startswith(self._standing)):
            told = StructuredAnswer(content, content, (), "")
            checked = checked_text(self._question, told, passages, self._known)
            if not is_settled(self._question.text, checked.answer.answer_value) or not self._stands(checked, passages):
                return ""
            self._standing = content
        return checked_citations(content, passages, self._question, needs_citation=not self._has_picture).content
