"""A Postgres server of a test on a free port of the loopback, as Debian's package postgresql installs it."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

LIMIT_S = 60
PASSWORD = "amber-test"


class PostgresServer:
    """A running server: its `port`, and `url(name)` of its databases."""

    def __init__(self, programs: Path, folder: Path, user: str | None) -> None:
        self._programs, self._data, self._user = programs, folder / "data", user
        self._sockets = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]

    def url(self, name: str = "postgres") -> str:
        """Return the address of a database for SQLAlchemy."""
        return f"postgresql+psycopg2://kohaku:{PASSWORD}@127.0.0.1:{self.port}/{name}"

    def create(self, name: str, template: str = "template1") -> str:
        """Create a database, a copy of `template`, and return its address."""
        from sqlalchemy import create_engine, text

        engine = create_engine(self.url(), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f'CREATE DATABASE "{name}" TEMPLATE "{template}"'))
        engine.dispose()
        return self.url(name)

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = f"-p {self.port} -k {self._sockets} -c listen_addresses=127.0.0.1 -c fsync=off"
        self._run("pg_ctl", "-D", self._data, "-o", options, "-l", self._sockets / "log", "-w", "start")

    def stop(self) -> None:
        """Stop the server at once."""
        self._run("pg_ctl", "-D", self._data, "-m", "immediate", "-w", "stop")

    def initialise(self) -> None:
        """Write the files of an empty server."""
        secret = self._sockets / "password"
        secret.write_text(PASSWORD)
        self._run(
            "initdb", "-D", self._data, "-U", "kohaku", "-A", "scram-sha-256", "--pwfile", secret, "-E", "UTF8", "-N"
        )

    def _run(self, program: str, *arguments: object) -> None:
        command = [self._programs / program, *map(str, arguments)]
        result = subprocess.run(
            command,
            user=self._user,
            cwd=self._sockets,
            stdout=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,
            stderr=subprocess.STDOUT if program == "initdb" else subprocess.DEVNULL,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
        log = self._sockets / "log"
        assert result.returncode == 0, f"{command}: {result.stdout} {log.read_text() if log.exists() else ''}"


def missing_postgres() -> str | None:
    """Return why no server can be started here; None if one can."""
    if _programs() is None:
        return "Postgres is not installed (Debian: apt install postgresql)"
    if os.geteuid() == 0 and _other_user() is None:
        return "Postgres does not run as root, and there is no user postgres"
    return None


@contextlib.contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Run a server in a folder of its own."""
    programs = _programs()
    assert programs is not None
    user = _other_user() if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="kohaku-postgres-"))
    if user:
        shutil.chown(folder, user)
    server = PostgresServer(programs, folder, user)
    try:
        server.initialise()
        server.start()
        yield server
        with contextlib.suppress(AssertionError):  # a test may have stopped it
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_to_postgres(dagster_yaml: Path, port: int, database: str) -> None:
    """Let Dagster keep its history in `database`, by the block that the comment of dagster.yaml shows."""
    before, mark, after = dagster_yaml.read_text(encoding="utf-8").partition("# storage:\n#   postgres:\n")
    assert mark
    head = before[: before.index("storage:\n  custom:")]
    block = (mark + after).replace("# ", "", 1).replace("\n# ", "\n")
    block = block.replace("db_name: dagster", f"db_name: {database}").replace("5432", str(port))
    dagster_yaml.write_text(head + block, encoding="utf-8")


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


def _other_user() -> str | None:
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        return None
