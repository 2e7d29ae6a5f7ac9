"""An inference that fails is an error, and no wait without an end."""

import threading

import numpy as np
import pytest

from kohaku_lib.embedding.encoders import openvino_batches
from kohaku_lib.embedding.encoders.openvino_batches import run_batches


class BrokenModel:
    """Stands for a compiled model whose every inference fails, as one does that memory is too small for."""

    def create_infer_request(self):
        return self

    def infer(self, inputs, share_outputs):
        raise MemoryError("cannot allocate")


def test_inferences_that_all_fail_end_with_their_error(monkeypatch):
    monkeypatch.setattr(openvino_batches, "available_cores", lambda: 2)
    ids, batches = [np.array([1, 2])] * 40, [np.array([row]) for row in range(40)]
    met = []

    def run():
        with pytest.raises(MemoryError):
            run_batches(BrokenModel(), ids, batches, np.zeros((40, 3), np.float32))
        met.append(True)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(30)
    assert met
