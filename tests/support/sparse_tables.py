"""Tables for tests, of the columns that matter to them."""

import pyarrow as pa


def table_of(schema, *rows):
    """Return a table of `rows` under `schema`; a column that a row does not name has its emptiest value."""
    return pa.Table.from_pylist([{f.name: row.get(f.name, empty(f)) for f in schema} for row in rows], schema=schema)


def empty(field):
    """Return None for a nullable field, else the empty value of its type."""
    if field.nullable:
        return None
    kinds = ((pa.types.is_string, ""), (pa.types.is_boolean, False), (pa.types.is_list, []), (pa.types.is_struct, {}))
    return next((value for is_kind, value in kinds if is_kind(field.type)), 0)
