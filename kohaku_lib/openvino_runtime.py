"""OpenVINO without telemetry, on all cores, in the processor's best precision."""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from kohaku_lib.digests import digest
from kohaku_lib.parallel import available_cores
from kohaku_lib.storage import awaited_lock, user_cache_folder

_IMPORTING = threading.Lock()
_HINTS = {"bfloat16": "bf16", "float32": "f32"}


def has_openvino() -> bool:
    """Return whether OpenVINO is installed, without importing it."""
    return importlib.util.find_spec("openvino") is not None


@cache
def import_openvino() -> Any:
    """Import `openvino` with telemetry disabled."""
    with _IMPORTING, _without_usage_statistics():
        import openvino

        # Initialise its NumPy bridge here: concurrent first uses deadlock.
        _ = openvino.Tensor(openvino.Type.f32, openvino.Shape([1])).data
        return openvino


def convert(model: Any, example: Mapping[str, Any]) -> Any:
    """Convert a PyTorch module, traced with the keyword arguments `example`."""
    openvino = import_openvino()
    with _IMPORTING, _without_usage_statistics():
        return openvino.convert_model(model, example_input=example)


def converted_once(key: str, proof: str, doing: str, convert_into: Callable[[Path], None]) -> Path:
    """Return the cached folder of a conversion, made by `convert_into` unless it has the file `proof`.

    A folder appears whole or not at all; a second process waits for the first one, which is `doing` it.
    """
    folder = user_cache_folder("openvino", key)
    if not (folder / proof).exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with awaited_lock(Path(f"{folder}.lock"), doing):
            if not (folder / proof).exists():
                shutil.rmtree(folder, ignore_errors=True)
                with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
                    target = Path(temporary) / "converted"
                    target.mkdir()
                    convert_into(target)
                    target.rename(folder)
    return folder


@cache
def processor_precisions() -> tuple[str, ...]:
    """Return the processor's native precisions, fastest first.

    >>> processor_precisions()[-1]
    'float32'
    """
    native = import_openvino().Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    return ("bfloat16", "float32") if "BF16" in native else ("float32",)


def compile_model(path: Path, precision: str, *, is_kept: bool = True) -> Any:
    """Compile the model at `path` (.xml) with one single-threaded stream per core.

    Parallel streams beat one multi-threaded stream, as each core keeps its batch in its cache. What is compiled is kept for
    other processes, which load it in a third of the time, unless the file at `path` does not stay.
    """
    cores = str(available_cores())
    options = {"INFERENCE_PRECISION_HINT": _HINTS[precision], "NUM_STREAMS": cores, "INFERENCE_NUM_THREADS": cores}
    core = import_openvino().Core()
    if is_kept:
        written = path.with_suffix(".bin").stat()
        processor = core.get_property("CPU", "FULL_DEVICE_NAME")
        key = digest(
            [import_openvino().__version__, processor, options, str(path), written.st_size, written.st_mtime_ns]
        )
        doing = "compiling a model for this processor"
        options["CACHE_DIR"] = str(converted_once(key, "compiled", doing, partial(_compile_into, path, options)))
    return core.compile_model(path, "CPU", options)


def _compile_into(path: Path, options: Mapping[str, str], target: Path) -> None:
    import_openvino().Core().compile_model(path, "CPU", {**options, "CACHE_DIR": str(target)})
    (target / "compiled").touch()


@contextmanager
def _without_usage_statistics() -> Iterator[None]:
    """Set the environment variable that disables OpenVINO's telemetry on import and conversion."""
    before = os.environ.get("CI")
    os.environ["CI"] = "true"
    try:
        yield
    finally:
        if before is None:
            del os.environ["CI"]
        else:
            os.environ["CI"] = before
