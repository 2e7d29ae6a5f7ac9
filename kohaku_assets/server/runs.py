"""Refreshes that the server starts: one at a time, each a process of `kohaku refresh`, followed by its messages."""

from __future__ import annotations

import json
import logging
import subprocess
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.waiting_refresh import WaitingRefresh
from kohaku_lib.documents.corpus.organisations import is_shared

_LOG = logging.getLogger("kohaku")
MOST_KEPT, MOST_MESSAGES = 50, 200
GOALS = ("published_index", "suggested_questions")  # with their ancestors: all that answers and the page need
_SHARED = "the store is of several organisations; the log of the server has the reason"
_STAGE, _END_S = "… ", 30.0


@dataclass(frozen=True, slots=True)
class RunRow:
    """A refresh as it stands; `stages` are those begun so far, `assets` what each of them computed, once it has ended.

    From `searchable_at` on, questions are answered from what it read.
    """

    run_id: str
    status: Literal["queued", "running", "succeeded", "failed"]
    requested_at: datetime
    started_at: datetime | None = None
    searchable_at: datetime | None = None
    ended_at: datetime | None = None
    stages: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    assets: tuple[dict[str, Any], ...] = field(default=())

    def as_json(self, *, is_shared: bool) -> dict[str, Any]:
        """Return the run as JSON; of a store of several organisations without what names or counts their documents."""
        moments = ("requested_at", "started_at", "searchable_at", "ended_at")
        shown = asdict(self) | {
            name: moment.isoformat() if (moment := getattr(self, name)) is not None else None for name in moments
        }
        return shown | {"messages": [_SHARED] if self.status == "failed" else [], "assets": []} if is_shared else shown


class Runs:
    """The refreshes of this process, newest last. Thread-safe.

    `shown` is how a caller sees one.

    A request while one waits joins it; one while another runs waits for its end, as it may have missed what is new.
    """

    def __init__(self, project: Project, follow: Callable[[], None]) -> None:
        """`follow` opens the published index; a refresh has succeeded when questions are answered from what it published."""
        self._project = project
        self._follow = follow
        self._next = WaitingRefresh(project, GOALS)
        self._rows: OrderedDict[str, RunRow] = OrderedDict()
        self._lock = threading.Lock()
        self._worker: threading.Thread | None = None
        self._process: subprocess.Popen[str] | None = None
        self._is_closed = False

    def start(self) -> RunRow:
        """Request a refresh and return its row."""
        with self._lock:
            waiting = next((row for row in self._rows.values() if row.status == "queued"), None)
            if waiting is not None:
                return waiting
            row = RunRow(uuid.uuid4().hex[:12], "queued", datetime.now(UTC))
            self._rows[row.run_id] = row
            while len(self._rows) > MOST_KEPT:
                self._rows.popitem(last=False)
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name="kohaku-runs", daemon=True)
                self._worker.start()
            return row

    def prepare(self) -> None:
        """Get ready for a refresh, which begins seconds earlier then."""
        self._next.prepare()

    def rows(self) -> list[RunRow]:
        """Return all runs, the newest first."""
        with self._lock:
            return list(reversed(self._rows.values()))

    def find(self, run_id: str) -> RunRow | None:
        """Return one run; None if there is none of that id."""
        with self._lock:
            return self._rows.get(run_id)

    def shown(self, row: RunRow) -> dict[str, Any]:
        """Return a run as JSON, without the documents of others."""
        return row.as_json(is_shared=is_shared(self._project.settings.corpus))

    def close(self) -> None:
        """Stop the refresh under way, which keeps its finished stages, and begin no other."""
        with self._lock:
            self._is_closed = True
            process = self._process
        self._next.close()
        if process is not None:
            process.terminate()
            process.wait(_END_S)

    def _work(self) -> None:
        """Run what waits, one after the other, until nothing does."""
        while True:
            with self._lock:
                waiting = next((row for row in self._rows.values() if row.status == "queued"), None)
                if waiting is None or self._is_closed:
                    self._worker = None
                    return
            self._run(waiting.run_id)

    def _run(self, run_id: str) -> None:
        self._change(run_id, status="running", started_at=datetime.now(UTC))
        process, table = self._next.begin()
        with self._lock:
            self._process = process
        assert process.stderr is not None
        with table:
            with process.stderr:
                for line in process.stderr:
                    self._note(run_id, line.rstrip())
            code = process.wait()
            with self._lock:
                self._process = None
            table.seek(0)
            assets = _json_rows(table.read())
        status = "succeeded" if code == 0 else "failed"
        if code == 0:
            self._open_published(run_id)
        else:
            _LOG.warning("the refresh %s failed: %s", run_id, " | ".join(self._rows[run_id].messages[-3:]))
        self._change(run_id, status=status, ended_at=datetime.now(UTC), assets=assets)
        self._next.prepare()  # who has added a file may add another

    def _open_published(self, run_id: str) -> None:
        try:
            self._follow()
        except Exception:  # the next question meets it; the runs must go on
            _LOG.exception("the index that the refresh %s published was not opened", run_id)
        else:
            self._change(run_id, searchable_at=self._rows[run_id].searchable_at or datetime.now(UTC))

    def _note(self, run_id: str, line: str) -> None:
        row = self._rows[run_id]
        if line.startswith(_STAGE):
            self._change(run_id, stages=(*row.stages, stage := line.removeprefix(_STAGE)))
            if stage == GOALS[-1]:  # begun once the index is published
                self._open_published(run_id)
        elif line and len(row.messages) < MOST_MESSAGES:
            self._change(run_id, messages=(*row.messages, line))

    def _change(self, run_id: str, **values: Any) -> None:
        with self._lock:
            self._rows[run_id] = replace(self._rows[run_id], **values)


def _json_rows(text: str) -> tuple[dict[str, Any], ...]:
    try:
        return tuple(json.loads(text))
    except ValueError:  # it ended before it printed them
        return ()
