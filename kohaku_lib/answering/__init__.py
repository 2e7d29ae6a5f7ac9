"""Answering: structured answers to questions from retrieved snippets (by a chat model, a built-in reader or recorded runs)."""

from kohaku_lib.answering.answer import Answer
from kohaku_lib.answering.answer_on_actors import answer_on_actors
from kohaku_lib.answering.answerer import Answerer, blank_answer, is_blank_answer
from kohaku_lib.answering.building import build_answerer
from kohaku_lib.answering.chat.answer_prompt import structured_prompt
from kohaku_lib.answering.chat.chat_answerer import ChatAnswerer
from kohaku_lib.answering.chat.parsing import parse_answer
from kohaku_lib.answering.citing.quotes import cite, find_quote
from kohaku_lib.answering.engine import Engine, EngineParts, GivenParts
from kohaku_lib.answering.labels import label_paths, run_labels
from kohaku_lib.answering.lost_channels import LOST_CHANNELS, lost_channels
from kohaku_lib.answering.many import answer_all, answer_questions, plan_questions
from kohaku_lib.answering.questions import is_accepted, read_questions, with_accepted
from kohaku_lib.answering.replay import NotRecordedError, ReplayAnswerer
from kohaku_lib.answering.rows import document_metadata, questions_from_table, questions_to_table

__all__ = [
    "LOST_CHANNELS",
    "Answer",
    "Answerer",
    "ChatAnswerer",
    "Engine",
    "EngineParts",
    "GivenParts",
    "NotRecordedError",
    "ReplayAnswerer",
    "answer_all",
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
    "plan_questions",
    "questions_from_table",
    "questions_to_table",
    "read_questions",
    "run_labels",
    "structured_prompt",
    "with_accepted",
]
