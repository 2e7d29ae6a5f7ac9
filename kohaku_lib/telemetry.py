"""No dependency tells anybody that it runs: the variables that keep each of them silent, set before it is imported."""

from __future__ import annotations

import os

SILENT = {
    "DO_NOT_TRACK": "1",  # read by several
    "HF_HUB_DISABLE_TELEMETRY": "1",  # huggingface_hub, transformers
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime, which writes a device id into the home of the user, too
    "RAY_USAGE_STATS_ENABLED": "0",
}


def keep_silent() -> None:
    """Set the variables of SILENT for this process and those that it starts, where the user has not set them."""
    for name, value in SILENT.items():
        os.environ.setdefault(name, value)
