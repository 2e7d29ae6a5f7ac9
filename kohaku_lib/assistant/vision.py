"""Mode "vision": images of a request, and the settings under which the figures of the documents are found and shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kohaku_lib.answering.figures import MIB, media_type
from kohaku_lib.answering.labels import answerer_name
from kohaku_lib.assistant.request import RequestError
from kohaku_lib.llm import ChatModel, ImagePart
from kohaku_lib.settings import AnswerSettings, Settings


def request_images(images: Sequence[bytes], settings: AnswerSettings) -> tuple[ImagePart, ...]:
    """Return the images of a request for a prompt.

    Raises:
        RequestError: There are more than answer.max_images, they are larger than answer.max_image_mb together, or one is
            of a type that models do not read.

    >>> request_images([b"GIF89a...", b"<svg/>"], AnswerSettings())
    Traceback (most recent call last):
    kohaku_lib.assistant.request.RequestError: image 2 is no PNG, JPEG, WebP or GIF; convert it
    """
    if len(images) > settings.max_images:
        msg = f"a request has at most answer.max_images = {settings.max_images} images, got {len(images)}"
        raise RequestError(msg)
    size_mb = sum(map(len, images)) / MIB
    if size_mb > settings.max_image_mb:
        msg = f"images have at most answer.max_image_mb = {settings.max_image_mb} MiB together, got {size_mb:.1f}"
        raise RequestError(msg)
    parts = []
    for number, data in enumerate(images, start=1):
        mime = media_type(data)
        if mime is None:
            msg = f"image {number} is no PNG, JPEG, WebP or GIF; convert it"
            raise RequestError(msg)
        parts.append(ImagePart(mime, data))
    return tuple(parts)


def figure_values(settings: Settings) -> dict[str, Any]:
    """Return the values of settings, by dotted name, under which figures are searched and shown to the model."""
    return {
        "retrieval.with_images": True,
        "retrieval.top_k_images": max(settings.retrieval.top_k_images, settings.answer.max_images),
        "answer.send_images": True,
    }


def required_chat(chat: ChatModel | None, mode: str, settings: Settings) -> ChatModel:
    """Return `chat`, without which `mode` cannot answer.

    Raises:
        RequestError: There is none.
    """
    if chat is not None:
        return chat
    what = "a language model that sees" if mode == "vision" else "a language model"
    msg = f"mode {mode!r} needs {what}, and answers come from {answerer_name(settings)}; set llm.provider and llm.model"
    raise RequestError(msg)
