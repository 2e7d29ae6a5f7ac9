"""Access to a model's server: its address, the key, and every exchange with it."""

from __future__ import annotations

import json
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from kohaku_lib.errors import ModelError
from kohaku_lib.http_exchange import exchange_client, same_server_only
from kohaku_lib.kinds import PROVIDERS, ServerKind
from kohaku_lib.llm.chat import (
    CallError,
    ContextOverflowError,
    NoMoreCallsError,
    ProviderUnavailableError,
    ServerDownError,
)
from kohaku_lib.llm.resilience.attempt import AttemptError, Check, attempt_errors, check_status, checked_json
from kohaku_lib.llm.resilience.calling import Environment, retried, shown_url
from kohaku_lib.llm.resilience.retry import Failure, overflow_tokens
from kohaku_lib.masking import remember_password, remember_secret, split_password
from kohaku_lib.settings import LlmSettings

if TYPE_CHECKING:
    import httpx

_UNREACHABLE_S, _EXHAUSTED_S = 5.0, 60.0  # how long no call is sent
_UNREACHABLE: dict[str, tuple[float, Failure]] = {}  # address to until when and why; planner and reader share it

Made = TypeVar("Made")


class ServerSettings(Protocol):
    """The settings of a server."""

    @property
    def call_retries(self) -> int:
        """Further attempts."""
        ...

    @property
    def retry_base_s(self) -> float:
        """First delay between attempts."""
        ...

    @property
    def timeout_s(self) -> float:
        """The longest exchange, from its first byte to the last."""
        ...

    @property
    def max_reply_mb(self) -> float:
        """The largest reply, decompressed."""
        ...


class KeySettings(Protocol):
    """Where a server is, and the variable that holds its key."""

    @property
    def base_url(self) -> str | None:
        """The server's address; its usual one by default."""
        ...

    @property
    def api_key_env(self) -> str | None:
        """The environment variable that holds the key."""
        ...


class ServerAccess:
    """Exchanges with the server at `url`; its connections are closed when the object is collected.

    An exchange has one time limit from connecting to the last byte, and a limit of bytes. Redirects to other servers
    are not followed. After a failure that the next call would meet as well (nothing answers, a quota is spent, a
    wait of more than ten minutes is asked for), the next ones fail in the same words without being sent.
    """

    def __init__(self, url: str, key: str | None, settings: ServerSettings, environment: Environment) -> None:
        remember_secret(key)
        remember_password(url)
        self.where = shown_url(url)  # the server's address, as it may be shown
        self._settings, self._environment = settings, environment
        address, password = split_password(url)
        headers = {"Authorization": f"Bearer {key}"} if key and not password else {}
        self._client = _client(address, settings, headers, password)
        weakref.finalize(self, self._client.close)
        self._was_reached = False
        self._closed: tuple[float, Failure] | None = None  # until when, and why

    def post(self, path: str, body: Mapping[str, Any], check: Check) -> dict[str, Any]:
        """Return the JSON reply to the JSON `body` that `check` lets pass; raises AttemptError.

        `check` raises AttemptError where the reply does not hold what was asked for.
        """
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        return self.json("POST", path, check, content=content, headers={"Content-Type": "application/json"})

    def json(self, method: str, path: str, check: Check, **options: Any) -> dict[str, Any]:
        """Return the JSON reply to a request with the `options` of httpx, as `post` does."""
        with self._attempt():
            return checked_json(self._exchange(method, path, **options), check, self._environment.now())

    def content(self, path: str, timeout_s: float) -> bytes:
        """Return the bytes at `path`; raises AttemptError."""
        with self._attempt():
            response = self._exchange("GET", path, timeout=timeout_s)
            check_status(response, self._environment.now())
            return response.content

    def retried(self, what: str, send: Callable[[int], Made]) -> Made:
        """Return what `send(attempts so far, this one included)` returns, with the retries of the settings.

        Each retry is announced in the log. Raises the last AttemptError.
        """
        return retried(send, f"{what} at {self.where}", self._settings, self._environment)

    def error(self, what: str, error: AttemptError, lack: str = "no reply") -> CallError:
        """Return the error that says why `what` came to nothing, in one sentence."""
        failure, attempts = error.failure, error.attempts
        tries = f" after {attempts} attempts" if attempts > 1 else ""
        return failed_call(
            f"{what} at {self.where} gave {lack}{tries}: {failure.message}", failure, attempts, error.latency_s
        )

    def _exchange(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self._client.request(method, path, **options)

    @contextmanager
    def _attempt(self) -> Iterator[None]:
        self._check_open()
        try:
            with attempt_errors(lambda: self._was_reached):
                yield
        except AttemptError as error:
            self._learn(error.failure)
            raise
        self._was_reached = True

    def _learn(self, failure: Failure) -> None:
        """Take note of a failure that the next call would meet as well."""
        self._was_reached |= failure.kind != "unreachable"
        if failure.kind == "unreachable":
            _UNREACHABLE[self.where] = time.monotonic() + _UNREACHABLE_S, failure
        elif failure.kind == "exhausted":
            self._closed = self._environment.clock() + (failure.hint_s or _EXHAUSTED_S), failure

    def _check_open(self) -> None:
        closed, unreachable = self._closed, _UNREACHABLE.get(self.where)
        if closed is not None and self._environment.clock() < closed[0]:
            raise AttemptError(closed[1])
        if unreachable is not None and not self._was_reached and time.monotonic() < unreachable[0]:
            raise AttemptError(unreachable[1])


def chat_access(settings: LlmSettings, environment: Environment, *, least_mb: float = 0.0) -> ServerAccess:
    """Return the access to the server of the chat model of `settings`; replies may have at least `least_mb`.

    Raises ModelError where the key is missing or the provider is no chat provider.
    """
    server = _server(settings)
    user, otherwise = f"llm.provider = {settings.provider!r}", "use llm.provider = 'extractive'"
    key = server_key(settings, server.key_variable, environment, user, "llm", otherwise)
    if least_mb > settings.max_reply_mb:
        settings = settings.model_copy(update={"max_reply_mb": least_mb})
    return ServerAccess(settings.base_url or server.base_url, key, settings, environment)


def server_key(
    settings: KeySettings, usual: str | None, environment: Environment, user: str, section: str, otherwise: str
) -> str | None:
    """Return the key of a server; None where it needs none, as one at an address of its own without a named key.

    Args:
        settings: Say where the server is and which variable holds its key.
        usual: The variable of the key where the settings name none.
        environment: The environment variables.
        user: The setting that needs the key, for the error.
        section: The section of the settings, for the error.
        otherwise: What else can be done, for the error.

    Raises:
        ModelError: The key is missing.

    """
    variable = settings.api_key_env or usual
    if variable is None:
        return None
    key = environment.variable(variable)
    if key or not environment.needs_key or (settings.base_url and not settings.api_key_env):
        return key
    msg = (
        f"{user} needs a key in the environment variable {variable}, which is not set; set it, name another one in "
        f"{section}.api_key_env, or {otherwise}"
    )
    raise ModelError(msg)


def failed_call(sentence: str, failure: Failure, attempts: int = 1, latency_s: float | None = None) -> CallError:
    """Return the error of the class that `failure` asks for; an overflow has the token counts of its message.

    >>> type(failed_call("too long", Failure("overflow", "too long"))).__name__
    'ContextOverflowError'
    """
    made = _error_class(failure)(sentence, attempts=attempts, latency_s=latency_s)
    if isinstance(made, ContextOverflowError):
        made.limit_tokens, made.asked_tokens = overflow_tokens(failure.message)
    return made


def _error_class(failure: Failure) -> type[CallError]:
    """A failure that could be retried ends a call only after all retries: nobody is there to answer."""
    classes = {
        "overflow": ContextOverflowError,
        "unavailable": ProviderUnavailableError,
        "exhausted": NoMoreCallsError,
        "unreachable": ServerDownError,
        "retry": ServerDownError,
    }
    return classes.get(failure.kind, CallError)


def _server(settings: LlmSettings) -> ServerKind:
    server = PROVIDERS.get(settings.provider).server
    if server is not None:
        return server
    served = [kind.name for kind in PROVIDERS if kind.server is not None]
    msg = f"llm.provider = {settings.provider!r} is no chat provider with a server; use one of {served}"
    raise ModelError(msg)


def _client(
    address: str, settings: ServerSettings, headers: dict[str, str], password: tuple[str, str] | None
) -> httpx.Client:
    import httpx

    url = httpx.URL(address)
    return exchange_client(
        int(settings.max_reply_mb * 1_000_000),
        check_redirect=same_server_only,
        headers=headers,
        base_url=url.copy_with(query=None, fragment=None),
        params=url.params,
        timeout=settings.timeout_s,
        auth=password,
    )
