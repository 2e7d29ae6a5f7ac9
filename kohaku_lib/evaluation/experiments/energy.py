"""Energy counters of this machine: RAPL for processors and NVML for NVIDIA GPUs, as far as they can be read."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

RAPL_FOLDER = Path("/sys/class/powercap")
_NVML_OK = 0


@dataclass(slots=True)
class RaplCounter:
    """The energy of the processor packages below `folder`, summed from reading to reading.

    A counter that wraps around is continued if it is read at least once a turn (some minutes under full load).
    `problem` is why nothing can be read, None if it can.
    """

    folder: Path = RAPL_FOLDER
    joules: float = 0.0
    problem: str | None = None
    _last: list[int] = field(default_factory=list)

    def start(self) -> None:
        """Take the first reading."""
        try:
            self._last = [_read_number(zone / "energy_uj") for zone in self._zones()]
        except (OSError, ValueError) as error:
            self.problem = getattr(error, "strerror", None) or str(error)
        else:
            self.problem = None if self._last else "no processor package has a counter"

    def read(self) -> None:
        """Add the energy since the last reading."""
        if self.problem is not None:
            return
        for number, zone in enumerate(self._zones()):
            now = _read_number(zone / "energy_uj")
            used = now - self._last[number]
            self.joules += (used if used >= 0 else used + _read_number(zone / "max_energy_range_uj")) / 1e6
            self._last[number] = now

    def _zones(self) -> list[Path]:
        """Return the folders of the packages; their parts (`intel-rapl:0:1`) are within them."""
        return sorted(zone for zone in self.folder.glob("*-rapl:*") if zone.name.count(":") == 1)


@dataclass(frozen=True, slots=True)
class GpuReading:
    """One device now: its energy counter in millijoules, power in watts, and memory in bytes; None if unreadable."""

    name: str
    energy_mj: int | None
    power_w: float | None
    memory_used: int | None
    memory_total: int | None


class Nvml:
    """All NVIDIA GPUs of this machine by NVML; `problem` is why there is none to read, None if there is.

    >>> Nvml("no such library").problem
    'the NVIDIA library is not installed'
    """

    def __init__(self, library: str = "libnvidia-ml.so.1") -> None:
        self.problem: str | None = None
        self._devices: list[ctypes.c_void_p] = []
        try:
            self._nvml: Any = ctypes.CDLL(library)
        except OSError:
            self.problem = "the NVIDIA library is not installed"
            return
        count = ctypes.c_uint()
        if self._nvml.nvmlInit_v2() != _NVML_OK or self._nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) != _NVML_OK:
            self.problem = "the NVIDIA driver does not answer"
            return
        for number in range(count.value):
            device = ctypes.c_void_p()
            if self._nvml.nvmlDeviceGetHandleByIndex_v2(number, ctypes.byref(device)) == _NVML_OK:
                self._devices.append(device)
        if not self._devices:
            self.problem = "there is no NVIDIA GPU"

    def readings(self) -> list[GpuReading]:
        """Return a reading of every device; empty if there is none."""
        return [self._reading(device) for device in self._devices]

    def _reading(self, device: ctypes.c_void_p) -> GpuReading:
        name, energy, power = ctypes.create_string_buffer(96), ctypes.c_ulonglong(), ctypes.c_uint()
        memory = _Memory()
        nvml = self._nvml
        has_energy = nvml.nvmlDeviceGetTotalEnergyConsumption(device, ctypes.byref(energy)) == _NVML_OK
        has_power = nvml.nvmlDeviceGetPowerUsage(device, ctypes.byref(power)) == _NVML_OK
        has_memory = nvml.nvmlDeviceGetMemoryInfo(device, ctypes.byref(memory)) == _NVML_OK
        nvml.nvmlDeviceGetName(device, name, 96)
        return GpuReading(
            name.value.decode(errors="replace"),
            energy.value if has_energy else None,
            power.value / 1000 if has_power else None,
            memory.used if has_memory else None,
            memory.total if has_memory else None,
        )


class _Memory(ctypes.Structure):
    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


def trapezoid_wh(times_s: Sequence[float], watts: Sequence[float]) -> float:
    """Return the energy of sampled power in watt-hours, by the trapezoid rule; 0 for fewer than two samples.

    >>> trapezoid_wh([0.0, 1800.0, 3600.0], [100.0, 300.0, 100.0])
    200.0
    """
    pairs = zip(times_s, times_s[1:], watts, watts[1:], strict=False)
    return sum((later - earlier) * (low + high) / 2 for earlier, later, low, high in pairs) / 3600


def _read_number(path: Path) -> int:
    return int(path.read_text())
