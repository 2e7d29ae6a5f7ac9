"""Measures what a block takes: time, memory, energy; and ends it at a limit."""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from kohaku_lib.evaluation.experiments.energy import GpuReading, Nvml, RaplCounter, trapezoid_wh

INTERVAL_S = 1.0
FIRST_S = 0.05  # of the first sample within the block
_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Limits:
    """What a block may take; None is unlimited."""

    seconds: float | None = None
    memory_mb: float | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a block took; None is what could not be read, and `energy_method` says how the rest was, or why not.

    Memory of the process is its peak during the block, that of the GPUs the peak of what all their processes used.
    """

    seconds: float
    rss_peak_bytes: int | None
    vram_peak_bytes: int | None
    vram_total_bytes: int | None
    cpu_energy_wh: float | None
    gpu_energy_wh: float | None
    gpu_mean_w: float | None
    gpu_peak_w: float | None
    power_samples: int
    energy_method: str


@dataclass
class Meter:
    """Measures the block of a `with` statement from a thread that samples every `interval_s`.

    Beyond a limit, `exceeded` says which, and the process is interrupted as by Ctrl-C, once.
    """

    limits: Limits = Limits()
    interval_s: float = INTERVAL_S
    rapl: RaplCounter = field(default_factory=RaplCounter)
    nvml: Nvml = field(default_factory=Nvml)
    interrupt: Callable[[], object] = lambda: os.kill(os.getpid(), signal.SIGINT)
    clock: Callable[[], float] = time.perf_counter  # seconds
    exceeded: str | None = None
    _times_s: list[float] = field(default_factory=list)
    _gpus: list[list[GpuReading]] = field(default_factory=list)
    _rss: int | None = None

    def __enter__(self) -> Meter:
        self._started = self.clock()
        self._ended = threading.Event()
        self.rapl.start()
        self._sample()
        self._thread = threading.Thread(target=self._watch, name="meter", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._seconds = self.clock() - self._started
        self._ended.set()
        self._thread.join()
        self._sample()

    @property
    def result(self) -> Measurement:
        """What the block took, once it has ended."""
        peaks = [sum(gpu.memory_used or 0 for gpu in gpus) for gpus in self._gpus if gpus]
        totals = [gpu.memory_total for gpu in (self._gpus[-1] if self._gpus else []) if gpu.memory_total is not None]
        powers = [sum(gpu.power_w or 0.0 for gpu in gpus) for gpus in self._gpus if gpus]
        gpu_wh, gpu_method = self._gpu_energy(powers)
        rapl = self.rapl.problem is None
        return Measurement(
            seconds=self._seconds,
            rss_peak_bytes=self._rss,
            vram_peak_bytes=max(peaks, default=None),
            vram_total_bytes=sum(totals) if totals else None,
            cpu_energy_wh=self.rapl.joules / 3600 if rapl else None,
            gpu_energy_wh=gpu_wh,
            gpu_mean_w=None if gpu_wh is None else gpu_wh * 3600 / self._seconds,
            gpu_peak_w=max(powers, default=None),
            power_samples=len(powers),
            energy_method=f"CPU: {'RAPL' if rapl else f'not readable ({self.rapl.problem})'}; GPU: {gpu_method}",
        )

    def _gpu_energy(self, powers: list[float]) -> tuple[float | None, str]:
        if not powers:
            return None, f"not readable ({self.nvml.problem or 'no reading'})"
        first, last = self._gpus[0], self._gpus[-1]
        used = [
            now.energy_mj - before.energy_mj
            for before, now in zip(first, last, strict=True)
            if before.energy_mj is not None and now.energy_mj is not None
        ]
        if len(used) == len(first):
            return sum(used) / 3.6e6, "NVML counter"
        return trapezoid_wh(self._times_s, powers), "NVML power samples"

    def _watch(self) -> None:
        wait_s = min(self.interval_s, FIRST_S)
        while not self._ended.wait(wait_s):
            self._sample()
            if self.exceeded is None and (self._over_limit()):
                self.exceeded = self._over_limit()
                self.interrupt()
            wait_s = self.interval_s

    def _sample(self) -> None:
        self._times_s.append(self.clock() - self._started)
        self.rapl.read()
        self._gpus.append(self.nvml.readings())
        rss = resident_bytes()
        self._rss = max(filter(None, (self._rss, rss)), default=None)

    def _over_limit(self) -> str | None:
        seconds, megabytes = self.limits.seconds, self.limits.memory_mb
        if seconds is not None and self._times_s[-1] > seconds:
            return f"it took more than {seconds:g} s"
        if megabytes is not None and (self._rss or 0) > megabytes * _MIB:
            return f"it took more than {megabytes:g} MiB of memory"
        return None


def resident_bytes() -> int | None:
    """Return the memory that this process has resident now, where the system does not say so its peak."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    return pages * os.sysconf("SC_PAGE_SIZE")
