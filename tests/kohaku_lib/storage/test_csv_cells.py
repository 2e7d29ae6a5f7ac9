"""The limit of a cell is lifted for a while."""

import csv

import pytest

from kohaku_lib.storage.csv_cells import cells_of_any_length


def test_the_limit_of_a_cell_is_lifted_for_a_while_and_restored_after_an_error():
    before = csv.field_size_limit()
    with cells_of_any_length():
        assert csv.field_size_limit() > before
    assert csv.field_size_limit() == before
    with pytest.raises(ZeroDivisionError), cells_of_any_length():
        assert 1 / 0
    assert csv.field_size_limit() == before
