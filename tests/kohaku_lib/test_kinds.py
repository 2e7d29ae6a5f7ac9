"""Every declared kind leads to a function that exists."""

import dataclasses
import pkgutil

import pytest

from kohaku_lib import kinds
from kohaku_lib.registry import Registry

REGISTRIES = {name: value for name, value in vars(kinds).items() if isinstance(value, Registry)}
LAZY = [
    (registry, kind.name, function)
    for registry, found in REGISTRIES.items()
    for kind in found
    for function in (getattr(kind, field.name) for field in dataclasses.fields(kind))
    if ":" in getattr(getattr(function, "func", function), "__qualname__", "")
]


@pytest.mark.parametrize(("registry", "name", "function"), LAZY, ids=[f"{one[0]}-{one[1]}" for one in LAZY])
def test_the_function_of_a_kind_can_be_imported(registry, name, function):
    assert callable(pkgutil.resolve_name(getattr(function, "func", function).__qualname__))
