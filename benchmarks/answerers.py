"""The answerers without a language model, by the name that the setting llm.provider gives them."""

from __future__ import annotations

import argparse

from kohaku_lib.answering.answerer import Answerer
from kohaku_lib.answering.extractive.answerer import ExtractiveAnswerer
from kohaku_lib.answering.extractive.reader.reader import load_reader
from kohaku_lib.answering.extractive.reading_answerer import ReadingAnswerer
from kohaku_lib.settings import Settings

WRONG_COST = Settings().answer.wrong_cost


def add_provider(parser: argparse.ArgumentParser) -> None:
    """Add the option --provider."""
    parser.add_argument("--provider", choices=("extractive", "reader"), default="reader", help="who answers (reader)")


def answerer_named(provider: str, wrong_cost: float = WRONG_COST) -> Answerer:
    """Return the answerer; `wrong_cost` 0 lets the reader answer however unsure it is."""
    return ReadingAnswerer(load_reader(), wrong_cost) if provider == "reader" else ExtractiveAnswerer()
