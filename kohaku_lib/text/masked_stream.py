"""A text that arrives in parts, passed on without the secrets that two parts may hold between them."""

from __future__ import annotations

from collections.abc import Callable

from kohaku_lib.masking import masked_reply, reply_secrets


class MaskedStream:
    """Passes the text of `feed` on to `on_text`, masked as a whole; `end` passes on the rest.

    Held back is what may be the beginning of a secret: the longest end of the text that stands in one, too.

    >>> from kohaku_lib.masking import remember_secret
    >>> remember_secret("sk-a1b2c3d4e5f6g7h8")
    >>> shown = []
    >>> stream = MaskedStream(shown.append)
    >>> for part in ("The key is ", "sk-a1b2c3", "d4e5f6g7", "h8, he said."):
    ...     stream.feed(part)
    >>> stream.end()
    >>> "".join(shown)
    'The key is [key], he said.'
    """

    def __init__(self, on_text: Callable[[str], object]) -> None:
        self._on_text, self._held, self._secrets = on_text, "", reply_secrets()

    def feed(self, part: str) -> None:
        """Take the next part."""
        self._held += part
        safe = self._held[: len(self._held) - self._may_begin()]
        shown = masked_reply(safe)
        if shown and masked_reply(self._held).startswith(shown):  # else the border runs through a secret
            self._held = self._held[len(safe) :]
            self._on_text(shown)

    def end(self) -> None:
        """Pass on what is held back."""
        if self._held:
            self._on_text(masked_reply(self._held))
            self._held = ""

    def _may_begin(self) -> int:
        """Return the length of the longest end of the text that stands in a secret."""
        return max((_common(self._held, secret) for secret in self._secrets), default=0)


def _common(text: str, secret: str) -> int:
    length = 0
    while length < min(len(text), len(secret)) and text[len(text) - length - 1 :] in secret:
        length += 1
    return length
