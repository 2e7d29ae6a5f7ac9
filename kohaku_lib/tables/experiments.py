"""Experiments: what each took and scored, and its answer to every question."""

from __future__ import annotations

import pyarrow as pa

EXPERIMENTS = pa.schema(
    [
        pa.field("name", pa.string(), nullable=False),
        pa.field("created", pa.string(), nullable=False),  # ISO 8601, UTC
        pa.field("source", pa.string(), nullable=False),  # "run" here, or "imported"
        pa.field("problem", pa.string()),  # why it has no scores; None if it has
        pa.field("key", pa.string()),  # changes with every setting and file that the scores depend on
        pa.field("provider", pa.string()),
        pa.field("model", pa.string()),
        pa.field("size_b", pa.float64()),  # billions of parameters, as far as known
        pa.field("dtype", pa.string()),  # of a local model
        pa.field("questions", pa.int32()),  # with truth
        pa.field("runs", pa.int32()),  # of the ensemble
        *(
            pa.field(f"{metric}{part}", pa.float64())
            for metric in ("wattbot", "kohaku", "fork")
            for part in ("", "_value", "_ref", "_na")
        ),
        pa.field("wattbot_low", pa.float64()),  # 95 % bootstrap
        pa.field("wattbot_high", pa.float64()),
        pa.field("wattbot_clusters", pa.float64()),  # effective number of documents behind it
        pa.field("stated_score", pa.float64()),  # by the record that it was imported from
        pa.field("correct", pa.int32()),  # values that the metric wattbot has as right
        pa.field("blank", pa.int32()),
        pa.field("errors", pa.int32()),
        pa.field("retried", pa.int32()),  # questions with more than one attempt
        pa.field("seconds", pa.float64()),  # of the whole run
        pa.field(
            "latency_s", pa.float64()
        ),  # mean of a question, retrieval and answer, without waiting for other calls
        pa.field("retrieval_s", pa.float64()),
        pa.field("answer_s", pa.float64()),
        pa.field("calls", pa.int64()),
        pa.field("input_tokens", pa.int64()),
        pa.field("output_tokens", pa.int64()),
        pa.field("cost_usd", pa.float64()),
        pa.field("rss_peak_bytes", pa.int64()),
        pa.field("vram_peak_bytes", pa.int64()),
        pa.field("vram_total_bytes", pa.int64()),
        pa.field("cpu_energy_wh", pa.float64()),
        pa.field("gpu_energy_wh", pa.float64()),
        pa.field("gpu_mean_w", pa.float64()),
        pa.field("gpu_peak_w", pa.float64()),
        pa.field("energy_method", pa.string()),
        pa.field("environment", pa.string()),  # what people call the machine, by --env
        pa.field("hardware_json", pa.string()),
        pa.field("settings_json", pa.string()),  # those that differ from the defaults, by dotted name
    ]
)

EXPERIMENT_RESULTS = pa.schema(
    [
        pa.field("experiment", pa.string(), nullable=False),
        pa.field("id", pa.string(), nullable=False),
        pa.field("metric", pa.string(), nullable=False),  # wattbot, kohaku, fork
        pa.field("value", pa.float64(), nullable=False),
        pa.field("ref", pa.float64(), nullable=False),
        pa.field("na", pa.float64()),
        pa.field("score", pa.float64(), nullable=False),
        pa.field("answer_value", pa.string()),  # None if it has no answer
        pa.field("latency_s", pa.float64()),  # of the calls of the chat model
    ]
)
