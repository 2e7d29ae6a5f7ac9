"""The device that computes, and OpenVINO without its telemetry."""

import os

import pytest

from kohaku_lib.embedding.encoders import device
from kohaku_lib.embedding.encoders.device import choose_device
from kohaku_lib.errors import ModelError
from kohaku_lib.openvino_runtime import has_openvino, import_openvino, processor_precisions


def test_the_cpu_is_always_there():
    assert choose_device("cpu") == "cpu"


def test_without_the_files_of_a_gpu_auto_is_the_cpu(monkeypatch):
    monkeypatch.setattr(device.sys, "platform", "linux")
    monkeypatch.setattr(device, "_GPU_FILES", ("/dev/no-such-gpu",))
    assert choose_device("auto") == "cpu"


@pytest.mark.parametrize("name", ["cuda", "mps"])
def test_a_device_that_is_absent_is_an_error_and_a_present_one_is_chosen(name):
    import torch

    present = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}[name]
    if present:
        assert choose_device(name) == name
    else:
        with pytest.raises(ModelError, match=rf"embedding\.device is '{name}', but this machine has none"):
            choose_device(name)


@pytest.mark.parametrize("before", [None, "false"])
def test_the_environment_is_as_before_after_the_import(monkeypatch, before):
    monkeypatch.delenv("CI", raising=False)
    if before is not None:
        monkeypatch.setenv("CI", before)
    import_openvino.cache_clear()
    assert has_openvino()
    assert import_openvino() is import_openvino()
    assert os.environ.get("CI") == before


def test_float32_is_the_last_precision_of_every_processor():
    assert processor_precisions() in {("float32",), ("bfloat16", "float32")}
