"""What must not be shown, and texts without it: the one place that knows the secrets of this process."""

from __future__ import annotations

import base64
import json
import os
import re
import threading
from urllib.parse import quote, unquote, urlsplit, urlunsplit

KEY_MARK, PASSWORD_MARK = "[key]", "***"  # what stands in their place

_SHORTEST = 4  # characters of a secret that is looked for in messages
_SHORTEST_IN_REPLIES = 16  # in what is paid for: shorter ones are words such as "ollama" and "not-needed"
_PIECE = 12  # characters of a secret's piece that say too much
_NAMES = re.compile(r"(API_?KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)
_USERINFO = re.compile(r"(?<=://)[^\s/?#\"'<>]*@")
_QUERY = re.compile(
    r"(?<=[?&])([\w-]*(?:key|token|secret|password|sig|signature|credential)=)[^&\s#\"'<>]+", re.IGNORECASE
)
_HEADER = re.compile(r"\b(Bearer|Basic)\s+[\w.~+/=-]{8,}", re.IGNORECASE)

_lock = threading.Lock()
_secrets: set[str] = set()


def remember_secret(secret: str | None) -> None:
    """Let `secret`, such as a key that is about to be sent, be masked from now on; so are its forms in URLs and JSON."""
    if secret and len(secret) >= _SHORTEST:
        with _lock:
            _secrets.update({secret, quote(secret, safe=""), json.dumps(secret)[1:-1]})


def remember_password(url: str | None) -> None:
    """Let the password in `url` be masked from now on, also as a header bears it."""
    parts = urlsplit(url or "")
    if parts.password:
        user, password = unquote(parts.username or ""), unquote(parts.password)
        remember_secret(password)
        remember_secret(base64.b64encode(f"{user}:{password}".encode()).decode())


def masked(text: str) -> str:
    """Return `text`, such as a message, without secrets: keys, pieces of them, passwords in URLs, and headers.

    Mask before any cut: what a cut leaves of a key is known by twelve of its characters.

    >>> remember_secret("sk-a1b2c3d4e5f6g7h8")
    >>> masked("refused: sk-a1b2c3d4e5f6g7h8, at http://me:pw@host/v1")
    'refused: [key], at http://***@host/v1'
    >>> masked("refused: sk-a1b2c3d4e5f")
    'refused: [key]'
    """
    told = _HEADER.sub(rf"\1 {KEY_MARK}", masked_url(text))
    return _without(told, _known(_SHORTEST))


def masked_reply(text: str) -> str:
    """Return the text of a reply without keys that it echoes, and otherwise as it is."""
    return _without(text, _known(_SHORTEST_IN_REPLIES))


def masked_url(text: str) -> str:
    """Return `text` without what its URLs hold of user names, passwords and keys.

    >>> masked_url("http://me:secret@example.com/v1?page=2&access_token=abc")
    'http://***@example.com/v1?page=2&access_token=***'
    """
    if "://" not in text:
        return text
    return _QUERY.sub(rf"\1{PASSWORD_MARK}", _USERINFO.sub(f"{PASSWORD_MARK}@", text))


def split_password(url: str) -> tuple[str, tuple[str, str] | None]:
    """Return `url` without its user name and password, and these.

    >>> split_password("http://me:a%40b@example.com:8000/v1")
    ('http://example.com:8000/v1', ('me', 'a@b'))
    """
    parts = urlsplit(url)
    userinfo, at, host = parts.netloc.rpartition("@")
    if not at:
        return url, None
    user, _, password = userinfo.partition(":")
    return urlunsplit(parts._replace(netloc=host)), (unquote(user), unquote(password))


def _known(shortest: int) -> list[str]:
    """Return the secrets of at least so many characters, the longest first: one may begin another."""
    with _lock:
        told = set(_secrets)
    told |= {value.strip() for name, value in os.environ.items() if len(value) >= _PIECE and _NAMES.search(name)}
    return sorted((secret for secret in told if len(secret) >= shortest), key=lambda one: (-len(one), one))


def _without(text: str, secrets: list[str]) -> str:
    for secret in secrets:
        if secret in text:
            text = _whole(secret).sub(KEY_MARK, text)
    for secret in secrets:  # after all whole ones: a piece of one may be within another
        if len(secret) > _PIECE:
            text = _without_pieces(text, secret)
    return text


def _whole(secret: str) -> re.Pattern[str]:
    """A short secret may be a word: inside another one it is none."""
    bound = r"\b" if len(secret) < _PIECE and secret.isalnum() else ""
    return re.compile(f"{bound}{re.escape(secret)}{bound}")


def _without_pieces(text: str, secret: str) -> str:
    """Return `text` without what is left of `secret` where others have cut it."""
    pieces = {secret[at : at + _PIECE] for at in range(len(secret) - _PIECE + 1)}
    if not any(piece in text for piece in pieces):
        return text
    found = [at for at in range(len(text) - _PIECE + 1) if text[at : at + _PIECE] in pieces]
    kept: list[str] = []
    end = 0
    for at in found:
        if at >= end:
            kept += [text[end:at], KEY_MARK]
        end = at + _PIECE
    return "".join(kept) + text[end:]
