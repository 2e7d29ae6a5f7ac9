"""Contract tests of kinds, for packages that bring some along: one function per family, which fails by AssertionError."""

from kohaku_lib.testing.answer_metrics import check_answer_metric
from kohaku_lib.testing.formats import check_format
from kohaku_lib.testing.rerankers import check_reranker
from kohaku_lib.testing.retrieval_metrics import check_retrieval_metric

__all__ = ["check_answer_metric", "check_format", "check_reranker", "check_retrieval_metric"]
