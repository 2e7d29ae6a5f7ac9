"""Mode "vision": images of a request, and the settings under which the figures of the documents are found and shown."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any

from kohaku_lib.answering.figures import MIB, media_type
from kohaku_lib.answering.labels import answerer_name
from kohaku_lib.conversation.request import RequestError
from kohaku_lib.llm import ChatModel, ImagePart
from kohaku_lib.settings import AnswerSettings, Settings

MOST_PIXELS = 50_000_000  # of an image: a photo of 50 megapixels, 200 MB once it is decoded


def request_images(images: Sequence[bytes], settings: AnswerSettings) -> tuple[ImagePart, ...]:
    """Return the images of a request for a prompt.

    Raises:
        RequestError: There are more than answer.max_images, they are larger than answer.max_image_mb together, or one is
            refused by `image_parts`.
    """
    if len(images) > settings.max_images:
        msg = f"a request has at most answer.max_images = {settings.max_images} images, got {len(images)}"
        raise RequestError(msg)
    size_mb = sum(map(len, images)) / MIB
    if size_mb > settings.max_image_mb:
        msg = f"images have at most answer.max_image_mb = {settings.max_image_mb} MiB together, got {size_mb:.1f}"
        raise RequestError(msg)
    return image_parts(images)


def image_parts(images: Sequence[bytes]) -> tuple[ImagePart, ...]:
    """Return images with their types, each opened, but not decoded, to see that it is one.

    Raises:
        RequestError: One is of a type that models do not read, is damaged, or has more than 50 million pixels.

    >>> image_parts([b"<svg/>"])
    Traceback (most recent call last):
    kohaku_lib.conversation.request.RequestError: image 1 is no PNG, JPEG, WebP or GIF; convert it
    """
    return tuple(_image_part(number, data) for number, data in enumerate(images, start=1))


def _image_part(number: int, data: bytes) -> ImagePart:
    from PIL import Image

    mime = media_type(data)
    if mime is None:
        msg = f"image {number} is no PNG, JPEG, WebP or GIF; convert it"
        raise RequestError(msg)
    try:
        with Image.open(BytesIO(data), formats=[mime.partition("/")[2]]) as image:
            width, height = image.size
            image.verify()
        is_too_large = width * height > MOST_PIXELS
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):  # which Pillow raises far beyond that
        is_too_large = True
    except Exception as error:  # each image format raises its own errors
        msg = f"image {number} is damaged and cannot be opened; save it anew"
        raise RequestError(msg) from error
    if is_too_large:
        msg = f"image {number} has more than {MOST_PIXELS} pixels; save it smaller"
        raise RequestError(msg)
    return ImagePart(mime, data)


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
