"""The answerers without a language model, by the name that the setting answer.reader gives them."""

from __future__ import annotations

import argparse

from kohaku_lib.answering.answerer import Answerer
from kohaku_lib.answering.extractive.answerer import ExtractiveAnswerer
from kohaku_lib.answering.extractive.reader.reader import load_reader
from kohaku_lib.answering.extractive.reading_answerer import ReadingAnswerer
from kohaku_lib.settings import Settings

WRONG_COST = Settings().answer.wrong_cost


def add_reader(parser: argparse.ArgumentParser) -> None:
    """Add the option --reader."""
    parser.add_argument("--reader", choices=("learned", "rules"), default="learned", help="who answers (learned)")


def answerer_named(reader: str, wrong_cost: float = WRONG_COST) -> Answerer:
    """Return the answerer; `wrong_cost` 0 lets the reader answer however unsure it is."""
    return ReadingAnswerer(load_reader(), wrong_cost) if reader == "learned" else ExtractiveAnswerer()
