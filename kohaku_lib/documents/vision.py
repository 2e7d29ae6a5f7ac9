"""Describing a figure by a chat model that sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kohaku_lib.digests import digest
from kohaku_lib.llm import ChatModel, ChatRequest, ImagePart
from kohaku_lib.settings import ImagesSettings

PROMPT = "caption.v1"
_SYSTEM = (
    "You describe figures from technical and financial documents for a search index. Say only what can be seen; "
    "never guess a number that cannot be read."
)
_USER = (
    "Describe this figure in three to five specific sentences of plain text. Of a plot, name the axes with their "
    "units, the series, the values that can be read and the trend. Of a diagram, name its parts and how they are "
    "connected. Of a table, give its most important rows and numbers. Of a photograph, say what it shows. Begin with "
    "the content itself, without a phrase such as 'the image shows'."
)


class VisionDescriber:
    """Describes images by `model` behind a chat port, with the prompt caption.v1."""

    def __init__(self, chat: ChatModel, model: str, settings: ImagesSettings) -> None:
        self._chat = chat
        self._model = model
        self._max_tokens = settings.caption_max_tokens
        self.workers = settings.caption_concurrent

    def key(self, sha256: str) -> str:
        """Return under what the description of the image with these bytes is kept."""
        return digest(
            ["vision_model", sha256, self._chat.provider, self._model, PROMPT, _SYSTEM, _USER, self._max_tokens]
        )

    def text(self, image: Mapping[str, Any]) -> str:
        """Return the description of an image (a row of DOCUMENT_IMAGES); raises CallError."""
        request = ChatRequest(
            model=self._model,
            system=_SYSTEM,
            user=_USER,
            temperature=0.0,
            max_tokens=self._max_tokens,
            seed=0,
            run=0,
            stage="image_captions",
            question_id=image["storage_key"],
            json_object=False,
            images=(ImagePart(image["mime"], image["bytes"]),),
        )
        return " ".join(self._chat.complete(request).text.split())
