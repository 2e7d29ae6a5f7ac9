"""A store that somebody has open is not replaced, and one that is being replaced is not opened."""

import gc
import subprocess
import sys

import pytest
from started_process import end_process, start_process

from kohaku_lib.conversation.memory.database import open_database
from kohaku_lib.errors import StoreError
from kohaku_lib.storage.use import hold_use, sole_use

HOLD = """
import sys
from pathlib import Path
from kohaku_lib.storage.use import hold_use
end = hold_use(hold_use, Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


class Holder:
    pass


def test_a_use_ends_by_its_end_or_with_its_holder(tmp_path):
    first, second = Holder(), Holder()
    end = hold_use(first, tmp_path)
    hold_use(second, tmp_path)
    for _ in range(2):
        with pytest.raises(StoreError, match=r"has the store .* open .* end it"), sole_use(tmp_path):
            pass
        end()
    del second
    gc.collect()
    with sole_use(tmp_path):
        pass


def test_what_this_process_opens_while_it_has_the_store_alone_needs_no_lock_and_others_are_refused(tmp_path):
    with sole_use(tmp_path):
        open_database(tmp_path).dispose()
        command = [sys.executable, "-c", HOLD, tmp_path]
        refused = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "is being restored into the store" in refused.stderr


def test_a_database_holds_the_store_until_it_is_disposed_of(tmp_path):
    engine = open_database(tmp_path)
    with pytest.raises(StoreError), sole_use(tmp_path):
        pass
    engine.dispose()
    with sole_use(tmp_path):
        pass


def test_a_use_ends_with_a_process_that_is_killed(tmp_path):
    process = start_process(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(StoreError), sole_use(tmp_path):
            pass
        process.kill()
        process.wait()
        with sole_use(tmp_path):
            pass
    finally:
        end_process(process)


def test_a_store_that_may_only_be_read_is_opened_without_a_lock(tmp_path):
    (tmp_path / ".use.lock").mkdir()  # which nobody can open for writing, whoever runs the tests
    hold_use(Holder(), tmp_path)


def test_what_was_dropped_and_not_collected_holds_nothing(tmp_path):
    first, second = Holder(), Holder()
    first.other, second.other = second, first
    hold_use(first, tmp_path)
    del first, second
    with sole_use(tmp_path):
        pass
