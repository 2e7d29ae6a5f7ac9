"""What a learned reader (train_reader.py, fit_reader.py) answers in place of the rules, on the questions of two benchmarks.

    python benchmarks/read_by_model.py WEIGHTS [--data FOLDER] [--least 0.5]

Claims are left to the rules. Printed are the seen half of the trust benchmark, HotpotQA's names and the single steps of
MuSiQue. WEIGHTS is the reader.safetensors that train_reader.py wrote; answers below --least are blank.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reading_elsewhere import hotpot_names, musique_steps, report_spans
from shared_data import data_parser
from trust import index_half, judge, report, show_wrong
from trust_truth import read_asked

from kohaku_lib.answering.answerer import Answerer
from kohaku_lib.answering.extractive.answerer import BLANK, ExtractiveAnswerer
from kohaku_lib.answering.extractive.question.question import read_question
from kohaku_lib.answering.extractive.reader.reader import Reader, load_reader
from kohaku_lib.kinds import PROVIDERS, ProviderKind
from kohaku_lib.tables import Question, Snippet, StructuredAnswer


def main() -> None:
    """Answer and print."""
    arguments = _arguments()
    by_model = ModelAnswerer(load_reader(arguments.weights), ExtractiveAnswerer(), arguments.least)
    PROVIDERS.register(ProviderKind("model", lambda settings, chat, read_images: by_model))
    seen = [one for one in read_asked() if one.half == "seen"]
    with tempfile.TemporaryDirectory() as folder:
        home = index_half("seen", Path(folder) / "seen")
        judged = judge(home, seen, provider="model")
        show_wrong(judged)
        report(judged, in_detail=True)
    print("\n| questions over their own paragraphs | n | exact | F1 | blank |\n|---|---|---|---|---|")
    report_spans("HotpotQA, names and spans", hotpot_names(arguments.data), by_model)
    report_spans("MuSiQue, its single steps", list(musique_steps(arguments.data)), by_model)


@dataclass(frozen=True, slots=True)
class ModelAnswerer:
    """Answers by the model; claims by the rules, and nothing below the probability `least` of being right."""

    reader: Reader
    rules: Answerer
    least: float

    def answer(self, question: Question, snippets: Sequence[Snippet], run: int = 0) -> StructuredAnswer:
        """Return the likeliest answer with the sentence or row that holds it."""
        form = read_question(question)
        if form.kind == "claim":
            return self.rules.answer(question, snippets, run)
        finding = self.reader.find(form, question.text, snippets)
        if finding is None or finding.confidence < self.least:
            return StructuredAnswer(BLANK, BLANK, (), BLANK, None, 0.0)
        value, quote = finding.value, finding.quote
        return StructuredAnswer(value, value, finding.document_ids, quote, quote, finding.confidence)

    def stop(self) -> None:
        """Do nothing: there are no calls."""


def _arguments() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--least", type=float, default=0.5, help="the probability of being right (0.5)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
