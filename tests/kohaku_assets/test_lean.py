import subprocess
import sys

import pytest

SEEN = """
import sys
from kohaku_assets.cli.lean import spare_pandas
spare_pandas()
import pyarrow as pa
table = pa.table({"a": pa.array([1, 2])})
print("pandas" in sys.modules, any(type(finder).__name__ == "_Absent" for finder in sys.meta_path))
"""


def run(*lines):
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_lists_become_arrays_without_pandas():
    assert run(SEEN) == ["False False"]


def test_whoever_asks_for_a_data_frame_gets_one_and_pandas_can_be_imported():
    pytest.importorskip("pandas")
    shown = run(SEEN, "print(table.to_pandas()['a'].sum())", "import pandas", "print(len(pandas.Series([1, 2])))")
    assert shown[1:] == ["3", "2"]


def test_pandas_that_is_loaded_already_stays_known_to_pyarrow():
    pytest.importorskip("pandas")
    shown = run("import pandas", SEEN, "print(pa.array(pandas.Series([1.5, None])).null_count)")
    assert shown == ["True False", "1"]
