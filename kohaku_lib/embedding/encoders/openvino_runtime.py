"""OpenVINO as we use it: without usage statistics, on all cores, in the best precision of the processor."""

from __future__ import annotations

import importlib.util
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from kohaku_lib.storage import available_cores

_IMPORTING = threading.Lock()
_HINTS = {"bfloat16": "bf16", "float32": "f32"}


def has_openvino() -> bool:
    """Return whether OpenVINO is installed; it is not imported."""
    return importlib.util.find_spec("openvino") is not None


@cache
def import_openvino() -> Any:
    """Return the module `openvino`, which reports nothing to its maker."""
    with _IMPORTING, _without_usage_statistics():
        import openvino

        # Its bridge to NumPy comes about on first use, and two threads that meet there wait for each other for ever.
        _ = openvino.Tensor(openvino.Type.f32, openvino.Shape([1])).data
        return openvino


def convert(model: Any, example: Mapping[str, Any]) -> Any:
    """Return the graph of a PyTorch module, traced with the keyword arguments `example`."""
    openvino = import_openvino()
    with _IMPORTING, _without_usage_statistics():
        return openvino.convert_model(model, example_input=example)


def processor_precisions() -> tuple[str, ...]:
    """Return the precisions in which the processor multiplies natively, the fastest first.

    >>> processor_precisions()[-1]
    'float32'
    """
    native = import_openvino().Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    return ("bfloat16", "float32") if "BF16" in native else ("float32",)


def compile_model(path: Path, precision: str) -> Any:
    """Return the model at `path` (.xml) ready to run, a stream of one thread per core.

    Streams side by side beat one stream of many threads: each core keeps its batch in its own cache.
    """
    cores = str(available_cores())
    options = {"INFERENCE_PRECISION_HINT": _HINTS[precision], "NUM_STREAMS": cores, "INFERENCE_NUM_THREADS": cores}
    return import_openvino().Core().compile_model(path, "CPU", options)


@contextmanager
def _without_usage_statistics() -> Iterator[None]:
    """Set the variable under which OpenVINO, when it is imported and when it converts, sends no usage statistics."""
    before = os.environ.get("CI")
    os.environ["CI"] = "true"
    try:
        yield
    finally:
        if before is None:
            del os.environ["CI"]
        else:
            os.environ["CI"] = before
