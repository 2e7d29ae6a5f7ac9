"""A refresh that has imported what it needs and begins when it is told to: `python -m kohaku_assets.cli.waiting refresh`."""

from __future__ import annotations

import sys
from importlib import import_module

_IMPORTED = (  # what a refresh of changed documents would import on its way, which takes longer than a small document
    "pandas",
    "openvino",
    "tokenizers",
    "dagster._core.storage.runs.sqlite.sqlite_run_storage",
    "kohaku_assets.definitions",
    "kohaku_assets.components.history_storage",
    "kohaku_assets.operations.refresh",
    "kohaku_assets.steps.answer",
    "kohaku_assets.steps.evaluate",
    "kohaku_assets.steps.index",
    "kohaku_assets.steps.ingest",
    "kohaku_lib.answering.extractive.reading_answerer",
    "kohaku_lib.embedding.encoders.openvino_encoder",
)


def main() -> None:
    """Import, wait for a line on standard input, and run the command line; without a line, as its server ended, do nothing."""
    for name in _IMPORTED:
        import_module(name)
    if sys.stdin.readline():
        from kohaku_assets.cli import run

        run()


if __name__ == "__main__":
    main()
