"""What may be shown of a reply while it arrives: no notes, no suggested questions, citations only once they are closed."""

from __future__ import annotations

import re
from collections.abc import Callable

from kohaku_lib.assistant.response.replies import parse_reply
from kohaku_lib.prompts.cited_answer import SUGGESTED
from kohaku_lib.text.json_replies import strip_thinking

_OPENING_CHARS = 80  # held back until a preamble would have ended
_OPEN_MARK = re.compile(r"[\[(【<][^\])】>\n]{0,160}\Z|[ \t]+\Z")


class ShownReply:
    r"""The part of a reply that can no longer change, passed on as it grows.

    Args:
        show: Called with each new part.
        sources: The number of sources that may be cited.

    Example:
        >>> shown = ShownReply(print, sources=2)
        >>> for part in ("<think>hm</think>It used 41,800 kWh in 2023 [sou", "rce 1], as the report about the whole year",
        ...              " says.\nSUGGESTED_QUESTIONS: Why?"):
        ...     shown.add(part)
        It used 41,800 kWh in 2023 [Source 1], as the report about the whole year says.

    """

    def __init__(self, show: Callable[[str], object], sources: int) -> None:
        self._show, self._sources = show, sources
        self._received = self._shown = ""

    def add(self, part: str) -> None:
        """Take a part of the reply as it arrives."""
        self._received += part
        text = strip_thinking(self._received)
        if len(text) < _OPENING_CHARS and "\n" not in text.strip():
            return
        self._show_up_to(parse_reply(self._settled(text), self._sources).content)

    def finish(self, content: str) -> None:
        """Show what is left of `content`, the whole reply as it was parsed; all of it where other text was shown.

        That is so where a model thinks without saying so, as one whose prompt begins its thoughts: only their end tells.
        """
        if not content.startswith(self._shown):
            self._show("\n\n")
            self._shown = ""
        self._show_up_to(content)

    def _settled(self, text: str) -> str:
        """Return `text` without an end that later parts may change: an open mark, or a line that may suggest questions."""
        text = _OPEN_MARK.sub("", text)
        last = text.rpartition("\n")[2].strip(" *_#>-")
        opens = bool(last) and SUGGESTED.startswith(last.upper()[: len(SUGGESTED)])
        return text.rpartition("\n")[0] if opens else text

    def _show_up_to(self, content: str) -> None:
        if content.startswith(self._shown) and len(content) > len(self._shown):
            self._show(content[len(self._shown) :])
            self._shown = content
