"""Whether answers without a language model can be trusted: 557 questions about documents, a third unanswerable.

The documents were written for this benchmark, in eight formats; each class of questions asks for one way in which
a reader goes wrong (digits of dates, the neighbouring cell, what is not there, a unit that does not fit). The parts have
documents of their own: `seen` (140 questions) and `unseen` (144) are about offices, `second_seen` (75),
`second_unseen` (75), `third_seen` (48) and `third_unseen` (75) about daily life in clubs, shops, schools and towns. Of a
part whose name ends in "unseen" only the totals are to be looked at; the others are for work.

    python benchmarks/trust.py [--part seen|unseen|second_seen|second_unseen|third_seen|third_unseen]
                               [--show] [--around N]

Each part is indexed and asked with the default settings, as a project is. Printed are the verdicts by class, and how
often answers of each confidence are right, of an unseen part the totals only; with --show all of it and every answer
that is wrong; with --around for how many questions the answer differs once N documents about something else lie beside
(see unrelated_documents.py), and for how many it differs where only the document that holds the answer is asked. What
counts as right is told in trust_truth.py.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from trust_documents import PARTS, make_documents
from trust_truth import VERDICTS, Asked, Verdict, read_asked, verdict_on
from unrelated_documents import write_unrelated

import kohaku_lib
from kohaku_lib import open_project
from kohaku_lib.answering.answer import Outcome
from kohaku_lib.evaluation.statistics.intervals import wilson_interval
from kohaku_lib.project import Answer
from kohaku_lib.values import values_equal

COLUMNS = ("questions", "n", *VERDICTS, "right first", "wrong values", "silence right")
HEADER = f"|{'|'.join(f' {name} ' for name in COLUMNS)}|\n|{'---|' * len(COLUMNS)}"
BINS = 10  # of confidence, equally wide


@dataclass(frozen=True, slots=True)
class Judged:
    """A question with its answer and the verdict."""

    asked: Asked
    answer: Answer
    verdict: Verdict


def main() -> None:
    """Index, ask, print."""
    arguments = _arguments()
    asked = [one for one in read_asked() if one.part == arguments.part]
    with tempfile.TemporaryDirectory() as folder:
        home = index_part(arguments.part, Path(folder) / "part")
        judged = judge(home, asked)
        report(judged, in_detail=not arguments.part.endswith("unseen") or arguments.show)
        if arguments.show:
            _show_wrong(judged)
        if arguments.around:
            around = index_part(arguments.part, Path(folder) / "around", arguments.around)
            _report_changed(
                f"beside {arguments.around} unrelated documents",
                judged,
                judge(around, asked),
                arguments.show,
            )
            answerable = [one for one in judged if one.asked.is_answerable]
            alone = judge(home, [one.asked for one in answerable], alone=True)
            _report_changed("each answerable one over its own document", answerable, alone, arguments.show)


def index_part(part: str, home: Path, around: int = 0) -> Path:
    """Make a project of the documents of a part, and `around` unrelated ones, build its index, and return its folder."""
    make_documents(part, home / "documents")
    write_unrelated(around, home / "documents")
    (home / "kohaku.toml").write_text("store = 'store'\n[corpus]\ndocuments = 'documents'\n", "utf-8")
    command = [sys.executable, "-m", "kohaku_assets.cli", "refresh", "--config", str(home / "kohaku.toml")]
    root = str(Path(kohaku_lib.__file__).parents[1])
    environment = os.environ | {"PYTHONPATH": root, "DAGSTER_HOME": str(home / "dagster_home")}
    subprocess.run(command, env=environment, check=True, stdout=sys.stderr)
    return home


def judge(home: Path, asked: Sequence[Asked], *, alone: bool = False) -> list[Judged]:
    """Return the answers of a project with their verdicts; `alone` asks only the document that holds the answer."""
    with open_project(home) as project:
        answers = [project.ask(one.text, one.unit, documents=one.documents if alone else ()) for one in asked]
    return [Judged(one, answer, verdict_on(one, answer)) for one, answer in zip(asked, answers, strict=True)]


def changed(alone: Sequence[Judged], beside: Sequence[Judged]) -> dict[str, list[str]]:
    """Return the ids of the questions whose answer differs, by how: another outcome, another value, another passage."""
    found: dict[str, list[str]] = {}
    for one, other in zip(alone, beside, strict=True):
        first, second = one.answer, other.answer
        if first.outcome != second.outcome:
            how = f"{first.outcome} to {second.outcome}"
        elif first.value is not None and second.value is not None and not values_equal(first.value, second.value):
            how = "another value"
        elif first.outcome == "passage" and first.text != second.text:
            how = "another passage"
        else:
            continue
        found.setdefault(how, []).append(one.asked.id)
    return found


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=PARTS, default="seen", help="the documents and questions (seen)")
    parser.add_argument("--show", action="store_true", help="print every answer that is wrong, and all tables")
    parser.add_argument("--around", type=int, default=0, metavar="N", help="add N documents about something else")
    return parser.parse_args()


def report(judged: Sequence[Judged], *, in_detail: bool) -> None:
    """Print the verdicts, by class and by confidence where `in_detail`."""
    print(f"\n{HEADER}")
    if in_detail:
        for title, own in _groups(judged):
            print(table_row(title, own))
    print(table_row(f"all of {judged[0].asked.part}", judged))
    wrong = [one for one in judged if one.verdict == "wrong value"]
    unanswerable = sum(not one.asked.is_answerable for one in wrong)
    found = sum(all(citation.quote_found for citation in one.answer.citations) for one in wrong)
    stated = sum(any(citation.supports_value for citation in one.answer.citations) for one in wrong)
    print(
        f"\nOf {len(wrong)} wrong values {unanswerable} answer what no document says, {found} have quotes that were found "
        f"only, {stated} quotes that state the value."
    )
    if in_detail:
        _print_reliability(judged)


def _groups(judged: Sequence[Judged]) -> list[tuple[str, list[Judged]]]:
    """Return the answers by class, in the order of the file, then those to German questions."""
    by_class: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        by_class[one.asked.kind].append(one)
    return [*by_class.items(), ("in German", [one for one in judged if one.asked.language == "de"])]


def table_row(title: str, judged: Sequence[Judged]) -> str:
    counts = Counter(one.verdict for one in judged)
    right, silent = counts["value right"] + counts["passage right"], counts["rightly silent"]
    answerable = sum(one.asked.is_answerable for one in judged)
    cells = [str(len(judged)), *(str(counts[verdict]) for verdict in VERDICTS)]
    unanswerable = len(judged) - answerable
    shares = [_share(right, answerable), _share(counts["wrong value"], len(judged)), _share(silent, unanswerable)]
    return f"| {' | '.join([title, *cells, *shares])} |"


def _share(count: int, n: int) -> str:
    interval = wilson_interval(count, n)
    if interval.low is None or interval.high is None:
        return "-"
    return f"{count / n:.0%} ({interval.low:.0%} to {interval.high:.0%})"


def _print_reliability(judged: Sequence[Judged]) -> None:
    """Print by outcome and bin of confidence how many are right, and the expected calibration error of each outcome."""
    print("\n| outcome | confidence | answers | right |\n|---|---|---|---|")
    for outcome in get_args(Outcome):
        error, count = 0.0, 0
        for pairs in confidence_bins(judged, outcome):
            stated, right = sum(confidence for confidence, _ in pairs), sum(is_right for _, is_right in pairs)
            error, count = error + abs(stated - right), count + len(pairs)
            print(f"| {outcome} | {stated / len(pairs):.2f} | {len(pairs)} | {_share(right, len(pairs))} |")
        if count:
            print(f"| {outcome} | all | {count} | calibration error {error / count:.3f} |")


def confidence_bins(judged: Iterable[Judged], outcome: Outcome) -> list[list[tuple[float, bool]]]:
    """Return the confidences of an outcome, each with whether it is right, in bins of the same width, empty ones omitted."""
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for one in judged:
        confidence = one.answer.confidence
        if one.answer.outcome == outcome and confidence is not None:
            bins[min(int(confidence * BINS + 1e-9), BINS - 1)].append((confidence, one.verdict in RIGHT))
    return [bins[number] for number in sorted(bins)]


RIGHT = {"value right", "passage right", "rightly silent"}


def _show_wrong(judged: Iterable[Judged]) -> None:
    for one in judged:
        if one.verdict not in RIGHT:
            expected = " or ".join(one.asked.values) or "blank"
            unit = f" [{one.asked.unit}]" if one.asked.unit else ""
            print(
                f"\n{one.asked.id}: {one.asked.text}{unit}\n  expected {expected}\n  {one.verdict}: {one.answer.text}"
            )
            for citation in one.answer.citations:
                print(f"  {citation.document_id}: {citation.quote}")
            for passage in one.answer.passages:
                print(f"  {passage.score:.2f} {passage.document_id}: {passage.with_marks()}")


def _report_changed(title: str, before: Sequence[Judged], after: Sequence[Judged], show: bool) -> None:
    found = changed(before, after)
    total = sum(map(len, found.values()))
    print(f"\n{HEADER}\n{table_row('as asked above', before)}\n{table_row(title, after)}")
    parts = ", ".join(f"{len(ids)} {name}" for name, ids in found.items())
    print(f"\nAnswers that differ: {total} of {len(before)}, {_share(total, len(before))}; {parts}.")
    if show:
        print("\n".join(f"  {name}: {', '.join(ids) or 'none'}" for name, ids in found.items()))


if __name__ == "__main__":
    main()
