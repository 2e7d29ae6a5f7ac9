"""Shared types of the settings groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from kohaku_lib.registry import Registry

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
    """Metadata of a text setting: it names a kind of `family` or is one of `others`, which is checked with the project.

    The kinds lie in packages that read settings, so that settings cannot know their names.
    """

    family: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OneOf:
    """Metadata of a text setting: allowed values are `others` and the names of the registry's entries that match `fits`."""

    registry: Registry[Any]
    others: tuple[str, ...] = ()
    fits: Callable[[Any], bool] = lambda kind: True

    def names(self) -> tuple[str, ...]:
        """Return the allowed values."""
        return (*self.others, *(kind.name for kind in self.registry if self.fits(kind)))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._validate, handler(source))

    def _validate(self, value: str | None) -> str | None:
        names = self.names()
        if value is not None and value not in names:
            *first, last = map(repr, names)
            expected = f"{', '.join(first)} or {last}" if first else last
            kind, message = "literal_error", "Input should be {expected}"  # pydantic's wording for a Literal
            raise PydanticCustomError(kind, message, {"expected": expected})
        return value


class Section(BaseModel):
    """A frozen group of settings in which an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
