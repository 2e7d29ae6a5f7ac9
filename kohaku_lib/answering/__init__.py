"""Answering: structured answers to questions from retrieved snippets (chat, extractive and replay providers)."""

from kohaku_lib.answering.answer_on_actors import answer_on_actors
from kohaku_lib.answering.answer_one_question import AnswerTools
from kohaku_lib.answering.answer_questions import answer_despite_lost_channels, answer_questions
from kohaku_lib.answering.answerer import Answerer, blank_answer, build_answerer, is_blank_answer
from kohaku_lib.answering.chat.answer_prompt import structured_prompt
from kohaku_lib.answering.chat.chat_answerer import ChatAnswerer
from kohaku_lib.answering.chat.parsing import parse_answer
from kohaku_lib.answering.citing.quotes import cite, find_quote
from kohaku_lib.answering.labels import label_paths, run_labels
from kohaku_lib.answering.lost_channels import LOST_CHANNELS, lost_channels
from kohaku_lib.answering.prediction_rows import document_metadata
from kohaku_lib.answering.questions import is_accepted, read_questions, with_accepted
from kohaku_lib.answering.replay import NotRecordedError, ReplayAnswerer

__all__ = [
    "LOST_CHANNELS",
    "AnswerTools",
    "Answerer",
    "ChatAnswerer",
    "NotRecordedError",
    "ReplayAnswerer",
    "answer_despite_lost_channels",
    "answer_on_actors",
    "answer_questions",
    "blank_answer",
    "build_answerer",
    "cite",
    "document_metadata",
    "find_quote",
    "is_accepted",
    "is_blank_answer",
    "label_paths",
    "lost_channels",
    "parse_answer",
    "read_questions",
    "run_labels",
    "structured_prompt",
    "with_accepted",
]
