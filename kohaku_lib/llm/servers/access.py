"""Access to a model server by the `openai` package: address, API key and requests."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from kohaku_lib.errors import ModelError
from kohaku_lib.http_exchange import UnknownHostError, exchange_client, same_server_only
from kohaku_lib.llm.chat import (
    BlankReplyError,
    CallError,
    ContextOverflowError,
    NoMoreCallsError,
    ProviderUnavailableError,
    ServerDownError,
)
from kohaku_lib.llm.environment import Environment
from kohaku_lib.llm.providers.interface import PROVIDERS, ServerKind
from kohaku_lib.llm.resilience.attempt import AttemptError, Check, attempt_errors, check_status, checked_json, shown
from kohaku_lib.llm.resilience.failures import Failure, overflow_tokens
from kohaku_lib.llm.resilience.retrying import ServedSettings, retried
from kohaku_lib.masking import remember_password, remember_secret, shown_url, split_password
from kohaku_lib.settings import LlmSettings

if TYPE_CHECKING:
    import httpx
    import openai

_UNREACHABLE_S, _EXHAUSTED_S = 5.0, 60.0  # pause of calls after such a failure
_UNREACHABLE: dict[str, tuple[float, Failure]] = {}  # address to (end of the pause, reason); shared by all clients
_SENT = {"accept", "accept-encoding", "connection", "content-length", "content-type", "host", "user-agent"} | {
    "x-stainless-raw-response"  # which the package looks for in the request
}
_ERRORS: dict[str, type[CallError]] = {
    "overflow": ContextOverflowError,
    "unavailable": ProviderUnavailableError,
    "exhausted": NoMoreCallsError,
    "unreachable": ServerDownError,
    "retry": ServerDownError,  # after all retries
    "blank": BlankReplyError,
}

Result = TypeVar("Result")


class ServerAccess:
    """Requests to the server at `url`; connections are closed when the object is garbage-collected.

    The `openai` package makes them, without the headers that tell about this machine or come from its environment variables.
    A request has one time limit from connecting to the last byte, and a size limit. Redirects to other servers are not
    followed. After a failure that would recur and costs a wait (a host that does not answer or is not known, a spent quota, a
    required wait of more than ten minutes), the next calls fail with the same message without being sent. A refused connection
    is tried again by each call: the server may have just started.
    """

    def __init__(self, url: str, key: str | None, settings: ServedSettings, environment: Environment) -> None:
        remember_secret(key)
        remember_password(url)
        self.where = shown_url(url)  # without credentials
        self._settings, self._environment = settings, environment
        address, password = split_password(url)
        self._key = key
        sent = {*_SENT, *(["authorization"] if key or password else [])}
        self._http = _http_client(address, settings, sent, password)
        weakref.finalize(self, self._http.close)
        self._was_reached = False
        self._closed: tuple[float, Failure] | None = None  # end of the pause, reason

    @cached_property
    def client(self) -> openai.OpenAI:
        """The client of the package, whose import takes most of a second; retries are ours."""
        import openai

        return openai.OpenAI(
            api_key=self._key or "none",  # without a key the header is not sent
            base_url=str(self._http.base_url),
            default_headers={"Authorization": f"Bearer {self._key or 'none'}"},
            http_client=cast("Any", self._http),
            max_retries=0,
            timeout=self._settings.timeout_s,
        )

    def json(self, call: Callable[..., Any], check: Check, **arguments: Any) -> dict[str, Any]:
        """Return the JSON reply to a `call` of the client that returns the raw response.

        Raises:
            AttemptError: There is no usable reply; raised by `check` too.
        """
        return self.reply(call, lambda response: checked_json(response, check, self._environment.now()), **arguments)

    def reply(self, call: Callable[..., Any], read: Callable[[httpx.Response], Result], **arguments: Any) -> Result:
        """Return what `read` makes of the successful response to a `call`, as in `json`.

        Raises:
            AttemptError: There is no usable reply; raised by `read` too.
        """
        with self._attempt_request(), closing(_response(call, arguments)) as response:
            check_status(response, self._environment.now())
            return read(response)

    def retried(self, what: str, send: Callable[[int], Result]) -> Result:
        """Call `send(attempt number)` with the retries of the settings, which are logged.

        Raises:
            AttemptError: The last one, if a retry cannot help or none is left.
        """
        return retried(send, f"{what} at {self.where}", self._settings, self._environment)

    def error(self, what: str, error: AttemptError, lack: str = "no reply") -> CallError:
        """Return a CallError with the reason of the failure of `what` in one sentence."""
        failure, attempts = error.failure, error.attempts
        tries = f" after {attempts} attempts" if attempts > 1 else ""
        sentence = f"{what} at {self.where} gave {lack}{tries}: {failure.message}"
        call_error = failed_call(sentence, failure, attempts, error.latency_s)
        call_error.received = error.received
        return call_error

    @contextmanager
    def _attempt_request(self) -> Iterator[None]:
        self._check_open()
        try:
            with attempt_errors(lambda: self._was_reached):
                yield
        except AttemptError as error:
            self._record_failure(error)
            raise
        self._was_reached = True

    def _record_failure(self, error: AttemptError) -> None:
        """Record a failure that would recur."""
        import httpx

        failure = error.failure
        self._was_reached |= failure.kind != "unreachable"
        if failure.kind == "unreachable" and isinstance(error.__cause__, (httpx.ConnectTimeout, UnknownHostError)):
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
    """Return access to the chat server of `settings`, with a reply limit of at least `least_mb`.

    Raises:
        ModelError: The API key is missing, or the provider has no server.
    """
    server = _server_kind(settings)
    user, otherwise = f"llm.provider = {settings.provider!r}", "use answer.by = 'reader'"
    key = server_key(settings, server.key_variable, environment, user, "llm", otherwise)
    if least_mb > settings.max_reply_mb:
        settings = settings.model_copy(update={"max_reply_mb": least_mb})
    return ServerAccess(settings.base_url or server.base_url, key, settings, environment)


def server_key(
    settings: ServedSettings, usual: str | None, environment: Environment, user: str, section: str, otherwise: str
) -> str | None:
    """Return the API key of a server; None if it needs none, such as one with a custom address and no key variable.

    Args:
        settings: The server's address and the variable of its key.
        usual: The default variable of the key.
        environment: The environment variables.
        user: The setting that needs the key, for the error.
        section: The section of the settings, for the error.
        otherwise: An alternative, for the error.

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
        f"{user} needs a key in the environment variable {variable}, which is not set; set it, set another variable in "
        f"{section}.api_key_env, or {otherwise}"
    )
    raise ModelError(msg)


def failed_call(sentence: str, failure: Failure, attempts: int = 1, latency_s: float | None = None) -> CallError:
    """Return the CallError for `failure`; an overflow has the token counts of its message.

    >>> type(failed_call("too long", Failure("overflow", "too long"))).__name__
    'ContextOverflowError'
    """
    call_error = _ERRORS.get(failure.kind, CallError)(sentence, attempts=attempts, latency_s=latency_s)
    if isinstance(call_error, ContextOverflowError):
        call_error.limit_tokens, call_error.prompt_tokens = overflow_tokens(failure.message)
    return call_error


def _server_kind(settings: LlmSettings) -> ServerKind:
    server = None if settings.provider is None else PROVIDERS.get(settings.provider).server
    if server is not None:
        return server
    names = [kind.name for kind in PROVIDERS if kind.server is not None]
    msg = f"llm.provider = {settings.provider!r} is not a chat provider with a server; use one of {names}"
    raise ModelError(msg)


def _response(call: Callable[..., Any], arguments: dict[str, Any]) -> httpx.Response:
    """Return the response, whatever its status; raises what went wrong below the package."""
    import openai

    try:
        found = call(**arguments)
        return getattr(found, "http_response", found)  # `with_raw_response` wraps it
    except openai.APIStatusError as error:
        return cast("Any", error.response)
    except openai.APIConnectionError as error:
        reason = error.__cause__ or error
    except ValueError as error:  # a text that is no UTF-8, an id that can stand in no path
        reason = AttemptError(Failure("refused", shown(str(error))))
    raise reason


def _http_client(
    address: str, settings: ServedSettings, sent: set[str], password: tuple[str, str] | None
) -> httpx.Client:
    import httpx

    def strip(request: httpx.Request) -> None:
        for name in request.headers.keys() - sent:
            del request.headers[name]

    url = httpx.URL(address)
    return exchange_client(
        int(settings.max_reply_mb * 1_000_000),
        check_redirect=same_server_only,
        base_url=url.copy_with(query=None, fragment=None),
        params=url.params,
        auth=password,
        event_hooks={"request": [strip]},
    )
