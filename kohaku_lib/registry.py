"""A registry of named implementations: rerankers, channels, fusions, metrics, vote modes."""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Protocol, TypeVar

from kohaku_lib.errors import KohakuError


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """The name in the settings and on the command line."""
        ...


Kind = TypeVar("Kind", bound=Named)


class Registry(Generic[Kind]):
    """The kinds of one thing, by their `order` where they have one, then in the order of their registration.

    What `folder` and `entry_points` name is loaded with the first look at the registry. Thread-safe.

    Args:
        what: Names the thing in messages.
        folder: Package whose modules register the kinds of the house, each its own.
        entry_points: Group of entry points whose objects are the kinds of other packages.

    Example:
        >>> from types import SimpleNamespace
        >>> metrics = Registry("metric")
        >>> _ = metrics.register(SimpleNamespace(name="recall"))
        >>> metrics.names()
        ('recall',)

    """

    def __init__(self, what: str, *, folder: str | None = None, entry_points: str | None = None) -> None:
        self._what = what
        self._folder, self._group = folder, entry_points
        self._loading = threading.RLock()
        self._kinds: dict[str, Kind] = {}

    def register(self, kind: Kind) -> Kind:
        """Add a kind and return it.

        Raises:
            KohakuError: A kind of this name is registered already.

        """
        if kind.name in self._kinds:
            msg = f"there is a {self._what} {kind.name!r} already; register this one by another name"
            raise KohakuError(msg)
        self._kinds[kind.name] = kind
        return kind

    def get(self, name: str) -> Kind:
        """Return the kind called `name`.

        Raises:
            KohakuError: There is none.

        """
        if name not in self:
            msg = f"there is no {self._what} {name!r}; known are {', '.join(map(repr, self.names()))}"
            raise KohakuError(msg)
        return self._kinds[name]

    def names(self) -> tuple[str, ...]:
        """Return the names of all kinds, in their order."""
        return tuple(kind.name for kind in self)

    def __iter__(self) -> Iterator[Kind]:
        self._load()
        return iter(sorted(self._kinds.values(), key=lambda kind: getattr(kind, "order", 0)))

    def __contains__(self, name: object) -> bool:
        self._load()
        return name in self._kinds

    @contextmanager
    def registered(self, kind: Kind) -> Iterator[Kind]:
        """Add a kind for as long as the block lasts."""
        self.register(kind)
        try:
            yield kind
        finally:
            del self._kinds[kind.name]

    def _load(self) -> None:
        """Register the kinds of the house and of other packages."""
        with self._loading:
            folder, self._folder = self._folder, None
            if folder is not None:
                for module in pkgutil.iter_modules(importlib.import_module(folder).__path__, f"{folder}."):
                    importlib.import_module(module.name)
            group, self._group = self._group, None
            if group is not None:
                self._load_entry_points(group)

    def _load_entry_points(self, group: str) -> None:
        from importlib.metadata import entry_points

        for entry_point in entry_points(group=group):
            try:
                self.register(entry_point.load())
            except (ImportError, AttributeError) as error:
                msg = (
                    f"the {self._what} {entry_point.name!r} of another package ({entry_point.value}) cannot be loaded ({error}); "
                    "repair or uninstall that package"
                )
                raise KohakuError(msg) from error


def lazy(target: str) -> Callable[..., Any]:
    """Return a function that imports the one at `target` ("package.module:name") with its first call.

    Kinds are declared where the settings are checked, which must not load what the kinds need.

    Example:
        >>> lazy("math:sqrt")(9)
        3.0

    """

    def call(*arguments: Any, **options: Any) -> Any:
        return pkgutil.resolve_name(target)(*arguments, **options)

    call.__name__ = call.__qualname__ = target
    return call
