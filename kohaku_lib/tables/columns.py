"""Types of columns that several tables share."""

from __future__ import annotations

import pyarrow as pa

STRINGS = pa.list_(pa.string())

BOX = pa.list_(pa.float32())
