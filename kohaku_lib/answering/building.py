"""The answerer that the settings name; what others need is not imported."""

from __future__ import annotations

from kohaku_lib.answering.answerer import Answerer
from kohaku_lib.answering.figures import ReadImages
from kohaku_lib.llm import ChatModel
from kohaku_lib.settings import Settings


def build_answerer(
    settings: Settings, chat: ChatModel | None = None, read_images: ReadImages | None = None
) -> Answerer:
    """Return the answerer that `answer.by` names.

    Args:
        settings: All settings.
        chat: The chat model, if one answers.
        read_images: Returns the bytes of figures, for multimodal models.

    Raises:
        ModelError: The chat model is missing.
        InputFileError: A recorded run cannot be read.
        SettingsError: There is no recorded run to replay.

    """
    if settings.uses_chat:
        from kohaku_lib.answering.chat.chat_answerer import build_chat_answerer

        return build_chat_answerer(settings, chat, read_images)
    if settings.answerer == "replay":
        from kohaku_lib.answering.replay import ReplayAnswerer

        return ReplayAnswerer(settings.replay.runs)
    return built_in_reader(settings)


def built_in_reader(settings: Settings) -> Answerer:
    """Return the reader with a small model of its own, which comes with Kohaku."""
    from kohaku_lib.answering.extractive.reading_answerer import build_reading

    return build_reading(settings.answer)
