"""The answerer that the settings ask for."""

from __future__ import annotations

from kohaku_lib.answering.answerer import Answerer
from kohaku_lib.answering.chat import ChatAnswerer
from kohaku_lib.answering.figures import ReadImages
from kohaku_lib.answering.replay import ReplayAnswerer
from kohaku_lib.errors import ModelError
from kohaku_lib.llm import ChatModel
from kohaku_lib.settings import Settings


def build_answerer(
    settings: Settings, chat: ChatModel | None = None, read_images: ReadImages | None = None
) -> Answerer:
    """Return the answerer of `settings.llm.provider`; a chat provider needs its `chat` model.

    `read_images` gives the bytes of figures to a model that is shown them.

    Raises ModelError where that is missing, InputFileError or SettingsError for a replay without readable files.
    """
    if settings.llm.provider == "replay":
        return ReplayAnswerer(settings.replay.runs)
    if settings.llm.provider == "extractive":
        from kohaku_lib.answering.extractive import ExtractiveAnswerer

        return ExtractiveAnswerer()
    if chat is None:
        msg = f"llm.provider = {settings.llm.provider!r} needs a chat model; build it with build_chat(settings.llm)"
        raise ModelError(msg)
    return ChatAnswerer(chat, settings.llm, settings.answer, read_images)
