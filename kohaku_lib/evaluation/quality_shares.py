"""Shares that tell whether documents and answers are as they should be; None where there is nothing to count."""

from __future__ import annotations

import pyarrow as pa

from kohaku_lib.values import is_blank


def failed_share(documents: pa.Table) -> float | None:
    """Return the share of `documents` (DOCUMENTS: status) that could not be parsed.

    >>> failed_share(pa.table({"status": ["parsed", "failed", "parsed", "needs_ocr"]}))
    0.5
    """
    status = documents["status"].to_pylist()
    return _share(sum(one != "parsed" for one in status), len(status))


def blank_share(votes: pa.Table) -> float | None:
    """Return the share of blank answers of ENSEMBLE_VOTES.

    >>> blank_share(pa.table({"answer_value": ["7", "is_blank"]})), blank_share(pa.table({"answer_value": []}))
    (0.5, None)
    """
    values = votes["answer_value"].to_pylist()
    return _share(sum(map(is_blank, values)), len(values))


def unsupported_share(predictions: pa.Table) -> float | None:
    """Return the share of the answers of PREDICTIONS, blank ones aside, without a quote that was found.

    >>> found, lost = {"quote": "a", "quote_found": True}, {"quote": "a", "quote_found": False}
    >>> rows = {"answer_value": ["1", "2", "is_blank"], "citations": [[lost, found], [lost], []]}
    >>> unsupported_share(pa.table(rows)), unfound_share(pa.table(rows))
    (0.5, 0.6666666666666666)
    """
    values, citations = (predictions[name].to_pylist() for name in ("answer_value", "citations"))
    given = [cited for value, cited in zip(values, citations, strict=True) if not is_blank(value)]
    return _share(sum(not any(one["quote_found"] for one in cited) for cited in given), len(given))


def unfound_share(predictions: pa.Table) -> float | None:
    """Return the share of the cited quotes of PREDICTIONS that were not found in their document."""
    cited = [one for citations in predictions["citations"].to_pylist() for one in citations if one["quote"]]
    return _share(sum(not one["quote_found"] for one in cited), len(cited))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
