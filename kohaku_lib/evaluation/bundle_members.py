"""The members of a replay bundle, unpacked no further than a bundle can be large."""

from __future__ import annotations

import zipfile

import pyarrow as pa

_MOST_MEMBER_BYTES = 100_000_000
_MOST_TABLE_BYTES = 500_000_000  # in memory; a Parquet file can hold one text a billion times
_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}  # the others cannot be unpacked a little at a time


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the content of a member; raises KeyError, and ValueError where it is too large or packed in an unusual way."""
    info = archive.getinfo(name)
    if info.compress_type not in _COMPRESSIONS:
        msg = f"{name} is compressed by another method than deflate"
        raise ValueError(msg)
    with archive.open(info) as file:
        content = file.read(_MOST_MEMBER_BYTES + 1)  # what the archive says of its size may be wrong
    _check_size(len(content), _MOST_MEMBER_BYTES, name)
    return content


def read_table(archive: zipfile.ZipFile, name: str, schema: pa.Schema) -> pa.Table:
    """Return the Parquet table in a member, cast to `schema`.

    Raises KeyError, and ValueError where the table is too large, is another one, or lacks values.
    """
    import pyarrow.parquet as pq

    with pq.ParquetFile(pa.BufferReader(read_member(archive, name))) as file:
        groups = (file.metadata.row_group(place) for place in range(file.num_row_groups))
        largest = max((group.total_byte_size for group in groups), default=0)
        _check_size(largest, _MOST_TABLE_BYTES, name)
        parts = [schema.empty_table()]
        size = 0
        # No value is longer than what its row group unpacks to, so no batch takes more than the limit.
        for batch in file.iter_batches(max(1, _MOST_TABLE_BYTES // max(largest, 1))):
            parts.append(pa.Table.from_batches([batch]).cast(schema))
            size += parts[-1].nbytes
            _check_size(size, _MOST_TABLE_BYTES, name)
    table = pa.concat_tables(parts)
    table.validate(full=True)
    return table


def _check_size(size: int, most: int, name: str) -> None:
    if size > most:
        msg = f"{name} is larger than {most // 1_000_000} MB"
        raise ValueError(msg)
