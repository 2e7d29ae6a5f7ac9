"""The assistant over WattBot, with no language model: its levels, the time of a warm question, and what it adds to reading.

    python benchmarks/assistant.py [--data FOLDER] [--home FOLDER]

Every training question is answered under the settings of each level (and under those of the project, "none"): the WattBot
score, the evidence recall of the first 4,000 characters of its context, milliseconds for planning, searching and reading one by
one with everything warm, and calls of a language model. Then it holds a session of ten turns with follow-ups, and answers all
questions with its cache off: p50 and p95 of a response, and the median of what a response takes beyond searching and reading,
by the clock and by the CPU, as other programs may run. The index is built in --home, and kept there.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
from shared_data import data_parser

from kohaku_assets.operations.refresh import refresh
from kohaku_assets.pipeline.project import Project
from kohaku_lib.answering import Engine, answer_questions, read_questions
from kohaku_lib.composition import load_settings, overlaid
from kohaku_lib.conversation import Assistant, AssistantRequest
from kohaku_lib.conversation.levels import LEVELS, question_settings
from kohaku_lib.evaluation import score_answers, score_retrieval, vote
from kohaku_lib.project import Session, open_engine, open_published_index
from kohaku_lib.project.question_tables import context_table

ROOT = Path(__file__).resolve().parents[1]
CALLS = 0  # without a language model
WITHOUT_COST = "answer.wrong_answer_penalty=0"  # as WattBot scores
# a session of ten turns: each message, and how it is understood if not as it is written
SESSION = (
    ("How much electricity in MWh did the training of GPT-3 consume?", None),
    ("And Gopher?", "How much electricity in MWh did the training of Gopher consume?"),
    ("And the training of BLOOM?", "How much electricity in MWh did the training of BLOOM consume?"),
    ("How many tons of CO2 did it emit?", "How many tons of CO2 did BLOOM emit?"),
    ("By how much did Google's electricity consumption grow in 2021?", None),
    ("And in 2020?", "By how much did Google's electricity consumption grow in 2020?"),
    ("Who published the ML.ENERGY Benchmark?", None),
    ("What does it measure?", "What does ML.ENERGY Benchmark measure?"),
    ("How many liters of water does GPT-3 consume per response?", None),
    ("And in Ireland?", "How many liters of water does GPT-3 consume per response in Ireland?"),
)


def main() -> None:
    """Print a row per level, then the times of responses."""
    parser = data_parser(__doc__)
    parser.add_argument("--home", type=Path, default=Path(tempfile.gettempdir()) / "kohaku-assistant")
    options = parser.parse_args()
    questions, _ = read_questions(options.data / "wattbot" / "train_QA.csv")
    home = built(options.home, options.data / "wattbot")
    session = Session(load_settings(overrides=[WITHOUT_COST], environment={}, folder=home).settings)
    print("| level | score | evidence_recall@4000 | ms p50 | ms p95 | calls |\n|---|---|---|---|---|---|")
    for level in (None, *LEVELS):
        print(level_row(session, questions, level), flush=True)
    with Assistant(session) as assistant:
        print(session_lines(assistant), flush=True)
    alone = session.overlaid(overlaid(session.settings, {"assistant.cache": False}))
    for name, clock in (("ms", time.perf_counter), ("ms of CPU", time.process_time)):
        with Assistant(alone, clock) as assistant:
            print(response_times(assistant, questions["question"].to_pylist(), name, clock), flush=True)


def built(home: Path, data: Path) -> Path:
    """Return a project over the 32 papers, built in the folder `home` unless it is."""
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "kohaku.toml").exists():
        lines = f'[corpus]\ndocuments = "{data / "corpus"}"\nmetadata = "{data / "metadata.csv"}"\n'
        (home / "kohaku.toml").write_text(lines, encoding="utf-8")
        (home / "dagster_home").mkdir()
        shutil.copy(ROOT / "dagster_home" / "dagster.yaml", home / "dagster_home")
    project = Project(load_settings(environment={}, folder=home))
    if not (project.snapshots / "current").exists():
        os.environ["DAGSTER_HOME"] = str(home / "dagster_home")
        failure = refresh(project, ["published_index"]).failure
        assert failure is None, failure
    return home


def level_row(session: Session, questions: pa.Table, level: str | None) -> str:
    """Return the figures of one level as a row."""
    snapshot = open_published_index(session.store)
    engines: dict[str, Engine] = {}
    contexts, predictions, took_ms = [], [], []
    for is_warm in (False, True):
        for place in range(questions.num_rows):
            question = questions.slice(place, 1)
            text = question["question"][0].as_py()
            settings = question_settings(
                session.settings, AssistantRequest(message=text, intelligence_level=level), text
            )
            made = open_engine(session.overlaid(settings), snapshot)
            engine = engines.setdefault(settings.model_dump_json(), made)
            started = time.perf_counter()
            context, _ = context_table(engine, question)
            prediction, _ = answer_questions(question, context, engine)
            if is_warm:
                took_ms.append((time.perf_counter() - started) * 1000)
                contexts.append(context)
                predictions.append(prediction)
    predicted = pa.concat_tables(predictions)
    votes, _ = vote(predicted, session.settings.ensemble)
    scored = score_answers(questions, votes, predicted)[1].metrics
    found = score_retrieval(pa.concat_tables(contexts), questions)[1].metrics
    p50, p95 = np.percentile(took_ms, [50, 95])
    score = scored["wattbot/ensemble/score"]
    return (
        f"| {level or 'none'} | {score:.3f} | {found['evidence_recall@4000']:.3f} | {p50:.0f} | {p95:.0f} | {CALLS} |"
    )


def session_lines(assistant: Assistant) -> str:
    """Return the ten turns of SESSION as lines, and how many were understood."""
    session_id, lines, understood = None, [], 0
    for message, meant in SESSION:
        response = assistant.respond(AssistantRequest(message=message, session_id=session_id))
        session_id = response.session_id
        understood += response.question == (meant or message)
        lines.append(
            f"{response.question} → {' '.join(response.content.split())[:100]} ({response.confidence_score:.2f})"
        )
    return "\n".join([*lines, f"{understood} of {len(SESSION)} turns understood"])


def response_times(assistant: Assistant, messages: list[str], unit: str, clock: Callable[[], float]) -> str:
    """Return p50 and p95 of warm responses by `clock`, and the median of what they take beyond searching and reading."""
    for message in messages:
        assistant.respond(AssistantRequest(message=message))
    took_ms, beyond_ms = [], []
    for message in messages:
        started = clock()
        response = assistant.respond(AssistantRequest(message=message))
        took_ms.append((clock() - started) * 1000)
        beyond_ms.append(took_ms[-1] - response.timings_ms["retrieve"] - response.timings_ms["read"])
    p50, p95 = np.percentile(took_ms, [50, 95])
    return f"warm responses: p50 {p50:.0f}, p95 {p95:.0f} {unit}; beyond searching and reading {median(beyond_ms):.1f} {unit}"


if __name__ == "__main__":
    main()
