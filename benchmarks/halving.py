"""Successive halving against asking everything, and against cells drawn at random for the same number of answers.

    python benchmarks/halving.py [--data FOLDER] [--draws N]

The cells are real: the recorded LLM runs on WattBot's training questions and votes of three of them (default:
KOHAKU_SHARED_DATA, else ../shared/data). Each draw holds other questions out and orders the others anew; printed are the
answers that each way asks for, as a share of all, and what its winner scores on the questions that were held out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from shared_data import data_parser

from kohaku_lib.evaluation import read_rows, score_rows, vote_rows
from kohaku_lib.evaluation.submission import submission_rows
from kohaku_lib.evaluation.sweeps.halving import survivors
from kohaku_lib.evaluation.sweeps.summary import CellRun
from kohaku_lib.settings import EnsembleSettings

VOTES, HELD_OUT = 24, 12
Way = Callable[[np.ndarray, np.ndarray, np.random.Generator], tuple[int, int]]  # scores, order → winner, answers


def main() -> None:
    """Print the table."""
    parser = data_parser(__doc__)
    parser.add_argument("--draws", type=int, default=300, help="random parts of the questions")
    options = parser.parse_args()
    scores = cell_scores(options.data / "wattbot")
    print(f"{scores.shape[0]} cells, {scores.shape[1]} questions, {HELD_OUT} held out, {options.draws} draws\n")
    print("| way | answers | winner on held-out questions | best of all cells there |\n|---|---|---|---|")
    ways: dict[str, Way] = {"all cells on all questions": everything}
    for eta in (2, 3, 4):
        for least in (4, 8):
            ways[f"halving, eta {eta}, least {least}"] = halving(eta, least)
    ways["random cells, answers as halving with eta 3, least 8"] = at_random(halving(3, 8))
    for name, way in ways.items():
        print_way(name, way, scores, options.draws)


def print_way(name: str, way: Way, scores: np.ndarray, draws: int) -> None:
    """One row: the mean over the draws, with twice its standard error."""
    asked, won, best = [], [], []
    for seed in range(draws):
        draw = np.random.default_rng(seed)
        order = draw.permutation(scores.shape[1])
        apart, choosing = order[:HELD_OUT], order[HELD_OUT:]
        winner, answers = way(scores, choosing, draw)
        asked.append(answers / scores[:, choosing].size)
        won.append(scores[winner, apart].mean())
        best.append(scores[:, apart].mean(axis=1).max())
    error = 2 * np.std(won) / np.sqrt(draws)
    print(f"| {name} | {np.mean(asked):.0%} | {np.mean(won):.4f} ± {error:.4f} | {np.mean(best):.4f} |", flush=True)


def everything(scores: np.ndarray, choosing: np.ndarray, _draw: np.random.Generator) -> tuple[int, int]:
    """The best cell by all questions that choose."""
    return int(scores[:, choosing].mean(axis=1).argmax()), scores[:, choosing].size


def halving(eta: int, least: int) -> Way:
    """The best cell by rungs."""

    def way(scores: np.ndarray, choosing: np.ndarray, _draw: np.random.Generator) -> tuple[int, int]:
        sizes = [len(choosing)]
        while sizes[-1] // eta >= least:
            sizes.append(sizes[-1] // eta)
        left, asked, before = list(range(len(scores))), 0, 0
        for size in reversed(sizes):
            asked += len(left) * (size - before)
            before = size
            runs = [CellRun(str(cell), "", 0, _by_name(scores[cell], choosing[:size])) for cell in left]
            left = [int(line) for line, _ in survivors(runs, eta)]
        return left[int(scores[left][:, choosing].mean(axis=1).argmax())], asked

    return way


def at_random(like: Way) -> Way:
    """The best of as many cells as take the answers of another way."""

    def way(scores: np.ndarray, choosing: np.ndarray, draw: np.random.Generator) -> tuple[int, int]:
        cells = max(1, round(like(scores, choosing, draw)[1] / len(choosing)))
        drawn = draw.choice(len(scores), cells, replace=False)
        winner = drawn[int(scores[drawn][:, choosing].mean(axis=1).argmax())]
        return int(winner), cells * len(choosing)

    return way


def cell_scores(folder: Path) -> np.ndarray:
    """The official score of every cell on every question, (cells, questions)."""
    truth = read_rows(folder / "train_QA.csv")
    paths = sorted(path for path in folder.glob("train_runs/*/submission.csv") if "ensemble" not in path.parent.name)
    runs = [read_rows(path) for path in paths]
    draw = np.random.default_rng(0)
    pools = [draw.choice(len(runs), 3, replace=False).tolist() for _ in range(VOTES)]
    voted = [submission_rows(vote_rows({str(run): runs[run] for run in pool}, EnsembleSettings())[0]) for pool in pools]
    return np.array([[row.score for row in score_rows(truth, rows).rows] for rows in (*runs, *voted)])


def _by_name(scores: np.ndarray, places: Sequence[int] | np.ndarray) -> dict[str, float]:
    return {str(place): float(scores[place]) for place in places}


if __name__ == "__main__":
    main()
