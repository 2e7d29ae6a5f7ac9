import itertools
import threading

import pytest

from kohaku_lib.evaluation.experiments.energy import GpuReading, Nvml, RaplCounter
from kohaku_lib.evaluation.experiments.hardware import hardware
from kohaku_lib.evaluation.experiments.meter import Limits, Meter, resident_bytes

GIB = 2**30


class Gpus:
    """Two GPUs whose readings are given one after the other; the last one stays."""

    problem = None

    def __init__(self, *readings):
        self.left = list(readings)

    def readings(self):
        return self.left.pop(0) if len(self.left) > 1 else self.left[0]


def gpu(energy_mj, power_w, used):
    return GpuReading("G", energy_mj, power_w, used, 80 * GIB)


def rapl_zone(folder, energy, name="intel-rapl:0", most=1_000_000):
    zone = folder / name
    zone.mkdir(exist_ok=True)
    (zone / "energy_uj").write_text(f"{energy}\n")
    (zone / "max_energy_range_uj").write_text(f"{most}\n")


def measured(nvml, rapl, **options):
    with Meter(nvml=nvml, rapl=rapl, interval_s=60, **options) as meter:
        pass
    return meter.result


def test_processor_packages_are_summed_their_parts_left_out_and_a_wrapped_counter_goes_on(tmp_path):
    rapl_zone(tmp_path, 900_000)
    rapl_zone(tmp_path, 5, "intel-rapl:0:0")
    rapl_zone(tmp_path, 0, "intel-rapl:1")
    counter = RaplCounter(tmp_path)
    counter.start()
    rapl_zone(tmp_path, 100_000)  # 0.2 J around the wrap
    rapl_zone(tmp_path, 300_000, "intel-rapl:1")
    counter.read()
    assert (counter.joules, counter.problem) == (pytest.approx(0.5), None)


def test_what_cannot_be_read_is_unknown_and_said(tmp_path):
    result = measured(Nvml("no such library"), RaplCounter(tmp_path))
    assert (result.cpu_energy_wh, result.gpu_energy_wh, result.vram_peak_bytes, result.gpu_peak_w) == (None,) * 4
    assert result.energy_method == (
        "CPU: not readable (no processor package has a counter); GPU: not readable (the NVIDIA library is not installed)"
    )
    assert result.rss_peak_bytes > 10 * 2**20


def test_all_gpus_count_by_their_counters(tmp_path):
    nvml = Gpus([gpu(1_000, 50.0, GIB), gpu(0, 50.0, GIB)], [gpu(3_601_000, 90.0, 2 * GIB), gpu(3_600_000, 60.0, GIB)])
    result = measured(nvml, RaplCounter(tmp_path))
    assert result.gpu_energy_wh == pytest.approx(2.0)
    assert (result.vram_peak_bytes, result.vram_total_bytes, result.gpu_peak_w) == (3 * GIB, 160 * GIB, 150.0)
    assert result.energy_method.endswith("GPU: NVML counter")


def test_a_gpu_without_a_counter_is_measured_by_its_power(tmp_path):
    times_s = itertools.count(0, 36)  # the beginning, the first sample, the end of the block, the last sample
    result = measured(Gpus([gpu(None, 100.0, GIB)]), RaplCounter(tmp_path), clock=lambda: float(next(times_s)))
    assert (result.seconds, result.gpu_energy_wh) == (72.0, 2.0)  # 100 W for the 72 s between the samples
    assert (result.power_samples, result.energy_method.rpartition(": ")[2]) == (2, "NVML power samples")


@pytest.mark.parametrize(
    ("limits", "why"),
    [(Limits(seconds=0.0), "more than 0 s"), (Limits(memory_mb=1.0), "more than 1 MiB of memory")],
)
def test_a_block_beyond_a_limit_is_interrupted_once(tmp_path, limits, why):
    interrupted = threading.Event()
    meter = Meter(limits, 0.001, RaplCounter(tmp_path), Nvml("none"), interrupted.set)
    with meter:
        assert interrupted.wait(10)
    assert why in meter.exceeded


def test_within_the_limits_nothing_is_interrupted(tmp_path):
    meter = Meter(Limits(3600, 10**9), 60, RaplCounter(tmp_path), Nvml("none"), pytest.fail)
    with meter:
        assert resident_bytes() > 0
    assert meter.exceeded is None


def test_the_machine_is_described_with_every_gpu(tmp_path):
    cpu_file = tmp_path / "cpuinfo"
    cpu_file.write_text("processor : 0\nmodel name : Fast CPU\nmodel name : Fast CPU\n")
    facts = hardware(Gpus([gpu(0, 1.0, 0)]), cpu_file)
    assert (facts["cpu"], facts["gpus"]) == ("Fast CPU", [{"name": "G", "memory_bytes": 80 * GIB}])
