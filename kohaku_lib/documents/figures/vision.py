"""Describe figures with a vision chat model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kohaku_lib.digests import digest
from kohaku_lib.documents.figures.image_texts import DescribeCrew
from kohaku_lib.llm import ChatModel, ChatRequest, ImagePart
from kohaku_lib.prompts import image_caption as wording
from kohaku_lib.settings import ImagesSettings


class VisionDescriber:
    """Describer that sends images to a chat model, from this process or from the actors of a crew."""

    def __init__(self, chat: ChatModel, model: str, settings: ImagesSettings, crew: DescribeCrew | None = None) -> None:
        self.crew = crew
        self._chat = chat
        self._model = model
        self._max_tokens = settings.caption_max_tokens
        self.workers = settings.caption_concurrent

    def key(self, sha256: str) -> str:
        """Return the cache key of the description of an image."""
        prompt = [wording.VERSION, wording.SYSTEM, wording.USER]
        return digest(["vision_model", sha256, self._chat.provider, self._model, *prompt, self._max_tokens])

    def text(self, image: Mapping[str, Any]) -> str:
        """Return the description of an image, a row of DOCUMENT_IMAGES.

        Raises:
            CallError: The model call failed.

        """
        request = ChatRequest(
            model=self._model,
            system=wording.SYSTEM,
            user=wording.USER,
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
