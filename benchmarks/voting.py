"""Votes of recorded LLM runs, by every mode and blank policy, against the best run and the oracle.

    python benchmarks/voting.py [--data FOLDER] [--pools N] [--halves N]

FOLDER is the one that holds wattbot (default: KOHAKU_SHARED_DATA, else ../shared/data). Prints six tables, all with the
official metric: every mode over all single runs, with a 95 % bootstrap interval over questions; the means over random
pools of 3, 5, 8 and 10 runs; what is gained from the words beside the values; what a blank counts for, fixed or learned
from the labels of the other questions; how often one policy beats another over random halves of the questions; and what
copies and wrong files do. Calibrated votes never see the label of the question that they vote on.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

import numpy as np
from shared_data import data_parser

from kohaku_lib.evaluation import ScoreReport, calibrate, read_rows, score_rows, vote_rows
from kohaku_lib.evaluation.metrics.evidence import cluster_of
from kohaku_lib.evaluation.statistics.intervals import bootstrap_interval
from kohaku_lib.evaluation.submission import text_row
from kohaku_lib.evaluation.voting.ballots import Ballot, read_ballot
from kohaku_lib.evaluation.voting.calibration import Calibration
from kohaku_lib.evaluation.voting.expected_score import BLANK_WORTH, decide_by_score
from kohaku_lib.evaluation.voting.members import Rows
from kohaku_lib.evaluation.voting.polls import Poll, take_poll
from kohaku_lib.evaluation.voting.reliability import belief_of, estimate, voters_of
from kohaku_lib.evaluation.voting.vote_policies import draw_pools
from kohaku_lib.settings import EnsembleSettings

Runs = Mapping[str, Rows]
Policy = Callable[[Runs], Rows]
WORTHS = (0.1, 0.2, 0.3, 0.4, BLANK_WORTH, 0.6, 0.75, 1.0)
MODES = (
    "independent",
    "ref_priority",
    "answer_priority",
    "union",
    "intersection",
    "majority",
    "first_non_blank",
)


def main() -> None:
    """Print the tables."""
    options = _options()
    truth = read_rows(options.data / "wattbot" / "train_QA.csv")
    paths = sorted(options.data.glob("wattbot/train_runs/*/submission.csv"))
    recorded = {path.parent.name.replace("-PowerEdge_", " ").removesuffix("-bench"): read_rows(path) for path in paths}
    singles = {name: rows for name, rows in recorded.items() if "ensemble" not in name}
    print_all(truth, singles, next(rows for name, rows in recorded.items() if "ensemble" in name))
    print_pools(truth, singles, options.pools)
    print_words(truth, singles, 4 * options.pools)
    print_blanks(truth, singles, 3 * options.pools)
    print_halves(truth, singles, options.halves)
    print_disturbed(truth, singles)


def print_all(truth: Rows, singles: Runs, origin: Rows) -> None:
    """Every policy over all runs."""
    best = max(singles, key=lambda name: score_rows(truth, singles[name]).score)
    print(
        f"\n| {len(singles)} runs, {len(truth)} questions | score | 95 % | value | ref | na |\n|---|---|---|---|---|---|"
    )
    _print_score(f"best single run, as recorded ({best})", score_rows(truth, singles[best]))
    _print_score("its values normalised", score_rows(truth, by_mode({best: singles[best]}, "answer_priority", True)))
    _print_score("the origin's ensemble", score_rows(truth, origin))
    for mode in MODES:
        for ignore, name in ((True, "blanks ignored"), (False, "blanks counted")):
            _print_score(f"{mode}, {name}", score_rows(truth, by_mode(singles, mode, ignore)))
    for mode in ("answer_priority", "expected_score"):
        _print_score(
            f"{mode}, calibrated, one left out", score_rows(truth, calibrated(singles, mode, truth, len(truth)))
        )
    _print_score("**expected_score**", score_rows(truth, by_mode(singles, "expected_score", True)))
    _print_score("oracle: the best run per question", score_rows(truth, oracle(truth, singles)))


def print_pools(truth: Rows, singles: Runs, number: int) -> None:
    """Means over random pools of runs."""
    policies = _policies(truth) | {"oracle": partial(oracle, truth), "best single, normalised": partial(best_of, truth)}
    pools = {size: _pools(singles, size, number) for size in (3, 5, 8, 10)}
    print(f"\n| mean score of {number} random pools | " + " | ".join(f"{size} runs" for size in pools) + " |")
    print("|---" * (len(pools) + 1) + "|")
    for name, policy in policies.items():
        means = [fmean(score_rows(truth, policy(pool)).score for pool in drawn) for drawn in pools.values()]
        print(f"| {name} | " + " | ".join(f"{mean:.4f}" for mean in means) + " |", flush=True)


def print_words(truth: Rows, singles: Runs, number: int) -> None:
    """What is gained by asking whether the words beside a value state it, over random pools, paired by question."""
    older = {name: rows for name, rows in singles.items() if name.startswith("archive")}
    print(f"\n| expected_score, {number} pools a size | without words | with | gain, 95 % by document | won | lost |")
    print("|---|---|---|---|---|---|")
    for name, runs in (("older runs", older), ("runs", singles)):
        for size in (3, 5, 7, 9):
            pools = _pools(runs, size, number)
            without, told = (
                np.array([list(by_words(truth, pool, is_told).values()) for pool in pools]) for is_told in (False, True)
            )
            gains = (told - without).mean(axis=1)
            interval = bootstrap_interval((told - without).mean(axis=0), [cluster_of(row) for row in truth])
            means = f"{without.mean():.4f} | {told.mean():.4f} | {gains.mean():+.4f} ({interval.text(4)})"
            won, lost = (int((sign * gains > 1e-9).sum()) for sign in (1, -1))
            print(f"| {size} {name} | {means} | {won} | {lost} |", flush=True)


def by_words(truth: Rows, runs: Runs, is_told: bool) -> dict[str, float]:
    """The score of each question, with or without what the words beside the values state."""
    polls = {
        name: take_poll([ballot if is_told else replace(ballot, stated=None) for ballot in ballots])
        for name, ballots in _ballots(runs).items()
    }
    return _scores(truth, polls, [BLANK_WORTH])[BLANK_WORTH]


def print_blanks(truth: Rows, singles: Runs, number: int) -> None:
    """Scores by what a right blank is worth to the vote, over random pools of 5 to 10 runs."""
    pools = [{name: singles[name] for name in names} for names in draw_pools(list(singles), number)]
    older = {name: rows for name, rows in singles.items() if name.startswith("archive")}
    tables = [by_worth(truth, runs) for runs in (*pools, singles, older)]
    print(f"\n| worth of a blank | {number} pools | all runs | older runs |\n|---|---|---|---|")
    for worth in WORTHS:
        means = [fmean(table[worth].values()) for table in tables]
        print(f"| {worth} | {fmean(means[:-2]):.4f} | {means[-2]:.4f} | {means[-1]:.4f} |")
    for shrinkage in (0.0, 20.0):
        means = [fmean(learned(table, shrinkage).values()) for table in tables]
        name = f"learned, one left out, {BLANK_WORTH} counted as {shrinkage:g} questions"
        print(f"| {name} | {fmean(means[:-2]):.4f} | {means[-2]:.4f} | {means[-1]:.4f} |", flush=True)


def by_worth(truth: Rows, runs: Runs) -> dict[float, dict[str, float]]:
    """The score of each question by every worth of a blank."""
    polls = {name: take_poll(ballots) for name, ballots in _ballots(runs).items()}
    return _scores(truth, polls, WORTHS)


def learned(table: Mapping[float, Mapping[str, float]], shrinkage: float) -> dict[str, float]:
    """The score of each question by the worth that is best on the others; the usual one has a head start."""
    found: dict[str, float] = {}
    for name in table[BLANK_WORTH]:
        sums = {worth: sum(scores.values()) - scores[name] for worth, scores in table.items()}
        distance = {worth: shrinkage * 0.01 * abs(worth - BLANK_WORTH) for worth in table}
        found[name] = table[max(table, key=lambda worth: sums[worth] - distance[worth])][name]
    return found


def print_halves(truth: Rows, singles: Runs, number: int) -> None:
    """Which policy is better on random halves of the questions, and by how much."""
    draw = random.Random(0)
    halves = [draw.sample(list(truth), len(truth) // 2) for _ in range(number)]
    plain = by_mode(singles, "answer_priority", True)
    print(f"\n| on {number} random halves, against answer_priority | mean difference | won | lost |\n|---|---|---|---|")
    for name, policy in _policies(truth).items():
        voted = policy(singles)
        gains = [score_rows(half, voted).score - score_rows(half, plain).score for half in halves]
        won, lost = (sum(sign * gain > 1e-9 for gain in gains) for sign in (1, -1))
        print(f"| {name} | {fmean(gains):+.4f} | {won} | {lost} |")


def print_disturbed(truth: Rows, singles: Runs) -> None:
    """What a vote loses to members that are broken, copied or weak."""
    draw = random.Random(0)
    good, weak = singles["archive qwen72b"], singles["archive phi3-mini"]
    values = [row["answer_value"] for row in good]
    draw.shuffle(values)
    shuffled = [{**row, "answer_value": value} for row, value in zip(good, values, strict=True)]
    blank = [{**row, "answer_value": "is_blank"} for row in good]
    samples = {f"sample {k}": [{**row, "explanation": f"{k} {row['explanation']}"} for row in weak] for k in range(4)}
    disturbances: dict[str, Runs] = {
        "nothing": {},
        "a run that is all blank": {"x": blank},
        "a run with shuffled answers": {"x": shuffled},
        "four copies of the weakest": {f"copy {k}": weak for k in range(4)},
        "four samples of the weakest": samples,
    }
    print("\n| added to all runs | answer_priority | expected_score |\n|---|---|---|")
    for name, added in disturbances.items():
        scores = [
            score_rows(truth, by_mode({**singles, **added}, mode, True)).score
            for mode in ("answer_priority", "expected_score")
        ]
        print(f"| {name} | {scores[0]:.4f} | {scores[1]:.4f} |")


def by_mode(runs: Runs, mode: str, ignore_blank: bool) -> Rows:
    """The rows that `runs` vote for."""
    return _voted(runs, EnsembleSettings.model_validate({"ref_mode": mode, "ignore_blank": ignore_blank}))


def calibrated(runs: Runs, mode: str, truth: Rows, folds: int) -> Rows:
    """The rows that `runs` vote for, in `folds` parts, each calibrated by the labels of the others."""
    settings = EnsembleSettings.model_validate({"ref_mode": mode})
    voted: list[dict[str, str]] = []
    for fold in range(folds):
        held = {row["id"] for row in truth[fold::folds]}
        labels = [row for row in truth if row["id"] not in held]
        known = calibrate(dict.fromkeys(runs, labels), runs)
        voted += [row for row in _voted(runs, settings, known) if row["id"] in held]
    return voted


def oracle(truth: Rows, runs: Runs) -> Rows:
    """The best recorded row of each question."""
    score_by_run = {name: {row.id: row.score for row in score_rows(truth, rows).rows} for name, rows in runs.items()}
    rows_by_run = {name: {row["id"]: row for row in rows} for name, rows in runs.items()}
    best = {row["id"]: max(runs, key=lambda name: score_by_run[name][row["id"]]) for row in truth}
    return [rows_by_run[name][question] for question, name in best.items()]


def best_of(truth: Rows, runs: Runs) -> Rows:
    """The rows of the best run, its values normalised."""
    normalised = [by_mode({name: rows}, "answer_priority", True) for name, rows in runs.items()]
    return max(normalised, key=lambda rows: score_rows(truth, rows).score)


def _policies(truth: Rows) -> dict[str, Policy]:
    return {
        "answer_priority, blanks ignored": partial(by_mode, mode="answer_priority", ignore_blank=True),
        "answer_priority, blanks counted": partial(by_mode, mode="answer_priority", ignore_blank=False),
        "intersection, blanks ignored": partial(by_mode, mode="intersection", ignore_blank=True),
        "answer_priority, calibrated in 5 folds": partial(calibrated, mode="answer_priority", truth=truth, folds=5),
        "**expected_score**": partial(by_mode, mode="expected_score", ignore_blank=True),
        "expected_score, calibrated in 5 folds": partial(calibrated, mode="expected_score", truth=truth, folds=5),
    }


def _ballots(runs: Runs) -> dict[str, list[Ballot]]:
    ballots: dict[str, list[Ballot]] = {}
    for member, rows in runs.items():
        for row in rows:
            ballots.setdefault(row["id"], []).append(read_ballot(member, row))
    return ballots


def _scores(truth: Rows, polls: Mapping[str, Poll], worths: Sequence[float]) -> dict[float, dict[str, float]]:
    """The score of each question by expected_score, by worth of a blank."""
    reliabilities = estimate(list(polls.values()))
    found: dict[float, dict[str, float]] = {}
    for worth in worths:
        voted = [
            text_row({"id": name, "answer_value": decision.value, "ref_id": list(decision.refs)})
            for name, poll in polls.items()
            for decision in [
                decide_by_score(poll, belief_of(poll, reliabilities), voters_of(poll, reliabilities), worth)
            ]
        ]
        found[worth] = {row.id: row.score for row in score_rows(truth, voted).rows}
    return found


def _voted(runs: Runs, settings: EnsembleSettings, known: Calibration | None = None) -> list[dict[str, str]]:
    table, _ = vote_rows(runs, settings, known)
    return [text_row(row) for row in table.to_pylist()]


def _pools(singles: Runs, size: int, number: int) -> Sequence[Runs]:
    draw = random.Random(size)
    drawn: Iterable[list[str]] = (draw.sample(list(singles), size) for _ in range(number))
    return [{name: singles[name] for name in names} for names in drawn]


def _print_score(name: str, report: ScoreReport) -> None:
    parts = f"{report.value:.4f} | {report.ref:.4f} | {report.na:.4f}"
    print(f"| {name} | {report.score:.4f} | {report.interval.text()} | {parts} |", flush=True)


def _options() -> argparse.Namespace:
    parser = data_parser(__doc__)
    parser.add_argument("--pools", type=int, default=10, help="random pools per size")
    parser.add_argument("--halves", type=int, default=500, help="random halves of the questions")
    return parser.parse_args()


if __name__ == "__main__":
    main()
