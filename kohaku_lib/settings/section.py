"""Shared types of the settings groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from kohaku_lib.errors import SliceError

_MOST = 2**31 - 1  # accepted by every library and system call

PositiveInt = Annotated[int, Field(ge=1, le=_MOST)]

NonNegativeInt = Annotated[int, Field(ge=0, le=_MOST)]

AtOnce = Annotated[int, Field(ge=1, le=1024)]  # threads, connections

PositiveFloat = Annotated[float, Field(gt=0.0, le=1e9, allow_inf_nan=False)]

NonNegativeFloat = Annotated[float, Field(ge=0.0, le=1e9, allow_inf_nan=False)]

Seconds = Annotated[float, Field(gt=0.0, le=1e7, allow_inf_nan=False)]  # a time limit; the maximum of system timers

Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]

# Settings of every server that is called, with their descriptions; the defaults differ.

CallRetries = Annotated[
    NonNegativeInt, Field(description="further attempts after 429, 5xx, a dropped connection or a broken reply")
]

RetryBaseSeconds = Annotated[NonNegativeFloat, Field(description="first delay between attempts; doubles each time")]

RETRY_FACTOR = 2.0

AttemptSeconds = Annotated[Seconds, Field(description="longest attempt, from connecting to the last byte of the reply")]

ReplyMegabytes = Annotated[PositiveFloat, Field(description="largest reply, decompressed; a larger one is refused")]


def _validate_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        msg = "an address of http or https, such as http://127.0.0.1:8000/v1"
        raise ValueError(msg)
    return text


ServerUrl = Annotated[str, AfterValidator(_validate_url)]


@dataclass(frozen=True, slots=True)
class KindName:
    """Metadata of a setting that names a kind of `family` or is one of `others`, which is checked with the project.

    A table of settings by the names of kinds has it too.

    The kinds lie in packages that read settings, so that settings cannot know their names.
    """

    family: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Slice:
    """The settings `keys` that the stage `stage` may read; `breaches` are its reads of others so far."""

    stage: str
    keys: frozenset[str]
    breaches: list[SliceError] = field(default_factory=list)

    def breach(self, key: str) -> SliceError:
        """Note that `key` was read and return the error, so that code which goes on after any error does not hide it.

        >>> print(Slice("scores", frozenset()).breach("lexical.k1"))
        the stage 'scores' reads the setting 'lexical.k1', which is not in its slice; add it to the keys of the stage
        """
        self.breaches.append(
            SliceError(
                f"the stage {self.stage!r} reads the setting {key!r}, which is not in its slice; add it to the keys of the stage"
            )
        )
        return self.breaches[-1]


_SLICE = ":slice"  # in a view, the name of its slice and the prefix of its keys, beside the values


class Section(BaseModel):
    """A frozen group of settings in which an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def sliced(self, read: Slice, prefix: str = "") -> Self:
        """Return a view: a copy without the settings that `read` lacks, whose reading raises SliceError.

        Its dump has what it may read. As the other values are missing, ordinary reads take no longer.

        >>> class Lexical(Section):
        ...     k1: float = 0.9
        ...     b: float = 0.4
        >>> Lexical().sliced(Slice("scores", frozenset({"lexical.b"})), "lexical.")
        Lexical(b=0.4)
        """
        view = self.model_copy()
        values = view.__dict__
        for name in type(self).model_fields.keys() & values.keys():
            if isinstance(values[name], Section):
                values[name] = values[name].sliced(read, f"{prefix}{name}.")
            elif f"{prefix}{name}" not in read.keys:
                del values[name]
        values[_SLICE] = read, prefix
        return view

    def to_json(self) -> dict[str, Any]:
        """Return the values for another process, where `from_json` makes a view of a view."""
        read, prefix = self.__dict__.get(_SLICE, (None, ""))
        return self.model_dump(mode="json") | ({} if read is None else {_SLICE: [read.stage, prefix]})

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Return the section that `to_json` gave as `values`.

        >>> Section.from_json(Section().to_json())
        Section()
        """
        own = {name: value for name, value in values.items() if name != _SLICE}
        section = cls.model_validate(own)
        if _SLICE not in values:
            return section
        stage, prefix = values[_SLICE]
        return section.sliced(Slice(stage, frozenset(f"{prefix}{name}" for name in own)), prefix)

    if not TYPE_CHECKING:  # a type checker is to find unknown names

        def __getattr__(self, name: str) -> Any:
            """Raise the error of a setting that this view lacks."""
            if _SLICE in self.__dict__ and name in type(self).model_fields:
                read, prefix = self.__dict__[_SLICE]
                raise read.breach(prefix + name)
            return super().__getattr__(name)
