"""The application of `kohaku serve` in this process, for tests of what it answers: a process takes three seconds more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from starlette.testclient import TestClient

from kohaku_assets.pipeline.project import Project
from kohaku_assets.server.access.keys import open_keys
from kohaku_assets.server.application import make_application
from kohaku_assets.server.assistants import Assistants


@contextmanager
def joined_client(
    project: Project,
    key: str | None = None,
    *,
    is_loopback: bool = True,
    peer: str = "testclient",
    is_ready: bool = False,
) -> Iterator[TestClient]:
    """Give a client of the application on `project`, by default as on the loopback; `key` is sent with each request.

    `peer` is the address that the application sees the requests come from. `is_ready` opens the index first, as
    `kohaku serve` does.
    """
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with (
        open_keys(project.store, project.settings.assistant.database) as keys,
        closing(Assistants(project)) as open_ones,
    ):
        if is_ready:
            open_ones.get(project.settings.corpus.org_id)
        application = make_application(project, keys, open_ones, is_loopback=is_loopback)
        with TestClient(application, base_url="http://127.0.0.1", headers=headers, client=(peer, 50_000)) as client:
            yield client
