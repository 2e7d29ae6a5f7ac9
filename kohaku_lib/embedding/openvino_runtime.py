"""OpenVINO as we use it: without usage statistics, on all cores, in the best precision of the processor."""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from kohaku_lib.lean_imports import without
from kohaku_lib.storage import available_cores

_IMPORTING = threading.Lock()
_HINTS = {"bfloat16": "bf16", "float32": "f32"}


def has_openvino() -> bool:
    """Return whether OpenVINO is installed; it is not imported."""
    return importlib.util.find_spec("openvino") is not None


@cache
def import_openvino() -> Any:
    """Return the module `openvino`.

    It reports each import to its maker where the package openvino_telemetry can be imported, and else takes its own
    stub; so that package is hidden from it. Its converters are not loaded with it: see `convert`.
    """
    with _IMPORTING:
        sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
        with without("openvino.tools"):
            import openvino

        # Its bridge to NumPy comes about on first use, and two threads that meet there wait for each other for ever.
        _ = openvino.Tensor(openvino.Type.f32, openvino.Shape([1])).data
        return openvino


def convert(model: Any, example: Mapping[str, Any]) -> Any:
    """Return the graph of a PyTorch module, traced with the keyword arguments `example`."""
    import_openvino()
    from openvino.tools.ovc import convert_model

    return convert_model(model, example_input=example)


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
