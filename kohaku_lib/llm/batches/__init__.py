"""OpenAI's Batch API: calls are submitted together and answered within a day at a reduced price."""

from kohaku_lib.llm.batches.chat import BatchChat
from kohaku_lib.llm.batches.queue import BatchQueue
from kohaku_lib.llm.batches.records import BatchRecord
from kohaku_lib.llm.batches.server import BatchServer, UnknownBatchError

__all__ = ["BatchChat", "BatchQueue", "BatchRecord", "BatchServer", "UnknownBatchError"]
