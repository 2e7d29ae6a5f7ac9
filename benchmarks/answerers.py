"""The answerers without a language model, by the name that the setting answer.reader gives them."""

from __future__ import annotations

import argparse

from kohaku_lib.answering.answerer import Answerer
from kohaku_lib.answering.extractive.answerer import ExtractiveAnswerer
from kohaku_lib.answering.extractive.reading_answerer import ReadingAnswerer
from kohaku_lib.settings import Settings

WRONG_COST = Settings().answer.wrong_answer_penalty


def add_reader(parser: argparse.ArgumentParser) -> None:
    """Add the option --reader."""
    parser.add_argument("--reader", choices=("learned", "rules"), default="learned", help="who answers (learned)")


def answerer_named(reader: str, wrong_answer_penalty: float = WRONG_COST) -> Answerer:
    """Return the answerer; `wrong_answer_penalty` 0 lets the reader answer however unsure it is."""
    return ReadingAnswerer(wrong_answer_penalty) if reader == "learned" else ExtractiveAnswerer()
