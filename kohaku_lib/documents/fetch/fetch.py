"""Download the documents whose URLs are in metadata.csv into the documents folder."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kohaku_lib.digests import file_sha256
from kohaku_lib.documents.fetch.download import FetchError, download_pdf
from kohaku_lib.documents.fetch.ledger import FetchLedger, FetchOutcome
from kohaku_lib.documents.identifiers import file_stem
from kohaku_lib.llm import Environment
from kohaku_lib.masking import masked_url
from kohaku_lib.parallel.interruption import interruptible_pool
from kohaku_lib.settings import FetchSettings

if TYPE_CHECKING:
    import httpx

_HIDDEN_TEMPORARY = ".*.pdf.*.tmp"  # leftovers of a killed download, as named by `write_atomically`


@dataclass(frozen=True, slots=True)
class FetchPlan:
    """What to fetch: metadata rows by id, present files by the same id, and the target folder.

    With `force`, unchanged files of earlier fetches are downloaded again. A positive `limit` stops after that many
    rows are fetched or cached.
    """

    rows: Mapping[str, Mapping[str, str]]
    present: Mapping[str, Path]
    folder: Path
    force: bool = False
    limit: int = 0


def fetch_documents(
    plan: FetchPlan,
    client: httpx.Client,
    ledger: FetchLedger,
    settings: FetchSettings,
    environment: Environment | None = None,
    on_outcome: Callable[[FetchOutcome], object] = lambda outcome: None,
) -> list[FetchOutcome]:
    """Fetch the rows of `plan` and return their outcomes, in order; a failing row does not stop the others.

    A row whose file is present is "cached", unless the file was fetched, is unchanged and the URL has changed since.
    Files are written atomically, and each outcome is in `ledger` before the next row of its host starts, so a killed
    run resumes where it stopped. At most `settings.max_concurrent` rows run concurrently, `settings.per_host` per
    host. `on_outcome` is called with every outcome as it completes.
    """
    _remove_leftovers(plan.folder)
    run = _FetchRun(plan, client, ledger, settings, environment or Environment(), on_outcome)
    with interruptible_pool(settings.max_concurrent, "kohaku-fetch") as pool:
        try:
            while run.start(pool):
                run.collect()
        except BaseException:
            run.environment.stopped.set()  # ends the waits between retries
            raise
    order = {name: place for place, name in enumerate(plan.rows)}
    return sorted(run.outcomes, key=lambda outcome: order[outcome.id])


@dataclass(slots=True)
class _FetchRun:
    """The state of one fetch: waiting rows, running downloads and outcomes."""

    plan: FetchPlan
    client: httpx.Client
    ledger: FetchLedger
    settings: FetchSettings
    environment: Environment
    on_outcome: Callable[[FetchOutcome], object]
    outcomes: list[FetchOutcome] = field(default_factory=list)
    waiting: list[str] = field(init=False)
    running: dict[Future[FetchOutcome], str] = field(default_factory=dict)  # values are hosts
    available: int = 0

    def __post_init__(self) -> None:
        self.waiting = list(self.plan.rows)

    def start(self, pool: ThreadPoolExecutor) -> bool:
        """Start every row within the limits; return whether any is running."""
        while (name := self._next_row()) is not None:
            self.waiting.remove(name)
            done = self._offline_outcome(name)
            if done is not None:
                self._record(done)
                continue
            self.running[pool.submit(self._download, name)] = _host_of(self._url(name))
        return bool(self.running)

    def collect(self) -> None:
        """Wait for the next completed rows and record their outcomes."""
        done, _ = wait(self.running, return_when=FIRST_COMPLETED)
        for future in done:
            del self.running[future]
            self._record(future.result())

    def _next_row(self) -> str | None:
        """Return the first row within the concurrency, host and success limits, None if there is none."""
        limit = self.plan.limit
        is_enough = 0 < limit <= self.available + len(self.running)
        if is_enough or len(self.running) >= self.settings.max_concurrent:
            return None
        busy = Counter(self.running.values())
        return next((name for name in self.waiting if busy[_host_of(self._url(name))] < self.settings.per_host), None)

    def _record(self, outcome: FetchOutcome) -> None:
        self.available += outcome.outcome in {"fetched", "cached"}
        self.outcomes.append(outcome)
        self.ledger.add(outcome, self.environment.now())
        self.on_outcome(outcome)

    def _url(self, name: str) -> str:
        return self.plan.rows[name].get("url", "").strip()

    def _offline_outcome(self, name: str) -> FetchOutcome | None:
        url, path = self._url(name), self.plan.present.get(name)
        if path is not None and not self._is_outdated(name, path):
            return FetchOutcome(name, "cached", None, url, path)
        if not url:
            return FetchOutcome(name, "skipped", "the row has no url", url)
        if path is None and self._target(name).is_symlink():
            return FetchOutcome(name, "skipped", "the target path is a link; remove it", url)
        if web_host(url) is None:
            return FetchOutcome(name, "skipped", "the url is not of http or https", url)
        return None

    def _is_outdated(self, name: str, path: Path) -> bool:
        """Return whether to fetch a present file again; files that the user added or changed are never replaced."""
        earlier = self.ledger.fetched(name)
        if earlier is None or path != self._target(name) or not self._url(name):
            return False
        is_wanted = self.plan.force or masked_url(earlier.url) != masked_url(self._url(name))
        return is_wanted and _file_hash(path) == earlier.sha256

    def _target(self, name: str) -> Path:
        return self.plan.folder / f"{file_stem(name)}.pdf"

    def _download(self, name: str) -> FetchOutcome:
        url, target = self._url(name), self._target(name)
        try:
            download = download_pdf(self.client, url, target, self.settings, self.environment)
        except FetchError as fault:
            return FetchOutcome(name, "skipped" if fault.is_skip else "failed", str(fault), url)
        except OSError as fault:
            return FetchOutcome(name, "failed", f"it cannot be written ({fault.strerror or fault})", url)
        return FetchOutcome(name, "fetched", None, url, target, download.bytes, download.sha256)


def web_host(url: str) -> str | None:
    """Return the lower-case host of an http or https URL, None for any other `url`.

    >>> web_host("https://Example.org/a.pdf"), web_host("ftp://example.org/a.pdf")
    ('example.org', None)
    """
    try:
        parts = urlsplit(unicodedata.normalize("NFC", url))
        host = parts.hostname
    except ValueError:
        return None
    return host if parts.scheme.lower() in {"http", "https"} and host else None


def _file_hash(path: Path) -> str | None:
    with suppress(OSError):
        return file_sha256(path)
    return None


def _host_of(url: str) -> str:
    return web_host(url) or ""


def _remove_leftovers(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob(_HIDDEN_TEMPORARY):
        path.unlink(missing_ok=True)
