"""Masking of secrets in messages; the registry of the secrets of this process."""

from __future__ import annotations

import base64
import json
import os
import re
import threading
from urllib.parse import quote, unquote, urlsplit, urlunsplit

KEY_MARK, PASSWORD_MARK = "[key]", "***"  # replacements

_SHORTEST = 4  # characters of a secret to mask in messages
_SHORTEST_IN_REPLIES = 16  # in model replies: shorter ones are words such as "ollama" and "not-needed"
_PIECE = 12  # characters of a secret's fragment to mask
_NAMES = re.compile(r"(API_?KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)
_USERINFO = re.compile(r"(?<=://)[^\s/?#\"'<>]*@")
_QUERY = re.compile(
    r"(?<=[?&])([\w-]*(?:key|token|secret|password|sig|signature|credential)=)[^&\s#\"'<>]+", re.IGNORECASE
)
_HEADER = re.compile(r"\b(Bearer|Basic)\s+[\w.~+/=-]{8,}", re.IGNORECASE)

_lock = threading.Lock()
_secrets: set[str] = set()


def remember_secret(secret: str | None) -> None:
    """Mask `secret`, such as a key that is about to be sent, from now on, also as escaped in URLs and JSON."""
    if secret and len(secret) >= _SHORTEST:
        with _lock:
            _secrets.update({secret, quote(secret, safe=""), json.dumps(secret)[1:-1]})


def remember_password(url: str | None) -> None:
    """Mask the password in `url` from now on, also as encoded in a Basic header."""
    parts = urlsplit(url or "")
    if parts.password:
        user, password = unquote(parts.username or ""), unquote(parts.password)
        remember_secret(password)
        remember_secret(base64.b64encode(f"{user}:{password}".encode()).decode())


def masked(text: str) -> str:
    """Return `text`, such as a message, with keys, fragments of keys, passwords in URLs and auth headers masked.

    Mask before truncating: a fragment of a key is recognised by twelve of its characters only.

    >>> remember_secret("sk-a1b2c3d4e5f6g7h8")
    >>> masked("refused: sk-a1b2c3d4e5f6g7h8, at http://me:pw@host/v1")
    'refused: [key], at http://***@host/v1'
    >>> masked("refused: sk-a1b2c3d4e5f")
    'refused: [key]'
    """
    without_headers = _HEADER.sub(rf"\1 {KEY_MARK}", masked_url(text))
    return _mask_secrets(without_headers, _known_secrets(_SHORTEST))


def masked_reply(text: str) -> str:
    """Return the text of a reply with echoed keys masked, and otherwise unchanged."""
    return _mask_secrets(text, reply_secrets())


def reply_secrets() -> list[str]:
    """Return the secrets that are masked in replies, longest first."""
    return _known_secrets(_SHORTEST_IN_REPLIES)


def masked_url(text: str) -> str:
    """Return `text` with user names, passwords and keys in URLs masked.

    >>> masked_url("http://me:secret@example.com/v1?page=2&access_token=abc")
    'http://***@example.com/v1?page=2&access_token=***'
    """
    if "://" not in text:
        return text
    return _QUERY.sub(rf"\1{PASSWORD_MARK}", _USERINFO.sub(f"{PASSWORD_MARK}@", text))


def shown_url(url: str) -> str:
    """Return `url` without user name, password and query.

    >>> shown_url("https://me:secret@example.com:8000/v1?key=abc")
    'https://example.com:8000/v1'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"


def split_password(url: str) -> tuple[str, tuple[str, str] | None]:
    """Split `url` into the URL without credentials, and (user name, password) or None.

    >>> split_password("http://me:a%40b@example.com:8000/v1")
    ('http://example.com:8000/v1', ('me', 'a@b'))
    """
    parts = urlsplit(url)
    userinfo, at, host = parts.netloc.rpartition("@")
    if not at:
        return url, None
    user, _, password = userinfo.partition(":")
    return urlunsplit(parts._replace(netloc=host)), (unquote(user), unquote(password))


def _known_secrets(shortest: int) -> list[str]:
    """Return the secrets of at least `shortest` characters, longest first, as one may be a prefix of another."""
    with _lock:
        secrets = set(_secrets)
    secrets |= {value.strip() for name, value in os.environ.items() if len(value) >= _PIECE and _NAMES.search(name)}
    return sorted((secret for secret in secrets if len(secret) >= shortest), key=lambda one: (-len(one), one))


def _mask_secrets(text: str, secrets: list[str]) -> str:
    for secret in secrets:
        if secret in text:
            text = _secret_pattern(secret).sub(KEY_MARK, text)
    for secret in secrets:  # after all whole ones: a fragment of one may be part of another
        if len(secret) > _PIECE:
            text = _mask_fragments(text, secret)
    return text


def _secret_pattern(secret: str) -> re.Pattern[str]:
    """Return a pattern of `secret`; a short alphanumeric one matches whole words only."""
    bound = r"\b" if len(secret) < _PIECE and secret.isalnum() else ""
    return re.compile(f"{bound}{re.escape(secret)}{bound}")


def _mask_fragments(text: str, secret: str) -> str:
    """Mask fragments of `secret` that truncation left in `text`."""
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
