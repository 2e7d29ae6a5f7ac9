"""The machine that an experiment ran on."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

from kohaku_lib.evaluation.experiments.energy import Nvml
from kohaku_lib.parallel import machine_memory


def hardware(nvml: Nvml | None = None, cpu_file: Path = Path("/proc/cpuinfo")) -> dict[str, Any]:
    """Return system, processor, cores, memory and GPUs; None is what cannot be read, and no GPU an empty list.

    >>> sorted(hardware(Nvml("none")))
    ['cpu', 'cpu_cores', 'gpus', 'memory_bytes', 'os', 'python']
    """
    readings = (nvml or Nvml()).readings()
    return {
        "os": platform.platform(),
        "python": platform.python_version(),
        "cpu": _cpu_name(cpu_file),
        "cpu_cores": os.cpu_count(),
        "memory_bytes": machine_memory(),
        "gpus": [{"name": gpu.name, "memory_bytes": gpu.memory_total} for gpu in readings],
    }


def _cpu_name(cpu_file: Path) -> str | None:
    try:
        lines = cpu_file.read_text().splitlines()
    except OSError:
        return platform.processor() or None
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or None)
