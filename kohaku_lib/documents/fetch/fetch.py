"""The documents that metadata.csv names by address: from the network into the folder of documents."""

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
from kohaku_lib.interruption import interruptible_pool
from kohaku_lib.llm import Environment
from kohaku_lib.masking import masked_url
from kohaku_lib.settings import FetchSettings

if TYPE_CHECKING:
    import httpx

_HIDDEN_TEMPORARY = ".*.pdf.*.tmp"  # what a kill leaves of a download, as `write_atomically` names it


@dataclass(frozen=True, slots=True)
class FetchPlan:
    """What to fetch: rows of metadata by id, the files that are there by the same id, and where new ones go.

    With `force` what was fetched before, and not changed since, is fetched anew; a positive `limit` ends after as
    many rows whose document is at hand, fetched or cached.
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
    """Return what became of the rows, in their order; a row's failure stops no other.

    A row whose file is there is "cached", unless that was fetched, is as it came, and the address is another one
    now. Files appear whole or not
    at all, and every outcome is in `ledger` before the next row of its host begins; so a run that is killed goes
    on where it stopped. At most `settings.max_concurrent` rows, of one host `settings.per_host`, are fetched at
    once. `on_outcome` is told every outcome as it comes.
    """
    _remove_leftovers(plan.folder)
    run = _Run(plan, client, ledger, settings, environment or Environment(), on_outcome)
    with interruptible_pool(settings.max_concurrent, "kohaku-fetch") as pool:
        try:
            while run.start(pool):
                run.collect()
        except BaseException:
            run.environment.stopped.set()  # no row waits for another attempt
            raise
    order = {name: place for place, name in enumerate(plan.rows)}
    return sorted(run.outcomes, key=lambda outcome: order[outcome.id])


@dataclass(slots=True)
class _Run:
    """The rows that wait, run and are done."""

    plan: FetchPlan
    client: httpx.Client
    ledger: FetchLedger
    settings: FetchSettings
    environment: Environment
    on_outcome: Callable[[FetchOutcome], object]
    outcomes: list[FetchOutcome] = field(default_factory=list)
    waiting: list[str] = field(init=False)
    running: dict[Future[FetchOutcome], str] = field(default_factory=dict)  # to the host
    at_hand: int = 0

    def __post_init__(self) -> None:
        self.waiting = list(self.plan.rows)

    def start(self, pool: ThreadPoolExecutor) -> bool:
        """Start every row that may run now; return whether any is running."""
        while (name := self._next()) is not None:
            self.waiting.remove(name)
            done = self._without_network(name)
            if done is not None:
                self._take(done)
                continue
            self.running[pool.submit(self._fetched, name)] = _host(self._url(name))
        return bool(self.running)

    def collect(self) -> None:
        """Take the outcomes of the rows that end next."""
        done, _ = wait(self.running, return_when=FIRST_COMPLETED)
        for future in done:
            del self.running[future]
            self._take(future.result())

    def _next(self) -> str | None:
        """Return the first row that neither the limits of hosts nor that of successes holds back."""
        limit = self.plan.limit
        is_enough = 0 < limit <= self.at_hand + len(self.running)
        if is_enough or len(self.running) >= self.settings.max_concurrent:
            return None
        busy = Counter(self.running.values())
        return next((name for name in self.waiting if busy[_host(self._url(name))] < self.settings.per_host), None)

    def _take(self, outcome: FetchOutcome) -> None:
        self.at_hand += outcome.outcome in {"fetched", "cached"}
        self.outcomes.append(outcome)
        self.ledger.add(outcome, self.environment.now())
        self.on_outcome(outcome)

    def _url(self, name: str) -> str:
        return self.plan.rows[name].get("url", "").strip()

    def _without_network(self, name: str) -> FetchOutcome | None:
        url, path = self._url(name), self.plan.present.get(name)
        if path is not None and not self._is_outdated(name, path):
            return FetchOutcome(name, "cached", None, url, path)
        if not url:
            return FetchOutcome(name, "skipped", "the row has no url", url)
        if path is None and self._target(name).is_symlink():
            return FetchOutcome(name, "skipped", "a link stands where the file would be; remove it", url)
        if web_host(url) is None:
            return FetchOutcome(name, "skipped", "the url is not of http or https", url)
        return None

    def _is_outdated(self, name: str, path: Path) -> bool:
        """Tell whether a file that was fetched is to be fetched anew; one that the user put or changed never is."""
        earlier = self.ledger.fetched(name)
        if earlier is None or path != self._target(name) or not self._url(name):
            return False
        is_wanted = self.plan.force or masked_url(earlier.url) != masked_url(self._url(name))
        return is_wanted and _sha256(path) == earlier.sha256

    def _target(self, name: str) -> Path:
        return self.plan.folder / f"{file_stem(name)}.pdf"

    def _fetched(self, name: str) -> FetchOutcome:
        url, target = self._url(name), self._target(name)
        try:
            found = download_pdf(self.client, url, target, self.settings, self.environment)
        except FetchError as fault:
            return FetchOutcome(name, "skipped" if fault.is_skip else "failed", str(fault), url)
        except OSError as fault:
            return FetchOutcome(name, "failed", f"it cannot be written ({fault.strerror or fault})", url)
        return FetchOutcome(name, "fetched", None, url, target, found.bytes, found.sha256)


def web_host(url: str) -> str | None:
    """Return the host of an http or https address in lower case, None where `url` is none.

    >>> web_host("https://Example.org/a.pdf"), web_host("ftp://example.org/a.pdf")
    ('example.org', None)
    """
    try:
        parts = urlsplit(unicodedata.normalize("NFC", url))
        host = parts.hostname
    except ValueError:
        return None
    return host if parts.scheme.lower() in {"http", "https"} and host else None


def _sha256(path: Path) -> str | None:
    with suppress(OSError):
        return file_sha256(path)
    return None


def _host(url: str) -> str:
    return web_host(url) or ""


def _remove_leftovers(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob(_HIDDEN_TEMPORARY):
        path.unlink(missing_ok=True)
