"""The scores of relevant snippets per reranker: the file of rerank.conformal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kohaku_lib.errors import InputFileError


def read_calibration(path: Path) -> dict[str, list[float]]:
    """Return the rerank scores of snippets known to be relevant, by reranker name.

    The file is a JSON object, {"local:name": [0.93, 0.41]}.

    Raises:
        InputFileError: The file cannot be read or has another format.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = f"the calibration file {str(path)!r} cannot be read ({error}); write it with 'kohaku calibrate-rerank'"
        raise InputFileError(msg) from error
    if not isinstance(content, dict) or not all(map(_is_scores, content.values())):
        msg = (
            f"the calibration file {str(path)!r} must contain lists of scores from 0 to 1 by the reranker's name; write it "
            "with 'kohaku calibrate-rerank'"
        )
        raise InputFileError(msg)
    return content


def write_calibration(path: Path, scores: Mapping[str, Sequence[float]]) -> None:
    """Write the scores by reranker name to `path`, preserving those of other rerankers in the file."""
    earlier_scores = read_calibration(path) if path.exists() else {}
    all_scores = earlier_scores | {name: sorted(values) for name, values in scores.items()}
    path.write_text(json.dumps(all_scores, indent=1) + "\n", encoding="utf-8")


def _is_scores(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, (int, float)) and 0 <= item <= 1 for item in value)
