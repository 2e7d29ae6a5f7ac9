"""What lasts: stage files, the row cache, the lock; and `map_items`, the seam where work fans out."""

from kohaku_lib.storage.map_items import available_cores, map_items
from kohaku_lib.storage.row_cache import RowCache

__all__ = ["RowCache", "available_cores", "map_items"]
