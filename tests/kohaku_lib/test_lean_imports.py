"""Imports without companions: hidden from one thread, for a while, and from nobody who has them already."""

import importlib
import subprocess
import sys
import threading

import pytest

from kohaku_lib.lean_imports import without


@pytest.fixture(autouse=True)
def unloaded():
    sys.modules.pop("this_is_light", None)
    yield
    sys.modules.pop("this_is_light", None)


@pytest.fixture
def package(tmp_path, monkeypatch):
    (tmp_path / "this_is_light.py").write_text("weight = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return "this_is_light"


def test_what_is_hidden_is_not_found_and_is_found_again(package):
    with without(package), pytest.raises(ModuleNotFoundError):
        importlib.import_module(package)
    assert importlib.import_module(package).weight == 1


def test_a_failure_ends_the_hiding(package):
    with pytest.raises(RuntimeError), without(package):
        raise RuntimeError
    assert importlib.import_module(package).weight == 1


def test_what_is_hidden_twice_stays_hidden_until_the_outer_end(package):
    with without(package):
        with without("another"):
            pass
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(package)


def test_a_part_of_a_package_is_hidden_alone(tmp_path, monkeypatch):
    folder = tmp_path / "this_is_light"
    folder.mkdir()
    for name in ("__init__", "part", "parting"):
        (folder / f"{name}.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    with without("this_is_light.part"):
        assert importlib.import_module("this_is_light.parting")
        with pytest.raises(ModuleNotFoundError, match=r"'this_is_light\.part' is hidden"):
            importlib.import_module("this_is_light.part")


def test_other_threads_find_it_meanwhile(package):
    found = []
    with without(package):
        thread = threading.Thread(target=lambda: found.append(importlib.import_module(package).weight))
        thread.start()
        thread.join()
    assert found == [1]


def test_what_is_loaded_stays_loaded(package):
    importlib.import_module(package)
    with without(package):
        assert importlib.import_module(package).weight == 1


@pytest.mark.parametrize(
    ("load", "spared"),
    [
        ("from kohaku_lib.lean_imports import bm25s_library; bm25s_library()", "scipy"),
        ("from kohaku_lib.lean_imports import bm25s_library; bm25s_library()", "tqdm"),
        ("from kohaku_assets.history import quick_history\nwith quick_history(): pass", "pygments"),
    ],
)
def test_libraries_are_spared_what_takes_longer_to_load_than_they_do(load, spared):
    told = subprocess.run(
        [sys.executable, "-c", f"{load}\nimport sys\nprint({spared!r} in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == "False\n"


def test_openvino_comes_without_its_converters_and_converts_all_the_same():
    pytest.importorskip("openvino")
    lines = (
        "import sys",
        "from kohaku_lib.embedding.openvino_runtime import import_openvino",
        "import_openvino()",
        "print('openvino.tools.ovc' in sys.modules)",
        "from openvino.tools.ovc import convert_model",
        "print(callable(convert_model), sys.modules['openvino_telemetry'])",
    )
    told = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert told.stdout.splitlines() == ["False", "True None"]
