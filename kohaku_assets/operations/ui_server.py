"""Runs Dagster's pages and its daemon on a project, as a child of this process."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter

from kohaku_assets.components.dagster_instance import dagster_instance
from kohaku_assets.pipeline.project import Project
from kohaku_lib.errors import KohakuError
from kohaku_lib.settings import pick

UI_PORT = 3000
_PORTS_TRIED = 100
_LOOK_EVERY_S = 0.2
_END_WITHIN_S = 20.0
_SUPERSEDED = "ignore:Function `dev_command` is superseded"  # by `dg dev`, which serves projects of its own layout only


def serve_ui(project: Project, host: str, port: int, on_ready: Callable[[str], object]) -> int:
    """Serve the project at `host` and `port` until interrupted; return the exit code, 0 after an interrupt.

    `on_ready` is called with the address once it answers. Settings of --set are handed on as environment variables.

    Raises:
        KohakuError: The port is in use.
    """
    if not _is_free(host, port):
        msg = f"port {port} of {host} is in use; end what listens there, or choose another with --port"
        raise KohakuError(msg)
    with dagster_instance(project):  # writes dagster.yaml where there is none
        quiet = ",".join(filter(None, (os.environ.get("PYTHONWARNINGS"), _SUPERSEDED)))
        # A module of the project's folder, such as gql.py, must not stand in for one that Dagster imports.
        own = {"PYTHONWARNINGS": quiet, "PYTHONSAFEPATH": "1"}
        environment = {**os.environ, **_settings_environment(project), **own}
    dagster = [sys.executable, "-m", "dagster", "dev", "-m", "kohaku_assets.definitions"]
    command = [*dagster, "--host", host, "--port", str(port), "--log-level", "warning"]
    # In a session of its own, so that all of Dagster's processes end together, also where interrupts are ignored.
    process = subprocess.Popen(command, cwd=project.home, env=environment, start_new_session=True)  # noqa: S603 - ours
    try:
        if _wait_until_ready(process, f"http://{host}:{port}"):
            on_ready(f"http://{host}:{port}")
        return process.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        _end(process)


def first_free_port(host: str, first: int) -> int:
    """Return the first port from `first` on that nothing listens at.

    Raises:
        KohakuError: None of the next hundred is free.
    """
    for port in range(first, min(first + _PORTS_TRIED, 65_536)):
        if _is_free(host, port):
            return port
    msg = (
        f"no port from {first} to {first + _PORTS_TRIED - 1} is free at {host}; name one with --port, or correct --host"
    )
    raise KohakuError(msg)


def _is_free(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def _settings_environment(project: Project) -> dict[str, str]:
    """Return what makes the child load the same settings: the file, and the values that --set gave."""
    loaded = project.loaded
    given = pick(loaded.settings, [key for key, place in loaded.places.items() if place == "--set"])
    values = TypeAdapter(dict[str, Any]).dump_python(given, mode="json", exclude_none=True)
    environment = {f"KOHAKU_{key.upper().replace('.', '__')}": _toml(value) for key, value in values.items()}
    return environment | ({"KOHAKU_CONFIG": str(loaded.file)} if loaded.file else {})


def _toml(value: Any) -> str:
    """Return a JSON value as TOML on one line.

    >>> _toml({"a": [1, {"b": True}]})
    '{"a" = [1, {"b" = true}]}'
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(part)}" for key, part in value.items()) + "}"
    return f"[{', '.join(map(_toml, value))}]" if isinstance(value, list) else json.dumps(value)


def _wait_until_ready(process: subprocess.Popen[bytes], url: str) -> bool:
    """Return True once the pages answer, False if the process ended before."""
    while process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/server_info", timeout=2):  # noqa: S310 - our own address
                return True
        except (urllib.error.URLError, OSError):
            time.sleep(_LOOK_EVERY_S)
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the child with its own children; a second interrupt kills them."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
        process.wait(_END_WITHIN_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
