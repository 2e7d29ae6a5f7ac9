"""Compiled models are kept for other processes, by the file, the processor and the precision."""

import numpy as np
import pytest

pytest.importorskip("openvino", reason="OpenVINO is not installed")

from kohaku_lib.openvino_runtime import compile_model, import_openvino


def saved(path, factor):
    openvino = import_openvino()
    from openvino import opset13

    given = opset13.parameter([1, 3], np.float32)
    scaled = opset13.matmul(given, opset13.constant(np.eye(3, dtype=np.float32) * factor), False, False)
    openvino.save_model(openvino.Model([scaled], [given]), path, compress_to_fp16=False)
    return path


def computed(compiled):
    return compiled([np.array([[1, 2, 3]], dtype=np.float32)])[0].tolist()


def test_a_compiled_model_is_kept_and_found_again_and_one_that_changes_is_compiled_anew(tmp_path, monkeypatch):
    monkeypatch.setenv("KOHAKU_CACHE", str(tmp_path / "cache"))
    path = saved(tmp_path / "model.xml", 2)
    kept = tmp_path / "cache" / "openvino"
    assert computed(compile_model(path, "float32", is_kept=False)) == [[2, 4, 6]]
    assert not kept.exists()
    assert [computed(compile_model(path, "float32")) for _ in range(2)] == [[[2, 4, 6]]] * 2
    [first] = kept.glob("*/compiled")
    assert list(first.parent.glob("*.blob"))
    saved(path, 5)
    assert computed(compile_model(path, "float32")) == [[5, 10, 15]]
    assert len(list(kept.glob("*/compiled"))) == 2
