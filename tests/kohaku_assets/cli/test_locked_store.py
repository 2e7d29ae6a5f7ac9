"""A verb that writes waits for no other run and works beside none: it says that the store is locked."""

import subprocess
import sys

import pytest
from index_material import word_vectors
from started_process import started_process
from vault_material import write_vault

MESSAGE = "another run is writing to the store"
HOLD = """
import sys, pathlib
from kohaku_lib.storage import store_lock
with store_lock(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize(
    "words",
    [
        ("fetch",),
        ("gc",),
        ("refresh", "--force", "documents"),
        ("snapshots", "--roll-back"),
        ("import-kohakuvault", "vault.db"),
    ],
    ids=lambda words: words[0],
)
def test_a_verb_that_writes_is_refused_while_another_run_does(words, kohaku):
    project = kohaku.project
    write_vault(project.home / "vault.db", word_vectors)
    before = sorted(path for path in project.store.rglob("*") if path.is_file() and not path.name.startswith("."))
    command = [sys.executable, "-c", HOLD, str(project.store)]
    with started_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        result = kohaku(*words)
    assert (result.exit_code, MESSAGE in result.stderr) == (2, True), result.output
    after = sorted(path for path in project.store.rglob("*") if path.is_file() and not path.name.startswith("."))
    assert after == before
    assert MESSAGE not in kohaku(*words).stderr  # once it has ended
