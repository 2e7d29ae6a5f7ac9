"""What a filter names must be among the documents of its tenant."""

import pyarrow as pa
import pytest

from kohaku_lib.errors import InputFileError
from kohaku_lib.index import SearchFilter, check_named

DOCUMENTS = pa.table(
    {
        "document_id": ["a", "b", "c", "e"],
        "path": ["x/a.pdf", "x/y/b.pdf", "c.pdf", "x/y/e.pdf"],
        "metadata_json": [f'{{"collection": "{name}"}}' for name in ("north", "south", "east", "north")],
        "org_id": ["ours", "ours", "theirs", "theirs"],
    }
)


@pytest.mark.parametrize(
    "where",
    [
        SearchFilter(),
        SearchFilter(org_id="ours", kinds=("sentence",)),
        SearchFilter(org_id="ours", documents=("a", "b")),
        SearchFilter(org_id="ours", collections=("north", "south"), folders=("x", "x/y")),
        SearchFilter(documents=("c",)),
    ],
)
def test_what_is_there_may_be_asked_for(where):
    check_named(where, DOCUMENTS)


@pytest.mark.parametrize(
    ("where", "told"),
    [
        (SearchFilter(documents=("a", "d")), "is called 'd'; "),
        (SearchFilter(org_id="ours", documents=("c",)), "is called 'c'; "),
        (SearchFilter(org_id="ours", collections=("east",)), "is of the collection 'east'; "),
        (SearchFilter(folders=("y",)), "is in the folder 'y'; "),
        (SearchFilter(documents=("a",), collections=("south",)), "matches all of these filters at once; "),
        (
            SearchFilter(org_id="ours", collections=("north",), folders=("x/y",)),
            "matches all of these filters at once; ",
        ),
    ],
)
def test_what_no_document_of_the_tenant_has_is_refused(where, told):
    with pytest.raises(InputFileError, match=f"no document of the index {told}"):
        check_named(where, DOCUMENTS)
