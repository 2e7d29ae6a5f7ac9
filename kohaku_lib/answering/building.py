"""Build the configured answerer."""

from __future__ import annotations

from kohaku_lib.answering.answerer import Answerer
from kohaku_lib.answering.figures import ReadImages
from kohaku_lib.kinds import PROVIDERS
from kohaku_lib.llm import ChatModel
from kohaku_lib.settings import Settings


def build_answerer(
    settings: Settings, chat: ChatModel | None = None, read_images: ReadImages | None = None
) -> Answerer:
    """Return the answerer of `settings.llm.provider`.

    Args:
        settings: All settings.
        chat: The chat model, required by providers that use one.
        read_images: Returns the bytes of figures, for multimodal models.

    Raises:
        ModelError: The chat model is missing.
        InputFileError: A recorded run cannot be read.
        SettingsError: There is no recorded run to replay.

    """
    return PROVIDERS.get(settings.llm.provider).build_answerer(settings, chat, read_images)
