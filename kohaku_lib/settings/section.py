"""What every group of settings shares."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

_MOST = 2**31 - 1  # what every library and system call takes

PositiveInt = Annotated[int, Field(ge=1, le=_MOST)]

NonNegativeInt = Annotated[int, Field(ge=0, le=_MOST)]

AtOnce = Annotated[int, Field(ge=1, le=1024)]  # threads, connections

PositiveFloat = Annotated[float, Field(gt=0.0, le=1e9, allow_inf_nan=False)]

NonNegativeFloat = Annotated[float, Field(ge=0.0, le=1e9, allow_inf_nan=False)]

Seconds = Annotated[float, Field(gt=0.0, le=1e7, allow_inf_nan=False)]  # a time limit; the system's timers take no more

Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


def _web_address(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        msg = "an address of http or https, such as http://127.0.0.1:8000/v1"
        raise ValueError(msg)
    return text


ServerUrl = Annotated[str, AfterValidator(_web_address)]


class Section(BaseModel):
    """A frozen group of settings in which an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
